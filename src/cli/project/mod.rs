//! Many runs of the verifier on one project: side by side, each in a process of its own, with one table.
//!
//! * [`runs`]: starts the processes and collects their answers.
//! * [`table`]: the answers for the terminal.
//! * [`config`]: what `regatta.toml` says.
//! * [`cache`]: answers of earlier runs, and known findings.
//! * [`files`]: the answers as JSON, SARIF and JUnit.

pub mod cache;
pub mod config;
pub mod files;
pub mod runs;
pub mod table;

/// The note on an answer that an earlier run has given.
pub const AS_BEFORE: &str = "as before";

/// The note on a finding that is known.
pub const KNOWN: &str = "known";
