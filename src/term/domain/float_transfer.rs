//! Transfer functions of operators on floats.
//!
//! An operation that is rounded once is monotone: the exact result is, and so is rounding it, in each mode. The exceptions
//! are products, quotients and fused products: they are monotone for operands of fixed signs, so the signs are distinguished,
//! zeros and infinities included; if no corner of such a box is NaN, no result in it is. The x87 format is not modelled; its
//! results are unknown.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::abstract_value::AbstractValue;
use super::floats::{FloatSet, greatest_rank, of_rank};
use super::intervals::{INFINITY, Intervals, Universe};
use crate::semantics::float::Arithmetic;
use crate::{FloatFormat, FloatValue, Op, RoundingMode, Sort};

/// An operand of an operator on floats.
#[derive(Copy, Clone, Debug)]
pub enum Operand<'o> {
    /// Truth values, bit vectors or integers.
    Number(&'o AbstractValue),
    Float(FloatSet),
}

/// The result of an operator on floats.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Number(AbstractValue),
    Float(FloatSet),
}

/// Checks whether an operand or the result of the operator is always a float.
pub fn is_on_floats(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        FpNeg
            | FpAbs
            | FpAdd
            | FpSub
            | FpMul
            | FpDiv
            | FpFma
            | FpSqrt
            | FpRem
            | FpRoundToIntegral
            | FpLt
            | FpLe
            | FpEq
            | FpIsNan
            | FpIsInfinite
            | FpIsZero
            | FpIsNormal
            | FpIsSubnormal
            | FpIsNegative
            | FpToFp(_)
            | SbvToFp(_)
            | UbvToFp(_)
            | IntToFp(_)
            | FpToSbv(_)
            | FpToUbv(_)
            | FpToInt
            | FpToBits
            | FpFromBits(_)
    )
}

/// Applies an operator on floats, or the equality of floats, to values in the sets; `None` if the result is unknown.
pub fn apply(op: Op, sort: Sort, operands: &[Operand<'_>]) -> Option<Outcome> {
    use Operand::{Float, Number};
    let truth = |decided: Option<bool>| Some(Outcome::Number(AbstractValue::truth(decided?)));
    match (op, operands) {
        (Op::FpNeg, &[Float(a)]) => Some(Outcome::Float(negated(a))),
        (Op::FpAbs, &[Float(a)]) => Some(Outcome::Float(absolute(a))),
        (Op::FpRem, &[Float(a), Float(b)]) => Some(Outcome::Float(remainder(a, b))),
        (_, &[Float(a), Float(b)]) => truth(comparison(op, a, b)),
        (Op::FpToBits, &[Float(a)]) => to_bits(a).map(Outcome::Number),
        (_, &[Float(a)]) => truth(classification(op, a)),
        (Op::FpFromBits(format), &[Number(bits)]) => Some(Outcome::Float(from_bits(format, bits))),
        (_, &[Number(mode), ref rest @ ..]) => {
            let modes = RoundingMode::ALL.into_iter();
            let modes = modes.filter(|&one| mode.contains(one as i128));
            let results = modes.map(|mode| rounded(op, sort, mode, rest));
            results.reduce(|a, b| match (a?, b?) {
                (Outcome::Float(a), Outcome::Float(b)) => Some(Outcome::Float(a.join(b))),
                (Outcome::Number(a), Outcome::Number(b)) => Some(Outcome::Number(a.join(&b))),
                _ => None,
            })?
        }
        _ => None,
    }
}

/// An operation in a rounding mode.
fn rounded(op: Op, sort: Sort, mode: RoundingMode, operands: &[Operand<'_>]) -> Option<Outcome> {
    use Operand::{Float, Number};
    let float = match (op, operands) {
        (Op::FpAdd | Op::FpSub | Op::FpMul | Op::FpDiv, &[Float(a), Float(b)]) => {
            arithmetic(op, mode, a, b)
        }
        (Op::FpFma, &[Float(a), Float(b), Float(c)]) => fused(mode, a, b, c),
        (Op::FpSqrt, &[Float(a)]) => square_root(mode, a),
        (Op::FpRoundToIntegral, &[Float(a)]) => rounded_to_integral(mode, a),
        (Op::FpToFp(format), &[Float(a)]) => converted(mode, a, format),
        (Op::SbvToFp(format), &[Number(a)]) => {
            from_integers(mode, a.intervals.signed_hull()?, format)
        }
        (Op::UbvToFp(format) | Op::IntToFp(format), &[Number(a)]) => {
            from_integers(mode, a.intervals.hull()?, format)
        }
        (Op::FpToSbv(width @ ..=64), &[Float(a)]) => {
            let half = 1i128 << (width - 1);
            let integers = to_integers(mode, a, (-half, half - 1), Universe::of(sort)?);
            return Some(Outcome::Number(integers));
        }
        (Op::FpToUbv(width @ ..=64), &[Float(a)]) => {
            let most = (1i128 << width) - 1;
            let integers = to_integers(mode, a, (0, most), Universe::of(sort)?);
            return Some(Outcome::Number(integers));
        }
        (Op::FpToInt, &[Float(a)]) => {
            // The sort of integers has no range, so only floats far from infinity are converted.
            let far = from_integers(mode, (1 << 98, 1 << 98), a.format())
                .hull()?
                .0;
            let is_near = a.without_nan().is_within(-far, far - 1);
            let integers = || to_integers(mode, a, (1 - INFINITY, INFINITY - 1), Universe::Line);
            return is_near.then(|| Outcome::Number(integers()));
        }
        _ => return None,
    };
    Some(Outcome::Float(float))
}

/// Checks whether the format is modelled; x87's is not.
fn is_known(format: FloatFormat) -> bool {
    format != FloatFormat::F80
}

/// Sum, difference, product or quotient.
pub fn arithmetic(op: Op, mode: RoundingMode, a: FloatSet, b: FloatSet) -> FloatSet {
    let format = a.format();
    let operation = match op {
        Op::FpAdd => Arithmetic::Add,
        Op::FpSub => Arithmetic::Sub,
        Op::FpMul => Arithmetic::Mul,
        Op::FpDiv => Arithmetic::Div,
        _ => return FloatSet::top(format),
    };
    if !is_known(format) {
        return FloatSet::top(format);
    }
    let mut result = FloatSet::empty(format).with_nan(a.may_be_nan() || b.may_be_nan());
    let corners =
        |result: &mut FloatSet, a: (FloatValue, FloatValue), b: (FloatValue, FloatValue)| {
            for x in [a.0, a.1] {
                for y in [b.0, b.1] {
                    result.include(x.arithmetic(operation, mode, y));
                }
            }
        };
    if matches!(op, Op::FpAdd | Op::FpSub) {
        if let (Some(a), Some(b)) = (a.ends(), b.ends()) {
            corners(&mut result, a, b);
        }
        return result;
    }
    for a in a.halves() {
        for b in b.halves() {
            corners(&mut result, a, b);
        }
    }
    result
}

/// a·b + c, rounded once.
pub fn fused(mode: RoundingMode, a: FloatSet, b: FloatSet, c: FloatSet) -> FloatSet {
    let format = a.format();
    if let (Some(a), Some(b), Some(c)) = (a.as_point(), b.as_point(), c.as_point()) {
        return FloatSet::point(a.fused_multiply_add(mode, b, c));
    }
    if !is_known(format) || [a, b, c].iter().any(|set| set.may_be_infinite()) {
        return FloatSet::top(format);
    }
    let nan = a.may_be_nan() || b.may_be_nan() || c.may_be_nan();
    let mut result = FloatSet::empty(format).with_nan(nan);
    let Some(c) = c.ends() else {
        return result;
    };
    for a in a.halves() {
        for b in b.halves() {
            for x in [a.0, a.1] {
                for y in [b.0, b.1] {
                    for z in [c.0, c.1] {
                        result.include(x.fused_multiply_add(mode, y, z));
                    }
                }
            }
        }
    }
    result
}

/// The square root.
pub(crate) fn square_root(mode: RoundingMode, a: FloatSet) -> FloatSet {
    let format = a.format();
    if !is_known(format) {
        return FloatSet::top(format);
    }
    // The root of -0 is -0; smaller numbers have no root.
    let nan = a.may_be_nan() || a.meets(i128::MIN, -2);
    let roots = a.meet(FloatSet::ranks(format, -1, i128::MAX));
    let mut result = FloatSet::empty(format).with_nan(nan);
    for end in roots.ends().into_iter().flat_map(|(low, high)| [low, high]) {
        result.include(end.sqrt(mode));
    }
    result
}

/// A monotone operation of one operand, with a result in the format.
fn monotone(
    a: FloatSet,
    format: FloatFormat,
    apply: impl Fn(FloatValue) -> FloatValue,
) -> FloatSet {
    if !is_known(a.format()) || !is_known(format) {
        return FloatSet::top(format);
    }
    let mut result = FloatSet::empty(format).with_nan(a.may_be_nan());
    for end in a.ends().into_iter().flat_map(|(low, high)| [low, high]) {
        result.include(apply(end));
    }
    result
}

/// Rounds to integral floats.
pub(crate) fn rounded_to_integral(mode: RoundingMode, a: FloatSet) -> FloatSet {
    monotone(a, a.format(), |value| value.round_to_integral(mode))
}

/// Converts to another format.
pub fn converted(mode: RoundingMode, a: FloatSet, format: FloatFormat) -> FloatSet {
    monotone(a, format, |value| value.convert(mode, format))
}

/// Negates the floats.
pub fn negated(a: FloatSet) -> FloatSet {
    monotone(a, a.format(), FloatValue::negated)
}

/// Returns the absolute values.
pub fn absolute(a: FloatSet) -> FloatSet {
    let mut result = FloatSet::empty(a.format()).with_nan(a.may_be_nan());
    if !is_known(a.format()) {
        return FloatSet::top(a.format());
    }
    for end in a.halves().flat_map(|(low, high)| [low, high]) {
        result.include(end.absolute());
    }
    result
}

/// IEEE's remainder: of any sign, and of magnitude at most the dividend's.
pub fn remainder(a: FloatSet, b: FloatSet) -> FloatSet {
    let format = a.format();
    if let (Some(a), Some(b)) = (a.as_point(), b.as_point()) {
        return FloatSet::point(a.remainder(b));
    }
    if !is_known(format) {
        return FloatSet::top(format);
    }
    let nan = a.may_be_nan() || b.may_be_nan() || a.may_be_infinite() || b.meets(-1, 0);
    match absolute(a).hull() {
        Some((_, most)) => FloatSet::ranks(format, -1 - most, most).with_nan(nan),
        None => FloatSet::empty(format).with_nan(nan),
    }
}

/// Decides IEEE's comparison or the identity of values, if the outcome is the same for all members.
pub fn comparison(op: Op, a: FloatSet, b: FloatSet) -> Option<bool> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let numbers = !a.may_be_nan() && !b.may_be_nan();
    if !is_known(a.format()) {
        return None;
    }
    let (Some(x), Some(y)) = (a.ends(), b.ends()) else {
        // One of them is never a number.
        return match op {
            Op::FpLt | Op::FpLe | Op::FpEq => Some(false),
            _ if a.is_empty() || b.is_empty() => None,
            _ if !a.may_be_nan() || !b.may_be_nan() => Some(false),
            _ => (a.as_point().is_some() && b.as_point().is_some()).then_some(true),
        };
    };
    let order = |x: FloatValue, y: FloatValue| x.compare(y).unwrap_or(Equal);
    match op {
        Op::FpLt if numbers && order(x.1, y.0) == Less => Some(true),
        Op::FpLt => (order(x.0, y.1) != Less).then_some(false),
        Op::FpLe if numbers && order(x.1, y.0) != Greater => Some(true),
        Op::FpLe => (order(x.0, y.1) == Greater).then_some(false),
        Op::FpEq if numbers && order(x.0, y.1) == Equal && order(x.1, y.0) == Equal => Some(true),
        Op::FpEq => (order(x.1, y.0) == Less || order(y.1, x.0) == Less).then_some(false),
        Op::Eq => match (a.as_point(), b.as_point()) {
            (Some(x), Some(y)) => Some(x == y),
            _ => a.meet(b).is_empty().then_some(false),
        },
        _ => None,
    }
}

/// Decides the classification, if the outcome is the same for all members.
pub fn classification(op: Op, a: FloatSet) -> Option<bool> {
    let format = a.format();
    if !is_known(format) || a.is_empty() {
        return None;
    }
    let infinite = greatest_rank(format);
    let normal = 1i128 << (format.significand_bits() - 1);
    // The ranks of the class's positive floats; their negations are in the class as well.
    let (low, high) = match op {
        Op::FpIsNan if a.may_be_nan() => return a.hull().is_none().then_some(true),
        Op::FpIsNan => return Some(false),
        Op::FpIsNegative => {
            let may = a.meets(i128::MIN, -1);
            let must = a.is_within(i128::MIN, -1);
            return decided(may, must);
        }
        Op::FpIsInfinite => (infinite, infinite),
        Op::FpIsZero => (0, 0),
        Op::FpIsSubnormal => (1, normal - 1),
        Op::FpIsNormal => (normal, infinite - 1),
        _ => return None,
    };
    let may = a.meets(low, high) || a.meets(-1 - high, -1 - low);
    let must = a.is_within(low, high)
        || a.is_within(-1 - high, -1 - low)
        || (low == 0 && a.is_within(-1 - high, high));
    decided(may, must)
}

fn decided(may: bool, must: bool) -> Option<bool> {
    (may == must).then_some(may)
}

/// Converts the integers from `low` to `high`, of which ends beyond [`INFINITY`] are infinite.
pub(crate) fn from_integers(
    mode: RoundingMode,
    (low, high): (i128, i128),
    format: FloatFormat,
) -> FloatSet {
    if !is_known(format) || low <= -INFINITY || high >= INFINITY {
        return FloatSet::top(format);
    }
    let mut result = FloatSet::empty(format);
    for end in [low, high] {
        result.include(FloatValue::from_int(format, mode, &BigInt::from(end)));
    }
    result
}

/// Converts to integers in the range, both ends included; floats out of range are converted to 0.
pub fn to_integers(
    mode: RoundingMode,
    a: FloatSet,
    (least, most): (i128, i128),
    universe: Universe,
) -> AbstractValue {
    if !is_known(a.format()) {
        return AbstractValue::top(universe);
    }
    let mut arcs = Vec::new();
    let mut is_lost = a.may_be_nan();
    if let Some((low, high)) = a.ends() {
        let integer = |value: FloatValue| match value.to_int(mode) {
            // An infinity is out of range.
            None => match value.sign_bit() {
                true => i128::MIN,
                false => i128::MAX,
            },
            Some(integer) => integer.to_i128().unwrap_or(match value.sign_bit() {
                true => i128::MIN,
                false => i128::MAX,
            }),
        };
        let (low, high) = (integer(low), integer(high));
        is_lost |= low < least || high > most;
        let (low, high) = (low.max(least), high.min(most));
        if low <= high {
            arcs.push((low, high));
        }
    }
    if is_lost {
        arcs.push((0, 0));
    }
    Intervals::arcs_of(universe, arcs).into()
}

/// Returns the bit patterns.
pub fn to_bits(a: FloatSet) -> Option<AbstractValue> {
    let format = a.format();
    let universe = Universe::of(Sort::BitVec(format.storage_bits() as u8))?;
    if !is_known(format) {
        return Some(AbstractValue::top(universe));
    }
    let mut arcs: Vec<_> = a
        .halves()
        .map(|(low, high)| {
            let (low, high) = (low.bits() as i128, high.bits() as i128);
            (low.min(high), low.max(high))
        })
        .collect();
    if a.may_be_nan() {
        let nan = FloatValue::nan(format).bits() as i128;
        arcs.push((nan, nan));
    }
    Some(Intervals::arcs_of(universe, arcs).into())
}

/// Returns the floats with these bit patterns.
pub fn from_bits(format: FloatFormat, bits: &AbstractValue) -> FloatSet {
    let sign = 1i128 << (format.storage_bits() - 1);
    let infinite = greatest_rank(format);
    let mut result = FloatSet::empty(format);
    if !is_known(format) {
        return FloatSet::top(format);
    }
    for &(low, high) in bits.intervals.spans() {
        for (from, to, is_negative) in [(0, sign - 1, false), (sign, 2 * sign - 1, true)] {
            let (low, high) = (low.max(from) - from, high.min(to) - from);
            if low > high {
                continue;
            }
            if high > infinite {
                result.include(FloatValue::nan(format));
            }
            let high = high.min(infinite);
            if low <= high {
                for magnitude in [low, high] {
                    let rank = if is_negative {
                        -1 - magnitude
                    } else {
                        magnitude
                    };
                    result.include(of_rank(format, rank));
                }
            }
        }
    }
    result
}
