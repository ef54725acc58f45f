//! Invariants that analyses share: guesses, their proofs, and the store of what is proved.
//!
//! There are two channels with two types (an engine that mixes them up does not compile): a [`Candidate`] is a formula
//! that somebody believes in; a [`Proved`] batch can only be made by a prover, which has shown it to be inductive:
//! [`houdini`], [`states`], and k-induction ([`super::k_induction`]), which needs unrollings and so has its prover with it. Each analysis has its [`Exchange`] with both.
//!
//! # Who publishes for whom
//! Everybody's invariants reach everybody: there is one store, and what is taken from it ([`taken`]) does not tell whose it
//! is. Each cell of the table has a test (`analysis/exchange_table.rs`).
//!
//! | publishes | how | takes | when, and what for |
//! |---|---|---|---|
//! | data flow: fixpoints, guesses, cells of arrays, combinations of values | proves them itself: what refutes one guess makes the next | data flow | each fixpoint starts from what is known |
//! | KIPDR: obligations | proves them itself: the next counterexample depends on it; those that it gives up are offered | k-induction and KIPDR, base case | where the model of an alarm breaks some |
//! | CTIGAR: clauses of the last frame | proves them itself, for the infinite frame; the others are offered | k-induction and KIPDR, step case | at each model that breaks some |
//! | predicate abstraction: predicates, abstract states | offers | BMC | where the model of an alarm breaks some |
//! | IMPACT: interpolants, abstract states | offers | predicate abstraction, IMPACT | at each refinement, as part of each abstraction |
//! | SPACER: lemmas without counters | offers | CTIGAR | at each obligation, for all frames |
//! | | | SPACER | as part of the clauses: Z3's engine cannot be told more, so it begins again, each time after four times as long |
//! | | | Horn clauses | as part of the clauses, each time that they are asked |
//!
//! Simulation and exhaustive exploration have no invariants and no use for them. Of recursive programs nothing is shared:
//! invariants are about places with their calls inlined.
//!
//! # Modules
//! * [`samples`]: states of concrete runs, which refute candidates for nothing and suggest others.
//! * [`views`](mod@views): cells of arrays by what the program indexes them with.
//! * [`guess`]: candidates from samples, round by round more of them.
//! * [`houdini`]: the largest inductive subset of candidates, over [`crate::entailment`].
//! * [`states`]: which combinations of values there are; [`features`]: of what; [`tuples`]: as formulas.
//! * [`store`](mod@store): proved batches, with versions and with whose they are; [`exchange`]: an analysis's view of it;
//!   [`taken`]: what it takes.
//! * [`mod@asserted`]: candidates from the program's assertions.
//! * [`offers`]: formulas that analyses do not prove themselves; [`prover`]: who does.

mod asserted;
mod contents;
pub mod exchange;
mod features;
pub mod guess;
pub mod houdini;
mod offers;
pub mod prover;
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

use crate::program::InlinedLocation;
use crate::term::TermId;

/// A formula that may hold whenever a cut point is reached: a Boolean term of the shared store over the program's
/// variables at instance 0.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// The cut point.
    pub at: InlinedLocation,
    /// What may hold there.
    pub formula: TermId,
}

impl Candidate {
    /// Each of the formulas at the cut point.
    pub fn each(
        at: InlinedLocation,
        formulas: impl IntoIterator<Item = TermId>,
    ) -> impl Iterator<Item = Self> {
        let formulas = formulas.into_iter();
        formulas.map(move |formula| Self { at, formula })
    }
}

/// The name of an analysis, for what it publishes.
pub type Publisher = Arc<str>;

/// Formulas by cut point.
pub type ByPlace = FxHashMap<InlinedLocation, Vec<TermId>>;

/// The candidates by cut point, without what is trivial or there twice.
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
