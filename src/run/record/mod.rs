//! The record of a run, as data: what is told of it while it goes on, and its answer.
//!
//! * [`event`]: the events of a run, and the pipe that they go through.
//! * [`verdict`]: the answer; [`question`]: what is asked about termination; [`error_path`]: the path to an error;
//!   [`description`]: the command, options and machine; [`findings`]: the automaton, invariants and proofs as text.
//! * [`kept_invariants`]: the file of the invariants that are kept for the next run.
//! * [`dump`]: intermediate results for debugging; [`mod@file`]: atomic writes of files.
//! * [`recorder`]: what the parts of a run record with.

pub mod check;
pub mod description;
pub mod dump;
pub mod error_path;
pub mod event;
pub mod file;
pub mod findings;
pub(crate) mod kept_invariants;
pub mod question;
pub(crate) mod recorder;
pub mod verdict;
