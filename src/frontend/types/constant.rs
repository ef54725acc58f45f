//! Literals: integer, floating and character constants, and strings.

use lang_c::ast;
use thiserror::Error;

use crate::types::{FloatKind, IntegerKind, OpaqueKind};
use regatta_program::DataModel;
use regatta_term::{FloatFormat, FloatValue, RoundingMode};

/// Why a literal has no value.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LiteralError {
    /// More than 64 bits.
    #[error("the integer constant does not fit into 64 bits")]
    IntegerTooLarge,
    /// A digit that the base does not have.
    #[error("invalid digit in the constant `{0}`")]
    InvalidDigit(String),
    /// A number that cannot be read.
    #[error("the floating constant `{0}` is malformed")]
    MalformedFloat(String),
    /// A floating-point type that x86 does not have.
    #[error("this floating-point type is not supported")]
    UnknownFloat,
    /// `''`.
    #[error("empty character constant")]
    EmptyCharacter,
    /// A backslash without a valid escape.
    #[error("malformed escape sequence in `{0}`")]
    MalformedEscape(String),
    /// Strings of different widths side by side.
    #[error("strings with different encoding prefixes cannot be joined")]
    MixedPrefixes,
}

/// The value and type of an integer constant (C11 6.4.4.1): the first type of the list that holds it. A decimal
/// constant that only `unsigned long long` holds has the type that gcc gives it. A value of more than 64 bits has no
/// type: a compiler would truncate it.
pub fn integer(
    literal: &ast::Integer,
    model: DataModel,
) -> Result<(u128, IntegerKind), LiteralError> {
    let radix = match literal.base {
        ast::IntegerBase::Decimal => 10,
        ast::IntegerBase::Octal => 8,
        ast::IntegerBase::Hexadecimal => 16,
        ast::IntegerBase::Binary => 2,
    };
    let mut value: u64 = 0;
    for digit in literal.number.chars() {
        let digit = digit
            .to_digit(radix)
            .ok_or_else(|| LiteralError::InvalidDigit(literal.number.to_string()))?;
        value = value
            .checked_mul(u64::from(radix))
            .and_then(|value| value.checked_add(u64::from(digit)))
            .ok_or(LiteralError::IntegerTooLarge)?;
    }
    let value = u128::from(value);
    use IntegerKind::{Int, Int128, Long, LongLong, UnsignedInt, UnsignedLong, UnsignedLongLong};
    let decimal = literal.base == ast::IntegerBase::Decimal;
    // In rising order; only a constant that is not decimal or has the suffix `u` may have the unsigned type.
    let candidates = [
        (Int, UnsignedInt, ast::IntegerSize::Int),
        (Long, UnsignedLong, ast::IntegerSize::Long),
        (LongLong, UnsignedLongLong, ast::IntegerSize::LongLong),
    ];
    for (signed, unsigned, size) in candidates {
        if size < literal.suffix.size {
            continue;
        }
        let bits = u32::from(signed.bits(model));
        if !literal.suffix.unsigned && value >> (bits - 1) == 0 {
            return Ok((value, signed));
        }
        if (literal.suffix.unsigned || !decimal) && value >> bits == 0 {
            return Ok((value, unsigned));
        }
    }
    Ok(match model {
        DataModel::Lp64 => (value, Int128),
        DataModel::Ilp32 => (value, UnsignedLongLong),
    })
}

/// The IEEE bits and the type of a floating constant, rounded once and to nearest.
pub fn float(literal: &ast::Float) -> Result<(u128, FloatKind), LiteralError> {
    let kind = match &literal.suffix.format {
        ast::FloatFormat::Float => FloatKind::Float,
        ast::FloatFormat::Double => FloatKind::Double,
        ast::FloatFormat::LongDouble => FloatKind::LongDouble,
        ast::FloatFormat::TS18661Format(format) => {
            sized_float(format).ok_or(LiteralError::UnknownFloat)?
        }
    };
    let text = match literal.base {
        ast::FloatBase::Decimal => literal.number.to_string(),
        ast::FloatBase::Hexadecimal => format!("0x{}", literal.number),
    };
    let bits = float_bits(&text, kind.format())
        .ok_or_else(|| LiteralError::MalformedFloat(literal.number.to_string()))?;
    Ok((bits, kind))
}

/// The type of `_FloatN` or `_FloatNx`; `None` for decimal types and widths that x86 does not have.
pub fn sized_float(format: &ast::TS18661FloatType) -> Option<FloatKind> {
    use ast::TS18661FloatFormat::{BinaryExtended, BinaryInterchange};
    Some(match (&format.format, format.width) {
        (BinaryInterchange, 16) => FloatKind::Float16,
        (BinaryInterchange, 32) => FloatKind::Float,
        (BinaryInterchange, 64) | (BinaryExtended, 32) => FloatKind::Double,
        (BinaryExtended, 64) => FloatKind::LongDouble,
        (BinaryInterchange, 128) => FloatKind::Float128,
        _ => return None,
    })
}

/// The decimal floating type of `_DecimalN`.
pub fn decimal_float(format: &ast::TS18661FloatType) -> Option<OpaqueKind> {
    match (&format.format, format.width) {
        (ast::TS18661FloatFormat::DecimalInterchange, 32) => Some(OpaqueKind::Decimal32),
        (ast::TS18661FloatFormat::DecimalInterchange, 64) => Some(OpaqueKind::Decimal64),
        (ast::TS18661FloatFormat::DecimalInterchange, 128) => Some(OpaqueKind::Decimal128),
        _ => None,
    }
}

/// The bits of a number in a decimal type, as x86 encodes it (binary integer decimal, IEEE 754-2008 3.5.2); `None` if
/// its digits or exponent do not fit, so that it would have to be rounded.
pub fn decimal_bits(text: &str, kind: OpaqueKind) -> Option<u128> {
    let (bits, digits, bias, exponent_bits) = match kind {
        OpaqueKind::Decimal32 => (32, 7, 101, 8),
        OpaqueKind::Decimal64 => (64, 16, 398, 10),
        OpaqueKind::Decimal128 => (128, 34, 6176, 14),
        _ => return None,
    };
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    if significant.len() > digits {
        return None;
    }
    let coefficient: u128 = match significant {
        "" => 0,
        significant => significant.parse().ok()?,
    };
    let behind = i32::try_from(fraction.len()).ok()?;
    let exponent = exponent.checked_sub(behind)?.checked_add(bias)?;
    let exponent = u128::try_from(exponent).ok()?;
    // The two highest bits of an exponent are never both set.
    if exponent >> (exponent_bits - 2) >= 3 {
        return None;
    }
    let room = bits - 1 - exponent_bits;
    Some(match coefficient >> room {
        0 => exponent << room | coefficient,
        _ => 3 << (bits - 3) | exponent << (room - 2) | coefficient & ((1 << (room - 2)) - 1),
    })
}

/// The bits of a decimal or hexadecimal number in the format, rounded to nearest even.
pub fn float_bits(text: &str, format: FloatFormat) -> Option<u128> {
    FloatValue::parse(format, RoundingMode::NearestEven, text).map(FloatValue::bits)
}

/// The width of a string's or a character constant's elements.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// No prefix: bytes.
    Bytes,
    /// `u8`: bytes, which C23 calls `char8_t`.
    Utf8,
    /// `u`: `char16_t`.
    Char16,
    /// `U`: `char32_t`.
    Char32,
    /// `L`: `wchar_t`.
    Wide,
}

/// The value of a character constant as written in the source, and its encoding.
///
/// A constant without prefix is an `int`: several characters form a number of base 256, one character is sign-extended
/// from `char`.
pub fn character(text: &str) -> Result<(i64, Encoding), LiteralError> {
    let (encoding, body) = split_literal(text, '\'');
    let units = decode(body, encoding)?;
    let Some(&last) = units.last() else {
        return Err(LiteralError::EmptyCharacter);
    };
    Ok((
        match encoding {
            Encoding::Bytes if units.len() == 1 => i64::from(last as u8 as i8),
            Encoding::Bytes | Encoding::Utf8 => {
                let value = units
                    .iter()
                    .fold(0u32, |value, &unit| (value << 8) | (unit & 0xff));
                i64::from(value as i32)
            }
            Encoding::Wide => i64::from(last as i32),
            Encoding::Char16 | Encoding::Char32 => i64::from(last),
        },
        encoding,
    ))
}

/// The elements of adjacent string literals, without the terminating zero.
pub fn string(parts: &[String]) -> Result<(Vec<u32>, Encoding), LiteralError> {
    let split: Vec<(Encoding, &str)> = parts.iter().map(|part| split_literal(part, '"')).collect();
    let mut encoding = Encoding::Bytes;
    for &(own, _) in &split {
        if own != Encoding::Bytes {
            if encoding != Encoding::Bytes && encoding != own {
                return Err(LiteralError::MixedPrefixes);
            }
            encoding = own;
        }
    }
    let mut units = Vec::new();
    for (_, body) in split {
        units.extend(decode(body, encoding)?);
    }
    Ok((units, encoding))
}

/// Splits a literal into its encoding and its text without prefix and quotes.
fn split_literal(text: &str, quote: char) -> (Encoding, &str) {
    let (encoding, rest) = if let Some(rest) = text.strip_prefix("u8") {
        (Encoding::Utf8, rest)
    } else if let Some(rest) = text.strip_prefix('u') {
        (Encoding::Char16, rest)
    } else if let Some(rest) = text.strip_prefix('U') {
        (Encoding::Char32, rest)
    } else if let Some(rest) = text.strip_prefix('L') {
        (Encoding::Wide, rest)
    } else {
        (Encoding::Bytes, text)
    };
    let rest = rest.strip_prefix(quote).unwrap_or(rest);
    (encoding, rest.strip_suffix(quote).unwrap_or(rest))
}

/// Resolves escape sequences and encodes the characters.
fn decode(body: &str, encoding: Encoding) -> Result<Vec<u32>, LiteralError> {
    let malformed = || LiteralError::MalformedEscape(body.to_owned());
    let mut units = Vec::new();
    let mut rest = body.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\\' {
            encode(character, encoding, &mut units);
            continue;
        }
        let escaped = rest.next().ok_or_else(malformed)?;
        let unit = match escaped {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            'x' => {
                let mut value: u32 = 0;
                let mut digits = 0;
                while let Some(digit) = rest.peek().and_then(|c| c.to_digit(16)) {
                    value = value.wrapping_mul(16).wrapping_add(digit);
                    digits += 1;
                    rest.next();
                }
                if digits == 0 {
                    return Err(malformed());
                }
                value
            }
            'u' | 'U' => {
                let mut value: u32 = 0;
                for _ in 0..if escaped == 'u' { 4 } else { 8 } {
                    let digit = rest.next().and_then(|c| c.to_digit(16));
                    value = value.wrapping_mul(16) + digit.ok_or_else(malformed)?;
                }
                encode(
                    char::from_u32(value).ok_or_else(malformed)?,
                    encoding,
                    &mut units,
                );
                continue;
            }
            '0'..='7' => {
                let mut value = escaped.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    match rest.peek().and_then(|c| c.to_digit(8)) {
                        Some(digit) => {
                            value = value * 8 + digit;
                            rest.next();
                        }
                        None => break,
                    }
                }
                value
            }
            other => {
                encode(other, encoding, &mut units);
                continue;
            }
        };
        units.push(match encoding {
            Encoding::Bytes | Encoding::Utf8 => unit & 0xff,
            Encoding::Char16 => unit & 0xffff,
            Encoding::Char32 | Encoding::Wide => unit,
        });
    }
    Ok(units)
}

fn encode(character: char, encoding: Encoding, units: &mut Vec<u32>) {
    match encoding {
        Encoding::Bytes | Encoding::Utf8 => {
            let mut buffer = [0; 4];
            let bytes = character.encode_utf8(&mut buffer).bytes();
            units.extend(bytes.map(u32::from));
        }
        Encoding::Char16 => {
            let mut buffer = [0; 2];
            units.extend(
                character
                    .encode_utf16(&mut buffer)
                    .iter()
                    .map(|&unit| u32::from(unit)),
            );
        }
        Encoding::Char32 | Encoding::Wide => units.push(u32::from(character)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer_of(
        base: ast::IntegerBase,
        number: &str,
        size: ast::IntegerSize,
        unsigned: bool,
        model: DataModel,
    ) -> Result<(u128, IntegerKind), LiteralError> {
        integer(
            &ast::Integer {
                base,
                number: number.into(),
                suffix: ast::IntegerSuffix {
                    size,
                    unsigned,
                    imaginary: false,
                },
            },
            model,
        )
    }

    #[test]
    fn integer_constants_have_the_first_type_that_holds_them() {
        use DataModel::{Ilp32, Lp64};
        use ast::IntegerBase::{Decimal, Hexadecimal, Octal};
        use ast::IntegerSize::{Int, Long, LongLong};
        let cases = [
            (Decimal, "2147483647", Int, false, Ilp32, IntegerKind::Int),
            (
                Decimal,
                "2147483648",
                Int,
                false,
                Ilp32,
                IntegerKind::LongLong,
            ),
            (Decimal, "2147483648", Int, false, Lp64, IntegerKind::Long),
            (
                Hexadecimal,
                "80000000",
                Int,
                false,
                Ilp32,
                IntegerKind::UnsignedInt,
            ),
            (
                Hexadecimal,
                "ffffffffffffffff",
                Int,
                false,
                Ilp32,
                IntegerKind::UnsignedLongLong,
            ),
            (
                Hexadecimal,
                "ffffffffffffffff",
                Int,
                false,
                Lp64,
                IntegerKind::UnsignedLong,
            ),
            (
                Octal,
                "37777777777",
                Int,
                false,
                Lp64,
                IntegerKind::UnsignedInt,
            ),
            (Decimal, "1", Int, true, Lp64, IntegerKind::UnsignedInt),
            (
                Decimal,
                "4294967296",
                Int,
                true,
                Lp64,
                IntegerKind::UnsignedLong,
            ),
            (Decimal, "1", Long, false, Ilp32, IntegerKind::Long),
            (Decimal, "1", LongLong, false, Lp64, IntegerKind::LongLong),
            (
                Decimal,
                "1",
                LongLong,
                true,
                Lp64,
                IntegerKind::UnsignedLongLong,
            ),
            (
                Decimal,
                "9223372036854775808",
                Int,
                false,
                Lp64,
                IntegerKind::Int128,
            ),
            (
                Decimal,
                "9223372036854775808",
                Int,
                false,
                Ilp32,
                IntegerKind::UnsignedLongLong,
            ),
        ];
        for (base, number, size, unsigned, model, kind) in cases {
            let found = integer_of(base, number, size, unsigned, model);
            assert_eq!(found.map(|(_, kind)| kind), Ok(kind), "{number}");
        }
        assert_eq!(
            integer_of(Octal, "8", Int, false, Lp64),
            Err(LiteralError::InvalidDigit("8".to_owned()))
        );
        for (base, number) in [
            (Decimal, "18446744073709551616"),
            (Hexadecimal, "10000000000000000"),
            (Octal, "2000000000000000000000"),
        ] {
            for model in [Ilp32, Lp64] {
                let found = integer_of(base.clone(), number, Int, false, model);
                assert_eq!(found, Err(LiteralError::IntegerTooLarge), "{number}");
            }
        }
    }

    #[test]
    fn floats_are_rounded_once() {
        let cases = [
            ("0.1", FloatFormat::F32, u128::from(0.1f32.to_bits())),
            ("0.1", FloatFormat::F64, u128::from(0.1f64.to_bits())),
            (
                "1e400",
                FloatFormat::F64,
                u128::from(f64::INFINITY.to_bits()),
            ),
            ("0x1.8p1", FloatFormat::F64, u128::from(3.0f64.to_bits())),
            // Between two floats, nearer to the lower one by less than the precision of a double.
            (
                "1.00000005960464477539062",
                FloatFormat::F32,
                u128::from(1.0f32.to_bits()),
            ),
            ("1", FloatFormat::F80, 0x3fff_8000_0000_0000_0000),
        ];
        for (text, format, bits) in cases {
            assert_eq!(float_bits(text, format), Some(bits), "{text}");
        }
    }

    #[test]
    fn characters_and_strings() {
        let cases = [
            ("'a'", 97),
            ("'\\n'", 10),
            ("'\\377'", -1),
            ("'\\xff'", -1),
            ("'ab'", 0x6162),
            ("L'\\xff'", 255),
            ("'\\''", 39),
            ("'\\0'", 0),
        ];
        for (text, value) in cases {
            assert_eq!(character(text).map(|(value, _)| value), Ok(value), "{text}");
        }
        let parts = ["\"a\\x41\"".to_owned(), "\"b\\0\"".to_owned()];
        assert_eq!(string(&parts), Ok((vec![97, 65, 98, 0], Encoding::Bytes)));
        assert!(string(&["u\"a\"".to_owned(), "U\"b\"".to_owned()]).is_err());
        assert!(character("'\\x'").is_err());
    }
}
