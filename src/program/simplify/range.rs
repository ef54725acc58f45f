//! Abstract values: constants and ranges.
//!
//! A range is an interval of signed values, for bit vectors of at most 64 bits and for integers. It is all that is
//! needed to decide most conditions that are decided by the types and bounds in the program's text: what is stronger is
//! left to the data-flow engine.

use rustc_hash::FxHashMap;

use crate::term::{Build, Constant, Op, Pool, Sort, TermId, TermKind, Value, store};

/// What is known of a value.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Abstract {
    /// It is this term, which has no variables.
    Constant(TermId),
    /// It lies between the two, both included; for a Boolean between 0 and 1.
    Range(i128, i128),
}

/// Bounds of integers are kept if they are smaller than this, so that sums and products of bounds do not overflow.
const LIMIT: i128 = 1 << 62;

/// The bound of an integer that is not bounded.
const INFINITY: i128 = 1 << 100;

/// Terms looked at for one range.
const EFFORT: usize = 200;

/// Nesting of terms looked at for one range.
const DEPTH: usize = 40;

/// The range of all values of the sort, or `None` if it is not one that ranges are kept for.
pub(super) fn full(sort: Sort) -> Option<(i128, i128)> {
    match sort {
        Sort::BitVec(width @ 1..=64) => Some((-1 << (width - 1), (1 << (width - 1)) - 1)),
        Sort::Bool => Some((0, 1)),
        _ => None,
    }
}

/// Bounds of an integer that may have become too large to be kept exactly.
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
    /// The range, as the value of a term of the sort; a constant if there is but one value; `None` if it says nothing.
    pub fn from_range(sort: Sort, low: i128, high: i128) -> Option<Self> {
        if low == high {
            return constant(sort, low).map(Self::Constant);
        }
        let (low, high) = if sort == Sort::Int {
            within_limit(low, high)
        } else {
            (low, high)
        };
        let (minimum, maximum) = full(sort).unwrap_or((-INFINITY, INFINITY));
        (low > minimum || high < maximum).then_some(Self::Range(low, high))
    }

    /// Its range.
    pub fn bounds(self) -> Option<(i128, i128)> {
        match self {
            Self::Constant(term) => number(term).map(|value| (value, value)),
            Self::Range(low, high) => Some((low, high)),
        }
    }

    /// What is known, as a formula about the variable.
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

    /// What is known if either of two things is.
    pub fn join(self, other: Self, sort: Sort) -> Option<Self> {
        if self == other {
            return Some(self);
        }
        let ((a, b), (c, d)) = (self.bounds()?, other.bounds()?);
        Self::from_range(
            sort,
            a.min(c),
            planted!(
                "range: of two upper bounds the smaller one counts",
                b.max(d),
                b.min(d)
            ),
        )
    }

    /// Like a join of what was known before and what is known now, but a bound that moves goes to the end at once.
    pub fn widen(self, now: Self, sort: Sort) -> Option<Self> {
        if self == now {
            return Some(self);
        }
        let ((a, b), (c, d)) = (self.bounds()?, now.bounds()?);
        let (minimum, maximum) = full(sort).unwrap_or((-INFINITY, INFINITY));
        Self::from_range(
            sort,
            if c < a { minimum } else { a },
            if d > b {
                planted!("range: a bound that moves stays", maximum, b)
            } else {
                b
            },
        )
    }
}

/// The range of a term, given those of its variables.
pub(super) fn range_of(
    term: TermId,
    variable: &dyn Fn(TermId) -> Option<Abstract>,
) -> Option<(i128, i128)> {
    Evaluation {
        variable,
        known: FxHashMap::default(),
        effort: EFFORT,
    }
    .range(term, 0)
}

struct Evaluation<'a> {
    variable: &'a dyn Fn(TermId) -> Option<Abstract>,
    known: FxHashMap<TermId, Option<(i128, i128)>>,
    effort: usize,
}

type Range = Option<(i128, i128)>;

impl Evaluation<'_> {
    fn range(&mut self, term: TermId, depth: usize) -> Range {
        let sort = store().sort(term);
        let all = full(sort);
        if let Some(value) = number(term) {
            return Some((value, value));
        }
        if depth > DEPTH || self.effort == 0 {
            return all;
        }
        match store().kind(term) {
            TermKind::Constant(_) => None,
            TermKind::Variable { .. } => (self.variable)(term).and_then(Abstract::bounds).or(all),
            TermKind::Apply { op, arguments } => {
                if let Some(&known) = self.known.get(&term) {
                    return known;
                }
                self.effort -= 1;
                let range = self.apply(op, arguments, sort, depth + 1).or(all);
                // What does not fit wraps around, or is not kept.
                let range = match (range, all) {
                    (Some((low, high)), Some((minimum, maximum)))
                        if low < minimum || high > maximum =>
                    {
                        planted!(
                            "range: sums do not wrap around",
                            all,
                            Some((low.max(minimum), high.min(maximum)))
                        )
                    }
                    (Some((low, high)), None) => Some(within_limit(low, high)),
                    (range, _) => range,
                };
                self.known.insert(term, range);
                range
            }
        }
    }

    fn apply(&mut self, op: Op, arguments: &[TermId], sort: Sort, depth: usize) -> Range {
        match (op, arguments) {
            (Op::Ite, &[condition, then, otherwise]) => match self.range(condition, depth) {
                Some((1, _)) => self.range(
                    planted!(
                        "range: a condition that holds chooses the second",
                        then,
                        otherwise
                    ),
                    depth,
                ),
                Some((_, 0)) => self.range(
                    planted!(
                        "range: a condition that is false chooses the first",
                        otherwise,
                        then
                    ),
                    depth,
                ),
                _ => {
                    let ((a, b), (c, d)) =
                        (self.range(then, depth)?, self.range(otherwise, depth)?);
                    Some((
                        a.min(c),
                        planted!(
                            "range: a choice has the smaller upper bound",
                            b.max(d),
                            b.min(d)
                        ),
                    ))
                }
            },
            (Op::BvAdd | Op::IntAdd, _) => {
                arguments.iter().try_fold((0, 0), |(low, high), &argument| {
                    let (a, b) = self.range(argument, depth)?;
                    Some((
                        low + a,
                        planted!(
                            "range: an upper bound of a sum is the first addend's",
                            high + b,
                            high.max(b)
                        ),
                    ))
                })
            }
            (Op::BvNeg | Op::IntNeg, &[a]) => self.range(a, depth).map(|(low, high)| {
                planted!(
                    "range: -x lies between the bounds of x",
                    (-high, -low),
                    (low, high)
                )
            }),
            (Op::BvNot, &[a]) => self.range(a, depth).map(|(low, high)| {
                planted!("range: ~x is -x", (-1 - high, -1 - low), (-high, -low))
            }),
            (Op::BvMul | Op::IntMul, &[a, b]) => {
                let ((a, b), (c, d)) = (self.range(a, depth)?, self.range(b, depth)?);
                let products = [
                    a.checked_mul(c)?,
                    a.checked_mul(d)?,
                    b.checked_mul(c)?,
                    b.checked_mul(d)?,
                ];
                planted!(
                    "range: the greatest product is that of the greatest factors",
                    Some((*products.iter().min()?, *products.iter().max()?)),
                    Some((products[0].min(products[3]), products[0].max(products[3])))
                )
            }
            (Op::ZeroExtend(width), &[a]) => self.zero_extended(a, width, depth),
            (Op::SignExtend(_), &[a]) => self.range(a, depth),
            (Op::Extract { high, low: 0 }, &[a]) => {
                // The low bits of a value that fits into them are the value.
                let (low, top) = self.range(a, depth)?;
                let (minimum, maximum) = full(Sort::BitVec(high + 1))?;
                (low >= minimum && top <= maximum).then_some((low, top))
            }
            (Op::Concat, &[high, low])
                if planted!(
                    "range: what is in front does not count",
                    number(high) == Some(0),
                    true
                ) =>
            {
                let width = store().sort(low).width()?;
                self.zero_extended(low, (width + store().sort(high).width()?) as u8, depth)
            }
            (Op::BvAnd, _) => {
                // No more than the least of the operands that are not negative.
                let bounds = arguments
                    .iter()
                    .filter_map(|&argument| self.range(argument, depth));
                let high = bounds
                    .filter(|(low, _)| {
                        planted!(
                            "range: a negative mask bounds what it masks",
                            *low >= 0,
                            true
                        )
                    })
                    .map(|(_, high)| high)
                    .min()?;
                Some((0, high))
            }
            (Op::BvUrem, &[a, b]) | (Op::BvSrem, &[a, b]) | (Op::IntMod, &[a, b]) => {
                let ((low, high), divisor) = (self.range(a, depth)?, number(b)?);
                if divisor <= 0
                    || (planted!(
                        "range: what is negative has a small unsigned remainder",
                        low < 0,
                        false
                    ) && op == Op::BvUrem)
                {
                    return (divisor > 0).then_some((0, divisor - 1));
                }
                let least = if low < 0 && op == Op::BvSrem {
                    planted!(
                        "range: a negative remainder is not less than the divisor by one",
                        low.max(1 - divisor),
                        low.max(2 - divisor)
                    )
                } else {
                    0
                };
                let most = if planted!(
                    "range: the remainder of a negative integer is not above it",
                    low < 0,
                    false
                ) && op == Op::IntMod
                {
                    divisor - 1
                } else {
                    high.max(0).min(planted!(
                        "range: a remainder is at most the divisor less two",
                        divisor - 1,
                        divisor - 2
                    ))
                };
                let least = planted!("range: remainders are not negative", least, 0);
                Some((least, most))
            }
            (Op::BvUdiv | Op::BvSdiv | Op::IntDiv, &[a, b]) => {
                let ((low, high), divisor) = (self.range(a, depth)?, number(b)?);
                let highest = if high == INFINITY {
                    high
                } else {
                    planted!(
                        "range: a quotient is less than the greatest one",
                        high / divisor.max(1),
                        high / (divisor.max(1) + 1)
                    )
                };
                (divisor > 0
                    && planted!(
                        "range: what is negative has a small unsigned quotient",
                        low >= 0,
                        true
                    ))
                .then(|| (low / divisor, highest))
            }
            (Op::BvLshr | Op::BvAshr, &[a, b]) => {
                let ((low, high), amount) = (self.range(a, depth)?, number(b)?);
                ((0..64).contains(&amount)
                    && planted!("range: a logical shift keeps the sign", low >= 0, true))
                .then(|| (low >> amount, high >> amount))
            }
            (Op::BvShl, &[a, b]) => {
                let ((low, high), amount) = (self.range(a, depth)?, number(b)?);
                ((0..60).contains(&amount) && low >= 0).then(|| {
                    (
                        low << amount,
                        planted!(
                            "range: a left shift keeps the upper bound",
                            high << amount,
                            high.max(low << amount)
                        ),
                    )
                })
            }
            _ if sort == Sort::Bool => self
                .condition(op, arguments, depth)
                .map(|value| (value.into(), value.into())),
            _ => None,
        }
    }

    fn zero_extended(&mut self, term: TermId, to: u8, depth: usize) -> Range {
        let (low, high) = self.range(term, depth)?;
        let width = store().sort(term).width()?;
        if planted!(
            "range: a negative value stays one when extended by zeros",
            low >= 0,
            true
        ) {
            return Some((low, high));
        }
        (u32::from(to) > width && to <= 64).then(|| {
            (
                0,
                planted!(
                    "range: the greatest unsigned value is the greatest signed one",
                    (1 << width) - 1,
                    (1 << (width - 1)) - 1
                ),
            )
        })
    }

    /// The truth value of a condition, if the ranges decide it.
    fn condition(&mut self, op: Op, arguments: &[TermId], depth: usize) -> Option<bool> {
        match (op, arguments) {
            (Op::Not, &[a]) => self.truth(a, depth).map(|value| {
                planted!(
                    "range: a denial holds if what it denies does",
                    !value,
                    value
                )
            }),
            (Op::And, _) => {
                let mut all = Some(true);
                for &argument in arguments {
                    match self.truth(argument, depth) {
                        Some(false) => return Some(false),
                        Some(true) => {}
                        None => all = planted!("range: an open conjunct holds", None, all),
                    }
                }
                all
            }
            (Op::Or, _) => {
                let mut all = Some(false);
                for &argument in arguments {
                    match self.truth(argument, depth) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => all = planted!("range: an open disjunct is false", None, all),
                    }
                }
                all
            }
            (Op::Eq, &[a, b]) => {
                let ((a, b), (c, d)) = (self.range(a, depth)?, self.range(b, depth)?);
                if planted!(
                    "range: ranges that meet in one number do not meet",
                    b < c || d < a,
                    b <= c || d < a
                ) {
                    Some(false)
                } else {
                    planted!(
                        "range: one number is enough to decide an equality",
                        a == b && c == d,
                        a == b
                    )
                    .then_some(a == c)
                }
            }
            (Op::BvSlt | Op::IntLt, &[a, b]) => {
                let ((a, b), (c, d)) = (self.range(a, depth)?, self.range(b, depth)?);
                if planted!("range: a < b if they may be equal", b < c, b <= c) {
                    Some(true)
                } else {
                    planted!(
                        "range: a < b is false if a may be as great as b",
                        a >= d,
                        b >= d
                    )
                    .then_some(false)
                }
            }
            (Op::BvSle | Op::IntLe, &[a, b]) => {
                let ((a, b), (c, d)) = (self.range(a, depth)?, self.range(b, depth)?);
                if planted!("range: a <= b if a may be as small as b", b <= c, a <= c) {
                    Some(true)
                } else {
                    planted!("range: a <= b is false if they are equal", a > d, a >= d)
                        .then_some(false)
                }
            }
            (Op::BvUlt, &[a, b]) => {
                let ((a, b), (c, d)) = (self.unsigned(a, depth)?, self.unsigned(b, depth)?);
                if planted!(
                    "range: a < b if they may be equal (unsigned)",
                    b < c,
                    b <= c
                ) {
                    Some(true)
                } else {
                    (a >= d).then_some(false)
                }
            }
            (Op::BvUle, &[a, b]) => {
                let ((a, b), (c, d)) = (self.unsigned(a, depth)?, self.unsigned(b, depth)?);
                if b <= c {
                    Some(true)
                } else {
                    planted!(
                        "range: a <= b is false if they are equal (unsigned)",
                        a > d,
                        a >= d
                    )
                    .then_some(false)
                }
            }
            _ => None,
        }
    }

    fn truth(&mut self, term: TermId, depth: usize) -> Option<bool> {
        match self.range(term, depth)? {
            (0, 0) => Some(false),
            (1, 1) => Some(true),
            _ => None,
        }
    }

    /// The range of the unsigned value.
    fn unsigned(&mut self, term: TermId, depth: usize) -> Range {
        let (low, high) = self.range(term, depth)?;
        let size = 1i128 << store().sort(term).width().filter(|width| *width <= 64)?;
        Some(match (low < 0, high < 0) {
            (false, _) => (low, high),
            (true, true) => planted!(
                "range: negative values are small unsigned ones",
                (low + size, high + size),
                (-high, -low)
            ),
            (true, false) => planted!(
                "range: unsigned values are signed ones",
                (0, size - 1),
                (0, high)
            ),
        })
    }
}

/// Variables whose ranges the condition restricts, with the new ranges; `None` if it cannot hold.
///
/// Only comparisons of a variable with something else are looked at.
pub(super) fn restrict(
    condition: TermId,
    variable: &dyn Fn(TermId) -> Option<Abstract>,
    learn: &mut dyn FnMut(TermId, Abstract),
) -> Option<()> {
    let mut work = vec![(condition, true)];
    while let Some((term, holds)) = work.pop() {
        match (store().kind(term), holds) {
            (TermKind::Variable { .. }, _) => learn(
                term,
                Abstract::Constant(store().boolean(planted!(
                    "range: a variable that is denied holds",
                    holds,
                    true
                ))),
            ),
            (
                TermKind::Apply {
                    op: Op::Not,
                    arguments,
                },
                _,
            ) => work.push((
                arguments[0],
                planted!("range: a denial says what it denies", !holds, holds),
            )),
            (
                TermKind::Apply {
                    op: Op::And,
                    arguments,
                },
                true,
            )
            | (
                TermKind::Apply {
                    op: Op::Or,
                    arguments,
                },
                false,
            ) => {
                work.extend(arguments.iter().map(|&argument| (argument, holds)));
            }
            (
                TermKind::Apply {
                    op: Op::Eq,
                    arguments: &[a, b],
                },
                true,
            ) => {
                for (a, b) in [(a, b), (b, a)] {
                    if is_variable(a) && is_closed(b) {
                        learn(a, Abstract::Constant(b));
                    } else if is_variable(a) {
                        let (low, high) = range_of(b, variable).unwrap_or((-INFINITY, INFINITY));
                        let high = planted!(
                            "range: what equals b is less than its greatest value",
                            high,
                            high - 1
                        );
                        meet(a, low, high, variable, learn)?;
                    }
                }
            }
            (
                TermKind::Apply {
                    op: Op::Eq,
                    arguments: &[a, b],
                },
                false,
            ) => {
                for (a, b) in [(a, b), (b, a)] {
                    let ends = variable(a)
                        .and_then(Abstract::bounds)
                        .or_else(|| full(store().sort(a)));
                    if let (true, Some(value), Some((low, high))) =
                        (is_variable(a), number(b), ends)
                    {
                        if low == value {
                            meet(
                                a,
                                value
                                    + planted!(
                                        "range: what is not the least value is greater by two",
                                        1,
                                        2
                                    ),
                                high,
                                variable,
                                learn,
                            )?;
                        } else if planted!(
                            "range: no value that is excluded lies between",
                            high == value,
                            high >= value
                        ) {
                            meet(a, low, value - 1, variable, learn)?;
                        }
                    }
                }
            }
            (
                TermKind::Apply {
                    op,
                    arguments: &[a, b],
                },
                _,
            ) => {
                // a < b, a <= b, or for a denial b <= a, b < a.
                let (strict, signed) = match op {
                    Op::BvSlt | Op::IntLt => (true, true),
                    Op::BvSle | Op::IntLe => (false, true),
                    Op::BvUlt => (true, false),
                    Op::BvUle => (false, false),
                    _ => continue,
                };
                let (a, b, strict) = if holds {
                    (a, b, strict)
                } else {
                    (
                        b,
                        a,
                        planted!("range: not a <= b is b <= a", !strict, strict),
                    )
                };
                let gap = i128::from(planted!("range: a <= b is a < b", strict, true));
                let all = full(store().sort(a)).unwrap_or((-INFINITY, INFINITY));
                let (a_low, a_high) = range_of(a, variable).unwrap_or(all);
                let (b_low, b_high) = range_of(b, variable).unwrap_or(all);
                if signed {
                    if is_variable(a) {
                        meet(a, a_low, b_high - gap, variable, learn)?;
                    }
                    if is_variable(b) {
                        meet(
                            b,
                            a_low
                                + planted!(
                                    "range: what is greater is greater by two",
                                    gap,
                                    2 * gap
                                ),
                            b_high,
                            variable,
                            learn,
                        )?;
                    }
                } else if planted!(
                    "range: unsigned below what is negative is not negative",
                    b_low >= 0,
                    true
                ) {
                    // Unsigned below something that is not negative: not negative itself.
                    if is_variable(a) {
                        meet(
                            a,
                            a_low.max(planted!(
                                "range: unsigned below something is positive",
                                0,
                                1
                            )),
                            b_high - gap,
                            variable,
                            learn,
                        )?;
                    }
                    if is_variable(b) && a_low >= 0 {
                        meet(b, a_low + gap, b_high, variable, learn)?;
                    }
                    let _ = a_high;
                }
            }
            _ => {}
        }
    }
    Some(())
}

/// Keeps of a variable's range what lies between the bounds; `None` if that is nothing.
fn meet(
    term: TermId,
    low: i128,
    high: i128,
    variable: &dyn Fn(TermId) -> Option<Abstract>,
    learn: &mut dyn FnMut(TermId, Abstract),
) -> Option<()> {
    let sort = store().sort(term);
    let known = variable(term);
    if matches!(known, Some(Abstract::Constant(constant)) if number(constant).is_none()) {
        return Some(());
    }
    let (minimum, maximum) = known
        .and_then(Abstract::bounds)
        .or_else(|| full(sort))
        .unwrap_or((-INFINITY, INFINITY));
    let (low, high) = (low.max(minimum), high.min(maximum));
    if planted!("range: what is one value is none", low > high, low >= high) {
        return None;
    }
    if let Some(value) = Abstract::from_range(sort, low, high) {
        learn(term, value);
    }
    Some(())
}

fn is_variable(term: TermId) -> bool {
    matches!(store().kind(term), TermKind::Variable { instance: 0, .. })
}

fn is_closed(term: TermId) -> bool {
    matches!(store().kind(term), TermKind::Constant(_))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::solver::random_terms::seeds;
    use crate::term::{Evaluator, Symbol};

    const NARROW: Sort = Sort::BitVec(3);
    const WIDE: Sort = Sort::BitVec(6);

    /// Terms over a few variables, whose values are known, and something that is known of them.
    struct Terms {
        random: Xoshiro256PlusPlus,
        values: BTreeMap<TermId, i128>,
        known: BTreeMap<TermId, Abstract>,
    }

    impl Terms {
        fn new(seed: u64) -> Self {
            let mut terms = Self {
                random: Xoshiro256PlusPlus::seed_from_u64(seed),
                values: BTreeMap::new(),
                known: BTreeMap::new(),
            };
            for sort in [Sort::Bool, NARROW, WIDE, Sort::Int] {
                for name in ["range::x", "range::y"] {
                    let variable = store().variable(Symbol::new(name, sort));
                    let (low, high) = full(sort).unwrap_or((-9, 9));
                    let value = terms.between(low, high);
                    terms.values.insert(variable, value);
                    let known = terms.known_of(sort, value);
                    terms.known.extend(known.map(|known| (variable, known)));
                }
            }
            terms
        }

        fn between(&mut self, low: i128, high: i128) -> i128 {
            self.random.random_range(low..=high)
        }

        /// Something that is so of the value.
        fn known_of(&mut self, sort: Sort, value: i128) -> Option<Abstract> {
            let (low, high) = full(sort).unwrap_or((-20, 20));
            let (low, high) = match self.between(0, 5) {
                0 => return None,
                1 => (value, value),
                2 => (low, self.between(value, high)),
                3 => (self.between(low, value), high),
                _ => (self.between(low, value), self.between(value, high)),
            };
            Abstract::from_range(sort, low, high)
        }

        fn value(&self, term: TermId) -> i128 {
            let assigned = |symbol, _| {
                let variable = store().variable(symbol);
                let value = self.values.get(&variable)?;
                let term = constant(symbol.sort(), *value)?;
                store().constant(term).map(Constant::to_value)
            };
            let mut evaluator = Evaluator::new(store(), &assigned);
            let value = evaluator.evaluate(term).expect("all have values");
            number(store().value(&value)).expect("a number")
        }

        fn variable(&mut self, sort: Sort) -> TermId {
            let name = ["range::x", "range::y"][self.between(0, 1) as usize];
            store().variable(Symbol::new(name, sort))
        }

        fn apply(&mut self, op: Op, sort: Sort, operands: &[TermId]) -> TermId {
            match self.between(0, 3) {
                0 => store().apply(op, sort, operands),
                _ => store().intern(op, sort, operands),
            }
        }

        fn term(&mut self, sort: Sort, depth: u32) -> TermId {
            if depth == 0 || self.between(0, 9) == 0 {
                return match self.between(0, 3) {
                    0 => {
                        let (low, high) = full(sort).unwrap_or((-9, 9));
                        let value = self.between(low, high);
                        constant(sort, value).expect("a constant")
                    }
                    _ => self.variable(sort),
                };
            }
            let depth = depth - 1;
            if self.between(0, 5) == 0 {
                let operands = [
                    self.term(Sort::Bool, depth),
                    self.term(sort, depth),
                    self.term(sort, depth),
                ];
                return self.apply(Op::Ite, sort, &operands);
            }
            let ops: &[Op] = match sort {
                Sort::Bool => return self.condition(depth),
                Sort::Int => &[Op::IntNeg, Op::IntAdd, Op::IntMul, Op::IntDiv, Op::IntMod],
                _ => &[
                    Op::BvNeg,
                    Op::BvNot,
                    Op::BvAdd,
                    Op::BvMul,
                    Op::BvAnd,
                    Op::BvOr,
                    Op::BvUdiv,
                    Op::BvSdiv,
                    Op::BvUrem,
                    Op::BvSrem,
                    Op::BvShl,
                    Op::BvLshr,
                    Op::BvAshr,
                    Op::ZeroExtend(6),
                    Op::SignExtend(6),
                    Op::Concat,
                ],
            };
            let op = ops[self.between(0, ops.len() as i128 - 1) as usize];
            let operands = match op {
                _ if sort == NARROW && self.between(0, 3) == 0 => {
                    let operand = self.term(WIDE, depth);
                    return self.apply(Op::Extract { high: 2, low: 0 }, sort, &[operand]);
                }
                Op::IntNeg | Op::BvNeg | Op::BvNot => vec![self.term(sort, depth)],
                Op::ZeroExtend(_) | Op::SignExtend(_) | Op::Concat if sort != WIDE => {
                    return self.variable(sort);
                }
                Op::ZeroExtend(_) | Op::SignExtend(_) => vec![self.term(NARROW, depth)],
                Op::Concat => {
                    let high = self.between(0, 1);
                    let high = constant(NARROW, high).expect("a constant");
                    vec![high, self.term(NARROW, depth)]
                }
                Op::IntAdd | Op::IntMul | Op::BvAdd | Op::BvMul | Op::BvAnd | Op::BvOr => {
                    vec![self.term(sort, depth), self.term(sort, depth)]
                }
                _ => vec![self.term(sort, depth), self.term(sort, 0)],
            };
            self.apply(op, sort, &operands)
        }

        fn condition(&mut self, depth: u32) -> TermId {
            let op = [Op::Not, Op::And, Op::Or, Op::Eq][self.between(0, 3) as usize];
            if self.between(0, 2) == 0 {
                let mut operands = vec![self.term(Sort::Bool, depth)];
                if op != Op::Not {
                    operands.push(self.term(Sort::Bool, depth));
                }
                return self.apply(op, Sort::Bool, &operands);
            }
            let sort = [NARROW, WIDE, Sort::Int][self.between(0, 2) as usize];
            let ops: &[Op] = match sort {
                Sort::Int => &[Op::IntLt, Op::IntLe, Op::Eq],
                _ => &[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq],
            };
            let op = ops[self.between(0, ops.len() as i128 - 1) as usize];
            let mut operands = [self.term(sort, depth), self.term(sort, depth)];
            if self.between(0, 1) == 0 {
                // What a condition says of a variable.
                let place = self.between(0, 1) as usize;
                operands[place] = self.variable(sort);
            }
            self.apply(op, Sort::Bool, &operands)
        }
    }

    fn contains(known: Abstract, value: i128) -> bool {
        let bounds = known.bounds();
        bounds.is_none_or(|(low, high)| low <= value && value <= high)
    }

    /// A term's value lies in its range; and what is learned from a condition is so where the condition holds.
    #[test]
    fn values_lie_in_ranges() {
        for seed in 0..seeds(40_000) {
            let mut terms = Terms::new(seed);
            let sort = [Sort::Bool, NARROW, WIDE, Sort::Int][seed as usize % 4];
            let term = terms.term(sort, 3);
            let known = |variable| terms.known.get(&variable).copied();
            let value = terms.value(term);
            if let Some((low, high)) = range_of(term, &known) {
                assert!(
                    low <= value && value <= high,
                    "{value} is not between {low} and {high}: {} of {:?}",
                    crate::term::to_smtlib(store(), term),
                    terms.known
                );
            }
            if sort == Sort::Bool && value == 1 {
                let mut learned = Vec::new();
                let mut learn = |variable, known| learned.push((variable, known));
                let text = || crate::term::to_smtlib(store(), term);
                assert!(restrict(term, &known, &mut learn).is_some(), "{}", text());
                for (variable, known) in learned {
                    let value = terms.values[&variable];
                    assert!(contains(known, value), "{value}, {known:?}: {}", text());
                }
            }
        }
    }

    /// What is known of a value is known when more may be; its formula says as much.
    #[test]
    fn joins_lose_no_value() {
        for seed in 0..seeds(4_000) {
            let mut terms = Terms::new(seed);
            let sort = [NARROW, WIDE, Sort::Int][seed as usize % 3];
            let (low, high) = full(sort).unwrap_or((-9, 9));
            let values = [terms.between(low, high), terms.between(low, high)];
            let [Some(one), Some(other)] = values.map(|value| terms.known_of(sort, value)) else {
                continue;
            };
            let joined = one.join(other, sort);
            let widened = joined.and_then(|joined| one.widen(joined, sort));
            for known in [joined, widened].into_iter().flatten() {
                for value in values {
                    assert!(
                        contains(known, value),
                        "{value}: {one:?}, {other:?}, {known:?}"
                    );
                }
            }
            let number = constant(sort, values[0]).expect("a constant");
            assert_eq!(one.formula(number), TermId::TRUE);
        }
    }
}
