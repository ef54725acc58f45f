//! Rules for the arithmetic and the bitwise operators of bit vectors.
//!
//! Normal forms: differences are sums with negated addends (see [`super::linear`]); constants are second; a shift by a
//! constant is a product (to the left) or a part that is extended again (to the right), and so are a mask of low ones
//! and an unsigned division or remainder by a power of two.

use super::compare::ordered;
use super::linear::{self, is_sum};
use super::parity::Parity;
use super::part::{concat, extract, sign_extend, zero_extend};
use super::*;

pub(super) fn neg<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    if let Some(inner) = unary(pool, a, Op::BvNot) {
        return pool.add(inner, pool.bv(pool.width(inner), 1));
    }
    linear::negated(pool, a)
}

pub(super) fn not<P: Pool + ?Sized>(pool: &P, a: TermId) -> TermId {
    match pool.as_application(a) {
        Some((Op::BvNot, &[inner])) => inner,
        Some((Op::BvNeg, &[inner])) => pool.add(inner, pool.bv_signed(pool.width(a), -1)),
        _ => fold(pool, Op::BvNot, pool.sort(a), &[a]),
    }
}

pub(super) fn add<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    if a != b && !is_sum(pool, a) && !is_sum(pool, b) {
        return fold(pool, Op::BvAdd, pool.sort(a), &[a.min(b), a.max(b)]);
    }
    linear::add(pool, a, b, 1)
}

pub(super) fn sub<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    if a == b {
        return pool.bv(pool.width(a), 0);
    }
    linear::add(pool, a, b, -1)
}

pub(super) fn mul<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    let sort = pool.sort(a);
    let (a, b) = ordered(pool, a, b);
    if let Some(factor) = pool.bit_vec_constant(b) {
        return linear::scaled(pool, a, factor.signed())
            .unwrap_or_else(|| fold(pool, Op::BvMul, sort, &[a, b]));
    }
    product(pool, a, b).unwrap_or_else(|| fold(pool, Op::BvMul, sort, &[a, b]))
}

/// A product of two terms that are not constants: signs and constant factors are moved outwards.
fn product<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> Option<TermId> {
    let width = pool.width(a);
    for (this, other) in [(a, b), (b, a)] {
        match pool.as_application(this) {
            Some((Op::BvNeg, &[inner])) => return Some(neg(pool, mul(pool, inner, other))),
            Some((Op::BvMul, &[inner, factor])) if pool.constant(factor).is_some() => {
                return Some(mul(pool, mul(pool, inner, other), factor));
            }
            // A truth value, 0 or 1, as a factor.
            Some((Op::Ite, &[condition, then, otherwise])) => {
                let bit = |term| pool.bit_vec_constant(term).map(BitVecValue::bits);
                let zero = pool.bv(width, 0);
                match (bit(then), bit(otherwise)) {
                    (Some(1), Some(0)) => return Some(pool.ite(condition, other, zero)),
                    (Some(0), Some(1)) => return Some(pool.ite(condition, zero, other)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns log2 of a power of two.
fn power(value: BitVecValue) -> Option<u8> {
    value
        .bits()
        .is_power_of_two()
        .then(|| value.bits().trailing_zeros() as u8)
}

/// If the term is an extension and the constant is the extension of a constant of the operand's width, returns the extension's
/// operator, its operand, and the narrow constant.
fn narrow_constant<P: Pool + ?Sized>(
    pool: &P,
    a: TermId,
    constant: BitVecValue,
) -> Option<(Op, TermId, BitVecValue)> {
    let Some((op @ (Op::ZeroExtend(_) | Op::SignExtend(_)), &[inner])) = pool.as_application(a)
    else {
        return None;
    };
    let narrow = BitVecValue::new(pool.width(inner), constant.bits());
    let fits = match op {
        Op::ZeroExtend(_) => narrow.bits() == constant.bits(),
        _ => narrow.signed() == constant.signed(),
    };
    fits.then_some((op, inner, narrow))
}

pub(super) fn udiv<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    let sort = pool.sort(a);
    let Some(divisor) = pool.bit_vec_constant(b) else {
        return fold(pool, Op::BvUdiv, sort, &[a, b]);
    };
    let width = divisor.width();
    if divisor.bits() == 0 {
        return pool.bv(width, u128::MAX);
    }
    if let Some(amount) = power(divisor) {
        return shift_right(pool, a, amount);
    }
    if let Some(inner) = unary(pool, a, Op::ZeroExtend(width)) {
        return match narrow_constant(pool, a, divisor) {
            Some((_, _, narrow)) => {
                zero_extend(pool, udiv(pool, inner, pool.value(&narrow.into())), width)
            }
            None => pool.bv(width, 0),
        };
    }
    fold(pool, Op::BvUdiv, sort, &[a, b])
}

pub(super) fn urem<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    let sort = pool.sort(a);
    let Some(divisor) = pool.bit_vec_constant(b) else {
        return fold(pool, Op::BvUrem, sort, &[a, b]);
    };
    let width = divisor.width();
    if divisor.bits() == 0 {
        return a;
    }
    if let Some(amount) = power(divisor) {
        return low_bits(pool, a, amount);
    }
    if let Some(inner) = unary(pool, a, Op::ZeroExtend(width)) {
        return match narrow_constant(pool, a, divisor) {
            Some((_, _, narrow)) => {
                zero_extend(pool, urem(pool, inner, pool.value(&narrow.into())), width)
            }
            None => a,
        };
    }
    fold(pool, Op::BvUrem, sort, &[a, b])
}

/// Narrows a signed division of an extended operand by a constant; `signed` and `unsigned` build the narrow division.
fn narrow_signed<P: Pool + ?Sized>(
    pool: &P,
    a: TermId,
    divisor: BitVecValue,
    signed: fn(&P, TermId, TermId) -> TermId,
    unsigned: fn(&P, TermId, TermId) -> TermId,
) -> Option<TermId> {
    let (extension, inner, narrow) = narrow_constant(pool, a, divisor)?;
    let narrow_term = pool.value(&narrow.into());
    Some(match extension {
        // Neither operand is negative, because zero bits are added.
        Op::ZeroExtend(width) => zero_extend(pool, unsigned(pool, inner, narrow_term), width),
        // Only a quotient by -1 may not fit the narrow width.
        Op::SignExtend(width) if narrow.signed() != -1 => {
            sign_extend(pool, signed(pool, inner, narrow_term), width)
        }
        _ => return None,
    })
}

pub(super) fn sdiv<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    let sort = pool.sort(a);
    let Some(divisor) = pool.bit_vec_constant(b) else {
        return fold(pool, Op::BvSdiv, sort, &[a, b]);
    };
    let width = divisor.width();
    match divisor.signed() {
        0 => {
            let negative = pool.slt(a, pool.bv(width, 0));
            pool.ite(negative, pool.bv(width, 1), pool.bv(width, u128::MAX))
        }
        1 => a,
        -1 => neg(pool, a),
        _ => narrow_signed(pool, a, divisor, sdiv, udiv)
            .unwrap_or_else(|| fold(pool, Op::BvSdiv, sort, &[a, b])),
    }
}

pub(super) fn srem<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    let sort = pool.sort(a);
    let Some(divisor) = pool.bit_vec_constant(b) else {
        return fold(pool, Op::BvSrem, sort, &[a, b]);
    };
    match divisor.signed() {
        0 => a,
        1 | -1 => pool.bv(divisor.width(), 0),
        _ => narrow_signed(pool, a, divisor, srem, urem)
            .unwrap_or_else(|| fold(pool, Op::BvSrem, sort, &[a, b])),
    }
}

/// Returns the `count` low bits, the other bits zero.
fn low_bits<P: Pool + ?Sized>(pool: &P, a: TermId, count: u8) -> TermId {
    let width = pool.width(a);
    match count {
        0 => pool.bv(width, 0),
        _ => zero_extend(pool, extract(pool, a, count - 1, 0), width),
    }
}

/// Logical right shift by less than the width.
fn shift_right<P: Pool + ?Sized>(pool: &P, a: TermId, amount: u8) -> TermId {
    let width = pool.width(a);
    let rest = extract(pool, a, width - 1, amount);
    zero_extend(pool, rest, width)
}

pub(super) fn shl<P: Pool + ?Sized>(pool: &P, a: TermId, amount: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(amount));
    match pool.bit_vec_constant(amount) {
        Some(amount) if amount.bits() >= u128::from(amount.width()) => pool.bv(amount.width(), 0),
        Some(amount) => mul(pool, a, pool.bv(amount.width(), 1 << amount.bits())),
        None => shift(pool, Op::BvShl, a, amount),
    }
}

pub(super) fn lshr<P: Pool + ?Sized>(pool: &P, a: TermId, amount: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(amount));
    match pool.bit_vec_constant(amount) {
        Some(amount) if amount.bits() >= u128::from(amount.width()) => pool.bv(amount.width(), 0),
        Some(amount) => shift_right(pool, a, amount.bits() as u8),
        None => shift(pool, Op::BvLshr, a, amount),
    }
}

pub(super) fn ashr<P: Pool + ?Sized>(pool: &P, a: TermId, amount: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(amount));
    match pool.bit_vec_constant(amount) {
        Some(amount) => {
            let width = amount.width();
            let most = amount.bits().min(u128::from(width - 1)) as u8;
            let rest = extract(pool, a, width - 1, most);
            sign_extend(pool, rest, width)
        }
        None => shift(pool, Op::BvAshr, a, amount),
    }
}

/// A shift by an amount that is not a constant.
fn shift<P: Pool + ?Sized>(pool: &P, op: Op, a: TermId, amount: TermId) -> TermId {
    let is_fixed =
        |value: BitVecValue| value.bits() == 0 || (op == Op::BvAshr && value.signed() == -1);
    if pool.bit_vec_constant(a).is_some_and(is_fixed) {
        return a;
    }
    fold(pool, op, pool.sort(a), &[a, amount])
}

pub(super) fn and<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    let (a, b) = ordered(pool, a, b);
    if a == b {
        return a;
    }
    if inverse(pool, a, b) {
        return pool.bv(pool.width(a), 0);
    }
    if let Some(mask) = pool.bit_vec_constant(b) {
        let ones = mask.bits().trailing_ones() as u8;
        if mask.bits() == 0 || mask.signed() == -1 {
            return if mask.bits() == 0 { b } else { a };
        }
        if u32::from(ones) == 128 - mask.bits().leading_zeros() {
            return low_bits(pool, a, ones);
        }
        if let Some(inner) = unary(pool, a, Op::ZeroExtend(mask.width())) {
            let narrow = pool.bv(pool.width(inner), mask.bits());
            let masked = and(pool, inner, narrow);
            return zero_extend(pool, masked, mask.width());
        }
    }
    bitwise(pool, Op::BvAnd, a, b, and)
}

pub(super) fn or<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    let (a, b) = ordered(pool, a, b);
    if a == b {
        return a;
    }
    if inverse(pool, a, b) {
        return pool.bv(pool.width(a), u128::MAX);
    }
    if let Some(bits) = pool.bit_vec_constant(b) {
        match bits.signed() {
            0 => return a,
            -1 => return b,
            _ => {}
        }
    }
    match disjoint_union(pool, a, b) {
        Some(union) => union,
        None => bitwise(pool, Op::BvOr, a, b, or),
    }
}

pub(super) fn xor<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    let (a, b) = ordered(pool, a, b);
    let width = pool.width(a);
    if a == b {
        return pool.bv(width, 0);
    }
    if inverse(pool, a, b) {
        return pool.bv(width, u128::MAX);
    }
    if let Some(bits) = pool.bit_vec_constant(b) {
        match bits.signed() {
            0 => return a,
            -1 => return not(pool, a),
            _ => {}
        }
        if let Some(inner) = unary(pool, a, Op::BvNot) {
            return xor(pool, inner, pool.bv(width, !bits.bits()));
        }
    }
    let is_xor = |term| binary(pool, term, Op::BvXor).is_some();
    if (is_xor(a) || is_xor(b))
        && let Some(parity) = Parity::of(pool, a, b)
    {
        return parity.term(pool);
    }
    match (unary(pool, a, Op::BvNot), unary(pool, b, Op::BvNot)) {
        (Some(a), Some(b)) => xor(pool, a, b),
        _ => plain_xor(pool, a, b),
    }
}

/// Exclusive or of terms of which nothing cancels out.
pub(super) fn plain_xor<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    let (a, b) = ordered(pool, a, b);
    match pool.bit_vec_constant(b).map(BitVecValue::signed) {
        Some(0) => a,
        Some(-1) => not(pool, a),
        _ => bitwise(pool, Op::BvXor, a, b, xor),
    }
}

/// Checks whether one term is the bitwise complement of the other.
fn inverse<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> bool {
    unary(pool, a, Op::BvNot) == Some(b) || unary(pool, b, Op::BvNot) == Some(a)
}

/// The common rules of the three bitwise operators: constants are combined, extensions are moved outwards.
fn bitwise<P: Pool + ?Sized>(
    pool: &P,
    op: Op,
    a: TermId,
    b: TermId,
    again: fn(&P, TermId, TermId) -> TermId,
) -> TermId {
    let sort = pool.sort(a);
    if let Some(second) = pool.bit_vec_constant(b) {
        if let Some((inner, first)) = binary(pool, a, op)
            && pool.constant(first).is_some()
        {
            return again(pool, inner, fold(pool, op, sort, &[first, b]));
        }
        if let Some((extension, inner, narrow)) = narrow_constant(pool, a, second) {
            let narrow = again(pool, inner, pool.value(&narrow.into()));
            return extended(pool, extension, narrow);
        }
    }
    match (pool.as_application(a), pool.as_application(b)) {
        (Some((left @ (Op::ZeroExtend(_) | Op::SignExtend(_)), &[a])), Some((right, &[b])))
            if left == right && pool.sort(a) == pool.sort(b) =>
        {
            extended(pool, left, again(pool, a, b))
        }
        _ => fold(pool, op, sort, &[a, b]),
    }
}

fn extended<P: Pool + ?Sized>(pool: &P, extension: Op, a: TermId) -> TermId {
    match extension {
        Op::SignExtend(width) => sign_extend(pool, a, width),
        Op::ZeroExtend(width) => zero_extend(pool, a, width),
        _ => a,
    }
}

/// Consecutive bits of a term: the bits of another term, or zeros.
#[derive(Copy, Clone)]
struct Segment {
    width: u8,
    term: Option<TermId>,
}

/// Rewrites the bitwise or of two terms without common bits, as in a word built from bytes: `low | high << k` is a concatenation.
fn disjoint_union<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> Option<TermId> {
    let width = pool.width(a);
    let (first, second) = (segments(pool, a)?, segments(pool, b)?);
    let mut union: Vec<Segment> = Vec::new();
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let (mut left, mut right) = (first.next(), second.next());
    while let (Some(one), Some(other)) = (left, right) {
        let count = one.width.min(other.width);
        let next = match (one.term, other.term) {
            (Some(_), Some(_)) => return None,
            (None, None) => None,
            (Some(term), None) | (None, Some(term)) => Some(extract(pool, term, count - 1, 0)),
        };
        union.push(Segment {
            width: count,
            term: next,
        });
        let rest = |segment: Segment| {
            let end = |term| extract(pool, term, segment.width - 1, count);
            (segment.width > count).then(|| Segment {
                width: segment.width - count,
                term: segment.term.map(end),
            })
        };
        left = rest(one).or_else(|| first.next());
        right = rest(other).or_else(|| second.next());
    }
    let zeros = match union[0] {
        Segment { width, term: None } => width,
        Segment { term: Some(_), .. } => 0,
    };
    if zeros == width {
        return Some(pool.bv(width, 0));
    }
    let term = |segment: &Segment| segment.term.unwrap_or_else(|| pool.bv(segment.width, 0));
    let parts = union[usize::from(zeros > 0)..].iter().map(term);
    let rest = parts.reduce(|low, high| concat(pool, high, low))?;
    Some(mul(
        pool,
        zero_extend(pool, rest, width),
        pool.bv(width, 1 << zeros),
    ))
}

/// Returns the segments of an extension, a left shift or a concatenation, the lowest first; `None` for other terms.
fn segments<P: Pool + ?Sized>(pool: &P, term: TermId) -> Option<Vec<Segment>> {
    let parts = |term| {
        segments(pool, term).unwrap_or_else(|| {
            vec![Segment {
                width: pool.width(term),
                term: Some(term),
            }]
        })
    };
    let zeros = |width| Segment { width, term: None };
    let width = pool.width(term);
    match pool.as_application(term)? {
        (Op::ZeroExtend(_), &[inner]) => {
            let mut all = parts(inner);
            all.push(zeros(width - pool.width(inner)));
            Some(all)
        }
        (Op::BvMul, &[inner, factor]) => {
            let amount = pool.bit_vec_constant(factor).and_then(power)?;
            let kept = extract(pool, inner, width - amount - 1, 0);
            let mut all = vec![zeros(amount)];
            all.extend(parts(kept));
            Some(all)
        }
        (Op::Concat, &[high, low]) => {
            let mut all = parts(low);
            all.extend(parts(high));
            Some(all)
        }
        _ => None,
    }
}
