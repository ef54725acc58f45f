//! SPACER ([`super::clauses`]) for systems of Horn clauses.
//!
//! A context that has failed or was interrupted must not be used again.

use std::ffi::CString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use z3_sys::*;

pub use super::clauses::Generalization;
use super::clauses::{Clauses, Emptiness};
use super::context::{Context, Handle};
use super::read::Reader;
use super::translate::Translator;
use crate::horn::{Application, HornAnswer, HornClause, HornSystem};
use crate::{CheckLimit, Interrupt, Reason};
use regatta_base::counters;
use regatta_term::{Arena, Pool, Sort, TermId, TermKind, for_each_subterm, store};

/// A SPACER context. Translated terms are kept for later systems, which have to be over the same arena.
pub struct HornSolver {
    context: Context,
    translator: Translator,
}

impl HornSolver {
    /// A context without clauses.
    ///
    /// # Errors
    /// When Z3 refuses, in its words.
    pub fn new() -> Result<Self, String> {
        Ok(Self {
            context: Context::new()?,
            translator: Translator::default(),
        })
    }

    /// The handle for other threads.
    pub fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.context.handle() as Arc<Handle>
    }

    /// Solves the system, within about the given time, if any.
    pub fn solve(
        &mut self,
        arena: &Arena,
        system: &HornSystem,
        generalization: Generalization,
        time: Option<Duration>,
    ) -> HornAnswer {
        let limit = CheckLimit {
            time,
            resource: None,
        };
        let answer = Clauses::new(&self.context, limit, generalization).and_then(|clauses| {
            let question = Question {
                context: &self.context,
                clauses,
                translator: &mut self.translator,
                arena,
            };
            counters::query(|| question.answer(system, time))
        });
        answer.unwrap_or_else(|reason| HornAnswer::Unknown(Reason::Incomplete(reason)))
    }
}

/// A system during its solution.
struct Question<'q> {
    context: &'q Context,
    clauses: Clauses<'q>,
    translator: &'q mut Translator,
    arena: &'q Arena,
}

impl Question<'_> {
    fn answer(mut self, system: &HornSystem, time: Option<Duration>) -> Result<HornAnswer, String> {
        // 1. Declare the predicates, and falsity as a further one.
        let mut relations = Vec::with_capacity(system.predicates.len());
        for predicate in &system.predicates {
            let name = CString::new(predicate.name.as_str()).map_err(|error| error.to_string())?;
            let sorts = predicate.parameters.iter();
            let sorts: Vec<Sort> = sorts.map(|&one| self.arena.sort(one)).collect();
            relations.push(self.clauses.declare(self.translator, &name, &sorts)?);
        }
        let falsity = self.clauses.declare(self.translator, c"falsity", &[])?;
        // 2. Add the clauses.
        for (number, clause) in system.clauses.iter().enumerate() {
            self.add(&number.to_string(), clause, &relations, falsity)?;
        }
        // 3. Ask whether falsity is empty.
        let handle = self.context.handle();
        handle.take_interrupted();
        let begin = Instant::now();
        match self.clauses.emptiness(falsity) {
            Emptiness::Inhabited => {
                let names = self.clauses.trace();
                let trace = names.iter().filter_map(|name| name.parse().ok());
                Ok(HornAnswer::Refuted {
                    trace: trace.collect(),
                })
            }
            Emptiness::Empty => {
                let relations = relations.iter().zip(&system.predicates);
                let formulas = relations.map(|(&relation, predicate)| {
                    let parameters = predicate.parameters.iter().copied();
                    let bound = (0..).zip(parameters).collect();
                    let cover = self.clauses.cover(relation)?;
                    Reader::new(self.context, store(), bound).term(cover)
                });
                Ok(HornAnswer::Solution(formulas.collect::<Result<_, _>>()?))
            }
            _ if handle.take_interrupted() => Ok(HornAnswer::Unknown(Reason::Interrupted)),
            Emptiness::Unknown(reason) => {
                // Z3 does not always give the timeout as its reason.
                let is_over = time.is_some_and(|time| begin.elapsed() >= time);
                Ok(HornAnswer::Unknown(
                    if is_over || reason.contains("timeout") {
                        Reason::Limit
                    } else {
                        Reason::Incomplete(reason)
                    },
                ))
            }
        }
    }

    fn translate(&mut self, term: TermId) -> Result<Z3_ast, String> {
        self.translator.translate(self.context, self.arena, term)
    }

    fn application(
        &mut self,
        application: &Application,
        relations: &[Z3_func_decl],
    ) -> Result<Z3_ast, String> {
        let arguments = application.arguments.iter();
        let arguments = arguments.map(|&argument| self.translate(argument));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        let relation = relations[application.predicate.index()];
        self.clauses.apply(relation, &arguments)
    }

    fn add(
        &mut self,
        name: &str,
        clause: &HornClause,
        relations: &[Z3_func_decl],
        falsity: Z3_func_decl,
    ) -> Result<(), String> {
        let mut body = Vec::with_capacity(clause.body.len() + 1);
        for application in &clause.body {
            body.push(self.application(application, relations)?);
        }
        body.push(self.translate(clause.constraint)?);
        let head = match &clause.head {
            Some(head) => self.application(head, relations)?,
            None => self.clauses.apply(falsity, &[])?,
        };
        let mut terms = vec![clause.constraint];
        let applications = clause.body.iter().chain(&clause.head);
        terms.extend(applications.flat_map(|application| application.arguments.iter().copied()));
        let mut variables = Vec::new();
        for_each_subterm(self.arena, terms, |term, kind| {
            if matches!(kind, TermKind::Variable { .. }) {
                variables.push(term);
            }
        });
        let variables = variables.into_iter().map(|term| self.translate(term));
        let variables = variables.collect::<Result<Vec<_>, _>>()?;
        self.clauses.add(name, &body, head, &variables)
    }
}
