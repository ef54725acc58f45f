//! The concrete interpreter: runs a program exactly on given inputs.
//!
//! A [`Program`](crate::Program) is compiled once to an [`Executable`], a compact register code that threads
//! share; a [`Machine`] runs it. An [`InputSource`] gives the inputs of a run; an [`Observer`] can watch it. The machine
//! implements the semantics of terms ([`regatta_term::evaluate`]) for both arithmetics. Where C leaves the behaviour
//! undefined, it records a [`Fault`] and continues with the semantics of the terms.
//!
//! | module | content |
//! | --- | --- |
//! | `compiler` | compilation of edges and terms to instructions |
//! | `code` | compiled programs and their instructions; whether runs depend on inputs alone |
//! | `state` | the state of a run: registers, arrays, live objects; the values in them |
//! | `execution` | the interpreter loop; whole runs, with loops accelerated |
//! | `concolic` | concolic execution |
//! | `input`, `observer`, `outcome` | input sources, observers, outcomes and faults |
//! | `explanation` | what is wrong with memory, in words |

mod code;
mod compiler;
pub mod concolic;
mod execution;
mod explanation;
mod input;
mod limits;
mod observer;
mod outcome;
mod state;
#[cfg(test)]
mod tests;

pub use code::executable::{AccessChecks, Executable};
pub use explanation::MemoryExplanation;
pub use input::{InputSource, Journal, RecordingInputs, ReplayInputs, ZeroInputs};
pub use observer::{EdgeTrace, NoObserver, Observer, StateView};
pub use outcome::{
    Fault, FaultKind, Life, Limits, MemoryFault, MemoryFaultKind, Outcome, Report, Site,
};
pub use state::machine::Machine;
