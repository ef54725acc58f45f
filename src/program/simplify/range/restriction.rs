//! What a condition that holds says of the ranges of its variables.

use super::{Abstract, INFINITY, full, number, range_of};
use crate::term::{Build, Op, Pool, TermId, TermKind, store};

/// Variables whose ranges the condition restricts, with the new ranges; `None` if it cannot hold.
///
/// Only comparisons of a variable with something else are looked at.
pub(in crate::program::simplify) fn restrict(
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
                let (a_low, _) = range_of(a, variable).unwrap_or(all);
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
