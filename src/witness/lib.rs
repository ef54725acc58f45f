//! Witnesses: files with the reason why a property holds or is violated, exchanged between verifiers.
//!
//! Witnesses of Regatta's own answers are written by `regatta_report`.
//!
//! * [`node`]: YAML with positions; [`mod@format`]: the content of a witness file; [`finding`]: errors in one.
//! * [`points`]: the statements, keywords and calls of the program's text to which locations refer; [`lint`]: checks whether a
//!   file is a witness of the program, and whether its expressions are valid there.
//! * `transition`: transition invariants, and whether they show that a loop ends.
//! * [`instrument`]: the program combined with a witness: its invariants as assertions, or its path as an automaton
//!   in the program; [`input_values`]: the values of inputs that a path names.

pub mod finding;
pub mod format;
pub mod input_values;
pub mod instrument;
pub mod lint;
mod node;
mod points;
mod transition;
