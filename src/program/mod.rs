//! Programs as control-flow automata, and everything that is known about one without a solver.
//!
//! Uses [`crate::term`]. The front end makes programs; every engine reads them.

pub mod cfa;
pub mod source;

pub use cfa::*;
pub use source::{FileId, SourceMap, Span};
