//! The search for other violations after an alarm that was not confirmed.
//!
//! When replay does not confirm an engine's alarm (the run depends on the result of `sin`, or reads out of bounds on
//! its way), the engine can no longer prove the program, but there may be another violation. The engine leaves the
//! alarm aside and continues. Since a block has many paths, of which the solver's model shows only one, bounded model
//! checking examines all paths that are no longer than the alarm's.

use std::sync::Arc;

use super::base_case::{BaseCase, BaseCases};
use super::{Start, Unrolling};
use crate::analysis::{Context, SolverFactory};
use crate::certify::replay::Violation;
use crate::program::block::Blocks;
use crate::solver::SolverError;

/// The alarms that an engine has left aside.
#[derive(Default)]
pub struct LeftAside {
    reason: Option<String>,
    paths: Option<BaseCases>,
    /// The length up to which paths have been examined.
    examined: u32,
}

impl LeftAside {
    /// The reason why there can be no proof, if there is one.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Leaves an alarm aside whose path has `length` steps; returns a violation, if a path of at most that length shows
    /// one.
    ///
    /// # Errors
    /// When there is no solver.
    pub fn add(
        &mut self,
        reason: String,
        length: u32,
        blocks: &Arc<Blocks>,
        solver: &SolverFactory<'_>,
        context: &mut Context<'_>,
    ) -> Result<Option<Violation>, SolverError> {
        self.reason.get_or_insert(reason);
        let paths = match &mut self.paths {
            Some(paths) => paths,
            none => {
                let solver = context.solver(solver)?;
                let unrolling = Unrolling::new(blocks, Start::Entry, solver);
                none.insert(BaseCases::new(unrolling))
            }
        };
        while self.examined < length && !context.token.is_cancelled() {
            self.examined += 1;
            context.safe_point();
            if let BaseCase::Violated(violation) = paths.check(self.examined, context) {
                return Ok(Some(violation));
            }
        }
        Ok(None)
    }
}
