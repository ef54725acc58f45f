//! The targets that one step excludes, each by itself: from the entry, and from any cut point where proved invariants hold.
//!
//! Each question is about a few targets and has the definitions of the paths to them alone, and the solver forgets it. So
//! the time grows with the number of targets, not with its square, and a target that is hard is in nobody's way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use super::proof;
use crate::unrolling::beginnings::Beginnings;
use crate::unrolling::division::{Division, exclude};
use crate::unrolling::schedule::{Schedule, Share};
use crate::unrolling::{Start, Target, Unrolling};
use crate::{Context, SolverFactory};
use regatta_cpa::ElementId;
use regatta_program::LocationId;
use regatta_program::block::Blocks;
use regatta_sharing::taken::Taken;
use regatta_sharing::{BatchId, ByPlace, Candidate, OpenTargets};
use regatta_solver::{Answer, CheckLimit, SolverError};
use regatta_term::{Build, TermId};

/// The share of the time of the passes after the first one, which are made when there are new invariants.
const REPETITION_SHARE: Share = Share {
    of_time: 0.3,
    at_least: Duration::from_millis(100),
};

/// Maximum wall time of a question about one target, and of one about several.
const QUESTION_TIME: Duration = Duration::from_millis(100);
const TOGETHER_TIME: Duration = Duration::from_millis(30);

/// Wall time of the questions before what is excluded so far is handed in, at least, and for each target; it is doubled each
/// time. An engine whose proof is being checked loses its turn, and the check walks through the whole program.
const FIRST_PART_TIME: Duration = Duration::from_millis(250);
const FIRST_PART_TIME_EACH: Duration = Duration::from_millis(5);

/// The targets with the paths of one step to them.
pub struct Apart {
    base: OneStep,
    step: OneStep,
    /// The error locations that are not reached in one step from the entry, if that has been asked.
    based: Option<BTreeSet<LocationId>>,
    /// Those for which the check of the proof did not pass.
    refused: BTreeSet<LocationId>,
    taken: Taken,
    /// Whether there are invariants with which nothing has been asked.
    has_more: bool,
    schedule: Schedule,
    turn: u32,
}

impl Apart {
    /// Unrolls the program for one step.
    ///
    /// # Errors
    /// When there is no solver.
    pub fn new(
        blocks: &Arc<Blocks>,
        solver: &SolverFactory<'_>,
        context: &Context<'_>,
    ) -> Result<Self, SolverError> {
        let unroll = |start| OneStep::new(blocks, start, solver, context);
        Ok(Self {
            base: unroll(Start::Entry)?,
            step: unroll(Start::AnyCutPoint)?,
            based: None,
            refused: BTreeSet::new(),
            taken: Taken::new(blocks),
            has_more: false,
            schedule: Schedule::new(REPETITION_SHARE),
            turn: 0,
        })
    }

    /// Excludes what can be excluded now, unless that was asked before with the same invariants.
    pub fn exclude(
        &mut self,
        targets: &dyn OpenTargets,
        blocks: &Arc<Blocks>,
        solver: &SolverFactory<'_>,
        context: &Context<'_>,
    ) {
        self.turn += 1;
        let is_first = self.based.is_none();
        self.has_more |= !self.taken.refresh(context.exchange).is_empty();
        if !is_first && (!self.has_more || !self.schedule.begin(self.turn)) {
            return;
        }
        self.has_more = false;
        let open = targets.open();
        let base = &mut self.base;
        let based = self.based.get_or_insert_with(|| {
            let none = ByPlace::default();
            let (excluded, _) = base.divide(&open, &none, Duration::MAX, context);
            excluded
        });
        let based = based.intersection(&open).copied();
        let mut left: BTreeSet<LocationId> = based.collect();
        let count = u32::try_from(left.len()).unwrap_or(u32::MAX);
        let mut time = FIRST_PART_TIME.max(FIRST_PART_TIME_EACH.saturating_mul(count));
        while !left.is_empty() && !context.token.is_cancelled() {
            left.retain(|at| !self.refused.contains(at));
            let known = self.taken.by_place();
            let (excluded, waiting) = self.step.divide(&left, known, time, context);
            self.submit(excluded, targets, blocks, solver, context);
            let open = targets.open();
            left = waiting.intersection(&open).copied().collect();
            time = time.saturating_mul(2);
        }
        if !is_first {
            self.schedule.end(self.turn);
        }
    }

    /// Excludes these error locations by the proof with the invariants that were needed.
    fn submit(
        &mut self,
        excluded: BTreeSet<LocationId>,
        targets: &dyn OpenTargets,
        blocks: &Arc<Blocks>,
        solver: &SolverFactory<'_>,
        context: &Context<'_>,
    ) {
        if excluded.is_empty() || context.token.is_cancelled() {
            return;
        }
        let used = self.used();
        let batches: FxHashSet<BatchId> = used.iter().map(|&(_, batch)| batch).collect();
        let needed = used.into_iter().map(|(one, _)| one).collect();
        let (batches, snapshot) = (batches.into_iter().collect(), self.taken.snapshot());
        let steps = proof(1, needed, batches, snapshot, blocks, solver, context);
        self.refused
            .extend(exclude(targets, excluded, &steps, context.token));
    }

    /// Returns the invariants of the store that the last pass has used, with their batches.
    fn used(&mut self) -> Vec<(Candidate, BatchId)> {
        let facts = std::mem::take(&mut self.step.used).into_iter();
        let origins = facts.map(|fact| self.taken.origin(&fact));
        let used: FxHashMap<Candidate, BatchId> = origins.map(|one| (one.of, one.batch)).collect();
        used.into_iter().collect()
    }
}

/// An unrolling for one step with its targets.
struct OneStep {
    unrolling: Unrolling,
    targets: Vec<Target>,
    /// The states in which paths to each target begin.
    beginnings: FxHashMap<ElementId, Beginnings>,
    /// For each error location that has been asked about, the number of invariants that were assumed where paths to it begin.
    asked: FxHashMap<LocationId, usize>,
    /// The invariants that the questions of the last pass needed.
    used: FxHashSet<Candidate>,
}

impl OneStep {
    fn new(
        blocks: &Arc<Blocks>,
        start: Start,
        solver: &SolverFactory<'_>,
        context: &Context<'_>,
    ) -> Result<Self, SolverError> {
        let mut unrolling = Unrolling::new(blocks, start, context.solver(solver)?);
        unrolling.extend(1, context.token);
        let targets = unrolling.new_targets();
        let elements = targets.iter().map(|target| target.element);
        let beginnings = elements.zip(unrolling.beginnings(&targets)).collect();
        Ok(Self {
            targets,
            beginnings,
            asked: FxHashMap::default(),
            unrolling,
            used: FxHashSet::default(),
        })
    }

    /// Asks about the targets at these error locations, where the invariants hold at the beginning, unless that was asked with as
    /// many invariants before. Returns the error locations that are excluded, and those that have not been asked about after the
    /// time.
    fn divide(
        &mut self,
        among: &BTreeSet<LocationId>,
        invariants: &ByPlace,
        time: Duration,
        context: &Context<'_>,
    ) -> (BTreeSet<LocationId>, BTreeSet<LocationId>) {
        let begin = Instant::now();
        let mut waiting = BTreeSet::new();
        let mut is_first = true;
        let mut known = self.known_invariants(among, invariants);
        known.retain(|error, count| self.asked.get(error) != Some(count));
        if known.is_empty() {
            return (BTreeSet::new(), waiting);
        }
        let among: BTreeSet<LocationId> = known.keys().copied().collect();
        let targets = self.targets.iter();
        let targets: Vec<Target> = targets
            .filter(|one| one.is_among(&among))
            .copied()
            .collect();
        let mut division = Division::new(&targets);
        while let Some(group) = division.next_group() {
            context.safe_point();
            let is_over = !std::mem::take(&mut is_first) && begin.elapsed() >= time;
            if is_over || context.token.is_cancelled() {
                waiting = division.end(&group);
                break;
            }
            let (answer, reached) = self.ask(&group, invariants);
            division.answered(group, answer, &reached);
        }
        known.retain(|error, _| !waiting.contains(error));
        self.asked.extend(known);
        (division.excluded(&among), waiting)
    }

    /// Returns for each of the error locations the number of invariants where paths to it begin, or to what is not modelled.
    fn known_invariants(
        &self,
        among: &BTreeSet<LocationId>,
        invariants: &ByPlace,
    ) -> BTreeMap<LocationId, usize> {
        let mut counts: BTreeMap<LocationId, usize> = among.iter().map(|&one| (one, 0)).collect();
        let mut of_unmodelled = 0;
        for target in &self.targets {
            let places = self.beginnings_of(target).iter();
            let places = places.filter_map(|&number| self.unrolling.beginning(number));
            let here = places.filter_map(|at| invariants.get(&at)).map(Vec::len);
            match target.error() {
                None => of_unmodelled += here.sum::<usize>(),
                Some(error) => {
                    if let Some(count) = counts.get_mut(&error) {
                        *count += here.sum::<usize>();
                    }
                }
            }
        }
        counts
            .values_mut()
            .for_each(|count| *count += of_unmodelled);
        counts
    }

    fn beginnings_of(&self, target: &Target) -> &[usize] {
        let found = self.beginnings.get(&target.element);
        found.map_or(&[], |beginnings| beginnings)
    }

    /// Asks whether one of the targets is reached. With a model, tells which are.
    fn ask(&mut self, group: &[Target], invariants: &ByPlace) -> (Answer, Vec<bool>) {
        let guards: Vec<TermId> = group.iter().map(|target| target.guard).collect();
        let any = self.unrolling.arena().or(guards.iter().copied());
        let time = match group.len() {
            1 => QUESTION_TIME,
            _ => TOGETHER_TIME,
        };
        let limit = CheckLimit {
            time: Some(time),
            resource: None,
        };
        let mut known: FxHashMap<TermId, Candidate> = FxHashMap::default();
        for target in group {
            let beginnings = self.beginnings_of(target);
            let all = self.unrolling.known_at(beginnings, invariants);
            known.extend(all.into_iter().map(|(one, here)| (here, one)));
        }
        known.remove(&TermId::TRUE);
        let assumed: Vec<TermId> = known.keys().copied().collect();
        let mut reached = Vec::new();
        let mut core = Vec::new();
        let read = |unrolling: &mut Unrolling, answer: Answer| {
            match answer {
                Answer::Satisfiable => reached = unrolling.solver().holding(&guards),
                Answer::Unsatisfiable => core = unrolling.solver().unsat_core(),
                Answer::Unknown(_) => {}
            }
            answer
        };
        let answer = self.unrolling.check_alone(any, &assumed, limit, read);
        let needed = core.iter().filter_map(|term| known.get(term));
        self.used.extend(needed.copied());
        (answer, reached)
    }
}
