//! Floating-point built-ins: special values, quiet comparisons, classification, the rounding mode.

use super::value::Value;
use super::{Lowerer, Result, fold};
use crate::frontend::constant::float_bits;
use crate::frontend::ir::{BinaryOp, Expr, Instruction, MathFunction, ScalarType, UnaryOp};
use crate::frontend::library::{Builtin, LibraryFunction};
use crate::frontend::types::{FunctionType, Type};
use crate::term::FloatFormat;

/// The bits of the rounding mode in the machine's control word.
const MODE_MASK: i128 = 0xc00;

impl Lowerer<'_> {
    pub(super) fn float_builtin(
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
                    Builtin::Infinity => infinity(format),
                    _ => quiet_nan(format),
                };
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
                // Not the sign bit, which a NaN has, too.
                let ScalarType::Float(format) = scalar else {
                    return self.unmodelled(known.name, function.result);
                };
                let zero = Expr::Float { bits: 0, format };
                let sign = Expr::Conditional {
                    condition: Box::new(fold::binary(BinaryOp::Less, value, zero, scalar)),
                    then: Box::new(fold::int(-1)),
                    otherwise: Box::new(fold::int(1)),
                    scalar: fold::INT,
                };
                let expr = Expr::Conditional {
                    condition: Box::new(infinite),
                    then: Box::new(sign),
                    otherwise: Box::new(fold::int(0)),
                    scalar: fold::INT,
                };
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
        // Used more than once below.
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

    /// Any of the comparisons holds; none does for a NaN.
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

    /// `fpclassify(nan, infinite, normal, subnormal, zero, x)`.
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
            result = Expr::Conditional {
                condition: Box::new(predicate(function, value.clone(), scalar)),
                then: Box::new(class),
                otherwise: Box::new(result),
                scalar: fold::INT,
            };
        }
        Ok(Value::scalar(result, Type::INT))
    }

    fn class_constant(&mut self, value: Value) -> Result<Expr> {
        let value = self.cast(value, Type::INT)?;
        let (expr, _) = self.scalar_value(value)?;
        Ok(self.keep(expr, fold::INT))
    }

    /// `fesetround`: 0 and the new mode, or 1 and nothing for what is no mode.
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
            None => Some(Expr::Conditional {
                condition: Box::new(invalid.clone()),
                then: Box::new(Expr::Rounding),
                otherwise: Box::new(number),
                scalar: fold::INT,
            }),
        };
        if let Some(chosen) = chosen {
            self.dynamic_rounding = true;
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

/// Positive infinity.
fn infinity(format: FloatFormat) -> u128 {
    float_bits("inf", format).unwrap_or(0)
}

/// The positive quiet NaN without a payload.
fn quiet_nan(format: FloatFormat) -> u128 {
    let significand_bits = format.storage_bits() - format.exponent_bits() - 1;
    infinity(format) | 1 << (significand_bits - if format == FloatFormat::F80 { 2 } else { 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_values() {
        assert_eq!(
            infinity(FloatFormat::F32),
            u128::from(f32::INFINITY.to_bits())
        );
        assert_eq!(
            infinity(FloatFormat::F64),
            u128::from(f64::INFINITY.to_bits())
        );
        assert_eq!(infinity(FloatFormat::F80), 0x7fff_8000_0000_0000_0000);
        assert_eq!(quiet_nan(FloatFormat::F32), 0x7fc0_0000);
        assert_eq!(quiet_nan(FloatFormat::F64), 0x7ff8_0000_0000_0000);
        assert_eq!(quiet_nan(FloatFormat::F80), 0x7fff_c000_0000_0000_0000);
        assert_eq!(quiet_nan(FloatFormat::F16), 0x7e00);
    }
}
