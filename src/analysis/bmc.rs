//! Bounded model checking (Biere, Cimatti, Clarke and Zhu, TACAS 1999), as paper 000, section 4.1, configures it: the
//! Predicate CPA with blk^never under the Loop-Bound CPA, and Algorithm 3 without its lines 15 to 23.
//!
//! It finds violations within the bound, and proves programs whose executions all end within it (forward condition).

use std::sync::Arc;

use super::options::options;
use super::unrolling::base_case::{BaseCase, BaseCases};
use super::unrolling::{Start, Unrolling};
use super::{Answer, Context, Progress, SolverFactory};
use crate::certify::certificate::{Certificate, ProofStep};
use crate::program::block::Blocks;

options! {
    /// Options of bounded model checking.
    pub struct Options {
        /// The largest bound, in steps between cut points.
        pub max_bound: u32 = u32::MAX;
    }
}

/// Runs bounded model checking.
pub fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Answer {
    let solver = match solver() {
        Ok(solver) => solver,
        Err(error) => return Answer::Unknown(error.to_string()),
    };
    context.token.interrupts(solver.interrupter());
    let unrolling = Unrolling::new(blocks, Start::Entry, solver);
    let mut base = BaseCases::new(unrolling).with_last_steps();
    let mut bound = 0;
    while bound < options.max_bound {
        bound += 1;
        context.safe_point();
        (context.report)(Progress::Bound { bound });
        match base.check(bound, context) {
            BaseCase::Violated(violation) => return Answer::Unsafe(violation),
            BaseCase::Complete => {
                return Answer::Safe(Certificate {
                    steps: vec![ProofStep::Unrolling { bound }],
                });
            }
            BaseCase::Open | BaseCase::Unfinished => {}
            BaseCase::Stopped => {
                let reason = base.left_aside().unwrap_or("stopped");
                return Answer::Unknown(reason.to_owned());
            }
        }
    }
    Answer::Unknown("the largest bound is reached".to_owned())
}
