//! Predicates and precisions (\[BDW18\], section 3.1.6).

use rustc_hash::{FxHashMap, FxHashSet};

use regatta_program::InlinedLocation;
use regatta_term::TermId;

/// The number of a predicate.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u32);

/// The predicates of an analysis, numbered in the order of their discovery: Boolean terms of the shared store over state
/// variables at instance 0.
#[derive(Clone, Debug, Default)]
pub struct Predicates {
    terms: Vec<TermId>,
    ids: FxHashMap<TermId, PredicateId>,
}

impl Predicates {
    /// Returns the number of the predicate that the term is, if it is one.
    pub fn known(&self, term: TermId) -> Option<PredicateId> {
        self.ids.get(&term).copied()
    }

    /// Adds the predicate, unless it is known, and returns its number.
    pub fn add(&mut self, term: TermId) -> PredicateId {
        *self.ids.entry(term).or_insert_with(|| {
            self.terms.push(term);
            PredicateId(self.terms.len() as u32 - 1)
        })
    }

    /// Returns the predicate as a term.
    pub fn term_of(&self, predicate: PredicateId) -> TermId {
        self.terms[predicate.0 as usize]
    }
}

/// A precision: the predicates at each location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Precision {
    by_place: FxHashMap<InlinedLocation, Vec<PredicateId>>,
    /// The locations with the predicate `false`, at which it is checked whether a block can be executed.
    checked: FxHashSet<InlinedLocation>,
}

impl Precision {
    /// Adds a predicate; returns whether it is new.
    pub fn add(&mut self, at: InlinedLocation, predicate: PredicateId) -> bool {
        let list = self.by_place.entry(at).or_default();
        match list.binary_search(&predicate) {
            Ok(_) => false,
            Err(index) => {
                list.insert(index, predicate);
                true
            }
        }
    }

    /// Adds the predicate `false`; returns whether it is new.
    pub fn add_false(&mut self, at: InlinedLocation) -> bool {
        self.checked.insert(at)
    }

    /// Checks whether abstractions with this precision may differ from those with the other at the location.
    pub fn differs_at(&self, at: InlinedLocation, other: &Self) -> bool {
        self.at(at) != other.at(at) || self.checked.contains(&at) != other.checked.contains(&at)
    }

    /// Checks whether every abstraction at the location is true: there is no predicate, not even `false`.
    pub(super) fn is_empty_at(&self, at: InlinedLocation) -> bool {
        self.at(at).is_empty() && !self.checked.contains(&at)
    }

    /// Adds the predicates of the other precision.
    pub fn join(&mut self, other: &Self) {
        for (at, predicates) in other.places() {
            for &predicate in predicates {
                self.add(at, predicate);
            }
        }
        self.checked.extend(&other.checked);
    }

    /// Returns the predicates at the location, sorted.
    pub fn at(&self, at: InlinedLocation) -> &[PredicateId] {
        self.by_place.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Returns the locations with predicates.
    pub fn places(&self) -> impl Iterator<Item = (InlinedLocation, &[PredicateId])> {
        self.by_place
            .iter()
            .map(|(&at, list)| (at, list.as_slice()))
    }
}
