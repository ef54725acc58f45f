//! Tests that Z3 computes the same values as we, for every operator on corner cases of its sorts.

use crate::term::random::corner;
use crate::term::{
    Arena, Build, FloatFormat, FloatValue, Op, Pool, RoundingMode, Sort, TermId, Value, apply_op,
    smtlib_script,
};
use num_bigint::BigInt;
use rayon::prelude::*;

use super::z3_refutes;

/// Number of combinations of operands that are tried for each operator and each choice of sorts.
const COMBINATIONS: usize = 400;

/// An operator with the sorts of its operands and of its result.
type Signature = (Op, Vec<Sort>, Sort);

const ROUNDING: Sort = Sort::BitVec(2);

fn bit_vectors(signatures: &mut Vec<Signature>) {
    use Op::*;
    for width in [1u8, 2, 7, 8, 31, 32, 33, 64, 127, 128] {
        let sort = Sort::BitVec(width);
        for op in [
            BvAdd, BvMul, BvUdiv, BvUrem, BvSdiv, BvSrem, BvAnd, BvOr, BvXor, BvShl, BvLshr, BvAshr,
        ] {
            signatures.push((op, vec![sort; 2], sort));
        }
        for op in [BvUlt, BvUle, BvSlt, BvSle] {
            signatures.push((op, vec![sort; 2], Sort::Bool));
        }
        signatures.push((BvNeg, vec![sort], sort));
        signatures.push((BvNot, vec![sort], sort));
        signatures.push((BvToNat, vec![sort], Sort::Int));
        signatures.push((BvToInt, vec![sort], Sort::Int));
        signatures.push((IntToBv(width), vec![Sort::Int], sort));
        for wide in [width + 1, 64, 128] {
            if wide > width && wide <= 128 {
                signatures.push((ZeroExtend(wide), vec![sort], Sort::BitVec(wide)));
                signatures.push((SignExtend(wide), vec![sort], Sort::BitVec(wide)));
                let rest = Sort::BitVec(wide - width);
                signatures.push((Concat, vec![sort, rest], Sort::BitVec(wide)));
            }
        }
        let parts = [
            (width - 1, 0),
            (width - 1, width - 1),
            (0, 0),
            (width / 2, width / 3),
        ];
        for (high, low) in parts {
            signatures.push((
                Extract { high, low },
                vec![sort],
                Sort::BitVec(high - low + 1),
            ));
        }
    }
}

fn integers(signatures: &mut Vec<Signature>) {
    use Op::*;
    for op in [IntAdd, IntMul, IntDiv, IntMod] {
        signatures.push((op, vec![Sort::Int; 2], Sort::Int));
    }
    for op in [IntLt, IntLe, Eq] {
        signatures.push((op, vec![Sort::Int; 2], Sort::Bool));
    }
    signatures.push((IntNeg, vec![Sort::Int], Sort::Int));
}

fn floats(signatures: &mut Vec<Signature>) {
    use FloatFormat::{F16, F32, F64, F80, F128};
    use Op::*;
    let formats = [F16, F32, F64, F80, F128];
    for format in formats {
        let sort = Sort::Float(format);
        let bits = Sort::BitVec(format.storage_bits() as u8);
        for op in [FpAdd, FpSub, FpMul, FpDiv] {
            signatures.push((op, vec![ROUNDING, sort, sort], sort));
        }
        signatures.push((FpFma, vec![ROUNDING, sort, sort, sort], sort));
        for op in [FpSqrt, FpRoundToIntegral] {
            signatures.push((op, vec![ROUNDING, sort], sort));
        }
        signatures.push((FpRem, vec![sort; 2], sort));
        for op in [FpLt, FpLe, FpEq, Eq] {
            signatures.push((op, vec![sort; 2], Sort::Bool));
        }
        for op in [
            FpIsNan,
            FpIsInfinite,
            FpIsZero,
            FpIsNormal,
            FpIsSubnormal,
            FpIsNegative,
        ] {
            signatures.push((op, vec![sort], Sort::Bool));
        }
        for op in [FpNeg, FpAbs] {
            signatures.push((op, vec![sort], sort));
        }
        signatures.push((FpToBits, vec![sort], bits));
        signatures.push((FpFromBits(format), vec![bits], sort));
        for other in formats {
            signatures.push((FpToFp(other), vec![ROUNDING, sort], Sort::Float(other)));
        }
        for width in [8, 32, 64, 128] {
            let integer = Sort::BitVec(width);
            signatures.push((SbvToFp(format), vec![ROUNDING, integer], sort));
            signatures.push((UbvToFp(format), vec![ROUNDING, integer], sort));
            signatures.push((FpToSbv(width), vec![ROUNDING, sort], integer));
            signatures.push((FpToUbv(width), vec![ROUNDING, sort], integer));
        }
    }
}

/// The corner cases of a sort.
fn corners(sort: Sort) -> Vec<Value> {
    let mut values = match sort {
        ROUNDING => RoundingMode::ALL
            .map(|mode| Value::bit_vec(2, mode as u128))
            .to_vec(),
        Sort::BitVec(width) => {
            let half = 1u128 << (width - 1);
            let middle = 1u128 << (width / 2);
            [
                0,
                1,
                2,
                3,
                7,
                u128::MAX,
                u128::MAX - 1,
                half,
                half - 1,
                half + 1,
                middle,
                middle - 1,
                width.into(),
                u128::from(width) - 1,
            ]
            .map(|bits| Value::bit_vec(width, bits))
            .to_vec()
        }
        Sort::Int => {
            let large: BigInt = BigInt::from(1) << 64;
            let mut values: Vec<_> = (-4..=4).map(Value::int).collect();
            values.extend([-7, 7, 12, -12].map(Value::int));
            values.extend([large.clone() - 1, large.clone(), -large].map(Value::Int));
            values
        }
        Sort::Float(format) => {
            let small = [
                1.0, 0.5, 1.5, 2.5, 3.5, 0.25, 0.75, 3.0, 127.5, 128.0, 255.5,
            ];
            let mut values: Vec<FloatValue> = small
                .iter()
                .map(|value| {
                    FloatValue::from_f64(*value).convert(RoundingMode::NearestEven, format)
                })
                .collect();
            let infinity = FloatValue::infinity(format, false);
            let one = values[0].bits();
            let least_normal = 1u128 << (format.significand_bits() - 1);
            let near = [
                one - 1,
                one + 1,
                least_normal,
                least_normal - 1,
                1,
                2,
                3,
                infinity.bits() - 1,
                0,
            ];
            values.extend(near.map(|bits| FloatValue::from_bits(format, bits)));
            values.push(infinity);
            let negative: Vec<_> = values.iter().map(|value| value.negated()).collect();
            values.extend(negative);
            values.push(FloatValue::nan(format));
            values.into_iter().map(Value::Float).collect()
        }
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Array { .. } => Vec::new(),
    };
    // Ties of rounding and other values.
    if sort != ROUNDING && sort != Sort::Bool {
        let seed = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(n as u32);
        values.extend((1..24).map(|n| corner(sort, seed(n))));
    }
    values.dedup();
    values
}

/// Combinations of operands: all if there are few, otherwise evenly spread ones.
fn combinations(sorts: &[Sort]) -> Vec<Vec<Value>> {
    let values: Vec<_> = sorts.iter().map(|sort| corners(*sort)).collect();
    let total: usize = values.iter().map(Vec::len).product();
    // The step is odd, so that it rarely has a factor in common with the numbers of values.
    let step = if total <= COMBINATIONS {
        1
    } else {
        (total / COMBINATIONS) | 1
    };
    (0..total)
        .step_by(step)
        .map(|mut number| {
            values
                .iter()
                .map(|of_sort| {
                    let value = of_sort[number % of_sort.len()].clone();
                    number /= of_sort.len();
                    value
                })
                .collect()
        })
        .collect()
}

/// Returns the first operands for which Z3 computes another value.
fn first_difference((op, sorts, sort): &Signature) -> Option<String> {
    let arena = Arena::new();
    let cases: Vec<(Vec<Value>, Value, TermId)> = combinations(sorts)
        .into_iter()
        .map(|operands| {
            let value = apply_op(*op, *sort, &operands);
            let terms: Vec<_> = operands
                .iter()
                .map(|operand| arena.value(operand))
                .collect();
            let term = arena.intern(*op, *sort, &terms);
            let equal = arena.intern(Op::Eq, Sort::Bool, &[term, arena.value(&value)]);
            (operands, value, equal)
        })
        .collect();
    let refuted = |cases: &[(Vec<Value>, Value, TermId)]| {
        let all: Vec<_> = cases
            .iter()
            .map(|case| case.2)
            .chain([TermId::TRUE])
            .collect();
        let all = arena.intern(Op::And, Sort::Bool, &all);
        z3_refutes(&smtlib_script(
            &arena,
            &[arena.intern(Op::Not, Sort::Bool, &[all])],
        ))
    };
    if refuted(&cases) {
        return None;
    }
    let wrong = cases
        .iter()
        .find(|case| !refuted(std::slice::from_ref(case)));
    Some(match wrong {
        Some((operands, value, _)) => format!("{op:?} of {operands:?} is not {value}"),
        None => format!("{op:?}: together, but no single one"),
    })
}

#[test]
fn z3_computes_corners() {
    let mut signatures = Vec::new();
    bit_vectors(&mut signatures);
    integers(&mut signatures);
    floats(&mut signatures);
    let differences: Vec<_> = signatures.par_iter().filter_map(first_difference).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
