//! Explains an answer in words: the path to an error, or the reasons for UNKNOWN.

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use regatta_base::printable::printable_line;
use regatta_frontend::Specification;
use regatta_frontend::property::{Check, Forbidden};
use regatta_program::{Property, last_part};
use regatta_report::place::Place;
use regatta_report::sources::Sources;
use regatta_run::check::{CheckRow, CheckVerdict};
use regatta_run::crash::number::FIRST_ANALYSIS;
use regatta_run::error_path::{Change, PathEvent, PathStep};
use regatta_run::event::{Event, EventKind};
use regatta_run::verdict::{Conclusion, MemoryNote, Verdict};

/// Maximum number of inputs that are told with a violation without `-v`.
const MAXIMUM_INPUTS: usize = 10;

/// Maximum number of lines of a path to an error without `-v`.
const MAXIMUM_PATH_LINES: usize = 60;

/// The number of columns for places.
const PLACE_COLUMNS: usize = 18;

/// Returns the number of columns of the terminal that messages go to; `None` if they do not go to a terminal.
pub fn terminal_columns() -> Option<usize> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    // SAFETY: numbers that may all be zero, and the system fills them in.
    let (failed, size) = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        let failed = libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &raw mut size);
        (failed, size)
    };
    (failed == 0 && size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// The layout of the lines of a path.
#[derive(Copy, Clone, Debug)]
struct Layout {
    /// The number of columns for the source.
    source: usize,
    /// The number of columns of a line, if limited.
    whole: Option<usize>,
}

impl Layout {
    /// The number of columns for the source if the lines are not limited.
    const DEFAULT_SOURCE_COLUMNS: usize = 44;

    /// The number of columns between the parts of a line: two spaces, a space, and the beginning of a comment.
    const SEPARATOR_COLUMNS: usize = 2 + 1 + 5;

    fn new(columns: Option<usize>) -> Self {
        let source = columns.map_or(Self::DEFAULT_SOURCE_COLUMNS, |columns| {
            // The larger part is for the source; values may take more lines.
            let both = columns.saturating_sub(PLACE_COLUMNS + Self::SEPARATOR_COLUMNS);
            (both * 3 / 5).clamp(12, 120)
        });
        Self {
            source,
            whole: columns,
        }
    }

    /// Formats a line with its remark, which is wrapped to further lines if necessary.
    fn line(self, place: &str, text: &str, remark: &str) -> String {
        let place = printable_line(place);
        let text = cut(&printable_line(text).replace('\t', " "), self.source);
        let line = format!("  {place:PLACE_COLUMNS$} {text}");
        if remark.is_empty() {
            return line.trim_end().to_owned();
        }
        let remark = printable_line(remark);
        let width = PLACE_COLUMNS + self.source;
        let at = line.chars().count().max(width) + 5;
        let room = self.whole.map(|whole| whole.saturating_sub(at).max(16));
        let rows = wrap(&remark, room);
        let between = format!("\n{:at$}", "");
        format!("{line:width$}  // {}", rows.join(&between))
    }
}

/// Cuts a text off after the number of columns.
fn cut(text: &str, columns: usize) -> String {
    match text.char_indices().nth(columns) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Wraps a text to the number of columns, at spaces or within a longer word.
fn wrap(text: &str, columns: Option<usize>) -> Vec<String> {
    let Some(columns) = columns else {
        return vec![text.to_owned()];
    };
    let mut rows = vec![String::new()];
    for word in text.split(' ') {
        let characters: Vec<char> = word.chars().collect();
        for (number, piece) in characters.chunks(columns).enumerate() {
            let piece: String = piece.iter().collect();
            let last = rows.len() - 1;
            let used = rows[last].chars().count();
            let is_whole = number == 0;
            if used == 0 {
                rows[last] = piece;
            } else if is_whole && used + 1 + piece.chars().count() <= columns {
                rows[last].push(' ');
                rows[last].push_str(&piece);
            } else {
                rows.push(piece);
            }
        }
    }
    rows
}

/// Returns the path to the error as lines with their source, if it can be read, wrapped to the columns, if they are known.
pub fn render_path(path: &[PathStep], is_whole: bool, columns: Option<usize>) -> String {
    let mut sources = Sources::default();
    let layout = Layout::new(columns);
    let mut lines: Vec<String> = path
        .iter()
        .map(|step| line(step, &mut sources, layout))
        .collect();
    if !is_whole && lines.len() > MAXIMUM_PATH_LINES {
        let left_out = lines.len() - MAXIMUM_PATH_LINES;
        let first = MAXIMUM_PATH_LINES / 3;
        let note = format!("  ... {left_out} more lines (-v has all)");
        lines.splice(first..first + left_out, [note]);
    }
    format!("The path to the error:\n{}", lines.join("\n"))
}

/// Returns the place of a violation and what happens there, in the form of a compiler's messages; with notes, also where the
/// object was allocated and where it ended, and the values of the inputs that lead to it. `None` if the answer is no violation.
pub fn render_violation(conclusion: &Conclusion, has_notes: bool) -> Option<String> {
    let (Verdict::False(property), Some(place)) = (&conclusion.verdict, &conclusion.place) else {
        return None;
    };
    let what = match &conclusion.memory {
        Some(memory) => printable_line(&memory.what).into_owned(),
        None => property.violation().to_owned(),
    };
    let mut text = violation(place, &what, *property);
    if !has_notes {
        return Some(text);
    }
    for note in conclusion.memory.iter().flat_map(|memory| &memory.places) {
        let place = printable_line(&note.place);
        let _ = write!(text, "\n{place}: note: {}", note.what);
    }
    for input in conclusion.inputs.iter().take(MAXIMUM_INPUTS) {
        let place = printable_line(&input.place);
        let source = printable_line(&input.source);
        let value = printable_line(&input.value);
        let _ = write!(text, "\n{place}: note: {source} is {value}");
    }
    if conclusion.inputs.len() > MAXIMUM_INPUTS {
        let more = conclusion.inputs.len() - MAXIMUM_INPUTS;
        let _ = write!(text, "\nnote: {more} more inputs (-v has all)");
    }
    Some(text)
}

/// Returns the violated checks in the same form, one a line.
pub fn render_violated(checks: &[CheckRow]) -> Option<String> {
    let violated = checks
        .iter()
        .filter(|row| row.verdict == CheckVerdict::Violated);
    let lines: Vec<String> = violated
        .map(|row| violation(&row.place, row.property.violation(), row.property))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn violation(place: &str, what: &str, property: Property) -> String {
    format!("{}: error: {what} [{property}]", printable_line(place))
}

/// Returns what is wrong with memory at the error, with the places of the object's life.
pub fn render_memory(memory: &MemoryNote) -> String {
    let mut text = format!("There, {}.", printable_line(&memory.what));
    for note in &memory.places {
        let place = printable_line(&note.place);
        let _ = write!(text, "\n  {place}: {}", note.what);
    }
    text
}

fn line(step: &PathStep, sources: &mut Sources, layout: Layout) -> String {
    let place = short_place(&step.place);
    // Deep calls leave room for the source.
    let most = layout.source / 3;
    let indent = " ".repeat((2 * step.depth as usize).min(most).min(40));
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
    layout.line(&place, &format!("{indent}{what}"), &remark)
}

/// Returns a place without its column and folders.
fn short_place(text: &str) -> String {
    let place = Place::parse(text);
    let (file, line) = place.map_or((text.to_owned(), 0), |place| (place.file, place.line));
    format!("{}:{line}", file.rsplit('/').next().unwrap_or(&file))
}

/// Returns the source line at a place, without its indentation; empty if it cannot be read.
fn source_line(sources: &mut Sources, place: &str) -> String {
    let place = Place::parse(place);
    let line = place.and_then(|place| sources.line(&place.file, place.line).map(str::trim));
    line.unwrap_or_default().to_owned()
}

/// The summary of an analysis.
#[derive(Clone, Debug, Default)]
struct AnalysisSummary {
    /// Its last progress.
    last: Option<String>,
    /// Its result, if it has ended.
    end: Option<String>,
    /// The reasons for which it could not decide whether error locations are reached.
    undecided: Vec<String>,
    /// The results of the checks of its answers.
    answers: Vec<String>,
}

/// The summary of a run, from its events, by which UNKNOWN is explained.
#[derive(Clone, Debug, Default)]
pub struct RunSummary {
    /// The analyses in the order in which they began.
    analyses: Vec<(String, AnalysisSummary)>,
    /// The places of unsupported operations, with the reasons.
    unsupported: Vec<String>,
    /// The loops that are left after simplification.
    loops: Vec<String>,
    /// The number of checks of the program as lowered.
    checks: usize,
}

impl RunSummary {
    pub fn event(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Started { analysis, id } if *id >= FIRST_ANALYSIS => {
                self.summary_of(analysis);
            }
            EventKind::Bound { analysis, bound } => {
                self.summary_of(analysis).last = Some(format!("reached bound {bound}"));
            }
            EventKind::Refinement {
                analysis,
                number,
                states,
            } => {
                let last = format!("refined {number} times, {states} abstract states");
                self.summary_of(analysis).last = Some(last);
            }
            EventKind::Invariants {
                analysis, total, ..
            } => self.summary_of(analysis).last = Some(format!("{total} invariants known")),
            EventKind::Abstracted {
                analysis,
                bound,
                kept,
                all,
                ..
            } => {
                let last = format!("{bound} iterations, {kept} of {all} constraints");
                self.summary_of(analysis).last = Some(last);
            }
            EventKind::LeftAside { analysis, reason } => {
                let summary = self.summary_of(analysis);
                if !summary.undecided.contains(reason) {
                    summary.undecided.push(reason.clone());
                }
            }
            EventKind::Certified {
                analysis, outcome, ..
            } => self
                .summary_of(analysis)
                .answers
                .push(format!("a proof, {outcome}")),
            EventKind::Replayed {
                analysis, outcome, ..
            } => self
                .summary_of(analysis)
                .answers
                .push(format!("an alarm, {outcome}")),
            EventKind::Finished {
                analysis, outcome, ..
            } => {
                // The front end and the simplifier have no summary.
                if let Some((_, summary)) =
                    self.analyses.iter_mut().find(|(name, _)| name == analysis)
                {
                    summary.end = Some(outcome.clone());
                }
            }
            EventKind::Crashed {
                analysis: Some(analysis),
                reason,
            }
            | EventKind::Panicked {
                analysis,
                message: reason,
            } => self.summary_of(analysis).end = Some(reason.clone()),
            EventKind::Program {
                checks_as_lowered, ..
            } => self.checks = self.checks.max(*checks_as_lowered),
            EventKind::Open {
                unsupported, loops, ..
            } => {
                self.unsupported.clone_from(unsupported);
                self.loops.clone_from(loops);
            }
            _ => {}
        }
    }

    fn summary_of(&mut self, analysis: &str) -> &mut AnalysisSummary {
        let known = self.analyses.iter().position(|(name, _)| name == analysis);
        let number = known.unwrap_or_else(|| {
            self.analyses
                .push((analysis.to_owned(), AnalysisSummary::default()));
            self.analyses.len() - 1
        });
        &mut self.analyses[number].1
    }

    /// Returns what a proof of the property says, in sentences or by the names of the checks, and what it does not.
    pub fn explain_proof(&self, property: &Specification, in_sentences: bool) -> String {
        let assertions = match in_sentences {
            true => "no assertion fails, and no error function is called",
            false => "assertions",
        };
        let mut claims: Vec<String> = match &property.forbidden {
            Forbidden::Assertions => vec![assertions.to_owned()],
            Forbidden::Listed { calls, labels } => {
                let calls = calls.iter().map(|name| format!("`{name}` is not called"));
                let labels = labels.iter().map(|name| format!("`{name}` is not reached"));
                calls.chain(labels).collect()
            }
        };
        let checks = property.checks.iter().map(|check| match in_sentences {
            true => check.description(),
            false => check.name(),
        });
        claims.extend(checks.map(str::to_owned));
        let others = Check::ALL.into_iter();
        let others = others.filter(|check| !property.checks.contains(check));
        let others: Vec<&str> = others.map(Check::name).collect();
        let noun = if self.checks == 1 { "check" } else { "checks" };
        let between = if in_sentences { "; " } else { ", " };
        format!(
            "Proved ({} {noun}): {}.\nNot looked at: {}.",
            self.checks,
            claims.join(between),
            others.join(", ")
        )
    }

    /// Returns the reasons for UNKNOWN, and advice; `None` if there is an answer.
    pub fn explain(&self, conclusion: &Conclusion) -> Option<String> {
        let Verdict::Unknown(reason) = &conclusion.verdict else {
            return None;
        };
        let mut text = format!("No answer: {}.", reason.trim_end_matches('.'));
        if !self.analyses.is_empty() {
            text.push_str("\nThe analyses:");
        }
        for (name, summary) in &self.analyses {
            let end = summary.end.as_deref().unwrap_or("still running at the end");
            let _ = write!(text, "\n  {name}: {end}");
            if let (Some(last), None) = (&summary.last, &summary.end) {
                let _ = write!(text, "; {last}");
            }
            for answer in &summary.answers {
                let _ = write!(text, "; had {answer}");
            }
            for reason in summary.undecided.iter().take(MAXIMUM_LIST_ENTRIES) {
                let _ = write!(
                    text,
                    "\n    cannot decide whether an error location is reached: {reason}"
                );
            }
        }
        list(&mut text, "Unsupported operations:", &self.unsupported);
        list(
            &mut text,
            "Loops and recursive functions, for which a proof needs invariants or a bound:",
            &self.loops,
        );
        if let Some(advice) = self.advice(reason) {
            let _ = write!(text, "\nThis may help: {advice}.");
        }
        Some(text)
    }

    fn advice(&self, reason: &str) -> Option<String> {
        let mut advice: Vec<&str> = Vec::new();
        if reason.contains("limit") {
            advice.push("a higher limit");
        }
        if !self.unsupported.is_empty() {
            advice.push("a definition of your own for the unsupported operations");
        }
        let mut left_aside = self
            .analyses
            .iter()
            .flat_map(|(_, summary)| &summary.undecided);
        if left_aside.any(|reason| reason.contains("a real execution determines")) {
            advice.push("a definition of the functions whose values are not modelled (`regatta library` lists them)");
        }
        if !self.loops.is_empty() && self.unsupported.is_empty() {
            advice.push(
                "assertions of invariants in the loops above; or smaller bounds of arrays and loops",
            );
        }
        (!advice.is_empty()).then(|| advice.join("; "))
    }
}

/// Maximum number of entries of a list that are shown.
const MAXIMUM_LIST_ENTRIES: usize = 8;

fn list(text: &mut String, title: &str, entries: &[String]) {
    if entries.is_empty() {
        return;
    }
    let _ = write!(text, "\n{title}");
    for entry in entries.iter().take(MAXIMUM_LIST_ENTRIES) {
        let _ = write!(text, "\n  {entry}");
    }
    if entries.len() > MAXIMUM_LIST_ENTRIES {
        let _ = write!(
            text,
            "\n  ... and {} more",
            entries.len() - MAXIMUM_LIST_ENTRIES
        );
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
    fn a_path_is_shown_with_its_source() {
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
        let text = render_path(&path, false, None);
        let lines: Vec<String> = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            lines,
            [
                "The path to the error:",
                "a.c:2 x = f(); // x = 7 from f()",
                "a.c:3 g(x); // calls g(n = 7)",
                "a.c:3 ... 4 more rounds of the loop",
                "gone.c:9 // THE ERROR",
            ]
        );
    }

    #[test]
    fn a_path_fits_the_terminal_without_control_characters() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.c");
        let long = format!("x\u{1b}[2J = {};\n", "y + ".repeat(60));
        std::fs::write(&file, long).unwrap();
        let values = (0..9).map(|number| change("value", &number.to_string(), None));
        let path = [step(
            3,
            &format!("{}:1:1", file.display()),
            PathEvent::At {
                changes: values.collect(),
            },
        )];
        for columns in [40, 80, 132, 200] {
            let text = render_path(&path, false, Some(columns));
            assert!(text.contains("x\\x1b"), "{text}");
            assert!(text.contains("value = 8"), "{text}");
            let widest = text.lines().map(|line| line.chars().count()).max();
            // A narrower terminal has no room for values beside the source.
            assert!(widest.unwrap() <= columns.max(60), "{columns}: {text}");
        }
        assert_eq!(wrap("ab cd efghij", Some(5)), ["ab cd", "efghi", "j"]);
    }

    #[test]
    fn a_long_path_is_cut_in_the_middle_unless_verbose() {
        let at = |line: usize| {
            let changes = vec![change("x", &line.to_string(), None)];
            step(0, &format!("gone.c:{line}:1"), PathEvent::At { changes })
        };
        let path: Vec<PathStep> = (1..=500).map(at).collect();
        let short = render_path(&path, false, None);
        assert_eq!(short.lines().count(), MAXIMUM_PATH_LINES + 2);
        assert!(
            short.contains("x = 1\n") && short.ends_with("x = 500"),
            "{short}"
        );
        assert!(short.contains("440 more lines"), "{short}");
        assert_eq!(render_path(&path, true, None).lines().count(), 501);
    }

    #[test]
    fn unknown_is_explained_by_the_events() {
        let mut summary = RunSummary::default();
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
            summary.event(&Event { time: 0.0, kind });
        }
        let text = summary.explain(&Conclusion::unknown("time limit")).unwrap();
        for part in [
            "No answer: time limit.",
            "bmc: still running at the end; reached bound 12",
            "cannot decide whether an error location is reached: values that",
            "ki: gave up",
            "a.c:3:5: a loop in main",
            "a higher limit",
            "regatta library",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(summary.explain(&Conclusion::proved("bmc")), None);
    }
}
