//! Checks for overflow where no integer type holds every result: the operands are split into sign and size.

use super::{Lowerer, fold};
use crate::frontend::ir::{BinaryOp, Expr, ScalarType};

/// What sizes are computed in.
const SIZE: ScalarType = ScalarType::Integer {
    bits: 128,
    signed: false,
};

/// The same width with a sign.
const SIGNED: ScalarType = ScalarType::Integer {
    bits: 128,
    signed: true,
};

/// A number by its sign and its absolute value.
#[derive(Clone)]
pub(super) struct Magnitude {
    /// Whether it is negative: an `int` that is zero or one. Zero may be said to be so.
    negative: Expr,
    /// Its absolute value, modulo two to the power of 128.
    size: Expr,
}

impl Magnitude {
    /// That of a number of an integer type.
    pub(super) fn of(lowerer: &mut Lowerer<'_>, value: Expr, shape: ScalarType) -> Self {
        let signed = matches!(shape, ScalarType::Integer { signed: true, .. });
        let value = lowerer.computed_once(value, shape);
        let size = fold::convert(value.clone(), shape, SIZE);
        if !signed {
            return Self {
                negative: fold::int(0),
                size,
            };
        }
        let negative = fold::binary(BinaryOp::Less, value, fold::zero(shape), shape);
        let opposite = fold::binary(BinaryOp::Subtract, fold::zero(SIZE), size.clone(), SIZE);
        let size = Expr::conditional(negative.clone(), opposite, size, SIZE);
        Self {
            negative: lowerer.computed_once(negative, fold::INT),
            size: lowerer.computed_once(size, SIZE),
        }
    }
}

impl Lowerer<'_> {
    /// The result wrapped to a type of at most 128 bits, and whether that changes it.
    pub(super) fn checked_widely(
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
            size: self.computed_once(result.size, SIZE),
        };
        let limit = limit(&result.negative, target);
        let beyond = fold::binary(BinaryOp::Greater, result.size.clone(), limit, SIZE);
        let overflow = fold::binary(BinaryOp::Or, lost, beyond, fold::INT);
        let overflow = self.computed_once(overflow, fold::INT);
        let zero = fold::zero(SIZE);
        let opposite = fold::binary(BinaryOp::Subtract, zero, result.size.clone(), SIZE);
        let wrapped = Expr::conditional(result.negative, opposite, result.size, SIZE);
        let wrapped = self.computed_once(wrapped, SIZE);
        (fold::convert(wrapped, SIZE, target), overflow)
    }

    /// A product, and whether its size has more than 128 bits.
    fn product(&mut self, left: Magnitude, right: Magnitude) -> (Magnitude, Expr) {
        let size = fold::binary(
            BinaryOp::Multiply,
            left.size.clone(),
            right.size.clone(),
            SIZE,
        );
        let size = self.computed_once(size, SIZE);
        let zero = fold::zero(SIZE);
        let is_zero = fold::binary(BinaryOp::Equal, left.size.clone(), zero, SIZE);
        let is_zero = self.computed_once(is_zero, fold::INT);
        let one = fold::integer(1, SIZE);
        let divisor = Expr::conditional(is_zero.clone(), one, left.size, SIZE);
        let divisor = self.computed_once(divisor, SIZE);
        let back = fold::binary(BinaryOp::Divide, size.clone(), divisor, SIZE);
        let differs = fold::binary(BinaryOp::NotEqual, back, right.size, SIZE);
        let lost = Expr::conditional(is_zero, fold::int(0), differs, fold::INT);
        let negative = fold::binary(BinaryOp::NotEqual, left.negative, right.negative, fold::INT);
        (Magnitude { negative, size }, lost)
    }

    /// A sum, and whether its size has more than 128 bits.
    fn sum(&mut self, left: Magnitude, right: Magnitude) -> (Magnitude, Expr) {
        let (a, b) = (left.size, right.size);
        let sum = fold::binary(BinaryOp::Add, a.clone(), b.clone(), SIZE);
        let sum = self.computed_once(sum, SIZE);
        let same = fold::binary(
            BinaryOp::Equal,
            left.negative.clone(),
            right.negative.clone(),
            fold::INT,
        );
        let same = self.computed_once(same, fold::INT);
        let larger = fold::binary(BinaryOp::GreaterEqual, a.clone(), b.clone(), SIZE);
        let larger = self.computed_once(larger, fold::INT);
        let down = fold::binary(BinaryOp::Subtract, a.clone(), b.clone(), SIZE);
        let up = fold::binary(BinaryOp::Subtract, b, a.clone(), SIZE);
        let difference = Expr::conditional(larger.clone(), down, up, SIZE);
        let sign = Expr::conditional(larger, left.negative.clone(), right.negative, fold::INT);
        let carry = fold::binary(BinaryOp::Less, sum.clone(), a, SIZE);
        let result = Magnitude {
            negative: Expr::conditional(same.clone(), left.negative, sign, fold::INT),
            size: Expr::conditional(same.clone(), sum, difference, SIZE),
        };
        let lost = Expr::conditional(same, carry, fold::int(0), fold::INT);
        (result, lost)
    }
}

/// The largest size of a number of a type that has a sign.
fn limit(negative: &Expr, target: ScalarType) -> Expr {
    let (bits, signed) = match target {
        ScalarType::Integer { bits, signed } => (bits, signed),
        _ => (1, false),
    };
    // The numbers of a type without a sign are all that their bits hold, as this shift of all ones.
    let all = fold::convert(fold::integer(-1, SIGNED), SIGNED, SIZE);
    let positive_bits = bits - u8::from(signed);
    let count = fold::integer(i128::from(128 - positive_bits), SIZE);
    let positive = fold::binary(BinaryOp::ShiftRight, all, count, SIZE);
    let lowest = match signed {
        true => fold::binary(
            BinaryOp::ShiftLeft,
            fold::integer(1, SIZE),
            fold::integer(i128::from(positive_bits), SIZE),
            SIZE,
        ),
        false => fold::zero(SIZE),
    };
    Expr::conditional(negative.clone(), lowest, positive, SIZE)
}
