//! States that cross calls and returns.
//!
//! What a callee sees of its caller's globals, and what the caller sees of those that the callee has changed, are maps made of
//! two others; joining them into the state on the other side looks at each of their entries. Where few entries have changed
//! since the last crossing, both are done for these alone.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::evaluator::{Map, State};
use crate::cfa::EdgeId;
use crate::simplify::limits::MAXIMUM_CROSSING_CHANGES;
use crate::simplify::range::Abstract;

/// The way of a state to another location: an edge, or a call edge in one of its directions.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Crossing {
    /// From the call to the callee's entry.
    Call(EdgeId),
    /// From the callee's exit, and what is before the call, to what is after it.
    Return(EdgeId),
    /// Along an edge that is not a call.
    Edge(EdgeId),
}

/// The last crossing of each call edge, in both directions.
#[derive(Debug, Default)]
pub(super) struct Crossings {
    entered: FxHashMap<EdgeId, Entered>,
    returned: FxHashMap<EdgeId, Returned>,
    /// The state that was joined last into that on the other side.
    joined: FxHashMap<Crossing, State>,
}

#[derive(Debug)]
struct Entered {
    before: Map,
    inside: Map,
}

#[derive(Debug)]
struct Returned {
    before: Map,
    exit: Map,
    after: Map,
}

impl Crossings {
    /// The globals before the call that the callee accesses.
    pub fn entered(&mut self, call: EdgeId, before: &Map, accessed: &[u32]) -> Map {
        let known = self.entered.get(&call);
        let few = known.and_then(|last| Some((last, few_changes(&last.before, before)?)));
        let inside = match few {
            Some((last, changes)) => with(&last.inside, &changes, |key| is_among(accessed, key)),
            None => before.restricted(accessed),
        };
        let last = Entered {
            before: before.clone(),
            inside: inside.clone(),
        };
        self.entered.insert(call, last);
        inside
    }

    /// The globals after the call: those at the callee's exit that it modifies, and the others as before.
    pub fn returned(&mut self, call: EdgeId, before: &Map, exit: &Map, modified: &[u32]) -> Map {
        let few = self.returned.get(&call).and_then(|last| {
            let outside = few_changes(&last.before, before)?;
            Some((last, outside, few_changes(&last.exit, exit)?))
        });
        let after = match few {
            Some((last, outside, inside)) => {
                let kept = with(&last.after, &outside, |key| !is_among(modified, key));
                with(&kept, &inside, |key| is_among(modified, key))
            }
            None => before.replaced(exit, modified),
        };
        let last = Returned {
            before: before.clone(),
            exit: exit.clone(),
            after: after.clone(),
        };
        self.returned.insert(call, last);
        after
    }

    /// The state that was joined last, which is replaced by the new one.
    pub fn joined(&mut self, crossing: Crossing, state: &State) -> Option<State> {
        self.joined.insert(crossing, state.clone())
    }
}

fn is_among(keys: &[u32], key: u32) -> bool {
    keys.binary_search(&key).is_ok()
}

/// Changes of a map: keys with their new values.
type Changes = SmallVec<[(u32, Option<Abstract>); 8]>;

/// Returns how the second map differs from the first one; `None` if there are many changes.
fn few_changes(old: &Map, new: &Map) -> Option<Changes> {
    let mut changes = Changes::new();
    let mut are_few = true;
    old.for_each_difference(new, &mut |key, _, value| {
        are_few &= changes.len() < MAXIMUM_CROSSING_CHANGES;
        if are_few {
            changes.push((key, value.copied()));
        }
    });
    are_few.then_some(changes)
}

/// The map with the changes of the keys that are chosen.
fn with(map: &Map, changes: &[(u32, Option<Abstract>)], is_chosen: impl Fn(u32) -> bool) -> Map {
    let mut result = map.clone();
    for &(key, value) in changes.iter().filter(|change| is_chosen(change.0)) {
        match value {
            Some(value) => result.insert(key, value),
            None => result.remove(key),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn map(entries: &[(u32, i128)]) -> Map {
        let mut map = Map::new();
        for &(key, value) in entries {
            map.insert(key, Abstract::Range(value, value + 1));
        }
        map
    }

    fn entries(map: &Map) -> Vec<(u32, Abstract)> {
        map.iter().map(|(key, &value)| (key, value)).collect()
    }

    fn maps() -> impl Strategy<Value = Vec<(u32, i128)>> {
        prop::collection::vec((0u32..200, 0i128..3), 0..150)
    }

    proptest! {
        #[test]
        fn changes_lead_to_what_is_made_anew(
            states in prop::collection::vec((maps(), maps()), 1..4),
            mut keys in prop::collection::vec(0u32..200, 0..100),
        ) {
            keys.sort_unstable();
            keys.dedup();
            let mut crossings = Crossings::default();
            for (before, exit) in states {
                let (before, exit) = (map(&before), map(&exit));
                let inside = crossings.entered(EdgeId(0), &before, &keys);
                prop_assert_eq!(entries(&inside), entries(&before.restricted(&keys)));
                let again = crossings.entered(EdgeId(0), &before, &keys);
                prop_assert!(again.same(&inside), "nothing is made twice");
                let after = crossings.returned(EdgeId(0), &before, &exit, &keys);
                prop_assert_eq!(entries(&after), entries(&before.replaced(&exit, &keys)));
            }
        }
    }
}
