//! The tuned constants of simulation; what users may set is in its options.

use std::ops::RangeInclusive;

/// Share of the time that is left for the run which simulation takes; the rest is for the check of an answer.
pub const SHARE_OF_TIME_LEFT: f64 = 0.9;
/// Maximum number of steps of a replay per step of the simplified program's run, beside [`REPLAY_STEPS`].
pub const REPLAY_FACTOR: u64 = 50;
/// Number of steps that every replay has beside those.
pub const REPLAY_STEPS: u64 = 10_000_000;

// In comparisons.rs.

/// Maximum number of recorded comparisons of a run.
pub const MAXIMUM_COMPARISONS: usize = 4_096;
/// Maximum number of recorded comparisons of a run at one site.
pub const MAXIMUM_COMPARISONS_PER_SITE: u8 = 16;

// In corpus.rs.

/// Maximum number of entries; beyond it, the half that was chosen most often is dropped.
pub const MAXIMUM_ENTRIES: usize = 2_048;
/// Number of the newest entries, which are preferred.
pub const RECENT_ENTRIES: usize = 8;

// In fuzz.rs.

/// Maximum number of inputs of a candidate that are solved for.
pub const MAXIMUM_SOLVED_INPUTS: usize = 24;
/// Number of inputs that are solved for in one round.
pub const SOLVED_INPUTS_PER_ROUND: usize = 8;
/// Approximate maximum number of runs for solving for a candidate's inputs.
pub const MAXIMUM_SOLVING_RUNS: u64 = 400;
/// Number of mutations in the first round after one with new coverage.
pub const INITIAL_CHANGES_PER_ROUND: u64 = 16;
/// Target number of steps of a mutation round: it is worth waking a worker thread, and threads do not wait long for the
/// last run.
pub const TARGET_STEPS_PER_ROUND: u64 = 100_000;
/// Minimum and maximum number of mutations in a later round.
pub const CHANGES_PER_ROUND: RangeInclusive<u64> = 64..=1_024;
/// Number of runs between two adjustments of the limit of steps.
pub const RUNS_PER_LIMIT_ADJUSTMENT: u64 = 64;
/// Maximum number of alarms that the caller rejects.
pub const MAXIMUM_REJECTIONS: u64 = 100;
/// A run may take at most one part in this number of the budget.
pub const MAXIMUM_RUN_SHARE: u32 = 4;
/// Maximum number of steps of the first run if it draws inputs.
pub const MAXIMUM_FIRST_RUN_STEPS: u64 = 10_000_000;
/// Number of steps from which a run is long.
pub const LONG_RUN_STEPS: u64 = 100_000;
/// Maximum number of candidates that wait to be solved for.
pub const MAXIMUM_UNSOLVED_CANDIDATES: usize = 1_000;
/// Number of runs of each policy before any mutation.
pub const SEED_RUNS_PER_POLICY: usize = 4;

// In round.rs.

/// Number of jobs of the calling thread between two checks of the clock.
pub const JOBS_PER_CLOCK_CHECK: u32 = 16;

// In source.rs.

/// Maximum number of values that are recorded of a run.
pub const MAXIMUM_RECORDED_VALUES: usize = 4_096;
/// Maximum number of cells of an array that get values of their own.
pub const MAXIMUM_ARRAY_CELLS: usize = 256;

// In input_values.rs.

/// Maximum number of constants of one sort.
pub const MAXIMUM_CONSTANTS_PER_SORT: usize = 2_000;
