//! Tests the transfer functions and operations of sets against their members.

use proptest::prelude::*;

use super::super::intervals::Thresholds;
use super::*;
use crate::domain::abstract_value::apply;
use crate::random::number_of;
use crate::{Op, apply_op};

const BINARY: [Op; 18] = [
    Op::BvAdd,
    Op::BvMul,
    Op::BvUdiv,
    Op::BvUrem,
    Op::BvSdiv,
    Op::BvSrem,
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::BvShl,
    Op::BvLshr,
    Op::BvAshr,
    Op::BvUlt,
    Op::BvUle,
    Op::BvSlt,
    Op::BvSle,
    Op::Concat,
    Op::Eq,
];

const BINARY_INTEGER: [Op; 7] = [
    Op::IntAdd,
    Op::IntMul,
    Op::IntDiv,
    Op::IntMod,
    Op::IntLt,
    Op::IntLe,
    Op::Eq,
];

fn result_sort(op: Op, sort: Sort) -> Sort {
    match (op, sort) {
        (Op::Concat, Sort::BitVec(width)) => Sort::BitVec(2 * width),
        (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::Eq | Op::IntLt | Op::IntLe, _) => {
            Sort::Bool
        }
        _ => sort,
    }
}

fn sort_of(universe: Universe) -> Sort {
    match universe {
        Universe::Circle(width) => Sort::BitVec(width),
        Universe::Line => Sort::Int,
    }
}

/// Checks that the operator's result on members is a member of the abstract result.
fn check(op: Op, sort: Sort, result: Sort, arguments: &[(AbstractValue, i128)]) {
    let Some(universe) = Universe::of(result) else {
        return;
    };
    let sets: Vec<&AbstractValue> = arguments.iter().map(|(set, _)| set).collect();
    let members: Vec<Value> = arguments
        .iter()
        .map(|(_, member)| value_of(sort, *member))
        .collect();
    let concrete = number_of(&apply_op(op, result, &members));
    let computed = apply(op, universe, &sets);
    assert!(
        computed.contains(concrete),
        "{op:?} of {arguments:?} is {computed:?} without {concrete}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn operators_of_two_arguments_are_sound(
        (a, b) in universes().prop_flat_map(|u| (set_with_member(u), set_with_member(u))),
    ) {
        let sort = sort_of(a.0.universe());
        let ops: &[Op] = if sort == Sort::Int { &BINARY_INTEGER } else { &BINARY };
        for &op in ops {
            check(op, sort, result_sort(op, sort), &[a.clone(), b.clone()]);
        }
    }

    #[test]
    fn operators_of_one_argument_are_sound(
        a in universes().prop_flat_map(set_with_member),
        high in 0..64u8,
        low in 0..64u8,
        wider in 0..64u8,
    ) {
        let sort = sort_of(a.0.universe());
        let Sort::BitVec(width) = sort else {
            for width in [1, 8, 32, 64] {
                check(Op::IntToBv(width), sort, Sort::BitVec(width), std::slice::from_ref(&a));
            }
            check(Op::IntNeg, sort, sort, &[a]);
            return Ok(());
        };
        let to = (width + wider).min(64);
        let (high, low) = (high.max(low) % width, high.min(low) % width);
        let (high, low) = (high.max(low), high.min(low));
        for (op, result) in [
            (Op::BvNeg, sort),
            (Op::BvNot, sort),
            (Op::BvToNat, Sort::Int),
            (Op::BvToInt, Sort::Int),
            (Op::ZeroExtend(to), Sort::BitVec(to)),
            (Op::SignExtend(to), Sort::BitVec(to)),
            (Op::Extract { high, low }, Sort::BitVec(high - low + 1)),
        ] {
            check(op, sort, result, std::slice::from_ref(&a));
        }
    }

    #[test]
    fn joins_meets_and_limits_are_sound(
        (a, b) in universes().prop_flat_map(|u| (set_with_member(u), set_with_member(u))),
        most in 1..4usize,
    ) {
        let joined = a.0.join(&b.0);
        prop_assert!(joined.contains(a.1) && joined.contains(b.1));
        prop_assert!(a.0.is_subset(&joined) && b.0.is_subset(&joined));
        let met = a.0.meet(&b.0);
        for member in [a.1, b.1] {
            prop_assert_eq!(met.contains(member), a.0.contains(member) && b.0.contains(member));
        }
        prop_assert!(met.is_subset(&a.0) || met.is_empty());
        let limited = joined.intervals.clone().limited(most);
        prop_assert!(limited.arcs().len() <= most);
        prop_assert!(joined.intervals.is_subset(&limited));
        let others = a.0.intervals.complement();
        prop_assert!(!others.contains(a.1) && others.meet(&a.0.intervals).is_empty());
        prop_assert!(others.join(&a.0.intervals).is_full() || a.0.intervals.arcs().len() > 6);
        if a.0.is_subset(&b.0) {
            prop_assert!(b.0.contains(a.1));
        }
    }

    #[test]
    fn widening_is_above_both_and_ends(
        (start, others) in universes().prop_flat_map(|u| {
            (set_with_member(u), prop::collection::vec(set_with_member(u), 40))
        }),
        numbers in prop::collection::vec(-300..300i128, 0..6),
        most in 1..4usize,
    ) {
        let thresholds = Thresholds::new(numbers);
        let mut current = start.0;
        let mut changes = 0;
        for _ in 0..40 {
            for (set, member) in &others {
                let widened = current.widen(set, &thresholds, most);
                prop_assert!(widened.contains(*member));
                prop_assert!(current.is_subset(&widened) && set.is_subset(&widened));
                changes += u32::from(widened != current);
                current = widened;
            }
        }
        // Each end may stop at each threshold and its neighbours; moduli have few divisors.
        prop_assert!(changes <= 2 * (3 * 6 + 6) * 4 + 10, "{} changes", changes);
        for (set, _) in &others {
            prop_assert!(set.is_subset(&current));
        }
    }

    #[test]
    fn formulas_hold_of_members_alone(
        (set, member) in universes().prop_flat_map(set_with_member),
        other in any::<i64>(),
        unsigned in any::<bool>(),
    ) {
        use crate::{Build, Symbol, evaluate, store};
        let universe = set.universe();
        let sort = sort_of(universe);
        let term = store().variable(Symbol::new("formulas::x", sort));
        let all = store().and(set.formulas(term, unsigned));
        let other = match universe.turn() {
            0 => i128::from(other),
            turn => i128::from(other).rem_euclid(turn),
        };
        for number in [member, other, set.intervals.complement().hull().map_or(member, |hull| hull.0)] {
            if number.abs() >= 1 << 90 {
                continue;
            }
            let value = evaluate(store(), all, &|_, _| Some(value_of(sort, number)));
            prop_assert_eq!(value.unwrap().as_bool(), Some(set.contains(number)), "{:?}", set);
        }
    }
}

#[test]
fn operators_are_sound_on_all_arcs_of_three_bits() {
    let universe = Universe::Circle(3);
    let sort = sort_of(universe);
    let arcs = (0..8).flat_map(|low| (0..8).map(move |more| (low, low + more)));
    let arcs = arcs.map(|(low, high)| Intervals::arc(universe, low, high).into());
    let arcs: Vec<AbstractValue> = arcs.collect();
    let pairs = || (0..8).flat_map(|x| (0..8).map(move |y| (x, y)));
    for op in BINARY {
        let result = result_sort(op, sort);
        let concrete = |(x, y)| {
            let operands = [value_of(sort, x), value_of(sort, y)];
            (x, y, number_of(&apply_op(op, result, &operands)))
        };
        let concrete: Vec<(i128, i128, i128)> = pairs().map(concrete).collect();
        for a in &arcs {
            for b in &arcs {
                let computed = apply(op, Universe::of(result).expect("numbers"), &[a, b]);
                for &(x, y, number) in &concrete {
                    let is_reached = a.contains(x) && b.contains(y);
                    assert!(
                        !is_reached || computed.contains(number),
                        "{op:?} of {a:?} and {b:?} is {computed:?} without {number}"
                    );
                }
            }
        }
    }
}

#[test]
fn sums_of_arcs_are_exact() {
    let universe = Universe::Circle(4);
    for (a, b) in (0..16i128).flat_map(|a| (0..16).map(move |b| (a, b))) {
        for (m, n) in [(0, 0), (3, 2), (7, 1), (12, 6), (15, 0)] {
            let x = AbstractValue::from(Intervals::arc(universe, a, a + m));
            let y = AbstractValue::from(Intervals::arc(universe, b, b + n));
            let sum = apply(Op::BvAdd, universe, &[&x, &y]);
            let is_sum =
                |number: i128| (a..=a + m).any(|x| (b..=b + n).any(|y| (x + y - number) % 16 == 0));
            for number in 0..16 {
                assert_eq!(sum.contains(number), is_sum(number), "{x:?} + {y:?}");
            }
        }
    }
}

#[test]
fn the_smallest_gap_is_closed_also_around_zero() {
    let universe = Universe::Circle(8);
    let two = Intervals::arc(universe, 250, 252).join(&Intervals::arc(universe, 3, 9));
    assert_eq!(two.arcs().len(), 2);
    assert_eq!(two.limited(1).arcs()[..], [(-6, 9)]);
    let signed = Intervals::arc(universe, -2, 2);
    assert_eq!(signed.signed_hull(), Some((-2, 2)));
    assert_eq!(signed.arcs()[..], [(-2, 2)]);
}

#[test]
fn congruences_meet_by_the_chinese_remainder_theorem() {
    for (m, r, n, s) in [
        (4, 1, 6, 3),
        (3, 2, 5, 4),
        (8, 5, 12, 1),
        (4, 1, 6, 2),
        (7, 0, 0, 21),
    ] {
        let (a, b) = (Congruence::new(m, r), Congruence::new(n, s));
        let both = |number: i128| a.contains(number) && b.contains(number);
        let met = a.meet(b);
        for number in -60..60 {
            let met = met.is_some_and(|met| met.contains(number));
            assert_eq!(met, both(number), "{m} {r} {n} {s}: {number}");
        }
    }
}
