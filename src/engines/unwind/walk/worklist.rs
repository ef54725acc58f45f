//! The worklist of a walk, and the numbering of its fresh variables.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Frame, Rounds, State};
use regatta_program::LocationId;
use regatta_term::TermId;

/// A position in the order of execution.
pub(super) type Position = SmallVec<[u32; 16]>;

/// The states at a position.
pub(super) struct WorkItem {
    pub location: LocationId,
    pub frame: Option<Rc<Frame>>,
    pub rounds: Rounds,
    pub states: Vec<State>,
}

/// The worklist.
pub(super) enum Worklist {
    /// Ordered by position; items with equal positions are combined.
    InOrder(BTreeMap<Position, WorkItem>),
    /// Last in, first out, so that a path is walked to its end before another one.
    OneByOne(Vec<(Position, WorkItem)>),
}

impl Worklist {
    /// Creates an empty worklist whose items are merged or not.
    pub fn new(merge: bool) -> Self {
        match merge {
            true => Self::InOrder(BTreeMap::new()),
            false => Self::OneByOne(Vec::new()),
        }
    }

    pub fn add(&mut self, position: Position, item: WorkItem) {
        match self {
            Self::InOrder(all) => match all.get_mut(&position) {
                Some(known) => known.states.extend(item.states),
                None => {
                    all.insert(position, item);
                }
            },
            Self::OneByOne(all) => all.push((position, item)),
        }
    }

    pub fn pop(&mut self) -> Option<(Position, WorkItem)> {
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

    pub fn take_all(&mut self) -> Vec<WorkItem> {
        match self {
            Self::InOrder(all) => std::mem::take(all).into_values().collect(),
            Self::OneByOne(all) => all.drain(..).map(|(_, item)| item).collect(),
        }
    }

    /// Returns the share of the paths that wait, if paths are walked one by one.
    pub fn share(&self) -> f64 {
        match self {
            Self::InOrder(_) => 1.0,
            Self::OneByOne(all) => {
                let states = all.iter().flat_map(|(_, item)| &item.states);
                states.map(|state| state.share).sum()
            }
        }
    }

    /// Returns the states that may be merged with others.
    pub fn states_mut(&mut self) -> impl Iterator<Item = &mut State> {
        let all = match self {
            Self::InOrder(all) => Some(all.values_mut()),
            Self::OneByOne(_) => None,
        };
        all.into_iter().flatten().flat_map(|one| &mut one.states)
    }
}

/// Instance numbers of fresh variables, by the path on which they are created and the number of variables created there
/// before. Another walk over the program creates the same variables on the same paths, so that answers of the solver
/// remain valid.
#[derive(Default)]
pub struct Instances(FxHashMap<(TermId, u32), u32>);

impl Instances {
    /// The first number; variables of merged paths have smaller numbers.
    const FIRST: u32 = 1 << 30;

    pub(super) fn of(&mut self, path: TermId, made: u32) -> u32 {
        let new = Self::FIRST + self.0.len() as u32;
        *self.0.entry((path, made)).or_insert(new)
    }
}
