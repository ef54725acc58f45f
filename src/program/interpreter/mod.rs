//! The concrete interpreter: runs a program exactly on given inputs.
//!
//! A [`Program`](crate::program::Program) is compiled once to an [`Executable`], a compact register code that threads
//! share; a [`Machine`] runs it. What a run asks from outside comes from an [`InputSource`]; what it does can be
//! watched by an [`Observer`]. It computes what the terms mean ([`crate::term::evaluate`]) and nothing else, for both
//! arithmetics; where C leaves the behaviour undefined, it notes a [`Fault`] and goes on with the terms' meaning.
//!
//! | file | concept |
//! | --- | --- |
//! | `bytecode` | the instructions |
//! | `compile`, `expression`, `scalar`, `arrays`, `assembler`, `facts` | from edges and terms to instructions |
//! | `executable`, `tables`, `exclusion` | a compiled program; whether its runs depend on inputs alone |
//! | `machine`, `heap` | a run's state |
//! | `execute`, `support`, `float`, `slice` | the loop that changes it, for so many steps |
//! | `array`, `objects`, `integer`, `value` | arrays, live objects, big integers, bit patterns |
//! | `concolic`, `run` | which inputs a run stands for; a whole run, with loops accelerated |
//! | `input`, `observer`, `outcome` | what a run asks, who watches it, how it ends |

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
