//! Loads and stores of bits in variables and regions.
//!
//! An access with exactly the range of a uniform field reads or writes its variable or element. Every other access is
//! composed of bits: extracted from a variable, or concatenated from a mixed field's elements, the byte at the lowest
//! address being the least significant.

use super::assumptions::Access;
use super::places::{Located, Spot};
use super::*;
use crate::ir::Place;
use crate::memory::analysis::constraints::{Direction, NotAnalysed, View};
use crate::memory::placement::cells::FieldKind;
use crate::memory::placement::plan::FieldHome;
use crate::memory::walk;
use regatta_program::DataModel;
use regatta_term::{FloatFormat, FloatValue};

/// The bits of a field's part that an access touches.
#[derive(Copy, Clone, Debug)]
struct Piece {
    /// First bit, from the access's start.
    from: u32,
    /// Number of bits.
    bits: u32,
}

impl Emitter<'_, '_> {
    /// The value at a place.
    pub fn load_place(&mut self, place: &Place) -> TermId {
        let spot = self.spot(&place.address);
        self.expect_access(spot.target, place, Direction::Load);
        let (bit, bits) = walk::place_bits(place, self.tables.semantics.pointer_bits);
        self.note_access(&spot, self.accessed_bytes(place), Access::Read);
        self.note_bit_field(&spot, bit.into(), bits, place);
        let form = self.tables.form(place.scalar, bits);
        let value = self.load(&spot, bit.into(), bits, form);
        self.tables.widened_bit_field(value, place)
    }

    /// The number of bytes that C accesses at a place. A `long double` of x86 has padding, which is part of it.
    fn accessed_bytes(&self, place: &Place) -> u64 {
        let (bit, bits) = walk::place_bits(place, self.tables.semantics.pointer_bits);
        let is_padded = matches!(place.scalar, ScalarType::Float(FloatFormat::F80));
        match self.tables.unit.data_model {
            DataModel::Ilp32 if is_padded => 12,
            DataModel::Lp64 if is_padded => 16,
            _ => u64::from(u32::from(bit) + bits).div_ceil(8),
        }
    }

    /// Writes a value to a place.
    pub fn store_place(&mut self, place: &Place, value: TermId) {
        let spot = self.spot(&place.address);
        self.expect_access(spot.target, place, Direction::Store);
        let (bit, bits) = walk::place_bits(place, self.tables.semantics.pointer_bits);
        self.note_access(&spot, self.accessed_bytes(place), Access::Write);
        if place.bit_field.is_some() {
            self.note_bit_field(&spot, bit.into(), bits, place);
        }
        let form = self.tables.form(place.scalar, bits);
        let value = match (place.bit_field, form) {
            (Some(_), Representation::Bits(width)) => pool().zero_resize(value, width),
            _ => value,
        };
        self.store(&spot, bit.into(), bits, form, value);
    }

    /// Checks that the points-to analysis has recorded the access. The fields are made from the recorded accesses: any
    /// other access would read nothing, or not what others write.
    fn expect_access(&mut self, target: Target, place: &Place, direction: Direction) {
        let (bit, bits) = walk::place_bits(place, self.tables.semantics.pointer_bits);
        let target = self.tables.facts.graph.canonical(target);
        let start = target.offset.wrapping_mul(8).wrapping_add(bit.into());
        let access = (start, bits, View::from(place.scalar), direction);
        let accesses = self.tables.planner.table.get(&target.node);
        if !accesses.is_some_and(|accesses| accesses.contains(&access)) {
            self.contradict(format_args!("an access: {NotAnalysed}"));
        }
    }

    /// The `bits` bits at offset `bit` from the spot, in the representation.
    pub fn load(&mut self, spot: &Spot, bit: i64, bits: u32, form: Representation) -> TermId {
        if let Some(located) = self.tables.locate(spot.target, bit)
            && Tables::is_whole(&located, bits)
        {
            let representation = located.plan.representation;
            let home = located.plan.home;
            let (class, granule) = (located.class, located.plan.field.granule);
            let value = match home {
                FieldHome::Variable(variable) => self.body.builder.term(variable),
                FieldHome::Region { region, variable } => {
                    let address = spot.shifted(bit.div_euclid(8)).address;
                    let index = self.index(&address, class, granule);
                    self.body.record_walk(region, index);
                    pool().select(self.body.builder.term(variable), index)
                }
                FieldHome::Unsupported => return self.body.unsupported_value(form),
            };
            return self.in_form(value, representation, form, bits);
        }
        if self.tables.semantics.arithmetic == Arithmetic::Integer {
            return self.body.unsupported_value(form);
        }
        let value = self
            .load_bits(spot, bit, bits)
            .unwrap_or_else(|| pool().bv(bits.clamp(1, 128) as u8, 0));
        self.in_form(
            value,
            Representation::Bits(bits.clamp(1, 128) as u8),
            form,
            bits,
        )
    }

    /// Converts a value of `bits` bits to another representation.
    pub fn in_form(
        &mut self,
        value: TermId,
        from: Representation,
        to: Representation,
        bits: u32,
    ) -> TermId {
        let width = bits.clamp(1, 128) as u8;
        match (from, to) {
            _ if from == to => value,
            (Representation::Int, Representation::Bool) => pool().ne(value, pool().int(0)),
            (Representation::Bool, Representation::Int) => self.tables.semantics.truth(value),
            (Representation::Int, _) | (_, Representation::Int) => self.body.unsupported_value(to),
            (_, Representation::Bits(_)) => self.body.bits_of(value, from, width),
            (_, Representation::Bool) => {
                let value = self.body.bits_of(value, from, width);
                pool().ne(value, pool().bv(width, 0))
            }
            (_, Representation::Float(format)) => {
                let value = self.body.bits_of(value, from, width);
                pool().fp_from_bits(
                    pool().zero_resize(value, format.storage_bits() as u8),
                    format,
                )
            }
        }
    }

    /// The bits of a range as a bit vector; `None` if they lie in no field. Bits outside of all fields are zero: the
    /// program cannot observe them.
    pub fn load_bits(&mut self, spot: &Spot, bit: i64, bits: u32) -> Option<TermId> {
        let bits = bits.clamp(1, 128);
        let pieces = self.tables.pieces(spot, bit, bits);
        if pieces.is_empty() {
            return None;
        }
        let mut result: Option<TermId> = None;
        let mut done = 0;
        let append = |term: TermId, result: &mut Option<TermId>| {
            *result = Some(match *result {
                Some(low) => pool().concat(term, low),
                None => term,
            });
        };
        for piece in pieces {
            if piece.from > done {
                append(pool().bv((piece.from - done) as u8, 0), &mut result);
            }
            let value = self.load_piece(spot, bit + i64::from(piece.from), piece.bits);
            append(value, &mut result);
            done = piece.from + piece.bits;
        }
        if done < bits {
            append(pool().bv((bits - done) as u8, 0), &mut result);
        }
        result
    }

    /// Loads bits that lie in one field.
    fn load_piece(&mut self, spot: &Spot, bit: i64, bits: u32) -> TermId {
        let width = bits as u8;
        let Some(Located {
            class,
            plan,
            bit: inner,
        }) = self.tables.locate(spot.target, bit)
        else {
            self.contradict("a piece of a field that is not there");
            return pool().bv(width, 0);
        };
        let (representation, home, kind, granule) = (
            plan.representation,
            plan.home,
            plan.field.kind,
            plan.field.granule,
        );
        let (start, field_bits) = (plan.field.start, plan.field.bits);
        match (home, kind) {
            (FieldHome::Unsupported, _) => self.body.unsupported_value(Representation::Bits(width)),
            (FieldHome::Variable(variable), _) => {
                let whole = self.body.bits_of(
                    self.body.builder.term(variable),
                    representation,
                    field_bits as u8,
                );
                Self::slice(whole, inner, bits)
            }
            (FieldHome::Region { variable, .. }, FieldKind::Uniform(_)) => {
                let address = spot.shifted((bit - inner).div_euclid(8)).address;
                let index = self.index(&address, class, granule);
                let element = pool().select(self.body.builder.term(variable), index);
                let whole = self.body.bits_of(element, representation, field_bits as u8);
                Self::slice(whole, inner, bits)
            }
            (FieldHome::Region { variable, .. }, FieldKind::Mixed) => {
                let region = self.body.builder.term(variable);
                let (first, skipped, count) = Self::elements(start, inner, bits, granule);
                let address = spot.shifted(bit.div_euclid(8) - first).address;
                let index = self.index(&address, class, granule);
                let shift = granule.trailing_zeros();
                let mut whole = pool().select(region, index);
                for number in 1..count {
                    let next = self.tables.index_plus(index, number, shift);
                    whole = pool().concat(pool().select(region, next), whole);
                }
                Self::slice(whole, skipped, bits)
            }
        }
    }

    /// The elements of a mixed field that an access touches: the distance in bytes from the start of the first one to
    /// the byte of the access's first bit, the number of bits to skip in it, and the number of elements.
    fn elements(field_start: i64, inner: i64, bits: u32, granule: u64) -> (i64, i64, i64) {
        let granule = granule as i64;
        // Bits from the start of the field's first byte.
        let position = inner + field_start.rem_euclid(8);
        let first = position.div_euclid(8 * granule);
        let last = (position + i64::from(bits) - 1).div_euclid(8 * granule);
        (
            position.div_euclid(8) - first * granule,
            position - first * 8 * granule,
            last - first + 1,
        )
    }

    fn slice(whole: TermId, from: i64, bits: u32) -> TermId {
        pool().extract(whole, (from + i64::from(bits) - 1) as u8, from as u8)
    }

    /// Stores the value, given in the representation, in the `bits` bits at offset `bit` from the spot.
    pub fn store(&mut self, spot: &Spot, bit: i64, bits: u32, form: Representation, value: TermId) {
        if let Some(located) = self.tables.locate(spot.target, bit)
            && Tables::is_whole(&located, bits)
        {
            let representation = located.plan.representation;
            let home = located.plan.home;
            let (class, granule) = (located.class, located.plan.field.granule);
            let value = self.in_form(value, form, representation, bits);
            match home {
                FieldHome::Variable(target) => self.body.assign(target, value),
                FieldHome::Region { region, .. } => {
                    let address = spot.shifted(bit.div_euclid(8)).address;
                    let index = self.index(&address, class, granule);
                    self.body.push(Operation::Store {
                        region,
                        index,
                        value,
                    });
                }
                FieldHome::Unsupported => {
                    self.body.unsupported_value(form);
                }
            }
            return;
        }
        if self.tables.semantics.arithmetic == Arithmetic::Integer {
            self.body.unsupported_value(form);
            return;
        }
        let width = bits.clamp(1, 128) as u8;
        let value = self.in_form(value, form, Representation::Bits(width), bits);
        self.store_bits(spot, bit, bits, value);
    }

    /// Stores a bit vector in a range; bits outside of all fields are dropped.
    pub fn store_bits(&mut self, spot: &Spot, bit: i64, bits: u32, value: TermId) {
        let pieces = self.tables.pieces(spot, bit, bits.clamp(1, 128));
        let (mut value, mut spot) = (value, spot.clone());
        let several = pieces.len() > 1
            || self.tables.locate(spot.target, bit).is_some_and(|located| {
                located.plan.field.kind == FieldKind::Mixed
                    && matches!(located.plan.home, FieldHome::Region { .. })
            });
        if several {
            // There are several operations: later ones must not see the changes of earlier ones.
            let written = spot.clone();
            let size = u64::from(bits).div_ceil(8) + 1;
            spot = self.frozen_spot(spot, &written, size);
            if self.body.mentions(
                value,
                &self
                    .tables
                    .variables_in(written.target, i64::from(bits) + 8),
            ) {
                value = self.body.freeze(value);
            }
        }
        for piece in pieces {
            let part = Self::slice(value, piece.from.into(), piece.bits);
            self.store_piece(&spot, bit + i64::from(piece.from), piece.bits, part);
        }
    }

    /// Stores bits that lie in one field.
    fn store_piece(&mut self, spot: &Spot, bit: i64, bits: u32, value: TermId) {
        let Some(Located {
            class,
            plan,
            bit: inner,
        }) = self.tables.locate(spot.target, bit)
        else {
            self.contradict("a piece of a field that is not there");
            return;
        };
        let (representation, home, kind, granule) = (
            plan.representation,
            plan.home,
            plan.field.kind,
            plan.field.granule,
        );
        let (start, field_bits) = (plan.field.start, plan.field.bits as u32);
        match (home, kind) {
            (FieldHome::Unsupported, _) => {
                self.body.unsupported_value(Representation::Bool);
            }
            (FieldHome::Variable(variable), _) => {
                let old = self.body.bits_of(
                    self.body.builder.term(variable),
                    representation,
                    field_bits as u8,
                );
                let new = Self::replaced(old, field_bits, inner, bits, value);
                let new = self.in_form(
                    new,
                    Representation::Bits(field_bits as u8),
                    representation,
                    field_bits,
                );
                self.body.assign(variable, new);
            }
            (FieldHome::Region { region, variable }, FieldKind::Uniform(_)) => {
                let address = spot.shifted((bit - inner).div_euclid(8)).address;
                let index = self.index(&address, class, granule);
                let old = pool().select(self.body.builder.term(variable), index);
                let old = self.body.bits_of(old, representation, field_bits as u8);
                let new = Self::replaced(old, field_bits, inner, bits, value);
                let value = self.in_form(
                    new,
                    Representation::Bits(field_bits as u8),
                    representation,
                    field_bits,
                );
                self.body.push(Operation::Store {
                    region,
                    index,
                    value,
                });
            }
            (FieldHome::Region { region, variable }, FieldKind::Mixed) => {
                let contents = self.body.builder.term(variable);
                let (first, skipped, count) = Self::elements(start, inner, bits, granule);
                let address = spot.shifted(bit.div_euclid(8) - first).address;
                let index = self.index(&address, class, granule);
                let shift = granule.trailing_zeros();
                let width = 8 * granule as i64;
                for number in 0..count {
                    let index = self.tables.index_plus(index, number, shift);
                    // The part of the value that goes into this element.
                    let low = (number * width).max(skipped);
                    let high = ((number + 1) * width).min(skipped + i64::from(bits));
                    let part = Self::slice(value, low - skipped, (high - low) as u32);
                    let value = if high - low == width {
                        part
                    } else {
                        let old = pool().select(contents, index);
                        Self::replaced(
                            old,
                            width as u32,
                            low - number * width,
                            (high - low) as u32,
                            part,
                        )
                    };
                    self.body.push(Operation::Store {
                        region,
                        index,
                        value,
                    });
                }
            }
        }
    }

    /// `old` with some of its bits replaced.
    fn replaced(old: TermId, total: u32, from: i64, bits: u32, value: TermId) -> TermId {
        let from = from as u32;
        let mut result = value;
        if from > 0 {
            result = pool().concat(result, Self::slice(old, 0, from));
        }
        let above = from + bits;
        if above < total {
            result = pool().concat(Self::slice(old, above.into(), total - above), result);
        }
        result
    }
}

impl Tables<'_, '_> {
    /// The bits of a bit-field as a value of its declared type.
    pub fn widened_bit_field(&self, value: TermId, place: &Place) -> TermId {
        match (place.bit_field, place.scalar, self.semantics.arithmetic) {
            (Some(_), ScalarType::Integer { bits, signed }, Arithmetic::BitVector) => {
                if signed {
                    pool().sign_resize(value, bits)
                } else {
                    pool().zero_resize(value, bits)
                }
            }
            _ => value,
        }
    }

    /// The pieces of a range, each within one field, without the gaps between fields.
    fn pieces(&self, spot: &Spot, bit: i64, bits: u32) -> Vec<Piece> {
        let end = bit + i64::from(bits);
        let mut pieces = Vec::new();
        let mut from = bit;
        while let Some(start) = self.next_field(spot.target, from, end) {
            let Some(located) = self.locate(spot.target, start) else {
                break;
            };
            let rest = (located.plan.field.bits as i64 - located.bit).max(1);
            let length = rest.min(end - start);
            pieces.push(Piece {
                from: (start - bit) as u32,
                bits: length as u32,
            });
            from = start + length;
        }
        pieces
    }

    fn index_plus(&self, index: TermId, number: i64, shift: u32) -> TermId {
        let number = self.index_constant(number.into(), shift);
        match self.semantics.arithmetic {
            Arithmetic::BitVector => pool().add(index, number),
            Arithmetic::Integer => pool().int_add(index, number),
        }
    }
}

impl Body<'_, '_> {
    fn unsupported_value(&mut self, form: Representation) -> TermId {
        self.note_trouble("memory read or written as values of different kinds");
        pool().value(&regatta_term::Value::zero(form.sort().into()))
    }

    fn bits_of(&mut self, value: TermId, from: Representation, width: u8) -> TermId {
        match from {
            Representation::Bool => pool().bool_to_bv(value, width),
            Representation::Float(format) => {
                pool().zero_resize(self.float_bits(value, format), width)
            }
            Representation::Bits(_) | Representation::Int => value,
        }
    }

    /// The constant of the representation with all bytes equal to `byte`.
    pub fn repeated_byte(&mut self, form: Representation, bits: u32, byte: u8) -> TermId {
        let pattern = u128::from_le_bytes([byte; 16]);
        match form {
            Representation::Bits(width) => pool().bv(width, pattern),
            Representation::Bool => pool().boolean(byte != 0),
            Representation::Float(format) => pool().float(FloatValue::from_bits(format, pattern)),
            Representation::Int if byte == 0 => pool().int(0),
            Representation::Int => {
                let bits = bits.clamp(1, 128) as u8;
                let value = regatta_term::BitVecValue::new(bits, pattern).signed();
                pool().int_big(value.into())
            }
        }
    }
}
