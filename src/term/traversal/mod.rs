//! Traversals of terms: substitution and free variables, parts of conjunctions, array cells as variables, sums over arrays.

pub(super) mod cell_variables;
pub(super) mod connectives;
pub mod linear_tables;
pub mod prefix_sums;
pub(super) mod substitute;
