//! What is claimed is checked here, on the program as lowered and without the engines' encodings of it, before it is
//! reported.
//!
//! Uses [`crate::term`], [`crate::program`] (but not its block formulas), and [`crate::solver::z3::text`], [`crate::solver::external`].
//!
//! * [`replay`]: an alarm's inputs must lead the interpreter to the error; [`violated_assumptions`]: what
//!   does not hold where its run comes by; [`native`]: the alarm as a C file, and a run of the compiled program;
//!   [`path`]: the way to the error, for people.
//! * [`certificate`]: what an engine hands in for a proof.
//! * [`defined`]: whether the expressions of a witness have defined values.
//! * [`mod@check`]: the check of a proof; [`walk`]: its symbolic execution; [`plan`]: in which order, and what becomes of
//!   loops without cut points; [`call_strings`]; [`lowered`]: what is seen of the program without a solver;
//!   [`places`]: where paths are cut, and what holds there; [`query`]: questions to the [`solvers`];
//!   [`portable`]: proofs and answers as bytes, for a checker in a process of its own;
//!   [`record`]: the conditions as files; [`invariants`]: what a proof says of the program as lowered;
//!   [`boxes`]: runs on boxes of inputs, which need no solver;
//!   [`opinion`]: the same questions, and what never became one, asked of two solvers.

pub mod boxes;
mod call_strings;
pub mod certificate;
pub mod check;
pub mod defined;
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
