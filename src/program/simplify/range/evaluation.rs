//! The range of a term.

use rustc_hash::FxHashMap;

use super::{Abstract, INFINITY, full, number, product, within_limit};
use crate::term::{Op, Pool, Sort, TermId, TermKind, store};

/// Terms looked at for one range.
const EFFORT: usize = 200;

/// Nesting of terms looked at for one range.
const DEPTH: usize = 40;

/// The range of a term, given those of its variables.
pub(in crate::program::simplify) fn range_of(
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

pub(super) struct Evaluation<'a> {
    variable: &'a dyn Fn(TermId) -> Option<Abstract>,
    known: FxHashMap<TermId, Option<(i128, i128)>>,
    effort: usize,
}

pub(super) type Range = Option<(i128, i128)>;

impl Evaluation<'_> {
    pub(super) fn range(&mut self, term: TermId, depth: usize) -> Range {
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
                product(self.range(a, depth)?, self.range(b, depth)?)
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
}
