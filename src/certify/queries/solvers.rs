//! The solvers of a check.

use super::opinion::Second;
use super::verification_conditions::Recorder;
use regatta_base::workers::Workers;
use regatta_solver::question::TextSolvers;

/// The solvers and recorders of a check.
pub(crate) struct Solvers {
    /// Answers the questions.
    pub first: TextSolvers,
    /// Threads that ask parts of a question in parallel.
    pub workers: Workers,
    /// Gives a second opinion on conditions that were found to be unsatisfiable.
    pub second: Option<Second>,
    /// Writes conditions that were found to be unsatisfiable.
    pub recorder: Option<Recorder>,
}

impl Solvers {
    pub fn new(workers: Workers) -> Self {
        Self {
            first: TextSolvers::default(),
            workers,
            second: None,
            recorder: None,
        }
    }
}
