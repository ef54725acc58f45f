//! Queries about the last steps of a path alone.
//!
//! That a target is not reached at a bound often follows from the last steps of the path alone, for it has passed their
//! error checks. A solver with the whole path searches all of it. So a query about the last steps goes first.

use std::time::{Duration, Instant};

use super::Unrolling;
use super::schedule::{Schedule, Share};
use regatta_solver::question::{Question, TextSolvers};
use regatta_solver::z3::text::TextAnswer;
use regatta_term::TermId;

/// The number of steps in a query: the errors excluded in the last step but one help to exclude those in the last.
const STEPS_IN_QUERY: u32 = 2;

/// The share of the time of queries that exclude nothing.
const FRUITLESS_QUERIES_SHARE: Share = Share {
    of_time: 0.3,
    at_least: Duration::from_millis(400),
};

/// The queries. They do not go to an incremental solver: they have little in common, and what it learns from one slows
/// down the next.
pub(super) struct LastSteps {
    solver: TextSolvers,
    check_time: Duration,
    schedule: Schedule,
}

impl LastSteps {
    pub fn new() -> Self {
        Self {
            solver: TextSolvers::default(),
            check_time: Duration::ZERO,
            schedule: Schedule::new(FRUITLESS_QUERIES_SHARE),
        }
    }

    /// The wall time of the checks.
    pub fn check_time(&self) -> Duration {
        self.check_time
    }

    /// Checks whether the last steps up to the bound show that the formula does not hold.
    pub fn exclude(&mut self, unrolling: &Unrolling, formula: TermId) -> bool {
        if !self.schedule.begin(unrolling.bound()) {
            return false;
        }
        let all = unrolling.about_last_steps(formula, STEPS_IN_QUERY);
        let question = Question::new(&**unrolling.arena(), &all);
        let begin = Instant::now();
        let answer = self.solver.check(&question, &[], self.schedule.allowance());
        self.check_time += begin.elapsed();
        let excluded = answer == TextAnswer::Unsatisfiable;
        if !excluded {
            self.schedule.end(unrolling.bound());
        }
        excluded
    }
}
