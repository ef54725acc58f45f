//! The semantics of the operators, defined here only: constructors fold constants with it, and the
//! evaluator ([`evaluate`](mod@evaluate)) uses it. Floats are computed by the processor where it rounds as asked ([`float`]),
//! else by exact arithmetic ([`exact`]).

pub(super) mod evaluate;
mod exact;
pub(super) mod float;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use self::float::Arithmetic;
use super::syntax::value::BitVecValue;
use super::{ArrayValue, FloatValue, Op, RoundingMode, Sort, Value};

/// Applies the operator to the arguments' values. `sort` is the application's sort.
///
/// # Panics
/// If the arguments do not have the sorts that the operator asks for: such a term cannot be built.
pub fn apply(op: Op, sort: Sort, arguments: &[Value]) -> Value {
    match arguments {
        [Value::BitVec(a)] => unary_bit_vec(op, *a),
        [Value::BitVec(a), Value::BitVec(b)] => binary_bit_vec(op, *a, *b),
        [Value::Int(a)] => unary_int(op, a),
        [Value::Int(a), Value::Int(b)] => binary_int(op, a, b),
        [Value::Float(a)] => unary_float(op, *a),
        [Value::Float(a), Value::Float(b)] => binary_float(op, *a, *b),
        [Value::BitVec(mode), rest @ ..] => {
            rounding(op, RoundingMode::from_bits(mode.bits()), rest)
        }
        _ => None,
    }
    .or_else(|| of_any_sort(op, sort, arguments))
    .unwrap_or_else(|| panic!("{op:?} does not apply to {arguments:?}"))
}

/// Operators of Booleans and arrays, and those that every sort has.
fn of_any_sort(op: Op, sort: Sort, arguments: &[Value]) -> Option<Value> {
    let value = match (op, arguments) {
        (Op::Not, [Value::Bool(a)]) => Value::Bool(!a),
        (Op::And, _) => Value::Bool(arguments.iter().all(|value| *value == Value::Bool(true))),
        (Op::Or, _) => Value::Bool(arguments.contains(&Value::Bool(true))),
        (Op::Eq, [a, b]) => Value::Bool(a == b),
        (Op::Ite, [Value::Bool(condition), a, b]) => if *condition { a } else { b }.clone(),
        (Op::Select, [Value::Array(array), index]) => array.select(index).clone(),
        (Op::Store, [Value::Array(array), index, element]) => {
            let mut array = array.clone();
            array.store(index.clone(), element.clone());
            Value::Array(array)
        }
        (Op::PrefixSum, [Value::Array(array), Value::BitVec(index)]) => {
            return prefix_sum(array, *index, sort);
        }
        (Op::ConstArray, [element]) => match sort {
            Sort::Array { index, .. } => Value::Array(ArrayValue::constant(index, element.clone())),
            _ => return None,
        },
        _ => return None,
    };
    Some(value)
}

/// The sum of the elements below the index.
fn prefix_sum(array: &ArrayValue, index: BitVecValue, sort: Sort) -> Option<Value> {
    let (Value::BitVec(default), Sort::BitVec(width)) = (array.default_value(), sort) else {
        return None;
    };
    let everywhere = default.bits().wrapping_mul(index.bits());
    let changes = array.entries().iter().map(|(at, value)| match (at, value) {
        (Value::BitVec(at), Value::BitVec(value)) if at.bits() < index.bits() => {
            value.bits().wrapping_sub(default.bits())
        }
        _ => 0,
    });
    let sum = changes.fold(everywhere, u128::wrapping_add);
    Some(Value::bit_vec(width, sum))
}

fn unary_bit_vec(op: Op, a: BitVecValue) -> Option<Value> {
    let bits = match op {
        Op::BvNeg => a.bits().wrapping_neg(),
        Op::BvNot => !a.bits(),
        Op::Extract { high, low } => return Some(Value::bit_vec(high - low + 1, a.bits() >> low)),
        Op::ZeroExtend(width) => return Some(Value::bit_vec(width, a.bits())),
        Op::SignExtend(width) => return Some(BitVecValue::from_signed(width, a.signed()).into()),
        Op::BvToNat => return Some(Value::int(a.bits())),
        Op::BvToInt => return Some(Value::int(a.signed())),
        Op::FpFromBits(format) => return Some(FloatValue::from_bits(format, a.bits()).into()),
        _ => return None,
    };
    Some(Value::bit_vec(a.width(), bits))
}

fn binary_bit_vec(op: Op, a: BitVecValue, b: BitVecValue) -> Option<Value> {
    let width = a.width();
    let (x, y) = (a.bits(), b.bits());
    let bits = match op {
        Op::BvAdd => x.wrapping_add(y),
        Op::BvMul => x.wrapping_mul(y),
        Op::BvUdiv => x.checked_div(y).unwrap_or(u128::MAX),
        Op::BvUrem => x.checked_rem(y).unwrap_or(x),
        Op::BvSdiv => match b.signed() {
            0 => {
                if a.is_negative() {
                    1
                } else {
                    u128::MAX
                }
            }
            divisor => a.signed().wrapping_div(divisor) as u128,
        },
        Op::BvSrem => match b.signed() {
            0 => x,
            divisor => a.signed().wrapping_rem(divisor) as u128,
        },
        Op::BvAnd => x & y,
        Op::BvOr => x | y,
        Op::BvXor => x ^ y,
        Op::BvShl => shift_amount(width, y).map_or(0, |amount| x << amount),
        Op::BvLshr => shift_amount(width, y).map_or(0, |amount| x >> amount),
        Op::BvAshr => (a.signed() >> shift_amount(width, y).unwrap_or(127)) as u128,
        Op::BvUlt => return Some(Value::Bool(x < y)),
        Op::BvUle => return Some(Value::Bool(x <= y)),
        Op::BvSlt => return Some(Value::Bool(a.signed() < b.signed())),
        Op::BvSle => return Some(Value::Bool(a.signed() <= b.signed())),
        Op::Concat => return Some(Value::bit_vec(width + b.width(), x << b.width() | y)),
        Op::SbvToFp(format) => {
            let integer = BigInt::from(b.signed());
            return Some(FloatValue::from_int(format, RoundingMode::from_bits(x), &integer).into());
        }
        Op::UbvToFp(format) => {
            let integer = BigInt::from(y);
            return Some(FloatValue::from_int(format, RoundingMode::from_bits(x), &integer).into());
        }
        _ => return None,
    };
    Some(Value::bit_vec(width, bits))
}

/// The amount, if it is less than the width.
fn shift_amount(width: u8, amount: u128) -> Option<u32> {
    (amount < u128::from(width)).then_some(amount as u32)
}

fn unary_int(op: Op, a: &BigInt) -> Option<Value> {
    match op {
        Op::IntNeg => Some(Value::int(-a)),
        Op::IntToBv(width) => Some(BitVecValue::from_int(width, a).into()),
        _ => None,
    }
}

fn binary_int(op: Op, a: &BigInt, b: &BigInt) -> Option<Value> {
    Some(match op {
        Op::IntAdd => Value::int(a + b),
        Op::IntMul => Value::int(a * b),
        Op::IntDiv => Value::Int(euclidean(a, b).0),
        Op::IntMod => Value::Int(euclidean(a, b).1),
        Op::IntLt => Value::Bool(a < b),
        Op::IntLe => Value::Bool(a <= b),
        _ => return None,
    })
}

/// Quotient and remainder, the remainder never negative; by zero: 0 and the dividend.
pub(super) fn euclidean(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    if b.is_zero() {
        return (BigInt::ZERO, a.clone());
    }
    let (quotient, remainder) = a.div_mod_floor(b);
    // The floor's remainder has the divisor's sign.
    if remainder.sign() == num_bigint::Sign::Minus {
        (quotient + BigInt::one(), remainder - b)
    } else {
        (quotient, remainder)
    }
}

fn unary_float(op: Op, a: FloatValue) -> Option<Value> {
    Some(match op {
        Op::FpNeg => a.negated().into(),
        Op::FpAbs => a.absolute().into(),
        Op::FpIsNan => a.is_nan().into(),
        Op::FpIsInfinite => a.is_infinite().into(),
        Op::FpIsZero => a.is_zero().into(),
        Op::FpIsNormal => a.is_normal().into(),
        Op::FpIsSubnormal => a.is_subnormal().into(),
        Op::FpIsNegative => a.sign_bit().into(),
        Op::FpToBits => Value::bit_vec(a.format().storage_bits() as u8, a.bits()),
        _ => return None,
    })
}

fn binary_float(op: Op, a: FloatValue, b: FloatValue) -> Option<Value> {
    use std::cmp::Ordering::{Equal, Less};
    Some(match op {
        Op::FpRem => a.remainder(b).into(),
        Op::FpLt => (a.compare(b) == Some(Less)).into(),
        Op::FpLe => matches!(a.compare(b), Some(Less | Equal)).into(),
        Op::FpEq => (a.compare(b) == Some(Equal)).into(),
        _ => return None,
    })
}

/// Operators with a rounding mode.
fn rounding(op: Op, mode: RoundingMode, arguments: &[Value]) -> Option<Value> {
    let float = match (op, arguments) {
        (Op::FpAdd, [Value::Float(a), Value::Float(b)]) => a.arithmetic(Arithmetic::Add, mode, *b),
        (Op::FpSub, [Value::Float(a), Value::Float(b)]) => a.arithmetic(Arithmetic::Sub, mode, *b),
        (Op::FpMul, [Value::Float(a), Value::Float(b)]) => a.arithmetic(Arithmetic::Mul, mode, *b),
        (Op::FpDiv, [Value::Float(a), Value::Float(b)]) => a.arithmetic(Arithmetic::Div, mode, *b),
        (Op::FpFma, [Value::Float(a), Value::Float(b), Value::Float(c)]) => {
            a.fused_multiply_add(mode, *b, *c)
        }
        (Op::FpSqrt, [Value::Float(a)]) => a.sqrt(mode),
        (Op::FpRoundToIntegral, [Value::Float(a)]) => a.round_to_integral(mode),
        (Op::FpToFp(format), [Value::Float(a)]) => a.convert(mode, format),
        (Op::IntToFp(format), [Value::Int(a)]) => FloatValue::from_int(format, mode, a),
        (Op::FpToInt, [Value::Float(a)]) => {
            return Some(Value::Int(a.to_int(mode).unwrap_or_default()));
        }
        (Op::FpToSbv(width), [Value::Float(a)]) => {
            let half = BigInt::one() << (width - 1);
            let integer = a
                .to_int(mode)
                .filter(|integer| -&half <= *integer && *integer < half);
            return Some(BitVecValue::from_int(width, &integer.unwrap_or_default()).into());
        }
        (Op::FpToUbv(width), [Value::Float(a)]) => {
            let integer = a
                .to_int(mode)
                .filter(|integer| *integer >= BigInt::ZERO && integer.bits() <= width.into());
            return Some(BitVecValue::from_int(width, &integer.unwrap_or_default()).into());
        }
        _ => return None,
    };
    Some(float.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corner_cases_of_bit_vectors() {
        let bv = |bits| Value::bit_vec(8, bits);
        let cases = [
            (Op::BvUdiv, 5, 0, 255),
            (Op::BvUrem, 5, 0, 5),
            (Op::BvSdiv, 5, 0, 255),
            (Op::BvSdiv, 251, 0, 1),
            (Op::BvSdiv, 128, 255, 128),
            (Op::BvSrem, 128, 255, 0),
            (Op::BvSrem, 249, 3, 255),
            (Op::BvSrem, 5, 0, 5),
            (Op::BvShl, 1, 8, 0),
            (Op::BvLshr, 255, 200, 0),
            (Op::BvAshr, 128, 200, 255),
            (Op::BvAshr, 127, 8, 0),
        ];
        for (op, a, b, expected) in cases {
            assert_eq!(
                apply(op, Sort::BitVec(8), &[bv(a), bv(b)]),
                bv(expected),
                "{op:?} {a} {b}"
            );
        }
    }

    #[test]
    fn division_of_integers_is_euclidean() {
        for (a, b, quotient, remainder) in [
            (7, 2, 3, 1),
            (-7, 2, -4, 1),
            (7, -2, -3, 1),
            (-7, -2, 4, 1),
            (-6, 3, -2, 0),
            (5, 0, 0, 5),
            (-5, 0, 0, -5),
        ] {
            assert_eq!(
                euclidean(&a.into(), &b.into()),
                (quotient.into(), remainder.into()),
                "{a} / {b}"
            );
        }
    }
}
