//! The CPA++ algorithm (\[BDW18\], Algorithm 2).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Cpa;

/// The number of an abstract state in [`Reached`]; a merged state keeps the number of the state that it replaces.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementId(pub u32);

/// A reached abstract state with its precision.
#[derive(Clone, Debug)]
pub struct Element<S, P> {
    /// The state.
    pub state: S,
    /// Its precision.
    pub precision: P,
}

/// The sets `reached` and `waitlist`, the latter ordered by rank.
pub struct Reached<C: Cpa> {
    elements: Vec<Option<Element<C::State, C::Precision>>>,
    by_partition: FxHashMap<C::Partition, SmallVec<[ElementId; 1]>>,
    queue: BinaryHeap<Reverse<(C::Rank, ElementId)>>,
    waiting: Vec<bool>,
    waiting_count: usize,
    /// The suspended states: see [`Self::suspend`].
    suspended: Vec<bool>,
}

/// Callbacks of CPA++.
pub trait Control<C: Cpa> {
    /// The operator fcover: returns whether the state could be covered by force, so that it need not be expanded. Such a state
    /// has been [suspended](Reached::suspend).
    fn force_cover(&mut self, _cpa: &mut C, _reached: &mut Reached<C>, _id: ElementId) -> bool {
        false
    }

    /// The function abort, which is called for each new abstract state.
    fn abort(&mut self, state: &C::State) -> bool;
}

/// fcover^id with a function abort.
struct WithoutForce<F>(F);

impl<C: Cpa, F: FnMut(&C::State) -> bool> Control<C> for WithoutForce<F> {
    fn abort(&mut self, state: &C::State) -> bool {
        self.0(state)
    }
}

/// The reason why CPA++ has ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All states in the waitlist are postponed.
    Done,
    /// `abort` returned true.
    Aborted,
}

impl<C: Cpa> Default for Reached<C> {
    fn default() -> Self {
        Self {
            elements: Vec::new(),
            by_partition: FxHashMap::default(),
            queue: BinaryHeap::new(),
            waiting: Vec::new(),
            waiting_count: 0,
            suspended: Vec::new(),
        }
    }
}

impl<C: Cpa> Reached<C> {
    /// Creates empty sets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a state to both sets.
    pub fn add(&mut self, cpa: &C, state: C::State, precision: C::Precision) -> ElementId {
        let id = ElementId(self.elements.len() as u32);
        self.by_partition
            .entry(cpa.partition(&state))
            .or_default()
            .push(id);
        self.elements.push(Some(Element { state, precision }));
        self.waiting.push(false);
        self.suspended.push(false);
        self.wait(cpa, id);
        id
    }

    /// Adds a state that another one covers; it is suspended.
    pub fn add_covered(&mut self, cpa: &C, state: C::State, precision: C::Precision) -> ElementId {
        let id = self.add(cpa, state, precision);
        self.suspend(cpa, id);
        id
    }

    /// Suspends a state because it or one of its ancestors is covered: it is not expanded, and neither covers nor merges
    /// other states.
    pub fn suspend(&mut self, cpa: &C, id: ElementId) {
        let index = id.0 as usize;
        if let Some(element) = &self.elements[index]
            && !std::mem::replace(&mut self.suspended[index], true)
        {
            self.waiting_count -= usize::from(self.waiting[index]);
            if let Some(list) = self.by_partition.get_mut(&cpa.partition(&element.state)) {
                list.retain(|other| *other != id);
            }
        }
    }

    /// Reverses [`Self::suspend`].
    pub fn resume(&mut self, cpa: &C, id: ElementId) {
        let index = id.0 as usize;
        if let Some(element) = &self.elements[index]
            && std::mem::replace(&mut self.suspended[index], false)
        {
            let list = self.by_partition.entry(cpa.partition(&element.state));
            list.or_default().push(id);
            if self.waiting[index] {
                self.waiting_count += 1;
                self.queue.push(Reverse((cpa.rank(&element.state), id)));
            }
        }
    }

    /// Returns whether the state is suspended.
    pub fn is_suspended(&self, id: ElementId) -> bool {
        self.suspended[id.0 as usize]
    }

    /// Returns the states of the same partition that are not suspended.
    pub fn with_same_partition(
        &self,
        cpa: &C,
        id: ElementId,
    ) -> impl Iterator<Item = &Element<C::State, C::Precision>> {
        let element = self.get(id);
        let partition = element.map(|element| cpa.partition(&element.state));
        let list = partition.and_then(|partition| self.by_partition.get(&partition));
        let list = list.into_iter().flatten();
        list.filter_map(|&id| self.get(id))
    }

    /// Replaces a state's precision.
    pub fn set_precision(&mut self, id: ElementId, precision: C::Precision) {
        if let Some(element) = &mut self.elements[id.0 as usize] {
            element.precision = precision;
        }
    }

    /// Removes a state from both sets.
    pub fn remove(&mut self, cpa: &C, id: ElementId) {
        self.unwait(id);
        if let Some(element) = self.elements[id.0 as usize].take()
            && let Some(list) = self.by_partition.get_mut(&cpa.partition(&element.state))
        {
            list.retain(|other| *other != id);
        }
    }

    /// Adds a state to the waitlist.
    pub fn wait(&mut self, cpa: &C, id: ElementId) {
        if let Some(element) = &self.elements[id.0 as usize]
            && !std::mem::replace(&mut self.waiting[id.0 as usize], true)
            && !self.suspended[id.0 as usize]
        {
            self.waiting_count += 1;
            self.queue.push(Reverse((cpa.rank(&element.state), id)));
        }
    }

    fn unwait(&mut self, id: ElementId) {
        let index = id.0 as usize;
        if std::mem::replace(&mut self.waiting[index], false) && !self.suspended[index] {
            self.waiting_count -= 1;
        }
    }

    /// Returns the state with the number, if it has not been removed.
    pub fn get(&self, id: ElementId) -> Option<&Element<C::State, C::Precision>> {
        self.elements.get(id.0 as usize)?.as_ref()
    }

    /// Returns all reached states with numbers from `first` on, by number.
    pub fn since(
        &self,
        first: usize,
    ) -> impl Iterator<Item = (ElementId, &Element<C::State, C::Precision>)> {
        let elements = self.elements.iter().enumerate().skip(first);
        elements.filter_map(|(index, element)| Some((ElementId(index as u32), element.as_ref()?)))
    }

    /// Returns the number of the next state.
    pub fn next_number(&self) -> usize {
        self.elements.len()
    }

    /// Returns the waitlist, by number; after CPA++ has ended without abort, these are the postponed states.
    pub fn waitlist(&self) -> Vec<ElementId> {
        let mut list: Vec<ElementId> = self.queue.iter().map(|entry| entry.0.1).collect();
        list.retain(|id| self.waiting[id.0 as usize] && !self.suspended[id.0 as usize]);
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Returns the size of the waitlist.
    pub fn waitlist_len(&self) -> usize {
        self.waiting_count
    }

    /// Line 2: removes the first state that is not postponed from the waitlist.
    fn pop(&mut self, cpa: &C) -> Option<ElementId> {
        loop {
            let Reverse((_, id)) = self.queue.peek()?;
            let id = *id;
            if !self.waiting[id.0 as usize] || self.suspended[id.0 as usize] {
                self.queue.pop();
                continue;
            }
            let element = self.elements[id.0 as usize].as_ref()?;
            // States that a bound postpones have the last ranks.
            if cpa.is_postponed(&element.state, &element.precision) {
                return None;
            }
            self.queue.pop();
            self.unwait(id);
            return Some(id);
        }
    }
}

/// Algorithm 2 with fcover^id.
pub fn cpa_plus_plus<C: Cpa>(
    cpa: &mut C,
    reached: &mut Reached<C>,
    abort: impl FnMut(&C::State) -> bool,
) -> End {
    controlled_cpa_plus_plus(cpa, reached, &mut WithoutForce(abort))
}

/// Algorithm 2.
///
/// Departures: `abort` takes effect after all successors of a state have been computed, so that none is computed again.
/// Postponed states stay in the waitlist, so that an analysis can continue when its bound is raised. Line 8 considers only
/// states of the new one's partition, because merge and stop cannot succeed elsewhere. A state that has been merged into
/// another one is not added as well (the operator stop would find it covered).
pub fn controlled_cpa_plus_plus<C: Cpa>(
    cpa: &mut C,
    reached: &mut Reached<C>,
    control: &mut impl Control<C>,
) -> End {
    // Lines 1 and 2.
    while let Some(id) = reached.pop(cpa) {
        // Lines 3 to 5.
        if control.force_cover(cpa, reached, id) {
            // It has not been expanded, and will have to be if it is resumed.
            reached.wait(cpa, id);
            continue;
        }
        let mut stop = false;
        let Some(Element { state, precision }) = reached.get(id).cloned() else {
            continue;
        };
        // Line 6.
        for successor in cpa.successors(&state, &precision) {
            // Line 7.
            let Some((successor, adjusted)) = cpa.adjust_precision(successor, &precision) else {
                continue;
            };
            stop |= control.abort(&successor);
            // Lines 8 to 12.
            let partition = cpa.partition(&successor);
            let others = reached.by_partition.get(&partition).cloned();
            let others = others.unwrap_or_default();
            let mut merged = false;
            for &other in &others {
                let Some(old) = &mut reached.elements[other.0 as usize] else {
                    continue;
                };
                if let Some(joined) = cpa.merge(&successor, &old.state, &adjusted) {
                    old.state = joined;
                    old.precision = adjusted.clone();
                    reached.wait(cpa, other);
                    merged = true;
                }
            }
            // Lines 13 to 15.
            let covered = merged
                || others.iter().any(|other| {
                    reached.elements[other.0 as usize]
                        .as_ref()
                        .is_some_and(|old| cpa.is_covered(&successor, &old.state, &adjusted))
                });
            match covered {
                false => _ = reached.add(cpa, successor, adjusted),
                true if C::KEEPS_COVERED && !merged => {
                    _ = reached.add_covered(cpa, successor, adjusted)
                }
                true => {}
            }
        }
        // Lines 16 and 17.
        if stop {
            return End::Aborted;
        }
    }
    End::Done
}
