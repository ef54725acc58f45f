//! The limits of solvers, those of interpolation excepted.

use std::time::Duration;

// --- external ---

/// Maximum address space of an external solver (bytes).
pub(super) const MAXIMUM_EXTERNAL_MEMORY: u64 = 4 << 30;

/// Wall time beyond an external solver's time limit after which it is killed.
pub(super) const EXTERNAL_GRACE_PERIOD: Duration = Duration::from_millis(500);

// --- integer_encoding::translate ---

/// Minimum width of a wide index sort (bits); arrays over narrower indices may be written at every index.
pub(super) const MINIMUM_WIDE_INDEX_WIDTH: u8 = 32;

/// Maximum number of bits by which a number may be longer than its bit vector; beyond it the number is wrapped, so that
/// numbers stay short.
pub(super) const MAXIMUM_SPARE_BITS: u64 = 64;

/// Maximum number of runs of ones in a mask that is encoded exactly.
pub(super) const MAXIMUM_MASK_RUNS: usize = 4;

/// Maximum width of array elements (bits) that are read unsigned, since bytes are concatenated.
pub(super) const MAXIMUM_UNSIGNED_ELEMENT_WIDTH: u8 = 8;

// --- linear_bits ---

/// Minimum number of bitwise operations in a question whose terms are compared by their linear forms.
pub(super) const MINIMUM_BITWISE_OPERATIONS: usize = 4;

/// Maximum number of terms of such a question.
pub(super) const MAXIMUM_LINEAR_TERMS: usize = 50_000;

/// Maximum work for the forms of a question's terms (atoms and addends that are looked at).
pub(super) const MAXIMUM_LINEAR_STEPS: usize = 4_000_000;

/// Maximum number of atoms of a bit; beyond it the bit is an atom itself.
pub(super) const MAXIMUM_BIT_ATOMS: usize = 256;

/// Maximum number of bits that are added in a sum.
pub(super) const MAXIMUM_SUM_BITS: usize = 256;

/// Maximum width of a sum (bits), so that products of its numbers have 128 bits.
pub(super) const MAXIMUM_SUM_WIDTH: u8 = 64;

// --- question ---

/// Maximum wall time of Z3's first turn for a question with floats.
pub(super) const FIRST_Z3_TURN_WITH_FLOATS: Duration = Duration::from_millis(100);

/// Maximum wall time of Z3's first turn for a question with arrays.
pub(super) const FIRST_Z3_TURN_WITH_ARRAYS: Duration = Duration::from_millis(200);

/// Maximum wall time of Z3's first turn for a question without floats and arrays.
pub(super) const FIRST_Z3_TURN: Duration = Duration::from_secs(2);

/// Maximum wall time of Bitwuzla's first turn.
pub(super) const FIRST_BITWUZLA_TURN: Duration = Duration::from_millis(200);

// --- remote ---

/// Maximum wall time of a remote check after its interruption; beyond it the process is given up.
pub(super) const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(1);

/// Interval at which a waiting thread looks for interruptions and adapts the process's priority.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);

// --- remote::serve ---

/// Interval at which an interruption is repeated, since a solver notices it only while it searches.
pub(super) const INTERRUPT_INTERVAL: Duration = Duration::from_millis(5);

// --- remote::wire ---

/// Maximum length of a message (bytes); a longer one is an error.
pub(super) const MAXIMUM_MESSAGE_LENGTH: u64 = 1 << 32;

// --- sampled ---

/// Maximum number of variables of a model that is kept for later questions.
pub(super) const MAXIMUM_MODEL_VARIABLES: usize = 4096;

/// Minimum number of questions before the solver's state may be dropped.
pub(super) const MINIMUM_QUESTIONS_BEFORE_RESET: u32 = 32;

/// Average wall time of a question above which the solver's state is dropped.
pub(super) const SLOW_QUESTION: Duration = Duration::from_millis(2);

// --- sampled::samples ---

/// Maximum number of models that are kept; the latest ones are.
pub(super) const MAXIMUM_MODELS: usize = 8;

/// Maximum number of term values that a sample caches; beyond it the cache is cleared.
pub(super) const MAXIMUM_CACHED_VALUES: usize = 2_000_000;

/// Maximum number of conditions with which it is asked whether a path implies an assumption, so that it need not be added.
pub const MAXIMUM_CONDITIONS_FOR_IMPLICATION: usize = 32;

// --- sampled::slices ---

/// Maximum number of variables of a condition that is taken to be independent of others.
pub(super) const MAXIMUM_SLICE_VARIABLES: usize = 256;

// --- sweeping ---

/// Number of random assignments under which terms have to have equal values before they are compared.
pub(super) const SWEEPING_ASSIGNMENTS: u64 = 24;

/// Maximum number of terms of a question that is swept.
pub(super) const MAXIMUM_SWEPT_TERMS: usize = 200_000;

/// Minimum width of terms that are merged (bits).
pub(super) const MINIMUM_SWEPT_WIDTH: u8 = 4;

/// Maximum number of terms with the same values that are kept apart.
pub(super) const MAXIMUM_REPRESENTATIVES: usize = 3;

/// Maximum number of comparisons of terms that do not turn out to be equal.
pub(super) const MAXIMUM_FAILED_MERGES: usize = 64;

// --- yices::arrays ---

/// Maximum width of an index sort (bits) whose arrays are constrained at every index.
pub(super) const MAXIMUM_NARROW_INDEX_WIDTH: u8 = 4;

// --- yices::watchdog ---

/// Interval at which a stop is tried again.
pub(super) const STOP_RETRY_INTERVAL: Duration = Duration::from_millis(1);

// --- z3::text ---

/// Wall time of Z3's cheapest strategy (`smt`) before its default one is used, which takes some 5 ms to set up; most
/// questions are easy.
pub(super) const EASY_STRATEGY_TIME: Duration = Duration::from_millis(4);
