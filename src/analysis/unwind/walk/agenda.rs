//! What is still to be walked, and the names of what is new on the way.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Frame, Rounds, State};
use crate::program::LocationId;
use crate::term::TermId;

/// A place in the order of work.
pub(super) type Turn = SmallVec<[u32; 16]>;

/// What comes to a place.
pub(super) struct Arrival {
    pub location: LocationId,
    pub frame: Option<Rc<Frame>>,
    pub rounds: Rounds,
    pub states: Vec<State>,
}

/// What is to be done.
pub(super) enum Agenda {
    /// By turn; what has the same turn is one.
    InOrder(BTreeMap<Turn, Arrival>),
    /// The last one first, so that a path comes to its end before another one is looked at.
    OneByOne(Vec<(Turn, Arrival)>),
}

impl Agenda {
    /// Nothing; what comes together is to be merged, or not.
    pub fn new(merge: bool) -> Self {
        match merge {
            true => Self::InOrder(BTreeMap::new()),
            false => Self::OneByOne(Vec::new()),
        }
    }

    pub fn add(&mut self, turn: Turn, arrival: Arrival) {
        match self {
            Self::InOrder(all) => match all.get_mut(&turn) {
                Some(known) => known.states.extend(arrival.states),
                None => {
                    all.insert(turn, arrival);
                }
            },
            Self::OneByOne(all) => all.push((turn, arrival)),
        }
    }

    pub fn pop(&mut self) -> Option<(Turn, Arrival)> {
        match self {
            Self::InOrder(all) => all.pop_first(),
            Self::OneByOne(all) => all.pop(),
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Self::InOrder(all) => all.is_empty(),
            Self::OneByOne(all) => all.is_empty(),
        }
    }

    pub fn take_all(&mut self) -> Vec<Arrival> {
        match self {
            Self::InOrder(all) => std::mem::take(all).into_values().collect(),
            Self::OneByOne(all) => all.drain(..).map(|(_, arrival)| arrival).collect(),
        }
    }

    /// The states that are merged if they come together.
    pub fn states_mut(&mut self) -> impl Iterator<Item = &mut State> {
        let all = match self {
            Self::InOrder(all) => Some(all.values_mut()),
            Self::OneByOne(_) => None,
        };
        all.into_iter().flatten().flat_map(|one| &mut one.states)
    }
}

/// Numbers of variables by the path on which they are made and how many were made there before. A program that is walked again has the
/// same ones on the same paths, so that what was found out about them is still known.
#[derive(Default)]
pub struct Names(FxHashMap<(TermId, u32), u32>);

impl Names {
    /// Those that are not of a path have smaller numbers.
    const FIRST: u32 = 1 << 30;

    pub(super) fn of(&mut self, path: TermId, made: u32) -> u32 {
        let new = Self::FIRST + self.0.len() as u32;
        *self.0.entry((path, made)).or_insert(new)
    }
}
