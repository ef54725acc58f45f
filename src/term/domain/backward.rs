//! Backward transfer functions: refine the values of a term's operands by the value of the term.

use super::abstract_value::{AbstractValue, apply};
use super::congruence::Congruence;
use super::division::factor;
use super::environment::Environment;
use super::intervals::{INFINITY, Intervals, Universe};
use super::set::Span;
use super::transfer::{difference, negation};
use crate::{Op, Pool, Sort, TermId, TermKind};

/// Refines the values of the term's operands, given that the term's value is in the set.
pub(super) fn refine<P: Pool>(
    own: &mut Environment<'_, P>,
    term: TermId,
    value: &AbstractValue,
    depth: u32,
) {
    let pool = own.pool;
    let TermKind::Apply { op, arguments } = pool.kind(term) else {
        return;
    };
    match (op, arguments) {
        _ if pool.sort(term) == Sort::Bool => {
            if let Some(truth) = value.as_truth() {
                own.truth(term, truth, depth);
            }
        }
        (Op::BvAdd | Op::IntAdd, &[a, b]) => {
            if let Some(y) = own.value(b) {
                own.refine(a, &difference(value, &y), depth);
            }
            if let Some(x) = own.value(a) {
                own.refine(b, &difference(value, &x), depth);
            }
        }
        (Op::BvNeg | Op::IntNeg, &[a]) => own.refine(a, &negation(value), depth),
        (Op::BvNot, &[a]) => {
            own.refine(a, &apply(Op::BvNot, value.universe(), &[value]), depth);
        }
        (Op::BvMul | Op::IntMul, &[a, b]) => multiple(own, value, a, b, depth),
        (Op::ZeroExtend(_) | Op::BvToNat, &[a]) => narrowed(own, value, a, false, depth),
        (Op::SignExtend(_) | Op::BvToInt, &[a]) => narrowed(own, value, a, true, depth),
        (Op::Extract { high, low: 0 }, &[a]) => low_bits(own, value, a, high + 1, depth),
        (Op::IntToBv(width), &[a]) => low_bits(own, value, a, width, depth),
        (Op::Ite, &[condition, then, otherwise]) => {
            let is_impossible = |own: &mut Environment<'_, P>, branch| {
                let branch = own.value(branch);
                branch.is_some_and(|branch| branch.meet(value).is_empty())
            };
            if is_impossible(own, then) {
                own.truth(condition, false, depth);
                own.refine(otherwise, value, depth);
            } else if is_impossible(own, otherwise) {
                own.truth(condition, true, depth);
                own.refine(then, value, depth);
            }
        }
        (Op::BvUrem | Op::BvSrem | Op::IntMod, &[a, b]) => remainder(own, op, value, a, b, depth),
        (Op::BvAnd, &[a, b]) => {
            // A remainder modulo a power of two.
            for (part, mask) in [(a, b), (b, a)] {
                if let (Some(mask), Some(bits)) = (
                    own.value(mask).and_then(|mask| mask.as_point()),
                    value.as_point(),
                ) && (mask + 1).count_ones() == 1
                {
                    congruent(own, part, mask + 1, bits, depth);
                }
            }
        }
        _ => {}
    }
}

fn congruent<P: Pool>(
    own: &mut Environment<'_, P>,
    term: TermId,
    modulus: i128,
    residue: i128,
    depth: u32,
) {
    if let Some(universe) = Universe::of(own.pool.sort(term)) {
        let congruence = Congruence::new(modulus, residue);
        let value = AbstractValue::new(Intervals::full(universe), congruence);
        own.refine(term, &value, depth);
    }
}

/// Refines a, given that a·b is in the set and b is constant.
fn multiple<P: Pool>(
    own: &mut Environment<'_, P>,
    value: &AbstractValue,
    a: TermId,
    b: TermId,
    depth: u32,
) {
    let (Some(x), Some(y)) = (own.value(a), own.value(b)) else {
        return;
    };
    let Some(mut number) = y.as_point().filter(|&number| number != 0) else {
        return;
    };
    let universe = value.universe();
    let (Some(x_hull), Some(spans)) = (
        x.intervals.signed_hull(),
        Some(value.intervals.signed_spans()),
    ) else {
        return;
    };
    if universe != Universe::Line {
        if number >= universe.sign() {
            number -= universe.turn();
        }
        let fits = |end: i128| {
            let product = end.checked_mul(number);
            product.is_some_and(|end| (-universe.sign()..universe.sign()).contains(&end))
        };
        if !fits(x_hull.0) || !fits(x_hull.1) {
            return;
        }
    }
    let arcs: Vec<Span> = spans.iter().map(|&span| factor(span, number)).collect();
    let quotients = Intervals::arcs_of(universe, arcs);
    own.refine(a, &quotients.into(), depth);
}

/// Refines `a`, given that its extension is in the set.
fn narrowed<P: Pool>(
    own: &mut Environment<'_, P>,
    value: &AbstractValue,
    a: TermId,
    signed: bool,
    depth: u32,
) {
    let Some(universe) = Universe::of(own.pool.sort(a)) else {
        return;
    };
    let (low, high) = match signed {
        true => (-universe.sign(), universe.sign() - 1),
        false => (universe.least(), universe.greatest()),
    };
    let spans = match signed {
        true => value.intervals.signed_spans(),
        false => value.intervals.spans().iter().copied().collect(),
    };
    let spans = spans
        .iter()
        .map(|&(from, to)| (from.max(low), to.min(high)));
    let intervals = Intervals::arcs_of(universe, spans.collect::<Vec<_>>());
    let congruence = match signed {
        true => value.congruence.modulo(universe.turn()),
        false => value.congruence,
    };
    own.refine(a, &AbstractValue::new(intervals, congruence), depth);
}

/// Refines `a`, given that its low bits are in the set.
fn low_bits<P: Pool>(
    own: &mut Environment<'_, P>,
    value: &AbstractValue,
    a: TermId,
    bits: u8,
    depth: u32,
) {
    let Some(x) = own.value(a) else {
        return;
    };
    let (universe, turn) = (x.universe(), 1i128 << bits);
    let congruence = value.congruence.modulo(turn);
    let within = |hull: Option<Span>, low: i128, high: i128| {
        hull.is_some_and(|(from, to)| low <= from && to <= high)
    };
    let intervals = if within(x.intervals.hull(), 0, turn - 1) {
        Intervals::arcs_of(universe, value.intervals.spans().iter().copied())
    } else if within(x.intervals.signed_hull(), -turn / 2, turn / 2 - 1) {
        Intervals::arcs_of(universe, value.intervals.signed_spans())
    } else {
        Intervals::full(universe)
    };
    own.refine(a, &AbstractValue::new(intervals, congruence), depth);
}

/// Refines the dividend, given that the remainder is in the set.
fn remainder<P: Pool>(
    own: &mut Environment<'_, P>,
    op: Op,
    value: &AbstractValue,
    a: TermId,
    b: TermId,
    depth: u32,
) {
    let (Some(x), Some(y)) = (own.value(a), own.value(b)) else {
        return;
    };
    let (Some(mut modulus), Some(rest)) = (y.as_point(), value.as_point()) else {
        return;
    };
    let universe = value.universe();
    let natural = |value: &AbstractValue| {
        let hull = value.intervals.signed_hull();
        hull.is_some_and(|(low, high)| low >= 0 && high < INFINITY)
    };
    if modulus <= 0 {
        return;
    }
    match op {
        Op::BvSrem if modulus >= universe.sign() => return,
        // The remainder has the dividend's sign; for negative dividends only the modulus's factor that is a power of two can be
        // used.
        Op::BvSrem if !natural(&x) => modulus = 1 << modulus.trailing_zeros(),
        _ => {}
    }
    congruent(own, a, modulus, rest, depth);
}
