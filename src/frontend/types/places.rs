//! The scalars in an object of a type, with their names in C.

use super::{ArrayLength, Type, TypeKind, TypeTable};
use crate::ir::{Leaf, ScalarPlace};
use crate::types::limits::{MAXIMUM_NAMED_ELEMENTS, MAXIMUM_NAMED_PLACES};

impl TypeTable {
    /// The named scalars in an object of the type, and rows of them at equal distances; only the first ones if there
    /// are too many.
    pub fn places(&self, ty: Type) -> Vec<ScalarPlace> {
        let mut places = self.named(ty);
        places.truncate(MAXIMUM_NAMED_PLACES);
        places
    }

    fn named(&self, ty: Type) -> Vec<ScalarPlace> {
        if let Some(scalar) = self.scalar(ty) {
            let bits = self.value_bits(ty);
            return vec![place(0, bits, scalar)];
        }
        match self.kind(ty) {
            TypeKind::Record(id) => self.members(*id),
            TypeKind::Array {
                element,
                length: ArrayLength::Constant(length),
            } => self.elements(*element, *length),
            TypeKind::Vector { element, count } => self.elements(*element, *count),
            _ => Vec::new(),
        }
    }

    fn members(&self, id: super::RecordId) -> Vec<ScalarPlace> {
        let mut places = Vec::new();
        for field in &self.record(id).fields {
            let prefix = field.name.as_ref().map(|name| format!(".{name}"));
            let prefix = prefix.unwrap_or_default();
            let inner = match (field.bit_width, self.scalar(field.ty)) {
                (Some(width), Some(scalar)) => vec![place(0, width.into(), scalar)],
                _ => self.named(field.ty),
            };
            for mut one in inner {
                one.path.insert_str(0, &prefix);
                one.leaf.bit_offset += field.bit_offset;
                places.push(one);
            }
            if places.len() > MAXIMUM_NAMED_PLACES {
                break;
            }
        }
        places
    }

    fn elements(&self, element: Type, length: u64) -> Vec<ScalarPlace> {
        let Ok(size) = self.size_of(element) else {
            return Vec::new();
        };
        let stride = size.saturating_mul(8);
        let mut places = Vec::new();
        for inner in self.named(element) {
            if inner.leaf.count == 1 && !inner.path.contains("[]") && length > 1 {
                let leaf = Leaf {
                    count: length,
                    stride,
                    ..inner.leaf
                };
                let path = format!("[]{}", inner.path);
                places.push(ScalarPlace { path, leaf });
                continue;
            }
            for number in 0..length.min(MAXIMUM_NAMED_ELEMENTS) {
                let leaf = Leaf {
                    bit_offset: inner.leaf.bit_offset + number * stride,
                    ..inner.leaf
                };
                let path = format!("[{number}]{}", inner.path);
                places.push(ScalarPlace { path, leaf });
            }
            if places.len() > MAXIMUM_NAMED_PLACES {
                break;
            }
        }
        places
    }
}

fn place(bit_offset: u64, bits: u32, scalar: crate::ir::ScalarType) -> ScalarPlace {
    ScalarPlace {
        path: String::new(),
        leaf: Leaf {
            bit_offset,
            bits,
            scalar,
            count: 1,
            stride: u64::from(bits),
        },
    }
}
