//! The parts of an object that can be initialised.

use super::super::{Lowerer, Result};
use crate::types::{ArrayLength, Type, TypeKind};

/// A part of the initialised object.
#[derive(Copy, Clone, Debug)]
pub(super) struct Target {
    pub ty: Type,
    pub bit_offset: u64,
    pub bit_width: Option<u8>,
}

impl Target {
    pub fn whole(ty: Type) -> Self {
        Self {
            ty,
            bit_offset: 0,
            bit_width: None,
        }
    }
}

impl Lowerer<'_> {
    /// The member at a position; `None` after the last one.
    pub(super) fn member_at(&self, target: Target, position: u64) -> Result<Option<Target>> {
        match *self.types.kind(target.ty) {
            TypeKind::Array { element, length } => {
                let inside = match length {
                    ArrayLength::Constant(length) => position < length,
                    ArrayLength::Unknown => true,
                    _ => {
                        return Err(self.error("a variable-length array is initialised"));
                    }
                };
                if !inside {
                    return Ok(None);
                }
                let size = self.size_of(element)?;
                let offset = position
                    .checked_mul(size)
                    .filter(|&bytes| bytes < 1 << 59)
                    .ok_or_else(|| self.error("an index is out of the array's range"))?;
                Ok(Some(Target {
                    ty: element.qualified(target.ty.qualifiers),
                    bit_offset: target.bit_offset + offset * 8,
                    bit_width: None,
                }))
            }
            TypeKind::Vector { element, count } => {
                let size = self.size_of(element)?;
                Ok((position < count).then(|| Target {
                    ty: element,
                    bit_offset: target.bit_offset + position * size * 8,
                    bit_width: None,
                }))
            }
            TypeKind::Record(id) => {
                let position = usize::try_from(position).unwrap_or(usize::MAX);
                let field = self.types.record(id).fields.get(position);
                Ok(field.map(|field| Target {
                    ty: field.ty,
                    bit_offset: target.bit_offset + field.bit_offset,
                    bit_width: field.bit_width,
                }))
            }
            _ => Ok((position == 0).then_some(target)),
        }
    }

    /// The position of a member by name, and whether it belongs to an anonymous member at that position.
    pub(super) fn member_position(&self, ty: Type, name: &str) -> Option<(u64, bool)> {
        let record = self.types.as_record(ty)?;
        record
            .fields
            .iter()
            .enumerate()
            .find_map(|(position, field)| match &field.name {
                Some(own) => (own == name).then_some((position as u64, false)),
                None => self
                    .types
                    .find_field(field.ty, name)
                    .map(|_| (position as u64, true)),
            })
    }

    /// The end of a part, in bits; `u64::MAX` for an array without a length.
    pub(super) fn end_of(&mut self, target: Target) -> Result<u64> {
        let bits = match target.bit_width {
            Some(bits) => u64::from(bits),
            None if !self.types.is_complete(target.ty) => u64::MAX,
            None => self.size_of(target.ty)?.saturating_mul(8),
        };
        Ok(target.bit_offset.saturating_add(bits))
    }

    pub(super) fn with_length(&mut self, target: Target, length: Option<u64>) -> Target {
        match (self.types.array_parts(target.ty), length) {
            (Some((element, ArrayLength::Unknown)), Some(length)) => Target {
                ty: self.types.array(element, ArrayLength::Constant(length)),
                ..target
            },
            _ => target,
        }
    }

    pub(super) fn check_target(&self, target: Target) -> Result<()> {
        if self.types.as_record(target.ty).is_some() && !self.types.is_complete(target.ty) {
            let ty = self.types.describe(target.ty);
            return Err(self.error(format!("the type `{ty}` is incomplete")));
        }
        Ok(())
    }
}
