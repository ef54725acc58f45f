//! Reads the output of a run: its verdict, and the records of its analyses.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::results::record::{AnalysisRecord, CRASH, REJECTED, UNKNOWN};
use regatta_run::event::{Event, EventKind};
use regatta_run::verdict::Verdict;

/// The content of a run's output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// The verdict of the last line, if the exit code agrees.
    pub verdict: String,
    /// The reason why there is no answer.
    pub reason: String,
    /// The analysis that found the answer.
    pub winner: Option<String>,
    /// The features of the program.
    pub features: BTreeMap<String, u64>,
    /// The analyses in the order in which they began.
    pub analyses: Vec<AnalysisRecord>,
}

/// Reads the standard output of `regatta verify --json`, its exit code (`None` for a signal) and the end of its standard error.
pub fn observe(output: &str, exit: Option<i32>, errors: &str) -> Observed {
    let mut observed = Observed::default();
    let mut last = "";
    for line in output.lines() {
        if line.starts_with('{') {
            // Events of another version that this one does not know are left out.
            if let Ok(event) = serde_json::from_str::<Event>(line) {
                observed.note(&event);
            }
        }
        if !line.trim().is_empty() {
            last = line;
        }
    }
    let result = last.strip_prefix("RESULT: ");
    (observed.verdict, observed.reason) = match (result, exit) {
        (Some("TRUE"), Some(0)) => ("true".to_owned(), String::new()),
        (Some(alarm), Some(1)) if alarm.starts_with("FALSE(") => {
            (alarm.replacen("FALSE", "false", 1), String::new())
        }
        (Some(unknown), Some(2)) if unknown.starts_with("UNKNOWN(") => {
            let reason = unknown["UNKNOWN(".len()..].trim_end_matches(')');
            (UNKNOWN.to_owned(), reason.to_owned())
        }
        (None, Some(3)) => (REJECTED.to_owned(), first_line(errors)),
        _ => (CRASH.to_owned(), first_line(errors)),
    };
    if observed.verdict == UNKNOWN || observed.verdict == CRASH {
        observed.winner = None;
    }
    observed
}

/// Returns the first line that is not empty, cut off after 200 characters.
fn first_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(200).collect()
}

impl Observed {
    fn analysis(&mut self, name: &str) -> Option<&mut AnalysisRecord> {
        self.analyses.iter_mut().find(|known| known.name == name)
    }

    fn note(&mut self, event: &Event) {
        let numbers = |map: &Map<String, Value>| -> BTreeMap<String, u64> {
            let numbers = map.iter();
            numbers
                .filter_map(|(name, value)| Some((name.clone(), value.as_u64()?)))
                .collect()
        };
        match &event.kind {
            EventKind::Open { features, .. } => self.features.clone_from(features),
            // An analysis may begin again.
            EventKind::Started { analysis, .. } if self.analysis(analysis).is_none() => {
                self.analyses.push(AnalysisRecord {
                    name: analysis.clone(),
                    started: event.time,
                    ..AnalysisRecord::default()
                });
            }
            EventKind::Finished {
                analysis,
                outcome,
                statistics,
            } => {
                if let Some(known) = self.analysis(analysis) {
                    known.ended = Some(event.time);
                    known.outcome.clone_from(outcome);
                    known.counters.extend(numbers(statistics));
                }
            }
            EventKind::Counted {
                analysis,
                counters,
                solver_seconds,
                taken,
            } => {
                if let Some(known) = self.analysis(analysis) {
                    known.counters.extend(numbers(counters));
                    known.solver += solver_seconds;
                    known.taken = numbers(taken);
                }
            }
            EventKind::Relied {
                analysis,
                publisher,
                invariants,
            } => {
                if let Some(known) = self.analysis(analysis) {
                    known.relied.insert(publisher.clone(), *invariants as u64);
                }
            }
            EventKind::Certified {
                analysis,
                outcome,
                seconds,
            }
            | EventKind::Replayed {
                analysis,
                outcome,
                seconds,
            } => {
                if let Some(known) = self.analysis(analysis) {
                    known.certified.push((outcome.clone(), *seconds));
                }
            }
            EventKind::Crashed {
                analysis: Some(analysis),
                reason,
            }
            | EventKind::Panicked {
                analysis,
                message: reason,
            }
            | EventKind::Refuted { analysis, reason } => {
                if let Some(known) = self.analysis(analysis) {
                    known.ended = Some(event.time);
                    known.outcome.clone_from(reason);
                }
            }
            EventKind::Concluded(conclusion) => {
                let is_answer = !matches!(conclusion.verdict, Verdict::Unknown(_));
                self.winner = conclusion.analysis.clone().filter(|_| is_answer);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_and_the_exit_code_have_to_agree() {
        for (output, exit, verdict, reason) in [
            ("RESULT: TRUE\n", Some(0), "true", ""),
            ("RESULT: TRUE\n", Some(1), CRASH, "bad"),
            (
                "RESULT: FALSE(unreach-call)\n",
                Some(1),
                "false(unreach-call)",
                "",
            ),
            ("RESULT: FALSE(unreach-call)\nmore\n", Some(1), CRASH, "bad"),
            (
                "RESULT: UNKNOWN(time limit)\n",
                Some(2),
                UNKNOWN,
                "time limit",
            ),
            ("RESULT: UNKNOWN(time limit)\n", None, CRASH, "bad"),
            ("", Some(3), REJECTED, "bad"),
            ("", Some(0), CRASH, "bad"),
        ] {
            let observed = observe(output, exit, "\nbad\nworse");
            assert_eq!(
                (observed.verdict.as_str(), observed.reason.as_str()),
                (verdict, reason)
            );
        }
    }

    #[test]
    fn stopped_analyses_have_counters() {
        let output = concat!(
            "{\"time\":0.1,\"event\":\"started\",\"analysis\":\"bmc\",\"id\":7}\n",
            "{\"time\":0.1,\"event\":\"something of tomorrow\",\"analysis\":\"bmc\"}\n",
            "{\"time\":0.2,\"event\":\"started\",\"analysis\":\"ki\",\"id\":8}\n",
            "{\"time\":0.3,\"event\":\"finished\",\"analysis\":\"ki\",\"outcome\":\"found a proof\",\"statistics\":{}}\n",
            "{\"time\":0.4,\"event\":\"counted\",\"analysis\":\"bmc\",\"counters\":{\"bound\":9,\"queries\":3},\
             \"solver_seconds\":0.5,\"taken\":{\"ki\":4}}\n",
            "RESULT: TRUE\n"
        );
        let observed = observe(output, Some(0), "");
        assert_eq!(observed.analyses.len(), 2);
        let bmc = &observed.analyses[0];
        assert_eq!(
            (bmc.ended, bmc.counters["bound"], bmc.taken["ki"]),
            (None, 9, 4)
        );
        assert_eq!(observed.analyses[1].ended, Some(0.3));
    }
}
