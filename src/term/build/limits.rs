//! The limits of the simplifying constructors: each looks at a bounded part of its arguments.

// --- array ---

/// Maximum number of nested stores that the rules for reads and sums look through.
pub(super) const MAXIMUM_STORES: usize = 64;

// --- boolean ---

/// Maximum number of arguments up to which conjunctions in conjunctions (and so for disjunctions) are flattened.
pub(super) const MAXIMUM_FLATTENED: usize = 16;

/// Maximum number of arguments of a conjunction or disjunction that are compared pairwise.
pub(super) const MAXIMUM_PAIRWISE: usize = 8;

// --- compare ---

/// Maximum depth of nested `ite` through which a comparison with a constant is distributed.
pub(super) const MAXIMUM_CHOICE_DEPTH: usize = 16;

// --- linear ---

/// Maximum number of addends of a sum in normal form.
pub(super) const MAXIMUM_ADDENDS: usize = 6;

/// Maximum number of subterms that are visited to find the addends.
pub(super) const MAXIMUM_ADDEND_VISITS: usize = 24;

// --- parity ---

/// Maximum number of operands of an exclusive or in normal form.
pub(super) const MAXIMUM_PARITY_OPERANDS: usize = 8;

/// Maximum number of subterms that are visited to find the operands.
pub(super) const MAXIMUM_PARITY_VISITS: usize = 32;

// --- part ---

/// Maximum depth to which an extraction is pushed into arithmetic and bitwise operations.
pub(super) const MAXIMUM_EXTRACTION_DEPTH: u32 = 6;

// --- steps ---

/// Maximum number of visits of constants and `ite` in a tree.
pub(super) const MAXIMUM_TREE_VISITS: usize = 64;
