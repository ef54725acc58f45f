//! Base case and forward condition (\[BDW18\], Algorithm 3, lines 6 to 14), which is bounded model checking.

use std::collections::BTreeSet;
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::last_steps::LastSteps;
use super::schedule::{Frequency, Schedule, Share};
use super::{Target, Unrolling, division};
use crate::{Context, Progress};
use regatta_base::counters::{self, Counter};
use regatta_certify::certificate::ProofStep;
use regatta_certify::replay::{NotConfirmed, Replay, Violation};
use regatta_cpa::location::Place;
use regatta_program::LocationId;
use regatta_program::interpreter::Journal;
use regatta_sharing::taken::Taken;
use regatta_sharing::{BatchId, Bounded, OpenTargets};
use regatta_solver::{Answer, CheckLimit, Reason, Solver};
use regatta_term::{Build, TermId, Value};

/// Maximum number of unconfirmed alarms at one bound before the bound is given up.
const MAXIMUM_REJECTED_ALARMS: u32 = 4;

/// The forward condition's share of the time.
const FORWARD_CONDITION_SHARE: Share = Share {
    of_time: 0.3,
    at_least: Duration::from_millis(20),
};

/// The result of the base case at a bound.
#[derive(Clone, Debug)]
pub enum BaseCase {
    /// A confirmed violation.
    Violated(Violation),
    /// No execution is longer than the bound, and none reaches a target.
    Complete,
    /// No target is reached within the bound.
    Open,
    /// A query exceeded its limit of time; to be checked again.
    Unfinished,
    /// The engine is to stop.
    Stopped,
}

/// The base case for one bound after the other.
pub struct BaseCases {
    unrolling: Unrolling,
    /// Why a target was left aside: it may be reached, so that there is no proof from here on.
    left_aside: Option<String>,
    forward: Schedule,
    rejected: u32,
    /// Maximum wall time of a query about targets.
    limit: Option<Duration>,
    /// Targets that could not be decided within it.
    unfinished: Vec<Target>,
    /// The same, where each target is decided by itself and others are not in this state: nothing is said of their error
    /// locations until the others are done.
    aside: Vec<Target>,
    /// Error locations with an alarm that was not confirmed, where each target is decided by itself.
    given_up: BTreeSet<LocationId>,
    last_steps: Option<LastSteps>,
    /// Formulas that the last steps have shown, not yet asserted in the unrolling's solver.
    excluded: Vec<TermId>,
    taken: Taken,
    used_batches: FxHashSet<BatchId>,
}

impl BaseCases {
    /// Creates the base case of an unrolling from the program's entry.
    pub fn new(unrolling: Unrolling) -> Self {
        Self {
            taken: Taken::new(unrolling.blocks()),
            used_batches: FxHashSet::default(),
            unrolling,
            left_aside: None,
            forward: Schedule::new(FORWARD_CONDITION_SHARE),
            rejected: 0,
            limit: None,
            unfinished: Vec::new(),
            aside: Vec::new(),
            given_up: BTreeSet::new(),
            last_steps: None,
            excluded: Vec::new(),
        }
    }

    /// Like [`Self::new`], but queries about the last steps of a path go first: to the solver, or else to text solvers.
    pub fn with_last_steps(self, solver: Option<Box<dyn Solver>>) -> Self {
        Self {
            last_steps: Some(LastSteps::new(solver)),
            ..self
        }
    }

    /// Says when the forward condition is checked.
    pub fn with_forward_condition(self, frequency: Frequency) -> Self {
        Self {
            forward: Schedule::with_frequency(frequency, FORWARD_CONDITION_SHARE),
            ..self
        }
    }

    /// Limits the wall time of queries about targets; those that take longer end as [`BaseCase::Unfinished`].
    pub fn set_limit(&mut self, limit: impl Into<Option<Duration>>) {
        self.limit = limit.into();
    }

    /// Checks whether every path ends within the bound: the program is safe if no target is reached within it.
    pub fn all_paths_end(&self) -> bool {
        self.unrolling.frontier().is_empty() && self.left_aside.is_none()
    }

    /// Returns the wall time of the checks of all its solvers.
    pub fn check_time(&self) -> Duration {
        let last_steps = self.last_steps.as_ref();
        self.unrolling.solver.statistics().check_time
            + last_steps.map_or(Duration::ZERO, LastSteps::check_time)
    }

    pub fn unrolling(&mut self) -> &mut Unrolling {
        &mut self.unrolling
    }

    /// The reason why there can be no proof, if there is one.
    pub fn left_aside(&self) -> Option<&str> {
        self.left_aside.as_deref()
    }

    /// Returns those of the open error locations that are not reached within the bound: all, unless some were left aside.
    pub fn not_reached(&self, open: &BTreeSet<LocationId>) -> BTreeSet<LocationId> {
        let aside: BTreeSet<LocationId> = self.aside.iter().filter_map(Target::error).collect();
        let is_left = |error: &LocationId| aside.contains(error) || self.given_up.contains(error);
        open.iter()
            .filter(|&error| !is_left(error))
            .copied()
            .collect()
    }

    /// The number of alarms that were not confirmed.
    pub fn rejected(&self) -> u32 {
        self.rejected
    }

    /// Checks one bound after the other, up to the largest; returns the first conclusive result, with its bound.
    pub fn search(&mut self, max_bound: u32, context: &mut Context<'_>) -> Option<(u32, BaseCase)> {
        for bound in 1..=max_bound {
            context.safe_point();
            (context.report)(Progress::Bound { bound });
            match self.check(bound, context) {
                BaseCase::Open | BaseCase::Unfinished => {}
                found => return Some((bound, found)),
            }
        }
        None
    }

    /// Lines 7 to 14 for the bound, which is greater than those before, or the same if that one was unfinished.
    pub fn check(&mut self, bound: u32, context: &mut Context<'_>) -> BaseCase {
        let extend = || self.unrolling.extend(bound, context.token);
        if !counters::time(Counter::BaseUnrolling, extend) {
            return BaseCase::Stopped;
        }
        self.taken.refresh(context.exchange);
        let mut targets = std::mem::take(&mut self.unfinished);
        targets.extend(self.unrolling.new_targets());
        self.take_bounded(&mut targets, bound, context);
        let violation = || self.base_case(targets, context);
        if let Some(violation) = counters::time(Counter::BaseCase, violation) {
            return BaseCase::Violated(violation);
        }
        if context.token.is_cancelled() {
            return BaseCase::Stopped;
        }
        if !self.unfinished.is_empty() {
            return BaseCase::Unfinished;
        }
        self.tell_bounded(bound, context);
        let is_complete = self.unrolling.reached.waitlist_len() == 0
            || counters::time(Counter::ForwardCondition, || {
                self.forward_condition(bound, context)
            });
        if !is_complete {
            return BaseCase::Open;
        }
        if self.left_aside.is_some() {
            return BaseCase::Stopped;
        }
        if let Some(targets) = context.targets
            && self.exclude_all_but_aside(targets, bound, context)
        {
            return BaseCase::Unfinished;
        }
        match self.given_up.is_empty() {
            true => BaseCase::Complete,
            false => BaseCase::Stopped,
        }
    }

    /// Passes over the targets of which another engine has shown that no run reaches them. They are asserted not to be reached,
    /// as if the solver had been asked.
    fn take_bounded(&mut self, targets: &mut Vec<Target>, bound: u32, context: &Context<'_>) {
        if targets.is_empty() {
            return;
        }
        let errors = self.errors(context);
        let steps = context.exchange.bounded(self.unrolling.blocks(), &errors);
        let is_known = |target: &mut Target| target.steps <= steps && target.is_among(&errors);
        let known: Vec<Target> = targets.extract_if(.., is_known).collect();
        if !known.is_empty() {
            counters::set(Counter::StepsTaken, u64::from(steps.min(bound)));
        }
        for target in known {
            self.excluded.push(self.unrolling.arena().not(target.guard));
        }
    }

    /// Tells the other engines that no target is reached within the bound, except those that were left aside.
    fn tell_bounded(&self, bound: u32, context: &Context<'_>) {
        if self.left_aside.is_none() {
            let errors = self.not_reached(&self.errors(context));
            let result = Bounded::new(self.unrolling.blocks(), errors, bound);
            context.exchange.tell_bounded(result);
        }
    }

    /// The error locations that are not excluded.
    fn errors(&self, context: &Context<'_>) -> BTreeSet<LocationId> {
        match context.targets {
            Some(targets) => BTreeSet::clone(&targets.open()),
            None => {
                let program = self.unrolling.blocks().inlined().program();
                program.errors.iter().copied().collect()
            }
        }
    }

    /// All paths end within the bound: excludes the targets that are not left aside, and turns to the others; `false` if there
    /// are none.
    fn exclude_all_but_aside(
        &mut self,
        targets: &dyn OpenTargets,
        bound: u32,
        context: &Context<'_>,
    ) -> bool {
        let open = targets.open();
        let excluded = self.not_reached(&open);
        if excluded.len() == open.len() {
            return false;
        }
        division::exclude(
            targets,
            excluded,
            &[ProofStep::Unrolling { bound }],
            context.token,
        );
        self.unfinished.append(&mut self.aside);
        !self.unfinished.is_empty()
    }

    /// Asserts proved invariants that the solver's model violates; `false` if there is none. (With all invariants
    /// asserted at every state, solvers are many times slower: measured on alarms at a depth of 400.)
    fn assert_broken_invariants(&mut self, context: &Context<'_>) -> bool {
        self.taken.refresh(context.exchange);
        let broken = self.unrolling.assume_broken(self.taken.by_place());
        let origins = broken.iter().map(|one| self.taken.origin(one));
        self.used_batches.extend(origins.map(|origin| origin.batch));
        !broken.is_empty()
    }

    /// The batches of the invariants that have been asserted.
    pub fn used_batches(&self) -> Vec<BatchId> {
        self.used_batches.iter().copied().collect()
    }

    /// Lines 9 to 11: searches a violation at one of the targets.
    fn base_case(
        &mut self,
        mut targets: Vec<Target>,
        context: &mut Context<'_>,
    ) -> Option<Violation> {
        if let Some(open) = context.targets.map(OpenTargets::open) {
            targets.retain(|target| target.is_among(&open));
        }
        let (mut errors, unsupported): (Vec<Target>, Vec<Target>) = targets
            .into_iter()
            .partition(|target| matches!(target.place, Place::At(_)));
        for target in unsupported {
            context.safe_point();
            self.exclude(&target, context);
        }
        let guards: Vec<TermId> = errors.iter().map(|target| target.guard).collect();
        if let Some(last_steps) = &mut self.last_steps
            && last_steps.exclude(&self.unrolling, self.unrolling.arena().or(guards))
        {
            let arena = self.unrolling.arena();
            let excluded = errors.drain(..).map(|target| arena.not(target.guard));
            self.excluded.extend(excluded);
        }
        if !errors.is_empty() {
            self.assert_excluded();
        }
        let violation = self.search_violation(errors, context);
        self.finish_with_aside(context);
        violation
    }

    /// Searches a violation at one of the errors; what has not been decided is unfinished or left aside then.
    fn search_violation(
        &mut self,
        errors: Vec<Target>,
        context: &mut Context<'_>,
    ) -> Option<Violation> {
        let mut rejected = 0;
        let mut waiting = vec![errors];
        while let Some(mut errors) = waiting.pop() {
            errors.retain(|target| !target.error().is_some_and(|at| self.given_up.contains(&at)));
            if errors.is_empty() || context.token.is_cancelled() {
                continue;
            }
            context.safe_point();
            let guards = errors.iter().map(|target| target.guard);
            let any = self.unrolling.arena().or(guards.collect::<Vec<_>>());
            let limit = CheckLimit {
                time: self.limit,
                resource: None,
            };
            match self.unrolling.check(any, limit) {
                Answer::Unsatisfiable => {
                    for target in errors.drain(..) {
                        let not = self.unrolling.arena().not(target.guard);
                        self.unrolling.assert(not);
                    }
                }
                Answer::Satisfiable if self.assert_broken_invariants(context) => {
                    waiting.push(errors);
                }
                Answer::Satisfiable => {
                    let reached = errors
                        .iter()
                        .position(|target| self.unrolling.holds(target.guard));
                    let alarm = reached.and_then(|index| self.alarm(&errors[index]));
                    let Some(alarm) = alarm else {
                        self.leave_aside("the solver's model shows no path".to_owned(), context);
                        return None;
                    };
                    match (context.confirm)(&alarm.inputs) {
                        Replay::Confirmed(violation) => return Some(violation),
                        Replay::NotConfirmed(reason) if self.give_up(&alarm, context) => {
                            let reason = reason.to_string();
                            (context.report)(Progress::LeftAside { reason });
                        }
                        Replay::NotConfirmed(reason) => {
                            self.rejected += 1;
                            rejected += 1;
                            self.leave_aside(reason.to_string(), context);
                            if rejected == MAXIMUM_REJECTED_ALARMS {
                                return None;
                            }
                            let not = self.other_than(&alarm, &reason);
                            self.unrolling.assert(not);
                        }
                    }
                    waiting.push(errors);
                }
                Answer::Unknown(Reason::Interrupted) => return None,
                Answer::Unknown(Reason::Limit) if self.limit.is_some() => {
                    if context.targets.is_none() {
                        self.unfinished = errors;
                        return None;
                    }
                    if errors.len() == 1 {
                        self.aside.extend(errors);
                    } else {
                        let second = errors.split_off(errors.len() / 2);
                        waiting.extend([second, errors]);
                    }
                }
                Answer::Unknown(reason) => {
                    self.leave_aside(reason.to_string(), context);
                    return None;
                }
            }
        }
        None
    }

    /// Where each target is decided by itself and there are others: gives up that of an alarm that was not confirmed.
    fn give_up(&mut self, alarm: &Alarm, context: &Context<'_>) -> bool {
        let (Some(targets), Some(error)) = (context.targets, alarm.error) else {
            return false;
        };
        let others = self.not_reached(&targets.open());
        let is_given_up = others.iter().any(|&other| other != error);
        if is_given_up {
            self.rejected += 1;
            self.given_up.insert(error);
        }
        is_given_up
    }

    /// Turns to the targets that were left aside if there are no others.
    fn finish_with_aside(&mut self, context: &Context<'_>) {
        if let Some(open) = context.targets.map(OpenTargets::open) {
            self.aside.retain(|target| target.is_among(&open));
            if self.not_reached(&open).is_empty() {
                self.unfinished.append(&mut self.aside);
            }
        }
    }

    fn assert_excluded(&mut self) {
        for excluded in std::mem::take(&mut self.excluded) {
            self.unrolling.assert(excluded);
        }
    }

    /// For a proof, a target that is no error must not be reached, either.
    fn exclude(&mut self, target: &Target, context: &mut Context<'_>) {
        match self.unrolling.check(target.guard, CheckLimit::default()) {
            Answer::Unsatisfiable => {
                let not = self.unrolling.arena().not(target.guard);
                self.unrolling.assert(not);
            }
            _ => self.leave_aside(
                "a construct that is not modelled is reached".to_owned(),
                context,
            ),
        }
    }

    fn leave_aside(&mut self, reason: String, context: &Context<'_>) {
        (context.report)(Progress::LeftAside {
            reason: reason.clone(),
        });
        self.left_aside.get_or_insert(reason);
    }

    fn alarm(&mut self, target: &Target) -> Option<Alarm> {
        let path = self.unrolling.path(target.element)?;
        Some(Alarm {
            inputs: self.unrolling.inputs(&path),
            unknown: self.unrolling.unknown_values(&path),
            guard: target.guard,
            error: target.error(),
            values: path
                .iter()
                .flat_map(|crossing| self.unrolling.cpa.domain.inputs(crossing))
                .map(|input| input.value)
                .collect(),
        })
    }

    /// Returns a constraint that further alarms must satisfy after one that was not confirmed.
    fn other_than(&mut self, alarm: &Alarm, reason: &NotConfirmed) -> TermId {
        let arena = self.unrolling.arena().clone();
        if matches!(reason, NotConfirmed::UnknownValues { .. }) && !alarm.unknown.is_empty() {
            // No run that reads one of them will be confirmed.
            return arena.not(arena.or(alarm.unknown.iter().copied()));
        }
        let mut same = vec![alarm.guard];
        let values = self.unrolling.solver.values(&alarm.values);
        for (&variable, value) in alarm.values.iter().zip(values) {
            if let Some(value) = value
                && !matches!(value, Value::Array(_))
            {
                same.push(arena.eq(variable, arena.value(&value)));
            }
        }
        arena.not(arena.and(same))
    }

    /// Lines 12 to 14: checks whether no execution is longer than the bound. Unreachable states at the bound are
    /// removed, so that they are not unrolled further.
    fn forward_condition(&mut self, bound: u32, context: &mut Context<'_>) -> bool {
        if !self.forward.begin(bound) {
            return false;
        }
        self.assert_excluded();
        let mut open = self.unrolling.frontier();
        let all = open.len();
        let mut reached = 0;
        open.retain(|&(_, guard)| guard != TermId::TRUE);
        reached += all - open.len();
        while !open.is_empty() && !context.token.is_cancelled() {
            context.safe_point();
            let limit = CheckLimit {
                time: Some(self.forward.allowance()),
                resource: None,
            };
            let guards: Vec<TermId> = open.iter().map(|entry| entry.1).collect();
            let any = self.unrolling.arena().or(guards);
            match self.unrolling.check(any, limit) {
                Answer::Unsatisfiable => {
                    for (element, guard) in open.drain(..) {
                        let not = self.unrolling.arena().not(guard);
                        self.unrolling.assert(not);
                        self.unrolling.drop_state(element);
                    }
                }
                Answer::Satisfiable => {
                    let before = open.len();
                    open.retain(|&(_, guard)| !self.unrolling.holds(guard));
                    reached += before - open.len();
                    if before == open.len() {
                        break;
                    }
                }
                Answer::Unknown(_) => break,
            }
        }
        self.forward.end(bound);
        reached == 0 && open.is_empty()
    }
}

/// A path to an error, from a model.
struct Alarm {
    inputs: Journal,
    /// The conditions under which it reads values that a real execution determines.
    unknown: Vec<TermId>,
    guard: TermId,
    /// The error location.
    error: Option<LocationId>,
    /// The variables of its inputs.
    values: Vec<TermId>,
}
