//! Bounded model checking (Biere, Cimatti, Clarke and Zhu, TACAS 1999), as paper 000, section 4.1, configures it: the
//! Predicate CPA with blk^never under the Loop-Bound CPA, and Algorithm 3 without its lines 15 to 23.
//!
//! It finds violations within the bound, and proves programs whose executions all end within it (forward condition).

use std::sync::Arc;

use super::options::options;
use super::unrolling::base_case::{BaseCase, BaseCases};
use super::unrolling::{Start, Unrolling};
use super::{Answer, Context, SolverFactory};
use crate::certify::certificate::{Certificate, ProofStep};
use crate::program::block::Blocks;
use crate::solver::SolverError;

options! {
    /// Options of bounded model checking.
    pub struct Options {
        /// The largest bound, in steps between cut points.
        pub max_bound: u32 = u32::MAX;
    }
}

/// Runs bounded model checking.
///
/// # Errors
/// When there is no solver.
pub fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let unrolling = Unrolling::new(blocks, Start::Entry, context.solver(solver)?);
    let mut base = BaseCases::new(unrolling).with_last_steps();
    Ok(match base.search(options.max_bound, context) {
        Some((_, BaseCase::Violated(violation))) => Answer::Unsafe(violation),
        Some((bound, BaseCase::Complete)) => Answer::Safe(Certificate {
            steps: vec![ProofStep::Unrolling { bound }],
        }),
        Some(_) => Answer::Unknown(base.left_aside().unwrap_or("stopped").to_owned()),
        None => Answer::Unknown("the largest bound is reached".to_owned()),
    })
}
