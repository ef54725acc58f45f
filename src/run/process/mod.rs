//! The processes of a run: each has one job, and the death of one does not take the others with it.
//!
//! * [`supervisor`]: the parent process: signals, limits, standard output, restarts.
//! * [`zygote`]: the process from which others are forked.
//! * [`crash`]: attribution of a panic or a fatal signal to an analysis; [`exit`]: how a forked process ends.

pub mod crash;
pub mod exit;
pub mod supervisor;
pub mod zygote;
