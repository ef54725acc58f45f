//! The tuned constants of the engine for Horn clauses; what users may set is in its options.

use std::time::Duration;

/// Maximum wall time of the first attempt at a query.
pub const MAXIMUM_FIRST_ATTEMPT_TIME: Duration = Duration::from_millis(500);
/// Maximum wall time of the check of one clause of a solution.
pub const MAXIMUM_CLAUSE_CHECK_TIME: Duration = Duration::from_secs(2);
/// The same for a solution by cases, whose formulas may be large.
pub const MAXIMUM_CASES_CLAUSE_CHECK_TIME: Duration = Duration::from_secs(8);
/// Factor by which the maximum wall time of each further attempt grows.
pub const TIME_FACTOR: u32 = 4;

// In cases.rs.

/// Maximum number of cases per function, and of nested calls of an example.
pub const MAXIMUM_CASES: usize = 400;
