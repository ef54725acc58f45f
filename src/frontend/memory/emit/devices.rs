//! Accesses to devices and volatile objects; see [`super::super::devices`].

use super::super::devices::{self, Found};
use super::super::layout::RESERVED;
use super::super::walk::{place_bits, start_of};
use super::transfer::{Overlap, Source};
use super::*;
use crate::ir::{Expr, Place};
use crate::memory::limits::MAXIMUM_COMPARED_OBJECTS;
use regatta_program::{AssumptionKind, Doubt};

/// Whether an access through a pointer accesses memory or a device.
#[derive(Copy, Clone, Debug)]
enum Whereabouts {
    Memory,
    Device,
    /// Either, depending on the address.
    Either {
        /// The condition for a device; else it is memory.
        device: TermId,
        /// Whether an address that fails the condition may still be a device's.
        uncertain: bool,
    },
}

/// Whether an access reads or writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Effect {
    Read,
    Write,
}

/// The objects that a pointer may point to.
#[derive(Default)]
struct Objects {
    /// Those that only the program changes.
    own: Vec<ObjectIndex>,
    /// Those that may change by themselves.
    others: Vec<ObjectIndex>,
    /// Whether there are some that are made at run time.
    has_sites: bool,
}

impl Emitter<'_, '_> {
    /// Emits a read from a possible device into the place.
    pub fn read_device(&mut self, place: &Place, source: &Place, name: &str, volatile: bool) {
        match devices::found(self.tables.unit, source, volatile) {
            Found::Device(address) => {
                self.refuse_device();
                self.note_address(address);
                self.read_anything(place, source, InputKind::Volatile(name.to_owned()));
            }
            Found::Memory(Some(object)) if self.tables.unit.signalled.contains(&object) => {
                self.read_signalled(place, source);
            }
            Found::Memory(object) => {
                self.note_unchanged(object, source);
                self.read_memory(place, source);
            }
            Found::Target => self.read_through_pointer(place, source, name, volatile),
        }
    }

    /// Emits a write of a value to a possible device.
    pub fn write_device(&mut self, place: &Place, value: &Expr, volatile: bool) {
        let whereabouts = match devices::found(self.tables.unit, place, volatile) {
            Found::Device(address) => {
                self.refuse_device();
                return self.note_address(address);
            }
            Found::Memory(_) => Whereabouts::Memory,
            Found::Target => self.whereabouts(place, volatile, Effect::Write),
        };
        let value = self.value(value);
        if !matches!(whereabouts, Whereabouts::Memory) {
            self.refuse_device();
        }
        match whereabouts {
            Whereabouts::Memory => self.store_place(place, value),
            Whereabouts::Device => {
                self.note_numbers();
                self.assume_not_null(place);
            }
            Whereabouts::Either { device, .. } => {
                let Some(fork) = self.body.cut() else { return };
                let (memory, after) = (self.body.location(), self.body.location());
                self.body.branch(fork, after, device);
                self.body.branch(fork, memory, pool().not(device));
                self.body.continue_at(memory);
                self.store_place(place, value);
                self.body.check_trouble();
                self.body.finish(after);
                self.body.continue_at(after);
                self.note_numbers();
            }
        }
    }

    /// Makes a volatile object that may change by itself arbitrary before it is copied.
    pub fn change_source(&mut self, source: &Expr) {
        let Some(index) =
            start_of(source).filter(|index| self.tables.unit.volatile.contains(index))
        else {
            return;
        };
        let object = &self.tables.unit.objects[index.0 as usize];
        let changes = match object.storage {
            Storage::Outside => true,
            Storage::Static { .. } => self.tables.unit.devices.change_objects,
            Storage::Literal | Storage::Automatic(_) => false,
        };
        if changes && self.tables.home(index) != Home::Unused {
            let spot = self.tables.object_spot(index);
            let kind = InputKind::Volatile(format!("`{}`", object.name));
            self.transfer(&spot, object.size, Source::Any(kind), Overlap::No);
        }
    }

    /// An access to what may be a device cannot be checked.
    fn refuse_device(&mut self) {
        if self.tables.options.memory_checks.any() {
            self.doubt("the check of an access to what may be a device");
        }
    }

    fn read_through_pointer(&mut self, place: &Place, source: &Place, name: &str, volatile: bool) {
        let kind = InputKind::Volatile(name.to_owned());
        let whereabouts = self.whereabouts(source, volatile, Effect::Read);
        if !matches!(whereabouts, Whereabouts::Memory) {
            self.refuse_device();
        }
        match whereabouts {
            Whereabouts::Memory => {
                self.note_unchanged_target(source, volatile);
                self.read_memory(place, source);
            }
            Whereabouts::Device => {
                self.note_numbers();
                self.assume_not_null(source);
                self.read_anything(place, source, kind);
            }
            Whereabouts::Either { device, uncertain } => {
                let choice =
                    uncertain.then(|| self.body.any(Sort::Bool, InputKind::MemoryModel, None));
                let Some(fork) = self.body.cut() else { return };
                let after = self.body.location();
                let found = self.body.location();
                self.body.branch(fork, found, device);
                self.body.continue_at(found);
                self.note_numbers();
                self.read_anything(place, source, kind);
                self.body.finish(after);
                let is_memory = pool().not(device);
                if let Some(choice) = choice {
                    let found = self.body.location();
                    self.body
                        .branch(fork, found, pool().and([is_memory, choice]));
                    self.body.continue_at(found);
                    let what = "the contents of memory at a computed address";
                    self.read_anything(place, source, InputKind::Unknown(what.to_owned()));
                    self.body.finish(after);
                }
                let found = self.body.location();
                let is_chosen = choice.map_or(TermId::TRUE, |choice| pool().not(choice));
                self.body
                    .branch(fork, found, pool().and([is_memory, is_chosen]));
                self.body.continue_at(found);
                self.note_unchanged_target(source, volatile);
                self.read_memory(place, source);
                self.body.check_trouble();
                self.body.finish(after);
                self.body.continue_at(after);
            }
        }
    }

    /// Emits a read of an object that a signal handler may have written: the stored value, or any value on which no
    /// alarm may rest.
    fn read_signalled(&mut self, place: &Place, source: &Place) {
        let choice = self.body.any(Sort::Bool, InputKind::MemoryModel, None);
        let Some(fork) = self.body.cut() else { return };
        let (memory, changed, after) = (
            self.body.location(),
            self.body.location(),
            self.body.location(),
        );
        self.body.branch(fork, memory, choice);
        self.body.branch(fork, changed, pool().not(choice));
        self.body.continue_at(memory);
        self.read_memory(place, source);
        self.body.check_trouble();
        self.body.finish(after);
        self.body.continue_at(changed);
        let what = "a value that a signal handler writes".to_owned();
        self.read_anything(place, source, InputKind::Unknown(what));
        self.body.finish(after);
        self.body.continue_at(after);
    }

    fn read_memory(&mut self, place: &Place, source: &Place) {
        let value = self.load_place(source);
        self.store_place(place, value);
    }

    /// Stores any value that the source can hold in the place.
    fn read_anything(&mut self, place: &Place, source: &Place, kind: InputKind) {
        let ScalarType::Integer { signed, .. } = source.scalar else {
            return self.nondet(place, kind);
        };
        let Some(field) = source.bit_field else {
            return self.nondet(place, kind);
        };
        let (bits, c_type) = (
            field.bits,
            CScalar::Integer {
                bits: field.bits,
                signed,
            },
        );
        let value = match self.tables.semantics.arithmetic {
            Arithmetic::BitVector => {
                let value = self.body.any(Sort::BitVec(bits), kind, Some(c_type));
                self.tables.widened_bit_field(value, source)
            }
            Arithmetic::Integer => {
                let value = self.body.any(Sort::Int, kind, Some(c_type));
                let (low, high) = match signed {
                    true => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
                    false => (0_i128, (1 << bits) - 1),
                };
                let above = pool().int_le(pool().int_big(low.into()), value);
                let below = pool().int_le(value, pool().int_big(high.into()));
                self.body.assume(pool().and([above, below]));
                value
            }
        };
        self.store_place(place, value);
    }

    /// Whether the address of the place may be that of memory, of a device, or of either.
    fn whereabouts(&mut self, place: &Place, volatile: bool, effect: Effect) -> Whereabouts {
        let target = self.target(&place.address);
        let leaves = volatile && self.tables.facts.may_leave_objects(target);
        let is_low = volatile && self.tables.facts.has_low_pointers();
        let is_number = self.tables.facts.may_be_number(target);
        let is_any =
            self.tables.facts.may_be_forged(target) || self.tables.facts.has_low_pointers();
        let has_ranges = is_any && !self.tables.unit.devices.ranges.is_empty();
        let objects = self.objects_of(target, volatile, effect);
        let is_stored = effect == Effect::Write && !objects.others.is_empty();
        if !leaves && !is_low && !has_ranges && objects.others.is_empty() {
            return Whereabouts::Memory;
        }
        if (leaves || is_low || !objects.others.is_empty())
            && volatile
            && !is_stored
            && objects.own.is_empty()
            && !objects.has_sites
        {
            return Whereabouts::Device;
        }
        let address = self.linear(&place.address);
        let address = self.address_term(&address);
        let (bit, bits) = place_bits(place, self.tables.semantics.pointer_bits);
        let bytes = u64::from((u32::from(bit) + bits).div_ceil(8));
        let mut outside: Vec<TermId> = Vec::new();
        for range in &self.tables.unit.devices.ranges {
            outside.push(self.is_between(address, range.start, range.end));
        }
        if is_low || (volatile && is_number) {
            outside.push(self.is_between(address, 1, RESERVED));
        }
        if is_stored {
            // Objects that may change by themselves are memory for accesses that are not volatile.
            let device = pool().or(outside);
            let uncertain = false;
            return Whereabouts::Either { device, uncertain };
        }
        if leaves && !objects.has_sites && objects.own.len() <= MAXIMUM_COMPARED_OBJECTS {
            let own = objects.own.iter();
            let own: Vec<TermId> = own
                .map(|&one| self.is_within(address, bytes, one))
                .collect();
            let null = pool().eq(address, self.tables.pointer_constant(0));
            let device = pool().not(pool().or2(pool().or(own), null));
            let uncertain = false;
            return Whereabouts::Either { device, uncertain };
        }
        for &object in objects.others.iter().take(MAXIMUM_COMPARED_OBJECTS) {
            outside.push(self.is_within(address, bytes, object));
        }
        Whereabouts::Either {
            device: pool().or(outside),
            uncertain: (leaves && is_number) || objects.others.len() > MAXIMUM_COMPARED_OBJECTS,
        }
    }

    /// The objects of the target's class that are in memory.
    fn objects_of(&mut self, target: Target, volatile: bool, effect: Effect) -> Objects {
        let mut result = Objects::default();
        let Some(id) = self.tables.plan.class_of.get(&target.node) else {
            return result;
        };
        let class = self.tables.plan.class_by_id(*id);
        result.has_sites = !class.sites.is_empty();
        for &object in &class.objects {
            if !matches!(
                self.tables.home(object),
                Home::Static(..) | Home::Dynamic(..)
            ) {
                continue;
            }
            let changes = match self.tables.unit.objects[object.0 as usize].storage {
                Storage::Outside => volatile,
                Storage::Static { .. } => {
                    volatile && effect == Effect::Read && self.tables.unit.devices.change_objects
                }
                Storage::Literal | Storage::Automatic(_) => false,
            };
            match changes {
                true => result.others.push(object),
                false => result.own.push(object),
            }
        }
        result
    }

    /// Whether an address is in the range.
    fn is_between(&mut self, address: TermId, start: u64, end: u64) -> TermId {
        let start = self.tables.pointer_constant(start.into());
        let last = self.tables.pointer_constant(i128::from(end) - 1);
        pool().and([
            self.tables.at_most(start, address),
            self.tables.at_most(address, last),
        ])
    }

    /// Whether the `bytes` bytes at the address lie in the object.
    fn is_within(&mut self, address: TermId, bytes: u64, object: ObjectIndex) -> TermId {
        let size = self.tables.unit.objects[object.0 as usize].size;
        let Some(room) = size.checked_sub(bytes) else {
            return TermId::FALSE;
        };
        let start = self.object_address(object);
        let last = self
            .tables
            .pointer_add(start, self.tables.pointer_constant(room.into()));
        pool().and([
            self.tables.at_most(start, address),
            self.tables.at_most(address, last),
        ])
    }

    /// Assumes that the place's address is not null.
    fn assume_not_null(&mut self, place: &Place) {
        let address = self.linear(&place.address);
        let address = self.address_term(&address);
        let null = self.tables.pointer_constant(0);
        self.body.assume(pool().not(pool().eq(address, null)));
    }

    /// Notes the assumption that the address of a device exists.
    fn note_address(&mut self, address: Option<u64>) {
        let Some(address) = address else { return };
        let mut ranges = self.tables.unit.devices.ranges.iter();
        if !ranges.any(|range| range.contains(&address)) {
            let what = format!(
                "the address {address:#x} exists, and none of the program's objects lies there"
            );
            self.note_assumption(AssumptionKind::Environment, &what, Doubt::Always);
        }
    }

    /// Notes the same assumption for addresses that are not constant.
    fn note_numbers(&mut self) {
        if self.tables.unit.devices.ranges.is_empty() && self.tables.unit.outside.memory.is_none() {
            let what = "volatile pointers that point to no object hold addresses that exist";
            self.note_assumption(AssumptionKind::Environment, what, Doubt::Always);
        }
    }

    /// Notes the assumption that a volatile object of the program does not change by itself.
    fn note_unchanged(&mut self, object: Option<ObjectIndex>, source: &Place) {
        let Some(object) = object else {
            return self.note_unchanged_target(source, true);
        };
        let object = &self.tables.unit.objects[object.0 as usize];
        if let Storage::Static { .. } = object.storage {
            let name = &object.name;
            let what = format!("nothing but the program changes `{name}`, which is volatile");
            self.note_assumption(AssumptionKind::Volatile, &what, Doubt::Always);
        }
    }

    /// Notes the same assumption for the target of a pointer, unless that is a local object that does not escape.
    fn note_unchanged_target(&mut self, source: &Place, volatile: bool) {
        let target = self.target(&source.address);
        let class = self.tables.plan.class_of.get(&target.node);
        let class = class.map(|id| self.tables.plan.class_by_id(*id));
        let is_local = class.is_some_and(|class| {
            let mut objects = class.objects.iter();
            let is_automatic = |object: &ObjectIndex| {
                let storage = self.tables.unit.objects[object.0 as usize].storage;
                matches!(storage, Storage::Automatic(_))
            };
            !class.exposed && class.sites.is_empty() && objects.all(is_automatic)
        });
        if volatile && !is_local {
            let what = "nothing but the program changes its objects that it reads through volatile pointers";
            self.note_assumption(AssumptionKind::Volatile, what, Doubt::Always);
        }
    }
}
