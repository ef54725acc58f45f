//! Bitwuzla behind [`Solver`]: Booleans, bit vectors, arrays and floats, all by bit-blasting, with CaDiCaL inside.
//!
//! It decides float arithmetic on which Z3 fails. Formulas that it cannot express (mathematical integers, x87 floats) make
//! checks unknown, so that the caller can use Z3.
//!
//! * [`manager`]: owners of terms, and instances; [`translate`]: terms; [`model`]: values.
//! * [`termination`]: limits and interrupts.
//! * [`text`]: questions as SMT-LIB text, which use nothing of the translation.
//!
//! # Threads
//! Any number of instances may run in parallel, each with its own manager and used by the thread that made it: all other
//! state of Bitwuzla and CaDiCaL is constant or thread-local (`tests::threads_do_not_interfere`).
//!
//! # Unsat cores
//! Bitwuzla produces unsat cores only if that is switched on beforehand; it then treats every assertion as an assumption,
//! which is slower. So an instance begins without cores and is rebuilt from the recorded assertions when the first one is
//! requested.
//!
//! # Limits
//! Bitwuzla does not count its work: a unit of a resource limit is taken as a microsecond of wall time, which is of the
//! order of Z3's unit. Bit-blasting cannot be interrupted; therefore the largest circuits are refused ([`translate`]). The
//! supervisor limits the memory of all threads together.

mod manager;
mod model;
mod termination;
#[cfg(test)]
mod tests;
pub mod text;
mod translate;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use bitwuzla_sys::*;
use rustc_hash::FxHashMap;

use self::manager::{Cores, Instance, Manager};
use self::termination::{Stop, Watch};
use self::translate::Translator;
use super::value_in_model;
use crate::{Answer, CheckLimit, Interrupt, Reason, Solver, SolverConfig, SolverStatistics};
use crate::{Backend, Encoding};
use regatta_base::counters;
use regatta_term::{Arena, Pool, Sort, TermId, Value};

pub use self::manager::version;

/// Bitwuzla over an arena.
pub struct BitwuzlaSolver {
    arena: Rc<Arena>,
    /// Dropped before its manager.
    instance: Instance,
    translator: Translator,
    /// Dropped after everything that it owns.
    manager: Rc<Manager>,
    cores: Cores,
    /// All assertions, oldest first.
    assertions: Vec<BitwuzlaTerm>,
    /// How many assertions there were when each scope was opened.
    scopes: Vec<usize>,
    /// Definitions of the translation that are asserted in open scopes: the scope (ascending) and number of each.
    defined: Vec<(usize, usize)>,
    /// Whether each definition is asserted.
    is_defined: Vec<bool>,
    last: Last,
    watch: Arc<Watch>,
    limit: CheckLimit,
    statistics: SolverStatistics,
    /// A formula could not be asserted, in the scope of this depth: every check until its end is unknown.
    broken: Option<(usize, String)>,
}

/// The result of the last check, as long as nothing is changed.
enum Last {
    Nothing,
    Satisfiable,
    /// The check's assumptions with their translations.
    Unsatisfiable(Vec<(BitwuzlaTerm, TermId)>),
}

impl BitwuzlaSolver {
    /// A solver without assertions.
    pub fn new(arena: Rc<Arena>) -> Self {
        let manager = Rc::new(Manager::new());
        let watch = Arc::new(Watch::default());
        let cores = Cores::Without;
        Self {
            arena,
            instance: Instance::new(&manager, cores, &watch),
            translator: Translator::new(&manager),
            manager,
            cores,
            assertions: Vec::new(),
            scopes: Vec::new(),
            defined: Vec::new(),
            is_defined: Vec::new(),
            last: Last::Nothing,
            watch,
            limit: CheckLimit::default(),
            statistics: SolverStatistics::default(),
            broken: None,
        }
    }

    fn translate(&mut self, term: TermId) -> Result<BitwuzlaTerm, String> {
        self.translator.translate(&*self.arena, term)
    }

    fn break_scope(&mut self, reason: String) {
        self.broken.get_or_insert((self.scopes.len(), reason));
    }

    fn assert_term(&mut self, formula: BitwuzlaTerm) {
        self.assertions.push(formula);
        self.instance.assert(formula);
    }

    /// Asserts the definitions of the translation that are in no open scope. They constrain only the names that they define,
    /// so that any scope will do.
    fn define(&mut self) {
        let count = self.translator.definitions().len();
        self.is_defined.resize(count, false);
        for number in 0..count {
            if !self.is_defined[number] {
                self.is_defined[number] = true;
                self.defined.push((self.scopes.len(), number));
                self.assert_term(self.translator.definitions()[number]);
            }
        }
    }

    /// Rebuilds the instance with the same assertions.
    fn rebuild(&mut self) {
        self.instance = Instance::new(&self.manager, self.cores, &self.watch);
        let mut next = 0;
        for &end in self.scopes.iter().chain([&self.assertions.len()]) {
            for &assertion in &self.assertions[next..end] {
                self.instance.assert(assertion);
            }
            next = end;
            if self.instance.depth() < self.scopes.len() {
                self.instance.push();
            }
        }
    }

    /// Checks whether the assertions and the literals have a model.
    fn search(&mut self, literals: &[BitwuzlaTerm]) -> (BitwuzlaResult, Option<Stop>) {
        let begin = Instant::now();
        self.watch.begin(self.limit);
        let found = counters::query(|| self.instance.check(literals));
        let stop = self.watch.end();
        self.statistics.checks += 1;
        self.statistics.check_time += begin.elapsed();
        self.statistics.translated = self.translator.translated();
        (found, stop)
    }

    fn try_check(&mut self, assumptions: &[TermId]) -> Result<Answer, String> {
        let literals = assumptions
            .iter()
            .map(|&assumption| self.translate(assumption))
            .collect::<Result<Vec<_>, _>>()?;
        if let Some((_, reason)) = &self.broken {
            return Err(reason.clone());
        }
        self.define();
        let (found, stop) = self.search(&literals);
        match (found, stop) {
            (BITWUZLA_SAT, _) => {
                self.last = Last::Satisfiable;
                Ok(Answer::Satisfiable)
            }
            (BITWUZLA_UNSAT, _) => {
                let literals = literals.into_iter().zip(assumptions.iter().copied());
                self.last = Last::Unsatisfiable(literals.collect());
                Ok(Answer::Unsatisfiable)
            }
            (_, Some(Stop::Deadline)) => Ok(Answer::Unknown(Reason::Limit)),
            (_, Some(Stop::Interrupt)) => Ok(Answer::Unknown(Reason::Interrupted)),
            (_, None) => {
                // Bitwuzla gives up by exceptions, which may leave the instance inconsistent.
                self.rebuild();
                Err("Bitwuzla does not know".to_owned())
            }
        }
    }

    /// Returns the assumptions of the last check that are in Bitwuzla's core.
    fn read_core(&self, assumptions: &[(BitwuzlaTerm, TermId)]) -> Option<Vec<TermId>> {
        let core = self.instance.unsat_assumptions()?;
        let mut by_literal = FxHashMap::default();
        for &(literal, assumption) in assumptions {
            by_literal.entry(literal).or_insert(assumption);
        }
        let core = core.iter();
        Some(
            core.filter_map(|literal| by_literal.get(literal).copied())
                .collect(),
        )
    }
}

impl Solver for BitwuzlaSolver {
    fn arena(&self) -> &Rc<Arena> {
        &self.arena
    }

    fn push(&mut self) {
        self.last = Last::Nothing;
        self.scopes.push(self.assertions.len());
        self.instance.push();
    }

    fn pop(&mut self) {
        self.last = Last::Nothing;
        let Some(assertions) = self.scopes.pop() else {
            return;
        };
        self.assertions.truncate(assertions);
        let open = self.scopes.len();
        while let Some((_, number)) = self.defined.pop_if(|(scope, _)| *scope > open) {
            self.is_defined[number] = false;
        }
        if self.broken.as_ref().is_some_and(|(scope, _)| *scope > open) {
            self.broken = None;
        }
        self.instance.pop();
    }

    fn assert(&mut self, formula: TermId) {
        debug_assert_eq!(self.arena.sort(formula), Sort::Bool);
        self.last = Last::Nothing;
        match self.translate(formula) {
            Ok(formula) => self.assert_term(formula),
            Err(reason) => self.break_scope(reason),
        }
    }

    fn check(&mut self, assumptions: &[TermId]) -> Answer {
        self.last = Last::Nothing;
        self.try_check(assumptions)
            .unwrap_or_else(|reason| Answer::Unknown(Reason::Incomplete(reason)))
    }

    fn value(&mut self, term: TermId) -> Option<Value> {
        if !matches!(self.last, Last::Satisfiable) {
            return None;
        }
        // Evaluated by us, from the model's values of variables.
        let known = |symbol, instance| self.translator.known_variable(symbol, instance);
        let value = |variable, sort| self.instance.value(variable, sort);
        value_in_model(&self.arena, term, known, value)
    }

    fn unsat_core(&mut self) -> Vec<TermId> {
        let Last::Unsatisfiable(assumptions) = &self.last else {
            return Vec::new();
        };
        let all = assumptions.clone();
        let mut core = None;
        if self.cores == Cores::Without && all.len() > 1 {
            self.cores = Cores::With;
            self.rebuild();
            let literals: Vec<BitwuzlaTerm> = all.iter().map(|&(literal, _)| literal).collect();
            match self.search(&literals).0 {
                BITWUZLA_UNSAT => core = self.read_core(&all),
                _ => self.rebuild(),
            }
        } else if self.cores == Cores::With {
            core = self.read_core(&all);
        }
        // All assumptions are a core, too.
        core.unwrap_or_else(|| all.into_iter().map(|(_, assumption)| assumption).collect())
    }

    fn set_limit(&mut self, limit: CheckLimit) {
        self.limit = limit;
    }

    fn interrupter(&self) -> Arc<dyn Interrupt> {
        Arc::clone(&self.watch) as Arc<dyn Interrupt>
    }

    fn statistics(&self) -> SolverStatistics {
        self.statistics
    }

    fn for_another_thread(&self) -> SolverConfig {
        SolverConfig {
            backend: Backend::Bitwuzla,
            encoding: Encoding::BitVector,
        }
    }
}
