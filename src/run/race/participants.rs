//! The analyses of a race, and the order in which they start.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use super::prover_thread::PROVER;
use crate::config::opening::{Opening, Turn};
use crate::config::{Analysis, Role, Switch};
use crate::options::RaceOptions;
use crate::task::Task;
use regatta_program::features::Features;

/// The engine that excludes targets one by one in little time, and the length of its first turn: the time for any number of
/// targets, for each of them, and the maximum. It is to hand in what is easy before the turn ends, since the next one comes after
/// those of all others.
const TARGETS_ENGINE: &str = "k_induction";
const TARGETS_TIME: Duration = Duration::from_millis(350);
const TARGETS_TIME_EACH: Duration = Duration::from_millis(5);
const MAXIMUM_TARGETS_TIME: Duration = Duration::from_secs(60);

/// The analyses that take part in a race.
pub(crate) struct Participants<'o> {
    /// The analyses, each with its number in the portfolio.
    pub analyses: Vec<(u32, Analysis)>,
    /// The first turns of some of them.
    pub opening: Cow<'o, [Turn]>,
    /// Whether the prover of invariants runs beside them.
    pub has_prover: bool,
    /// Whether it looks which targets the invariants exclude.
    pub has_closing_check: bool,
}

impl<'o> Participants<'o> {
    /// Returns those for a task with the features; the excluded ones, by their names, take no part.
    pub fn new(
        options: &'o RaceOptions,
        task: &Task,
        features: &Features,
        excluded: &[String],
    ) -> Self {
        let takes_part = |name: &str| !excluded.iter().any(|excluded| excluded == name);
        let portfolio = &options.portfolio;
        let general = &portfolio.general;
        let analyses = (0..).zip(portfolio.analyses.iter().cloned());
        // With a witness, its invariants are proved first, by the prover, which has no turns in openings.
        let is_followed = general.openings == Switch::On && task.options.validation.is_none();
        let has_prover =
            takes_part(PROVER) && general.sharing == Switch::On && general.prover == Switch::On;
        Self {
            analyses: analyses
                .filter(|(_, analysis)| takes_part(analysis.name()))
                .collect(),
            opening: match portfolio.opening(features) {
                Some(opening) if is_followed => with_targets(opening, options, task),
                _ => Cow::default(),
            },
            has_prover,
            has_closing_check: has_prover && general.closing_check == Switch::On,
        }
    }
}

/// Returns the turns of the opening. Where several targets are to be decided each by itself, a turn comes first of the analysis that
/// excludes those for which one step is enough.
fn with_targets<'o>(opening: &'o Opening, options: &RaceOptions, task: &Task) -> Cow<'o, [Turn]> {
    let count = task.simplified.program.errors.len();
    let all = options.portfolio.analyses.iter();
    let mut able = all.filter(|analysis| {
        analysis.engine.registration().name == TARGETS_ENGINE
            && analysis.common.role == Role::Prover
    });
    match able.next() {
        Some(analysis) if task.scope.is_some() && count > 1 => {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            let time = TARGETS_TIME + TARGETS_TIME_EACH.saturating_mul(count);
            let first = Turn {
                analysis: analysis.name().to_owned(),
                time: time.min(MAXIMUM_TARGETS_TIME),
            };
            let turns = std::iter::once(first).chain(opening.turns.iter().cloned());
            Cow::Owned(turns.collect())
        }
        _ => Cow::Borrowed(&opening.turns),
    }
}

/// The analyses that have not started and those that have not ended.
pub(super) struct StartQueue {
    waiting: Vec<(u32, Analysis)>,
    running: Vec<(String, Role)>,
    /// Whether the prover may answer, and has not ended.
    may_close: bool,
    /// Whether engines with solvers do not start yet.
    solverless_only: bool,
    head_start: Instant,
}

impl StartQueue {
    /// Makes the queue of analyses none of which has started.
    pub fn new(participants: Participants<'_>, head_start: Instant) -> Self {
        Self {
            waiting: participants.analyses,
            running: Vec::new(),
            may_close: participants.has_closing_check,
            // An opening replaces the head start of the engines without solvers.
            solverless_only: participants.opening.is_empty(),
            head_start,
        }
    }

    /// Returns the end of the head start of the engines without solvers, while it lasts.
    pub fn head_start(&self) -> Option<Instant> {
        self.solverless_only.then_some(self.head_start)
    }

    /// Notes that the analysis, or the prover, has ended.
    pub fn ended(&mut self, name: &str) {
        self.may_close &= name != PROVER;
        self.running.retain(|running| running.0 != name);
    }

    /// Checks whether no analysis is left.
    pub fn is_empty(&self) -> bool {
        self.running.is_empty() && self.waiting.is_empty()
    }

    /// Checks whether an analysis, or the prover, is left that may answer.
    pub fn can_answer(&self) -> bool {
        let waiting = self
            .waiting
            .iter()
            .map(|(_, analysis)| analysis.common.role);
        let mut roles = self.running.iter().map(|running| running.1).chain(waiting);
        self.may_close || !self.running.is_empty() && roles.any(|role| role == Role::Prover)
    }

    /// Takes out the next analysis that can start now, and notes that it runs.
    pub fn start_next(&mut self) -> Option<(u32, Analysis)> {
        let next = self.next()?;
        let common = &next.1.common;
        self.running.push((common.name.clone(), common.role));
        Some(next)
    }

    fn next(&mut self) -> Option<(u32, Analysis)> {
        if let Some(ready) = self.ready(false) {
            return Some(ready);
        }
        self.solverless_only &= !self.running.is_empty() && Instant::now() < self.head_start;
        match self.solverless_only {
            true => None,
            false => self.ready(true),
        }
    }

    /// Takes out an analysis, with or without a solver as given, that need not wait for another.
    fn ready(&mut self, has_solver: bool) -> Option<(u32, Analysis)> {
        let is_open = |name: &String| {
            self.running.iter().any(|running| running.0 == *name)
                || self.waiting.iter().any(|(_, other)| other.name() == name)
        };
        let index = self.waiting.iter().position(|(_, analysis)| {
            analysis.has_solver() == has_solver && !is_open(&analysis.common.after)
        })?;
        Some(self.waiting.remove(index))
    }
}
