//! Sizes, alignments, and the scalar members of objects.

use thiserror::Error;

use super::{ArrayLength, FloatKind, IntegerKind, OpaqueKind, Type, TypeKind, TypeTable};
use crate::ir::{Leaf, ScalarType};
use crate::types::limits::MAXIMUM_LEAVES;
use regatta_program::DataModel;
use regatta_term::FloatFormat;

/// Why a type has no size.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LayoutError {
    #[error("the type `{0}` is incomplete")]
    Incomplete(String),
    /// The type is as large as the address space.
    #[error("the type is too large")]
    TooLarge,
    /// A flexible array member is not the last one.
    #[error("a flexible array member is not at the end of its struct")]
    FlexibleNotLast,
    /// The size is known only at run time.
    #[error("the size of the type is not constant")]
    NotConstant,
}

impl TypeTable {
    /// Fails if an object of the size (bytes) is too large: more than half of the address space, or so large that the
    /// number of its bits may overflow.
    pub(super) fn check_size(&self, size: u64) -> Result<(), LayoutError> {
        let limit = match self.model {
            DataModel::Ilp32 => i32::MAX as u64,
            DataModel::Lp64 => 1 << 60,
        };
        if size <= limit {
            Ok(())
        } else {
            Err(LayoutError::TooLarge)
        }
    }

    /// `sizeof` in bytes; one for `void` and functions, as in gcc.
    pub fn size_of(&self, ty: Type) -> Result<u64, LayoutError> {
        Ok(match self.kind(ty) {
            TypeKind::Void | TypeKind::Bool | TypeKind::Function(_) => 1,
            TypeKind::Integer(kind @ IntegerKind::BitInt { .. }) => {
                u64::from(kind.storage_bits(self.model)) / 8
            }
            TypeKind::Integer(kind) => u64::from(kind.storage_bits(self.model))
                .div_ceil(8)
                .next_power_of_two(),
            TypeKind::Enumeration(id) => {
                let enumeration = self.enumeration(*id);
                if !enumeration.complete {
                    return Err(LayoutError::Incomplete(self.describe(ty)));
                }
                u64::from(enumeration.representation.storage_bits(self.model)) / 8
            }
            TypeKind::Float(kind) => self.float_size(*kind),
            TypeKind::Complex(element) => 2 * self.size_of(*element)?,
            TypeKind::Opaque(kind) => {
                let (piece, count) = kind.representation(self.model);
                count * u64::from(piece.bits(self.model)) / 8
            }
            TypeKind::Pointer(_) => u64::from(self.model.pointer_bits()) / 8,
            TypeKind::Array { element, length } => match length {
                ArrayLength::Constant(length) => {
                    let size = self
                        .size_of(*element)?
                        .checked_mul(*length)
                        .ok_or(LayoutError::TooLarge)?;
                    self.check_size(size)?;
                    size
                }
                ArrayLength::Unknown => return Err(LayoutError::Incomplete(self.describe(ty))),
                ArrayLength::Variable(_) | ArrayLength::Unspecified => {
                    return Err(LayoutError::NotConstant);
                }
            },
            TypeKind::Record(id) if self.record(*id).variable.is_some() => {
                return Err(LayoutError::NotConstant);
            }
            TypeKind::Record(id) => match self.record(*id).layout {
                Some((size, _)) => size,
                None => return Err(LayoutError::Incomplete(self.describe(ty))),
            },
            TypeKind::Vector { element, count } => {
                let size = self
                    .size_of(*element)?
                    .checked_mul(*count)
                    .ok_or(LayoutError::TooLarge)?;
                self.check_size(size)?;
                size
            }
        })
    }

    fn float_size(&self, kind: FloatKind) -> u64 {
        match (kind, self.model) {
            (FloatKind::Float16, _) => 2,
            (FloatKind::Float, _) => 4,
            (FloatKind::Double, _) => 8,
            (FloatKind::LongDouble, DataModel::Ilp32) => 12,
            (FloatKind::LongDouble, DataModel::Lp64) | (FloatKind::Float128, _) => 16,
        }
    }

    /// The alignment of an object of the type in bytes, as the ABI guarantees it (`_Alignof`).
    pub fn alignment_of(&self, ty: Type) -> Result<u64, LayoutError> {
        let natural = match self.kind(ty) {
            TypeKind::Void | TypeKind::Function(_) => 1,
            TypeKind::Array { element, .. } => self.alignment_of(*element)?,
            TypeKind::Record(id) => match self.record(*id).layout {
                Some((_, alignment)) => alignment,
                None => return Err(LayoutError::Incomplete(self.describe(ty))),
            },
            TypeKind::Float(kind) => self.float_alignment(*kind),
            TypeKind::Complex(element) => self.alignment_of(*element)?,
            // Wide ones are made of words of the machine.
            TypeKind::Opaque(OpaqueKind::BitInt { .. }) => u64::from(self.model.pointer_bits()) / 8,
            TypeKind::Opaque(_) => self.size_of(ty)?.max(1),
            TypeKind::Vector { .. } => self.size_of(ty)?.next_power_of_two(),
            TypeKind::Integer(kind @ IntegerKind::BitInt { .. }) => {
                let word = u64::from(self.model.pointer_bits()) / 8;
                (u64::from(kind.storage_bits(self.model)) / 8).min(word)
            }
            TypeKind::Integer(kind) if kind.bits(self.model) == 128 => 16,
            _ => {
                let size = self.size_of(ty)?;
                match self.model {
                    DataModel::Ilp32 => size.min(4),
                    DataModel::Lp64 => size,
                }
            }
        };
        // An attribute may also lower the alignment of a typedef name, as gcc allows.
        Ok(ty.requested_alignment().unwrap_or(natural))
    }

    /// The alignment in bytes that gcc prefers for a variable of the type (`__alignof__`): on 32-bit x86 more than the
    /// ABI guarantees for eight-byte scalars.
    pub fn preferred_alignment_of(&self, ty: Type) -> Result<u64, LayoutError> {
        if let Some(requested) = ty.requested_alignment() {
            return Ok(requested);
        }
        match self.kind(ty) {
            TypeKind::Array { element, .. } => self.preferred_alignment_of(*element),
            TypeKind::Integer(IntegerKind::BitInt { .. }) => self.alignment_of(ty),
            TypeKind::Integer(_)
            | TypeKind::Enumeration(_)
            | TypeKind::Float(FloatKind::Double) => self.size_of(ty),
            TypeKind::Complex(element) => self.preferred_alignment_of(*element),
            _ => self.alignment_of(ty),
        }
    }

    fn float_alignment(&self, kind: FloatKind) -> u64 {
        match (kind, self.model) {
            (FloatKind::Float128, _) => 16,
            (FloatKind::Float16, _) => 2,
            (_, DataModel::Ilp32) => 4,
            (_, DataModel::Lp64) => self.float_size(kind),
        }
    }

    /// Whether objects of the type can exist.
    pub fn is_complete(&self, ty: Type) -> bool {
        match self.kind(ty) {
            TypeKind::Void => false,
            TypeKind::Array { element, length } => {
                *length != ArrayLength::Unknown && self.is_complete(*element)
            }
            TypeKind::Record(id) => self.record(*id).layout.is_some(),
            TypeKind::Enumeration(id) => self.enumeration(*id).complete,
            _ => true,
        }
    }

    /// Whether the size is known only at run time.
    pub fn is_variable_size(&self, ty: Type) -> bool {
        match self.kind(ty) {
            TypeKind::Array { element, length } => {
                matches!(length, ArrayLength::Variable(_) | ArrayLength::Unspecified)
                    || self.is_variable_size(*element)
            }
            TypeKind::Record(id) => self.record(*id).variable.is_some(),
            _ => false,
        }
    }

    /// Whether the type depends on a value at run time, also behind pointers.
    pub fn is_variably_modified(&self, ty: Type) -> bool {
        match self.kind(ty) {
            TypeKind::Array { element, length } => {
                matches!(length, ArrayLength::Variable(_) | ArrayLength::Unspecified)
                    || self.is_variably_modified(*element)
            }
            TypeKind::Pointer(target) => self.is_variably_modified(*target),
            TypeKind::Function(function) => self.is_variably_modified(function.result),
            _ => false,
        }
    }

    /// The size and alignment of a scalar (bytes).
    pub fn scalar_layout(&self, scalar: ScalarType) -> (u64, u64) {
        let ilp32 = self.model == DataModel::Ilp32;
        let (size, alignment): (u64, u64) = match scalar {
            ScalarType::Bool => (1, 1),
            ScalarType::Integer { bits, .. } => {
                let size = u64::from(bits).div_ceil(8).next_power_of_two();
                (size, size)
            }
            ScalarType::Float(FloatFormat::F16) => (2, 2),
            ScalarType::Float(FloatFormat::F32) => (4, 4),
            ScalarType::Float(FloatFormat::F64) => (8, 8),
            ScalarType::Float(FloatFormat::F80) if ilp32 => (12, 4),
            ScalarType::Float(FloatFormat::F80 | FloatFormat::F128) => (16, 16),
            ScalarType::Pointer => {
                let size = u64::from(self.model.pointer_bits()) / 8;
                (size, size)
            }
        };
        (size, if ilp32 { alignment.min(4) } else { alignment })
    }

    /// The signed integer type as wide as a pointer.
    pub fn offset_scalar(&self) -> ScalarType {
        ScalarType::Integer {
            bits: self.model.pointer_bits(),
            signed: true,
        }
    }

    /// The unsigned integer type as wide as a pointer.
    pub fn size_scalar(&self) -> ScalarType {
        ScalarType::Integer {
            bits: self.model.pointer_bits(),
            signed: false,
        }
    }

    /// The scalar members of an object of the type, in order of declaration.
    ///
    /// A type with too many different members is represented by its bytes.
    pub fn leaves(&self, ty: Type) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        if self.collect_leaves(ty, 0, &mut leaves) {
            return leaves;
        }
        self.byte_leaves(ty)
    }

    fn byte_leaves(&self, ty: Type) -> Vec<Leaf> {
        match self.size_of(ty) {
            Ok(size) if size > 0 => vec![Leaf {
                bit_offset: 0,
                bits: 8,
                scalar: ScalarType::Integer {
                    bits: 8,
                    signed: false,
                },
                count: size,
                stride: 8,
            }],
            _ => Vec::new(),
        }
    }

    /// Appends the members of a type at the bit offset; returns false if there are too many.
    fn collect_leaves(&self, ty: Type, start: u64, leaves: &mut Vec<Leaf>) -> bool {
        if leaves.len() > MAXIMUM_LEAVES {
            return false;
        }
        if let Some(scalar) = self.scalar(ty) {
            let bits = self.value_bits(ty);
            leaves.push(Leaf {
                bit_offset: start,
                bits,
                scalar,
                count: 1,
                stride: u64::from(bits),
            });
            return true;
        }
        match self.kind(ty) {
            TypeKind::Record(id) => self.record(*id).fields.iter().all(|field| {
                let position = start + field.bit_offset;
                match (field.bit_width, self.scalar(field.ty)) {
                    (Some(width), Some(scalar)) => {
                        leaves.push(Leaf {
                            bit_offset: position,
                            bits: u32::from(width),
                            scalar,
                            count: 1,
                            stride: u64::from(width),
                        });
                        true
                    }
                    _ => self.collect_leaves(field.ty, position, leaves),
                }
            }),
            TypeKind::Array {
                element,
                length: ArrayLength::Constant(length),
            } => self.collect_array_leaves(*element, *length, start, leaves),
            TypeKind::Complex(element) => self.collect_array_leaves(*element, 2, start, leaves),
            TypeKind::Opaque(kind) => {
                let (piece, count) = kind.representation(self.model);
                if count > 0 {
                    let bits = piece.bits(self.model);
                    leaves.push(Leaf {
                        bit_offset: start,
                        bits: u32::from(bits),
                        scalar: ScalarType::Integer {
                            bits,
                            signed: false,
                        },
                        count,
                        stride: u64::from(bits),
                    });
                }
                true
            }
            TypeKind::Vector { element, count } => {
                self.collect_array_leaves(*element, *count, start, leaves)
            }
            _ => true,
        }
    }

    fn collect_array_leaves(
        &self,
        element: Type,
        length: u64,
        start: u64,
        leaves: &mut Vec<Leaf>,
    ) -> bool {
        let Ok(size) = self.size_of(element) else {
            return true;
        };
        if length == 0 || size == 0 {
            return true;
        }
        let element_bits = size * 8;
        let mut inner = Vec::new();
        if !self.collect_leaves(element, start, &mut inner) {
            return false;
        }
        for leaf in inner {
            if leaf.count == 1 {
                leaves.push(Leaf {
                    count: length,
                    stride: element_bits,
                    ..leaf
                });
            } else if leaf.count.checked_mul(leaf.stride) == Some(element_bits) {
                // Adjacent rows form one row.
                leaves.push(Leaf {
                    count: leaf.count * length,
                    ..leaf
                });
            } else if leaf.count <= length {
                for position in 0..leaf.count {
                    leaves.push(Leaf {
                        bit_offset: leaf.bit_offset + position * leaf.stride,
                        count: length,
                        stride: element_bits,
                        ..leaf
                    });
                    if leaves.len() > MAXIMUM_LEAVES {
                        return false;
                    }
                }
            } else {
                for position in 0..length {
                    leaves.push(Leaf {
                        bit_offset: leaf.bit_offset + position * element_bits,
                        ..leaf
                    });
                    if leaves.len() > MAXIMUM_LEAVES {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Width of a scalar's representation without padding, in bits.
    pub(super) fn value_bits(&self, ty: Type) -> u32 {
        match self.kind(ty) {
            TypeKind::Float(kind) => kind.format().storage_bits(),
            _ => self
                .size_of(ty)
                .ok()
                .and_then(|size| u32::try_from(size * 8).ok())
                .unwrap_or(8),
        }
    }
}
