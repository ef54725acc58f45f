//! Writes the verification conditions of a proof as SMT-LIB files, for other solvers ([`crate::check_and_record`]). They are made
//! in `check` and `walk`.
//!
//! The checker works as usual. Whenever it has found a list of conditions to be unsatisfiable, each of them is written to a
//! file, with its meaning in the index. A condition that term constructors have simplified to false is only listed; every
//! simplification on the way becomes a condition too: that an operator's application and the simplified term differ. So the
//! only thing left to trust is that these are the right conditions.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::opinion::difference;
use super::query::assertions;
use crate::lowered::Lowered;
use crate::lowered::call_strings::{CallStrings, Node};
use crate::queries::limits::{
    MAXIMUM_INDEX_FORMULA_LENGTH, MAXIMUM_RECORDED_BYTES, SIMPLIFICATIONS_PER_FILE,
};
use crate::walk::Walk;
use regatta_program::graph::callee;
use regatta_program::{Program, Span};
use regatta_term::{Op, Pool, Recorded, Sort, TermId, smtlib_script, store, to_smtlib};

/// Where the conditions are to be written, and the header of their index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    /// A folder that exists, and is empty.
    pub folder: PathBuf,
    /// The first lines of the index.
    pub header: String,
}

/// Numbers of the files written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Verification conditions for a solver.
    pub conditions: usize,
    /// Conditions that term constructors have decided.
    pub decided: usize,
    /// Files about simplifications.
    pub simplifications: usize,
}

/// The statement of a condition, which has to be unsatisfiable.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A formula, over the program as lowered, does not hold at the node.
    Violates(TermId),
    /// The property is violated at the node.
    Target,
    /// Execution is at the node.
    Reached,
}

/// The meaning of a condition.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub what: What,
    /// Where execution is.
    pub at: Node,
    pub begin: Begin,
}

/// The start of a walk.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Begin {
    /// The cut point at which the walk began, in any state that satisfies its formulas; `None` for the program's entry.
    pub from: Option<Node>,
    /// Number of segments since then.
    pub segments: u32,
}

/// The meanings of a walk's conditions.
pub(crate) type Labels = FxHashMap<TermId, Vec<Label>>;

/// A line of the index.
enum Line {
    Section(String),
    File { name: String, text: String },
    Decided(String),
}

/// Writes verification conditions.
pub(crate) struct Recorder {
    folder: PathBuf,
    header: String,
    lines: Vec<Line>,
    /// Over-approximations of the proof.
    notes: BTreeSet<String>,
    written: Written,
    /// Number of files so far.
    files: usize,
    bytes: u64,
    failure: Option<String>,
}

impl Recorder {
    pub fn new(destination: &Destination) -> Self {
        Self {
            folder: destination.folder.clone(),
            header: destination.header.clone(),
            lines: Vec::new(),
            notes: BTreeSet::new(),
            written: Written::default(),
            files: 0,
            bytes: 0,
            failure: None,
        }
    }

    /// Begins a part of the proof in the index.
    pub fn section(&mut self, text: String) {
        self.lines.push(Line::Section(text));
    }

    /// Notes an over-approximation of the proof.
    pub fn note(&mut self, text: String) {
        self.notes.insert(text);
    }

    /// Returns a mark for [`Self::forget`].
    pub fn mark(&self) -> usize {
        self.lines.len()
    }

    /// Removes everything recorded since the mark, after a failed attempt.
    pub fn forget(&mut self, mark: usize) {
        for line in self.lines.drain(mark..) {
            if let Line::File { name, .. } = line {
                self.files -= 1;
                // A superfluous file does no harm.
                let _ = std::fs::remove_file(self.folder.join(name));
            }
        }
    }

    /// Records that none of the walk's conditions can hold.
    pub fn impossible(&mut self, walk: &Walk<'_, '_>, conditions: &[TermId]) {
        for &condition in conditions {
            if condition != TermId::FALSE {
                let labels = walk.take_labels(condition);
                let (all, _) = assertions(walk, &[condition]);
                let script = smtlib_script(&*walk.arena, &all);
                let texts: Vec<String> = labels
                    .iter()
                    .map(|label| describe(walk.lowered(), walk.stacks, label))
                    .collect();
                let text = match texts.is_empty() {
                    true => "a condition of the search for paths".to_owned(),
                    false => texts.join("; and "),
                };
                self.file("condition", &script, text);
            }
        }
        for label in walk.take_labels(TermId::FALSE) {
            let text = describe(walk.lowered(), walk.stacks, &label);
            self.lines.push(Line::Decided(text));
        }
        self.simplifications(walk);
    }

    /// Records that an edge is not taken, since formulas over the program as lowered exclude its condition.
    pub fn not_taken(
        &mut self,
        lowered: &Lowered<'_>,
        stacks: &CallStrings,
        (node, target): (Node, Node),
        assertions: &[TermId],
    ) {
        let text = format!(
            "with what is known at {}, the edge from there to {} is not taken",
            place(lowered.program, stacks, node),
            place(lowered.program, stacks, target)
        );
        let is_there = self.lines.iter().any(|line| match line {
            Line::File { text: other, .. } => *other == text,
            Line::Section(_) | Line::Decided(_) => false,
        });
        if !is_there {
            self.file("condition", &smtlib_script(store(), assertions), text);
        }
    }

    fn simplifications(&mut self, walk: &Walk<'_, '_>) {
        let arena = &*walk.arena;
        let recorded: Vec<Recorded> = arena.take_recorded();
        for group in recorded.chunks(SIMPLIFICATIONS_PER_FILE) {
            let differences: Vec<TermId> = group.iter().map(|one| difference(arena, one)).collect();
            let any = match differences[..] {
                [one] => one,
                _ => arena.intern(Op::Or, Sort::Bool, &differences),
            };
            let script = smtlib_script(arena, &[any]);
            let text = format!("{} simplifications", group.len());
            self.file("simplification", &script, text);
        }
        // The differences themselves are not part of the proof.
        arena.take_recorded();
    }

    fn file(&mut self, kind: &str, script: &str, text: String) {
        if self.failure.is_some() {
            return;
        }
        self.files += 1;
        let name = format!("{:05}-{kind}.smt2", self.files);
        let comment = text.replace('\n', " ");
        let whole = format!(
            "; {comment}\n; To be unsatisfiable.\n(set-info :status unsat)\n(set-logic ALL)\n{script}(check-sat)\n(exit)\n"
        );
        self.bytes += whole.len() as u64;
        if self.bytes > MAXIMUM_RECORDED_BYTES {
            self.failure = Some("it would be too large".to_owned());
            return;
        }
        if let Err(error) = std::fs::write(self.folder.join(&name), whole) {
            self.failure = Some(error.to_string());
            return;
        }
        self.lines.push(Line::File { name, text });
    }

    /// Writes the index.
    ///
    /// # Errors
    /// When something could not be written.
    pub fn finish(mut self) -> Result<Written, String> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let mut text = self.header;
        text.push_str(EXPLANATION);
        text.push_str("\nWhat the proof passes over\n");
        if self.notes.is_empty() {
            text.push_str("  nothing\n");
        }
        for note in &self.notes {
            let _ = writeln!(text, "  {note}");
        }
        for line in &self.lines {
            let _ = match line {
                Line::Section(title) => writeln!(text, "\n{title}"),
                Line::File { name, text: what } => {
                    match name.contains("simplification") {
                        true => self.written.simplifications += 1,
                        false => self.written.conditions += 1,
                    }
                    writeln!(text, "  {name}: {what}")
                }
                Line::Decided(what) => {
                    self.written.decided += 1;
                    writeln!(text, "  decided by simplification: {what}")
                }
            };
        }
        let Written {
            conditions,
            decided,
            simplifications,
        } = self.written;
        let _ = writeln!(
            text,
            "\n{conditions} conditions in files, {decided} decided by simplification, {simplifications} files of simplifications"
        );
        let index = Path::new(INDEX);
        std::fs::write(self.folder.join(index), text).map_err(|error| error.to_string())?;
        Ok(self.written)
    }
}

/// Name of the index file.
pub const INDEX: &str = "index.txt";

/// Explanation of the files in the index.
const EXPLANATION: &str = "
Each .smt2 file is to be unsatisfiable. If all are, the program has no run that violates the property, provided that
these are the conditions of the program as the front end has read it:

* A condition says of the paths from one place to the next that something is wrong at their end. Places are the program's
  entry and points that every loop passes; from each place that is reached from another one, all paths to the next
  places are followed, through calls (a place is one for each string of calls). `From the entry' means from a state of
  which nothing is known but what the program itself does; `from' another place, from any state in which what is claimed
  of the place holds (the facts and batches that the part of the proof names).
* By induction on the number of places that a run has passed, what is claimed of places then holds there, and no target
  (a violation of the property, or something in the program that is not modelled) is reached.
* A condition that is `decided by simplification' was made false while it was put together, and so is every path that ends
  without a condition: what was simplified on the way is in the files with that name, each of which says that the
  application of an operator differs from what was made of it. What was simplified when the C program was read is not
  there; the option --check thorough asks about that.
* Functions from which no target can be reached any more, by the graph of calls and edges alone, are not followed.
";

/// A condition in words.
fn describe(lowered: &Lowered<'_>, stacks: &CallStrings, label: &Label) -> String {
    let program = lowered.program;
    let at = place(program, stacks, label.at);
    let steps = label.begin.segments;
    let from = match (label.begin.from, steps) {
        (None, 0) => "at the entry".to_owned(),
        (None, _) => format!("from the entry, step {steps}"),
        (Some(from), 0) => format!("at {}", place(program, stacks, from)),
        (Some(from), 1) => format!("step from {}", place(program, stacks, from)),
        (Some(from), _) => format!("from {}, step {steps}", place(program, stacks, from)),
    };
    match label.what {
        What::Violates(formula) => {
            let mut text = to_smtlib(store(), formula).replace('\n', " ");
            if text.len() > MAXIMUM_INDEX_FORMULA_LENGTH {
                let end = (0..=MAXIMUM_INDEX_FORMULA_LENGTH)
                    .rev()
                    .find(|&end| text.is_char_boundary(end));
                text.truncate(end.unwrap_or(0));
                text.push_str(" ...");
            }
            format!("{from}: at {at} holds {text}")
        }
        What::Target => format!("{from}: the property is not violated at {at}"),
        What::Reached => format!("{from}: execution is not at {at}"),
    }
}

/// A place in words.
pub(crate) fn place(program: &Program, stacks: &CallStrings, node: Node) -> String {
    let location = program.location(node.location);
    let function = &program.function(location.function).name;
    let mut text = format!(
        "{} ({function}, L{})",
        program.sources.describe(location.span),
        node.location.0
    );
    let mut stack = node.stack;
    while let Some((rest, call)) = stacks.pop(stack) {
        let edge = program.edge(call);
        // The call of `main` is not in the source.
        if callee(edge).is_some() && edge.span != Span::NONE {
            let _ = write!(text, " called at {}", program.sources.describe(edge.span));
        }
        stack = rest;
    }
    text
}
