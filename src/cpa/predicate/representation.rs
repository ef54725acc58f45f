//! Representations of abstraction formulas that refinements can change (\[BDW18\], Table 1, first column): decision diagrams
//! over predicates ([`super::boolean`]) or terms ([`super::syntactic`]). Each goes with each refinement, with each abstraction,
//! and with forced covering.

use std::rc::Rc;

use super::abstraction::Abstraction;
use super::precision::{Precision, PredicateId};
use super::regions::TooLarge;
use crate::location::Place;
use regatta_program::InlinedLocation;
use regatta_term::TermId;

/// What refinements and forced covering need of abstraction formulas. All terms are of the shared store.
pub trait Representation: Abstraction<Precision = Rc<Precision>> {
    /// Returns the number of a predicate, which is added unless it is known.
    ///
    /// # Errors
    /// When there is no room for it.
    fn predicate(&mut self, term: TermId) -> Result<PredicateId, TooLarge>;

    /// Returns the predicate as a term.
    fn term_of(&self, predicate: PredicateId) -> TermId;

    /// Returns the formula as a term.
    fn term(&self, formula: &Self::Formula) -> TermId;

    /// Checks whether the formula is true as it is written.
    fn is_top(&self, formula: &Self::Formula) -> bool;

    /// Returns the conjunction of the formula and a term; `None` if the formula implies the term at the place.
    fn strengthened(
        &mut self,
        formula: &Self::Formula,
        by: TermId,
        at: Place,
    ) -> Option<Self::Formula>;

    /// Adds a proved invariant: a conjunct of each abstraction formula there.
    fn assume(&mut self, at: InlinedLocation, invariant: TermId);

    /// Returns the invariants of a location.
    fn invariants_at(&self, at: InlinedLocation) -> Vec<TermId>;

    /// Returns the reason why it cannot continue, if any.
    fn failure(&self) -> Option<String>;

    /// Makes abstractions more precise with the same predicates; returns whether that is possible.
    fn refine_limits(&mut self) -> bool {
        false
    }

    /// Returns whether states are covered by the union of all others.
    fn covers_by_union(&self) -> bool {
        false
    }

    /// Sets that union at a location, after some states have been removed.
    ///
    /// # Errors
    /// When the diagrams are too large.
    fn set_union(&mut self, _: InlinedLocation, _: &[&Self::Formula]) -> Result<(), TooLarge> {
        Ok(())
    }
}
