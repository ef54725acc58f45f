//! All runs of a program with a tiny input space.
//!
//! A program that asks only for Booleans and the like has finitely many runs, if each of them ends. They are
//! enumerated in lexicographic order of their inputs: a run on a prefix shows how far the choices go on.

use crate::program::interpreter::{
    Executable, InputSource, Limits, Machine, Outcome, RecordingInputs,
};
use crate::program::{Input, InputId, InputKind};
use crate::term::{Sort, Value};

use super::Confirm;
use super::source::value_of;

/// The most values that a single input may have.
const CHOICES: u64 = 16;

/// How many values an input has, if they are few.
fn domain(input: &Input) -> Option<u64> {
    if !matches!(input.kind, InputKind::Nondet(_) | InputKind::MemoryModel) {
        return None;
    }
    match input.sort {
        Sort::Bool => Some(2),
        Sort::BitVec(width) if 1 << width.min(63) <= CHOICES => Some(1 << width),
        _ => None,
    }
}

/// Gives the choices of a prefix, then zeros; refuses inputs with many values.
#[derive(Default)]
struct Choices {
    /// Each choice with the number of its alternatives.
    taken: Vec<(u64, u64)>,
    position: usize,
}

impl InputSource for Choices {
    fn next(&mut self, _: InputId, input: &Input) -> Option<Value> {
        let domain = domain(input)?;
        if self.position == self.taken.len() {
            self.taken.push((0, domain));
        }
        let choice = self.taken[self.position].0;
        self.position += 1;
        Some(value_of(input.sort, choice.into()))
    }
}

impl Choices {
    /// Goes on to the next run's choices; false if this was the last run.
    fn advance(&mut self) -> bool {
        self.taken.truncate(self.position);
        self.position = 0;
        while let Some((choice, domain)) = self.taken.pop() {
            if choice + 1 < domain {
                self.taken.push((choice + 1, domain));
                return true;
            }
        }
        false
    }
}

/// What the enumeration has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Enumeration {
    /// All runs end well.
    Complete {
        /// How many there are.
        runs: u64,
        /// Steps of the longest.
        longest: u64,
        /// Steps of all.
        steps: u64,
    },
    /// A run was not confirmed.
    Rejected {
        /// Steps spent on it.
        steps: u64,
        /// Why.
        reason: String,
    },
    /// It cannot be decided in this way.
    GivenUp {
        /// Steps spent on it.
        steps: u64,
    },
}

/// Runs the program on all inputs, if there are at most so many runs and steps. The program's edges must exclude one
/// another, or else there are runs that no input selects.
pub(super) fn enumerate(
    executable: &Executable,
    limits: Limits<'_>,
    runs_limit: u64,
    confirm: &mut dyn Confirm,
) -> Enumeration {
    let mut machine = Machine::new(executable);
    let mut choices = Choices::default();
    let (mut runs, mut longest, mut steps) = (0, 0, 0);
    let mut journals = Vec::new();
    loop {
        let left = Limits {
            steps: limits.steps.saturating_sub(steps),
            ..limits
        };
        let mut recording = RecordingInputs::new(&mut choices);
        let report = machine.run(&mut recording, left);
        journals.push((recording.into_journal(), report.steps));
        runs += 1;
        steps += report.steps;
        longest = longest.max(report.steps);
        let ended = matches!(
            report.outcome,
            Outcome::Ended { .. } | Outcome::Blocked { .. }
        );
        if !ended || !report.is_faithful() {
            return Enumeration::GivenUp { steps };
        }
        if !choices.advance() {
            // Only now is it worth the replays.
            let refuted = journals
                .iter()
                .find_map(|(journal, steps)| confirm.quiet_run(journal, *steps).err());
            if let Some(reason) = refuted {
                return Enumeration::Rejected { steps, reason };
            }
            return Enumeration::Complete {
                runs,
                longest,
                steps,
            };
        }
        if runs >= runs_limit {
            return Enumeration::GivenUp { steps };
        }
    }
}
