//! What is claimed is checked here, on the program as lowered and without the engines' encodings of it, before it is
//! reported.
//!
//! Uses [`crate::term`] and [`crate::program`].
//!
//! * [`replay`]: an alarm's inputs must lead the interpreter to the error.

pub mod replay;
