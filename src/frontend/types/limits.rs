//! The limits of types.

// --- layout ---

/// Maximum number of leaves of a type; beyond it, the type is represented by its bytes.
pub(super) const MAXIMUM_LEAVES: usize = 4096;

// --- places ---

/// Maximum number of named scalars of a type.
pub(super) const MAXIMUM_NAMED_PLACES: usize = 512;

/// Maximum number of elements of an array of aggregates that are named one by one.
pub(super) const MAXIMUM_NAMED_ELEMENTS: u64 = 16;
