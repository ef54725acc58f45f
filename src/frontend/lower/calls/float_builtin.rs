//! Floating-point built-ins: special values, quiet comparisons, classification, the rounding mode.

use crate::ir::{BinaryOp, Expr, Instruction, MathFunction, ScalarType, UnaryOp};
use crate::library::{Builtin, LibraryFunction};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::Value;
use crate::lower::{Lowerer, Result};
use crate::types::{FunctionType, Type};
use regatta_term::FloatValue;

/// The bits of the rounding mode in the machine's control word.
const MODE_MASK: i128 = 0xc00;

impl Lowerer<'_> {
    pub(in crate::lower) fn float_builtin(
        &mut self,
        builtin: Builtin,
        known: &LibraryFunction,
        function: &FunctionType,
        values: Vec<Value>,
    ) -> Result<Value> {
        match builtin {
            Builtin::Infinity | Builtin::NotANumber => {
                let ty = match self.library_type(known)? {
                    Some(ty) => self
                        .types
                        .function_type(ty)
                        .map_or(Type::DOUBLE, |own| own.result),
                    None => function.result,
                };
                let ScalarType::Float(format) = self.scalar_type(ty)? else {
                    return self.unmodelled(known.name, function.result);
                };
                let bits = match builtin {
                    Builtin::Infinity => FloatValue::infinity(format, false),
                    _ => FloatValue::nan(format),
                }
                .bits();
                Ok(Value::scalar(Expr::Float { bits, format }, ty))
            }
            Builtin::IsGreater => self.quiet_comparison(&[BinaryOp::Greater], known, values),
            Builtin::IsGreaterEqual => {
                self.quiet_comparison(&[BinaryOp::GreaterEqual], known, values)
            }
            Builtin::IsLess => self.quiet_comparison(&[BinaryOp::Less], known, values),
            Builtin::IsLessEqual => self.quiet_comparison(&[BinaryOp::LessEqual], known, values),
            Builtin::IsLessGreater => {
                self.quiet_comparison(&[BinaryOp::Less, BinaryOp::Greater], known, values)
            }
            Builtin::IsUnordered => {
                let (left, right, scalar) = self.float_operands(known, values)?;
                let either = fold::binary(
                    BinaryOp::LogicalOr,
                    predicate(MathFunction::IsNan, left, scalar),
                    predicate(MathFunction::IsNan, right, scalar),
                    fold::INT,
                );
                Ok(Value::scalar(either, Type::INT))
            }
            Builtin::IsInfiniteSign => {
                let (value, scalar) = self.float_operand(known, values)?;
                let infinite = predicate(MathFunction::IsInfinite, value.clone(), scalar);
                // The sign bit would not do, because a NaN has one, too.
                let ScalarType::Float(format) = scalar else {
                    return self.unmodelled(known.name, function.result);
                };
                let zero = Expr::Float { bits: 0, format };
                let negative = fold::binary(BinaryOp::Less, value, zero, scalar);
                let sign = Expr::conditional(negative, fold::int(-1), fold::int(1), fold::INT);
                let expr = Expr::conditional(infinite, sign, fold::int(0), fold::INT);
                Ok(Value::scalar(expr, Type::INT))
            }
            Builtin::IsFinite => {
                let (value, scalar) = self.float_operand(known, values)?;
                let special = fold::binary(
                    BinaryOp::LogicalOr,
                    predicate(MathFunction::IsNan, value.clone(), scalar),
                    predicate(MathFunction::IsInfinite, value, scalar),
                    fold::INT,
                );
                let finite = fold::unary(UnaryOp::LogicalNot, special, fold::INT);
                Ok(Value::scalar(finite, Type::INT))
            }
            Builtin::FloatClassify => self.classify(known, values),
            Builtin::GetRounding => {
                let ten = fold::int(10);
                let mode = fold::binary(BinaryOp::ShiftLeft, Expr::Rounding, ten, fold::INT);
                Ok(Value::scalar(mode, Type::INT))
            }
            _ => self.set_rounding(known, values),
        }
    }

    fn float_operand(
        &mut self,
        known: &LibraryFunction,
        values: Vec<Value>,
    ) -> Result<(Expr, ScalarType)> {
        let [value] = self.exactly(known, values)?;
        let value = self.rvalue(value);
        let ty = if self.types.is_float(value.ty) {
            value.ty
        } else {
            Type::DOUBLE
        };
        let value = self.cast(value, ty)?;
        let (expr, _) = self.scalar_value(value)?;
        let scalar = self.scalar_type(ty)?;
        // The value is used more than once below.
        let expr = self.keep(expr, scalar);
        Ok((expr, scalar))
    }

    fn float_operands(
        &mut self,
        known: &LibraryFunction,
        values: Vec<Value>,
    ) -> Result<(Expr, Expr, ScalarType)> {
        let [left, right] = self.exactly(known, values)?;
        let left = self.rvalue(left);
        let right = self.rvalue(right);
        if !self.types.is_arithmetic(left.ty) || !self.types.is_arithmetic(right.ty) {
            return Err(self.error(format!("`{}` compares numbers", known.name)));
        }
        let mut common = self.types.common_arithmetic(left.ty, right.ty);
        if !self.types.is_float(common) {
            common = Type::DOUBLE;
        }
        let scalar = self.scalar_type(common)?;
        let left = self.cast(left, common)?;
        let right = self.cast(right, common)?;
        let (left, _) = self.scalar_value(left)?;
        let (right, _) = self.scalar_value(right)?;
        Ok((self.keep(left, scalar), self.keep(right, scalar), scalar))
    }

    /// Whether one of the comparisons holds; none does for a NaN.
    fn quiet_comparison(
        &mut self,
        comparisons: &[BinaryOp],
        known: &LibraryFunction,
        values: Vec<Value>,
    ) -> Result<Value> {
        let (left, right, scalar) = self.float_operands(known, values)?;
        let result = comparisons
            .iter()
            .map(|&op| fold::binary(op, left.clone(), right.clone(), scalar))
            .reduce(|all, next| fold::binary(BinaryOp::LogicalOr, all, next, fold::INT));
        Ok(Value::scalar(
            result.unwrap_or_else(|| fold::int(0)),
            Type::INT,
        ))
    }

    /// Lowers `fpclassify(nan, infinite, normal, subnormal, zero, x)`.
    fn classify(&mut self, known: &LibraryFunction, values: Vec<Value>) -> Result<Value> {
        let [nan, infinite, normal, subnormal, zero, value] = self.exactly(known, values)?;
        let (value, scalar) = self.float_operand(known, vec![value])?;
        let mut result = self.class_constant(zero)?;
        for (function, class) in [
            (MathFunction::IsSubnormal, subnormal),
            (MathFunction::IsNormal, normal),
            (MathFunction::IsInfinite, infinite),
            (MathFunction::IsNan, nan),
        ] {
            let class = self.class_constant(class)?;
            let condition = predicate(function, value.clone(), scalar);
            result = Expr::conditional(condition, class, result, fold::INT);
        }
        Ok(Value::scalar(result, Type::INT))
    }

    fn class_constant(&mut self, value: Value) -> Result<Expr> {
        let value = self.cast(value, Type::INT)?;
        let (expr, _) = self.scalar_value(value)?;
        Ok(self.keep(expr, fold::INT))
    }

    /// Lowers `fesetround`: sets the mode and returns 0, or returns 1 if the argument is not a mode.
    fn set_rounding(&mut self, known: &LibraryFunction, values: Vec<Value>) -> Result<Value> {
        let [mode] = self.exactly(known, values)?;
        let mode = self.cast(mode, Type::INT)?;
        let (mode, _) = self.scalar_value(mode)?;
        let mode = self.keep(mode, fold::INT);
        let other_bits = fold::binary(
            BinaryOp::And,
            mode.clone(),
            fold::int(!MODE_MASK),
            fold::INT,
        );
        let invalid = fold::truth_value(other_bits, fold::INT);
        let number = fold::binary(BinaryOp::ShiftRight, mode, fold::int(10), fold::INT);
        let chosen = match fold::constant(&invalid) {
            Some(0) => Some(number),
            Some(_) => None,
            None => {
                let condition = invalid.clone();
                Some(Expr::conditional(
                    condition,
                    Expr::Rounding,
                    number,
                    fold::INT,
                ))
            }
        };
        if let Some(chosen) = chosen {
            self.uses.note_rounding();
            self.emit(Instruction::SetRounding(chosen));
        }
        Ok(Value::scalar(invalid, Type::INT))
    }
}

fn predicate(function: MathFunction, value: Expr, scalar: ScalarType) -> Expr {
    Expr::Math {
        function,
        arguments: vec![value],
        scalar,
    }
}
