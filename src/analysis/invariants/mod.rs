//! Invariants that analyses share: guesses, their proofs, and the store of what is proved.
//!
//! There are two channels with two types (an engine that mixes them up does not compile): a [`Candidate`] is a formula
//! that somebody believes in; a [`Proved`] batch can only be made by [`houdini`] and [`k_inductive`], which have shown it
//! to be inductive.
//!
//! * [`samples`]: states of concrete runs, which refute candidates for nothing and suggest others.
//! * [`guess`]: candidates from samples, round by round more of them.
//! * [`houdini`]: the largest inductive subset of candidates, over [`crate::entailment`].
//! * [`states`]: which combinations of values there are; [`features`]: of what; [`tuples`]: as formulas.
//! * [`k_inductive`]: candidates proved by k-induction.
//! * [`store`](mod@store): proved batches, with versions and with who proved them from what.

mod features;
pub mod guess;
pub mod houdini;
pub mod k_inductive;
pub mod samples;
pub mod states;
pub mod store;
#[cfg(test)]
mod tests;
mod tuples;

pub use store::{BatchId, InvariantStore, Proved, Snapshot};

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
