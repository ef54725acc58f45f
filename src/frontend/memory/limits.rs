//! The limits of the memory model: of its analysis, and of what it emits.

// --- addresses ---

/// Maximum number of living dynamic objects that a new one is constrained not to overlap. It may overlap older ones: a
/// proof that needs more is not found, and the interpreter does not confirm an alarm that relies on an overlap.
pub(super) const MAXIMUM_RECENT_OBJECTS: usize = 6;

// --- constraints ---

/// Maximum number of repetitions of a class that are handled one by one; beyond it the other class gets its period.
pub(super) const MAXIMUM_REPETITIONS: i64 = 16;

// --- emit::choice ---

/// Maximum number of objects that exist from the start with which another one is constrained not to overlap. It may
/// overlap further ones: a proof that needs disjointness is not found, and the interpreter does not confirm an alarm
/// that relies on an overlap.
pub(super) const MAXIMUM_SEPARATED_OBJECTS: usize = 48;

// --- emit::devices ---

/// Maximum number of objects that an address is compared with to decide whether it lies in one of them.
pub(super) const MAXIMUM_COMPARED_OBJECTS: usize = 64;

// --- emit::unknown_code ---

/// Maximum number of elements of constant objects that are restored after one call.
pub(super) const MAXIMUM_RESTORED_PER_CALL: usize = 1024;

/// Maximum number of elements of constant objects that are restored after all calls.
pub(super) const MAXIMUM_RESTORED_IN_ALL: usize = 16 * MAXIMUM_RESTORED_PER_CALL;

/// Maximum size (bits) of a constant object that is restored after a call.
pub(super) const MAXIMUM_RESTORED_OBJECT_BITS: u64 = 1 << 16;

// --- endless ---

/// Maximum number of blocks of a loop that is known to end; of larger ones it is not known.
pub(super) const MAXIMUM_LOOP_BLOCKS: usize = 400;

// --- lives ---

/// Maximum number of objects and allocation sites of a class for accesses through pointers to be checked. More are not modelled.
pub(super) const MAXIMUM_CHECKED_OBJECTS: usize = 64;

/// Maximum number of pointers that are looked at for objects of a class that they lead to when the program ends; with more,
/// objects count as lost unless they are freed.
pub(super) const MAXIMUM_HOLDERS: usize = 32;

/// Maximum number of objects of the heap between the pointer that keeps an object of the heap, and the object.
pub(super) const MAXIMUM_HOLDING_OBJECTS: u32 = 2;

/// The binary logarithm of the size of a slot (bytes) with 64-bit addresses: room for 2^26 objects of at most 16 GiB.
pub(super) const SLOT_BITS_LP64: u8 = 36;

/// The binary logarithm of the size of a small slot (bytes), for objects of at most 256 KiB: with 64-bit addresses, of a class of
/// which any number of objects may be made (room for 2^42); with 32-bit addresses, unless an object is larger (room for 3,000).
pub(super) const SMALL_SLOT_BITS: u8 = 20;

/// Maximum binary logarithm of the size of a slot (bytes) with 32-bit addresses. Larger objects are not modelled.
pub(super) const MAXIMUM_SLOT_BITS: u8 = 27;

// --- plan ---

/// Maximum number of scalar variables for one object; an object with more fields stays in memory.
pub(super) const MAXIMUM_VARIABLES_PER_OBJECT: usize = 256;

/// Maximum number of fields of a class that have a region each; beyond it fields of one kind share a region.
pub(super) const MAXIMUM_REGIONS_PER_CLASS: usize = 512;

// --- points_to ---

/// Maximum number of offsets in a set of alike offsets; beyond it the node gets a period.
pub(super) const MAXIMUM_ALIKE_OFFSETS: usize = 4;

/// Maximum number of sets of alike offsets in a node; beyond it the node gets a period.
pub(super) const MAXIMUM_ALIKE_SETS: usize = 8;
