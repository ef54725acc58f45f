//! States that meet become one.

use super::{State, Walk};

/// States that wait for one another to be merged in the best order.
const MERGED_BY_PATH: usize = 48;

impl Walk<'_, '_> {
    /// All states that have come to a place, as one.
    pub(super) fn merged(&mut self, states: Vec<State>) -> Option<State> {
        let mut states = self.merge_exits(states);
        while states.len() > MERGED_BY_PATH {
            let (last, before) = (states.pop()?, states.pop()?);
            let one = self.merge(last, before);
            states.push(one);
        }
        while states.len() > 1 {
            // The two that have parted last, of which one is as far as any.
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
        }
    }
}
