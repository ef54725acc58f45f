//! The typed intermediate representation between C and the control-flow automaton.
//!
//! `lower` makes it from the syntax tree: types are checked, conversions explicit, side effects in order, control flow
//! a graph of basic blocks. What is still open is memory: every C object is an [`Object`] of bytes and every access
//! names an address. `memory` then decides, with the points-to analysis of the whole unit, which objects become scalar
//! variables and which lie in which region, and emits the [`regatta_program::Program`].
//!
//! # Rules
//! * **Expressions are pure.** They read memory but change nothing. Evaluation is strictly from left to right: where a
//!   right operand has a side effect, what the left one reads was copied to a temporary object before. Where another
//!   order could make a difference, `lower` makes branches for the orders ([`Instruction::Choice`]).
//! * **Operands that can fault** (reads through pointers or at variable indices, division and remainder, shifts by a
//!   variable) never stand under [`Expr::Conditional`] or on the right of a logical operator: there `lower` makes
//!   branches. Logical operators over harmless operands stay expressions.
//! * **Truth values** are C's: comparisons and logical operators have type `int` and values 0 and 1; a condition is any
//!   scalar, true when it is not equal to zero.
//! * **Integers** of an expression are interpreted by their [`ScalarType`]; both operands of an arithmetic operator have
//!   the operator's type (shift counts excepted).

use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use regatta_program::waypoint::Time;
use regatta_program::{
    AssumptionKind, DataModel, External, Lifetime, SourceMap, Span, Waypoint, WaypointKind,
};
use regatta_term::{FloatFormat, RoundingMode};

#[derive(Clone, Debug)]
pub struct Unit {
    /// The files it comes from.
    pub sources: SourceMap,
    /// Sizes of C's types.
    pub data_model: DataModel,
    /// All objects: globals, string literals, parameters, locals, temporaries.
    pub objects: Vec<Object>,
    /// All functions with a body, and the start function.
    pub functions: Vec<Function>,
    /// Initialises all static objects, then calls `main`; a function without parameters.
    pub start: FunctionIndex,
    /// Whether the rounding mode can change ([`Instruction::SetRounding`] occurs); else it is to nearest even.
    pub dynamic_rounding: bool,
    /// What the program can meet that is not in it.
    pub outside: Outside,
    /// What changes by itself.
    pub devices: Devices,
    /// The objects that are volatile as a whole.
    pub volatile: FxHashSet<ObjectIndex>,
    /// Those of them that are there for handlers of signals to write.
    pub signalled: FxHashSet<ObjectIndex>,
    /// The functions that the source uses and does not define.
    pub externals: Vec<External>,
    /// The ordinary identifiers that it declares.
    pub names: Vec<DeclaredName>,
    /// The characters of string literals, with the zero at the end.
    pub texts: FxHashMap<ObjectIndex, Vec<u32>>,
}

/// An ordinary identifier that is declared; see [`regatta_program::DeclaredName`].
#[derive(Clone, Debug)]
pub struct DeclaredName {
    pub name: Arc<str>,
    /// What it names, if that is an object.
    pub object: Option<ObjectIndex>,
    /// The scalars in that object, and how C names them.
    pub places: Arc<[ScalarPlace]>,
    /// From when it can be seen.
    pub begin: Time,
    /// When its scope ends.
    pub end: Time,
}

/// A scalar in an object that has a name, or a row of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalarPlace {
    /// What comes after the object's name: `.f`, `[3].f`; of a row with `[]` where the index goes (`[].f`).
    pub path: String,
    pub leaf: Leaf,
}

/// What lies outside of a unit.
#[derive(Copy, Clone, Debug)]
pub struct Outside {
    /// What a call of unknown code may change.
    pub effect: UnknownEffect,
    /// Stands for all calls that unknown code makes into the unit: calls any of the functions that it may know, any
    /// number of times. A function without parameters; none if such calls would change nothing that matters.
    pub environment: Option<FunctionIndex>,
    /// Stands for all objects that the unit does not define and that a pointer from outside may point to.
    pub memory: Option<ObjectIndex>,
}

/// What changes by itself in the address space of a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Devices {
    /// Whether volatile objects change by themselves that the unit defines and that exist from start to end.
    pub change_objects: bool,
    /// Ranges of addresses that exist and at which there are no objects.
    pub ranges: Vec<Range<u64>>,
}

/// Index into [`Unit::objects`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectIndex(pub u32);

/// Index into [`Unit::functions`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionIndex(pub u32);

/// Index into [`Function::blocks`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockIndex(pub u32);

/// A scalar value's type.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// An integer (also an enumeration) of 1 to 128 bits; bit-fields have their own width only in [`Place`].
    Integer {
        bits: u8,
        signed: bool,
    },
    /// `_Bool`: 8 bits in memory, of which only the values 0 and 1 are ever written by an assignment.
    Bool,
    Float(FloatFormat),
    /// A pointer to an object or a function, or null (all bits zero).
    Pointer,
}

/// A C object: a range of bytes with a name.
#[derive(Clone, Debug)]
pub struct Object {
    /// The C name; temporaries and literals have names that are no C identifiers.
    pub name: String,
    /// Size in bytes; may be zero.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub alignment: u64,
    pub storage: Storage,
    /// Whether nothing may change it once it is initialised: it is declared `const` (and not `volatile`) as a whole, or
    /// constant text.
    pub constant: bool,
    /// The scalar members with their places; overlapping in a union. One entry at offset zero for a scalar object.
    pub leaves: Vec<Leaf>,
    /// The blocks of its function that it is in, from outside, by number; none in the outermost one, and for what is static.
    pub blocks: Vec<u32>,
    pub span: Span,
}

impl Object {
    /// Whether two locals of one activation never exist at the same time.
    pub fn is_never_beside(&self, other: &Self) -> bool {
        let mut both = self.blocks.iter().zip(&other.blocks);
        both.any(|(own, others)| own != others)
    }
}

/// When an object exists.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// From start to end; zero before the start function's initialisers run.
    Static {
        /// Whether code that is not known could name it: a global without `static`, or `extern`.
        external: bool,
    },
    /// From start to end, and defined elsewhere: it holds anything at the start, and unknown code can name it.
    Outside,
    /// Constant text: static, and its bytes are given here by `Unit`'s start function like any initialiser.
    Literal,
    /// One copy for each activation of the function.
    Automatic(FunctionIndex),
}

/// A scalar member of an object, or an array of them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Leaf {
    /// Offset of the (first) member in bits from the object's start.
    pub bit_offset: u64,
    /// Width of a member in bits: its type's, or a bit-field's.
    pub bits: u32,
    /// Its type (for a bit-field the declared one).
    pub scalar: ScalarType,
    pub count: u64,
    /// Distance in bits from one to the next.
    pub stride: u64,
}

/// A pointer whose targets are asked for: the address of a place or a range, who is called, what is freed.
///
/// The points-to analysis knows it by its id, which is made with it and goes where it goes. What stands under an id never
/// changes, so that copies of a pointer may share theirs: what the analysis says of it does not depend on where it stands.
#[derive(Clone, Debug)]
pub struct Pointer {
    id: PointerId,
    value: Box<Expr>,
}

/// Identifies a [`Pointer`], also among those of other units.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct PointerId(u64);

impl Pointer {
    /// The pointer with the value, of type [`ScalarType::Pointer`], and an id of its own.
    pub fn new(value: Expr) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: PointerId(NEXT.fetch_add(1, Ordering::Relaxed)),
            value: Box::new(value),
        }
    }

    /// What it is known by.
    pub const fn id(&self) -> PointerId {
        self.id
    }
}

impl Deref for Pointer {
    type Target = Expr;

    fn deref(&self) -> &Expr {
        &self.value
    }
}

/// Pointers are equal if their values are the same expression.
impl PartialEq for Pointer {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Pointer {}

/// Where a scalar is read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Address of the first byte that is touched.
    pub address: Pointer,
    /// The type of the value that is read or written.
    pub scalar: ScalarType,
    pub bit_field: Option<BitField>,
}

impl Place {
    /// A scalar that is no bit-field.
    pub fn new(address: Expr, scalar: ScalarType) -> Self {
        Self {
            address: Pointer::new(address),
            scalar,
            bit_field: None,
        }
    }
}

/// The bits of a bit-field, counted from the least significant bit of the byte at the place's address.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct BitField {
    /// First bit, 0 to 7 (the address names the first byte touched).
    pub offset: u8,
    /// Number of bits, at least one.
    pub bits: u8,
}

/// A pure expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// An integer, `_Bool` or pointer constant; the value is sign-extended for signed types, else not negative.
    Integer {
        value: i128,
        scalar: ScalarType,
    },
    /// A float constant by its IEEE bits.
    Float {
        /// The bits, in the low [`FloatFormat::storage_bits`].
        bits: u128,
        format: FloatFormat,
    },
    ObjectAddress(ObjectIndex),
    FunctionAddress(FunctionIndex),
    /// The address of a function that has no body here.
    ExternalFunctionAddress(String),
    /// `base + bytes`; type pointer.
    Offset {
        base: Box<Expr>,
        /// Distance in bytes: a signed integer of a pointer's width.
        bytes: Box<Expr>,
    },
    /// The value at a place.
    Load(Place),
    /// A unary operation; the result has the operand's type but for [`UnaryOp::LogicalNot`].
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
        scalar: ScalarType,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
        /// The operands' type; the result has it too, but for comparisons and logical operators, which give `int`.
        scalar: ScalarType,
    },
    /// `condition ? then : otherwise`, both of the given type.
    Conditional {
        /// Any scalar.
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
        scalar: ScalarType,
    },
    /// C's conversion from one scalar type to another, with the current rounding mode where that matters.
    Convert {
        operand: Box<Expr>,
        from: ScalarType,
        to: ScalarType,
    },
    /// A function of `<math.h>` or a compiler built-in that is exact in the terms.
    Math {
        function: MathFunction,
        /// Operands, all of one float format (or integers for the bit functions).
        arguments: Vec<Expr>,
        scalar: ScalarType,
    },
    /// The number of bytes from the pointer to the end of the object it points into, if that was made by
    /// [`Instruction::Allocate`] (for `realloc`); zero otherwise. Type `size_t`.
    AllocatedSize(Pointer),
    /// The current rounding mode as an `int`, numbered as [`RoundingMode`].
    Rounding,
}

impl Expr {
    /// `condition ? then : otherwise`.
    pub fn conditional(condition: Self, then: Self, otherwise: Self, scalar: ScalarType) -> Self {
        Self::Conditional {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
            scalar,
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Negate,
    Complement,
    /// `!`; gives `int`.
    LogicalNot,
}

/// Binary operators. Pointers may be compared; their difference is `Subtract` on integers after a conversion, in
/// bytes, but see [`BinaryOp::PointerDifference`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    /// `<<`; the right operand may have another integer type.
    ShiftLeft,
    /// `>>`, arithmetic for signed types; the right operand may have another integer type.
    ShiftRight,
    And,
    Or,
    Xor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `&&` over harmless operands.
    LogicalAnd,
    /// `||` over harmless operands.
    LogicalOr,
    /// Difference of two pointers in bytes; gives a signed integer of a pointer's width.
    PointerDifference,
}

/// Functions that terms can express exactly.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum MathFunction {
    AbsoluteValue,
    SquareRoot,
    FusedMultiplyAdd,
    /// `floor`, `ceil`, `trunc`, `roundeven`: to an integral value in the given mode.
    RoundToIntegral(RoundingMode),
    /// `rint` and `nearbyint`: to an integral value in the current mode.
    RoundToIntegralCurrent,
    /// `round`: to the nearest integral value, ties away from zero.
    RoundHalfAway,
    /// `remainder`.
    IeeeRemainder,
    /// `fmod`.
    Modulo,
    /// `isnan` and its like; gives `int`.
    IsNan,
    /// `isinf`: gives `int`, 1 for either infinity (glibc's macro gives -1 for the negative one: `lower` builds that).
    IsInfinite,
    /// `isnormal`; gives `int`.
    IsNormal,
    /// Whether the value is subnormal; gives `int`.
    IsSubnormal,
    /// Whether the value is a zero; gives `int`.
    IsZero,
    /// `signbit`: gives `int`, 1 if the sign is set (for NaN: an unknown value).
    SignBit,
    CopySign,
    /// `__builtin_popcount` and its like; gives `int`.
    PopulationCount,
    /// `__builtin_clz` and its like; gives `int`, the width for zero.
    CountLeadingZeros,
    /// `__builtin_ctz` and its like; gives `int`, the width for zero.
    CountTrailingZeros,
    /// `__builtin_bswap…`.
    ByteSwap,
}

impl MathFunction {
    /// Whether the result is an `int`, whatever the operands are.
    pub const fn gives_int(self) -> bool {
        matches!(
            self,
            Self::IsNan
                | Self::IsInfinite
                | Self::IsNormal
                | Self::IsSubnormal
                | Self::IsZero
                | Self::SignBit
                | Self::PopulationCount
                | Self::CountLeadingZeros
                | Self::CountTrailingZeros
        )
    }
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// The parameters' objects, in order.
    pub parameters: Vec<ObjectIndex>,
    /// The object that holds the result when the function returns; `None` for `void`.
    pub result: Option<ObjectIndex>,
    /// Basic blocks; the first is the entry.
    pub blocks: Vec<Block>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Block {
    /// The source label, if the block begins at one.
    pub label: Option<String>,
    /// What happens, in order, each with its place in the source.
    pub instructions: Vec<(Instruction, Span)>,
    pub terminator: Terminator,
    pub span: Span,
    /// What control passes on its way to targets of the terminator, by their number.
    pub turns: Vec<Turn>,
}

/// A waypoint on the way from a block to one of its targets.
#[derive(Copy, Clone, Debug)]
pub struct Turn {
    /// The target's number: 0 for [`Terminator::Branch`]'s `then`, 1 for `otherwise`; for a switch the case's, or the
    /// number of cases for the default.
    pub target: u32,
    pub waypoint: Waypoint,
}

/// A step with an effect.
#[derive(Clone, Debug)]
pub enum Instruction {
    /// `place = value`.
    Assign {
        place: Place,
        /// What, of the place's type.
        value: Expr,
    },
    /// Copies a whole object (struct or union assignment, constant-size `memcpy`); the ranges are equal or disjoint,
    /// or `overlapping` (`memmove`).
    Copy {
        destination: Pointer,
        source: Pointer,
        /// In bytes.
        size: u64,
        /// The scalar members, relative to the start, as a hint how to cut it up; padding need not be copied.
        leaves: Vec<Leaf>,
        /// Whether the ranges may overlap partly.
        overlapping: bool,
    },
    /// Fills a range of constant size with one byte (`memset`, zeroing before an initialiser).
    Fill {
        destination: Pointer,
        /// In bytes.
        size: u64,
        byte: u8,
        /// The scalar members, relative to the start, as a hint how to cut it up.
        leaves: Vec<Leaf>,
    },
    /// Padding of an object that is being initialised: bits that belong to no member that gets a value.
    Padding {
        destination: Pointer,
        /// Bits, from the object's start.
        ranges: Vec<Range<u64>>,
        contents: Padding,
    },
    /// Calls a function of the unit or through a pointer.
    Call {
        callee: Callee,
        /// The arguments, already converted to the parameters' types.
        arguments: Vec<Argument>,
        result: Option<ResultPlace>,
    },
    /// A call of a function without a body: returns any value, and may change what its pointer arguments and the
    /// non-static globals reach, unless it is `pure`.
    CallUnknown {
        name: String,
        arguments: Vec<Argument>,
        result: Option<ResultPlace>,
        /// Whether it returns a value, wanted or not.
        returns: bool,
        /// Whether it changes nothing.
        effect: UnknownEffect,
    },
    /// An input: `place := ` any value of its type.
    Nondet {
        place: Place,
        /// The function that was called, for witnesses.
        function: String,
        /// The closing parenthesis of the call, if it is one.
        call_end: Span,
    },
    /// A read of a place that may be no memory, or memory that changes by itself: `place := ` what `source` holds, or any
    /// value; [`super::memory`] tells which.
    ReadDevice {
        place: Place,
        source: Place,
        /// What it is, for messages.
        name: String,
        /// Whether the access is volatile; else only what is in [`Devices::ranges`] is no memory.
        volatile: bool,
    },
    /// A write to a place that may be no memory: `place = value`, or nothing.
    WriteDevice {
        place: Place,
        value: Expr,
        /// As for a read.
        volatile: bool,
    },
    /// A value that a real execution determines but that is not modelled (`sin(x)`): any value, and alarms that pass
    /// here are not confirmed.
    Approximate {
        place: Place,
        /// What it would be, for messages.
        what: String,
    },
    /// A choice that C leaves to the implementation: any value.
    Choice { place: Place },
    /// The object begins its life here with contents that are not determined.
    Declare(ObjectIndex),
    /// Makes a new object and assigns its address.
    Allocate {
        /// Receives the address; of pointer type.
        place: Place,
        /// Size in bytes, of type `size_t`.
        size: Expr,
        /// Its alignment in bytes.
        alignment: u64,
        lifetime: Lifetime,
        contents: InitialContents,
    },
    /// Ends a heap object; null is allowed.
    Free(Pointer),
    /// Goes on only if the condition is not zero.
    Assume(Expr),
    /// Sets the rounding mode to the value (an `int`, 0 to 3 as in [`RoundingMode`]).
    SetRounding(Expr),
    /// What happens here is not modelled.
    Unsupported(String),
    /// No effect: control is at a waypoint of the source, whose place is the instruction's.
    Waypoint {
        kind: WaypointKind,
        /// When it was lowered.
        time: Time,
    },
    /// No effect: what comes after is right if this assumption is.
    Assumption {
        kind: AssumptionKind,
        /// What is assumed, as a sentence without a capital and without the place.
        what: String,
    },
}

impl Instruction {
    /// The place of the scalar that the instruction itself writes; for a call see [`ResultPlace`].
    pub fn written_place(&self) -> Option<&Place> {
        match self {
            Self::Assign { place, .. }
            | Self::Nondet { place, .. }
            | Self::ReadDevice { place, .. }
            | Self::WriteDevice { place, .. }
            | Self::Approximate { place, .. }
            | Self::Choice { place }
            | Self::Allocate { place, .. } => Some(place),
            _ => None,
        }
    }
}

/// The contents of a new object.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum InitialContents {
    Uninitialised,
    /// What was there before: an object that has ended starts anew where it was, larger or smaller.
    Kept,
    Zero,
}

/// The contents of padding.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Padding {
    Undetermined,
    /// Zero, as compilers make it, though the standard does not ask for it: the ledger says so if somebody reads it.
    Zero,
}

/// What a call of unknown code may change.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum UnknownEffect {
    Pure,
    /// What the pointer arguments and the non-static globals reach.
    Reachable,
}

#[derive(Clone, Debug)]
pub enum Callee {
    /// A function of the unit.
    Direct(FunctionIndex),
    /// Through a pointer; the call's shape decides which of its targets are candidates.
    Indirect(Pointer),
    /// A function of the unit by unknown code, which can call it if its address gets there. Else the path ends.
    Escaped(FunctionIndex),
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    Scalar {
        value: Expr,
        scalar: ScalarType,
    },
    /// A struct or union by value.
    Object {
        address: Pointer,
        /// In bytes.
        size: u64,
        leaves: Vec<Leaf>,
    },
}

/// Where a call's result goes.
#[derive(Clone, Debug)]
pub enum ResultPlace {
    /// A scalar; its type is the function's result type.
    Scalar(Place),
    Object {
        address: Pointer,
        /// In bytes.
        size: u64,
        leaves: Vec<Leaf>,
    },
}

#[derive(Clone, Debug)]
pub enum Terminator {
    /// Goes on at a block.
    Goto(BlockIndex),
    /// Goes on by a condition.
    Branch {
        /// Any scalar.
        condition: Expr,
        scalar: ScalarType,
        then: BlockIndex,
        otherwise: BlockIndex,
    },
    /// Goes on by an integer's value.
    Switch {
        /// The value, promoted.
        value: Expr,
        scalar: ScalarType,
        /// Ranges of values, both ends included, disjoint, with their targets.
        cases: Vec<(i128, i128, BlockIndex)>,
        default: BlockIndex,
    },
    /// Returns; the result object holds the result.
    Return,
    /// The program ends here (`exit`, `abort`, a false `assume`).
    End,
    /// The property is violated here.
    Error,
    /// Control never comes here.
    Unreachable,
}
