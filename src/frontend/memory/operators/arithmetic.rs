//! C's operators on scalars as terms, for both arithmetics.
//!
//! * **Bit vectors.** Integers wrap around, signed ones too; a shift by the width or more and a division by zero have
//!   SMT-LIB's meaning (C gives them none).
//! * **Floats.** Each operation rounds once, to its own type's format, in the current mode (as SSE does; x87 only for
//!   `long double`). A float that is out of the range of the integer type that it is converted to has no meaning in C;
//!   here it gives what gcc's code gives on x86: for signed types of 32 and 64 bits the "integer indefinite" value, the
//!   smallest number; narrower types take the low bits of the conversion to 32 bits, `unsigned` under LP64 those of the
//!   conversion to 64 bits; other unsigned types are converted in two halves. Each conversion costs one or two
//!   comparisons with constants.
//! * **Integer arithmetic**: see [`super::integer`].
//!
//! A truth value is a Boolean term; an `int` that C makes of it is `ite(b, 1, 0)`. Scalars of type `_Bool` are Boolean
//! terms too.

use super::{bit_vectors, floats, integer};
use crate::ir::{BinaryOp, ScalarType, UnaryOp};
use regatta_program::Arithmetic;
use regatta_term::{Build, Sort, Store, TermId, store};

/// What integers and pointers mean in a program.
#[derive(Copy, Clone, Debug)]
pub struct Semantics {
    /// What integers mean.
    pub arithmetic: Arithmetic,
    /// Width of a pointer in bits.
    pub pointer_bits: u8,
}

/// Width and signedness of a type that counts as an integer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct IntegerType {
    /// Width in bits.
    pub bits: u8,
    /// Whether it has negative values.
    pub signed: bool,
}

/// The shared store.
pub fn pool() -> &'static Store {
    store()
}

impl Semantics {
    /// The sort of a type's values.
    pub fn sort(self, scalar: ScalarType) -> Sort {
        match (scalar, self.arithmetic) {
            (ScalarType::Bool, _) => Sort::Bool,
            (ScalarType::Float(format), _) => Sort::Float(format),
            (_, Arithmetic::Integer) => Sort::Int,
            (ScalarType::Integer { bits, .. }, Arithmetic::BitVector) => Sort::BitVec(bits),
            (ScalarType::Pointer, Arithmetic::BitVector) => Sort::BitVec(self.pointer_bits),
        }
    }

    /// The width and signedness of the type; `None` for a floating-point type.
    pub const fn integer(self, scalar: ScalarType) -> Option<IntegerType> {
        match scalar {
            ScalarType::Integer { bits, signed } => Some(IntegerType { bits, signed }),
            ScalarType::Pointer => Some(IntegerType {
                bits: self.pointer_bits,
                signed: false,
            }),
            ScalarType::Bool => Some(IntegerType {
                bits: 8,
                signed: false,
            }),
            ScalarType::Float(_) => None,
        }
    }

    /// A constant of an integer, pointer or Boolean type.
    pub fn constant(self, value: i128, scalar: ScalarType) -> TermId {
        match self.sort(scalar) {
            Sort::Bool => pool().boolean(value != 0),
            Sort::BitVec(width) => pool().bv_signed(width, value),
            Sort::Int => pool().int_big(value.into()),
            Sort::Float(format) => pool().float(regatta_term::FloatValue::from_int(
                format,
                regatta_term::RoundingMode::NearestEven,
                &value.into(),
            )),
            Sort::Array { .. } => TermId::FALSE,
        }
    }

    /// The truth value as C's `int`.
    pub fn truth(self, condition: TermId) -> TermId {
        match self.arithmetic {
            Arithmetic::BitVector => pool().bool_to_bv(condition, 32),
            Arithmetic::Integer => pool().ite(condition, pool().int(1), pool().int(0)),
        }
    }

    /// Whether the value is not zero.
    pub fn is_nonzero(self, value: TermId, scalar: ScalarType) -> TermId {
        match scalar {
            ScalarType::Bool => value,
            ScalarType::Float(_) => pool().not(pool().fp_is_zero(value)),
            ScalarType::Integer { .. } | ScalarType::Pointer => {
                pool().ne(value, self.constant(0, scalar))
            }
        }
    }

    /// A unary operator; the result has the operand's type.
    pub fn unary(self, op: UnaryOp, value: TermId, scalar: ScalarType) -> TermId {
        match (op, scalar) {
            (UnaryOp::LogicalNot, _) => pool().not(self.is_nonzero(value, scalar)),
            (UnaryOp::Negate, ScalarType::Float(_)) => pool().fp_neg(value),
            (_, ScalarType::Float(_)) => value,
            (_, ScalarType::Bool) => {
                // Promotion leaves no such operand; it has a meaning all the same.
                let wide = self.convert_integer(value, scalar, crate::memory::walk::INT);
                let result = self.unary(op, wide, crate::memory::walk::INT);
                self.is_nonzero(result, crate::memory::walk::INT)
            }
            (UnaryOp::Negate, _) => match self.arithmetic {
                Arithmetic::BitVector => pool().neg(value),
                Arithmetic::Integer => pool().int_neg(value),
            },
            (UnaryOp::Complement, _) => match self.arithmetic {
                Arithmetic::BitVector => pool().bvnot(value),
                Arithmetic::Integer => integer::complement(value),
            },
        }
    }

    /// An arithmetic operator; the result has the operands' type.
    pub fn binary(
        self,
        op: BinaryOp,
        operands: [TermId; 2],
        scalar: ScalarType,
        count: ScalarType,
        mode: TermId,
    ) -> TermId {
        match self.integer(scalar) {
            None => floats::binary(op, operands, mode),
            Some(_) if scalar == ScalarType::Bool => {
                let wide = operands
                    .map(|operand| self.convert_integer(operand, scalar, crate::memory::walk::INT));
                let result = self.binary(op, wide, crate::memory::walk::INT, count, mode);
                self.is_nonzero(result, crate::memory::walk::INT)
            }
            Some(kind) => match self.arithmetic {
                Arithmetic::BitVector => {
                    let signed_count = self.integer(count).is_some_and(|count| count.signed);
                    bit_vectors::binary(op, operands, kind, signed_count)
                }
                Arithmetic::Integer => integer::binary(op, operands),
            },
        }
    }

    /// A comparison, as a Boolean term.
    pub fn compare(self, op: BinaryOp, [a, b]: [TermId; 2], scalar: ScalarType) -> TermId {
        let Some(kind) = self.integer(scalar) else {
            return floats::compare(op, a, b);
        };
        if scalar == ScalarType::Bool && !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            let wide = [a, b]
                .map(|operand| self.convert_integer(operand, scalar, crate::memory::walk::INT));
            return self.compare(op, wide, crate::memory::walk::INT);
        }
        match (op, self.arithmetic, kind.signed) {
            (BinaryOp::Equal, ..) => pool().eq(a, b),
            (BinaryOp::NotEqual, ..) => pool().ne(a, b),
            (BinaryOp::Greater, ..) => self.compare(BinaryOp::Less, [b, a], scalar),
            (BinaryOp::GreaterEqual, ..) => self.compare(BinaryOp::LessEqual, [b, a], scalar),
            (BinaryOp::Less, Arithmetic::Integer, _) => pool().int_lt(a, b),
            (BinaryOp::Less, Arithmetic::BitVector, true) => pool().slt(a, b),
            (BinaryOp::Less, Arithmetic::BitVector, false) => pool().ult(a, b),
            (_, Arithmetic::Integer, _) => pool().int_le(a, b),
            (_, Arithmetic::BitVector, true) => pool().sle(a, b),
            (_, Arithmetic::BitVector, false) => pool().ule(a, b),
        }
    }

    /// C's conversion between scalar types; `mode` is the current rounding mode.
    pub fn convert(self, value: TermId, from: ScalarType, to: ScalarType, mode: TermId) -> TermId {
        match (from, to) {
            (_, ScalarType::Bool) => self.is_nonzero(value, from),
            (ScalarType::Float(from), ScalarType::Float(to)) => {
                if from == to {
                    value
                } else {
                    pool().fp_to_fp(mode, value, to)
                }
            }
            (ScalarType::Float(format), _) => match (self.arithmetic, self.integer(to)) {
                (Arithmetic::Integer, _) => pool().fp_to_int(
                    pool().rounding(regatta_term::RoundingMode::TowardZero),
                    value,
                ),
                (Arithmetic::BitVector, Some(kind)) => {
                    floats::to_integer(value, format, kind, self.pointer_bits)
                }
                (Arithmetic::BitVector, None) => value,
            },
            (_, ScalarType::Float(format)) => {
                let value = self.without_bool(value, from);
                match (self.arithmetic, self.integer(from)) {
                    (Arithmetic::Integer, _) => pool().int_to_fp(mode, value, format),
                    (Arithmetic::BitVector, Some(IntegerType { signed: false, .. })) => {
                        pool().ubv_to_fp(mode, value, format)
                    }
                    _ => pool().sbv_to_fp(mode, value, format),
                }
            }
            _ => self.convert_integer(value, from, to),
        }
    }

    /// A `_Bool` as a number of eight bits; others as they are.
    fn without_bool(self, value: TermId, scalar: ScalarType) -> TermId {
        match (scalar, self.arithmetic) {
            (ScalarType::Bool, Arithmetic::BitVector) => pool().bool_to_bv(value, 8),
            (ScalarType::Bool, Arithmetic::Integer) => self.truth(value),
            _ => value,
        }
    }

    fn convert_integer(self, value: TermId, from: ScalarType, to: ScalarType) -> TermId {
        let (Some(from_kind), Some(to_kind)) = (self.integer(from), self.integer(to)) else {
            return value;
        };
        match (self.arithmetic, from) {
            (Arithmetic::BitVector, ScalarType::Bool) => pool().bool_to_bv(value, to_kind.bits),
            (Arithmetic::Integer, _) => self.without_bool(value, from),
            // gcc extends a pointer's sign when the integer is wider.
            (Arithmetic::BitVector, ScalarType::Pointer) => pool().sign_resize(value, to_kind.bits),
            (Arithmetic::BitVector, _) if from_kind.signed => {
                pool().sign_resize(value, to_kind.bits)
            }
            (Arithmetic::BitVector, _) => pool().zero_resize(value, to_kind.bits),
        }
    }
}
