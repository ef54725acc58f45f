//! Questions about the last steps of a path alone.
//!
//! That a target is not reached at a bound often follows from what the path has just done, its errors among that. A
//! solver that knows the whole path wanders through it all the same; so the last steps are asked about first, in any
//! state before them. What they exclude is excluded.

use std::time::{Duration, Instant};

use super::Unrolling;
use super::schedule::{Schedule, Share};
use crate::solver::question::{Question, Respondents};
use crate::solver::z3::text::TextAnswer;
use crate::term::TermId;

/// How many steps are looked at: what was excluded in the last but one helps to exclude it in the last.
const STEPS: u32 = 2;

/// What questions may take that exclude nothing.
const IN_VAIN: Share = Share {
    of_time: 0.3,
    at_least: Duration::from_millis(400),
};

/// The questions. They have little in common, and what one would leave in an incremental solver is in the way of the next.
pub(super) struct LastSteps {
    solver: Respondents,
    check_time: Duration,
    schedule: Schedule,
}

impl LastSteps {
    pub fn new() -> Self {
        Self {
            solver: Respondents::default(),
            check_time: Duration::ZERO,
            schedule: Schedule::new(IN_VAIN),
        }
    }

    /// Wall time in checks.
    pub fn check_time(&self) -> Duration {
        self.check_time
    }

    /// Whether the last steps up to the bound show that the formula does not hold.
    pub fn exclude(&mut self, unrolling: &Unrolling, formula: TermId) -> bool {
        if !self.schedule.begin(unrolling.bound()) {
            return false;
        }
        let all = unrolling.about_last_steps(formula, STEPS);
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
