//! Limits, outcomes and faults of runs.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::{EdgeId, LocationId, ObjectId};

/// The limits of a run.
#[derive(Copy, Clone, Debug)]
pub struct Limits<'c> {
    /// Maximum number of steps: operations on the edges taken, at least one for each edge. Skipped iterations
    /// ([`super::concolic`]) do not count.
    pub steps: u64,
    /// Maximum size (bytes, approximately) of arrays and the call stack; checked every few thousand steps.
    pub memory: usize,
    /// The time at which the run stops; checked every few thousand steps.
    pub deadline: Option<Instant>,
    /// The flag that stops the run when it becomes true; checked every few thousand steps.
    pub cancelled: Option<&'c AtomicBool>,
}

impl Default for Limits<'_> {
    /// No limit but 4 GiB of memory.
    fn default() -> Self {
        Self {
            steps: u64::MAX,
            memory: 4 << 30,
            deadline: None,
            cancelled: None,
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Outcome {
    /// A location of [`crate::Program::errors`] was reached.
    #[error("an error location is reached")]
    Error { location: LocationId },
    /// The program ended: a location without successors was reached that is not an error.
    #[error("the program ends")]
    Ended { location: LocationId },
    /// None of the edges that leave the location could be taken.
    #[error("no edge can be taken")]
    Blocked { location: LocationId },
    /// The next edge was an unsupported one.
    #[error("{reason} is not supported")]
    Unsupported { edge: EdgeId, reason: String },
    /// The input source did not give a value.
    #[error("there is no further input")]
    InputRefused,
    /// The limit of steps was reached.
    #[error("the limit of steps is reached")]
    StepLimit,
    /// The limit of memory was reached.
    #[error("the limit of memory is reached")]
    MemoryLimit,
    /// The deadline has passed.
    #[error("the time is over")]
    TimeLimit,
    #[error("the run is cancelled")]
    Cancelled,
}

/// A kind of undefined behaviour that a run has met; the run continues with the semantics of the terms.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum FaultKind {
    /// A read or a write at a null pointer.
    #[error("an access at a null pointer")]
    NullAccess,
    /// A read or a write outside of every live object.
    #[error("an access outside of every object that exists")]
    OutOfBounds,
    /// A read or a write in an object whose lifetime has ended.
    #[error("an access to an object that exists no more")]
    UseAfterFree,
    /// A division or a remainder by zero.
    #[error("a division by zero")]
    DivisionByZero,
    /// A signed division or remainder whose quotient overflows: the least number by -1. On x86 it raises a signal, like a
    /// division by zero.
    #[error("a division whose quotient overflows")]
    DivisionOverflow,
    /// A shift by the operand's width or more.
    #[error("a shift by the operand's width or more")]
    OversizedShift,
    /// A deallocation at an address at which no live object of that kind starts.
    #[error("a deallocation at an address at which no such object starts")]
    InvalidFree,
    /// Two live objects overlap: no real run chooses such addresses.
    #[error("two objects overlap")]
    Overlap,
    /// It is claimed that memory is misused ([`crate::Operation::Claim`]), and the objects say otherwise.
    #[error("a claim about memory that the objects refute")]
    FalseClaim,
}

/// What a run did wrong with memory where the program claims it ([`crate::Operation::Claim`]).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemoryFault {
    pub kind: MemoryFaultKind,
    /// The object that it is about, if there is one.
    pub object: Option<Life>,
    /// Distance (bytes) of the address from the object's first byte.
    pub offset: i64,
    /// Number of bytes that were to be accessed; zero if it is no access.
    pub bytes: u64,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum MemoryFaultKind {
    /// An access through a null pointer.
    NullAccess,
    /// An access to an object that exists no more.
    AccessAfterEnd,
    /// An access that begins or ends outside of the object that is nearest.
    OutOfBounds,
    /// An access to an address far from all objects.
    NoObject,
    /// A second deallocation of an object.
    DoubleFree,
    /// A deallocation of an object that is not on the heap, or of no object.
    FreeOfOther,
    /// A deallocation by an address that is not an object's first.
    FreeInside,
    /// An object of the heap that no pointer leads to.
    Lost,
    /// An object of the heap that exists at the end.
    NotFreed,
}

/// An operation of the program.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    pub edge: EdgeId,
    /// Its number among the edge's operations.
    pub operation: u16,
}

/// An object and the operations with which its existence began and ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Life {
    /// The object of the program, if it is not one of the heap or of an activation of a function.
    pub object: Option<ObjectId>,
    /// Whether `free` ends it.
    pub is_on_heap: bool,
    /// Size in bytes.
    pub size: u64,
    /// Its allocation; `None` for an object that exists from the program's start.
    pub made: Option<Site>,
    /// Its end; `None` if it exists.
    pub ended: Option<Site>,
}

/// A fault and its edge.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    pub kind: FaultKind,
    /// The edge; it may be one that was not taken because its condition was false.
    pub edge: EdgeId,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub outcome: Outcome,
    /// The first faults, in order.
    pub faults: Vec<Fault>,
    pub fault_count: u64,
    /// Number of inputs read.
    pub inputs: u64,
    /// Number of inputs read whose value a real execution determines ([`crate::InputKind::Unknown`]).
    pub unknown_inputs: u64,
    /// What was wrong with memory where the run ended, if the program claimed that rightly.
    pub memory_fault: Option<MemoryFault>,
    /// Number of steps; see [`Limits::steps`].
    pub steps: u64,
}

impl Report {
    /// Whether the run is one of the real program: without faults, and without inputs that a real execution determines.
    pub fn is_faithful(&self) -> bool {
        self.fault_count == 0 && self.unknown_inputs == 0
    }
}
