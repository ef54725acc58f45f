//! k-induction (paper 000, section 4.2, Algorithm 3).
//!
//! Departure: k counts steps between cut points, whichever loop they belong to. Base case: no error within k steps from
//! the entry. Step case: from any cut point, in any state, k steps lead to no error; that the steps before are free of
//! errors needs no saying, for an error has no successors. So several loops, nested ones and irreducible ones need no
//! treatment of their own.

use std::sync::Arc;
use std::time::Duration;

use super::unrolling::base_case::{BaseCase, BaseCases};
use super::unrolling::schedule::{Schedule, Share};
use super::unrolling::{Start, Unrolling};
use super::{Answer, Context, Progress, SolverFactory};
use crate::certify::certificate::{Certificate, ProofStep};
use crate::program::block::Blocks;
use crate::solver::{self, CheckLimit};
use crate::term::{Build, TermId};

/// What the step case may take, lest it starve the base case.
const STEP_CASE: Share = Share {
    of_time: 0.6,
    at_least: Duration::from_millis(200),
};

/// Options of k-induction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The largest k; default without limit.
    pub max_bound: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_bound: u32::MAX,
        }
    }
}

/// Runs k-induction.
pub fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Answer {
    if blocks.inlined().calls().has_recursion() {
        return Answer::Unknown("k-induction does not handle recursion".to_owned());
    }
    let (base, step) = match (solver(), solver()) {
        (Ok(base), Ok(step)) => (base, step),
        (Err(error), _) | (_, Err(error)) => return Answer::Unknown(error.to_string()),
    };
    context.token.interrupts(base.interrupter());
    context.token.interrupts(step.interrupter());
    let mut base = BaseCases::new(Unrolling::new(blocks, Start::Entry, base));
    let mut step = Unrolling::new(blocks, Start::AnyCutPoint, step);
    let mut schedule = Schedule::new(STEP_CASE);
    let mut bound = 0;
    while bound < options.max_bound {
        bound += 1;
        (context.report)(Progress::Bound { bound });
        match base.check(bound, context) {
            BaseCase::Violated(violation) => return Answer::Unsafe(violation),
            BaseCase::Complete => return safe(ProofStep::Unrolling { bound }),
            BaseCase::Open => {}
            BaseCase::Stopped => {
                let reason = base.left_aside().unwrap_or("stopped");
                return Answer::Unknown(reason.to_owned());
            }
        }
        if base.left_aside().is_none()
            && schedule.begin(bound)
            && step_case(&mut step, bound, &mut schedule, context)
        {
            return safe(ProofStep::Safety {
                k: bound,
                relies_on: Vec::new(),
            });
        }
        if context.token.is_cancelled() {
            return Answer::Unknown("stopped".to_owned());
        }
    }
    Answer::Unknown("the largest bound is reached".to_owned())
}

/// Lines 15 to 23: whether k steps from any state lead to no target.
fn step_case(
    step: &mut Unrolling,
    bound: u32,
    schedule: &mut Schedule,
    context: &mut Context<'_>,
) -> bool {
    if !step.extend(bound, context.token) {
        return false;
    }
    let targets = step.new_targets();
    let last = targets.iter().filter(|target| target.steps == bound);
    let guards: Vec<TermId> = last.map(|target| target.guard).collect();
    let any = step.arena().or(guards);
    let limit = CheckLimit {
        time: Some(schedule.allowance()),
        resource: None,
    };
    let answer = step.check(any, limit);
    schedule.end(bound);
    #[cfg(test)]
    if super::unrolling::fault::is_planted(super::unrolling::fault::Fault::StepCaseHolds) {
        return true;
    }
    answer == solver::Answer::Unsatisfiable
}

fn safe(step: ProofStep) -> Answer {
    Answer::Safe(Certificate { steps: vec![step] })
}
