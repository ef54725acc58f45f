//! Merging of states at a node.

use std::rc::Rc;

use smallvec::SmallVec;

use super::super::State;
use super::RoundWalk;
use crate::walk::limits::MAXIMUM_BEST_ORDER_STATES;
use regatta_term::TermId;

impl RoundWalk<'_, '_, '_> {
    /// Merges the states.
    pub(super) fn merged(&mut self, states: Vec<State>) -> Option<State> {
        let mut states = self.meet_at_once(states);
        while states.len() > MAXIMUM_BEST_ORDER_STATES {
            let (one, other) = (states.pop()?, states.pop()?);
            let both = self.merge(one, other);
            states.push(both);
        }
        while states.len() > 1 {
            // The state with the longest guard, and the one that branched off from it last.
            let paths = &self.lifted.paths;
            let furthest = (0..states.len()).max_by_key(|&place| paths.length(states[place].guard));
            let one = states.swap_remove(furthest?);
            let shared = |&place: &usize| {
                let common = paths.common(one.guard, states[place].guard);
                paths.length(common)
            };
            let nearest = (0..states.len()).max_by_key(shared)?;
            let other = states.swap_remove(nearest);
            let both = self.merge(one, other);
            states.push(both);
        }
        states.pop()
    }

    pub(in super::super) fn merge(&mut self, one: State, other: State) -> State {
        let walk = &*self.walk;
        let lifted = &mut self.lifted;
        let (guard, is_one) = lifted.paths.meet(&walk.arena, one.guard, other.guard);
        let values = one.values.union(&other.values, &mut |slot, a, b| {
            let mut of = |value: Option<&TermId>, state| match value {
                Some(&value) => value,
                None => walk.absent(lifted, state, slot),
            };
            let (a, b) = (of(a, &one), of(b, &other));
            lifted.choose(is_one, a, b)
        });
        State {
            guard,
            values,
            passed: SmallVec::new(),
            objects: Rc::default(),
        }
    }
}
