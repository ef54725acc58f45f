//! Checks of what exists when the program ends, and that loops and recursion in which memory may be lost end. Which pointers keep
//! memory is decided in [`crate::memory::placement::holders`].

use super::calls::Interface;
use super::*;
use crate::ir::{Argument, Expr, Instruction, Leaf, Place, Pointer, ResultPlace, UnknownEffect};
use crate::memory::analysis::endless::Progress;
use crate::memory::analysis::points_to::Target;
use crate::memory::limits::{MAXIMUM_HOLDERS, MAXIMUM_HOLDING_OBJECTS};
use crate::memory::placement::holders::Record;
use crate::memory::placement::lives::ClassLives;
use crate::memory::placement::plan::FieldHome;
use regatta_program::{Claim, InputKind, Lifetime, Property};

impl Emitter<'_, '_> {
    /// In a loop or recursion that is not known to end, memory may be lost, which is seen nowhere else. So there is no proof where
    /// memory exists; executions that leave the loop are looked at all the same.
    pub fn check_endless_loop(&mut self) {
        let kept = self.nothing_lost();
        self.body.no_proof_unless(
            kept,
            "memory that exists in a loop or recursion which may not end",
        );
    }

    /// Where a loop is known to end only if an object is freed: checks that it is not null that is, or that nothing is lost.
    pub fn check_deallocation_in_loop(&mut self, address: TermId) {
        if !self.body.progress.contains(&Progress::Frees) || !self.body.is_reached() {
            return;
        }
        let is_object = pool().ne(address, self.tables.pointer_constant(0));
        let holds = pool().or2(is_object, self.nothing_lost());
        self.body
            .no_proof_unless(holds, "a loop which may not end, in which null is freed");
    }

    /// Where a loop is known to end only if a pointer gets a lower address: checks that it does, or that nothing is lost.
    pub fn check_descent(&mut self, place: &Place, value: TermId) {
        let Expr::ObjectAddress(pointer) = *place.address else {
            return;
        };
        if !self.body.progress.contains(&Progress::Lowers(pointer)) || !self.body.is_reached() {
            return;
        }
        let bits = u32::from(self.tables.semantics.pointer_bits);
        let form = self.tables.form(ScalarType::Pointer, bits);
        let spot = self.tables.object_spot(pointer);
        let old = self.load(&spot, 0, bits, form);
        let holds = pool().or2(self.tables.is_less(value, old), self.nothing_lost());
        self.body.no_proof_unless(
            holds,
            "memory that exists in a loop which may go through a list for ever",
        );
    }

    /// Where a loop is known to end only if a walk comes to no place twice: checks that a pointer to the next place was written last
    /// where it is read, and that the walk did not begin there, or that nothing is lost.
    pub fn check_walk(&mut self, place: &Place, value: &Expr, next: TermId) {
        let (&Expr::ObjectAddress(pointer), Expr::Load(link)) = (&*place.address, value) else {
            return;
        };
        let mut walks = self.body.progress.iter();
        let start = walks.find_map(|progress| match *progress {
            Progress::Follows {
                pointer: moved,
                start,
            } if moved == pointer => Some(start),
            _ => None,
        });
        let Some(start) = start.filter(|_| self.body.is_reached()) else {
            return;
        };
        let bits = u32::from(self.tables.semantics.pointer_bits);
        let form = self.tables.form(ScalarType::Pointer, bits);
        let [old, begin] = [pointer, start].map(|variable| {
            let spot = self.tables.object_spot(variable);
            self.load(&spot, 0, bits, form)
        });
        let null = self.tables.pointer_constant(0);
        let moves_on = match self.is_last_pointer(link, next) {
            Some((is_last, slot)) => {
                // All places of the walk are at one offset in their objects, so that each object has one of them.
                let parts = |high, low| [next, begin].map(|one| pool().extract(one, high, low));
                let [object, first] = parts(bits as u8 - 1, slot);
                let [offset, its_offset] = parts(slot - 1, 0);
                let is_other = pool().ne(object, first);
                let is_new = pool().and([is_last, is_other, pool().eq(offset, its_offset)]);
                // Null has no next place, so that the walk comes there once.
                let is_new = pool().or2(pool().eq(next, null), is_new);
                pool().and2(pool().ne(old, null), is_new)
            }
            None => self.tables.is_less(next, old),
        };
        let holds = pool().or2(moves_on, self.nothing_lost());
        self.body.no_proof_unless(
            holds,
            "memory that exists in a loop which may go through a list for ever",
        );
    }

    /// Whether the place of the link is where a pointer to the object to which it leads was written last, if that is recorded,
    /// with the number of bits of an address in an object.
    fn is_last_pointer(&mut self, link: &Place, next: TermId) -> Option<(TermId, u8)> {
        let spot = self.spot(&link.address);
        let located = self.tables.locate(spot.target, 0)?;
        let FieldHome::Region { region, .. } = located.plan.home else {
            return None;
        };
        let history = *self.body.builder.links.get(&region)?;
        let index = self.index(&spot.address, located.class, located.plan.field.granule);
        let width = self.tables.semantics.pointer_bits;
        let target = pool().extract(next, width - 1, history.slot);
        let holders = self.body.builder.term(history.holders);
        let is_last = pool().eq(pool().select(holders, target), index);
        Some((is_last, history.slot))
    }

    /// Checks what exists when the program ends. Whether what is left can be reached is judged in a run alone.
    pub fn check_end(&mut self, is_aborted: bool) {
        let checks = self.tables.options.memory_checks;
        let none = self.nothing_on_heap();
        if checks.leaks && self.may_drop_pointers() {
            let what = "memory to which pointers may lead that are never read";
            self.body.unsupported_unless(none, what);
        } else if checks.leaks && self.may_give_away() {
            let what = "memory whose address an unknown function has got";
            self.body.unsupported_unless(none, what);
        } else if checks.leaks {
            let kept = self.nothing_lost();
            self.body
                .check_memory(kept, Property::ValidMemtrack, Claim::Lost);
        }
        if checks.cleanup && !is_aborted {
            self.body
                .check_memory(none, Property::ValidMemcleanup, Claim::Allocated);
        }
    }

    /// Whether some copy writes pointers to where nothing reads them: then they have no place, and are not found.
    fn may_drop_pointers(&mut self) -> bool {
        let unit = self.tables.unit;
        let functions = unit.functions.iter().zip(self.tables.function_ids);
        let reached = functions.filter(|(_, id)| id.is_some());
        let blocks = reached.flat_map(|(function, _)| &function.blocks);
        let mut instructions = blocks.flat_map(|block| &block.instructions);
        instructions.any(|(instruction, _)| match instruction {
            Instruction::Copy {
                destination,
                size,
                leaves,
                ..
            }
            | Instruction::Call {
                result:
                    Some(ResultPlace::Object {
                        address: destination,
                        size,
                        leaves,
                    }),
                ..
            } => self.tables.drops_pointers(destination, *size, leaves),
            _ => false,
        })
    }

    /// Whether some unknown function gets the address of an object on the heap, which it may keep.
    fn may_give_away(&mut self) -> bool {
        let (plan, facts) = (self.tables.plan, self.tables.facts);
        let functions = self.tables.unit.functions.iter();
        let functions = functions.zip(self.tables.function_ids);
        let reached = functions.filter(|(_, id)| id.is_some());
        let blocks = reached.flat_map(|(function, _)| &function.blocks);
        let mut given =
            blocks
                .flat_map(|block| &block.instructions)
                .flat_map(|(instruction, _)| match instruction {
                    Instruction::CallUnknown {
                        arguments,
                        effect: UnknownEffect::Reachable,
                        ..
                    } => arguments.as_slice(),
                    _ => &[],
                });
        given.any(|argument| match argument {
            Argument::Scalar {
                value,
                scalar: ScalarType::Pointer,
            } => self.class_of_value(value).is_some_and(|id| {
                let mut sites = plan.class_by_id(id).sites.iter();
                sites.any(|&site| facts.sites[site].on_heap)
            }),
            _ => false,
        })
    }

    /// Whether no object on the heap is lost, as far as is known: those of a class do not exist, or each of them was made at a
    /// place that makes only one, and a pointer leads to its beginning.
    fn nothing_lost(&mut self) -> TermId {
        let Some(lives) = &self.tables.plan.lives else {
            return TermId::TRUE;
        };
        let zero = self.tables.pointer_constant(0);
        let mut all = Vec::new();
        for (number, class) in lives.classes.iter().enumerate() {
            let Some(count) = class.count else {
                continue;
            };
            let id = ClassId(number as u32);
            let mut ways = vec![pool().eq(self.body.builder.term(count), zero)];
            ways.extend(self.watched_is_gone(id, class));
            ways.extend(self.all_held(id));
            all.push(pool().or(ways));
        }
        pool().and(all)
    }

    /// Whether a pointer leads to each object on the heap of a class; `None` if that is not known.
    fn all_held(&mut self, id: ClassId) -> Option<TermId> {
        let objects = self.objects_on_heap(id)?;
        let pointers = self.all_pointers_to(id, MAXIMUM_HOLDING_OBJECTS)?;
        let held = objects.into_iter().map(|(start, exists)| {
            let is_held = one_leads(&pointers, start);
            pool().or2(pool().not(exists), is_held)
        });
        Some(pool().and(held.collect::<Vec<_>>()))
    }

    /// The addresses of the objects on the heap of a class, each with the condition that it exists; `None` if a place makes
    /// several.
    fn objects_on_heap(&self, id: ClassId) -> Option<Vec<(TermId, TermId)>> {
        let (plan, facts) = (self.tables.plan, self.tables.facts);
        let sites = plan.class_by_id(id).sites.iter();
        let sites = sites.filter(|&&site| facts.sites[site].on_heap);
        let objects = sites.map(|&site| {
            let (start, _, exists) = self.object_of_site(id, site)?;
            Some((start, exists))
        });
        objects.collect()
    }

    /// The pointers that may lead to objects of a class over at most `between` objects on the heap. Each has the condition under which
    /// it exists. `None` if there is no such pointer, or if the number exceeds [`MAXIMUM_HOLDERS`].
    fn all_pointers_to(&mut self, id: ClassId, between: u32) -> Option<Vec<(TermId, TermId)>> {
        let mut pointers = self.pointers_to(id);
        if between > 0 {
            pointers.extend(self.pointers_on_heap_to(id, between));
        }
        (1..=MAXIMUM_HOLDERS)
            .contains(&pointers.len())
            .then_some(pointers)
    }

    /// The pointers in objects on the heap of other classes that may lead to objects of a class, each with the condition that its
    /// object exists, and that a pointer leads there, over less than `between` others.
    fn pointers_on_heap_to(&mut self, id: ClassId, between: u32) -> Vec<(TermId, TermId)> {
        let (plan, facts) = (self.tables.plan, self.tables.facts);
        let bits = u32::from(self.tables.semantics.pointer_bits);
        let form = self.tables.form(ScalarType::Pointer, bits);
        let mut pointers = Vec::new();
        for number in 0..plan.classes.len() {
            let other = ClassId(number as u32);
            let class = plan.class_by_id(other);
            let fields = class.fields.iter().filter(|field| {
                let place = Target {
                    node: class.root,
                    offset: field.field.start.div_euclid(8),
                };
                let leads = self.tables.planner.linked_class(plan, place) == Some(id);
                let is_whole = field.representation == form && field.field.start % 8 == 0;
                leads && is_whole && field.home != FieldHome::Unsupported
            });
            let fields: Vec<i64> = fields.map(|field| field.field.start).collect();
            if fields.is_empty() || other == id {
                continue;
            }
            let Some(objects) = self.objects_on_heap(other) else {
                continue;
            };
            let Some(holders) = self.all_pointers_to(other, between - 1) else {
                continue;
            };
            let sites = class
                .sites
                .iter()
                .filter(|&&site| facts.sites[site].on_heap);
            for (&site, (start, exists)) in sites.zip(objects) {
                let is_held = one_leads(&holders, start);
                let is_there = pool().and2(exists, is_held);
                let target = Target {
                    node: facts.sites[site].node,
                    offset: 0,
                };
                let spot = self.tables.term_spot(start, target);
                let first = spot.target.offset.wrapping_mul(8);
                let Some(size) = facts.sites[site].size else {
                    continue;
                };
                for &field in &fields {
                    let bit = field.wrapping_sub(first);
                    if i128::from(bit) + i128::from(bits) <= 8 * i128::from(size) {
                        pointers.push((is_there, self.load(&spot, bit, bits, form)));
                    }
                }
            }
        }
        pointers
    }

    /// The pointers outside of the heap that may lead to objects of a class, as far as they have a place of their own, each with
    /// the condition that it exists: those of static objects, and of the local ones of functions that have not returned.
    fn pointers_to(&mut self, id: ClassId) -> Vec<(TermId, TermId)> {
        let (unit, plan) = (self.tables.unit, self.tables.plan);
        let mut pointers = Vec::new();
        for (number, object) in unit.objects.iter().enumerate() {
            let index = ObjectIndex(number as u32);
            let is_static = matches!(object.storage, Storage::Static { .. });
            if is_static && self.tables.home(index) != Home::Unused {
                let fields = self.fields_to(index, id);
                pointers.extend(fields.into_iter().map(|value| (TermId::TRUE, value)));
            }
        }
        // When the start looks at what exists, all functions have returned.
        if self.body.index == unit.start {
            return pointers;
        }
        for (&object, record) in &plan.holders {
            let fields = self.fields_to(object, id);
            match record {
                Record::Copies(copies) => {
                    let copies = copies.iter().filter(|(variable, _)| {
                        let value = self.body.builder.term(*variable);
                        fields.contains(&value)
                    });
                    let copies = copies.map(|&(_, copy)| self.body.builder.term(copy));
                    pointers.extend(copies.map(|copy| (TermId::TRUE, copy)));
                }
                &Record::Exists(exists) => {
                    let exists = self.body.builder.term(exists);
                    pointers.extend(fields.into_iter().map(|value| (exists, value)));
                }
            }
        }
        pointers
    }

    /// The values of the pointers in an object that may lead to objects of a class.
    fn fields_to(&mut self, object: ObjectIndex, id: ClassId) -> Vec<TermId> {
        let bits = u32::from(self.tables.semantics.pointer_bits);
        let form = self.tables.form(ScalarType::Pointer, bits);
        let spot = self.tables.object_spot(object);
        let leaves = self.tables.unit.objects[object.0 as usize].leaves.iter();
        let pointers = leaves.filter(|leaf| leaf.scalar == ScalarType::Pointer && leaf.count <= 1);
        let mut fields = Vec::new();
        for leaf in pointers {
            let Ok(bit) = i64::try_from(leaf.bit_offset) else {
                continue;
            };
            let place = spot.target.shifted(bit / 8);
            let leads = self.tables.planner.linked_class(self.tables.plan, place) == Some(id);
            if leads && self.tables.next_field(spot.target, bit, bit + 1).is_some() {
                fields.push(self.load(&spot, bit, bits, form));
            }
        }
        fields
    }

    /// Says of the current function's holders which exist when it begins: the parameters, which have their values.
    pub(super) fn begin_holders(&mut self, interface: &Interface) {
        let plan = self.tables.plan;
        for object in self.own_holders() {
            let mut parameters = interface.parameters.iter();
            let is_parameter = parameters.any(|entry| entry.0 == object);
            match plan.holders.get(&object) {
                Some(Record::Copies(copies)) if is_parameter => {
                    for &(variable, copy) in copies {
                        let value = self.body.builder.term(variable);
                        self.body.assign(copy, value);
                    }
                }
                _ => self.set_holder(object, is_parameter),
            }
        }
    }

    /// Says of the current function's holders that they exist no more.
    pub(super) fn end_holders(&mut self) {
        for object in self.own_holders() {
            self.set_holder(object, false);
        }
    }

    /// The current function's holders.
    fn own_holders(&self) -> Vec<ObjectIndex> {
        let holders = &self.tables.plan.holders;
        let locals = self.tables.locals_of(self.body.index).iter();
        locals
            .copied()
            .filter(|object| holders.contains_key(object))
            .collect()
    }

    /// Says of an object, if it is a holder, whether it exists. A pointer that is a variable has no value then that counts.
    pub(super) fn set_holder(&mut self, object: ObjectIndex, exists: bool) {
        match self.tables.plan.holders.get(&object) {
            Some(Record::Copies(copies)) => {
                let null = self.tables.pointer_constant(0);
                for &(_, copy) in copies {
                    self.body.assign(copy, null);
                }
            }
            Some(&Record::Exists(variable)) => {
                let exists = if exists { TermId::TRUE } else { TermId::FALSE };
                self.body.assign(variable, exists);
            }
            None => {}
        }
    }

    /// Whether no object exists on the heap.
    fn nothing_on_heap(&mut self) -> TermId {
        let zero = self.tables.pointer_constant(0);
        let Some(lives) = &self.tables.plan.lives else {
            return TermId::TRUE;
        };
        let mut all = Vec::new();
        for (number, class) in lives.classes.iter().enumerate() {
            if let Some(count) = class.count {
                let none = pool().eq(self.body.builder.term(count), zero);
                let is_gone = self.watched_is_gone(ClassId(number as u32), class);
                all.push(pool().or2(none, is_gone.unwrap_or(TermId::FALSE)));
            }
        }
        pool().and(all)
    }

    /// Whether the watched object of a class does not exist, if one is watched, nor any from a place that makes only one. The
    /// watched one may be any of the others: if this holds whichever it is, none exists. It never holds in a run
    /// ([`InputKind::Watching`]).
    fn watched_is_gone(&mut self, id: ClassId, class: &ClassLives) -> Option<TermId> {
        let (sizes, watched) = (class.sizes_of(Lifetime::Heap)?, class.watched?);
        let sizes = self.body.builder.term(sizes);
        let size = pool().select(sizes, watched.number);
        let is_gone = pool().eq(size, self.tables.pointer_constant(0));
        let (plan, facts) = (self.tables.plan, self.tables.facts);
        let sites = plan.class_by_id(id).sites.iter();
        let sites = sites.filter(|&&site| facts.sites[site].on_heap);
        let single = sites.filter_map(|&site| self.object_of_site(id, site));
        let ended = single.map(|(_, _, exists)| pool().not(exists));
        let ended: Vec<TermId> = ended.collect();
        let watching = self.body.any(Sort::Bool, InputKind::Watching, None);
        let all: Vec<TermId> = ended.into_iter().chain([watching, is_gone]).collect();
        Some(pool().and(all))
    }
}

impl Tables<'_, '_> {
    /// Whether a part of a range that may hold pointers lies in no field.
    fn drops_pointers(&self, destination: &Pointer, size: u64, leaves: &[Leaf]) -> bool {
        let Ok(target) = self.facts.target(destination) else {
            return true;
        };
        let is_pointer = |leaf: &&Leaf| leaf.scalar == ScalarType::Pointer;
        let mut pointers = leaves.iter().filter(is_pointer).peekable();
        let is_missing = |bit: u64, bits: u64| {
            let (from, to) = (i64::try_from(bit), i64::try_from(bit.saturating_add(bits)));
            from.ok()
                .zip(to.ok())
                .is_none_or(|(from, to)| self.next_field(target, from, to).is_none())
        };
        if pointers.peek().is_some() {
            return pointers.any(|leaf| {
                let mut numbers = 0..leaf.count.max(1);
                numbers.any(|number| {
                    let start = leaf.stride.saturating_mul(number);
                    is_missing(leaf.bit_offset.saturating_add(start), leaf.bits.into())
                })
            });
        }
        let bytes = u64::from(self.semantics.pointer_bits / 8);
        let may_hold_one = leaves
            .iter()
            .any(|leaf| leaf.bits == 8 || u64::from(leaf.bits) >= bytes * 8);
        let may_hold_one = may_hold_one || leaves.is_empty();
        may_hold_one && size >= bytes && (0..size).any(|byte| is_missing(byte.saturating_mul(8), 8))
    }
}

/// Whether one of some pointers, each with the condition that it exists, is an address.
fn one_leads(pointers: &[(TermId, TermId)], address: TermId) -> TermId {
    let leads = pointers.iter().map(|&(is_there, pointer)| {
        let leads = pool().eq(pointer, address);
        pool().and2(is_there, leads)
    });
    pool().or(leads.collect::<Vec<_>>())
}
