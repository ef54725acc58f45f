//! The checks of a program, each with what is known of it: the table of `verify --all`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use regatta_program::{Program, Property, TargetId};

/// Maximum length of a check's text (characters).
const MAXIMUM_TEXT: usize = 100;

/// What is known of a check.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// Nothing yet.
    #[default]
    Open,
    /// No execution violates it; the proof was checked.
    Excluded,
    /// An execution violates it, and no other check before; it was replayed.
    Violated,
    /// It was not decided.
    Unknown,
}

impl CheckVerdict {
    /// Returns the verdict in a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Excluded => "holds",
            Self::Violated => "violated",
            Self::Unknown => "unknown",
        }
    }
}

/// A check with what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRow {
    /// Its number, from one, in the order of the source.
    pub number: u32,
    /// The place: file, line, column.
    pub place: String,
    /// The property that its violation violates.
    pub property: Property,
    /// The line of the source.
    pub text: String,
    pub verdict: CheckVerdict,
    /// The analysis that decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why it was not decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it was decided, in seconds of wall time since the command started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The number of edges that are left of the program if it is simplified with this check alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cone: Option<usize>,
    /// The number of edges that are left with the loose slice, if there are fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loose_cone: Option<usize>,
}

impl CheckRow {
    /// Returns the number in the program.
    pub fn target(&self) -> TargetId {
        TargetId(self.number.saturating_sub(1))
    }

    /// Notes the verdict, the analysis that decided it, and the wall time since the command started.
    pub fn decide(&mut self, verdict: CheckVerdict, by: Option<&str>, time: Duration) {
        self.verdict = verdict;
        self.by = by.map(str::to_owned);
        self.seconds = Some(time.as_secs_f64());
    }
}

/// Returns the checks of a program as lowered, all open, by number.
pub fn checks_of(program: &Program) -> Vec<CheckRow> {
    let mut lines: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    let targets = program.targets();
    let rows = targets.iter().zip(1..).map(|(target, number)| {
        let span = target.span;
        let file = program.sources.files.get(usize::from(span.file.0));
        let file_lines = lines
            .entry(span.file.0)
            .or_insert_with(|| file.map_or_else(Vec::new, |file| lines_of(Path::new(&**file))));
        let line = (span.line as usize).checked_sub(1);
        let function = program.location(target.location).function;
        CheckRow {
            number,
            place: program.sources.describe(span),
            property: target.property,
            text: match line.and_then(|line| file_lines.get(line)) {
                Some(text) => text.clone(),
                None => format!("in {}", program.function(function).name),
            },
            verdict: CheckVerdict::Open,
            by: None,
            reason: None,
            seconds: None,
            cone: None,
            loose_cone: None,
        }
    });
    rows.collect()
}

/// Returns the lines of a file, without spaces around them; none if it is no file that can be read again.
fn lines_of(path: &Path) -> Vec<String> {
    let is_file = std::fs::metadata(path).is_ok_and(|there| there.is_file());
    let bytes = is_file.then(|| std::fs::read(path).ok()).flatten();
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let lines = text.iter().flat_map(|text| text.lines());
    lines
        .map(|line| line.trim().chars().take(MAXIMUM_TEXT).collect())
        .collect()
}
