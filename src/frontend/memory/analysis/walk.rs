//! Queries on expressions and instructions of the typed representation: their types, parts, constants and congruences.

use super::points_to::gcd;
use crate::ir::{
    Argument, BinaryOp, Block, Callee, Expr, Instruction, MathFunction, ObjectIndex, Place,
    ResultPlace, ScalarType, Terminator, UnaryOp,
};

/// C's `int`.
pub const INT: ScalarType = ScalarType::Integer {
    bits: 32,
    signed: true,
};

/// The type of an expression's value.
pub fn type_of(expr: &Expr, pointer_bits: u8) -> ScalarType {
    match expr {
        Expr::Integer { scalar, .. } => *scalar,
        Expr::Float { format, .. } => ScalarType::Float(*format),
        Expr::ObjectAddress(_)
        | Expr::FunctionAddress(_)
        | Expr::ExternalFunctionAddress(_)
        | Expr::Offset { .. } => ScalarType::Pointer,
        Expr::Load(place) => place.scalar,
        Expr::Unary { op, scalar, .. } => match op {
            UnaryOp::LogicalNot => INT,
            UnaryOp::Negate | UnaryOp::Complement => *scalar,
        },
        Expr::Binary { op, scalar, .. } => {
            if is_condition(*op) {
                INT
            } else if *op == BinaryOp::PointerDifference {
                ScalarType::Integer {
                    bits: pointer_bits,
                    signed: true,
                }
            } else {
                *scalar
            }
        }
        Expr::Conditional { scalar, .. } => *scalar,
        Expr::Convert { to, .. } => *to,
        Expr::Math {
            function, scalar, ..
        } => math_type(*function, *scalar),
        Expr::AllocatedSize(_) => ScalarType::Integer {
            bits: pointer_bits,
            signed: false,
        },
        Expr::Rounding => INT,
    }
}

/// The result type of a function on operands of the type.
pub const fn math_type(function: MathFunction, scalar: ScalarType) -> ScalarType {
    if function.gives_int() { INT } else { scalar }
}

/// Whether the operator gives a truth value.
pub const fn is_condition(op: BinaryOp) -> bool {
    op.is_comparison() || matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr)
}

/// Width of a value in bits, as it is accessed in memory.
pub const fn scalar_bits(scalar: ScalarType, pointer_bits: u8) -> u32 {
    match scalar {
        ScalarType::Integer { bits, .. } => bits as u32,
        ScalarType::Bool => 8,
        ScalarType::Float(format) => format.storage_bits(),
        ScalarType::Pointer => pointer_bits as u32,
    }
}

/// The bits that an access of the place touches: how many bits after its address, and how many.
pub fn place_bits(place: &Place, pointer_bits: u8) -> (u8, u32) {
    match place.bit_field {
        Some(field) => (field.offset, u32::from(field.bits)),
        None => (0, scalar_bits(place.scalar, pointer_bits)),
    }
}

/// Calls `f` for each direct part of an expression.
pub fn parts<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    match expr {
        Expr::Integer { .. }
        | Expr::Float { .. }
        | Expr::ObjectAddress(_)
        | Expr::FunctionAddress(_)
        | Expr::ExternalFunctionAddress(_)
        | Expr::Rounding => {}
        Expr::Offset { base, bytes } => {
            f(base);
            f(bytes);
        }
        Expr::Load(place) => f(&place.address),
        Expr::Unary { operand, .. } | Expr::Convert { operand, .. } => f(operand),
        Expr::Binary { left, right, .. } => {
            f(left);
            f(right);
        }
        Expr::Conditional {
            condition,
            then,
            otherwise,
            ..
        } => {
            f(condition);
            f(then);
            f(otherwise);
        }
        Expr::Math { arguments, .. } => arguments.iter().for_each(f),
        Expr::AllocatedSize(pointer) => f(pointer),
    }
}

/// Whether all direct parts of an expression have a property; stops at the first part that has not.
pub fn all_parts(expr: &Expr, has: &mut dyn FnMut(&Expr) -> bool) -> bool {
    let mut all = true;
    parts(expr, &mut |part| all = all && has(part));
    all
}

/// An expression that stands directly in an instruction, by what the instruction does with it.
#[derive(Copy, Clone)]
pub enum Operand<'a> {
    /// Its value is used.
    Value(&'a Expr),
    /// The object at this address is read.
    Source(&'a Expr),
    /// The place is written.
    Target(&'a Place),
    /// Memory from this address on is written.
    Filled(&'a Expr),
}

impl<'a> Operand<'a> {
    /// The expression itself: the address, where it is one.
    pub fn expression(self) -> &'a Expr {
        match self {
            Self::Value(expr) | Self::Source(expr) | Self::Filled(expr) => expr,
            Self::Target(place) => &place.address,
        }
    }
}

/// Calls `f` for the expressions that stand directly in an instruction, addresses of places included.
pub fn operands<'a>(instruction: &'a Instruction, f: &mut dyn FnMut(&'a Expr)) {
    operands_by_use(instruction, &mut |operand| f(operand.expression()));
}

/// Calls `f` for the expressions that stand directly in an instruction, with their use; what is written may come before
/// what is read.
pub fn operands_by_use<'a>(instruction: &'a Instruction, f: &mut dyn FnMut(Operand<'a>)) {
    use Operand::{Filled, Source, Target, Value};
    match instruction {
        Instruction::Assign { place, value } | Instruction::WriteDevice { place, value, .. } => {
            f(Target(place));
            f(Value(value));
        }
        Instruction::ReadDevice { place, source, .. } => {
            f(Target(place));
            f(Source(&source.address));
        }
        Instruction::Copy {
            destination,
            source,
            ..
        } => {
            f(Filled(destination));
            f(Source(source));
        }
        Instruction::FillRange {
            destination, size, ..
        } => {
            f(Filled(destination));
            f(Value(size));
        }
        Instruction::Fill { destination, .. } | Instruction::Padding { destination, .. } => {
            f(Filled(destination))
        }
        Instruction::Call {
            callee,
            arguments,
            result,
        } => {
            if let Callee::Indirect(pointer) = callee {
                f(Value(pointer));
            }
            call_operands(arguments, result.as_ref(), f);
        }
        Instruction::CallUnknown {
            arguments, result, ..
        } => call_operands(arguments, result.as_ref(), f),
        Instruction::Nondet { place, .. }
        | Instruction::Approximate { place, .. }
        | Instruction::Choice { place } => f(Target(place)),
        Instruction::Declare(_)
        | Instruction::BeginScope(_)
        | Instruction::EndScope(_)
        | Instruction::ProgramEnds { .. }
        | Instruction::Unsupported(_)
        | Instruction::Waypoint { .. }
        | Instruction::Assumption { .. } => {}
        Instruction::Allocate { place, size, .. } => {
            f(Target(place));
            f(Value(size));
        }
        Instruction::Free(pointer) | Instruction::CheckAlignment { pointer, .. } => {
            f(Value(pointer));
        }
        Instruction::Assume(value)
        | Instruction::Check {
            condition: value, ..
        }
        | Instruction::Expect {
            condition: value, ..
        }
        | Instruction::SetRounding(value) => f(Value(value)),
    }
}

fn call_operands<'a>(
    arguments: &'a [Argument],
    result: Option<&'a ResultPlace>,
    f: &mut dyn FnMut(Operand<'a>),
) {
    for argument in arguments {
        match argument {
            Argument::Scalar { value, .. } => f(Operand::Value(value)),
            Argument::Object { address, .. } => f(Operand::Source(address)),
        }
    }
    match result {
        Some(ResultPlace::Scalar(place)) => f(Operand::Target(place)),
        Some(ResultPlace::Object { address, .. }) => f(Operand::Filled(address)),
        None => {}
    }
}

/// The object that an address lies in, if it is computed from the object's address.
pub fn start_of(address: &Expr) -> Option<ObjectIndex> {
    match address {
        Expr::ObjectAddress(object) => Some(*object),
        Expr::Offset { base, .. } => start_of(base),
        _ => None,
    }
}

/// Calls `f` for an expression and all parts of it.
fn go<'a>(expr: &'a Expr, f: &mut dyn FnMut(&'a Expr)) {
    f(expr);
    parts(expr, &mut |part| go(part, f));
}

/// Calls `f` for every expression of an instruction, including parts of others.
pub fn every_part<'a>(instruction: &'a Instruction, f: &mut dyn FnMut(&'a Expr)) {
    operands(instruction, &mut |expr| go(expr, f));
}

/// Calls `f` for every expression of a block, including parts of others.
pub fn every_expression<'a>(block: &'a Block, f: &mut dyn FnMut(&'a Expr)) {
    for (instruction, _) in &block.instructions {
        every_part(instruction, f);
    }
    expressions_of_end(&block.terminator, f);
}

/// Calls `f` for every expression of a block's end, including parts of others.
pub fn expressions_of_end<'a>(terminator: &'a Terminator, f: &mut dyn FnMut(&'a Expr)) {
    match terminator {
        Terminator::Branch { condition, .. } => go(condition, f),
        Terminator::Switch { value, .. } => go(value, f),
        Terminator::Goto(_)
        | Terminator::Return
        | Terminator::End
        | Terminator::Error
        | Terminator::Unreachable => {}
    }
}

/// The successor blocks of the terminator.
pub fn successors(terminator: &Terminator) -> Vec<u32> {
    match terminator {
        Terminator::Goto(block) => vec![block.0],
        Terminator::Branch {
            then, otherwise, ..
        } => vec![then.0, otherwise.0],
        Terminator::Switch { cases, default, .. } => cases
            .iter()
            .map(|case| case.2.0)
            .chain(std::iter::once(default.0))
            .collect(),
        Terminator::Return | Terminator::End | Terminator::Error | Terminator::Unreachable => {
            Vec::new()
        }
    }
}

/// An integer known modulo `modulus`: it is `remainder` plus some multiple; exactly `remainder` if `modulus` is zero.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Congruence {
    /// The modulus; zero for a constant.
    pub modulus: u64,
    /// The remainder, not reduced.
    pub remainder: i64,
}

impl Congruence {
    /// Nothing is known.
    pub const ANY: Self = Self {
        modulus: 1,
        remainder: 0,
    };

    const fn constant(value: i64) -> Self {
        Self {
            modulus: 0,
            remainder: value,
        }
    }

    fn add(self, other: Self) -> Self {
        match self.remainder.checked_add(other.remainder) {
            Some(remainder) => Self {
                modulus: gcd(self.modulus, other.modulus),
                remainder,
            },
            None => Self::ANY,
        }
    }

    fn negate(self) -> Self {
        match self.remainder.checked_neg() {
            Some(remainder) => Self { remainder, ..self },
            None => Self::ANY,
        }
    }

    fn multiply(self, other: Self) -> Self {
        let product = || {
            let mixed = gcd(
                self.modulus.checked_mul(other.remainder.unsigned_abs())?,
                other.modulus.checked_mul(self.remainder.unsigned_abs())?,
            );
            Some(Self {
                modulus: gcd(self.modulus.checked_mul(other.modulus)?, mixed),
                remainder: self.remainder.checked_mul(other.remainder)?,
            })
        };
        let constant = self.modulus == 0 && other.modulus == 0;
        product()
            .filter(|product| constant || product.modulus != 0)
            .unwrap_or(Self::ANY)
    }

    fn join(self, other: Self) -> Self {
        match self.remainder.checked_sub(other.remainder) {
            Some(difference) => Self {
                modulus: gcd(gcd(self.modulus, other.modulus), difference.unsigned_abs()),
                remainder: self.remainder,
            },
            None => Self::ANY,
        }
    }

    /// The value after wrapping around to a type of this width.
    fn wrapped(self, bits: u8, signed: bool) -> Self {
        if self.modulus == 0 {
            let fits = if bits >= 64 {
                true
            } else if signed {
                let half = 1_i64 << (bits.max(1) - 1);
                (-half..half).contains(&self.remainder)
            } else {
                (0..1_i64 << bits).contains(&self.remainder)
            };
            return if fits { self } else { Self::ANY };
        }
        let power = if bits >= 63 { 1 << 63 } else { 1_u64 << bits };
        Self {
            modulus: gcd(self.modulus, power),
            ..self
        }
    }
}

/// The congruence of the number of bytes by which a pointer moves.
///
/// The outermost multiplication is the one by the element's size: an index so large that it wraps around the address
/// space is undefined in C, and not followed. All arithmetic below it is taken modulo its type's range.
pub fn byte_distance(bytes: &Expr) -> Congruence {
    match bytes {
        Expr::Binary {
            op: BinaryOp::Multiply,
            left,
            right,
            ..
        } => congruence(left).multiply(congruence(right)),
        Expr::Binary {
            op: BinaryOp::Add,
            left,
            right,
            ..
        } => byte_distance(left).add(byte_distance(right)),
        Expr::Binary {
            op: BinaryOp::Subtract,
            left,
            right,
            ..
        } => byte_distance(left).add(byte_distance(right).negate()),
        Expr::Unary {
            op: UnaryOp::Negate,
            operand,
            ..
        } => byte_distance(operand).negate(),
        _ => congruence(bytes),
    }
}

fn congruence(expr: &Expr) -> Congruence {
    match expr {
        Expr::Integer { value, .. } => {
            i64::try_from(*value).map_or(Congruence::ANY, Congruence::constant)
        }
        Expr::Unary {
            op: UnaryOp::Negate,
            operand,
            scalar: ScalarType::Integer { bits, signed },
        } => congruence(operand).negate().wrapped(*bits, *signed),
        Expr::Binary {
            op,
            left,
            right,
            scalar: ScalarType::Integer { bits, signed },
        } => {
            let result = match op {
                BinaryOp::Add => congruence(left).add(congruence(right)),
                BinaryOp::Subtract => congruence(left).add(congruence(right).negate()),
                BinaryOp::Multiply => congruence(left).multiply(congruence(right)),
                BinaryOp::ShiftLeft => match congruence(right) {
                    Congruence {
                        modulus: 0,
                        remainder: count @ 0..=62,
                    } => congruence(left).multiply(Congruence::constant(1 << count)),
                    _ => Congruence::ANY,
                },
                BinaryOp::And => match (&**left, &**right) {
                    (_, Expr::Integer { value, .. }) | (Expr::Integer { value, .. }, _)
                        if *value != 0 =>
                    {
                        Congruence {
                            modulus: 1 << value.trailing_zeros().min(62),
                            remainder: 0,
                        }
                    }
                    _ => Congruence::ANY,
                },
                _ => Congruence::ANY,
            };
            result.wrapped(*bits, *signed)
        }
        Expr::Conditional {
            then, otherwise, ..
        } => congruence(then).join(congruence(otherwise)),
        Expr::Convert {
            operand,
            from: ScalarType::Integer { .. },
            to: ScalarType::Integer { bits, signed },
        } => congruence(operand).wrapped(*bits, *signed),
        _ => Congruence::ANY,
    }
}

/// The value of a constant integer expression, conversions included.
pub fn constant_integer(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Integer { value, .. } => Some(*value),
        Expr::Convert {
            operand,
            to: ScalarType::Integer { bits, signed },
            ..
        } => {
            let value = constant_integer(operand)?;
            let shift = 128_u32.checked_sub(u32::from(*bits))?;
            Some(if *signed {
                value.wrapping_shl(shift).wrapping_shr(shift)
            } else {
                ((value as u128).wrapping_shl(shift).wrapping_shr(shift)) as i128
            })
        }
        Expr::Convert {
            operand,
            to: ScalarType::Pointer,
            ..
        } => constant_integer(operand),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(value: i128) -> Expr {
        Expr::Integer {
            value,
            scalar: ScalarType::Integer {
                bits: 64,
                signed: true,
            },
        }
    }

    fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary {
            op,
            left: Box::new(left),
            right: Box::new(right),
            scalar: ScalarType::Integer {
                bits: 64,
                signed: true,
            },
        }
    }

    #[test]
    fn distances_are_congruent() {
        let unknown = || Expr::Rounding;
        let twelve = binary(BinaryOp::Multiply, unknown(), integer(12));
        assert_eq!(byte_distance(&twelve).modulus, 12);
        let sum = binary(BinaryOp::Add, twelve, integer(4));
        assert_eq!(
            byte_distance(&sum),
            Congruence {
                modulus: 12,
                remainder: 4
            }
        );
        // Below the outermost multiplication, arithmetic wraps: 3·k is not a multiple of three.
        let inner = binary(
            BinaryOp::Multiply,
            binary(BinaryOp::Multiply, unknown(), integer(6)),
            integer(4),
        );
        assert_eq!(byte_distance(&inner).modulus, 8);
        assert_eq!(
            byte_distance(&binary(BinaryOp::And, unknown(), integer(-16))).modulus,
            16
        );
        assert_eq!(byte_distance(&integer(-8)), Congruence::constant(-8));
    }
}
