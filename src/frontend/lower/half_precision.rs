//! Arithmetic of type `_Float16`, as gcc makes it for x86 without AVX512-FP16.
//!
//! Operators compute in `float`. What they give keeps the range and precision of that type (C17 5.2.4.2.2 p9) until it is
//! assigned, cast to `_Float16` or the value of a statement expression; in an initialiser or a conversion to another type
//! it goes there directly. Here such a value is a conversion from `float`, which those operators and conversions look
//! through that come next. Numbers of the type are never written like that: they are rounded when they come to be.

use super::value::{Value, ValueKind};
use super::{Lowerer, Result, fold};
use crate::frontend::ir::{BinaryOp, Expr, ScalarType, UnaryOp};
use crate::term::FloatFormat;

/// `_Float16`.
pub(super) const HALF: ScalarType = ScalarType::Float(FloatFormat::F16);

/// What operators compute in.
pub(super) const SINGLE: ScalarType = ScalarType::Float(FloatFormat::F32);

/// The result of an operator before it is rounded.
pub(super) fn before_rounding(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Convert {
            operand,
            from: SINGLE,
            to: HALF,
        } => Some(operand),
        _ => None,
    }
}

/// A value of type `_Float16` as an operator takes it.
pub(super) fn widened(expr: Expr) -> Expr {
    match before_rounding(&expr) {
        Some(wide) => wide.clone(),
        None => fold::convert(expr, HALF, SINGLE),
    }
}

/// What an operator has computed, as a value of type `_Float16`.
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

/// `left op right` on numbers of type `_Float16` that are widened; of a comparison, the truth value.
pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let result = fold::binary(op, left, right, SINGLE);
    match crate::frontend::memory::walk::is_condition(op) {
        true => result,
        false => unrounded(result),
    }
}

/// `-operand`.
pub(super) fn negated(operand: Expr) -> Expr {
    unrounded(fold::unary(UnaryOp::Negate, widened(operand), SINGLE))
}

impl Lowerer<'_> {
    /// A value rounded to its type.
    pub(super) fn rounded(&mut self, value: Value) -> Result<Value> {
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

    /// Notes that a value may be one that is not rounded, where that makes a difference which is not modelled.
    pub(super) fn note_unrounded(&mut self, value: &Value) {
        if let ValueKind::Scalar(expr) = &value.kind
            && before_rounding(expr).is_some()
        {
            self.unsupported("a result of type `_Float16` that is not rounded, here");
        }
    }
}
