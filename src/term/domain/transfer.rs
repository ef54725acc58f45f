//! Transfer functions of operators on sets of numbers; those of wrapping sums of arcs are exact.

use smallvec::SmallVec;

use super::abstract_value::AbstractValue;
use super::bitwise;
use super::congruence::Congruence;
use super::intervals::{INFINITY, Intervals, Universe};
use super::set::Span;
use crate::{BitVecValue, Op, Sort, Value, apply_op};

/// See [`super::abstract_value::apply`]; `None` if the result is unknown. No argument is empty.
pub(super) fn apply(
    op: Op,
    universe: Universe,
    arguments: &[&AbstractValue],
) -> Option<AbstractValue> {
    match (op, arguments) {
        (Op::And | Op::Or, _) => junction(op == Op::Or, arguments),
        (Op::Not | Op::BvNot, &[a]) => Some(complement(a)),
        (Op::Eq, &[a, b]) => comparison(equal(a, b)),
        (Op::Ite, &[condition, then, otherwise]) => Some(match condition.as_truth() {
            Some(true) => then.clone(),
            Some(false) => otherwise.clone(),
            None => then.join(otherwise),
        }),
        (Op::BvUlt | Op::IntLt, &[a, b]) => {
            comparison(less(a.intervals.hull()?, b.intervals.hull()?))
        }
        (Op::BvUle | Op::IntLe, &[a, b]) => {
            comparison(less(b.intervals.hull()?, a.intervals.hull()?).map(|less| !less))
        }
        (Op::BvSlt, &[a, b]) => {
            comparison(less(a.intervals.signed_hull()?, b.intervals.signed_hull()?))
        }
        (Op::BvSle, &[a, b]) => {
            let greater = less(b.intervals.signed_hull()?, a.intervals.signed_hull()?);
            comparison(greater.map(|greater| !greater))
        }
        (Op::BvNeg | Op::IntNeg, &[a]) => Some(negation(a)),
        (Op::Extract { low, .. }, &[a]) => Some(extract(a, universe, low)),
        (Op::Concat, &[high, low]) => Some(concatenation(universe, high, low)),
        (Op::ZeroExtend(_) | Op::BvToNat, &[a]) => {
            let spans = a.intervals.spans().iter().copied();
            let intervals = Intervals::arcs_of(universe, spans);
            Some(AbstractValue::new(intervals, a.congruence))
        }
        (Op::SignExtend(_) | Op::BvToInt, &[a]) => Some(signed(a, universe)),
        (Op::IntToBv(_), &[a]) => Some(to_circle(a, universe)),
        (_, &[a, b]) => {
            if let (Some(x), Some(y)) = (a.as_point(), b.as_point())
                && let Some(exact) = concrete(op, a.universe(), x, y)
            {
                return Some(AbstractValue::point(universe, exact));
            }
            binary(op, universe, a, b)
        }
        _ => None,
    }
}

/// Applies the operator to two constant bit vectors.
fn concrete(op: Op, universe: Universe, x: i128, y: i128) -> Option<i128> {
    let Universe::Circle(width) = universe else {
        return None;
    };
    let value = |number: i128| Value::BitVec(BitVecValue::new(width, number as u128));
    let result = apply_op(op, Sort::BitVec(width), &[value(x), value(y)]);
    Some(result.as_bit_vec()?.bits() as i128)
}

fn binary(
    op: Op,
    universe: Universe,
    a: &AbstractValue,
    b: &AbstractValue,
) -> Option<AbstractValue> {
    match op {
        Op::BvAdd | Op::IntAdd => Some(sum(a, b)),
        Op::BvMul | Op::IntMul => product(a, b),
        Op::BvUdiv => Some(super::division::unsigned_quotient(a, b)),
        Op::BvUrem => Some(super::division::unsigned_remainder(a, b)),
        Op::BvSdiv => Some(super::division::signed_quotient(a, b)),
        Op::BvSrem => Some(super::division::signed_remainder(a, b)),
        Op::IntDiv => Some(super::division::integer_quotient(a, b)),
        Op::IntMod => Some(super::division::integer_remainder(a, b)),
        Op::BvAnd | Op::BvOr | Op::BvXor => Some(bitwise::junction(op, a, b)),
        Op::BvShl | Op::BvLshr | Op::BvAshr => Some(bitwise::shift(op, universe, a, b)),
        _ => None,
    }
}

fn comparison(decided: Option<bool>) -> Option<AbstractValue> {
    decided.map(AbstractValue::truth)
}

fn junction(decisive: bool, arguments: &[&AbstractValue]) -> Option<AbstractValue> {
    let mut truths = arguments.iter().map(|argument| argument.as_truth());
    if truths.clone().any(|truth| truth == Some(decisive)) {
        return Some(AbstractValue::truth(decisive));
    }
    let all = truths.all(|truth| truth == Some(!decisive));
    all.then(|| AbstractValue::truth(!decisive))
}

fn equal(a: &AbstractValue, b: &AbstractValue) -> Option<bool> {
    match (a.as_point(), b.as_point()) {
        (Some(x), Some(y)) => Some(x == y),
        _ => a.meet(b).is_empty().then_some(false),
    }
}

/// Decides whether members of `a` are less than members of `b`, if that is the same for all.
fn less(a: Span, b: Span) -> Option<bool> {
    // Infinite ends are not members.
    if a.1 < b.0 {
        Some(true)
    } else if a.0 >= b.1 && a.0 < INFINITY && b.1 > -INFINITY {
        Some(false)
    } else {
        None
    }
}

/// ~x; for a bit, its negation.
fn complement(a: &AbstractValue) -> AbstractValue {
    let greatest = a.universe().greatest();
    let spans = a.intervals.spans().iter();
    let spans = spans.map(|&(low, high)| (greatest - high, greatest - low));
    let congruence = a.congruence.negated().plus(Congruence::point(greatest));
    AbstractValue::new(Intervals::arcs_of(a.universe(), spans), congruence)
}

pub(super) fn negation(a: &AbstractValue) -> AbstractValue {
    let turn = a.universe().turn();
    let arcs = a.intervals.arcs();
    let arcs = arcs.iter().map(|&(low, high)| (-high, -low));
    let congruence = match a.congruence.negated() {
        negated if turn == 0 => negated,
        negated if !a.contains(0) => negated.plus(Congruence::point(turn)),
        negated => negated.modulo(turn),
    };
    AbstractValue::new(Intervals::arcs_of(a.universe(), arcs), congruence)
}

pub(super) fn sum(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    let universe = a.universe();
    let mut arcs: SmallVec<[Span; 4]> = SmallVec::new();
    for &(low, high) in &a.intervals.arcs() {
        for &(from, to) in &b.intervals.arcs() {
            let infinite = |x: i128, y: i128, end: i128| x == end || y == end;
            arcs.push(if universe != Universe::Line {
                (low + from, high + to)
            } else {
                let below = infinite(low, from, -INFINITY);
                let above = infinite(high, to, INFINITY);
                (
                    if below { -INFINITY } else { low + from },
                    match above {
                        true => INFINITY,
                        false => high + to,
                    },
                )
            });
        }
    }
    let congruence = a.congruence.plus(b.congruence);
    let bounds = |value: &AbstractValue| value.intervals.hull().unwrap_or_default();
    let ((a_low, a_high), (b_low, b_high)) = (bounds(a), bounds(b));
    let congruence = match universe.turn() {
        0 => congruence,
        turn if a_high + b_high < turn => congruence,
        turn if a_low + b_low >= turn => congruence.plus(Congruence::point(-turn)),
        turn => congruence.modulo(turn),
    };
    AbstractValue::new(Intervals::arcs_of(universe, arcs), congruence)
}

/// a - b.
pub(super) fn difference(a: &AbstractValue, b: &AbstractValue) -> AbstractValue {
    sum(a, &negation(b))
}

/// The product of two ends, which may be infinite.
fn times(a: i128, b: i128) -> Option<i128> {
    if a == 0 || b == 0 {
        return Some(0);
    }
    if a.abs() >= INFINITY || b.abs() >= INFINITY {
        return Some(if (a < 0) == (b < 0) {
            INFINITY
        } else {
            -INFINITY
        });
    }
    a.checked_mul(b)
}

fn product(a: &AbstractValue, b: &AbstractValue) -> Option<AbstractValue> {
    let universe = a.universe();
    let near_zero = |value: &AbstractValue| {
        let mut arcs = value.intervals.arcs();
        for arc in &mut arcs {
            if universe != Universe::Line && arc.0 >= universe.sign() {
                *arc = (arc.0 - universe.turn(), arc.1 - universe.turn());
            }
        }
        arcs
    };
    let mut arcs: SmallVec<[Span; 4]> = SmallVec::new();
    for &(low, high) in &near_zero(a) {
        for &(from, to) in &near_zero(b) {
            let corners = [
                times(low, from),
                times(low, to),
                times(high, from),
                times(high, to),
            ];
            arcs.push(match corners {
                [Some(p), Some(q), Some(r), Some(s)] => {
                    let (least, greatest) = (p.min(q).min(r).min(s), p.max(q).max(r).max(s));
                    // Larger ends are given up, because their difference might overflow.
                    match least.unsigned_abs().max(greatest.unsigned_abs()) {
                        far if universe != Universe::Line && far > INFINITY as u128 => {
                            (universe.least(), universe.greatest())
                        }
                        _ => (least, greatest),
                    }
                }
                _ if universe != Universe::Line => (universe.least(), universe.greatest()),
                _ => (-INFINITY, INFINITY),
            });
        }
    }
    let congruence = a.congruence.times(b.congruence);
    let high = |value: &AbstractValue| value.intervals.hull().unwrap_or_default().1;
    let fits = || high(a).checked_mul(high(b));
    let congruence = match universe.turn() {
        0 => congruence,
        turn if fits().is_some_and(|most| most < turn) => congruence,
        turn => congruence.modulo(turn),
    };
    Some(AbstractValue::new(
        Intervals::arcs_of(universe, arcs),
        congruence,
    ))
}

/// The bits of the number from `low` on.
fn extract(a: &AbstractValue, universe: Universe, low: u8) -> AbstractValue {
    let spans = a.intervals.spans().iter();
    let spans = spans.map(|&(from, to)| (from >> low, to >> low));
    let congruence = a.congruence.quotient(1 << low);
    let hull = a.intervals.hull();
    let fits = hull.is_some_and(|(_, most)| most >> low < universe.turn());
    let congruence = match fits {
        true => congruence,
        false => congruence.modulo(universe.turn()),
    };
    AbstractValue::new(Intervals::arcs_of(universe, spans), congruence)
}

fn concatenation(universe: Universe, high: &AbstractValue, low: &AbstractValue) -> AbstractValue {
    let factor = low.universe().turn();
    let mut spans: SmallVec<[Span; 4]> = SmallVec::new();
    for &(from, to) in high.intervals.spans() {
        for &(least, most) in low.intervals.spans() {
            spans.push((from * factor + least, to * factor + most));
        }
    }
    let congruence = high.congruence.times(Congruence::point(factor));
    let congruence = congruence.plus(low.congruence);
    AbstractValue::new(Intervals::arcs_of(universe, spans), congruence)
}

/// The signed numbers, in another universe.
fn signed(a: &AbstractValue, universe: Universe) -> AbstractValue {
    let own = a.universe();
    let spans = a.intervals.signed_spans();
    let congruence = match spans.first() {
        Some(&(low, _)) if low >= 0 => a.congruence,
        // Negative numbers differ from the unsigned ones by a power of two.
        _ => a.congruence.modulo(own.turn()),
    };
    AbstractValue::new(Intervals::arcs_of(universe, spans), congruence)
}

/// The integer modulo 2^w.
fn to_circle(a: &AbstractValue, universe: Universe) -> AbstractValue {
    let mut fits = true;
    let spans = a.intervals.spans().iter().map(|&(low, high)| {
        fits &= low >= 0 && high <= universe.greatest();
        match low.abs().max(high.abs()) {
            far if far >= INFINITY => (universe.least(), universe.greatest()),
            _ => (low, high),
        }
    });
    let intervals = Intervals::arcs_of(universe, spans.collect::<SmallVec<[Span; 4]>>());
    let congruence = match fits {
        true => a.congruence,
        false => a.congruence.modulo(universe.turn()),
    };
    AbstractValue::new(intervals, congruence)
}
