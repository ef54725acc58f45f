//! Simultaneous merge of states whose paths branch off from a common path at different points.
//!
//! The exits of a loop are such states. If they are merged pairwise, a variable or a cell that was written in one round
//! differs in each merge from there on, and becomes a choice nested as deeply as there are rounds. Along the path it changes
//! once; hence it becomes a single choice, by whether execution went beyond that point.

use std::collections::BTreeMap;

use super::super::evaluate::Value;
use super::super::path::Path;
use super::{State, Walk};
use crate::unwind::limits::MAXIMUM_STATES_MERGED_PAIRWISE;
use regatta_program::persistent::PersistentMap;
use regatta_term::{Build, TermId};

/// States that exclude one another.
#[derive(Default)]
struct Exits {
    /// The states that branch off from a path, in the order of the branches; the last one is at the end of the path.
    along: Vec<State>,
    /// For each of these states except the first, the condition that execution passed the branch of the one before it.
    beyond: Vec<TermId>,
    /// The other states.
    others: Vec<State>,
}

impl Walk<'_, '_> {
    /// Merges the states that branch off from a common path.
    pub(super) fn merge_exits(&mut self, states: Vec<State>) -> Vec<State> {
        if states.len() <= MAXIMUM_STATES_MERGED_PAIRWISE {
            return states;
        }
        let exits = self.exits(states);
        let mut left = exits.others;
        if exits.along.len() > MAXIMUM_STATES_MERGED_PAIRWISE {
            left.push(self.merge_along(exits.along, &exits.beyond));
        } else {
            left.extend(exits.along);
        }
        left
    }

    /// Finds the states that branch off from the longest path.
    fn exits(&mut self, mut states: Vec<State>) -> Exits {
        let by_depth = |&place: &usize| states[place].path.depth();
        let Some(longest) = (0..states.len()).max_by_key(by_depth) else {
            return Exits::default();
        };
        let last = states.swap_remove(longest);
        let path = last.path.beginnings();
        let mut by_place: BTreeMap<usize, State> = BTreeMap::new();
        for state in states {
            let (place, _) = state.path.parting(&path);
            let one = match by_place.remove(&place) {
                Some(other) => self.merge(state, other),
                None => state,
            };
            by_place.insert(place, one);
        }
        let mut exits = Exits::default();
        for (place, state) in by_place {
            let next = path.get(place + 1);
            let (_, taken) = state.path.parting(&path);
            match (next, taken) {
                // The path contains the negation of the condition with which this state branches off.
                (Some(next), Some(taken))
                    if next.last().map(|(_, passed)| passed)
                        == Some(self.terms.arena.not(taken)) =>
                {
                    exits.along.push(state);
                    exits.beyond.push(next.all());
                }
                _ => exits.others.push(state),
            }
        }
        exits.along.push(last);
        exits
    }

    /// Merges the states along a path; `beyond` has a condition for each state except the first.
    fn merge_along(&mut self, states: Vec<State>, beyond: &[TermId]) -> State {
        let mut path = Path::default();
        for (number, state) in states.iter().rev().enumerate() {
            path = match number {
                0 => state.path.clone(),
                _ => state.path.join(self.terms.arena, &path).0,
            };
        }
        let made = states.iter().map(|state| state.made).max().unwrap_or(0);
        let values: Vec<PersistentMap<Value>> =
            states.into_iter().map(|state| state.values).collect();
        let mut merged = values.last().cloned().unwrap_or_default();
        for (slot, changes) in changes(&values.iter().collect::<Vec<_>>()) {
            let start = self.value_or_first(slot, changes.first.as_ref());
            let later = changes.later.iter().map(|(place, value)| {
                let value = self.value_or_first(slot, value.as_ref());
                (beyond[*place], value)
            });
            let later: Vec<(TermId, Value)> = later.collect();
            merged.insert(slot, self.terms.choice_along(&start, &later));
        }
        State {
            path,
            values: merged,
            made,
            share: 1.0,
        }
    }
}

/// The values of a key along a sequence of maps.
pub(in super::super) struct Changes<V> {
    /// The value in the first map.
    pub first: Option<V>,
    /// The value in each map that differs from its predecessor, with the index of the predecessor.
    pub later: Vec<(usize, Option<V>)>,
}

/// Returns the keys that do not have the same value in all maps.
pub(in super::super) fn changes<V: Clone + PartialEq>(
    maps: &[&PersistentMap<V>],
) -> BTreeMap<u32, Changes<V>> {
    let mut all: BTreeMap<u32, Changes<V>> = BTreeMap::new();
    for (place, pair) in maps.windows(2).enumerate() {
        pair[0].for_each_difference(pair[1], &mut |key, before, after| {
            if before == after {
                return;
            }
            let changes = all.entry(key).or_insert_with(|| Changes {
                first: before.cloned(),
                later: Vec::new(),
            });
            changes.later.push((place, after.cloned()));
        });
    }
    all
}
