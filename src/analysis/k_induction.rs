//! k-induction (paper 000, section 4.2, Algorithm 3), with the invariants that other analyses have proved.
//!
//! Departure: k counts steps between cut points, whichever loop they belong to. Base case: no error within k steps from
//! the entry. Step case: from any cut point, in any state, k steps lead to no error; that the steps before are free of
//! errors needs no saying, for an error has no successors. So several loops, nested ones and irreducible ones need no
//! treatment of their own.

use std::sync::Arc;
use std::time::Duration;

use super::invariants::houdini::Houdini;
use super::invariants::{ByPlace, Candidate, Snapshot, by_place};
use super::options::options;
use super::unrolling::base_case::{BaseCase, BaseCases};
use super::unrolling::schedule::{Schedule, Share};
use super::unrolling::{Start, Unrolling};
use super::{Answer, Context, Progress, SolverFactory};
use crate::certify::certificate::{Certificate, ProofStep, quantified};
use crate::program::block::Blocks;
use crate::solver::{self, CheckLimit};
use crate::term::{Build, TermId};

/// What the step case may take, lest it starve the base case.
const STEP_CASE: Share = Share {
    of_time: 0.6,
    at_least: Duration::from_millis(200),
};

options! {
    /// Options of k-induction.
    pub struct Options {
        /// The largest k, in steps between cut points.
        pub max_bound: u32 = u32::MAX;
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
    let mut step = StepCase::new(Unrolling::new(blocks, Start::AnyCutPoint, step));
    let mut bound = 0;
    while bound < options.max_bound {
        bound += 1;
        context.safe_point();
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
        if base.left_aside().is_none() && step.holds(bound, context) {
            let needed = std::mem::take(&mut step.used);
            if needed.is_empty() {
                return safe(ProofStep::Safety {
                    k: bound,
                    relies_on: Vec::new(),
                });
            }
            return safe_by(blocks, bound, needed, &step.snapshot, solver, context);
        }
        if context.token.is_cancelled() {
            return Answer::Unknown("stopped".to_owned());
        }
    }
    Answer::Unknown("the largest bound is reached".to_owned())
}

/// The step case: k steps from any state that satisfies the invariants lead to no target.
struct StepCase {
    unrolling: Unrolling,
    schedule: Schedule,
    /// The invariants as they were last taken.
    snapshot: Arc<Snapshot>,
    by_place: ByPlace,
    /// Those that the solver has been told of.
    used: Vec<Candidate>,
}

impl StepCase {
    fn new(unrolling: Unrolling) -> Self {
        Self {
            unrolling,
            schedule: Schedule::new(STEP_CASE),
            snapshot: Arc::default(),
            by_place: ByPlace::default(),
            used: Vec::new(),
        }
    }

    /// Lines 15 to 23. Invariants are told to the solver as its models break them.
    fn holds(&mut self, bound: u32, context: &mut Context<'_>) -> bool {
        let stronger = self.take_invariants(context);
        if !self.schedule.begin(bound) && !stronger || !self.unrolling.extend(bound, context.token)
        {
            return false;
        }
        let targets = self.unrolling.new_targets();
        let last = targets.iter().filter(|target| target.steps == bound);
        let guards: Vec<TermId> = last.map(|target| target.guard).collect();
        let any = self.unrolling.arena().or(guards);
        let mut answer = solver::Answer::Satisfiable;
        while answer == solver::Answer::Satisfiable && !context.token.is_cancelled() {
            context.safe_point();
            let limit = CheckLimit {
                time: Some(self.schedule.allowance()),
                resource: None,
            };
            answer = self.unrolling.check(any, limit);
            if answer != solver::Answer::Satisfiable {
                break;
            }
            let broken = self.unrolling.assume_broken(&self.by_place);
            if broken.is_empty() && !self.take_invariants(context) {
                break;
            }
            self.used.extend(broken);
        }
        self.schedule.end(bound);
        #[cfg(test)]
        if super::unrolling::fault::is_planted(super::unrolling::fault::Fault::StepCaseHolds) {
            return true;
        }
        answer == solver::Answer::Unsatisfiable
    }

    /// Takes what the store has now; says if that is more than before.
    fn take_invariants(&mut self, context: &Context<'_>) -> bool {
        if context.invariants.version() == self.snapshot.version() {
            return false;
        }
        self.snapshot = context.invariants.snapshot();
        // Formulas that speak of any index would have to be told for each index that is read.
        let all = self.snapshot.invariants().map(|(_, one)| one);
        self.by_place = by_place(all.filter(|one| quantified(one.formula).is_none()));
        true
    }
}

/// The proof with the invariants that were used and those that they rely on.
fn safe_by(
    blocks: &Arc<Blocks>,
    k: u32,
    needed: Vec<Candidate>,
    snapshot: &Snapshot,
    solver: &SolverFactory<'_>,
    context: &Context<'_>,
) -> Answer {
    let certificate = solver().ok().and_then(|solver| {
        Houdini::new(blocks, solver, context.token).certificate(k, needed, snapshot)
    });
    let certificate = certificate.unwrap_or_else(|| {
        let all: Vec<_> = snapshot.batches().map(|(id, _)| id).collect();
        let (mut steps, relies_on) = snapshot.proof_steps(&all, blocks.inlined());
        steps.push(ProofStep::Safety { k, relies_on });
        Certificate { steps }
    });
    Answer::Safe(certificate)
}

fn safe(step: ProofStep) -> Answer {
    Answer::Safe(Certificate { steps: vec![step] })
}
