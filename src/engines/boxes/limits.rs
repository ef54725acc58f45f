//! The tuned constants of branch and bound over boxes; what users may set is in its options.

/// Number of boxes per worker between two checks of the time limit.
pub const BOXES_PER_WORKER: usize = 128;
/// Maximum number of boxes that one of several error locations leaves open; then the others are asked about without it.
pub const MAXIMUM_BOXES_FOR_ONE: usize = 10_000;
/// Number of initial boxes of which points are run without exception.
pub const BOXES_WITH_POINTS: u64 = 2_000;
/// Sampling interval for later boxes: points are run of one box in this number.
pub const POINT_SAMPLING_INTERVAL: u64 = 16;
/// Maximum number of steps of the run of a point.
pub const MAXIMUM_STEPS_PER_POINT: u64 = 1_000_000;

// In divide.rs.

/// Number of halvings of a float by its value alone; beyond it, halvings by value and by number alternate.
pub const HALVINGS_BY_VALUE_ALONE: u32 = 24;
