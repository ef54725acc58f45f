//! Simplifying constructors.
//!
//! [`Build`] has the constructors of terms: they fold constants and apply rewrites that are equivalences and look at a
//! bounded part of the arguments only. Each module here has the rules of one sort.

mod limits;
#[macro_use]
mod operators;

mod array;
mod bitvector;
mod boolean;
mod compare;
mod float;
mod fold;
mod integer;
mod linear;
mod parity;
mod part;
mod solve;
mod steps;
#[cfg(test)]
mod tests;

use num_bigint::BigInt;

use self::fold::{binary, choice, fold, unary};
use self::operators::dispatch;
pub use self::part::extended_sum;
pub use self::solve::{RING_BITS, solve_for, solved};
use super::semantics;
use super::{
    BitVecValue, Constant, FloatFormat, FloatValue, Op, Pool, RoundingMode, ScalarSort, Sort,
    Symbol, TermId, TermKind, Value,
};

/// The simplifying constructors of terms, for every pool.
///
/// Arguments must have the sorts that the operator asks for (the meaning of each is [`Op`]'s): this is checked in debug
/// builds. Widths and positions are in bits.
pub trait Build: Pool {
    // --- leaves ---

    fn value(&self, value: &Value) -> TermId {
        self.intern_constant(value)
    }

    fn boolean(&self, value: bool) -> TermId {
        TermId::from_bool(value)
    }

    /// The bit vector of the width with the low bits of `bits`.
    fn bv(&self, width: u8, bits: u128) -> TermId {
        self.intern_bits(Sort::BitVec(width), bits)
    }

    /// The bit vector of the width that is congruent to the number.
    fn bv_signed(&self, width: u8, value: i128) -> TermId {
        self.intern_bits(Sort::BitVec(width), value as u128)
    }

    fn int(&self, value: i64) -> TermId {
        self.intern_constant(&Value::int(value))
    }

    fn int_big(&self, value: BigInt) -> TermId {
        self.intern_constant(&Value::Int(value))
    }

    /// The rounding mode as the operators take it.
    fn rounding(&self, mode: RoundingMode) -> TermId {
        self.intern_bits(Sort::BitVec(2), mode as u128)
    }

    fn float(&self, value: FloatValue) -> TermId {
        self.intern_constant(&Value::Float(value))
    }

    /// The program's state variable: instance 0 of the symbol.
    fn variable(&self, symbol: Symbol) -> TermId {
        self.intern_variable(symbol, 0)
    }

    fn variable_at(&self, symbol: Symbol, instance: u32) -> TermId {
        self.intern_variable(symbol, instance)
    }

    // --- an operator each ---

    operators!(constructors);

    // --- Booleans and every sort ---

    /// Conjunction of two.
    fn and2(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::And, &[a, b], boolean::and(self, &[a, b]))
    }

    /// Conjunction; of none: true.
    fn and(&self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        let terms: smallvec::SmallVec<[TermId; 8]> = terms.into_iter().collect();
        let result = boolean::and(self, &terms);
        if terms.len() > 1 {
            self.record(Op::And, &terms, result);
        }
        result
    }

    /// Disjunction of two.
    fn or2(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::Or, &[a, b], boolean::or(self, &[a, b]))
    }

    /// Disjunction; of none: false.
    fn or(&self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        let terms: smallvec::SmallVec<[TermId; 8]> = terms.into_iter().collect();
        let result = boolean::or(self, &terms);
        if terms.len() > 1 {
            self.record(Op::Or, &terms, result);
        }
        result
    }

    /// Implication.
    fn implies(&self, a: TermId, b: TermId) -> TermId {
        self.or2(self.not(a), b)
    }

    /// Equivalence.
    fn iff(&self, a: TermId, b: TermId) -> TermId {
        self.eq(a, b)
    }

    /// Exclusive or of two truth values.
    fn xor(&self, a: TermId, b: TermId) -> TermId {
        self.not(self.eq(a, b))
    }

    /// Inequality.
    fn ne(&self, a: TermId, b: TermId) -> TermId {
        self.not(self.eq(a, b))
    }

    /// The `ite` of two terms; where they differ only in an added constant, it becomes an `ite` of the constants:
    /// `c ? x + 1 : x` is `x + (c ? 1 : 0)`. So a counter depends on conditions only.
    fn ite_of_sums(&self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        let result = steps::choice_of_sums(self, condition, then, otherwise);
        recorded(self, Op::Ite, &[condition, then, otherwise], result)
    }

    // --- bit vectors ---

    /// Difference.
    fn sub(&self, a: TermId, b: TermId) -> TermId {
        difference(self, a, b, bitvector::sub(self, a, b))
    }

    /// Unsigned a > b.
    fn ugt(&self, a: TermId, b: TermId) -> TermId {
        self.ult(b, a)
    }

    /// Unsigned a ≥ b.
    fn uge(&self, a: TermId, b: TermId) -> TermId {
        self.ule(b, a)
    }

    /// Signed a > b.
    fn sgt(&self, a: TermId, b: TermId) -> TermId {
        self.slt(b, a)
    }

    /// Signed a ≥ b.
    fn sge(&self, a: TermId, b: TermId) -> TermId {
        self.sle(b, a)
    }

    /// C's conversion from an unsigned type: zero extension to a greater width, the low bits for a smaller one.
    fn zero_resize(&self, a: TermId, width: u8) -> TermId {
        if width < self.width(a) {
            self.extract(a, width - 1, 0)
        } else {
            self.zero_extend(a, width)
        }
    }

    /// C's conversion from a signed type: sign extension to a greater width, the low bits for a smaller one.
    fn sign_resize(&self, a: TermId, width: u8) -> TermId {
        if width < self.width(a) {
            self.extract(a, width - 1, 0)
        } else {
            self.sign_extend(a, width)
        }
    }

    /// The truth value as a bit vector: 1 or 0.
    fn bool_to_bv(&self, a: TermId, width: u8) -> TermId {
        self.ite(a, self.bv(width, 1), self.bv(width, 0))
    }

    // --- integers ---

    /// Difference.
    fn int_sub(&self, a: TermId, b: TermId) -> TermId {
        difference(self, a, b, integer::sub(self, a, b))
    }

    /// C's quotient, truncating; by zero: 0.
    fn int_tdiv(&self, a: TermId, b: TermId) -> TermId {
        integer::truncating_div(self, a, b)
    }

    /// C's remainder, with the sign of the dividend; by zero: the dividend.
    fn int_trem(&self, a: TermId, b: TermId) -> TermId {
        integer::truncating_rem(self, a, b)
    }

    /// a > b.
    fn int_gt(&self, a: TermId, b: TermId) -> TermId {
        self.int_lt(b, a)
    }

    /// a ≥ b.
    fn int_ge(&self, a: TermId, b: TermId) -> TermId {
        self.int_le(b, a)
    }

    // --- floats; `mode` is a rounding mode, see [`Build::rounding`] ---

    /// IEEE a > b.
    fn fp_gt(&self, a: TermId, b: TermId) -> TermId {
        self.fp_lt(b, a)
    }

    /// The bits in memory.
    fn fp_to_bits(&self, a: TermId) -> TermId {
        float::to_bits(self, a)
    }

    /// The float with the bits in memory.
    fn fp_from_bits(&self, a: TermId, format: FloatFormat) -> TermId {
        float::from_bits(self, a, format)
    }

    // --- arrays ---

    /// The array with this element at every index.
    fn const_array(&self, index: ScalarSort, element: TermId) -> TermId {
        array::constant(self, index, element)
    }

    /// The sum of the elements below the index, simplified for stores and `ite`. The simplification is not recorded, because
    /// solvers, which are to confirm records, do not know sums.
    fn prefix_sum(&self, array: TermId, index: TermId) -> TermId {
        array::prefix_sum(self, array, index)
    }

    // --- by operator ---

    /// The operator applied to the operands, simplified. `sort` is the application's sort; it adds information only for
    /// [`Op::ConstArray`].
    ///
    /// # Panics
    /// If the number of operands is wrong.
    fn apply(&self, op: Op, sort: Sort, operands: &[TermId]) -> TermId {
        let result = dispatch(self, op, sort, operands);
        match op {
            Op::PrefixSum => result,
            _ => recorded(self, op, operands, result),
        }
    }
}

impl<P: Pool + ?Sized> Build for P {}

/// Records the result of a difference, as a sum because there is no operator for differences, and returns the result.
fn difference<P: Pool + ?Sized>(pool: &P, a: TermId, b: TermId, result: TermId) -> TermId {
    if pool.records() {
        let sort = pool.sort(a);
        let (add, neg) = match sort {
            Sort::Int => (Op::IntAdd, Op::IntNeg),
            _ => (Op::BvAdd, Op::BvNeg),
        };
        pool.record(add, &[a, pool.intern(neg, sort, &[b])], result);
    }
    result
}

/// Records the result of an application, and returns the result.
fn recorded<P: Pool + ?Sized>(pool: &P, op: Op, arguments: &[TermId], result: TermId) -> TermId {
    pool.record(op, arguments, result);
    result
}
