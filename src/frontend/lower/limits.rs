//! The limits of the lowering from C.

// --- declarations::constexpr ---

/// Maximum number of recorded parts of an object that are searched for an overlap with a part that was not written.
pub(super) const MAXIMUM_SEARCHED_PARTS: usize = 256;

// --- declarations::declaration ---

/// Size of an object of unknown size (bytes): more than programs use.
pub(super) const UNKNOWN_OBJECT_SIZE: u64 = 1 << 20;

// --- declarations::function ---

/// Maximum number of strings of the environment (arguments of `main`) with modelled contents.
pub(super) const MAXIMUM_MODELLED_STRINGS: u64 = 6;

/// Maximum size of a string (bytes, with its terminator), as on Linux.
pub(super) const MAXIMUM_STRING_SIZE: u64 = 1 << 17;

// --- state::linkage ---

/// Maximum number of aliases of aliases that are followed.
pub(super) const MAXIMUM_ALIAS_CHAIN: usize = 64;

// --- declarations::specifier ---

/// Maximum width of a bit-precise type (bits), as clang's `BITINT_MAXWIDTH`.
pub(super) const MAXIMUM_BIT_PRECISE_WIDTH: u32 = 8_388_608;

/// Maximum size of a vector (bytes).
pub(super) const MAXIMUM_VECTOR_SIZE: u64 = 1 << 16;

// --- expressions::volatile ---

/// Maximum number of scalars of an object that a copy reads or writes one by one.
pub(super) const MAXIMUM_COPIED_SCALARS: usize = 256;

// --- initializer::planner ---

/// Maximum number of scalar writes of an initialiser; with more, the program would become too large.
pub(super) const MAXIMUM_INITIALIZER_WRITES: usize = 1 << 20;

// --- initializer::zeros ---

/// Maximum number of members of a type whose padding is determined.
pub(super) const MAXIMUM_PADDED_MEMBERS: u64 = 1 << 10;

// --- left_out ---

/// Maximum number of statements that are left out of one declaration; beyond it the whole declaration is left out.
pub(super) const MAXIMUM_LEFT_OUT_STATEMENTS: u32 = 24;

// --- sequencing::effects ---

/// Maximum number of distinct parts of an object in a footprint; beyond it the whole object counts as accessed.
pub(super) const MAXIMUM_PARTS_PER_OBJECT: usize = 64;

// --- sequencing::evaluation ---

/// Maximum number of times that an operand of nested sites is lowered.
pub(super) const MAXIMUM_OPERAND_COPIES: usize = 64;

// --- sequencing::orders ---

/// Maximum number of orders that are tried at a site.
pub(super) const MAXIMUM_ORDERS: usize = 24;

/// Maximum number of conflicting operands of which all permutations are enumerated.
pub(super) const MAXIMUM_PERMUTED_OPERANDS: usize = 6;

// --- statements::long_jump ---

/// Maximum number of scalars of a struct, union or array that are tracked over a jump.
pub(super) const MAXIMUM_TRACKED_SCALARS: u64 = 16;

// --- vectors::vector ---

/// Maximum number of elements among which comparisons with a mask select; beyond it, the mask is an index into memory.
pub(super) const MAXIMUM_COMPARED_ELEMENTS: usize = 32;
