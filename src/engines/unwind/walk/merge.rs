//! Merging of states at a location.

use super::{State, Walk};
use crate::unwind::limits::MAXIMUM_STATES_MERGED_BY_PATH;

impl Walk<'_, '_> {
    /// Merges all states at a location.
    pub(super) fn merged(&mut self, states: Vec<State>) -> Option<State> {
        let mut states = self.merge_exits(states);
        while states.len() > MAXIMUM_STATES_MERGED_BY_PATH {
            let (last, before) = (states.pop()?, states.pop()?);
            let one = self.merge(last, before);
            states.push(one);
        }
        while states.len() > 1 {
            // The two states that were split last, one of which has the longest path.
            let by_depth = |&place: &usize| states[place].path.depth();
            let deepest = (0..states.len()).max_by_key(by_depth)?;
            let one = states.swap_remove(deepest);
            let shared = |&place: &usize| states[place].path.common(&one.path).depth();
            let other = (0..states.len()).max_by_key(shared)?;
            let other = states.swap_remove(other);
            let both = self.merge(one, other);
            states.push(both);
        }
        states.pop()
    }

    pub(super) fn merge(&mut self, one: State, other: State) -> State {
        let (path, is_one) = one.path.join(self.terms.arena, &other.path);
        let values = one.values.union(&other.values, &mut |slot, a, b| {
            let [a, b] = [a, b].map(|value| self.value_or_first(slot, value));
            self.terms.choice(is_one, &a, &b)
        });
        State {
            path,
            values,
            made: one.made.max(other.made),
            share: one.share + other.share,
        }
    }
}
