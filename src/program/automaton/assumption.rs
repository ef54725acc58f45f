//! The assumptions that the lowering makes, and under which a verdict holds.
//!
//! Each assumption is tied to the place in the program where it is made. A verdict names the assumptions that it may depend
//! on: [`crate::simplify::open_assumptions`] determines them for a proof, the run for a violation.

use serde::{Deserialize, Serialize};

use super::cfa::LocationId;
use regatta_base::source::Span;
use regatta_term::TermId;

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssumptionKind {
    /// An allocation gives an object, not a null pointer.
    MallocSucceeds,
    /// Code without a definition has no effects but those stated.
    UnknownCode,
    /// A library function behaves as in glibc where the standard leaves its behaviour open.
    Library,
    /// An access is within an object that exists.
    WithinBounds,
    /// Operands whose order is unspecified are evaluated in the stated order. Other orders have paths of their own.
    EvaluationOrder,
    /// Unsequenced side effects, whose behaviour is undefined, happen in some order.
    Sequenced,
    /// Signed arithmetic that overflows wraps around.
    WrapAround,
    /// An operand has a value for which the operator is defined.
    Defined,
    /// An unknown attribute has no effect.
    IgnoredAttribute,
    /// The layout of objects and the representation of values are as stated.
    Layout,
    /// A volatile object of the program changes only where the program changes it.
    Volatile,
    /// The program's environment (its arguments, the machine) is as stated.
    Environment,
}

impl AssumptionKind {
    /// Whether a proof can depend on it.
    pub const fn matters_to_proofs(self) -> bool {
        !matches!(self, Self::EvaluationOrder)
    }

    /// Whether a violation observed in a run can depend on it. For the other kinds the run itself is the evidence: an
    /// allocation may succeed, and the interpreter stops at an invalid access or an undefined operation.
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

/// An assumption, and the place where it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    pub kind: AssumptionKind,
    /// The assumption as a sentence without an initial capital and without the place.
    pub what: String,
    /// The source location, in the lowered program, of the edge on which it is made.
    pub location: LocationId,
    /// The number of that edge's operations that come before it.
    pub operations: usize,
    /// When it would be violated.
    pub doubt: Doubt,
    /// Boolean terms over the values at that place; if one is false, the assumption is not made there.
    pub guards: Vec<TermId>,
    /// The position in the source.
    pub span: Span,
}

/// The condition under which an assumption is violated, over the values at the place where it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The condition cannot be expressed, so no analysis can discharge the assumption.
    Always,
    /// When the term, an integer or a bit vector, is zero.
    Zero(TermId),
    /// When the sum is outside of the inclusive bounds.
    SumOutside {
        /// The constant summand.
        constant: i128,
        /// The other summands, each with its factor.
        parts: Vec<(i128, Operand)>,
        /// The least and the greatest value allowed.
        bounds: (i128, i128),
    },
    /// When the product is outside of the inclusive bounds.
    ProductOutside {
        factors: (Operand, Operand),
        /// The least and the greatest value allowed.
        bounds: (i128, i128),
    },
    /// When the accessed bytes are not all within one object that exists.
    NotInObject {
        /// The summands of the address, each with its factor.
        parts: Vec<(i128, Operand)>,
        /// The constant summand of the address.
        constant: i128,
        /// The number of bytes accessed.
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
