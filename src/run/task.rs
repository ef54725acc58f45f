//! The verification task as data: the program with its property, in the forms in which the parts of a run have it.

use std::time::{Duration, Instant};

use crate::options::TaskOptions;
use regatta_certify::passed_over;
use regatta_program::interpreter::Executable;
use regatta_program::simplify::{Simplified, unsimplified};
use regatta_program::{LocationId, Program, Target, TargetId, TargetSet};

/// A verification task.
pub(crate) struct Task {
    pub options: TaskOptions,
    /// The program as lowered, by which answers are judged.
    pub lowered: Program,
    /// The same program, to be run until no target can be reached any more.
    pub executable: Executable,
    /// The program as lowered without what a loose slice has left out, if the slice is loose.
    pub passed: Option<Program>,
    /// The program to analyse.
    pub simplified: Simplified,
    pub time: TimeLimit,
    /// The checks that the question is about, if it is not about all.
    pub scope: Option<Scope>,
}

/// The checks that a question is about: the errors of the task's program.
#[derive(Clone)]
pub(crate) struct Scope {
    pub asked: TargetSet,
    /// All targets of the program as lowered, of which the task has a restriction.
    pub targets: Vec<Target>,
}

impl Scope {
    /// Returns the target whose violation ends there, as a set.
    pub fn at(&self, error: LocationId) -> TargetSet {
        let numbered = self.targets.iter().zip(0..);
        let found = numbered.filter(|(target, _)| target.location == error);
        found.map(|(_, number)| TargetId(number)).collect()
    }
}

impl Task {
    /// Makes the task of a program that is not simplified.
    pub fn new(options: &TaskOptions, time: TimeLimit, lowered: Program) -> Self {
        let simplified = unsimplified(&lowered);
        Self::with_simplified(options, time, lowered, simplified)
    }

    /// Makes the task of a program and what it was simplified to.
    pub fn with_simplified(
        options: &TaskOptions,
        time: TimeLimit,
        lowered: Program,
        simplified: Simplified,
    ) -> Self {
        Self {
            options: options.clone(),
            executable: Executable::compile_to_targets(&lowered),
            passed: passed_over(&lowered, &simplified),
            simplified,
            lowered,
            time,
            scope: None,
        }
    }

    /// Returns the location of the program as lowered that this location of the program to analyse is an image of.
    pub fn as_lowered(&self, location: LocationId) -> LocationId {
        self.simplified.origins[location.index()].location
    }

    /// Returns the remaining wall time, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        let limit = self.time.limit?;
        Some(limit.saturating_sub(self.time.started.elapsed()))
    }

    /// Returns the remaining wall time for the check of an answer, for which the run waits longer, if it is limited.
    pub fn time_left_for_check(&self) -> Option<Duration> {
        let limit = self.time.limit?;
        let limit = self
            .time
            .checked
            .map_or(limit, |checked| checked.max(limit));
        Some(limit.saturating_sub(self.time.started.elapsed()))
    }
}

/// The limit of wall time of a run, and when the run started.
#[derive(Copy, Clone, Debug)]
pub(crate) struct TimeLimit {
    pub started: Instant,
    pub limit: Option<Duration>,
    /// The limit while an answer is being checked, if that is later.
    pub checked: Option<Duration>,
    /// When this process began to read the program.
    pub began: Instant,
}
