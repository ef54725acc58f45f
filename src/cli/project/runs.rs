//! Runs of the verifier in processes of their own.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use regatta_base::digest::sha256;

/// One run of the verifier.
#[derive(Clone, Debug)]
pub struct Run {
    /// How the run is called: the entry, and the check if there are several.
    pub name: String,
    /// The file and line of the entry; empty if it has none.
    pub place: String,
    /// The arguments of `verify`.
    pub arguments: Vec<OsString>,
    /// Where its findings are written as SARIF, if they are.
    pub sarif: Option<PathBuf>,
    /// The file of the invariants that are kept from run to run, if they are.
    pub kept_invariants: Option<PathBuf>,
    /// Where the witness of its answer is written, if it is.
    pub witness: Option<PathBuf>,
}

/// What a run has answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub verdict: Verdict,
    /// Why it is open, or what is violated.
    pub reason: String,
    /// The place of the error.
    pub place: String,
    /// Wall time (seconds).
    pub seconds: f64,
    /// What the run said to the user.
    pub said: String,
    /// What became of the invariants that an earlier run has proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierInvariants>,
}

/// What became of the invariants that an earlier run has proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierInvariants {
    /// Their number.
    pub kept: usize,
    /// The number of those that are proved again.
    pub held: usize,
    /// Why their file was of no use, if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// A verdict, in one word.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    True,
    False,
    Unknown,
    /// The program is refused.
    Error,
}

impl Verdict {
    pub const fn word(self) -> &'static str {
        match self {
            Self::True => "TRUE",
            Self::False => "FALSE",
            Self::Unknown => "UNKNOWN",
            Self::Error => "ERROR",
        }
    }
}

/// Makes all runs, some of them side by side, and tells each answer as it comes.
pub fn run_all(
    runs: &[&Run],
    side_by_side: usize,
    tell: &(dyn Fn(&Run, &Answer) + Sync),
) -> Vec<Answer> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut answers = Vec::new();
        while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let answer = run.make();
            tell(run, &answer);
            answers.push((run.name.as_str(), answer));
        }
        answers
    };
    let mut all: Vec<(&str, Answer)> = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..side_by_side.min(runs.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let mut answers = work();
        for helper in helpers {
            match helper.join() {
                Ok(more) => answers.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        answers
    });
    let position = |name: &str| runs.iter().position(|run| run.name == name);
    all.sort_by_key(|(name, _)| position(name));
    all.into_iter().map(|(_, answer)| answer).collect()
}

impl Run {
    /// The name of a file that is kept for the run: an edit that moves the entry to another line does not change it.
    pub fn file_name(&self, extension: &str) -> String {
        let source = self.place.rsplit_once(':').map_or("", |(file, _)| file);
        let digest = sha256(format!("{}\0{source}", self.name).as_bytes());
        format!("{digest}.{extension}")
    }

    /// Whether the program begins in `main`, where a witness can begin.
    pub fn is_about_main(&self) -> bool {
        let mut arguments = self.arguments.iter();
        !arguments.any(|one| one.to_string_lossy().starts_with("--function"))
    }

    /// Makes the run.
    fn make(&self) -> Answer {
        let begin = Instant::now();
        let answered = self.answer();
        let seconds = begin.elapsed().as_secs_f64();
        match answered {
            Ok(answer) => Answer { seconds, ..answer },
            Err(error) => Answer::error(format!("the verifier cannot be run: {error}")),
        }
    }

    fn answer(&self) -> std::io::Result<Answer> {
        let program = std::env::current_exe()?;
        let mut command = Command::new(program);
        command.arg("verify").arg("--json");
        if let Some(file) = &self.sarif {
            command.arg("--sarif").arg(file);
        }
        if let Some(file) = &self.kept_invariants {
            command.arg("--keep-invariants").arg(file);
        }
        if let Some(file) = &self.witness {
            command.arg("--witness").arg(file);
        }
        command.args(&self.arguments);
        let output = command.stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(Answer::read(&text, said))
    }
}

impl Answer {
    /// A line for the user when the answer comes; an error is told as compilers do, so that editors find the place.
    pub fn told(&self, run: &Run) -> String {
        let mut told = match self.verdict {
            Verdict::False => {
                format!(
                    "{}: error: {}, beginning in {}",
                    self.place, self.reason, run.name
                )
            }
            verdict => format!("{}: {}", run.name, verdict.word()),
        };
        match &self.earlier {
            Some(EarlierInvariants {
                refused: Some(reason),
                ..
            }) => told.push_str(&format!(
                "\nwarning: the invariants of an earlier run are not used: {reason}"
            )),
            Some(EarlierInvariants {
                kept: kept @ 1..,
                held,
                ..
            }) => told.push_str(&format!(
                " ({held} of {kept} invariants of an earlier run hold)"
            )),
            _ => {}
        }
        told
    }

    fn error(reason: String) -> Self {
        Self {
            verdict: Verdict::Error,
            reason: reason.clone(),
            place: String::new(),
            seconds: 0.0,
            said: reason,
            earlier: None,
        }
    }

    /// Reads the events of a run and its RESULT line.
    fn read(text: &str, said: String) -> Self {
        let last = text.lines().last().unwrap_or_default();
        let Some(result) = last.strip_prefix("RESULT: ") else {
            let mut lines = said.lines();
            let reason = lines.find(|line| !line.starts_with("warning:"));
            let reason = reason.unwrap_or("no answer").to_owned();
            return Self {
                said,
                ..Self::error(reason)
            };
        };
        let (word, reason) = match result.split_once('(') {
            Some((word, reason)) => (word, reason.strip_suffix(')').unwrap_or(reason)),
            None => (result, ""),
        };
        let verdict = match word {
            "TRUE" => Verdict::True,
            "FALSE" => Verdict::False,
            _ => Verdict::Unknown,
        };
        let place = match verdict {
            Verdict::False => place_of_error(text),
            _ => None,
        };
        Self {
            verdict,
            reason: reason.to_owned(),
            place: place.unwrap_or_default(),
            seconds: 0.0,
            said,
            earlier: earlier_invariants(text),
        }
    }
}

/// What became of the invariants of an earlier run, from the last event that says so.
fn earlier_invariants(text: &str) -> Option<EarlierInvariants> {
    let events = text.lines().rev().filter(|line| line.starts_with('{'));
    let mut events = events.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let event = events
        .find(|event| event["event"] == "earlier_invariants" && event["is_same_run"] != true)?;
    serde_json::from_value(event).ok()
}

/// The place of the error, from the last event.
fn place_of_error(text: &str) -> Option<String> {
    let event = text.lines().rev().find(|line| line.starts_with('{'))?;
    let event: Value = serde_json::from_str(event).ok()?;
    event.get("place")?.as_str().map(str::to_owned)
}

/// Number of runs that work side by side if each has some threads.
pub fn side_by_side(threads: u16) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (cores / usize::from(threads).max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_from_events() {
        let text = "{\"event\":\"concluded\",\"place\":\"a.c:3:4\"}\nRESULT: FALSE(unreach-call)\n";
        let answer = Answer::read(text, String::new());
        assert_eq!(answer.verdict, Verdict::False);
        assert_eq!(
            (answer.reason.as_str(), answer.place.as_str()),
            ("unreach-call", "a.c:3:4")
        );
        assert_eq!(answer.earlier, None);
        let held = |held: usize| {
            format!(
                "{{\"event\":\"earlier_invariants\",\"kept\":5,\"placed\":4,\"held\":{held}}}\n"
            )
        };
        let text = format!("{}{}RESULT: TRUE\n", held(0), held(3));
        let earlier = Answer::read(&text, String::new()).earlier.expect("told");
        assert_eq!((earlier.kept, earlier.held), (5, 3));
        let answer = Answer::read("RESULT: UNKNOWN(time limit)\n", String::new());
        assert_eq!(
            (answer.verdict, answer.reason.as_str()),
            (Verdict::Unknown, "time limit")
        );
        let answer = Answer::read("", "warning: x\na.c: no".to_owned());
        assert_eq!(
            (answer.verdict, answer.reason.as_str()),
            (Verdict::Error, "a.c: no")
        );
    }
}
