//! Termination as reachability: programs in which an error is reached if a loop is not shown to end.
//!
//! * `loops`: the loops, and what stands against arguments about them.
//! * `ranking`: each round of a loop has to decrease a *measure*; an error is reached if one does not. A proof that no error is
//!   reachable is a proof that all executions end.
//! * `candidates`: the terms that measures are made of.
//! * `recurrence`: an error is reached if a state at a loop's head comes again. Such an execution can go on for ever.
//!
//! The questions are put to the program as lowered, so that simplifications, engines, certificates and the replay of alarms
//! are those of reachability.

mod candidates;
mod limits;
mod loops;
mod ranking;
mod recurrence;

pub use ranking::{Measure, Ranking, Sample};
pub use recurrence::recurrence;

/// Why the question of termination cannot be put, in words.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Obstacle(pub &'static str);
