//! Simultaneous merging of states of [`super`] that have left one path at different positions.
//!
//! A loop with an open condition is left in each of its rounds. A state that leaves later has more of the writes on the path.
//! So, as a function of the position at which a state left, a value changes only at the positions of writes. The merged value
//! is a choice by whether execution has passed such a position, that is, by the guard there.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::RoundWalk;
use crate::walk::State;
use crate::walk::limits::MAXIMUM_SEQUENTIAL_MERGES;
use regatta_term::{Build, TermId};

/// A change of a slot's value: the position of the first state with the new value, and the value if the state has one.
type Change = (usize, Option<TermId>);

impl RoundWalk<'_, '_, '_> {
    /// Merges those of the states that have left one path.
    pub(super) fn meet_at_once(&mut self, mut states: Vec<State>) -> Vec<State> {
        if states.len() <= MAXIMUM_SEQUENTIAL_MERGES {
            return states;
        }
        let paths = &self.lifted.paths;
        let lengths = states.iter().map(|state| paths.length(state.guard));
        let Some((longest, _)) = lengths.enumerate().max_by_key(|&(_, length)| length) else {
            return states;
        };
        let last = states.swap_remove(longest);
        // The successor of each guard on the path.
        let mut next: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut after = last.guard;
        for guard in paths.beginnings(last.guard).skip(1) {
            next.insert(guard, after);
            after = guard;
        }
        let mut leaving: BTreeMap<u32, State> = BTreeMap::new();
        for state in states {
            let (place, _) = self.parting(&next, state.guard);
            let place = self.lifted.paths.length(place);
            let state = match leaving.remove(&place) {
                Some(other) => self.merge(state, other),
                None => state,
            };
            leaving.insert(place, state);
        }
        let (mut along, mut passed, mut left) = (Vec::new(), Vec::new(), Vec::new());
        for state in leaving.into_values() {
            let (place, own) = self.parting(&next, state.guard);
            let further = next.get(&place).copied();
            let denied = further.and_then(|further| self.lifted.paths.last(further));
            let parts = denied
                .zip(own)
                .is_some_and(|((_, condition), own)| condition == self.walk.arena.not(own));
            match further {
                Some(further) if parts => {
                    along.push(state);
                    passed.push(further);
                }
                _ => left.push(state),
            }
        }
        along.push(last);
        let met = match along.len() > MAXIMUM_SEQUENTIAL_MERGES {
            true => self.met_along(&along, &passed),
            false => None,
        };
        match met {
            Some(one) => left.push(one),
            None => left.extend(along),
        }
        left
    }

    /// The longest prefix of the guard that is on the path, and the condition with which the guard leaves the path.
    fn parting(&self, next: &FxHashMap<TermId, TermId>, guard: TermId) -> (TermId, Option<TermId>) {
        let (mut at, mut own) = (guard, None);
        while !next.contains_key(&at)
            && let Some((before, condition)) = self.lifted.paths.last(at)
        {
            own = Some(condition);
            at = before;
        }
        (at, own)
    }

    /// Merges states along a path. `passed` has, for each state but the last, the guard of the path behind the position where
    /// that state has left.
    fn met_along(&mut self, states: &[State], passed: &[TermId]) -> Option<State> {
        let (last, before) = states.split_last()?;
        let mut guard = last.guard;
        for state in before.iter().rev() {
            guard = self
                .lifted
                .paths
                .meet(&self.walk.arena, state.guard, guard)
                .0;
        }
        let mut changes: BTreeMap<u32, (Option<TermId>, Vec<Change>)> = BTreeMap::new();
        for (place, pair) in states.windows(2).enumerate() {
            let [one, other] = pair else { continue };
            one.values
                .for_each_difference(&other.values, &mut |slot, old, new| {
                    let of = changes.entry(slot);
                    let (_, all) = of.or_insert_with(|| (old.copied(), Vec::new()));
                    all.push((place + 1, new.copied()));
                });
        }
        // A cell without a value has that of its region, which must then be the same in all states.
        let has_gaps = |(first, later): &(Option<TermId>, Vec<Change>)| {
            first.is_none() || later.iter().any(|change| change.1.is_none())
        };
        let mut gaps = changes.iter().filter(|(_, all)| has_gaps(all));
        let regions_change = gaps.any(|(&slot, _)| {
            let region = self.walk.region_of(slot);
            region.is_some_and(|region| changes.contains_key(&region))
        });
        if regions_change {
            return None;
        }
        let mut met = State {
            guard,
            values: last.values.clone(),
            passed: SmallVec::new(),
            objects: Rc::default(),
        };
        let walk = &*self.walk;
        let absent = State {
            guard,
            ..states[0].clone()
        };
        for (slot, (first, later)) in changes {
            let mut nothing = None;
            let mut of = |value: Option<TermId>, lifted: &mut _| match value {
                Some(value) => value,
                None => *nothing.get_or_insert_with(|| walk.absent(lifted, &absent, slot)),
            };
            let mut values = vec![of(first, &mut self.lifted)];
            values.extend(later.iter().map(|change| of(change.1, &mut self.lifted)));
            let mut value = values[later.len()];
            for (number, &(place, _)) in later.iter().enumerate().rev() {
                let has_passed = passed[place - 1];
                value = self.lifted.choose(has_passed, value, values[number]);
            }
            met.values.insert(slot, value);
        }
        Some(met)
    }
}
