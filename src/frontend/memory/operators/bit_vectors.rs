//! Machine integers: C's operators on bit vectors, and the functions on single bits.

use super::arithmetic::{IntegerType, pool};
use crate::ir::BinaryOp;
use regatta_term::{Build, Pool, Sort, TermId};

/// Width of a bit vector in bits.
pub fn width(term: TermId) -> u8 {
    match pool().sort(term) {
        Sort::BitVec(width) => width,
        _ => 1,
    }
}

/// An arithmetic operator on operands of the type; a shift's count may have another width.
pub fn binary(op: BinaryOp, [a, b]: [TermId; 2], kind: IntegerType, signed_count: bool) -> TermId {
    let pool = pool();
    match op {
        BinaryOp::Add => pool.add(a, b),
        BinaryOp::Subtract | BinaryOp::PointerDifference => pool.sub(a, b),
        BinaryOp::Multiply => pool.mul(a, b),
        BinaryOp::Divide if kind.signed => pool.sdiv(a, b),
        BinaryOp::Divide => pool.udiv(a, b),
        BinaryOp::Remainder if kind.signed => pool.srem(a, b),
        BinaryOp::Remainder => pool.urem(a, b),
        BinaryOp::And => pool.bvand(a, b),
        BinaryOp::Or => pool.bvor(a, b),
        BinaryOp::Xor => pool.bvxor(a, b),
        BinaryOp::ShiftLeft => pool.shl(a, count(b, width(a), signed_count)),
        BinaryOp::ShiftRight if kind.signed => pool.ashr(a, count(b, width(a), signed_count)),
        BinaryOp::ShiftRight => pool.lshr(a, count(b, width(a), signed_count)),
        _ => a,
    }
}

/// A shift count in the width of the shifted operand; a count that is too large stays too large.
fn count(count: TermId, bits: u8, signed: bool) -> TermId {
    let pool = pool();
    let own = width(count);
    if own <= bits {
        return if signed {
            pool.sign_resize(count, bits)
        } else {
            pool.zero_resize(count, bits)
        };
    }
    let limit = pool.bv(own, bits.into());
    let small = pool.extract(count, bits - 1, 0);
    // A narrow type cannot hold its own width: all ones is too large for every type of more than one bit.
    pool.ite(pool.ult(count, limit), small, pool.bv(bits, u128::MAX))
}

/// The number of ones, in the given width.
pub fn population_count(value: TermId, result: u8) -> TermId {
    let pool = pool();
    (0..width(value))
        .map(|bit| pool.zero_resize(pool.extract(value, bit, bit), result))
        .reduce(|a, b| pool.add(a, b))
        .unwrap_or_else(|| pool.bv(result, 0))
}

/// The number of zeros above the highest one; the width for zero.
pub fn leading_zeros(value: TermId, result: u8) -> TermId {
    let pool = pool();
    let bits = width(value);
    (0..bits).fold(pool.bv(result, bits.into()), |rest, bit| {
        let set = pool.eq(pool.extract(value, bit, bit), pool.bv(1, 1));
        pool.ite(set, pool.bv(result, (bits - 1 - bit).into()), rest)
    })
}

/// The number of zeros below the lowest one; the width for zero.
pub fn trailing_zeros(value: TermId, result: u8) -> TermId {
    let pool = pool();
    let bits = width(value);
    (0..bits)
        .rev()
        .fold(pool.bv(result, bits.into()), |rest, bit| {
            let set = pool.eq(pool.extract(value, bit, bit), pool.bv(1, 1));
            pool.ite(set, pool.bv(result, bit.into()), rest)
        })
}

/// The bytes in the opposite order.
pub fn byte_swap(value: TermId) -> TermId {
    let pool = pool();
    let bits = width(value);
    (0..bits / 8)
        .map(|byte| pool.extract(value, 8 * byte + 7, 8 * byte))
        .reduce(|high, low| pool.concat(high, low))
        .unwrap_or(value)
}
