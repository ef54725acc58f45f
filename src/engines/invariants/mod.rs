//! Invariants that engines share: candidates, their proofs, and the store of what is proved.
//!
//! There are two kinds of data with two types, so that an engine that confuses them does not compile. A [`Candidate`]
//! is a formula that may be invariant. A [`Proved`] batch can only be made by a prover, which has shown it to be
//! inductive: [`houdini`], [`states`], and k-induction ([`super::k_induction`]), whose prover is part of the engine
//! because it needs unrollings. Each engine has an [`Exchange`] for both.
//!
//! # Publishers and consumers
//! The invariants of every engine reach all engines: there is one store, and consumers ([`taken`]) do not distinguish
//! publishers. Each pair of a publisher and a consumer has a test (`engines/exchange_table.rs`).
//!
//! * Data flow (fixpoints, guesses), `fits` (cells of arrays), `polynomials`, `objects` and `states` (combinations of values)
//!   prove their invariants themselves, since the models that refute one guess suggest the next. Each fixpoint of data flow
//!   assumes the known invariants.
//! * KIPDR proves its obligations itself, since the next counterexample depends on them; it offers those that it gives up.
//! * CTIGAR proves the clauses of its last frame itself, for the infinite frame, and offers the others. It takes
//!   invariants at each obligation, for all frames.
//! * Predicate abstraction and IMPACT offer their predicates, interpolants and abstract states. They take invariants at each
//!   refinement, as part of each abstraction.
//! * SPACER offers lemmas without counters. It takes invariants as part of the clauses: Z3's engine takes no more while it
//!   runs, so it starts again, each time after four times as long.
//! * The Horn engine takes invariants as part of the clauses, at each query.
//! * k-induction and KIPDR take invariants in the step case when a model violates them; like BMC, they take them in the
//!   base case when the model of an alarm violates them.
//!
//! Simulation and exhaustive exploration neither have nor use invariants. For recursive programs, nothing is shared:
//! invariants are about locations with their calls inlined.
//!
//! # Modules
//! * [`samples`]: states of concrete runs, which refute candidates without a solver and suggest others.
//! * [`views`](mod@views): cells of arrays by the numbers that the program computes their indices from.
//! * [`guess`]: candidates from samples, more of them with each round.
//! * [`rounds`]: rounds of candidates, the frame of the engines that generate invariants.
//! * [`houdini`]: the largest inductive subset of candidates, over [`regatta_entailment`].
//! * [`states`]: the reachable values of [`features`] that have few, and formulas for such sets ([`tuples`]).
//! * [`store`](mod@store): proved batches, with versions and publishers; [`exchange`]: an engine's view of the store;
//!   [`taken`]: the invariants that an engine has taken.
//! * [`mod@asserted`]: candidates from the program's assertions.
//! * [`offers`]: candidates that engines do not prove themselves; [`prover`]: the prover of these.

mod asserted;
mod contents;
pub mod exchange;
mod features;
pub mod guess;
pub mod houdini;
mod offers;
pub mod prover;
pub mod rounds;
pub mod samples;
pub mod states;
pub mod store;
pub mod taken;
#[cfg(test)]
mod tests;
mod tuples;
pub mod views;

pub use asserted::asserted;
pub use exchange::Exchange;
pub use store::{BatchId, InvariantStore, Proved, Snapshot};

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
