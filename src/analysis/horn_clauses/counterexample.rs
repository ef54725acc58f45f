//! Conversion of a refutation to a concrete run.

use std::sync::Arc;

use crate::analysis::unrolling::base_case::{BaseCase, BaseCases};
use crate::analysis::unrolling::{Start, Unrolling};
use crate::analysis::{Answer, Context, SolverFactory};
use crate::program::block::Blocks;
use crate::solver::SolverError;

/// Searches for a path to a target, given that one exists.
///
/// # Errors
/// When there is no solver.
pub fn concrete(
    blocks: &Arc<Blocks>,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    search_with(blocks, solver, context, |base, context| {
        Some(base.search(u32::MAX, context)?.1)
    })
}

/// Searches for a path to a target, given that one with this number of steps between cut points exists.
///
/// # Errors
/// When there is no solver.
pub fn of_length(
    length: u32,
    blocks: &Arc<Blocks>,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    search_with(blocks, solver, context, |base, context| {
        Some(base.check(length, context))
    })
}

fn search_with(
    blocks: &Arc<Blocks>,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
    look: impl FnOnce(&mut BaseCases, &mut Context<'_>) -> Option<BaseCase>,
) -> Result<Answer, SolverError> {
    let unrolling = Unrolling::new(blocks, Start::Entry, context.solver(solver)?);
    let mut base = BaseCases::new(unrolling);
    if let Some(BaseCase::Violated(violation)) = look(&mut base, context) {
        return Ok(Answer::Unsafe(violation));
    }
    let reason = base.left_aside();
    let reason = reason.unwrap_or("the refutation was not confirmed");
    Ok(Answer::Unknown(reason.to_owned()))
}
