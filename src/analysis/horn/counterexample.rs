//! A refutation made concrete.

use std::sync::Arc;

use crate::analysis::unrolling::base_case::{BaseCase, BaseCases};
use crate::analysis::unrolling::{Start, Unrolling};
use crate::analysis::{Answer, Context, Progress, SolverFactory};
use crate::program::block::Blocks;

/// Looks for a path to a target, of which it is known that there is one.
pub fn concrete(
    blocks: &Arc<Blocks>,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Answer {
    let solver = match solver() {
        Ok(solver) => solver,
        Err(error) => return Answer::Unknown(error.to_string()),
    };
    context.token.interrupts(solver.interrupter());
    let mut base = BaseCases::new(Unrolling::new(blocks, Start::Entry, solver));
    for bound in 1.. {
        context.safe_point();
        (context.report)(Progress::Bound { bound });
        match base.check(bound, context) {
            BaseCase::Violated(violation) => return Answer::Unsafe(violation),
            BaseCase::Open | BaseCase::Unfinished => {}
            BaseCase::Complete | BaseCase::Stopped => break,
        }
    }
    let reason = base
        .left_aside()
        .unwrap_or("the refutation was not confirmed");
    Answer::Unknown(reason.to_owned())
}
