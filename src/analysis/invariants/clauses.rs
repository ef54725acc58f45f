//! The strongest inductive conjunction of clauses of up to three features, each of which has few values.
//!
//! Threads of a scheduler, or nodes of a network, are in states whose number is exponential in that of the threads, but what
//! makes them safe mostly speaks of few things at a time: a thread's mode, its neighbour's, and where the token is. So
//! this is [`super::states`] with a coarser domain, where a set of tuples is known by its projections on each three features.
//! These are thread-modular invariants (Flanagan and Qadeer, Thread-Modular Model Checking, SPIN 2003) where nobody has
//! to say what the threads are, and symbolic abstraction (Reps, Sagiv and Yorsh, VMCAI 2004): samples and a solver's
//! models of what leads out of what is covered so far are covered next, until none does.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use super::features::Features;
use super::guess::Vocabulary;
use super::known::{Known, guesses};
use super::relations::Relation;
use super::samples::{Samples, number};
use super::{Candidate, Snapshot};
use crate::analysis::CancellationToken;
use crate::certify::certificate::Certificate;
use crate::program::block::{Block, BlockEnd, Blocks};
use crate::program::{InlinedLocation, InlinedProgram};
use crate::solver::{Answer, CheckLimit, Solver};
use crate::term::{Build, TermId, store};

/// Finds the clauses of a program's cut points.
pub struct Clauses<'b> {
    blocks: &'b Arc<Blocks>,
    /// All blocks, those from one place together.
    all: Arc<[Block]>,
    /// Which of them come from a place.
    from: FxHashMap<InlinedLocation, Range<usize>>,
    solver: &'b mut dyn Solver,
    token: &'b CancellationToken,
    until: Instant,
    places: FxHashMap<InlinedLocation, Relation>,
    /// The clauses of a place as formulas, while they are up to date.
    formulas: FxHashMap<InlinedLocation, Arc<Vec<TermId>>>,
    /// For a block, what the features at its end are in terms of the state at its beginning, while these are the features.
    preimages: FxHashMap<(InlinedLocation, InlinedLocation), Vec<TermId>>,
    /// Tuples with something new, which have not been followed.
    waiting: VecDeque<(InlinedLocation, Vec<i128>)>,
    /// Whether a block may lead to what is not covered.
    is_dirty: Vec<bool>,
}

/// There is no more time, or the solver does not know.
struct GivenUp;

impl<'b> Clauses<'b> {
    /// With the samples covered. More than the time is not taken.
    pub fn new(
        blocks: &'b Arc<Blocks>,
        solver: &'b mut dyn Solver,
        token: &'b CancellationToken,
        samples: &Samples,
        conditions: &Vocabulary,
        time: Duration,
    ) -> Self {
        let features = Features::new(blocks, samples, conditions);
        let marks = features.marks(blocks, samples);
        let mut all: Vec<Block> = Vec::new();
        let mut from = FxHashMap::default();
        for at in blocks.cut_points() {
            let begin = all.len();
            all.extend(blocks.from(at).iter().cloned());
            from.insert(at, begin..all.len());
        }
        let places = samples.places.iter();
        let relation = |(&at, place)| {
            let mut all = features.of(place);
            all.extend(marks.of(place));
            (at, Relation::new(all))
        };
        Self {
            is_dirty: vec![true; all.len()],
            all: all.into(),
            from,
            blocks,
            solver,
            token,
            until: Instant::now() + time,
            places: places.map(relation).collect(),
            formulas: FxHashMap::default(),
            preimages: FxHashMap::default(),
            waiting: VecDeque::from([(blocks.inlined().entry(), Vec::new())]),
        }
    }

    /// Covers what blocks lead to until nothing is left; then the certificate that no target is reached, if the clauses
    /// prove it, with those at the cut points of the program alone. There may have been further ones: what holds from
    /// one of the program's to the next by those in between holds without a word of them.
    pub fn prove(
        mut self,
        program: &InlinedProgram,
        safe_point: &dyn Fn() -> Duration,
    ) -> Option<Certificate> {
        self.cover(safe_point).ok()?;
        self.certificate(program, safe_point).ok()?
    }

    fn is_over(&self) -> bool {
        self.token.is_cancelled() || Instant::now() >= self.until
    }

    fn cover(&mut self, safe_point: &dyn Fn() -> Duration) -> Result<(), GivenUp> {
        let all = Arc::clone(&self.all);
        loop {
            self.propagate(safe_point)?;
            let Some(next) = self.is_dirty.iter().position(|&dirty| dirty) else {
                return Ok(());
            };
            self.is_dirty[next] = false;
            let block = &all[next];
            if let Some(target) = block.target()
                && !self.blocks.is_target(block)
            {
                self.close(block, target, safe_point)?;
            }
        }
    }

    /// Adds a tuple to what is covered at the place; says if something of it is new.
    fn add(&mut self, at: InlinedLocation, tuple: Vec<i128>) -> bool {
        let place = self.places.entry(at).or_default();
        let is_new = place.add(&tuple);
        if is_new {
            place.forget();
            self.formulas.remove(&at);
            if let Some(blocks) = self.from.get(&at) {
                self.is_dirty[blocks.clone()].fill(true);
            }
            self.waiting.push_back((at, tuple));
        }
        is_new
    }

    /// Follows tuples with something new along the blocks, as far as that is easy: this is a search for what is novel
    /// (Lipovetzky and Geffner, Width and Serialization of Classical Planning Problems, ECAI 2012), and needs no solver.
    fn propagate(&mut self, safe_point: &dyn Fn() -> Duration) -> Result<(), GivenUp> {
        let arena = self.solver.arena().clone();
        let all = Arc::clone(&self.all);
        while let Some((at, tuple)) = self.waiting.pop_front() {
            self.until += safe_point();
            if self.is_over() {
                return Err(GivenUp);
            }
            let features = self.places.get(&at);
            let features = features.map_or(&[][..], |place| &place.features);
            if features.len() != tuple.len() {
                continue;
            }
            let known = Known::new(&arena, features, &tuple);
            let Some(blocks) = self.from.get(&at).cloned() else {
                continue;
            };
            for block in &all[blocks] {
                let Some(target) = block.target().filter(|_| !self.blocks.is_target(block)) else {
                    continue;
                };
                let guard = known.rebuild(&arena).rebuild(block.guard);
                let guard = arena.and2(guard, known.condition);
                if guard == TermId::FALSE {
                    continue;
                }
                let mut rebuild = known.rebuild(&arena);
                let terms = self.preimages(block, target).into_iter();
                let terms: Vec<TermId> = terms.map(|term| rebuild.rebuild(term)).collect();
                let found: Vec<Vec<i128>> = guesses(&arena, guard, &terms).collect();
                for tuple in found {
                    if tuple.len() == self.places.entry(target).or_default().features.len() {
                        self.add(target, tuple);
                    }
                }
            }
        }
        Ok(())
    }

    /// What the features at the block's end are in terms of the state at its beginning.
    fn preimages(&mut self, block: &Block, target: InlinedLocation) -> Vec<TermId> {
        let place = self.places.entry(target).or_default();
        let preimages = self.preimages.entry((block.source, target)).or_default();
        // What is forgotten is forgotten for good: the number says which there are.
        if preimages.len() != place.features.len() {
            let arena = self.solver.arena();
            let preimage = |term| block.preimage(&**arena, self.blocks, term);
            *preimages = place.terms().into_iter().map(preimage).collect();
        }
        preimages.clone()
    }

    /// The clauses of the place as formulas, none of which holds where nothing leads to; at the entry there are none.
    fn formulas(&mut self, at: InlinedLocation) -> Arc<Vec<TermId>> {
        if let Some(formulas) = self.formulas.get(&at) {
            return Arc::clone(formulas);
        }
        let terms = self.places.get(&at).map(Relation::terms);
        let formulas = match terms {
            _ if at == self.blocks.inlined().entry() => Vec::new(),
            terms => self.formulas_over(at, &terms.unwrap_or_default()),
        };
        let formulas = Arc::new(formulas);
        self.formulas.insert(at, Arc::clone(&formulas));
        formulas
    }

    /// The clauses of the place, where its features are the terms.
    fn formulas_over(&self, at: InlinedLocation, terms: &[TermId]) -> Vec<TermId> {
        let arena = &**self.solver.arena();
        let Some(place) = self.places.get(&at).filter(|place| !place.is_empty()) else {
            return vec![TermId::FALSE];
        };
        let clauses = place.clauses();
        let formulas = clauses.iter();
        formulas
            .map(|clause| place.formula(arena, terms, clause))
            .collect()
    }

    /// Covers what the block leads to from what is covered where it begins.
    fn close(
        &mut self,
        block: &Block,
        target: InlinedLocation,
        safe_point: &dyn Fn() -> Duration,
    ) -> Result<(), GivenUp> {
        let assumed = self.formulas(block.source);
        if assumed.contains(&TermId::FALSE) || block.guard == TermId::FALSE {
            return Ok(());
        }
        let arena = self.solver.arena().clone();
        let known: FxHashSet<TermId> = assumed.iter().copied().collect();
        let open = |goals: Vec<TermId>| {
            let open = goals.into_iter().filter(|goal| !known.contains(goal));
            let broken = open.map(|goal| arena.not(goal));
            arena.or(broken.collect::<Vec<_>>())
        };
        let preimages = self.preimages(block, target);
        let any = open(self.formulas_over(target, &preimages));
        if any == TermId::FALSE {
            return Ok(());
        }
        self.solver.push();
        self.solver.assert(block.guard);
        for &formula in assumed.iter() {
            self.solver.assert(formula);
        }
        let mut end = Ok(());
        while end.is_ok() {
            let preimages = self.preimages(block, target);
            let any = open(self.formulas_over(target, &preimages));
            end = match self.tuple(any, &preimages) {
                Err(GivenUp) => Err(GivenUp),
                Ok(None) => break,
                Ok(Some(tuple)) => match self.add(target, tuple) {
                    true => self.propagate(safe_point),
                    // A model that shows nothing is none to go by.
                    false => Err(GivenUp),
                },
            };
            // What is assumed has changed, too: the block is dirty again.
            if block.source == target {
                break;
            }
        }
        self.solver.pop();
        end
    }

    /// What the terms are in a model of what is asserted and the formula, if there is one.
    fn tuple(&mut self, formula: TermId, terms: &[TermId]) -> Result<Option<Vec<i128>>, GivenUp> {
        if formula == TermId::FALSE {
            return Ok(None);
        }
        if self.is_over() {
            return Err(GivenUp);
        }
        self.solver.set_limit(CheckLimit {
            time: Some(self.until.saturating_duration_since(Instant::now())),
            resource: None,
        });
        match self.solver.check(&[formula]) {
            Answer::Unsatisfiable => Ok(None),
            Answer::Unknown(_) => Err(GivenUp),
            Answer::Satisfiable => {
                let values = terms.iter().map(|&term| number(&self.solver.value(term)?));
                let values: Option<Vec<i128>> = values.collect();
                values.map(Some).ok_or(GivenUp)
            }
        }
    }

    /// The certificate, with no more clauses than it needs.
    fn certificate(
        &mut self,
        program: &InlinedProgram,
        safe_point: &dyn Fn() -> Duration,
    ) -> Result<Option<Certificate>, GivenUp> {
        let all = Arc::clone(&self.all);
        let mut needed = Needed::default();
        for block in all.iter() {
            if matches!(block.end, BlockEnd::RecursiveCall { .. }) {
                return Ok(None);
            }
            if self.blocks.is_target(block) {
                let Some(core) = self.core(block, &[TermId::FALSE])? else {
                    return Ok(None);
                };
                needed.add(block.source, core);
            }
        }
        while let Some(at) = needed.waiting.pop() {
            self.until += safe_point();
            let goals = needed.formulas.get(&at).cloned().unwrap_or_default();
            for block in all.iter().filter(|block| block.target() == Some(at)) {
                let Some(core) = self.core(block, &goals)? else {
                    return Ok(None);
                };
                needed.add(block.source, core);
            }
        }
        let mut invariants: Vec<Candidate> = Vec::new();
        for (at, formulas) in needed.formulas {
            if !program.cut_points().contains(at.location) || at == program.entry() {
                continue;
            }
            invariants.extend(Candidate::each(at, self.shared(at, &formulas)));
        }
        invariants.sort_unstable_by_key(|one| (one.at, one.formula));
        let nothing = Snapshot::default();
        Ok(Some(nothing.certificate(1, &[], &invariants, program)))
    }

    /// The place's clauses that are these formulas, in the shared store.
    fn shared(&self, at: InlinedLocation, formulas: &[TermId]) -> Vec<TermId> {
        let Some(place) = self.places.get(&at).filter(|place| !place.is_empty()) else {
            return vec![TermId::FALSE];
        };
        let arena = &**self.solver.arena();
        let terms = place.terms();
        let clauses = place.clauses();
        let wanted = clauses
            .iter()
            .filter(|clause| formulas.contains(&place.formula(arena, &terms, clause)));
        wanted
            .map(|clause| place.formula(store(), &terms, clause))
            .collect()
    }

    /// Some clauses at the block's source from which the goals hold behind it; `None` if that is not so.
    fn core(&mut self, block: &Block, goals: &[TermId]) -> Result<Option<Vec<TermId>>, GivenUp> {
        let arena = self.solver.arena().clone();
        let assumed = self.formulas(block.source);
        let known: FxHashSet<TermId> = assumed.iter().copied().collect();
        let mut used = Vec::new();
        let mut broken = Vec::new();
        for &goal in goals {
            let goal = block.preimage(&*arena, self.blocks, goal);
            if known.contains(&goal) {
                used.push(goal);
            } else {
                broken.push(arena.not(goal));
            }
        }
        let open = arena.and2(block.guard, arena.or(broken));
        if open == TermId::FALSE {
            return Ok(Some(used));
        }
        if self.is_over() {
            return Err(GivenUp);
        }
        self.solver.push();
        self.solver.assert(open);
        self.solver.set_limit(CheckLimit {
            time: Some(self.until.saturating_duration_since(Instant::now())),
            resource: None,
        });
        let answer = self.solver.check(&assumed);
        let core = (answer == Answer::Unsatisfiable).then(|| self.solver.unsat_core());
        self.solver.pop();
        match (answer, core) {
            (Answer::Unknown(_), _) => Err(GivenUp),
            (_, None) => Ok(None),
            (_, Some(core)) => {
                used.extend(core);
                Ok(Some(used))
            }
        }
    }
}

/// What a proof needs.
#[derive(Default)]
struct Needed {
    formulas: FxHashMap<InlinedLocation, Vec<TermId>>,
    /// Where that has grown.
    waiting: Vec<InlinedLocation>,
}

impl Needed {
    fn add(&mut self, at: InlinedLocation, core: Vec<TermId>) {
        let known = self.formulas.entry(at).or_default();
        let before = known.len();
        for formula in core {
            if !known.contains(&formula) {
                known.push(formula);
            }
        }
        if known.len() > before && !self.waiting.contains(&at) {
            self.waiting.push(at);
        }
    }
}
