//! An answer in words: the way to an error, or why there is no answer.

use std::fmt::Write as _;

use crate::certify::path::{Change, PathEvent, PathStep};
use crate::portfolio::crash::number::FIRST_ANALYSIS;
use crate::portfolio::event::{Event, EventKind};
use crate::portfolio::verdict::{Conclusion, Verdict};
use crate::program::last_part;
use crate::report::place::Place;
use crate::report::sources::Sources;

/// Lines of the way to an error that are shown when it is not asked for as a whole.
const LINES: usize = 60;

/// Columns for places and for the source.
const PLACE: usize = 18;
const SOURCE: usize = 44;

/// The way to the error in lines, with the source where it can be read.
pub fn way_to_the_error(path: &[PathStep], is_whole: bool) -> String {
    let mut sources = Sources::default();
    let mut lines: Vec<String> = path.iter().map(|step| line(step, &mut sources)).collect();
    if !is_whole && lines.len() > LINES {
        let left_out = lines.len() - LINES;
        let first = LINES / 3;
        let note = format!("  ... {left_out} more lines (-v has all)");
        lines.splice(first..first + left_out, [note]);
    }
    format!("The way to the error:\n{}", lines.join("\n"))
}

fn line(step: &PathStep, sources: &mut Sources) -> String {
    let place = short_place(&step.place);
    let indent = "  ".repeat(step.depth.min(20) as usize);
    let list = |changes: &[Change]| {
        let changes = changes.iter().map(|change| {
            let name = last_part(&change.name);
            match &change.from {
                Some(from) => format!("{name} = {} from {from}", change.value),
                None => format!("{name} = {}", change.value),
            }
        });
        changes.collect::<Vec<_>>().join(", ")
    };
    let (what, remark) = match &step.what {
        PathEvent::At { changes } => (source_line(sources, &step.place), list(changes)),
        PathEvent::Call {
            function,
            arguments,
        } => {
            let source = source_line(sources, &step.place);
            (source, format!("calls {function}({})", list(arguments)))
        }
        PathEvent::Rounds { count } => {
            let rounds = if *count == 1 { "round" } else { "rounds" };
            (
                format!("... {count} more {rounds} of the loop"),
                String::new(),
            )
        }
        PathEvent::Calls { count } => (format!("... {count} more calls within"), String::new()),
        PathEvent::Error => (source_line(sources, &step.place), "THE ERROR".to_owned()),
    };
    let text = format!("  {place:PLACE$} {indent}{what}");
    let width = PLACE + SOURCE;
    let line = match remark.is_empty() {
        true => text,
        false => format!("{text:width$}  // {remark}"),
    };
    line.trim_end().to_owned()
}

/// A place without its column and folders.
fn short_place(text: &str) -> String {
    let place = Place::parse(text);
    let (file, line) = place.map_or((text.to_owned(), 0), |place| (place.file, place.line));
    format!("{}:{line}", file.rsplit('/').next().unwrap_or(&file))
}

/// The line at a place, without its indentation; empty if it cannot be read.
fn source_line(sources: &mut Sources, place: &str) -> String {
    let place = Place::parse(place);
    let line = place.and_then(|place| sources.line(&place.file, place.line).map(str::trim));
    let line = line.unwrap_or_default();
    match line.char_indices().nth(SOURCE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// What happened to an analysis.
#[derive(Clone, Debug, Default)]
struct Story {
    /// What it told last while it was at work.
    last: Option<String>,
    /// How it ended.
    end: Option<String>,
    /// Targets that it could neither reach nor exclude.
    left_aside: Vec<String>,
    /// What came of its answers.
    answers: Vec<String>,
}

/// Keeps what an explanation of UNKNOWN needs of the events.
#[derive(Clone, Debug, Default)]
pub struct Stories {
    /// In the order in which the analyses began.
    analyses: Vec<(String, Story)>,
    /// Places that are not supported, with the reasons.
    unsupported: Vec<String>,
    /// The loops that are left after simplification.
    loops: Vec<String>,
}

impl Stories {
    pub fn event(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Started { analysis, id } if *id >= FIRST_ANALYSIS => {
                self.story(analysis);
            }
            EventKind::Bound { analysis, bound } => {
                self.story(analysis).last = Some(format!("looked at {bound} rounds"));
            }
            EventKind::Refinement {
                analysis,
                number,
                states,
            } => {
                let last = format!("refined {number} times, {states} abstract states");
                self.story(analysis).last = Some(last);
            }
            EventKind::Invariants {
                analysis, total, ..
            } => self.story(analysis).last = Some(format!("{total} invariants known")),
            EventKind::Abstracted {
                analysis,
                bound,
                kept,
                all,
                ..
            } => {
                let last = format!("{bound} iterations, {kept} of {all} constraints");
                self.story(analysis).last = Some(last);
            }
            EventKind::LeftAside { analysis, reason } => {
                let story = self.story(analysis);
                if !story.left_aside.contains(reason) {
                    story.left_aside.push(reason.clone());
                }
            }
            EventKind::Certified {
                analysis, outcome, ..
            } => self
                .story(analysis)
                .answers
                .push(format!("a proof, {outcome}")),
            EventKind::Replayed {
                analysis, outcome, ..
            } => self
                .story(analysis)
                .answers
                .push(format!("an alarm, {outcome}")),
            EventKind::Finished {
                analysis, outcome, ..
            } => {
                // What comes before the analyses is none.
                if let Some((_, story)) =
                    self.analyses.iter_mut().find(|(name, _)| name == analysis)
                {
                    story.end = Some(outcome.clone());
                }
            }
            EventKind::Crashed {
                analysis: Some(analysis),
                reason,
            }
            | EventKind::Panicked {
                analysis,
                message: reason,
            } => self.story(analysis).end = Some(reason.clone()),
            EventKind::Open {
                unsupported, loops, ..
            } => {
                self.unsupported.clone_from(unsupported);
                self.loops.clone_from(loops);
            }
            _ => {}
        }
    }

    fn story(&mut self, analysis: &str) -> &mut Story {
        let known = self.analyses.iter().position(|(name, _)| name == analysis);
        let number = known.unwrap_or_else(|| {
            self.analyses.push((analysis.to_owned(), Story::default()));
            self.analyses.len() - 1
        });
        &mut self.analyses[number].1
    }

    /// Why there is no answer, and what could help; `None` if there is one.
    pub fn explain(&self, conclusion: &Conclusion) -> Option<String> {
        let Verdict::Unknown(reason) = &conclusion.verdict else {
            return None;
        };
        let mut text = format!("No answer: {}.", reason.trim_end_matches('.'));
        if !self.analyses.is_empty() {
            text.push_str("\nWhat the analyses did:");
        }
        for (name, story) in &self.analyses {
            let end = story.end.as_deref().unwrap_or("still at work at the end");
            let _ = write!(text, "\n  {name}: {end}");
            if let (Some(last), None) = (&story.last, &story.end) {
                let _ = write!(text, "; {last}");
            }
            for answer in &story.answers {
                let _ = write!(text, "; had {answer}");
            }
            for reason in story.left_aside.iter().take(SHOWN) {
                let _ = write!(text, "\n    left a target aside: {reason}");
            }
        }
        list(&mut text, "What is not supported:", &self.unsupported);
        list(
            &mut text,
            "Loops and recursion that remain after simplification, for which a proof needs invariants or a bound:",
            &self.loops,
        );
        if let Some(advice) = self.advice(reason) {
            let _ = write!(text, "\nWhat could help: {advice}.");
        }
        Some(text)
    }

    fn advice(&self, reason: &str) -> Option<String> {
        let mut advice: Vec<&str> = Vec::new();
        if reason.contains("limit") {
            advice.push("a higher limit");
        }
        if !self.unsupported.is_empty() {
            advice.push("a definition of your own for what is not supported");
        }
        let mut left_aside = self
            .analyses
            .iter()
            .flat_map(|(_, story)| &story.left_aside);
        if left_aside.any(|reason| reason.contains("a real execution determines")) {
            advice.push("a definition of the functions whose values are not modelled (`regatta library` lists them)");
        }
        if !self.loops.is_empty() && self.unsupported.is_empty() {
            advice.push(
                "an assertion of what holds in the loops above, to see whether it is proved; or smaller bounds of arrays and loops",
            );
        }
        (!advice.is_empty()).then(|| advice.join("; "))
    }
}

/// So much of a list is shown.
const SHOWN: usize = 8;

fn list(text: &mut String, title: &str, entries: &[String]) {
    if entries.is_empty() {
        return;
    }
    let _ = write!(text, "\n{title}");
    for entry in entries.iter().take(SHOWN) {
        let _ = write!(text, "\n  {entry}");
    }
    if entries.len() > SHOWN {
        let _ = write!(text, "\n  ... and {} more", entries.len() - SHOWN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(depth: u32, place: &str, what: PathEvent) -> PathStep {
        PathStep {
            depth,
            place: place.to_owned(),
            what,
        }
    }

    fn change(name: &str, value: &str, from: Option<&str>) -> Change {
        Change {
            name: name.to_owned(),
            value: value.to_owned(),
            from: from.map(str::to_owned),
        }
    }

    #[test]
    fn a_way_stands_beside_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.c");
        std::fs::write(&file, "int main(void) {\n    x = f();\n    g(x);\n}\n").unwrap();
        let place = |line: u32| format!("{}:{line}:5", file.display());
        let path = [
            step(
                0,
                &place(2),
                PathEvent::At {
                    changes: vec![change("main::x", "7", Some("f()"))],
                },
            ),
            step(
                0,
                &place(3),
                PathEvent::Call {
                    function: "g".to_owned(),
                    arguments: vec![change("g::n", "7", None)],
                },
            ),
            step(1, &place(3), PathEvent::Rounds { count: 4 }),
            step(1, "gone.c:9:1", PathEvent::Error),
        ];
        let text = way_to_the_error(&path, false);
        let lines: Vec<String> = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            lines,
            [
                "The way to the error:",
                "a.c:2 x = f(); // x = 7 from f()",
                "a.c:3 g(x); // calls g(n = 7)",
                "a.c:3 ... 4 more rounds of the loop",
                "gone.c:9 // THE ERROR",
            ]
        );
    }

    #[test]
    fn a_long_way_is_cut_in_the_middle_unless_it_is_asked_for() {
        let at = |line: usize| {
            let changes = vec![change("x", &line.to_string(), None)];
            step(0, &format!("gone.c:{line}:1"), PathEvent::At { changes })
        };
        let path: Vec<PathStep> = (1..=500).map(at).collect();
        let short = way_to_the_error(&path, false);
        assert_eq!(short.lines().count(), LINES + 2);
        assert!(
            short.contains("x = 1\n") && short.ends_with("x = 500"),
            "{short}"
        );
        assert!(short.contains("440 more lines"), "{short}");
        assert_eq!(way_to_the_error(&path, true).lines().count(), 501);
    }

    #[test]
    fn no_answer_is_explained_by_what_happened() {
        let mut stories = Stories::default();
        let name = || "bmc".to_owned();
        for kind in [
            EventKind::Open {
                unsupported: Vec::new(),
                loops: vec!["a.c:3:5: a loop in main".to_owned()],
                features: std::collections::BTreeMap::new(),
            },
            EventKind::Started {
                analysis: name(),
                id: FIRST_ANALYSIS,
            },
            EventKind::Started {
                analysis: "ki".to_owned(),
                id: FIRST_ANALYSIS + 1,
            },
            EventKind::Bound {
                analysis: name(),
                bound: 12,
            },
            EventKind::LeftAside {
                analysis: name(),
                reason: "values that a real execution determines".to_owned(),
            },
            EventKind::Finished {
                analysis: "ki".to_owned(),
                outcome: "gave up".to_owned(),
                statistics: serde_json::Map::new(),
            },
        ] {
            stories.event(&Event { time: 0.0, kind });
        }
        let text = stories.explain(&Conclusion::unknown("time limit")).unwrap();
        for part in [
            "No answer: time limit.",
            "bmc: still at work at the end; looked at 12 rounds",
            "left a target aside: values that",
            "ki: gave up",
            "a.c:3:5: a loop in main",
            "a higher limit",
            "regatta library",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(stories.explain(&Conclusion::proved("bmc")), None);
    }
}
