//! Translation of terms to Z3.
//!
//! Where [`Op`] fixes what SMT-LIB leaves open (division of integers by zero, floats out of range, the bits of NaN), the
//! translation makes it explicit, so that Z3's models and our evaluation agree.

use rustc_hash::FxHashMap;
use z3_sys::*;

use super::context::Context;
use regatta_term::{
    Constant, FloatFormat, Op, Pool, RoundingMode, ScalarSort, Sort, Symbol, TermId, TermKind,
    for_each_unknown_subterm,
};

type Result<T> = std::result::Result<T, String>;

/// Translated terms of one context.
#[derive(Default)]
pub struct Translator {
    terms: FxHashMap<TermId, Z3_ast>,
    variables: FxHashMap<(Symbol, u32), Z3_ast>,
    sorts: FxHashMap<Sort, Z3_sort>,
    /// Literals that stand for assumptions that are not literals.
    names: FxHashMap<TermId, Z3_ast>,
}

impl Translator {
    /// The number of terms translated.
    pub fn translated(&self) -> u64 {
        self.terms.len() as u64
    }

    /// Translates the term. Iterative, since terms may be deep.
    ///
    /// # Errors
    /// Z3's error.
    pub fn translate<P: Pool + ?Sized>(
        &mut self,
        context: &Context,
        pool: &P,
        term: TermId,
    ) -> Result<Z3_ast> {
        let mut arguments = Vec::new();
        let knows = |this: &Self, term| this.terms.contains_key(&term);
        for_each_unknown_subterm(pool, term, self, knows, |this, top, kind| -> Result<()> {
            let ast = match kind {
                TermKind::Constant(constant) => this.constant(context, constant, pool.sort(top))?,
                TermKind::Variable { symbol, instance } => {
                    this.variable(context, symbol, instance)?
                }
                TermKind::Apply {
                    op,
                    arguments: operands,
                } => {
                    arguments.clear();
                    arguments.extend(operands.iter().map(|operand| this.terms[operand]));
                    let sorts = OperandSorts {
                        result: pool.sort(top),
                        first: pool.sort(operands[0]),
                    };
                    let rounding = pool.bit_vec_constant(operands[0]).map(|value| value.bits());
                    this.apply(context, op, sorts, rounding, &arguments)?
                }
            };
            this.terms.insert(top, ast);
            Ok(())
        })?;
        Ok(self.terms[&term])
    }

    /// Returns a literal for an assumption that is not one, with its definition. A definition ends with the scope in which
    /// it is asserted, so that it is returned each time.
    ///
    /// # Errors
    /// Z3's error.
    pub fn name(
        &mut self,
        context: &Context,
        term: TermId,
        ast: Z3_ast,
    ) -> Result<(Z3_ast, Option<Z3_ast>)> {
        let raw = context.raw();
        let literal = match self.names.get(&term) {
            Some(&literal) => literal,
            None => {
                let sort = self.sort(context, Sort::Bool)?;
                // SAFETY: everything lives in the context.
                let literal = context
                    .keep(unsafe { Z3_mk_fresh_const(raw, c"assumption".as_ptr(), sort) })?;
                self.names.insert(term, literal);
                literal
            }
        };
        // One direction is enough: the literal is only ever assumed.
        // SAFETY: everything lives in the context.
        let definition = context.keep(unsafe { Z3_mk_implies(raw, literal, ast) })?;
        Ok((literal, Some(definition)))
    }

    fn variable(&mut self, context: &Context, symbol: Symbol, instance: u32) -> Result<Z3_ast> {
        if let Some(&ast) = self.variables.get(&(symbol, instance)) {
            return Ok(ast);
        }
        let sort = self.sort(context, symbol.sort())?;
        // The number keeps names apart that differ in sort only.
        let name = context.symbol(&format!("{}!{}@{instance}", symbol.name(), symbol.index()))?;
        // SAFETY: everything lives in the context.
        let ast = context.keep(unsafe { Z3_mk_const(context.raw(), name, sort) })?;
        self.variables.insert((symbol, instance), ast);
        Ok(ast)
    }

    /// Translates the sort.
    ///
    /// # Errors
    /// Z3's error.
    pub fn sort(&mut self, context: &Context, sort: Sort) -> Result<Z3_sort> {
        if let Some(&known) = self.sorts.get(&sort) {
            return Ok(known);
        }
        let raw = context.raw();
        // SAFETY (all): everything lives in the context.
        let made = unsafe {
            match sort {
                Sort::Bool => Z3_mk_bool_sort(raw),
                Sort::BitVec(width) => Z3_mk_bv_sort(raw, u32::from(width)),
                Sort::Int => Z3_mk_int_sort(raw),
                Sort::Float(format) => {
                    Z3_mk_fpa_sort(raw, format.exponent_bits(), format.significand_bits())
                }
                Sort::Array { index, element } => {
                    let index = self.sort(context, index.into())?;
                    let element = self.sort(context, element.into())?;
                    Z3_mk_array_sort(raw, index, element)
                }
            }
        };
        let made = context.required(made)?;
        // SAFETY: just made.
        context.keep(unsafe { Z3_sort_to_ast(raw, made) })?;
        self.sorts.insert(sort, made);
        Ok(made)
    }

    fn constant(
        &mut self,
        context: &Context,
        constant: Constant<'_>,
        sort: Sort,
    ) -> Result<Z3_ast> {
        let raw = context.raw();
        match constant {
            // SAFETY (all): everything lives in the context.
            Constant::Bool(true) => context.keep(unsafe { Z3_mk_true(raw) }),
            Constant::Bool(false) => context.keep(unsafe { Z3_mk_false(raw) }),
            Constant::BitVec(value) => self.bits(context, u32::from(value.width()), value.bits()),
            Constant::Int(value) => self.numeral(context, &value.to_string(), sort),
            Constant::Float(value) => {
                let bits = self.bits(context, value.format().storage_bits(), value.bits())?;
                self.float_of_bits(context, value.format(), bits)
            }
        }
    }

    fn numeral(&mut self, context: &Context, digits: &str, sort: Sort) -> Result<Z3_ast> {
        let sort = self.sort(context, sort)?;
        let digits = std::ffi::CString::new(digits).map_err(|error| error.to_string())?;
        // SAFETY: everything lives in the context; the digits are copied.
        context.keep(unsafe { Z3_mk_numeral(context.raw(), digits.as_ptr(), sort) })
    }

    fn bits(&mut self, context: &Context, width: u32, bits: u128) -> Result<Z3_ast> {
        let sort = Sort::BitVec(u8::try_from(width).map_err(|error| error.to_string())?);
        match u64::try_from(bits) {
            Ok(small) => {
                let sort = self.sort(context, sort)?;
                // SAFETY: everything lives in the context.
                context.keep(unsafe { Z3_mk_unsigned_int64(context.raw(), small, sort) })
            }
            Err(_) => self.numeral(context, &bits.to_string(), sort),
        }
    }

    /// The float with the given bits in memory.
    fn float_of_bits(
        &mut self,
        context: &Context,
        format: FloatFormat,
        bits: Z3_ast,
    ) -> Result<Z3_ast> {
        let raw = context.raw();
        let sort = self.sort(context, Sort::Float(format))?;
        // SAFETY (for the block): everything lives in the context.
        unsafe {
            if format != FloatFormat::F80 {
                return context.keep(Z3_mk_fpa_to_fp_bv(raw, bits, sort));
            }
            // x87: the leading bit is explicit. Where it contradicts the exponent, the number is a NaN (leading bit 0)
            // or has a second encoding (a subnormal with leading bit 1).
            let part = |high, low| context.keep(Z3_mk_extract(raw, high, low, bits));
            let (sign, exponent, leading, fraction) =
                (part(79, 79)?, part(78, 64)?, part(63, 63)?, part(62, 0)?);
            let zero = self.bits(context, 15, 0)?;
            let one = self.bits(context, 15, 1)?;
            let set = self.bits(context, 1, 1)?;
            let is_low = context.keep(Z3_mk_eq(raw, exponent, zero))?;
            let is_set = context.keep(Z3_mk_eq(raw, leading, set))?;
            let second = and(context, &[is_low, is_set])?;
            let exponent = context.keep(Z3_mk_ite(raw, second, one, exponent))?;
            let proper = context.keep(Z3_mk_fpa_fp(raw, sign, exponent, fraction))?;
            let nan = context.keep(Z3_mk_fpa_nan(raw, sort))?;
            let valid = or(context, &[is_low, is_set])?;
            context.keep(Z3_mk_ite(raw, valid, proper, nan))
        }
    }

    /// The bits of a float in memory; every NaN has the bits of the positive quiet one.
    fn bits_of_float(
        &mut self,
        context: &Context,
        format: FloatFormat,
        float: Z3_ast,
    ) -> Result<Z3_ast> {
        let raw = context.raw();
        let nan = self.bits(
            context,
            format.storage_bits(),
            regatta_term::FloatValue::nan(format).bits(),
        )?;
        // SAFETY (for the block): everything lives in the context.
        unsafe {
            let mut bits = context.keep(Z3_mk_fpa_to_ieee_bv(raw, float))?;
            if format == FloatFormat::F80 {
                let part = |high, low| context.keep(Z3_mk_extract(raw, high, low, bits));
                let (head, exponent, fraction) = (part(78, 63)?, part(77, 63)?, part(62, 0)?);
                let (zero, off, on) = (
                    self.bits(context, 15, 0)?,
                    self.bits(context, 1, 0)?,
                    self.bits(context, 1, 1)?,
                );
                let is_low = context.keep(Z3_mk_eq(raw, exponent, zero))?;
                let leading = context.keep(Z3_mk_ite(raw, is_low, off, on))?;
                let tail = context.keep(Z3_mk_concat(raw, leading, fraction))?;
                bits = context.keep(Z3_mk_concat(raw, head, tail))?;
            }
            let is_nan = context.keep(Z3_mk_fpa_is_nan(raw, float))?;
            context.keep(Z3_mk_ite(raw, is_nan, nan, bits))
        }
    }

    /// The rounding mode that a bit vector of width 2 stands for.
    fn rounding(
        &mut self,
        context: &Context,
        mode: Z3_ast,
        constant: Option<u128>,
    ) -> Result<Z3_ast> {
        let raw = context.raw();
        // SAFETY (all): everything lives in the context.
        let of = |mode| {
            context.keep(unsafe {
                match mode {
                    RoundingMode::NearestEven => Z3_mk_fpa_rne(raw),
                    RoundingMode::Downward => Z3_mk_fpa_rtn(raw),
                    RoundingMode::Upward => Z3_mk_fpa_rtp(raw),
                    RoundingMode::TowardZero => Z3_mk_fpa_rtz(raw),
                }
            })
        };
        let modes = RoundingMode::ALL;
        if let Some(known) = constant.and_then(|bits| modes.get(bits as usize)) {
            return of(*known);
        }
        let mut result = of(RoundingMode::TowardZero)?;
        for candidate in &modes[..3] {
            let code = self.bits(context, 2, *candidate as u128)?;
            let is = context.keep(unsafe { Z3_mk_eq(raw, mode, code) })?;
            result = context.keep(unsafe { Z3_mk_ite(raw, is, of(*candidate)?, result) })?;
        }
        Ok(result)
    }

    /// Whether a float, rounded to an integral value, fits into a bit vector of the width.
    fn integral_in_range(
        &mut self,
        context: &Context,
        format: FloatFormat,
        rounding: Z3_ast,
        float: Z3_ast,
        target: Target,
    ) -> Result<Z3_ast> {
        let raw = context.raw();
        let sort = self.sort(context, Sort::Float(format))?;
        // Powers of two, exact wherever they are finite: 2^e overflows the format when e exceeds its greatest exponent.
        let greatest = (1i64 << (format.exponent_bits() - 1)) - 1;
        // SAFETY (for the block): everything lives in the context.
        unsafe {
            let integral = context.keep(Z3_mk_fpa_round_to_integral(raw, rounding, float))?;
            let is_nan = context.keep(Z3_mk_fpa_is_nan(raw, float))?;
            let is_infinite = context.keep(Z3_mk_fpa_is_infinite(raw, float))?;
            let mut conditions = vec![
                context.keep(Z3_mk_not(raw, is_nan))?,
                context.keep(Z3_mk_not(raw, is_infinite))?,
            ];
            let power = |exponent: u32, negative: bool| -> Result<Option<Z3_ast>> {
                if i64::from(exponent) > greatest {
                    return Ok(None);
                }
                let power = context.keep(Z3_mk_fpa_numeral_int64_uint64(
                    raw,
                    negative,
                    i64::from(exponent),
                    0,
                    sort,
                ))?;
                Ok(Some(power))
            };
            let (low, high) = match target {
                Target::Signed(width) => (
                    power(u32::from(width) - 1, true)?,
                    power(u32::from(width) - 1, false)?,
                ),
                Target::Unsigned(width) => (
                    Some(context.keep(Z3_mk_fpa_zero(raw, sort, false))?),
                    power(u32::from(width), false)?,
                ),
            };
            if let Some(low) = low {
                conditions.push(context.keep(Z3_mk_fpa_geq(raw, integral, low))?);
            }
            if let Some(high) = high {
                conditions.push(context.keep(Z3_mk_fpa_lt(raw, integral, high))?);
            }
            and(context, &conditions)
        }
    }

    fn apply(
        &mut self,
        context: &Context,
        op: Op,
        sorts: OperandSorts,
        rounding: Option<u128>,
        a: &[Z3_ast],
    ) -> Result<Z3_ast> {
        let c = context.raw();
        let float_of = |sort: Sort| match sort {
            Sort::Float(format) => Ok(format),
            other => Err(format!("a float was expected, not {other}")),
        };
        // SAFETY (for the whole match): every operand lives in the context and has the sort that the operator asks for.
        let result = unsafe {
            match op {
                Op::Not => Z3_mk_not(c, a[0]),
                Op::And => return and(context, a),
                Op::Or => return or(context, a),
                Op::Eq => Z3_mk_eq(c, a[0], a[1]),
                Op::Ite => Z3_mk_ite(c, a[0], a[1], a[2]),
                Op::BvNeg => Z3_mk_bvneg(c, a[0]),
                Op::BvNot => Z3_mk_bvnot(c, a[0]),
                Op::BvAdd => Z3_mk_bvadd(c, a[0], a[1]),
                Op::BvMul => Z3_mk_bvmul(c, a[0], a[1]),
                Op::BvUdiv => Z3_mk_bvudiv(c, a[0], a[1]),
                Op::BvUrem => Z3_mk_bvurem(c, a[0], a[1]),
                Op::BvSdiv => Z3_mk_bvsdiv(c, a[0], a[1]),
                Op::BvSrem => Z3_mk_bvsrem(c, a[0], a[1]),
                Op::BvAnd => Z3_mk_bvand(c, a[0], a[1]),
                Op::BvOr => Z3_mk_bvor(c, a[0], a[1]),
                Op::BvXor => Z3_mk_bvxor(c, a[0], a[1]),
                Op::BvShl => Z3_mk_bvshl(c, a[0], a[1]),
                Op::BvLshr => Z3_mk_bvlshr(c, a[0], a[1]),
                Op::BvAshr => Z3_mk_bvashr(c, a[0], a[1]),
                Op::BvUlt => Z3_mk_bvult(c, a[0], a[1]),
                Op::BvUle => Z3_mk_bvule(c, a[0], a[1]),
                Op::BvSlt => Z3_mk_bvslt(c, a[0], a[1]),
                Op::BvSle => Z3_mk_bvsle(c, a[0], a[1]),
                Op::Concat => Z3_mk_concat(c, a[0], a[1]),
                Op::Extract { high, low } => {
                    Z3_mk_extract(c, u32::from(high), u32::from(low), a[0])
                }
                Op::ZeroExtend(total) => {
                    Z3_mk_zero_ext(c, u32::from(total) - width(sorts.first)?, a[0])
                }
                Op::SignExtend(total) => {
                    Z3_mk_sign_ext(c, u32::from(total) - width(sorts.first)?, a[0])
                }
                Op::IntNeg => Z3_mk_unary_minus(c, a[0]),
                Op::IntAdd => Z3_mk_add(c, a.len() as u32, a.as_ptr()),
                Op::IntMul => Z3_mk_mul(c, a.len() as u32, a.as_ptr()),
                Op::IntDiv | Op::IntMod => {
                    let zero = self.numeral(context, "0", Sort::Int)?;
                    let by_zero = context.keep(Z3_mk_eq(c, a[1], zero))?;
                    let (fixed, general) = if op == Op::IntDiv {
                        (zero, Z3_mk_div(c, a[0], a[1]))
                    } else {
                        (a[0], Z3_mk_mod(c, a[0], a[1]))
                    };
                    Z3_mk_ite(c, by_zero, fixed, context.keep(general)?)
                }
                Op::IntLt => Z3_mk_lt(c, a[0], a[1]),
                Op::IntLe => Z3_mk_le(c, a[0], a[1]),
                Op::BvToNat => Z3_mk_bv2int(c, a[0], false),
                Op::BvToInt => Z3_mk_bv2int(c, a[0], true),
                Op::IntToBv(width) => Z3_mk_int2bv(c, u32::from(width), a[0]),
                Op::FpNeg => Z3_mk_fpa_neg(c, a[0]),
                Op::FpAbs => Z3_mk_fpa_abs(c, a[0]),
                Op::FpAdd => Z3_mk_fpa_add(c, self.rounding(context, a[0], rounding)?, a[1], a[2]),
                Op::FpSub => Z3_mk_fpa_sub(c, self.rounding(context, a[0], rounding)?, a[1], a[2]),
                Op::FpMul => Z3_mk_fpa_mul(c, self.rounding(context, a[0], rounding)?, a[1], a[2]),
                Op::FpDiv => Z3_mk_fpa_div(c, self.rounding(context, a[0], rounding)?, a[1], a[2]),
                Op::FpFma => {
                    Z3_mk_fpa_fma(c, self.rounding(context, a[0], rounding)?, a[1], a[2], a[3])
                }
                Op::FpSqrt => Z3_mk_fpa_sqrt(c, self.rounding(context, a[0], rounding)?, a[1]),
                Op::FpRem => Z3_mk_fpa_rem(c, a[0], a[1]),
                Op::FpRoundToIntegral => {
                    Z3_mk_fpa_round_to_integral(c, self.rounding(context, a[0], rounding)?, a[1])
                }
                Op::FpLt => Z3_mk_fpa_lt(c, a[0], a[1]),
                Op::FpLe => Z3_mk_fpa_leq(c, a[0], a[1]),
                Op::FpEq => Z3_mk_fpa_eq(c, a[0], a[1]),
                Op::FpIsNan => Z3_mk_fpa_is_nan(c, a[0]),
                Op::FpIsInfinite => Z3_mk_fpa_is_infinite(c, a[0]),
                Op::FpIsZero => Z3_mk_fpa_is_zero(c, a[0]),
                Op::FpIsNormal => Z3_mk_fpa_is_normal(c, a[0]),
                Op::FpIsSubnormal => Z3_mk_fpa_is_subnormal(c, a[0]),
                Op::FpIsNegative => Z3_mk_fpa_is_negative(c, a[0]),
                Op::FpToFp(format) => {
                    let sort = self.sort(context, Sort::Float(format))?;
                    Z3_mk_fpa_to_fp_float(c, self.rounding(context, a[0], rounding)?, a[1], sort)
                }
                Op::SbvToFp(format) => {
                    let sort = self.sort(context, Sort::Float(format))?;
                    Z3_mk_fpa_to_fp_signed(c, self.rounding(context, a[0], rounding)?, a[1], sort)
                }
                Op::UbvToFp(format) => {
                    let sort = self.sort(context, Sort::Float(format))?;
                    Z3_mk_fpa_to_fp_unsigned(c, self.rounding(context, a[0], rounding)?, a[1], sort)
                }
                Op::IntToFp(format) => {
                    let sort = self.sort(context, Sort::Float(format))?;
                    let real = context.keep(Z3_mk_int2real(c, a[0]))?;
                    Z3_mk_fpa_to_fp_real(c, self.rounding(context, a[0], rounding)?, real, sort)
                }
                Op::FpToSbv(width) | Op::FpToUbv(width) => {
                    let signed = matches!(op, Op::FpToSbv(_));
                    let target = if signed {
                        Target::Signed(width)
                    } else {
                        Target::Unsigned(width)
                    };
                    let mode = self.rounding(context, a[0], rounding)?;
                    let format = float_of(operand_sort(context, a[1])?)?;
                    let in_range = self.integral_in_range(context, format, mode, a[1], target)?;
                    let converted = context.keep(if signed {
                        Z3_mk_fpa_to_sbv(c, mode, a[1], u32::from(width))
                    } else {
                        Z3_mk_fpa_to_ubv(c, mode, a[1], u32::from(width))
                    })?;
                    Z3_mk_ite(
                        c,
                        in_range,
                        converted,
                        self.bits(context, u32::from(width), 0)?,
                    )
                }
                Op::FpToInt => {
                    let mode = self.rounding(context, a[0], rounding)?;
                    let integral = context.keep(Z3_mk_fpa_round_to_integral(c, mode, a[1]))?;
                    let real = context.keep(Z3_mk_fpa_to_real(c, integral))?;
                    let int = context.keep(Z3_mk_real2int(c, real))?;
                    let is_nan = context.keep(Z3_mk_fpa_is_nan(c, a[1]))?;
                    let is_infinite = context.keep(Z3_mk_fpa_is_infinite(c, a[1]))?;
                    let without = or(context, &[is_nan, is_infinite])?;
                    Z3_mk_ite(c, without, self.numeral(context, "0", Sort::Int)?, int)
                }
                Op::FpToBits => return self.bits_of_float(context, float_of(sorts.first)?, a[0]),
                Op::FpFromBits(format) => return self.float_of_bits(context, format, a[0]),
                Op::Select => Z3_mk_select(c, a[0], a[1]),
                Op::Store => Z3_mk_store(c, a[0], a[1], a[2]),
                Op::PrefixSum => {
                    let sort = self.sort(context, sorts.result)?;
                    Z3_mk_fresh_const(c, c"sum".as_ptr(), sort)
                }
                Op::ConstArray => {
                    let Sort::Array { index, .. } = sorts.result else {
                        return Err("a constant array without an array's sort".into());
                    };
                    let domain = self.sort(context, Sort::from(index))?;
                    Z3_mk_const_array(c, domain, a[0])
                }
            }
        };
        context.keep(result)
    }
}

/// The sorts that the translation of an operator depends on.
struct OperandSorts {
    result: Sort,
    first: Sort,
}

/// The bit vector that a float is converted to: signedness and width.
#[derive(Copy, Clone)]
enum Target {
    Signed(u8),
    Unsigned(u8),
}

fn width(sort: Sort) -> Result<u32> {
    sort.width()
        .ok_or_else(|| format!("a bit vector was expected, not {sort}"))
}

/// The sort of a float node of Z3.
fn operand_sort(context: &Context, ast: Z3_ast) -> Result<Sort> {
    let raw = context.raw();
    // SAFETY: both are alive.
    let (exponent, significand) = unsafe {
        let sort = context.required(Z3_get_sort(raw, ast))?;
        (Z3_fpa_get_ebits(raw, sort), Z3_fpa_get_sbits(raw, sort))
    };
    [
        FloatFormat::F16,
        FloatFormat::F32,
        FloatFormat::F64,
        FloatFormat::F80,
        FloatFormat::F128,
    ]
    .into_iter()
    .find(|format| format.exponent_bits() == exponent && format.significand_bits() == significand)
    .map(|format| Sort::from(ScalarSort::Float(format)))
    .ok_or_else(|| format!("no float format has {exponent} and {significand} bits"))
}

fn and(context: &Context, conditions: &[Z3_ast]) -> Result<Z3_ast> {
    // SAFETY: everything lives in the context; the length is the slice's.
    context.keep(unsafe { Z3_mk_and(context.raw(), conditions.len() as u32, conditions.as_ptr()) })
}

fn or(context: &Context, conditions: &[Z3_ast]) -> Result<Z3_ast> {
    // SAFETY: everything lives in the context; the length is the slice's.
    context.keep(unsafe { Z3_mk_or(context.raw(), conditions.len() as u32, conditions.as_ptr()) })
}
