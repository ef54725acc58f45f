//! The table of operators: the constructor of each, and the rule that simplifies it.

use super::*;

/// Passes the table to a macro. A row is
/// ```text
/// constructor(operands; parameters of the operator) = operator => rule;
/// ```
/// where a rule for several operators takes the operator as well: `rule(op)`.
macro_rules! operators {
    ($user:ident) => {
        $user! {
            // --- Booleans and every sort ---

            /// Negation.
            not(a) = Not => boolean::not;
            /// Equality; of floats: identity.
            eq(a, b) = Eq => compare::eq;
            /// If-then-else.
            ite(condition, then, otherwise) = Ite => boolean::ite;

            // --- bit vectors ---

            /// Two's-complement negation.
            neg(a) = BvNeg => bitvector::neg;
            /// Bitwise complement.
            bvnot(a) = BvNot => bitvector::not;
            /// Sum.
            add(a, b) = BvAdd => bitvector::add;
            /// Product.
            mul(a, b) = BvMul => bitvector::mul;
            /// Unsigned quotient.
            udiv(a, b) = BvUdiv => bitvector::udiv;
            /// Unsigned remainder.
            urem(a, b) = BvUrem => bitvector::urem;
            /// Signed quotient, truncating.
            sdiv(a, b) = BvSdiv => bitvector::sdiv;
            /// Signed remainder, with the sign of the dividend.
            srem(a, b) = BvSrem => bitvector::srem;
            /// Bitwise and.
            bvand(a, b) = BvAnd => bitvector::and;
            /// Bitwise or.
            bvor(a, b) = BvOr => bitvector::or;
            /// Bitwise exclusive or.
            bvxor(a, b) = BvXor => bitvector::xor;
            /// Left shift; `amount` has the width of `a`.
            shl(a, amount) = BvShl => bitvector::shl;
            /// Logical right shift; `amount` has the width of `a`.
            lshr(a, amount) = BvLshr => bitvector::lshr;
            /// Arithmetic right shift; `amount` has the width of `a`.
            ashr(a, amount) = BvAshr => bitvector::ashr;
            /// Unsigned a < b.
            ult(a, b) = BvUlt => compare::ult;
            /// Unsigned a ≤ b.
            ule(a, b) = BvUle => compare::ule;
            /// Signed a < b.
            slt(a, b) = BvSlt => compare::slt;
            /// Signed a ≤ b.
            sle(a, b) = BvSle => compare::sle;
            /// The bits of `high` above those of `low`.
            concat(high, low) = Concat => part::concat;
            /// Bits `high` down to `low`, both included.
            extract(a; high: u8, low: u8) = Extract { high, low } => part::extract;
            /// Zero extension to a total width, which may be the present one.
            zero_extend(a; width: u8) = ZeroExtend(width) => part::zero_extend;
            /// Sign extension to a total width, which may be the present one.
            sign_extend(a; width: u8) = SignExtend(width) => part::sign_extend;

            // --- integers ---

            /// Negation.
            int_neg(a) = IntNeg => integer::neg;
            /// Sum.
            int_add(a, b) = IntAdd => integer::add;
            /// Product.
            int_mul(a, b) = IntMul => integer::mul;
            /// SMT-LIB's `div`, the remainder never negative; by zero: 0.
            int_div(a, b) = IntDiv => integer::euclidean_div;
            /// SMT-LIB's `mod`, never negative; by zero: the dividend.
            int_mod(a, b) = IntMod => integer::euclidean_mod;
            /// a < b.
            int_lt(a, b) = IntLt => integer::lt;
            /// a ≤ b.
            int_le(a, b) = IntLe => integer::le;
            /// The unsigned value of a bit vector.
            bv_to_nat(a) = BvToNat => integer::bv_to_nat;
            /// The signed value of a bit vector.
            bv_to_int(a) = BvToInt => integer::bv_to_int;
            /// The integer modulo 2^width.
            int_to_bv(a; width: u8) = IntToBv(width) => integer::int_to_bv;

            // --- floats; `mode` is a rounding mode, see [`Build::rounding`] ---

            /// Negation.
            fp_neg(a) = FpNeg => float::neg;
            /// Absolute value.
            fp_abs(a) = FpAbs => float::abs;
            /// Sum.
            fp_add(mode, a, b) = FpAdd => float::arithmetic(op);
            /// Difference.
            fp_sub(mode, a, b) = FpSub => float::arithmetic(op);
            /// Product.
            fp_mul(mode, a, b) = FpMul => float::arithmetic(op);
            /// Quotient.
            fp_div(mode, a, b) = FpDiv => float::arithmetic(op);
            /// `a·b + c`, rounded once.
            fp_fma(mode, a, b, c) = FpFma => float::fused_multiply_add;
            /// Square root.
            fp_sqrt(mode, a) = FpSqrt => float::sqrt;
            /// IEEE remainder.
            fp_rem(a, b) = FpRem => float::remainder;
            /// The nearest integral float.
            fp_round_to_integral(mode, a) = FpRoundToIntegral => float::round_to_integral;
            /// IEEE a < b.
            fp_lt(a, b) = FpLt => float::lt;
            /// IEEE a ≤ b.
            fp_le(a, b) = FpLe => float::le;
            /// IEEE equality.
            fp_eq(a, b) = FpEq => float::ieee_eq;
            /// Whether it is NaN.
            fp_is_nan(a) = FpIsNan => float::class(op);
            /// Whether it is infinite.
            fp_is_infinite(a) = FpIsInfinite => float::class(op);
            /// Whether it is a zero.
            fp_is_zero(a) = FpIsZero => float::class(op);
            /// Whether it is normal.
            fp_is_normal(a) = FpIsNormal => float::class(op);
            /// Whether it is subnormal.
            fp_is_subnormal(a) = FpIsSubnormal => float::class(op);
            /// Whether the sign is set.
            fp_is_negative(a) = FpIsNegative => float::class(op);
            /// Conversion to another format.
            fp_to_fp(mode, a; format: FloatFormat) = FpToFp(format) => float::to_fp;
            /// From a signed bit vector.
            sbv_to_fp(mode, a; format: FloatFormat) = SbvToFp(format) => float::of_integer(op);
            /// From an unsigned bit vector.
            ubv_to_fp(mode, a; format: FloatFormat) = UbvToFp(format) => float::of_integer(op);
            /// From an integer.
            int_to_fp(mode, a; format: FloatFormat) = IntToFp(format) => float::of_integer(op);
            /// To a signed bit vector; NaN and what is out of range: 0.
            fp_to_sbv(mode, a; width: u8) = FpToSbv(width) => float::to_bit_vec(op);
            /// To an unsigned bit vector; NaN and what is out of range: 0.
            fp_to_ubv(mode, a; width: u8) = FpToUbv(width) => float::to_bit_vec(op);
            /// To an integer; NaN and infinities: 0.
            fp_to_int(mode, a) = FpToInt => float::to_int;

            // --- arrays ---

            /// The element at the index.
            select(array, index) = Select => array::select;
            /// The array with the element at the index changed.
            store(array, index, element) = Store => array::store;
        }
    };
}

/// The constructors of the table, as methods of [`Build`].
macro_rules! constructors {
    ($(
        $(#[$documentation:meta])*
        $name:ident($($operand:ident),+ $(; $($parameter:ident: $type:ty),+)?)
            = $op:ident $({ $($field:ident),+ })? $(($value:ident))? => $module:ident::$rule:ident $(($by:ident))?;
    )*) => {$(
        $(#[$documentation])*
        fn $name(&self, $($operand: TermId),+ $($(, $parameter: $type)+)?) -> TermId {
            let op = Op::$op $({ $($field),+ })? $(($value))?;
            $(let $by = op;)?
            let result = $module::$rule(self, $($by,)? $($operand),+ $($(, $parameter)+)?);
            recorded(self, op, &[$($operand),+], result)
        }
    )*};
}

macro_rules! dispatch {
    ($(
        $(#[$documentation:meta])*
        $name:ident($($operand:ident),+ $(; $($parameter:ident: $type:ty),+)?)
            = $op:ident $({ $($field:ident),+ })? $(($value:ident))? => $module:ident::$rule:ident $(($by:ident))?;
    )*) => {
        /// [`Build::apply`].
        pub(super) fn dispatch<P: Pool + ?Sized>(pool: &P, op: Op, sort: Sort, operands: &[TermId]) -> TermId {
            match (op, operands) {
                (Op::And, _) => boolean::and(pool, operands),
                (Op::Or, _) => boolean::or(pool, operands),
                (Op::FpToBits, &[a]) => pool.fp_to_bits(a),
                (Op::FpFromBits(format), &[a]) => pool.fp_from_bits(a, format),
                (Op::ConstArray, &[a]) => match sort {
                    Sort::Array { index, .. } => pool.const_array(index, a),
                    _ => panic!("an array's sort was expected, not {sort}"),
                },
                (Op::PrefixSum, &[array, index]) => pool.prefix_sum(array, index),
                $((Op::$op $({ $($field),+ })? $(($value))?, &[$($operand),+]) => {
                    pool.$name($($operand),+ $($(, $parameter)+)?)
                })*
                _ => panic!("{op:?} does not take {} operands", operands.len()),
            }
        }
    };
}

operators!(dispatch);
