//! Rules for equality and for comparisons of bit vectors.
//!
//! Normal form: a comparison with a constant is strict (`x < k` or `k < x`), and with the least or greatest value it
//! is an equality. Common extensions of both sides are dropped.

use super::linear::{Linear, difference};
use super::parity::Parity;
use super::*;
use crate::build::limits::MAXIMUM_CHOICE_DEPTH;

/// Distributes a comparison over a chain of `ite` with constant branches: `(c ? 1 : 0) == 0` is `¬c`, `(c ? x : 3) < 3` is
/// `c ∧ x < 3`; also over a tree of `ite` all of whose leaves are constants. `compare` compares the other terms.
/// `None` if the term is neither.
pub(super) fn through_choices<P: Pool + ?Sized>(
    pool: &P,
    term: TermId,
    compare: impl Fn(TermId) -> TermId,
) -> Option<TermId> {
    let mut guards: smallvec::SmallVec<[(TermId, bool, TermId); 4]> = smallvec::SmallVec::new();
    let mut rest = term;
    while guards.len() < MAXIMUM_CHOICE_DEPTH
        && let Some((condition, then, otherwise)) = choice(pool, rest)
    {
        let (known, constant, other) = match (
            pool.constant(then).is_some(),
            pool.constant(otherwise).is_some(),
        ) {
            (true, _) => (true, then, otherwise),
            (false, true) => (false, otherwise, then),
            (false, false) => break,
        };
        guards.push((condition, known, compare(constant)));
        rest = other;
    }
    // A tree of `ite` with constant leaves.
    let of_constants = choice(pool, rest).and_then(|_| steps::mapped(pool, rest, &compare));
    if guards.is_empty() && of_constants.is_none() {
        return None;
    }
    let innermost = of_constants.unwrap_or_else(|| compare(rest));
    let outward = guards.into_iter().rev();
    Some(
        outward.fold(innermost, |inner, (condition, known, result)| {
            if known {
                pool.ite(condition, result, inner)
            } else {
                pool.ite(condition, inner, result)
            }
        }),
    )
}

/// Orders two operands: a constant second, otherwise by id.
pub(super) fn ordered<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> (TermId, TermId) {
    match (pool.constant(a).is_some(), pool.constant(b).is_some()) {
        (true, false) => (b, a),
        (false, true) => (a, b),
        _ => (a.min(b), a.max(b)),
    }
}

pub(super) fn eq<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    if a == b {
        return TermId::TRUE;
    }
    let (a, b) = ordered(pool, a, b);
    if pool.constant(a).is_some() {
        return fold(pool, Op::Eq, Sort::Bool, &[a, b]);
    }
    if pool.constant(b).is_some()
        && let Some(result) = through_choices(pool, a, |term| plain_eq(pool, term, b))
    {
        return result;
    }
    plain_eq(pool, a, b)
}

/// Equality without distribution over `ite`. The second operand may be a constant.
fn plain_eq<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    if a == b {
        return TermId::TRUE;
    }
    if pool.constant(a).is_some() {
        return fold(pool, Op::Eq, Sort::Bool, &[a, b]);
    }
    let result = match pool.sort(a) {
        Sort::Bool => Some(eq_bool(pool, a, b)),
        Sort::BitVec(width) => eq_bit_vec(pool, width, a, b),
        Sort::Int => integer::eq(pool, a, b),
        Sort::Float(_) => match (unary(pool, a, Op::FpNeg), unary(pool, b, Op::FpNeg)) {
            (Some(a), Some(b)) => Some(eq(pool, a, b)),
            _ => None,
        },
        Sort::Array { .. } => None,
    };
    result.unwrap_or_else(|| intern_eq(pool, a, b))
}

fn intern_eq<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    let (a, b) = ordered(pool, a, b);
    fold(pool, Op::Eq, Sort::Bool, &[a, b])
}

fn eq_bool<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    if b == TermId::TRUE {
        return a;
    }
    if b == TermId::FALSE {
        return pool.not(a);
    }
    if boolean::complementary(pool, a, b) {
        return TermId::FALSE;
    }
    match (unary(pool, a, Op::Not), unary(pool, b, Op::Not)) {
        (Some(a), Some(b)) => intern_eq(pool, a, b),
        (Some(a), None) => pool.not(intern_eq(pool, a, b)),
        (None, Some(b)) => pool.not(intern_eq(pool, a, b)),
        (None, None) => intern_eq(pool, a, b),
    }
}

fn eq_bit_vec<P: Pool + ?Sized>(pool: &P, width: u8, a: TermId, b: TermId) -> Option<TermId> {
    if let Some(constant) = pool.bit_vec_constant(b)
        && let Some(result) = eq_constant(pool, a, constant)
    {
        return Some(result);
    }
    if let Some(result) = eq_linear(pool, width, a, b).or_else(|| eq_parity(pool, width, a, b)) {
        return Some(result);
    }
    let (Some((op, left)), Some((other, right))) = (pool.as_application(a), pool.as_application(b))
    else {
        return match (unary(pool, a, Op::BvNot), unary(pool, b, Op::BvNot)) {
            (Some(inner), _) if inner == b => Some(TermId::FALSE),
            (_, Some(inner)) if inner == a => Some(TermId::FALSE),
            _ => None,
        };
    };
    match (op, other, left, right) {
        (Op::BvNot, Op::BvNot, &[a], &[b]) => Some(eq(pool, a, b)),
        (Op::BvNot, _, &[inner], _) if inner == b => Some(TermId::FALSE),
        (_, Op::BvNot, _, &[inner]) if inner == a => Some(TermId::FALSE),
        (Op::ZeroExtend(_), Op::ZeroExtend(_), &[a], &[b])
        | (Op::SignExtend(_), Op::SignExtend(_), &[a], &[b]) => {
            let (a, b) = same_width(pool, op, a, b);
            Some(eq(pool, a, b))
        }
        (Op::Concat, Op::Concat, &[a, b], &[c, d]) if pool.width(b) == pool.width(d) => {
            Some(pool.and2(eq(pool, a, c), eq(pool, b, d)))
        }
        _ => None,
    }
}

/// Equality with a constant, where it is an equality of the term's parts.
fn eq_constant<P: Pool + ?Sized>(pool: &P, a: TermId, constant: BitVecValue) -> Option<TermId> {
    let (width, bits) = (constant.width(), constant.bits());
    let Some((op, arguments)) = pool.as_application(a) else {
        // A single bit is compared with 1.
        return (width == 1 && bits == 0).then(|| pool.not(intern_eq(pool, a, pool.bv(1, 1))));
    };
    match (op, arguments) {
        (Op::BvNot, &[inner]) => Some(eq(pool, inner, pool.bv(width, !bits))),
        (Op::BvXor, &[inner, other]) => {
            let other = pool.bit_vec_constant(other)?;
            Some(eq(pool, inner, pool.bv(width, bits ^ other.bits())))
        }
        (Op::ZeroExtend(_), &[inner]) => {
            let narrow = BitVecValue::new(pool.width(inner), bits);
            if narrow.bits() != bits {
                return Some(TermId::FALSE);
            }
            Some(eq(pool, inner, pool.bv(narrow.width(), bits)))
        }
        (Op::SignExtend(_), &[inner]) => {
            let narrow = BitVecValue::new(pool.width(inner), bits);
            if narrow.signed() != constant.signed() {
                return Some(TermId::FALSE);
            }
            Some(eq(pool, inner, pool.bv(narrow.width(), bits)))
        }
        (Op::Concat, &[high, low]) => {
            let low_width = pool.width(low);
            let low_equal = eq(pool, low, pool.bv(low_width, bits));
            if low_equal == TermId::FALSE {
                return Some(TermId::FALSE);
            }
            let high_equal = eq(pool, high, pool.bv(width - low_width, bits >> low_width));
            Some(pool.and2(high_equal, low_equal))
        }
        (Op::Extract { high, low }, &[inner]) if high == low && high + 1 == pool.width(inner) => {
            // The sign.
            let negative = pool.slt(inner, pool.bv(high + 1, 0));
            Some(if bits == 1 {
                negative
            } else {
                pool.not(negative)
            })
        }
        _ if width == 1 && bits == 0 => Some(pool.not(eq(pool, a, pool.bv(1, 1)))),
        _ => None,
    }
}

/// Equality of sums: their difference is compared with zero.
fn eq_linear<P: Pool + ?Sized>(pool: &P, width: u8, a: TermId, b: TermId) -> Option<TermId> {
    let sum = difference(pool, a, b)?;
    match sum.addends[..] {
        [] => Some(TermId::from_bool(sum.constant == 0)),
        [(term, factor)] => {
            // 2^zeros · odd · term = rest, which the low bits of the term decide.
            let rest = BitVecValue::from_signed(width, sum.constant.wrapping_neg()).bits();
            let zeros = factor.trailing_zeros() as u8;
            if rest & ((1 << zeros) - 1) != 0 {
                return Some(TermId::FALSE);
            }
            if (term, factor) == (a, 1) {
                return None;
            }
            let inverse = inverse_of_odd((factor >> zeros) as u128);
            let value = pool.bv(width - zeros, (rest >> zeros).wrapping_mul(inverse));
            Some(eq(pool, pool.extract(term, width - zeros - 1, 0), value))
        }
        _ => {
            // Rewrite only if addends have cancelled out.
            let sort = Sort::BitVec(width);
            let parts = |sum: &Linear| sum.addends.len() + usize::from(sum.constant != 0);
            let apart = parts(&Linear::of(pool, sort, &[(a, 1)])?)
                + parts(&Linear::of(pool, sort, &[(b, 1)])?);
            if parts(&sum) == apart {
                return None;
            }
            let (left, right) = sum.sides()?;
            let right = right.plus(sum.constant.wrapping_neg())?;
            Some(intern_eq(pool, left.term(pool), right.term(pool)))
        }
    }
}

/// Equality of exclusive ors with common operands.
fn eq_parity<P: Pool + ?Sized>(pool: &P, width: u8, a: TermId, b: TermId) -> Option<TermId> {
    let is_xor = |term| binary(pool, term, Op::BvXor).is_some();
    if !is_xor(a) && !is_xor(b) {
        return None;
    }
    let both = Parity::of(pool, a, b)?;
    let zero = pool.bv(width, 0);
    let apart = Parity::of(pool, a, zero)?.len() + Parity::of(pool, b, zero)?.len();
    if both.len() == apart {
        return None;
    }
    let (left, right) = both.sides(pool);
    Some(eq(pool, left, right))
}

/// Returns the inverse of an odd number modulo 2^128, by Newton's iteration: each step doubles the number of correct bits.
fn inverse_of_odd(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

/// Extends two operands of extensions to their greater width by the same extension.
fn same_width<P: Pool + ?Sized>(pool: &P, extension: Op, a: TermId, b: TermId) -> (TermId, TermId) {
    let width = pool.width(a).max(pool.width(b));
    match extension {
        Op::SignExtend(_) => (pool.sign_extend(a, width), pool.sign_extend(b, width)),
        _ => (pool.zero_extend(a, width), pool.zero_extend(b, width)),
    }
}

/// The interpretation of bit vectors by a comparison.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Reading {
    Unsigned,
    Signed,
}

impl Reading {
    fn strict(self) -> Op {
        match self {
            Self::Unsigned => Op::BvUlt,
            Self::Signed => Op::BvSlt,
        }
    }

    fn weak(self) -> Op {
        match self {
            Self::Unsigned => Op::BvUle,
            Self::Signed => Op::BvSle,
        }
    }

    /// The bits of the least value.
    fn least(self, width: u8) -> u128 {
        match self {
            Self::Unsigned => 0,
            Self::Signed => 1 << (width - 1),
        }
    }

    /// The bits of the greatest value.
    fn greatest(self, width: u8) -> u128 {
        BitVecValue::new(width, self.least(width).wrapping_sub(1)).bits()
    }
}

pub(super) fn ult<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    less(pool, Reading::Unsigned, a, b)
}

pub(super) fn ule<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    less_or_equal(pool, Reading::Unsigned, a, b)
}

pub(super) fn slt<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    less(pool, Reading::Signed, a, b)
}

pub(super) fn sle<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId) -> TermId {
    less_or_equal(pool, Reading::Signed, a, b)
}

fn less_or_equal<P: Pool + ?Sized>(pool: &P, reading: Reading, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    if a == b {
        return TermId::TRUE;
    }
    if let Some(constant) = pool.bit_vec_constant(b) {
        if constant.bits() == reading.greatest(constant.width()) {
            return TermId::TRUE;
        }
        return less(
            pool,
            reading,
            a,
            pool.bv(constant.width(), constant.bits().wrapping_add(1)),
        );
    }
    if let Some(constant) = pool.bit_vec_constant(a) {
        if constant.bits() == reading.least(constant.width()) {
            return TermId::TRUE;
        }
        return less(
            pool,
            reading,
            pool.bv(constant.width(), constant.bits().wrapping_sub(1)),
            b,
        );
    }
    match narrowed(pool, reading, a, b) {
        Some((reading, a, b)) => less_or_equal(pool, reading, a, b),
        None => pool.intern(reading.weak(), Sort::Bool, &[a, b]),
    }
}

fn less<P: Pool + ?Sized>(pool: &P, reading: Reading, a: TermId, b: TermId) -> TermId {
    debug_assert_eq!(pool.sort(a), pool.sort(b));
    if a == b {
        return TermId::FALSE;
    }
    let against = |term, side, constant| {
        let compare = |term| against_constant(pool, reading, term, side, constant);
        through_choices(pool, term, compare).unwrap_or_else(|| compare(term))
    };
    match (pool.bit_vec_constant(a), pool.bit_vec_constant(b)) {
        (Some(_), Some(_)) => fold(pool, reading.strict(), Sort::Bool, &[a, b]),
        (None, Some(constant)) => against(a, Side::Right, constant),
        (Some(constant), None) => against(b, Side::Left, constant),
        (None, None) => match narrowed(pool, reading, a, b) {
            Some((reading, a, b)) => less(pool, reading, a, b),
            None => pool.intern(reading.strict(), Sort::Bool, &[a, b]),
        },
    }
}

/// Reduces a comparison of two extensions to one of their operands.
fn narrowed<P: Pool + ?Sized>(
    pool: &P,
    reading: Reading,
    a: TermId,
    b: TermId,
) -> Option<(Reading, TermId, TermId)> {
    let (Some((op @ (Op::ZeroExtend(_) | Op::SignExtend(_)), &[left])), Some((other, &[right]))) =
        (pool.as_application(a), pool.as_application(b))
    else {
        return None;
    };
    if op != other {
        return None;
    }
    let (left, right) = same_width(pool, op, left, right);
    // Zero extension makes all numbers positive; sign extension keeps both orders.
    let reading = if matches!(op, Op::ZeroExtend(_)) {
        Reading::Unsigned
    } else {
        reading
    };
    Some((reading, left, right))
}

/// The position of a constant relative to the values of an extended term.
enum Position {
    Extension(BitVecValue),
    /// The constant is below all extended values.
    Below,
    /// The constant is above all extended values.
    Above,
    /// The constant is above the sign extensions of nonnegative values and below those of negative ones (unsigned order only).
    Between,
}

fn position_of(reading: Reading, extension: Op, inner: u8, constant: BitVecValue) -> Position {
    let narrow = BitVecValue::new(inner, constant.bits());
    let is_signed = matches!(extension, Op::SignExtend(_));
    let fits = if is_signed {
        narrow.signed() == constant.signed()
    } else {
        narrow.bits() == constant.bits()
    };
    match (reading, is_signed) {
        _ if fits => Position::Extension(narrow),
        (Reading::Unsigned, true) => Position::Between,
        (Reading::Signed, _) if constant.is_negative() => Position::Below,
        _ => Position::Above,
    }
}

/// The side of a strict comparison on which the constant is.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Side {
    /// `constant < a`.
    Left,
    /// `a < constant`.
    Right,
}

/// A strict comparison with a constant. Comments describe `a < constant`; for `constant < a` the order is reversed.
fn against_constant<P: Pool + ?Sized>(
    pool: &P,
    reading: Reading,
    a: TermId,
    side: Side,
    constant: BitVecValue,
) -> TermId {
    let (width, bits) = (constant.width(), constant.bits());
    let bound = pool.bv(width, bits);
    let (least, greatest) = (reading.least(width), reading.greatest(width));
    // No number is less than the last one, and only the last is less than its neighbour.
    let (last, next, first) = match side {
        Side::Right => (least, least.wrapping_add(1), greatest),
        Side::Left => (greatest, greatest.wrapping_sub(1), least),
    };
    if bits == last {
        return TermId::FALSE;
    }
    if bits == BitVecValue::new(width, next).bits() {
        return eq(pool, a, pool.bv(width, last));
    }
    if bits == first {
        return pool.ne(a, bound);
    }
    if let Some((op @ (Op::ZeroExtend(_) | Op::SignExtend(_)), &[inner])) = pool.as_application(a) {
        let zero = pool.bv(pool.width(inner), 0);
        let inner_reading = if matches!(op, Op::ZeroExtend(_)) {
            Reading::Unsigned
        } else {
            reading
        };
        return match (position_of(reading, op, pool.width(inner), constant), side) {
            (Position::Extension(narrow), _) => {
                against_constant(pool, inner_reading, inner, side, narrow)
            }
            (Position::Below, Side::Left) | (Position::Above, Side::Right) => TermId::TRUE,
            (Position::Below, Side::Right) | (Position::Above, Side::Left) => TermId::FALSE,
            (Position::Between, Side::Right) => pool.sle(zero, inner),
            (Position::Between, Side::Left) => pool.slt(inner, zero),
        };
    }
    let operands = match side {
        Side::Right => [a, bound],
        Side::Left => [bound, a],
    };
    fold(pool, reading.strict(), Sort::Bool, &operands)
}
