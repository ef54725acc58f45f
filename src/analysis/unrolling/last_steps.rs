//! Questions about the last steps of a path alone.
//!
//! That a target is not reached at a bound often follows from what the path has just done, its errors among that. A
//! solver that knows the whole path wanders through it all the same; so the last steps are asked about first, in any
//! state before them. What they exclude is excluded.

use std::sync::Arc;
use std::time::Duration;

use super::Unrolling;
use super::schedule::{Schedule, Share};
use crate::solver::{Answer, CheckLimit, Interrupt, Solver};
use crate::term::{TermId, transfer};

/// How many steps are looked at: what was excluded in the last but one helps to exclude it in the last.
const STEPS: u32 = 2;

/// What questions may take that exclude nothing.
const IN_VAIN: Share = Share {
    of_time: 0.3,
    at_least: Duration::from_millis(400),
};

/// The questions, with a solver of their own.
pub(super) struct LastSteps {
    solver: Box<dyn Solver>,
    schedule: Schedule,
}

impl LastSteps {
    pub fn new(solver: Box<dyn Solver>) -> Self {
        Self {
            solver,
            schedule: Schedule::new(IN_VAIN),
        }
    }

    pub fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.solver.interrupter()
    }

    pub fn check_time(&self) -> Duration {
        self.solver.statistics().check_time
    }

    /// Whether the last steps up to the bound show that the formula does not hold.
    pub fn exclude(&mut self, unrolling: &Unrolling, formula: TermId) -> bool {
        if !self.schedule.begin(unrolling.bound()) {
            return false;
        }
        let arena = self.solver.arena().clone();
        let all = unrolling.about_last_steps(formula, STEPS).into_iter();
        let all = all.map(|one| transfer(&**unrolling.arena(), &*arena, one));
        self.solver.set_limit(CheckLimit {
            time: Some(self.schedule.allowance()),
            resource: None,
        });
        self.solver.push();
        all.for_each(|one| self.solver.assert(one));
        let excluded = self.solver.check(&[]) == Answer::Unsatisfiable;
        self.solver.pop();
        if !excluded {
            self.schedule.end(unrolling.bound());
        }
        excluded
    }
}
