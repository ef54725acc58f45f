//! Operators of terms.
//!
//! They are SMT-LIB's, with its meaning also in corner cases (division by zero, oversized shifts), and each has a fixed
//! arity but for [`Op::And`] and [`Op::Or`]. What SMT-LIB leaves open is fixed here, so that evaluation is a function:
//! the bits of a NaN are the positive quiet one, and a float out of range converts to the integer zero.

use serde::{Deserialize, Serialize};

/// An operator with its parameters. Constants and variables are leaves of their own kind (see
/// [`crate::TermKind`]).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum Op {
    // --- Booleans and every sort ---
    /// Negation.
    Not,
    /// Conjunction of two or more terms.
    And,
    /// Disjunction of two or more terms.
    Or,
    /// Equality of two terms of one sort; for floats the identity of values (NaN = NaN, +0 ≠ -0), not IEEE's.
    Eq,
    /// `Ite(condition, then, else)`.
    Ite,

    // --- bit vectors ---
    /// Two's-complement negation.
    BvNeg,
    /// Bitwise complement.
    BvNot,
    /// Addition modulo 2^w.
    BvAdd,
    /// Multiplication modulo 2^w.
    BvMul,
    /// Unsigned division; by zero: all ones.
    BvUdiv,
    /// Unsigned remainder; by zero: the dividend.
    BvUrem,
    /// Signed division, truncating; by zero: 1 for a negative dividend, else all ones.
    BvSdiv,
    /// Signed remainder, with the dividend's sign; by zero: the dividend.
    BvSrem,
    /// Bitwise and.
    BvAnd,
    /// Bitwise or.
    BvOr,
    /// Bitwise exclusive or.
    BvXor,
    /// Left shift; by w or more: zero. Both operands have one width.
    BvShl,
    /// Logical right shift; by w or more: zero.
    BvLshr,
    /// Arithmetic right shift; by w or more: the sign everywhere.
    BvAshr,
    /// Unsigned less-than.
    BvUlt,
    /// Unsigned less-or-equal.
    BvUle,
    /// Signed less-than.
    BvSlt,
    /// Signed less-or-equal.
    BvSle,
    /// `Concat(high, low)`.
    Concat,
    /// Bits `high` down to `low`, both included.
    Extract {
        /// Highest bit taken.
        high: u8,
        /// Lowest bit taken.
        low: u8,
    },
    /// Zero extension to the given total width.
    ZeroExtend(u8),
    /// Sign extension to the given total width.
    SignExtend(u8),

    // --- mathematical integers ---
    /// Negation.
    IntNeg,
    /// Addition.
    IntAdd,
    /// Multiplication.
    IntMul,
    /// SMT-LIB's `div`: the remainder is never negative; by zero: 0 (fixed here).
    IntDiv,
    /// SMT-LIB's `mod`: never negative; by zero: the dividend (fixed here).
    IntMod,
    /// Less-than.
    IntLt,
    /// Less-or-equal.
    IntLe,
    /// The unsigned value of a bit vector.
    BvToNat,
    /// The signed value of a bit vector.
    BvToInt,
    /// The integer modulo 2^width as a bit vector.
    IntToBv(u8),

    // --- floats; a rounding mode is the first operand, a bit vector of width 2: see [`RoundingMode`] ---
    /// Negation (also of NaN: no effect there).
    FpNeg,
    /// Absolute value.
    FpAbs,
    /// `FpAdd(mode, a, b)`.
    FpAdd,
    /// `FpSub(mode, a, b)`.
    FpSub,
    /// `FpMul(mode, a, b)`.
    FpMul,
    /// `FpDiv(mode, a, b)`.
    FpDiv,
    /// `FpFma(mode, a, b, c)` = a·b + c, rounded once.
    FpFma,
    /// `FpSqrt(mode, a)`.
    FpSqrt,
    /// IEEE remainder (C's `remainder`): a - b·n, n the integer nearest to a/b, ties to even.
    FpRem,
    /// `FpRoundToIntegral(mode, a)`.
    FpRoundToIntegral,
    /// IEEE less-than (false on NaN).
    FpLt,
    /// IEEE less-or-equal (false on NaN).
    FpLe,
    /// IEEE equality (false on NaN, +0 = -0).
    FpEq,
    /// Whether the value is NaN.
    FpIsNan,
    /// Whether the value is infinite.
    FpIsInfinite,
    /// Whether the value is a zero.
    FpIsZero,
    /// Whether the value is normal.
    FpIsNormal,
    /// Whether the value is subnormal.
    FpIsSubnormal,
    /// Whether the sign is set (false for NaN).
    FpIsNegative,
    /// `FpToFp(mode, a)`: conversion to another format.
    FpToFp(crate::FloatFormat),
    /// `SbvToFp(mode, bv)`: from a signed bit vector.
    SbvToFp(crate::FloatFormat),
    /// `UbvToFp(mode, bv)`: from an unsigned bit vector.
    UbvToFp(crate::FloatFormat),
    /// `IntToFp(mode, int)`: from an integer.
    IntToFp(crate::FloatFormat),
    /// `FpToSbv(mode, a)`: to a signed bit vector of the width; NaN and what is out of range: 0 (fixed here).
    FpToSbv(u8),
    /// `FpToUbv(mode, a)`: to an unsigned bit vector of the width; NaN and what is out of range: 0 (fixed here).
    FpToUbv(u8),
    /// `FpToInt(mode, a)`: to an integer; NaN and infinities: 0 (fixed here).
    FpToInt,
    /// The IEEE bits of a float ([`crate::FloatFormat::storage_bits`] wide); NaN: the positive quiet one (fixed here).
    FpToBits,
    /// The float with the given IEEE bits.
    FpFromBits(crate::FloatFormat),

    // --- arrays ---
    /// `Select(array, index)`.
    Select,
    /// `Store(array, index, element)`.
    Store,
    /// The array of the sort of the term that maps every index to the operand.
    ConstArray,
    /// `PrefixSum(array, index)`: the sum of the elements at all indices below this one, as unsigned numbers, modulo 2^w. Indices
    /// and elements are bit vectors. It occurs in invariants, not in programs. Solvers treat it as an unknown number;
    /// [`crate::prefix_sums`] has its axioms.
    PrefixSum,
}

impl Op {
    /// Checks whether the operator is equality or an order of bit vectors or integers.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Eq
                | Self::BvUlt
                | Self::BvUle
                | Self::BvSlt
                | Self::BvSle
                | Self::IntLt
                | Self::IntLe
        )
    }
}

/// IEEE rounding modes, numbered as the x86 control word and `<fenv.h>` have them (`FE_…` = mode << 10).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum RoundingMode {
    /// To nearest, ties to even: the default of C.
    #[default]
    NearestEven = 0,
    /// Towards negative infinity.
    Downward = 1,
    /// Towards positive infinity.
    Upward = 2,
    TowardZero = 3,
}
