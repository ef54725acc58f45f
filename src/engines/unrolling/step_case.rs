//! The step case of k-induction (\[BDW18\], Algorithm 3, lines 15 to 23; \[BD19\], Algorithm 1, lines 16 to 27), for
//! the property and for other formulas. Invariants are asserted only when a model of the solver violates them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::division::Division;
use super::schedule::{Frequency, Schedule, Share};
use super::{Target, Unrolling};
use crate::Context;
use regatta_base::counters::{self, Counter};
use regatta_program::LocationId;
use regatta_sharing::taken::Taken;
use regatta_sharing::{BatchId, Candidate, Snapshot};
use regatta_solver::{Answer, CheckLimit};
use regatta_term::{Build, TermId, store};

/// The share of the time of the step case for the property, so that the base case is not starved.
const STEP_CASE_SHARE: Share = Share {
    of_time: 0.6,
    at_least: Duration::from_millis(200),
};

/// The step case: k steps from any state that satisfies the invariants.
pub struct StepCase {
    unrolling: Unrolling,
    schedule: Schedule,
    taken: Taken,
    /// The invariants that have been asserted.
    used: Vec<Candidate>,
    used_batches: FxHashSet<BatchId>,
    /// The targets that are reached in exactly `targets_at` steps.
    last_targets: Vec<Target>,
    targets_at: u32,
}

impl StepCase {
    /// Creates the step case of an unrolling from any cut point.
    pub fn new(unrolling: Unrolling) -> Self {
        Self::with_share(unrolling, STEP_CASE_SHARE)
    }

    /// Like [`Self::new`], with another share of the time.
    pub fn with_share(unrolling: Unrolling, share: Share) -> Self {
        Self {
            taken: Taken::new(unrolling.blocks()),
            unrolling,
            schedule: Schedule::new(share),
            used: Vec::new(),
            used_batches: FxHashSet::default(),
            last_targets: Vec::new(),
            targets_at: 0,
        }
    }

    /// Says when the step case for the property is checked.
    pub fn with_frequency(self, frequency: Frequency) -> Self {
        Self {
            schedule: Schedule::with_frequency(frequency, STEP_CASE_SHARE),
            ..self
        }
    }

    pub fn unrolling(&mut self) -> &mut Unrolling {
        &mut self.unrolling
    }

    /// The invariants that have been asserted.
    pub fn used(&self) -> &[Candidate] {
        &self.used
    }

    /// The batches of these invariants.
    pub fn used_batches(&self) -> Vec<BatchId> {
        let mut batches: Vec<BatchId> = self.used_batches.iter().copied().collect();
        batches.sort_unstable();
        batches
    }

    /// The invariants as they were last taken.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        self.taken.snapshot()
    }

    /// Checks whether the step case for the property holds at the bound. The query is made when the schedule allows it,
    /// and again as soon as there are more invariants. Bounds must not decrease.
    pub fn property(&mut self, bound: u32, context: &mut Context<'_>) -> bool {
        self.check_property(bound, context) == Some(Answer::Unsatisfiable)
    }

    /// Like [`Self::property`]; returns the answer to the query whether the step case fails, or `None` if it is not made.
    pub fn check_property(&mut self, bound: u32, context: &mut Context<'_>) -> Option<Answer> {
        let stronger = self.take_invariants(context);
        if !self.schedule.begin(bound) && !stronger || !self.extend(bound, context) {
            return None;
        }
        let any = self.unrolling.arena().or(self.last_guards());
        let limit = self.schedule.allowance();
        let answer = self.ask(any, limit, context);
        self.schedule.end(bound);
        #[cfg(test)]
        if super::fault::is_planted(super::fault::Fault::StepCaseHolds) {
            return Some(Answer::Unsatisfiable);
        }
        Some(answer)
    }

    /// Returns those of the open error locations whose step case holds at the bound, each by itself; `None` if the schedule
    /// does not allow the questions. Bounds must not decrease.
    pub fn holding_targets(
        &mut self,
        bound: u32,
        open: &BTreeSet<LocationId>,
        context: &mut Context<'_>,
    ) -> Option<BTreeSet<LocationId>> {
        let stronger = self.take_invariants(context);
        if !self.schedule.begin(bound) && !stronger || !self.extend(bound, context) {
            return None;
        }
        let targets = self.last_targets.iter();
        let targets: Vec<Target> = targets.filter(|one| one.is_among(open)).copied().collect();
        let mut division = Division::new(&targets);
        let mut is_first = true;
        while let Some(group) = division.next_group() {
            if context.token.is_cancelled()
                || !std::mem::take(&mut is_first) && self.schedule.is_over()
            {
                division.end(&group);
                break;
            }
            let guards: Vec<TermId> = group.iter().map(|target| target.guard).collect();
            let any = self.unrolling.arena().or(guards.iter().copied());
            let limit = self.schedule.allowance();
            let answer = self.ask(any, limit, context);
            let reached = match answer {
                Answer::Satisfiable => self.unrolling.solver().holding(&guards),
                Answer::Unsatisfiable | Answer::Unknown(_) => Vec::new(),
            };
            division.answered(group, answer, &reached);
        }
        self.schedule.end(bound);
        Some(division.excluded(open))
    }

    fn last_guards(&self) -> Vec<TermId> {
        self.last_targets
            .iter()
            .map(|target| target.guard)
            .collect()
    }

    /// Returns the target that is reached in the model of the last check.
    pub fn reached_target(&mut self) -> Option<TermId> {
        let mut targets = self.last_guards().into_iter();
        targets.find(|&guard| self.unrolling.holds(guard))
    }

    /// Searches a path of k steps to a target whose earlier states satisfy the candidates. Returns the target's guard,
    /// which holds in the solver's model. The unrolling's bound must be k.
    pub fn counterexample(
        &mut self,
        k: u32,
        candidates: &[Candidate],
        limit: Duration,
        context: &Context<'_>,
    ) -> Option<TermId> {
        let before = self.before(k, candidates);
        let targets = self.last_guards();
        let arena = self.unrolling.arena().clone();
        let any = arena.and2(before, arena.or(targets));
        if self.ask(any, limit, context) != Answer::Satisfiable {
            return None;
        }
        self.reached_target()
    }

    /// Returns the formula that the candidates hold in all states before the last of k steps.
    pub fn before(&self, k: u32, candidates: &[Candidate]) -> TermId {
        let mut broken = Vec::new();
        for candidate in candidates {
            let not = store().not(candidate.formula);
            let states = self.unrolling.where_holds(candidate.at, not).into_iter();
            broken.extend(states.filter(|&(steps, _)| steps < k));
        }
        let arena = self.unrolling.arena();
        let hold = broken.into_iter().map(|(_, broken)| arena.not(broken));
        arena.and(hold.collect::<Vec<_>>())
    }

    /// Unrolls up to the bound; `false` if the engine is to stop.
    pub fn extend(&mut self, bound: u32, context: &Context<'_>) -> bool {
        let extend = || self.unrolling.extend(bound, context.token);
        if !counters::time(Counter::StepUnrolling, extend) {
            return false;
        }
        let new = self.unrolling.new_targets();
        if bound > self.targets_at {
            self.last_targets.clear();
            self.targets_at = bound;
        }
        let last = new.into_iter().filter(|target| target.steps == bound);
        self.last_targets.extend(last);
        if let Some(targets) = context.targets {
            let open = targets.open();
            self.last_targets.retain(|target| target.is_among(&open));
        }
        true
    }

    /// Checks whether the formula can hold on a path whose states satisfy the invariants; the limit is for each query.
    pub fn ask(&mut self, formula: TermId, limit: Duration, context: &Context<'_>) -> Answer {
        counters::time(Counter::StepCase, || self.answer(formula, limit, context))
    }

    fn answer(&mut self, formula: TermId, limit: Duration, context: &Context<'_>) -> Answer {
        loop {
            context.safe_point();
            if context.token.is_cancelled() {
                return Answer::Unknown(regatta_solver::Reason::Interrupted);
            }
            let limit = CheckLimit {
                time: Some(limit),
                resource: None,
            };
            let answer = self.unrolling.check(formula, limit);
            if answer != Answer::Satisfiable {
                return answer;
            }
            let mut broken = self.unrolling.assume_broken(self.taken.by_place());
            if broken.is_empty() {
                let about_cells = self.taken.cells_by_place();
                broken = self.unrolling.assume_broken_cells(about_cells);
            }
            if broken.is_empty() && !self.take_invariants(context) {
                return answer;
            }
            for one in broken {
                let origin = self.taken.origin(&one);
                self.used_batches.insert(origin.batch);
                if !self.used.contains(&origin.of) {
                    self.used.push(origin.of);
                }
            }
        }
    }

    /// Takes the store's invariants; `true` if there are more than before.
    fn take_invariants(&mut self, context: &Context<'_>) -> bool {
        let about_cells = self.taken.about_cells().len();
        !self.taken.refresh(context.exchange).is_empty()
            || self.taken.about_cells().len() > about_cells
    }
}
