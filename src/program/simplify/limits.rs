//! The limits of the simplifier's passes.

// --- constants::evaluator ---

/// Maximum number of stores in the term of a tracked array.
pub(super) const MAXIMUM_STORES: usize = 1024;

// --- constants ---

/// Number of changes of a cut point's or function entry's state after which ranges are widened.
pub(super) const CHANGES_BEFORE_WIDENING: u32 = 3;

/// Number of changes of any other location's state after which ranges are widened.
pub(super) const CHANGES_BEFORE_WIDENING_ELSEWHERE: u32 = 30;

// --- constants::crossings ---

/// Maximum number of changed values for which what crosses a call is changed rather than made anew.
pub(super) const MAXIMUM_CROSSING_CHANGES: usize = 64;

// --- constants::memory ---

/// Maximum number of remembered evaluations of a kind.
pub(super) const MAXIMUM_REMEMBERED_EVALUATIONS: usize = 100_000;

// --- constants::objects ---

/// Maximum absolute distance (bytes) of a tracked pointer from the object's start.
pub(super) const MAXIMUM_DISTANCE: i128 = 1 << 40;

// --- constants::record ---

/// Number of abstract values, over all rounds, after which no more states are recorded.
pub(super) const MAXIMUM_RECORDED_VALUES: usize = 200_000;

// --- expand ---

/// Maximum size (edges) of a function that is always copied.
pub(super) const MAXIMUM_SMALL_FUNCTION_SIZE: usize = 10;

/// Maximum size (edges) to which a function may grow: the other passes' data grow with the product of a function's
/// variables and locations, and a large function that is called once loses no precision.
pub(super) const MAXIMUM_FUNCTION_SIZE: usize = 2000;

/// Maximum number of edges that all copies may add, or half of the program's edges if that is more.
pub(super) const MAXIMUM_GROWTH: usize = 2000;

// --- forward ---

/// Maximum number of distinct subterms of a substituted term.
pub(super) const MAXIMUM_TERM_SIZE: usize = 64;

/// Maximum number of operations that are searched, on an edge, for the reads of a larger term's variable.
pub(super) const MAXIMUM_SEARCHED_OPERATIONS: usize = 32;

// --- all passes ---

/// Maximum number of rounds of all passes.
pub(super) const MAXIMUM_ROUNDS: u32 = 6;

/// From the second round on, another round follows only if there were more changes than the number of edges divided by this.
pub(super) const EDGES_PER_CHANGE: usize = 200;

/// Maximum number of edges of a program in which constants are propagated in every round. In a larger program, it is done
/// again only where [`EDGES_PER_CHANGE`] says so of the calls and regions that have been replaced since the last time.
pub(super) const MAXIMUM_EDGES_FOR_FURTHER_CONSTANTS: usize = 20_000;

// --- range ---

/// Maximum number of operators that are evaluated for one range.
pub(super) const MAXIMUM_OPERATORS: usize = 200;

/// Maximum number of operators that are evaluated for one assumed condition.
pub(super) const MAXIMUM_CONDITION_OPERATORS: usize = 2_000;

// --- regions ---

/// Maximum number of cells of a region that is replaced.
pub(super) const MAXIMUM_REPLACED_CELLS: usize = 64;
