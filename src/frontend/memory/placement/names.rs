//! What the source's names stand for in the program: the variable or the cells of a region that hold each scalar of a
//! named object.

use std::sync::Arc;

use super::cells::FieldKind;
use super::plan::{Class, ClassId, FieldHome, FieldPlan, Home, Plan, Planner};
use crate::ir::{self, Leaf, ObjectIndex, ScalarPlace, ScalarType};
use regatta_program::{CScalar, Cells, DeclaredName, NamedPart, PartHome, RegionId};
use regatta_term::{Pool as _, TermId, store};

/// An object of a class.
struct Member<'p> {
    class: &'p Class,
    /// Where it starts in the class's frame, in bits.
    start: i64,
    /// Its distance in bytes from the address where the indices of its cells begin; `None` if it is not known.
    base: Option<u64>,
}

impl Planner<'_, '_> {
    /// The unit's names, with their parts in the program.
    pub fn names(&self, plan: &Plan) -> Vec<DeclaredName> {
        let declared = self.unit.names.iter().map(|name| {
            let object = name.object;
            DeclaredName {
                name: Arc::clone(&name.name),
                parts: object.map_or_else(Vec::new, |object| self.parts(plan, object, name)),
                address: object.and_then(|object| address(plan, object)),
                size: object.map_or(0, |object| self.unit.objects[object.0 as usize].size),
                begin: name.begin,
                end: name.end,
            }
        });
        declared.collect()
    }

    fn parts(&self, plan: &Plan, object: ObjectIndex, name: &ir::DeclaredName) -> Vec<NamedPart> {
        let (id, base) = match plan.homes[object.0 as usize] {
            Home::Variables(id) => (id, None),
            Home::Static(id, address) => (id, self.base(plan, id, object, address)),
            Home::Unused | Home::Dynamic(..) => return Vec::new(),
        };
        let target = self.facts.graph.canonical(self.facts.object(object));
        let member = Member {
            class: plan.class_by_id(id),
            start: target.offset.wrapping_mul(8),
            base,
        };
        let places = name.places.iter();
        let parts = places.flat_map(|place| member.parts(&name.name, place));
        let bytes = member.bytes(&name.name, self.unit.objects[object.0 as usize].size);
        parts.chain(bytes).collect()
    }

    /// The position of the object, in bytes from where the indices of its class's regions begin.
    fn base(
        &self,
        plan: &Plan,
        class: ClassId,
        object: ObjectIndex,
        address: Option<TermId>,
    ) -> Option<u64> {
        if plan.class_by_id(class).single == Some(object) {
            return Some(0);
        }
        let constant = store().constant(address?)?.to_value();
        match constant {
            regatta_term::Value::BitVec(bits) => u64::try_from(bits.bits()).ok(),
            regatta_term::Value::Int(number) => u64::try_from(&number).ok(),
            _ => None,
        }
    }
}

fn address(plan: &Plan, object: ObjectIndex) -> Option<TermId> {
    match plan.homes[object.0 as usize] {
        Home::Static(_, address) => address,
        Home::Dynamic(..) | Home::Variables(_) | Home::Unused => None,
    }
}

impl Member<'_> {
    /// The parts of the place: one for each scalar if variables hold it, at most one otherwise.
    fn parts(&self, name: &str, place: &ScalarPlace) -> Vec<NamedPart> {
        let Some(c_type) = c_scalar(&place.leaf) else {
            return Vec::new();
        };
        let part = |path: &str, home| NamedPart {
            text: format!("{name}{path}"),
            home,
            c_type,
        };
        let leaf = &place.leaf;
        if !self.class.scalar {
            let cells = self.cells(leaf);
            let home = cells.map(PartHome::Cells);
            let part = home.map(|home| part(&place.path, home));
            return part.into_iter().collect();
        }
        let mut parts = Vec::new();
        for plan in &self.class.fields {
            let offset = (plan.field.start - self.start).unsigned_abs();
            let number = Cells {
                region: RegionId(0),
                first: leaf.bit_offset,
                stride: leaf.stride.max(1),
                count: leaf.count,
            }
            .number(offset);
            if let (Some(number), FieldHome::Variable(variable)) = (number, plan.home)
                && plan.field.bits == u64::from(leaf.bits)
            {
                let path = place.path.replacen("[]", &format!("[{number}]"), 1);
                parts.push(part(&path, PartHome::Variable(variable)));
            }
        }
        parts
    }

    /// The bytes of the object, where it is stored as bytes.
    fn bytes(&self, name: &str, size: u64) -> Vec<NamedPart> {
        let Some(first) = self.base.filter(|_| !self.class.scalar) else {
            return Vec::new();
        };
        let is_bytes = |plan: &&FieldPlan| {
            plan.field.kind == FieldKind::Mixed && plan.field.granule == 1 && size > 0
        };
        let fields = self.class.fields.iter().filter(is_bytes);
        let parts = fields.filter_map(|plan| match plan.home {
            FieldHome::Region { region, .. } => Some(NamedPart {
                text: format!("((unsigned char *)&{name})[]"),
                home: PartHome::Cells(Cells {
                    region,
                    first,
                    stride: 1,
                    count: size,
                }),
                c_type: CScalar::Integer {
                    bits: 8,
                    signed: false,
                },
            }),
            _ => None,
        });
        parts.collect()
    }

    /// The cells of the region that hold the row.
    fn cells(&self, leaf: &Leaf) -> Option<Cells> {
        let position = self.start.checked_add_unsigned(leaf.bit_offset)?;
        let period = i64::try_from(self.class.period.checked_mul(8)?).ok()?;
        let is_repeated = leaf.count > 1;
        let (position, fits) = match period {
            0 => (position, !is_repeated),
            _ => (
                position.rem_euclid(period),
                !is_repeated || leaf.stride.is_multiple_of(period.unsigned_abs()),
            ),
        };
        let plan = self.field(position)?;
        let FieldHome::Region { region, .. } = plan.home else {
            return None;
        };
        let granule = plan.field.granule.max(1);
        let bits = u64::from(leaf.bits);
        let inner = position.checked_sub(plan.field.start)?.unsigned_abs();
        // An element of a mixed field is a granule.
        let is_element = match plan.field.kind {
            FieldKind::Uniform(_) => inner == 0 && plan.field.bits == bits,
            FieldKind::Mixed => {
                let is_aligned = |bits: u64| bits.is_multiple_of(8 * granule);
                bits == 8 * granule && is_aligned(inner) && is_aligned(leaf.bit_offset)
            }
        };
        // The rows of a mixed field may be longer than its period.
        let is_row = fits || (plan.field.kind == FieldKind::Mixed && self.is_all(plan));
        let byte = self.base?.checked_add(leaf.bit_offset / 8)?;
        let is_whole = !is_repeated || leaf.stride.is_multiple_of(8 * granule);
        (is_element && is_row && is_whole).then(|| Cells {
            region,
            first: byte / granule,
            stride: (leaf.stride / 8 / granule).max(1),
            count: leaf.count,
        })
    }

    /// Whether the field is a whole period of its class.
    fn is_all(&self, plan: &FieldPlan) -> bool {
        self.class.period != 0 && plan.field.bits == self.class.period.saturating_mul(8)
    }

    /// The field that contains the bit.
    fn field(&self, bit: i64) -> Option<&FieldPlan> {
        let fields = &self.class.fields;
        let after = fields.partition_point(|plan| plan.field.start <= bit);
        let plan = &fields[after.checked_sub(1)?];
        (bit < plan.field.end()).then_some(plan)
    }
}

/// The C type of the scalar.
fn c_scalar(leaf: &Leaf) -> Option<CScalar> {
    Some(match leaf.scalar {
        ScalarType::Integer { signed, .. } => CScalar::Integer {
            bits: u8::try_from(leaf.bits).ok()?,
            signed,
        },
        ScalarType::Bool => CScalar::Bool,
        ScalarType::Float(_) => CScalar::Float,
        ScalarType::Pointer => CScalar::Pointer,
    })
}
