//! Overflow checks where no integer type holds every result: operands are split into sign and magnitude. The usual ones are in
//! `lower::checks`.

use super::fold::{self, SIGNED_128, UNSIGNED_128};
use crate::ir::{BinaryOp, Expr, ScalarType};
use crate::lower::Lowerer;

/// An integer as sign and magnitude.
#[derive(Clone)]
pub(in crate::lower) struct Magnitude {
    /// An `int`: one if the number is negative, else zero. Zero may have either sign.
    negative: Expr,
    /// The absolute value modulo 2^128.
    size: Expr,
}

impl Magnitude {
    /// Splits a number of an integer type.
    pub(in crate::lower) fn of(lowerer: &mut Lowerer<'_>, value: Expr, shape: ScalarType) -> Self {
        let signed = matches!(shape, ScalarType::Integer { signed: true, .. });
        let value = lowerer.computed_once(value, shape);
        let size = fold::convert(value.clone(), shape, UNSIGNED_128);
        if !signed {
            return Self {
                negative: fold::int(0),
                size,
            };
        }
        let negative = fold::binary(BinaryOp::Less, value, fold::zero(shape), shape);
        let size = with_sign(negative.clone(), size);
        Self {
            negative: lowerer.computed_once(negative, fold::INT),
            size: lowerer.computed_once(size, UNSIGNED_128),
        }
    }
}

impl Lowerer<'_> {
    /// The result wrapped to a type of at most 128 bits, and whether wrapping changes it.
    pub(in crate::lower) fn checked_widely(
        &mut self,
        op: BinaryOp,
        left: Magnitude,
        mut right: Magnitude,
        target: ScalarType,
    ) -> (Expr, Expr) {
        if op == BinaryOp::Subtract {
            right.negative = fold::binary(BinaryOp::Equal, right.negative, fold::int(0), fold::INT);
        }
        let (result, lost) = match op {
            BinaryOp::Multiply => self.product(left, right),
            _ => self.sum(left, right),
        };
        let result = Magnitude {
            negative: self.computed_once(result.negative, fold::INT),
            size: self.computed_once(result.size, UNSIGNED_128),
        };
        let limit = limit(&result.negative, target);
        let beyond = fold::binary(BinaryOp::Greater, result.size.clone(), limit, UNSIGNED_128);
        let overflow = fold::binary(BinaryOp::Or, lost, beyond, fold::INT);
        let overflow = self.computed_once(overflow, fold::INT);
        let wrapped = with_sign(result.negative, result.size);
        let wrapped = self.computed_once(wrapped, UNSIGNED_128);
        (fold::convert(wrapped, UNSIGNED_128, target), overflow)
    }

    /// A product, and whether its magnitude has more than 128 bits.
    fn product(&mut self, left: Magnitude, right: Magnitude) -> (Magnitude, Expr) {
        let size = fold::binary(
            BinaryOp::Multiply,
            left.size.clone(),
            right.size.clone(),
            UNSIGNED_128,
        );
        let size = self.computed_once(size, UNSIGNED_128);
        let zero = fold::zero(UNSIGNED_128);
        let is_zero = fold::binary(BinaryOp::Equal, left.size.clone(), zero, UNSIGNED_128);
        let is_zero = self.computed_once(is_zero, fold::INT);
        let one = fold::integer(1, UNSIGNED_128);
        let divisor = Expr::conditional(is_zero.clone(), one, left.size, UNSIGNED_128);
        let divisor = self.computed_once(divisor, UNSIGNED_128);
        let back = fold::binary(BinaryOp::Divide, size.clone(), divisor, UNSIGNED_128);
        let differs = fold::binary(BinaryOp::NotEqual, back, right.size, UNSIGNED_128);
        let lost = Expr::conditional(is_zero, fold::int(0), differs, fold::INT);
        let negative = fold::binary(BinaryOp::NotEqual, left.negative, right.negative, fold::INT);
        (Magnitude { negative, size }, lost)
    }

    /// A sum, and whether its magnitude has more than 128 bits.
    fn sum(&mut self, left: Magnitude, right: Magnitude) -> (Magnitude, Expr) {
        let (a, b) = (left.size, right.size);
        let sum = fold::binary(BinaryOp::Add, a.clone(), b.clone(), UNSIGNED_128);
        let sum = self.computed_once(sum, UNSIGNED_128);
        let same = fold::binary(
            BinaryOp::Equal,
            left.negative.clone(),
            right.negative.clone(),
            fold::INT,
        );
        let same = self.computed_once(same, fold::INT);
        let larger = fold::binary(BinaryOp::GreaterEqual, a.clone(), b.clone(), UNSIGNED_128);
        let larger = self.computed_once(larger, fold::INT);
        let down = fold::binary(BinaryOp::Subtract, a.clone(), b.clone(), UNSIGNED_128);
        let up = fold::binary(BinaryOp::Subtract, b, a.clone(), UNSIGNED_128);
        let difference = Expr::conditional(larger.clone(), down, up, UNSIGNED_128);
        let sign = Expr::conditional(larger, left.negative.clone(), right.negative, fold::INT);
        let carry = fold::binary(BinaryOp::Less, sum.clone(), a, UNSIGNED_128);
        let result = Magnitude {
            negative: Expr::conditional(same.clone(), left.negative, sign, fold::INT),
            size: Expr::conditional(same.clone(), sum, difference, UNSIGNED_128),
        };
        let lost = Expr::conditional(same, carry, fold::int(0), fold::INT);
        (result, lost)
    }
}

/// The number itself, or its negation modulo 2^128 where `negative` holds.
fn with_sign(negative: Expr, size: Expr) -> Expr {
    let zero = fold::zero(UNSIGNED_128);
    let opposite = fold::binary(BinaryOp::Subtract, zero, size.clone(), UNSIGNED_128);
    Expr::conditional(negative, opposite, size, UNSIGNED_128)
}

/// The maximum magnitude of a number of the type with the given sign.
fn limit(negative: &Expr, target: ScalarType) -> Expr {
    let (bits, signed) = match target {
        ScalarType::Integer { bits, signed } => (bits, signed),
        _ => (1, false),
    };
    // The maximum of an unsigned type has all its bits set: all ones, shifted right.
    let all = fold::convert(fold::integer(-1, SIGNED_128), SIGNED_128, UNSIGNED_128);
    let positive_bits = bits - u8::from(signed);
    let count = fold::integer(i128::from(128 - positive_bits), UNSIGNED_128);
    let positive = fold::binary(BinaryOp::ShiftRight, all, count, UNSIGNED_128);
    let lowest = match signed {
        true => fold::binary(
            BinaryOp::ShiftLeft,
            fold::integer(1, UNSIGNED_128),
            fold::integer(i128::from(positive_bits), UNSIGNED_128),
            UNSIGNED_128,
        ),
        false => fold::zero(UNSIGNED_128),
    };
    Expr::conditional(negative.clone(), lowest, positive, UNSIGNED_128)
}
