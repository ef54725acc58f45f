//! The sources on the page, with steps, invariants and assumptions at their lines.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::place::Place;
use crate::sources::{Lines, Sources};

/// Number of lines before and after a marked line that are always shown.
const CONTEXT_LINES: usize = 12;
/// Minimum number of lines in a fold.
const MINIMUM_FOLD_LINES: usize = 24;
/// Maximum number of lines in a fold; larger folds are left empty.
const MAXIMUM_FOLD_LINES: usize = 1500;
/// Maximum number of lines of a file that is shown without folds.
const MAXIMUM_UNFOLDED_LINES: usize = 150;
/// Maximum number of steps that are named at a line.
const MAXIMUM_STEPS_PER_LINE: usize = 6;
/// Maximum number of notes at a line.
const MAXIMUM_NOTES_PER_LINE: usize = 12;

/// The marks of a line.
#[derive(Debug, Default)]
pub struct Marks {
    /// The numbers of the path's steps at the line.
    pub steps: Vec<usize>,
    pub is_error: bool,
    pub notes: Vec<NoteView>,
}

/// A note below a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoteView {
    /// `invariant` or `assumption`.
    pub class: &'static str,
    pub text: String,
}

/// The marks by files and lines.
#[derive(Debug, Default)]
pub struct AllMarks(BTreeMap<String, BTreeMap<usize, Marks>>);

impl AllMarks {
    pub fn at(&mut self, place: &Place) -> &mut Marks {
        let file = self.0.entry(place.file.clone()).or_default();
        file.entry(place.line).or_default()
    }

    pub fn note(&mut self, place: &Place, class: &'static str, text: String) {
        let note = NoteView { class, text };
        let notes = &mut self.at(place).notes;
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

/// A source file.
#[derive(Debug, Serialize)]
pub struct FileView {
    pub name: String,
    /// The prefix of the ids of its lines.
    pub id: String,
    pub parts: Vec<PartView>,
}

/// Consecutive lines, shown or folded.
#[derive(Debug, Serialize)]
pub struct PartView {
    /// Whether the lines are hidden until the reader opens the fold.
    pub is_folded: bool,
    pub first: usize,
    pub last: usize,
    /// The lines; empty if there are too many.
    pub lines: Vec<LineView>,
}

#[derive(Debug, Serialize)]
pub struct LineView {
    pub number: usize,
    pub text: String,
    pub class: &'static str,
    pub steps: Vec<usize>,
    pub more_steps: usize,
    pub notes: Vec<NoteView>,
    pub more_notes: usize,
}

/// Returns the main file and then the other files with marks.
pub fn view(sources: &mut Sources, main: &str, marks: &AllMarks) -> Vec<FileView> {
    let mut names: Vec<&str> = vec![main];
    names.extend(
        marks
            .0
            .keys()
            .map(String::as_str)
            .filter(|&name| name != main),
    );
    let none = BTreeMap::new();
    let files = names.into_iter().enumerate().map(|(index, name)| {
        let marks = marks.0.get(name).unwrap_or(&none);
        FileView {
            name: name.to_owned(),
            id: format!("f{index}"),
            parts: parts(sources.lines(name), marks),
        }
    });
    files.filter(|file| !file.parts.is_empty()).collect()
}

fn parts(lines: &Lines, marks: &BTreeMap<usize, Marks>) -> Vec<PartView> {
    let is_near = |line: usize| {
        let around = line.saturating_sub(CONTEXT_LINES)..=line + CONTEXT_LINES;
        marks.range(around).next().is_some()
    };
    let mut parts: Vec<(bool, Vec<usize>)> = Vec::new();
    for &line in lines.keys() {
        let is_folded = lines.len() > MAXIMUM_UNFOLDED_LINES && !is_near(line);
        match parts.last_mut() {
            Some((before, numbers)) if *before == is_folded => numbers.push(line),
            _ => parts.push((is_folded, vec![line])),
        }
    }
    let parts = parts.into_iter().map(|(is_folded, numbers)| {
        let is_left_out = is_folded && numbers.len() > MAXIMUM_FOLD_LINES;
        let shown = if is_left_out { &[] } else { &numbers[..] };
        PartView {
            is_folded: is_folded && numbers.len() >= MINIMUM_FOLD_LINES,
            first: numbers[0],
            last: numbers[numbers.len() - 1],
            lines: shown
                .iter()
                .map(|&number| line(number, &lines[&number], marks.get(&number)))
                .collect(),
        }
    });
    parts.collect()
}

fn line(number: usize, text: &str, marks: Option<&Marks>) -> LineView {
    let none = Marks::default();
    let marks = marks.unwrap_or(&none);
    LineView {
        number,
        text: text.to_owned(),
        class: match marks {
            marks if marks.is_error => "error",
            marks if !marks.steps.is_empty() => "passed",
            _ => "",
        },
        steps: marks
            .steps
            .iter()
            .copied()
            .take(MAXIMUM_STEPS_PER_LINE)
            .collect(),
        more_steps: marks.steps.len().saturating_sub(MAXIMUM_STEPS_PER_LINE),
        notes: marks
            .notes
            .iter()
            .take(MAXIMUM_NOTES_PER_LINE)
            .cloned()
            .collect(),
        more_notes: marks.notes.len().saturating_sub(MAXIMUM_NOTES_PER_LINE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: usize) -> Place {
        Place {
            file: "a.c".to_owned(),
            line,
            column: 1,
        }
    }

    fn lines(count: usize) -> Lines {
        (1..=count)
            .map(|line| (line, format!("line {line}")))
            .collect()
    }

    #[test]
    fn lines_far_from_marks_are_folded() {
        let mut marks = AllMarks::default();
        marks
            .at(&place(100))
            .steps
            .extend(1..=MAXIMUM_STEPS_PER_LINE + 2);
        marks.note(&place(100), "invariant", "x".to_owned());
        marks.note(&place(100), "invariant", "x".to_owned());
        let parts = parts(&lines(2000), &marks.0["a.c"]);
        let shape = parts
            .iter()
            .map(|part| (part.is_folded, part.first, part.last, part.lines.len()));
        let shape: Vec<_> = shape.collect();
        assert_eq!(
            shape,
            [
                (true, 1, 87, 87),
                (false, 88, 112, 25),
                (true, 113, 2000, 0)
            ]
        );
        let line = &parts[1].lines[12];
        assert_eq!((line.number, line.class), (100, "passed"));
        assert_eq!(
            (line.steps.len(), line.more_steps),
            (MAXIMUM_STEPS_PER_LINE, 2)
        );
        assert_eq!(line.notes.len(), 1);
    }

    #[test]
    fn a_short_file_is_shown_as_a_whole() {
        let parts = parts(&lines(MAXIMUM_UNFOLDED_LINES), &BTreeMap::new());
        assert_eq!(parts.len(), 1);
        assert!(!parts[0].is_folded);
    }
}
