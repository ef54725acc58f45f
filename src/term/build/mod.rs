//! Simplifying constructors.
//!
//! [`Build`] is what terms are built with: it folds constants and applies rewrites that are always right and look at a
//! bounded part of the arguments only. Each module here has the rules of one sort.

mod array;
mod bitvector;
mod boolean;
mod compare;
mod float;
mod fold;
mod integer;
mod linear;
mod part;
mod solve;
#[cfg(test)]
mod tests;

use num_bigint::BigInt;

use self::fold::{arguments, binary, choice, dispatch, fold, unary};
pub use self::solve::{solve_for, solved};
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

    /// The constant.
    fn value(&self, value: &Value) -> TermId {
        self.intern_constant(value)
    }

    /// The truth value.
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

    /// The integer.
    fn int(&self, value: i64) -> TermId {
        self.intern_constant(&Value::int(value))
    }

    /// The integer.
    fn int_big(&self, value: BigInt) -> TermId {
        self.intern_constant(&Value::Int(value))
    }

    /// The rounding mode as the operators take it.
    fn rounding(&self, mode: RoundingMode) -> TermId {
        self.intern_bits(Sort::BitVec(2), mode as u128)
    }

    /// The float.
    fn float(&self, value: FloatValue) -> TermId {
        self.intern_constant(&Value::Float(value))
    }

    /// The program's state variable: instance 0 of the symbol.
    fn variable(&self, symbol: Symbol) -> TermId {
        self.intern_variable(symbol, 0)
    }

    /// An instance of the symbol.
    fn variable_at(&self, symbol: Symbol, instance: u32) -> TermId {
        self.intern_variable(symbol, instance)
    }

    // --- Booleans and every sort ---

    /// Negation.
    fn not(&self, a: TermId) -> TermId {
        recorded(self, Op::Not, &[a], boolean::not(self, a))
    }

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
        recorded(self, Op::Eq, &[a, b], compare::eq(self, a, b))
    }

    /// Exclusive or of two truth values.
    fn xor(&self, a: TermId, b: TermId) -> TermId {
        self.not(self.eq(a, b))
    }

    /// Equality; of floats: identity.
    fn eq(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::Eq, &[a, b], compare::eq(self, a, b))
    }

    /// Inequality.
    fn ne(&self, a: TermId, b: TermId) -> TermId {
        self.not(self.eq(a, b))
    }

    /// Choice.
    fn ite(&self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        recorded(
            self,
            Op::Ite,
            &[condition, then, otherwise],
            boolean::ite(self, condition, then, otherwise),
        )
    }

    // --- bit vectors ---

    /// Two's-complement negation.
    fn neg(&self, a: TermId) -> TermId {
        recorded(self, Op::BvNeg, &[a], bitvector::neg(self, a))
    }

    /// Bitwise complement.
    fn bvnot(&self, a: TermId) -> TermId {
        recorded(self, Op::BvNot, &[a], bitvector::not(self, a))
    }

    /// Sum.
    fn add(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvAdd, &[a, b], bitvector::add(self, a, b))
    }

    /// Difference.
    fn sub(&self, a: TermId, b: TermId) -> TermId {
        difference(self, a, b, bitvector::sub(self, a, b))
    }

    /// Product.
    fn mul(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvMul, &[a, b], bitvector::mul(self, a, b))
    }

    /// Unsigned quotient.
    fn udiv(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvUdiv, &[a, b], bitvector::udiv(self, a, b))
    }

    /// Unsigned remainder.
    fn urem(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvUrem, &[a, b], bitvector::urem(self, a, b))
    }

    /// Signed quotient, truncating.
    fn sdiv(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvSdiv, &[a, b], bitvector::sdiv(self, a, b))
    }

    /// Signed remainder, with the sign of the dividend.
    fn srem(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvSrem, &[a, b], bitvector::srem(self, a, b))
    }

    /// Bitwise and.
    fn bvand(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvAnd, &[a, b], bitvector::and(self, a, b))
    }

    /// Bitwise or.
    fn bvor(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvOr, &[a, b], bitvector::or(self, a, b))
    }

    /// Bitwise exclusive or.
    fn bvxor(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvXor, &[a, b], bitvector::xor(self, a, b))
    }

    /// Left shift; `amount` has the width of `a`.
    fn shl(&self, a: TermId, amount: TermId) -> TermId {
        recorded(
            self,
            Op::BvShl,
            &[a, amount],
            bitvector::shl(self, a, amount),
        )
    }

    /// Logical right shift; `amount` has the width of `a`.
    fn lshr(&self, a: TermId, amount: TermId) -> TermId {
        recorded(
            self,
            Op::BvLshr,
            &[a, amount],
            bitvector::lshr(self, a, amount),
        )
    }

    /// Arithmetic right shift; `amount` has the width of `a`.
    fn ashr(&self, a: TermId, amount: TermId) -> TermId {
        recorded(
            self,
            Op::BvAshr,
            &[a, amount],
            bitvector::ashr(self, a, amount),
        )
    }

    /// Unsigned a < b.
    fn ult(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvUlt, &[a, b], compare::ult(self, a, b))
    }

    /// Unsigned a ≤ b.
    fn ule(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvUle, &[a, b], compare::ule(self, a, b))
    }

    /// Unsigned a > b.
    fn ugt(&self, a: TermId, b: TermId) -> TermId {
        self.ult(b, a)
    }

    /// Unsigned a ≥ b.
    fn uge(&self, a: TermId, b: TermId) -> TermId {
        self.ule(b, a)
    }

    /// Signed a < b.
    fn slt(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvSlt, &[a, b], compare::slt(self, a, b))
    }

    /// Signed a ≤ b.
    fn sle(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::BvSle, &[a, b], compare::sle(self, a, b))
    }

    /// Signed a > b.
    fn sgt(&self, a: TermId, b: TermId) -> TermId {
        self.slt(b, a)
    }

    /// Signed a ≥ b.
    fn sge(&self, a: TermId, b: TermId) -> TermId {
        self.sle(b, a)
    }

    /// The bits of `high` above those of `low`.
    fn concat(&self, high: TermId, low: TermId) -> TermId {
        recorded(
            self,
            Op::Concat,
            &[high, low],
            part::concat(self, high, low),
        )
    }

    /// Bits `high` down to `low`, both included.
    fn extract(&self, a: TermId, high: u8, low: u8) -> TermId {
        recorded(
            self,
            Op::Extract { high, low },
            &[a],
            part::extract(self, a, high, low),
        )
    }

    /// Zero extension to a total width, which may be the present one.
    fn zero_extend(&self, a: TermId, width: u8) -> TermId {
        recorded(
            self,
            Op::ZeroExtend(width),
            &[a],
            part::zero_extend(self, a, width),
        )
    }

    /// Sign extension to a total width, which may be the present one.
    fn sign_extend(&self, a: TermId, width: u8) -> TermId {
        recorded(
            self,
            Op::SignExtend(width),
            &[a],
            part::sign_extend(self, a, width),
        )
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

    /// Negation.
    fn int_neg(&self, a: TermId) -> TermId {
        recorded(self, Op::IntNeg, &[a], integer::neg(self, a))
    }

    /// Sum.
    fn int_add(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::IntAdd, &[a, b], integer::add(self, a, b))
    }

    /// Difference.
    fn int_sub(&self, a: TermId, b: TermId) -> TermId {
        difference(self, a, b, integer::sub(self, a, b))
    }

    /// Product.
    fn int_mul(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::IntMul, &[a, b], integer::mul(self, a, b))
    }

    /// SMT-LIB's `div`, the remainder never negative; by zero: 0.
    fn int_div(&self, a: TermId, b: TermId) -> TermId {
        recorded(
            self,
            Op::IntDiv,
            &[a, b],
            integer::euclidean_div(self, a, b),
        )
    }

    /// SMT-LIB's `mod`, never negative; by zero: the dividend.
    fn int_mod(&self, a: TermId, b: TermId) -> TermId {
        recorded(
            self,
            Op::IntMod,
            &[a, b],
            integer::euclidean_mod(self, a, b),
        )
    }

    /// C's quotient, truncating; by zero: 0.
    fn int_tdiv(&self, a: TermId, b: TermId) -> TermId {
        integer::truncating_div(self, a, b)
    }

    /// C's remainder, with the sign of the dividend; by zero: the dividend.
    fn int_trem(&self, a: TermId, b: TermId) -> TermId {
        integer::truncating_rem(self, a, b)
    }

    /// a < b.
    fn int_lt(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::IntLt, &[a, b], integer::lt(self, a, b))
    }

    /// a ≤ b.
    fn int_le(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::IntLe, &[a, b], integer::le(self, a, b))
    }

    /// a > b.
    fn int_gt(&self, a: TermId, b: TermId) -> TermId {
        self.int_lt(b, a)
    }

    /// a ≥ b.
    fn int_ge(&self, a: TermId, b: TermId) -> TermId {
        self.int_le(b, a)
    }

    /// The unsigned value of a bit vector.
    fn bv_to_nat(&self, a: TermId) -> TermId {
        recorded(self, Op::BvToNat, &[a], integer::bv_to_nat(self, a))
    }

    /// The signed value of a bit vector.
    fn bv_to_int(&self, a: TermId) -> TermId {
        recorded(self, Op::BvToInt, &[a], integer::bv_to_int(self, a))
    }

    /// The integer modulo 2^width.
    fn int_to_bv(&self, a: TermId, width: u8) -> TermId {
        recorded(
            self,
            Op::IntToBv(width),
            &[a],
            integer::int_to_bv(self, a, width),
        )
    }

    // --- floats; `mode` is a rounding mode, see [`Build::rounding`] ---

    /// Negation.
    fn fp_neg(&self, a: TermId) -> TermId {
        recorded(self, Op::FpNeg, &[a], float::neg(self, a))
    }

    /// Absolute value.
    fn fp_abs(&self, a: TermId) -> TermId {
        recorded(self, Op::FpAbs, &[a], float::abs(self, a))
    }

    /// Sum.
    fn fp_add(&self, mode: TermId, a: TermId, b: TermId) -> TermId {
        let result = float::arithmetic(self, Op::FpAdd, mode, a, b);
        recorded(self, Op::FpAdd, &[mode, a, b], result)
    }

    /// Difference.
    fn fp_sub(&self, mode: TermId, a: TermId, b: TermId) -> TermId {
        let result = float::arithmetic(self, Op::FpSub, mode, a, b);
        recorded(self, Op::FpSub, &[mode, a, b], result)
    }

    /// Product.
    fn fp_mul(&self, mode: TermId, a: TermId, b: TermId) -> TermId {
        let result = float::arithmetic(self, Op::FpMul, mode, a, b);
        recorded(self, Op::FpMul, &[mode, a, b], result)
    }

    /// Quotient.
    fn fp_div(&self, mode: TermId, a: TermId, b: TermId) -> TermId {
        let result = float::arithmetic(self, Op::FpDiv, mode, a, b);
        recorded(self, Op::FpDiv, &[mode, a, b], result)
    }

    /// `a·b + c`, rounded once.
    fn fp_fma(&self, mode: TermId, a: TermId, b: TermId, c: TermId) -> TermId {
        let operands = [mode, a, b, c];
        let result = fold(self, Op::FpFma, self.sort(a), &operands);
        recorded(self, Op::FpFma, &operands, result)
    }

    /// Square root.
    fn fp_sqrt(&self, mode: TermId, a: TermId) -> TermId {
        let result = fold(self, Op::FpSqrt, self.sort(a), &[mode, a]);
        recorded(self, Op::FpSqrt, &[mode, a], result)
    }

    /// IEEE remainder.
    fn fp_rem(&self, a: TermId, b: TermId) -> TermId {
        let result = fold(self, Op::FpRem, self.sort(a), &[a, b]);
        recorded(self, Op::FpRem, &[a, b], result)
    }

    /// The nearest integral float.
    fn fp_round_to_integral(&self, mode: TermId, a: TermId) -> TermId {
        let result = float::round_to_integral(self, mode, a);
        recorded(self, Op::FpRoundToIntegral, &[mode, a], result)
    }

    /// IEEE a < b.
    fn fp_lt(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::FpLt, &[a, b], float::lt(self, a, b))
    }

    /// IEEE a ≤ b.
    fn fp_le(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::FpLe, &[a, b], float::le(self, a, b))
    }

    /// IEEE a > b.
    fn fp_gt(&self, a: TermId, b: TermId) -> TermId {
        self.fp_lt(b, a)
    }

    /// IEEE a ≥ b.
    fn fp_ge(&self, a: TermId, b: TermId) -> TermId {
        self.fp_le(b, a)
    }

    /// IEEE equality.
    fn fp_eq(&self, a: TermId, b: TermId) -> TermId {
        recorded(self, Op::FpEq, &[a, b], float::ieee_eq(self, a, b))
    }

    /// Whether it is NaN.
    fn fp_is_nan(&self, a: TermId) -> TermId {
        let result = float::class(self, Op::FpIsNan, a);
        recorded(self, Op::FpIsNan, &[a], result)
    }

    /// Whether it is infinite.
    fn fp_is_infinite(&self, a: TermId) -> TermId {
        let result = float::class(self, Op::FpIsInfinite, a);
        recorded(self, Op::FpIsInfinite, &[a], result)
    }

    /// Whether it is a zero.
    fn fp_is_zero(&self, a: TermId) -> TermId {
        let result = float::class(self, Op::FpIsZero, a);
        recorded(self, Op::FpIsZero, &[a], result)
    }

    /// Whether it is normal.
    fn fp_is_normal(&self, a: TermId) -> TermId {
        let result = float::class(self, Op::FpIsNormal, a);
        recorded(self, Op::FpIsNormal, &[a], result)
    }

    /// Whether it is subnormal.
    fn fp_is_subnormal(&self, a: TermId) -> TermId {
        let result = float::class(self, Op::FpIsSubnormal, a);
        recorded(self, Op::FpIsSubnormal, &[a], result)
    }

    /// Whether the sign is set.
    fn fp_is_negative(&self, a: TermId) -> TermId {
        let result = float::class(self, Op::FpIsNegative, a);
        recorded(self, Op::FpIsNegative, &[a], result)
    }

    /// Conversion to another format.
    fn fp_to_fp(&self, mode: TermId, a: TermId, format: FloatFormat) -> TermId {
        let result = float::to_fp(self, mode, a, format);
        recorded(self, Op::FpToFp(format), &[mode, a], result)
    }

    /// From a signed bit vector.
    fn sbv_to_fp(&self, mode: TermId, a: TermId, format: FloatFormat) -> TermId {
        let op = Op::SbvToFp(format);
        let result = float::of_integer(self, op, mode, a);
        recorded(self, op, &[mode, a], result)
    }

    /// From an unsigned bit vector.
    fn ubv_to_fp(&self, mode: TermId, a: TermId, format: FloatFormat) -> TermId {
        let op = Op::UbvToFp(format);
        let result = float::of_integer(self, op, mode, a);
        recorded(self, op, &[mode, a], result)
    }

    /// From an integer.
    fn int_to_fp(&self, mode: TermId, a: TermId, format: FloatFormat) -> TermId {
        let op = Op::IntToFp(format);
        let result = fold(self, op, Sort::Float(format), &[mode, a]);
        recorded(self, op, &[mode, a], result)
    }

    /// To a signed bit vector; NaN and what is out of range: 0.
    fn fp_to_sbv(&self, mode: TermId, a: TermId, width: u8) -> TermId {
        let op = Op::FpToSbv(width);
        let result = float::to_bit_vec(self, op, mode, a);
        recorded(self, op, &[mode, a], result)
    }

    /// To an unsigned bit vector; NaN and what is out of range: 0.
    fn fp_to_ubv(&self, mode: TermId, a: TermId, width: u8) -> TermId {
        let op = Op::FpToUbv(width);
        let result = float::to_bit_vec(self, op, mode, a);
        recorded(self, op, &[mode, a], result)
    }

    /// To an integer; NaN and infinities: 0.
    fn fp_to_int(&self, mode: TermId, a: TermId) -> TermId {
        let result = fold(self, Op::FpToInt, Sort::Int, &[mode, a]);
        recorded(self, Op::FpToInt, &[mode, a], result)
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

    /// The element at the index.
    fn select(&self, array: TermId, index: TermId) -> TermId {
        recorded(
            self,
            Op::Select,
            &[array, index],
            array::select(self, array, index),
        )
    }

    /// The array with the element at the index changed.
    fn store(&self, array: TermId, index: TermId, element: TermId) -> TermId {
        recorded(
            self,
            Op::Store,
            &[array, index, element],
            array::store(self, array, index, element),
        )
    }

    /// The array with this element at every index.
    fn const_array(&self, index: ScalarSort, element: TermId) -> TermId {
        array::constant(self, index, element)
    }

    // --- by operator ---

    /// The operator applied to the operands, simplified. `sort` is the application's sort; only for
    /// [`Op::ConstArray`] it tells something that the operands do not.
    ///
    /// # Panics
    /// If the number of operands is wrong.
    fn apply(&self, op: Op, sort: Sort, operands: &[TermId]) -> TermId {
        recorded(self, op, operands, dispatch(self, op, sort, operands))
    }
}

impl<P: Pool + ?Sized> Build for P {}

/// What a difference has become, after telling the pool: there is no operator for it, it is a sum.
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

/// What an application has become, after telling the pool.
fn recorded<P: Pool + ?Sized>(pool: &P, op: Op, arguments: &[TermId], result: TermId) -> TermId {
    pool.record(op, arguments, result);
    result
}
