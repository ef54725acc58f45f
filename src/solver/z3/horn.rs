//! Z3's engine for constrained Horn clauses: SPACER (Komuravelli, Gurfinkel and Chaki: SMT-based model checking for
//! recursive programs, CAV 2014).
//!
//! Each question has a context of its own: after an error of the engine, none is used again. All of its preprocessing
//! that renames, joins or drops predicates is off, so that the solution speaks of the predicates that were asked about.

use std::ffi::CStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use z3_sys::*;

use super::context::{Context, Handle, text};
use super::read::Reader;
use super::translate::Translator;
use crate::solver::horn::{Application, HornAnswer, HornClause, HornSystem, PredicateId};
use crate::solver::{Interrupt, Reason};
use crate::term::{Arena, Pool, Sort, TermId, TermKind, for_each_subterm};

/// Switches of the engine that differ from its defaults.
const SWITCHES: [(&CStr, bool); 8] = [
    (c"xform.inline_eager", false),
    (c"xform.inline_linear", false),
    (c"xform.slice", false),
    (c"xform.coi", false),
    (c"xform.subsumption_checker", false),
    // Both were seen to fail on arrays.
    (c"spacer.ground_pobs", false),
    (c"spacer.q3", false),
    (c"print_answer", false),
];

/// How SPACER makes lemmas stronger.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Generalization {
    /// As far as they stay inductive.
    Inductive,
    /// As far as the interpolant is: for programs that are proved case by case, where more is in vain.
    Interpolant,
}

/// Z3's engine with one question.
pub struct HornSolver {
    context: Context,
    fixedpoint: Z3_fixedpoint,
    translator: Translator,
}

impl HornSolver {
    /// The engine without clauses.
    ///
    /// # Errors
    /// When Z3 refuses, in its words.
    pub fn new() -> Result<Self, String> {
        let context = Context::new()?;
        // SAFETY: the context is alive; the reference is given back with the solver.
        let fixedpoint = unsafe {
            let fixedpoint = context.required(Z3_mk_fixedpoint(context.raw()))?;
            Z3_fixedpoint_inc_ref(context.raw(), fixedpoint);
            fixedpoint
        };
        Ok(Self {
            context,
            fixedpoint,
            translator: Translator::default(),
        })
    }

    /// The handle for other threads.
    pub fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.context.handle() as Arc<Handle>
    }

    /// Solves the system, within about the time.
    pub fn solve(
        mut self,
        arena: &Arena,
        system: &HornSystem,
        generalization: Generalization,
        time: Duration,
    ) -> HornAnswer {
        let prepared = self.set_parameters(generalization, time);
        match prepared.and_then(|()| self.answer(arena, system, time)) {
            Ok(answer) => answer,
            Err(reason) => HornAnswer::Unknown(Reason::Incomplete(reason)),
        }
    }

    fn answer(
        &mut self,
        arena: &Arena,
        system: &HornSystem,
        time: Duration,
    ) -> Result<HornAnswer, String> {
        // 1. The predicates; falsity is one more.
        let mut relations = Vec::with_capacity(system.predicates.len());
        for (number, predicate) in system.predicates.iter().enumerate() {
            let sorts = predicate.parameters.iter();
            let sorts: Vec<Sort> = sorts.map(|&parameter| arena.sort(parameter)).collect();
            relations.push(self.relation(&format!("{number} {}", predicate.name), &sorts)?);
        }
        let falsity = self.relation("falsity", &[])?;
        // 2. The clauses.
        for (number, clause) in system.clauses.iter().enumerate() {
            let rule = self.rule(arena, clause, &relations, falsity)?;
            let name = self.context.symbol(&number.to_string())?;
            // SAFETY: everything lives in the context.
            unsafe {
                Z3_fixedpoint_add_rule(self.context.raw(), self.fixedpoint, rule, Some(name));
            }
            self.no_error()?;
        }
        // 3. The question.
        let query = self.apply(falsity, &[])?;
        let handle = self.context.handle();
        handle.take_interrupted();
        let begin = Instant::now();
        // SAFETY: everything lives in the context.
        let said = unsafe { Z3_fixedpoint_query(self.context.raw(), self.fixedpoint, query) };
        match said {
            Z3_L_TRUE => Ok(HornAnswer::Refuted),
            Z3_L_FALSE => {
                let relations = relations.iter().zip(&system.predicates);
                let formulas = relations.map(|(&relation, predicate)| {
                    self.interpretation(relation, &predicate.parameters)
                });
                Ok(HornAnswer::Solution(formulas.collect::<Result<_, _>>()?))
            }
            _ if handle.take_interrupted() => Ok(HornAnswer::Unknown(Reason::Interrupted)),
            _ => {
                // SAFETY: both are alive; the string is the context's.
                let reason = unsafe {
                    text(Z3_fixedpoint_get_reason_unknown(
                        self.context.raw(),
                        self.fixedpoint,
                    ))
                };
                // Z3 does not always say that the time was over.
                let is_over = begin.elapsed() >= time || reason.contains("timeout");
                Ok(HornAnswer::Unknown(if is_over {
                    Reason::Limit
                } else {
                    Reason::Incomplete(reason)
                }))
            }
        }
    }

    fn set_parameters(&self, generalization: Generalization, time: Duration) -> Result<(), String> {
        let raw = self.context.raw();
        let milliseconds = u32::try_from(time.as_millis()).unwrap_or(u32::MAX - 1);
        let symbol = |name: &CStr| self.context.symbol(&name.to_string_lossy());
        // SAFETY: everything lives in the context; the parameters until their reference is given back.
        unsafe {
            let parameters = self.context.required(Z3_mk_params(raw))?;
            Z3_params_inc_ref(raw, parameters);
            Z3_params_set_symbol(raw, parameters, symbol(c"engine")?, symbol(c"spacer")?);
            Z3_params_set_uint(raw, parameters, symbol(c"timeout")?, milliseconds.max(1));
            let inductive = generalization == Generalization::Inductive;
            let generalizer = (c"spacer.use_inductive_generalizer", inductive);
            for (name, value) in SWITCHES.into_iter().chain([generalizer]) {
                Z3_params_set_bool(raw, parameters, symbol(name)?, value);
            }
            Z3_fixedpoint_set_params(raw, self.fixedpoint, parameters);
            Z3_params_dec_ref(raw, parameters);
        }
        self.no_error()
    }

    fn no_error(&self) -> Result<(), String> {
        // SAFETY: the context is alive.
        match unsafe { Z3_get_error_code(self.context.raw()) } {
            ErrorCode::Ok => Ok(()),
            _ => Err(self.context.error()),
        }
    }

    fn relation(&mut self, name: &str, sorts: &[Sort]) -> Result<Z3_func_decl, String> {
        let raw = self.context.raw();
        let mut domain = Vec::with_capacity(sorts.len());
        for &sort in sorts {
            domain.push(self.translator.sort(&self.context, sort)?);
        }
        let name = self.context.symbol(name)?;
        let truth = self.translator.sort(&self.context, Sort::Bool)?;
        // SAFETY: everything lives in the context; the lengths are the slices'.
        unsafe {
            let length = domain.len() as u32;
            let made = Z3_mk_func_decl(raw, name, length, domain.as_ptr(), truth);
            let relation = self.context.required(made)?;
            if let Some(ast) = Z3_func_decl_to_ast(raw, relation) {
                Z3_inc_ref(raw, ast);
            }
            Z3_fixedpoint_register_relation(raw, self.fixedpoint, relation);
            Ok(relation)
        }
    }

    fn apply(&self, relation: Z3_func_decl, arguments: &[Z3_ast]) -> Result<Z3_ast, String> {
        let length = arguments.len() as u32;
        // SAFETY: everything lives in the context; the length is the slice's.
        let made = unsafe { Z3_mk_app(self.context.raw(), relation, length, arguments.as_ptr()) };
        self.context.keep(made)
    }

    fn application(
        &mut self,
        arena: &Arena,
        application: &Application,
        relations: &[Z3_func_decl],
    ) -> Result<Z3_ast, String> {
        let mut arguments = Vec::with_capacity(application.arguments.len());
        for &argument in &application.arguments {
            arguments.push(self.translator.translate(&self.context, arena, argument)?);
        }
        let PredicateId(number) = application.predicate;
        self.apply(relations[number as usize], &arguments)
    }

    /// The clause as a closed formula.
    fn rule(
        &mut self,
        arena: &Arena,
        clause: &HornClause,
        relations: &[Z3_func_decl],
        falsity: Z3_func_decl,
    ) -> Result<Z3_ast, String> {
        let mut body = Vec::with_capacity(clause.body.len() + 1);
        for application in &clause.body {
            body.push(self.application(arena, application, relations)?);
        }
        body.push(
            self.translator
                .translate(&self.context, arena, clause.constraint)?,
        );
        let head = match &clause.head {
            Some(head) => self.application(arena, head, relations)?,
            None => self.apply(falsity, &[])?,
        };
        let mut variables = Vec::new();
        let mut terms = vec![clause.constraint];
        let applications = clause.body.iter().chain(&clause.head);
        terms.extend(applications.flat_map(|application| application.arguments.iter().copied()));
        for_each_subterm(arena, terms, |term, kind| {
            if matches!(kind, TermKind::Variable { .. }) {
                variables.push(term);
            }
        });
        let mut bound = Vec::with_capacity(variables.len());
        let raw = self.context.raw();
        for variable in variables {
            let ast = self.translator.translate(&self.context, arena, variable)?;
            // SAFETY: the node is a constant, which is an application.
            bound.push(self.context.required(unsafe { Z3_to_app(raw, ast) })?);
        }
        // SAFETY: everything lives in the context; the lengths are the slices'.
        unsafe {
            let length = body.len() as u32;
            let body = self.context.keep(Z3_mk_and(raw, length, body.as_ptr()))?;
            let rule = self.context.keep(Z3_mk_implies(raw, body, head))?;
            if bound.is_empty() {
                return Ok(rule);
            }
            let count = bound.len() as u32;
            let patterns = std::ptr::null();
            let closed = Z3_mk_forall_const(raw, 0, count, bound.as_ptr(), 0, patterns, rule);
            self.context.keep(closed)
        }
    }

    /// What the solution says of a predicate: the lemmas that hold at every depth.
    fn interpretation(
        &self,
        relation: Z3_func_decl,
        parameters: &[TermId],
    ) -> Result<TermId, String> {
        // SAFETY: everything lives in the context.
        let cover = unsafe {
            Z3_fixedpoint_get_cover_delta(self.context.raw(), self.fixedpoint, -1, relation)
        };
        let cover = self.context.keep(cover)?;
        Reader::new(&self.context, parameters).read(cover)
    }
}

impl Drop for HornSolver {
    fn drop(&mut self) {
        // SAFETY: the reference was taken in `new`, and the context is alive.
        unsafe { Z3_fixedpoint_dec_ref(self.context.raw(), self.fixedpoint) }
    }
}
