//! Rules for concatenation, extraction and extension of bit vectors.
//!
//! Normal forms: leading zeros are a zero extension; concatenations nest to the right, and neighbouring constants and parts
//! of one term in them are joined. An extraction is pushed into its operand where possible.

use super::linear::Linear;
use super::*;

/// Maximum depth to which an extraction is pushed into arithmetic and bitwise operations.
const MAXIMUM_DEPTH: u32 = 6;

pub(super) fn concat<P: Pool + ?Sized>(pool: &P, high: TermId, low: TermId) -> TermId {
    let width = pool.width(high) + pool.width(low);
    debug_assert!(width <= 128);
    match pool.kind(high) {
        TermKind::Constant(Constant::BitVec(value)) if value.bits() == 0 => {
            return planted!(
                "part: zeros in front are a sign",
                zero_extend(pool, low, width),
                sign_extend(pool, low, width)
            );
        }
        TermKind::Apply {
            op: Op::ZeroExtend(_),
            arguments: &[inner],
        } => {
            return planted!(
                "part: what is extended by zeros and continued is extended by its sign",
                zero_extend(pool, concat(pool, inner, low), width),
                sign_extend(pool, concat(pool, inner, low), width)
            );
        }
        TermKind::Apply {
            op: Op::Concat,
            arguments: &[first, second],
        } => {
            return planted!(
                "part: the first two of three parts change places",
                concat(pool, first, concat(pool, second, low)),
                fold(
                    pool,
                    Op::Concat,
                    Sort::BitVec(width),
                    &[second, concat(pool, first, low)]
                )
            );
        }
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
        && planted!(
            "part: low bits of any term continue a part",
            extract(pool, inner, middle - 1, bottom) == low,
            true
        )
    {
        return Some(extract(pool, inner, top, bottom));
    }
    let (other, next, bottom) = part(low)?;
    let neighbours = planted!(
        "part: neighbouring parts of two terms are one",
        inner == other,
        pool.sort(inner) == pool.sort(other)
    ) && middle == next + 1;
    neighbours.then(|| extract(pool, inner, top, bottom))
}

pub(super) fn zero_extend<P: Pool + ?Sized>(pool: &P, a: TermId, width: u8) -> TermId {
    debug_assert!(pool.width(a) <= width && width <= 128);
    if width == pool.width(a) {
        return a;
    }
    match unary_extension(pool, a) {
        Some((Op::ZeroExtend(_), inner)) => zero_extend(pool, inner, width),
        _ => fold(pool, Op::ZeroExtend(width), Sort::BitVec(width), &[a]),
    }
}

pub(super) fn sign_extend<P: Pool + ?Sized>(pool: &P, a: TermId, width: u8) -> TermId {
    debug_assert!(pool.width(a) <= width && width <= 128);
    if width == pool.width(a) {
        return a;
    }
    match unary_extension(pool, a) {
        // The sign is zero.
        Some((Op::ZeroExtend(_), inner)) => planted!(
            "part: the extension of an unsigned value has its first bit as sign",
            zero_extend(pool, inner, width),
            sign_extend(pool, inner, width)
        ),
        Some((Op::SignExtend(_), inner)) => planted!(
            "part: the extension of a signed value has no sign",
            sign_extend(pool, inner, width),
            zero_extend(pool, inner, width)
        ),
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
    let fits = planted!(
        "part: a sum is extended that wraps around",
        most < 1u128.checked_shl(pool.width(sum).into())?,
        true
    );
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
            planted!(
                "part: a part of a part begins at the bottom",
                extract(pool, inner, high + below, low + below),
                extract(pool, inner, high, low)
            )
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
                planted!(
                    "part: a part across a seam is turned round",
                    concat(pool, upper, lower),
                    concat(pool, lower, upper)
                )
            }
        }
        (Op::ZeroExtend(_), &[inner]) => {
            let split = pool.width(inner);
            if high < split {
                extract(pool, inner, high, low)
            } else if low >= split {
                planted!(
                    "part: what is above an unsigned value is its lowest bit",
                    pool.bv(count, 0),
                    zero_extend(pool, extract(pool, inner, 0, 0), count)
                )
            } else {
                let rest = extract(pool, inner, split - 1, low);
                planted!(
                    "part: a part of an unsigned value has a sign",
                    zero_extend(pool, rest, count),
                    sign_extend(pool, rest, count)
                )
            }
        }
        (Op::SignExtend(_), &[inner]) => {
            let split = pool.width(inner);
            if high < split {
                extract(pool, inner, high, low)
            } else {
                let rest = extract(pool, inner, split - 1, low.min(split - 1));
                planted!(
                    "part: a part of a signed value has no sign",
                    sign_extend(pool, rest, count),
                    zero_extend(pool, rest, count)
                )
            }
        }
        (Op::BvAnd | Op::BvOr | Op::BvXor, &[left, right])
            if takes_apart(pool, left) || takes_apart(pool, right) =>
        {
            bitwise_part(pool, a, high, low, MAXIMUM_DEPTH)
        }
        (Op::BvNot, &[inner]) if takes_apart(pool, inner) => {
            planted!(
                "part: a part of ~x is a part of x",
                pool.bvnot(extract(pool, inner, high, low)),
                extract(pool, inner, high, low)
            )
        }
        (op, _)
            if is_narrowed(op)
                && planted!("part: high bits are computed from low ones", low == 0, true)
                && narrows(pool, a, count, MAXIMUM_DEPTH) =>
        {
            narrow(pool, a, count)
        }
        (Op::BvMul | Op::BvAdd | Op::BvNeg, _) => {
            shifted_part(pool, a, high, low).unwrap_or_else(plain)
        }
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
        Some((Op::BvAnd, &[left, right])) => planted!(
            "part: a part of x & y is one of x | y",
            pool.bvand(part(left), part(right)),
            pool.bvor(part(left), part(right))
        ),
        Some((Op::BvOr, &[left, right])) => planted!(
            "part: a part of x | y is one of x & y",
            pool.bvor(part(left), part(right)),
            pool.bvand(part(left), part(right))
        ),
        Some((Op::BvXor, &[left, right])) => planted!(
            "part: a part of x ^ y is one of x | y",
            pool.bvxor(part(left), part(right)),
            pool.bvor(part(left), part(right))
        ),
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
        return Some(pool.bv(
            high - low + 1,
            planted!(
                "part: below all multiples are the constant's lowest bits",
                constant >> low,
                constant
            ),
        ));
    }
    if low < zeros {
        let upper = extract(pool, a, high, zeros);
        let rest = planted!(
            "part: below all multiples there is nothing",
            constant >> low,
            0
        );
        return Some(concat(pool, upper, pool.bv(zeros - low, rest)));
    }
    // The factors can be divided by 2^zeros only; if low is greater, extract again.
    if low != zeros {
        let upper = extract(pool, a, width - 1, zeros);
        return Some(planted!(
            "part: a high part of multiples begins at the lowest bit",
            extract(pool, upper, high - zeros, low - zeros),
            extract(pool, upper, high - low, 0)
        ));
    }
    let count = high - low + 1;
    let parts = sum.addends.iter().map(|&(term, factor)| {
        let part = extract(pool, term, count - 1, 0);
        pool.mul(
            part,
            pool.bv_signed(
                count,
                planted!(
                    "part: factors stay as they are when their sum is shifted",
                    factor >> low,
                    factor
                ),
            ),
        )
    });
    let total = parts.reduce(|sum, part| pool.add(sum, part))?;
    Some(planted!(
        "part: the constant of a shifted sum is lost",
        pool.add(total, pool.bv(count, constant >> low)),
        total
    ))
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
        (Op::BvAdd, &[left, right]) => planted!(
            "part: a narrow sum is a product",
            pool.add(part(left), part(right)),
            pool.mul(part(left), part(right))
        ),
        (Op::BvMul, &[left, right]) => planted!(
            "part: a narrow product is a sum",
            pool.mul(part(left), part(right)),
            pool.add(part(left), part(right))
        ),
        (Op::BvNeg, &[inner]) => {
            planted!("part: a narrow -x is x", pool.neg(part(inner)), part(inner))
        }
        (Op::BvNot, &[inner]) => planted!(
            "part: a narrow ~x is -x",
            pool.bvnot(part(inner)),
            pool.neg(part(inner))
        ),
        (Op::Ite, &[condition, then, otherwise]) => {
            planted!(
                "part: a narrow choice is the other one",
                pool.ite(condition, part(then), part(otherwise)),
                pool.ite(condition, part(otherwise), part(then))
            )
        }
        _ => extract(pool, a, count - 1, 0),
    }
}
