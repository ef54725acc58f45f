//! C's operators, conversions and functions on floats.

use num_bigint::BigInt;

use super::arithmetic::{IntegerType, pool};
use crate::ir::{BinaryOp, MathFunction};
use regatta_term::{Build, FloatFormat, FloatValue, Pool, RoundingMode, Sort, TermId};

/// An arithmetic operator, rounded in the mode.
pub fn binary(op: BinaryOp, [a, b]: [TermId; 2], mode: TermId) -> TermId {
    match op {
        BinaryOp::Add => pool().fp_add(mode, a, b),
        BinaryOp::Subtract => pool().fp_sub(mode, a, b),
        BinaryOp::Multiply => pool().fp_mul(mode, a, b),
        BinaryOp::Divide => pool().fp_div(mode, a, b),
        _ => a,
    }
}

/// An IEEE comparison.
pub fn compare(op: BinaryOp, a: TermId, b: TermId) -> TermId {
    match op {
        BinaryOp::NotEqual => pool().not(pool().fp_eq(a, b)),
        BinaryOp::Less => pool().fp_lt(a, b),
        BinaryOp::LessEqual => pool().fp_le(a, b),
        BinaryOp::Greater => pool().fp_lt(b, a),
        BinaryOp::GreaterEqual => pool().fp_le(b, a),
        _ => pool().fp_eq(a, b),
    }
}

/// Converts to an integer type, rounding toward zero, with x86's result for values out of range.
pub fn to_integer(value: TermId, format: FloatFormat, to: IntegerType, pointer_bits: u8) -> TermId {
    let pool = pool();
    match to {
        IntegerType { bits: 0..=31, .. } => {
            pool.extract(to_signed(value, format, 32), to.bits.max(1) - 1, 0)
        }
        IntegerType { bits, signed: true } => to_signed(value, format, bits),
        IntegerType { bits: 32, .. } if pointer_bits > 32 => {
            pool.extract(to_signed(value, format, 64), 31, 0)
        }
        // From half of the range on gcc subtracts that half before the conversion and flips the highest bit after it.
        IntegerType { bits, .. } => {
            let half = power(format, BigInt::from(1) << (bits - 1));
            let mode = pool.rounding(RoundingMode::TowardZero);
            // A value still out of range gives zero, by the operator's definition as by gcc's sequence.
            let upper = pool.fp_to_ubv(mode, value, bits);
            pool.ite(
                pool.fp_le(half, value),
                upper,
                to_signed(value, format, bits),
            )
        }
    }
}

/// x86's conversion instruction: a value out of range gives the smallest number.
fn to_signed(value: TermId, format: FloatFormat, bits: u8) -> TermId {
    let pool = pool();
    let converted = pool.fp_to_sbv(pool.rounding(RoundingMode::TowardZero), value, bits);
    let indefinite = pool.bv(bits, 1 << (bits - 1));
    pool.ite(in_signed_range(value, format, bits), converted, indefinite)
}

/// A power of two, which is exact, or infinite where the format cannot reach it.
fn power(format: FloatFormat, number: BigInt) -> TermId {
    let mode = if number.sign() == num_bigint::Sign::Minus {
        RoundingMode::Downward
    } else {
        RoundingMode::Upward
    };
    pool().float(FloatValue::from_int(format, mode, &number))
}

/// Whether the value, with its fraction dropped, is in the range of the signed integers of the width.
fn in_signed_range(value: TermId, format: FloatFormat, bits: u8) -> TermId {
    let pool = pool();
    let high = BigInt::from(1) << (bits - 1);
    let low = -&high;
    let below = pool.fp_lt(value, power(format, high));
    // If the format has the limit itself, that is out of range; else no value lies between it and the lowest integer.
    let limit: BigInt = &low - 1_i32;
    let rounded = FloatValue::from_int(format, RoundingMode::Downward, &limit);
    let above = if rounded.is_infinite()
        || rounded.to_int(RoundingMode::TowardZero).as_ref() == Some(&limit)
    {
        pool.fp_lt(pool.float(rounded), value)
    } else {
        pool.fp_le(power(format, low), value)
    };
    pool.and2(above, below)
}

/// The format of a float term.
fn format_of(term: TermId) -> FloatFormat {
    match pool().sort(term) {
        Sort::Float(format) => format,
        _ => FloatFormat::F64,
    }
}

fn small(format: FloatFormat, value: f64) -> TermId {
    let value = FloatValue::from_f64(value).convert(RoundingMode::NearestEven, format);
    pool().float(value)
}

/// A classification, as a Boolean term; `None` if the function is not a classification. (The sign is not here: see
/// `emit::nan`.)
pub fn classify(function: MathFunction, value: TermId) -> Option<TermId> {
    Some(match function {
        MathFunction::IsNan => pool().fp_is_nan(value),
        MathFunction::IsInfinite => pool().fp_is_infinite(value),
        MathFunction::IsNormal => pool().fp_is_normal(value),
        MathFunction::IsSubnormal => pool().fp_is_subnormal(value),
        MathFunction::IsZero => pool().fp_is_zero(value),
        _ => return None,
    })
}

/// A function on floats with a float result; `None` for other functions, or if an operand is missing.
pub fn function(function: MathFunction, operands: &[TermId], mode: TermId) -> Option<TermId> {
    let pool = pool();
    let first = operands.first().copied()?;
    let second = operands.get(1).copied();
    Some(match function {
        MathFunction::AbsoluteValue => pool.fp_abs(first),
        MathFunction::SquareRoot => pool.fp_sqrt(mode, first),
        MathFunction::FusedMultiplyAdd => {
            pool.fp_fma(mode, first, second?, operands.get(2).copied()?)
        }
        MathFunction::RoundToIntegral(mode) => {
            pool.fp_round_to_integral(pool.rounding(mode), first)
        }
        MathFunction::RoundToIntegralCurrent => pool.fp_round_to_integral(mode, first),
        MathFunction::RoundHalfAway => round_half_away(first),
        MathFunction::IeeeRemainder => pool.fp_rem(first, second?),
        MathFunction::Modulo => modulo(first, second?),
        _ => return None,
    })
}

/// `round`: truncated, and one further away from zero if half or more was cut off. All steps are exact.
fn round_half_away(value: TermId) -> TermId {
    let pool = pool();
    let format = format_of(value);
    let nearest = pool.rounding(RoundingMode::NearestEven);
    let whole = pool.fp_round_to_integral(pool.rounding(RoundingMode::TowardZero), value);
    let fraction = pool.fp_abs(pool.fp_sub(nearest, value, whole));
    let one = copy_sign(small(format, 1.0), value);
    let further = pool.fp_add(nearest, whole, one);
    pool.ite(pool.fp_le(small(format, 0.5), fraction), further, whole)
}

/// `fmod`: the IEEE remainder of the absolute values lies in [-|b|/2, |b|/2] and is moved into [0, |b|), which is
/// exact since the result is representable; the sign is the dividend's.
fn modulo(a: TermId, b: TermId) -> TermId {
    let pool = pool();
    let nearest = pool.rounding(RoundingMode::NearestEven);
    let divisor = pool.fp_abs(b);
    let remainder = pool.fp_rem(pool.fp_abs(a), divisor);
    let negative = pool.fp_lt(remainder, small(format_of(a), 0.0));
    let moved = pool.ite(
        negative,
        pool.fp_add(nearest, remainder, divisor),
        remainder,
    );
    copy_sign(moved, a)
}

/// The magnitude with the sign of `sign`; if `sign` is a NaN, so is the result.
fn copy_sign(magnitude: TermId, sign: TermId) -> TermId {
    with_sign(magnitude, pool().fp_is_negative(sign))
}

/// The magnitude, negated if the condition holds.
pub fn with_sign(magnitude: TermId, negative: TermId) -> TermId {
    let pool = pool();
    let magnitude = pool.fp_abs(magnitude);
    pool.ite(negative, pool.fp_neg(magnitude), magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> TermId {
        pool().float(FloatValue::from_f64(value))
    }

    #[test]
    fn conversions_are_those_of_x86() {
        let table = [
            (32, true, 1.9, 1),
            (32, true, -1.9, -1),
            (32, true, -2_147_483_648.5, i64::from(i32::MIN)),
            (32, true, 2_147_483_648.0, i64::from(i32::MIN)),
            (32, true, f64::NAN, i64::from(i32::MIN)),
            (8, true, 300.0, 44),
            (16, false, -1.0, 0xFFFF),
            (32, false, 4_294_967_295.0, 0xFFFF_FFFF),
            (32, false, -1.0, 0xFFFF_FFFF),
            (64, true, 1e30, i64::MIN),
            (64, false, -1.0, -1),
            (64, false, 1.8e19, 18_000_000_000_000_000_000_u64 as i64),
            (64, false, 1e30, 0),
            (64, false, f64::NAN, i64::MIN),
        ];
        for (bits, signed, value, expected) in table {
            let term = to_integer(
                double(value),
                FloatFormat::F64,
                IntegerType { bits, signed },
                64,
            );
            let text = regatta_term::to_smtlib(pool(), term);
            assert_eq!(
                term,
                pool().bv_signed(bits, expected.into()),
                "{value} to {bits} bits: {text}"
            );
        }
    }

    #[test]
    fn fmod_and_round() {
        let nearest = pool().rounding(RoundingMode::NearestEven);
        for (a, b) in [
            (5.5, 2.0),
            (-5.5, 2.0),
            (5.0, 3.0),
            (4.0, 2.0),
            (-4.0, 2.0),
            (1e300, 7.0),
            (0.5, 1e300),
        ] {
            assert_eq!(modulo(double(a), double(b)), double(a % b), "{a} % {b}");
        }
        for value in [
            0.5,
            -0.5,
            0.49,
            -0.3,
            2.5,
            -2.5,
            1e17,
            0.0,
            -0.0,
            f64::INFINITY,
        ] {
            let result = function(MathFunction::RoundHalfAway, &[double(value)], nearest);
            assert_eq!(result, Some(double(value.round())), "{value}");
        }
    }
}
