//! Rules for integers.

use super::*;

pub(super) fn neg<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    fold(pool, Op::IntNeg, Sort::Int, &[a])
}

pub(super) fn add<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::IntAdd, Sort::Int, &[a, b])
}

pub(super) fn mul<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::IntMul, Sort::Int, &[a, b])
}

pub(super) fn euclidean_div<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::IntDiv, Sort::Int, &[a, b])
}

pub(super) fn euclidean_mod<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::IntMod, Sort::Int, &[a, b])
}

pub(super) fn lt<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::IntLt, Sort::Bool, &[a, b])
}

pub(super) fn le<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::IntLe, Sort::Bool, &[a, b])
}

pub(super) fn sub<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    add(pool, a, neg(pool, b))
}

/// For a dividend that is not negative the truncating division is the Euclidean one.
pub(super) fn truncating_div<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    let negative = pool.int_lt(a, pool.int(0));
    let of_magnitude = neg(pool, euclidean_div(pool, neg(pool, a), b));
    pool.ite(negative, of_magnitude, euclidean_div(pool, a, b))
}

pub(super) fn truncating_rem<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    let negative = pool.int_lt(a, pool.int(0));
    let of_magnitude = neg(pool, euclidean_mod(pool, neg(pool, a), b));
    pool.ite(negative, of_magnitude, euclidean_mod(pool, a, b))
}

pub(super) fn bv_to_nat<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    fold(pool, Op::BvToNat, Sort::Int, &[a])
}

pub(super) fn bv_to_int<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    fold(pool, Op::BvToInt, Sort::Int, &[a])
}

pub(super) fn int_to_bv<P: Pool + ?Sized>(pool: &P, a: TermId, width: u8) -> TermId {
    fold(pool, Op::IntToBv(width), Sort::BitVec(width), &[a])
}
