//! Enumeration of feature values: for each cut point, the least set of tuples that is closed under all blocks.
//!
//! This is explicit-state model checking over features with few values, with the rest of the state symbolic: a tuple is
//! substituted into a block, which simplifies it, and a solver's models of the rest give the tuples after it (so it is
//! symbolic abstraction, too, in the domain of sets of tuples: \[RSY04\]). Samples give the
//! first tuples. Features that turn out to have many values are dropped.
//!
//! Most blocks are decided by the tuple alone; these are executed on machine words ([`words`]), without building terms.

mod machine;
mod words;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use self::machine::{Machine, Run};
pub use super::features::Precision;
use super::features::{Feature, Features, Kind};
use super::guess::{Vocabulary, constant};
use super::samples::{Samples, number};
use super::tuples::{Tuple, Tuples};
use crate::CancellationToken;
use regatta_certify::certificate::Certificate;
use regatta_program::InlinedLocation;
use regatta_program::block::{Block, Blocks};
use regatta_sharing::{Candidate, Proved, Publisher, Snapshot};
use regatta_solver::{Answer, CheckLimit, Solver};
use regatta_term::{Arena, Build, Pool, Rebuild, Sort, TermId, store};

/// Maximum number of tuples of all locations that are processed, including repetitions.
const MAXIMUM_PROCESSED_TUPLES: usize = 1_000_000;

/// Enumerates the tuples of a program's states.
pub struct States<'b> {
    blocks: &'b Arc<Blocks>,
    solver: &'b mut dyn Solver,
    token: &'b CancellationToken,
    until: Instant,
    places: FxHashMap<InlinedLocation, Tuples>,
    /// For blocks by source and target, the features at the end as terms over the state at the beginning.
    preimages: FxHashMap<(InlinedLocation, InlinedLocation), Vec<TermId>>,
    /// The blocks from a location, compiled.
    machines: FxHashMap<InlinedLocation, Machine>,
    until_unsafe: bool,
    is_safe: bool,
}

/// Sets of tuples that are closed under all blocks.
pub struct Explored {
    places: FxHashMap<InlinedLocation, Tuples>,
    is_safe: bool,
}

/// The result of following a block.
enum Followed {
    /// These tuples are new.
    Added(Vec<Tuple>),
    /// A feature at the block's target was dropped; the target's tuples are to be processed again.
    FeatureDropped,
}

/// The states with a tuple: the values of variables and a condition on the others.
struct Known {
    values: FxHashMap<TermId, TermId>,
    condition: TermId,
}

impl Known {
    /// Substitutes the values in terms.
    fn rebuild<'r>(
        &'r self,
        arena: &'r Arena,
    ) -> Rebuild<'r, Arena, Arena, impl FnMut(TermId) -> Option<TermId> + 'r> {
        Rebuild::new(arena, arena, |term| self.values.get(&term).copied())
    }
}

/// A tuple from which blocks are followed.
struct Origin<'m> {
    at: InlinedLocation,
    machine: &'m mut Machine,
    /// Computed on demand.
    known: Option<Known>,
}

impl Origin<'_> {
    fn known(&mut self, states: &States<'_>) -> &Known {
        let (at, machine) = (self.at, &*self.machine);
        self.known
            .get_or_insert_with(|| states.known(at, machine.tuple()))
    }
}

impl<'b> States<'b> {
    /// Starts with the tuples of the samples, within the time. Except at the highest precision, exploration ends when
    /// the property is not proved. `None` if this program has no such precision.
    pub fn new(
        blocks: &'b Arc<Blocks>,
        solver: &'b mut dyn Solver,
        token: &'b CancellationToken,
        samples: &Samples,
        (conditions, precision): (&Vocabulary, Precision),
        time: Duration,
    ) -> Option<Self> {
        let features = Features::new(blocks, samples, conditions, precision)?;
        let places = samples.places.iter();
        Some(Self {
            blocks,
            solver,
            token,
            until: Instant::now() + time,
            places: places
                .map(|(&at, place)| (at, Tuples::new(features.of(place))))
                .collect(),
            preimages: FxHashMap::default(),
            machines: FxHashMap::default(),
            until_unsafe: precision != Precision::Conditions,
            is_safe: true,
        })
    }

    /// Adds tuples until the sets are closed under all blocks; `None` if that is not reached.
    pub fn explore(mut self, safe_point: &dyn Fn() -> Duration) -> Option<Explored> {
        let points = self.blocks.cut_points();
        let mut processed = 0;
        let mut waiting: Vec<(InlinedLocation, Tuple)> = points
            .iter()
            .flat_map(|&at| self.tuples(at).into_iter().map(move |tuple| (at, tuple)))
            .collect();
        // The last first, which soon finds tuples that lead to a target.
        while let Some((source, tuple)) = waiting.pop() {
            self.until += safe_point();
            if self.until_unsafe && !self.is_safe {
                return None;
            }
            processed += 1;
            if processed > MAXIMUM_PROCESSED_TUPLES
                || self.token.is_cancelled()
                || Instant::now() >= self.until
            {
                return None;
            }
            let blocks = self.blocks.from(source);
            let mut machine = self.machines.remove(&source).unwrap_or_default();
            let values = self.places.get(&source);
            let values = values.map_or_else(Vec::new, |place| place.values(&tuple));
            machine.begin(&**self.solver.arena(), self.features(source), values);
            let mut from = Origin {
                at: source,
                machine: &mut machine,
                known: None,
            };
            for (number, block) in blocks.iter().enumerate() {
                match (block.target(), self.blocks.is_target(block)) {
                    (Some(target), false) => {
                        match self.follow((number, block), target, &mut from)? {
                            Followed::Added(tuples) => {
                                waiting.extend(tuples.into_iter().map(|tuple| (target, tuple)));
                            }
                            Followed::FeatureDropped => {
                                waiting.retain(|(at, _)| *at != target);
                                let again = self.tuples(target).into_iter();
                                waiting.extend(again.map(|tuple| (target, tuple)));
                                // Not all successors of this tuple have been seen.
                                if source != target {
                                    waiting.push((source, tuple));
                                }
                                break;
                            }
                        }
                    }
                    _ => self.is_safe = self.is_safe && self.excludes(block, &mut from),
                }
            }
            self.machines.insert(source, machine);
        }
        Some(Explored {
            places: self.places,
            is_safe: self.is_safe,
        })
    }

    /// Returns the tuples at a location; the entry has one, the empty tuple.
    fn tuples(&self, at: InlinedLocation) -> Vec<Tuple> {
        match self.places.get(&at) {
            Some(tuples) => tuples.all.iter().cloned().collect(),
            None if at == self.blocks.inlined().entry() => vec![Tuple::default()],
            None => Vec::new(),
        }
    }

    fn features(&self, at: InlinedLocation) -> &[Feature] {
        let place = self.places.get(&at);
        place.map_or(&[][..], |place| &place.features)
    }

    fn known(&self, at: InlinedLocation, tuple: &[i128]) -> Known {
        let arena = self.solver.arena();
        let mut values: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut conditions = Vec::new();
        for (feature, &value) in self.features(at).iter().zip(tuple) {
            let constant = constant(feature.sort, value);
            match feature.kind {
                Kind::Variable => _ = values.insert(feature.term, constant),
                Kind::Difference { of, from } => {
                    values.insert(of, arena.add(from, constant));
                }
                Kind::Choice { of, other } if value != other => _ = values.insert(of, constant),
                Kind::Condition | Kind::Choice { .. } => {
                    conditions.push(feature.is(&**arena, feature.term, value));
                }
            }
        }
        let mut known = Known {
            values,
            condition: TermId::TRUE,
        };
        let condition = known.rebuild(arena).rebuild(arena.and(conditions));
        known.condition = condition;
        known
    }

    /// Checks whether the block, which leads to a target, is infeasible in the states.
    fn excludes(&mut self, block: &Block, from: &mut Origin<'_>) -> bool {
        let arena = self.solver.arena().clone();
        if from.machine.excludes(&*arena, block) {
            return true;
        }
        let known = from.known(self);
        let guard = known.rebuild(&arena).rebuild(block.guard);
        let open = arena.and2(guard, known.condition);
        open == TermId::FALSE || self.model(open, &[]) == Some(None)
    }

    /// Adds the tuples to which the block leads from the states; `None` if that is undecided.
    fn follow(
        &mut self,
        (number, block): (usize, &Block),
        target: InlinedLocation,
        from: &mut Origin<'_>,
    ) -> Option<Followed> {
        let arena = self.solver.arena().clone();
        let place = self.places.entry(target).or_default();
        // Features are dropped for good, so their number identifies the set.
        let preimages = self.preimages.entry((block.source, target)).or_default();
        if preimages.len() != place.features.len() {
            let preimage = |term| block.preimage(&*arena, self.blocks, term);
            *preimages = place.terms().into_iter().map(preimage).collect();
        }
        let run = from.machine.run(&*arena, (number, block), preimages, place);
        match run {
            Run::NothingNew => return Some(Followed::Added(Vec::new())),
            Run::To(tuple) => {
                let added = place.add(&tuple);
                return Some(match place.drop_large_features() {
                    true => Followed::FeatureDropped,
                    false => Followed::Added(added.into_iter().collect()),
                });
            }
            Run::Undecided => {}
        }
        let known = from.known(self);
        let preimages = &self.preimages[&(block.source, target)];
        let mut rebuild = known.rebuild(&arena);
        let guard = rebuild.rebuild(block.guard);
        let guard = arena.and2(guard, known.condition);
        if guard == TermId::FALSE {
            return Some(Followed::Added(Vec::new()));
        }
        let place = &self.places[&target];
        let terms = preimages.iter().map(|&term| rebuild.rebuild(term));
        let terms: Vec<TermId> = terms.collect();
        let mut open = arena.and2(guard, arena.not(place.is_one(&arena, &terms)));
        let mut added = Vec::new();
        while open != TermId::FALSE {
            if self.token.is_cancelled() {
                return None;
            }
            let tuple = match guessed(&arena, open, &terms) {
                Some(tuple) => tuple,
                None => match self.model(open, &terms)? {
                    Some(tuple) => tuple,
                    None => break,
                },
            };
            let place = self.places.get_mut(&target)?;
            let is_other = arena.not(place.is(&*arena, &terms, &tuple));
            let tuple = place.add(&tuple)?;
            if place.drop_large_features() {
                return Some(Followed::FeatureDropped);
            }
            added.push(tuple);
            open = arena.and2(open, is_other);
        }
        Some(Followed::Added(added))
    }

    /// Returns the values of the terms in a model of the formula, if it has one; the outer `None` if that is undecided.
    fn model(&mut self, formula: TermId, terms: &[TermId]) -> Option<Option<Vec<i128>>> {
        self.solver.push();
        self.solver.assert(formula);
        self.solver.set_limit(CheckLimit {
            time: Some(self.until.saturating_duration_since(Instant::now())),
            resource: None,
        });
        let found = match self.solver.check(&[]) {
            Answer::Unsatisfiable => Some(None),
            Answer::Unknown(_) => None,
            Answer::Satisfiable => {
                let values = self.solver.values(terms).into_iter();
                let values = values.map(|value| number(&value?));
                values.collect::<Option<Vec<i128>>>().map(Some)
            }
        };
        self.solver.pop();
        found
    }
}

/// Returns the values of the terms if all variables have the same small value and the formula holds then. Often the
/// rest of a block consists of nondeterministic choices, so that this is a model without a solver.
fn guessed(arena: &Arena, formula: TermId, terms: &[TermId]) -> Option<Vec<i128>> {
    [0, 1].into_iter().find_map(|value| {
        let mut rebuild = Rebuild::new(arena, arena, |term| {
            let sort = arena.sort(term);
            let is_number = matches!(sort, Sort::Bool | Sort::BitVec(_) | Sort::Int);
            let is_variable = arena.is_variable(term);
            (is_variable && is_number).then(|| constant(sort, value))
        });
        if rebuild.rebuild(formula) != TermId::TRUE {
            return None;
        }
        let values = terms.iter().map(|&term| {
            let constant = arena.constant(rebuild.rebuild(term))?;
            number(&constant.to_value())
        });
        values.collect()
    })
}

impl Explored {
    /// Returns the invariants at the cut points of the blocks, and the proof that no target is reached if they prove
    /// that. The enumeration may have had further cut points: invariants that are inductive over these are inductive
    /// from one cut point of `blocks` to the next without them.
    pub fn proved(
        self,
        publisher: &Publisher,
        blocks: &Blocks,
    ) -> (Option<Proved>, Option<Certificate>) {
        let inlined = blocks.inlined();
        let places = self.places.iter();
        let wanted = places.filter(|(at, _)| inlined.cut_points().contains(at.location));
        let invariants = wanted.map(|(&at, tuples)| Candidate {
            at,
            formula: tuples.invariant(store()),
        });
        let mut invariants: Vec<Candidate> = invariants.collect();
        invariants.retain(|one| one.formula != TermId::TRUE);
        invariants.sort_unstable_by_key(|one| (one.at, one.formula));
        let nothing = Snapshot::default();
        let certificate = self
            .is_safe
            .then(|| nothing.certificate(1, &[], &invariants, inlined));
        let batch = (!invariants.is_empty())
            .then(|| Proved::new(invariants, 1, Vec::new(), |_| Publisher::clone(publisher)));
        (batch, certificate)
    }
}
