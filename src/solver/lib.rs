//! SMT solvers behind one trait, and interpolation behind another.
//!
//! An engine holds a `Box<dyn Solver>` over an [`Arena`] of its own and never sees a solver's own types. A solver belongs
//! to one thread. Other threads may only interrupt it. An interruption can take effect late (up to 14 s were measured
//! for Z3), so that nothing may wait for it.
//!
//! * [`z3`]: every sort, incremental.
//! * `yices` (cargo feature `yices2`): Booleans, bit vectors and arrays, incremental; for one thread at a time.
//! * `bitwuzla` (cargo feature `bitwuzla`): Booleans, bit vectors, arrays and floats, incremental; any number
//!   of instances, each for one thread.
//! * [`pair`]: two solvers; a question that one leaves open is put to the other.
//! * [`sampled`]: a solver with variable assignments that are tried first.
//! * [`remote`]: a solver in another process.
//! * [`integer_encoding`]: bit vectors as integers for a solver with integer arithmetic; over-approximates.
//! * [`interpolation`]: interpolants of infeasible sequences of formulas, behind a trait of its own.
//! * [`horn`]: systems of Horn clauses; [`z3::horn`] solves them.
//! * [`question`]: single questions as SMT-LIB text, for Z3 and Bitwuzla.
//! * [`external`]: a solver that is a separate program, for a second opinion.
//! * [`linear_bits`]: merges terms of a question that are the same linear function of bits.
//! * [`sweeping`]: merges terms of a hard question that are equal.
//! * [`new_solver`]: makes the solver of a [`SolverConfig`].
//! * [`versions`]: versions of the linked solvers.

mod backends;
mod combinations;
mod config;
pub mod horn;
pub mod interpolation;
mod limits;
pub mod linear_bits;
pub mod question;
pub mod sweeping;
#[cfg(test)]
mod unit_tests;
mod version;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use regatta_term::{Arena, TermId, Value};

#[cfg(feature = "bitwuzla")]
pub(crate) use self::backends::bitwuzla;
#[cfg(feature = "yices2")]
pub(crate) use self::backends::yices;
pub use self::backends::{external, z3};
pub use self::combinations::{integer_encoding, pair, remote, sampled};
pub use self::config::{Backend, Encoding, SolverConfig, SolverError, new_solver};
pub use self::version::versions;

/// Whether Bitwuzla is linked (cargo feature `bitwuzla`).
pub const HAS_BITWUZLA: bool = cfg!(feature = "bitwuzla");

/// Whether Yices 2 is linked (cargo feature `yices2`).
pub const HAS_YICES2: bool = cfg!(feature = "yices2");

/// The result of a satisfiability check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// There is a model: [`Solver::value`].
    Satisfiable,
    /// There is no model: [`Solver::unsat_core`].
    Unsatisfiable,
    /// The check was not decided.
    Unknown(Reason),
}

/// Why a check was not decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Reason {
    /// Another thread interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// The limit of the check was reached.
    #[error("the limit of the check is reached")]
    Limit,
    /// The solver cannot decide it, or failed; in its words.
    #[error("{0}")]
    Incomplete(String),
}

/// Limits of a single check; `None` means unlimited.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckLimit {
    /// The solver's own unit of work, which does not depend on the machine's load.
    pub resource: Option<u32>,
    /// Wall time.
    pub time: Option<Duration>,
}

/// Stops a running check from another thread. The check then answers [`Reason::Interrupted`], possibly with a delay; a
/// check that starts later is not affected.
pub trait Interrupt: Send + Sync {
    /// Stops the running check, if there is one.
    fn interrupt(&self);
}

/// Work that a solver has done.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct SolverStatistics {
    pub checks: u64,
    /// Wall time in checks, including the preparation of new assertions.
    pub check_time: Duration,
    /// Number of translated terms.
    pub translated: u64,
}

/// An incremental SMT solver over the terms of an arena (and of the shared store under it).
pub trait Solver {
    /// The pool of the solver's terms.
    fn arena(&self) -> &Rc<Arena>;

    /// Opens a scope.
    fn push(&mut self);

    /// Closes the newest scope and retracts its assertions. Has no effect without an open scope.
    fn pop(&mut self);

    /// Adds a Boolean term to the current scope.
    fn assert(&mut self, formula: TermId);

    /// Checks whether the assertions and the assumptions (any Boolean terms) have a model.
    fn check(&mut self, assumptions: &[TermId]) -> Answer;

    /// Drops what the solver learned in earlier checks, for a caller whose checks have little in common.
    fn forget_questions(&mut self) {}

    /// Returns the value of a term in the model of the last check, if that was satisfiable. Irrelevant variables get
    /// any value. `None` if the solver cannot evaluate the term.
    fn value(&mut self, term: TermId) -> Option<Value>;

    /// Returns [`Self::value`] of each term; one round trip for a solver in another process.
    fn values(&mut self, terms: &[TermId]) -> Vec<Option<Value>> {
        terms.iter().map(|&term| self.value(term)).collect()
    }

    /// Tells for each Boolean term whether it is known to hold in the model of the last check; one round trip for a
    /// solver in another process.
    fn holding(&mut self, formulas: &[TermId]) -> Vec<bool> {
        let values = self.values(formulas).into_iter();
        values
            .map(|value| value == Some(Value::Bool(true)))
            .collect()
    }

    /// Returns an unsat core of the last check, if that was unsatisfiable: assumptions that contradict the assertions.
    fn unsat_core(&mut self) -> Vec<TermId>;

    /// Limits the checks that follow.
    fn set_limit(&mut self, limit: CheckLimit);

    /// The handle by which other threads interrupt checks.
    fn interrupter(&self) -> Arc<dyn Interrupt>;

    /// The work done so far.
    fn statistics(&self) -> SolverStatistics;

    /// The configuration of a solver that can do the same work on another thread.
    fn for_another_thread(&self) -> SolverConfig;
}

/// Keeps the elements whose formulas are known to hold in the model of the last check.
pub fn retain_holding<T>(
    solver: &mut dyn Solver,
    all: &mut Vec<T>,
    formula: impl Fn(&T) -> TermId,
) {
    let formulas: Vec<TermId> = all.iter().map(formula).collect();
    let mut holding = solver.holding(&formulas).into_iter();
    all.retain(|_| holding.next() == Some(true));
}
