//! Guesses which rounds are not reached, for [`super::rounds`].
//!
//! There is a question for each round of each loop, on ever longer paths. An incremental solver answers them in a fraction of the time
//! that it takes to say each of them anew. It is one that engines use, so that its word counts for nothing: whatever it excludes is to be
//! impossible in the end, as what is cut off is, by the checker's own way to ask.

use std::rc::Rc;
use std::time::Duration;

use regatta_solver::sampled::SampledSolver;
use regatta_solver::{Answer, Backend, CheckLimit, SolverConfig, new_solver};
use regatta_term::{Arena, Pool, TermId};

/// The solver that guesses.
pub(super) struct Exclusion(SampledSolver);

impl Exclusion {
    /// Over the arena; `None` if there is no such solver, or where everything is to be told that is simplified.
    pub fn new(arena: &Rc<Arena>, merge: bool) -> Option<Self> {
        if arena.records() {
            return None;
        }
        let backends = [Backend::Yices2, Backend::Bitwuzla].into_iter();
        let mut solvers = backends.filter_map(|backend| {
            let config = SolverConfig {
                backend,
                ..SolverConfig::default()
            };
            new_solver(config, Rc::clone(arena)).ok()
        });
        let solver = SampledSolver::new(solvers.next()?, !merge);
        Some(Self(solver))
    }

    /// Whether the assertions seem to have no model, as far as that is found out in time.
    pub fn excludes(&mut self, assertions: &[TermId], most: Duration) -> bool {
        let limit = CheckLimit {
            resource: None,
            time: Some(most),
        };
        !self.0.is_sampled(assertions) && self.0.check(assertions, limit) == Answer::Unsatisfiable
    }
}
