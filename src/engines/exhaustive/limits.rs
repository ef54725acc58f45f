//! The tuned constants of exhaustive exploration; what users may set is in its options.

use std::time::Duration;

/// Maximum number of inputs on a path that have unexplored values.
pub const MAXIMUM_OPEN_INPUTS: usize = 500;
/// Number of initial boxes whose corners are run without exception.
pub const BOXES_WITH_CORNERS: u64 = 2_000;
/// Sampling interval for later boxes: the corners of one box in this number are run.
pub const CORNER_SAMPLING_INTERVAL: u64 = 32;
/// Wall time before the first estimate of the rest.
pub const FIRST_ESTIMATE_TIME: Duration = Duration::from_secs(1);
/// Factor by which the estimate may be wrong.
pub const ESTIMATE_FACTOR: f64 = 4.0;
/// Maximum estimated wall time of an exploration that does not wait at safe points.
pub const MAXIMUM_PROMISING_TIME: Duration = Duration::from_secs(30);
/// Maximum wall time of an exploration without an estimate.
pub const MAXIMUM_TIME_WITHOUT_ESTIMATE: Duration = Duration::from_secs(5);
/// Number of runs between two checks of the limits.
pub const RUNS_PER_CHECK: u64 = 64;
/// Number of steps between two checks of the limits.
pub const STEPS_PER_CHECK: u64 = 1 << 20;
