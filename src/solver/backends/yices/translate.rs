//! Translation of terms to Yices.
//!
//! Yices divides by zero as SMT-LIB does. Terms of sorts that it lacks (floats, integers) are refused. Two kinds of terms
//! need side conditions: a constant array becomes an uninterpreted function, which [`super::arrays`] constrains; and the
//! factors of a product of two sums get names, because Yices multiplies polynomials out, by which terms of unrolled loops
//! grow exponentially. The names are defined by [`Translator::definitions`], asserted wherever the product occurs.

use rustc_hash::FxHashMap;
use yices2::sys::*;

use regatta_term::{Constant, Op, Pool, Sort, Symbol, TermId, TermKind, for_each_unknown_subterm};

type Result<T> = std::result::Result<T, String>;

/// Maximum number of monomials of a factor in a nonlinear product; a larger factor gets a name.
const MAXIMUM_FACTOR_MONOMIALS: i32 = 4;

/// A translated term.
#[derive(Copy, Clone, Debug)]
pub struct Translated {
    /// Yices's term.
    pub term: term_t,
    /// Whether array terms or names occur in it, which have side conditions.
    pub needs_more: bool,
}

#[derive(Default)]
pub struct Translator {
    terms: FxHashMap<TermId, Translated>,
    variables: FxHashMap<(Symbol, u32), term_t>,
    types: FxHashMap<Sort, type_t>,
    definitions: FxHashMap<TermId, Vec<term_t>>,
}

/// Yices's message for the last error.
pub(crate) fn last_error() -> String {
    // SAFETY: the string is ours to free.
    unsafe {
        let message = yices_error_string();
        if message.is_null() {
            return "Yices failed without a message".into();
        }
        let text = std::ffi::CStr::from_ptr(message)
            .to_string_lossy()
            .into_owned();
        yices_free_string(message);
        text
    }
}

/// Checks the result of a call that is negative after an error.
pub fn required(result: i32) -> Result<i32> {
    if result < 0 {
        Err(last_error())
    } else {
        Ok(result)
    }
}

impl Translator {
    /// The number of terms translated.
    pub fn translated(&self) -> u64 {
        self.terms.len() as u64
    }

    /// Whether an array has occurred.
    pub(crate) fn knows_arrays(&self) -> bool {
        self.types.keys().any(|sort| sort.is_array())
    }

    /// The term's translation, if it has one already.
    pub fn get(&self, term: TermId) -> Option<Translated> {
        self.terms.get(&term).copied()
    }

    /// The variable's translation, if it has one already.
    pub(crate) fn known_variable(&self, symbol: Symbol, instance: u32) -> Option<term_t> {
        self.variables.get(&(symbol, instance)).copied()
    }

    /// The definitions of the names in the topmost operator of the term.
    pub fn definitions(&self, term: TermId) -> &[term_t] {
        self.definitions.get(&term).map_or(&[], Vec::as_slice)
    }

    /// Translates the term. Iterative, since terms may be deep.
    ///
    /// # Errors
    /// When Yices cannot express it.
    pub fn translate<P: Pool + ?Sized>(&mut self, pool: &P, term: TermId) -> Result<Translated> {
        let mut arguments = Vec::new();
        let knows = |this: &Self, term| this.terms.contains_key(&term);
        for_each_unknown_subterm(pool, term, self, knows, |this, top, kind| -> Result<()> {
            let translated = match kind {
                TermKind::Constant(constant) => plain(self::constant(constant)?),
                TermKind::Variable { symbol, instance } => plain(this.variable(symbol, instance)?),
                TermKind::Apply {
                    op,
                    arguments: operands,
                } => {
                    arguments.clear();
                    arguments.extend(operands.iter().map(|operand| this.terms[operand].term));
                    let sorts = [pool.sort(top), pool.sort(operands[0])];
                    let on_arrays = sorts.iter().any(|sort| sort.is_array());
                    let below = operands
                        .iter()
                        .any(|operand| this.terms[operand].needs_more);
                    let result = this.apply(top, op, sorts, &mut arguments)?;
                    Translated {
                        term: result,
                        needs_more: on_arrays || below || this.definitions.contains_key(&top),
                    }
                }
            };
            this.terms.insert(top, translated);
            Ok(())
        })?;
        Ok(self.terms[&term])
    }

    /// A new variable of the sort.
    ///
    /// # Errors
    /// When Yices lacks the sort.
    pub fn fresh(&mut self, sort: Sort) -> Result<term_t> {
        let of = self.sort(sort)?;
        // SAFETY: the type is Yices's.
        required(unsafe { yices_new_uninterpreted_term(of) })
    }

    fn variable(&mut self, symbol: Symbol, instance: u32) -> Result<term_t> {
        if let Some(&known) = self.variables.get(&(symbol, instance)) {
            return Ok(known);
        }
        let variable = self.fresh(symbol.sort())?;
        self.variables.insert((symbol, instance), variable);
        Ok(variable)
    }

    fn sort(&mut self, sort: Sort) -> Result<type_t> {
        if let Some(&known) = self.types.get(&sort) {
            return Ok(known);
        }
        // SAFETY (all): the widths are positive, the types Yices's.
        let made = match sort {
            Sort::Bool => unsafe { yices_bool_type() },
            Sort::BitVec(width) => unsafe { yices_bv_type(u32::from(width)) },
            Sort::Array { index, element } => {
                let (domain, range) = (self.sort(index.into())?, self.sort(element.into())?);
                unsafe { yices_function_type1(domain, range) }
            }
            Sort::Int | Sort::Float(_) => return Err(format!("Yices has no sort {sort} here")),
        };
        self.types.insert(sort, required(made)?);
        Ok(made)
    }

    /// Returns a factor of a nonlinear product: itself if it is small, else a name for it.
    fn factor(&mut self, product: TermId, width: Sort, factor: term_t) -> Result<term_t> {
        // SAFETY: the term is Yices's.
        let large = unsafe {
            (yices_term_is_bvsum(factor) != 0 || yices_term_is_product(factor) != 0)
                && yices_term_num_children(factor) > MAXIMUM_FACTOR_MONOMIALS
        };
        if !large {
            return Ok(factor);
        }
        let name = self.fresh(width)?;
        // SAFETY: both are Yices's, of one type.
        let definition = required(unsafe { yices_eq(name, factor) })?;
        self.definitions
            .entry(product)
            .or_default()
            .push(definition);
        Ok(name)
    }

    fn apply(
        &mut self,
        term: TermId,
        op: Op,
        [result, first]: [Sort; 2],
        a: &mut [term_t],
    ) -> Result<term_t> {
        let more = |to: u8| u32::from(to) - first.width().unwrap_or(0);
        if op == Op::BvMul {
            // SAFETY: both are Yices's.
            let linear = a
                .iter()
                .any(|&factor| unsafe { yices_term_constructor(factor) } == BV_CONSTANT);
            if !linear {
                for factor in a.iter_mut() {
                    *factor = self.factor(term, result, *factor)?;
                }
            }
        }
        let count = a.len() as u32;
        // SAFETY (for the whole match): every operand is Yices's, of the type that the operator asks for.
        required(unsafe {
            match op {
                Op::Not => yices_not(a[0]),
                Op::And => yices_and(count, a.as_mut_ptr()),
                Op::Or => yices_or(count, a.as_mut_ptr()),
                Op::Eq => yices_eq(a[0], a[1]),
                Op::Ite => yices_ite(a[0], a[1], a[2]),
                Op::BvNeg => yices_bvneg(a[0]),
                Op::BvNot => yices_bvnot(a[0]),
                Op::BvAdd => yices_bvadd(a[0], a[1]),
                Op::BvMul => yices_bvmul(a[0], a[1]),
                Op::BvUdiv => yices_bvdiv(a[0], a[1]),
                Op::BvUrem => yices_bvrem(a[0], a[1]),
                Op::BvSdiv => yices_bvsdiv(a[0], a[1]),
                Op::BvSrem => yices_bvsrem(a[0], a[1]),
                Op::BvAnd => yices_bvand2(a[0], a[1]),
                Op::BvOr => yices_bvor2(a[0], a[1]),
                Op::BvXor => yices_bvxor2(a[0], a[1]),
                Op::BvShl => yices_bvshl(a[0], a[1]),
                Op::BvLshr => yices_bvlshr(a[0], a[1]),
                Op::BvAshr => yices_bvashr(a[0], a[1]),
                Op::BvUlt => yices_bvlt_atom(a[0], a[1]),
                Op::BvUle => yices_bvle_atom(a[0], a[1]),
                Op::BvSlt => yices_bvslt_atom(a[0], a[1]),
                Op::BvSle => yices_bvsle_atom(a[0], a[1]),
                Op::Concat => yices_bvconcat2(a[0], a[1]),
                Op::Extract { high, low } => yices_bvextract(a[0], u32::from(low), u32::from(high)),
                Op::ZeroExtend(total) => yices_zero_extend(a[0], more(total)),
                Op::SignExtend(total) => yices_sign_extend(a[0], more(total)),
                Op::Select => yices_application1(a[0], a[1]),
                Op::Store => yices_update1(a[0], a[1], a[2]),
                Op::ConstArray | Op::PrefixSum => return self.fresh(result),
                Op::IntNeg
                | Op::IntAdd
                | Op::IntMul
                | Op::IntDiv
                | Op::IntMod
                | Op::IntLt
                | Op::IntLe
                | Op::BvToNat
                | Op::BvToInt
                | Op::IntToBv(_)
                | Op::FpNeg
                | Op::FpAbs
                | Op::FpAdd
                | Op::FpSub
                | Op::FpMul
                | Op::FpDiv
                | Op::FpFma
                | Op::FpSqrt
                | Op::FpRem
                | Op::FpRoundToIntegral
                | Op::FpLt
                | Op::FpLe
                | Op::FpEq
                | Op::FpIsNan
                | Op::FpIsInfinite
                | Op::FpIsZero
                | Op::FpIsNormal
                | Op::FpIsSubnormal
                | Op::FpIsNegative
                | Op::FpToFp(_)
                | Op::SbvToFp(_)
                | Op::UbvToFp(_)
                | Op::IntToFp(_)
                | Op::FpToSbv(_)
                | Op::FpToUbv(_)
                | Op::FpToInt
                | Op::FpToBits
                | Op::FpFromBits(_) => return Err(format!("Yices has no operator {op:?}")),
            }
        })
    }
}

const BV_CONSTANT: term_constructor_t = term_constructor_t::YICES_BV_CONSTANT;

fn plain(term: term_t) -> Translated {
    Translated {
        term,
        needs_more: false,
    }
}

pub fn bits(width: u8, bits: u128) -> Result<term_t> {
    // SAFETY: the width is positive; the array has that many elements and is copied.
    required(unsafe {
        match u64::try_from(bits) {
            Ok(small) if width <= 64 => yices_bvconst_uint64(u32::from(width), small),
            _ => {
                let array: Vec<i32> = (0..width).map(|bit| (bits >> bit & 1) as i32).collect();
                yices_bvconst_from_array(u32::from(width), array.as_ptr())
            }
        }
    })
}

fn constant(constant: Constant<'_>) -> Result<term_t> {
    match constant {
        // SAFETY (both): without arguments.
        Constant::Bool(true) => required(unsafe { yices_true() }),
        Constant::Bool(false) => required(unsafe { yices_false() }),
        Constant::BitVec(value) => bits(value.width(), value.bits()),
        Constant::Int(_) => Err("Yices has no integers here".into()),
        Constant::Float(_) => Err("Yices has no floats".into()),
    }
}
