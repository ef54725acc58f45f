//! Transfer functions of division and remainder.

use smallvec::SmallVec;

use super::abstract_value::AbstractValue;
use super::congruence::Congruence;
use super::intervals::{INFINITY, Intervals, Universe};
use super::set::Span;

type Spans = SmallVec<[Span; 4]>;

/// Returns the spans without zero, split at zero.
fn without_zero(spans: &[Span]) -> Spans {
    let below = spans.iter().map(|&(low, high)| (low, high.min(-1)));
    let above = spans.iter().map(|&(low, high)| (low.max(1), high));
    below.chain(above).filter(|span| span.0 <= span.1).collect()
}

/// Returns the range of a function that is monotone in each argument.
fn corners(a: Span, b: Span, of: impl Fn(i128, i128) -> i128) -> Span {
    let all = [of(a.0, b.0), of(a.0, b.1), of(a.1, b.0), of(a.1, b.1)];
    let least = all.into_iter().min().unwrap_or(-INFINITY);
    (least, all.into_iter().max().unwrap_or(INFINITY))
}

pub(super) fn unsigned_quotient(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let universe = a.universe();
    let mut spans = Spans::new();
    if b.contains(0) {
        spans.push((universe.greatest(), universe.greatest()));
    }
    for &divisor in &without_zero(b.intervals.spans()) {
        for &dividend in a.intervals.spans() {
            spans.push((dividend.0 / divisor.1, dividend.1 / divisor.0));
        }
    }
    let congruence = match b.as_point() {
        Some(divisor) if divisor > 0 => a.congruence.quotient(divisor),
        _ => Congruence::ANY,
    };
    AbstractValue::new(Intervals::arcs_of(universe, spans), congruence)
}

/// Returns the predecessor of a finite end, and an infinite one as it is.
fn below(end: i128) -> i128 {
    if end >= INFINITY { end } else { end - 1 }
}

/// Returns the range of x mod y, for nonnegative x and positive y.
fn remainder((low, high): Span, (least, most): Span) -> Span {
    if high < least {
        return (low, high);
    }
    if least == most && high < INFINITY && low / least == high / least {
        return (low % least, high % least);
    }
    (0, high.min(below(most)))
}

pub(super) fn unsigned_remainder(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let universe = a.universe();
    let mut spans = Spans::new();
    if b.contains(0) {
        spans.extend_from_slice(a.intervals.spans());
    }
    for &divisor in &without_zero(b.intervals.spans()) {
        let of = |&dividend| remainder(dividend, divisor);
        spans.extend(a.intervals.spans().iter().map(of));
    }
    let congruence = match b.as_point() {
        Some(divisor) if divisor > 0 => a.congruence.remainder(divisor),
        _ => Congruence::ANY,
    };
    AbstractValue::new(Intervals::arcs_of(universe, spans), congruence)
}

/// Checks whether no number is negative.
fn is_natural(a: &AbstractValue) -> bool {
    let hull = a.intervals.signed_hull();
    hull.is_some_and(|(low, _)| low >= 0)
}

pub(super) fn signed_quotient(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    if is_natural(a) && is_natural(b) && !b.contains(0) {
        return unsigned_quotient(a, b);
    }
    let universe = a.universe();
    let mut spans = Spans::new();
    let dividends = a.intervals.signed_spans();
    if b.contains(0) {
        spans.extend([(1, 1), (-1, -1)]);
    }
    for &divisor in &without_zero(&b.intervals.signed_spans()) {
        for &(low, high) in &dividends {
            // Truncation is monotone on either side of zero.
            let below = (low, high.min(0));
            let above = (low.max(0), high);
            let parts = [below, above].into_iter().filter(|span| span.0 <= span.1);
            spans.extend(parts.map(|part| corners(part, divisor, |x, y| x / y)));
        }
    }
    Intervals::arcs_of(universe, spans).into()
}

pub(super) fn signed_remainder(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    if is_natural(a) && is_natural(b) {
        return unsigned_remainder(a, b);
    }
    let universe = a.universe();
    let mut spans = Spans::new();
    if b.contains(0) {
        spans.extend(a.intervals.signed_spans());
    }
    for &(low, high) in &without_zero(&b.intervals.signed_spans()) {
        let size = if low < 0 { (-high, -low) } else { (low, high) };
        for &(from, to) in &a.intervals.signed_spans() {
            if to >= 0 {
                spans.push(remainder((from.max(0), to), size));
            }
            if from < 0 {
                let (least, most) = remainder(((-to).max(1), -from), size);
                spans.push((-most, -least));
            }
        }
    }
    // The remainder is x - q·y modulo 2^w.
    let congruence = match b.as_point() {
        Some(divisor) if divisor != 0 => {
            let turn = universe.turn();
            let size = if divisor >= universe.sign() {
                turn - divisor
            } else {
                divisor
            };
            a.congruence.modulo(turn).modulo(size)
        }
        _ => Congruence::ANY,
    };
    AbstractValue::new(Intervals::arcs_of(universe, spans), congruence)
}

/// The Euclidean quotient of two ends, which may be infinite.
fn euclidean(a: i128, b: i128) -> i128 {
    match (a.abs() >= INFINITY, b.abs() >= INFINITY) {
        (false, _) => a.div_euclid(b),
        (true, true) => 0,
        (true, false) if (a < 0) == (b < 0) => INFINITY,
        (true, false) => -INFINITY,
    }
}

pub(super) fn integer_quotient(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut spans = Spans::new();
    if b.contains(0) {
        spans.push((0, 0));
    }
    for &divisor in &without_zero(b.intervals.spans()) {
        for &dividend in a.intervals.spans() {
            let (low, high) = corners(dividend, divisor, euclidean);
            // The quotient of infinite ends is unknown.
            let infinite = |span: Span| span.0 <= -INFINITY || span.1 >= INFINITY;
            spans.push(match infinite(dividend) && infinite(divisor) {
                true => (-INFINITY, INFINITY),
                false => (low, high),
            });
        }
    }
    let congruence = match b.as_point() {
        Some(divisor) if divisor > 0 => a.congruence.quotient(divisor),
        _ => Congruence::ANY,
    };
    AbstractValue::new(Intervals::arcs_of(Universe::Line, spans), congruence)
}

pub(super) fn integer_remainder(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let mut spans = Spans::new();
    if b.contains(0) {
        spans.extend_from_slice(a.intervals.spans());
    }
    for &(low, high) in &without_zero(b.intervals.spans()) {
        let size = if low < 0 { (-high, -low) } else { (low, high) };
        for &(from, to) in a.intervals.spans() {
            let same = size.0 == size.1
                && size.1 < INFINITY
                && from > -INFINITY
                && to < INFINITY
                && from.div_euclid(size.0) == to.div_euclid(size.0);
            spans.push(match (from >= 0, same) {
                (true, _) => remainder((from, to), size),
                (_, true) => (from.rem_euclid(size.0), to.rem_euclid(size.0)),
                (false, false) => (0, below(size.1)),
            });
        }
    }
    let congruence = match b.as_point() {
        Some(divisor) if divisor != 0 => a.congruence.remainder(divisor.abs()),
        _ => Congruence::ANY,
    };
    AbstractValue::new(Intervals::arcs_of(Universe::Line, spans), congruence)
}

/// Returns the range of x in x·y = z without wrapping, for z in a span and constant y.
pub(super) fn factor(z: Span, y: i128) -> Span {
    let floor = |a: i128, b: i128| {
        if a.abs() >= INFINITY {
            a
        } else {
            num_integer::Integer::div_floor(&a, &b)
        }
    };
    let ceil = |a: i128, b: i128| {
        if a.abs() >= INFINITY {
            a
        } else {
            num_integer::Integer::div_ceil(&a, &b)
        }
    };
    match y > 0 {
        true => (ceil(z.0, y), floor(z.1, y)),
        false => (ceil(-z.1, -y), floor(-z.0, -y)),
    }
}
