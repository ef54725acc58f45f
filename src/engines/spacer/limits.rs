//! The tuned constants of SPACER; what users may set is in its options.

use std::time::Duration;

/// Maximum wall time of the check of one clause of a solution.
pub const MAXIMUM_CLAUSE_CHECK_TIME: Duration = Duration::from_secs(5);
/// Minimum wall time of the first attempt before it is restarted with new invariants of other engines: Z3's engine is not
/// incremental.
pub const MINIMUM_FIRST_ATTEMPT_TIME: Duration = Duration::from_millis(250);
/// Factor of the minimum time of the next attempt over the duration of a restarted one.
pub const RESTART_DELAY_FACTOR: u32 = 4;

// In invariants.rs.

/// Maximum number of instances of a lemma for values of its counters.
pub const MAXIMUM_COUNTER_INSTANCES: usize = 64;

// In steps.rs.

/// Maximum wall time of a query.
pub const MAXIMUM_QUERY_TIME: Duration = Duration::from_secs(10);
/// Maximum wall time of a query for the minimisation of a core.
pub const MAXIMUM_MINIMISATION_QUERY_TIME: Duration = Duration::from_millis(200);
/// Maximum wall time of the minimisation of a core.
pub const MAXIMUM_MINIMISATION_TIME: Duration = Duration::from_secs(1);
