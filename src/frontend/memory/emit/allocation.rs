//! Allocation of objects at run time.

use super::super::layout::{AddressSpace, MAXIMUM_SMALL_SIZE, MINIMUM_GAP};
use super::choice::Ends;
use super::*;
use crate::ir::BinaryOp;
use crate::memory::limits::SMALL_SLOT_BITS;
use crate::memory::placement::plan::ArenaKind;
use regatta_program::{DataModel, Lifetime};
use regatta_term::Pool;

impl Emitter<'_, '_> {
    /// Allocates an object of the class with `size` bytes and returns its address. The path ends where an arena is
    /// exhausted: programs do not use up all of their memory (SV-COMP).
    pub fn allocate(
        &mut self,
        id: ClassId,
        site: Option<usize>,
        size: TermId,
        alignment: u64,
        lifetime: Lifetime,
    ) -> TermId {
        let class = self.tables.plan.class_by_id(id);
        let address = if class.observable {
            let ends = match (lifetime, site) {
                (Lifetime::Automatic, Some(_)) => Ends::Unknown,
                (Lifetime::Automatic, None) => Ends::WithFunction,
                (Lifetime::Heap, _) => Ends::Freed,
            };
            self.place_anywhere(size, alignment.max(1).next_power_of_two(), ends)
        } else {
            let slot = self.tables.slot_of(id);
            let once = site.and_then(|site| self.tables.plan.once.get(&site).copied());
            let Some(arena) = once
                .or(class.arena)
                .and_then(|index| self.tables.plan.arenas.get(index))
            else {
                self.contradict("an object made at run time that has no arena");
                return self.tables.pointer_constant(0);
            };
            let unit = alignment.max(16).next_power_of_two();
            let unit = slot.map_or(unit, |bits| unit.max(1 << bits));
            match arena.kind {
                ArenaKind::Once => self.tables.once_address(id, arena.range.low, alignment),
                ArenaKind::Up(next) if slot.is_some() => {
                    self.allocate_slot(id, next, unit, arena.range.high)
                }
                ArenaKind::Up(next) => self.allocate_up(next, size, unit, arena.range.high),
            }
        };
        self.body.push(Operation::Allocate {
            address,
            size,
            lifetime,
        });
        self.record_object(id, site, [address, size], lifetime);
        address
    }

    /// Takes the next slot. Where there are no more, nothing is known of what follows: objects that end free no slots. Of the
    /// small ones, 64-bit addresses have more than a program makes.
    fn allocate_slot(&mut self, id: ClassId, next: VariableId, unit: u64, high: u64) -> TermId {
        let address = self.next_address(next, self.tables.shares_arena(id).then_some(unit));
        let last = i128::from(high) - i128::from(unit);
        let fits = self
            .tables
            .at_most(address, self.tables.pointer_constant(last));
        match self.tables.unit.data_model {
            DataModel::Lp64 if unit <= 1 << SMALL_SLOT_BITS => self.body.assume(fits),
            DataModel::Ilp32 | DataModel::Lp64 => self.body.unsupported_unless(
                fits,
                "more objects than the check of accesses has slots for",
            ),
        }
        let end = self
            .tables
            .pointer_add(address, self.tables.pointer_constant(unit.into()));
        self.body.assign(next, end);
        address
    }

    /// Returns the value of the counter of the next free address, rounded up to a multiple if one is given.
    fn next_address(&mut self, next: VariableId, multiple: Option<u64>) -> TermId {
        let sort = self.tables.pointer_sort();
        let mut start = self.body.builder.term(next);
        if let Some(unit) = multiple {
            let last = self
                .tables
                .pointer_add(start, self.tables.pointer_constant(i128::from(unit) - 1));
            start = self.tables.rounded_down(last, unit);
        }
        let result = self.body.temporary(sort);
        self.body.assign(result, start);
        self.body.builder.term(result)
    }

    fn allocate_up(&mut self, next: VariableId, size: TermId, unit: u64, high: u64) -> TermId {
        let address = self.next_address(next, (unit > 16).then_some(unit));
        let end = self
            .tables
            .pointer_add(address, self.tables.room(size, unit));
        self.body.assign(next, end);
        let after = self.body.builder.term(next);
        let grows =
            self.tables
                .semantics
                .compare(BinaryOp::Less, [address, after], ScalarType::Pointer);
        self.body.assume(grows);
        let inside = self
            .tables
            .at_most(after, self.tables.pointer_constant(high.into()));
        self.body.assume(inside);
        address
    }
}

impl Tables<'_, '_> {
    /// The address of the only object in an arena that begins there.
    pub(super) fn once_address(&self, id: ClassId, low: u64, alignment: u64) -> TermId {
        let unit = alignment.max(16).next_power_of_two();
        let unit = self.slot_of(id).map_or(unit, |bits| unit.max(1 << bits));
        self.pointer_constant(low.next_multiple_of(unit).into())
    }

    /// Whether an object of the size can be allocated at all.
    pub fn is_possible(&self, size: TermId) -> TermId {
        let data_model = self.unit.data_model;
        let most = self.pointer_constant(AddressSpace::largest_object(data_model).into());
        let possible = self.at_most(size, most);
        match self.semantics.arithmetic {
            Arithmetic::BitVector => possible,
            Arithmetic::Integer => {
                pool().and2(self.at_most(self.pointer_constant(0), size), possible)
            }
        }
    }

    pub(super) fn at_most(&self, a: TermId, b: TermId) -> TermId {
        self.semantics
            .compare(BinaryOp::LessEqual, [a, b], ScalarType::Pointer)
    }

    /// The greatest multiple of the unit, a power of two, that is at most the term.
    fn rounded_down(&self, term: TermId, unit: u64) -> TermId {
        match self.semantics.arithmetic {
            Arithmetic::BitVector => pool().bvand(term, self.pointer_constant(-i128::from(unit))),
            Arithmetic::Integer => {
                let rest = pool().int_mod(term, self.pointer_constant(unit.into()));
                pool().int_sub(term, rest)
            }
        }
    }

    /// Bytes from an object's start to the first possible start of the next: its size and a gap, in units of 16.
    pub(super) fn extent(&self, size: TermId) -> TermId {
        let rounded = self.rounded_down(size, 16);
        self.pointer_add(rounded, self.pointer_constant((MINIMUM_GAP + 16).into()))
    }

    /// Bytes from an object's start in an arena to the start of the next. If all are small and of one size, the objects
    /// lie at multiples of a power of two: see [`regatta_program::arena`].
    fn room(&self, size: TermId, unit: u64) -> TermId {
        let constant = pool().bit_vec_constant(size).map(|size| size.bits());
        match constant {
            Some(size)
                if (1..=MAXIMUM_SMALL_SIZE.cast_unsigned()).contains(&size) && unit <= 16 =>
            {
                let room = (size + u128::from(MINIMUM_GAP)).next_power_of_two();
                self.pointer_constant(room.cast_signed())
            }
            _ => self.extent(size),
        }
    }
}
