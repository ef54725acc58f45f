//! The typed intermediate representation between C and the control-flow automaton.
//!
//! `lower` makes it from the syntax tree: types are checked, conversions explicit, side effects in order, control flow
//! a graph of basic blocks. Memory is still abstract: every C object is an [`Object`] of bytes, and every access names
//! an address. `memory` then decides, with the points-to analysis of the whole unit, which objects become scalar
//! variables and which lie in which region, and emits the [`regatta_program::Program`].
//!
//! # Rules
//! * **Expressions are pure.** They read memory but change nothing. Evaluation is strictly from left to right: if a
//!   right operand has a side effect, the values that the left one reads are copied to temporary objects before. If the
//!   order could make a difference, `lower` makes branches for the orders ([`Instruction::Choice`]).
//! * **Operands that can fault** (reads through pointers or at variable indices, division and remainder, shifts by a
//!   variable) never stand under [`Expr::Conditional`] or on the right of a logical operator: there `lower` makes
//!   branches. Logical operators over operands that cannot fault stay expressions.
//! * **Truth values** are C's: comparisons and logical operators have type `int` and values 0 and 1; a condition is any
//!   scalar, true when it is not equal to zero.
//! * **Integers** of an expression are interpreted by their [`ScalarType`]; both operands of an arithmetic operator
//!   have the operator's type (shift counts excepted).

#[cfg(debug_assertions)]
pub(crate) mod check;
mod print;
mod reached;

pub use reached::reached_text;

use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::defined::Rule;
use crate::library;

use regatta_program::waypoint::Time;
use regatta_program::{
    AssumptionKind, DataModel, External, Lifetime, SourceMap, Span, Waypoint, WaypointKind,
};
use regatta_term::{FloatFormat, RoundingMode};

#[derive(Clone, Debug)]
pub struct Unit {
    /// The source files.
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
    /// The environment: code and objects outside of the unit.
    pub outside: Outside,
    /// The memory that may change without a write of the program.
    pub devices: Devices,
    /// The objects that are volatile as a whole.
    pub volatile: FxHashSet<ObjectIndex>,
    /// The volatile objects that signal handlers may write.
    pub signalled: FxHashSet<ObjectIndex>,
    /// The functions that the source uses and does not define.
    pub externals: Vec<External>,
    /// The ordinary identifiers that the source declares.
    pub names: Vec<DeclaredName>,
    /// The characters of string literals, with the zero at the end.
    pub texts: FxHashMap<ObjectIndex, Vec<u32>>,
    /// The generated entry as a C file, if the program does not begin in `main`.
    pub entry: Option<String>,
}

/// An ordinary identifier that is declared; see [`regatta_program::DeclaredName`].
#[derive(Clone, Debug)]
pub struct DeclaredName {
    pub name: Arc<str>,
    /// The object that it names, if any.
    pub object: Option<ObjectIndex>,
    /// The scalars in that object, with their names in C.
    pub places: Arc<[ScalarPlace]>,
    /// The beginning of its scope.
    pub begin: Time,
    /// The end of its scope.
    pub end: Time,
}

/// A scalar in a named object, or a row of scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalarPlace {
    /// The path after the object's name: `.f`, `[3].f`; for a row with `[]` in place of the index (`[].f`).
    pub path: String,
    pub leaf: Leaf,
}

/// The environment of a unit.
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

/// The memory of a unit that may change without a write of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Devices {
    /// Whether static volatile objects of the unit may change without a write of the program.
    pub change_objects: bool,
    /// Ranges of addresses that exist and at which there are no objects.
    pub ranges: Vec<Range<u64>>,
    /// The functions that the hardware may call whenever the program uses what they use.
    pub interrupts: Vec<String>,
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
    /// Whether it never changes after its initialisation: it is declared `const` (and not `volatile`) as a whole, or a
    /// string literal.
    pub constant: bool,
    /// The scalar members with their places; overlapping in a union. One entry at offset zero for a scalar object.
    pub leaves: Vec<Leaf>,
    /// The numbers of the nested blocks of its function that contain it, outermost first; empty in the function's own
    /// block, and for static objects.
    pub blocks: Vec<u32>,
    pub span: Span,
}

impl Object {
    /// Whether its first contents are arbitrary, although it exists for the whole run.
    pub fn begins_arbitrary(&self) -> bool {
        match self.storage {
            Storage::Outside => true,
            Storage::Static { .. } => library::begins_arbitrary(&self.name),
            Storage::Literal | Storage::Automatic(_) => false,
        }
    }

    /// Whether two locals of one activation never exist at the same time.
    pub fn is_never_beside(&self, other: &Self) -> bool {
        let mut both = self.blocks.iter().zip(&other.blocks);
        both.any(|(own, others)| own != others)
    }
}

/// The storage duration and origin of an object.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// For the whole run; zero before the start function's initialisers run.
    Static {
        /// Whether unknown code could name it: a global without `static`, or `extern`.
        external: bool,
    },
    /// For the whole run, and defined elsewhere: its first contents are arbitrary, and unknown code can name it.
    Outside,
    /// A string literal: static; the unit's start function initialises it as other objects.
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
    /// Distance in bits from one member to the next.
    pub stride: u64,
}

/// The type of the only scalar of an object; `None` if it has several.
pub fn only_scalar(leaves: &[Leaf]) -> Option<ScalarType> {
    match leaves {
        [leaf] if leaf.bit_offset == 0 && leaf.count <= 1 => Some(leaf.scalar),
        _ => None,
    }
}

/// A pointer with targets that the memory model needs: the address of a place or range, a callee, a pointer to free.
///
/// The points-to analysis identifies it by its id, which its copies share. That is sound, since a pointer never
/// changes, and its targets do not depend on the position of the copy.
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

    /// Its id.
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

/// The place of a scalar that is read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Address of the first byte that is accessed.
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
    /// A unary operation; the result has the operand's type, except for [`UnaryOp::LogicalNot`].
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
        scalar: ScalarType,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
        /// The operands' type; the result has it too, except for comparisons and logical operators, which give `int`.
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
    /// `&&` over operands that cannot fault.
    LogicalAnd,
    /// `||` over operands that cannot fault.
    LogicalOr,
    /// Difference of two pointers in bytes; gives a signed integer of a pointer's width.
    PointerDifference,
}

impl BinaryOp {
    /// Whether the operator compares its operands.
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::NotEqual
                | Self::Less
                | Self::LessEqual
                | Self::Greater
                | Self::GreaterEqual
        )
    }
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
    /// Whether the result is an `int` for all operand types.
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

/// The name of the function that the front end makes to call an entry other than `main`. It writes to objects that it makes or
/// knows, so its writes are within them.
pub const MADE_ENTRY: &str = "__regatta_entry";

#[derive(Clone, Debug)]
pub struct Block {
    /// The source label, if the block begins at one.
    pub label: Option<String>,
    /// The instructions in order, each with its source position.
    pub instructions: Vec<(Instruction, Span)>,
    pub terminator: Terminator,
    pub span: Span,
    /// The waypoints on the ways to the terminator's targets.
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
        /// The value, of the place's type.
        value: Expr,
    },
    /// Copies a whole object (struct or union assignment, constant-size `memcpy`); the ranges are equal or disjoint,
    /// or `overlapping` (`memmove`).
    Copy {
        destination: Pointer,
        source: Pointer,
        /// In bytes.
        size: u64,
        /// The scalar members, relative to the start, as a hint for the division into fields; padding need not be
        /// copied.
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
        /// The scalar members, relative to the start, as a hint for the division into fields.
        leaves: Vec<Leaf>,
    },
    /// Fills a range of any size with one byte. Only under a check of memory.
    FillRange {
        destination: Pointer,
        /// In bytes, of type `size_t`.
        size: Expr,
        byte: u8,
    },
    /// Padding of an object that is being initialised: bits that belong to no initialised member.
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
        /// Whether it returns a value, used or not.
        returns: bool,
        /// The objects that it may change.
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
    /// A read of a possible device, or of memory that may change without a write of the program: `place := ` the value
    /// of `source`, or any value; [`super::memory`] decides which.
    ReadDevice {
        place: Place,
        source: Place,
        /// A description of the source, for messages.
        name: String,
        /// Whether the access is volatile; else only [`Devices::ranges`] are devices.
        volatile: bool,
    },
    /// A write to a possible device: `place = value`, or no effect.
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
        /// A description of the value, for messages.
        what: String,
    },
    /// A choice that C leaves to the implementation: any value.
    Choice { place: Place },
    /// Begins the lifetime of an object, with undetermined contents.
    Declare(ObjectIndex),
    /// Begins the lifetime of an object, whose block control enters. Only under a check of memory.
    BeginScope(ObjectIndex),
    /// Ends the lifetime of an object, whose block control leaves. Only under a check of memory; returns end objects, too.
    EndScope(ObjectIndex),
    /// The program ends normally, and its objects can be looked at. Only under a check of memory.
    ProgramEnds {
        /// Whether it is aborted: then nothing had to be freed, but nothing may be lost.
        is_aborted: bool,
    },
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
    /// Ends the path unless the condition is nonzero.
    Assume(Expr),
    /// Sets the rounding mode to the value (an `int`, 0 to 3 as in [`RoundingMode`]).
    SetRounding(Expr),
    /// An operation that is not modelled.
    Unsupported(String),
    /// No effect: control is at a waypoint of the source, at the instruction's position.
    Waypoint {
        kind: WaypointKind,
        /// The time of its lowering.
        time: Time,
    },
    /// Violates the property unless the condition is nonzero.
    Check {
        /// An `int`.
        condition: Expr,
        rule: Rule,
    },
    /// Violates the property unless the pointer is a multiple of the alignment.
    CheckAlignment {
        pointer: Pointer,
        /// In bytes, a power of two.
        alignment: u64,
    },
    /// No effect: an operand that is evaluated here has a value for which its operator is defined only where the
    /// condition is nonzero.
    Expect {
        condition: Expr,
        /// The condition, as a sentence without a capital and without its position.
        what: String,
    },
    /// No effect: the correctness of the following depends on this assumption.
    Assumption {
        kind: AssumptionKind,
        /// The assumption, as a sentence without a capital and without its position.
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
    /// The previous contents: the object replaces one that has ended, at the same address and with another size.
    Previous,
    Zero,
}

/// The contents of padding.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Padding {
    Undetermined,
    /// Zero, as in compilers, though the standard does not require it: the ledger notes the assumption if the padding
    /// is read.
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
    /// A call through a pointer; the types of the call restrict the candidates among its targets.
    Indirect(Pointer),
    /// A call of a function of the unit by unknown code, which needs its address. If unknown code cannot have it, the
    /// path ends.
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

/// The place of a call's result.
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
    /// Continues at a block.
    Goto(BlockIndex),
    /// Branches on a condition.
    Branch {
        /// Any scalar.
        condition: Expr,
        scalar: ScalarType,
        then: BlockIndex,
        otherwise: BlockIndex,
    },
    /// Branches on an integer.
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
