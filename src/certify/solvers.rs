//! The solvers of a check.

use super::opinion::Second;
use crate::solver::z3::text::TextSolver;

/// Who answers.
#[derive(Default)]
pub(super) struct Solvers {
    /// The solver.
    pub first: TextSolver,
    /// Asks again about what was found to be impossible.
    pub second: Option<Second>,
}
