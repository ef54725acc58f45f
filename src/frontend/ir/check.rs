//! Checks the typing rules of the intermediate representation; a violation is a type error of the program that `lower`
//! has missed. Only builds with debug assertions check them.

use super::print::With;
use super::{
    Argument, BinaryOp, Callee, Expr, Instruction, Place, ResultPlace, ScalarType, Terminator, Unit,
};
use crate::memory::walk::{INT, every_expression, type_of};

/// Describes the first ill-typed expression, instruction or terminator, if there is one.
pub fn fault(unit: &Unit) -> Option<String> {
    let checker = Checker {
        pointer_bits: unit.data_model.pointer_bits(),
    };
    for function in &unit.functions {
        for block in &function.blocks {
            let mut wrong = None;
            every_expression(block, &mut |expr| {
                if !checker.expression(expr) {
                    wrong.get_or_insert_with(|| With(unit, expr).to_string());
                }
            });
            for (instruction, _) in &block.instructions {
                if !checker.instruction(instruction) {
                    wrong.get_or_insert_with(|| With(unit, instruction).to_string());
                }
            }
            if !checker.terminator(&block.terminator) {
                wrong.get_or_insert_with(|| With(unit, &block.terminator).to_string());
            }
            if let Some(wrong) = wrong {
                return Some(format!("`{}`: {wrong}", function.name));
            }
        }
    }
    None
}

struct Checker {
    pointer_bits: u8,
}

impl Checker {
    fn has(&self, expr: &Expr, scalar: ScalarType) -> bool {
        type_of(expr, self.pointer_bits) == scalar
    }

    fn is_pointer(&self, expr: &Expr) -> bool {
        self.has(expr, ScalarType::Pointer)
    }

    fn is_integer(&self, expr: &Expr) -> bool {
        matches!(
            type_of(expr, self.pointer_bits),
            ScalarType::Integer { .. } | ScalarType::Bool
        )
    }

    /// An integer of a pointer's width.
    fn address_integer(&self, signed: bool) -> ScalarType {
        ScalarType::Integer {
            bits: self.pointer_bits,
            signed,
        }
    }

    /// Whether the expression is well-typed, not counting its parts.
    fn expression(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Integer { scalar, .. } => !matches!(scalar, ScalarType::Float(_)),
            Expr::Float { .. }
            | Expr::ObjectAddress(_)
            | Expr::FunctionAddress(_)
            | Expr::ExternalFunctionAddress(_)
            | Expr::Rounding => true,
            Expr::Offset { base, bytes } => {
                self.is_pointer(base) && self.has(bytes, self.address_integer(true))
            }
            Expr::Load(place) => self.place(place),
            Expr::Unary {
                operand, scalar, ..
            } => self.has(operand, *scalar),
            Expr::Binary {
                op,
                left,
                right,
                scalar,
            } => match op {
                BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                    self.is_integer(left) && self.has(left, *scalar) && self.is_integer(right)
                }
                BinaryOp::LogicalAnd | BinaryOp::LogicalOr => true,
                BinaryOp::PointerDifference => self.is_pointer(left) && self.is_pointer(right),
                _ => self.has(left, *scalar) && self.has(right, *scalar),
            },
            Expr::Conditional {
                then,
                otherwise,
                scalar,
                ..
            } => self.has(then, *scalar) && self.has(otherwise, *scalar),
            Expr::Convert { operand, from, to } => {
                self.has(operand, *from)
                    && !matches!(
                        (from, to),
                        (ScalarType::Float(_), ScalarType::Pointer)
                            | (ScalarType::Pointer, ScalarType::Float(_))
                    )
            }
            Expr::Math {
                arguments, scalar, ..
            } => arguments.iter().all(|argument| self.has(argument, *scalar)),
            Expr::AllocatedSize(pointer) => self.is_pointer(pointer),
        }
    }

    fn place(&self, place: &Place) -> bool {
        self.is_pointer(&place.address)
    }

    fn instruction(&self, instruction: &Instruction) -> bool {
        match instruction {
            Instruction::Assign { place, value }
            | Instruction::WriteDevice { place, value, .. } => {
                self.place(place) && self.has(value, place.scalar)
            }
            Instruction::Copy {
                destination,
                source,
                ..
            } => self.is_pointer(destination) && self.is_pointer(source),
            Instruction::Fill { destination, .. } | Instruction::Padding { destination, .. } => {
                self.is_pointer(destination)
            }
            Instruction::Call {
                callee,
                arguments,
                result,
            } => {
                let callee = match callee {
                    Callee::Direct(_) | Callee::Escaped(_) => true,
                    Callee::Indirect(pointer) => self.is_pointer(pointer),
                };
                callee && self.call(arguments, result.as_ref())
            }
            Instruction::CallUnknown {
                arguments, result, ..
            } => self.call(arguments, result.as_ref()),
            Instruction::ReadDevice { place, source, .. } => {
                self.place(place) && self.place(source) && place.scalar == source.scalar
            }
            Instruction::Nondet { place, .. }
            | Instruction::Approximate { place, .. }
            | Instruction::Choice { place } => self.place(place),
            Instruction::Declare(_)
            | Instruction::BeginScope(_)
            | Instruction::EndScope(_)
            | Instruction::ProgramEnds { .. }
            | Instruction::Unsupported(_)
            | Instruction::Waypoint { .. }
            | Instruction::Assumption { .. }
            | Instruction::Assume(_) => true,
            Instruction::Allocate { place, size, .. } => {
                self.place(place)
                    && place.scalar == ScalarType::Pointer
                    && self.has(size, self.address_integer(false))
            }
            Instruction::FillRange {
                destination, size, ..
            } => self.is_pointer(destination) && self.has(size, self.address_integer(false)),
            Instruction::Free(pointer) | Instruction::CheckAlignment { pointer, .. } => {
                self.is_pointer(pointer)
            }
            Instruction::SetRounding(mode) => self.has(mode, INT),
            Instruction::Check { condition, .. } | Instruction::Expect { condition, .. } => {
                self.has(condition, INT)
            }
        }
    }

    fn call(&self, arguments: &[Argument], result: Option<&ResultPlace>) -> bool {
        let arguments = arguments.iter().all(|argument| match argument {
            Argument::Scalar { value, scalar } => self.has(value, *scalar),
            Argument::Object { address, .. } => self.is_pointer(address),
        });
        let result = match result {
            Some(ResultPlace::Scalar(place)) => self.place(place),
            Some(ResultPlace::Object { address, .. }) => self.is_pointer(address),
            None => true,
        };
        arguments && result
    }

    fn terminator(&self, terminator: &Terminator) -> bool {
        match terminator {
            Terminator::Branch {
                condition, scalar, ..
            } => self.has(condition, *scalar),
            Terminator::Switch { value, scalar, .. } => {
                self.is_integer(value) && self.has(value, *scalar)
            }
            _ => true,
        }
    }
}
