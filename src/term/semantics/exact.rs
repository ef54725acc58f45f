//! Floating-point operations by exact arithmetic: the exact result as a big integer times a power of two, rounded once.
//!
//! This is slow and plainly right. It does what the `rustc_apfloat` crate lacks (square root, integers of any size) or
//! does in a way that is hard to check (fused multiply-add, remainder).

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::Zero;

use crate::{FloatFormat, FloatValue, RoundingMode};

/// A float taken apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    NaN,
    Infinite {
        /// Its sign.
        negative: bool,
    },
    /// `±significand · 2^exponent`; zero has significand 0.
    Finite {
        /// Its sign.
        negative: bool,
        /// An integer below 2^precision.
        significand: u128,
        /// The exponent of the significand's unit.
        exponent: i64,
    },
}

/// The exponent of the unit of subnormals.
fn least_exponent(format: FloatFormat) -> i64 {
    let bias = (1 << (format.exponent_bits() - 1)) - 1;
    1 - bias - i64::from(format.significand_bits() - 1)
}

impl FloatFormat {
    /// Width of the significand's field in memory: without the leading bit, but for [`FloatFormat::F80`].
    const fn field_bits(self) -> u32 {
        self.storage_bits() - 1 - self.exponent_bits()
    }
}

pub(super) fn parts(value: FloatValue) -> Parts {
    let format = value.format();
    let precision = format.significand_bits();
    let (bits, field) = (value.bits(), format.field_bits());
    let negative = bits >> (format.storage_bits() - 1) != 0;
    let biased = (bits >> field) as i64 & ((1 << format.exponent_bits()) - 1);
    let fraction = bits & ((1 << (precision - 1)) - 1);
    if biased == (1 << format.exponent_bits()) - 1 {
        return if fraction == 0 {
            Parts::Infinite { negative }
        } else {
            Parts::NaN
        };
    }
    let leading = u128::from(biased != 0) << (precision - 1);
    Parts::Finite {
        negative,
        significand: fraction | leading,
        exponent: least_exponent(format) + (biased - 1).max(0),
    }
}

/// Puts a finite float together. The significand is below 2^precision, and below 2^(precision-1) only with the least
/// exponent.
fn assemble(format: FloatFormat, negative: bool, significand: u128, exponent: i64) -> FloatValue {
    let precision = format.significand_bits();
    let leading = significand >> (precision - 1);
    let biased = if leading == 0 {
        0
    } else {
        (exponent - least_exponent(format) + 1) as u128
    };
    let field = format.field_bits();
    let fraction = significand & ((1 << field) - 1);
    let sign = u128::from(negative) << (format.storage_bits() - 1);
    FloatValue::from_bits(format, sign | biased << field | fraction)
}

/// Whether a magnitude is to be rounded up, given the bit below the last kept one and whether anything is below that.
fn rounds_up(mode: RoundingMode, negative: bool, odd: bool, half: bool, rest: bool) -> bool {
    match mode {
        RoundingMode::NearestEven => half && (rest || odd),
        RoundingMode::Upward => !negative && (half || rest),
        RoundingMode::Downward => negative && (half || rest),
        RoundingMode::TowardZero => false,
    }
}

/// Shifts `magnitude` right by `shift`, rounding once; `rest`: whether the true magnitude is strictly greater than `magnitude`.
fn shift_right(
    mode: RoundingMode,
    negative: bool,
    magnitude: &BigUint,
    shift: u64,
    rest: bool,
) -> BigUint {
    let kept = magnitude >> shift;
    let half = shift > 0 && magnitude.bit(shift - 1);
    let rest = rest
        || (shift > 0
            && magnitude
                .trailing_zeros()
                .is_some_and(|zeros| zeros < shift - 1));
    let up = rounds_up(mode, negative, kept.bit(0), half, rest);
    kept + u8::from(up)
}

/// The float nearest to `±magnitude · 2^exponent` in the mode. `rest`: whether the true magnitude lies strictly between
/// this and the next integer; then `magnitude` must have two bits more than the format's precision.
pub(super) fn round(
    format: FloatFormat,
    mode: RoundingMode,
    negative: bool,
    (magnitude, exponent): (&BigUint, i64),
    rest: bool,
) -> FloatValue {
    let precision = i64::from(format.significand_bits());
    let least = least_exponent(format);
    let mut unit = (exponent + magnitude.bits() as i64 - precision).max(least);
    let mut kept = match u64::try_from(unit - exponent) {
        Ok(shift) => shift_right(mode, negative, magnitude, shift, rest),
        Err(_) => magnitude << (exponent - unit),
    };
    if kept.bits() as i64 > precision {
        // Rounded up to a power of two.
        kept >>= 1u8;
        unit += 1;
    }
    let bias = (1 << (format.exponent_bits() - 1)) - 1;
    if !kept.is_zero() && unit > bias - (precision - 1) {
        return overflow(format, mode, negative);
    }
    let significand = kept
        .iter_u64_digits()
        .rev()
        .fold(0, |sum, digit| sum << 64 | u128::from(digit));
    assemble(format, negative, significand, unit)
}

/// What a result beyond the largest finite float becomes.
fn overflow(format: FloatFormat, mode: RoundingMode, negative: bool) -> FloatValue {
    let infinite = match mode {
        RoundingMode::NearestEven => true,
        RoundingMode::Upward => !negative,
        RoundingMode::Downward => negative,
        RoundingMode::TowardZero => false,
    };
    if infinite {
        return FloatValue::infinity(format, negative);
    }
    let precision = format.significand_bits();
    let largest = i64::from((1 << (format.exponent_bits() - 1)) - 1) - i64::from(precision - 1);
    assemble(format, negative, u128::MAX >> (128 - precision), largest)
}

pub(super) fn convert(format: FloatFormat, mode: RoundingMode, value: FloatValue) -> FloatValue {
    match parts(value) {
        Parts::NaN => FloatValue::nan(format),
        Parts::Infinite { negative } => FloatValue::infinity(format, negative),
        Parts::Finite {
            negative,
            significand,
            exponent,
        } => round(
            format,
            mode,
            negative,
            (&significand.into(), exponent),
            false,
        ),
    }
}

/// The float nearest to an integer.
pub(super) fn from_int(format: FloatFormat, mode: RoundingMode, value: &BigInt) -> FloatValue {
    round(
        format,
        mode,
        value.sign() == Sign::Minus,
        (value.magnitude(), 0),
        false,
    )
}

/// The integer nearest to a float, or `None` for NaN and infinities.
pub(super) fn to_int(mode: RoundingMode, value: FloatValue) -> Option<BigInt> {
    let Parts::Finite {
        negative,
        significand,
        exponent,
    } = parts(value)
    else {
        return None;
    };
    let magnitude = BigUint::from(significand);
    let rounded = match u64::try_from(-exponent) {
        Ok(shift) => shift_right(mode, negative, &magnitude, shift, false),
        Err(_) => magnitude << exponent,
    };
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    Some(BigInt::from_biguint(sign, rounded))
}

/// The nearest integral float; a zero keeps the sign.
pub(super) fn round_to_integral(mode: RoundingMode, value: FloatValue) -> FloatValue {
    let Parts::Finite {
        negative, exponent, ..
    } = parts(value)
    else {
        return value;
    };
    if exponent >= 0 {
        return value;
    }
    match to_int(mode, value) {
        Some(integer) => round(
            value.format(),
            mode,
            negative,
            (integer.magnitude(), 0),
            false,
        ),
        None => value,
    }
}

pub(super) fn sqrt(mode: RoundingMode, value: FloatValue) -> FloatValue {
    let format = value.format();
    let (significand, exponent) = match parts(value) {
        Parts::Finite { significand: 0, .. } | Parts::Infinite { negative: false } => return value,
        Parts::Finite {
            negative: false,
            significand,
            exponent,
        } => (significand, exponent),
        _ => return FloatValue::nan(format),
    };
    // Enough bits that the root has two more than the precision, and an even exponent.
    let mut shift = 2 * (i64::from(format.significand_bits()) + 2);
    shift += (exponent - shift).rem_euclid(2);
    let square = BigUint::from(significand) << shift;
    let root = square.sqrt();
    let rest = &root * &root != square;
    round(format, mode, false, (&root, (exponent - shift) / 2), rest)
}

/// IEEE 754's remainder: `a - b·n`, where n is the integer nearest to a/b, ties to even. It is always exact.
pub(super) fn remainder(a: FloatValue, b: FloatValue) -> FloatValue {
    let format = a.format();
    let (
        Parts::Finite { .. },
        Parts::Finite {
            significand: 1.., ..
        }
        | Parts::Infinite { .. },
    ) = (parts(a), parts(b))
    else {
        return FloatValue::nan(format);
    };
    let (
        Parts::Finite {
            negative,
            significand: left,
            exponent: left_exponent,
        },
        Parts::Finite {
            significand: right,
            exponent: right_exponent,
            ..
        },
    ) = (parts(a), parts(b))
    else {
        return a;
    };
    let unit = left_exponent.min(right_exponent);
    let left = BigUint::from(left) << (left_exponent - unit);
    let right = BigUint::from(right) << (right_exponent - unit);
    let (quotient, rest) = left.div_rem(&right);
    let twice = &rest << 1u8;
    let mode = RoundingMode::NearestEven;
    if twice > right || (twice == right && quotient.bit(0)) {
        round(format, mode, !negative, (&(right - rest), unit), false)
    } else {
        round(format, mode, negative, (&rest, unit), false)
    }
}

/// `a·b + c`, rounded once.
pub(super) fn fused_multiply_add(
    mode: RoundingMode,
    a: FloatValue,
    b: FloatValue,
    c: FloatValue,
) -> FloatValue {
    let format = a.format();
    let nan = FloatValue::nan(format);
    let negative = a.sign_bit() != b.sign_bit();
    match (parts(a), parts(b), parts(c)) {
        (Parts::NaN, ..) | (_, Parts::NaN, _) | (.., Parts::NaN) => nan,
        (Parts::Infinite { .. }, Parts::Finite { significand: 0, .. }, _)
        | (Parts::Finite { significand: 0, .. }, Parts::Infinite { .. }, _) => nan,
        (Parts::Infinite { .. }, _, other) | (_, Parts::Infinite { .. }, other) => {
            if other
                == (Parts::Infinite {
                    negative: !negative,
                })
            {
                nan
            } else {
                FloatValue::infinity(format, negative)
            }
        }
        (.., Parts::Infinite { .. }) => c,
        (
            Parts::Finite {
                significand: a,
                exponent: a_exponent,
                ..
            },
            Parts::Finite {
                significand: b,
                exponent: b_exponent,
                ..
            },
            Parts::Finite {
                negative: c_negative,
                significand: c,
                exponent: c_exponent,
            },
        ) => {
            let signed = |negative, magnitude| {
                BigInt::from_biguint(if negative { Sign::Minus } else { Sign::Plus }, magnitude)
            };
            let product_exponent = a_exponent + b_exponent;
            let unit = product_exponent.min(c_exponent);
            let product =
                signed(negative, BigUint::from(a) * BigUint::from(b)) << (product_exponent - unit);
            let sum = &product + (signed(c_negative, c.into()) << (c_exponent - unit));
            let sum_negative = match sum.sign() {
                Sign::Minus => true,
                Sign::Plus => false,
                // The signs of the two zeros, if they agree; else by the mode.
                Sign::NoSign if product.is_zero() && negative == c_negative => negative,
                Sign::NoSign => mode == RoundingMode::Downward,
            };
            round(format, mode, sum_negative, (sum.magnitude(), unit), false)
        }
    }
}
