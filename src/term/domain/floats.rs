//! Sets of floats: an interval, and whether NaN is included.
//!
//! The order is IEEE 754's totalOrder without NaN: the negative infinity, negative numbers, -0, +0, positive numbers, the
//! positive infinity. So zeros and infinities are ordered like other numbers, and an operation that is rounded once is
//! monotone in each operand (for operands of one sign, for products): its values on an interval lie between those at the ends,
//! in the rounding mode of the program. Nothing is rounded outwards, and precision is lost only because the set is an
//! interval ([`super::float_transfer`]).

use crate::{FloatFormat, FloatValue};

/// A set of floats of one format.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct FloatSet {
    format: FloatFormat,
    /// The ranks of the least and the greatest number, if there is a number.
    numbers: Option<(i128, i128)>,
    nan: bool,
}

/// The rank of a float other than NaN in the order: +0 has rank 0, -0 has rank -1.
pub fn rank(value: FloatValue) -> i128 {
    let magnitude = value.absolute().bits() as i128;
    match value.sign_bit() {
        false => magnitude,
        true => -1 - magnitude,
    }
}

/// The float of the rank.
pub fn of_rank(format: FloatFormat, rank: i128) -> FloatValue {
    let value = FloatValue::from_bits(format, rank.max(-1 - rank) as u128);
    match rank < 0 {
        true => value.negated(),
        false => value,
    }
}

/// The rank of the positive infinity, which is the greatest one.
pub fn greatest_rank(format: FloatFormat) -> i128 {
    rank(FloatValue::infinity(format, false))
}

impl FloatSet {
    /// The empty set.
    pub const fn empty(format: FloatFormat) -> Self {
        Self {
            format,
            numbers: None,
            nan: false,
        }
    }

    /// All floats.
    pub fn top(format: FloatFormat) -> Self {
        let greatest = greatest_rank(format);
        Self {
            format,
            numbers: Some((-1 - greatest, greatest)),
            nan: true,
        }
    }

    /// The set of one float.
    pub fn point(value: FloatValue) -> Self {
        let mut set = Self::empty(value.format());
        set.include(value);
        set
    }

    /// The set of the floats with ranks between these, both included.
    pub fn ranks(format: FloatFormat, low: i128, high: i128) -> Self {
        let greatest = greatest_rank(format);
        let (low, high) = (low.max(-1 - greatest), high.min(greatest));
        Self {
            format,
            numbers: (low <= high).then_some((low, high)),
            nan: false,
        }
    }

    /// Adds NaN if `nan` is true.
    #[must_use]
    pub fn with_nan(self, nan: bool) -> Self {
        Self {
            nan: self.nan || nan,
            ..self
        }
    }

    /// Removes NaN.
    #[must_use]
    pub(crate) fn without_nan(self) -> Self {
        Self { nan: false, ..self }
    }

    /// Adds a float, and the numbers between it and the set.
    pub fn include(&mut self, value: FloatValue) {
        if value.is_nan() {
            self.nan = true;
            return;
        }
        let rank = rank(value);
        self.numbers = Some(match self.numbers {
            Some((low, high)) => (low.min(rank), high.max(rank)),
            None => (rank, rank),
        });
    }

    /// The format of the floats.
    pub const fn format(self) -> FloatFormat {
        self.format
    }

    /// The ranks of the least and the greatest number.
    pub const fn hull(self) -> Option<(i128, i128)> {
        self.numbers
    }

    /// The least and the greatest number.
    pub fn ends(self) -> Option<(FloatValue, FloatValue)> {
        let (low, high) = self.numbers?;
        Some((of_rank(self.format, low), of_rank(self.format, high)))
    }

    /// The ends of the negative numbers with -0, and of the positive ones with +0.
    pub fn halves(self) -> impl Iterator<Item = (FloatValue, FloatValue)> + Clone {
        let format = self.format;
        let halves = self
            .numbers
            .map(|(low, high)| [(low, high.min(-1)), (low.max(0), high)]);
        let halves = halves
            .into_iter()
            .flatten()
            .filter(|(low, high)| low <= high);
        halves.map(move |(low, high)| (of_rank(format, low), of_rank(format, high)))
    }

    /// Checks whether NaN is in the set.
    pub(crate) const fn may_be_nan(self) -> bool {
        self.nan
    }

    /// Checks whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.numbers.is_none() && !self.nan
    }

    /// Checks whether the set contains all floats.
    pub fn is_top(self) -> bool {
        self == Self::top(self.format)
    }

    /// Returns the float if the set has only one.
    pub fn as_point(self) -> Option<FloatValue> {
        match (self.numbers, self.nan) {
            (Some((low, high)), false) if low == high => Some(of_rank(self.format, low)),
            (None, true) => Some(FloatValue::nan(self.format)),
            _ => None,
        }
    }

    /// Checks whether an infinity is in the set.
    pub(crate) fn may_be_infinite(self) -> bool {
        let greatest = greatest_rank(self.format);
        self.numbers
            .is_some_and(|(low, high)| low == -1 - greatest || high == greatest)
    }

    /// Checks whether the float is in the set.
    pub fn contains(self, value: FloatValue) -> bool {
        match value.is_nan() {
            true => self.nan,
            false => self.meets(rank(value), rank(value)),
        }
    }

    /// Checks whether the set has a number with a rank between these.
    pub fn meets(self, low: i128, high: i128) -> bool {
        self.numbers
            .is_some_and(|own| own.0 <= high && low <= own.1)
    }

    /// Checks whether all members are numbers with ranks between these.
    pub fn is_within(self, low: i128, high: i128) -> bool {
        !self.nan && self.numbers.is_none_or(|own| low <= own.0 && own.1 <= high)
    }

    /// Returns the least set that includes both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        let numbers = match (self.numbers, other.numbers) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        Self {
            format: self.format,
            numbers,
            nan: self.nan || other.nan,
        }
    }

    /// Returns the intersection.
    #[must_use]
    pub fn meet(self, other: Self) -> Self {
        let numbers = match (self.numbers, other.numbers) {
            (Some(a), Some(b)) => Some((a.0.max(b.0), a.1.min(b.1))),
            _ => None,
        };
        Self {
            format: self.format,
            numbers: numbers.filter(|(low, high)| low <= high),
            nan: self.nan && other.nan,
        }
    }

    /// Checks whether the set is a subset of the other one.
    pub fn is_subset(self, other: Self) -> bool {
        self.meet(other) == self
    }
}
