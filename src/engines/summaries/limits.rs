//! The tuned constants of the engine that guesses summaries; what users may set is in its options.

use std::time::Duration;

/// Maximum number of attempts per round, each with the candidates that the previous one left.
pub const MAXIMUM_ATTEMPTS_PER_ROUND: u32 = 12;

// In inductive.rs.

/// Maximum wall time of a query on which a proof depends.
pub const MAXIMUM_PROOF_QUERY_TIME: Duration = Duration::from_secs(3);
/// Maximum wall time of a query that is followed by another if it is undecided.
pub const MAXIMUM_BRIEF_QUERY_TIME: Duration = Duration::from_millis(200);
/// Maximum number of such queries per clause.
pub const MAXIMUM_BRIEF_QUERIES: usize = 6;

// In pairs.rs.

/// Maximum number of pairs of a predicate, including those that are kept for rare values.
pub const MAXIMUM_PAIRS_PER_PREDICATE: usize = 600;
/// Maximum wall time of sampling: deep recursion takes more than it is worth.
pub const MAXIMUM_RECORDING_TIME: Duration = Duration::from_millis(600);
/// Maximum memory of a run (bytes), for the same reason.
pub const MAXIMUM_RUN_MEMORY: usize = 16 << 20;
/// Maximum number of steps of a run at the beginning of sampling: a deep call tree has many.
pub const MAXIMUM_LONG_RUN_STEPS: u64 = 600_000;
/// Wall time in which runs may have that many steps.
pub const LONG_RUN_TIME: Duration = Duration::from_millis(200);
/// Maximum number of visits of a location that are considered per run.
pub const MAXIMUM_VISITS_PER_RUN: u32 = 100_000;
