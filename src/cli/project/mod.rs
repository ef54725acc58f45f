//! Many runs of the verifier on one project: side by side, each in a process of its own, with one table.
//!
//! * [`runs`]: starts the processes and collects their answers.
//! * [`table`]: the answers for the terminal.

pub mod runs;
pub mod table;
