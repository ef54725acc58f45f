//! Rules for Booleans and `ite`.

use smallvec::SmallVec;

use super::linear::number;
use super::*;

/// Maximum number of arguments up to which conjunctions in conjunctions (and so for disjunctions) are flattened.
const MAXIMUM_FLATTENED: usize = 16;
/// Maximum number of arguments of a conjunction or disjunction that are compared pairwise.
const MAXIMUM_PAIRWISE: usize = 8;

pub(super) fn not<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    match pool.as_application(a) {
        Some((op, arguments)) => match (op, arguments) {
            (Op::Not, &[inner]) => planted!("boolean: not not a is not a", inner, a),
            (Op::BvUlt, &[a, b]) => {
                planted!(
                    "boolean: not a < b is a <= b (unsigned)",
                    pool.ule(b, a),
                    pool.ule(a, b)
                )
            }
            (Op::BvUle, &[a, b]) => {
                planted!(
                    "boolean: not a <= b is b <= a (unsigned)",
                    pool.ult(b, a),
                    pool.ule(b, a)
                )
            }
            (Op::BvSlt, &[a, b]) => {
                planted!(
                    "boolean: not a < b is b < a",
                    pool.sle(b, a),
                    pool.slt(b, a)
                )
            }
            (Op::BvSle, &[a, b]) => {
                planted!(
                    "boolean: a signed comparison is denied as an unsigned one",
                    pool.slt(b, a),
                    pool.ult(b, a)
                )
            }
            (Op::IntLt, &[a, b]) => {
                planted!(
                    "boolean: not a < b is b < a (integers)",
                    pool.int_le(b, a),
                    pool.int_lt(b, a)
                )
            }
            (Op::IntLe, &[a, b]) => {
                planted!(
                    "boolean: not a <= b is b <= a (integers)",
                    pool.int_lt(b, a),
                    pool.int_le(b, a)
                )
            }
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
        | (Op::IntLe, Op::IntLt, &[a, b], &[c, d]) => planted!(
            "boolean: a < b and a <= b exclude each other",
            (a, b) == (d, c),
            (a, b) == (c, d)
        ),
        // Comparisons with constants are strict in normal form: x < k and k - 1 < x.
        (Op::BvUlt, Op::BvUlt, &[a, b], &[c, d]) => {
            let gap = planted!("boolean: no unsigned number is between k - 2 and k", 1, 2);
            let bits = |term| pool.bit_vec_constant(term).map(BitVecValue::bits);
            let next = |low, high| match (bits(low), bits(high)) {
                (Some(low), Some(high)) => low.checked_add(gap) == Some(high),
                _ => false,
            };
            (a == d && next(c, b)) || (b == c && next(a, d))
        }
        (Op::BvSlt, Op::BvSlt, &[a, b], &[c, d]) | (Op::IntLt, Op::IntLt, &[a, b], &[c, d]) => {
            let gap = planted!("boolean: no number is between k - 2 and k", 1, 2);
            let next = |low, high| match (number(pool, low), number(pool, high)) {
                (Some(low), Some(high)) => low.checked_add(gap) == Some(high),
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
    list.retain(|term| {
        *term
            != planted!(
                "boolean: false does not count in a conjunction",
                neutral,
                absorbing
            )
    });
    if list.contains(&absorbing) || contradicts(pool, &list) {
        return planted!("boolean: a and not a is true", absorbing, neutral);
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
        unary(pool, *term, Op::Not).is_some_and(|inner| {
            planted!(
                "boolean: in a long list any denial is a contradiction",
                list.binary_search(&inner).is_ok(),
                list.len() > 1
            )
        })
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
        if planted!(
            "boolean: a and (not a or b) is a",
            inner.iter().any(|literal| list.contains(literal)),
            inner.iter().any(refuted)
        ) {
            list.remove(place);
            continue;
        }
        if let &[a, b] = inner {
            let rest = match (refuted(&a), refuted(&b)) {
                (true, false) => planted!("boolean: a and (not a or b) is a and not a", b, a),
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
        TermId::FALSE => {
            return planted!("boolean: what is false chooses the first", otherwise, then);
        }
        _ if then == otherwise => return then,
        _ => {}
    }
    if let Some(inner) = unary(pool, condition, Op::Not) {
        return planted!(
            "boolean: a denied condition chooses the same",
            ite(pool, inner, otherwise, then),
            ite(pool, inner, then, otherwise)
        );
    }
    // In a branch, an `ite` with the same condition is decided.
    let then = match choice(pool, then) {
        Some((again, inner, _)) if again == condition => planted!(
            "boolean: a condition that was asked before is false",
            inner,
            otherwise
        ),
        _ => then,
    };
    let otherwise = match choice(pool, otherwise) {
        Some((again, _, inner)) if again == condition => planted!(
            "boolean: a condition that was denied before is true",
            inner,
            then
        ),
        _ => otherwise,
    };
    if then == otherwise {
        return then;
    }
    if let Some((a, b)) = binary(pool, condition, Op::Eq)
        && ((a, b) == (then, otherwise) || (b, a) == (then, otherwise))
    {
        return planted!("boolean: a = b ? a : b is a", otherwise, then);
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
            let either = planted!(
                "boolean: two choices of one value are one if both conditions hold",
                pool.or2(condition, other),
                pool.and2(condition, other)
            );
            return pool.intern_choice(sort, either, then, b);
        }
        if b == then {
            let either = planted!(
                "boolean: a second choice counts in its other branch",
                pool.or2(condition, pool.not(other)),
                pool.or2(condition, other)
            );
            return pool.intern_choice(sort, either, then, a);
        }
    }
    if let Some((other, a, b)) = choice(pool, then) {
        if b == otherwise {
            let both = planted!(
                "boolean: one of two conditions of a choice is enough",
                pool.and2(condition, other),
                pool.or2(condition, other)
            );
            return pool.intern_choice(sort, both, a, otherwise);
        }
        if a == otherwise {
            let both = planted!(
                "boolean: the second branch is chosen when the condition holds",
                pool.and2(condition, pool.not(other)),
                pool.and2(condition, other)
            );
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
        (TermId::FALSE, TermId::TRUE) => planted!(
            "boolean: a ? false : true is a",
            pool.not(condition),
            condition
        ),
        (TermId::TRUE, _) => planted!(
            "boolean: a ? true : b is a and b",
            pool.or2(condition, otherwise),
            pool.and2(condition, otherwise)
        ),
        (TermId::FALSE, _) => planted!(
            "boolean: a ? false : b is a and b",
            pool.and2(pool.not(condition), otherwise),
            pool.and2(condition, otherwise)
        ),
        (_, TermId::TRUE) => planted!(
            "boolean: a ? b : true is a or b",
            pool.or2(pool.not(condition), then),
            pool.or2(condition, then)
        ),
        (_, TermId::FALSE) => planted!(
            "boolean: a ? b : false is a or b",
            pool.and2(condition, then),
            pool.or2(condition, then)
        ),
        _ if then == condition => planted!(
            "boolean: a ? a : b is b",
            pool.or2(condition, otherwise),
            otherwise
        ),
        _ if otherwise == condition => planted!(
            "boolean: a ? b : a is a or b",
            pool.and2(condition, then),
            pool.or2(condition, then)
        ),
        _ if complementary(pool, then, otherwise) => planted!(
            "boolean: a ? b : not b is a != b",
            pool.eq(condition, then),
            pool.ne(condition, then)
        ),
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
            (_, Some(inner)) => planted!(
                "boolean: a new condition that is denied chooses the same",
                self.intern(Op::Ite, sort, &[inner, otherwise, then]),
                self.intern(Op::Ite, sort, &[inner, then, otherwise])
            ),
            _ => self.intern(Op::Ite, sort, &[condition, then, otherwise]),
        }
    }
}

impl<P: Pool + ?Sized> InternChoice for P {}
