//! The value analysis: abstract interpretation (\[CC77\]) of numbers, as a domain of CPA++.
//!
//! An abstract state maps terms to sets of numbers ([`regatta_term::domain`]). A term is a variable; the difference of two
//! variables (zones: \[Min01\]; here modulo 2^w, exact when they wrap around); or an array, whose set contains the
//! values of all its cells. The operator merge is the join, at loop heads widening; stop is inclusion. The
//! [`Precision`] determines what is tracked.
//!
//! * [`paths`](mod@paths): splitting of blocks into paths.
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
use regatta_program::block::Blocks;
use regatta_program::{CutPointKind, InlinedLocation, VariableId};
use regatta_term::domain::{AbstractValue, Congruence, Environment, Thresholds, Universe, Values};
use regatta_term::{Arena, Build, Sort, TermId, store};

/// Number of joins of states at a loop head before widening.
const JOINS_BEFORE_WIDENING: u32 = 2;
/// Number of merges after which widening ignores thresholds.
const MERGES_WITH_THRESHOLDS: u32 = 40;
/// Number of merges after which terms whose values still change are dropped.
const MERGES_BEFORE_DROPPING: u32 = 100;

/// The relations between pairs of variables that are tracked.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Relations {
    /// Nothing.
    None,
    /// The template Eq: equality.
    Equalities,
    /// Bounds of their difference.
    Differences,
}

/// The remainders of numbers that are tracked.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Remainders {
    /// None.
    None,
    /// Those modulo 2.
    Parities,
    /// Those modulo any number.
    All,
}

/// The facts that are tracked.
#[derive(Clone, Debug)]
pub struct Precision {
    /// The tracked variables.
    pub variables: Rc<FxHashSet<VariableId>>,
    /// The tracked pairs of variables, each of one sort.
    pub pairs: Rc<[(VariableId, VariableId)]>,
    /// The relations between the pairs.
    pub relations: Relations,
    /// Maximum number of intervals of a variable.
    pub disjuncts: usize,
    /// Maximum number of parts that a block is split into.
    pub paths: usize,
    /// The remainders that are tracked.
    pub remainders: Remainders,
    /// Whether arrays are tracked.
    pub cells: bool,
}

/// An abstract state.
#[derive(Clone, Debug)]
pub struct ValueState {
    /// The values of terms; a term that is missing can have any value.
    pub values: Rc<Values>,
    widens: bool,
    merges: u32,
}

/// A tracked term.
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
    /// Known invariants.
    known: FxHashMap<InlinedLocation, Vec<TermId>>,
}

impl ValueAnalysis {
    /// Creates the analysis of the blocks, with thresholds for widening. It must be run with a single precision.
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

    /// Sets the formulas that hold in all states at their places.
    pub fn assume(&mut self, known: FxHashMap<InlinedLocation, Vec<TermId>>) {
        self.known = known;
    }

    /// Returns the state without any facts.
    pub fn initial(&self) -> ValueState {
        ValueState {
            values: Rc::default(),
            widens: false,
            merges: 0,
        }
    }

    /// Returns an environment in which terms are evaluated in the state.
    pub fn environment<'e>(
        &'e self,
        values: &'e Values,
        precision: &Precision,
    ) -> Environment<'e, Arena> {
        let relational = precision.relations != Relations::None;
        Environment::new(&self.arena, values, relational)
    }

    /// Returns the meet of two sound states of one place: a step of narrowing.
    pub fn narrow(&self, state: &ValueState, by: &Values) -> ValueState {
        let mut values = by.clone();
        for (term, own) in &*state.values {
            let value = values.entry(*term).or_insert_with(|| own.clone());
            let both = value.meet(own);
            // The meet is empty if the place is unreachable, which the transfer relation decides.
            if !both.is_empty() {
                *value = both;
            }
        }
        ValueState {
            values: Rc::new(values),
            ..state.clone()
        }
    }

    /// Returns the join, restricted to the precision.
    pub fn join(&self, a: &Values, b: &Values, precision: &Precision) -> Values {
        let mut joined = Values::default();
        for (term, value) in a {
            if let Some(other) = b.get(term) {
                let value = restricted(value.join(other), precision);
                insert(&mut joined, *term, value);
            }
        }
        joined
    }

    fn widen(&self, old: &ValueState, new: &ValueState, precision: &Precision) -> Values {
        let none = Thresholds::default();
        let thresholds = match old.merges < MERGES_WITH_THRESHOLDS {
            true => &self.thresholds,
            false => &none,
        };
        let mut widened = Values::default();
        for (term, value) in &*old.values {
            let Some(other) = new.values.get(term) else {
                continue;
            };
            let is_stable = other.is_subset(value);
            if is_stable || old.merges < MERGES_BEFORE_DROPPING {
                let value = match is_stable {
                    true => value.clone(),
                    false => value.widen(other, thresholds, precision.disjuncts),
                };
                insert(&mut widened, *term, restricted(value, precision));
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

    /// Returns the state after a path; `None` if the path is infeasible.
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
                    // A single interval suffices for a difference; more are rarely needed and hard to prove.
                    value.map(|value| AbstractValue {
                        intervals: value.intervals.limited(1),
                        ..value
                    })
                }
            };
            // An empty set shows that the path is infeasible after all.
            if let Some(value) = value {
                if value.is_empty() {
                    return None;
                }
                insert(&mut values, key, restricted(value, precision));
            }
        }
        Some(values)
    }

    fn after_block(
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

fn restricted(value: AbstractValue, precision: &Precision) -> AbstractValue {
    let is_point = value.as_point().is_some();
    let congruence = match precision.remainders {
        _ if is_point => value.congruence,
        Remainders::All => value.congruence,
        Remainders::Parities => value.congruence.parity(),
        Remainders::None => Congruence::ANY,
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
            EdgeKind::Block { index, .. } => self.after_block(state, edge, *index, precision)?,
            // Nothing is known about recursive functions.
            EdgeKind::Call { .. } | EdgeKind::Return { .. } => Values::default(),
        };
        let state = ValueState {
            values: Rc::new(values),
            ..self.initial()
        };
        Some((state, ()))
    }

    /// Marks states at loop heads for widening.
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

    /// Joins the states; at loop heads, widens after some joins.
    fn merge(
        &mut self,
        new: &ValueState,
        old: &ValueState,
        precision: &Rc<Precision>,
    ) -> Option<ValueState> {
        if self.is_covered(new, old, precision) {
            return None;
        }
        // Widening and join alternate, because a value may exceed a threshold by a single step only.
        let values = match old.widens
            && old.merges >= JOINS_BEFORE_WIDENING
            && (old.merges - JOINS_BEFORE_WIDENING).is_multiple_of(2)
        {
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
