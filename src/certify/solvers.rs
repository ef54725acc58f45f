//! The solvers of a check.

use super::opinion::Second;
use super::record::Recorder;
use regatta_base::workers::Workers;
use regatta_solver::question::Respondents;

/// Who answers.
pub(super) struct Solvers {
    /// The solvers.
    pub first: Respondents,
    /// Who asks parts of a question beside it.
    pub workers: Workers,
    /// Asks again about what was found to be impossible.
    pub second: Option<Second>,
    /// Writes what was found to be impossible.
    pub recorder: Option<Recorder>,
}

impl Solvers {
    pub fn new(workers: Workers) -> Self {
        Self {
            first: Respondents::default(),
            workers,
            second: None,
            recorder: None,
        }
    }
}
