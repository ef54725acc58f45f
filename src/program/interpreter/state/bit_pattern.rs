//! Conversion between values and the bit patterns in registers.

use regatta_term::{FloatFormat, FloatValue, ScalarSort, Sort, Value};

/// The bit pattern of a scalar; an integer modulo 2^128.
pub(crate) fn bits_of(value: &Value) -> u128 {
    match value {
        Value::Bool(value) => u128::from(*value),
        Value::BitVec(value) => value.bits(),
        Value::Float(value) => value.bits(),
        Value::Int(value) => regatta_term::BitVecValue::from_int(128, value).bits(),
        Value::Array(_) => 0,
    }
}

/// The scalar of the sort with the bit pattern.
pub(crate) fn value_of_bits(sort: Sort, bits: u128) -> Value {
    match sort {
        Sort::Bool => Value::Bool(bits != 0),
        Sort::BitVec(width) => Value::bit_vec(width, bits),
        Sort::Float(format) => Value::Float(FloatValue::from_bits(format, bits)),
        Sort::Int => Value::int(bits as i128),
        Sort::Array { .. } => Value::zero(sort),
    }
}

/// The class of registers that hold the values of a scalar sort.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// A bit pattern of up to 64 bits.
    Narrow,
    /// A longer bit pattern.
    Wide,
    Integer,
}

impl Class {
    /// The class of the sort.
    pub(crate) fn of(sort: ScalarSort) -> Self {
        match bits(sort) {
            None => Self::Integer,
            Some(0..=64) => Self::Narrow,
            Some(_) => Self::Wide,
        }
    }
}

/// The length of a scalar's bit pattern, or `None` for mathematical integers.
pub(crate) fn bits(sort: ScalarSort) -> Option<u32> {
    match sort {
        ScalarSort::Bool => Some(1),
        ScalarSort::BitVec(width) => Some(u32::from(width)),
        ScalarSort::Float(format) => Some(format.storage_bits()),
        ScalarSort::Int => None,
    }
}

/// The positive quiet NaN.
pub(crate) const NAN32: u32 = 0x7fc0_0000;
/// The positive quiet NaN.
pub(crate) const NAN64: u64 = 0x7ff8_0000_0000_0000;

/// The canonical bit pattern of a single.
#[inline]
pub(crate) fn single(value: f32) -> u64 {
    u64::from(if value.is_nan() {
        NAN32
    } else {
        value.to_bits()
    })
}

/// The canonical bit pattern of a double.
#[inline]
pub(crate) fn double(value: f64) -> u64 {
    if value.is_nan() {
        NAN64
    } else {
        value.to_bits()
    }
}

/// The canonical bit pattern of a value of a sort of up to 64 bits: NaNs and unused bits are normalised.
pub(crate) fn canonical(sort: Sort, bits: u64) -> u64 {
    match sort {
        Sort::Bool => u64::from(bits != 0),
        Sort::BitVec(width @ 1..64) => bits & (u64::MAX >> (64 - width)),
        Sort::Float(FloatFormat::F32) => single(f32::from_bits(bits as u32)),
        Sort::Float(FloatFormat::F64) => double(f64::from_bits(bits)),
        Sort::Float(format) => FloatValue::from_bits(format, u128::from(bits)).bits() as u64,
        _ => bits,
    }
}
