//! Checks of verdicts before they are reported, on the program as lowered and without the engines' encodings (so without
//! the block formulas of [`regatta_program`] too).
//!
//! * [`replay`]: the interpreter must reach the error with an alarm's inputs; [`violated_assumptions`]: assumptions that the
//!   run violates; [`native`]: the alarm as a C file, and a run of the compiled program; [`path`]: the error path, for users.
//! * [`certificate`]: the proofs that engines submit.
//! * [`defined`]: whether the expressions of a witness have defined values.
//! * [`mod@check`]: the check of a proof; [`walk`]: its symbolic execution; [`plan`]: the order of the execution, and loops
//!   without cut points; [`call_strings`]; [`lowered`]: properties of the program that need no solver; [`places`]: cut
//!   points, and claims about them; [`query`]: questions to the [`solvers`]; [`portable`]: proofs and answers as bytes, for
//!   a checker in another process; [`record`]: verification conditions as files; [`invariants`]: a proof's invariants on the
//!   program as lowered; [`boxes`]: runs on boxes of inputs, which need no solver; [`opinion`]: all questions, and the
//!   simplifications, put to further solvers.

pub mod boxes;
mod call_strings;
pub mod certificate;
pub mod check;
pub mod defined;
mod instrumentation;
pub mod invariants;
mod lowered;
pub mod native;
pub mod opinion;
pub mod path;
mod places;
mod plan;
pub mod portable;
mod query;
pub mod record;
pub mod replay;
mod solvers;
#[cfg(test)]
mod tests;
pub mod violated_assumptions;
mod walk;

pub use certificate::{Certificate, InvariantLocation, ProofStep};
pub use check::{Budget, Check, check, check_and_record, check_thoroughly, check_with_facts};
