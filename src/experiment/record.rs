//! What is kept of a run: a line of `results.jsonl`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Verdicts beside `true` and `false(…)`.
pub const UNKNOWN: &str = "unknown";
pub const TIMEOUT: &str = "timeout";
pub const MEMORY: &str = "memory";
pub const CRASH: &str = "crash";
pub const REJECTED: &str = "rejected";
/// Machines of a cluster ended during the run, again and again.
pub const LOST: &str = "lost";

/// Which run it is; each is made once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The configuration's name.
    pub configuration: String,
    /// The task's name.
    pub task: String,
    /// From zero.
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
    /// `true`, `false(…)`, `unknown`; `timeout` or `memory` where the limit was overstepped, `rejected` where the input
    /// was not read, `crash` where there is no answer at all, `lost` where machines of a cluster ended during it.
    pub verdict: String,
    pub score: i32,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The analysis that had the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// Wall time of the command in seconds.
    pub wall: f64,
    /// CPU time of all its processes in seconds.
    pub cpu: f64,
    /// The most memory of all its processes together, in bytes.
    pub memory: u64,
    /// Who measured the two.
    pub measured: Measured,
    /// Its exit code, or less the signal's number.
    pub exit: i32,
    /// When it began, in seconds since 1970.
    pub begun: f64,
    /// The cores that it had.
    pub cores: Vec<usize>,
    /// What the runner needed beside the run itself, in seconds.
    pub overhead: f64,
    /// What the program is like ([`regatta_program::features`]); empty if no analysis was needed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub analyses: Vec<AnalysisRecord>,
    /// The log's file below the folder, without its ending.
    pub log: String,
}

/// Where figures are from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    pub cpu: String,
    pub memory: String,
}

/// What an analysis did in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnalysisRecord {
    pub name: String,
    /// When it began, in seconds after the command.
    pub started: f64,
    /// When it ended by itself; an analysis without was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<f64>,
    /// What it found, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// Its counters by name, also if it was stopped.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// Wall time in solvers, in seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub solver: f64,
    /// How many invariants it has taken, by publisher.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub taken: BTreeMap<String, u64>,
    /// How many invariants its proof relies on, by publisher.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relied: BTreeMap<String, u64>,
    /// What came of its answers, and how long the check took, in seconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certified: Vec<(String, f64)>,
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

impl Record {
    /// Whether the answer is right.
    pub fn is_solved(&self) -> bool {
        self.score > 0
    }

    /// Whether the answer is wrong.
    pub fn is_wrong(&self) -> bool {
        self.score < 0
    }

    /// The reason of an answer that is none, without what is of this task alone.
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
