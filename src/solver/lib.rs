//! SMT solvers behind one trait, and interpolation behind another.
//!
//! An engine holds a `Box<dyn Solver>` over an [`Arena`] of its own and never sees a
//! solver's own types. A solver belongs to one thread; what other threads may do is to interrupt it, late as that may
//! take effect (Z3 was measured to take up to 14 s), so nothing may wait for it.
//!
//! * [`z3`]: every sort, incremental.
//! * `yices` (cargo feature `yices2`): Booleans, bit vectors and arrays, incremental; for one thread at a time.
//! * `bitwuzla` (cargo feature `bitwuzla`): Booleans, bit vectors, arrays and floats, incremental; any number
//!   of them, each for one thread.
//! * [`pair`]: two of them, of which each is asked what the other does not answer.
//! * [`sampled`]: one of them with assignments that are tried before it is asked.
//! * [`remote`]: one of them in another process.
//! * [`integer_encoding`]: bit vectors as integers for a solver that knows these; over-approximates.
//! * [`interpolation`]: interpolants of infeasible sequences of formulas, behind a trait of its own.
//! * [`horn`]: systems of Horn clauses, and [`z3::horn`], which solves them.
//! * [`question`]: questions that are asked once, as text, of Z3 and Bitwuzla.
//! * [`external`]: a program of its own, for a second opinion.
//! * [`new_solver`]: one of them by its name, in an option file for instance.
//! * [`versions`]: of those that are linked.

#[cfg(feature = "bitwuzla")]
pub mod bitwuzla;
#[cfg(test)]
mod comparison;
mod config;
#[cfg(test)]
mod contract;
pub mod external;
pub mod horn;
pub mod integer_encoding;
pub mod interpolation;
pub mod pair;
pub mod question;
pub mod remote;
pub mod sampled;
#[cfg(test)]
mod toolchain;
mod version;
#[cfg(feature = "yices2")]
pub mod yices;
pub mod z3;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use regatta_term::{Arena, TermId, Value};

pub use self::config::{Backend, Encoding, SolverConfig, SolverError, new_solver};
pub use self::version::versions;

/// Whether Bitwuzla is linked (cargo feature `bitwuzla`).
pub const HAS_BITWUZLA: bool = cfg!(feature = "bitwuzla");

/// Whether Yices 2 is linked (cargo feature `yices2`).
pub const HAS_YICES2: bool = cfg!(feature = "yices2");

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// There is a model: [`Solver::value`].
    Satisfiable,
    /// There is none: [`Solver::unsat_core`].
    Unsatisfiable,
    /// It was not found out.
    Unknown(Reason),
}

/// Why a check found nothing out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// Another thread interrupted it.
    Interrupted,
    /// The limit of the check was reached.
    Limit,
    /// The solver cannot decide it, or failed; in its words.
    Incomplete(String),
}

/// Limits of a single check. `None` is without.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckLimit {
    /// The solver's own unit of work, which does not depend on the machine's load.
    pub resource: Option<u32>,
    /// Wall time.
    pub time: Option<Duration>,
}

/// Stops a running check from another thread. The check answers [`Reason::Interrupted`], soon or late; a check that
/// starts later is not affected.
pub trait Interrupt: Send + Sync {
    /// Stops the check that runs now, if any does.
    fn interrupt(&self);
}

/// Work that a solver has done.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct SolverStatistics {
    pub checks: u64,
    /// Wall time in checks, including what the solver makes of new assertions for them.
    pub check_time: Duration,
    pub translated: u64,
}

/// An incremental SMT solver over the terms of an arena (and of the shared store under it).
pub trait Solver {
    /// The pool that the solver's terms live in.
    fn arena(&self) -> &Rc<Arena>;

    /// Opens a scope.
    fn push(&mut self);

    /// Closes the newest scope; its assertions are gone. Without an open scope nothing happens.
    fn pop(&mut self);

    /// Adds a Boolean term to the current scope.
    fn assert(&mut self, formula: TermId);

    /// Whether the assertions and the assumptions (any Boolean terms) have a model.
    fn check(&mut self, assumptions: &[TermId]) -> Answer;

    /// What earlier questions left behind is not needed: for who asks many that have little in common.
    fn forget_questions(&mut self) {}

    /// The value of a term in the model of the last check, if that was satisfiable. Variables that do not matter get
    /// any value. `None` where the solver cannot say it.
    fn value(&mut self, term: TermId) -> Option<Value>;

    /// What [`Self::value`] says of each of the terms. For a solver in another process it is one question.
    fn values(&mut self, terms: &[TermId]) -> Vec<Option<Value>> {
        terms.iter().map(|&term| self.value(term)).collect()
    }

    /// Which of the Boolean terms are known to hold in the model of the last check. For a solver in another process it is one
    /// question.
    fn holding(&mut self, formulas: &[TermId]) -> Vec<bool> {
        let values = self.values(formulas).into_iter();
        values
            .map(|value| value == Some(Value::Bool(true)))
            .collect()
    }

    /// After an unsatisfiable check, some of its assumptions that the assertions contradict together.
    fn unsat_core(&mut self) -> Vec<TermId>;

    /// Limits the checks that follow.
    fn set_limit(&mut self, limit: CheckLimit);

    /// The handle for other threads.
    fn interrupter(&self) -> Arc<dyn Interrupt>;

    /// What it has done so far.
    fn statistics(&self) -> SolverStatistics;

    /// The choice of a solver that does the same work on another thread.
    fn for_another_thread(&self) -> SolverConfig;
}

/// Keeps those whose formulas are known to hold in the model of the last check.
pub fn retain_holding<T>(
    solver: &mut dyn Solver,
    all: &mut Vec<T>,
    formula: impl Fn(&T) -> TermId,
) {
    let formulas: Vec<TermId> = all.iter().map(formula).collect();
    let mut holding = solver.holding(&formulas).into_iter();
    all.retain(|_| holding.next() == Some(true));
}
