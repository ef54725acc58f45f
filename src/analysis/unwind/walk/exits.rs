//! States that have parted from one path, each at another place, merged at once.
//!
//! The exits of a loop are such: each was left where the others went on. Merged two by two, a variable, or a cell, that was written in
//! one round differs in each merge from there on, and becomes a choice as deep as there are rounds. Along the path it
//! changes once: it is one choice, by whether execution has come so far.

use std::collections::BTreeMap;

use super::super::evaluate::Value;
use super::super::path::Path;
use super::{State, Walk};
use crate::program::persistent::PersistentMap;
use crate::term::{Build, TermId};

/// Fewer states are merged two by two: what tells two apart is a shorter condition than all that was passed.
const FEW: usize = 6;

/// States that exclude one another.
#[derive(Default)]
struct Exits {
    /// Those that have parted from a path, in the order of the places; the last one has not.
    along: Vec<State>,
    /// For each of them but the first whether execution came further than where the one before it has parted.
    beyond: Vec<TermId>,
    /// The others.
    others: Vec<State>,
}

impl Walk<'_, '_> {
    /// The states, those that have parted from one path as one.
    pub(super) fn merge_exits(&mut self, states: Vec<State>) -> Vec<State> {
        if states.len() <= FEW {
            return states;
        }
        let exits = self.exits(states);
        let mut left = exits.others;
        if exits.along.len() > FEW {
            left.push(self.merge_along(exits.along, &exits.beyond));
        } else {
            left.extend(exits.along);
        }
        left
    }

    /// Those that have parted from the longest path.
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
                // Who goes on has denied what this one took.
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

    /// One state of several that lie along a path; `beyond` has a condition for each but the first.
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
        }
    }
}

/// What a key has along a sequence of maps.
pub(in super::super) struct Changes<V> {
    /// In the first map.
    pub first: Option<V>,
    /// In those maps that differ from the one before them, which is given by its place.
    pub later: Vec<(usize, Option<V>)>,
}

/// The keys that not all of the maps have the same value for.
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
