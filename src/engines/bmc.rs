//! Bounded model checking (\[BCCZ99\]), as \[BDW18\], section 4.1, configures it: the
//! Predicate CPA with blk^never under the Loop-Bound CPA, and Algorithm 3 without its lines 15 to 23.
//!
//! It finds violations within the bound, and proves programs whose executions all end within it (forward condition). If
//! all paths end within the bound and a query about targets is hard, the check of the proof would ask the same query
//! for as long: so the check decides ([`Context::certifies`]), and the query is repeated only if it fails.

use std::sync::Arc;
use std::time::Duration;

use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::unrolling::base_case::{BaseCase, BaseCases};
use super::unrolling::{Start, Unrolling};
use super::{Answer, Context, Progress, SolverFactory};
use regatta_base::options;
use regatta_certify::certificate::{Certificate, ProofStep};
use regatta_program::block::Blocks;
use regatta_solver::SolverError;

/// Maximum wall time of a query before it is left to the check of the proof.
const MAXIMUM_TIME_BEFORE_PROOF_CHECK: Duration = Duration::from_secs(1);

options! {
    /// Options of bounded model checking.
    pub struct Options {
        /// The largest bound, in steps between cut points.
        pub max_bound: u32 = u32::MAX;
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "bmc",
            summary: "Bounded model checking with the forward condition.",
            has_solver: true,
            recursion: Recursion::Handled,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        run(subject.blocks, self, subject.solver, context).into()
    }
}

/// Runs bounded model checking.
///
/// # Errors
/// When there is no solver.
fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let unrolling = Unrolling::new(blocks, Start::Entry, context.solver(solver)?);
    let mut base = BaseCases::new(unrolling).with_last_steps();
    let mut certifies = context.certifies;
    base.set_limit(certifies.map(|_| MAXIMUM_TIME_BEFORE_PROOF_CHECK));
    let mut bound = 1;
    loop {
        context.safe_point();
        (context.report)(Progress::Bound { bound });
        let proof = || Certificate {
            steps: vec![ProofStep::Unrolling { bound }],
        };
        match base.check(bound, context) {
            BaseCase::Open if bound >= options.max_bound => break,
            BaseCase::Open => bound += 1,
            BaseCase::Violated(violation) => return Ok(Answer::Unsafe(violation)),
            BaseCase::Complete => return Ok(Answer::Safe(proof())),
            BaseCase::Stopped => {
                let reason = base.left_aside().unwrap_or("stopped").to_owned();
                return Ok(Answer::Unknown(reason));
            }
            // The same bound is checked again, without a limit of time.
            BaseCase::Unfinished => {
                base.set_limit(None::<Duration>);
                if let Some(certifies) = certifies.take()
                    && base.all_paths_end()
                    && certifies(&proof())
                {
                    return Ok(Answer::Safe(proof()));
                }
            }
        }
    }
    Ok(Answer::Unknown("the largest bound is reached".to_owned()))
}
