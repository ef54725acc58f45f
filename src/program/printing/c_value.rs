//! Values and types of the program as C text, for harnesses and witnesses (read by compilers and other verifiers) and for
//! messages.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use crate::CScalar;
use regatta_term::{CType, FloatFormat, FloatValue, Sort, Value};

/// Returns the C type of a scalar with the given sort; `None` if it has no C type, or one that does not fit the sort.
pub fn c_type(scalar: Option<CScalar>, sort: Sort) -> Option<CType> {
    match (scalar?, sort) {
        (CScalar::Integer { bits, signed: true }, _) => Some(CType::Signed(bits)),
        (CScalar::Integer { bits, .. }, _) => Some(CType::Unsigned(bits)),
        (CScalar::Bool, _) => Some(CType::Bool),
        (CScalar::Float, Sort::Float(format)) => Some(CType::Float(format)),
        (CScalar::Pointer, Sort::BitVec(_)) => Some(CType::Pointer),
        (CScalar::Float | CScalar::Pointer, _) => None,
    }
}

/// Returns the value as a constant expression of C without conversions; `None` for arrays, and for numbers beyond every
/// integer type.
pub fn literal(value: &Value, c_type: Option<CScalar>) -> Option<String> {
    match (value, c_type) {
        (Value::Float(float), _) => Some(float_literal(*float)),
        (Value::BitVec(bits), Some(CScalar::Pointer)) if bits.bits() != 0 => {
            Some(format!("(void *){:#x}UL", bits.bits()))
        }
        _ => integer_literal(&number(value, c_type)?),
    }
}

/// Returns the value as text for messages: without suffixes, and in words where C has no literal.
pub fn describe(value: &Value, c_type: Option<CScalar>) -> String {
    match (value, c_type) {
        (Value::BitVec(bits), Some(CScalar::Pointer)) => match bits.bits() {
            0 => "NULL".to_owned(),
            address => format!("{address:#x}"),
        },
        // A value without a C type is shown as signed: most such values are an `int`.
        (Value::BitVec(bits), None) => bits.signed().to_string(),
        (Value::Float(float), _) => float.to_string(),
        (Value::Array(_), _) => "…".to_owned(),
        _ => number(value, c_type).map_or_else(String::new, |number| number.to_string()),
    }
}

/// The value as a number of its C type; `None` for floats and arrays.
fn number(value: &Value, c_type: Option<CScalar>) -> Option<BigInt> {
    match value {
        Value::Bool(truth) => Some(u8::from(*truth).into()),
        Value::Int(number) => Some(number.clone()),
        Value::BitVec(bits) => Some(match c_type {
            Some(CScalar::Integer { signed: true, .. }) => bits.signed().into(),
            _ => bits.bits().into(),
        }),
        Value::Float(_) | Value::Array(_) => None,
    }
}

/// The bits of the value's representation, at most 128; `None` for integers and arrays.
pub fn bits(value: &Value) -> Option<u128> {
    match value {
        Value::Bool(truth) => Some(u128::from(*truth)),
        Value::BitVec(bits) => Some(bits.bits()),
        Value::Float(float) => Some(float.bits()),
        Value::Int(_) | Value::Array(_) => None,
    }
}

fn integer_literal(number: &BigInt) -> Option<String> {
    let magnitude = number.abs().to_u128()?;
    let high = |magnitude: u128| (magnitude >> 64) as u64;
    Some(match (number.is_negative(), magnitude) {
        (false, 0..=0x7fff_ffff) => magnitude.to_string(),
        (false, 0x8000_0000..=0xffff_ffff) => format!("{magnitude}U"),
        (false, 0x1_0000_0000..=0x7fff_ffff_ffff_ffff) => format!("{magnitude}LL"),
        (false, 0x8000_0000_0000_0000..=0xffff_ffff_ffff_ffff) => format!("{magnitude}ULL"),
        (false, _) => format!(
            "(unsigned __int128){:#x}ULL << 64 | {:#x}ULL",
            high(magnitude),
            magnitude as u64
        ),
        (true, 1..=0x7fff_ffff) => format!("-{magnitude}"),
        // The least value of a type cannot be written as a negated constant of that type.
        (true, 0x8000_0000) => "-2147483647 - 1".to_owned(),
        (true, 0x8000_0001..=0x7fff_ffff_ffff_ffff) => format!("-{magnitude}LL"),
        (true, 0x8000_0000_0000_0000) => "-9223372036854775807LL - 1".to_owned(),
        (true, _) if magnitude > 1 << 127 => return None,
        (true, _) => {
            // Its two's complement, as gcc converts it.
            let complement = magnitude.wrapping_neg();
            format!(
                "(__int128)((unsigned __int128){:#x}ULL << 64 | {:#x}ULL)",
                high(complement),
                complement as u64
            )
        }
    })
}

/// The float as a hexadecimal literal, which is exact. There is one NaN: no violation that depends on its sign or payload is
/// confirmed.
fn float_literal(float: FloatValue) -> String {
    let (suffix, builtin) = match float.format() {
        FloatFormat::F16 => ("f16", "f16"),
        FloatFormat::F32 => ("f", "f"),
        FloatFormat::F64 => ("", ""),
        FloatFormat::F80 => ("L", "l"),
        FloatFormat::F128 => ("F128", "f128"),
    };
    match float.to_string().as_str() {
        "nan" => format!("__builtin_nan{builtin}(\"\")"),
        "inf" => format!("__builtin_inf{builtin}()"),
        "-inf" => format!("-__builtin_inf{builtin}()"),
        digits => format!("{digits}{suffix}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_every_width_and_sign() {
        let signed = |width: u8, value: i128| {
            let value = Value::bit_vec(width, value.cast_unsigned());
            literal(
                &value,
                Some(CScalar::Integer {
                    bits: width,
                    signed: true,
                }),
            )
            .unwrap()
        };
        let unsigned = |width: u8, value: u128| {
            let value = Value::bit_vec(width, value);
            literal(
                &value,
                Some(CScalar::Integer {
                    bits: width,
                    signed: false,
                }),
            )
            .unwrap()
        };
        for (text, expected) in [
            (signed(8, -128), "-128"),
            (signed(32, i32::MIN.into()), "-2147483647 - 1"),
            (signed(64, i64::from(i32::MIN).into()), "-2147483647 - 1"),
            (signed(64, i64::MIN.into()), "-9223372036854775807LL - 1"),
            (signed(64, -5_000_000_000), "-5000000000LL"),
            (signed(128, -1), "-1"),
            (
                signed(128, i128::MIN),
                "(__int128)((unsigned __int128)0x8000000000000000ULL << 64 | 0x0ULL)",
            ),
            (unsigned(32, u32::MAX.into()), "4294967295U"),
            (unsigned(64, u64::MAX.into()), "18446744073709551615ULL"),
            (
                unsigned(128, 1 << 64),
                "(unsigned __int128)0x1ULL << 64 | 0x0ULL",
            ),
        ] {
            assert_eq!(text, expected);
        }
        assert_eq!(
            literal(&Value::Bool(true), Some(CScalar::Bool)).unwrap(),
            "1"
        );
        let pointer = |bits| Value::bit_vec(64, bits);
        let (null, other) = (pointer(0), pointer(0x10));
        assert_eq!(literal(&null, Some(CScalar::Pointer)).unwrap(), "0");
        assert_eq!(describe(&null, Some(CScalar::Pointer)), "NULL");
        assert_eq!(
            literal(&other, Some(CScalar::Pointer)).unwrap(),
            "(void *)0x10UL"
        );
        assert_eq!(describe(&other, Some(CScalar::Pointer)), "0x10");
        let int = Some(CScalar::Integer {
            bits: 32,
            signed: true,
        });
        assert_eq!(
            describe(&Value::bit_vec(32, 1 << 31), int),
            i32::MIN.to_string()
        );
    }

    #[test]
    fn floats_exactly() {
        for (float, expected) in [
            (FloatValue::from_f64(0.1), "0xccccccccccccdp-55"),
            (FloatValue::from_f32(-0.0), "-0x0p+0f"),
            (FloatValue::from_f64(5e-324), "0x1p-1074"),
            (
                FloatValue::infinity(FloatFormat::F80, true),
                "-__builtin_infl()",
            ),
            (FloatValue::nan(FloatFormat::F32), "__builtin_nanf(\"\")"),
        ] {
            assert_eq!(
                literal(&Value::Float(float), Some(CScalar::Float)).unwrap(),
                expected
            );
        }
    }
}
