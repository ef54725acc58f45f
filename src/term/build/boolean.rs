//! Rules for Booleans and choices.

use super::*;

pub(super) fn not<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    if let Some(inner) = unary(pool, a, Op::Not) {
        return inner;
    }
    fold(pool, Op::Not, Sort::Bool, &[a])
}

pub(super) fn and<P: Pool + ?Sized>(pool: &P, terms: &[TermId]) -> TermId {
    junction(pool, Op::And, terms)
}

pub(super) fn or<P: Pool + ?Sized>(pool: &P, terms: &[TermId]) -> TermId {
    junction(pool, Op::Or, terms)
}

fn junction<P: Pool + ?Sized>(pool: &P, op: Op, terms: &[TermId]) -> TermId {
    let neutral = TermId::from_bool(op == Op::And);
    let absorbing = TermId::from_bool(op == Op::Or);
    let mut list: smallvec::SmallVec<[TermId; 8]> = terms
        .iter()
        .copied()
        .filter(|term| *term != neutral)
        .collect();
    if list.contains(&absorbing) {
        return absorbing;
    }
    list.sort_unstable();
    list.dedup();
    match list[..] {
        [] => neutral,
        [single] => single,
        _ => pool.intern(op, Sort::Bool, &list),
    }
}

pub(super) fn ite<P: Pool + ?Sized>(
    pool: &P,
    condition: TermId,
    then: TermId,
    otherwise: TermId,
) -> TermId {
    match condition {
        TermId::TRUE => then,
        TermId::FALSE => otherwise,
        _ if then == otherwise => then,
        _ => pool.intern(Op::Ite, pool.sort(then), &[condition, then, otherwise]),
    }
}
