//! Tests the transfer functions of floats against the evaluation of members.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::super::float_transfer as transfer;
use super::super::floats::{FloatSet, of_rank, rank};
use super::*;
use crate::term::random::{Choices, seeds};
use crate::term::{FloatFormat, FloatValue, Op, RoundingMode, apply_op};

const FORMATS: [FloatFormat; 4] = [
    FloatFormat::F16,
    FloatFormat::F32,
    FloatFormat::F64,
    FloatFormat::F128,
];

fn float(random: &mut Xoshiro256PlusPlus, format: FloatFormat) -> FloatValue {
    match random.value(Sort::Float(format)) {
        Value::Float(value) => value,
        other => panic!("{other:?} is no float"),
    }
}

/// Returns a random set of floats, with members close to each other or far apart.
fn random_set(random: &mut Xoshiro256PlusPlus, format: FloatFormat) -> (FloatSet, Vec<FloatValue>) {
    let mut set = FloatSet::empty(format);
    set.include(float(random, format));
    match (random.random_range(0..3), set.hull()) {
        (0, _) | (_, None) => set.include(float(random, format)),
        (1, Some((low, _))) => {
            let beside = FloatSet::ranks(format, low - 3, low + random.random_range(0..5));
            set = set.join(beside);
        }
        _ => {}
    }
    set = set.with_nan(random.random_range(0..6) == 0);
    let mut members = Vec::new();
    if let Some((low, high)) = set.hull() {
        let inner = [
            low,
            low + 1,
            low + 2,
            low + 3,
            -1,
            0,
            high - 2,
            high - 1,
            high,
        ];
        let between = low / 2 + high / 2;
        let members_of = inner.into_iter().chain([between]);
        members.extend(
            members_of
                .filter(|one| (low..=high).contains(one))
                .map(|one| of_rank(format, one)),
        );
        let random_one = || float(random, format);
        let others = std::iter::repeat_with(random_one).take(3);
        members.extend(others.filter(|&one| set.contains(one)));
    }
    if set.may_be_nan() {
        members.push(FloatValue::nan(format));
    }
    (set, members)
}

fn value(op: Op, sort: Sort, mode: Option<RoundingMode>, operands: &[FloatValue]) -> Value {
    let mode = mode.map(|mode| Value::bit_vec(2, mode as u128));
    let operands = operands.iter().map(|&one| Value::Float(one));
    let arguments: Vec<Value> = mode.into_iter().chain(operands).collect();
    apply_op(op, sort, &arguments)
}

fn as_float(value: Value) -> FloatValue {
    match value {
        Value::Float(value) => value,
        other => panic!("{other:?} is no float"),
    }
}

#[test]
fn ranks_are_the_order() {
    for format in FORMATS {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..2000 {
            let (a, b) = (float(&mut random, format), float(&mut random, format));
            if a.is_nan() || b.is_nan() {
                continue;
            }
            assert_eq!(of_rank(format, rank(a)), a);
            let order = a.compare(b).expect("numbers");
            let zeros = a.is_zero() && b.is_zero();
            assert!(zeros || order == rank(a).cmp(&rank(b)), "{a:?} {b:?}");
        }
    }
}

/// Checks each operation in each mode: results on members are in the resulting set, and the ends of the arithmetic operations'
/// results are attained.
#[test]
fn operations_are_sound() {
    for seed in 0..seeds(1_500) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let format = FORMATS[random.random_range(0..4)];
        let sort = Sort::Float(format);
        let mode = RoundingMode::ALL[random.random_range(0..4)];
        let (a, xs) = random_set(&mut random, format);
        let (b, ys) = random_set(&mut random, format);
        let (c, zs) = random_set(&mut random, format);
        for op in [Op::FpAdd, Op::FpSub, Op::FpMul, Op::FpDiv] {
            let set = transfer::arithmetic(op, mode, a, b);
            let mut seen = FloatSet::empty(format);
            for &x in &xs {
                for &y in &ys {
                    let result = as_float(value(op, sort, Some(mode), &[x, y]));
                    assert!(
                        set.contains(result),
                        "{op:?} {mode:?} {x:?} {y:?} {a:?} {b:?}"
                    );
                    seen.include(result);
                }
            }
            assert!(
                set.is_subset(seen),
                "{op:?} {mode:?} {a:?} {b:?}: more than needed"
            );
        }
        let fused = transfer::fused(mode, a, b, c);
        let remainder = transfer::remainder(a, b);
        for &x in &xs {
            for &y in &ys {
                let result = as_float(value(Op::FpRem, sort, None, &[x, y]));
                assert!(remainder.contains(result), "{x:?} rem {y:?} {a:?} {b:?}");
                for &z in zs.iter().take(4) {
                    let result = as_float(value(Op::FpFma, sort, Some(mode), &[x, y, z]));
                    assert!(fused.contains(result), "{mode:?} {x:?} {y:?} {z:?}");
                }
                for op in [Op::FpLt, Op::FpLe, Op::FpEq, Op::Eq] {
                    if let Some(truth) = transfer::comparison(op, a, b) {
                        let result = value(op, Sort::Bool, None, &[x, y]);
                        assert_eq!(result, Value::Bool(truth), "{op:?} {x:?} {y:?}");
                    }
                }
            }
        }
        let to = FORMATS[random.random_range(0..4)];
        let unary = [
            (Op::FpSqrt, sort, transfer::square_root(mode, a)),
            (
                Op::FpRoundToIntegral,
                sort,
                transfer::rounded_to_integral(mode, a),
            ),
            (
                Op::FpToFp(to),
                Sort::Float(to),
                transfer::converted(mode, a, to),
            ),
        ];
        for (op, sort, set) in unary {
            for &x in &xs {
                let result = as_float(value(op, sort, Some(mode), &[x]));
                assert!(set.contains(result), "{op:?} {mode:?} {x:?} {a:?}");
            }
        }
        for (op, set) in [
            (Op::FpNeg, transfer::negated(a)),
            (Op::FpAbs, transfer::absolute(a)),
        ] {
            for &x in &xs {
                assert!(
                    set.contains(as_float(value(op, sort, None, &[x]))),
                    "{op:?} {x:?} {a:?}"
                );
            }
        }
        let classes = [
            Op::FpIsNan,
            Op::FpIsInfinite,
            Op::FpIsZero,
            Op::FpIsNormal,
            Op::FpIsSubnormal,
            Op::FpIsNegative,
        ];
        for op in classes {
            if let Some(truth) = transfer::classification(op, a) {
                for &x in &xs {
                    let result = value(op, Sort::Bool, None, &[x]);
                    assert_eq!(result, Value::Bool(truth), "{op:?} {x:?} {a:?}");
                }
            }
        }
    }
}

/// Checks conversions from and to integers and bits.
#[test]
fn conversions_are_sound() {
    for seed in 0..seeds(6_000) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let format = FORMATS[random.random_range(0..4)];
        let mode = RoundingMode::ALL[random.random_range(0..4)];
        let (a, xs) = random_set(&mut random, format);
        let width = [1, 8, 16, 32, 64][random.random_range(0..5)];
        let sort = Sort::BitVec(width);
        let universe = Universe::of(sort).expect("numbers");
        let half = 1i128 << (width - 1);
        let conversions = [
            (Op::FpToSbv(width), (-half, half - 1)),
            (Op::FpToUbv(width), (0, 2 * half - 1)),
        ];
        for (op, range) in conversions {
            let set = transfer::to_integers(mode, a, range, universe);
            for &x in &xs {
                let result = value(op, sort, Some(mode), &[x]);
                assert!(
                    set.contains(number_of(&result)),
                    "{op:?} {mode:?} {x:?} {a:?}"
                );
            }
        }
        if let Some(bits) = transfer::to_bits(a) {
            let sort = Sort::BitVec(format.storage_bits() as u8);
            for &x in &xs {
                let result = value(Op::FpToBits, sort, None, &[x]);
                assert!(bits.contains(number_of(&result)), "{x:?} {a:?}");
            }
            assert!(a.is_subset(transfer::from_bits(format, &bits)), "{a:?}");
        }
        let (low, high) = (random.value(sort), random.value(sort));
        let arc = Intervals::arc(universe, number_of(&low), number_of(&high));
        let numbers = AbstractValue::from(arc.clone());
        for number in [low, high, random.value(sort)] {
            if !numbers.contains(number_of(&number)) {
                continue;
            }
            let mode_and_number = [Value::bit_vec(2, mode as u128), number.clone()];
            let hulls = [
                (Op::SbvToFp(format), arc.signed_hull()),
                (Op::UbvToFp(format), arc.hull()),
            ];
            for (op, hull) in hulls {
                let set = transfer::from_integers(mode, hull.expect("numbers"), format);
                let result = as_float(apply_op(op, Sort::Float(format), &mode_and_number));
                assert!(set.contains(result), "{op:?} {mode:?} {number:?}");
            }
            if u32::from(width) == format.storage_bits() {
                let set = transfer::from_bits(format, &numbers);
                let one = apply_op(
                    Op::FpFromBits(format),
                    Sort::Float(format),
                    std::slice::from_ref(&number),
                );
                assert!(set.contains(as_float(one)), "{number:?} {numbers:?}");
            }
        }
    }
}
