//! The interface to SPACER, Z3's engine for constrained Horn clauses (\[KGC14\]).

use std::ffi::CStr;

use z3_sys::*;

use super::context::{Context, text};
use super::translate::Translator;
use crate::CheckLimit;
use regatta_term::Sort;

type Result<T> = std::result::Result<T, String>;

/// How SPACER generalises lemmas.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Generalization {
    /// Inductive generalisation: a lemma is strengthened as far as it stays inductive.
    Inductive,
    /// A lemma is the interpolant alone: for programs that are proved case by case, where more effort is in vain.
    Interpolant,
    /// As in GPDR (\[HB12\]), whose strategy for clauses with several premises is taken, too.
    Gpdr,
}

/// Parameters of SPACER that are switched off: the preprocessing that renames, joins or drops predicates, so that
/// solutions are over the given predicates; and ground proof obligations and quantified lemmas, which failed on arrays or
/// took ten times as long.
const OFF: [&CStr; 8] = [
    c"xform.inline_eager",
    c"xform.inline_linear",
    c"xform.slice",
    c"xform.coi",
    c"xform.subsumption_checker",
    c"spacer.ground_pobs",
    c"spacer.q3",
    c"print_answer",
];

/// Clauses over predicates.
pub struct Clauses<'c> {
    context: &'c Context,
    raw: Z3_fixedpoint,
}

/// Whether a predicate can be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Emptiness {
    /// The predicate is empty in some solution of the clauses.
    Empty,
    /// The predicate is empty in no solution.
    Inhabited,
    /// Not decided, with Z3's reason.
    Unknown(String),
}

impl Drop for Clauses<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference was taken in `Clauses::new`.
        unsafe { Z3_fixedpoint_dec_ref(self.context.raw(), self.raw) }
    }
}

impl<'c> Clauses<'c> {
    /// An empty set of clauses.
    ///
    /// # Errors
    /// Z3's errors, here and below.
    pub fn new(
        context: &'c Context,
        limit: CheckLimit,
        generalization: Generalization,
    ) -> Result<Self> {
        let raw = context.raw();
        // SAFETY (for the block): everything lives in the context; parameters until their reference is given back.
        unsafe {
            let clauses = context.required(Z3_mk_fixedpoint(raw))?;
            Z3_fixedpoint_inc_ref(raw, clauses);
            let clauses = Self {
                context,
                raw: clauses,
            };
            let parameters = context.required(Z3_mk_params(raw))?;
            Z3_params_inc_ref(raw, parameters);
            let set = clauses.set(parameters, limit, generalization);
            Z3_fixedpoint_set_params(raw, clauses.raw, parameters);
            Z3_params_dec_ref(raw, parameters);
            set?;
            clauses.no_error()?;
            Ok(clauses)
        }
    }

    fn set(
        &self,
        parameters: Z3_params,
        limit: CheckLimit,
        generalization: Generalization,
    ) -> Result<()> {
        let raw = self.context.raw();
        let symbol = |name: &CStr| self.context.symbol(&name.to_string_lossy());
        let inductive = generalization != Generalization::Interpolant;
        // SAFETY (for the block): everything lives in the context.
        unsafe {
            Z3_params_set_symbol(raw, parameters, symbol(c"engine")?, symbol(c"spacer")?);
            for name in OFF {
                Z3_params_set_bool(raw, parameters, symbol(name)?, false);
            }
            let generalizer = symbol(c"spacer.use_inductive_generalizer")?;
            Z3_params_set_bool(raw, parameters, generalizer, inductive);
            let is_gpdr = generalization == Generalization::Gpdr;
            Z3_params_set_bool(raw, parameters, symbol(c"spacer.gpdr")?, is_gpdr);
            if let Some(time) = limit.time {
                let milliseconds = u32::try_from(time.as_millis()).unwrap_or(u32::MAX - 1);
                Z3_params_set_uint(raw, parameters, symbol(c"timeout")?, milliseconds.max(1));
            }
            if let Some(resource) = limit.resource {
                Z3_params_set_uint(raw, parameters, symbol(c"rlimit")?, resource);
            }
        }
        Ok(())
    }

    /// Checks for an error of a call without a result.
    fn no_error(&self) -> Result<()> {
        // SAFETY: the context is alive.
        match unsafe { Z3_get_error_code(self.context.raw()) } {
            ErrorCode::Ok => Ok(()),
            _ => Err(self.context.error()),
        }
    }

    /// Declares a new predicate over the sorts; the name is for messages.
    pub fn declare(
        &self,
        translator: &mut Translator,
        name: &CStr,
        sorts: &[Sort],
    ) -> Result<Z3_func_decl> {
        let (context, raw) = (self.context, self.context.raw());
        let sorts = sorts.iter().map(|&sort| translator.sort(context, sort));
        let sorts = sorts.collect::<Result<Vec<_>>>()?;
        let range = translator.sort(context, Sort::Bool)?;
        // SAFETY (for the block): everything lives in the context; the length is the vector's.
        unsafe {
            let length = sorts.len() as u32;
            let made = Z3_mk_fresh_func_decl(raw, name.as_ptr(), length, sorts.as_ptr(), range);
            let declaration = context.required(made)?;
            context.keep(Z3_func_decl_to_ast(raw, declaration))?;
            Z3_fixedpoint_register_relation(raw, self.raw, declaration);
            Ok(declaration)
        }
    }

    /// Applies the predicate to the operands.
    pub fn apply(&self, predicate: Z3_func_decl, operands: &[Z3_ast]) -> Result<Z3_ast> {
        let (raw, length) = (self.context.raw(), operands.len() as u32);
        // SAFETY: everything lives in the context; the length is the slice's.
        let made = unsafe { Z3_mk_app(raw, predicate, length, operands.as_ptr()) };
        self.context.keep(made)
    }

    /// Adds the clause ∀ bound. body ⇒ head, where the bound variables are given as constants.
    pub fn add(&self, name: &str, body: &[Z3_ast], head: Z3_ast, bound: &[Z3_ast]) -> Result<()> {
        let (context, raw) = (self.context, self.context.raw());
        // SAFETY (for the block): everything lives in the context; the lengths are the slices'.
        unsafe {
            let body = context.keep(Z3_mk_and(raw, body.len() as u32, body.as_ptr()))?;
            let mut clause = context.keep(Z3_mk_implies(raw, body, head))?;
            if !bound.is_empty() {
                let bound = bound
                    .iter()
                    .map(|&ast| context.required(Z3_to_app(raw, ast)));
                let bound = bound.collect::<Result<Vec<_>>>()?;
                let (count, patterns) = (bound.len() as u32, std::ptr::null());
                let closed = Z3_mk_forall_const(raw, 0, count, bound.as_ptr(), 0, patterns, clause);
                clause = context.keep(closed)?;
            }
            let name = context.symbol(name)?;
            Z3_fixedpoint_add_rule(raw, self.raw, clause, Some(name));
        }
        self.no_error()
    }

    /// Checks whether the predicate is empty.
    pub(crate) fn emptiness(&self, predicate: Z3_func_decl) -> Emptiness {
        let raw = self.context.raw();
        // SAFETY (for the block): everything is alive; the string is the context's.
        unsafe {
            match Z3_fixedpoint_query_relations(raw, self.raw, 1, &predicate) {
                Z3_L_FALSE => Emptiness::Empty,
                Z3_L_TRUE => Emptiness::Inhabited,
                _ => Emptiness::Unknown(text(Z3_fixedpoint_get_reason_unknown(raw, self.raw))),
            }
        }
    }

    /// Returns the names of the clauses in the derivation of the last inhabited predicate, the last clause first; none if Z3
    /// does not give them.
    pub fn trace(&self) -> Vec<String> {
        let raw = self.context.raw();
        // SAFETY (for the block): everything is alive; the string is the context's.
        let names = unsafe {
            let Some(names) = Z3_fixedpoint_get_rule_names_along_trace(raw, self.raw) else {
                return Vec::new();
            };
            text(Z3_get_symbol_string(raw, names))
        };
        names.split(';').map(str::to_owned).collect()
    }

    /// Returns the solution for a predicate over its operands as bound variables: the lemmas that hold at every depth.
    pub fn cover(&self, predicate: Z3_func_decl) -> Result<Z3_ast> {
        let raw = self.context.raw();
        // SAFETY: everything is alive.
        let cover = unsafe { Z3_fixedpoint_get_cover_delta(raw, self.raw, -1, predicate) };
        self.context.keep(cover)
    }

    /// Returns the whole solution: a conjunction of definitions.
    pub fn answer(&self) -> Result<Z3_ast> {
        let raw = self.context.raw();
        // SAFETY: everything is alive.
        let answer = unsafe { Z3_fixedpoint_get_answer(raw, self.raw) };
        self.context.keep(answer)
    }
}
