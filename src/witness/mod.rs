//! Witnesses: files in which verifiers say to each other why a property holds or does not hold.
//!
//! Uses [`crate::frontend`] and [`crate::program`]. Those of Regatta's own answers are written by
//! [`crate::report`].
//!
//! * [`node`]: YAML with places; [`mod@format`]: what a witness file says; [`finding`]: what is wrong with one.
//! * [`points`]: the statements, keywords and calls of the program's text that it speaks of; [`lint`]: whether it is a
//!   witness of the program, and whether its expressions can be read there.
//! * [`instrument`]: the program together with a witness: its invariants as assertions, or its path as an automaton
//!   beside the program; [`values`]: the values of inputs that a path names.

pub mod finding;
pub mod format;
pub mod instrument;
pub mod lint;
pub mod node;
pub mod points;
pub mod values;
