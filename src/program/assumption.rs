//! What an answer is given under: the assumptions that were made while the program was lowered.
//!
//! Each is tied to the place where execution meets it. An answer names those that it could have depended on; which that
//! is, is decided by [`crate::program::simplify::open_assumptions`] for a proof, and by the run for a violation.

use serde::{Deserialize, Serialize};

use crate::program::cfa::LocationId;
use crate::program::source::Span;
use crate::term::TermId;

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssumptionKind {
    /// An allocation gives an object, not a null pointer.
    MallocSucceeds,
    /// Code without a definition does no more than what is said.
    UnknownCode,
    /// A library function does what it does in glibc, where the standard leaves that open.
    Library,
    /// An access is within an object that exists.
    WithinBounds,
    /// Operands whose order is not determined are evaluated in the order that is said. Other orders have paths of their
    /// own.
    EvaluationOrder,
    /// Side effects that are not sequenced, which makes the behaviour undefined, happen in some order.
    Sequenced,
    /// Signed arithmetic that overflows wraps around.
    WrapAround,
    /// An operand has a value for which the operator is defined.
    Defined,
    /// An attribute that is not known changes nothing.
    IgnoredAttribute,
    /// Objects lie, and values are represented, as is said.
    Layout,
    /// A volatile object of the program changes only where the program changes it.
    Volatile,
    /// What surrounds the program (its arguments, the machine) is what is said.
    Environment,
}

impl AssumptionKind {
    /// Whether a proof can depend on it.
    pub const fn matters_to_proofs(self) -> bool {
        !matches!(self, Self::EvaluationOrder)
    }

    /// Whether a violation that was seen to happen in a run can depend on it. Of the others the run itself is the proof:
    /// an allocation may succeed, and the interpreter does not go beyond an invalid access or an undefined operation.
    pub const fn matters_to_violations(self) -> bool {
        match self {
            Self::MallocSucceeds | Self::WithinBounds | Self::Defined | Self::Volatile => false,
            Self::UnknownCode
            | Self::Library
            | Self::EvaluationOrder
            | Self::Sequenced
            | Self::WrapAround
            | Self::IgnoredAttribute
            | Self::Layout
            | Self::Environment => true,
        }
    }
}

/// An assumption, and where it is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    pub kind: AssumptionKind,
    /// What is assumed, as a sentence without a capital and without the place.
    pub what: String,
    /// The location of the program as lowered from which the edge starts that meets it.
    pub location: LocationId,
    /// How many operations of that edge come before.
    pub operations: usize,
    /// When it would be violated.
    pub doubt: Doubt,
    /// Conditions, Boolean terms over the values at that place, without which the place is not evaluated.
    pub guards: Vec<TermId>,
    /// Where it is in the source.
    pub span: Span,
}

/// When an assumption would be violated, in terms of the values at the place where it is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Nothing in the program can exclude it.
    Always,
    /// When the term, an integer or a bit vector, is zero.
    Zero(TermId),
    /// When the sum is outside of the bounds, which belong to what is allowed.
    SumOutside {
        /// A number that is added.
        constant: i128,
        /// What is added, as often as the factor says.
        parts: Vec<(i128, Operand)>,
        /// The least and the greatest value allowed.
        bounds: (i128, i128),
    },
    /// When the product is outside of the bounds, which belong to what is allowed.
    ProductOutside {
        factors: (Operand, Operand),
        /// The least and the greatest value allowed.
        bounds: (i128, i128),
    },
    /// When so many bytes at the address are not all within one object that exists.
    NotInObject {
        /// The address: a constant and parts, as in a sum.
        parts: Vec<(i128, Operand)>,
        /// What is added to them.
        constant: i128,
        /// Bytes that are accessed.
        bytes: u64,
    },
}

/// A bit vector or an integer as a number.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    pub term: TermId,
    /// Whether a bit vector is read as a signed number.
    pub signed: bool,
}
