//! Memory for [`super`]: each cell of a region with a known index has a slot of its own; the region's slot has the
//! other cells.
//!
//! An index is known if it is a constant, or the symbolic address of an object plus a constant offset. Cells of several
//! objects in a region are distinct if their offsets are inside the objects and the objects are disjoint. Wherever that
//! disjointness is used, it becomes a proof obligation ([`Lifted::obligations`]).

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::lifted::{Alternatives, Lifted};
use crate::walk::limits::{MAXIMUM_ALTERNATIVES, MAXIMUM_COMPARED_CELLS};
use crate::walk::{State, Walk};
use regatta_term::{Build, Constant, Op, Pool, Sort, TermId, is_linear_table};

/// Stands for the object's address if the index is a constant.
const CONSTANT: TermId = TermId::FALSE;

/// The cells that an index may denote.
struct Places {
    object: TermId,
    is_inside: bool,
    /// Indices with their conditions.
    all: Vec<(TermId, TermId)>,
}

impl Walk<'_, '_> {
    /// The slot of the cell at a known index.
    fn cell(&self, region: u32, index: TermId, object: TermId) -> u32 {
        let mut slots = self.slots.borrow_mut();
        let new = slots.initial.len() as u32;
        let id = *slots.cells.entry((region, index)).or_insert(new);
        if id == new {
            let (variable, _) = slots.initial[region as usize];
            slots.initial.push((variable, None));
            slots.regions.insert(id, (region, index, object));
            slots.cells_of.entry(region).or_default().push(id);
        }
        id
    }

    /// The value of a slot that has no value in the state.
    pub(super) fn absent(&self, lifted: &mut Lifted<'_>, state: &State, slot: u32) -> TermId {
        let known = self.slots.borrow().regions.get(&slot).copied();
        let Some((region, index, object)) = known else {
            return self.initial(slot);
        };
        for other in self.objects_of(lifted, state, region) {
            if other.0 != object {
                self.oblige(lifted, state, object, other.0);
            }
        }
        self.arena.select(self.read(state, region), index)
    }

    /// The region's slot, if the slot is a cell's.
    pub(super) fn region_of(&self, slot: u32) -> Option<u32> {
        let slots = self.slots.borrow();
        slots.regions.get(&slot).map(|&(region, ..)| region)
    }

    fn objects_of(&self, lifted: &Lifted<'_>, state: &State, region: u32) -> Vec<(TermId, bool)> {
        if lifted.by_path {
            let own = state.objects.iter().filter(|one| one.0 == region);
            return own
                .map(|&(_, object, is_inside)| (object, is_inside))
                .collect();
        }
        self.objects_of_any(region)
    }

    /// The objects with cells of the region on any path.
    fn objects_of_any(&self, region: u32) -> Vec<(TermId, bool)> {
        let slots = self.slots.borrow();
        slots.objects_of.get(&region).cloned().unwrap_or_default()
    }

    /// Adds the obligation that two objects are disjoint under the state's guard.
    fn oblige(&self, lifted: &mut Lifted<'_>, state: &State, one: TermId, other: TermId) {
        let (one, other) = (one.min(other), one.max(other));
        let demanded = lifted.obliged.entry((one, other)).or_default();
        // An obligation under a prefix of the guard implies this one.
        let mut fewer = lifted.paths.beginnings(state.guard);
        if !demanded.is_empty() && fewer.any(|guard| demanded.contains(&guard)) {
            return;
        }
        demanded.insert(state.guard);
        if lifted.is_said_apart(state.guard, one, other) {
            return;
        }
        let arena = &*self.arena;
        let begins_in = |a: TermId, b: TermId| match (lifted.objects.get(&b), arena.sort(b)) {
            (Some(&size), Sort::BitVec(width)) if arena.sort(a) == arena.sort(b) => {
                arena.ult(arena.sub(a, b), arena.bv(width, size.into()))
            }
            _ => TermId::TRUE,
        };
        let meet = arena.or2(begins_in(one, other), begins_in(other, one));
        lifted.obligations.push(arena.and2(state.guard, meet));
    }

    /// The cells that the index may denote, if they are distinct from all other cells of the region.
    fn places(
        &self,
        lifted: &mut Lifted<'_>,
        state: &State,
        region: u32,
        index: TermId,
    ) -> Option<Places> {
        let (object, offsets): (TermId, Alternatives) = match lifted.alternatives(index) {
            Some(all) => (CONSTANT, all),
            None => {
                let (object, offset) = lifted.within(index)?;
                (object, lifted.alternatives(offset)?)
            }
        };
        let size = lifted.objects.get(&object).copied().unwrap_or(0);
        let is_within = |one: &(TermId, TermId)| match self.arena.constant(one.0) {
            Some(Constant::BitVec(offset)) => offset.bits() < u128::from(size),
            _ => false,
        };
        let is_inside = object != CONSTANT && offsets.iter().all(is_within);
        for (other, others_inside) in self.objects_of(lifted, state, region) {
            if other != object {
                if !is_inside || !others_inside || other == CONSTANT {
                    return None;
                }
                self.oblige(lifted, state, object, other);
            }
        }
        let index = |offset| match object {
            CONSTANT => offset,
            address => self.arena.add(address, offset),
        };
        let all = offsets.iter().map(|&(offset, when)| (index(offset), when));
        Some(Places {
            object,
            is_inside,
            all: all.collect(),
        })
    }

    /// Notes that the region has cells of the object.
    fn note_object(&self, region: u32, object: TermId, is_inside: bool) {
        let mut slots = self.slots.borrow_mut();
        let objects = slots.objects_of.entry(region).or_default();
        match objects.iter_mut().find(|known| known.0 == object) {
            Some(known) => known.1 &= is_inside,
            None => objects.push((object, is_inside)),
        }
    }

    /// The cells of the region in the state, with their indices.
    fn cells(&self, state: &State, region: u32) -> Vec<(TermId, u32, TermId)> {
        let slots = self.slots.borrow();
        let all = slots.cells_of.get(&region).into_iter().flatten();
        all.filter_map(|&slot| Some((slots.regions[&slot].1, slot, *state.values.get(slot)?)))
            .collect()
    }

    fn at(&self, state: &State, region: u32, index: TermId) -> TermId {
        let slot = self.slots.borrow().cells.get(&(region, index)).copied();
        match slot.and_then(|slot| state.values.get(slot)) {
            Some(&value) => value,
            None => self.arena.select(self.read(state, region), index),
        }
    }

    /// Reads the element at the index.
    pub(super) fn load(
        &self,
        lifted: &mut Lifted<'_>,
        state: &State,
        region: u32,
        index: TermId,
    ) -> TermId {
        let index = lifted.index_under(state.guard, index);
        if let Some(places) = self.places(lifted, state, region, index)
            && let Some((&(first, _), rest)) = places.all.split_first()
        {
            let first = self.at(state, region, first);
            return rest.iter().fold(first, |value, &(other, when)| {
                let other = self.at(state, region, other);
                lifted.choose(when, other, value)
            });
        }
        let objects = self.objects_of(lifted, state, region);
        if objects.iter().all(|known| known.0 == CONSTANT)
            && let Some(numbers) = lifted.numbers(index)
            && !numbers.is_empty()
            && let Sort::BitVec(width) = self.arena.sort(index)
        {
            let values = numbers.into_iter().map(|number| {
                let constant = self.arena.bv(width, number as u128);
                (number, self.at(state, region, constant))
            });
            let values: Vec<(i128, TermId)> = values.collect();
            let is_table = self.is_table(&values);
            return self.halved(lifted, index, &values, is_table);
        }
        let cells = self.cells(state, region);
        if cells.len() > MAXIMUM_COMPARED_CELLS {
            return self.arena.select(self.array(state, region), index);
        }
        let rest = self.arena.select(self.read(state, region), index);
        cells.into_iter().fold(rest, |value, (own, _, element)| {
            let same = lifted.apply(Op::Eq, Sort::Bool, &[index, own]);
            lifted.choose(same, element, value)
        })
    }

    /// Checks whether the values, which are sorted by their indices, are those of a function rather than a few choices.
    fn is_table(&self, values: &[(i128, TermId)]) -> bool {
        let elements: Vec<TermId> = values.iter().map(|value| value.1).collect();
        let are_all = (0..).zip(values).all(|(number, value)| number == value.0);
        if are_all && is_linear_table(&*self.arena, &elements) {
            return true;
        }
        let different: FxHashSet<TermId> = elements.into_iter().collect();
        different.len() > MAXIMUM_ALTERNATIVES
    }

    /// A decision tree on the bits of the index over the values, which are sorted. `is_table`: the alternatives of what is read are
    /// not noted.
    fn halved(
        &self,
        lifted: &mut Lifted<'_>,
        index: TermId,
        values: &[(i128, TermId)],
        is_table: bool,
    ) -> TermId {
        let arena = &*self.arena;
        let ((low, first), (high, _)) = (values[0], values[values.len() - 1]);
        if values.iter().all(|&(_, value)| value == first) {
            return first;
        }
        // The highest bit in which the indices differ.
        let bit = 127 - (low ^ high).leading_zeros();
        let count = values.partition_point(|&(number, _)| number >> bit & 1 == 0);
        let (without, with) = values.split_at(count);
        let otherwise = self.halved(lifted, index, without, is_table);
        let then = self.halved(lifted, index, with, is_table);
        let is_set = arena.eq(arena.extract(index, bit as u8, bit as u8), arena.bv(1, 1));
        match is_table {
            true => arena.ite(is_set, then, otherwise),
            false => lifted.choose(is_set, then, otherwise),
        }
    }

    /// Writes to the region.
    pub(super) fn write_cell(
        &self,
        lifted: &mut Lifted<'_>,
        state: &mut State,
        region: u32,
        index: TermId,
        element: TermId,
    ) {
        let index = lifted.index_under(state.guard, index);
        if let Some(places) = self.places(lifted, state, region, index) {
            self.note_object(region, places.object, places.is_inside);
            if lifted.by_path {
                state.note_object(region, places.object, places.is_inside);
            }
            for (index, when) in places.all {
                let before = self.at(state, region, index);
                let after = lifted.choose(when, element, before);
                let slot = self.cell(region, index, places.object);
                state.values.insert(slot, after);
            }
            return;
        }
        let cells = self.cells(state, region);
        if cells.len() > MAXIMUM_COMPARED_CELLS {
            let array = self.arena.store(self.array(state, region), index, element);
            return self.set_array(state, region, array);
        }
        let rest = self.arena.store(self.read(state, region), index, element);
        state.values.insert(region, rest);
        for (own, slot, before) in cells {
            let same = lifted.apply(Op::Eq, Sort::Bool, &[index, own]);
            state
                .values
                .insert(slot, lifted.choose(same, element, before));
        }
    }

    /// The whole region as a term.
    pub(super) fn array(&self, state: &State, region: u32) -> TermId {
        let rest = self.read(state, region);
        let cells = self.cells(state, region).into_iter();
        cells.fold(rest, |array, (index, _, element)| {
            self.arena.store(array, index, element)
        })
    }

    /// Replaces the whole region; elements that the term stores at constant indices become cells.
    pub(super) fn set_array(&self, state: &mut State, region: u32, array: TermId) {
        for (_, slot, _) in self.cells(state, region) {
            state.values.remove(slot);
        }
        let is_plain = self
            .objects_of_any(region)
            .iter()
            .all(|known| known.0 == CONSTANT);
        let mut rest = array;
        while is_plain
            && let Some((Op::Store, &[inner, index, element])) = self.arena.as_application(rest)
            && self.arena.is_constant(index)
        {
            self.note_object(region, CONSTANT, false);
            state.note_object(region, CONSTANT, false);
            let slot = self.cell(region, index, CONSTANT);
            if state.values.get(slot).is_none() {
                state.values.insert(slot, element);
            }
            rest = inner;
        }
        state.values.insert(region, rest);
    }
}

impl State {
    /// Notes that the region has cells of the object on this path.
    fn note_object(&mut self, region: u32, object: TermId, is_inside: bool) {
        let all = Rc::make_mut(&mut self.objects);
        let mut known = all.iter_mut();
        match known.find(|known| (known.0, known.1) == (region, object)) {
            Some(known) => known.2 &= is_inside,
            None => all.push((region, object, is_inside)),
        }
    }
}
