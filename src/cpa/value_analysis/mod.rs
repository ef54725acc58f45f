//! The value analysis: abstract interpretation (Cousot and Cousot, POPL 1977) of numbers, as a domain of CPA++.
//!
//! An abstract state maps terms to sets of numbers ([`crate::term::domain`]). A term is a variable; the difference of two
//! variables (zones: Miné, PADO 2001; here modulo 2^w, exact when they wrap around); or an array, for which the set has the
//! values of all its cells. merge is the join, at loop heads widening; stop is inclusion. How much is tracked is the
//! [`Precision`].
//!
//! * [`paths`](mod@paths): blocks path by path.
//! * This file: the operators of the CPA.

pub mod paths;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::paths::{Path, paths};
use super::composite::Domain;
use super::location::{Edge, EdgeKind, Place};
use crate::program::block::Blocks;
use crate::program::{CutPointKind, InlinedLocation, VariableId};
use crate::term::domain::{AbstractValue, Congruence, Environment, Thresholds, Universe, Values};
use crate::term::{Arena, Build, Sort, TermId, store};

/// How often states at a loop head are joined before they are widened, before thresholds are passed over, and before
/// what changes is given up.
const JOINS: u32 = 2;
const THRESHOLDS: u32 = 40;
const WIDENINGS: u32 = 100;

/// What is tracked of pairs of variables.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Relations {
    /// Nothing.
    None,
    /// The template Eq: that they are equal.
    Equalities,
    /// Bounds of their difference.
    Differences,
}

/// How much is tracked.
#[derive(Clone, Debug)]
pub struct Precision {
    /// The variables.
    pub variables: Rc<FxHashSet<VariableId>>,
    /// Pairs of variables of one sort.
    pub pairs: Rc<[(VariableId, VariableId)]>,
    /// What of the pairs.
    pub relations: Relations,
    /// The most intervals of a variable.
    pub disjuncts: usize,
    /// The most parts that a block is split into.
    pub paths: usize,
    /// Whether remainders are tracked.
    pub congruences: bool,
    /// Whether arrays are tracked.
    pub cells: bool,
}

/// An abstract state.
#[derive(Clone, Debug)]
pub struct ValueState {
    /// What is known; of terms that are not there, nothing.
    pub values: Rc<Values>,
    widens: bool,
    merges: u32,
}

/// What is tracked at a place.
#[derive(Copy, Clone, Debug)]
enum Tracked {
    Variable(VariableId),
    Difference(VariableId, VariableId),
}

/// The value analysis of a program without recursion.
pub struct ValueAnalysis {
    blocks: Arc<Blocks>,
    arena: Arena,
    thresholds: Thresholds,
    paths: FxHashMap<(InlinedLocation, usize), Rc<[Path]>>,
    tracked: FxHashMap<InlinedLocation, Rc<[(TermId, Tracked)]>>,
    /// What is known to hold.
    known: FxHashMap<InlinedLocation, Vec<TermId>>,
}

impl ValueAnalysis {
    /// Over the blocks; widening stops at the thresholds. To be run with one precision.
    pub fn new(blocks: Arc<Blocks>, thresholds: Thresholds) -> Self {
        Self {
            blocks,
            arena: Arena::new(),
            thresholds,
            paths: FxHashMap::default(),
            tracked: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    /// The formulas hold in all states at their places.
    pub fn assume(&mut self, known: FxHashMap<InlinedLocation, Vec<TermId>>) {
        self.known = known;
    }

    /// The state in which nothing is known.
    pub fn initial(&self) -> ValueState {
        ValueState {
            values: Rc::default(),
            widens: false,
            merges: 0,
        }
    }

    /// The state, in which terms are evaluated.
    pub fn environment<'e>(
        &'e self,
        values: &'e Values,
        precision: &Precision,
    ) -> Environment<'e, Arena> {
        let relational = precision.relations != Relations::None;
        Environment::new(&self.arena, values, relational)
    }

    /// Of two sound states of one place, what both know: a step of narrowing.
    pub fn narrow(&self, state: &ValueState, by: &Values) -> ValueState {
        let mut values = by.clone();
        for (term, own) in &*state.values {
            let value = values.entry(*term).or_insert_with(|| own.clone());
            let both = value.meet(own);
            // Nothing is in both if the place is not reached, which is for the transfer relation to say.
            if !both.is_empty() {
                *value = both;
            }
        }
        ValueState {
            values: Rc::new(values),
            ..state.clone()
        }
    }

    /// The union, of what the precision keeps.
    pub fn join(&self, a: &Values, b: &Values, precision: &Precision) -> Values {
        let mut joined = Values::default();
        for (term, value) in a {
            if let Some(other) = b.get(term) {
                let value = kept(value.join(other), precision);
                insert(&mut joined, *term, value);
            }
        }
        joined
    }

    fn widen(&self, old: &ValueState, new: &ValueState, precision: &Precision) -> Values {
        let none = Thresholds::default();
        let thresholds = match old.merges < THRESHOLDS {
            true => &self.thresholds,
            false => &none,
        };
        let mut widened = Values::default();
        for (term, value) in &*old.values {
            let Some(other) = new.values.get(term) else {
                continue;
            };
            let is_stable = other.is_subset(value);
            if is_stable || old.merges < WIDENINGS {
                let value = match is_stable {
                    true => value.clone(),
                    false => value.widen(other, thresholds, precision.disjuncts),
                };
                insert(&mut widened, *term, kept(value, precision));
            }
        }
        widened
    }

    fn tracked(&mut self, at: InlinedLocation, precision: &Precision) -> Rc<[(TermId, Tracked)]> {
        if let Some(known) = self.tracked.get(&at) {
            return Rc::clone(known);
        }
        let program = self.blocks.inlined().program();
        let live = self.blocks.state(at);
        let mut tracked = Vec::new();
        for &id in &live {
            let variable = program.variable(id);
            let is_array = matches!(variable.sort, Sort::Array { .. });
            let wanted = match is_array {
                true => precision.cells,
                false => precision.variables.contains(&id),
            };
            if wanted && Universe::of(variable.sort).is_some() {
                tracked.push((store().variable(variable.symbol), Tracked::Variable(id)));
            }
        }
        if precision.relations != Relations::None {
            let live: FxHashSet<VariableId> = live.into_iter().collect();
            for &(x, y) in &*precision.pairs {
                if live.contains(&x) && live.contains(&y) {
                    let term = |id| store().variable(program.variable(id).symbol);
                    let difference = subtract(store(), term(x), term(y));
                    tracked.push((difference, Tracked::Difference(x, y)));
                }
            }
        }
        let tracked: Rc<[(TermId, Tracked)]> = tracked.into();
        self.tracked.insert(at, Rc::clone(&tracked));
        tracked
    }

    /// The state behind a path; `None` if it is not taken.
    fn follow(
        &self,
        state: &ValueState,
        (source, path): (InlinedLocation, &Path),
        tracked: &[(TermId, Tracked)],
        precision: &Precision,
    ) -> Option<Values> {
        let program = self.blocks.inlined().program();
        let mut environment = self.environment(&state.values, precision);
        for &known in self.known.get(&source).into_iter().flatten() {
            environment.assume(known);
        }
        environment.assume(path.guard);
        if environment.is_empty() {
            return None;
        }
        let after = |id: VariableId| {
            let updated = path.updates.iter().find(|(updated, _)| *updated == id);
            let unchanged = || store().variable(program.variable(id).symbol);
            updated.map_or_else(unchanged, |(_, value)| *value)
        };
        let mut values = Values::default();
        for &(key, tracked) in tracked {
            let value = match tracked {
                Tracked::Variable(id) => environment.value(after(id)),
                Tracked::Difference(x, y) => {
                    let value = environment.value(subtract(&self.arena, after(x), after(y)));
                    let equal = |value: &AbstractValue| value.as_point() == Some(0);
                    let value = value.filter(|value| {
                        precision.relations == Relations::Differences || equal(value)
                    });
                    // Of a difference, one interval: more are seldom needed, and hard to show.
                    value.map(|value| AbstractValue {
                        intervals: value.intervals.limited(1),
                        ..value
                    })
                }
            };
            // Nothing in a set: no state gets here after all.
            if let Some(value) = value {
                if value.is_empty() {
                    return None;
                }
                insert(&mut values, key, kept(value, precision));
            }
        }
        Some(values)
    }

    fn behind_block(
        &mut self,
        state: &ValueState,
        edge: &Edge,
        index: usize,
        precision: &Precision,
    ) -> Option<Values> {
        let block = edge.block()?;
        let key = (edge.source, index);
        if !self.paths.contains_key(&key) {
            let split = paths(&self.arena, block, precision.paths);
            self.paths.insert(key, split.into());
        }
        let paths = Rc::clone(&self.paths[&key]);
        let tracked = match edge.target {
            Place::At(at) => self.tracked(at, precision),
            Place::Unsupported { .. } => Rc::from([]),
        };
        let behind = paths
            .iter()
            .filter_map(|path| self.follow(state, (edge.source, path), &tracked, precision));
        behind.reduce(|all, one| self.join(&all, &one, precision))
    }
}

fn subtract<P: Build>(pool: &P, a: TermId, b: TermId) -> TermId {
    match pool.sort(a) {
        Sort::Int => pool.int_sub(a, b),
        _ => pool.sub(a, b),
    }
}

fn insert(values: &mut Values, term: TermId, value: AbstractValue) {
    if !value.is_top() {
        values.insert(term, value);
    }
}

/// What the precision keeps of a value.
fn kept(value: AbstractValue, precision: &Precision) -> AbstractValue {
    let is_point = value.as_point().is_some();
    let congruence = match precision.congruences || is_point {
        true => value.congruence,
        false => Congruence::ANY,
    };
    AbstractValue {
        intervals: value.intervals.limited(precision.disjuncts),
        congruence,
    }
}

impl Domain for ValueAnalysis {
    type State = ValueState;
    type Precision = Rc<Precision>;
    type Label = ();

    fn transfer(
        &mut self,
        state: &ValueState,
        edge: &Rc<Edge>,
        precision: &Rc<Precision>,
    ) -> Option<(ValueState, ())> {
        let values = match &edge.kind {
            EdgeKind::Block { index, .. } => self.behind_block(state, edge, *index, precision)?,
            // Of recursive functions, nothing is known.
            EdgeKind::Call { .. } | EdgeKind::Return { .. } => Values::default(),
        };
        let state = ValueState {
            values: Rc::new(values),
            ..self.initial()
        };
        Some((state, ()))
    }

    /// Widening is for loop heads.
    fn adjust_precision(
        &mut self,
        state: ValueState,
        place: Place,
        precision: &Rc<Precision>,
    ) -> Option<(ValueState, Rc<Precision>)> {
        let kinds = self.blocks.inlined().cut_points();
        let kind = match place {
            Place::At(at) => kinds.kind(at.location),
            Place::Unsupported { .. } => None,
        };
        let state = ValueState {
            widens: matches!(kind, Some(CutPointKind::LoopHead(_))),
            ..state
        };
        Some((state, Rc::clone(precision)))
    }

    /// The join; at loop heads, after some joins, widening.
    fn merge(
        &mut self,
        new: &ValueState,
        old: &ValueState,
        precision: &Rc<Precision>,
    ) -> Option<ValueState> {
        if self.is_covered(new, old, precision) {
            return None;
        }
        // Between two widenings there is a join, for what is only a step beyond a threshold.
        let values =
            match old.widens && old.merges >= JOINS && (old.merges - JOINS).is_multiple_of(2) {
                true => self.widen(old, new, precision),
                false => self.join(&old.values, &new.values, precision),
            };
        Some(ValueState {
            values: Rc::new(values),
            widens: old.widens,
            merges: old.merges + 1,
        })
    }

    fn is_covered(&mut self, new: &ValueState, by: &ValueState, _: &Rc<Precision>) -> bool {
        let known = |term: &TermId, value: &AbstractValue| {
            let own = new.values.get(term);
            own.is_some_and(|own| own.is_subset(value))
        };
        by.values.iter().all(|(term, value)| known(term, value))
    }
}
