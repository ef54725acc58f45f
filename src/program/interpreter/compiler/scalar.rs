//! Compilation of operators on scalars.

use super::expression::{Compiled, Expressions, negated};
use crate::interpreter::code::bytecode::{
    FloatFunction, FloatOperation, Instruction, IntegerOperation, IntegerRelation, Place,
    Precision, Register, Signedness,
};
use crate::interpreter::state::bit_pattern::Class;
use regatta_term::{Constant, FloatFormat, Op, Pool, RoundingMode, Sort, TermId, TermKind, store};

/// 64 minus the width of the sort; `None` if its values are not narrow bit patterns.
fn shift(sort: Sort) -> Option<u8> {
    match sort {
        Sort::Bool => Some(63),
        Sort::BitVec(width @ 1..=64) => Some(64 - width),
        _ => None,
    }
}

/// The precision of a float sort for which there are instructions.
fn precision(sort: Sort) -> Option<Precision> {
    match sort {
        Sort::Float(FloatFormat::F32) => Some(Precision::Single),
        Sort::Float(FloatFormat::F64) => Some(Precision::Double),
        _ => None,
    }
}

/// The rounding mode, if it is constant.
fn rounding(mode: TermId) -> Option<RoundingMode> {
    match store().kind(mode) {
        TermKind::Constant(Constant::BitVec(bits)) => Some(RoundingMode::from_bits(bits.bits())),
        _ => None,
    }
}

impl Expressions {
    /// Emits the instruction for the operator, if there is one; the operands have been computed.
    pub(super) fn scalar(
        &mut self,
        op: Op,
        sort: Sort,
        arguments: &[TermId],
    ) -> Compiled<Option<Place>> {
        match *arguments {
            [a] => self.unary(op, sort, a),
            [a, b] => match op {
                Op::BvAdd | Op::IntAdd => self.sum(sort, a, b),
                Op::FpLt | Op::FpLe | Op::FpEq => self.float_relation(op, a, b),
                Op::IntMul | Op::IntDiv | Op::IntMod | Op::IntLt | Op::IntLe => {
                    self.integer_binary(op, a, b)
                }
                Op::Eq => self.equality(a, b),
                Op::FpSqrt | Op::FpRoundToIntegral | Op::FpToFp(_) => {
                    self.rounded_unary(op, sort, a, b)
                }
                Op::SbvToFp(_) | Op::UbvToFp(_) => self.integer_to_float(op, sort, a, b),
                Op::FpToSbv(_) | Op::FpToUbv(_) => self.float_to_integer(op, sort, a, b),
                _ => self.bit_vector_binary(op, a, b),
            },
            [mode, a, b] => self.float_binary(op, sort, mode, a, b),
            _ => Ok(None),
        }
    }

    fn fresh(
        &mut self,
        class: Class,
        instruction: impl FnOnce(Register) -> Instruction,
    ) -> Compiled<Option<Place>> {
        Ok(Some(self.assembler.emit_fresh(class, instruction)))
    }

    /// Uses the operand's register for the result.
    fn same(&mut self, operand: TermId) -> Compiled<Option<Place>> {
        let register = self.narrow_operand(operand)?;
        self.assembler.keep_last();
        Ok(Some(Place::Narrow(register)))
    }

    fn float_unary(
        &mut self,
        precision: Precision,
        function: FloatFunction,
        operand: TermId,
    ) -> Compiled<Option<Place>> {
        let a = self.narrow_operand(operand)?;
        self.fresh(Class::Narrow, |to| Instruction::FloatUnary {
            precision,
            function,
            to,
            a,
        })
    }

    fn float(
        &mut self,
        precision: Precision,
        operation: FloatOperation,
        a: TermId,
        b: TermId,
    ) -> Compiled<Option<Place>> {
        let (a, b) = (self.narrow_operand(a)?, self.narrow_operand(b)?);
        self.fresh(Class::Narrow, |to| Instruction::Float {
            precision,
            operation,
            to,
            a,
            b,
        })
    }

    fn integer(
        &mut self,
        operation: IntegerOperation,
        a: TermId,
        b: TermId,
    ) -> Compiled<Option<Place>> {
        let (a, b) = (self.integer_operand(a)?, self.integer_operand(b)?);
        self.fresh(Class::Integer, |to| Instruction::Integer {
            operation,
            to,
            a,
            b,
        })
    }

    fn integer_compare(
        &mut self,
        relation: IntegerRelation,
        a: Register,
        b: Register,
    ) -> Compiled<Option<Place>> {
        self.fresh(Class::Narrow, |to| Instruction::IntegerCompare {
            relation,
            to,
            a,
            b,
        })
    }

    fn unary(&mut self, op: Op, sort: Sort, operand: TermId) -> Compiled<Option<Place>> {
        let from = store().sort(operand);
        if let (Op::BvToInt | Op::BvToNat, Some(shift)) = (op, shift(from)) {
            let a = self.narrow_operand(operand)?;
            let sign = match op {
                Op::BvToInt => Signedness::Signed,
                _ => Signedness::Unsigned,
            };
            return self.fresh(Class::Integer, |to| Instruction::IntegerFromBits {
                sign,
                shift,
                to,
                a,
            });
        }
        if from == Sort::Int {
            let a = self.integer_operand(operand)?;
            return match (op, shift(sort)) {
                (Op::IntNeg, _) => {
                    self.fresh(Class::Integer, |to| Instruction::IntegerNegate { to, a })
                }
                (Op::IntToBv(_), Some(shift)) => self.fresh(Class::Narrow, |to| {
                    Instruction::IntegerToBits { shift, to, a }
                }),
                _ => Ok(None),
            };
        }
        if let (Op::FpFromBits(_), Some(precision)) = (op, precision(sort)) {
            return self.float_unary(precision, FloatFunction::FromBits, operand);
        }
        if let Some(precision) = precision(from) {
            let function = match op {
                // A float's register holds its bits.
                Op::FpToBits => return self.same(operand),
                Op::FpNeg => FloatFunction::Negate,
                Op::FpAbs => FloatFunction::AbsoluteValue,
                Op::FpIsNan => FloatFunction::IsNan,
                Op::FpIsInfinite => FloatFunction::IsInfinite,
                Op::FpIsZero => FloatFunction::IsZero,
                Op::FpIsNormal => FloatFunction::IsNormal,
                Op::FpIsSubnormal => FloatFunction::IsSubnormal,
                Op::FpIsNegative => FloatFunction::IsNegative,
                _ => return Ok(None),
            };
            return self.float_unary(precision, function, operand);
        }
        let (Some(from_shift), Some(to_shift)) = (shift(from), shift(sort)) else {
            return Ok(None);
        };
        let a = self.narrow_operand(operand)?;
        match op {
            Op::Not | Op::BvNot => self.fresh(Class::Narrow, |to| Instruction::Complement {
                shift: to_shift,
                to,
                a,
            }),
            Op::BvNeg => self.fresh(Class::Narrow, |to| Instruction::Negate {
                shift: to_shift,
                to,
                a,
            }),
            Op::Extract { low, .. } => self.fresh(Class::Narrow, |to| Instruction::Extract {
                low,
                shift: to_shift,
                to,
                a,
            }),
            // Registers are zero-extended already.
            Op::ZeroExtend(_) => self.same(operand),
            Op::SignExtend(_) => self.fresh(Class::Narrow, |to| Instruction::SignExtend {
                from_shift,
                to_shift,
                to,
                a,
            }),
            _ => Ok(None),
        }
    }

    /// Emits an addition, or a subtraction if one operand is a negation.
    fn sum(&mut self, sort: Sort, a: TermId, b: TermId) -> Compiled<Option<Place>> {
        let (minuend, subtrahend) = match (negated(a), negated(b)) {
            (_, Some(subtrahend)) => (a, Some(subtrahend)),
            (Some(subtrahend), None) => (b, Some(subtrahend)),
            (None, None) => (a, None),
        };
        let second = subtrahend.unwrap_or(b);
        if sort == Sort::Int {
            let operation = match subtrahend {
                Some(_) => IntegerOperation::Subtract,
                None => IntegerOperation::Add,
            };
            return self.integer(operation, minuend, second);
        }
        let Some(shift) = shift(sort) else {
            return Ok(None);
        };
        let (a, b) = (self.narrow_operand(minuend)?, self.narrow_operand(second)?);
        self.fresh(Class::Narrow, |to| match subtrahend {
            Some(_) => Instruction::Subtract { shift, to, a, b },
            None => Instruction::Add { shift, to, a, b },
        })
    }

    fn equality(&mut self, a: TermId, b: TermId) -> Compiled<Option<Place>> {
        match (self.value(a)?, self.value(b)?) {
            (Place::Narrow(a), Place::Narrow(b)) => {
                self.fresh(Class::Narrow, |to| Instruction::Equal { to, a, b })
            }
            (Place::Integer(a), Place::Integer(b)) => {
                self.integer_compare(IntegerRelation::Equal, a, b)
            }
            _ => Ok(None),
        }
    }

    fn integer_binary(&mut self, op: Op, a: TermId, b: TermId) -> Compiled<Option<Place>> {
        match op {
            Op::IntMul => self.integer(IntegerOperation::Multiply, a, b),
            Op::IntDiv => self.integer(IntegerOperation::Divide, a, b),
            Op::IntMod => self.integer(IntegerOperation::Modulo, a, b),
            _ => {
                let (a, b) = (self.integer_operand(a)?, self.integer_operand(b)?);
                let relation = match op {
                    Op::IntLt => IntegerRelation::Less,
                    _ => IntegerRelation::LessEqual,
                };
                self.integer_compare(relation, a, b)
            }
        }
    }

    fn bit_vector_binary(
        &mut self,
        op: Op,
        left: TermId,
        right: TermId,
    ) -> Compiled<Option<Place>> {
        let (Some(shift), Some(right_shift)) =
            (shift(store().sort(left)), shift(store().sort(right)))
        else {
            return Ok(None);
        };
        let low_width = 64 - right_shift;
        if op == Op::Concat && u32::from(low_width) + 64 - u32::from(shift) > 64 {
            return Ok(None);
        }
        let (a, b) = (self.narrow_operand(left)?, self.narrow_operand(right)?);
        let instruction = |to| {
            Some(match op {
                Op::BvMul => Instruction::Multiply { shift, to, a, b },
                Op::BvUdiv => Instruction::UnsignedDivide { shift, to, a, b },
                Op::BvUrem => Instruction::UnsignedRemainder { to, a, b },
                Op::BvSdiv => Instruction::SignedDivide { shift, to, a, b },
                Op::BvSrem => Instruction::SignedRemainder { shift, to, a, b },
                Op::BvAnd => Instruction::And { to, a, b },
                Op::BvOr => Instruction::Or { to, a, b },
                Op::BvXor => Instruction::Xor { to, a, b },
                Op::BvShl => Instruction::ShiftLeft { shift, to, a, b },
                Op::BvLshr => Instruction::ShiftRightLogical { shift, to, a, b },
                Op::BvAshr => Instruction::ShiftRightArithmetic { shift, to, a, b },
                Op::BvUlt => Instruction::UnsignedLess { to, a, b },
                Op::BvUle => Instruction::UnsignedLessEqual { to, a, b },
                Op::BvSlt => Instruction::SignedLess { shift, to, a, b },
                Op::BvSle => Instruction::SignedLessEqual { shift, to, a, b },
                Op::Concat => Instruction::Concat {
                    low_width,
                    to,
                    high: a,
                    low: b,
                },
                _ => return None,
            })
        };
        if instruction(0).is_none() {
            return Ok(None);
        }
        self.fresh(Class::Narrow, |to| {
            instruction(to).unwrap_or(Instruction::Move { to, from: a })
        })
    }

    fn float_relation(&mut self, op: Op, a: TermId, b: TermId) -> Compiled<Option<Place>> {
        let Some(precision) = precision(store().sort(a)) else {
            return Ok(None);
        };
        let operation = match op {
            Op::FpLt => FloatOperation::Less,
            Op::FpLe => FloatOperation::LessEqual,
            _ => FloatOperation::Equal,
        };
        self.float(precision, operation, a, b)
    }

    fn float_binary(
        &mut self,
        op: Op,
        sort: Sort,
        mode: TermId,
        a: TermId,
        b: TermId,
    ) -> Compiled<Option<Place>> {
        let operation = match op {
            Op::FpAdd => FloatOperation::Add,
            Op::FpSub => FloatOperation::Subtract,
            Op::FpMul => FloatOperation::Multiply,
            Op::FpDiv => FloatOperation::Divide,
            _ => return Ok(None),
        };
        let (Some(precision), Some(RoundingMode::NearestEven)) = (precision(sort), rounding(mode))
        else {
            return Ok(None);
        };
        self.float(precision, operation, a, b)
    }

    fn rounded_unary(
        &mut self,
        op: Op,
        sort: Sort,
        mode: TermId,
        operand: TermId,
    ) -> Compiled<Option<Place>> {
        let from = store().sort(operand);
        let function = match (op, rounding(mode)) {
            (Op::FpSqrt, Some(RoundingMode::NearestEven)) => FloatFunction::SquareRoot,
            (Op::FpRoundToIntegral, Some(RoundingMode::NearestEven)) => FloatFunction::RoundToEven,
            (Op::FpRoundToIntegral, Some(RoundingMode::Downward)) => FloatFunction::Floor,
            (Op::FpRoundToIntegral, Some(RoundingMode::Upward)) => FloatFunction::Ceiling,
            (Op::FpRoundToIntegral, Some(RoundingMode::TowardZero)) => FloatFunction::Truncate,
            // Widening is exact in every mode.
            (Op::FpToFp(FloatFormat::F64), _) if from == Sort::Float(FloatFormat::F32) => {
                FloatFunction::Convert
            }
            (Op::FpToFp(FloatFormat::F32), Some(RoundingMode::NearestEven))
                if from == Sort::Float(FloatFormat::F64) =>
            {
                FloatFunction::Convert
            }
            _ => return Ok(None),
        };
        let (Some(precision), true) = (precision(from), precision(sort).is_some()) else {
            return Ok(None);
        };
        self.float_unary(precision, function, operand)
    }

    fn integer_to_float(
        &mut self,
        op: Op,
        sort: Sort,
        mode: TermId,
        operand: TermId,
    ) -> Compiled<Option<Place>> {
        let (Some(precision), Some(shift)) = (precision(sort), shift(store().sort(operand))) else {
            return Ok(None);
        };
        // A double holds every integer of 53 bits.
        let exact = precision == Precision::Double && shift >= 64 - 53;
        if !exact && rounding(mode) != Some(RoundingMode::NearestEven) {
            return Ok(None);
        }
        let from = match op {
            Op::SbvToFp(_) => Signedness::Signed,
            _ => Signedness::Unsigned,
        };
        let a = self.narrow_operand(operand)?;
        self.fresh(Class::Narrow, |to| Instruction::ToFloat {
            precision,
            from,
            shift,
            to,
            a,
        })
    }

    fn float_to_integer(
        &mut self,
        op: Op,
        sort: Sort,
        mode: TermId,
        operand: TermId,
    ) -> Compiled<Option<Place>> {
        let (Some(precision), Some(shift)) = (precision(store().sort(operand)), shift(sort)) else {
            return Ok(None);
        };
        if rounding(mode) != Some(RoundingMode::TowardZero) {
            return Ok(None);
        }
        let into = match op {
            Op::FpToSbv(_) => Signedness::Signed,
            _ => Signedness::Unsigned,
        };
        let a = self.narrow_operand(operand)?;
        self.fresh(Class::Narrow, |to| Instruction::FromFloat {
            precision,
            into,
            shift,
            to,
            a,
        })
    }
}
