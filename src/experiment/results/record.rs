//! The record of a run: a line of `results.jsonl`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The verdicts other than `true` and `false(…)`.
pub const UNKNOWN: &str = "unknown";
pub const TIMEOUT: &str = "timeout";
pub const MEMORY: &str = "memory";
pub const CRASH: &str = "crash";
pub const REJECTED: &str = "rejected";
/// Jobs of a cluster ended during the run, repeatedly.
pub const LOST: &str = "lost";

/// The identity of a run; each run is made once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The configuration's name.
    pub configuration: String,
    /// The task's name.
    pub task: String,
    /// The number of the repetition, from zero.
    pub repetition: u32,
}

/// A run that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    #[serde(flatten)]
    pub key: Key,
    pub category: String,
    /// The right verdict, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// `true`, `false(…)`, `unknown`; `timeout` or `memory` if a limit was exceeded, `rejected` if the input
    /// was not accepted, `crash` if there is no RESULT line, `lost` if jobs of a cluster ended during the run.
    pub verdict: String,
    pub score: i32,
    /// The reason why there is no answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The analysis that found the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// Wall time of the command in seconds.
    pub wall: f64,
    /// CPU time of all its processes in seconds.
    pub cpu: f64,
    /// The maximum of the memory of all its processes together, in bytes.
    pub memory: u64,
    /// The methods by which CPU time and memory were measured.
    pub measured: Measured,
    /// Its exit code, or the negative number of the signal.
    pub exit: i32,
    /// The time at which it began, in seconds since 1970.
    pub begun: f64,
    /// The cores on which it ran.
    pub cores: Vec<usize>,
    /// The time that the runner needed in addition to the run, in seconds.
    pub overhead: f64,
    /// The features of the program ([`regatta_program::features`]); empty if no analysis was needed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub analyses: Vec<AnalysisRecord>,
    /// The log's file, relative to the folder, without its extension.
    pub log: String,
}

/// The methods of measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    pub cpu: String,
    pub memory: String,
}

/// The record of an analysis in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnalysisRecord {
    pub name: String,
    /// The time at which it began, in seconds after the command.
    pub started: f64,
    /// The time at which it ended; `None` if it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<f64>,
    /// Its result, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// Its counters by name, also if it was stopped.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// Wall time in solvers, in seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub solver: f64,
    /// The numbers of invariants that it has taken, by publisher.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub taken: BTreeMap<String, u64>,
    /// The numbers of invariants that its proof relies on, by publisher.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relied: BTreeMap<String, u64>,
    /// The results of the checks of its answers, with their times in seconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certified: Vec<(String, f64)>,
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

impl Record {
    /// Checks whether the answer is right.
    pub fn is_solved(&self) -> bool {
        self.score > 0
    }

    /// Checks whether the answer is wrong.
    pub fn is_wrong(&self) -> bool {
        self.score < 0
    }

    /// Returns the reason why there is no answer, without the parts that are specific to the task.
    pub fn reason_class(&self) -> String {
        match self.verdict.as_str() {
            UNKNOWN => {}
            TIMEOUT => return "time limit".to_owned(),
            MEMORY => return "memory limit".to_owned(),
            other => return other.to_owned(),
        }
        let end = self.reason.find([':', ';', '(', '`', '"']);
        let text = &self.reason[..end.unwrap_or(self.reason.len())];
        let text = text.split(" at ").next().unwrap_or(text).trim();
        let most = text
            .char_indices()
            .nth(48)
            .map_or(text.len(), |(end, _)| end);
        match &text[..most] {
            "" => UNKNOWN.to_owned(),
            text => text.to_owned(),
        }
    }
}
