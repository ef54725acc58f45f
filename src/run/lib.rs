//! A run as a whole: the supervisor process, the pipeline in its child process, the race of the engines, events, limits
//! and the verdict.
//!
//! * [`config`]: portfolio files.
//! * `record`: what a run tells of itself, as data, and its answer.
//! * `process`: the processes, and what becomes of them when they crash.
//! * [`task`]: the data that the threads share, and the checks that an answer has to pass.
//! * `judge`: what an answer has to pass before it is given, and what it rests on.
//! * `race`: the engines on their threads; the first answer that passes its check wins.
//! * [`pipeline`]: the child process: load, simplify, analyse.

pub mod config;
mod judge;
pub mod pipeline;
mod process;
mod race;
mod record;
pub mod task;

// For other crates, each file by its name alone.
pub use judge::{alarm, check_process, evidence, ledger, proof_export};
pub use process::{crash, supervisor, zygote};
pub use record::{description, dump, error_path, event, file, findings, verdict};
