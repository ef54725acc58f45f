//! The steps of an evaluation: memory that is read or changed, calls, and ends of the program.

use super::super::fold;
use crate::ir::{
    BinaryOp, Callee, Expr, FunctionIndex, Instruction, ObjectIndex, Place, ScalarType,
    UnknownEffect,
};
use crate::memory::walk;
use regatta_term::FloatFormat;

/// Something that the evaluation of an operand does.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::lower) enum Step {
    Read(Spot),
    Write(Spot),
    /// Changes memory by what was there before; no call comes between (C11, 6.5.2.4 and 6.5.16.2).
    Update(Spot),
    /// Calls a function of the program.
    Call(FunctionIndex),
    /// Calls whatever a pointer points to.
    CallThroughPointer,
    /// Calls code that is not known and changes what it can reach.
    CallUnknown,
    /// May end the program.
    End,
    /// Violates the property, or does what is not modelled.
    Error,
}

/// What is read or changed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::lower) enum Spot {
    /// An object, or bits of it from the first to before the second.
    Named(ObjectIndex, Part),
    /// What a pointer points to, accessed as such a value; `None` for bytes and whole ranges.
    Through(Option<Access>),
    /// The rounding mode of floating-point operations.
    Rounding,
}

/// Bits of an object from the first to before the second; `None` for all of it.
pub(super) type Part = Option<(i128, i128)>;

/// How memory is accessed: accesses of different kinds do not mean the same object.
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

/// The place's spot: the object if it is named.
pub(super) fn spot_of(place: &Place, pointer_bits: u8) -> Spot {
    let (bit, bits) = walk::place_bits(place, pointer_bits);
    match named(&place.address) {
        Some((object, offset)) => {
            let range = offset.map(|offset| {
                let start = offset * 8 + i128::from(bit);
                (start, start + i128::from(bits))
            });
            Spot::Named(object, range)
        }
        None => Spot::Through(access(place.scalar)),
    }
}

pub(super) fn range_spot(address: &Expr, size: Option<u64>) -> Spot {
    match named(address) {
        Some((object, offset)) => {
            let range = offset.zip(size);
            let range = range.map(|(offset, size)| (offset * 8, (offset + i128::from(size)) * 8));
            Spot::Named(object, range)
        }
        None => Spot::Through(None),
    }
}

/// The object that an address is in by its form, with the offset in bytes if that is constant.
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

/// What an instruction does besides reading its operands.
pub(super) fn steps_of(
    instruction: &Instruction,
    spot: &mut dyn FnMut(&Place) -> Spot,
) -> Vec<Step> {
    match instruction {
        Instruction::ReadDevice { place, source, .. } => {
            vec![Step::Read(spot(source)), Step::Write(spot(place))]
        }
        Instruction::Assign { place, .. }
        | Instruction::WriteDevice { place, .. }
        | Instruction::Nondet { place, .. }
        | Instruction::Approximate { place, .. }
        | Instruction::Choice { place }
        | Instruction::Allocate { place, .. } => vec![Step::Write(spot(place))],
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
            Step::Read(range_spot(source, Some(*size))),
            Step::Write(range_spot(destination, Some(*size))),
        ],
        Instruction::Fill {
            destination, size, ..
        } => vec![Step::Write(range_spot(destination, Some(*size)))],
        Instruction::SetRounding(_) => vec![Step::Write(Spot::Rounding)],
        Instruction::Assume(_) => vec![Step::End],
        Instruction::Unsupported(_) => vec![Step::Error],
        Instruction::CallUnknown { .. }
        | Instruction::Padding { .. }
        | Instruction::Declare(_)
        | Instruction::Free(_)
        | Instruction::Waypoint { .. }
        | Instruction::Assumption { .. } => Vec::new(),
    }
}

/// Whether the operator at the top of the expression looks at the rounding mode.
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

/// Whether two parts of one object have bits in common.
pub(super) fn parts_overlap(a: Part, b: Part) -> bool {
    a.zip(b).is_none_or(|((a, b), (c, d))| a < d && c < b)
}
