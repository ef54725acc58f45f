//! Checks of verdicts before they are reported, on the program as lowered and without the engines' encodings (so without
//! the block formulas of [`regatta_program`] too).
//!
//! * `alarm`: [`replay`]: the interpreter must reach the error with an alarm's inputs; [`violated_assumptions`]: assumptions
//!   that the run violates; [`native`]: the alarm as a C file, and a run of the compiled program.
//! * `proof`: [`certificate`]: the proofs that engines submit; [`portable`]: proofs and answers as bytes, for a checker in
//!   another process; [`invariants`]: a proof's invariants on the program as lowered.
//! * [`mod@check`]: the check of a proof; [`walk`]: its symbolic execution; [`boxes`]: runs on boxes of inputs, which need no
//!   solver.
//! * [`lowered`]: properties of the program that need no solver: call strings, cut points and the claims about them, the order
//!   of the execution; [`passed_over`]: the program without what a loose slice has left out.
//! * `queries`: the checker's questions to solvers; [`verification_conditions`]: verification conditions as files;
//!   [`opinion`]: all questions, and the simplifications, put to further solvers.
//! * [`defined`]: whether the expressions of a witness have defined values.

mod alarm;
pub mod boxes;
pub mod check;
pub mod defined;
mod instrumentation;
mod lowered;
mod proof;
mod queries;
#[cfg(test)]
mod tests;
mod walk;

pub use alarm::{dependence, native, replay, violated_assumptions};
pub use certificate::{Certificate, InvariantLocation, ProofStep};
pub use check::{
    Budget, Check, Checked, check, check_and_record, check_thoroughly, check_with_facts,
};
pub use lowered::passed::passed_over;
pub use proof::{certificate, invariants, portable};
pub use queries::{opinion, verification_conditions};
