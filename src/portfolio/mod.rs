//! The run as a whole: the supervisor process, the race, events, limits, the verdict.
//!
//! Uses everything down to [`crate::analysis`] and [`crate::certify`]; only the command uses it.
//!
//! * [`config`]: portfolio files.
//! * [`supervisor`]: the parent process: signals, limits, standard output, restarts.
//! * [`race`]: what the child process does: load, simplify, analyse, certify.
//! * [`scheduler`], [`coordinator`]: who may run when there are more analyses than cores; its threads.
//! * [`checker`]: the process that checks proofs.
//! * [`engine`]: the engines on their threads, and what makes an answer count.
//! * [`ledger`]: what an answer was given under; [`dump`]: what a run leaves behind.
//! * [`event`], [`verdict`]: what passes between the two, and out of the command.
//! * [`crash`]: which analysis a fatal signal came from.

pub mod checker;
pub mod config;
mod coordinator;
pub mod crash;
pub mod dump;
mod engine;
pub mod event;
mod ledger;
pub mod race;
mod scheduler;
pub mod supervisor;
pub mod verdict;

/// The stack of a thread on which solvers work, in bytes: they recurse over deep terms. It is reserved, not used.
const SOLVER_STACK: usize = 1 << 30;
