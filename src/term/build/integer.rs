//! Rules for integers.
//!
//! Sums and operands of comparisons are in the normal form of [`super::linear`]. A comparison of a single variable with a

use super::compare::{ordered, through_choices};
use super::linear::{self, Linear, difference, is_sum, literal};
use super::*;

pub(super) fn neg<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    linear::negated(pool, a)
}

pub(super) fn add<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    linear::add(pool, a, b, 1)
}

pub(super) fn sub<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    linear::add(pool, a, b, -1)
}

pub(super) fn mul<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    let (a, b) = ordered(pool, a, b);
    let as_told = || fold(pool, Op::IntMul, Sort::Int, &[a, b]);
    if pool.constant(b).is_some() {
        let factor = linear::number(pool, b);
        return factor
            .and_then(|factor| linear::scaled(pool, a, factor))
            .unwrap_or_else(as_told);
    }
    // Signs and constant factors are moved outwards.
    for (this, other) in [(a, b), (b, a)] {
        match pool.as_application(this) {
            Some((Op::IntNeg, &[inner])) => return neg(pool, mul(pool, inner, other)),
            Some((Op::IntMul, &[inner, factor])) if pool.constant(factor).is_some() => {
                return mul(pool, mul(pool, inner, other), factor);
            }
            _ => {}
        }
    }
    as_told()
}

pub(super) fn euclidean_div<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    match linear::number(pool, b) {
        Some(0) => literal(pool, Sort::Int, 0),
        Some(1) => a,
        Some(divisor @ ..0) => {
            let positive = literal(pool, Sort::Int, -divisor);
            neg(pool, euclidean_div(pool, a, positive))
        }
        Some(divisor @ 2..) => {
            divided(pool, a, divisor).unwrap_or_else(|| fold(pool, Op::IntDiv, Sort::Int, &[a, b]))
        }
        _ => fold(pool, Op::IntDiv, Sort::Int, &[a, b]),
    }
}

/// The quotient of a sum whose factors are all multiples of the divisor, which is positive.
fn divided<P: Pool + ?Sized>(pool: &P, a: TermId, divisor: i128) -> Option<TermId> {
    if pool.constant(a).is_some() || !is_sum(pool, a) {
        let (_, modulus) = binary(pool, a, Op::IntMod)?;
        let modulus = linear::number(pool, modulus)?;
        // A remainder that is less than the divisor.
        return (0 < modulus && modulus <= divisor).then(|| literal(pool, Sort::Int, 0));
    }
    let mut sum = Linear::of(pool, Sort::Int, &[(a, 1)])?;
    if sum.common_factor() % divisor != 0 {
        return None;
    }
    let rest = sum.constant.rem_euclid(divisor);
    sum.constant = sum.constant.checked_sub(rest)?;
    Some(sum.divided(divisor).term(pool))
}

pub(super) fn euclidean_mod<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    match linear::number(pool, b) {
        Some(0) => a,
        Some(1 | -1) => literal(pool, Sort::Int, 0),
        Some(divisor @ ..0) => euclidean_mod(pool, a, literal(pool, Sort::Int, -divisor)),
        Some(divisor @ 2..) => match reduced(pool, a, divisor) {
            Some(reduced) if reduced != a => euclidean_mod(pool, reduced, b),
            _ if binary(pool, a, Op::IntMod).is_some_and(|(_, modulus)| modulus == b) => a,
            _ => fold(pool, Op::IntMod, Sort::Int, &[a, b]),
        },
        _ => fold(pool, Op::IntMod, Sort::Int, &[a, b]),
    }
}

/// Reduces a sum modulo the modulus: drops the addends whose factors are multiples of it.
fn reduced<P: Pool + ?Sized>(pool: &P, a: TermId, modulus: i128) -> Option<TermId> {
    if pool.constant(a).is_some() || !is_sum(pool, a) {
        return None;
    }
    let mut sum = Linear::of(pool, Sort::Int, &[(a, 1)])?;
    sum.addends.retain(|(_, factor)| *factor % modulus != 0);
    sum.constant = sum.constant.rem_euclid(modulus);
    Some(sum.term(pool))
}

/// Truncating division; for a nonnegative dividend it is the Euclidean one.
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

/// Equality of two different terms, if a rule applies.
pub(super) fn eq<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> Option<TermId> {
    if let Some(result) = eq_of_bit_vectors(pool, a, b) {
        return Some(result);
    }
    let sum = difference(pool, a, b)?;
    let factor = sum.common_factor();
    if factor == 0 {
        return Some(TermId::from_bool(sum.constant == 0));
    }
    if sum.constant % factor != 0 {
        return Some(TermId::FALSE);
    }
    // Make the first addend's factor positive, so that both ways to write an equality have one normal form.
    let sum = sum.divided(factor);
    let sum = if sum.addends[0].1 < 0 {
        sum.scaled(-1)?
    } else {
        sum
    };
    if let [(term, 1)] = sum.addends[..] {
        let value = sum.constant.checked_neg()?;
        let value = literal(pool, Sort::Int, value);
        return ((term, value) != (a, b)).then(|| compare::eq(pool, term, value));
    }
    let (left, right) = sum.sides()?;
    let right = right.plus(sum.constant.checked_neg()?)?;
    let (left, right) = ordered(pool, left.term(pool), right.term(pool));
    Some(fold(pool, Op::Eq, Sort::Bool, &[left, right]))
}

/// Equality of the integer value of a bit vector with that of another one in the same interpretation, or with a constant.
fn eq_of_bit_vectors<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> Option<TermId> {
    let Some((op @ (Op::BvToNat | Op::BvToInt), &[inner])) = pool.as_application(a) else {
        return None;
    };
    let width = pool.width(inner);
    if let Some(number) = pool.int_constant(b) {
        let value = BitVecValue::from_int(width, number);
        let back = if op == Op::BvToNat {
            BigInt::from(value.bits())
        } else {
            BigInt::from(value.signed())
        };
        return Some(if back == *number {
            compare::eq(pool, inner, pool.value(&value.into()))
        } else {
            TermId::FALSE
        });
    }
    let other = unary(pool, b, op).filter(|other| pool.width(*other) == width)?;
    Some(compare::eq(pool, inner, other))
}

pub(super) fn lt<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    if pool.constant(b).is_some()
        && let Some(result) = through_choices(pool, a, |term| compared(pool, term, b, 1))
    {
        return result;
    }
    if pool.constant(a).is_some()
        && let Some(result) = through_choices(pool, b, |term| compared(pool, a, term, 1))
    {
        return result;
    }
    compared(pool, a, b, 1)
}

pub(super) fn le<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    if pool.constant(b).is_some()
        && let Some(result) = through_choices(pool, a, |term| compared(pool, term, b, 0))
    {
        return result;
    }
    if pool.constant(a).is_some()
        && let Some(result) = through_choices(pool, b, |term| compared(pool, a, term, 0))
    {
        return result;
    }
    compared(pool, a, b, 0)
}

/// `a + gap <= b`, where the gap is 0 or 1.
fn compared<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId, gap: i128) -> TermId {
    linear_comparison(pool, a, b, gap).unwrap_or_else(|| {
        let op = if gap == 0 { Op::IntLe } else { Op::IntLt };
        fold(pool, op, Sort::Bool, &[a, b])
    })
}

fn linear_comparison<P: Pool + ?Sized>(
    pool: &P,
    a: TermId,
    b: TermId,
    gap: i128,
) -> Option<TermId> {
    // 0 <= sum
    let sum = Linear::of(pool, Sort::Int, &[(b, 1), (a, -1)])?.plus(-gap)?;
    let factor = sum.common_factor();
    if factor == 0 {
        return Some(TermId::from_bool(sum.constant >= 0));
    }
    // When the sum is divided by the common factor, the constant is rounded down.
    let mut sum = sum;
    let rest = sum.constant.rem_euclid(factor);
    sum.constant = sum.constant.checked_sub(rest)?;
    let sum = sum.divided(factor);
    match sum.addends[..] {
        // 0 <= x + k is -k - 1 < x, and 0 <= -x + k is x < k + 1.
        [(term, 1)] => {
            let bound = sum.constant.checked_neg()?.checked_sub(1)?;
            let bound = literal(pool, Sort::Int, bound);
            Some(fold(pool, Op::IntLt, Sort::Bool, &[bound, term]))
        }
        [(term, -1)] => {
            let bound = sum.constant.checked_add(1)?;
            let bound = literal(pool, Sort::Int, bound);
            Some(fold(pool, Op::IntLt, Sort::Bool, &[term, bound]))
        }
        _ => {
            // 0 <= right - left + k: left <= right + k, or left < right.
            let (right, left) = sum.sides()?;
            let (op, constant) = if sum.constant == -1 {
                (Op::IntLt, 0)
            } else {
                (Op::IntLe, sum.constant)
            };
            let sides = [left.term(pool), right.plus(constant)?.term(pool)];
            Some(pool.intern(op, Sort::Bool, &sides))
        }
    }
}

pub(super) fn bv_to_nat<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    match unary_zero_extension(pool, a) {
        Some(inner) => bv_to_nat(pool, inner),
        None => fold(pool, Op::BvToNat, Sort::Int, &[a]),
    }
}

pub(super) fn bv_to_int<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    match pool.as_application(a) {
        Some((Op::ZeroExtend(_), &[inner])) => bv_to_nat(pool, inner),
        Some((Op::SignExtend(_), &[inner])) => bv_to_int(pool, inner),
        _ => fold(pool, Op::BvToInt, Sort::Int, &[a]),
    }
}

fn unary_zero_extension<P: Pool + ?Sized>(pool: &P, a: TermId) -> Option<TermId> {
    match pool.as_application(a) {
        Some((Op::ZeroExtend(_), &[inner])) => Some(inner),
        _ => None,
    }
}

pub(super) fn int_to_bv<P: Pool + ?Sized>(pool: &P, a: TermId, width: u8) -> TermId {
    match pool.as_application(a) {
        Some((Op::BvToNat, &[inner])) => pool.zero_resize(inner, width),
        Some((Op::BvToInt, &[inner])) => pool.sign_resize(inner, width),
        _ => fold(pool, Op::IntToBv(width), Sort::BitVec(width), &[a]),
    }
}
