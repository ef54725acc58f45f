//! Yices 2 behind [`Solver`]: Booleans, bit vectors and arrays, fast on bit vectors.
//!
//! Its terms and types are global to the process; only one thread may call it at a time ([`YicesToken`]). Formulas that it
//! cannot express (floats, integers) make checks unknown, so that the caller can use Z3.
//!
//! * [`translate`]: terms; [`arrays`]: constant arrays, which Yices does not have; [`model`]: values.
//! * [`watchdog`]: limits and interrupts, which Yices does not have either. Yices does not count its work: a unit of a
//!   resource limit is taken as a microsecond of wall time, which is of the order of Z3's unit.
//!
//! Without arrays, Yices needs no congruence closure and is faster. So the context is one for bit vectors alone until the
//! first array occurs.
//!
//! A context whose search was stopped cannot go on. It is rebuilt from the recorded assertions at its next use; Yices's
//! own mode for that (`interactive`) would forget after each check what it has learned.

mod arrays;
mod model;
#[cfg(test)]
mod tests;
mod token;
mod translate;
mod watchdog;

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use yices2::sys::*;

use self::arrays::Instances;
use self::model::Model;
pub use self::token::YicesToken;
use self::translate::{Translator, last_error};
use self::watchdog::{Stop, Watch};
use super::value_in_model;
use crate::{Answer, CheckLimit, Interrupt, Reason, Solver, SolverConfig, SolverStatistics};
use regatta_base::counters;
use regatta_term::{Arena, Op, Pool, Sort, TermId, Value};

/// Yices over an arena.
pub struct YicesSolver {
    arena: Rc<Arena>,
    context: Context,
    translator: Translator,
    instances: Instances,
    /// Terms whose side conditions are asserted in the open scopes; oldest first.
    occurred: Vec<TermId>,
    occurring: FxHashSet<TermId>,
    /// All assertions, oldest first.
    assertions: Vec<term_t>,
    /// Number of the assertions that the context has.
    given: usize,
    scopes: Vec<Scope>,
    /// Number of the newest scopes that were opened in a contradictory context. Yices does not allow that, so that the
    /// context does not have these scopes.
    virtual_scopes: usize,
    /// Whether the context has to be rebuilt.
    stale: bool,
    /// Whether the last check was satisfiable and nothing was changed since.
    satisfiable: bool,
    model: Option<Model>,
    core: Vec<TermId>,
    watch: Arc<Watch>,
    limit: CheckLimit,
    statistics: SolverStatistics,
    /// A formula could not be asserted, in the scope of this depth: every check until its end is unknown.
    broken: Option<(usize, String)>,
    /// The last field, since the context has to be dropped first.
    _token: YicesToken,
}

/// The state when a scope was opened.
struct Scope {
    assertions: usize,
    occurred: usize,
    instances: usize,
}

/// A context of Yices and the parameters of its checks.
struct Context {
    raw: *mut context_t,
    parameters: *mut param_t,
    knows_arrays: bool,
}

impl Context {
    fn new(knows_arrays: bool) -> Result<Self, String> {
        let logic = if knows_arrays { c"QF_AUFBV" } else { c"QF_BV" };
        // SAFETY: the configuration lives until it is freed here.
        unsafe {
            let config = yices_new_config();
            let code = yices_default_config_for_logic(config, logic.as_ptr());
            let code = code.min(yices_set_config(
                config,
                c"mode".as_ptr(),
                c"push-pop".as_ptr(),
            ));
            let raw = if code == 0 {
                yices_new_context(config)
            } else {
                std::ptr::null_mut()
            };
            yices_free_config(config);
            if raw.is_null() {
                return Err(last_error());
            }
            let parameters = yices_new_param_record();
            yices_default_params_for_context(raw, parameters);
            Ok(Self {
                raw,
                parameters,
                knows_arrays,
            })
        }
    }

    fn assert(&self, formulas: &[term_t]) -> Result<(), String> {
        // SAFETY: context and formulas are alive; the length is the slice's.
        let code =
            unsafe { yices_assert_formulas(self.raw, formulas.len() as u32, formulas.as_ptr()) };
        if code == 0 { Ok(()) } else { Err(last_error()) }
    }

    fn status(&self) -> smt_status_t {
        // SAFETY: the context is alive.
        unsafe { yices_context_status(self.raw) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: both were made in `new` and are freed once.
        unsafe {
            yices_free_param_record(self.parameters);
            yices_free_context(self.raw);
        }
    }
}

impl YicesSolver {
    /// A solver without assertions.
    ///
    /// # Errors
    /// When Yices refuses, in its words.
    pub fn new(arena: Rc<Arena>, token: YicesToken) -> Result<Self, String> {
        Ok(Self {
            arena,
            context: Context::new(false)?,
            translator: Translator::default(),
            instances: Instances::default(),
            occurred: Vec::new(),
            occurring: FxHashSet::default(),
            assertions: Vec::new(),
            given: 0,
            scopes: Vec::new(),
            virtual_scopes: 0,
            stale: false,
            satisfiable: false,
            model: None,
            core: Vec::new(),
            watch: Arc::default(),
            limit: CheckLimit::default(),
            statistics: SolverStatistics::default(),
            broken: None,
            _token: token,
        })
    }

    /// Translates the term and asserts its side conditions in the current scope.
    fn prepare(&mut self, term: TermId) -> Result<term_t, String> {
        let translated = self.translator.translate(&*self.arena, term)?;
        self.stale |= self.translator.knows_arrays() && !self.context.knows_arrays;
        if translated.needs_more
            && let Err(reason) = self.occur(term)
        {
            // Some of the side conditions may be counted as asserted although they are not.
            self.break_scope(reason.clone());
            return Err(reason);
        }
        Ok(translated.term)
    }

    /// Asserts the side conditions of the subterms that occur for the first time in the open scopes.
    fn occur(&mut self, term: TermId) -> Result<(), String> {
        let arena = Rc::clone(&self.arena);
        let mut out = Vec::new();
        let mut stack = vec![term];
        while let Some(top) = stack.pop() {
            let needs_more = self
                .translator
                .get(top)
                .is_some_and(|translated| translated.needs_more);
            let Some((op, arguments)) = arena.as_application(top) else {
                continue;
            };
            if !needs_more || !self.occurring.insert(top) {
                continue;
            }
            self.occurred.push(top);
            stack.extend(arguments);
            out.extend_from_slice(self.translator.definitions(top));
            self.array_instances(op, top, arguments, &mut out)?;
        }
        self.assertions.extend(out);
        Ok(())
    }

    fn array_instances(
        &mut self,
        op: Op,
        term: TermId,
        arguments: &[TermId],
        out: &mut Vec<term_t>,
    ) -> Result<(), String> {
        let translation = |term| {
            let translated = self.translator.get(term);
            translated.map_or(NULL_TERM, |translated| translated.term)
        };
        let sort = self.arena.sort(arguments[0]);
        match (op, arguments) {
            (Op::Select | Op::Store, &[_, index, ..]) => {
                let index = translation(index);
                self.instances.index(sort, index, out)
            }
            (Op::Eq, &[left, right]) if sort.is_array() => {
                let equality = [term, left, right].map(translation);
                self.instances
                    .equality(&mut self.translator, sort, equality, out)
            }
            (Op::ConstArray, &[element]) => {
                let constant = [term, element].map(translation);
                let sort = self.arena.sort(term);
                self.instances
                    .constant(&mut self.translator, sort, constant, out)
            }
            _ => Ok(()),
        }
    }

    fn assert_term(&mut self, formula: term_t) {
        self.assertions.push(formula);
    }

    /// Passes the new assertions to the context; all at once, since Yices visits all its clauses each time.
    fn flush(&mut self) -> Result<(), String> {
        if self.stale {
            return self.revive();
        }
        let given = std::mem::replace(&mut self.given, self.assertions.len());
        self.context
            .assert(&self.assertions[given..])
            .inspect_err(|_| self.stale = true)
    }

    /// Opens a scope of the context.
    fn push_context(&mut self) {
        // SAFETY: the context is alive.
        if self.virtual_scopes > 0 || unsafe { yices_push(self.context.raw) } != 0 {
            self.virtual_scopes += 1;
            self.stale |= self.context.status() != smt_status_t::STATUS_UNSAT;
        }
    }

    /// Rebuilds the context.
    fn revive(&mut self) -> Result<(), String> {
        self.context = Context::new(self.translator.knows_arrays())?;
        self.virtual_scopes = 0;
        self.stale = false;
        let mut next = 0;
        for depth in 0..=self.scopes.len() {
            let end = self
                .scopes
                .get(depth)
                .map_or(self.assertions.len(), |scope| scope.assertions);
            let done = self.context.assert(&self.assertions[next..end]);
            if done.is_err() {
                self.stale = true;
                return done;
            }
            next = end;
            if depth < self.scopes.len() {
                self.push_context();
            }
        }
        self.given = next;
        Ok(())
    }

    /// Invalidates the result of the last check.
    fn forget(&mut self) {
        self.satisfiable = false;
        self.model = None;
    }

    fn break_scope(&mut self, reason: String) {
        self.broken.get_or_insert((self.scopes.len(), reason));
    }

    fn time_limit(&self) -> Option<Duration> {
        let resource = self
            .limit
            .resource
            .map(|units| Duration::from_micros(units.into()));
        match (resource, self.limit.time) {
            (Some(resource), Some(time)) => Some(resource.min(time)),
            (resource, time) => resource.or(time),
        }
    }

    fn search(&mut self, literals: &[term_t]) -> (smt_status_t, Option<Stop>) {
        let begin = Instant::now();
        let deadline = self.time_limit().map(|limit| begin + limit);
        self.watch.begin(self.context.raw, deadline);
        // SAFETY: context, parameters and literals are alive; the length is the slice's.
        let found = counters::query(|| unsafe {
            yices_check_context_with_assumptions(
                self.context.raw,
                self.context.parameters,
                literals.len() as u32,
                literals.as_ptr(),
            )
        });
        let stop = self.watch.end();
        self.statistics.checks += 1;
        self.statistics.check_time += begin.elapsed();
        self.statistics.translated = self.translator.translated();
        // A stop may have come between the end of the search and the return.
        let status = self.context.status();
        let agreed = status == found || found == smt_status_t::STATUS_ERROR;
        let found = if agreed {
            found
        } else {
            smt_status_t::STATUS_INTERRUPTED
        };
        (found, stop)
    }

    /// The assumptions in the unsat core.
    fn read_core(&self, literals: &[term_t], assumptions: &[TermId]) -> Vec<TermId> {
        let mut by_literal = FxHashMap::default();
        for (&literal, &assumption) in literals.iter().zip(assumptions) {
            by_literal.entry(literal).or_insert(assumption);
        }
        let mut vector = term_vector_t {
            capacity: 0,
            size: 0,
            data: std::ptr::null_mut(),
        };
        // SAFETY: the vector is given back; it has that many elements.
        unsafe {
            yices_init_term_vector(&mut vector);
            let code = yices_get_unsat_core(self.context.raw, &mut vector);
            let core = (0..vector.size as usize)
                .map(|number| *vector.data.add(number))
                .filter_map(|literal| by_literal.get(&literal).copied())
                .collect();
            yices_delete_term_vector(&mut vector);
            // All assumptions are a core, too.
            if code == 0 {
                core
            } else {
                assumptions.to_vec()
            }
        }
    }

    fn try_check(&mut self, assumptions: &[TermId]) -> Result<Answer, String> {
        let literals = assumptions
            .iter()
            .map(|&assumption| self.prepare(assumption))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some((_, reason)) = &self.broken {
            return Err(reason.clone());
        }
        let begin = Instant::now();
        let flushed = self.flush();
        self.statistics.check_time += begin.elapsed();
        flushed?;
        let (found, stop) = self.search(&literals);
        match found {
            smt_status_t::STATUS_SAT => {
                self.satisfiable = true;
                Ok(Answer::Satisfiable)
            }
            smt_status_t::STATUS_UNSAT => {
                self.core = self.read_core(&literals, assumptions);
                if self.core.is_empty() {
                    // The assertions contradict one another; Yices has to remember that when it retracts the assumptions.
                    // SAFETY: without arguments.
                    self.assert_term(unsafe { yices_false() });
                }
                Ok(Answer::Unsatisfiable)
            }
            smt_status_t::STATUS_UNKNOWN => Err("Yices does not know".into()),
            smt_status_t::STATUS_INTERRUPTED => {
                self.stale = true;
                Ok(Answer::Unknown(match stop {
                    Some(Stop::Deadline) => Reason::Limit,
                    _ => Reason::Interrupted,
                }))
            }
            _ => {
                self.stale = true;
                Err(last_error())
            }
        }
    }
}

impl Solver for YicesSolver {
    fn arena(&self) -> &Rc<Arena> {
        &self.arena
    }

    fn push(&mut self) {
        self.forget();
        if !self.stale {
            // A failure makes the context stale; the next check reports it.
            self.flush().ok();
        }
        self.scopes.push(Scope {
            assertions: self.assertions.len(),
            occurred: self.occurred.len(),
            instances: self.instances.mark(),
        });
        if !self.stale {
            self.push_context();
        }
    }

    fn pop(&mut self) {
        self.forget();
        let Some(scope) = self.scopes.pop() else {
            return;
        };
        self.assertions.truncate(scope.assertions);
        self.given = self.given.min(scope.assertions);
        for term in self.occurred.drain(scope.occurred..) {
            self.occurring.remove(&term);
        }
        self.instances.truncate(scope.instances);
        if self
            .broken
            .as_ref()
            .is_some_and(|(depth, _)| *depth > self.scopes.len())
        {
            self.broken = None;
        }
        if self.stale {
        } else if self.virtual_scopes > 0 {
            self.virtual_scopes -= 1;
        } else {
            // SAFETY: the context is alive.
            self.stale = unsafe { yices_pop(self.context.raw) } != 0;
        }
    }

    fn assert(&mut self, formula: TermId) {
        debug_assert_eq!(self.arena.sort(formula), Sort::Bool);
        self.forget();
        match self.prepare(formula) {
            Ok(formula) => self.assert_term(formula),
            Err(reason) => self.break_scope(reason),
        }
    }

    fn check(&mut self, assumptions: &[TermId]) -> Answer {
        self.forget();
        self.core.clear();
        self.try_check(assumptions)
            .unwrap_or_else(|reason| Answer::Unknown(Reason::Incomplete(reason)))
    }

    /// Rebuilds the context, since each check of a context assigns all terms that it was ever asked about.
    fn forget_questions(&mut self) {
        self.forget();
        self.stale = true;
    }

    fn value(&mut self, term: TermId) -> Option<Value> {
        if !self.satisfiable {
            return None;
        }
        if self.model.is_none() {
            // SAFETY: the context is alive, its check was satisfiable and nothing has changed.
            self.model = unsafe { Model::new(self.context.raw) };
        }
        let model = self.model.as_ref()?;
        // Evaluated by us: array values of the model may be right only at the relevant indices ([`arrays`]).
        let known = |symbol, instance| self.translator.known_variable(symbol, instance);
        let value = |variable, sort| model.variable(variable, sort, &self.instances);
        value_in_model(&self.arena, term, known, value)
    }

    fn unsat_core(&mut self) -> Vec<TermId> {
        self.core.clone()
    }

    fn set_limit(&mut self, limit: CheckLimit) {
        self.limit = limit;
        if limit != CheckLimit::default() {
            self.watch.start();
        }
    }

    fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.watch.start();
        Arc::clone(&self.watch) as Arc<dyn Interrupt>
    }

    fn statistics(&self) -> SolverStatistics {
        self.statistics
    }

    /// Not Yices, which one thread alone can use.
    fn for_another_thread(&self) -> SolverConfig {
        SolverConfig::default()
    }
}

impl Drop for YicesSolver {
    fn drop(&mut self) {
        self.model = None;
        self.watch.close();
    }
}
