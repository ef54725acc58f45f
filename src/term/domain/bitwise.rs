//! Transfer functions of bitwise operators and shifts. The bounds of a bitwise or are Warren's (Hacker's Delight, 4-3).

use smallvec::SmallVec;

use super::abstract_value::AbstractValue;
use super::congruence::Congruence;
use super::intervals::Intervals;
use super::set::Span;
use crate::Op;

/// Returns the least x | y for x and y within the spans.
fn least_or((mut a, b): Span, (mut c, d): Span) -> i128 {
    let mut bit = 1i128 << 63;
    while bit != 0 {
        if !a & c & bit != 0 {
            let raised = (a | bit) & -bit;
            if raised <= b {
                a = raised;
                break;
            }
        } else if a & !c & bit != 0 {
            let raised = (c | bit) & -bit;
            if raised <= d {
                c = raised;
                break;
            }
        }
        bit >>= 1;
    }
    a | c
}

/// Returns the greatest x | y for x and y within the spans.
fn greatest_or((a, mut b): Span, (c, mut d): Span) -> i128 {
    let mut bit = 1i128 << 63;
    while bit != 0 {
        if b & d & bit != 0 {
            let lowered = (b - bit) | (bit - 1);
            if lowered >= a {
                b = lowered;
                break;
            }
            let lowered = (d - bit) | (bit - 1);
            if lowered >= c {
                d = lowered;
                break;
            }
        }
        bit >>= 1;
    }
    b | d
}

/// Bitwise and, or, exclusive or.
pub(super) fn junction(op: Op, a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let universe = a.universe();
    let greatest = universe.greatest();
    let flip = |(low, high): Span| (greatest - high, greatest - low);
    let or = |x, y| (least_or(x, y), greatest_or(x, y));
    let and = |x, y| flip(or(flip(x), flip(y)));
    let mut spans: SmallVec<[Span; 4]> = SmallVec::new();
    for &x in a.intervals.spans() {
        for &y in b.intervals.spans() {
            spans.push(match op {
                Op::BvAnd => and(x, y),
                Op::BvOr => or(x, y),
                // x ^ y = (x | y) - (x & y).
                _ => ((or(x, y).0 - and(x, y).1).max(0), or(x, y).1),
            });
        }
    }
    // Low bits that are known stay known.
    let (one, other) = (a.congruence.low_bits(), b.congruence.low_bits());
    let bits = one.min(other);
    let (x, y) = (a.congruence.residue(), b.congruence.residue());
    let low = match op {
        Op::BvAnd => x & y,
        Op::BvOr => x | y,
        _ => x ^ y,
    };
    let mut congruence = Congruence::new(1 << bits, low);
    if op == Op::BvAnd {
        for (value, mask) in [(a, b), (b, a)] {
            // A remainder modulo a power of two.
            if let Some(mask) = mask.as_point()
                && (mask + 1).count_ones() == 1
                && let Some(both) = congruence.meet(value.congruence.remainder(mask + 1))
            {
                congruence = both;
            }
        }
    }
    AbstractValue::new(Intervals::arcs_of(universe, spans), congruence)
}

/// Shifts.
pub(super) fn shift(
    op: Op,
    universe: super::intervals::Universe,
    a: &AbstractValue,
    amounts: &AbstractValue,
) -> AbstractValue {
    let width = universe.turn().trailing_zeros();
    let mut result: Option<AbstractValue> = None;
    for amount in 0..=width {
        let possible = match amount == width {
            false => amounts.contains(amount.into()),
            true => amounts
                .intervals
                .hull()
                .is_some_and(|(_, most)| most >= width.into()),
        };
        if possible {
            let one = by(op, a, amount, width);
            result = Some(result.map_or(one.clone(), |all| all.join(&one)));
        }
    }
    result.unwrap_or_else(|| Intervals::empty(universe).into())
}

/// The shift by a constant amount; a shift by the width shifts all bits out.
fn by(op: Op, a: &AbstractValue, amount: u32, width: u32) -> AbstractValue {
    let universe = a.universe();
    let arcs = |arcs: &[Span], of: &dyn Fn(i128) -> i128| {
        let arcs = arcs.iter().map(|&(low, high)| (of(low), of(high)));
        Intervals::arcs_of(universe, arcs.collect::<SmallVec<[Span; 4]>>())
    };
    match op {
        Op::BvShl if amount == width => AbstractValue::point(universe, 0),
        Op::BvShl => {
            let factor = Congruence::point(1 << amount);
            let congruence = a.congruence.times(factor).modulo(universe.turn());
            let intervals = match amount {
                0..=48 => arcs(&a.intervals.arcs(), &|end| end << amount),
                _ => Intervals::full(universe),
            };
            AbstractValue::new(intervals, congruence)
        }
        Op::BvLshr => {
            let congruence = a.congruence.quotient(1 << amount);
            let spans = a.intervals.spans();
            AbstractValue::new(arcs(spans, &|end| end >> amount), congruence)
        }
        _ => {
            let amount = amount.min(width - 1);
            arcs(&a.intervals.signed_spans(), &|end| end >> amount).into()
        }
    }
}
