//! The limits of the interpreter and of its acceleration.

// --- compiler::expression ---

/// Maximum nesting depth of guards.
pub(super) const MAXIMUM_GUARD_DEPTH: u32 = 100;

/// Maximum number of instructions of an edge with guards; beyond it all operands are computed. Guarded operands are not
/// shared between branches, so that their code can be exponential in the size of the term.
pub(super) const MAXIMUM_GUARDED_INSTRUCTIONS: usize = 20_000;

// --- concolic::acceleration ---

/// Maximum number of steps between two attempts.
pub(super) const MAXIMUM_WAIT: u64 = 1 << 24;

/// Maximum number of edges of an iteration, and number of edges that are observed to find loops.
pub(super) const MAXIMUM_ITERATION_EDGES: usize = 2048;

/// Minimum number of skipped iterations.
pub(super) const MINIMUM_ITERATIONS: i128 = 16;

/// Maximum number of skipped iterations.
pub(super) const MAXIMUM_ITERATIONS: i128 = 1 << 62;

/// The cost of an attempt, in steps that the machine could take in the same time.
pub(super) const ATTEMPT_COST: u128 = 1 << 12;

/// Maximum credit (steps): after long accelerations, some attempts may save little.
pub(super) const MAXIMUM_CREDIT: u128 = 1 << 18;

// --- concolic ---

/// Number of steps between two checks of the limits while the machine runs without the shadow.
pub(super) const UNSHADOWED_STEPS: u64 = 1 << 14;

// --- execution::run ---

/// Number of steps between two checks of the time and memory limits.
pub(super) const STEPS_BETWEEN_CHECKS: u64 = 1 << 14;

// --- state::array ---

/// Maximum length (cells) of the flat part.
pub(super) const MAXIMUM_FLAT_LENGTH: u64 = 1 << 20;

/// Minimum length (cells) of a non-empty flat part.
pub(super) const MINIMUM_FLAT_LENGTH: usize = 64;

/// The flat part is extended over a gap if the pages hold at least one cell in this number of the flat part's cells.
pub(super) const CELLS_PER_PAGED_CELL: usize = 8;

/// Maximum number of accesses that are compared one by one.
pub(super) const MAXIMUM_COMPARED_ACCESSES: u64 = 1 << 22;

// --- state::reachable ---

/// Maximum number of bytes of objects in which pointers are sought; beyond it every object counts as reachable.
pub(super) const MAXIMUM_SCANNED_BYTES: u64 = 1 << 24;

// --- state::machine ---

/// Maximum number of faults that are recorded with their edges.
pub(super) const MAXIMUM_RECORDED_FAULTS: usize = 64;

// --- state::objects ---

/// Distance from all objects (bytes) beyond which an address counts as memory outside of the program rather than as an
/// access out of bounds.
pub(super) const NEIGHBOURHOOD: u64 = 1 << 16;
