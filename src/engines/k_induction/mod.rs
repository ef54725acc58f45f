//! k-induction (\[BDW18\], section 4.2, Algorithm 3), with the invariants that other analyses have proved, and with
//! property direction if asked for (\[BD19\], section 3, Algorithm 1), which makes it KIPDR.
//!
//! Departure: k counts steps between cut points, whichever loop they belong to. Base case: no error within k steps from
//! the entry. Step case: from any cut point, in any state, k steps lead to no error; that the earlier steps are free of
//! errors is no assumption, for an error has no successors. So nested and irreducible loops need no treatment of their
//! own.
//!
//! Where each target is decided by itself, those that can be excluded are, one by one, and the engine goes on with the others.
//!
//! * [`apart`]: the targets that one step excludes; [`k_inductive`]: proofs of candidates by k-induction; [`property_direction`]: proof obligations from failed
//!   inductions; [`lift`]: from states to sets of states.

mod apart;
mod k_inductive;
mod lift;
mod parts;
mod property_direction;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use self::apart::Apart;
use self::lift::Lifting;
use self::property_direction::{Direction, PropertyDirection};
use super::engine::{Engine, Recursion, Registration, Report, Subject};
use super::invariants::houdini::Houdini;
use super::unrolling::base_case::{BaseCase, BaseCases};
use super::unrolling::division;
use super::unrolling::schedule::{Frequency, Share, bounds};
use super::unrolling::step_case::StepCase;
use super::unrolling::{Start, Unrolling};
use super::{Answer, Context, Progress, SolverFactory};
use regatta_base::{choice, options};
use regatta_certify::certificate::{Certificate, ProofStep};
use regatta_program::LocationId;
use regatta_program::block::Blocks;
use regatta_sharing::{BatchId, Candidate, OpenTargets, Snapshot};
use regatta_solver::SolverError;

options! {
    /// Options of k-induction.
    pub struct Options {
        /// The largest k, in steps between cut points.
        pub max_bound: u32 = u32::MAX;
        /// The first k.
        pub start: u32 = 1, in 1..=u32::MAX;
        /// The number of steps by which k grows.
        pub increment: u32 = 1, in 1..=u32::MAX;
        /// When the forward condition is checked: at every k, or at fewer where that takes too large a share of the time.
        pub forward_condition: Frequency = Frequency::WithinShare;
        /// When the step case is checked: at every k, or at fewer where that takes too large a share of the time.
        pub step_case: Frequency = Frequency::WithinShare;
        /// Whether the step case for k = 1 is checked again at greater k, since there may be more invariants.
        pub first_step_case: bool = true;
        /// Whether failed inductions direct a search for invariants, which other engines get, too. With it, this is
        /// KIPDR.
        pub property_directed: bool = false;
        /// Maximum number of proof obligations that are open at a time.
        pub obligations: u32 = 64, in 1..=u32::MAX;
        /// The largest k at which proof obligations are tried.
        pub obligation_bound: u32 = 2, in 1..=u32::MAX;
        /// The order of the work on proof obligations: as long as there is progress, within a share of the time, or one
        /// attempt at each for every k ("eager": k grows even if obligations are open).
        pub direction: Order = Order::Scheduled;
        /// How a counterexample to induction becomes a set of states.
        pub lifting: Lifting = Lifting::Preconditions;
        /// Whether the largest inductive subset of all open obligations, and of clauses that imply them, is computed; and
        /// whether obligations of which none can be proved alone are tried together.
        pub joint_obligations: bool = true;
    }
    fixed {
        /// The largest k of a step case for the property. With one here and for obligations, a proof by induction is
        /// one inductive assertion for each cut point.
        pub longest_step: u32 = u32::MAX;
    }
}

/// The order of the work on proof obligations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// As long as there is progress, within a share of the time, at a small k of their own.
    Scheduled,
    /// Each is tried once for every k (\[BD19\], Algorithm 1).
    Eager,
}
choice!(Order: "scheduled" = Self::Scheduled, "eager" = Self::Eager);

/// Wall time of a query of the base case at first, when property direction is on, and the factor by which it grows.
const INITIAL_BASE_QUERY_LIMIT: Duration = Duration::from_millis(500);
const BASE_QUERY_LIMIT_GROWTH: u32 = 2;

/// The share of the time of the step case for k = 1 once k is greater.
const ONE_STEP_SHARE: Share = Share {
    of_time: 0.15,
    at_least: Duration::from_millis(100),
};

/// Maximum number of attempts at a bound, each with further invariants from property direction.
const MAXIMUM_ATTEMPTS_PER_BOUND: u32 = 32;

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "k_induction",
            summary: "k-induction; property-directed (KIPDR), if asked for.",
            has_solver: true,
            recursion: Recursion::Excluded,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        run(subject.blocks, self, subject.solver, context).into()
    }
}

/// Runs k-induction.
///
/// # Errors
/// When there is no solver.
fn run(
    blocks: &Arc<Blocks>,
    options: &Options,
    solver: &SolverFactory<'_>,
    context: &mut Context<'_>,
) -> Result<Answer, SolverError> {
    let base = Unrolling::new(blocks, Start::Entry, context.solver(solver)?);
    let step = Unrolling::new(blocks, Start::AnyCutPoint, context.solver(solver)?);
    let one_step = Unrolling::new(blocks, Start::AnyCutPoint, context.solver(solver)?);
    let new_direction = || PropertyDirection::new(blocks, options, solver, context);
    let direction = options.property_directed.then(new_direction);
    let mut induction = Induction {
        base: BaseCases::new(base).with_forward_condition(options.forward_condition),
        unrolled: 0,
        step: StepCase::new(step).with_frequency(options.step_case),
        one_step: options
            .first_step_case
            .then(|| StepCase::with_share(one_step, ONE_STEP_SHARE)),
        max_bound: options.max_bound,
        longest_step: options.longest_step,
        base_query_limit: INITIAL_BASE_QUERY_LIMIT,
        direction: direction.transpose()?,
        refused: BTreeSet::new(),
    };
    let new_apart = |_| Apart::new(blocks, solver, context);
    let mut apart = context.targets.map(new_apart).transpose()?;
    let is_eager = options.direction == Order::Eager;
    if context.targets.is_some() || induction.direction.is_some() && !is_eager {
        induction.base.set_limit(INITIAL_BASE_QUERY_LIMIT);
    }
    for bound in bounds(options.start, options.increment, options.max_bound) {
        context.safe_point();
        (context.report)(Progress::Bound { bound });
        // As often as there may be new invariants, and not only once at a bound that takes long.
        let mut exclude_apart = |context: &Context<'_>| {
            if let (Some(apart), Some(targets)) = (&mut apart, context.targets) {
                apart.exclude(targets, blocks, solver, context);
            }
        };
        exclude_apart(context);
        if let Some(answer) = induction.base_case(bound, context) {
            return Ok(answer);
        }
        while induction.unrolled < bound {
            if let Some(answer) = induction.while_unfinished(bound, context) {
                return Ok(answer);
            }
            exclude_apart(context);
        }
        if induction.base.left_aside().is_none() {
            if let Some(targets) = context.targets {
                induction.exclude_targets(bound, targets, blocks, solver, context);
            }
            let end = match is_eager && induction.direction.is_some() {
                true => induction.eager_step_case(bound, context),
                false => induction.step_case(bound, context),
            };
            let one_step = induction.one_step.as_ref().unwrap_or(&induction.step);
            let steps = match end {
                StepCaseEnd::Holds => {
                    let step = induction.property_step(is_eager);
                    Some(proof_by(step, bound, blocks, solver, context))
                }
                StepCaseEnd::OneStepHolds => Some(proof_by(one_step, 1, blocks, solver, context)),
                StepCaseEnd::Answer(answer) => return Ok(answer),
                StepCaseEnd::Open => None,
            };
            if let Some(steps) = steps
                && let Some(answer) = induction.concluded(steps, context)
            {
                return Ok(answer);
            }
        }
        if context.token.is_cancelled() {
            return Ok(Answer::Unknown("stopped".to_owned()));
        }
    }
    Ok(Answer::Unknown("the largest bound is reached".to_owned()))
}

/// Base case and step case of the induction.
struct Induction {
    base: BaseCases,
    /// The bound up to which the base case holds.
    unrolled: u32,
    step: StepCase,
    /// The step case for k = 1, whose queries stay easy: with strong invariants, it is enough.
    one_step: Option<StepCase>,
    max_bound: u32,
    longest_step: u32,
    /// Maximum wall time of a query of the base case now.
    base_query_limit: Duration,
    direction: Option<PropertyDirection>,
    /// Error locations for which the check of a proof did not pass, where each target is decided by itself.
    refused: BTreeSet<LocationId>,
}

/// The result of the step case at a bound.
enum StepCaseEnd {
    Holds,
    /// The step case for k = 1 holds.
    OneStepHolds,
    Answer(Answer),
    Open,
}

impl Induction {
    /// Lines 4 to 9 of Algorithm 1, if the base case is still open at the bound.
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

    /// Runs property direction while the base case is unfinished; then the base case again, with more time.
    fn while_unfinished(&mut self, bound: u32, context: &mut Context<'_>) -> Option<Answer> {
        if context.token.is_cancelled() {
            return Some(Answer::Unknown("stopped".to_owned()));
        }
        // For obligations, the unrolling may be ahead of the checked base case.
        if let Some(direction) = &mut self.direction {
            direction.direct(bound, &mut self.base, context);
        }
        self.base_query_limit *= BASE_QUERY_LIMIT_GROWTH;
        self.base.set_limit(self.base_query_limit);
        self.base_case(bound, context)
    }

    /// Lines 10 to 32, repeated as long as property direction makes progress.
    fn step_case(&mut self, bound: u32, context: &mut Context<'_>) -> StepCaseEnd {
        for _ in 0..MAXIMUM_ATTEMPTS_PER_BOUND {
            if bound > 1
                && let Some(one_step) = &mut self.one_step
                && one_step.property(1, context)
            {
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

impl Induction {
    /// Lines 10 to 32 as they stand in Algorithm 1.
    fn eager_step_case(&mut self, bound: u32, context: &mut Context<'_>) -> StepCaseEnd {
        let Some(direction) = &mut self.direction else {
            return StepCaseEnd::Open;
        };
        let violated = direction.try_each(bound, &mut self.base, context);
        // Lines 13 and 14: the error that such a state leads to is within so many steps.
        if let Some(steps) = violated
            && steps <= self.max_bound
            && let Some(answer) = self.base_case(steps, context)
        {
            return StepCaseEnd::Answer(answer);
        }
        let direction = self.direction.as_mut();
        match direction.is_some_and(|direction| direction.property(bound, context)) {
            true => StepCaseEnd::Holds,
            false => StepCaseEnd::Open,
        }
    }

    /// Excludes the targets whose step case holds at the bound.
    fn exclude_targets(
        &mut self,
        bound: u32,
        targets: &dyn OpenTargets,
        blocks: &Arc<Blocks>,
        solver: &SolverFactory<'_>,
        context: &mut Context<'_>,
    ) {
        // One step has been asked about by itself.
        if bound == 1 || bound > self.longest_step {
            return;
        }
        let mut open = self.base.not_reached(&targets.open());
        open.retain(|error| !self.refused.contains(error));
        let Some(excluded) = self.step.holding_targets(bound, &open, context) else {
            return;
        };
        if !excluded.is_empty() && !context.token.is_cancelled() {
            let steps = proof_by(&self.step, bound, blocks, solver, context);
            self.refused
                .extend(division::exclude(targets, excluded, &steps, context.token));
        }
    }

    /// Returns the answer of the proof that holds of all targets that are left, except that the base case of some may not have
    /// been decided: the others are excluded then.
    fn concluded(&mut self, steps: Vec<ProofStep>, context: &Context<'_>) -> Option<Answer> {
        if let Some(targets) = context.targets {
            let open = targets.open();
            let based = self.base.not_reached(&open);
            if based.len() < open.len() {
                self.refused
                    .extend(division::exclude(targets, based, &steps, context.token));
                return None;
            }
        }
        Some(Answer::Safe(Certificate::of_all(steps)))
    }

    /// The step case that has proved the property.
    fn property_step(&self, is_eager: bool) -> &StepCase {
        match &self.direction {
            Some(direction) if is_eager => direction.step(),
            _ => &self.step,
        }
    }
}

/// Returns the proof by a step case that holds, with the invariants that it used and those that they rely on.
fn proof_by(
    step: &StepCase,
    k: u32,
    blocks: &Arc<Blocks>,
    solver: &SolverFactory<'_>,
    context: &Context<'_>,
) -> Vec<ProofStep> {
    let (needed, batches) = (step.used().to_vec(), step.used_batches());
    let snapshot = step.snapshot();
    proof(k, needed, batches, snapshot, blocks, solver, context)
}

/// Returns the proof by a step case that holds with these invariants of the snapshot, which are of these batches.
fn proof(
    k: u32,
    needed: Vec<Candidate>,
    batches: Vec<BatchId>,
    snapshot: &Snapshot,
    blocks: &Arc<Blocks>,
    solver: &SolverFactory<'_>,
    context: &Context<'_>,
) -> Vec<ProofStep> {
    if needed.is_empty() {
        let relies_on = Vec::new();
        return vec![ProofStep::Safety { k, relies_on }];
    }
    let certificate = solver().ok().and_then(|solver| {
        let mut houdini = Houdini::new(blocks, solver, context.token, context.workers);
        houdini.certificate(k, needed, snapshot)
    });
    let certificate =
        certificate.unwrap_or_else(|| snapshot.certificate(k, &batches, &[], blocks.inlined()));
    certificate.steps
}

fn safe(step: ProofStep) -> Answer {
    Answer::Safe(Certificate::of_all(vec![step]))
}
