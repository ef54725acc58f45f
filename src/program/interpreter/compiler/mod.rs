//! Compilation to instructions: [`edges`] of the automaton with their operations; terms ([`expression`], with [`scalar`] and
//! [`arrays`]) into the registers of an [`assembler`]; what the compiler knows of variables ([`facts`]).

mod arrays;
pub(super) mod assembler;
mod edges;
pub(super) mod expression;
mod facts;
mod scalar;
