//! The answer of a run.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::error_path::PathStep;
use super::question::Questions;
use regatta_base::printable::printable;
use regatta_certify::replay::Violation;
use regatta_program::{AssumptionKind, Property, TargetSet};

/// The verdict of a run, as in the RESULT line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The property holds.
    True,
    /// The property is violated; the inputs that show it were replayed on the program as lowered.
    False(Property),
    /// There is no answer, for the reason given.
    Unknown(String),
}

impl Verdict {
    /// Returns the command's exit code for the verdict.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::True => 0,
            Self::False(_) => 1,
            Self::Unknown(_) => 2,
        }
    }
}

/// Writes the RESULT line without its end of line.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::True => f.write_str("RESULT: TRUE"),
            Self::False(property) => write!(f, "RESULT: FALSE({property})"),
            // The result stays one line, whatever the reason contains.
            Self::Unknown(reason) => {
                let reason = reason.replace(['\n', '\r'], " ");
                write!(f, "RESULT: UNKNOWN({})", printable(&reason))
            }
        }
    }
}

/// A verdict with what supports it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conclusion {
    pub verdict: Verdict,
    /// The analysis that found it, by its name in the portfolio.
    pub analysis: Option<String>,
    /// For an alarm, the values of the inputs in the order in which the program asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<InputValue>,
    /// For an alarm, the place of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// For a proof, the number of its formulas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invariants: Option<u32>,
    /// For a violation of an assertion that a witness has put into the program, its number, from zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong_assertion: Option<u32>,
    /// Whether that assertion has no defined value there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_undefined: bool,
    /// The assumptions of the answer; empty unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<ReportedAssumption>,
    /// If only some checks were asked about, those that the verdict is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<TargetSet>,
    /// For an alarm, the path to the error; empty if it is too long.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<PathStep>,
    /// For an alarm about memory, what is wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Box<MemoryNote>>,
    /// What is to be asked next, if the answer is only one to a question about termination.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequel: Option<Box<Questions>>,
    /// For an alarm, within the process that has the program, the execution.
    #[serde(skip)]
    pub violation: Option<Box<Violation>>,
}

/// What is wrong with memory in an alarm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryNote {
    /// What is wrong, as a sentence without an initial capital.
    pub what: String,
    /// Where the object was allocated and where it ended, as far as it was.
    pub places: Vec<PlaceNote>,
}

/// What happened at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceNote {
    /// The place: file, line, column.
    pub place: String,
    /// What happened, in words.
    pub what: String,
}

/// An assumption that the answer may depend on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReportedAssumption {
    /// The place: file, line, column.
    pub place: String,
    pub kind: AssumptionKind,
    /// The assumption, in words.
    pub what: String,
}

impl Conclusion {
    /// Makes an answer with assumptions UNKNOWN, for `--strict`.
    pub fn strict(self) -> Self {
        match self.assumptions.as_slice() {
            [] => self,
            [first, others @ ..] => {
                let mut reason = format!("assumption at {}: {}", first.place, first.what);
                if !others.is_empty() {
                    reason.push_str(&format!("; and {} more", others.len()));
                }
                Self {
                    verdict: Verdict::Unknown(reason),
                    ..self
                }
            }
        }
    }

    /// Returns the answer of a confirmed proof by the analysis.
    pub fn proved(analysis: &str) -> Self {
        Self::bare(Verdict::True, Some(analysis.to_owned()))
    }

    /// Returns the conclusion without an answer, for the reason given.
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self::bare(Verdict::Unknown(reason.into()), None)
    }

    /// Returns an answer by itself.
    fn bare(verdict: Verdict, analysis: Option<String>) -> Self {
        Self {
            verdict,
            analysis,
            inputs: Vec::new(),
            place: None,
            invariants: None,
            wrong_assertion: None,
            is_undefined: false,
            assumptions: Vec::new(),
            targets: None,
            path: Vec::new(),
            memory: None,
            sequel: None,
            violation: None,
        }
    }
}

/// The value of an input on the path to the error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputValue {
    /// The origin of the input: the called function, or why the value is nondeterministic.
    pub source: String,
    /// The place: file, line, column.
    pub place: String,
    /// The value as C would write it.
    pub value: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines() {
        for (verdict, line, code) in [
            (Verdict::True, "RESULT: TRUE", 0),
            (
                Verdict::False(Property::UnreachCall),
                "RESULT: FALSE(unreach-call)",
                1,
            ),
            (
                Verdict::Unknown("time\nlimit".into()),
                "RESULT: UNKNOWN(time limit)",
                2,
            ),
            (
                Verdict::Unknown("`\u{1b}[2J`".into()),
                "RESULT: UNKNOWN(`\\x1b[2J`)",
                2,
            ),
        ] {
            assert_eq!(verdict.to_string(), line);
            assert_eq!(verdict.exit_code(), code);
        }
    }
}
