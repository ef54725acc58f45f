//! The tuned constants of the data-flow analysis; what users may set is in its options.

// In fixpoint.rs.

/// Maximum distance (dependences) from the property of variables that the first round tracks.
pub const MAXIMUM_NEAR_DISTANCE: u32 = 1;
/// Maximum number of variables that the first round tracks.
pub const MAXIMUM_NEAR_VARIABLES: usize = 60;
/// Maximum number of intervals of a variable, with disjunctions.
pub const MAXIMUM_DISJUNCTS: usize = 4;
/// Maximum number of separate paths through a block, without disjunctions.
pub const INITIAL_MAXIMUM_PATHS: usize = 4;
/// Maximum number of separate paths through a block, with disjunctions.
pub const MAXIMUM_PATHS: usize = 12;
/// Maximum number of narrowing steps after the fixpoint.
pub const MAXIMUM_NARROWINGS: u32 = 3;

// In relevance.rs.

/// Maximum number of variables of which all pairs are tracked; of more, those pairs in one comparison or sum.
pub const MAXIMUM_VARIABLES_FOR_ALL_PAIRS: usize = 9;
/// Maximum number of pairs of variables whose difference is tracked.
pub const MAXIMUM_PAIRS: usize = 60;
/// Maximum number of thresholds of widening.
pub const MAXIMUM_THRESHOLDS: usize = 400;
