//! States of concrete runs at cut points: they refute candidates, and meet proof obligations, before a solver is asked.
//!
//! A state is reached, so that a formula that it violates is no invariant, and a set of states in which it is cannot be shown
//! unreachable. The store has one set of states for all engines of a race, whose size is bounded: it is filled once, by
//! the first engine that asks for it, and grows with the runs that engines find. The runs themselves are shared as well, so that
//! only one engine simulates.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Candidate;
use regatta_certify::certificate::quantified;
use regatta_program::InlinedLocation;
use regatta_program::interpreter::Journal;
use regatta_term::{Evaluator, Sort, Symbol, TermId, Value, store};

/// Maximum number of states of a cut point, and of all.
const MAXIMUM_STATES_PER_PLACE: usize = 40;
const MAXIMUM_STATES: usize = 4_000;

/// Maximum number of values of a quantified index that are tried in a state.
const MAXIMUM_INDICES: usize = 24;

/// Maximum number of candidates of which it is known how many states satisfy them; beyond it, all are forgotten.
const MAXIMUM_REMEMBERED: usize = 50_000;

/// A state of a concrete run at a cut point.
#[derive(Debug)]
pub struct ReachedState {
    values: FxHashMap<Symbol, Value>,
    /// All inputs of the run, in order, and the number of those before the state.
    run: Arc<Journal>,
    inputs: usize,
    /// The number of steps between cut points from the entry to the state.
    steps: u32,
    /// The values of a quantified index that are tried, by its sort.
    indices: Mutex<Vec<(Sort, Arc<[Value]>)>>,
}

impl ReachedState {
    /// Makes a state of the values of the variables at the cut point, without those that are too large. `inputs` is the number of
    /// the run's inputs that are read before the state, `steps` the number of steps between cut points up to the state.
    pub fn new(
        values: FxHashMap<Symbol, Value>,
        run: &Arc<Journal>,
        inputs: usize,
        steps: u32,
    ) -> Self {
        Self {
            values,
            run: Arc::clone(run),
            inputs,
            steps,
            indices: Mutex::default(),
        }
    }

    /// The number of steps between cut points from the entry.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The inputs that lead to the state, from the entry.
    pub fn inputs(&self) -> Journal {
        let entries = &self.run.entries;
        Journal {
            entries: entries[..self.inputs.min(entries.len())].to_vec(),
        }
    }

    /// The values of the variables, but for those that were left out.
    pub fn values(&self) -> &FxHashMap<Symbol, Value> {
        &self.values
    }

    /// The value of a variable, unless it was left out.
    pub fn value(&self, variable: Symbol) -> Option<&Value> {
        self.values.get(&variable)
    }

    /// Whether the formula holds, which has no quantified index; `None` if a value was left out.
    pub fn satisfies(&self, formula: TermId) -> Option<bool> {
        self.truth(formula, None)
    }

    /// Whether the formula is false, for some value of its quantified index if it has one.
    fn violates(&self, formula: TermId, index: Option<Symbol>) -> bool {
        let Some(index) = index else {
            return self.truth(formula, None) == Some(false);
        };
        let values = self.indices_of(index.sort());
        let mut values = values.iter();
        values.any(|value| self.truth(formula, Some((index, value))) == Some(false))
    }

    fn truth(&self, formula: TermId, index: Option<(Symbol, &Value)>) -> Option<bool> {
        let assignment = |symbol: Symbol, instance: u32| match index {
            Some((index, value)) if index == symbol => Some(value.clone()),
            _ if instance == 0 => self.values.get(&symbol).cloned(),
            _ => None,
        };
        let mut evaluator = Evaluator::new(store(), &assignment);
        match evaluator.evaluate(formula) {
            Ok(Value::Bool(truth)) => Some(truth),
            _ => None,
        }
    }

    /// Returns values of an index of the sort: those of the cells that are not like all others, as a whole and by their high
    /// bits (the number of an object, whose fields are cells that follow its beginning), and the next ones.
    fn indices_of(&self, sort: Sort) -> Arc<[Value]> {
        let mut known = self.indices.lock();
        if let Some((_, indices)) = known.iter().find(|(of, _)| *of == sort) {
            return Arc::clone(indices);
        }
        let mut numbers: Vec<u128> = vec![0, 1];
        for value in self.values.values() {
            let Value::Array(array) = value else { continue };
            for index in array.entries().keys() {
                match (index, sort) {
                    (Value::BitVec(bits), Sort::BitVec(width)) => {
                        let high = bits.width().saturating_sub(width);
                        let number = bits.bits() >> high;
                        numbers.extend([number, number.wrapping_add(1)]);
                    }
                    (Value::Int(number), Sort::Int) => {
                        numbers.extend(u128::try_from(number).ok());
                    }
                    _ => {}
                }
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        // The first and the last ones, for lists and arrays have their exceptions at their ends.
        if numbers.len() > MAXIMUM_INDICES {
            numbers.drain(MAXIMUM_INDICES / 2..numbers.len() - MAXIMUM_INDICES / 2);
        }
        let values = numbers.into_iter().filter_map(|number| match sort {
            Sort::BitVec(width) => Some(Value::bit_vec(width, number)),
            Sort::Int => Some(Value::int(number)),
            _ => None,
        });
        let values: Arc<[Value]> = values.collect();
        known.push((sort, Arc::clone(&values)));
        values
    }
}

/// The reached states that the engines of a race share.
#[derive(Debug, Default)]
pub(super) struct ReachedStates {
    places: RwLock<Places>,
    /// Whether some engine fills the store, or has done so.
    is_claimed: AtomicBool,
    /// Inputs of runs that show different behaviour.
    runs: Mutex<Option<Arc<Vec<Journal>>>>,
    remembered: Mutex<Remembered>,
}

#[derive(Debug, Default)]
struct Places {
    states: FxHashMap<InlinedLocation, Vec<Arc<ReachedState>>>,
    number: usize,
}

/// What is known of candidates.
#[derive(Debug, Default)]
struct Remembered {
    /// The number of states that do not violate the candidate.
    satisfied: FxHashMap<Candidate, usize>,
    violated: FxHashSet<Candidate>,
}

impl ReachedStates {
    /// Whether the caller is the first; it is the one that fills the store.
    pub fn claim(&self) -> bool {
        !self.is_claimed.swap(true, Ordering::AcqRel)
    }

    /// Whether some engine fills the store, or has done so.
    pub fn is_claimed(&self) -> bool {
        self.is_claimed.load(Ordering::Acquire)
    }

    /// The inputs of the runs that were shared, if some were.
    pub fn runs(&self) -> Option<Arc<Vec<Journal>>> {
        self.runs.lock().clone()
    }

    /// Shares the inputs of runs, unless others have been shared.
    pub fn share_runs(&self, runs: &[Journal]) {
        let mut shared = self.runs.lock();
        if shared.is_none() {
            *shared = Some(Arc::new(runs.to_vec()));
        }
    }

    /// Adds states, as far as there is room.
    pub fn add(&self, states: impl IntoIterator<Item = (InlinedLocation, ReachedState)>) {
        let mut places = self.places.write();
        for (at, state) in states {
            if places.number >= MAXIMUM_STATES {
                return;
            }
            let here = places.states.entry(at).or_default();
            let is_new = |other: &Arc<ReachedState>| other.values != state.values;
            if here.len() < MAXIMUM_STATES_PER_PLACE && here.iter().all(is_new) {
                here.push(Arc::new(state));
                places.number += 1;
            }
        }
    }

    /// The numbers of states and of the candidates that they have refuted.
    pub fn count(&self) -> (usize, usize) {
        let states = self.places.read().number;
        (states, self.remembered.lock().violated.len())
    }

    fn at(&self, at: InlinedLocation) -> Vec<Arc<ReachedState>> {
        let places = self.places.read();
        places.states.get(&at).cloned().unwrap_or_default()
    }

    /// Whether a state violates the candidate.
    pub fn refute(&self, candidate: &Candidate) -> bool {
        let begin = {
            let remembered = self.remembered.lock();
            if remembered.violated.contains(candidate) {
                return true;
            }
            remembered.satisfied.get(candidate).copied().unwrap_or(0)
        };
        let places = self.places.read();
        let Some(states) = places.states.get(&candidate.at) else {
            return false;
        };
        if begin >= states.len() {
            return false;
        }
        let index = quantified(candidate.formula);
        let is_violated = states[begin..]
            .iter()
            .any(|state| state.violates(candidate.formula, index));
        let number = states.len();
        drop(places);
        let mut remembered = self.remembered.lock();
        if remembered.satisfied.len() + remembered.violated.len() >= MAXIMUM_REMEMBERED {
            *remembered = Remembered::default();
        }
        if is_violated {
            remembered.violated.insert(*candidate);
        } else {
            remembered.satisfied.insert(*candidate, number);
        }
        is_violated
    }

    /// Returns the state with the fewest steps for which the condition holds.
    pub fn nearest(
        &self,
        at: InlinedLocation,
        condition: impl Fn(&ReachedState) -> bool,
    ) -> Option<Arc<ReachedState>> {
        let states = self.at(at).into_iter();
        states
            .filter(|state| condition(state))
            .min_by_key(|state| state.steps)
    }
}
