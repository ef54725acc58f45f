//! Tests of soundness: sets against their members, terms and conditions against the evaluator.

mod floats;
mod sets;
pub(crate) mod terms;

use proptest::prelude::*;

use super::abstract_value::AbstractValue;
use super::congruence::Congruence;
use super::intervals::{Intervals, Universe};
use crate::{BitVecValue, Sort, Value};

/// Generates small and large universes.
pub(super) fn universes() -> impl Strategy<Value = Universe> {
    let widths = prop_oneof![Just(1u8), Just(3), Just(8), Just(32), Just(63), Just(64)];
    prop_oneof![4 => widths.prop_map(Universe::Circle), 1 => Just(Universe::Line)]
}

/// Generates numbers, many of them near corner cases.
pub(super) fn number(universe: Universe) -> BoxedStrategy<i128> {
    let (corners, any) = match universe {
        Universe::Circle(width) => {
            let turn = 1i128 << width;
            let corners = vec![
                0,
                1,
                2,
                7,
                turn / 2 - 1,
                turn / 2,
                turn / 2 + 1,
                turn - 1,
                turn - 2,
            ];
            (corners, 0..turn)
        }
        Universe::Line => {
            let large = 1i128 << 62;
            (vec![0, 1, -1, 3, -7, large, -large], -5_000..5_000)
        }
    };
    let least = universe.turn();
    let near = (prop::sample::select(corners), -9..9i128).prop_map(|(corner, off)| corner + off);
    prop_oneof![near, any]
        .prop_map(move |number| match least {
            0 => number,
            turn => number.rem_euclid(turn),
        })
        .boxed()
}

/// Generates a set with one of its members.
pub(super) fn set_with_member(universe: Universe) -> impl Strategy<Value = (AbstractValue, i128)> {
    let arcs = prop::collection::vec((number(universe), 0..20i128), 0..3);
    let modulus = prop::sample::select(vec![0, 1, 1, 2, 3, 4, 6, 8, 10, 16]);
    let spread = prop_oneof![0..12i128, Just(1i128 << 40), Just(1i128 << 100)];
    let own = (number(universe), 0..6i128, spread);
    (own, arcs, modulus).prop_map(move |((member, below, above), arcs, modulus)| {
        let mut intervals = Intervals::arc(universe, member - below, member + above);
        for (low, length) in arcs {
            intervals = intervals.join(&Intervals::arc(universe, low, low + length));
        }
        let congruence = Congruence::new(modulus, member);
        (AbstractValue::new(intervals, congruence), member)
    })
}

/// Converts a number to the value that it represents.
pub(super) fn value_of(sort: Sort, number: i128) -> Value {
    match sort {
        Sort::Bool => Value::Bool(number != 0),
        Sort::BitVec(width) => Value::BitVec(BitVecValue::new(width, number as u128)),
        _ => Value::int(number),
    }
}
