//! What a run ends with.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::program::{EdgeId, LocationId};

/// How far a run may go.
#[derive(Copy, Clone, Debug)]
pub struct Limits<'c> {
    /// Steps: edges taken, where an edge with several operations counts as many steps. What is leapt over
    /// ([`super::concolic`]) does not count.
    pub steps: u64,
    /// Bytes for arrays and the call stack, roughly: the limit is looked at every few thousand steps.
    pub memory: usize,
    /// When to stop; looked at every few thousand steps.
    pub deadline: Option<Instant>,
    /// Stops the run when it becomes true.
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
    /// An edge whose meaning is not known was to be taken.
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

/// What went wrong on the way, though the run went on: in C, the behaviour is undefined from here.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// A read or a write at a null pointer.
    NullAccess,
    /// A read or a write outside of every live object.
    OutOfBounds,
    /// A read or a write in an object that has ended.
    UseAfterFree,
    /// A division or a remainder by zero.
    DivisionByZero,
    /// A signed division, or the remainder of one, whose quotient is beyond its type: the least number by -1. x86's
    /// instruction raises a signal, as by zero.
    DivisionOverflow,
    /// A shift by the operand's width or more.
    OversizedShift,
    /// The release of what is not the start of a live object of that kind.
    InvalidFree,
    /// Two live objects at one address: the addresses that were chosen are not those of a real run.
    Overlap,
}

/// A fault and its place.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    pub kind: FaultKind,
    /// On which edge; it may be one whose condition turned out false.
    pub edge: EdgeId,
}

/// What a run was like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub outcome: Outcome,
    /// The first faults, in order.
    pub faults: Vec<Fault>,
    pub fault_count: u64,
    /// Number of inputs consumed.
    pub inputs: u64,
    /// Number of them whose value a real execution determines ([`crate::program::InputKind::Unknown`]).
    pub unknown_inputs: u64,
    /// Number of steps; see [`Limits::steps`].
    pub steps: u64,
}

impl Report {
    /// Whether the run is one of the real program: without faults and without guesses.
    pub fn is_faithful(&self) -> bool {
        self.fault_count == 0 && self.unknown_inputs == 0
    }
}
