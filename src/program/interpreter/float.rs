//! Floats of 32 and 64 bits on the processor, rounding to nearest.
//!
//! The processor computes as IEEE 754 asks; what remains is to make every NaN the one that terms know. Values are bit
//! patterns in registers.

use super::bytecode::{FloatFunction, FloatOperation, Precision, Signedness};
use super::value::{double, single};

/// An operation on two floats.
#[inline]
pub(super) fn binary(precision: Precision, operation: FloatOperation, a: u64, b: u64) -> u64 {
    match precision {
        Precision::Single => {
            let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            match operation {
                FloatOperation::Add => single(a + b),
                FloatOperation::Subtract => single(a - b),
                FloatOperation::Multiply => single(a * b),
                FloatOperation::Divide => single(a / b),
                FloatOperation::Less => u64::from(a < b),
                FloatOperation::LessEqual => u64::from(a <= b),
                FloatOperation::Equal => u64::from(a == b),
            }
        }
        Precision::Double => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            match operation {
                FloatOperation::Add => double(a + b),
                FloatOperation::Subtract => double(a - b),
                FloatOperation::Multiply => double(a * b),
                FloatOperation::Divide => double(a / b),
                FloatOperation::Less => u64::from(a < b),
                FloatOperation::LessEqual => u64::from(a <= b),
                FloatOperation::Equal => u64::from(a == b),
            }
        }
    }
}

pub(super) fn unary(precision: Precision, function: FloatFunction, bits: u64) -> u64 {
    match precision {
        Precision::Single => {
            let a = f32::from_bits(bits as u32);
            match function {
                FloatFunction::Negate => single(-a),
                FloatFunction::AbsoluteValue => single(a.abs()),
                FloatFunction::SquareRoot => single(a.sqrt()),
                FloatFunction::RoundToEven => single(a.round_ties_even()),
                FloatFunction::Floor => single(a.floor()),
                FloatFunction::Ceiling => single(a.ceil()),
                FloatFunction::Truncate => single(a.trunc()),
                FloatFunction::IsNan => u64::from(a.is_nan()),
                FloatFunction::IsInfinite => u64::from(a.is_infinite()),
                FloatFunction::IsZero => u64::from(a == 0.0),
                FloatFunction::IsNormal => u64::from(a.is_normal()),
                FloatFunction::IsSubnormal => u64::from(a.is_subnormal()),
                FloatFunction::IsNegative => bits >> 31 & 1,
                FloatFunction::FromBits => single(a),
                FloatFunction::Convert => double(f64::from(a)),
            }
        }
        Precision::Double => {
            let a = f64::from_bits(bits);
            match function {
                FloatFunction::Negate => double(-a),
                FloatFunction::AbsoluteValue => double(a.abs()),
                FloatFunction::SquareRoot => double(a.sqrt()),
                FloatFunction::RoundToEven => double(a.round_ties_even()),
                FloatFunction::Floor => double(a.floor()),
                FloatFunction::Ceiling => double(a.ceil()),
                FloatFunction::Truncate => double(a.trunc()),
                FloatFunction::IsNan => u64::from(a.is_nan()),
                FloatFunction::IsInfinite => u64::from(a.is_infinite()),
                FloatFunction::IsZero => u64::from(a == 0.0),
                FloatFunction::IsNormal => u64::from(a.is_normal()),
                FloatFunction::IsSubnormal => u64::from(a.is_subnormal()),
                FloatFunction::IsNegative => bits >> 63,
                FloatFunction::FromBits => double(a),
                FloatFunction::Convert => single(a as f32),
            }
        }
    }
}

/// A bit vector of 64 - `shift` bits as a float.
pub(super) fn from_bit_vector(precision: Precision, from: Signedness, shift: u8, bits: u64) -> u64 {
    match (precision, from) {
        (Precision::Single, Signedness::Unsigned) => single(bits as f32),
        (Precision::Double, Signedness::Unsigned) => double(bits as f64),
        (Precision::Single, Signedness::Signed) => single(((bits << shift) as i64 >> shift) as f32),
        (Precision::Double, Signedness::Signed) => double(((bits << shift) as i64 >> shift) as f64),
    }
}

/// A float as a bit vector of 64 - `shift` bits, truncated; zero if it does not fit.
pub(super) fn to_bit_vector(precision: Precision, into: Signedness, shift: u8, bits: u64) -> u64 {
    // Widening to a double is exact.
    let value = match precision {
        Precision::Single => f64::from(f32::from_bits(bits as u32)),
        Precision::Double => f64::from_bits(bits),
    };
    let value = value.trunc();
    let width = 64 - i32::from(shift);
    match into {
        Signedness::Signed => {
            let half = 2f64.powi(width - 1);
            if value >= -half && value < half {
                (value as i64 as u64) << shift >> shift
            } else {
                0
            }
        }
        Signedness::Unsigned => {
            if value >= 0.0 && value < 2f64.powi(width) {
                value as u64
            } else {
                0
            }
        }
    }
}
