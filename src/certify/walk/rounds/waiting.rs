//! The work list of [`super`].

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

use smallvec::SmallVec;

use super::{Caller, Round};
use crate::lowered::call_strings::CallStringId;
use crate::walk::State;
use regatta_program::LocationId;

/// The key of the execution order: loops and rounds, call string, location.
pub(super) type Turn = (SmallVec<[u32; 16]>, CallStringId, LocationId);

/// States that wait at a node.
pub(super) struct Waiting {
    pub rounds: Vec<Round>,
    pub caller: Option<Rc<Caller>>,
    pub states: Vec<State>,
}

pub(super) enum WaitingList {
    /// States in the execution order, grouped by their keys for merging.
    Merged(BTreeMap<Turn, Waiting>),
    /// Separate states, the latest first.
    Apart(Vec<(Turn, Waiting)>),
}

impl WaitingList {
    pub fn new(merge: bool) -> Self {
        match merge {
            true => Self::Merged(BTreeMap::new()),
            false => Self::Apart(Vec::new()),
        }
    }

    pub fn add(&mut self, turn: Turn, waiting: Waiting) {
        match self {
            Self::Merged(map) => match map.entry(turn) {
                Entry::Occupied(mut known) => known.get_mut().states.extend(waiting.states),
                Entry::Vacant(place) => {
                    place.insert(waiting);
                }
            },
            Self::Apart(list) => list.push((turn, waiting)),
        }
    }

    pub fn pop(&mut self) -> Option<(Turn, Waiting)> {
        match self {
            Self::Merged(map) => map.pop_first(),
            Self::Apart(list) => list.pop(),
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Self::Merged(map) => map.is_empty(),
            Self::Apart(list) => list.is_empty(),
        }
    }

    /// The waiting states, if states are merged.
    pub fn states_mut(&mut self) -> Box<dyn Iterator<Item = &mut State> + '_> {
        match self {
            Self::Merged(map) => Box::new(map.values_mut().flat_map(|one| &mut one.states)),
            Self::Apart(_) => Box::new(std::iter::empty()),
        }
    }
}
