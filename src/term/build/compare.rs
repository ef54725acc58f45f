//! Rules for equality and for comparisons of bit vectors.

use super::*;

pub(super) fn eq<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    if a == b {
        return TermId::TRUE;
    }
    fold(pool, Op::Eq, Sort::Bool, &[a.min(b), a.max(b)])
}

pub(super) fn ult<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvUlt, Sort::Bool, &[a, b])
}

pub(super) fn ule<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvUle, Sort::Bool, &[a, b])
}

pub(super) fn slt<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvSlt, Sort::Bool, &[a, b])
}

pub(super) fn sle<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    fold(pool, Op::BvSle, Sort::Bool, &[a, b])
}
