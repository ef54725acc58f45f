//! The steps of an evaluation: memory reads and writes, calls, and ends of the program.

use crate::ir::{
    BinaryOp, Callee, Expr, FunctionIndex, Instruction, ObjectIndex, Place, ScalarType,
    UnknownEffect,
};
use crate::lower::expressions::fold;
use crate::memory::walk;
use regatta_term::FloatFormat;

/// One step of the evaluation of an operand.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::lower) enum Step {
    Read(Region),
    Write(Region),
    /// Reads and writes memory without a call in between (C11, 6.5.2.4 and 6.5.16.2).
    Update(Region),
    Call(FunctionIndex),
    CallThroughPointer,
    /// Calls unknown code, which may modify what it can reach.
    CallUnknown,
    /// May end the program.
    End,
    /// Violates the property or reaches an unmodelled construct.
    Error,
}

/// The memory that a step accesses.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::lower) enum Region {
    Named(ObjectIndex, Part),
    /// Memory accessed through a pointer as a value of this kind; `None` for bytes and whole ranges.
    Through(Option<Access>),
    /// The rounding mode of floating-point operations.
    Rounding,
}

/// A half-open range of bits of an object; `None` for all of it.
pub(super) type Part = Option<(i128, i128)>;

/// The kind of a memory access: accesses of different kinds do not alias.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::lower) enum Access {
    Integer(u8),
    Float(FloatFormat),
    Pointer,
}

pub(super) const fn access(scalar: ScalarType) -> Option<Access> {
    match scalar {
        ScalarType::Bool | ScalarType::Integer { bits: 8, .. } => None,
        ScalarType::Integer { bits, .. } => Some(Access::Integer(bits)),
        ScalarType::Float(format) => Some(Access::Float(format)),
        ScalarType::Pointer => Some(Access::Pointer),
    }
}

/// The region of a place: its object if the address names one.
pub(super) fn region_of(place: &Place, pointer_bits: u8) -> Region {
    let (bit, bits) = walk::place_bits(place, pointer_bits);
    match named(&place.address) {
        Some((object, offset)) => {
            let range = offset.map(|offset| {
                let start = offset * 8 + i128::from(bit);
                (start, start + i128::from(bits))
            });
            Region::Named(object, range)
        }
        None => Region::Through(access(place.scalar)),
    }
}

pub(super) fn range_region(address: &Expr, size: Option<u64>) -> Region {
    match named(address) {
        Some((object, offset)) => {
            let range = offset.zip(size);
            let range = range.map(|(offset, size)| (offset * 8, (offset + i128::from(size)) * 8));
            Region::Named(object, range)
        }
        None => Region::Through(None),
    }
}

/// The object that an address names, and the byte offset if it is constant.
fn named(address: &Expr) -> Option<(ObjectIndex, Option<i128>)> {
    match address {
        Expr::ObjectAddress(object) => Some((*object, Some(0))),
        Expr::Offset { base, bytes } => {
            let (object, offset) = named(base)?;
            let bytes = fold::constant(bytes);
            Some((object, offset.zip(bytes).map(|(a, b)| a + b)))
        }
        _ => None,
    }
}

/// The steps of an instruction besides the reads of its operands.
pub(super) fn steps_of(
    instruction: &Instruction,
    region: &mut dyn FnMut(&Place) -> Region,
) -> Vec<Step> {
    match instruction {
        Instruction::ReadDevice { place, source, .. } => {
            vec![Step::Read(region(source)), Step::Write(region(place))]
        }
        Instruction::Assign { place, .. }
        | Instruction::WriteDevice { place, .. }
        | Instruction::Nondet { place, .. }
        | Instruction::Approximate { place, .. }
        | Instruction::Choice { place }
        | Instruction::Allocate { place, .. } => vec![Step::Write(region(place))],
        Instruction::Call { callee, .. } => vec![match callee {
            Callee::Direct(function) | Callee::Escaped(function) => Step::Call(*function),
            Callee::Indirect(_) => Step::CallThroughPointer,
        }],
        Instruction::CallUnknown {
            effect: UnknownEffect::Reachable,
            ..
        } => vec![Step::CallUnknown],
        Instruction::Copy {
            destination,
            source,
            size,
            ..
        } => vec![
            Step::Read(range_region(source, Some(*size))),
            Step::Write(range_region(destination, Some(*size))),
        ],
        Instruction::Fill {
            destination, size, ..
        } => vec![Step::Write(range_region(destination, Some(*size)))],
        Instruction::FillRange { destination, .. } => {
            vec![Step::Write(range_region(destination, None))]
        }
        Instruction::SetRounding(_) => vec![Step::Write(Region::Rounding)],
        Instruction::Assume(_) => vec![Step::End],
        Instruction::Unsupported(_)
        | Instruction::Check { .. }
        | Instruction::CheckAlignment { .. } => vec![Step::Error],
        Instruction::CallUnknown { .. }
        | Instruction::Padding { .. }
        | Instruction::Declare(_)
        | Instruction::BeginScope(_)
        | Instruction::EndScope(_)
        | Instruction::ProgramEnds { .. }
        | Instruction::Free(_)
        | Instruction::Waypoint { .. }
        | Instruction::Expect { .. }
        | Instruction::Assumption { .. } => Vec::new(),
    }
}

/// Checks whether the topmost operator of the expression depends on the rounding mode.
pub(super) fn reads_rounding(expr: &Expr) -> bool {
    let is_float = |scalar: &ScalarType| matches!(scalar, ScalarType::Float(_));
    match expr {
        Expr::Rounding => true,
        Expr::Binary { op, scalar, .. } => {
            is_float(scalar)
                && matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide
                )
        }
        Expr::Convert { to, .. } => is_float(to),
        Expr::Math { scalar, .. } => is_float(scalar),
        _ => false,
    }
}

/// Checks whether two parts of an object overlap.
pub(super) fn parts_overlap(a: Part, b: Part) -> bool {
    a.zip(b).is_none_or(|((a, b), (c, d))| a < d && c < b)
}
