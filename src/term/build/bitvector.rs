//! Rules for bit vectors.

use super::*;

pub(super) fn neg<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    fold(pool, Op::BvNeg, pool.sort(a), &[a])
}

pub(super) fn not<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    fold(pool, Op::BvNot, pool.sort(a), &[a])
}

pub(super) fn add<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvAdd, pool.sort(a), &[a, b])
}

pub(super) fn mul<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvMul, pool.sort(a), &[a, b])
}

pub(super) fn udiv<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvUdiv, pool.sort(a), &[a, b])
}

pub(super) fn urem<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvUrem, pool.sort(a), &[a, b])
}

pub(super) fn sdiv<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvSdiv, pool.sort(a), &[a, b])
}

pub(super) fn srem<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvSrem, pool.sort(a), &[a, b])
}

pub(super) fn and<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvAnd, pool.sort(a), &[a, b])
}

pub(super) fn or<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvOr, pool.sort(a), &[a, b])
}

pub(super) fn xor<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvXor, pool.sort(a), &[a, b])
}

pub(super) fn shl<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvShl, pool.sort(a), &[a, b])
}

pub(super) fn lshr<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvLshr, pool.sort(a), &[a, b])
}

pub(super) fn ashr<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvAshr, pool.sort(a), &[a, b])
}

pub(super) fn sub<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    add(pool, a, neg(pool, b))
}

pub(super) fn concat<P: Pool + ?Sized>(pool: &P, high: TermId, low: TermId) -> TermId {
    let width = pool.width(high) + pool.width(low);
    fold(pool, Op::Concat, Sort::BitVec(width), &[high, low])
}

pub(super) fn extract<P: Pool + ?Sized>(pool: &P, a: TermId, high: u8, low: u8) -> TermId {
    if low == 0 && high + 1 == pool.width(a) {
        return a;
    }
    fold(
        pool,
        Op::Extract { high, low },
        Sort::BitVec(high - low + 1),
        &[a],
    )
}

pub(super) fn zero_extend<P: Pool + ?Sized>(pool: &P, a: TermId, width: u8) -> TermId {
    if width == pool.width(a) {
        return a;
    }
    fold(pool, Op::ZeroExtend(width), Sort::BitVec(width), &[a])
}

pub(super) fn sign_extend<P: Pool + ?Sized>(pool: &P, a: TermId, width: u8) -> TermId {
    if width == pool.width(a) {
        return a;
    }
    fold(pool, Op::SignExtend(width), Sort::BitVec(width), &[a])
}
