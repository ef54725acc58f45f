//! Observable addresses: any free address that the alignment permits. See
//! [`super::super::layout`].

use super::*;
use crate::ir::{Object, ObjectIndex};
use crate::memory::limits::MAXIMUM_SEPARATED_OBJECTS;
use crate::memory::placement::plan::Chosen;

/// When an object ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Ends {
    /// By `free`.
    Freed,
    /// With its function.
    WithFunction,
    /// At an unknown point.
    Unknown,
}

impl Emitter<'_, '_> {
    /// Chooses the addresses of what exists from the start.
    pub fn choose_addresses(&mut self) {
        let plan = self.tables.plan;
        for (number, chosen) in plan.chosen.iter().enumerate() {
            let size = self.tables.pointer_constant(chosen.size.into());
            let hint = self.tables.pointer_constant(chosen.hint.into());
            let address = self.any_address(hint, size, chosen.alignment);
            self.body.assign(chosen.variable, address);
            let before = plan.chosen[..number]
                .iter()
                .rev()
                .take(MAXIMUM_SEPARATED_OBJECTS);
            let apart = before.map(|other| self.apart_at_once(chosen, other));
            let apart: Vec<TermId> = apart.collect();
            self.body.assume(pool().and(apart));
            self.body.release_temporaries();
        }
        if let Some(choice) = &plan.choice {
            let zero = self.tables.pointer_constant(0);
            for &(start, end) in &choice.recent {
                self.body.assign(start, zero);
                self.body.assign(end, zero);
            }
            if let Some(next) = choice.next_hint {
                let hint = self.tables.pointer_constant(choice.first_hint.into());
                self.body.assign(next, hint);
            }
        }
    }

    /// Chooses an address for a new object of `size` bytes.
    ///
    /// It is not known when a variable-length array or an object of `alloca` ends: later objects may overlap it.
    /// Likewise, a local of a function may overlap a local of a block of `main`, which may have ended.
    pub fn place_anywhere(&mut self, size: TermId, alignment: u64, ends: Ends) -> TermId {
        let plan = self.tables.plan;
        let Some((choice, next)) = plan.choice.as_ref().and_then(|c| Some((c, c.next_hint?)))
        else {
            self.contradict("an object with a chosen address that is not in the plan");
            return self.tables.pointer_constant(0);
        };
        // Objects of no size have addresses of their own, too.
        let (zero, one) = (
            self.tables.pointer_constant(0),
            self.tables.pointer_constant(1),
        );
        let extent = pool().ite(pool().eq(size, zero), one, size);
        let hint = self.body.builder.term(next);
        let start = self.any_address(hint, extent, alignment);
        let end = self.tables.pointer_add(start, extent);
        let mut others: Vec<(TermId, TermId)> = Vec::new();
        for chosen in plan.chosen.iter().rev().take(MAXIMUM_SEPARATED_OBJECTS) {
            let object = chosen.object.map(|object| self.tables.object(object));
            if ends == Ends::Freed || object.is_none_or(|object| object.blocks.is_empty()) {
                others.push(self.extent_of(chosen));
            }
        }
        for &(start, end) in &choice.recent {
            others.push((self.body.builder.term(start), self.body.builder.term(end)));
        }
        let apart = others.into_iter();
        let apart = apart.map(|other| self.tables.apart((start, end), other));
        let apart: Vec<TermId> = apart.collect();
        self.body.assume(pool().and(apart));
        let behind = self
            .tables
            .pointer_add(self.body.builder.term(next), self.tables.extent(extent));
        self.body.assign(next, behind);
        if ends != Ends::Unknown {
            self.remember(start, end);
        }
        start
    }

    /// Records a new object, which later objects do not overlap until it ends.
    pub fn remember(&mut self, start: TermId, end: TermId) {
        let Some(choice) = &self.tables.plan.choice else {
            return;
        };
        for pair in choice.recent.windows(2).rev() {
            let [(newer, newer_end), (older, older_end)] = *pair else {
                continue;
            };
            let (start, end) = (
                self.body.builder.term(newer),
                self.body.builder.term(newer_end),
            );
            self.body.assign(older, start);
            self.body.assign(older_end, end);
        }
        if let Some(&(first, first_end)) = choice.recent.first() {
            self.body.assign(first, start);
            self.body.assign(first_end, end);
        }
    }

    /// Frees the addresses of the object that starts at the address, if there is one.
    pub fn forget(&mut self, address: TermId) {
        let Some(choice) = &self.tables.plan.choice else {
            return;
        };
        let zero = self.tables.pointer_constant(0);
        for &(start, end) in &choice.recent {
            let here = pool().eq(self.body.builder.term(start), address);
            let end_now = self.body.builder.term(end);
            self.body.assign(end, pool().ite(here, zero, end_now));
        }
    }

    /// Chooses any address in the pool where `size` bytes fit.
    fn any_address(&mut self, hint: TermId, size: TermId, alignment: u64) -> TermId {
        let Some(choice) = &self.tables.plan.choice else {
            return hint;
        };
        let (bits, shift) = (choice.pool.bits, alignment.trailing_zeros() as u8);
        let address = match self.tables.semantics.arithmetic {
            Arithmetic::BitVector => {
                let position =
                    self.body
                        .any(Sort::BitVec(bits - shift), InputKind::MemoryModel, None);
                let hint = pool().extract(hint, bits - 1, shift);
                let mut place = pool().add(position, hint);
                if shift > 0 {
                    place = pool().concat(place, pool().bv(shift, 0));
                }
                pool().zero_resize(place, self.tables.semantics.pointer_bits)
            }
            Arithmetic::Integer => {
                let position = self.body.any(Sort::Int, InputKind::MemoryModel, None);
                let step = self.tables.pointer_constant(alignment.into());
                let hint = pool().int_mul(step, pool().int_div(hint, step));
                pool().int_add(hint, pool().int_mul(step, position))
            }
        };
        let result = self.body.temporary(self.tables.pointer_sort());
        self.body.assign(result, address);
        let start = self.body.builder.term(result);
        let end = self.tables.pointer_add(start, size);
        let inside = choice.pool.ranges.iter().map(|range| {
            pool().and([
                self.tables
                    .at_most(self.tables.pointer_constant(range.low.into()), start),
                self.tables.at_most(start, end),
                self.tables
                    .at_most(end, self.tables.pointer_constant(range.high.into())),
            ])
        });
        let inside: Vec<TermId> = inside.collect();
        self.body.assume(pool().or(inside));
        for range in &self.tables.unit.devices.ranges {
            let device = (
                self.tables.pointer_constant(range.start.into()),
                self.tables.pointer_constant(range.end.into()),
            );
            self.body.assume(self.tables.apart((start, end), device));
        }
        start
    }

    /// Whether two objects with addresses chosen at the start are disjoint, if they must be: they need not if one ends
    /// before the other begins, or if one is a string literal that is a suffix of the other.
    fn apart_at_once(&self, one: &Chosen, other: &Chosen) -> TermId {
        let apart = self
            .tables
            .apart(self.extent_of(one), self.extent_of(other));
        let (Some(a), Some(b)) = (one.object, other.object) else {
            return apart;
        };
        if self.tables.object(a).is_never_beside(self.tables.object(b)) {
            return TermId::TRUE;
        }
        let texts = &self.tables.unit.texts;
        let (Some(text), Some(others)) = (texts.get(&a), texts.get(&b)) else {
            return apart;
        };
        let (long, short) = match text.len() > others.len() {
            true => ((one, text), (other, others)),
            false => ((other, others), (one, text)),
        };
        if !long.1.ends_with(short.1)
            || self.tables.object(a).alignment != self.tables.object(b).alignment
        {
            return apart;
        }
        let skipped = self
            .tables
            .pointer_constant((long.0.size - short.0.size).into());
        let end = self
            .tables
            .pointer_add(self.body.builder.term(long.0.variable), skipped);
        pool().or2(
            apart,
            pool().eq(end, self.body.builder.term(short.0.variable)),
        )
    }

    fn extent_of(&self, chosen: &Chosen) -> (TermId, TermId) {
        let start = self.body.builder.term(chosen.variable);
        let size = self.tables.pointer_constant(chosen.size.into());
        (start, self.tables.pointer_add(start, size))
    }

    /// Whether the pointer's class has observable addresses.
    pub fn is_chosen(&mut self, pointer: &Pointer) -> bool {
        let root = self.target(pointer).node;
        let class = self.tables.plan.class_of.get(&root);
        class.is_some_and(|id| self.tables.plan.class_by_id(*id).observable)
    }
}

impl Tables<'_, '_> {
    /// Whether an object may lie where one was that has ended.
    pub fn reuses_addresses(&self) -> bool {
        let choice = self.plan.choice.as_ref();
        choice.is_some_and(|choice| choice.reuses)
    }

    fn object(&self, object: ObjectIndex) -> &Object {
        &self.unit.objects[object.0 as usize]
    }

    /// Whether two ranges are disjoint; a range that ends at zero is empty.
    fn apart(&self, a: (TermId, TermId), b: (TermId, TermId)) -> TermId {
        pool().or2(self.at_most(a.1, b.0), self.at_most(b.1, a.0))
    }
}
