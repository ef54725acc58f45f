//! Result files of [BenchExec](https://github.com/sosy-lab/benchexec): ours for its `table-generator`, and its own, of this or of any
//! other tool, for the tables, comparisons and plots here.
//!
//! * [`export`]: from records to XML; [`document`]: what an XML file says; [`import`]: from such files to a folder of results, with
//!   [`naming`].
//!
//! What both have in common is here: how a verdict is called there ([`status_of`], [`verdict_of`]), and the titles of columns.

pub mod document;
pub mod export;
pub mod import;
pub mod naming;

use super::record::{CRASH, MEMORY, REJECTED, Record, TIMEOUT, UNKNOWN};

/// Titles of BenchExec's columns.
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
    /// Ours, as in `scripts/benchexec/portfolios.xml`: the analysis that had the answer.
    pub const WINNER: &str = "answered by";
    /// Ours: why there is no answer.
    pub const REASON: &str = "reason";
    /// Ours: the row of our tables that the task belongs to. BenchExec's `category` says whether the answer is right.
    pub const TASK_SET: &str = "taskset";
    /// Ours: the task's name in our tables.
    pub const TASK: &str = "taskname";
    /// Ours: which of its configuration's repetitions the run is of, from 1. Repetitions of a shuffled experiment are made
    /// side by side, so that the moments at which they began tell nothing.
    pub const REPETITION: &str = "repetition";
}

/// Our name there.
const TOOL: &str = "Regatta";

const OUT_OF_TIME: &str = "TIMEOUT";
const OUT_OF_MEMORY: &str = "OUT OF MEMORY";
/// As the tool-info module in `scripts/benchexec` has it.
const REFUSED: [&str; 2] = ["ERROR (input refused)", "ERROR (property not supported)"];

/// The status of a run in BenchExec's words, and why it was ended from outside, if it was.
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

/// The verdict that a status of BenchExec is, and the reason that it gives itself. `is_ended`: BenchExec ended the run at a limit.
fn verdict_of(status: &str, is_ended: bool) -> (String, String) {
    let answer = |verdict: &str, reason: &str| (verdict.to_owned(), reason.to_owned());
    // A tool that has its answer too late: `TIMEOUT (true)`.
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
        // The tool says neither.
        "done" => answer(UNKNOWN, "done"),
        _ if REFUSED.contains(&status) => answer(REJECTED, status),
        _ => answer(CRASH, status),
    }
}

#[cfg(test)]
mod tests;
