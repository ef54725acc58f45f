//! Limits, outcomes and faults of runs.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::program::{EdgeId, LocationId};

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

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A location of [`crate::program::Program::errors`] was reached.
    Error {
        location: LocationId,
    },
    /// The program ended: a location without successors was reached that is not an error.
    Ended {
        location: LocationId,
    },
    /// None of the edges that leave the location could be taken.
    Blocked {
        location: LocationId,
    },
    /// The next edge was an unsupported one.
    Unsupported {
        edge: EdgeId,
        reason: String,
    },
    /// The input source did not give a value.
    InputRefused,
    /// The limit of steps was reached.
    StepLimit,
    /// The limit of memory was reached.
    MemoryLimit,
    /// The deadline has passed.
    TimeLimit,
    Cancelled,
}

/// A kind of undefined behaviour that a run has met; the run continues with the semantics of the terms.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A read or a write at a null pointer.
    NullAccess,
    /// A read or a write outside of every live object.
    OutOfBounds,
    /// A read or a write in an object whose lifetime has ended.
    UseAfterFree,
    /// A division or a remainder by zero.
    DivisionByZero,
    /// A signed division or remainder whose quotient overflows: the least number by -1. On x86 it raises a signal, like a
    /// division by zero.
    DivisionOverflow,
    /// A shift by the operand's width or more.
    OversizedShift,
    /// A deallocation at an address at which no live object of that kind starts.
    InvalidFree,
    /// Two live objects overlap: no real run chooses such addresses.
    Overlap,
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
    /// Number of inputs read whose value a real execution determines ([`crate::program::InputKind::Unknown`]).
    pub unknown_inputs: u64,
    /// Number of steps; see [`Limits::steps`].
    pub steps: u64,
}

impl Report {
    /// Whether the run is one of the real program: without faults, and without inputs that a real execution determines.
    pub fn is_faithful(&self) -> bool {
        self.fault_count == 0 && self.unknown_inputs == 0
    }
}
