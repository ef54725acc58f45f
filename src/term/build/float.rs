//! Rules for floats.
//!
//! Few laws of arithmetic hold for floats: sums and products commute. The other rules are for conversions in C programs:
//! they widen before they compare, and convert to and from integers without loss. Exact conversions get the
//! default rounding mode, as it does not matter.

use super::compare::{ordered, through_choices};
use super::*;

/// Checks whether every value of the narrow format is a value of the wide one.
fn includes(wide: FloatFormat, narrow: FloatFormat) -> bool {
    wide.exponent_bits() >= narrow.exponent_bits()
        && wide.significand_bits() >= narrow.significand_bits()
}

/// Returns the operand of a conversion to a format that includes its own.
fn widened<P: Pool + ?Sized>(pool: &P, a: TermId) -> Option<(TermId, FloatFormat)> {
    match pool.as_application(a) {
        Some((Op::FpToFp(wide), &[_, inner])) => match pool.sort(inner) {
            Sort::Float(narrow) if includes(wide, narrow) => Some((inner, narrow)),
            _ => None,
        },
        _ => None,
    }
}

fn float_constant<P: Pool + ?Sized>(pool: &P, a: TermId) -> Option<FloatValue> {
    match pool.constant(a) {
        Some(Constant::Float(value)) => Some(value),
        _ => None,
    }
}

pub(super) fn neg<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    if let Some(inner) = unary(pool, a, Op::FpNeg) {
        return inner;
    }
    fold(pool, Op::FpNeg, pool.sort(a), &[a])
}

pub(super) fn abs<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    match pool.as_application(a) {
        Some((Op::FpAbs, _)) => a,
        Some((Op::FpNeg, &[inner])) => fold(pool, Op::FpAbs, pool.sort(a), &[inner]),
        _ => fold(pool, Op::FpAbs, pool.sort(a), &[a]),
    }
}

pub(super) fn arithmetic<P: Pool + ?Sized>(
    pool: &P,
    op: Op,
    mode: TermId,
    a: TermId,
    b: TermId,
) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    let (a, b) = match op {
        Op::FpAdd | Op::FpMul => ordered(pool, a, b),
        _ => (a, b),
    };
    let Some(constant) = float_constant(pool, b) else {
        return fold(pool, op, pool.sort(a), &[mode, a, b]);
    };
    let one = FloatValue::from_int(
        constant.format(),
        RoundingMode::NearestEven,
        &BigInt::from(1),
    );
    match op {
        _ if constant.is_nan() => b,
        Op::FpMul | Op::FpDiv if constant == one => a,
        Op::FpMul | Op::FpDiv if constant == one.negated() => neg(pool, a),
        _ => fold(pool, op, pool.sort(a), &[mode, a, b]),
    }
}

pub(super) fn fused_multiply_add<P: Pool + ?Sized>(
    pool: &P,
    mode: TermId,
    a: TermId,
    b: TermId,
    c: TermId,
) -> TermId {
    fold(pool, Op::FpFma, pool.sort(a), &[mode, a, b, c])
}

pub(super) fn sqrt<P: Pool + ?Sized>(pool: &P, mode: TermId, a: TermId) -> TermId {
    fold(pool, Op::FpSqrt, pool.sort(a), &[mode, a])
}

pub(super) fn remainder<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::FpRem, pool.sort(a), &[a, b])
}

pub(super) fn round_to_integral<P: Pool + ?Sized>(pool: &P, mode: TermId, a: TermId) -> TermId {
    if pool.arguments(Op::FpRoundToIntegral, a).is_some() {
        return a;
    }
    fold(pool, Op::FpRoundToIntegral, pool.sort(a), &[mode, a])
}

/// Returns the two operands in a narrower format, if both are widened from it or are constants in it.
fn narrowed<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
    let in_format = |term, format| match float_constant(pool, term) {
        Some(value) => {
            let narrow = value.convert(RoundingMode::NearestEven, format);
            let back = narrow.convert(RoundingMode::NearestEven, value.format());
            (back == value).then(|| pool.float(narrow))
        }
        None => widened(pool, term)
            .filter(|(_, own)| *own == format)
            .map(|(inner, _)| inner),
    };
    let format = widened(pool, a)
        .or_else(|| widened(pool, b))
        .map(|(_, format)| format)?;
    Some((in_format(a, format)?, in_format(b, format)?))
}

/// Returns the operands as bit vectors, if both are converted without loss from the same sort.
fn integers<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> Option<(Op, TermId, TermId)> {
    let (left, a) = exact_integer(pool, a)?;
    let (right, b) = exact_integer(pool, b)?;
    (left == right && pool.sort(a) == pool.sort(b)).then_some((left, a, b))
}

/// Returns the conversion and its operand, if the term is a bit vector converted without loss.
fn exact_integer<P: Pool + ?Sized>(pool: &P, a: TermId) -> Option<(Op, TermId)> {
    match pool.as_application(a) {
        Some((op @ (Op::SbvToFp(format) | Op::UbvToFp(format)), &[_, inner])) => {
            is_exact(op, pool.width(inner), format).then_some((op, inner))
        }
        _ => None,
    }
}

/// Checks whether all integers of the width are floats of the format.
fn is_exact(op: Op, width: u8, format: FloatFormat) -> bool {
    // The least signed number is a power of two.
    let magnitude = if matches!(op, Op::SbvToFp(_)) {
        u32::from(width) - 1
    } else {
        u32::from(width)
    };
    magnitude <= format.significand_bits() && magnitude < 1 << (format.exponent_bits() - 1)
}

pub(super) fn lt<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    if a == b {
        return TermId::FALSE;
    }
    comparison(pool, Op::FpLt, a, b)
}

pub(super) fn le<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    if a == b {
        return pool.not(pool.fp_is_nan(a));
    }
    comparison(pool, Op::FpLe, a, b)
}

pub(super) fn ieee_eq<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    if a == b {
        return pool.not(pool.fp_is_nan(a));
    }
    let (a, b) = ordered(pool, a, b);
    comparison(pool, Op::FpEq, a, b)
}

fn comparison<P: Pool + ?Sized>(pool: &P, op: Op, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    if let Some((a, b)) = narrowed(pool, a, b) {
        return match op {
            Op::FpLt => lt(pool, a, b),
            Op::FpLe => le(pool, a, b),
            _ => ieee_eq(pool, a, b),
        };
    }
    if let Some((conversion, a, b)) = integers(pool, a, b) {
        return match (op, conversion) {
            (Op::FpEq, _) => pool.eq(a, b),
            (Op::FpLt, Op::SbvToFp(_)) => pool.slt(a, b),
            (Op::FpLt, _) => pool.ult(a, b),
            (_, Op::SbvToFp(_)) => pool.sle(a, b),
            _ => pool.ule(a, b),
        };
    }
    let is_nan = |term| float_constant(pool, term).is_some_and(FloatValue::is_nan);
    if is_nan(a) || is_nan(b) {
        return TermId::FALSE;
    }
    let plain = |a, b| fold(pool, op, Sort::Bool, &[a, b]);
    let of_choice = if pool.constant(b).is_some() {
        through_choices(pool, a, |term| plain(term, b))
    } else if pool.constant(a).is_some() {
        through_choices(pool, b, |term| plain(a, term))
    } else {
        None
    };
    of_choice.unwrap_or_else(|| plain(a, b))
}

pub(super) fn class<P: Pool + ?Sized>(pool: &P, op: Op, a: TermId) -> TermId {
    let plain = |term| fold(pool, op, Sort::Bool, &[term]);
    let Some((outer, arguments)) = pool.as_application(a) else {
        return plain(a);
    };
    match (outer, arguments) {
        (Op::FpNeg | Op::FpAbs, &[inner]) if op != Op::FpIsNegative => plain(inner),
        (Op::FpAbs, _) => TermId::FALSE,
        (Op::FpToFp(_), &[_, inner]) if op == Op::FpIsNan => class(pool, op, inner),
        (Op::FpToFp(_), _) if matches!(op, Op::FpIsInfinite | Op::FpIsZero | Op::FpIsNegative) => {
            widened(pool, a).map_or_else(|| plain(a), |(inner, _)| class(pool, op, inner))
        }
        (Op::SbvToFp(_) | Op::UbvToFp(_) | Op::IntToFp(_), _) if op == Op::FpIsNan => TermId::FALSE,
        _ => plain(a),
    }
}

pub(super) fn to_fp<P: Pool + ?Sized>(
    pool: &P,
    mode: TermId,
    a: TermId,
    format: FloatFormat,
) -> TermId {
    let Sort::Float(own) = pool.sort(a) else {
        panic!("a float was expected, not {}", pool.sort(a));
    };
    if own == format {
        return a;
    }
    // Widening has not changed the value.
    if let Some((inner, _)) = widened(pool, a) {
        return to_fp(pool, mode, inner, format);
    }
    let mode = if includes(format, own) {
        pool.rounding(RoundingMode::NearestEven)
    } else {
        mode
    };
    fold(pool, Op::FpToFp(format), Sort::Float(format), &[mode, a])
}

/// From integers and bit vectors, by the operator.
pub(super) fn of_integer<P: Pool + ?Sized>(
    pool: &P,
    op: Op,
    mode: TermId,
    a: TermId,
    format: FloatFormat,
) -> TermId {
    let sort = Sort::Float(format);
    let exact = |op, width| is_exact(op, width, format);
    match (op, pool.sort(a)) {
        (Op::SbvToFp(_) | Op::UbvToFp(_), Sort::BitVec(width)) if exact(op, width) => fold(
            pool,
            op,
            sort,
            &[pool.rounding(RoundingMode::NearestEven), a],
        ),
        _ => fold(pool, op, sort, &[mode, a]),
    }
}

/// To bit vectors, by the operator.
pub(super) fn to_bit_vec<P: Pool + ?Sized>(
    pool: &P,
    op: Op,
    mode: TermId,
    a: TermId,
    width: u8,
) -> TermId {
    // An integer that was converted without loss and fits is converted back.
    match (op, exact_integer(pool, a)) {
        (Op::FpToSbv(_), Some((Op::SbvToFp(_), inner))) if pool.width(inner) <= width => {
            pool.sign_extend(inner, width)
        }
        (_, Some((Op::UbvToFp(_), inner)))
            if pool.width(inner) < width
                || (pool.width(inner) == width && op == Op::FpToUbv(width)) =>
        {
            pool.zero_extend(inner, width)
        }
        _ => fold(pool, op, Sort::BitVec(width), &[mode, a]),
    }
}

pub(super) fn to_int<P: Pool + ?Sized>(pool: &P, mode: TermId, a: TermId) -> TermId {
    fold(pool, Op::FpToInt, Sort::Int, &[mode, a])
}

pub(super) fn to_bits<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    match pool.sort(a) {
        Sort::Float(format) => fold(
            pool,
            Op::FpToBits,
            Sort::BitVec(format.storage_bits() as u8),
            &[a],
        ),
        sort => panic!("a float was expected, not {sort}"),
    }
}

/// The inverse rule does not hold: the bits of a NaN are lost.
pub(super) fn from_bits<P: Pool + ?Sized>(pool: &P, a: TermId, format: FloatFormat) -> TermId {
    match unary(pool, a, Op::FpToBits) {
        Some(float) if pool.sort(float) == Sort::Float(format) => float,
        _ => fold(pool, Op::FpFromBits(format), Sort::Float(format), &[a]),
    }
}
