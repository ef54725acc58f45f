//! Ranges against the values of random terms.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Abstract, Assumed, constant, full, number, range_of, restrict};
use crate::term::domain::Values;
use crate::term::random::{Construction, Language, RandomTerms, corner, seeds};
use crate::term::{Build, Constant, Evaluator, Pool, Sort, Symbol, TermId, Value, store};

const NARROW: Sort = Sort::BitVec(3);
const WIDE: Sort = Sort::BitVec(6);

/// Random terms over a few variables, with the variables' concrete and abstract values.
struct Terms {
    random: Xoshiro256PlusPlus,
    values: BTreeMap<TermId, i128>,
    known: BTreeMap<TermId, Abstract>,
}

impl Terms {
    fn new(seed: u64) -> Self {
        let mut terms = Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            values: BTreeMap::new(),
            known: BTreeMap::new(),
        };
        for sort in [Sort::Bool, NARROW, WIDE, Sort::Int] {
            for name in ["range::x", "range::y"] {
                let variable = store().variable(Symbol::new(name, sort));
                let (low, high) = full(sort).unwrap_or((-9, 9));
                let value = terms.between(low, high);
                terms.values.insert(variable, value);
                let known = terms.known_of(sort, value);
                terms.known.extend(known.map(|known| (variable, known)));
            }
        }
        terms
    }

    fn between(&mut self, low: i128, high: i128) -> i128 {
        self.random.random_range(low..=high)
    }

    /// A random abstract value that contains the value.
    fn known_of(&mut self, sort: Sort, value: i128) -> Option<Abstract> {
        let (low, high) = full(sort).unwrap_or((-20, 20));
        let (low, high) = match self.between(0, 5) {
            0 => return None,
            1 => (value, value),
            2 => (low, self.between(value, high)),
            3 => (self.between(low, value), high),
            _ => (self.between(low, value), self.between(value, high)),
        };
        Abstract::from_range(sort, low, high)
    }

    fn value(&self, term: TermId) -> i128 {
        let assigned = |symbol, _| {
            let variable = store().variable(symbol);
            let value = self.values.get(&variable)?;
            let term = constant(symbol.sort(), *value)?;
            store().constant(term).map(Constant::to_value)
        };
        let mut evaluator = Evaluator::new(store(), &assigned);
        let value = evaluator.evaluate(term).expect("all have values");
        number(store().value(&value)).expect("a number")
    }

    /// A random term over the variables, whose integers stay short.
    fn term(&mut self, sort: Sort, depth: u32) -> TermId {
        let language = Language {
            widths: vec![3, 6],
            integers: true,
            ..Language::default()
        };
        let variables = |sort, choice: u64| {
            let name = ["range::x", "range::y"][choice as usize % 2];
            Some(store().variable(Symbol::new(name, sort)))
        };
        let constants = |sort, choice: u64| match sort {
            Sort::Int => Value::int(choice as i64 % 10),
            _ => corner(sort, choice),
        };
        let mut terms = RandomTerms::new(store(), &mut self.random, language, variables);
        terms.construction = Construction::Mixed;
        terms.constants = constants;
        terms.term(sort, depth)
    }
}

fn contains(known: Abstract, value: i128) -> bool {
    let bounds = known.bounds();
    bounds.is_none_or(|(low, high)| low <= value && value <= high)
}

/// A term's value lies in its range, and the values learned from a condition are right where the condition holds.
#[test]
fn values_lie_in_ranges() {
    for seed in 0..seeds(40_000) {
        let mut terms = Terms::new(seed);
        let sort = [Sort::Bool, NARROW, WIDE, Sort::Int][seed as usize % 4];
        let term = terms.term(sort, 4);
        let sets = terms.known.iter();
        let sets = sets.filter_map(|(&term, known)| Some((term, known.set(store().sort(term))?)));
        let known: Values = sets.collect();
        let value = terms.value(term);
        if let Some((low, high)) = range_of(term, &known) {
            assert!(
                low <= value && value <= high,
                "{value} is not between {low} and {high}: {} of {:?}",
                crate::term::to_smtlib(store(), term),
                terms.known
            );
        }
        if sort == Sort::Bool && value == 1 {
            let mut learned = Vec::new();
            let mut learn = |variable, known| learned.push((variable, known));
            let text = || crate::term::to_smtlib(store(), term);
            let assumed = restrict(term, &known, &mut learn);
            assert_ne!(assumed, Assumed::Never, "{}", text());
            for (variable, known) in learned {
                let value = terms.values[&variable];
                assert!(contains(known, value), "{value}, {known:?}: {}", text());
            }
        }
    }
}

/// Joins and widenings contain the values that their operands contain; a value satisfies its abstract value's formula.
#[test]
fn joins_lose_no_value() {
    for seed in 0..seeds(4_000) {
        let mut terms = Terms::new(seed);
        let sort = [NARROW, WIDE, Sort::Int][seed as usize % 3];
        let (low, high) = full(sort).unwrap_or((-9, 9));
        let values = [terms.between(low, high), terms.between(low, high)];
        let [Some(one), Some(other)] = values.map(|value| terms.known_of(sort, value)) else {
            continue;
        };
        let joined = one.join(other, sort);
        let widened = joined.and_then(|joined| one.widen(joined, sort));
        for known in [joined, widened].into_iter().flatten() {
            for value in values {
                assert!(
                    contains(known, value),
                    "{value}: {one:?}, {other:?}, {known:?}"
                );
            }
        }
        let number = constant(sort, values[0]).expect("a constant");
        assert_eq!(one.formula(number), TermId::TRUE);
    }
}
