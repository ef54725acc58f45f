//! Mathematical integers, with a fast path for small ones.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};
use std::cmp::Ordering;

/// A mathematical integer: a machine word while it fits into one.
///
/// The representation is unique (`Big` never holds what fits into `Small`), so that equality is structural.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Integer {
    /// A value that fits into 64 bits.
    Small(i64),
    /// Any other value.
    Big(Box<BigInt>),
}

impl Default for Integer {
    fn default() -> Self {
        Self::Small(0)
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Self {
        Self::Small(value)
    }
}

impl From<i128> for Integer {
    fn from(value: i128) -> Self {
        match i64::try_from(value) {
            Ok(small) => Self::Small(small),
            Err(_) => Self::Big(Box::new(BigInt::from(value))),
        }
    }
}

impl From<BigInt> for Integer {
    fn from(value: BigInt) -> Self {
        match value.to_i64() {
            Some(small) => Self::Small(small),
            None => Self::Big(Box::new(value)),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Small(a), Self::Small(b)) => a.cmp(b),
            (Self::Big(a), Self::Big(b)) => a.cmp(b),
            // An integer that does not fit into a word is above all words, or below all if it is negative.
            (Self::Small(_), Self::Big(b)) if b.is_negative() => Ordering::Greater,
            (Self::Small(_), Self::Big(_)) => Ordering::Less,
            (Self::Big(a), Self::Small(_)) if a.is_negative() => Ordering::Less,
            (Self::Big(_), Self::Small(_)) => Ordering::Greater,
        }
    }
}

impl Integer {
    /// The value as a big integer.
    pub(crate) fn to_big(&self) -> BigInt {
        match self {
            Self::Small(value) => BigInt::from(*value),
            Self::Big(value) => (**value).clone(),
        }
    }

    /// The value if it fits into a word.
    pub(crate) fn small(&self) -> Option<i64> {
        match self {
            Self::Small(value) => Some(*value),
            Self::Big(_) => None,
        }
    }

    /// `-self`.
    pub(crate) fn negate(&self) -> Self {
        match self {
            Self::Small(value) => Self::from(-i128::from(*value)),
            Self::Big(value) => Self::from(-(**value).clone()),
        }
    }

    /// `self + other`.
    pub(crate) fn add(&self, other: &Self) -> Self {
        if let (Self::Small(a), Self::Small(b)) = (self, other) {
            return match a.checked_add(*b) {
                Some(sum) => Self::Small(sum),
                None => Self::from(i128::from(*a) + i128::from(*b)),
            };
        }
        Self::from(self.to_big() + other.to_big())
    }

    /// `self - other`.
    pub(crate) fn subtract(&self, other: &Self) -> Self {
        if let (Self::Small(a), Self::Small(b)) = (self, other) {
            return match a.checked_sub(*b) {
                Some(difference) => Self::Small(difference),
                None => Self::from(i128::from(*a) - i128::from(*b)),
            };
        }
        Self::from(self.to_big() - other.to_big())
    }

    /// `self · other`.
    pub(crate) fn multiply(&self, other: &Self) -> Self {
        if let (Self::Small(a), Self::Small(b)) = (self, other) {
            return match a.checked_mul(*b) {
                Some(product) => Self::Small(product),
                None => Self::from(i128::from(*a) * i128::from(*b)),
            };
        }
        Self::from(self.to_big() * other.to_big())
    }

    /// SMT-LIB's `div`, whose remainder is never negative; zero if the divisor is zero (see [`regatta_term::Op::IntDiv`]).
    pub(crate) fn divide(&self, other: &Self) -> Self {
        if let (Self::Small(a), Self::Small(b)) = (self, other) {
            return match *b {
                0 => Self::Small(0),
                b => Self::from(i128::from(*a).div_euclid(i128::from(b))),
            };
        }
        let (a, b) = (self.to_big(), other.to_big());
        if b.is_zero() {
            return Self::default();
        }
        Self::from((&a - a.mod_floor(&b.abs())) / b)
    }

    /// SMT-LIB's `mod`, never negative; the dividend if the divisor is zero (see [`regatta_term::Op::IntMod`]).
    pub(crate) fn modulo(&self, other: &Self) -> Self {
        if let (Self::Small(a), Self::Small(b)) = (self, other) {
            return match *b {
                0 => Self::Small(*a),
                b => Self::from(i128::from(*a).rem_euclid(i128::from(b))),
            };
        }
        let b = other.to_big();
        if b.is_zero() {
            return self.clone();
        }
        Self::from(self.to_big().mod_floor(&b.abs()))
    }

    /// The value modulo 2^64.
    pub(crate) fn low_word(&self) -> u64 {
        match self {
            Self::Small(value) => *value as u64,
            Self::Big(value) => {
                let low = value.mod_floor(&(BigInt::from(1) << 64));
                low.to_u64().unwrap_or(0)
            }
        }
    }

    /// Whether the value is zero.
    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Self::Small(0))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::Small(_) => 0,
            Self::Big(value) => 32 + value.bits() as usize / 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn big(value: &Integer) -> BigInt {
        value.to_big()
    }

    /// Words at which operations overflow.
    fn words() -> impl Strategy<Value = i64> {
        prop_oneof![
            any::<i64>(),
            Just(i64::MIN),
            Just(i64::MAX),
            -3i64..4,
            Just(1 << 32)
        ]
    }

    /// Integers on both sides of the word's limits.
    fn integers() -> impl Strategy<Value = Integer> {
        prop_oneof![
            words().prop_map(Integer::from),
            any::<i128>().prop_map(Integer::from),
            (words(), words()).prop_map(|(a, b)| Integer::from(a).multiply(&Integer::from(b))),
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_big_integers(a in integers(), b in integers()) {
            prop_assert_eq!(big(&a.add(&b)), big(&a) + big(&b));
            prop_assert_eq!(big(&a.subtract(&b)), big(&a) - big(&b));
            prop_assert_eq!(big(&a.multiply(&b)), big(&a) * big(&b));
            prop_assert_eq!(big(&a.negate()), -big(&a));
            prop_assert_eq!(a.cmp(&b), big(&a).cmp(&big(&b)));
            let (quotient, remainder) = (a.divide(&b), a.modulo(&b));
            if b.is_zero() {
                prop_assert!(quotient.is_zero());
                prop_assert_eq!(&remainder, &a);
            } else {
                prop_assert_eq!(big(&quotient) * big(&b) + big(&remainder), big(&a));
                prop_assert!(!big(&remainder).is_negative() && big(&remainder) < big(&b).abs());
            }
            // The representation is unique.
            for value in [a.add(&b), a.multiply(&b), quotient, remainder] {
                prop_assert_eq!(&Integer::from(big(&value)), &value);
            }
        }
    }
}
