//! Compiled programs ([`executable`]): their instructions ([`bytecode`]), [`tables`] beside them, and whether a run depends on
//! its inputs alone ([`exclusion`]).

pub(super) mod bytecode;
mod exclusion;
pub(super) mod executable;
pub(super) mod tables;
