//! Rules for concatenation, extraction and extension of bit vectors.
//!
//! Normal forms: leading zeros are a zero extension; concatenations nest to the right, and neighbouring constants and parts
//! of one term in them are joined. An extraction is pushed into its operand where possible.

use super::linear::Linear;
use super::*;
use crate::build::limits::MAXIMUM_EXTRACTION_DEPTH;

pub(super) fn concat<P: Pool + ?Sized>(pool: &P, high: TermId, low: TermId) -> TermId {
    let width = pool.width(high) + pool.width(low);
    debug_assert!(width <= 128);
    match pool.kind(high) {
        TermKind::Constant(Constant::BitVec(value)) if value.bits() == 0 => {
            return zero_extend(pool, low, width);
        }
        TermKind::Apply {
            op: Op::ZeroExtend(_),
            arguments: &[inner],
        } => return zero_extend(pool, concat(pool, inner, low), width),
        TermKind::Apply {
            op: Op::Concat,
            arguments: &[first, second],
        } => return concat(pool, first, concat(pool, second, low)),
        _ => {}
    }
    if let Some((next, rest)) = binary(pool, low, Op::Concat)
        && let Some(joined) = joined(pool, high, next)
    {
        return concat(pool, joined, rest);
    }
    joined(pool, high, low)
        .unwrap_or_else(|| fold(pool, Op::Concat, Sort::BitVec(width), &[high, low]))
}

/// Joins two parts of a concatenation, if they are constants or neighbouring parts of one term.
fn joined<P: Pool + ?Sized>(pool: &P, high: TermId, low: TermId) -> Option<TermId> {
    if pool.is_constant(high) && pool.is_constant(low) {
        let width = pool.width(high) + pool.width(low);
        return Some(fold(pool, Op::Concat, Sort::BitVec(width), &[high, low]));
    }
    let part = |term| match pool.as_application(term) {
        Some((Op::Extract { high, low }, &[inner])) => Some((inner, high, low)),
        _ => None,
    };
    let (inner, top, middle) = part(high)?;
    // The low bits of a sum, for example, are a sum of low bits.
    if let Some(bottom) = middle.checked_sub(pool.width(low))
        && matches!(pool.as_application(inner), Some((op, _)) if is_narrowed(op))
        && extract(pool, inner, middle - 1, bottom) == low
    {
        return Some(extract(pool, inner, top, bottom));
    }
    let (other, next, bottom) = part(low)?;
    let neighbours = inner == other && middle == next + 1;
    neighbours.then(|| extract(pool, inner, top, bottom))
}

pub(super) fn zero_extend<P: Pool + ?Sized>(pool: &P, a: TermId, width: u8) -> TermId {
    debug_assert!(pool.width(a) <= width && width <= 128);
    if width == pool.width(a) {
        return a;
    }
    match unary_extension(pool, a) {
        Some((Op::ZeroExtend(_), inner)) => zero_extend(pool, inner, width),
        _ => match whole_quotient(pool, a) {
            Some(quotient) if pool.width(quotient) <= width => zero_extend(pool, quotient, width),
            _ => fold(pool, Op::ZeroExtend(width), Sort::BitVec(width), &[a]),
        },
    }
}

/// The quotient by a constant of which the term lacks upper bits that are always zero.
fn whole_quotient<P: Pool + ?Sized>(pool: &P, term: TermId) -> Option<TermId> {
    let (Op::Extract { high, low: 0 }, &[quotient]) = pool.as_application(term)? else {
        return None;
    };
    let (_, divisor) = binary(pool, quotient, Op::BvUdiv)?;
    let divisor = pool.bit_vec_constant(divisor)?;
    let dividend = BitVecValue::new(divisor.width(), u128::MAX).bits();
    let greatest = dividend.checked_div(divisor.bits())?;
    (greatest >> (high + 1) == 0).then_some(quotient)
}

pub(super) fn sign_extend<P: Pool + ?Sized>(pool: &P, a: TermId, width: u8) -> TermId {
    debug_assert!(pool.width(a) <= width && width <= 128);
    if width == pool.width(a) {
        return a;
    }
    match unary_extension(pool, a) {
        // The sign is zero.
        Some((Op::ZeroExtend(_), inner)) => zero_extend(pool, inner, width),
        Some((Op::SignExtend(_), inner)) => sign_extend(pool, inner, width),
        _ => fold(pool, Op::SignExtend(width), Sort::BitVec(width), &[a]),
    }
}

/// Rewrites a zero extension of a sum of a zero extension and a constant, which does not wrap around, as the sum of the wide
/// operand and the constant; `None` for other terms. Pointers that are built from bytes, some of which are known to be zero,
/// have this form.
pub fn extended_sum<P: Pool + ?Sized>(pool: &P, term: TermId) -> Option<TermId> {
    let (Op::ZeroExtend(width), &[sum]) = pool.as_application(term)? else {
        return None;
    };
    let (left, right) = binary(pool, sum, Op::BvAdd)?;
    let (part, constant) = match pool.bit_vec_constant(right) {
        Some(constant) => (left, constant),
        None => (right, pool.bit_vec_constant(left)?),
    };
    let (Op::ZeroExtend(_), inner) = unary_extension(pool, part)? else {
        return None;
    };
    let most = (1u128.checked_shl(pool.width(inner).into())? - 1).checked_add(constant.bits())?;
    let fits = most < 1u128.checked_shl(pool.width(sum).into())?;
    let constant = pool.bv(width, constant.bits());
    fits.then(|| pool.add(zero_extend(pool, inner, width), constant))
}

fn unary_extension<P: Pool + ?Sized>(pool: &P, a: TermId) -> Option<(Op, TermId)> {
    match pool.as_application(a) {
        Some((op @ (Op::ZeroExtend(_) | Op::SignExtend(_)), &[inner])) => Some((op, inner)),
        _ => None,
    }
}

pub(super) fn extract<P: Pool + ?Sized>(pool: &P, a: TermId, high: u8, low: u8) -> TermId {
    let width = pool.width(a);
    debug_assert!(low <= high && high < width);
    let count = high - low + 1;
    if count == width {
        return a;
    }
    let plain = || fold(pool, Op::Extract { high, low }, Sort::BitVec(count), &[a]);
    let Some((op, arguments)) = pool.as_application(a) else {
        return plain();
    };
    match (op, arguments) {
        (Op::Extract { low: below, .. }, &[inner]) => {
            extract(pool, inner, high + below, low + below)
        }
        (Op::Concat, &[upper, lower]) => {
            let split = pool.width(lower);
            if high < split {
                extract(pool, lower, high, low)
            } else if low >= split {
                extract(pool, upper, high - split, low - split)
            } else {
                let upper = extract(pool, upper, high - split, 0);
                let lower = extract(pool, lower, split - 1, low);
                concat(pool, upper, lower)
            }
        }
        (Op::ZeroExtend(_), &[inner]) => {
            let split = pool.width(inner);
            if high < split {
                extract(pool, inner, high, low)
            } else if low >= split {
                pool.bv(count, 0)
            } else {
                let rest = extract(pool, inner, split - 1, low);
                zero_extend(pool, rest, count)
            }
        }
        (Op::SignExtend(_), &[inner]) => {
            let split = pool.width(inner);
            if high < split {
                extract(pool, inner, high, low)
            } else {
                let rest = extract(pool, inner, split - 1, low.min(split - 1));
                sign_extend(pool, rest, count)
            }
        }
        (Op::BvAnd | Op::BvOr | Op::BvXor, &[left, right])
            if takes_apart(pool, left) || takes_apart(pool, right) =>
        {
            bitwise_part(pool, a, high, low, MAXIMUM_EXTRACTION_DEPTH)
        }
        (Op::BvNot, &[inner]) if takes_apart(pool, inner) => {
            pool.bvnot(extract(pool, inner, high, low))
        }
        (op, _)
            if is_narrowed(op) && low == 0 && narrows(pool, a, count, MAXIMUM_EXTRACTION_DEPTH) =>
        {
            narrow(pool, a, count)
        }
        (Op::BvMul | Op::BvAdd | Op::BvNeg, _) => shifted_part(pool, a, high, low)
            .or_else(|| quotient_part(pool, a, high, low))
            .unwrap_or_else(plain),
        _ => plain(),
    }
}

/// Checks whether the low bits of the operator's result depend on the low bits of its operands only.
const fn is_narrowed(op: Op) -> bool {
    matches!(op, Op::BvMul | Op::BvAdd | Op::BvNeg | Op::Ite)
}

/// Checks whether an extraction can be pushed into the term.
fn takes_apart<P: Pool + ?Sized>(pool: &P, term: TermId) -> bool {
    match pool.kind(term) {
        TermKind::Constant(_) => true,
        TermKind::Apply { op, .. } => {
            matches!(op, Op::Concat | Op::ZeroExtend(_) | Op::SignExtend(_))
        }
        TermKind::Variable { .. } => false,
    }
}

/// Extracts from a bitwise operation, one of whose operands can be taken apart.
fn bitwise_part<P: Pool + ?Sized>(pool: &P, a: TermId, high: u8, low: u8, depth: u32) -> TermId {
    let part = |term| {
        let is_bitwise = |op| matches!(op, Op::BvAnd | Op::BvOr | Op::BvXor);
        match pool.as_application(term) {
            Some((op, &[left, right]))
                if is_bitwise(op)
                    && (takes_apart(pool, left) || takes_apart(pool, right))
                    && depth > 0 =>
            {
                bitwise_part(pool, term, high, low, depth - 1)
            }
            Some((op, _)) if is_bitwise(op) => fold(
                pool,
                Op::Extract { high, low },
                Sort::BitVec(high - low + 1),
                &[term],
            ),
            _ => extract(pool, term, high, low),
        }
    };
    match pool.as_application(a) {
        Some((Op::BvAnd, &[left, right])) => pool.bvand(part(left), part(right)),
        Some((Op::BvOr, &[left, right])) => pool.bvor(part(left), part(right)),
        Some((Op::BvXor, &[left, right])) => pool.bvxor(part(left), part(right)),
        _ => extract(pool, a, high, low),
    }
}

/// Extracts from a sum whose factors are all multiples of 2^k, k > 0. From bit k on it is the sum with the factors
/// divided, because the bits below k are the constant's and carry nothing. (Example: the address of an array's element, divided
/// by the element's size.)
fn shifted_part<P: Pool + ?Sized>(pool: &P, a: TermId, high: u8, low: u8) -> Option<TermId> {
    let width = pool.width(a);
    let sum = Linear::of(pool, Sort::BitVec(width), &[(a, 1)])?;
    let zeros = sum
        .addends
        .iter()
        .map(|(_, factor)| factor.trailing_zeros() as u8)
        .min()?;
    if zeros == 0 {
        return None;
    }
    let constant = BitVecValue::from_signed(width, sum.constant).bits();
    if high < zeros {
        return Some(pool.bv(high - low + 1, constant >> low));
    }
    if low < zeros {
        let upper = extract(pool, a, high, zeros);
        let rest = constant >> low;
        return Some(concat(pool, upper, pool.bv(zeros - low, rest)));
    }
    // The factors can be divided by 2^zeros only; if low is greater, extract again.
    if low != zeros {
        let upper = extract(pool, a, width - 1, zeros);
        return Some(extract(pool, upper, high - zeros, low - zeros));
    }
    let count = high - low + 1;
    let parts = sum.addends.iter().map(|&(term, factor)| {
        let part = extract(pool, term, count - 1, 0);
        pool.mul(part, pool.bv_signed(count, factor >> low))
    });
    let total = parts.reduce(|sum, part| pool.add(sum, part))?;
    Some(pool.add(total, pool.bv(count, constant >> low)))
}

/// Extracts from a product with a constant m that is the high bits of a quotient by a constant d: where x has N bits, the product
/// does not wrap around, and 2^s <= m * d <= 2^s + 2^(s - N), then m * x shifted right by s is x divided by d (\[GM94\],
/// Theorem 4.2).
fn quotient_part<P: Pool + ?Sized>(pool: &P, a: TermId, high: u8, low: u8) -> Option<TermId> {
    let &[extended, factor] = pool.arguments(Op::BvMul, a)? else {
        return None;
    };
    let width = pool.width(a);
    let factor = pool.bit_vec_constant(factor)?.bits();
    let dividend = unary(pool, extended, Op::ZeroExtend(width))?;
    let size = pool.width(dividend);
    let greatest = BitVecValue::new(size, u128::MAX).bits();
    let has_no_carry = factor <= BitVecValue::new(width, u128::MAX).bits() / greatest;
    let (shift, excess) = (u32::from(low), u32::from(low.checked_sub(size)?));
    let power = 1_u128.checked_shl(shift)?;
    let divisor = power.div_ceil(factor.max(1));
    let error = factor.checked_mul(divisor)? - power;
    let is_reciprocal = factor > 0 && error <= 1 << excess && has_no_carry;
    if !is_reciprocal || divisor > greatest {
        return None;
    }
    let quotient = pool.udiv(dividend, pool.bv(size, divisor));
    let count = high - low + 1;
    Some(match count < size {
        true => extract(pool, quotient, count - 1, 0),
        false => zero_extend(pool, quotient, count),
    })
}

/// Checks whether [`narrow`] applies without an extraction from an opaque operand.
fn narrows<P: Pool + ?Sized>(pool: &P, a: TermId, count: u8, depth: u32) -> bool {
    let Some((op, arguments)) = pool.as_application(a) else {
        return pool.constant(a).is_some();
    };
    match (op, arguments) {
        (Op::ZeroExtend(_) | Op::SignExtend(_), _) => true,
        (Op::Concat, &[_, low]) => pool.width(low) >= count,
        (Op::Ite, [_, branches @ ..])
        | (Op::BvAdd | Op::BvMul | Op::BvNeg | Op::BvNot, branches) => {
            depth > 0
                && branches
                    .iter()
                    .all(|branch| narrows(pool, *branch, count, depth - 1))
        }
        _ => false,
    }
}

/// The low bits of a term for which [`narrows`] holds, computed in that width. (Example: C computes in int, and stores a char.)
fn narrow<P: Pool + ?Sized>(pool: &P, a: TermId, count: u8) -> TermId {
    let Some((op, arguments)) = pool.as_application(a) else {
        return extract(pool, a, count - 1, 0);
    };
    let part = |term| narrow(pool, term, count);
    match (op, arguments) {
        (Op::BvAdd, &[left, right]) => pool.add(part(left), part(right)),
        (Op::BvMul, &[left, right]) => pool.mul(part(left), part(right)),
        (Op::BvNeg, &[inner]) => pool.neg(part(inner)),
        (Op::BvNot, &[inner]) => pool.bvnot(part(inner)),
        (Op::Ite, &[condition, then, otherwise]) => {
            pool.ite(condition, part(then), part(otherwise))
        }
        _ => extract(pool, a, count - 1, 0),
    }
}
