//! Sequence interpolation: the reason for a path's infeasibility at each of its states.
//!
//! Of a sequence of formulas φ1 … φn whose conjunction is unsatisfiable, *interpolants* are I0 … In with I0 = true,
//! I(i-1) ∧ φi ⇒ Ii, and In = false, each over the variables of the state between φi and φ(i+1) alone (\[McM06\]).
//! Refinement takes its predicates from them.
//!
//! An engine holds a `Box<dyn` [`Interpolator`]`>`. There are two sources of interpolants, which [`Interpolators`] asks in
//! the order of its [`InterpolationConfig`]:
//!
//! * [`conditions`]: strongest postconditions and weakest preconditions over the unsatisfiable core of the sequence
//!   (\[DHM+17\]), with variables
//!   outside the state eliminated by [`projection`]. For every theory.
//! * [`horn`]: Z3's SPACER on the clauses I(i-1) ∧ φi → Ii, with a time limit.
//!
//! If a processor core is idle, the second source runs in parallel to the first ([`sources::beside`]). Both start from the
//! unsatisfiable [`core`] of the sequence. A source's answer is [weakened](definition::weaken) where it is stronger than
//! needed and checked against the definition; an answer that fails the check is dropped and counted. [`quality::path_constants`]
//! counts constants that describe only a single path.

mod config;
mod core;
mod definition;
mod front;
mod limits;
mod projection;
mod quality;
mod queries;
mod sources;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::{CheckLimit, Interrupt, Reason};
use regatta_term::{Arena, TermId, Value};

pub use self::config::{Choice, InterpolationConfig, SourceName};
pub use self::front::{Interpolators, new_interpolator};
pub use self::quality::{Quality, path_constants_of};
pub use self::sources::{conditions, horn};

/// A sequence to be interpolated, with terms of the arena (or of the shared store).
#[derive(Copy, Clone, Debug)]
pub struct Sequence<'s> {
    /// φ1 … φn; n is at least 1.
    pub formulas: &'s [TermId],
    /// For each of the n - 1 cuts between two formulas the variables (as terms) of the state there. A variable that occurs
    /// on both sides of a cut should be among them.
    pub cuts: &'s [Vec<TermId>],
}

/// The result for a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// I1 … I(n-1), checked against the definition.
    Interpolants(Vec<TermId>),
    /// The conjunction has a model: [`Interpolator::value`].
    Satisfiable,
    /// Neither was found. With [`Reason::Incomplete`], the conjunction may be known to be unsatisfiable.
    Unknown(Reason),
}

/// A procedure for sequence interpolation.
pub trait Interpolator {
    /// The pool of the terms.
    fn arena(&self) -> &Rc<Arena>;

    /// Computes interpolants of the sequence.
    ///
    /// # Panics
    /// If the numbers of formulas and cuts do not fit together.
    fn interpolate(&mut self, sequence: Sequence<'_>) -> Interpolation;

    /// The value of a term in the model of the last sequence, if that was satisfiable.
    fn value(&mut self, term: TermId) -> Option<Value>;

    /// Limits later calls of [`Interpolator::interpolate`]: the wall time of each call, and the solver's resource in each of
    /// its checks.
    fn set_limit(&mut self, limit: CheckLimit);

    /// The handle by which other threads interrupt the running call, which then answers [`Reason::Interrupted`], possibly
    /// with a delay.
    fn interrupter(&self) -> Arc<dyn Interrupt>;

    /// The work done so far.
    fn statistics(&self) -> InterpolationStatistics;
}

/// Statistics of a source.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceStatistics {
    /// Number of sequences that the source was asked about.
    pub asked: u64,
    /// Number of sequences with an answer that passed the check.
    pub answered: u64,
    /// Number of sequences whose interpolants were taken from the source.
    pub won: u64,
    /// Number of answers that failed the check.
    pub refused: u64,
    /// Wall time, without the check.
    pub time: Duration,
}

/// Statistics of an interpolator.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct InterpolationStatistics {
    pub sequences: u64,
    /// Number of satisfiable sequences.
    pub satisfiable: u64,
    /// Number of sequences with neither interpolants nor a model.
    pub unknown: u64,
    /// Wall time of all calls.
    pub time: Duration,
    /// Wall time of showing unsatisfiability and minimising the core.
    pub core_time: Duration,
    /// Wall time of weakening and checking the sources' answers.
    pub check_time: Duration,
    /// The source [`SourceName::Conditions`].
    pub conditions: SourceStatistics,
    /// The source [`SourceName::Horn`].
    pub horn: SourceStatistics,
}
