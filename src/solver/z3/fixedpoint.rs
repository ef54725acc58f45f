//! Z3's engine for Horn clauses, SPACER (Komuravelli, Gurfinkel, Chaki: SMT-Based Model Checking for Recursive Programs,
//! CAV 2014), for clauses without recursion.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use z3_sys::*;

use super::super::{CheckLimit, Interrupt};
use super::context::{Context, text};
use super::read_back::{arguments, matrix};
use super::translate::Translator;
use crate::term::{Arena, Pool, Sort, TermId, TermKind, for_each_subterm};

type Result<T> = std::result::Result<T, String>;

/// SPACER in a context of its own. After an error it is not to be used again.
pub struct Fixedpoints {
    context: Context,
    translator: Translator,
}

/// A fixedpoint object and the references that it needs.
struct Clauses<'c> {
    context: &'c Context,
    raw: Z3_fixedpoint,
}

impl Drop for Clauses<'_> {
    fn drop(&mut self) {
        // SAFETY: the reference was taken in `Clauses::new`.
        unsafe { Z3_fixedpoint_dec_ref(self.context.raw(), self.raw) }
    }
}

impl Fixedpoints {
    /// In a new context.
    ///
    /// # Errors
    /// In Z3's words.
    pub fn new() -> Result<Self> {
        Ok(Self {
            context: Context::new()?,
            translator: Translator::default(),
        })
    }

    /// The handle for other threads.
    pub fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.context.handle()
    }

    /// P1 … P(n-1), each over the variables of its cut, with P(i-1) ∧ φi ⇒ Pi, where P0 = true and Pn = false. All terms
    /// must be of the same arena in all calls.
    ///
    /// A conjunct of a definition may contain other variables too; it is meant for all values of these.
    ///
    /// # Errors
    /// When there are none or none were found, in Z3's words.
    pub fn solve(
        &mut self,
        arena: &Arena,
        formulas: &[Vec<TermId>],
        cuts: &[Vec<TermId>],
        limit: CheckLimit,
    ) -> Result<Vec<TermId>> {
        let clauses = Clauses::new(&self.context, limit)?;
        let (context, translator) = (&self.context, &mut self.translator);
        let mut declarations = Vec::with_capacity(formulas.len());
        for cut in cuts.iter().map(Vec::as_slice).chain([&[][..]]) {
            declarations.push(clauses.declare(translator, arena, cut)?);
        }
        let last = formulas.len() - 1;
        for (position, formula) in formulas.iter().enumerate() {
            let mut body = Vec::new();
            if position > 0 {
                let variables = translated(context, translator, arena, &cuts[position - 1])?;
                body.push(apply(context, declarations[position - 1], &variables)?);
            }
            body.extend(translated(context, translator, arena, formula)?);
            let head = if position < last {
                &cuts[position][..]
            } else {
                &[]
            };
            let variables = translated(context, translator, arena, head)?;
            let head = apply(context, declarations[position], &variables)?;
            let states = [position.checked_sub(1), Some(position)];
            let states = states
                .into_iter()
                .flatten()
                .filter_map(|place| cuts.get(place));
            let mut bound: Vec<TermId> = states.flatten().copied().collect();
            for_each_subterm(arena, formula.iter().copied(), |term, kind| {
                if matches!(kind, TermKind::Variable { .. }) {
                    bound.push(term);
                }
            });
            bound.sort_unstable();
            bound.dedup();
            let bound = translated(context, translator, arena, &bound)?;
            clauses.add(&body, head, &bound)?;
        }
        clauses.query(declarations[last])?;
        let answer = clauses.answer()?;
        let mut definitions = definitions(context, arena, answer, &declarations, cuts)?;
        Ok((0..last)
            .map(|position| {
                // What Z3 does not define is empty from where a formula is false, and else reached.
                let is_reached = !formulas[..=position]
                    .iter()
                    .flatten()
                    .any(|&f| f == TermId::FALSE);
                let definition = definitions.remove(&declarations[position]);
                definition.unwrap_or(TermId::from_bool(is_reached))
            })
            .collect())
    }
}

impl<'c> Clauses<'c> {
    fn new(context: &'c Context, limit: CheckLimit) -> Result<Self> {
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
            let set = || -> Result<()> {
                Z3_params_set_symbol(
                    raw,
                    parameters,
                    context.symbol("engine")?,
                    context.symbol("spacer")?,
                );
                // What is inlined is found out along single paths; ground obligations and quantified lemmas over arrays
                // crash or take ten times as long.
                for name in [
                    "xform.inline_eager",
                    "xform.inline_linear",
                    "xform.slice",
                    "xform.coi",
                    "xform.subsumption_checker",
                    "spacer.ground_pobs",
                    "spacer.q3",
                ] {
                    Z3_params_set_bool(raw, parameters, context.symbol(name)?, false);
                }
                if let Some(time) = limit.time {
                    let milliseconds = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
                    Z3_params_set_uint(raw, parameters, context.symbol("timeout")?, milliseconds);
                }
                if let Some(resource) = limit.resource {
                    Z3_params_set_uint(raw, parameters, context.symbol("rlimit")?, resource);
                }
                Ok(())
            };
            let done = set();
            Z3_fixedpoint_set_params(raw, clauses.raw, parameters);
            Z3_params_dec_ref(raw, parameters);
            done?;
            clauses.no_error()?;
            Ok(clauses)
        }
    }

    /// Calls without a result tell their errors only so.
    fn no_error(&self) -> Result<()> {
        // SAFETY: the context is alive.
        match unsafe { Z3_get_error_code(self.context.raw()) } {
            ErrorCode::Ok => Ok(()),
            _ => Err(self.context.error()),
        }
    }

    /// A predicate over the variables.
    fn declare(
        &self,
        translator: &mut Translator,
        arena: &Arena,
        cut: &[TermId],
    ) -> Result<Z3_func_decl> {
        let (context, raw) = (self.context, self.context.raw());
        let sorts = cut
            .iter()
            .map(|&variable| translator.sort(context, arena.sort(variable)));
        let sorts = sorts.collect::<Result<Vec<_>>>()?;
        let range = translator.sort(context, Sort::Bool)?;
        // SAFETY (for the block): everything lives in the context; the length is the vector's.
        unsafe {
            let declaration = context.required(Z3_mk_fresh_func_decl(
                raw,
                c"state".as_ptr(),
                sorts.len() as u32,
                sorts.as_ptr(),
                range,
            ))?;
            context.keep(Z3_func_decl_to_ast(raw, declaration))?;
            Z3_fixedpoint_register_relation(raw, self.raw, declaration);
            Ok(declaration)
        }
    }

    /// The clause ∀ bound. body ⇒ head.
    fn add(&self, body: &[Z3_ast], head: Z3_ast, bound: &[Z3_ast]) -> Result<()> {
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
                clause = context.keep(Z3_mk_forall_const(
                    raw,
                    0,
                    bound.len() as u32,
                    bound.as_ptr(),
                    0,
                    std::ptr::null(),
                    clause,
                ))?;
            }
            let name = context.symbol("step")?;
            Z3_fixedpoint_add_rule(raw, self.raw, clause, Some(name));
        }
        self.no_error()
    }

    /// Finds out that the predicate is empty.
    fn query(&self, predicate: Z3_func_decl) -> Result<()> {
        let raw = self.context.raw();
        // SAFETY: everything is alive.
        let answer = unsafe { Z3_fixedpoint_query_relations(raw, self.raw, 1, &predicate) };
        match answer {
            Z3_L_FALSE => Ok(()),
            Z3_L_TRUE => Err("the clauses have no solution".into()),
            // SAFETY: as above; the string is the context's.
            _ => Err(unsafe { text(Z3_fixedpoint_get_reason_unknown(raw, self.raw)) }),
        }
    }

    /// The solution: a conjunction of definitions.
    fn answer(&self) -> Result<Z3_ast> {
        let raw = self.context.raw();
        // SAFETY: everything is alive.
        self.context
            .keep(unsafe { Z3_fixedpoint_get_answer(raw, self.raw) })
    }
}

fn translated(
    context: &Context,
    translator: &mut Translator,
    arena: &Arena,
    terms: &[TermId],
) -> Result<Vec<Z3_ast>> {
    let terms = terms.iter();
    terms
        .map(|&term| translator.translate(context, arena, term))
        .collect()
}

fn apply(context: &Context, declaration: Z3_func_decl, operands: &[Z3_ast]) -> Result<Z3_ast> {
    let length = operands.len() as u32;
    // SAFETY: everything lives in the context; the length is the slice's.
    context.keep(unsafe { Z3_mk_app(context.raw(), declaration, length, operands.as_ptr()) })
}

/// What the answer says of each predicate, over the variables of its cut.
fn definitions(
    context: &Context,
    arena: &Arena,
    answer: Z3_ast,
    declarations: &[Z3_func_decl],
    cuts: &[Vec<TermId>],
) -> Result<FxHashMap<Z3_func_decl, TermId>> {
    let raw = context.raw();
    let mut found = FxHashMap::default();
    let mut fresh = 0;
    let mut stack = vec![answer];
    while let Some(top) = stack.pop() {
        // SAFETY (for the block): everything lives in the context, and the answer keeps its parts.
        unsafe {
            if Z3_get_ast_kind(raw, top) == AstKind::Quantifier {
                stack.push(context.required(Z3_get_quantifier_body(raw, top))?);
                continue;
            }
            let operands = arguments(context, top)?;
            let Some((declaration, kind)) = declaration(context, top)? else {
                return Err("an answer of an unknown form".into());
            };
            let (predicate, definition) = match (kind, &operands[..]) {
                (DeclKind::And, _) => {
                    stack.extend(operands);
                    continue;
                }
                (DeclKind::True, _) => continue,
                (DeclKind::Eq | DeclKind::Iff, &[left, right]) => (left, Some(right)),
                (DeclKind::Not, &[inner]) => (inner, None),
                _ if declarations.contains(&declaration) => {
                    found.insert(declaration, TermId::TRUE);
                    continue;
                }
                _ => return Err("an answer of an unknown form".into()),
            };
            let head = self::declaration(context, predicate)?.map(|(declaration, _)| declaration);
            let place = declarations.iter().position(|&known| Some(known) == head);
            let Some(place) = place else {
                return Err("the definition of something else".into());
            };
            let term = match definition {
                None => TermId::FALSE,
                Some(definition) => {
                    let bound = arguments(context, predicate)?;
                    let variables = cuts.get(place).into_iter().flatten();
                    let bound = bound
                        .iter()
                        .zip(variables)
                        .map(|(&ast, &variable)| (Z3_get_index_value(raw, ast), variable));
                    matrix(context, arena, definition, &bound.collect(), &mut fresh)?
                }
            };
            found.insert(declarations[place], term);
        }
    }
    Ok(found)
}

/// The operator of an application.
fn declaration(context: &Context, ast: Z3_ast) -> Result<Option<(Z3_func_decl, DeclKind)>> {
    let raw = context.raw();
    // SAFETY (for the block): the node is alive.
    unsafe {
        if Z3_get_ast_kind(raw, ast) != AstKind::App {
            return Ok(None);
        }
        let application = context.required(Z3_to_app(raw, ast))?;
        let declaration = context.required(Z3_get_app_decl(raw, application))?;
        Ok(Some((declaration, Z3_get_decl_kind(raw, declaration))))
    }
}
