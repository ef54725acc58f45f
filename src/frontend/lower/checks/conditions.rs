//! The conditions under which operations on integers are defined, as expressions.
//!
//! An operand is computed in a type that *represents* its values; the values themselves may be those of a narrower
//! bit-precise type, the *exact* one. Where an operand is constant, the condition bounds the other one. Otherwise an
//! operation of at most 32 bits is computed in 64.

use super::super::expressions::fold::{self, INT, SIGNED_128};
use super::ranges::{Range, range};
use crate::ir::{BinaryOp, Expr, ScalarType, UnaryOp};

const SIGNED_64: ScalarType = ScalarType::Integer {
    bits: 64,
    signed: true,
};

/// The width of a type of integers.
fn width(scalar: ScalarType) -> u8 {
    match scalar {
        ScalarType::Integer { bits, .. } => bits,
        _ => 0,
    }
}

/// Builds the conjunction of conditions.
fn both(left: Expr, right: Expr) -> Expr {
    fold::binary(BinaryOp::LogicalAnd, left, right, INT)
}

/// Builds the condition that the expression, with values in `known`, is in the range.
fn within(expr: &Expr, known: Range, allowed: Range, scalar: ScalarType) -> Expr {
    let compared = |op, bound| {
        let bound = fold::integer(bound, scalar);
        fold::binary(op, expr.clone(), bound, scalar)
    };
    if allowed.low > known.high || allowed.high < known.low {
        return fold::int(0);
    }
    let low = match known.low < allowed.low {
        true => compared(BinaryOp::GreaterEqual, allowed.low),
        false => fold::int(1),
    };
    let high = match known.high > allowed.high {
        true => compared(BinaryOp::LessEqual, allowed.high),
        false => fold::int(1),
    };
    both(low, high)
}

/// Builds the conditions that together say that the sum, difference or product is in the exact type; `None` if the type has
/// more than 64 bits.
pub(super) fn result(
    op: BinaryOp,
    [left, right]: [&Expr; 2],
    scalar: ScalarType,
    exact: ScalarType,
) -> Option<Vec<Expr>> {
    let limits = Range::of_type(exact)?;
    let (from_left, from_right) = (range(left, scalar)?, range(right, scalar)?);
    if width(scalar) > 64 {
        return None;
    }
    let results = from_left.combined(op, from_right)?;
    if limits.contains(results) {
        return Some(Vec::new());
    }
    if let Some(right) = from_right.single() {
        let allowed = match op {
            BinaryOp::Add => limits.minus(right),
            BinaryOp::Subtract => limits.minus(-right),
            _ => limits.divided(right),
        };
        return Some(vec![within(left, from_left, allowed, scalar)]);
    }
    if let Some(left) = from_left.single() {
        let allowed = match op {
            BinaryOp::Add => limits.minus(left),
            BinaryOp::Subtract => limits.taken_from(left),
            _ => limits.divided(left),
        };
        return Some(vec![within(right, from_right, allowed, scalar)]);
    }
    if op == BinaryOp::Multiply && left == right {
        return Some(vec![square(left, from_left, limits, scalar)]);
    }
    match width(scalar) {
        ..=32 => {
            let whole = computed(op, [left, right], scalar, SIGNED_64);
            Some(vec![within(&whole, results, limits, SIGNED_64)])
        }
        // The analyses of ranges know numbers of 64 bits.
        _ if op == BinaryOp::Multiply => {
            let whole = computed(op, [left, right], scalar, SIGNED_128);
            let is_within = within(&whole, results, limits, SIGNED_128);
            let half = Range::of_type(fold::INT)?;
            let are_small = both(
                within(left, from_left, half, scalar),
                within(right, from_right, half, scalar),
            );
            Some(vec![fold::binary(
                BinaryOp::LogicalOr,
                are_small,
                is_within,
                INT,
            )])
        }
        _ => Some(sum_within(op, [left, right], limits, scalar)),
    }
}

/// Builds the operation, computed in a wider type.
fn computed(op: BinaryOp, operands: [&Expr; 2], scalar: ScalarType, wide: ScalarType) -> Expr {
    let [left, right] = operands.map(|operand| fold::convert(operand.clone(), scalar, wide));
    fold::binary(op, left, right, wide)
}

/// Builds the condition that a square is at most the greatest number.
fn square(operand: &Expr, known: Range, limits: Range, scalar: ScalarType) -> Expr {
    let root = limits.high.cast_unsigned().isqrt().cast_signed();
    let allowed = Range {
        low: -root,
        high: root,
    };
    within(operand, known, allowed, scalar)
}

/// Builds the conditions that a sum or difference is in the range, without a wider type: one for results that are too
/// great, and one for those that are too small.
fn sum_within(
    op: BinaryOp,
    [left, right]: [&Expr; 2],
    limits: Range,
    scalar: ScalarType,
) -> Vec<Expr> {
    // `left <= high - right` and so on, where the right side is in the type.
    let (opposite, upwards, downwards) = match op {
        BinaryOp::Add => (BinaryOp::Subtract, BinaryOp::Greater, BinaryOp::Less),
        _ => (BinaryOp::Add, BinaryOp::Less, BinaryOp::Greater),
    };
    let side = |direction, bound, is_within| {
        let zero = fold::integer(0, scalar);
        let moves = fold::binary(direction, right.clone(), zero, scalar);
        let bound = fold::integer(bound, scalar);
        let rest = fold::binary(opposite, bound, right.clone(), scalar);
        let fits = fold::binary(is_within, left.clone(), rest, scalar);
        let stays = fold::unary(UnaryOp::LogicalNot, moves, scalar);
        fold::binary(BinaryOp::LogicalOr, stays, fits, INT)
    };
    vec![
        side(upwards, limits.high, BinaryOp::LessEqual),
        side(downwards, limits.low, BinaryOp::GreaterEqual),
    ]
}

/// Builds the condition that the operand is not the least number of the exact type; `None` if that is no type of signed
/// integers.
pub(super) fn not_least(operand: &Expr, scalar: ScalarType, exact: ScalarType) -> Option<Expr> {
    let limits = Range::of_type(exact)?;
    Some(match range(operand, scalar)?.has(limits.low) {
        true => {
            let least = fold::integer(limits.low, scalar);
            fold::binary(BinaryOp::NotEqual, operand.clone(), least, scalar)
        }
        false => fold::int(1),
    })
}

/// Builds the condition that the quotient is in the exact type; `None` if that is no type of signed integers.
pub(super) fn quotient(
    [left, right]: [&Expr; 2],
    scalar: ScalarType,
    exact: ScalarType,
) -> Option<Expr> {
    if !range(right, scalar)?.has(-1) {
        return Some(fold::int(1));
    }
    let minus_one = fold::integer(-1, scalar);
    let is_other = fold::binary(BinaryOp::NotEqual, right.clone(), minus_one, scalar);
    let is_greater = not_least(left, scalar, exact)?;
    Some(match fold::constant_truth(&is_greater) {
        Some(true) => is_greater,
        _ => fold::binary(BinaryOp::LogicalOr, is_other, is_greater, INT),
    })
}

/// Builds the condition that the operand is not zero.
pub(super) fn not_zero(operand: &Expr, scalar: ScalarType) -> Expr {
    match range(operand, scalar) {
        Some(known) if !known.has(0) => fold::int(1),
        _ => fold::binary(
            BinaryOp::NotEqual,
            operand.clone(),
            fold::integer(0, scalar),
            scalar,
        ),
    }
}

/// Builds the conditions that together say that a floating-point number, without its fraction, is in the exact type; `None` if
/// that has more than 64 bits. What is no number fulfils none.
pub(super) fn converted(number: &Expr, scalar: ScalarType, exact: ScalarType) -> Option<Vec<Expr>> {
    let limits = Range::of_type(exact).filter(|_| width(exact) <= 64)?;
    let ScalarType::Float(format) = scalar else {
        return None;
    };
    let bound = |value| fold::convert(fold::integer(value, SIGNED_128), SIGNED_128, scalar);
    // Where the number before the least one has no representation, neither has anything between them.
    let has_number_before = limits.low == 0 || u32::from(width(exact)) <= format.significand_bits();
    let from = match has_number_before {
        true => (BinaryOp::Greater, bound(limits.low - 1)),
        false => (BinaryOp::GreaterEqual, bound(limits.low)),
    };
    let to = (BinaryOp::Less, bound(limits.high + 1));
    let compared = |(op, bound)| fold::binary(op, number.clone(), bound, scalar);
    Some(vec![compared(from), compared(to)])
}

/// Builds the condition that a number of the exact type may be shifted by the count.
pub(super) fn shift_count(count: &Expr, scalar: ScalarType, exact: ScalarType) -> Expr {
    let allowed = Range {
        low: 0,
        high: i128::from(width(exact)) - 1,
    };
    match range(count, scalar) {
        Some(known) => within(count, known, allowed, scalar),
        // No `i128` holds all numbers of the type, which is unsigned.
        None => {
            let most = fold::integer(allowed.high, scalar);
            fold::binary(BinaryOp::LessEqual, count.clone(), most, scalar)
        }
    }
}

/// Builds the condition that a number is not negative and, shifted to the left by a count within its width, stays in the
/// exact type; `None` if that is no type of signed integers.
pub(super) fn shifted(
    left: &Expr,
    count: &Expr,
    [scalar, count_scalar]: [ScalarType; 2],
    exact: ScalarType,
) -> Option<Expr> {
    let limits = Range::of_type(exact)?;
    let known = range(left, scalar)?;
    if let Some(count) = fold::constant(count) {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let high = limits.high.checked_shr(count).unwrap_or_default();
        return Some(within(left, known, Range { low: 0, high }, scalar));
    }
    let not_negative = within(left, known, Range { low: 0, ..limits }, scalar);
    match known.single() {
        Some(0) => return Some(fold::int(1)),
        Some(number @ 1..) => {
            // The greatest count is that of the bits above the number's highest.
            let free = number.leading_zeros() - limits.high.leading_zeros();
            let most = fold::integer(i128::from(free), count_scalar);
            let fits = fold::binary(BinaryOp::LessEqual, count.clone(), most, count_scalar);
            return Some(fits);
        }
        _ => {}
    }
    let most = fold::integer(limits.high, scalar);
    let most = fold::binary(BinaryOp::ShiftRight, most, count.clone(), scalar);
    let fits = fold::binary(BinaryOp::LessEqual, left.clone(), most, scalar);
    Some(both(not_negative, fits))
}
