//! The run as a whole: the supervisor process, the pipeline in its child, the race of the engines, events, limits, the
//! verdict.
//!
//!
//! * [`config`]: portfolio files.
//! * [`supervisor`]: the parent process: signals, limits, standard output, restarts.
//! * [`pipeline`]: what the child process does: load, simplify, analyse.
//! * [`race`]: the engines on their threads; the first answer that counts wins.
//! * [`scheduler`], [`coordinator`]: who may run when there are more analyses than cores; its threads. [`mailbox`]: what they tell
//!   the race's own thread.
//! * [`task`]: what the threads share, and what makes an answer count; [`checker`]: proofs are checked in processes of their own;
//!   [`zygote`]: where processes come from.
//! * [`alarm`]: what is made of an alarm: a harness, a run of the compiled program.
//! * [`ledger`]: what an answer was given under; [`dump`]: what a run leaves behind; [`mod@file`]: files that are whole; [`certificate`]: the proof as files.
//! * [`description`]: what a run is; [`findings`]: what its analyses see and have proved, in words;
//!   [`follow`]: the run that a witness's values lead to.
//! * [`event`], [`verdict`]: what passes between the two, and out of the command; [`evidence`]: what an answer rests on.
//! * [`crash`]: which analysis a panic or a fatal signal came from.

pub mod alarm;
pub mod certificate;
pub mod checker;
pub mod config;
mod coordinator;
pub mod crash;
pub mod description;
pub mod dump;
pub mod event;
pub mod evidence;
pub mod file;
pub mod findings;
mod follow;
pub mod ledger;
mod mailbox;
pub mod pipeline;
mod race;
mod scheduler;
pub mod supervisor;
pub mod task;
pub mod verdict;
pub mod zygote;
