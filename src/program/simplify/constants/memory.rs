//! A memory of evaluations.
//!
//! A location is visited many times, mostly because variables have changed that its edges do not read. What a term evaluates to
//! depends on the values of its variables alone, so that each evaluation is done once for the same values.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::cfa::VariableId;
use crate::simplify::limits::MAXIMUM_REMEMBERED_EVALUATIONS;
use crate::simplify::range::{Abstract, Bounds};
use regatta_term::TermId;

/// A term with the abstract values of its variables, in the order of the variables in
/// [`VariableUse`](crate::variables::VariableUse).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Known {
    term: TermId,
    values: SmallVec<[Option<Abstract>; 2]>,
}

impl Known {
    pub fn new(term: TermId, values: impl Iterator<Item = Option<Abstract>>) -> Self {
        Self {
            term,
            values: values.collect(),
        }
    }
}

/// What an assumed condition says in a state.
#[derive(Clone, Debug)]
pub(super) enum Assumption {
    /// It cannot hold.
    Never,
    /// It always holds.
    Always,
    /// It may hold, and then the variables have these values.
    Sometimes(Rc<[(VariableId, Abstract)]>),
}

/// The results of evaluations of one program's terms.
#[derive(Debug, Default)]
pub(super) struct Memory {
    simplified: Table<(TermId, Option<Bounds>)>,
    values: Table<Option<Abstract>>,
    assumptions: Table<Assumption>,
}

type Table<V> = FxHashMap<Known, V>;

impl Memory {
    /// The simplified term, and its range if that was computed.
    pub fn simplified(&self, known: &Known) -> Option<(TermId, Option<Bounds>)> {
        self.simplified.get(known).copied()
    }

    pub fn set_simplified(&mut self, known: Known, result: (TermId, Option<Bounds>)) {
        insert(&mut self.simplified, known, result);
    }

    /// The term's abstract value.
    pub fn value(&self, known: &Known) -> Option<Option<Abstract>> {
        self.values.get(known).copied()
    }

    pub fn set_value(&mut self, known: Known, value: Option<Abstract>) {
        insert(&mut self.values, known, value);
    }

    /// What the term says as an assumed condition.
    pub fn assumption(&self, known: &Known) -> Option<Assumption> {
        self.assumptions.get(known).cloned()
    }

    pub fn set_assumption(&mut self, known: Known, assumption: Assumption) {
        insert(&mut self.assumptions, known, assumption);
    }
}

/// Inserts a result; a table that is full begins anew.
fn insert<V>(table: &mut Table<V>, known: Known, value: V) {
    if table.len() >= MAXIMUM_REMEMBERED_EVALUATIONS {
        table.clear();
    }
    table.insert(known, value);
}
