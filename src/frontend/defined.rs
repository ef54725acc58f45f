//! When operations are defined: one rule for each reason why C leaves the behaviour of an operation undefined.
//!
//! Lowering states a rule's condition where it lowers the operation ([`Instruction::Check`](super::ir::Instruction::Check)),
//! if the property asks for the rule's kind.

use super::property::Check;

/// A reason why an operation is undefined.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The result of `+`, `-`, `*`, `++`, `--` or unary `-` on signed integers is not in its type.
    Result,
    /// The quotient of signed integers is not in its type; then `%` is undefined, too.
    Quotient,
    /// A signed number is shifted to the left by a negative count, or by its width or more.
    ShiftCount,
    /// A negative number is shifted to the left, or the result is not in its type.
    ShiftedNumber,
    /// The absolute value is not in its type.
    AbsoluteValue,
    /// An integer is divided by zero.
    Divisor,
    /// An integer is shifted by a negative count, or by its width or more.
    ShiftWidth,
    /// A floating-point number is converted to an integer type that does not have the number without its fraction.
    Converted,
    /// A local variable whose address is not taken is read before it is set.
    SetBefore,
    /// Control comes to `unreachable()` or `__builtin_unreachable()`.
    PromisedPoint,
    /// A function returns that is declared `_Noreturn`.
    PromisedReturn,
    /// A pointer is converted to a type of pointers for which it is not aligned.
    Aligned,
    /// An access by an object's name goes beyond the object.
    WithinObject,
    /// An access through a pointer is not within an object that exists.
    ValidPointer,
    /// What is freed is neither null nor the beginning of an object of the heap that exists.
    Deallocation,
    /// An object of the heap is neither freed nor reachable when the program ends.
    LostMemory,
    /// An object of the heap is not freed when the program ends.
    MemoryAtEnd,
}

impl Rule {
    /// The kind of checks that the rule belongs to.
    pub const fn check(self) -> Check {
        match self {
            Self::Result
            | Self::Quotient
            | Self::ShiftCount
            | Self::ShiftedNumber
            | Self::AbsoluteValue => Check::Overflow,
            Self::Divisor => Check::Division,
            Self::ShiftWidth => Check::Shift,
            Self::Converted => Check::Conversion,
            Self::SetBefore => Check::Uninitialised,
            Self::PromisedPoint | Self::PromisedReturn => Check::Unreachable,
            Self::Aligned => Check::Alignment,
            Self::WithinObject => Check::Bounds,
            Self::ValidPointer => Check::Pointers,
            Self::Deallocation => Check::Free,
            Self::LostMemory => Check::Leaks,
            Self::MemoryAtEnd => Check::Cleanup,
        }
    }

    /// The paragraph of C11 that makes it undefined (C23's for `unreachable()`, which C11 does not have). That memory is not freed
    /// is defined; the paragraph is then the one that says how long it exists.
    pub const fn paragraph(self) -> &'static str {
        match self {
            Self::Result => "6.5p5",
            Self::Quotient => "6.5.5p6",
            Self::ShiftCount => "6.5.7p3",
            Self::ShiftedNumber => "6.5.7p4",
            Self::AbsoluteValue => "7.22.6.1p2",
            Self::Divisor => "6.5.5p5",
            Self::ShiftWidth => "6.5.7p3",
            Self::Converted => "6.3.1.4p1",
            Self::SetBefore => "6.3.2.1p2",
            Self::PromisedPoint => "7.21.1p2",
            Self::PromisedReturn => "6.7.4p8",
            Self::Aligned => "6.3.2.3p7",
            Self::WithinObject => "6.5.6p8",
            Self::ValidPointer => "6.5.3.2p4",
            Self::Deallocation => "7.22.3.3p2",
            Self::LostMemory | Self::MemoryAtEnd => "7.22.3p1",
        }
    }

    /// What has to hold, as a sentence without an initial capital.
    pub const fn condition(self) -> &'static str {
        match self {
            Self::Result => "the result of signed arithmetic is in its type",
            Self::Quotient => "the quotient is in its type",
            Self::ShiftCount => "the shift is by less than the width",
            Self::ShiftedNumber => "the shifted number is in its type",
            Self::AbsoluteValue => "the absolute value is in its type",
            Self::Divisor => "the divisor is not zero",
            Self::ShiftWidth => "the shift is by less than the width, and not by a negative count",
            Self::Converted => "the number is in the type that it is converted to",
            Self::SetBefore => "the variable is set before it is read",
            Self::PromisedPoint => "control does not come to what is promised to be unreachable",
            Self::PromisedReturn => "a function that is declared `_Noreturn` does not return",
            Self::Aligned => "the pointer is aligned for the type that it is converted to",
            Self::WithinObject => "the access is within the object",
            Self::ValidPointer => "the access is within an object that exists",
            Self::Deallocation => {
                "what is freed is null or the beginning of an object of the heap that exists"
            }
            Self::LostMemory => "every object of the heap is freed or can be reached",
            Self::MemoryAtEnd => "every object of the heap is freed",
        }
    }
}
