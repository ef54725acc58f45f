//! Rules for Booleans and `ite`.

use smallvec::SmallVec;

use super::linear::number;
use super::*;
use crate::build::limits::{MAXIMUM_FLATTENED, MAXIMUM_PAIRWISE};

pub(super) fn not<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    match pool.as_application(a) {
        Some((op, arguments)) => match (op, arguments) {
            (Op::Not, &[inner]) => inner,
            (Op::BvUlt, &[a, b]) => pool.ule(b, a),
            (Op::BvUle, &[a, b]) => pool.ult(b, a),
            (Op::BvSlt, &[a, b]) => pool.sle(b, a),
            (Op::BvSle, &[a, b]) => pool.slt(b, a),
            (Op::IntLt, &[a, b]) => pool.int_le(b, a),
            (Op::IntLe, &[a, b]) => pool.int_lt(b, a),
            _ => fold(pool, Op::Not, Sort::Bool, &[a]),
        },
        _ => fold(pool, Op::Not, Sort::Bool, &[a]),
    }
}

/// Checks syntactically whether one term is the negation of the other.
pub(super) fn complementary<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> bool {
    let (Some((op, left)), Some((other, right))) = (pool.as_application(a), pool.as_application(b))
    else {
        return unary(pool, a, Op::Not) == Some(b) || unary(pool, b, Op::Not) == Some(a);
    };
    match (op, other, left, right) {
        (Op::Not, _, &[inner], _) if inner == b => true,
        (_, Op::Not, _, &[inner]) if inner == a => true,
        (Op::BvUlt, Op::BvUle, &[a, b], &[c, d])
        | (Op::BvUle, Op::BvUlt, &[a, b], &[c, d])
        | (Op::BvSlt, Op::BvSle, &[a, b], &[c, d])
        | (Op::BvSle, Op::BvSlt, &[a, b], &[c, d])
        | (Op::IntLt, Op::IntLe, &[a, b], &[c, d])
        | (Op::IntLe, Op::IntLt, &[a, b], &[c, d]) => (a, b) == (d, c),
        // Comparisons with constants are strict in normal form: x < k and k - 1 < x.
        (Op::BvUlt, Op::BvUlt, &[a, b], &[c, d]) => {
            let bits = |term| pool.bit_vec_constant(term).map(BitVecValue::bits);
            let next = |low, high| match (bits(low), bits(high)) {
                (Some(low), Some(high)) => low.checked_add(1) == Some(high),
                _ => false,
            };
            (a == d && next(c, b)) || (b == c && next(a, d))
        }
        (Op::BvSlt, Op::BvSlt, &[a, b], &[c, d]) | (Op::IntLt, Op::IntLt, &[a, b], &[c, d]) => {
            let next = |low, high| match (number(pool, low), number(pool, high)) {
                (Some(low), Some(high)) => low.checked_add(1) == Some(high),
                _ => false,
            };
            (a == d && next(c, b)) || (b == c && next(a, d))
        }
        _ => false,
    }
}

pub(super) fn and<P: Pool + ?Sized>(pool: &P, terms: &[TermId]) -> TermId {
    junction(pool, Op::And, terms)
}

pub(super) fn or<P: Pool + ?Sized>(pool: &P, terms: &[TermId]) -> TermId {
    junction(pool, Op::Or, terms)
}

/// Builds a conjunction or disjunction; the rules are dual.
fn junction<P: Pool + ?Sized>(pool: &P, op: Op, terms: &[TermId]) -> TermId {
    let neutral = TermId::from_bool(op == Op::And);
    let absorbing = TermId::from_bool(op == Op::Or);
    let mut list: SmallVec<[TermId; MAXIMUM_FLATTENED]> = SmallVec::new();
    for (position, term) in terms.iter().enumerate() {
        let left = terms.len() - position;
        match pool.arguments(op, *term) {
            Some(inner) if list.len() + inner.len() + left <= MAXIMUM_FLATTENED + 1 => {
                list.extend_from_slice(inner)
            }
            _ => list.push(*term),
        }
    }
    list.sort_unstable();
    list.dedup();
    list.retain(|term| *term != neutral);
    if list.contains(&absorbing) || contradicts(pool, &list) {
        return absorbing;
    }
    if list.len() <= MAXIMUM_PAIRWISE {
        absorb(pool, op, &mut list);
    }
    match list[..] {
        [] => neutral,
        [single] => single,
        _ => pool.intern(op, Sort::Bool, &list),
    }
}

/// Checks whether two of the terms, which are sorted, are complementary.
fn contradicts<P: Pool + ?Sized>(pool: &P, list: &[TermId]) -> bool {
    if list.len() <= MAXIMUM_PAIRWISE {
        return list
            .iter()
            .enumerate()
            .any(|(n, a)| list[n + 1..].iter().any(|b| complementary(pool, *a, *b)));
    }
    let negated = |term: &TermId| {
        unary(pool, *term, Op::Not).is_some_and(|inner| list.binary_search(&inner).is_ok())
    };
    list.iter().any(negated)
}

/// `a ∧ (a ∨ b)` is `a`, and `a ∧ (¬a ∨ b)` with a single such literal left is `a ∧ b`.
fn absorb<P: Pool + ?Sized>(pool: &P, op: Op, list: &mut SmallVec<[TermId; MAXIMUM_FLATTENED]>) {
    let dual = if op == Op::And { Op::Or } else { Op::And };
    let mut changed = false;
    for place in (0..list.len()).rev() {
        let Some(inner) = pool
            .arguments(dual, list[place])
            .filter(|inner| inner.len() <= MAXIMUM_PAIRWISE)
        else {
            continue;
        };
        let refuted = |literal: &TermId| {
            list.iter()
                .any(|other| complementary(pool, *literal, *other))
        };
        if inner.iter().any(|literal| list.contains(literal)) {
            list.remove(place);
            continue;
        }
        if let &[a, b] = inner {
            let rest = match (refuted(&a), refuted(&b)) {
                (true, false) => b,
                (false, true) => a,
                _ => continue,
            };
            // A rest with the same operator would have to be flattened and simplified again.
            if pool.arguments(op, rest).is_none() {
                list[place] = rest;
                changed = true;
            }
        }
    }
    if changed {
        list.sort_unstable();
        list.dedup();
    }
}

pub(super) fn ite<P: Pool + ?Sized>(
    pool: &P,
    condition: TermId,
    then: TermId,
    otherwise: TermId,
) -> TermId {
    match condition {
        TermId::TRUE => return then,
        TermId::FALSE => return otherwise,
        _ if then == otherwise => return then,
        _ => {}
    }
    if let Some(inner) = unary(pool, condition, Op::Not) {
        return ite(pool, inner, otherwise, then);
    }
    // In a branch, an `ite` with the same condition is decided.
    let then = match choice(pool, then) {
        Some((again, inner, _)) if again == condition => inner,
        _ => then,
    };
    let otherwise = match choice(pool, otherwise) {
        Some((again, _, inner)) if again == condition => inner,
        _ => otherwise,
    };
    if then == otherwise {
        return then;
    }
    if let Some((a, b)) = binary(pool, condition, Op::Eq)
        && ((a, b) == (then, otherwise) || (b, a) == (then, otherwise))
    {
        return otherwise;
    }
    let sort = pool.sort(then);
    if sort == Sort::Bool
        && let Some(result) = boolean_choice(pool, condition, then, otherwise)
    {
        return result;
    }
    // Where one branch is an `ite` of the other branch and a third term, a single `ite` is enough.
    if let Some((other, a, b)) = choice(pool, otherwise) {
        if a == then {
            let either = pool.or2(condition, other);
            return pool.intern_choice(sort, either, then, b);
        }
        if b == then {
            let either = pool.or2(condition, pool.not(other));
            return pool.intern_choice(sort, either, then, a);
        }
    }
    if let Some((other, a, b)) = choice(pool, then) {
        if b == otherwise {
            let both = pool.and2(condition, other);
            return pool.intern_choice(sort, both, a, otherwise);
        }
        if a == otherwise {
            let both = pool.and2(condition, pool.not(other));
            return pool.intern_choice(sort, both, b, otherwise);
        }
    }
    pool.intern_choice(sort, condition, then, otherwise)
}

/// Rewrites an `ite` of truth values as conjunctions, disjunctions or equations where it can.
fn boolean_choice<P: Pool + ?Sized>(
    pool: &P,
    condition: TermId,
    then: TermId,
    otherwise: TermId,
) -> Option<TermId> {
    Some(match (then, otherwise) {
        (TermId::TRUE, TermId::FALSE) => condition,
        (TermId::FALSE, TermId::TRUE) => pool.not(condition),
        (TermId::TRUE, _) => pool.or2(condition, otherwise),
        (TermId::FALSE, _) => pool.and2(pool.not(condition), otherwise),
        (_, TermId::TRUE) => pool.or2(pool.not(condition), then),
        (_, TermId::FALSE) => pool.and2(condition, then),
        _ if then == condition => pool.or2(condition, otherwise),
        _ if otherwise == condition => pool.and2(condition, then),
        _ if complementary(pool, then, otherwise) => pool.eq(condition, then),
        _ => return None,
    })
}

/// Interns an `ite` whose parts are simplified already.
trait InternChoice: Pool {
    fn intern_choice(
        &self,
        sort: Sort,
        condition: TermId,
        then: TermId,
        otherwise: TermId,
    ) -> TermId {
        match (condition, unary(self, condition, Op::Not)) {
            (TermId::TRUE, _) => then,
            (TermId::FALSE, _) => otherwise,
            _ if then == otherwise => then,
            (_, Some(inner)) => self.intern(Op::Ite, sort, &[inner, otherwise, then]),
            _ => self.intern(Op::Ite, sort, &[condition, then, otherwise]),
        }
    }
}

impl<P: Pool + ?Sized> InternChoice for P {}
