//! Floats of 32 and 64 bits on the processor, rounding to nearest.
//!
//! The processor implements IEEE 754; results that are NaNs are replaced by the canonical NaN of terms. Values are bit
//! patterns in registers.

use crate::interpreter::code::bytecode::{FloatFunction, FloatOperation, Precision, Signedness};
use crate::interpreter::state::bit_pattern::{double, single};

/// Runs an expression once for each precision, with functions from bits to floats and back.
macro_rules! for_precision {
    ($precision:expr, |$read:ident, $write:ident| $body:expr) => {
        match $precision {
            Precision::Single => {
                let ($read, $write) = (|bits: u64| f32::from_bits(bits as u32), single);
                $body
            }
            Precision::Double => {
                let ($read, $write) = (f64::from_bits, double);
                $body
            }
        }
    };
}

/// An operation on two floats.
#[inline]
pub(super) fn binary(precision: Precision, operation: FloatOperation, a: u64, b: u64) -> u64 {
    for_precision!(precision, |read, write| {
        let (a, b) = (read(a), read(b));
        match operation {
            FloatOperation::Add => write(a + b),
            FloatOperation::Subtract => write(a - b),
            FloatOperation::Multiply => write(a * b),
            FloatOperation::Divide => write(a / b),
            FloatOperation::Less => u64::from(a < b),
            FloatOperation::LessEqual => u64::from(a <= b),
            FloatOperation::Equal => u64::from(a == b),
        }
    })
}

pub(super) fn unary(precision: Precision, function: FloatFunction, bits: u64) -> u64 {
    if function == FloatFunction::Convert {
        return match precision {
            Precision::Single => double(f32::from_bits(bits as u32).into()),
            Precision::Double => single(f64::from_bits(bits) as f32),
        };
    }
    for_precision!(precision, |read, write| {
        let a = read(bits);
        match function {
            FloatFunction::Negate => write(-a),
            FloatFunction::AbsoluteValue => write(a.abs()),
            FloatFunction::SquareRoot => write(a.sqrt()),
            FloatFunction::RoundToEven => write(a.round_ties_even()),
            FloatFunction::Floor => write(a.floor()),
            FloatFunction::Ceiling => write(a.ceil()),
            FloatFunction::Truncate => write(a.trunc()),
            FloatFunction::IsNan => u64::from(a.is_nan()),
            FloatFunction::IsInfinite => u64::from(a.is_infinite()),
            FloatFunction::IsZero => u64::from(a == 0.0),
            FloatFunction::IsNormal => u64::from(a.is_normal()),
            FloatFunction::IsSubnormal => u64::from(a.is_subnormal()),
            FloatFunction::IsNegative => u64::from(a.is_sign_negative()),
            FloatFunction::FromBits | FloatFunction::Convert => write(a),
        }
    })
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
