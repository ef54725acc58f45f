//! A refutation made concrete.

use std::sync::Arc;

use crate::analysis::unrolling::base_case::{BaseCase, BaseCases};
use crate::analysis::unrolling::{Start, Unrolling};
use crate::analysis::{Answer, Context, SolverFactory};
use crate::program::block::Blocks;
use crate::solver::SolverError;

/// Looks for a path to a target, of which it is known that there is one.
pub fn concrete(
    blocks: &Arc<Blocks>,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let unrolling = Unrolling::new(blocks, Start::Entry, context.solver(solver)?);
    let mut base = BaseCases::new(unrolling);
    if let Some((_, BaseCase::Violated(violation))) = base.search(u32::MAX, context) {
        return Ok(Answer::Unsafe(violation));
    }
    let reason = base
        .left_aside()
        .unwrap_or("the refutation was not confirmed");
    Ok(Answer::Unknown(reason.to_owned()))
}
