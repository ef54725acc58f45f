//! The interpreter loop ([`instructions`], with its [`support`] and [`float`] operations), runs for a number of steps
//! ([`slice`]), and whole runs ([`run`]).

mod claims;
mod float;
mod instructions;
mod run;
mod slice;
pub(super) mod support;
