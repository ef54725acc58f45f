//! Sorts of terms.
//!
//! The set is small and closed on purpose: a sort is a `Copy` value that fits into a word, so that asking for a term's
//! sort costs nothing. Arrays are one-dimensional, from a scalar index to a scalar element; C's nested arrays are
//! flattened by the memory model before a term is built.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The IEEE 754 binary formats that C programs on x86 use.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum FloatFormat {
    /// `_Float16`: 5 exponent bits, 11 significand bits.
    F16,
    /// `float`: 8 exponent bits, 24 significand bits.
    F32,
    /// `double`: 11 exponent bits, 53 significand bits.
    F64,
    /// x87 `long double`: 15 exponent bits, 64 significand bits (the leading one is explicit in memory).
    F80,
    /// `__float128`: 15 exponent bits, 113 significand bits.
    F128,
}

impl FloatFormat {
    /// Width of the exponent field in bits.
    pub const fn exponent_bits(self) -> u32 {
        match self {
            Self::F16 => 5,
            Self::F32 => 8,
            Self::F64 => 11,
            Self::F80 | Self::F128 => 15,
        }
    }

    /// Precision in bits, the hidden (for [`FloatFormat::F80`]: explicit) leading bit included.
    pub const fn significand_bits(self) -> u32 {
        match self {
            Self::F16 => 11,
            Self::F32 => 24,
            Self::F64 => 53,
            Self::F80 => 64,
            Self::F128 => 113,
        }
    }

    /// Width of the value's representation in memory in bits, padding not included (80 for x87).
    pub const fn storage_bits(self) -> u32 {
        match self {
            Self::F16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
            Self::F80 => 80,
            Self::F128 => 128,
        }
    }
}

/// A sort other than arrays, which an array's indices and elements may have.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ScalarSort {
    Bool,
    /// Bit vectors of the given width, 1 to 128 bits.
    BitVec(u8),
    Int,
    Float(FloatFormat),
}

/// The sort of a term.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Sort {
    Bool,
    /// Bit vectors of the given width, 1 to 128 bits.
    BitVec(u8),
    Int,
    Float(FloatFormat),
    /// Total functions from `index` to `element`.
    Array {
        index: ScalarSort,
        element: ScalarSort,
    },
}

impl From<ScalarSort> for Sort {
    fn from(sort: ScalarSort) -> Self {
        match sort {
            ScalarSort::Bool => Self::Bool,
            ScalarSort::BitVec(width) => Self::BitVec(width),
            ScalarSort::Int => Self::Int,
            ScalarSort::Float(format) => Self::Float(format),
        }
    }
}

impl Sort {
    /// The scalar sort, or `None` for an array.
    pub const fn scalar(self) -> Option<ScalarSort> {
        match self {
            Self::Bool => Some(ScalarSort::Bool),
            Self::BitVec(width) => Some(ScalarSort::BitVec(width)),
            Self::Int => Some(ScalarSort::Int),
            Self::Float(format) => Some(ScalarSort::Float(format)),
            Self::Array { .. } => None,
        }
    }

    /// The width of a bit vector in bits, or `None` for any other sort.
    pub const fn width(self) -> Option<u32> {
        match self {
            Self::BitVec(width) => Some(width as u32),
            _ => None,
        }
    }

    /// Whether this is an array sort.
    pub const fn is_array(self) -> bool {
        matches!(self, Self::Array { .. })
    }
}

/// SMT-LIB's notation.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bool => f.write_str("Bool"),
            Self::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Self::Int => f.write_str("Int"),
            Self::Float(format) => write!(
                f,
                "(_ FloatingPoint {} {})",
                format.exponent_bits(),
                format.significand_bits()
            ),
            Self::Array { index, element } => {
                write!(f, "(Array {} {})", Sort::from(index), Sort::from(element))
            }
        }
    }
}
