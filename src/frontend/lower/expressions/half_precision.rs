//! Arithmetic of type `_Float16` as gcc compiles it for x86 without AVX512-FP16.
//!
//! Operators compute in `float`. Their results keep the range and precision of `float` (C17 5.2.4.2.2 p9) until they
//! are assigned, cast to `_Float16` or become the value of a statement expression; an initialiser or a conversion to
//! another type takes them directly. An unrounded result is represented as a conversion from `float` to `_Float16`, of
//! which the following operators and conversions take the operand. Rounded numbers of the type never have this form.

use super::fold;
use super::value::{Value, ValueKind};
use crate::ir::{BinaryOp, Expr, ScalarType, UnaryOp};
use crate::lower::{Lowerer, Result};
use regatta_term::FloatFormat;

/// The scalar type of `_Float16`.
pub(in crate::lower) const HALF: ScalarType = ScalarType::Float(FloatFormat::F16);

/// The scalar type in which operators compute.
pub(in crate::lower) const SINGLE: ScalarType = ScalarType::Float(FloatFormat::F32);

/// The result of an operator before rounding; `None` for other expressions.
pub(in crate::lower) fn before_rounding(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Convert {
            operand,
            from: SINGLE,
            to: HALF,
        } => Some(operand),
        _ => None,
    }
}

/// Converts a value of type `_Float16` to the type of an operator's operands.
pub(in crate::lower) fn widened(expr: Expr) -> Expr {
    match before_rounding(&expr) {
        Some(wide) => wide.clone(),
        None => fold::convert(expr, HALF, SINGLE),
    }
}

/// Represents the result of an operator as a value of type `_Float16`.
fn unrounded(wide: Expr) -> Expr {
    if let Expr::Float { .. } = wide {
        let rounded = fold::convert(wide.clone(), SINGLE, HALF);
        if fold::convert(rounded.clone(), HALF, SINGLE) == wide {
            return rounded;
        }
    }
    Expr::Convert {
        operand: Box::new(wide),
        from: SINGLE,
        to: HALF,
    }
}

/// Builds `left op right` on widened numbers of type `_Float16`; for a comparison, the truth value.
pub(in crate::lower) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let result = fold::binary(op, left, right, SINGLE);
    match crate::memory::walk::is_condition(op) {
        true => result,
        false => unrounded(result),
    }
}

/// Builds `-operand`.
pub(in crate::lower) fn negated(operand: Expr) -> Expr {
    unrounded(fold::unary(UnaryOp::Negate, widened(operand), SINGLE))
}

impl Lowerer<'_> {
    pub(in crate::lower) fn rounded(&mut self, value: Value) -> Result<Value> {
        let ValueKind::Scalar(expr) = &value.kind else {
            return Ok(value);
        };
        let Some(wide) = before_rounding(expr) else {
            return Ok(value);
        };
        let rounded = fold::convert(wide.clone(), SINGLE, HALF);
        let rounded = self.computed_once(rounded, HALF);
        Ok(Value::scalar(rounded, value.ty))
    }

    /// Refuses an unrounded value where it would make a difference that is not modelled.
    pub(in crate::lower) fn note_unrounded(&mut self, value: &Value) {
        if let ValueKind::Scalar(expr) = &value.kind
            && before_rounding(expr).is_some()
        {
            self.unsupported("an unrounded result of type `_Float16` here");
        }
    }
}
