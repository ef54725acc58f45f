//! The limits of the walk over a program as lowered.

use std::time::Duration;

// --- cases ---

/// Minimum size of a disjunction (terms) that is split into cases.
pub(super) const MINIMUM_SPLIT_SIZE: usize = 64;

/// Maximum number of cases at a node.
pub(super) const MAXIMUM_CASES: usize = 64;

/// Maximum number of cases at a node times edges of the program, which bounds the work for the node.
pub(super) const MAXIMUM_EDGES_OF_CASES: usize = 100_000;

/// Maximum size of a value (terms) that is substituted for a variable.
pub(super) const MAXIMUM_DEFINITION_SIZE: usize = 12;

// --- cells ---

/// Maximum number of cells of a region with which an unknown index is compared; beyond it the array's term is used.
pub(super) const MAXIMUM_COMPARED_CELLS: usize = 256;

// --- exits ---

/// Maximum number of states at an exit that are merged one after another rather than at once.
pub(super) const MAXIMUM_SEQUENTIAL_MERGES: usize = 7;

// --- lifted ---

/// Maximum number of constants that a value may be.
pub(super) const MAXIMUM_ALTERNATIVES: usize = 48;

/// Maximum number of leaves that a value may be.
pub(super) const MAXIMUM_LEAVES: usize = 12;

/// Maximum number of pairs of leaves in a comparison that is split.
pub(super) const MAXIMUM_LEAF_PAIRS: usize = 40;

/// Maximum number of nested `ite` terms that are resolved by a guard.
pub(super) const MAXIMUM_DECIDED_CHOICES: usize = 6;

/// Maximum width of the range of an index or offset whose numbers are enumerated.
pub(super) const MAXIMUM_NUMBER_RANGE: i128 = 256;

/// Maximum number of values of an offset for which paths are split.
pub(super) const MAXIMUM_OFFSETS: usize = 16;

/// Maximum number of conditions of a guard that are used to bound an offset.
pub(super) const MAXIMUM_OFFSET_CONDITIONS: usize = 48;

// --- paths ---

/// Maximum number of last conditions of a guard that are searched for a condition or its negation.
pub(super) const MAXIMUM_LOOK_BACK: u32 = 32;

// --- rounds::exclude ---

/// Maximum share of the elapsed time for questions whether a round is reachable.
pub(super) const MAXIMUM_QUESTION_SHARE: f64 = 0.6;

/// The same share for a loop of which no round was excluded for long.
pub(super) const MAXIMUM_QUESTION_SHARE_IN_VAIN: f64 = 0.15;

/// Wall time of such questions that is granted beyond their share.
pub(super) const INITIAL_QUESTION_TIME: Duration = Duration::from_millis(1000);

/// Minimum of the time limit of such a question.
pub(super) const MINIMUM_QUESTION_LIMIT: Duration = Duration::from_millis(500);

/// Number of consecutive questions about a loop without an excluded round, from which on only some rounds are asked about.
pub(super) const MINIMUM_QUESTIONS_IN_VAIN: u32 = 32;

/// Maximum number of certain conditions that are noted at a time.
pub(super) const MAXIMUM_CERTAIN_CONDITIONS: usize = 64;

// --- rounds::merge ---

/// Maximum number of states that are merged in the best order, which takes quadratic time.
pub(super) const MAXIMUM_BEST_ORDER_STATES: usize = 40;

// --- states ---

/// Maximum number of conjuncts of a guard; a larger guard gets a name.
pub(super) const MAXIMUM_GUARD_CONJUNCTS: usize = 12;
