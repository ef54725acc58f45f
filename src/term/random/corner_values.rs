//! Random values that are often corner cases of their sorts.

use num_bigint::BigInt;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Choices;
use crate::domain::AbstractValue;
use crate::{ArrayValue, FloatValue, Op, RoundingMode, Sort, Value, apply_op};

/// Returns a value of the sort, mostly a corner case.
pub fn corner(sort: Sort, seed: u64) -> Value {
    let large = u128::from(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)) << 64 | u128::from(seed);
    let small = (seed >> 8) % 6;
    match sort {
        Sort::Bool => Value::Bool(seed & 16 != 0),
        Sort::BitVec(width) => {
            let power = 1u128 << ((seed >> 16) % u64::from(width));
            Value::bit_vec(
                width,
                match seed % 10 {
                    0 => 0,
                    1 => u128::MAX,
                    2 => 1 << (width - 1),
                    3 => (1 << (width - 1)) - 1,
                    4 => power,
                    5 => power - 1,
                    6 => u128::from(small),
                    7 => u128::from(small).wrapping_neg(),
                    8 => u128::from(width),
                    _ => large,
                },
            )
        }
        Sort::Int => {
            let power = BigInt::from(1) << ((seed >> 16) % 70);
            Value::Int(match seed % 7 {
                6 => tie(seed) << ((seed >> 40) % 60),
                0 => BigInt::from(small),
                1 => -BigInt::from(small),
                2 => power,
                3 => -power,
                4 => power - 1,
                _ => BigInt::from(seed as i32),
            })
        }
        Sort::Float(format) => {
            let nearest = RoundingMode::NearestEven;
            Value::Float(match seed % 15 {
                12 => FloatValue::from_int(format, nearest, &tie(seed)),
                13 => {
                    // A tie at the bottom of the format's range, or in the fraction.
                    let quotient = FloatValue::from_int(
                        format,
                        nearest,
                        &(BigInt::from(1) << ((seed >> 40) % 70)),
                    );
                    let Value::Float(quotient) = apply_op(
                        Op::FpDiv,
                        sort,
                        &[
                            Value::bit_vec(2, 0),
                            FloatValue::from_int(format, nearest, &tie(seed)).into(),
                            quotient.into(),
                        ],
                    ) else {
                        unreachable!("a quotient of floats is a float");
                    };
                    quotient
                }
                14 => FloatValue::from_bits(
                    format,
                    FloatValue::from_int(format, nearest, &BigInt::from(small)).bits()
                        ^ (seed >> 20 & 3) as u128,
                ),
                0 => FloatValue::zero(format, seed & 64 != 0),
                1 => FloatValue::infinity(format, seed & 64 != 0),
                2 => FloatValue::nan(format),
                3 => FloatValue::from_bits(format, u128::from(small)),
                4 => FloatValue::from_int(format, nearest, &BigInt::from(small)).negated(),
                5 => FloatValue::from_f64(small as f64 + 0.5).convert(nearest, format),
                6 => FloatValue::from_f64(-(small as f64) / 4.0).convert(nearest, format),
                7 => FloatValue::from_int(
                    format,
                    nearest,
                    &(BigInt::from(1) << ((seed >> 16) % 130)),
                ),
                8 => FloatValue::from_int(
                    format,
                    RoundingMode::TowardZero,
                    &((BigInt::from(1) << ((seed >> 16) % 66)) - 1),
                ),
                9 => FloatValue::from_bits(
                    format,
                    FloatValue::infinity(format, seed & 64 != 0).bits() - 1,
                ),
                10 => FloatValue::from_f64(f64::from_bits(
                    0x3fe0_0000_0000_0000 + (seed & 0xff_ffff_ffff_ffff),
                ))
                .convert(nearest, format),
                _ => FloatValue::from_bits(format, large ^ large.rotate_left(37)),
            })
        }
        Sort::Array { index, element } => {
            let default = corner(element.into(), seed >> 5);
            let entry = |n: u64| {
                (
                    corner(index.into(), seed >> n ^ n),
                    corner(element.into(), seed >> (n + 9)),
                )
            };
            Value::Array(ArrayValue::new(index, default, (0..seed % 4).map(entry)))
        }
    }
}

/// Returns an integer in the middle between two neighbouring floats of some format, or next to the middle.
fn tie(seed: u64) -> BigInt {
    let precisions = [11, 24, 53, 64, 113];
    let precision = precisions[(seed >> 8) as usize % precisions.len()];
    let significand = (BigInt::from(1) << (precision - 1)) + BigInt::from(seed >> 32 & 0x3ff);
    let below = 1 + (seed >> 28 & 3) as usize;
    let middle = (significand << below) + (BigInt::from(1) << (below - 1));
    middle + BigInt::from((seed >> 24) % 3) - 1
}

/// Returns a random value; integers are small, so that bounds of intervals are met.
pub fn random_value(random: &mut Xoshiro256PlusPlus, sort: Sort) -> Value {
    match sort {
        Sort::Int => Value::int(random.random_range(-9..9)),
        _ => random.value(sort),
    }
}

/// Checks whether a set has the value, or the values of all cells of an array.
pub fn is_member(set: &AbstractValue, value: &Value) -> bool {
    match value {
        Value::Array(array) => {
            let mut cells = array.entries().values().chain([array.default_value()]);
            cells.all(|cell| set.contains(number_of(cell)))
        }
        value => set.contains(number_of(value)),
    }
}

/// Converts a value to the number that represents it.
pub fn number_of(value: &Value) -> i128 {
    match value {
        Value::Bool(truth) => i128::from(*truth),
        Value::BitVec(bits) => bits.bits() as i128,
        value => i128::try_from(value).expect("a number of moderate size"),
    }
}
