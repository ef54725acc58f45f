//! The largest inductive subset of candidates (Flanagan and Leino, Houdini, an Annotation Assistant for ESC/Java, FME
//! 2001), and proofs by such sets.
//!
//! A candidate stays as long as every block into its cut point leads to states that satisfy it, from states that satisfy
//! the candidates and the proved invariants where the block starts. A solver's model of a block that breaks some of them
//! refutes these at once. What is left when no block breaks any is 1-inductive.
//!
//! * This file: the largest inductive subset; [`proof`]: proofs by inductive sets.

mod proof;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::samples::{Samples, number};
use super::{ByPlace, Candidate, Proved, Publisher, Snapshot, by_place};
use crate::analysis::{CancellationToken, Context};
use crate::certify::certificate::{indices_of, instances_at, quantified};
use crate::entailment::unknowns::is_hard;
use crate::entailment::{Core, Oracle, Premises, Rung};
use crate::program::InlinedLocation;
use crate::program::block::{Block, Blocks};
use crate::solver::z3::text::{TextAnswer, TextSolver};
use crate::solver::{Answer, CheckLimit, Solver};
use crate::term::{Build, Sort, Symbol, TermId, Value, free_variables, smtlib_script, store};

/// Wall times of queries.
#[derive(Copy, Clone, Debug)]
struct Patience {
    /// Over many candidates.
    many: Duration,
    /// Over one candidate, where the one over many was not answered.
    one: Duration,
    /// Over several such candidates.
    alone: Duration,
}

const PATIENT: Patience = Patience {
    many: Duration::from_millis(400),
    one: Duration::from_millis(300),
    alone: Duration::from_millis(1_500),
};

/// For candidates of which others will come soon.
const IMPATIENT: Patience = Patience {
    many: Duration::from_millis(50),
    one: Duration::ZERO,
    alone: Duration::ZERO,
};

/// Finds inductive subsets of candidates over one program.
pub struct Houdini {
    blocks: Arc<Blocks>,
    solver: Box<dyn Solver>,
    alone: TextSolver,
    /// All blocks between cut points.
    all: Arc<[Block]>,
    token: CancellationToken,
    patience: Patience,
    begin: Instant,
}

/// A state that a model reaches at a cut point and that refutes candidates there.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The cut point.
    pub at: InlinedLocation,
    /// The state, as a row of the place's samples, if there are such.
    pub row: Option<Vec<i128>>,
}

impl Houdini {
    /// Over the program of the blocks, which must have no recursion.
    pub fn new(blocks: &Arc<Blocks>, solver: Box<dyn Solver>, token: &CancellationToken) -> Self {
        token.interrupts(solver.interrupter());
        let points = blocks.cut_points();
        let all = points.iter().flat_map(|&at| blocks.from(at).to_vec());
        Self {
            all: all.collect(),
            blocks: Arc::clone(blocks),
            solver,
            alone: TextSolver::default(),
            token: token.clone(),
            patience: PATIENT,
            begin: Instant::now(),
        }
    }

    /// The same, for candidates that are dropped rather than waited for.
    pub fn impatient(self) -> Self {
        Self {
            patience: IMPATIENT,
            ..self
        }
    }

    /// Publishes the largest inductive subset of the candidates, and says what of it is new. `observe` is told what
    /// refutes the others.
    pub fn publish(
        &mut self,
        candidates: &[Candidate],
        samples: &Samples,
        context: &Context<'_>,
        observe: &mut dyn FnMut(Refutation),
    ) -> Vec<Candidate> {
        let snapshot = context.exchange.snapshot();
        let candidates = candidates.iter().copied();
        let candidates = candidates.filter(|one| !context.exchange.is_refuted(one));
        let batch = self.inductive_subset(
            &candidates.collect::<Vec<_>>(),
            &snapshot,
            samples,
            &|_| Publisher::clone(context.exchange.publisher()),
            context.safe_point,
            observe,
        );
        let Some(batch) = batch else {
            return Vec::new();
        };
        let known = snapshot.candidates();
        let mut new = batch.invariants().to_vec();
        new.retain(|one| !known.contains(one));
        if new.is_empty() || context.exchange.publish(batch).is_none() {
            return Vec::new();
        }
        new
    }

    /// The largest subset of the candidates that is inductive relative to what is proved, as far as the solver can tell
    /// in short queries; `None` if that is empty, or when cancelled. `observe` is told what refutes the others.
    pub fn inductive_subset(
        &mut self,
        candidates: &[Candidate],
        proved: &Snapshot,
        samples: &Samples,
        publisher: &dyn Fn(&Candidate) -> Publisher,
        safe_point: &dyn Fn() -> Duration,
        observe: &mut dyn FnMut(Refutation),
    ) -> Option<Proved> {
        // Elsewhere there is no block to break them.
        let cut_points = self.blocks.inlined().cut_points();
        let at_cut_points = candidates.iter().copied();
        let at_cut_points = at_cut_points.filter(|one| cut_points.contains(one.at.location));
        let mut open = by_place(at_cut_points);
        let known = proved.by_place();
        let all = Arc::clone(&self.all);
        let mut dirty: Vec<bool> = vec![true; all.len()];
        while let Some(next) = dirty.iter().position(|&dirty| dirty) {
            dirty[next] = false;
            safe_point();
            if self.token.is_cancelled() {
                return None;
            }
            let block = &all[next];
            let Some(target) = block.target() else {
                continue;
            };
            let goals = open.get(&target).cloned().unwrap_or_default();
            if goals.is_empty() {
                continue;
            }
            let empty = Vec::new();
            let at_source = |map: &ByPlace| map.get(&block.source).unwrap_or(&empty).clone();
            let assumed = [at_source(&open), at_source(&known)].concat();
            let left = self.consecution(block, &assumed, goals.clone(), samples, observe);
            if left.len() < goals.len() {
                open.insert(target, left);
                for (index, other) in all.iter().enumerate() {
                    dirty[index] |= other.source == target;
                }
            }
        }
        let invariants: Vec<Candidate> = open
            .into_iter()
            .flat_map(|(at, formulas)| Candidate::each(at, formulas))
            .collect();
        let relies_on = proved.batches().map(|(id, _)| id).collect();
        (!invariants.is_empty()).then(|| Proved::new(invariants, 1, relies_on, publisher))
    }

    /// The goals that hold behind the block, from all states that satisfy what is assumed.
    fn consecution(
        &mut self,
        block: &Block,
        assumed: &[TermId],
        goals: Vec<TermId>,
        samples: &Samples,
        observe: &mut dyn FnMut(Refutation),
    ) -> Vec<TermId> {
        let arena = self.solver.arena().clone();
        let mut open: Vec<(TermId, TermId)> = goals
            .into_iter()
            .map(|goal| (goal, self.preimage(block, goal)))
            .collect();
        let mut held: Vec<TermId> = Vec::new();
        // The lowest rungs, before the indices of arrays are looked at.
        let premises = Premises::new(&arena, assumed);
        open.retain(|&(goal, preimage)| {
            let is_decided = block.guard == TermId::FALSE || premises.imply(preimage);
            if is_decided {
                held.push(goal);
            }
            !is_decided
        });
        if open.is_empty() {
            return held;
        }
        self.by_arrays(block, assumed, &mut open, &mut held);
        let preimages: Vec<TermId> = open.iter().map(|&(_, preimage)| preimage).collect();
        let instances = self.instances(block, assumed, &preimages);
        let assumed: Vec<TermId> = instances.into_iter().map(|(formula, _)| formula).collect();
        let premises = Premises::new(&arena, &assumed);
        let guard = premises.product_free(block.guard);
        let easy = premises.without_products();
        let goals = open
            .iter()
            .map(|&(_, preimage)| premises.product_free(preimage));
        let mut goals: Vec<TermId> = goals.collect();
        if premises.have_products() {
            for (goal, &(_, preimage)) in goals.iter_mut().zip(&open) {
                if premises.imply(preimage) {
                    *goal = TermId::TRUE;
                }
            }
            let holds = self.split(guard, easy, &goals, &mut |_| {});
            let mut holds = holds.into_iter();
            open.retain(|&(goal, _)| {
                let holds = holds.next() == Some(true);
                if holds {
                    held.push(goal);
                }
                !holds
            });
        }
        let goals: Vec<TermId> = open.iter().map(|&(_, preimage)| preimage).collect();
        let at = block.target();
        let holds = self.split(block.guard, &assumed, &goals, &mut |houdini| {
            if let Some(at) = at {
                let row = houdini.row(block, at, samples);
                observe(Refutation { at, row });
            }
        });
        let holding = open.iter().zip(holds).filter(|(_, holds)| *holds);
        held.extend(holding.map(|((goal, _), _)| *goal));
        held
    }

    /// What speaks of any index is many instances. So goals are first tried with no other such assumptions than those
    /// about the same arrays; those that hold move from `open` to `held`.
    fn by_arrays(
        &mut self,
        block: &Block,
        assumed: &[TermId],
        open: &mut Vec<(TermId, TermId)>,
        held: &mut Vec<TermId>,
    ) {
        let arrays = |formula: TermId| quantified(formula).map(|_| arrays_of(formula));
        let assumed: Vec<(TermId, Option<Vec<Symbol>>)> =
            assumed.iter().map(|&one| (one, arrays(one))).collect();
        if assumed.iter().all(|(_, of)| of.is_none()) {
            return;
        }
        let mut groups: FxHashMap<Option<Vec<Symbol>>, Vec<(TermId, TermId)>> =
            FxHashMap::default();
        for goal in std::mem::take(open) {
            groups.entry(arrays(goal.0)).or_default().push(goal);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_unstable();
        for (about, goals) in groups {
            let related = assumed
                .iter()
                .filter(|(_, of)| of.is_none() || *of == about);
            let related: Vec<TermId> = related.map(|&(one, _)| one).collect();
            let preimages: Vec<TermId> = goals.iter().map(|&(_, preimage)| preimage).collect();
            let instances = self.instances(block, &related, &preimages).into_iter();
            let related: Vec<TermId> = instances.map(|(formula, _)| formula).collect();
            let holds = self.split(block.guard, &related, &preimages, &mut |_| {});
            for (goal, holds) in goals.into_iter().zip(holds) {
                match holds {
                    true => held.push(goal.0),
                    false => open.push(goal),
                }
            }
        }
    }

    /// Which of the goals follow from the guard and what is assumed; those that the solver cannot decide in time do not.
    /// `observe` is called while the solver has a model that refutes some.
    fn split(
        &mut self,
        guard: TermId,
        assumed: &[TermId],
        goals: &[TermId],
        observe: &mut dyn FnMut(&mut Self),
    ) -> Vec<bool> {
        let arena = self.solver.arena().clone();
        let mut holds = vec![false; goals.len()];
        let mut open: Vec<usize> = Vec::new();
        for (index, &goal) in goals.iter().enumerate() {
            holds[index] = goal == TermId::TRUE;
            open.extend((!holds[index]).then_some(index));
        }
        if open.is_empty() {
            return holds;
        }
        self.solver.push();
        self.solver.assert(guard);
        for &formula in assumed {
            self.solver.assert(formula);
        }
        while !open.is_empty() && !self.token.is_cancelled() {
            let broken = open.iter().map(|&index| arena.not(goals[index]));
            let any = arena.or(broken.collect::<Vec<_>>());
            self.limit(self.patience.many);
            match self.solver.check(&[any]) {
                Answer::Unsatisfiable => {
                    for index in open.drain(..) {
                        holds[index] = true;
                    }
                }
                Answer::Satisfiable => {
                    let (refuted, left): (Vec<usize>, Vec<usize>) =
                        open.iter().partition(|&&index| {
                            self.solver.value(goals[index]) != Some(Value::Bool(true))
                        });
                    // A model that shows nothing is none to go by.
                    if refuted.is_empty() {
                        break;
                    }
                    observe(self);
                    for index in refuted {
                        holds[index] =
                            planted!("houdini: what a model refutes is proved", false, true);
                    }
                    open = left;
                }
                Answer::Unknown(_) => break,
            }
        }
        self.solver.pop();
        // Incremental solving is not good at everything.
        let begin = Instant::now();
        for index in open {
            if self.token.is_cancelled() || begin.elapsed() >= self.patience.alone {
                break;
            }
            // If only the block is hard, a goal that holds does so whatever the hard parts are, nearly always.
            if !is_hard(&arena, &[goals[index]]) && is_hard(&arena, &[guard]) {
                continue;
            }
            let premises = [assumed, &[guard]].concat();
            let Ok(core) = Premises::new(&arena, &premises)
                .by_powers(goals[index], &mut Asked(self, self.patience.one));
            holds[index] = core.is_some() || self.holds_alone(guard, assumed, goals[index]);
        }
        holds
    }

    /// Whether the goal follows, asked of a solver that need not be ready for another question.
    fn holds_alone(&mut self, guard: TermId, assumed: &[TermId], goal: TermId) -> bool {
        let arena = self.solver.arena();
        let assertions = assumed.iter().copied().chain([guard, arena.not(goal)]);
        let script = smtlib_script(&**arena, &assertions.collect::<Vec<_>>());
        self.alone.check(&script, &[], self.patience.one) == TextAnswer::Unsatisfiable
    }

    /// The formulas, each with what it is an instance of: those that speak of any index for the indices that the block
    /// and the goals use.
    fn instances(
        &self,
        block: &Block,
        formulas: &[TermId],
        goals: &[TermId],
    ) -> Vec<(TermId, TermId)> {
        let arena = &**self.solver.arena();
        let mut all: Vec<(TermId, TermId)> = formulas.iter().map(|&one| (one, one)).collect();
        let mut indices = None;
        for &formula in formulas {
            let Some(symbol) = quantified(formula) else {
                continue;
            };
            let indices = indices.get_or_insert_with(|| {
                let updates = block.updates.iter().map(|(_, value)| *value);
                let terms = updates.chain([block.guard]).chain(goals.iter().copied());
                indices_of(arena, terms)
            });
            let instances = instances_at(arena, formula, symbol, indices);
            all.extend(instances.map(|instance| (instance, formula)));
        }
        all
    }

    fn limit(&mut self, time: Duration) {
        self.solver.set_limit(CheckLimit {
            time: Some(time),
            resource: None,
        });
    }

    /// The weakest precondition of the formula at the block's end, apart from its guard.
    fn preimage(&self, block: &Block, formula: TermId) -> TermId {
        block.preimage(&**self.solver.arena(), &self.blocks, formula)
    }

    /// The state behind the block in the model of the last check.
    fn row(&mut self, block: &Block, at: InlinedLocation, samples: &Samples) -> Option<Vec<i128>> {
        let variables = samples.places.get(&at)?.variables.clone();
        let value = |variable: super::samples::SampledVariable| {
            let updated = block.updates.iter().find(|(id, _)| *id == variable.id);
            let term = updated.map_or(variable.term, |(_, value)| *value);
            number(&self.solver.value(term)?)
        };
        variables.into_iter().map(value).collect()
    }
}

/// Houdini's solver, asked for so long at most.
struct Asked<'h>(&'h mut Houdini, Duration);

impl Oracle for Asked<'_> {
    type Stop = Infallible;

    fn exclude(&mut self, assertions: &[TermId], _: Rung) -> Result<Option<Core>, Infallible> {
        let Self(houdini, most) = self;
        if houdini.token.is_cancelled() {
            return Ok(None);
        }
        houdini.limit(*most);
        if houdini.solver.check(assertions) != Answer::Unsatisfiable {
            return Ok(None);
        }
        let core = houdini.solver.unsat_core();
        let places = 0..assertions.len();
        Ok(Some(
            places
                .filter(|&place| core.contains(&assertions[place]))
                .collect(),
        ))
    }
}

/// The arrays that the formula speaks of.
fn arrays_of(formula: TermId) -> Vec<Symbol> {
    let variables = free_variables(store(), formula).into_iter();
    let symbols = variables.map(|(symbol, _)| symbol);
    let mut arrays: Vec<Symbol> = symbols
        .filter(|symbol| matches!(symbol.sort(), Sort::Array { .. }))
        .collect();
    arrays.sort_unstable();
    arrays
}
