//! Rules for floats.

use super::*;

pub(super) fn neg<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    if let Some(inner) = unary(pool, a, Op::FpNeg) {
        return inner;
    }
    fold(pool, Op::FpNeg, pool.sort(a), &[a])
}

pub(super) fn abs<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    match pool.kind(a) {
        TermKind::Apply { op: Op::FpAbs, .. } => a,
        TermKind::Apply {
            op: Op::FpNeg,
            arguments: &[inner],
        } => abs(pool, inner),
        _ => fold(pool, Op::FpAbs, pool.sort(a), &[a]),
    }
}

/// Sums and products commute; nothing else is right for every rounding mode and for NaN.
pub(super) fn arithmetic<P: Pool + ?Sized>(
    pool: &P,
    op: Op,
    mode: TermId,
    a: TermId,
    b: TermId,
) -> TermId {
    let (a, b) = match op {
        Op::FpAdd | Op::FpMul => (a.min(b), a.max(b)),
        _ => (a, b),
    };
    fold(pool, op, pool.sort(a), &[mode, a, b])
}

pub(super) fn round_to_integral<P: Pool + ?Sized>(pool: &P, mode: TermId, a: TermId) -> TermId {
    if arguments(pool, a, Op::FpRoundToIntegral).is_some() {
        return a;
    }
    fold(pool, Op::FpRoundToIntegral, pool.sort(a), &[mode, a])
}

pub(super) fn lt<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    if a == b {
        return TermId::FALSE;
    }
    fold(pool, Op::FpLt, Sort::Bool, &[a, b])
}

pub(super) fn le<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    if a == b {
        return pool.not(pool.fp_is_nan(a));
    }
    fold(pool, Op::FpLe, Sort::Bool, &[a, b])
}

pub(super) fn ieee_eq<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    if a == b {
        return pool.not(pool.fp_is_nan(a));
    }
    fold(pool, Op::FpEq, Sort::Bool, &[a.min(b), a.max(b)])
}

pub(super) fn class<P: Pool + ?Sized>(pool: &P, op: Op, a: TermId) -> TermId {
    match pool.kind(a) {
        // The sign does not matter.
        TermKind::Apply {
            op: Op::FpNeg | Op::FpAbs,
            arguments: &[inner],
        } if op != Op::FpIsNegative => class(pool, op, inner),
        _ => fold(pool, op, Sort::Bool, &[a]),
    }
}

pub(super) fn to_fp<P: Pool + ?Sized>(
    pool: &P,
    mode: TermId,
    a: TermId,
    format: FloatFormat,
) -> TermId {
    if pool.sort(a) == Sort::Float(format) {
        return a;
    }
    fold(pool, Op::FpToFp(format), Sort::Float(format), &[mode, a])
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

/// The other way round there is no such rule: the bits of a NaN are lost.
pub(super) fn from_bits<P: Pool + ?Sized>(pool: &P, a: TermId, format: FloatFormat) -> TermId {
    match unary(pool, a, Op::FpToBits) {
        Some(float) if pool.sort(float) == Sort::Float(format) => float,
        _ => fold(pool, Op::FpFromBits(format), Sort::Float(format), &[a]),
    }
}
