//! Addresses as linear sums, and the fields at an address.

use super::super::walk::{self, Congruence};
use super::*;
use crate::ir::{BinaryOp, Expr, UnaryOp};
use crate::memory::operators::arithmetic::IntegerType;
use crate::memory::placement::cells::FieldKind;
use crate::memory::placement::plan::{ClassId, FieldHome, FieldPlan, Home};
use regatta_term::{Constant, Pool};

/// What an address starts from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Base {
    Object(ObjectIndex),
    Value(TermId),
}

/// A multiple of an integer.
#[derive(Copy, Clone, Debug)]
pub struct Part {
    pub factor: i128,
    /// The integer, in its own width.
    pub value: TermId,
    /// Its type.
    pub kind: IntegerType,
}

/// An address: the base, plus a constant, plus multiples of terms, in bytes.
#[derive(Clone, Debug)]
pub struct Linear {
    pub base: Base,
    /// The constant offset in bytes.
    pub constant: i128,
    /// Integers with their factors.
    pub parts: Vec<Part>,
}

/// An address together with its target in the points-to analysis.
#[derive(Clone, Debug)]
pub struct Spot {
    pub address: Linear,
    /// Its class, and the offset in the class.
    pub target: Target,
}

impl Spot {
    /// The spot moved by a number of bytes.
    pub fn shifted(&self, bytes: i64) -> Self {
        let mut result = self.clone();
        result.address.constant += i128::from(bytes);
        result.target = result.target.shifted(bytes);
        result
    }
}

/// A field that an access falls into.
#[derive(Copy, Clone, Debug)]
pub struct Located<'b> {
    pub class: ClassId,
    pub plan: &'b FieldPlan,
    /// The offset in bits at which the access starts in it; in a repeated mixed field, within a repetition.
    pub bit: i64,
}

impl<'b> Emitter<'_, 'b> {
    /// The spot of an address expression of the unit.
    pub fn spot(&mut self, address: &Pointer) -> Spot {
        let target = self.target(address);
        Spot {
            address: self.linear(address),
            target,
        }
    }

    /// An address expression as a sum.
    pub fn linear(&mut self, address: &Expr) -> Linear {
        match address {
            Expr::ObjectAddress(object) => Linear {
                base: Base::Object(*object),
                constant: 0,
                parts: Vec::new(),
            },
            Expr::Offset { base, bytes } => {
                let mut result = self.linear(base);
                match walk::byte_distance(bytes) {
                    Congruence {
                        modulus: 0,
                        remainder,
                    } => result.constant += i128::from(remainder),
                    _ => self.add_bytes(&mut result, bytes, 1),
                }
                result
            }
            _ => {
                let value = self.value(address);
                Linear {
                    base: Base::Value(value),
                    constant: 0,
                    parts: Vec::new(),
                }
            }
        }
    }

    /// Adds a number of bytes times a factor; sums and constant factors are distributed, which is exact both in the
    /// modular arithmetic of pointers and on mathematical integers.
    fn add_bytes(&mut self, sum: &mut Linear, bytes: &Expr, factor: i128) {
        let is_address_wide = |scalar: &ScalarType| match scalar {
            ScalarType::Integer { bits, .. } => *bits == self.tables.semantics.pointer_bits,
            _ => false,
        };
        match bytes {
            Expr::Integer { value, .. } => {
                sum.constant = sum.constant.wrapping_add(value.wrapping_mul(factor))
            }
            Expr::Binary {
                op: op @ (BinaryOp::Add | BinaryOp::Subtract),
                left,
                right,
                scalar,
            } if is_address_wide(scalar) => {
                self.add_bytes(sum, left, factor);
                let factor = if *op == BinaryOp::Add {
                    factor
                } else {
                    -factor
                };
                self.add_bytes(sum, right, factor);
            }
            Expr::Binary {
                op: BinaryOp::Multiply,
                left,
                right,
                scalar,
            } if is_address_wide(scalar) => {
                match (walk::constant_integer(left), walk::constant_integer(right)) {
                    (_, Some(value))
                        if value.unsigned_abs() < 1 << 48 && factor.unsigned_abs() < 1 << 48 =>
                    {
                        self.add_bytes(sum, left, factor * value);
                    }
                    (Some(value), _)
                        if value.unsigned_abs() < 1 << 48 && factor.unsigned_abs() < 1 << 48 =>
                    {
                        self.add_bytes(sum, right, factor * value);
                    }
                    _ => self.add_part(sum, bytes, factor),
                }
            }
            Expr::Unary {
                op: UnaryOp::Negate,
                operand,
                scalar,
            } if is_address_wide(scalar) => self.add_bytes(sum, operand, -factor),
            _ => self.add_part(sum, bytes, factor),
        }
    }

    fn add_part(&mut self, sum: &mut Linear, bytes: &Expr, factor: i128) {
        // A widened index keeps its own width: an index of a region is narrower than an address.
        let mut bytes = bytes;
        while let Expr::Convert {
            operand,
            from: ScalarType::Integer { bits: from, signed },
            to:
                ScalarType::Integer {
                    bits: to,
                    signed: to_signed,
                },
        } = bytes
            && from <= to
            && (*to == self.tables.semantics.pointer_bits
                || signed == to_signed
                || (from < to && !signed))
        {
            bytes = operand;
        }
        let scalar = walk::type_of(bytes, self.tables.semantics.pointer_bits);
        let value = self.value(bytes);
        match (self.tables.semantics.integer(scalar), scalar) {
            (Some(kind), ScalarType::Integer { .. } | ScalarType::Pointer) => {
                sum.parts.push(Part {
                    factor,
                    value,
                    kind,
                });
            }
            _ => {
                let to = self.tables.signed_distance();
                let (bits, mode) = (self.tables.semantics.pointer_bits, self.tables.mode());
                let value = self.tables.semantics.convert(value, scalar, to, mode);
                let kind = IntegerType { bits, signed: true };
                sum.parts.push(Part {
                    factor,
                    value,
                    kind,
                });
            }
        }
    }

    /// The address of an object as a term.
    pub fn object_address(&mut self, object: ObjectIndex) -> TermId {
        match self.tables.home(object) {
            Home::Static(_, Some(address)) => address,
            Home::Dynamic(_, variable) => self.body.builder.term(variable),
            // An object with an address that is used as a value is in memory.
            Home::Static(_, None) | Home::Variables(_) | Home::Unused => {
                let name = self.tables.planner.name(object);
                self.contradict(format_args!("the address of `{name}`, which has none"));
                self.tables.pointer_constant(0)
            }
        }
    }

    fn base_term(&mut self, base: Base) -> TermId {
        match base {
            Base::Object(object) => self.object_address(object),
            Base::Value(value) => value,
        }
    }

    /// An address as one term.
    pub fn address_term(&mut self, address: &Linear) -> TermId {
        let mut sum = self.base_term(address.base);
        for &part in &address.parts {
            sum = self.tables.pointer_add(sum, self.tables.scaled(part));
        }
        if address.constant == 0 {
            return sum;
        }
        self.tables
            .pointer_add(sum, self.tables.pointer_constant(address.constant))
    }

    /// The index of the region's element at the address: (address - base) divided by the granule.
    ///
    /// A part that is a multiple of the granule is divided on its own, so that an array's index stays a subterm:
    /// ⌊(p + c·g)/g⌋ = ⌊p/g⌋ + c, also modulo the address space.
    pub fn index(&mut self, address: &Linear, class: ClassId, granule: u64) -> TermId {
        let shift = granule.trailing_zeros();
        let size = i128::from(granule);
        let single = self.tables.plan.class_by_id(class).single;
        let mut rest: Option<TermId> = None;
        let mut constant = address.constant;
        let add = |this: &Self, sum: &mut Option<TermId>, term: TermId| {
            *sum = Some(match *sum {
                Some(sum) => this.tables.pointer_add(sum, term),
                None => term,
            });
        };
        match (address.base, single) {
            (Base::Object(object), Some(single)) if object == single => {}
            (base, _) => {
                let mut term = self.base_term(base);
                if let Some(single) = single {
                    let start = self.object_address(single);
                    term = self.tables.pointer_sub(term, start);
                }
                match self.tables.constant_value(term) {
                    Some(value) => constant += value,
                    None => add(self, &mut rest, term),
                }
            }
        }
        let mut index: Option<TermId> = None;
        for &part in &address.parts {
            if part.factor % size == 0 {
                let narrow = self
                    .tables
                    .resized_part(part, self.tables.semantics.pointer_bits - shift as u8);
                let scaled = self.tables.index_scaled(part.factor / size, narrow, shift);
                self.tables.index_add(&mut index, scaled);
            } else {
                let part = self.tables.scaled(part);
                add(self, &mut rest, part);
            }
        }
        if constant.rem_euclid(size) != 0
            && let Some(rest) = &mut rest
        {
            let low = constant.rem_euclid(size);
            *rest = self
                .tables
                .pointer_add(*rest, self.tables.pointer_constant(low));
        }
        if let Some(rest) = rest {
            let part = match self.tables.semantics.arithmetic {
                Arithmetic::BitVector => {
                    pool().extract(rest, self.tables.semantics.pointer_bits - 1, shift as u8)
                }
                Arithmetic::Integer => pool().int_div(rest, self.tables.pointer_constant(size)),
            };
            self.tables.index_add(&mut index, part);
        }
        let whole = constant.div_euclid(size);
        let constant = self.tables.index_constant(whole, shift);
        match index {
            None => constant,
            Some(index) if whole == 0 => index,
            Some(index) => match self.tables.semantics.arithmetic {
                Arithmetic::BitVector => pool().add(index, constant),
                Arithmetic::Integer => pool().int_add(index, constant),
            },
        }
    }

    /// The spot with an address that does not change when the `size` bytes at `written` are written.
    pub fn frozen_spot(&mut self, spot: Spot, written: &Spot, size: u64) -> Spot {
        let bits = i64::try_from(size.saturating_mul(8)).unwrap_or(i64::MAX);
        let variables = self.tables.variables_in(written.target, bits);
        let base = match spot.address.base {
            Base::Value(value) => Some(value),
            Base::Object(object) => match self.tables.home(object) {
                Home::Dynamic(_, variable) => Some(self.body.builder.term(variable)),
                _ => None,
            },
        };
        let depends = base
            .into_iter()
            .chain(spot.address.parts.iter().map(|part| part.value))
            .any(|term| self.body.mentions(term, &variables));
        if !depends {
            return spot;
        }
        let address = self.address_term(&spot.address);
        let address = self.body.freeze(address);
        Spot {
            address: Linear {
                base: Base::Value(address),
                constant: 0,
                parts: Vec::new(),
            },
            target: spot.target,
        }
    }
}

impl<'b> Tables<'_, 'b> {
    /// The start of an object.
    pub fn object_spot(&self, object: ObjectIndex) -> Spot {
        Spot {
            address: Linear {
                base: Base::Object(object),
                constant: 0,
                parts: Vec::new(),
            },
            target: self.facts.graph.canonical(self.facts.object(object)),
        }
    }

    /// The spot at the address `address`, with the given target.
    pub fn term_spot(&self, address: TermId, target: Target) -> Spot {
        Spot {
            address: Linear {
                base: Base::Value(address),
                constant: 0,
                parts: Vec::new(),
            },
            target: self.facts.graph.canonical(target),
        }
    }

    const fn signed_distance(&self) -> ScalarType {
        ScalarType::Integer {
            bits: self.semantics.pointer_bits,
            signed: true,
        }
    }

    /// A part of an address that is a variable of the pointer's sort.
    pub const fn counter_part(&self, factor: i128, value: TermId) -> Part {
        let kind = IntegerType {
            bits: self.semantics.pointer_bits,
            signed: false,
        };
        Part {
            factor,
            value,
            kind,
        }
    }

    fn resized_part(&self, part: Part, width: u8) -> TermId {
        match (self.semantics.arithmetic, part.kind.signed) {
            (Arithmetic::Integer, _) => part.value,
            (Arithmetic::BitVector, true) => pool().sign_resize(part.value, width),
            (Arithmetic::BitVector, false) => pool().zero_resize(part.value, width),
        }
    }

    fn scaled(&self, part: Part) -> TermId {
        let term = self.resized_part(part, self.semantics.pointer_bits);
        match (part.factor, self.semantics.arithmetic) {
            (1, _) => term,
            (factor, Arithmetic::BitVector) => pool().mul(self.pointer_constant(factor), term),
            (factor, Arithmetic::Integer) => pool().int_mul(self.pointer_constant(factor), term),
        }
    }

    fn constant_value(&self, term: TermId) -> Option<i128> {
        match pool().constant(term)? {
            Constant::BitVec(value) => Some(value.signed()),
            Constant::Int(value) => i128::try_from(value).ok(),
            _ => None,
        }
    }

    /// A constant of the sort of the indices.
    pub fn index_constant(&self, value: i128, shift: u32) -> TermId {
        match self.semantics.arithmetic {
            Arithmetic::BitVector => {
                pool().bv_signed(self.semantics.pointer_bits - shift as u8, value)
            }
            Arithmetic::Integer => pool().int_big(value.into()),
        }
    }

    fn index_scaled(&self, factor: i128, term: TermId, shift: u32) -> TermId {
        if factor == 1 {
            return term;
        }
        let factor = self.index_constant(factor, shift);
        match self.semantics.arithmetic {
            Arithmetic::BitVector => pool().mul(factor, term),
            Arithmetic::Integer => pool().int_mul(factor, term),
        }
    }

    fn index_add(&self, sum: &mut Option<TermId>, term: TermId) {
        *sum = Some(match (*sum, self.semantics.arithmetic) {
            (None, _) => term,
            (Some(sum), Arithmetic::BitVector) => pool().add(sum, term),
            (Some(sum), Arithmetic::Integer) => pool().int_add(sum, term),
        });
    }

    /// The field that contains the bit at offset `bit` from the target, if there is one.
    pub fn locate(&self, target: Target, bit: i64) -> Option<Located<'b>> {
        let target = self
            .facts
            .graph
            .canonical(target.shifted(bit.div_euclid(8)));
        let start = target
            .offset
            .wrapping_mul(8)
            .wrapping_add(bit.rem_euclid(8));
        let class = *self.plan.class_of.get(&target.node)?;
        let fields = &self.plan.class_by_id(class).fields;
        let after = fields.partition_point(|plan| plan.field.start <= start);
        let plan = fields.get(after.checked_sub(1)?)?;
        (start < plan.field.end()).then(|| Located {
            class,
            plan,
            bit: start.wrapping_sub(plan.field.start),
        })
    }

    /// The first bit from `bit` on, but before `end` (both offsets from the target), that lies in a field; `None` if
    /// there is none.
    pub fn next_field(&self, target: Target, bit: i64, end: i64) -> Option<i64> {
        if bit >= end {
            return None;
        }
        if self.locate(target, bit).is_some() {
            return Some(bit);
        }
        let canonical = self
            .facts
            .graph
            .canonical(target.shifted(bit.div_euclid(8)));
        let start = canonical
            .offset
            .wrapping_mul(8)
            .wrapping_add(bit.rem_euclid(8));
        let class = self.plan.class_of.get(&canonical.node)?;
        let class = self.plan.class_by_id(*class);
        let after = class
            .fields
            .partition_point(|plan| plan.field.start <= start);
        let next = match class.fields.get(after) {
            Some(plan) => plan.field.start,
            None if class.period == 0 => return None,
            None => {
                let period = i64::try_from(class.period).ok()?.checked_mul(8)?;
                class.fields.first()?.field.start.checked_add(period)?
            }
        };
        let next = bit.checked_add(next.checked_sub(start)?)?;
        (next < end).then_some(next)
    }

    /// The variables that hold the range, and that a store there may change.
    pub fn variables_in(&self, target: Target, bits: i64) -> Vec<VariableId> {
        let mut result = Vec::new();
        let root = self.facts.graph.canonical(target).node;
        if let Some(id) = self.plan.class_of.get(&root) {
            let whole = self.plan.class_by_id(*id).period != 0;
            let start = self.facts.graph.canonical(target).offset.wrapping_mul(8);
            for plan in self.class_fields(*id) {
                let overlaps =
                    plan.field.start < start.saturating_add(bits) && start < plan.field.end();
                if whole || overlaps {
                    match plan.home {
                        FieldHome::Variable(variable) | FieldHome::Region { variable, .. } => {
                            result.push(variable)
                        }
                        FieldHome::Unsupported => {}
                    }
                }
            }
        }
        result
    }

    /// Whether the access has exactly the range of a uniform field.
    pub const fn is_whole(located: &Located<'_>, bits: u32) -> bool {
        located.bit == 0
            && located.plan.field.bits == bits as u64
            && matches!(located.plan.field.kind, FieldKind::Uniform(_))
    }
}
