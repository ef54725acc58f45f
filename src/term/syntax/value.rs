//! Values of terms.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use serde::{Deserialize, Serialize};

use crate::{FloatValue, RoundingMode, ScalarSort, Sort};

/// A value of any sort.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Value {
    Bool(bool),
    BitVec(BitVecValue),
    Int(BigInt),
    Float(FloatValue),
    /// A total function from scalars to scalars.
    Array(ArrayValue),
}

impl Value {
    /// The bit vector of the width with the low bits of `bits`.
    pub const fn bit_vec(width: u8, bits: u128) -> Self {
        Self::BitVec(BitVecValue::new(width, bits))
    }

    pub fn int(value: impl Into<BigInt>) -> Self {
        Self::Int(value.into())
    }

    /// False, zero, positive zero, or the array of those.
    pub fn zero(sort: Sort) -> Self {
        match sort {
            Sort::Bool => Self::Bool(false),
            Sort::BitVec(width) => Self::bit_vec(width, 0),
            Sort::Int => Self::Int(BigInt::ZERO),
            Sort::Float(format) => Self::Float(FloatValue::from_bits(format, 0)),
            Sort::Array { index, element } => {
                Self::Array(ArrayValue::constant(index, Self::zero(element.into())))
            }
        }
    }

    /// Converts the integer to a value of the sort: whether it is nonzero, modulo 2^width, or rounded; for an array, zero.
    pub fn of_integer(integer: i128, sort: Sort) -> Self {
        match sort {
            Sort::Bool => Self::Bool(integer != 0),
            Sort::BitVec(width) => Self::BitVec(BitVecValue::from_signed(width, integer)),
            Sort::Int => Self::int(integer),
            Sort::Float(format) => Self::Float(FloatValue::from_int(
                format,
                RoundingMode::NearestEven,
                &BigInt::from(integer),
            )),
            Sort::Array { .. } => Self::zero(sort),
        }
    }

    pub fn sort(&self) -> Sort {
        match self {
            Self::Bool(_) => Sort::Bool,
            Self::BitVec(value) => Sort::BitVec(value.width()),
            Self::Int(_) => Sort::Int,
            Self::Float(value) => Sort::Float(value.format()),
            Self::Array(array) => array.sort(),
        }
    }

    /// The truth value, or `None` for any other sort.
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The bit vector, or `None` for any other sort.
    pub const fn as_bit_vec(&self) -> Option<BitVecValue> {
        match self {
            Self::BitVec(value) => Some(*value),
            _ => None,
        }
    }

    /// The array, or `None` for any other sort.
    pub const fn as_array(&self) -> Option<&ArrayValue> {
        match self {
            Self::Array(value) => Some(value),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<BitVecValue> for Value {
    fn from(value: BitVecValue) -> Self {
        Self::BitVec(value)
    }
}

impl From<BigInt> for Value {
    fn from(value: BigInt) -> Self {
        Self::Int(value)
    }
}

impl From<FloatValue> for Value {
    fn from(value: FloatValue) -> Self {
        Self::Float(value)
    }
}

/// Human-readable notation: `true`, `5`, `-1` (a bit vector as a signed number), a float in C's hexadecimal notation,
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::BitVec(value) => write!(f, "{}", value.signed()),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Array(array) => {
                f.write_str("{")?;
                for (index, element) in array.entries() {
                    write!(f, "{index}: {element}, ")?;
                }
                write!(f, "else: {}}}", array.default_value())
            }
        }
    }
}

/// The mask of the lowest `width` bits; `width` is 1 to 128.
pub const fn mask(width: u8) -> u128 {
    u128::MAX >> (128 - width as u32)
}

/// A bit vector of 1 to 128 bits.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BitVecValue {
    width: u8,
    bits: u128,
}

impl BitVecValue {
    /// The bit vector of the width with the low bits of `bits`.
    ///
    /// # Panics
    /// If the width is not 1 to 128.
    pub const fn new(width: u8, bits: u128) -> Self {
        assert!(
            width >= 1 && width <= 128,
            "a bit vector's width is 1 to 128"
        );
        Self {
            width,
            bits: bits & mask(width),
        }
    }

    /// The bit vector of the width that is congruent to the number.
    pub const fn from_signed(width: u8, value: i128) -> Self {
        Self::new(width, value as u128)
    }

    /// The bit vector of the width that is congruent to the integer.
    pub fn from_int(width: u8, value: &BigInt) -> Self {
        let mut bits = 0;
        let mut low = value.magnitude().iter_u64_digits();
        for shift in [0, 64] {
            bits |= u128::from(low.next().unwrap_or(0)) << shift;
        }
        if value.sign() == num_bigint::Sign::Minus {
            bits = bits.wrapping_neg();
        }
        Self::new(width, bits)
    }

    pub const fn width(self) -> u8 {
        self.width
    }

    /// The bits; also the unsigned value.
    pub const fn bits(self) -> u128 {
        self.bits
    }

    /// The signed (two's-complement) value.
    pub const fn signed(self) -> i128 {
        let shift = 128 - self.width as u32;
        ((self.bits << shift) as i128) >> shift
    }

    /// Whether the highest bit is set.
    pub const fn is_negative(self) -> bool {
        self.signed() < 0
    }

    /// The multiplicative inverse modulo 2^w; `None` for an even number.
    pub fn inverse(self) -> Option<Self> {
        // Newton's iteration doubles the number of correct bits; an odd number is its own inverse modulo 8.
        let mut inverse = self.bits;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2u128.wrapping_sub(self.bits.wrapping_mul(inverse)));
        }
        (self.bits & 1 == 1).then(|| Self::new(self.width, inverse))
    }
}

/// A total function from scalars to scalars that has one value almost everywhere.
///
/// The representation is canonical: equal functions compare equal. No entry has the default value; and where the
/// entries are half of all indices or more, the default is the most frequent value (the least of those).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ArrayValue {
    index: ScalarSort,
    element: ScalarSort,
    default: Arc<Value>,
    entries: Arc<BTreeMap<Value, Value>>,
}

impl ArrayValue {
    /// The function that has the value everywhere.
    ///
    /// # Panics
    /// If the value is an array: there are no nested ones.
    pub fn constant(index: ScalarSort, value: Value) -> Self {
        let element = value
            .sort()
            .scalar()
            .expect("an array's elements are scalars");
        Self {
            index,
            element,
            default: Arc::new(value),
            entries: Arc::default(),
        }
    }

    /// The function with these values, and the default elsewhere; of two entries for one index the later counts.
    pub fn new(
        index: ScalarSort,
        default: Value,
        entries: impl IntoIterator<Item = (Value, Value)>,
    ) -> Self {
        let mut array = Self::constant(index, default);
        let mut map: BTreeMap<_, _> = entries.into_iter().collect();
        map.retain(|_, value| *value != *array.default);
        array.entries = Arc::new(map);
        array.canonicalise();
        array
    }

    /// The sort, an array sort.
    pub const fn sort(&self) -> Sort {
        Sort::Array {
            index: self.index,
            element: self.element,
        }
    }

    /// The value where there is no entry.
    pub fn default_value(&self) -> &Value {
        &self.default
    }

    /// The indices with another value than the default, ascending, and their values.
    pub fn entries(&self) -> &BTreeMap<Value, Value> {
        &self.entries
    }

    pub fn select(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Changes the value at the index.
    pub fn store(&mut self, index: Value, value: Value) {
        if *self.select(&index) == value {
            return;
        }
        let entries = Arc::make_mut(&mut self.entries);
        if value == *self.default {
            entries.remove(&index);
        } else {
            entries.insert(index, value);
        }
        self.canonicalise();
    }

    /// The number of indices, or `None` if there are too many for [`Self::canonicalise`] to matter.
    fn domain(&self) -> Option<usize> {
        match self.index {
            ScalarSort::Bool => Some(2),
            ScalarSort::BitVec(width @ 0..=32) => 1usize.checked_shl(u32::from(width)),
            _ => None,
        }
    }

    fn canonicalise(&mut self) {
        let Some(domain) = self.domain() else {
            return;
        };
        if self.entries.len() * 2 < domain {
            return;
        }
        let mut frequency: BTreeMap<&Value, usize> = BTreeMap::new();
        for value in self.entries.values() {
            *frequency.entry(value).or_default() += 1;
        }
        frequency.insert(&self.default, domain - self.entries.len());
        // `max_by_key` returns the last of several; in reverse, that is the least value.
        let best = frequency.iter().rev().max_by_key(|(_, count)| **count);
        let Some(default) = best.map(|(value, _)| (*value).clone()) else {
            return;
        };
        if default == *self.default {
            return;
        }
        let value_at = |index: Value| {
            let value = self.select(&index).clone();
            (value != default).then_some((index, value))
        };
        let entries = (0..domain)
            .map(|index| self.nth_index(index))
            .filter_map(value_at)
            .collect();
        self.entries = Arc::new(entries);
        self.default = Arc::new(default);
    }

    fn nth_index(&self, n: usize) -> Value {
        match self.index {
            ScalarSort::BitVec(width) => Value::bit_vec(width, n as u128),
            _ => Value::Bool(n != 0),
        }
    }
}

impl TryFrom<&Value> for i128 {
    type Error = ();

    /// A Boolean as 0 or 1, a bit vector's signed value, or an integer that fits.
    fn try_from(value: &Value) -> Result<Self, ()> {
        match value {
            Value::Bool(value) => Ok(Self::from(*value)),
            Value::BitVec(value) => Ok(value.signed()),
            Value::Int(value) => value.to_i128().ok_or(()),
            Value::Float(_) | Value::Array(_) => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_functions_are_equal_values() {
        let bit = |value: bool| Value::Bool(value);
        let not = ArrayValue::new(ScalarSort::Bool, bit(false), [(bit(false), bit(true))]);
        let mut other = ArrayValue::constant(ScalarSort::Bool, bit(true));
        other.store(bit(true), bit(false));
        assert_eq!(not, other);
        let mut all = ArrayValue::constant(ScalarSort::BitVec(2), Value::int(7));
        for index in 0..4 {
            all.store(Value::bit_vec(2, index), Value::int(index % 2));
        }
        let pairs =
            [(1, 1), (3, 1)].map(|(index, value)| (Value::bit_vec(2, index), Value::int(value)));
        assert_eq!(
            all,
            ArrayValue::new(ScalarSort::BitVec(2), Value::int(0), pairs)
        );
    }

    #[test]
    fn bit_vectors_wrap() {
        assert_eq!(BitVecValue::from_int(8, &BigInt::from(-1)).bits(), 255);
        assert_eq!(
            BitVecValue::from_int(128, &(BigInt::from(-1) << 64)).bits(),
            u128::MAX << 64
        );
        assert_eq!(
            BitVecValue::from_int(64, &((BigInt::from(1) << 200) + 5)).bits(),
            5
        );
        assert_eq!(BitVecValue::new(1, 1).signed(), -1);
        assert_eq!(BitVecValue::new(128, u128::MAX).signed(), -1);
    }

    #[test]
    fn odd_numbers_have_inverses() {
        let small = (0..256).map(|bits| BitVecValue::new(8, bits));
        let large = [
            1,
            3,
            0xffff_ffff,
            u64::MAX.into(),
            12_345_678_901,
            u128::MAX,
        ];
        let large = large.map(|bits| BitVecValue::new(128, bits));
        for number in small.chain(large) {
            let product = |inverse: BitVecValue| number.bits().wrapping_mul(inverse.bits());
            let product = number.inverse().map(product);
            let product = product.map(|product| BitVecValue::new(number.width(), product).bits());
            assert_eq!(product, (number.bits() % 2 == 1).then_some(1));
        }
    }
}
