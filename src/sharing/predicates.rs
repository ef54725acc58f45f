//! Predicates: formulas at cut points that an analysis has found worth telling apart. They need no proof.
//!
//! A predicate is sent to each analysis once. Those that are used are counted; one that has been sent several times and that
//! nobody has used is not sent again.

use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use super::Publisher;
use regatta_certify::certificate::quantified;
use regatta_program::InlinedLocation;
use regatta_term::{Op, Pool, TermId, TermKind, size, store};

/// Maximum number of predicates of a cut point, and of all.
const MAXIMUM_PREDICATES_PER_PLACE: usize = 60;
const MAXIMUM_PREDICATES: usize = 2_000;

/// Maximum size of a predicate (subterms).
const MAXIMUM_SIZE: usize = 40;

/// The number of analyses to which a predicate is sent although nobody has used it.
const UNUSED_SENDS: u32 = 3;

/// A formula at a cut point that may be true or false there, as a Boolean term of the shared store over the program's
/// variables at instance 0. Other than a [`Candidate`](super::Candidate), it is not expected to be invariant.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    at: InlinedLocation,
    formula: TermId,
}

impl Predicate {
    /// Makes a predicate; a negation and what it negates are the same one.
    pub fn new(at: InlinedLocation, formula: TermId) -> Self {
        let formula = match store().kind(formula) {
            TermKind::Apply {
                op: Op::Not,
                arguments,
            } => arguments[0],
            _ => formula,
        };
        Self { at, formula }
    }

    /// The cut point.
    pub fn at(&self) -> InlinedLocation {
        self.at
    }

    /// The formula.
    pub fn formula(&self) -> TermId {
        self.formula
    }
}

/// The predicates that the engines of a race share.
#[derive(Debug, Default)]
pub(super) struct Predicates {
    state: RwLock<State>,
}

#[derive(Debug, Default)]
struct State {
    all: Vec<Entry>,
    numbers: FxHashMap<Predicate, usize>,
    per_place: FxHashMap<InlinedLocation, usize>,
}

#[derive(Debug)]
struct Entry {
    predicate: Predicate,
    publisher: Publisher,
    /// The number of times that it was sent, and used.
    sent: u32,
    used: u32,
}

impl Predicates {
    /// Adds predicates of an engine, as far as there is room.
    pub fn add(&self, publisher: &Publisher, predicates: impl IntoIterator<Item = Predicate>) {
        let mut state = self.state.write();
        for predicate in predicates {
            let formula = predicate.formula;
            let is_trivial = matches!(store().kind(formula), TermKind::Constant(_));
            if is_trivial
                || quantified(formula).is_some()
                || state.numbers.contains_key(&predicate)
                || state.all.len() >= MAXIMUM_PREDICATES
                || size(store(), formula) > MAXIMUM_SIZE
            {
                continue;
            }
            let here = state.per_place.entry(predicate.at).or_default();
            if *here >= MAXIMUM_PREDICATES_PER_PLACE {
                continue;
            }
            *here += 1;
            let number = state.all.len();
            state.numbers.insert(predicate, number);
            state.all.push(Entry {
                predicate,
                publisher: Publisher::clone(publisher),
                sent: 0,
                used: 0,
            });
        }
    }

    /// Returns predicates that other engines have given: those with the number `from` and above, without those that were sent
    /// several times and never used. Sets `from` to the number of the next predicate that will be added.
    pub fn send(&self, reader: &Publisher, from: &mut usize) -> Vec<Predicate> {
        if *from == self.state.read().all.len() {
            return Vec::new();
        }
        let mut state = self.state.write();
        let begin = std::mem::replace(from, state.all.len());
        let mut sent = Vec::new();
        for entry in &mut state.all[begin..] {
            if entry.publisher != *reader && (entry.used > 0 || entry.sent < UNUSED_SENDS) {
                entry.sent += 1;
                sent.push(entry.predicate);
            }
        }
        sent
    }

    /// Notes that an engine has used predicates, of which those that are not in the store are passed over.
    pub fn use_all(
        &self,
        reader: &Publisher,
        predicates: impl IntoIterator<Item = Predicate>,
    ) -> u64 {
        let mut state = self.state.write();
        let mut number = 0;
        for predicate in predicates {
            if let Some(&index) = state.numbers.get(&predicate)
                && state.all[index].publisher != *reader
            {
                state.all[index].used += 1;
                number += 1;
            }
        }
        number
    }

    /// The number of predicates, and of those that were used by others than their publishers.
    pub fn count(&self) -> (usize, usize) {
        let state = self.state.read();
        let used = state.all.iter().filter(|entry| entry.used > 0).count();
        (state.all.len(), used)
    }
}
