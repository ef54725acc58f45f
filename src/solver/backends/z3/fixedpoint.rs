//! SPACER ([`super::clauses`]) for Horn clauses without recursion.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use z3_sys::*;

use super::clauses::{Clauses, Emptiness, Generalization};
use super::context::Context;
use super::read::{Reader, arguments, sort_of};
use super::translate::Translator;
use crate::{CheckLimit, Interrupt};
use regatta_term::{Arena, Build, Pool, Sort, Symbol, TermId, TermKind, for_each_subterm};

type Result<T> = std::result::Result<T, String>;

/// SPACER in a context of its own, which must not be used again after an error.
pub struct Fixedpoints {
    context: Context,
    translator: Translator,
}

impl Fixedpoints {
    /// Makes a new context.
    ///
    /// # Errors
    /// Z3's error.
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

    /// Returns P1 … P(n-1), each over the variables of its cut, with P(i-1) ∧ φi ⇒ Pi, where P0 = true and Pn = false. All
    /// terms must be of the same arena in all calls.
    ///
    /// A conjunct may contain further variables, over which it is universally quantified.
    ///
    /// # Errors
    /// When there are none or none were found, with Z3's reason.
    pub fn solve(
        &mut self,
        arena: &Arena,
        formulas: &[Vec<TermId>],
        cuts: &[Vec<TermId>],
        limit: CheckLimit,
    ) -> Result<Vec<TermId>> {
        let clauses = Clauses::new(&self.context, limit, Generalization::Inductive)?;
        let (context, translator) = (&self.context, &mut self.translator);
        let mut declarations = Vec::with_capacity(formulas.len());
        for cut in cuts.iter().map(Vec::as_slice).chain([&[][..]]) {
            let sorts: Vec<Sort> = cut.iter().map(|&variable| arena.sort(variable)).collect();
            declarations.push(clauses.declare(translator, c"state", &sorts)?);
        }
        let last = formulas.len() - 1;
        for (position, formula) in formulas.iter().enumerate() {
            let mut body = Vec::new();
            if position > 0 {
                let variables = translated(context, translator, arena, &cuts[position - 1])?;
                body.push(clauses.apply(declarations[position - 1], &variables)?);
            }
            body.extend(translated(context, translator, arena, formula)?);
            let head = if position < last {
                &cuts[position][..]
            } else {
                &[]
            };
            let variables = translated(context, translator, arena, head)?;
            let head = clauses.apply(declarations[position], &variables)?;
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
            clauses.add("step", &body, head, &bound)?;
        }
        match clauses.emptiness(declarations[last]) {
            Emptiness::Empty => {}
            Emptiness::Inhabited => return Err("the clauses have no solution".into()),
            Emptiness::Unknown(reason) => return Err(reason),
        }
        let answer = clauses.answer()?;
        let mut definitions = definitions(context, arena, answer, &declarations, cuts)?;
        Ok((0..last)
            .map(|position| {
                // A predicate that Z3 does not define is empty after a false formula, and true otherwise.
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

/// Reads the definition of each predicate, over the variables of its cut, from the answer.
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

/// Reads a definition as a conjunction, with fresh variables for the universally quantified ones of its conjuncts; `fresh`
/// counts them.
///
/// # Errors
/// If it has no term, or has quantifiers elsewhere.
fn matrix(
    context: &Context,
    arena: &Arena,
    definition: Z3_ast,
    bound: &FxHashMap<u32, TermId>,
    fresh: &mut u32,
) -> Result<TermId> {
    let raw = context.raw();
    let mut conjuncts = Vec::new();
    let mut stack = vec![definition];
    while let Some(top) = stack.pop() {
        // SAFETY (for the block): the definition keeps its parts alive, and each question fits its kind.
        unsafe {
            if Z3_get_ast_kind(raw, top) == AstKind::App {
                let application = context.required(Z3_to_app(raw, top))?;
                let declaration = context.required(Z3_get_app_decl(raw, application))?;
                if Z3_get_decl_kind(raw, declaration) == DeclKind::And {
                    stack.extend(arguments(context, top)?);
                    continue;
                }
            }
            let mut bound = bound.clone();
            let mut body = top;
            if Z3_is_quantifier_forall(raw, top) {
                let count = Z3_get_quantifier_num_bound(raw, top);
                let outer = bound.iter().map(|(index, &term)| (index + count, term));
                bound = outer.collect();
                for number in 0..count {
                    let sort = Z3_get_quantifier_bound_sort(raw, top, number);
                    let sort = sort_of(context, context.required(sort)?)?;
                    *fresh += 1;
                    let variable = Symbol::new("spacer::bound", sort);
                    // The last bound variable has the index 0.
                    let variable = arena.variable_at(variable, *fresh);
                    bound.insert(count - 1 - number, variable);
                }
                body = context.required(Z3_get_quantifier_body(raw, top))?;
            }
            conjuncts.push(Reader::new(context, arena, bound).term(body)?);
        }
    }
    Ok(arena.and(conjuncts))
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
