//! The tuned constants of unwinding; what users may set is in its options.

use std::time::Duration;

/// Maximum number of rejected alarms.
pub const MAXIMUM_REJECTED_ALARMS: u32 = 4;
/// Maximum share of the elapsed time for a query of the forward condition.
pub const MAXIMUM_FORWARD_CONDITION_SHARE: f64 = 0.5;
/// Minimum wall time limit of a query of the forward condition.
pub const MINIMUM_FORWARD_CONDITION_TIME: Duration = Duration::from_millis(500);
/// Maximum wall time of the query about one target after a walk in which all paths ended, where each target is decided by itself.
pub const APART_TIME: Duration = Duration::from_millis(200);
/// Maximum factor by which the limit of a loop grows, unless another loop had more rounds.
pub const MAXIMUM_LIMIT_GROWTH: u32 = 32;
/// A limit is raised to the rounds of another loop if these are fewer than this number of times the limit.
pub const CATCH_UP_FACTOR: u32 = 4;

// In walk.rs.

/// Maximum time for the rest of the paths up to which a walk is expected to end soon.
pub const MAXIMUM_EXPECTED_TIME: Duration = Duration::from_secs(20);
/// Number of edges between two looks at how much of a walk is done.
pub const STEPS_PER_EXPECTATION: u64 = 64;

// In cells.rs.

/// Maximum number of cells that a read chooses among, or that are compared with an unknown index.
pub const MAXIMUM_CELLS_READ: usize = 512;
/// Maximum number of cells that a write may change.
pub const MAXIMUM_CELLS_WRITTEN: usize = 64;

// In path.rs.

/// Maximum number of latest conditions that are searched for a condition.
pub const MAXIMUM_SEARCHED_CONDITIONS: usize = 64;

// In queries.rs.

/// Maximum share of the elapsed time for queries during walks.
pub const MAXIMUM_TIME_SHARE: f64 = 0.6;
/// Wall time for queries that is available at the beginning.
pub const INITIAL_TIME: Duration = Duration::from_millis(300);
/// Maximum wall time of a query whose answer is not important.
pub const MAXIMUM_QUERY_TIME: Duration = Duration::from_millis(400);
/// Minimum wall time limit of an important query, such as the one before a path is cut off.
pub const MINIMUM_IMPORTANT_QUERY_TIME: Duration = Duration::from_millis(500);

/// Wall time of a hard question before equal terms in it are merged.
pub const FIRST_TIME_OF_HARD_QUESTION: Duration = Duration::from_millis(1500);
/// Maximum wall time of the comparison of two terms that may be equal.
pub const MAXIMUM_MERGE_TIME: Duration = Duration::from_millis(1000);
/// Maximum wall time of all such comparisons for a question.
pub const MAXIMUM_SWEEPING_TIME: Duration = Duration::from_secs(5);

// In known_values.rs.

/// Maximum number of cases of a value.
pub const MAXIMUM_CASES: usize = 64;
/// Maximum number of pairs of cases to which a binary operator is applied.
pub const MAXIMUM_CASE_PAIRS: usize = 64;
/// Maximum number of atoms of a value.
pub const MAXIMUM_ATOMS: usize = 12;
/// Maximum number of pairs of atoms that a comparison expands to.
pub const MAXIMUM_ATOM_PAIRS: usize = 40;
/// Maximum number of nested choices that are simplified by the path.
pub const MAXIMUM_NESTED_CHOICES: usize = 8;
/// Maximum number of pointers or constants of an index that splits paths.
pub const MAXIMUM_SPLIT_POINTERS: usize = 64;
/// Maximum number of numbers of an offset that splits paths.
pub const MAXIMUM_SPLIT_NUMBERS: usize = 16;
/// Maximum number of latest conditions of the path that are used for the range of an offset.
pub const MAXIMUM_CONDITIONS_FOR_RANGE: usize = 48;

// In walk/exits.rs.

/// Maximum number of states that are merged pairwise: their conditions are shorter than whole prefixes of the path.
pub const MAXIMUM_STATES_MERGED_PAIRWISE: usize = 6;

// In walk/merge.rs.

/// Maximum number of states that are merged in the order of their paths; beyond it, the latest ones are merged first.
pub const MAXIMUM_STATES_MERGED_BY_PATH: usize = 48;

// In walk/objects.rs.

/// Maximum number of objects with variable addresses up to which the solver is asked whether a new one is disjoint from them.
pub const MAXIMUM_OBJECTS: usize = 24;
/// Maximum number of conditions of a path up to which the solver is asked about the whole path.
pub const MAXIMUM_CONDITIONS: u32 = 256;
/// Maximum number of variables of a term that conditions on two objects are searched for.
pub const MAXIMUM_VARIABLES: usize = 4;

// In walk/rounds.rs.

/// Maximum number of conditions of a single state that are assumed for all that follows.
pub const MAXIMUM_ASSUMED_CONDITIONS: u32 = 64;

// In walk/states.rs.

/// Number of attempts to separate a new object from the others: the assumptions on its address may follow its assignment.
pub const SEPARATION_ATTEMPTS: u32 = 3;
