//! What engines share, and what an engine and its caller share.
//!
//! # Messages between engines
//! Each kind has a type of its own, so that an engine that confuses them does not compile. A [`Candidate`]
//! is a formula that may be invariant. A [`Proved`] batch is made by a prover, which has shown it to be inductive; the
//! provers are in the crate of the engines. A [`Predicate`] is worth telling apart, and needs no proof. A [`Bounded`] result
//! says that no run reaches certain targets within some steps. A [`ReachedState`] is one of a concrete run. Each engine has an
//! [`Exchange`] for all of them. A store is of one race: over one program, with one set of targets.
//!
//! * [`store`]: proved batches, with versions and publishers; [`exchange`]: an engine's view of the store; [`taken`]: the
//!   invariants that an engine has taken.
//! * [`offers`]: candidates that engines do not prove themselves, for the prover.
//! * [`predicates`]; [`bounded`]; [`reached`].
//!
//! For recursive programs, nothing is shared: invariants are about locations with their calls inlined.
//!
//! # An engine and its caller
//! * [`context`]: the environment in which an engine runs; [`token`]: how it is stopped.
//! * [`progress`]: what it tells while it runs; [`answer`]: what it answers; [`targets`]: the targets that are left, where each is
//!   decided by itself.

mod answer;
mod bounded;
mod context;
mod exchange;
mod offers;
mod predicates;
mod progress;
mod reached;
mod store;
pub mod taken;
mod targets;
#[cfg(test)]
mod tests;
mod token;

pub use answer::Answer;
pub use bounded::Bounded;
pub use context::{Context, SolverFactory};
pub use exchange::{Exchange, Kinds, News};
pub use predicates::Predicate;
pub use progress::{AbstractionStep, Progress};
pub use reached::ReachedState;
pub use store::{BatchId, InvariantStore, Messages, Proved, Snapshot};
pub use targets::OpenTargets;
pub use token::CancellationToken;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use regatta_program::InlinedLocation;
use regatta_term::TermId;

/// A candidate invariant: a formula that may hold whenever a cut point is reached, as a Boolean term of the shared
/// store over the program's variables at instance 0.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// The cut point.
    pub at: InlinedLocation,
    /// The formula.
    pub formula: TermId,
}

impl Candidate {
    /// Returns a candidate for each of the formulas at the cut point.
    pub fn each(
        at: InlinedLocation,
        formulas: impl IntoIterator<Item = TermId>,
    ) -> impl Iterator<Item = Self> {
        let formulas = formulas.into_iter();
        formulas.map(move |formula| Self { at, formula })
    }
}

/// The name of the engine that publishes an invariant.
pub type Publisher = Arc<str>;

/// Formulas by cut point.
pub type ByPlace = FxHashMap<InlinedLocation, Vec<TermId>>;

/// Groups candidates by cut point, without true formulas and duplicates.
pub fn by_place(candidates: impl IntoIterator<Item = Candidate>) -> ByPlace {
    let mut map = ByPlace::default();
    for candidate in candidates {
        if candidate.formula != TermId::TRUE {
            map.entry(candidate.at).or_default().push(candidate.formula);
        }
    }
    for formulas in map.values_mut() {
        formulas.sort_unstable();
        formulas.dedup();
    }
    map
}
