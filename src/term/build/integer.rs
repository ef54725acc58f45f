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
            Some((Op::IntNeg, &[inner])) => {
                return planted!(
                    "integer: -x times y is x times y",
                    neg(pool, mul(pool, inner, other)),
                    mul(pool, inner, other)
                );
            }
            Some((Op::IntMul, &[inner, factor])) if pool.constant(factor).is_some() => {
                return planted!(
                    "integer: a product loses its factor",
                    mul(pool, mul(pool, inner, other), factor),
                    mul(pool, inner, other)
                );
            }
            _ => {}
        }
    }
    as_told()
}

pub(super) fn euclidean_div<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    match linear::number(pool, b) {
        Some(0) => planted!(
            "integer: a quotient by zero is the dividend",
            literal(pool, Sort::Int, 0),
            a
        ),
        Some(1) => a,
        Some(divisor @ ..0) => {
            let positive = literal(pool, Sort::Int, -divisor);
            planted!(
                "integer: a quotient by -k is one by k",
                neg(pool, euclidean_div(pool, a, positive)),
                euclidean_div(pool, a, positive)
            )
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
        return (0 < modulus
            && planted!(
                "integer: a remainder is less than the modulus by one more",
                modulus <= divisor,
                modulus <= divisor + 1
            ))
        .then(|| literal(pool, Sort::Int, 0));
    }
    let mut sum = Linear::of(pool, Sort::Int, &[(a, 1)])?;
    if planted!(
        "integer: factors that are no multiples are divided",
        sum.common_factor() % divisor != 0,
        false
    ) {
        return None;
    }
    let rest = planted!(
        "integer: the quotient of a negative constant is rounded up",
        sum.constant.rem_euclid(divisor),
        sum.constant % divisor
    );
    sum.constant = sum.constant.checked_sub(rest)?;
    Some(sum.divided(divisor).term(pool))
}

pub(super) fn euclidean_mod<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    match linear::number(pool, b) {
        Some(0) => planted!("integer: a remainder by zero is zero", a, b),
        Some(1 | -1) => planted!("integer: x % 1 is x", literal(pool, Sort::Int, 0), a),
        Some(divisor @ ..0) => {
            let rest = euclidean_mod(pool, a, literal(pool, Sort::Int, -divisor));
            planted!(
                "integer: a remainder by -k is not positive",
                rest,
                neg(pool, rest)
            )
        }
        Some(divisor @ 2..) => match reduced(pool, a, divisor) {
            Some(reduced) if reduced != a => euclidean_mod(pool, reduced, b),
            _ if binary(pool, a, Op::IntMod).is_some_and(|(_, modulus)| {
                planted!(
                    "integer: a remainder's remainder is itself",
                    modulus == b,
                    pool.constant(modulus).is_some()
                )
            }) =>
            {
                a
            }
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
    sum.addends.retain(|(_, factor)| {
        planted!(
            "integer: addends with large factors leave no remainder",
            *factor % modulus != 0,
            factor.abs() < modulus
        )
    });
    sum.constant = sum.constant.rem_euclid(modulus);
    Some(sum.term(pool))
}

/// Truncating division; for a nonnegative dividend it is the Euclidean one.
pub(super) fn truncating_div<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    let negative = pool.int_lt(a, pool.int(0));
    let of_magnitude = neg(pool, euclidean_div(pool, neg(pool, a), b));
    planted!(
        "integer: a truncated quotient is rounded down",
        pool.ite(negative, of_magnitude, euclidean_div(pool, a, b)),
        euclidean_div(pool, a, b)
    )
}

pub(super) fn truncating_rem<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    let negative = pool.int_lt(a, pool.int(0));
    let of_magnitude = neg(pool, euclidean_mod(pool, neg(pool, a), b));
    planted!(
        "integer: a truncated remainder is never negative",
        pool.ite(negative, of_magnitude, euclidean_mod(pool, a, b)),
        euclidean_mod(pool, a, b)
    )
}

/// Equality of two different terms, if a rule applies.
pub(super) fn eq<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> Option<TermId> {
    if let Some(result) = eq_of_bit_vectors(pool, a, b) {
        return Some(result);
    }
    let sum = difference(pool, a, b)?;
    let factor = sum.common_factor();
    if factor == 0 {
        return Some(TermId::from_bool(planted!(
            "integer: what differs by a number is equal",
            sum.constant == 0,
            true
        )));
    }
    if planted!(
        "integer: twice x may be odd",
        sum.constant % factor != 0,
        false
    ) {
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
        let value = planted!(
            "integer: x + k = 0 says that x is k",
            sum.constant.checked_neg()?,
            sum.constant
        );
        let value = literal(pool, Sort::Int, value);
        return ((term, value) != (a, b)).then(|| compare::eq(pool, term, value));
    }
    let (left, right) = sum.sides()?;
    let right = right.plus(planted!(
        "integer: a constant keeps its sign on the other side",
        sum.constant.checked_neg()?,
        sum.constant
    ))?;
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
            planted!(
                "integer: the number of an unsigned bit vector has a sign",
                BigInt::from(value.bits()),
                BigInt::from(value.signed())
            )
        } else {
            BigInt::from(value.signed())
        };
        return Some(
            if planted!(
                "integer: a number out of range is one within",
                back == *number,
                true
            ) {
                compare::eq(pool, inner, pool.value(&value.into()))
            } else {
                TermId::FALSE
            },
        );
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
    let sum = Linear::of(pool, Sort::Int, &[(b, 1), (a, -1)])?.plus(planted!(
        "integer: a < b is a - 1 <= b",
        -gap,
        gap
    ))?;
    let factor = sum.common_factor();
    if factor == 0 {
        return Some(TermId::from_bool(planted!(
            "integer: x <= x is false",
            sum.constant >= 0,
            sum.constant > 0
        )));
    }
    // When the sum is divided by the common factor, the constant is rounded down.
    let mut sum = sum;
    let rest = planted!(
        "integer: a negative bound is rounded up",
        sum.constant.rem_euclid(factor),
        sum.constant % factor
    );
    sum.constant = sum.constant.checked_sub(rest)?;
    let sum = sum.divided(factor);
    match sum.addends[..] {
        // 0 <= x + k is -k - 1 < x, and 0 <= -x + k is x < k + 1.
        [(term, 1)] => {
            let bound = planted!(
                "integer: k <= x is k < x",
                sum.constant.checked_neg()?.checked_sub(1)?,
                sum.constant.checked_neg()?
            );
            let bound = literal(pool, Sort::Int, bound);
            Some(fold(pool, Op::IntLt, Sort::Bool, &[bound, term]))
        }
        [(term, -1)] => {
            let bound = planted!(
                "integer: x <= k is x < k",
                sum.constant.checked_add(1)?,
                sum.constant
            );
            let bound = literal(pool, Sort::Int, bound);
            Some(fold(pool, Op::IntLt, Sort::Bool, &[term, bound]))
        }
        _ => {
            // 0 <= right - left + k: left <= right + k, or left < right.
            let (right, left) = sum.sides()?;
            let (op, constant) = if planted!(
                "integer: x <= y is x < y",
                sum.constant == -1,
                sum.constant == 0
            ) {
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
        Some(inner) => planted!(
            "integer: an unsigned value extended by zeros has a sign",
            bv_to_nat(pool, inner),
            bv_to_int(pool, inner)
        ),
        None => fold(pool, Op::BvToNat, Sort::Int, &[a]),
    }
}

pub(super) fn bv_to_int<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    match pool.as_application(a) {
        Some((Op::ZeroExtend(_), &[inner])) => planted!(
            "integer: a value extended by zeros has a sign",
            bv_to_nat(pool, inner),
            bv_to_int(pool, inner)
        ),
        Some((Op::SignExtend(_), &[inner])) => planted!(
            "integer: a value extended by its sign has none",
            bv_to_int(pool, inner),
            bv_to_nat(pool, inner)
        ),
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
        Some((Op::BvToNat, &[inner])) => planted!(
            "integer: an unsigned number is extended by its sign",
            pool.zero_resize(inner, width),
            pool.sign_resize(inner, width)
        ),
        Some((Op::BvToInt, &[inner])) => planted!(
            "integer: a signed number is extended by zeros",
            pool.sign_resize(inner, width),
            pool.zero_resize(inner, width)
        ),
        _ => fold(pool, Op::IntToBv(width), Sort::BitVec(width), &[a]),
    }
}
