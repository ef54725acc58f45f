//! Termination as reachability: programs in which an error is reached if a loop is not shown to end.
//!
//! * `loops`: the loops, and what stands against arguments about them.
//! * `ranking`: each round of a loop has to decrease a *measure*; an error is reached if one does not. A proof that no error is
//!   reachable is a proof that all executions end.
//! * `linear`: linear combinations; `features`: those that measures are made of; `measures`: their combinations, and the
//!   choice among them; `samples`: the rounds of runs; `accesses`: what accesses to memory tell of pointers.
//! * `told`: measures as witnesses tell them.
//! * `unfold`: recursion through several functions as recursion of one.
//! * `recurrence`: an error is reached if a state at a loop's head comes again. Such an execution can go on for ever.
//! * `closed`: an error is reached if an execution with chosen inputs ends. A proof shows that it goes on for ever.
//!
//! The questions are put to the program as lowered, so that simplifications, engines, certificates and the replay of alarms
//! are those of reachability.

mod accesses;
mod closed;
mod features;
mod limits;
mod linear;
mod loops;
mod measures;
mod ranking;
mod recurrence;
mod samples;
mod told;
mod unfold;

pub use closed::{Endless, fail_at_ends};
pub use measures::{Descent, Measure};
pub use ranking::Ranking;
pub use recurrence::{Lap, Recurrence, Revisits, recurrence, saved_for};
pub use samples::Sample;
pub use told::{LoopMeasure, ToldNumber, VariableSum};
pub use unfold::unfold;

/// Why the question of termination cannot be put, in words.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Obstacle(pub &'static str);
