//! The abstract domain of constants and ranges.
//!
//! A range is an interval of signed values, for bit vectors of at most 64 bits and for integers. Terms and conditions are
//! evaluated with [sets of numbers](regatta_term::domain); for a variable only the interval hull of its set is kept, which is
//! cheap to compare, join and print. The domain decides most conditions that follow from the types and bounds in the
//! program's text; the data-flow engine has stronger domains.

#[cfg(test)]
mod tests;

use crate::simplify::limits::{MAXIMUM_CONDITION_OPERATORS, MAXIMUM_OPERATORS};
use regatta_term::domain::{AbstractValue, Environment, INFINITY, Intervals, Universe, Values};
use regatta_term::{Build, Constant, Pool, Sort, TermId, TermKind, Value, fixed, store};

/// An abstract value.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Abstract {
    /// The value of this term, which has no variables.
    Constant(TermId),
    /// The values between the inclusive bounds; for a Boolean between 0 and 1.
    Range(i128, i128),
}

/// Inclusive bounds, if known.
pub(super) type Bounds = Option<(i128, i128)>;

/// Absolute values of integer bounds are kept below this, so that sums and products of bounds do not overflow.
const LIMIT: i128 = 1 << 62;

/// The range of all values of the sort; `None` if the sort is unbounded or has no ranges.
pub(super) fn full(sort: Sort) -> Option<(i128, i128)> {
    match sort {
        Sort::BitVec(width @ 1..=64) => Some((-1 << (width - 1), (1 << (width - 1)) - 1)),
        Sort::Bool => Some((0, 1)),
        _ => None,
    }
}

/// Replaces bounds of an integer that reach [`LIMIT`] by infinity.
fn within_limit(low: i128, high: i128) -> (i128, i128) {
    let low = if low <= -LIMIT {
        -INFINITY
    } else {
        low.min(LIMIT)
    };
    let high = if high >= LIMIT {
        INFINITY
    } else {
        high.max(-LIMIT)
    };
    (low, high)
}

/// The signed value of a constant.
pub(super) fn number(term: TermId) -> Option<i128> {
    match store().kind(term) {
        TermKind::Constant(Constant::Int(value)) => i128::try_from(value)
            .ok()
            .filter(|value| value.abs() < LIMIT),
        TermKind::Constant(Constant::BitVec(value)) if value.width() <= 64 => Some(value.signed()),
        TermKind::Constant(Constant::Bool(value)) => Some(i128::from(value)),
        _ => None,
    }
}

/// The constant of the sort with the signed value.
fn constant(sort: Sort, value: i128) -> Option<TermId> {
    match sort {
        Sort::BitVec(width) => Some(store().bv_signed(width, value)),
        Sort::Int => Some(store().value(&Value::int(value))),
        Sort::Bool => Some(store().boolean(value != 0)),
        _ => None,
    }
}

impl Abstract {
    /// The abstract value of a range: a constant if there is only one value, `None` if the range contains all values.
    pub(crate) fn from_range(sort: Sort, low: i128, high: i128) -> Option<Self> {
        // The representation of infinity must not be taken for a number.
        let (low, high) = match sort {
            Sort::Int => within_limit(low, high),
            _ => (low, high),
        };
        if low == high {
            return constant(sort, low).map(Self::Constant);
        }
        let (minimum, maximum) = full(sort).unwrap_or((-INFINITY, INFINITY));
        (low > minimum || high < maximum).then_some(Self::Range(low, high))
    }

    /// The inclusive bounds of the value.
    pub fn bounds(self) -> Option<(i128, i128)> {
        match self {
            Self::Constant(term) => number(term).map(|value| (value, value)),
            Self::Range(low, high) => Some((low, high)),
        }
    }

    /// The value as a set of values of the sort.
    pub(super) fn set(self, sort: Sort) -> Option<AbstractValue> {
        let universe = Universe::of(sort).filter(|_| !sort.is_array())?;
        match self {
            Self::Constant(term) => AbstractValue::constant(store().constant(term)?),
            Self::Range(low, high) => Some(Intervals::arc(universe, low, high).into()),
        }
    }

    /// The formula that says that the variable has the abstract value.
    pub fn formula(self, variable: TermId) -> TermId {
        let sort = store().sort(variable);
        match self {
            Self::Constant(value) => store().eq(variable, value),
            Self::Range(low, high) => {
                let bound = |value| constant(sort, value).filter(|_| i128::abs(value) < INFINITY);
                let not_less = |a, b| match sort {
                    Sort::Int => store().int_le(a, b),
                    _ => store().sle(a, b),
                };
                let lower = bound(low).map(|low| not_less(low, variable));
                store().and(
                    lower
                        .into_iter()
                        .chain(bound(high).map(|high| not_less(variable, high)))
                        .collect::<Vec<_>>(),
                )
            }
        }
    }

    /// The join of two values; `None` if it contains all values.
    pub fn join(self, other: Self, sort: Sort) -> Option<Self> {
        if self == other {
            return Some(self);
        }
        let ((a, b), (c, d)) = (self.bounds()?, other.bounds()?);
        Self::from_range(sort, a.min(c), b.max(d))
    }

    /// The widening of the value by a new one: a bound that moves goes to the end of the sort's range at once.
    pub fn widen(self, now: Self, sort: Sort) -> Option<Self> {
        if self == now {
            return Some(self);
        }
        let ((a, b), (c, d)) = (self.bounds()?, now.bounds()?);
        let (minimum, maximum) = full(sort).unwrap_or((-INFINITY, INFINITY));
        Self::from_range(
            sort,
            if c < a { minimum } else { a },
            if d > b { maximum } else { b },
        )
    }
}

/// The bounds of the values of the sort in a set.
fn hull(sort: Sort, value: &AbstractValue) -> Option<(i128, i128)> {
    match sort {
        Sort::Bool => value.intervals.hull(),
        _ => value.intervals.signed_hull(),
    }
}

/// The range of a term, given the values of its variables.
pub(super) fn range_of(term: TermId, known: &Values) -> Option<(i128, i128)> {
    let mut environment = Environment::new(store(), known, false).looking_at(MAXIMUM_OPERATORS);
    hull(store().sort(term), &environment.value(term)?)
}

/// The abstract truth of an assumed condition.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Assumed {
    /// It cannot hold.
    Never,
    /// It always holds.
    Always,
    /// It may hold for some of the values.
    Sometimes,
}

/// Evaluates an assumed condition, and calls `learn` with the abstract values of variables that follow from it.
pub(super) fn restrict(
    condition: TermId,
    known: &Values,
    learn: &mut dyn FnMut(TermId, Abstract),
) -> Assumed {
    let mut environment = Environment::new(store(), known, false).looking_at(MAXIMUM_OPERATORS);
    let value = environment.value(condition);
    match value.and_then(|value| hull(Sort::Bool, &value)) {
        Some((0, 0)) => return Assumed::Never,
        Some((1, 1)) => return Assumed::Always,
        _ => {}
    }
    let mut environment = environment.looking_at(MAXIMUM_CONDITION_OPERATORS);
    environment.assume(condition);
    if environment.is_empty() {
        return Assumed::Never;
    }
    for (&term, value) in environment.facts() {
        let sort = store().sort(term);
        if is_variable(term)
            && let Some((low, high)) = hull(sort, value)
            && let Some(value) = Abstract::from_range(sort, low, high)
        {
            learn(term, value);
        }
    }
    // Values without ranges, such as floats.
    for (variable, constant) in fixed(store(), condition) {
        if is_variable(variable) {
            learn(variable, Abstract::Constant(constant));
        }
    }
    Assumed::Sometimes
}

fn is_variable(term: TermId) -> bool {
    matches!(store().kind(term), TermKind::Variable { instance: 0, .. })
}
