//! Objects made at run time.

use super::super::layout::GAP;
use super::super::plan::ArenaKind;
use super::*;
use crate::frontend::ir::BinaryOp;
use crate::program::Lifetime;

impl Emitter<'_, '_> {
    /// Makes an object of so many bytes and gives its address; the path ends if the arena is exhausted.
    pub fn allocate(
        &mut self,
        arena: Option<usize>,
        size: TermId,
        alignment: u64,
        lifetime: Lifetime,
    ) -> TermId {
        let Some(arena) = arena.and_then(|index| self.plan.arenas.get(index)) else {
            self.note_trouble("an object that nothing has planned for");
            return self.pointer_constant(0);
        };
        let unit = alignment.max(16).next_power_of_two();
        let (low, high) = (arena.range.low, arena.range.high);
        let room = high.saturating_sub(low).saturating_sub(2 * GAP + 2 * unit);
        if self.semantics.arithmetic == Arithmetic::Integer {
            let sensible = self.at_most(self.pointer_constant(0), size);
            self.assume(sensible);
        }
        let fits = self.at_most(size, self.pointer_constant(room.into()));
        self.assume(fits);
        let address = match arena.kind {
            ArenaKind::Once => self.pointer_constant(low.next_multiple_of(unit).into()),
            ArenaKind::Up(next) => self.allocate_up(next, size, unit, high),
            ArenaKind::Both { up, down } => {
                self.allocate_either_way(up, down, size, unit, low, high)
            }
        };
        self.push(Operation::Allocate {
            address,
            size,
            lifetime,
        });
        address
    }

    fn at_most(&self, a: TermId, b: TermId) -> TermId {
        self.semantics
            .compare(BinaryOp::LessEqual, [a, b], ScalarType::Pointer)
    }

    /// The multiple of the unit that is reached by going up from the address.
    fn rounded_down(&self, term: TermId, unit: u64) -> TermId {
        match self.semantics.arithmetic {
            Arithmetic::BitVector => pool().bvand(term, self.pointer_constant(-i128::from(unit))),
            Arithmetic::Integer => {
                let rest = pool().int_mod(term, self.pointer_constant(unit.into()));
                pool().int_sub(term, rest)
            }
        }
    }

    /// Bytes from an object's start to where the next may start: its size and a gap, in units of 16.
    fn extent(&self, size: TermId) -> TermId {
        let rounded = self.rounded_down(size, 16);
        self.pointer_add(rounded, self.pointer_constant((GAP + 16).into()))
    }

    fn allocate_up(&mut self, next: VariableId, size: TermId, unit: u64, high: u64) -> TermId {
        let sort = self.pointer_sort();
        let mut start = self.builder.term(next);
        if unit > 16 {
            let last = self.pointer_add(start, self.pointer_constant(i128::from(unit) - 1));
            start = self.rounded_down(last, unit);
        }
        let result = self.temporary(sort);
        self.assign(result, start);
        let address = self.builder.term(result);
        let end = self.pointer_add(address, self.extent(size));
        self.assign(next, end);
        let after = self.builder.term(next);
        let grows = self
            .semantics
            .compare(BinaryOp::Less, [address, after], ScalarType::Pointer);
        self.assume(grows);
        let inside = self.at_most(after, self.pointer_constant(high.into()));
        self.assume(inside);
        address
    }

    /// Above or below everything in the arena, and somewhere within some units: any order and any alignment beyond the
    /// one asked for is possible.
    fn allocate_either_way(
        &mut self,
        up: VariableId,
        down: VariableId,
        size: TermId,
        unit: u64,
        low: u64,
        high: u64,
    ) -> TermId {
        const POSITION_BITS: u8 = 8;
        let sort = self.pointer_sort();
        let upwards = self.any(Sort::Bool, InputKind::MemoryModel, None);
        let position = self.position(POSITION_BITS, unit);
        let slack = self.pointer_constant(i128::from(unit) << POSITION_BITS);
        let extent = self.extent(size);
        let extent = self.pointer_add(extent, slack);
        let above = self.rounded_down(
            self.pointer_add(
                self.builder.term(up),
                self.pointer_constant(i128::from(unit) - 1),
            ),
            unit,
        );
        let below = self.rounded_down(self.pointer_sub(self.builder.term(down), extent), unit);
        let start = self.temporary(sort);
        self.assign(start, pool().ite(upwards, above, below));
        let start = self.builder.term(start);
        let end = self.pointer_add(start, extent);
        let (old_up, old_down) = (self.builder.term(up), self.builder.term(down));
        let compare = |this: &Self, a, b| {
            this.semantics
                .compare(BinaryOp::Less, [a, b], ScalarType::Pointer)
        };
        // Neither end wraps around or leaves the arena.
        let inside = pool().and([
            compare(self, start, end),
            self.at_most(self.pointer_constant(low.into()), start),
            self.at_most(end, self.pointer_constant(high.into())),
        ]);
        self.assume(inside);
        self.assign(up, pool().ite(upwards, end, old_up));
        self.assign(down, pool().ite(upwards, old_down, start));
        let result = self.temporary(sort);
        self.assign(result, self.pointer_add(start, position));
        self.builder.term(result)
    }

    /// Any multiple of the step below `step << bits`.
    pub fn position(&mut self, bits: u8, step: u64) -> TermId {
        let step = self.pointer_constant(step.into());
        match self.semantics.arithmetic {
            Arithmetic::BitVector => {
                let bits = bits.clamp(1, self.semantics.pointer_bits);
                let position = self.any(Sort::BitVec(bits), InputKind::MemoryModel, None);
                pool().mul(
                    step,
                    pool().zero_resize(position, self.semantics.pointer_bits),
                )
            }
            Arithmetic::Integer => {
                let position = self.any(Sort::Int, InputKind::MemoryModel, None);
                let limit = pool().int_big(num_bigint::BigInt::from(1) << bits);
                self.assume(pool().int_le(pool().int(0), position));
                self.assume(pool().int_lt(position, limit));
                pool().int_mul(step, position)
            }
        }
    }
}
