//! Builds pure expressions with constants folded, and evaluates constant expressions.
//!
//! Folding at construction must be right for mathematical and for machine integers, so integer operations are folded
//! only if the exact result fits the type. [`evaluate`] serves what C requires to be constant (array bounds, cases,
//! bit-field widths): there, machine integers wrap.

use rustc_apfloat::{Float, FloatConvert as _, Round, Status};

use crate::ir::{BinaryOp, Expr, Place, ScalarType, UnaryOp};
pub(in crate::lower) use crate::memory::walk::INT;
use crate::memory::walk::{all_parts, is_condition};
use regatta_term::{FloatFormat, with_format};

/// The signed integer type of 128 bits.
pub(in crate::lower) const SIGNED_128: ScalarType = ScalarType::Integer {
    bits: 128,
    signed: true,
};

/// The unsigned integer type of 128 bits.
pub(in crate::lower) const UNSIGNED_128: ScalarType = ScalarType::Integer {
    bits: 128,
    signed: false,
};

/// A constant of type `int`.
pub(in crate::lower) fn int(value: i128) -> Expr {
    Expr::Integer { value, scalar: INT }
}

/// An integer or pointer constant, wrapped into the type's range.
pub(in crate::lower) fn integer(value: i128, scalar: ScalarType) -> Expr {
    Expr::Integer {
        value: wrap(value, scalar),
        scalar,
    }
}

/// Width in bits and signedness of a type whose values are integers; a pointer counts as unsigned and 64 bits wide.
fn shape(scalar: ScalarType) -> Option<(u32, bool)> {
    match scalar {
        ScalarType::Integer { bits, signed } => Some((u32::from(bits), signed)),
        ScalarType::Bool => Some((1, false)),
        ScalarType::Pointer => Some((64, false)),
        ScalarType::Float(_) => None,
    }
}

/// The value modulo the type's range. Constants of type `unsigned __int128` are stored as their bits.
pub(in crate::lower) fn wrap(value: i128, scalar: ScalarType) -> i128 {
    match shape(scalar) {
        Some((bits, true)) if bits < 128 => value << (128 - bits) >> (128 - bits),
        Some((bits, false)) if bits < 128 => value & ((1i128 << bits) - 1),
        _ => value,
    }
}

fn fits(value: i128, scalar: ScalarType) -> bool {
    wrap(value, scalar) == value
}

/// Checks whether an `i128` holds the bits instead of the value of the type's constants.
fn is_unsigned_128(scalar: ScalarType) -> bool {
    scalar == UNSIGNED_128
}

/// The value if the expression is an integer or pointer constant.
pub(in crate::lower) fn constant(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Integer { value, .. } => Some(*value),
        _ => None,
    }
}

pub(in crate::lower) fn constant_truth(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::Integer { value, .. } => Some(*value != 0),
        Expr::Float { bits, format } => {
            // A zero has no bit set but the sign.
            Some(bits & !(1 << (format.storage_bits() - 1)) != 0)
        }
        Expr::ObjectAddress(_) | Expr::FunctionAddress(_) => Some(true),
        _ => None,
    }
}

/// Builds `op operand`.
pub(in crate::lower) fn unary(op: UnaryOp, operand: Expr, scalar: ScalarType) -> Expr {
    match (op, &operand) {
        (UnaryOp::LogicalNot, _) => {
            if let Some(truth) = constant_truth(&operand) {
                return int(i128::from(!truth));
            }
        }
        (UnaryOp::Negate, Expr::Integer { value, .. }) if !is_unsigned_128(scalar) => {
            if let Some(result) = value.checked_neg().filter(|&value| fits(value, scalar)) {
                return integer(result, scalar);
            }
        }
        (UnaryOp::Complement, Expr::Integer { value, .. })
            if shape(scalar).is_some_and(|(_, signed)| signed) =>
        {
            return integer(!value, scalar);
        }
        (UnaryOp::Negate, Expr::Float { bits, format }) => {
            return Expr::Float {
                bits: bits ^ (1 << (format.storage_bits() - 1)),
                format: *format,
            };
        }
        _ => {}
    }
    Expr::Unary {
        op,
        operand: Box::new(operand),
        scalar,
    }
}

/// Builds `left op right`.
pub(in crate::lower) fn binary(op: BinaryOp, left: Expr, right: Expr, scalar: ScalarType) -> Expr {
    if let (Expr::Integer { value: a, .. }, Expr::Integer { value: b, .. }) = (&left, &right)
        && !is_unsigned_128(scalar)
        && let Some(folded) = fold_integers(op, *a, *b, scalar)
    {
        return folded;
    }
    if let (Expr::Float { bits: a, format }, Expr::Float { bits: b, .. }) = (&left, &right)
        && let Some(folded) = fold_floats(op, *a, *b, *format)
    {
        return folded;
    }
    match op {
        BinaryOp::LogicalAnd => match constant_truth(&left) {
            Some(false) => return int(0),
            Some(true) => return truth_value(right, scalar),
            None => {}
        },
        BinaryOp::LogicalOr => match constant_truth(&left) {
            Some(true) => return int(1),
            Some(false) => return truth_value(right, scalar),
            None => {}
        },
        _ => {}
    }
    Expr::Binary {
        op,
        left: Box::new(left),
        right: Box::new(right),
        scalar,
    }
}

/// Checks whether the expression is certainly an `int` of value 0 or 1.
fn is_truth_value(expr: &Expr) -> bool {
    match expr {
        Expr::Binary { op, .. } => is_condition(*op),
        Expr::Unary { op, .. } => *op == UnaryOp::LogicalNot,
        Expr::Integer { value, scalar } => *scalar == INT && matches!(value, 0 | 1),
        _ => false,
    }
}

/// Builds `expr != 0` as an `int`.
pub(in crate::lower) fn truth_value(expr: Expr, scalar: ScalarType) -> Expr {
    if is_truth_value(&expr) {
        return expr;
    }
    match constant_truth(&expr) {
        Some(truth) => int(i128::from(truth)),
        None => binary(BinaryOp::NotEqual, expr, zero(scalar), scalar),
    }
}

pub(in crate::lower) fn zero(scalar: ScalarType) -> Expr {
    match scalar {
        ScalarType::Float(format) => Expr::Float { bits: 0, format },
        _ => Expr::Integer { value: 0, scalar },
    }
}

fn compare(op: BinaryOp, order: std::cmp::Ordering) -> Option<bool> {
    Some(match op {
        BinaryOp::Equal => order.is_eq(),
        BinaryOp::NotEqual => order.is_ne(),
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        BinaryOp::GreaterEqual => order.is_ge(),
        _ => return None,
    })
}

fn fold_integers(op: BinaryOp, left: i128, right: i128, scalar: ScalarType) -> Option<Expr> {
    match op {
        BinaryOp::LogicalAnd => return Some(int(i128::from(left != 0 && right != 0))),
        BinaryOp::LogicalOr => return Some(int(i128::from(left != 0 || right != 0))),
        _ => {}
    }
    if let Some(truth) = compare(op, left.cmp(&right)) {
        return Some(int(i128::from(truth)));
    }
    if scalar == ScalarType::Pointer {
        return None;
    }
    let (bits, _) = shape(scalar)?;
    let count = u32::try_from(right).ok().filter(|&count| count < bits);
    let value = match op {
        BinaryOp::Add => left.checked_add(right)?,
        BinaryOp::Subtract => left.checked_sub(right)?,
        BinaryOp::Multiply => left.checked_mul(right)?,
        BinaryOp::Divide => left.checked_div(right)?,
        BinaryOp::Remainder => left.checked_rem(right)?,
        BinaryOp::ShiftLeft => left.checked_mul(1i128.checked_shl(count?)?)?,
        BinaryOp::ShiftRight => left >> count?,
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        _ => return None,
    };
    fits(value, scalar).then(|| integer(value, scalar))
}

/// Folds float arithmetic as gcc does: rounded to nearest, and no division by zero or invalid operation.
fn fold_floats(op: BinaryOp, left: u128, right: u128, format: FloatFormat) -> Option<Expr> {
    with_format!(format, F => fold_ieee::<F>(op, left, right, format))
}

fn fold_ieee<F: Float>(op: BinaryOp, left: u128, right: u128, format: FloatFormat) -> Option<Expr> {
    let (left, right) = (F::from_bits(left), F::from_bits(right));
    if left.is_nan() || right.is_nan() {
        return None;
    }
    if let Some(order) = left.partial_cmp(&right)
        && let Some(truth) = compare(op, order)
    {
        return Some(int(i128::from(truth)));
    }
    let mode = Round::NearestTiesToEven;
    let result = match op {
        BinaryOp::Add => left.add_r(right, mode),
        BinaryOp::Subtract => left.sub_r(right, mode),
        BinaryOp::Multiply => left.mul_r(right, mode),
        BinaryOp::Divide => left.div_r(right, mode),
        _ => return None,
    };
    if result
        .status
        .intersects(Status::INVALID_OP | Status::DIV_BY_ZERO)
    {
        return None;
    }
    Some(Expr::Float {
        bits: result.value.to_bits(),
        format,
    })
}

/// Builds C's conversion of a value.
pub(in crate::lower) fn convert(operand: Expr, from: ScalarType, to: ScalarType) -> Expr {
    if from == to {
        return operand;
    }
    if let Some(folded) = fold_conversion(&operand, from, to) {
        return folded;
    }
    Expr::Convert {
        operand: Box::new(operand),
        from,
        to,
    }
}

fn fold_conversion(operand: &Expr, from: ScalarType, to: ScalarType) -> Option<Expr> {
    match (operand, to) {
        (_, ScalarType::Bool) if is_constant(operand) => {
            constant_truth(operand).map(|truth| integer(i128::from(truth), ScalarType::Bool))
        }
        (Expr::Integer { value, .. }, ScalarType::Float(format)) => {
            if is_unsigned_128(from) {
                return None;
            }
            Some(Expr::Float {
                bits: float_from_integer(*value, format),
                format,
            })
        }
        (Expr::Integer { value, .. }, _) => {
            if is_unsigned_128(from) || is_unsigned_128(to) {
                // Only a number that is the same as value and as bits.
                return (*value >= 0 && fits(*value, to)).then(|| integer(*value, to));
            }
            fits(*value, to).then(|| integer(*value, to))
        }
        (Expr::Float { bits, format }, ScalarType::Float(target)) => Some(Expr::Float {
            bits: convert_float(*bits, *format, target),
            format: target,
        }),
        (Expr::Float { bits, format }, ScalarType::Integer { .. }) => {
            float_to_integer(*bits, *format, to).map(|value| integer(value, to))
        }
        _ => None,
    }
}

fn is_constant(expr: &Expr) -> bool {
    matches!(expr, Expr::Integer { .. } | Expr::Float { .. })
}

fn float_from_integer(value: i128, format: FloatFormat) -> u128 {
    let mode = Round::NearestTiesToEven;
    with_format!(format, F => F::from_i128_r(value, mode).value.to_bits())
}

fn convert_float(bits: u128, from: FloatFormat, to: FloatFormat) -> u128 {
    let mut lost = false;
    with_format!(from, From => with_format!(to, To => {
        let value = From::from_bits(bits);
        let result: To = value.convert_r(Round::NearestTiesToEven, &mut lost).value;
        result.to_bits()
    }))
}

/// A float constant as an integer, truncated toward zero. A value out of the type's range is undefined in C; gcc's
/// compile-time conversion gives the nearest representable integer, and zero for a NaN.
fn float_to_integer(bits: u128, format: FloatFormat, to: ScalarType) -> Option<i128> {
    let (width, signed) = shape(to)?;
    let (width, mode, mut exact) = (width as usize, Round::TowardZero, false);
    Some(with_format!(format, F => {
        let value = F::from_bits(bits);
        if value.is_nan() {
            0
        } else if signed {
            value.to_i128_r(width, mode, &mut exact).value
        } else {
            value.to_u128_r(width, mode, &mut exact).value as i128
        }
    }))
}

/// The value of an integer constant expression that was not folded at construction, with machine integers.
pub(in crate::lower) fn evaluate(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Integer { value, .. } => Some(*value),
        Expr::Unary {
            op,
            operand,
            scalar,
        } => {
            if let Some(truth) = constant_truth(operand)
                && *op == UnaryOp::LogicalNot
            {
                return Some(i128::from(!truth));
            }
            let value = evaluate(operand)?;
            Some(match op {
                UnaryOp::Negate => wrap(value.wrapping_neg(), *scalar),
                UnaryOp::Complement => wrap(!value, *scalar),
                UnaryOp::LogicalNot => i128::from(value == 0),
            })
        }
        Expr::Binary {
            op,
            left,
            right,
            scalar,
        } => evaluate_binary(*op, left, right, *scalar),
        Expr::Conditional {
            condition,
            then,
            otherwise,
            ..
        } => match constant_truth(condition).or_else(|| evaluate(condition).map(|c| c != 0))? {
            true => evaluate(then),
            false => evaluate(otherwise),
        },
        Expr::Convert { operand, from, to } => match (from, to) {
            (ScalarType::Float(_), _) => None,
            (_, ScalarType::Bool) => evaluate(operand).map(|value| i128::from(value != 0)),
            _ => {
                shape(*to)?;
                evaluate(operand).map(|value| wrap(value, *to))
            }
        },
        // `&((struct s *)0)->member` and the like.
        Expr::Offset { base, bytes } => evaluate(base)?.checked_add(evaluate(bytes)?),
        _ => None,
    }
}

fn evaluate_binary(op: BinaryOp, left: &Expr, right: &Expr, scalar: ScalarType) -> Option<i128> {
    let left = evaluate(left)?;
    match op {
        BinaryOp::LogicalAnd if left == 0 => return Some(0),
        BinaryOp::LogicalOr if left != 0 => return Some(1),
        _ => {}
    }
    let right = evaluate(right)?;
    if is_unsigned_128(scalar) {
        return evaluate_unsigned_128(op, left as u128, right as u128);
    }
    if let Some(truth) = compare(op, left.cmp(&right)) {
        return Some(i128::from(truth));
    }
    let (bits, _) = shape(scalar)?;
    let count = u32::try_from(right).ok().filter(|&count| count < bits);
    let value = match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract | BinaryOp::PointerDifference => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide => left.checked_div(right)?,
        BinaryOp::Remainder => left.checked_rem(right)?,
        BinaryOp::ShiftLeft => left.wrapping_shl(count?),
        BinaryOp::ShiftRight => left >> count?,
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr => i128::from(right != 0),
        _ => return None,
    };
    Some(match op {
        BinaryOp::PointerDifference => value,
        _ => wrap(value, scalar),
    })
}

fn evaluate_unsigned_128(op: BinaryOp, left: u128, right: u128) -> Option<i128> {
    if let Some(truth) = compare(op, left.cmp(&right)) {
        return Some(i128::from(truth));
    }
    let count = u32::try_from(right).ok().filter(|&count| count < 128);
    Some(match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide => left.checked_div(right)?,
        BinaryOp::Remainder => left.checked_rem(right)?,
        BinaryOp::ShiftLeft => left << count?,
        BinaryOp::ShiftRight => left >> count?,
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr => u128::from(right != 0),
        _ => return None,
    } as i128)
}

/// Checks whether an expression cannot fault and depends on nothing that a guard may protect; see [`super`].
pub(in crate::lower) fn is_harmless(expr: &Expr, in_bounds: &dyn Fn(&Place) -> bool) -> bool {
    let alone = match expr {
        Expr::Load(place) => return in_bounds(place),
        Expr::AllocatedSize(_) => false,
        Expr::Binary {
            op,
            right,
            scalar: scalar @ (ScalarType::Integer { .. } | ScalarType::Bool | ScalarType::Pointer),
            ..
        } => match op {
            BinaryOp::Divide | BinaryOp::Remainder => {
                constant(right).is_some_and(|divisor| divisor != 0)
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let width = shape(*scalar).map_or(0, |(bits, _)| i128::from(bits));
                constant(right).is_some_and(|count| (0..width).contains(&count))
            }
            _ => true,
        },
        _ => true,
    };
    alone && all_parts(expr, &mut |part| is_harmless(part, in_bounds))
}
