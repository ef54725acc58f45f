//! A run as a whole: the supervisor process, the pipeline in its child process, the race of the engines, events, limits
//! and the verdict.
//!
//! * [`config`]: portfolio files.
//! * [`supervisor`]: the parent process: signals, limits, standard output, restarts.
//! * [`pipeline`]: the child process: load, simplify, analyse.
//! * [`race`]: the engines on their threads; the first answer that passes its check wins.
//! * [`scheduler`]: the rules by which analyses share the cores (permits and turns); [`coordinator`]: these rules applied to
//!   threads; [`mailbox`]: messages from the threads to the thread that runs the race.
//! * [`task`]: the data that the threads share, and the checks that an answer has to pass; [`checker`]: the processes that
//!   check proofs; [`zygote`]: the process from which others are forked.
//! * [`alarm`]: confirmation of an alarm by the compiled program, and its harness.
//! * [`ledger`]: the assumptions of an answer; [`dump`]: intermediate results for debugging; [`mod@file`]: atomic writes of
//!   files; [`certificate`]: a proof as SMT-LIB files.
//! * [`description`]: the command, options and machine of a run; [`findings`]: invariants and proofs as text;
//!   [`follow`]: execution with the input values of a violation witness.
//! * [`event`], [`verdict`]: messages between the two processes, and the command's output; [`evidence`]: the grounds of an
//!   answer.
//! * [`crash`]: attribution of a panic or a fatal signal to an analysis.

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
