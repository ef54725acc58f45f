//! Abstract values of numbers: the reduced product of a union of intervals and a congruence.

use super::congruence::Congruence;
use super::intervals::{INFINITY, Intervals, Thresholds, Universe};
use crate::{BitVecValue, Build, Constant, Op, Pool, Sort, TermId, TermKind, store};

/// A set of numbers, given by a union of intervals and a congruence; bit vectors are represented by their unsigned numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AbstractValue {
    pub intervals: Intervals,
    pub congruence: Congruence,
}

impl AbstractValue {
    /// All numbers.
    pub fn top(universe: Universe) -> Self {
        Self {
            intervals: Intervals::full(universe),
            congruence: Congruence::ANY,
        }
    }

    /// The numbers in both sets.
    pub fn new(intervals: Intervals, congruence: Congruence) -> Self {
        let mut value = Self {
            intervals,
            congruence,
        };
        value.reduce();
        value
    }

    /// The set of one number, reduced to the universe.
    pub fn point(universe: Universe, number: i128) -> Self {
        Self::from(Intervals::point(universe, number))
    }

    /// A truth value.
    pub fn truth(truth: bool) -> Self {
        Self::point(Universe::Circle(1), truth.into())
    }

    /// The constant, if it is a number of a universe.
    pub fn constant(constant: Constant<'_>) -> Option<Self> {
        match constant {
            Constant::Bool(truth) => Some(Self::truth(truth)),
            Constant::BitVec(bits) => {
                let universe = Universe::of(Sort::BitVec(bits.width()))?;
                Some(Self::point(universe, bits.bits() as i128))
            }
            Constant::Int(number) => {
                let number = i128::try_from(number).ok();
                let number = number.filter(|number| number.abs() < INFINITY);
                Some(number.map_or(Self::top(Universe::Line), |number| {
                    Self::point(Universe::Line, number)
                }))
            }
            Constant::Float(_) => None,
        }
    }

    /// Reduces intervals and congruence by each other.
    fn reduce(&mut self) {
        let universe = self.intervals.universe();
        if self.congruence != Congruence::ANY && !self.intervals.is_empty() {
            let congruence = self.congruence;
            let mut spans: Vec<(i128, i128)> = Vec::new();
            // An infinite end is not a number.
            let is_number = |end: i128| end.abs() < INFINITY || congruence.modulus() == 0;
            for &(low, high) in self.intervals.spans() {
                let low = match is_number(low) {
                    true => congruence.next(low),
                    false => Some(low),
                };
                let high = match is_number(high) {
                    true => congruence.previous(high),
                    false => Some(high),
                };
                if let (Some(low), Some(high)) = (low, high)
                    && low <= high
                {
                    spans.push((low, high));
                }
            }
            self.intervals = Intervals::arcs_of(universe, spans);
        }
        if let Some(point) = self.intervals.as_point() {
            self.congruence = Congruence::point(point);
        } else if self.intervals.is_empty() {
            self.congruence = Congruence::ANY;
        }
    }

    /// The numbers' universe.
    pub fn universe(&self) -> Universe {
        self.intervals.universe()
    }

    /// Checks whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// Checks whether the set contains all numbers.
    pub fn is_top(&self) -> bool {
        self.congruence == Congruence::ANY && self.intervals.is_full()
    }

    /// Returns the number if the set has only one.
    pub fn as_point(&self) -> Option<i128> {
        self.intervals.as_point()
    }

    /// Returns the truth value if the set has only one.
    pub fn as_truth(&self) -> Option<bool> {
        self.as_point().map(|number| number != 0)
    }

    /// Checks whether the number, unsigned or an integer, is in the set.
    pub fn contains(&self, number: i128) -> bool {
        self.intervals.contains(number) && self.congruence.contains(number)
    }

    /// Returns a superset of both sets.
    pub fn join(&self, other: &Self) -> Self {
        if self.is_empty() {
            return other.clone();
        }
        if other.is_empty() {
            return self.clone();
        }
        Self {
            intervals: self.intervals.join(&other.intervals),
            congruence: self.congruence.join(other.congruence),
        }
    }

    /// Returns a superset of the intersection.
    pub fn meet(&self, other: &Self) -> Self {
        match self.congruence.meet(other.congruence) {
            Some(congruence) => Self::new(self.intervals.meet(&other.intervals), congruence),
            None => Self::from(Intervals::empty(self.universe())),
        }
    }

    /// Checks whether the set is a subset of the other one.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.is_empty()
            || (self.intervals.is_subset(&other.intervals)
                && self.congruence.is_subset(other.congruence))
    }

    /// Widening, see [`Intervals::widen`]; ascending chains of congruences are finite.
    pub fn widen(&self, other: &Self, thresholds: &Thresholds, most: usize) -> Self {
        if self.is_empty() {
            return other.clone();
        }
        if other.is_empty() {
            return self.clone();
        }
        // The result is not reduced: numbers removed by reduction could be added again for ever.
        Self {
            intervals: self.intervals.widen(&other.intervals, thresholds, most),
            congruence: self.congruence.join(other.congruence),
        }
    }

    /// Returns formulas whose conjunction states that the term's value is in the set. `unsigned` tells whether the program reads
    /// the term as unsigned.
    pub fn formulas(&self, term: TermId, unsigned: bool) -> Vec<TermId> {
        let mut all = Vec::new();
        let sort = store().sort(term);
        let arcs = self.intervals.arcs();
        match self.intervals.clone().limited(1).arcs()[..] {
            [] => return vec![TermId::FALSE],
            [hull] => all.extend(between(sort, unsigned, term, hull)),
            _ => {}
        }
        if arcs.len() > 1 {
            let each = arcs.iter().map(|&arc| {
                let parts = between(sort, unsigned, term, arc);
                store().and(parts)
            });
            all.push(store().or(each.collect::<Vec<_>>()));
        }
        all.extend(self.congruence_formulas(sort, term));
        all.retain(|&formula| formula != TermId::TRUE);
        all
    }

    /// Returns formulas for the congruence. For bit vectors: the low bits, for the modulus's factor that is a power of two; for
    /// its odd part d, that a multiple of d times the inverse of d is its quotient (\[GM94\]), which
    /// keeps sums linear.
    fn congruence_formulas(&self, sort: Sort, term: TermId) -> Vec<TermId> {
        let (modulus, residue) = (self.congruence.modulus(), self.congruence.residue());
        match sort {
            _ if modulus <= 1 => Vec::new(),
            Sort::BitVec(width) => {
                let mut all = Vec::new();
                let bits = modulus.trailing_zeros().min(u32::from(width)) as u8;
                if bits > 0 {
                    let low = store().extract(term, bits - 1, 0);
                    all.push(store().eq(low, store().bv_signed(bits, residue)));
                }
                let odd = modulus >> modulus.trailing_zeros();
                if odd > 1 {
                    let residue = residue % odd;
                    // No member is below the residue, so the distance from it is a nonnegative multiple.
                    let least = store().bv_signed(width, residue);
                    let distance = store().sub(term, least);
                    let inverse = BitVecValue::from_signed(width, odd).inverse();
                    let inverse = inverse.expect("that of an odd number");
                    let quotient = store().mul(distance, store().bv(width, inverse.bits()));
                    let most = ((1i128 << width) - 1 - residue) / odd;
                    all.push(store().ule(quotient, store().bv_signed(width, most)));
                }
                all
            }
            Sort::Int => {
                let remainder = store().int_mod(term, store().int_big(modulus.into()));
                vec![store().eq(remainder, store().int_big(residue.into()))]
            }
            _ => Vec::new(),
        }
    }
}

impl From<Intervals> for AbstractValue {
    fn from(intervals: Intervals) -> Self {
        Self::new(intervals, Congruence::ANY)
    }
}

/// Checks whether the term is a variable or a cell. For other terms, one comparison is easier to prove than two.
fn is_leaf(term: TermId) -> bool {
    match store().kind(term) {
        TermKind::Apply { op, .. } => op == Op::Select,
        _ => true,
    }
}

/// Returns formulas whose conjunction states that the term is in the arc.
fn between(sort: Sort, unsigned: bool, term: TermId, (low, high): (i128, i128)) -> Vec<TermId> {
    match sort {
        Sort::Bool if low == high => vec![store().iff(term, store().boolean(low & 1 == 1))],
        Sort::BitVec(width) => {
            let constant = |number| store().bv_signed(width, number);
            let turn = 1i128 << width;
            if low == high {
                return vec![store().eq(term, constant(low))];
            }
            let crosses_zero = low < 0;
            let crosses_sign = |low: i128, high: i128| low < turn / 2 && high >= turn / 2;
            let crosses_sign = crosses_sign(low, high) || crosses_sign(low + turn, high + turn);
            let is_sum = !is_leaf(term);
            match (crosses_zero, crosses_sign || is_sum) {
                (false, _) if !is_sum && (unsigned || crosses_sign) => vec![
                    store().ule(constant(low), term),
                    store().ule(term, constant(high)),
                ],
                (_, false) => vec![
                    store().sle(constant(low), term),
                    store().sle(term, constant(high)),
                ],
                (_, true) => {
                    let offset = store().sub(term, constant(low));
                    vec![store().ule(offset, constant(high - low))]
                }
            }
        }
        Sort::Int => {
            let constant = |number: i128| store().int_big(number.into());
            if low == high && low.abs() < INFINITY {
                return vec![store().eq(term, constant(low))];
            }
            let mut parts = Vec::new();
            if low > -INFINITY {
                parts.push(store().int_le(constant(low), term));
            }
            if high < INFINITY {
                parts.push(store().int_le(term, constant(high)));
            }
            parts
        }
        _ => Vec::new(),
    }
}

/// Applies an operator's transfer function; the result is top where none is known. `universe` is the result's.
pub fn apply(op: Op, universe: Universe, arguments: &[&AbstractValue]) -> AbstractValue {
    if arguments.iter().any(|argument| argument.is_empty()) {
        return Intervals::empty(universe).into();
    }
    super::transfer::apply(op, universe, arguments).unwrap_or(AbstractValue::top(universe))
}
