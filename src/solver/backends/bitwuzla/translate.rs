//! Translation of terms to Bitwuzla.
//!
//! Where [`Op`] fixes what SMT-LIB leaves open (floats out of range, the bits of NaN), the translation makes it explicit.
//! SMT-LIB has no operator for the bits of a float: they become a fresh constant that is defined by the float with these
//! bits ([`Translator::definitions`]).
//!
//! x87 floats are refused, since Bitwuzla documents known errors of its algorithms for such formats. Very large circuits
//! are refused as well: a remainder subtracts once for each possible exponent.

use std::ffi::CString;
use std::rc::Rc;

use bitwuzla_sys::*;
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::manager::Manager;
use regatta_term::smtlib::rounds_wrongly;
use regatta_term::{
    Constant, FloatFormat, FloatValue, Op, Pool, RoundingMode, Sort, Symbol, TermId, TermKind,
    for_each_unknown_subterm,
};

type Result<T> = std::result::Result<T, String>;
type Term = BitwuzlaTerm;

/// Translated terms of one manager.
pub struct Translator {
    manager: Rc<Manager>,
    terms: FxHashMap<TermId, Term>,
    variables: FxHashMap<(Symbol, u32), Term>,
    sorts: FxHashMap<Sort, BitwuzlaSort>,
    definitions: Vec<Term>,
}

/// The sorts that the translation of an operator depends on.
#[derive(Copy, Clone)]
struct Sorts {
    result: Sort,
    first: Sort,
    second: Option<Sort>,
}

impl Translator {
    pub fn new(manager: &Rc<Manager>) -> Self {
        Self {
            manager: Rc::clone(manager),
            terms: FxHashMap::default(),
            variables: FxHashMap::default(),
            sorts: FxHashMap::default(),
            definitions: Vec::new(),
        }
    }

    /// The number of terms translated.
    pub fn translated(&self) -> u64 {
        self.terms.len() as u64
    }

    /// The definitions of the names that translations have used, oldest first. They are satisfiable for all values of the
    /// variables.
    pub fn definitions(&self) -> &[Term] {
        &self.definitions
    }

    /// The variable's translation, if it has one already.
    pub(crate) fn known_variable(&self, symbol: Symbol, instance: u32) -> Option<Term> {
        self.variables.get(&(symbol, instance)).copied()
    }

    /// Translates the term. Iterative, since terms may be deep.
    ///
    /// # Errors
    /// When Bitwuzla cannot express it.
    pub fn translate<P: Pool + ?Sized>(&mut self, pool: &P, term: TermId) -> Result<Term> {
        let mut arguments = Vec::new();
        let knows = |this: &Self, term| this.terms.contains_key(&term);
        for_each_unknown_subterm(pool, term, self, knows, |this, top, kind| -> Result<()> {
            let translated = match kind {
                TermKind::Constant(constant) => this.constant(constant)?,
                TermKind::Variable { symbol, instance } => this.variable(symbol, instance)?,
                TermKind::Apply {
                    op,
                    arguments: operands,
                } => {
                    arguments.clear();
                    arguments.extend(operands.iter().map(|operand| this.terms[operand]));
                    let sorts = Sorts {
                        result: pool.sort(top),
                        first: pool.sort(operands[0]),
                        second: operands.get(1).map(|&operand| pool.sort(operand)),
                    };
                    this.apply(op, sorts, &mut arguments)?
                }
            };
            this.terms.insert(top, translated);
            Ok(())
        })?;
        Ok(self.terms[&term])
    }

    fn raw(&self) -> *mut BitwuzlaTermManager {
        self.manager.raw()
    }

    fn variable(&mut self, symbol: Symbol, instance: u32) -> Result<Term> {
        if let Some(&known) = self.variables.get(&(symbol, instance)) {
            return Ok(known);
        }
        let variable = self.fresh(symbol.sort())?;
        self.variables.insert((symbol, instance), variable);
        Ok(variable)
    }

    /// A new variable of the sort.
    fn fresh(&mut self, sort: Sort) -> Result<Term> {
        let sort = self.sort(sort)?;
        // SAFETY: both live in the manager; a name is not needed.
        Ok(unsafe { bitwuzla_mk_const(self.raw(), sort, std::ptr::null()) })
    }

    fn sort(&mut self, sort: Sort) -> Result<BitwuzlaSort> {
        if let Some(&known) = self.sorts.get(&sort) {
            return Ok(known);
        }
        let raw = self.raw();
        // SAFETY (all): the widths are positive; sorts live in the manager.
        let made = match sort {
            Sort::Bool => unsafe { bitwuzla_mk_bool_sort(raw) },
            Sort::BitVec(width) => unsafe { bitwuzla_mk_bv_sort(raw, width.into()) },
            Sort::Float(FloatFormat::F80) | Sort::Int => {
                return Err(format!("Bitwuzla has no sort {sort} here"));
            }
            Sort::Float(format) => {
                let (exponent, significand) = sizes(format);
                unsafe { bitwuzla_mk_fp_sort(raw, exponent, significand) }
            }
            Sort::Array { index, element } => {
                let (index, element) = (self.sort(index.into())?, self.sort(element.into())?);
                unsafe { bitwuzla_mk_array_sort(raw, index, element) }
            }
        };
        self.sorts.insert(sort, made);
        Ok(made)
    }

    fn constant(&mut self, constant: Constant<'_>) -> Result<Term> {
        match constant {
            // SAFETY (both): the manager is alive.
            Constant::Bool(true) => Ok(unsafe { bitwuzla_mk_true(self.raw()) }),
            Constant::Bool(false) => Ok(unsafe { bitwuzla_mk_false(self.raw()) }),
            Constant::BitVec(value) => self.bits(value.width().into(), value.bits()),
            Constant::Float(value) => self.float(value),
            Constant::Int(_) => Err("Bitwuzla has no mathematical integers".to_owned()),
        }
    }

    fn bits(&mut self, width: u32, bits: u128) -> Result<Term> {
        let sort = u8::try_from(width).map_err(|error| error.to_string())?;
        let sort = self.sort(Sort::BitVec(sort))?;
        let raw = self.raw();
        match u64::try_from(bits) {
            // SAFETY: the sort lives in the manager; the number is one of its.
            Ok(small) => Ok(unsafe { bitwuzla_mk_bv_value_uint64(raw, sort, small) }),
            Err(_) => {
                let digits =
                    CString::new(format!("{bits:b}")).map_err(|error| error.to_string())?;
                // SAFETY: as above; the digits are read during the call.
                Ok(unsafe { bitwuzla_mk_bv_value(raw, sort, digits.as_ptr(), 2) })
            }
        }
    }

    fn float(&mut self, value: FloatValue) -> Result<Term> {
        let format = value.format();
        self.sort(Sort::Float(format))?;
        let (exponent_bits, fraction_bits) =
            (format.exponent_bits(), format.significand_bits() - 1);
        let bits = value.bits();
        let mask = |width: u32| u128::MAX >> (128 - width);
        let sign = self.bits(1, bits >> (format.storage_bits() - 1))?;
        let exponent = self.bits(exponent_bits, bits >> fraction_bits & mask(exponent_bits))?;
        let fraction = self.bits(fraction_bits, bits & mask(fraction_bits))?;
        // SAFETY: three bit-vector values of the manager.
        Ok(unsafe { bitwuzla_mk_fp_value(self.raw(), sign, exponent, fraction) })
    }

    fn unary(&self, kind: BitwuzlaKind, a: Term) -> Term {
        // SAFETY (here and below): the operands live in the manager and have the sorts that the operator asks for.
        unsafe { bitwuzla_mk_term1(self.raw(), kind, a) }
    }

    fn binary(&self, kind: BitwuzlaKind, a: Term, b: Term) -> Term {
        unsafe { bitwuzla_mk_term2(self.raw(), kind, a, b) }
    }

    fn ite(&self, condition: Term, yes: Term, no: Term) -> Term {
        unsafe { bitwuzla_mk_term3(self.raw(), BITWUZLA_KIND_ITE, condition, yes, no) }
    }

    fn many(&self, kind: BitwuzlaKind, a: &mut [Term]) -> Term {
        unsafe { bitwuzla_mk_term(self.raw(), kind, a.len() as u32, a.as_mut_ptr()) }
    }

    fn indexed(&self, kind: BitwuzlaKind, a: &mut [Term], indices: &[u64]) -> Term {
        let (count, indices_count) = (a.len() as u32, indices.len() as u32);
        unsafe {
            bitwuzla_mk_term_indexed(
                self.raw(),
                kind,
                count,
                a.as_mut_ptr(),
                indices_count,
                indices.as_ptr(),
            )
        }
    }

    fn extended(&self, kind: BitwuzlaKind, a: Term, by: u32) -> Term {
        match by {
            0 => a,
            _ => self.indexed(kind, &mut [a], &[by.into()]),
        }
    }

    /// The rounding mode that a bit vector of width 2 stands for.
    fn rounding(&mut self, mode: Term) -> Result<Term> {
        // SAFETY: the manager is alive.
        let of = |this: &Self, mode| unsafe {
            bitwuzla_mk_rm_value(
                this.raw(),
                match mode {
                    RoundingMode::NearestEven => BITWUZLA_RM_RNE,
                    RoundingMode::Downward => BITWUZLA_RM_RTN,
                    RoundingMode::Upward => BITWUZLA_RM_RTP,
                    RoundingMode::TowardZero => BITWUZLA_RM_RTZ,
                },
            )
        };
        let mut result = of(self, RoundingMode::TowardZero);
        for candidate in &RoundingMode::ALL[..3] {
            let code = self.bits(2, *candidate as u128)?;
            if mode == code {
                return Ok(of(self, *candidate));
            }
            let is = self.binary(BITWUZLA_KIND_EQUAL, mode, code);
            result = self.ite(is, of(self, *candidate), result);
        }
        let last = self.bits(2, RoundingMode::TowardZero as u128)?;
        Ok(match mode == last {
            true => of(self, RoundingMode::TowardZero),
            false => result,
        })
    }

    /// Translates a float, rounded to an integral value, to a bit vector; 0 where it does not fit.
    fn integral_bits(
        &mut self,
        format: FloatFormat,
        mode: Term,
        float: Term,
        to: Target,
    ) -> Result<Term> {
        let mode = self.rounding(mode)?;
        let integral = self.binary(BITWUZLA_KIND_FP_RTI, mode, float);
        let (kind, width, least, bits) = match to {
            Target::Signed(width) => (BITWUZLA_KIND_FP_TO_SBV, width, -1, width - 1),
            Target::Unsigned(width) => (BITWUZLA_KIND_FP_TO_UBV, width, 0, width),
        };
        // A bound that is not in the format is rounded to an infinity: then it holds for all finite values.
        let mut bound = |factor: i32| {
            let integer = BigInt::from(factor) << bits;
            self.float(FloatValue::from_int(
                format,
                RoundingMode::NearestEven,
                &integer,
            ))
        };
        let (low, high) = (bound(least)?, bound(1)?);
        if width == 1 {
            // Bitwuzla 0.8 fails on a width of 1, where the only value other than 0 is -1 (signed) or 1 (unsigned).
            let other = match to {
                Target::Signed(_) => low,
                Target::Unsigned(_) => self.float(FloatValue::from_int(
                    format,
                    RoundingMode::NearestEven,
                    &BigInt::from(1),
                ))?,
            };
            let is_set = self.binary(BITWUZLA_KIND_FP_EQUAL, integral, other);
            let (one, zero) = (self.bits(1, 1)?, self.bits(1, 0)?);
            return Ok(self.ite(is_set, one, zero));
        }
        let is_infinite = self.unary(BITWUZLA_KIND_FP_IS_INF, integral);
        let mut conditions = [
            self.binary(BITWUZLA_KIND_FP_LEQ, low, integral),
            self.binary(BITWUZLA_KIND_FP_LT, integral, high),
            self.unary(BITWUZLA_KIND_NOT, is_infinite),
        ];
        let fits = self.many(BITWUZLA_KIND_AND, &mut conditions);
        // SAFETY: the manager is alive.
        let exact = unsafe { bitwuzla_mk_rm_value(self.raw(), BITWUZLA_RM_RTZ) };
        let converted = self.indexed(kind, &mut [exact, integral], &[width.into()]);
        let zero = self.bits(width.into(), 0)?;
        Ok(self.ite(fits, converted, zero))
    }

    /// The bits of a float in memory; every NaN has the bits of the positive quiet one.
    fn bits_of_float(&mut self, format: FloatFormat, float: Term) -> Result<Term> {
        let width = format.storage_bits();
        let sort = u8::try_from(width).map_err(|error| error.to_string())?;
        let name = self.fresh(Sort::BitVec(sort))?;
        let named = self.float_of_bits(format, name);
        let definition = self.binary(BITWUZLA_KIND_EQUAL, named, float);
        self.definitions.push(definition);
        let nan = self.bits(width, FloatValue::nan(format).bits())?;
        let is_nan = self.unary(BITWUZLA_KIND_FP_IS_NAN, float);
        Ok(self.ite(is_nan, nan, name))
    }

    fn float_of_bits(&self, format: FloatFormat, bits: Term) -> Term {
        let (exponent, significand) = sizes(format);
        self.indexed(
            BITWUZLA_KIND_FP_TO_FP_FROM_BV,
            &mut [bits],
            &[exponent, significand],
        )
    }

    fn apply(&mut self, op: Op, sorts: Sorts, a: &mut [Term]) -> Result<Term> {
        if let Some(kind) = plain(op) {
            return Ok(self.many(kind, a));
        }
        if let Some(kind) = rounded(op) {
            a[0] = self.rounding(a[0])?;
            return Ok(self.many(kind, a));
        }
        let more = |to: u8| u32::from(to) - sorts.first.width().unwrap_or(0);
        match op {
            Op::Extract { high, low } => {
                Ok(self.indexed(BITWUZLA_KIND_BV_EXTRACT, a, &[high.into(), low.into()]))
            }
            Op::ZeroExtend(to) => Ok(self.extended(BITWUZLA_KIND_BV_ZERO_EXTEND, a[0], more(to))),
            Op::SignExtend(to) => Ok(self.extended(BITWUZLA_KIND_BV_SIGN_EXTEND, a[0], more(to))),
            Op::FpRem => match float_of(sorts.first)? {
                FloatFormat::F16 => Ok(self.binary(BITWUZLA_KIND_FP_REM, a[0], a[1])),
                format => Err(format!("a remainder of {format:?} is too large a circuit")),
            },
            Op::FpToFp(format) | Op::SbvToFp(format) | Op::UbvToFp(format) => {
                self.sort(Sort::Float(format))?;
                a[0] = self.rounding(a[0])?;
                let width = sorts.second.and_then(Sort::width);
                if width.is_some_and(|width| rounds_wrongly(width, format)) {
                    let extend = match op {
                        Op::SbvToFp(_) => BITWUZLA_KIND_BV_SIGN_EXTEND,
                        _ => BITWUZLA_KIND_BV_ZERO_EXTEND,
                    };
                    a[1] = self.extended(extend, a[1], 2);
                }
                let kind = match op {
                    Op::FpToFp(_) => BITWUZLA_KIND_FP_TO_FP_FROM_FP,
                    Op::SbvToFp(_) => BITWUZLA_KIND_FP_TO_FP_FROM_SBV,
                    _ => BITWUZLA_KIND_FP_TO_FP_FROM_UBV,
                };
                let (exponent, significand) = sizes(format);
                Ok(self.indexed(kind, a, &[exponent, significand]))
            }
            Op::FpToSbv(width) | Op::FpToUbv(width) => {
                let format = float_of(sorts.second.unwrap_or(sorts.first))?;
                let to = match op {
                    Op::FpToSbv(_) => Target::Signed(width),
                    _ => Target::Unsigned(width),
                };
                self.integral_bits(format, a[0], a[1], to)
            }
            Op::FpToBits => self.bits_of_float(float_of(sorts.first)?, a[0]),
            Op::FpFromBits(format) => {
                self.sort(Sort::Float(format))?;
                Ok(self.float_of_bits(format, a[0]))
            }
            Op::PrefixSum => self.fresh(sorts.result),
            Op::ConstArray => {
                let sort = self.sort(sorts.result)?;
                // SAFETY: both live in the manager; the element is of the sort's elements'.
                Ok(unsafe { bitwuzla_mk_const_array(self.raw(), sort, a[0]) })
            }
            _ => Err(format!("Bitwuzla has no operator {op:?}")),
        }
    }
}

/// The bit vector that a float is converted to: signedness and width.
#[derive(Copy, Clone)]
enum Target {
    Signed(u8),
    Unsigned(u8),
}

fn sizes(format: FloatFormat) -> (u64, u64) {
    (
        format.exponent_bits().into(),
        format.significand_bits().into(),
    )
}

fn float_of(sort: Sort) -> Result<FloatFormat> {
    match sort {
        Sort::Float(format) => Ok(format),
        other => Err(format!("a float was expected, not {other}")),
    }
}

/// The operator of Bitwuzla with the same operands.
fn plain(op: Op) -> Option<BitwuzlaKind> {
    Some(match op {
        Op::Not => BITWUZLA_KIND_NOT,
        Op::And => BITWUZLA_KIND_AND,
        Op::Or => BITWUZLA_KIND_OR,
        Op::Eq => BITWUZLA_KIND_EQUAL,
        Op::Ite => BITWUZLA_KIND_ITE,
        Op::BvNeg => BITWUZLA_KIND_BV_NEG,
        Op::BvNot => BITWUZLA_KIND_BV_NOT,
        Op::BvAdd => BITWUZLA_KIND_BV_ADD,
        Op::BvMul => BITWUZLA_KIND_BV_MUL,
        Op::BvUdiv => BITWUZLA_KIND_BV_UDIV,
        Op::BvUrem => BITWUZLA_KIND_BV_UREM,
        Op::BvSdiv => BITWUZLA_KIND_BV_SDIV,
        Op::BvSrem => BITWUZLA_KIND_BV_SREM,
        Op::BvAnd => BITWUZLA_KIND_BV_AND,
        Op::BvOr => BITWUZLA_KIND_BV_OR,
        Op::BvXor => BITWUZLA_KIND_BV_XOR,
        Op::BvShl => BITWUZLA_KIND_BV_SHL,
        Op::BvLshr => BITWUZLA_KIND_BV_SHR,
        Op::BvAshr => BITWUZLA_KIND_BV_ASHR,
        Op::BvUlt => BITWUZLA_KIND_BV_ULT,
        Op::BvUle => BITWUZLA_KIND_BV_ULE,
        Op::BvSlt => BITWUZLA_KIND_BV_SLT,
        Op::BvSle => BITWUZLA_KIND_BV_SLE,
        Op::Concat => BITWUZLA_KIND_BV_CONCAT,
        Op::Select => BITWUZLA_KIND_ARRAY_SELECT,
        Op::Store => BITWUZLA_KIND_ARRAY_STORE,
        Op::FpNeg => BITWUZLA_KIND_FP_NEG,
        Op::FpAbs => BITWUZLA_KIND_FP_ABS,
        Op::FpLt => BITWUZLA_KIND_FP_LT,
        Op::FpLe => BITWUZLA_KIND_FP_LEQ,
        Op::FpEq => BITWUZLA_KIND_FP_EQUAL,
        Op::FpIsNan => BITWUZLA_KIND_FP_IS_NAN,
        Op::FpIsInfinite => BITWUZLA_KIND_FP_IS_INF,
        Op::FpIsZero => BITWUZLA_KIND_FP_IS_ZERO,
        Op::FpIsNormal => BITWUZLA_KIND_FP_IS_NORMAL,
        Op::FpIsSubnormal => BITWUZLA_KIND_FP_IS_SUBNORMAL,
        Op::FpIsNegative => BITWUZLA_KIND_FP_IS_NEG,
        _ => return None,
    })
}

/// The operator of Bitwuzla for one whose first operand is a rounding mode.
fn rounded(op: Op) -> Option<BitwuzlaKind> {
    Some(match op {
        Op::FpAdd => BITWUZLA_KIND_FP_ADD,
        Op::FpSub => BITWUZLA_KIND_FP_SUB,
        Op::FpMul => BITWUZLA_KIND_FP_MUL,
        Op::FpDiv => BITWUZLA_KIND_FP_DIV,
        Op::FpFma => BITWUZLA_KIND_FP_FMA,
        Op::FpSqrt => BITWUZLA_KIND_FP_SQRT,
        Op::FpRoundToIntegral => BITWUZLA_KIND_FP_RTI,
        _ => return None,
    })
}
