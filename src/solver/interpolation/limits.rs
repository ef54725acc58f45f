//! The limits of interpolation.

use std::time::Duration;

// --- beside ---

/// Default delay before the search for other interpolants begins beside the solver.
pub(super) const DEFAULT_SEARCH_DELAY: Duration = Duration::from_millis(20);

/// Maximum wall time that this search waits for its question.
pub(super) const QUESTION_TIMEOUT: Duration = Duration::from_secs(1);

/// Interval at which a running solver is interrupted again.
pub(super) const SEARCH_INTERRUPT_INTERVAL: Duration = Duration::from_millis(20);

// --- conditions ---

/// Maximum size of a condition (terms); beyond it the computation of further conditions ends.
pub(super) const MAXIMUM_CONDITION_SIZE: usize = 4_000;

/// Maximum number of positions k that are tried.
pub(super) const MAXIMUM_CHANGE_POSITIONS: usize = 4;

// --- core ---

/// Maximum size of a core (conjuncts) that is minimised by leaving out its conjuncts one by one.
pub(super) const MAXIMUM_MINIMIZED_CORE: usize = 60;

// --- horn ---

/// Maximum number of sequences for one context; then it is replaced, since it keeps all translated terms.
pub(super) const MAXIMUM_SEQUENCES_PER_CONTEXT: u32 = 100;

// --- model_based ---

/// Maximum number of implicants of a part that are projected.
pub(super) const MAXIMUM_IMPLICANTS: usize = 16;

/// Maximum size of a part (terms) that is projected by models.
pub(super) const MAXIMUM_PART_SIZE: usize = 2_000;

/// Maximum number of elimination steps for an implicant.
pub(super) const MAXIMUM_ELIMINATION_STEPS: usize = 200;

/// Maximum wall time of the projection of a part.
pub(super) const MAXIMUM_PART_TIME: Duration = Duration::from_millis(300);

// --- quality ---

/// Weight of a path constant in the cost (terms).
pub(super) const PATH_CONSTANT_WEIGHT: usize = 8;
