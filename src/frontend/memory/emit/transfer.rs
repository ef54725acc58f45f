//! Copies, fills and havocs of ranges of memory.
//!
//! A range is divided into the elements of its class's fields. A few are written one by one; more by a loop over the
//! class's repetitions, with a counter of its own.

use std::ops::Range;

use super::places::{Base, Spot};
use super::*;
use crate::ir::{BinaryOp, Expr};
use crate::memory::analysis::points_to::Target;
use crate::memory::placement::cells::FieldKind;
use crate::memory::placement::plan::{FieldHome, MAXIMUM_UNROLLED_ELEMENTS};
use regatta_term::{Constant, Pool};

/// The new contents of a range.
#[derive(Clone, Debug)]
pub enum Source {
    /// The contents of another range.
    Copy(Spot),
    /// One byte everywhere.
    Byte(u8),
    /// Arbitrary contents.
    Any(InputKind),
}

/// Whether two ranges may overlap without being equal.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// They are equal or disjoint.
    No,
    /// They may.
    Possible,
}

/// An element of a range.
#[derive(Copy, Clone, Debug)]
pub(super) struct Element {
    /// First bit from the range's start.
    pub bit: i64,
    /// Number of bits.
    pub bits: u32,
    /// Its representation.
    pub form: Representation,
    /// Its variable, if it is the whole of one.
    variable: Option<VariableId>,
}

/// Whether inputs of the kind come from functions or objects that the program does not define.
const fn is_from_outside(kind: &InputKind) -> bool {
    matches!(kind, InputKind::Nondet(_) | InputKind::Outside(_))
}

fn bit_number(bit: u64) -> i64 {
    i64::try_from(bit).unwrap_or(i64::MAX)
}

impl Emitter<'_, '_> {
    /// Writes a range of `size` bytes.
    pub fn transfer(&mut self, destination: &Spot, size: u64, source: Source, overlap: Overlap) {
        if !self.body.is_reached() || size == 0 || self.whole_object(destination, size, &source) {
            return;
        }
        // The copy is never read: else the source would count as read, too.
        if let Source::Copy(spot) = &source
            && let Base::Object(object) = spot.address.base
            && self.tables.home(object) == Home::Unused
        {
            return;
        }
        let destination = self.frozen_spot(destination.clone(), destination, size);
        let source = match source {
            Source::Copy(spot) => Source::Copy(self.frozen_spot(spot, &destination, size)),
            other => other,
        };
        let root = self.tables.facts.graph.canonical(destination.target).node;
        let period = self.tables.facts.graph.period(root);
        let repetitions = size.checked_div(period).unwrap_or(1);
        let per_repetition = |this: &Self| {
            this.tables
                .plan
                .class_of
                .get(&root)
                .map_or(0, |id| this.tables.plan.elements(*id, period.max(1)))
        };
        if repetitions > 1
            && repetitions.saturating_mul(per_repetition(self)) > MAXIMUM_UNROLLED_ELEMENTS
            && self.tables.repeats(&source, period)
        {
            let first = self.body.builder.program.inputs.len();
            self.transfer_by_loop(&destination, size, period, &source, overlap);
            // Each of these inputs is read many times, in the loop.
            for input in &mut self.body.builder.program.inputs[first..] {
                input.part = input.part.map(|_| InputPart::Some);
            }
        } else {
            self.transfer_elements(&destination, 0, size, &source, overlap);
        }
    }

    /// Overwrites a single object as a whole, if the range is one; returns whether it is.
    fn whole_object(&mut self, destination: &Spot, size: u64, source: &Source) -> bool {
        let Base::Object(object) = destination.address.base else {
            return false;
        };
        let root = self.tables.facts.graph.canonical(destination.target).node;
        let Some(&id) = self.tables.plan.class_of.get(&root) else {
            return false;
        };
        let class = self.tables.plan.class_by_id(id);
        if class.single != Some(object)
            || destination.address.constant != 0
            || !destination.address.parts.is_empty()
            || self.tables.unit.objects[object.0 as usize].size > size
            || matches!(source, Source::Copy(_))
        {
            return false;
        }
        for plan in self.tables.class_fields(id) {
            let FieldHome::Region { variable, .. } = plan.home else {
                continue;
            };
            let sort = self.body.builder.program.variables[variable.index()].sort;
            match source {
                Source::Byte(byte) => {
                    let Sort::Array { index, .. } = sort else {
                        continue;
                    };
                    let bits = match plan.field.kind {
                        FieldKind::Uniform(_) => plan.field.bits as u32,
                        FieldKind::Mixed => 8 * plan.field.granule as u32,
                    };
                    let element = self.body.repeated_byte(plan.representation, bits, *byte);
                    self.body
                        .assign(variable, pool().const_array(index, element));
                }
                Source::Any(kind) => {
                    let input = self.body.input(kind.clone(), sort, None);
                    if is_from_outside(kind) {
                        let part = self.cells_of(id, variable);
                        self.body.set_part(part);
                    }
                    self.body.push(Operation::Havoc {
                        target: variable,
                        input,
                    });
                }
                Source::Copy(_) => {}
            }
        }
        true
    }

    /// The part of the object that a region of a class with a single object holds.
    pub fn cells_of(&self, id: ClassId, variable: VariableId) -> InputPart {
        let regions = self.tables.class_fields(id);
        let regions = regions
            .iter()
            .filter(|plan| matches!(plan.home, FieldHome::Region { .. } | FieldHome::Variable(_)));
        let program = &self.body.builder.program;
        match program.variables[variable.index()].role {
            Role::Region(region) if regions.count() == 1 => {
                let bytes = program.regions[region.index()].element_bytes;
                u32::try_from(bytes).map_or(InputPart::Some, |bytes| InputPart::Cells { bytes })
            }
            _ => InputPart::Some,
        }
    }

    /// Makes the bits, at offsets from the spot, arbitrary.
    pub fn make_undetermined(&mut self, spot: &Spot, bits: &Range<u64>) {
        for element in self
            .tables
            .elements_between(spot.target, bits.start, bits.end)
        {
            self.store_anything(spot, element, &InputKind::Uninitialised);
        }
    }

    fn transfer_elements(
        &mut self,
        destination: &Spot,
        from: u64,
        to: u64,
        source: &Source,
        overlap: Overlap,
    ) {
        let bits = (from.saturating_mul(8), to.saturating_mul(8));
        let elements = self
            .tables
            .elements_between(destination.target, bits.0, bits.1);
        let mut waiting = Vec::new();
        for element in elements {
            match source {
                Source::Any(kind) => self.store_anything(destination, element, kind),
                Source::Byte(byte) => {
                    let value = self.body.repeated_byte(element.form, element.bits, *byte);
                    self.store(destination, element.bit, element.bits, element.form, value);
                }
                Source::Copy(spot) => {
                    if self
                        .tables
                        .next_field(
                            spot.target,
                            element.bit,
                            element.bit + i64::from(element.bits),
                        )
                        .is_none()
                    {
                        // These bits are never read.
                        continue;
                    }
                    let value = self.load(spot, element.bit, element.bits, element.form);
                    if overlap == Overlap::Possible {
                        let value = self.body.freeze(value);
                        waiting.push((element, value));
                    } else {
                        self.store(destination, element.bit, element.bits, element.form, value);
                    }
                }
            }
        }
        for (element, value) in waiting {
            self.store(destination, element.bit, element.bits, element.form, value);
        }
    }

    fn store_anything(&mut self, destination: &Spot, element: Element, kind: &InputKind) {
        let sort = Sort::from(element.form.sort());
        if let Some(target) = element.variable {
            let c_type = self.body.builder.program.variables[target.index()].c_type;
            let input = self.body.input(kind.clone(), sort, c_type);
            self.body.set_bits(kind, &element);
            self.body.push(Operation::Havoc { target, input });
            return;
        }
        let value = self.body.any(sort, kind.clone(), None);
        self.body.set_bits(kind, &element);
        self.store(destination, element.bit, element.bits, element.form, value);
        self.body.release_temporary(sort);
    }

    fn transfer_by_loop(
        &mut self,
        destination: &Spot,
        size: u64,
        period: u64,
        source: &Source,
        overlap: Overlap,
    ) {
        let count = size / period;
        let backwards = match (overlap, source) {
            (Overlap::Possible, Source::Copy(spot)) => {
                let from = self.address_term(&spot.address);
                let to = self.address_term(&destination.address);
                let condition =
                    self.tables
                        .semantics
                        .compare(BinaryOp::Less, [from, to], ScalarType::Pointer);
                (condition != TermId::FALSE).then_some(condition)
            }
            _ => None,
        };
        let tail = count * period;
        let Some(backwards) = backwards else {
            self.loop_over(destination, count, period, source, Order::Up);
            self.transfer_elements(destination, tail, size, source, Overlap::No);
            return;
        };
        let Some(fork) = self.body.cut() else { return };
        let (up, down, join) = (
            self.body.location(),
            self.body.location(),
            self.body.location(),
        );
        self.body.branch(fork, up, pool().not(backwards));
        self.body.branch(fork, down, backwards);
        self.body.continue_at(up);
        self.loop_over(destination, count, period, source, Order::Up);
        self.transfer_elements(destination, tail, size, source, Overlap::Possible);
        self.body.finish(join);
        self.body.continue_at(down);
        self.transfer_elements(destination, tail, size, source, Overlap::Possible);
        self.loop_over(destination, count, period, source, Order::Down);
        self.body.finish(join);
        self.body.continue_at(join);
    }

    fn loop_over(
        &mut self,
        destination: &Spot,
        count: u64,
        period: u64,
        source: &Source,
        order: Order,
    ) {
        let sort = self.tables.pointer_sort();
        let counter = self.body.temporary(sort);
        let variable = self.body.builder.term(counter);
        let one = self.tables.pointer_constant(1);
        let zero = self.tables.pointer_constant(0);
        let limit = self.tables.pointer_constant(count.into());
        let (first, inside) = match order {
            Order::Up => {
                let less = self.tables.semantics.compare(
                    BinaryOp::Less,
                    [variable, limit],
                    ScalarType::Pointer,
                );
                (zero, less)
            }
            Order::Down => (limit, pool().ne(variable, zero)),
        };
        self.body.assign(counter, first);
        let head = self.body.location();
        self.body.finish(head);
        let (body, exit) = (self.body.location(), self.body.location());
        self.body.branch(head, body, inside);
        self.body.branch(head, exit, pool().not(inside));
        self.body.continue_at(body);
        if order == Order::Down {
            self.body
                .assign(counter, self.tables.pointer_sub(variable, one));
        }
        let step = i128::from(period);
        let mut here = destination.clone();
        here.address
            .parts
            .push(self.tables.counter_part(step, variable));
        let source = match source {
            Source::Copy(spot) => {
                let mut spot = spot.clone();
                spot.address
                    .parts
                    .push(self.tables.counter_part(step, variable));
                Source::Copy(spot)
            }
            other => other.clone(),
        };
        self.transfer_elements(&here, 0, period, &source, Overlap::No);
        if order == Order::Up {
            self.body
                .assign(counter, self.tables.pointer_add(variable, one));
        }
        self.body.finish(head);
        self.body.continue_at(exit);
    }

    /// Fills a new object, with a term as its size; memory behind its end does not change.
    pub fn fill_dynamic(&mut self, start: &Spot, size: TermId, source: &Source) {
        let root = self.tables.facts.graph.canonical(start.target).node;
        let Some(&id) = self.tables.plan.class_of.get(&root) else {
            self.contradict("an object made at run time without a class");
            return;
        };
        let period = self.tables.plan.class_by_id(id).period;
        let known = match pool().constant(size) {
            Some(Constant::BitVec(value)) => u64::try_from(value.bits()).ok(),
            Some(Constant::Int(value)) => u64::try_from(value).ok(),
            _ => None,
        };
        if let Some(size) = known {
            self.transfer(start, size, source.clone(), Overlap::No);
            return;
        }
        if period == 0 {
            let end = self.bits_from(start, id).div_ceil(8);
            self.fill_guarded(start, end, None, size, source);
            return;
        }
        // The last repetition may reach behind the object's end: the gap there is free, if the period fits into it.
        let has_gap = period <= super::super::layout::MINIMUM_GAP
            && !self.tables.plan.class_by_id(id).observable;
        self.repeat(start, period, size, |emitter, here, done| match has_gap {
            true => emitter.transfer_elements(here, 0, period, source, Overlap::No),
            false => emitter.fill_guarded(here, period, Some(done), size, source),
        });
    }

    /// Emits a loop over a range, the size of which is a term, in steps of a number of bytes. `step` emits a round; it gets the
    /// spot where the round begins, and the bytes before it.
    fn repeat(
        &mut self,
        start: &Spot,
        period: u64,
        size: TermId,
        step: impl FnOnce(&mut Self, &Spot, TermId),
    ) {
        let sort = self.tables.pointer_sort();
        let counter = self.body.temporary(sort);
        let variable = self.body.builder.term(counter);
        self.body.assign(counter, self.tables.pointer_constant(0));
        let head = self.body.location();
        self.body.finish(head);
        let inside =
            self.tables
                .semantics
                .compare(BinaryOp::Less, [variable, size], ScalarType::Pointer);
        let (body, exit) = (self.body.location(), self.body.location());
        self.body.branch(head, body, inside);
        self.body.branch(head, exit, pool().not(inside));
        self.body.continue_at(body);
        let mut here = start.clone();
        here.address
            .parts
            .push(self.tables.counter_part(1, variable));
        step(self, &here, variable);
        self.body.assign(
            counter,
            self.tables
                .pointer_add(variable, self.tables.pointer_constant(period.into())),
        );
        self.body.finish(head);
        self.body.continue_at(exit);
    }

    /// Returns how many bits the fields of a class have from a spot on.
    fn bits_from(&self, start: &Spot, id: ClassId) -> u64 {
        let end = self.tables.class_fields(id).last().map_or(0, |plan| {
            plan.field.end() - start.target.offset.wrapping_mul(8)
        });
        u64::try_from(end.max(0)).unwrap_or(0)
    }

    /// Fills a range, the size of which is a term, with one byte. Under a check of memory alone: the range is in an object.
    pub fn fill_range(&mut self, destination: &Pointer, size: &Expr, byte: u8) {
        if matches!(size, Expr::Integer { value: 0, .. }) {
            return;
        }
        let spot = self.spot(destination);
        let address = self.address_term(&spot.address);
        let address = self.body.freeze(address);
        let spot = self.tables.term_spot(address, spot.target);
        let size = self.value(size);
        let size = self.body.freeze(size);
        self.check_range(&spot, size);
        self.refuse_constants(&spot);
        let root = self.tables.facts.graph.canonical(spot.target).node;
        let Some(&id) = self.tables.plan.class_of.get(&root) else {
            return;
        };
        if self.tables.semantics.arithmetic == Arithmetic::Integer {
            let what = "a range of mathematical integers that is filled";
            return self.body.note_trouble(what);
        }
        match self.tables.plan.class_by_id(id).period {
            0 => {
                let end = self.bits_from(&spot, id).div_ceil(8).saturating_mul(8);
                self.fill_elements(&spot, end, size, byte);
            }
            period => self.fill_repetitions(&spot, period, size, byte),
        }
    }

    /// Fills the elements of a class without repetitions that begin before `size` bytes from the start; of the last one, perhaps
    /// only its first bytes.
    fn fill_elements(&mut self, start: &Spot, end: u64, size: TermId, byte: u8) {
        for element in self.tables.elements_between(start.target, 0, end) {
            let first = element.bit.div_euclid(8);
            let last = (element.bit + i64::from(element.bits) + 7).div_euclid(8);
            let [begin, end] = [first, last].map(|at| self.tables.pointer_constant(at.into()));
            let inside = self.tables.at_most(end, size);
            if last - first > 1 {
                let whole = pool().or2(inside, self.tables.at_most(size, begin));
                self.fill_partly_unless(whole, start, element, size, byte);
            }
            let new = self.body.repeated_byte(element.form, element.bits, byte);
            let old = self.load(start, element.bit, element.bits, element.form);
            let value = pool().ite(inside, new, old);
            self.store(start, element.bit, element.bits, element.form, value);
        }
    }

    /// Where the condition does not hold, fills the bytes of an element before `size` bytes from the start.
    fn fill_partly_unless(
        &mut self,
        whole: TermId,
        start: &Spot,
        element: Element,
        size: TermId,
        byte: u8,
    ) {
        let width = u8::try_from(element.bits).unwrap_or(0);
        if element.bit % 8 != 0 || width % 8 != 0 || width == 0 {
            let what = "a value of which a part is filled";
            return self.body.unsupported_unless(whole, what);
        }
        let Some(onward) = self.body.enter_unless(whole) else {
            return;
        };
        let form = Representation::Bits(width);
        let old = self.load(start, element.bit, element.bits, form);
        let new = self.body.repeated_byte(form, element.bits, byte);
        let mut value = old;
        for filled in (8..width).step_by(8) {
            let end = element.bit.div_euclid(8) + i64::from(filled / 8);
            let ends_here = pool().eq(size, self.tables.pointer_constant(end.into()));
            let rest = pool().extract(old, width - 1, filled);
            let part = pool().concat(rest, pool().extract(new, filled - 1, 0));
            value = pool().ite(ends_here, part, value);
        }
        self.store(start, element.bit, element.bits, form, value);
        self.body.finish(onward);
        self.body.continue_at(onward);
    }

    fn fill_repetitions(&mut self, start: &Spot, period: u64, size: TermId, byte: u8) {
        let zero = self.tables.pointer_constant(0);
        let mut rest = zero;
        if period > 1 {
            let step = self.tables.pointer_constant(period.into());
            let scalar = ScalarType::Integer {
                bits: self.tables.semantics.pointer_bits,
                signed: false,
            };
            let mode = self.tables.mode();
            rest = self.tables.semantics.binary(
                BinaryOp::Remainder,
                [size, step],
                scalar,
                scalar,
                mode,
            );
            rest = self.body.freeze(rest);
        }
        let whole = self.body.freeze(self.tables.pointer_sub(size, rest));
        self.repeat(start, period, whole, |emitter, here, _| {
            emitter.transfer_elements(here, 0, period, &Source::Byte(byte), Overlap::No);
        });
        let Some(onward) = self.body.enter_unless(pool().eq(rest, zero)) else {
            return;
        };
        let mut here = start.clone();
        here.address.parts.push(self.tables.counter_part(1, whole));
        self.fill_elements(&here, period.saturating_mul(8), rest, byte);
        self.body.finish(onward);
        self.body.continue_at(onward);
    }

    /// Fills the elements of a range that end within the object; the range starts `done` bytes after the object's
    /// start.
    fn fill_guarded(
        &mut self,
        start: &Spot,
        length: u64,
        done: Option<TermId>,
        size: TermId,
        source: &Source,
    ) {
        for element in self
            .tables
            .elements_between(start.target, 0, length.saturating_mul(8))
        {
            let end = (element.bit + i64::from(element.bits) + 7).div_euclid(8);
            let mut end = self.tables.pointer_constant(end.into());
            if let Some(done) = done {
                end = self.tables.pointer_add(done, end);
            }
            let inside = self.tables.semantics.compare(
                BinaryOp::LessEqual,
                [end, size],
                ScalarType::Pointer,
            );
            let new = match source {
                Source::Any(kind) => self
                    .body
                    .any(element.form.sort().into(), kind.clone(), None),
                _ => self.body.repeated_byte(element.form, element.bits, 0),
            };
            let old = self.load(start, element.bit, element.bits, element.form);
            let value = pool().ite(inside, new, old);
            self.store(start, element.bit, element.bits, element.form, value);
        }
    }
}

impl Tables<'_, '_> {
    /// Whether the source of every repetition has the same target.
    fn repeats(&self, source: &Source, period: u64) -> bool {
        match source {
            Source::Copy(spot) => {
                let next = spot.target.shifted(i64::try_from(period).unwrap_or(0));
                self.facts.graph.canonical(next) == self.facts.graph.canonical(spot.target)
            }
            _ => true,
        }
    }

    /// Whether some access of the program may touch one of the bits, at offsets from the spot.
    pub fn is_accessed(&self, spot: &Spot, bits: &Range<u64>) -> bool {
        let (from, end) = (bit_number(bits.start), bit_number(bits.end));
        self.next_field(spot.target, from, end).is_some()
    }

    /// The elements of a part of the range, bits `from` to `to`.
    pub(super) fn elements_between(&self, target: Target, from: u64, to: u64) -> Vec<Element> {
        let end = bit_number(to);
        let mut elements = Vec::new();
        let mut bit = bit_number(from);
        while let Some(start) = self.next_field(target, bit, end) {
            let Some(located) = self.locate(target, start) else {
                break;
            };
            let field = &located.plan.field;
            let rest = (field.bits as i64 - located.bit).min(end - start).max(1);
            let variable = match located.plan.home {
                FieldHome::Variable(variable) => Some(variable),
                _ => None,
            };
            let whole = located.bit == 0 && rest as u64 == field.bits;
            let (bits, form) = match (field.kind, variable) {
                _ if located.plan.home == FieldHome::Unsupported => {
                    bit = start + rest;
                    continue;
                }
                (FieldKind::Uniform(_), _) if whole => (rest, located.plan.representation),
                (FieldKind::Mixed, None) => {
                    // Up to the end of the granule.
                    let granule = 8 * field.granule as i64;
                    let inside = (located.bit + field.start.rem_euclid(8)).rem_euclid(granule);
                    let bits = rest.min(granule - inside);
                    (bits, Representation::Bits(bits as u8))
                }
                _ => {
                    let bits = rest.min(128);
                    (bits, Representation::Bits(bits as u8))
                }
            };
            elements.push(Element {
                bit: start,
                bits: bits as u32,
                form,
                variable: variable.filter(|_| whole),
            });
            bit = start + bits;
        }
        elements
    }
}

impl Body<'_, '_> {
    /// Marks the last input as these bits of a value from outside.
    fn set_bits(&mut self, kind: &InputKind, element: &Element) {
        if is_from_outside(kind) {
            self.set_part(match u32::try_from(element.bit) {
                Ok(start) => InputPart::Bits {
                    start,
                    count: element.bits,
                },
                Err(_) => InputPart::Some,
            });
        }
    }
}

/// The direction of a loop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Order {
    Up,
    Down,
}
