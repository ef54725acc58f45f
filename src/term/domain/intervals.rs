//! Sets of bit vectors, Booleans or mathematical integers as unions of few intervals.
//!
//! Bit vectors of w bits lie on a circle of 2^w numbers (wrapped intervals: \[NSSS12\]),
//! so that the signed and the unsigned view of a set are the same
//! set: the signed range from -1 to 1 is one arc, and an addition that wraps around loses nothing.

use smallvec::SmallVec;

use super::set::{IntervalSet, Span};
use crate::Sort;
use crate::domain::limits::MAXIMUM_ARCS;

/// The end of an unbounded interval of integers; ends beyond are not distinguished from it.
pub const INFINITY: i128 = 1 << 100;

/// The set of numbers from which the members are.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Universe {
    /// The bit vectors of this width, as unsigned numbers; a Boolean is a bit.
    Circle(u8),
    /// The integers.
    Line,
}

impl Universe {
    /// The universe of a sort's values; for an array, of its cells' values. `None` for other sorts and numbers of more than 64
    pub fn of(sort: Sort) -> Option<Self> {
        match sort {
            Sort::Bool => Some(Self::Circle(1)),
            Sort::BitVec(width @ 1..=64) => Some(Self::Circle(width)),
            Sort::Int => Some(Self::Line),
            Sort::Array { element, .. } => Self::of(element.into()),
            _ => None,
        }
    }

    /// The least number.
    pub fn least(self) -> i128 {
        match self {
            Self::Circle(_) => 0,
            Self::Line => -INFINITY,
        }
    }

    /// The greatest number.
    pub fn greatest(self) -> i128 {
        match self {
            Self::Circle(width) => (1 << width) - 1,
            Self::Line => INFINITY,
        }
    }

    /// The least number of the negative half of a circle.
    pub(super) fn sign(self) -> i128 {
        match self {
            Self::Circle(width) => 1 << (width - 1),
            Self::Line => INFINITY,
        }
    }

    /// The length of the circle; zero for the line.
    pub fn turn(self) -> i128 {
        match self {
            Self::Circle(width) => 1 << width,
            Self::Line => 0,
        }
    }

    /// Splits the arc from `low` to `high` into ascending spans.
    fn spans(self, low: i128, high: i128) -> SmallVec<[Span; 2]> {
        let turn = self.turn();
        let mut spans = SmallVec::new();
        if low > high {
            return spans;
        }
        if turn == 0 {
            let within = |end: i128| end.clamp(-INFINITY, INFINITY);
            spans.push((within(low), within(high)));
        } else if high - low >= turn - 1 {
            spans.push((0, turn - 1));
        } else {
            let (low, high) = (low.rem_euclid(turn), high.rem_euclid(turn));
            if low <= high {
                spans.push((low, high));
            } else {
                spans.extend([(0, high), (low, turn - 1)]);
            }
        }
        spans
    }
}

/// A set of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Intervals {
    universe: Universe,
    set: IntervalSet,
}

impl Intervals {
    /// The empty set.
    pub fn empty(universe: Universe) -> Self {
        let set = IntervalSet::default();
        Self { universe, set }
    }

    /// All numbers.
    pub fn full(universe: Universe) -> Self {
        let set = IntervalSet::range(universe.least(), universe.greatest());
        Self { universe, set }
    }

    /// The set of one number, which is reduced to the universe.
    pub fn point(universe: Universe, number: i128) -> Self {
        Self::arc(universe, number, number)
    }

    /// The set of the numbers from `low` to `high`, both included; on a circle, modulo its length.
    pub fn arc(universe: Universe, low: i128, high: i128) -> Self {
        let set = universe.spans(low, high).into_iter().collect();
        Self { universe, set }
    }

    /// The union of arcs.
    pub(crate) fn arcs_of(universe: Universe, arcs: impl IntoIterator<Item = Span>) -> Self {
        let arcs = arcs.into_iter();
        let set = arcs
            .flat_map(|(low, high)| universe.spans(low, high))
            .collect();
        Self { universe, set }.limited(MAXIMUM_ARCS)
    }

    /// The universe of the numbers.
    pub fn universe(&self) -> Universe {
        self.universe
    }

    /// The ascending intervals of unsigned numbers, or of integers.
    pub fn spans(&self) -> &[Span] {
        self.set.spans()
    }

    /// Checks whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Checks whether the set contains all numbers.
    pub fn is_full(&self) -> bool {
        self.spans() == [(self.universe.least(), self.universe.greatest())]
    }

    /// Returns the number if the set has only one.
    pub fn as_point(&self) -> Option<i128> {
        self.set.only().filter(|number| number.abs() < INFINITY)
    }

    /// Checks whether the number, unsigned or an integer, is in the set.
    pub fn contains(&self, number: i128) -> bool {
        let number = number.clamp(self.universe.least(), self.universe.greatest());
        self.set.contains(number)
    }

    /// The least and the greatest number, unsigned.
    pub fn hull(&self) -> Option<Span> {
        self.set.ends()
    }

    /// The least and the greatest number, signed.
    pub fn signed_hull(&self) -> Option<Span> {
        let spans = self.signed_spans();
        Some((spans.first()?.0, spans.last()?.1))
    }

    /// The ascending intervals of signed numbers; integers are left as they are.
    pub(crate) fn signed_spans(&self) -> SmallVec<[Span; 3]> {
        let (sign, turn) = (self.universe.sign(), self.universe.turn());
        if turn == 0 {
            return self.spans().iter().copied().collect();
        }
        let negative = self.spans().iter().filter(|span| span.1 >= sign);
        let negative = negative.map(|&(low, high)| (low.max(sign) - turn, high - turn));
        let positive = self.spans().iter().filter(|span| span.0 < sign);
        let positive = positive.map(|&(low, high)| (low, high.min(sign - 1)));
        let mut all: SmallVec<[Span; 3]> = SmallVec::new();
        for (low, high) in negative.chain(positive) {
            match all.last_mut() {
                Some(last) if last.1 + 1 == low => last.1 = high,
                _ => all.push((low, high)),
            }
        }
        all
    }

    /// Checks whether an arc of the set contains both zero and its predecessor on the circle.
    fn is_joined_at_zero(&self) -> bool {
        self.universe != Universe::Line
            && self.spans().len() > 1
            && self.spans().first().map(|span| span.0) == Some(self.universe.least())
            && self.spans().last().map(|span| span.1) == Some(self.universe.greatest())
    }

    /// The maximal arcs. On a circle, an arc across zero begins with a negative number.
    pub fn arcs(&self) -> SmallVec<[Span; 3]> {
        let mut arcs: SmallVec<[Span; 3]> = self.spans().iter().copied().collect();
        if self.is_joined_at_zero()
            && let Some((low, _)) = arcs.pop()
        {
            arcs[0].0 = low - self.universe.turn();
        }
        arcs
    }

    /// The union.
    pub fn join(&self, other: &Self) -> Self {
        self.of(self.set.union(&other.set)).limited(MAXIMUM_ARCS)
    }

    /// The intersection.
    pub fn meet(&self, other: &Self) -> Self {
        self.of(self.set.intersection(&other.set))
    }

    /// The complement.
    pub fn complement(&self) -> Self {
        self.of(Self::full(self.universe).set.difference(&self.set))
    }

    /// Checks whether the set is a subset of the other one.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.set.is_subset(&other.set)
    }

    fn of(&self, set: IntervalSet) -> Self {
        let universe = self.universe;
        Self { universe, set }
    }

    /// Returns a superset with at most `most` arcs, by closing the smallest gaps.
    pub fn limited(mut self, most: usize) -> Self {
        loop {
            let spans = self.spans();
            let arcs = spans.len() - usize::from(self.is_joined_at_zero());
            if arcs <= most.max(1) {
                return self;
            }
            let inner = spans.windows(2).map(|pair| (pair[0].1, pair[1].0));
            let Some(mut gap) = inner.min_by_key(|gap| gap.1 - gap.0) else {
                return self;
            };
            let (first, last) = (spans[0].0, spans[spans.len() - 1].1);
            let around = first + self.universe.turn() - last;
            if self.universe != Universe::Line && around > 1 && around < gap.1 - gap.0 {
                gap = (last, first + self.universe.turn());
            }
            let closed = IntervalSet::from_iter(self.universe.spans(gap.0, gap.1));
            self.set = self.set.union(&closed);
        }
    }

    /// Widening: the ends of the union that are not ends of `self` move outwards to the next threshold, so that
    /// every chain becomes stationary (\[CC77\]; thresholds: \[BCC+03\]).
    pub fn widen(&self, other: &Self, thresholds: &Thresholds, most: usize) -> Self {
        let joined = self.join(other).limited(most);
        if joined.is_subset(self) {
            return self.clone();
        }
        let own = self.arcs();
        let arcs = joined.arcs().into_iter().map(|(mut low, mut high)| {
            if low >= self.universe.sign() && self.universe != Universe::Line {
                (low, high) = (low - self.universe.turn(), high - self.universe.turn());
            }
            if !own.iter().any(|arc| same(self.universe, arc.0, low)) {
                low = thresholds.at_most(self.universe, low);
            }
            if !own.iter().any(|arc| same(self.universe, arc.1, high)) {
                high = thresholds.at_least(self.universe, high);
            }
            (low, high)
        });
        let arcs: SmallVec<[Span; 4]> = arcs.collect();
        Self::arcs_of(self.universe, arcs).limited(most)
    }
}

fn same(universe: Universe, a: i128, b: i128) -> bool {
    a == b || (universe.turn() != 0 && (a - b) % universe.turn() == 0)
}

/// Thresholds of widening: numbers of the program; the ends of the signed and the unsigned range are implicit.
#[derive(Clone, Debug, Default)]
pub struct Thresholds {
    /// Ascending, signed.
    numbers: Vec<i128>,
}

impl Thresholds {
    /// Creates thresholds from the numbers and their neighbours.
    pub fn new(numbers: impl IntoIterator<Item = i128>) -> Self {
        let near = |number: i128| [number - 1, number, number + 1];
        let mut numbers: Vec<i128> = numbers.into_iter().flat_map(near).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self { numbers }
    }

    /// The greatest threshold that is not above the number.
    fn at_most(&self, universe: Universe, number: i128) -> i128 {
        let below = self.numbers.partition_point(|&one| one <= number);
        let own = self.numbers[..below].last().copied();
        let corners = [-INFINITY, -universe.sign(), 0];
        let corner = corners.into_iter().filter(|&corner| corner <= number).max();
        own.max(corner).unwrap_or(-INFINITY)
    }

    /// The least threshold that is not below the number.
    fn at_least(&self, universe: Universe, number: i128) -> i128 {
        let turn = universe.turn();
        // From the sign bit on, unsigned numbers are the negative ones.
        let from = if number >= universe.sign() { turn } else { 0 };
        let below = self.numbers.partition_point(|&one| one + from < number);
        let own = self.numbers.get(below).map_or(INFINITY, |own| own + from);
        let corners = [-1, universe.sign() - 1, universe.greatest(), INFINITY];
        let corner = corners.into_iter().filter(|&corner| corner >= number).min();
        own.min(corner.unwrap_or(INFINITY))
    }
}
