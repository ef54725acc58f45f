//! Values of floats and their arithmetic.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use rustc_apfloat::{Float, Round};
use serde::{Deserialize, Serialize};

use super::exact::{self, Parts};
use crate::{FloatFormat, RoundingMode};

/// A float: its bits in memory. The only NaN is the positive quiet one, so that equal values have equal bits.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FloatValue {
    format: FloatFormat,
    bits: u128,
}

/// Runs an expression with `$float` standing for `rustc_apfloat`'s type of the format.
#[macro_export]
macro_rules! with_format {
    ($format:expr, $float:ident => $body:expr) => {
        $crate::with_format!(
            $format, $float => $body;
            F16 Half, F32 Single, F64 Double, F80 X87DoubleExtended, F128 Quad
        )
    };
    ($format:expr, $float:ident => $body:expr; $($name:ident $ieee:ident),+) => {
        match $format {
            $($crate::FloatFormat::$name => {
                type $float = rustc_apfloat::ieee::$ieee;
                $body
            })+
        }
    };
}

impl From<RoundingMode> for Round {
    fn from(mode: RoundingMode) -> Self {
        match mode {
            RoundingMode::NearestEven => Self::NearestTiesToEven,
            RoundingMode::Downward => Self::TowardNegative,
            RoundingMode::Upward => Self::TowardPositive,
            RoundingMode::TowardZero => Self::TowardZero,
        }
    }
}

impl RoundingMode {
    pub const ALL: [Self; 4] = [
        Self::NearestEven,
        Self::Downward,
        Self::Upward,
        Self::TowardZero,
    ];

    /// The mode with the number, of which the two low bits count.
    pub const fn from_bits(bits: u128) -> Self {
        match bits & 3 {
            0 => Self::NearestEven,
            1 => Self::Downward,
            2 => Self::Upward,
            _ => Self::TowardZero,
        }
    }
}

/// A binary operation with a rounding mode.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
}

impl FloatValue {
    /// The float with the bits. Every NaN becomes the one NaN; so do the encodings of x87 that the processor rejects
    /// (a leading bit of 0 with an exponent that is not). Of its two encodings of some subnormals the proper one is
    /// kept.
    pub fn from_bits(format: FloatFormat, bits: u128) -> Self {
        let bits = bits & (u128::MAX >> (128 - format.storage_bits()));
        let unchecked = Self { format, bits };
        let exponent_mask = (1 << format.exponent_bits()) - 1;
        if format == FloatFormat::F80 {
            let (exponent, significand) = (bits >> 64 & exponent_mask, bits as u64);
            return match (exponent, significand >> 63) {
                (0, 0) => unchecked,
                (0, _) => Self {
                    format,
                    bits: bits | 1 << 64,
                },
                (_, 0) => Self::nan(format),
                _ if exponent == exponent_mask && significand << 1 != 0 => Self::nan(format),
                _ => unchecked,
            };
        }
        let field = format.significand_bits() - 1;
        if bits >> field & exponent_mask == exponent_mask && bits & ((1 << field) - 1) != 0 {
            return Self::nan(format);
        }
        unchecked
    }

    pub const fn nan(format: FloatFormat) -> Self {
        let quiet = 1 << (format.significand_bits() - 2);
        let infinity = Self::infinity(format, false).bits;
        Self {
            format,
            bits: infinity | quiet,
        }
    }

    pub const fn infinity(format: FloatFormat, negative: bool) -> Self {
        let exponent = (1u128 << format.exponent_bits()) - 1;
        let field = format.storage_bits() - 1 - format.exponent_bits();
        let leading = match format {
            FloatFormat::F80 => 1 << 63,
            _ => 0,
        };
        let sign = (negative as u128) << (format.storage_bits() - 1);
        Self {
            format,
            bits: sign | exponent << field | leading,
        }
    }

    pub const fn zero(format: FloatFormat, negative: bool) -> Self {
        Self {
            format,
            bits: (negative as u128) << (format.storage_bits() - 1),
        }
    }

    /// The `float`.
    pub fn from_f32(value: f32) -> Self {
        Self::from_bits(FloatFormat::F32, value.to_bits().into())
    }

    /// The `double`.
    pub fn from_f64(value: f64) -> Self {
        Self::from_bits(FloatFormat::F64, value.to_bits().into())
    }

    /// The nearest integer-valued float.
    pub fn from_int(format: FloatFormat, mode: RoundingMode, value: &BigInt) -> Self {
        exact::from_int(format, mode, value)
    }

    /// The float that the digits denote (C's decimal or hexadecimal notation without a suffix), rounded in the mode;
    /// `None` if they do not denote any.
    pub fn parse(format: FloatFormat, mode: RoundingMode, digits: &str) -> Option<Self> {
        with_format!(format, F => {
            let parsed = F::from_str_r(digits, mode.into()).ok()?;
            Some(Self::from_bits(format, parsed.value.to_bits()))
        })
    }

    pub const fn format(self) -> FloatFormat {
        self.format
    }

    /// The bits in memory.
    pub const fn bits(self) -> u128 {
        self.bits
    }

    /// The highest bit: whether the value is negative, or the negative zero. Clear for NaN.
    pub(crate) const fn sign_bit(self) -> bool {
        self.bits >> (self.format.storage_bits() - 1) != 0
    }

    /// The bits without the sign: ascending with the magnitude.
    const fn magnitude(self) -> u128 {
        self.bits & !(1 << (self.format.storage_bits() - 1))
    }

    pub const fn is_nan(self) -> bool {
        self.bits == Self::nan(self.format).bits
    }

    /// Whether this is an infinity.
    pub const fn is_infinite(self) -> bool {
        self.magnitude() == Self::infinity(self.format, false).bits
    }

    /// Whether this is a zero.
    pub const fn is_zero(self) -> bool {
        self.magnitude() == 0
    }

    /// Whether this is a nonzero number below the least normal one.
    pub const fn is_subnormal(self) -> bool {
        let field = self.format.storage_bits() - 1 - self.format.exponent_bits();
        self.magnitude() != 0 && self.magnitude() >> field == 0
    }

    /// Whether this is a finite number with full precision.
    pub const fn is_normal(self) -> bool {
        !(self.is_nan() || self.is_infinite() || self.is_zero() || self.is_subnormal())
    }

    /// IEEE comparison: `None` if either is NaN; the zeros are equal.
    pub fn compare(self, other: Self) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        let key = |value: Self| match (value.sign_bit(), value.magnitude()) {
            (_, 0) => (0, 0),
            (false, magnitude) => (1, magnitude),
            (true, magnitude) => (-1, !magnitude),
        };
        Some(key(self).cmp(&key(other)))
    }

    /// Changes the sign; NaN stays.
    pub fn negated(self) -> Self {
        if self.is_nan() {
            return self;
        }
        Self {
            format: self.format,
            bits: self.bits ^ 1 << (self.format.storage_bits() - 1),
        }
    }

    pub fn absolute(self) -> Self {
        Self {
            format: self.format,
            bits: self.magnitude(),
        }
    }

    /// Sum, difference, product or quotient of two floats of one format.
    pub(crate) fn arithmetic(self, operation: Arithmetic, mode: RoundingMode, other: Self) -> Self {
        if mode == RoundingMode::NearestEven
            && let Some(result) = self.by_hardware(operation, other)
        {
            return result;
        }
        with_format!(self.format, F => {
            let (a, b) = (F::from_bits(self.bits), F::from_bits(other.bits));
            let result = match operation {
                Arithmetic::Add => a.add_r(b, mode.into()),
                Arithmetic::Sub => a.sub_r(b, mode.into()),
                Arithmetic::Mul => a.mul_r(b, mode.into()),
                Arithmetic::Div => a.div_r(b, mode.into()),
            };
            Self::from_bits(self.format, result.value.to_bits())
        })
    }

    fn by_hardware(self, operation: Arithmetic, other: Self) -> Option<Self> {
        macro_rules! compute {
            ($a:expr, $b:expr) => {
                match operation {
                    Arithmetic::Add => $a + $b,
                    Arithmetic::Sub => $a - $b,
                    Arithmetic::Mul => $a * $b,
                    Arithmetic::Div => $a / $b,
                }
            };
        }
        match self.format {
            FloatFormat::F32 => {
                let (a, b) = (
                    f32::from_bits(self.bits as u32),
                    f32::from_bits(other.bits as u32),
                );
                Some(Self::from_f32(compute!(a, b)))
            }
            FloatFormat::F64 => {
                let (a, b) = (
                    f64::from_bits(self.bits as u64),
                    f64::from_bits(other.bits as u64),
                );
                Some(Self::from_f64(compute!(a, b)))
            }
            _ => None,
        }
    }

    pub fn sqrt(self, mode: RoundingMode) -> Self {
        match (self.format, mode) {
            (FloatFormat::F32, RoundingMode::NearestEven) => {
                Self::from_f32(f32::from_bits(self.bits as u32).sqrt())
            }
            (FloatFormat::F64, RoundingMode::NearestEven) => {
                Self::from_f64(f64::from_bits(self.bits as u64).sqrt())
            }
            _ => exact::sqrt(mode, self),
        }
    }

    /// `self · factor + addend`, rounded once.
    pub(crate) fn fused_multiply_add(self, mode: RoundingMode, factor: Self, addend: Self) -> Self {
        exact::fused_multiply_add(mode, self, factor, addend)
    }

    /// IEEE 754's (and C's) `remainder`.
    pub fn remainder(self, divisor: Self) -> Self {
        exact::remainder(self, divisor)
    }

    pub(crate) fn round_to_integral(self, mode: RoundingMode) -> Self {
        exact::round_to_integral(mode, self)
    }

    pub fn convert(self, mode: RoundingMode, format: FloatFormat) -> Self {
        use FloatFormat::{F32, F64};
        match (self.format, format, mode) {
            (from, to, _) if from == to => self,
            (F32, F64, _) => Self::from_f64(f32::from_bits(self.bits as u32).into()),
            (F64, F32, RoundingMode::NearestEven) => {
                Self::from_f32(f64::from_bits(self.bits as u64) as f32)
            }
            _ => exact::convert(format, mode, self),
        }
    }

    /// The nearest integer, or `None` for NaN and infinities.
    pub fn to_int(self, mode: RoundingMode) -> Option<BigInt> {
        exact::to_int(mode, self)
    }
}

/// C's hexadecimal notation, `inf` or `nan`.
impl fmt::Display for FloatValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |negative| if negative { "-" } else { "" };
        match exact::parts(*self) {
            Parts::NaN => f.write_str("nan"),
            Parts::Infinite { negative } => write!(f, "{}inf", sign(negative)),
            Parts::Finite {
                negative,
                significand: 0,
                ..
            } => write!(f, "{}0x0p+0", sign(negative)),
            Parts::Finite {
                negative,
                significand,
                exponent,
            } => {
                let zeros = significand.trailing_zeros();
                let exponent = exponent + i64::from(zeros);
                write!(
                    f,
                    "{}0x{:x}p{exponent:+}",
                    sign(negative),
                    significand >> zeros
                )
            }
        }
    }
}

impl fmt::Debug for FloatValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({self})", self.format)
    }
}
