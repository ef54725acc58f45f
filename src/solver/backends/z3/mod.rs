//! Z3 behind [`Solver`].
//!
//! The C interface is used directly, since a reference-counting wrapper around each node would cost more than the
//! translation. A [`Context`] owns everything; translated nodes are kept as long as it lives, so that a term is translated
//! once for all checks.

mod clauses;
mod context;
pub mod fixedpoint;
pub mod horn;
mod model;
mod read;
#[cfg(test)]
mod tests;
pub mod text;
mod translate;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use rustc_hash::FxHashMap;
use z3_sys::*;

use self::context::{Context, Handle};
use self::translate::Translator;
use crate::{Answer, CheckLimit, Interrupt, Reason, Solver, SolverConfig, SolverStatistics};
use regatta_base::counters;
use regatta_term::{Arena, Pool, Sort, TermId, TermKind, Value};

/// A core solver of Z3.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum Core {
    /// The SMT core: every theory, incremental.
    #[default]
    Smt,
    /// The SAT core over bit-blasted formulas: Booleans and bit vectors only, incremental.
    Sat,
}

/// Z3 over an arena.
pub struct Z3Solver {
    arena: Rc<Arena>,
    context: Context,
    handle: Arc<Handle>,
    solver: Z3_solver,
    translator: Translator,
    /// The assumptions of the last check by their translations, for the unsat core.
    assumptions: FxHashMap<Z3_ast, TermId>,
    scopes: u32,
    limit: CheckLimit,
    statistics: SolverStatistics,
    /// A translation failed, in the scope of this depth: every check until its end is unknown.
    broken: Option<(u32, String)>,
}

impl Z3Solver {
    /// A solver without assertions.
    ///
    /// # Errors
    /// When Z3 refuses, in its words.
    pub fn new(arena: Rc<Arena>, core: Core) -> Result<Self, String> {
        let context = Context::new()?;
        let solver = context.new_solver(match core {
            Core::Smt => None,
            Core::Sat => Some(c"QF_FD"),
        })?;
        Ok(Self {
            arena,
            handle: context.handle(),
            context,
            solver,
            translator: Translator::default(),
            assumptions: FxHashMap::default(),
            scopes: 0,
            limit: CheckLimit::default(),
            statistics: SolverStatistics::default(),
            broken: None,
        })
    }

    fn translate(&mut self, term: TermId) -> Option<Z3_ast> {
        match self.translator.translate(&self.context, &*self.arena, term) {
            Ok(ast) => Some(ast),
            Err(reason) => {
                self.broken.get_or_insert((self.scopes, reason));
                None
            }
        }
    }

    /// Returns why the last check was unknown. Z3 has several reasons for a stopped check and gives each of them for limits
    /// and interrupts alike.
    fn reason_unknown(&self) -> Reason {
        if self.handle.take_interrupted() {
            return Reason::Interrupted;
        }
        let reason = self.context.reason_unknown(self.solver);
        let stopped = ["cancel", "interrupt", "timeout", "resource"];
        if self.limit != CheckLimit::default() && stopped.iter().any(|word| reason.contains(word)) {
            return Reason::Limit;
        }
        Reason::Incomplete(reason)
    }

    /// Checks whether the term is a literal, as Z3 requires of assumptions.
    fn is_literal(&self, term: TermId) -> bool {
        match self.arena.kind(term) {
            TermKind::Variable { .. } => true,
            TermKind::Apply {
                op: regatta_term::Op::Not,
                arguments,
            } => self.arena.is_variable(arguments[0]),
            _ => false,
        }
    }
}

impl Solver for Z3Solver {
    fn arena(&self) -> &Rc<Arena> {
        &self.arena
    }

    fn push(&mut self) {
        self.scopes += 1;
        // SAFETY: context and solver are alive.
        unsafe { Z3_solver_push(self.context.raw(), self.solver) }
    }

    fn pop(&mut self) {
        if self.scopes > 0 {
            self.scopes -= 1;
            // SAFETY: as above, and a scope is open.
            unsafe { Z3_solver_pop(self.context.raw(), self.solver, 1) }
            if self
                .broken
                .as_ref()
                .is_some_and(|(scope, _)| *scope > self.scopes)
            {
                self.broken = None;
            }
        }
    }

    fn assert(&mut self, formula: TermId) {
        debug_assert_eq!(self.arena.sort(formula), Sort::Bool);
        if let Some(ast) = self.translate(formula) {
            // SAFETY: all three live in the context.
            unsafe { Z3_solver_assert(self.context.raw(), self.solver, ast) }
        }
    }

    fn check(&mut self, assumptions: &[TermId]) -> Answer {
        let mut literals = Vec::with_capacity(assumptions.len());
        self.assumptions.clear();
        let outer = self.broken.clone();
        for &assumption in assumptions {
            let Some(mut ast) = self.translate(assumption) else {
                break;
            };
            if !self.is_literal(assumption) {
                match self.translator.name(&self.context, assumption, ast) {
                    Ok((literal, definition)) => {
                        ast = literal;
                        if let Some(definition) = definition {
                            // A definition is an implication from a fresh literal: it may stay until the scope closes.
                            // SAFETY: all three live in the context.
                            unsafe { Z3_solver_assert(self.context.raw(), self.solver, definition) }
                        }
                    }
                    Err(reason) => self.broken = Some((self.scopes, reason)),
                }
            }
            self.assumptions.insert(ast, assumption);
            literals.push(ast);
        }
        if let Some((_, reason)) = &self.broken {
            let answer = Answer::Unknown(Reason::Incomplete(reason.clone()));
            self.broken = outer;
            return answer;
        }
        self.statistics.checks += 1;
        self.statistics.translated = self.translator.translated();
        self.handle.take_interrupted();
        let begin = Instant::now();
        // SAFETY: context, solver and literals are alive; the length is the slice's.
        let result = counters::query(|| unsafe {
            Z3_solver_check_assumptions(
                self.context.raw(),
                self.solver,
                literals.len() as u32,
                literals.as_ptr(),
            )
        });
        self.statistics.check_time += begin.elapsed();
        match result {
            Z3_L_TRUE => Answer::Satisfiable,
            Z3_L_FALSE => Answer::Unsatisfiable,
            _ => Answer::Unknown(self.reason_unknown()),
        }
    }

    fn value(&mut self, term: TermId) -> Option<Value> {
        let ast = self.translate(term)?;
        let model = self.context.model(self.solver)?;
        model.value(ast, self.arena.sort(term))
    }

    fn unsat_core(&mut self) -> Vec<TermId> {
        let core = self.context.unsat_core(self.solver);
        core.iter()
            .filter_map(|ast| self.assumptions.get(ast).copied())
            .collect()
    }

    fn set_limit(&mut self, limit: CheckLimit) {
        if limit != self.limit {
            self.limit = limit;
            self.context.set_limit(self.solver, limit);
        }
    }

    fn interrupter(&self) -> Arc<dyn Interrupt> {
        Arc::clone(&self.handle) as Arc<dyn Interrupt>
    }

    fn statistics(&self) -> SolverStatistics {
        self.statistics
    }

    fn for_another_thread(&self) -> SolverConfig {
        SolverConfig::default()
    }
}

impl Drop for Z3Solver {
    fn drop(&mut self) {
        // SAFETY: the reference was taken in `new_solver`, and the context is alive.
        unsafe { Z3_solver_dec_ref(self.context.raw(), self.solver) }
    }
}
