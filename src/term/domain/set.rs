//! Exact sets of integers, as unions of any number of intervals.

use smallvec::{SmallVec, smallvec};

/// An interval, both ends included.
pub type Span = (i128, i128);

/// The end of an unbounded interval; every finite bound has a smaller magnitude.
const UNBOUNDED: i128 = 1 << 120;

/// A set of integers: disjoint intervals in ascending order, both ends included, none touching the next.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct IntervalSet(SmallVec<[Span; 2]>);

impl IntervalSet {
    /// The integers from `low` to `high`.
    pub fn range(low: i128, high: i128) -> Self {
        match low <= high {
            true => Self(smallvec![(low, high)]),
            false => Self::default(),
        }
    }

    /// The set of one integer.
    pub fn single(value: i128) -> Self {
        Self::range(value, value)
    }

    pub fn integers() -> Self {
        Self::range(-UNBOUNDED, UNBOUNDED)
    }

    /// The intervals, ascending.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// Checks whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Checks whether the integer is in the set.
    pub fn contains(&self, value: i128) -> bool {
        self.0
            .iter()
            .any(|&(low, high)| low <= value && value <= high)
    }

    /// Returns the end of the interval that contains the value; `None` if the value is not in the set.
    pub fn end_from(&self, value: i128) -> Option<i128> {
        let mut intervals = self.0.iter();
        let around = intervals.find(|&&(low, high)| low <= value && value <= high);
        around.map(|&(_, high)| high)
    }

    /// The number of elements; at least 2^119 for an unbounded set.
    pub fn len(&self) -> u128 {
        self.0
            .iter()
            .map(|&(low, high)| high.abs_diff(low) + 1)
            .sum()
    }

    /// Returns the element if there is only one.
    pub fn only(&self) -> Option<i128> {
        match self.0[..] {
            [(low, high)] if low == high => Some(low),
            _ => None,
        }
    }

    /// Returns the least and the greatest element; for an unbounded set, the end that stands for infinity.
    pub fn ends(&self) -> Option<Span> {
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    /// The element of the least magnitude.
    pub fn nearest_to_zero(&self) -> Option<i128> {
        let nearest = self.0.iter().map(|&(low, high)| 0.clamp(low, high));
        nearest.min_by_key(|value| value.unsigned_abs())
    }

    /// Splits the set into the lower half of the elements and the rest.
    #[must_use]
    pub fn halves(&self) -> (Self, Self) {
        let mut wanted = self.len() / 2;
        let (mut lower, mut upper) = (Self::default(), Self::default());
        for &(low, high) in &self.0 {
            let count = high.abs_diff(low) + 1;
            let taken = count.min(wanted);
            wanted -= taken;
            // `taken` is at most the number of elements of one interval, so it fits.
            let middle = low + taken as i128;
            lower.0.extend((taken > 0).then_some((low, middle - 1)));
            upper.0.extend((taken < count).then_some((middle, high)));
        }
        (lower, upper)
    }

    /// Checks whether the set is a subset of the other one.
    pub fn is_subset(&self, other: &Self) -> bool {
        let within = |&(low, high): &Span| {
            let mut spans = other.0.iter();
            spans.any(|&(from, to)| from <= low && high <= to)
        };
        self.0.iter().all(within)
    }

    /// Returns the intersection.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let pairs = self
            .0
            .iter()
            .flat_map(|a| other.0.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
        Self(pairs.filter(|(low, high)| low <= high).collect())
    }

    /// Returns the elements that are not in the other set.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        for &(low, high) in &other.0 {
            let below = Self::range(i128::MIN, low.saturating_sub(1));
            let above = Self::range(high.saturating_add(1), i128::MAX);
            let mut parts = rest.intersection(&below).0;
            parts.extend(rest.intersection(&above).0);
            rest = Self(parts);
        }
        rest
    }

    /// Returns the union.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.0.iter().chain(&other.0).copied().collect()
    }
}

/// The union of intervals; an interval whose lower end is greater than its upper end is empty.
impl FromIterator<Span> for IntervalSet {
    fn from_iter<I: IntoIterator<Item = Span>>(spans: I) -> Self {
        let mut all: SmallVec<[Span; 4]> = spans.into_iter().filter(|(a, b)| a <= b).collect();
        all.sort_unstable();
        let mut result: SmallVec<[Span; 2]> = SmallVec::new();
        for (low, high) in all {
            match result.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => result.push((low, high)),
            }
        }
        Self(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(elements: &[bool]) -> IntervalSet {
        let present = (0..).zip(elements).filter(|(_, present)| **present);
        present.fold(IntervalSet::default(), |set, (value, _)| {
            set.union(&IntervalSet::single(value))
        })
    }

    proptest! {
        #[test]
        fn operations_are_those_of_sets(
            a in prop::collection::vec(any::<bool>(), 12),
            b in prop::collection::vec(any::<bool>(), 12),
        ) {
            let (left, right) = (set(&a), set(&b));
            prop_assert_eq!(left.len(), a.iter().filter(|present| **present).count() as u128);
            let cases = [
                (left.intersection(&right), [false, false, false, true]),
                (left.difference(&right), [false, false, true, false]),
                (left.union(&right), [false, true, true, true]),
            ];
            for (result, table) in cases {
                for value in 0..12 {
                    let row = 2 * usize::from(a[value]) + usize::from(b[value]);
                    prop_assert_eq!(result.contains(value as i128), table[row]);
                }
                let (lower, upper) = result.halves();
                prop_assert_eq!(lower.len(), result.len() / 2);
                prop_assert_eq!(lower.union(&upper), result.clone());
                let is_below = lower.ends().zip(upper.ends()).is_none_or(|(l, u)| l.1 < u.0);
                prop_assert!(is_below);
                // Intervals do not touch, so the representation is unique.
                let spelled: Vec<bool> = (0..12).map(|value| result.contains(value)).collect();
                prop_assert_eq!(&result, &set(&spelled));
                prop_assert_eq!(result.is_subset(&left), result.union(&left) == left);
                prop_assert_eq!(result.nearest_to_zero(), result.ends().map(|ends| ends.0));
            }
        }
    }
}
