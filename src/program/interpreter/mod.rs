//! The concrete interpreter: runs a program exactly on given inputs.
//!
//! A [`Program`](crate::program::Program) is compiled once to an [`Executable`], a compact register code that threads
//! share; a [`Machine`] runs it. An [`InputSource`] gives the inputs of a run; an [`Observer`] can watch it. The machine
//! implements the semantics of terms ([`crate::term::evaluate`]) for both arithmetics. Where C leaves the behaviour
//! undefined, it records a [`Fault`] and continues with the semantics of the terms.
//!
//! | file | content |
//! | --- | --- |
//! | `bytecode` | the instructions |
//! | `compile`, `expression`, `scalar`, `arrays`, `assembler`, `facts` | compilation of edges and terms to instructions |
//! | `executable`, `tables`, `exclusion` | compiled programs; whether runs depend on inputs alone |
//! | `machine`, `heap` | the state of a run |
//! | `execute`, `support`, `float`, `slice` | the interpreter loop |
//! | `array`, `objects`, `integer`, `value` | arrays, live objects, big integers, bit patterns |
//! | `concolic`, `run` | concolic execution; whole runs, with loops accelerated |
//! | `input`, `observer`, `outcome` | input sources, observers, outcomes and faults |

mod array;
mod arrays;
mod assembler;
mod bytecode;
mod compile;
pub mod concolic;
mod exclusion;
mod executable;
mod execute;
mod expression;
mod facts;
mod float;
mod heap;
mod input;
mod integer;
mod machine;
mod objects;
mod observer;
mod outcome;
mod run;
mod scalar;
mod slice;
mod support;
mod tables;
#[cfg(test)]
mod tests;
mod value;

pub use executable::{AccessChecks, Executable};
pub use input::{InputSource, Journal, RecordingInputs, ReplayInputs, ZeroInputs};
pub use machine::Machine;
pub use observer::{EdgeTrace, NoObserver, Observer, StateView};
pub use outcome::{Fault, FaultKind, Limits, Outcome, Report};
