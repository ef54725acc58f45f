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
use super::unrolling::last_steps::LastStepsBy;
use super::unrolling::schedule::{Frequency, bounds};
use super::unrolling::{Start, Unrolling};
use super::{Answer, Context, Progress, SolverFactory};
use regatta_base::options;
use regatta_certify::certificate::{Certificate, ProofStep};
use regatta_program::block::Blocks;
use regatta_solver::SolverError;

/// Maximum wall time of a query about targets each of which is decided by itself, at first. It is doubled when all that are
/// left take longer.
const TIME_BEFORE_LEFT_ASIDE: Duration = Duration::from_millis(500);

/// Maximum wall time of a query before it is left to the check of the proof.
const MAXIMUM_TIME_BEFORE_PROOF_CHECK: Duration = Duration::from_secs(1);

options! {
    /// Options of bounded model checking.
    pub struct Options {
        /// The largest bound, in steps between cut points.
        pub max_bound: u32 = u32::MAX;
        /// The first bound.
        pub start: u32 = 1, in 1..=u32::MAX;
        /// The number of steps by which the bound grows.
        pub increment: u32 = 1, in 1..=u32::MAX;
        /// When the forward condition is checked: at every bound, or at fewer where that takes too large a share of the time.
        pub forward_condition: Frequency = Frequency::WithinShare;
        /// Whether a query about the last steps of all paths to errors precedes the one about whole paths, and which solver
        /// answers it: Bitwuzla and Z3 in turns ("text"), or the `solver` of this analysis.
        pub last_steps: LastStepsBy = LastStepsBy::Text;
        /// Whether, in programs with floats, a query that takes longer than a second is left to the check of the proof if all
        /// paths end within the bound.
        pub proof_check: bool = true;
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
    let mut base = BaseCases::new(unrolling).with_forward_condition(options.forward_condition);
    base = match options.last_steps {
        LastStepsBy::Text => base.with_last_steps(None),
        LastStepsBy::Solver => base.with_last_steps(Some(context.solver(solver)?)),
        LastStepsBy::None => base,
    };
    let mut certifies = context.certifies.filter(|_| options.proof_check);
    let mut limit_apart = context.targets.map(|_| TIME_BEFORE_LEFT_ASIDE);
    base.set_limit(limit_apart.or(certifies.map(|_| MAXIMUM_TIME_BEFORE_PROOF_CHECK)));
    for bound in bounds(options.start, options.increment, options.max_bound) {
        let proof = || Certificate::of_all(vec![ProofStep::Unrolling { bound }]);
        loop {
            context.safe_point();
            (context.report)(Progress::Bound { bound });
            match base.check(bound, context) {
                BaseCase::Open => break,
                BaseCase::Violated(violation) => return Ok(Answer::Unsafe(violation)),
                BaseCase::Complete => return Ok(Answer::Safe(proof())),
                BaseCase::Stopped => {
                    let reason = base.left_aside().unwrap_or("stopped").to_owned();
                    return Ok(Answer::Unknown(reason));
                }
                // The same bound is checked again, with more time or without a limit.
                BaseCase::Unfinished => {
                    limit_apart = limit_apart.map(|limit| limit.saturating_mul(2));
                    base.set_limit(limit_apart);
                    if let Some(certifies) = certifies.take()
                        && base.all_paths_end()
                        && certifies(&proof())
                    {
                        return Ok(Answer::Safe(proof()));
                    }
                }
            }
        }
    }
    Ok(Answer::Unknown("the largest bound is reached".to_owned()))
}
