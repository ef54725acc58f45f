//! k-induction (paper 000, section 4.2, Algorithm 3), with the invariants that other analyses have proved, and with
//! property direction if asked for (paper 003, section 3, Algorithm 1), which makes it KIPDR.
//!
//! Departure: k counts steps between cut points, whichever loop they belong to. Base case: no error within k steps from
//! the entry. Step case: from any cut point, in any state, k steps lead to no error; that the steps before are free of
//! errors needs no saying, for an error has no successors. So several loops, nested ones and irreducible ones need no
//! treatment of their own.
//!
//! * [`k_inductive`]: candidates proved by k-induction; [`property_direction`]: proof obligations from failed inductions;
//!   [`lift`]: from states to sets of states.

mod k_inductive;
mod lift;
mod parts;
mod property_direction;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use self::property_direction::{Direction, PropertyDirection};
use super::invariants::houdini::Houdini;
use super::options::options;
use super::unrolling::base_case::{BaseCase, BaseCases};
use super::unrolling::schedule::Share;
use super::unrolling::step_case::StepCase;
use super::unrolling::{Start, Unrolling};
use super::{Answer, Context, Progress, SolverFactory};
use crate::certify::certificate::{Certificate, ProofStep};
use crate::program::block::Blocks;
use crate::solver::SolverError;

options! {
    /// Options of k-induction.
    pub struct Options {
        /// The largest k, in steps between cut points.
        pub max_bound: u32 = u32::MAX;
        /// Whether failed inductions direct a search for invariants, which the others get as well. With it, this is
        /// KIPDR.
        pub property_directed: bool = false;
        /// The most proof obligations that are open at a time.
        pub obligations: u32 = 64, in 1..=10_000;
    }
    fixed {
        /// The largest k at which proof obligations are tried.
        pub obligation_bound: u32 = 2;
        /// The largest k of a step case for the property. With one here and for obligations, a proof by induction is an
        /// assertion for each cut point that is inductive from one to the next.
        pub longest_step: u32 = u32::MAX;
    }
}

/// What a query of the base case may take at first when property direction has other work, and how much more each time.
const BASE_QUERY: Duration = Duration::from_millis(500);
const BASE_QUERY_GROWTH: u32 = 2;

/// What the step case for k = 1 may take once there are more steps.
const ONE_STEP: Share = Share {
    of_time: 0.15,
    at_least: Duration::from_millis(100),
};

/// How often a bound is tried again with what property direction has found at it.
const ATTEMPTS: u32 = 32;

/// Runs k-induction.
///
/// # Errors
/// When there is no solver.
pub fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    if blocks.inlined().calls().has_recursion() {
        let reason = "k-induction does not handle recursion";
        return Ok(Answer::Unknown(reason.to_owned()));
    }
    let base = Unrolling::new(blocks, Start::Entry, context.solver(solver)?);
    let step = Unrolling::new(blocks, Start::AnyCutPoint, context.solver(solver)?);
    let one_step = Unrolling::new(blocks, Start::AnyCutPoint, context.solver(solver)?);
    let direction = options.property_directed.then(|| {
        let most = options.obligations as usize;
        PropertyDirection::new(blocks, most, options.obligation_bound, solver, context)
    });
    let mut induction = Induction {
        base: BaseCases::new(base),
        unrolled: 0,
        step: StepCase::new(step),
        one_step: StepCase::with_share(one_step, ONE_STEP),
        max_bound: options.max_bound,
        longest_step: options.longest_step,
        base_query: BASE_QUERY,
        direction: direction.transpose()?,
    };
    if induction.direction.is_some() {
        induction.base.set_limit(BASE_QUERY);
    }
    for bound in 1..=options.max_bound {
        context.safe_point();
        (context.report)(Progress::Bound { bound });
        if let Some(answer) = induction.base_case(bound, context) {
            return Ok(answer);
        }
        while induction.unrolled < bound {
            if let Some(answer) = induction.while_unfinished(bound, context) {
                return Ok(answer);
            }
        }
        if induction.base.left_aside().is_none() {
            match induction.step_case(bound, context) {
                StepCaseEnd::Holds => {
                    return Ok(safe_by(&induction.step, bound, blocks, solver, context));
                }
                StepCaseEnd::OneStepHolds => {
                    return Ok(safe_by(&induction.one_step, 1, blocks, solver, context));
                }
                StepCaseEnd::Answer(answer) => return Ok(answer),
                StepCaseEnd::Open => {}
            }
        }
        if context.token.is_cancelled() {
            return Ok(Answer::Unknown("stopped".to_owned()));
        }
    }
    Ok(Answer::Unknown("the largest bound is reached".to_owned()))
}

/// Both cases of the induction.
struct Induction {
    base: BaseCases,
    /// The bound up to which the base case holds.
    unrolled: u32,
    step: StepCase,
    /// The step case for k = 1, which stays easy: with strong invariants, that is enough.
    one_step: StepCase,
    max_bound: u32,
    longest_step: u32,
    /// What a query of the base case may take now.
    base_query: Duration,
    direction: Option<PropertyDirection>,
}

/// How the step case at a bound has ended.
enum StepCaseEnd {
    Holds,
    /// The one for k = 1.
    OneStepHolds,
    Answer(Answer),
    Open,
}

impl Induction {
    /// Lines 4 to 9 of Algorithm 1, if there is something left to ask up to the bound.
    fn base_case(&mut self, bound: u32, context: &mut Context<'_>) -> Option<Answer> {
        if bound <= self.unrolled {
            return None;
        }
        let answer = self.base.check(bound, context);
        if !matches!(answer, BaseCase::Unfinished) {
            self.unrolled = bound;
        }
        match answer {
            BaseCase::Violated(violation) => Some(Answer::Unsafe(violation)),
            BaseCase::Complete => Some(safe(ProofStep::Unrolling { bound })),
            BaseCase::Open | BaseCase::Unfinished => None,
            BaseCase::Stopped => {
                let reason = self.base.left_aside().unwrap_or("stopped");
                Some(Answer::Unknown(reason.to_owned()))
            }
        }
    }

    /// Property direction while the base case takes its time; then the base case again, with more of it.
    fn while_unfinished(&mut self, bound: u32, context: &mut Context<'_>) -> Option<Answer> {
        if context.token.is_cancelled() {
            return Some(Answer::Unknown("stopped".to_owned()));
        }
        // What is unrolled further than it has been checked is good enough for obligations.
        if let Some(direction) = &mut self.direction {
            direction.direct(bound, &mut self.base, context);
        }
        self.base_query *= BASE_QUERY_GROWTH;
        self.base.set_limit(self.base_query);
        self.base_case(bound, context)
    }

    /// Lines 10 to 32, again as long as property direction finds something.
    fn step_case(&mut self, bound: u32, context: &mut Context<'_>) -> StepCaseEnd {
        for _ in 0..ATTEMPTS {
            if bound > 1 && self.one_step.property(1, context) {
                return StepCaseEnd::OneStepHolds;
            }
            if bound <= self.longest_step && self.step.property(bound, context) {
                return StepCaseEnd::Holds;
            }
            let Some(direction) = &mut self.direction else {
                return StepCaseEnd::Open;
            };
            let before = context.exchange.len();
            let found = direction.direct(bound, &mut self.base, context);
            let total = context.exchange.len();
            (context.report)(Progress::Invariants {
                round: "obligations",
                proved: total.saturating_sub(before),
                total,
            });
            match found {
                Direction::Stronger => {}
                Direction::Towards { steps } => {
                    if steps <= self.max_bound
                        && let Some(answer) = self.base_case(steps, context)
                    {
                        return StepCaseEnd::Answer(answer);
                    }
                }
                Direction::Nothing => return StepCaseEnd::Open,
            }
        }
        StepCaseEnd::Open
    }
}

/// The proof by a step case that holds, with the invariants that were used and those that they rely on.
fn safe_by(
    step: &StepCase,
    k: u32,
    blocks: &Arc<Blocks>,
    solver: &SolverFactory<'_>,
    context: &Context<'_>,
) -> Answer {
    let needed = step.used();
    if needed.is_empty() {
        let relies_on = Vec::new();
        return safe(ProofStep::Safety { k, relies_on });
    }
    let snapshot = step.snapshot();
    let certificate = solver().ok().and_then(|solver| {
        let mut houdini = Houdini::new(blocks, solver, context.token, context.workers);
        houdini.certificate(k, needed.to_vec(), snapshot)
    });
    let certificate = certificate.unwrap_or_else(|| {
        let used = step.used_batches();
        snapshot.certificate(k, &used, &[], blocks.inlined())
    });
    Answer::Safe(certificate)
}

fn safe(step: ProofStep) -> Answer {
    Answer::Safe(Certificate { steps: vec![step] })
}
