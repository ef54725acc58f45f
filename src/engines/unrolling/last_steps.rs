//! Queries about the last steps of a path alone.
//!
//! That a target is not reached at a bound often follows from the last steps of the path alone, for it has passed their
//! error checks. A solver with the whole path searches all of it. So a query about the last steps goes first.
//!
//! The queries have little in common, and what an incremental solver learns from one may slow down the next. So they go to
//! text solvers, which begin anew each time, unless a solver is given.

use std::time::{Duration, Instant};

use super::Unrolling;
use super::schedule::{Schedule, Share};
use regatta_base::choice;
use regatta_solver::question::{Question, TextSolvers};
use regatta_solver::z3::text::TextAnswer;
use regatta_solver::{Answer, CheckLimit, Solver};
use regatta_term::{TermId, transfer};

/// The number of steps in a query: the errors excluded in the last step but one help to exclude those in the last.
const STEPS_IN_QUERY: u32 = 2;

/// The share of the time of queries that exclude nothing.
const FRUITLESS_QUERIES_SHARE: Share = Share {
    of_time: 0.3,
    at_least: Duration::from_millis(400),
};

/// Whether there are such queries, and which solver answers them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LastStepsBy {
    /// Bitwuzla and Z3 in turns, from text.
    Text,
    /// The solver of the analysis.
    Solver,
    /// There are none.
    None,
}
choice!(LastStepsBy: "text" = Self::Text, "solver" = Self::Solver, "none" = Self::None);

/// The queries.
pub(super) struct LastSteps {
    solver: LastStepsSolver,
    check_time: Duration,
    schedule: Schedule,
}

enum LastStepsSolver {
    Text(TextSolvers),
    Incremental(Box<dyn Solver>),
}

impl LastSteps {
    /// Creates it without queries so far; without a solver, the text solvers are asked.
    pub fn new(solver: Option<Box<dyn Solver>>) -> Self {
        let text = || LastStepsSolver::Text(TextSolvers::default());
        Self {
            solver: solver.map_or_else(text, LastStepsSolver::Incremental),
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
        let begin = Instant::now();
        let excluded = self.is_unsatisfiable(unrolling, &all);
        self.check_time += begin.elapsed();
        if !excluded {
            self.schedule.end(unrolling.bound());
        }
        excluded
    }

    fn is_unsatisfiable(&mut self, unrolling: &Unrolling, formulas: &[TermId]) -> bool {
        let time = self.schedule.allowance();
        match &mut self.solver {
            LastStepsSolver::Text(solvers) => {
                let question = Question::new(&**unrolling.arena(), formulas);
                solvers.check(&question, &[], time) == TextAnswer::Unsatisfiable
            }
            LastStepsSolver::Incremental(solver) => {
                let arena = solver.arena().clone();
                solver.push();
                for &formula in formulas {
                    solver.assert(transfer(&**unrolling.arena(), &*arena, formula));
                }
                solver.set_limit(CheckLimit {
                    time: Some(time),
                    resource: None,
                });
                let answer = solver.check(&[]);
                solver.pop();
                answer == Answer::Unsatisfiable
            }
        }
    }
}
