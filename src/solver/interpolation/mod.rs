//! Sequence interpolation: why a path is infeasible, said at each of its states.
//!
//! Of a sequence of formulas φ1 … φn whose conjunction is unsatisfiable, *interpolants* are I0 … In with I0 = true,
//! I(i-1) ∧ φi ⇒ Ii, and In = false, each over the variables of the state between φi and φ(i+1) alone (McMillan: Lazy
//! Abstraction with Interpolants, CAV 2006). Refinement takes its predicates from them.
//!
//! An engine holds a `Box<dyn` [`Interpolator`]`>` and never sees where the interpolants come from. There are two
//! sources, and [`Interpolators`] asks them in the order of its [`InterpolationConfig`]:
//!
//! * [`conditions`]: strongest postconditions and weakest preconditions over the unsatisfiable core of the sequence
//!   (Dietsch, Heizmann, Musa, Nutz, Podelski: Craig vs. Newton in Software Model Checking, ESEC/FSE 2017), with what is
//!   not of the state eliminated by [`project`]. For every theory.
//! * [`horn`]: Z3's SPACER on the clauses I(i-1) ∧ φi → Ii, under a budget.
//!
//! Where a core is idle, the second is at work beside the first ([`beside`]). The steps before and after are the same for
//! both: the sequence is shrunk to its [`core`], and what a source answers is
//! [weakened](definition::weaken) where it says more than is needed and checked against the definition. An answer
//! that fails the check is dropped and counted. [`path_constants`] tells what describes a single path from what describes
//! many.

mod beside;
pub mod conditions;
mod config;
mod core;
mod definition;
mod front;
pub mod horn;
mod implicant;
mod model_based;
mod project;
mod quality;
mod queries;
#[cfg(test)]
mod random_sequences;
mod solve;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::{CheckLimit, Interrupt, Reason};
use regatta_term::{Arena, TermId, Value};

pub use self::config::{Choice, InterpolationConfig, SourceName};
pub use self::front::{Interpolators, new_interpolator};
pub use self::quality::{Quality, known_constants, path_constants, path_constants_of};

/// What is to be interpolated. Terms are the arena's (or the store's).
#[derive(Copy, Clone, Debug)]
pub struct Sequence<'s> {
    /// φ1 … φn; n is at least 1.
    pub formulas: &'s [TermId],
    /// For each of the n - 1 places between two formulas the variables (as terms) of the state there. A variable that
    /// occurs on both sides of a place should be among them.
    pub cuts: &'s [Vec<TermId>],
}

/// What came of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// I1 … I(n-1), checked against the definition.
    Interpolants(Vec<TermId>),
    /// The conjunction has a model: [`Interpolator::value`].
    Satisfiable,
    /// Neither was found. With [`Reason::Incomplete`], the conjunction may be known to be unsatisfiable.
    Unknown(Reason),
}

pub trait Interpolator {
    /// The pool that the terms live in.
    fn arena(&self) -> &Rc<Arena>;

    /// Interpolants of the sequence.
    ///
    /// # Panics
    /// If the numbers of formulas and cuts do not fit together.
    fn interpolate(&mut self, sequence: Sequence<'_>) -> Interpolation;

    /// The value of a term in the model of the last sequence, if that was satisfiable.
    fn value(&mut self, term: TermId) -> Option<Value>;

    /// Limits the calls of [`Interpolator::interpolate`] that follow: their wall time each, and the solver's resource in
    /// each of the checks that they consist of.
    fn set_limit(&mut self, limit: CheckLimit);

    /// The handle for other threads: the call that runs now answers [`Reason::Interrupted`], soon or late.
    fn interrupter(&self) -> Arc<dyn Interrupt>;

    /// What it has done so far.
    fn statistics(&self) -> InterpolationStatistics;
}

/// What a source has done.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceStatistics {
    /// Sequences that it was asked about.
    pub asked: u64,
    /// Those to which it answered with what passed the check.
    pub answered: u64,
    /// Those of which its interpolants were given out.
    pub won: u64,
    /// Answers that the check refused.
    pub refused: u64,
    /// Wall time, without the check.
    pub time: Duration,
}

/// What an interpolator has done.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct InterpolationStatistics {
    pub sequences: u64,
    /// Those that were satisfiable.
    pub satisfiable: u64,
    /// Those that neither got interpolants nor a model.
    pub unknown: u64,
    /// Wall time of all of it.
    pub time: Duration,
    /// Wall time to show unsatisfiability and to make the core small.
    pub core_time: Duration,
    /// Wall time to weaken and check what the sources answered.
    pub check_time: Duration,
    /// The source [`SourceName::Conditions`].
    pub conditions: SourceStatistics,
    /// The source [`SourceName::Horn`].
    pub horn: SourceStatistics,
}
