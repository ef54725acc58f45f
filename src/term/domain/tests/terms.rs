//! Tests abstract evaluation and assumption of conditions against the evaluator.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustc_hash::FxHashMap;

use super::super::environment::{Environment, Values};
use super::*;
use crate::term::random::{Choices, RandomTerms, seeds};
use crate::term::{
    Arena, Build, Pool, ScalarSort, Symbol, TermId, TermKind, evaluate, free_variables,
};

type Assignment = FxHashMap<(Symbol, u32), Value>;

/// Returns a random value; integers are small, so that bounds of intervals are met.
pub(crate) fn random_value(random: &mut Xoshiro256PlusPlus, sort: Sort) -> Value {
    match sort {
        Sort::Int => Value::int(random.random_range(-9..9)),
        _ => random.value(sort),
    }
}

/// Returns a random set with the value, or with the values of all cells.
fn random_set(random: &mut Xoshiro256PlusPlus, value: &Value) -> AbstractValue {
    let universe = Universe::of(value.sort()).expect("numbers");
    if let Value::Array(array) = value {
        let cells = array.entries().values().chain([array.default_value()]);
        let cells = cells.map(|cell| AbstractValue::point(universe, number_of(cell)));
        return cells.reduce(|all, cell| all.join(&cell)).expect("a cell");
    }
    let number = number_of(value);
    let (below, above) =
        [(0, 0), (1, 2), (0, 3), (200, 1), (1 << 66, 1 << 66)][random.random_range(0..5)];
    let intervals = Intervals::arc(universe, number - below, number + above);
    let modulus = [1, 1, 2, 3, 4][random.random_range(0..5)];
    AbstractValue::new(intervals, Congruence::new(modulus, number))
}

pub(crate) fn is_member(set: &AbstractValue, value: &Value) -> bool {
    match value {
        Value::Array(array) => {
            let mut cells = array.entries().values().chain([array.default_value()]);
            cells.all(|cell| set.contains(number_of(cell)))
        }
        value => set.contains(number_of(value)),
    }
}

/// Returns a random assignment of the terms' variables and an abstract state that contains it.
fn random_state(
    random: &mut Xoshiro256PlusPlus,
    arena: &Arena,
    terms: &[TermId],
) -> (Assignment, Values) {
    let mut assignment = Assignment::default();
    let mut values = Values::default();
    for &term in terms {
        for (symbol, instance) in free_variables(arena, term) {
            if assignment.contains_key(&(symbol, instance)) {
                continue;
            }
            let value = random_value(random, symbol.sort());
            if random.random_range(0..4) > 0 {
                let set = random_set(random, &value);
                values.insert(arena.variable_at(symbol, instance), set);
            }
            assignment.insert((symbol, instance), value);
        }
    }
    (assignment, values)
}

#[test]
fn evaluation_and_refinement_are_sound() {
    for seed in 0..seeds(6_000) {
        let arena = Arena::new();
        let mut random = RandomTerms::seeded(&arena, seed);
        random.language.widths = vec![1, 3, 8, 32];
        let conditions: Vec<TermId> = (0..2).map(|_| random.boolean(4)).collect();
        let mut terms = [8, 32]
            .map(|width| random.term(Sort::BitVec(width), 4))
            .to_vec();
        terms.extend(&conditions);
        let (assignment, values) = random_state(&mut random.choices, &arena, &terms);
        let value = |term| {
            let of = |symbol, instance| assignment.get(&(symbol, instance)).cloned();
            evaluate(&arena, term, &of).expect("all variables have values")
        };
        let relational = seed % 2 == 0;
        let mut environment = Environment::new(&arena, &values, relational);
        for condition in conditions {
            let holds = value(condition) == Value::Bool(true);
            environment.assume(if holds {
                condition
            } else {
                arena.not(condition)
            });
            assert!(!environment.is_empty(), "seed {seed}");
            for &term in &terms {
                let set = environment.value(term).expect("a number");
                assert!(is_member(&set, &value(term)), "seed {seed}: {set:?}");
            }
            for &(symbol, instance) in assignment.keys() {
                let variable = arena.variable_at(symbol, instance);
                let set = environment.value(variable).expect("a number");
                assert!(is_member(&set, &value(variable)), "seed {seed}: {set:?}");
            }
        }
    }
}

/// Checks comparisons of sums of three variables, in states with differences.
#[test]
fn differences_are_sound() {
    for seed in 0..seeds(6_000) {
        let arena = Arena::new();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let sort = [
            Sort::BitVec(3),
            Sort::BitVec(8),
            Sort::BitVec(32),
            Sort::Int,
        ][random.random_range(0..4)];
        let names = ["differences::x", "differences::y", "differences::z"];
        let variables = names.map(|name| arena.variable(Symbol::new(name, sort)));
        let number = |number: i64| match sort {
            Sort::BitVec(width) => arena.bv_signed(width, number.into()),
            _ => arena.int(number),
        };
        let mut term = || {
            let variable = variables[random.random_range(0..3)];
            let offset = number(random.random_range(-2..3));
            match sort {
                Sort::Int => arena.int_add(variable, offset),
                _ => arena.add(variable, offset),
            }
        };
        let pairs: Vec<(TermId, TermId)> = (0..4).map(|_| (term(), term())).collect();
        let (assignment, mut values) = random_state(&mut random, &arena, &variables);
        let value = |term| {
            let of = |symbol, instance| assignment.get(&(symbol, instance)).cloned();
            evaluate(&arena, term, &of)
        };
        for (x, y) in [(0, 1), (0, 2), (2, 1)] {
            let difference = match sort {
                Sort::Int => arena.int_sub(variables[x], variables[y]),
                _ => arena.sub(variables[x], variables[y]),
            };
            if let (Ok(known), TermKind::Apply { .. }) = (value(difference), arena.kind(difference))
            {
                values.insert(difference, random_set(&mut random, &known));
            }
        }
        let mut environment = Environment::new(&arena, &values, true);
        for (a, b) in pairs {
            let all = match sort {
                Sort::Int => [arena.int_lt(a, b), arena.int_le(a, b), arena.eq(a, b)],
                _ if seed % 2 == 0 => [arena.slt(a, b), arena.sle(a, b), arena.eq(a, b)],
                _ => [arena.ult(a, b), arena.ule(a, b), arena.eq(a, b)],
            };
            let condition = all[random.random_range(0..3)];
            let Ok(truth) = value(condition) else {
                continue;
            };
            let set = environment.value(condition).expect("a truth value");
            assert!(is_member(&set, &truth), "seed {seed}: before");
            let holds = truth == Value::Bool(true);
            environment.assume(if holds {
                condition
            } else {
                arena.not(condition)
            });
            assert!(!environment.is_empty(), "seed {seed}");
            for &term in variables.iter().chain(values.keys()) {
                let (Ok(value), Some(set)) = (value(term), environment.value(term)) else {
                    continue;
                };
                assert!(is_member(&set, &value), "seed {seed}: {set:?}");
            }
        }
    }
}

/// Checks conditions like guards of loops, with wrapping around.
#[test]
fn conditions_and_wrap_around() {
    let arena = Arena::new();
    let variable = |name, width| arena.variable(Symbol::new(name, Sort::BitVec(width)));
    let (x, y) = (variable("conditions::x", 8), variable("conditions::y", 8));
    let number = |number| arena.bv_signed(8, number);
    let none = Values::default();
    let known = |conditions: &[TermId], term: TermId| {
        let mut environment = Environment::new(&arena, &none, true);
        for &condition in conditions {
            environment.assume(condition);
        }
        environment.value(term).expect("a number")
    };
    let signed = |conditions: &[TermId], term| {
        let value = known(conditions, term);
        value.intervals.signed_hull().expect("not empty")
    };
    // -3 <= x < 5, one more, and a sum that wraps around.
    let bounds = [arena.sle(number(-3), x), arena.slt(x, number(5))];
    assert_eq!(signed(&bounds, x), (-3, 4));
    assert_eq!(signed(&bounds, arena.add(x, number(1))), (-2, 5));
    let near_end = [arena.sle(number(125), x)];
    let sum = known(&near_end, arena.add(x, number(2)));
    assert_eq!(sum.intervals.arcs()[..], [(127, 129)]);
    // Backwards through a sum, an extension and a disjunction.
    let through = arena.ult(arena.add(x, number(10)), number(3));
    assert_eq!(signed(&[through], x), (-10, -8));
    let extended = arena.slt(arena.sign_extend(x, 32), arena.bv_signed(32, -100));
    assert_eq!(signed(&[extended], x), (-128, -101));
    let either = arena.or2(arena.eq(x, number(3)), arena.eq(x, number(7)));
    let value = known(&[either], x);
    assert!(value.contains(3) && value.contains(7) && !value.contains(5));
    // A remainder; and two variables that are equal.
    let even = arena.eq(arena.urem(x, number(6)), number(2));
    assert_eq!(known(&[even], x).congruence, Congruence::new(6, 2));
    let equal = arena.and2(arena.eq(x, y), arena.eq(y, number(9)));
    assert_eq!(known(&[equal], x).as_point(), Some(9));
    // The same, with a known difference.
    let apart = AbstractValue::point(Universe::Circle(8), 4);
    let before = Values::from_iter([(arena.sub(x, y), apart)]);
    let mut environment = Environment::new(&arena, &before, true);
    environment.assume(arena.eq(y, number(9)));
    let spread = environment.value(x).and_then(|value| value.as_point());
    assert_eq!(spread, Some(13));
    // x < y <= x + 2, for small numbers: their difference.
    let small = arena.ult(x, number(100));
    let order = [
        small,
        arena.ult(x, y),
        arena.ule(y, arena.add(x, number(2))),
    ];
    let difference = known(&[arena.and(order)], arena.sub(y, x));
    for (number, is_in) in [(0, false), (1, true), (2, true), (3, false), (100, false)] {
        assert_eq!(difference.contains(number), is_in, "{difference:?}");
    }
}

/// Checks that a cell of an array has one of the stored values.
#[test]
fn cells_are_what_was_stored() {
    let arena = Arena::new();
    let index = ScalarSort::BitVec(8);
    let variable = |name| arena.variable(Symbol::new(name, Sort::BitVec(8)));
    let (i, j) = (variable("cells::i"), variable("cells::j"));
    let zeros = arena.const_array(index, arena.bv(8, 0));
    let stored = arena.store(arena.store(zeros, i, arena.bv(8, 4)), j, arena.bv(8, 6));
    let none = Values::default();
    let mut environment = Environment::new(&arena, &none, false);
    let cell = environment.value(arena.select(stored, variable("cells::k")));
    let cell = cell.expect("a number");
    assert_eq!(cell.intervals.arcs()[..], [(0, 0), (4, 4), (6, 6)]);
}
