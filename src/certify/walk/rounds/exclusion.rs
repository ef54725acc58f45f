//! Guesses of unreachable rounds, for [`super`].
//!
//! There is a question for each round of each loop, on ever longer paths. An incremental solver answers them in a fraction of
//! the time that separate questions need. Since engines use the same solver, its answers are not trusted: everything that it
//! excludes is asked again at the end, in the checker's own way, like the guards of states that are cut off.

use std::rc::Rc;
use std::time::Duration;

use regatta_solver::sampled::{Extension, SampledSolver};
use regatta_solver::{Answer, Backend, CheckLimit, SolverConfig, new_solver};
use regatta_term::{Arena, Pool, TermId};

/// The solver that guesses.
pub(super) struct Exclusion(SampledSolver);

impl Exclusion {
    /// A solver over the arena; `None` if there is none, or if simplifications are recorded.
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

    /// Returns conditions of the path and the condition that the solver finds contradictory within the time, if the path itself
    /// is satisfiable; only if at most `maximum` conditions have to do with it.
    pub fn contradiction(
        &mut self,
        path: TermId,
        condition: TermId,
        most: Duration,
        maximum: usize,
    ) -> Option<Vec<TermId>> {
        match self.0.extension(path, condition, most, maximum) {
            Extension::Impossible(core) => Some(core),
            Extension::Possible | Extension::Open => None,
        }
    }

    /// Checks whether the solver finds the assertions unsatisfiable within the time.
    pub fn excludes(&mut self, assertions: &[TermId], most: Duration) -> bool {
        let limit = CheckLimit {
            resource: None,
            time: Some(most),
        };
        !self.0.is_sampled(assertions) && self.0.check(assertions, limit) == Answer::Unsatisfiable
    }
}
