//! `--arithmetic integer`: C's integers as mathematical integers, as in \[KGCC13\] and \[Bir13\].
//!
//! * **Values.** Every integer type, signed or unsigned, of whatever width, and every pointer is ℤ; `_Bool` is a truth
//!   value. An input of an unsigned type is not negative (an `Assume` follows it); apart from that nothing keeps
//!   a value in its type's range.
//! * **No wrap-around.** `+`, `-`, `*` and unary `-` are those of ℤ, for unsigned types too.
//! * **`/` and `%`** truncate toward zero, as in C.
//! * **Conversions** between integer types change nothing; to `_Bool`: whether the value is not zero. From a float:
//!   truncation; to a float: rounding.
//! * **Shifts.** `x << n` is x·2ⁿ and `x >> n` is ⌊x/2ⁿ⌋. A count that is not constant is compared with 0 to 63; any
//!   other count shifts nothing.
//! * **`~x`** is -x - 1. **`x & m`** for a constant m = 2ᵏ - 1 is x mod 2ᵏ, and x - x mod 2ᵏ for m = -2ᵏ. Other cases
//!   of `&`, `|` and `^` go through the 64-bit two's complement of both operands, the result taken as signed.
//! * **Comparisons** are those of ℤ.
//! * **Bit-fields** hold any integer, like all others.
//! * **Memory** is arrays over ℤ of whole values. A value that is read with another width or kind than it was written
//!   with has no meaning here: such an access is an `Unsupported` edge.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::arithmetic::pool;
use crate::ir::BinaryOp;
use regatta_term::{Build, Constant, Pool, TermId};

/// Width (bits) in which the bitwise operators without a simple meaning on ℤ are computed.
const BITWISE_WIDTH: u8 = 64;

/// Maximum shift count that is not constant.
const MAXIMUM_VARIABLE_SHIFT: u8 = 63;

/// `~x`.
pub fn complement(value: TermId) -> TermId {
    pool().int_sub(pool().int(-1), value)
}

/// An arithmetic operator.
pub fn binary(op: BinaryOp, [a, b]: [TermId; 2]) -> TermId {
    let pool = pool();
    match op {
        BinaryOp::Add => pool.int_add(a, b),
        BinaryOp::Subtract | BinaryOp::PointerDifference => pool.int_sub(a, b),
        BinaryOp::Multiply => pool.int_mul(a, b),
        BinaryOp::Divide => pool.int_tdiv(a, b),
        BinaryOp::Remainder => pool.int_trem(a, b),
        BinaryOp::ShiftLeft => shift(a, b, |value, power| pool.int_mul(value, power)),
        BinaryOp::ShiftRight => shift(a, b, |value, power| pool.int_div(value, power)),
        BinaryOp::And => and(a, b),
        BinaryOp::Or => bitwise(a, b, |a, b| pool.bvor(a, b)),
        BinaryOp::Xor => match (constant(a), constant(b)) {
            (Some(ones), _) if ones == BigInt::from(-1) => complement(b),
            (_, Some(ones)) if ones == BigInt::from(-1) => complement(a),
            _ => bitwise(a, b, |a, b| pool.bvxor(a, b)),
        },
        _ => a,
    }
}

fn constant(term: TermId) -> Option<BigInt> {
    match pool().constant(term) {
        Some(Constant::Int(value)) => Some(value.clone()),
        _ => None,
    }
}

/// The value of a constant, if it fits.
pub fn constant_value(term: TermId) -> Option<i128> {
    constant(term)?.to_i128()
}

fn power(exponent: u32) -> TermId {
    pool().int_big(BigInt::one() << exponent)
}

fn shift(value: TermId, count: TermId, apply: impl Fn(TermId, TermId) -> TermId) -> TermId {
    let pool = pool();
    if let Some(count) = constant(count) {
        // Far more than any type has bits; larger powers would only cost memory.
        return match count.to_u32() {
            Some(count) if count <= 1024 => apply(value, power(count)),
            _ => value,
        };
    }
    (0..=MAXIMUM_VARIABLE_SHIFT)
        .rev()
        .fold(value, |rest, bits| {
            let here = pool.eq(count, pool.int(bits.into()));
            pool.ite(here, apply(value, power(bits.into())), rest)
        })
}

fn and(a: TermId, b: TermId) -> TermId {
    let pool = pool();
    let (value, mask) = match (constant(a), constant(b)) {
        (_, Some(mask)) => (a, mask),
        (Some(mask), None) => (b, mask),
        (None, None) => return bitwise(a, b, |a, b| pool.bvand(a, b)),
    };
    if mask.is_zero() {
        return pool.int(0);
    }
    let is_power = |number: &BigInt| number.is_positive() && (number & (number - 1_i32)).is_zero();
    if is_power(&(&mask + 1_i32)) {
        return pool.int_mod(value, pool.int_big(mask + 1_i32));
    }
    if is_power(&-&mask) {
        return pool.int_sub(value, pool.int_mod(value, pool.int_big(-mask)));
    }
    bitwise(a, b, |a, b| pool.bvand(a, b))
}

fn bitwise(a: TermId, b: TermId, apply: impl Fn(TermId, TermId) -> TermId) -> TermId {
    let pool = pool();
    pool.bv_to_int(apply(
        pool.int_to_bv(a, BITWISE_WIDTH),
        pool.int_to_bv(b, BITWISE_WIDTH),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_agree_with_machine_integers() {
        let numbers = [-1_000_000_i64, -17, -8, -1, 0, 1, 3, 8, 255, 256, 1_000_003];
        for a in numbers {
            for b in numbers {
                let run = |op| binary(op, [pool().int(a), pool().int(b)]);
                let mut table = vec![
                    (BinaryOp::And, a & b),
                    (BinaryOp::Or, a | b),
                    (BinaryOp::Xor, a ^ b),
                    (BinaryOp::Add, a + b),
                    (BinaryOp::Multiply, a * b),
                ];
                if b != 0 {
                    table.extend([(BinaryOp::Divide, a / b), (BinaryOp::Remainder, a % b)]);
                }
                if (0..40).contains(&b) {
                    table.extend([
                        (BinaryOp::ShiftLeft, a << b),
                        (BinaryOp::ShiftRight, a >> b),
                    ]);
                }
                for (op, expected) in table {
                    assert_eq!(run(op), pool().int(expected), "{a} {op:?} {b}");
                }
            }
            assert_eq!(complement(pool().int(a)), pool().int(!a));
        }
    }
}
