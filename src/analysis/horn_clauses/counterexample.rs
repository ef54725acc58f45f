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
    let found = base.search(u32::MAX, context).map(|(_, found)| found);
    Ok(answer(&base, found))
}

/// The same, where there is a path of so many steps between cut points.
pub fn of_length(
    length: u32,
    blocks: &Arc<Blocks>,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let unrolling = Unrolling::new(blocks, Start::Entry, context.solver(solver)?);
    let mut base = BaseCases::new(unrolling);
    let found = base.check(length, context);
    Ok(answer(&base, Some(found)))
}

fn answer(base: &BaseCases, found: Option<BaseCase>) -> Answer {
    if let Some(BaseCase::Violated(violation)) = found {
        return Answer::Unsafe(violation);
    }
    let reason = base
        .left_aside()
        .unwrap_or("the refutation was not confirmed");
    Answer::Unknown(reason.to_owned())
}
