//! The path to an error, for users.
//!
//! * [`trace`](mod@trace): from the run of a confirmed alarm to a path with folded loops
//!   ([`PathStep`](regatta_run::error_path::PathStep)).
//! * [`steps`]: the path's steps with their source lines, for SARIF and HTML.

mod steps;
mod trace;

pub use steps::{Assigned, Step, to_error};
pub use trace::trace;
