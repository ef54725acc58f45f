//! The limits of the abstract domains.

// --- condition ---

/// Maximum depth of conditions and terms into which a condition is propagated.
pub(super) const MAXIMUM_CONDITION_DEPTH: u32 = 40;

/// Maximum number of disjuncts that are analysed case by case.
pub(super) const MAXIMUM_DISJUNCTS: usize = 8;

/// Maximum nesting of such case distinctions.
pub(super) const MAXIMUM_FORK_DEPTH: u32 = 2;

/// Maximum number of case distinctions.
pub(super) const MAXIMUM_FORKS: u32 = 40;

// --- intervals ---

/// Maximum number of arcs of a set during computations.
pub(super) const MAXIMUM_ARCS: usize = 12;
