//! Result files of [BenchExec](https://github.com/sosy-lab/benchexec): export for its `table-generator`, and import, of this
//! or any other tool, for tables, comparisons and plots.
//!
//! * [`export`]: writes records as XML; [`document`]: reads an XML file; [`import`]: converts such files to a folder of
//!   results, with [`naming`].
//!
//! This file has the common part: the translation of verdicts ([`status_of`], [`verdict_of`]), and the titles of columns.

pub mod document;
pub mod export;
pub mod import;
pub mod naming;

use crate::results::record::{CRASH, MEMORY, REJECTED, Record, TIMEOUT, UNKNOWN};

/// The titles of columns. Those marked as Regatta's are not of BenchExec.
mod title {
    pub const STATUS: &str = "status";
    pub const CATEGORY: &str = "category";
    pub const CPU: &str = "cputime";
    pub const WALL: &str = "walltime";
    pub const MEMORY: &str = "memory";
    pub const TERMINATION: &str = "terminationreason";
    pub const EXIT_CODE: &str = "returnvalue";
    pub const SIGNAL: &str = "exitsignal";
    pub const CORES: &str = "cpuCores";
    pub const BEGUN: &str = "starttime";
    /// Regatta's, as in `scripts/benchexec/portfolios.xml`: the analysis that found the answer.
    pub const WINNER: &str = "answered by";
    /// Regatta's: the reason why there is no answer.
    pub const REASON: &str = "reason";
    /// Regatta's: the category of the task. BenchExec's `category` says whether the answer is right.
    pub const TASK_SET: &str = "taskset";
    /// Regatta's: the task's name.
    pub const TASK: &str = "taskname";
    /// Regatta's: the number of the repetition, from 1. It cannot be derived from the times at which runs began, because the
    /// repetitions of a shuffled experiment are interleaved.
    pub const REPETITION: &str = "repetition";
}

/// Regatta's name in BenchExec.
const TOOL: &str = "Regatta";

const OUT_OF_TIME: &str = "TIMEOUT";
const OUT_OF_MEMORY: &str = "OUT OF MEMORY";
/// The statuses for rejected input, as in the tool-info module in `scripts/benchexec`.
const REFUSED: [&str; 2] = ["ERROR (input refused)", "ERROR (property not supported)"];

/// Returns the status of a run in BenchExec's words, and the reason for which it was killed, if it was.
fn status_of(record: &Record) -> (String, Option<&'static str>) {
    match record.verdict.as_str() {
        TIMEOUT => (OUT_OF_TIME.to_owned(), Some("walltime")),
        MEMORY => (OUT_OF_MEMORY.to_owned(), Some("memory")),
        REJECTED => (REFUSED[0].to_owned(), None),
        CRASH if record.exit < 0 => (format!("KILLED BY SIGNAL {}", -record.exit), None),
        CRASH => ("ERROR".to_owned(), None),
        UNKNOWN => match record.reason.as_str() {
            "time limit" | "CPU time limit" => (OUT_OF_TIME.to_owned(), None),
            "memory limit" => (OUT_OF_MEMORY.to_owned(), None),
            _ => (UNKNOWN.to_owned(), None),
        },
        answer => (answer.to_owned(), None),
    }
}

/// Returns the verdict of a status of BenchExec, and the reason in it. `is_ended`: BenchExec killed the run at a limit.
fn verdict_of(status: &str, is_ended: bool) -> (String, String) {
    let answer = |verdict: &str, reason: &str| (verdict.to_owned(), reason.to_owned());
    // An answer after the limit has a status such as `TIMEOUT (true)`.
    if status.starts_with(OUT_OF_TIME) {
        return match is_ended {
            true => answer(TIMEOUT, "killed at the limit"),
            false => answer(UNKNOWN, "time limit"),
        };
    }
    if status.starts_with(OUT_OF_MEMORY) {
        return match is_ended {
            true => answer(MEMORY, "killed at the limit"),
            false => answer(UNKNOWN, "memory limit"),
        };
    }
    match status {
        "true" => answer("true", ""),
        _ if status.starts_with("true(") => answer("true", ""),
        "false" => answer("false", ""),
        _ if status.starts_with("false(") && status.ends_with(')') => answer(status, ""),
        UNKNOWN => answer(UNKNOWN, ""),
        // The tool ended without a verdict.
        "done" => answer(UNKNOWN, "done"),
        _ if REFUSED.contains(&status) => answer(REJECTED, status),
        _ => answer(CRASH, status),
    }
}

#[cfg(test)]
mod tests;
