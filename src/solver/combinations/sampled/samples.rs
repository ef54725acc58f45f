//! Sample assignments: conditions that hold under one of them are satisfiable.
//!
//! A few samples are fixed; the latest models of a solver are added. Each sample caches the values of terms, so that it
//! evaluates each term once.

use std::collections::VecDeque;

use rand::Rng;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng;
use rustc_hash::FxHashMap;

use crate::limits::{MAXIMUM_CACHED_VALUES, MAXIMUM_MODELS};
use regatta_term::{Arena, Evaluator, Sort, Symbol, TermId, Value};

/// The values of variables without a value of their own.
#[derive(Copy, Clone, Debug)]
enum Others {
    Zero,
    One,
    /// A small pseudo-random number for each instance.
    Small,
    /// Any pseudo-random number for each instance.
    Any,
}

/// An assignment of scalar variables. Terms that depend on whole arrays have no value.
struct Sample {
    own: FxHashMap<(Symbol, u32), Value>,
    others: Others,
    known: FxHashMap<TermId, Value>,
}

/// The samples. A sample's number is valid until the next model is added.
pub struct Samples {
    fixed: Vec<Sample>,
    models: VecDeque<Sample>,
}

impl Samples {
    /// The fixed samples.
    pub fn new() -> Self {
        let all = [Others::Zero, Others::One, Others::Small, Others::Any];
        let fixed = all.map(|others| Sample::new(FxHashMap::default(), others));
        Self {
            fixed: fixed.into(),
            models: VecDeque::new(),
        }
    }

    /// No samples.
    pub const fn none() -> Self {
        Self {
            fixed: Vec::new(),
            models: VecDeque::new(),
        }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Sample> {
        self.fixed.iter_mut().chain(&mut self.models)
    }

    /// Finds a sample under which the conditions hold.
    pub fn satisfying(&mut self, arena: &Arena, conditions: &[TermId]) -> Option<usize> {
        let holds = Some(Value::Bool(true));
        self.all().position(|sample| {
            let mut conditions = conditions.iter();
            conditions.all(|&one| sample.value(arena, one) == holds)
        })
    }

    /// Returns the value of a term under the sample with the number.
    pub fn value(&mut self, arena: &Arena, number: usize, term: TermId) -> Option<Value> {
        self.all().nth(number)?.value(arena, term)
    }

    /// Adds a model of these variables; others are zero.
    pub fn add(&mut self, model: impl IntoIterator<Item = ((Symbol, u32), Value)>) {
        if self.models.len() == MAXIMUM_MODELS {
            self.models.pop_front();
        }
        let own = model.into_iter().collect();
        self.models.push_back(Sample::new(own, Others::Zero));
    }
}

impl Sample {
    fn new(own: FxHashMap<(Symbol, u32), Value>, others: Others) -> Self {
        Self {
            own,
            others,
            known: FxHashMap::default(),
        }
    }

    fn value(&mut self, arena: &Arena, term: TermId) -> Option<Value> {
        if self.known.len() > MAXIMUM_CACHED_VALUES {
            self.known.clear();
        }
        let (own, others) = (&self.own, self.others);
        let assignment = |symbol: Symbol, instance: u32| match symbol.sort() {
            Sort::Array { .. } => None,
            sort => {
                let value = own.get(&(symbol, instance)).cloned();
                Some(value.unwrap_or_else(|| others.value(sort, instance)))
            }
        };
        let known = std::mem::take(&mut self.known);
        let mut evaluator = Evaluator::resumed(arena, &assignment, known);
        let value = evaluator.evaluate(term).ok();
        self.known = evaluator.into_known();
        value
    }
}

impl Others {
    fn value(self, sort: Sort, instance: u32) -> Value {
        let chance = || SplitMix64::seed_from_u64(instance.into()).next_u64();
        let number = match self {
            Self::Zero => 0,
            Self::One => 1,
            Self::Small => i128::from(chance() >> 61),
            Self::Any => i128::from(chance().cast_signed()),
        };
        Value::of_integer(number, sort)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Build, ScalarSort};

    #[test]
    fn satisfied_conditions_hold_under_the_sample() {
        let arena = Arena::new();
        let symbol = Symbol::new("samples x", Sort::BitVec(32));
        let x = arena.variable_at(symbol, 3);
        let number = |value: u128| arena.value(&Value::bit_vec(32, value));
        let mut samples = Samples::new();
        let is_one = arena.eq(x, number(1));
        let one = samples.satisfying(&arena, &[is_one]).expect("all are one");
        assert_eq!(samples.value(&arena, one, x), Some(Value::bit_vec(32, 1)));
        let is_rare = arena.eq(x, number(77_777));
        assert_eq!(samples.satisfying(&arena, &[is_rare]), None);
        samples.add([((symbol, 3), Value::bit_vec(32, 77_777))]);
        assert!(samples.satisfying(&arena, &[is_rare]).is_some());
        for other in 0..MAXIMUM_MODELS as u128 {
            samples.add([((symbol, 3), Value::bit_vec(32, other))]);
        }
        assert_eq!(
            samples.satisfying(&arena, &[is_rare]),
            None,
            "the latest are kept"
        );
    }

    #[test]
    fn whole_arrays_have_no_value() {
        let arena = Arena::new();
        let sort = Sort::Array {
            index: ScalarSort::BitVec(32),
            element: ScalarSort::BitVec(8),
        };
        let array = arena.variable_at(Symbol::new("samples a", sort), 1);
        let index = arena.value(&Value::bit_vec(32, 5));
        let read = arena.select(array, index);
        let is_zero = arena.eq(read, arena.value(&Value::bit_vec(8, 0)));
        assert_eq!(Samples::new().satisfying(&arena, &[is_zero]), None);
    }
}
