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
        }
    }

    /// The paragraph of C11 that makes it undefined.
    pub const fn paragraph(self) -> &'static str {
        match self {
            Self::Result => "6.5p5",
            Self::Quotient => "6.5.5p6",
            Self::ShiftCount => "6.5.7p3",
            Self::ShiftedNumber => "6.5.7p4",
            Self::AbsoluteValue => "7.22.6.1p2",
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
        }
    }
}
