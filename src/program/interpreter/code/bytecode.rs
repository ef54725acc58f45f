//! The interpreter's instructions.
//!
//! The machine is a register machine. Every variable and every constant has a register of its own, so that an instruction
//! takes operands of either kind; temporaries are valid within an edge. Registers are divided into classes with separate
//! numbering: *narrow* (Booleans, bit vectors of up to 64 bits and floats of up to 64, as
//! zero-extended bit patterns), *wide* (other bit vectors and floats), *integer*, and arrays.
//!
//! An instruction takes 16 bytes. Widths are given as `shift` = 64 - width: shifting a result left and right by it
//! truncates it to its width, and shifting operands left by it makes signed comparisons independent of the width.

use crate::{EdgeId, FunctionId, InputId, Lifetime, LocationId};
use regatta_term::{Op, Sort};

/// The number of a register in its class.
pub(crate) type Register = u32;
/// The index of an instruction.
pub(crate) type Address = u32;

/// A register of any class.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// A bit pattern of up to 64 bits.
    Narrow(Register),
    /// A bit pattern of up to 128 bits.
    Wide(Register),
    Integer(Register),
    Array(Register),
}

/// A comparison of mathematical integers.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IntegerRelation {
    Equal,
    Less,
    LessEqual,
}

/// An operation on mathematical integers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum IntegerOperation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// An operation on two floats of one format, rounding to nearest.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum FloatOperation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Less,
    LessEqual,
    Equal,
}

/// An operation on one float, rounding to nearest where the result may be inexact.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum FloatFunction {
    Negate,
    AbsoluteValue,
    SquareRoot,
    RoundToEven,
    Floor,
    Ceiling,
    Truncate,
    IsNan,
    IsInfinite,
    IsZero,
    IsNormal,
    IsSubnormal,
    IsNegative,
    /// Canonicalisation of a bit pattern.
    FromBits,
    /// Conversion to the other of the two formats.
    Convert,
}

/// The float formats for which the machine has instructions.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Single,
    Double,
}

/// The kind of a [`crate::Claim`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClaimKind {
    InvalidAccess,
    InvalidFree,
    Lost,
    Allocated,
}

/// The signedness of a bit vector that is converted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Signedness {
    Signed,
    Unsigned,
}

/// An instruction. Unless stated otherwise, the registers are narrow ones.
#[derive(Copy, Clone, Debug)]
#[rustfmt::skip]
pub(crate) enum Instruction {
    // --- bit vectors and Booleans ---
    Move { to: Register, from: Register },
    MoveIf { to: Register, condition: Register, from: Register },
    Add { shift: u8, to: Register, a: Register, b: Register },
    Subtract { shift: u8, to: Register, a: Register, b: Register },
    Multiply { shift: u8, to: Register, a: Register, b: Register },
    Negate { shift: u8, to: Register, a: Register },
    Complement { shift: u8, to: Register, a: Register },
    And { to: Register, a: Register, b: Register },
    Or { to: Register, a: Register, b: Register },
    Xor { to: Register, a: Register, b: Register },
    ShiftLeft { shift: u8, to: Register, a: Register, b: Register },
    ShiftRightLogical { shift: u8, to: Register, a: Register, b: Register },
    ShiftRightArithmetic { shift: u8, to: Register, a: Register, b: Register },
    UnsignedDivide { shift: u8, to: Register, a: Register, b: Register },
    UnsignedRemainder { to: Register, a: Register, b: Register },
    SignedDivide { shift: u8, to: Register, a: Register, b: Register },
    SignedRemainder { shift: u8, to: Register, a: Register, b: Register },
    Equal { to: Register, a: Register, b: Register },
    UnsignedLess { to: Register, a: Register, b: Register },
    UnsignedLessEqual { to: Register, a: Register, b: Register },
    SignedLess { shift: u8, to: Register, a: Register, b: Register },
    SignedLessEqual { shift: u8, to: Register, a: Register, b: Register },
    Concat { low_width: u8, to: Register, high: Register, low: Register },
    Extract { low: u8, shift: u8, to: Register, a: Register },
    SignExtend { from_shift: u8, to_shift: u8, to: Register, a: Register },

    // --- jumps within an edge or to the next edge ---
    Jump { target: Address },
    JumpIfZero { condition: Register, target: Address },
    JumpUnlessZero { condition: Register, target: Address },
    JumpIfEqual { a: Register, b: Register, target: Address },
    JumpUnlessEqual { a: Register, b: Register, target: Address },
    JumpUnlessUnsignedLess { a: Register, b: Register, target: Address },
    JumpUnlessUnsignedLessEqual { a: Register, b: Register, target: Address },
    JumpUnlessSignedLess { shift: u8, a: Register, b: Register, target: Address },
    JumpUnlessSignedLessEqual { shift: u8, a: Register, b: Register, target: Address },
    /// The operands are integers.
    JumpIfInteger { relation: IntegerRelation, a: Register, b: Register, target: Address },
    /// The operands are integers.
    JumpUnlessInteger { relation: IntegerRelation, a: Register, b: Register, target: Address },

    // --- floats ---
    Float { precision: Precision, operation: FloatOperation, to: Register, a: Register, b: Register },
    FloatUnary { precision: Precision, function: FloatFunction, to: Register, a: Register },
    /// A bit vector to a float, rounding to nearest.
    ToFloat { precision: Precision, from: Signedness, shift: u8, to: Register, a: Register },
    /// A float to a bit vector, rounding towards zero; a value out of range becomes zero.
    FromFloat { precision: Precision, into: Signedness, shift: u8, to: Register, a: Register },

    // --- mathematical integers; the operands are integer registers ---
    IntegerMove { to: Register, from: Register },
    IntegerMoveIf { to: Register, condition: Register, from: Register },
    Integer { operation: IntegerOperation, to: Register, a: Register, b: Register },
    IntegerNegate { to: Register, a: Register },
    /// The result is narrow.
    IntegerCompare { relation: IntegerRelation, to: Register, a: Register, b: Register },
    /// From a narrow register.
    IntegerFromBits { sign: Signedness, shift: u8, to: Register, a: Register },
    /// To a narrow register, modulo 2^width.
    IntegerToBits { shift: u8, to: Register, a: Register },
    /// To a narrow register, as an index or an address; a value that does not fit is a fault.
    IntegerToIndex { to: Register, a: Register },

    // --- wide values ---
    WideMove { to: Register, from: Register },
    WideMoveIf { to: Register, condition: Register, from: Register },

    // --- arrays; the index is narrow, the value is of the instruction's class ---
    Load { to: Register, array: Register, index: Register },
    Store { array: Register, index: Register, value: Register },
    /// `count` consecutive bytes, least significant first.
    LoadBytes { count: u8, to: Register, array: Register, index: Register },
    /// `count` consecutive bytes, least significant first.
    StoreBytes { count: u8, array: Register, index: Register, value: Register },
    LoadWide { to: Register, array: Register, index: Register },
    StoreWide { array: Register, index: Register, value: Register },
    LoadInteger { to: Register, array: Register, index: Register },
    StoreInteger { array: Register, index: Register, value: Register },
    Fill { array: Register, value: Register },
    FillWide { array: Register, value: Register },
    FillInteger { array: Register, value: Register },
    CopyArray { to: Register, from: Register },

    // --- other operators of terms: an index into `Executable::general` ---
    General { site: u32 },

    // --- effects ---
    Havoc { to: Register, input: InputId },
    HavocWide { to: Register, input: InputId },
    HavocInteger { to: Register, input: InputId },
    HavocArray { to: Register, input: InputId },
    /// `operation` is the number among the edge's operations.
    Allocate { lifetime: Lifetime, operation: u16, address: Register, size: Register },
    Free { lifetime: Lifetime, operation: u16, address: Register },
    /// Judges [`crate::Operation::Claim`]; a claim without operands does not look at the registers.
    Claim { claim: ClaimKind, address: Register, bytes: Register },

    // --- edges that may block after an effect ---
    /// The start of an edge with effects before a condition.
    Begin,
    /// Saves an array's cells for [`Instruction::Rollback`].
    Remember { array: Register, index: Register, count: u8 },
    RememberArray { array: Register },
    /// Saves the live objects.
    RememberObjects,
    /// Undoes everything since [`Instruction::Begin`].
    Rollback,
    /// All conditions held: the saved values are dropped.
    Commit,

    // --- control ---
    /// The end of an edge that has been taken; it counts `weight` steps.
    Edge { weight: u8, edge: EdgeId, target: Address },
    /// A call: an index into `Executable::calls`. The callee returns to the next instruction.
    Call { site: u32, edge: EdgeId },
    /// The exit of a function.
    Return { location: LocationId },
    /// A location that violates the property.
    Error { location: LocationId },
    /// A location without successors.
    End { location: LocationId },
    /// No edge could be taken.
    Blocked { location: LocationId },
    /// An unsupported edge: `Executable::unsupported` has the reason.
    Unsupported { edge: EdgeId },
}

const _: () = assert!(size_of::<Instruction>() == 16);

/// An operator without an instruction of its own; it is applied to values as [`regatta_term::evaluate`] does.
#[derive(Clone, Debug)]
pub(crate) struct General {
    pub(crate) op: Op,
    pub(crate) sort: Sort,
    pub(crate) arguments: Vec<(Place, Sort)>,
    pub(crate) to: Place,
}

/// A call edge.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub(crate) edge: EdgeId,
    pub(crate) callee: FunctionId,
    pub(crate) entry: Address,
    /// From the arguments to the parameters; no source is among the targets.
    pub(crate) parameters: Vec<(Place, Place)>,
    /// From the callee's results to the call's.
    pub(crate) results: Vec<(Place, Place)>,
    /// Whether the callee may be active already, so that its locals must be saved.
    pub(crate) recursive: bool,
}

/// The registers of a function's locals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locals {
    pub(crate) narrow: Vec<Register>,
    pub(crate) wide: Vec<Register>,
    pub(crate) integer: Vec<Register>,
    pub(crate) arrays: Vec<Register>,
}
