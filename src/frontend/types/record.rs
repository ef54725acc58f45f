//! Structs and unions: their members and gcc's layout of them.
//!
//! The layout follows the System V ABI as gcc implements it (`stor-layout.c`, `PCC_BITFIELD_TYPE_MATTERS`): a bit-field
//! may not cross more units of its type's alignment than its type spans, an unnamed bit-field does not raise the
//! struct's alignment, one of width zero moves to the next unit, and `packed` reduces every alignment to one byte.
//! Under `#pragma pack`, bit-fields cross units freely and raise the struct's alignment up to the pragma's limit,
//! `packed` or not; bit-fields of width zero are not affected.

use super::layout::LayoutError;
use super::{ArrayLength, RecordId, Type, TypeKind, TypeTable};
use crate::ir::ObjectIndex;
use regatta_program::DataModel;

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    Struct,
    Union,
}

#[derive(Clone, Debug)]
pub struct Record {
    pub kind: RecordKind,
    pub tag: Option<String>,
    /// Its members in order, without unnamed bit-fields; empty while it is incomplete.
    pub fields: Vec<Field>,
    /// Size and alignment in bytes, once it is complete. If the size is known only at run time, it counts as none here.
    pub layout: Option<(u64, u64)>,
    /// What is known of it if it has members of variable size.
    pub variable: Option<VariableLayout>,
    /// Whether an attribute gave it or one of its members an alignment.
    pub is_user_aligned: bool,
}

/// The layout of a struct whose size is known only at run time.
#[derive(Copy, Clone, Debug)]
pub struct VariableLayout {
    /// The object that holds its size in bytes.
    pub size: ObjectIndex,
    /// Its alignment in bytes.
    pub alignment: u64,
}

#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; `None` for an anonymous struct or union.
    pub name: Option<String>,
    /// Its type; the declared one for a bit-field.
    pub ty: Type,
    /// Offset in bits from the record's start, or from where the other offset is.
    pub bit_offset: u64,
    /// Behind a member of variable size: the object that holds an offset from the record's start in bytes.
    pub variable_offset: Option<ObjectIndex>,
    /// A bit-field's width in bits.
    pub bit_width: Option<u8>,
    /// Its alignment within the record in bytes, including attributes and `#pragma pack`.
    pub alignment: u64,
    /// The member that has its number of elements (`counted_by`).
    pub counted_by: Option<String>,
}

/// A member as it is declared, before layout.
#[derive(Clone, Debug)]
pub struct FieldDeclaration {
    /// Its name; `None` for anonymous members and unnamed bit-fields.
    pub name: Option<String>,
    pub ty: Type,
    /// A bit-field's width in bits.
    pub bit_width: Option<u8>,
    /// Whether it is `packed`.
    pub packing: Packing,
    /// The alignment that `aligned` or `_Alignas` requests, in bytes.
    pub alignment: Option<u64>,
    /// The member that has its number of elements (`counted_by`).
    pub counted_by: Option<String>,
}

/// Whether members are aligned to less than their types' alignment.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Packing {
    /// The type's alignment.
    #[default]
    Natural,
    /// `packed`: to bytes, bit-fields to bits.
    Packed,
}

/// The position of a member that was found by name, also within anonymous members.
#[derive(Copy, Clone, Debug)]
pub struct FieldPath {
    /// Its type with the qualifiers of the records around it.
    pub ty: Type,
    /// Offset from the outermost record's start in bits, or from where the other offset is.
    pub bit_offset: u64,
    /// Behind a member of variable size: the object that holds an offset from the outermost record's start in bytes.
    pub variable_offset: Option<ObjectIndex>,
    /// A bit-field's width in bits.
    pub bit_width: Option<u8>,
    /// Its alignment within the innermost record in bytes.
    pub alignment: u64,
}

impl TypeTable {
    /// A new struct or union without members.
    pub fn declare_record(&mut self, kind: RecordKind, tag: Option<String>) -> Type {
        let id = RecordId(self.records.len() as u32);
        self.records.push(Record {
            kind,
            tag,
            fields: Vec::new(),
            layout: None,
            variable: None,
            is_user_aligned: false,
        });
        self.intern(TypeKind::Record(id))
    }

    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    pub fn as_record(&self, of: Type) -> Option<&Record> {
        match self.kind(of) {
            TypeKind::Record(id) => Some(self.record(*id)),
            _ => None,
        }
    }

    /// A struct of ordinary members.
    pub(super) fn simple_record(&mut self, tag: &str, members: &[(&str, Type)]) -> Type {
        let made = self.declare_record(RecordKind::Struct, Some(tag.to_owned()));
        let declarations: Vec<FieldDeclaration> = members
            .iter()
            .map(|&(name, ty)| FieldDeclaration {
                name: Some(name.to_owned()),
                ty,
                bit_width: None,
                packing: Packing::Natural,
                alignment: None,
                counted_by: None,
            })
            .collect();
        if let TypeKind::Record(id) = *self.kind(made) {
            // The members are scalars: the layout cannot fail.
            let _ = self.complete_record(id, &declarations, Packing::Natural, None, None);
        }
        made
    }

    /// Gives a record its members and lays it out.
    pub fn complete_record(
        &mut self,
        id: RecordId,
        declarations: &[FieldDeclaration],
        packing: Packing,
        limit: Option<u64>,
        alignment: Option<u64>,
    ) -> Result<(), LayoutError> {
        let kind = self.record(id).kind;
        let mut layout = RecordLayout {
            kind,
            next_bit: 0,
            end_bit: 0,
            alignment_bits: 8,
            limit,
            fields: Vec::with_capacity(declarations.len()),
        };
        let last = declarations.len().saturating_sub(1);
        for (position, declaration) in declarations.iter().enumerate() {
            let packing = match declaration.packing {
                Packing::Packed => Packing::Packed,
                Packing::Natural => packing,
            };
            match declaration.bit_width {
                Some(width) => layout.bit_field(self, declaration, width, packing)?,
                None => {
                    // A flexible array member. gcc rejects one before the end, but accepts an array of length zero
                    // anywhere.
                    let flexible = matches!(
                        self.kind(declaration.ty),
                        TypeKind::Array {
                            length: ArrayLength::Unknown,
                            ..
                        }
                    );
                    if flexible && position != last && kind == RecordKind::Struct {
                        return Err(LayoutError::FlexibleNotLast);
                    }
                    layout.member(self, declaration, packing, flexible)?;
                }
            }
        }
        if let Some(alignment) = alignment {
            layout.alignment_bits = layout.alignment_bits.max(alignment.saturating_mul(8));
        }
        let end = layout
            .end_bit
            .checked_next_multiple_of(layout.alignment_bits)
            .ok_or(LayoutError::TooLarge)?;
        let size = end / 8;
        self.check_size(size)?;
        let is_user_aligned = alignment.is_some()
            || declarations.iter().any(|declaration| {
                declaration.alignment.is_some() || self.is_user_aligned(declaration.ty)
            });
        let record = &mut self.records[id.0 as usize];
        record.is_user_aligned = is_user_aligned;
        record.fields = layout.fields;
        record.layout = Some((size, layout.alignment_bits / 8));
        Ok(())
    }

    /// Gives a record with members of variable size its members and its layout.
    pub fn complete_variable_record(
        &mut self,
        id: RecordId,
        fields: Vec<Field>,
        layout: VariableLayout,
    ) {
        let record = &mut self.records[id.0 as usize];
        record.fields = fields;
        record.layout = Some((0, layout.alignment));
        record.variable = Some(layout);
    }

    /// Finds a member by name, also within anonymous members.
    pub fn find_field(&self, of: Type, name: &str) -> Option<FieldPath> {
        let record = self.as_record(of)?;
        for field in &record.fields {
            let ty = field.ty.qualified(of.qualifiers);
            match &field.name {
                Some(own) if own == name => {
                    return Some(FieldPath {
                        ty,
                        bit_offset: field.bit_offset,
                        variable_offset: field.variable_offset,
                        bit_width: field.bit_width,
                        alignment: field.alignment,
                    });
                }
                Some(_) => {}
                None => {
                    if let Some(found) = self.find_field(ty, name) {
                        return Some(FieldPath {
                            bit_offset: found.bit_offset + field.bit_offset,
                            ..found
                        });
                    }
                }
            }
        }
        None
    }

    /// The alignment of a member of the type in bytes, which is its `_Alignof`: on 32-bit x86, scalars of eight bytes
    /// are aligned to four, and so are structs and unions that have the machine mode of one (`x86_field_alignment`).
    pub fn member_alignment_of(&self, ty: Type) -> Result<u64, LayoutError> {
        let alignment = self.alignment_of(ty)?;
        if self.model == DataModel::Lp64 || ty.requested_alignment().is_some() {
            return Ok(alignment);
        }
        let innermost = self.innermost(ty);
        if innermost.requested_alignment().is_some() {
            return Ok(alignment);
        }
        Ok(match self.kind(innermost) {
            TypeKind::Vector { .. } | TypeKind::Float(_) | TypeKind::Opaque(_) => alignment,
            TypeKind::Record(id) if self.record(*id).is_user_aligned => alignment,
            TypeKind::Record(_) if !self.has_scalar_mode(innermost) => alignment,
            _ => alignment.min(4),
        })
    }

    /// The innermost element type of an array type, else the type itself.
    fn innermost(&self, mut ty: Type) -> Type {
        while let TypeKind::Array { element, .. } = self.kind(ty) {
            ty = *element;
        }
        ty
    }

    /// Whether an attribute gave the type or a part of it an alignment.
    fn is_user_aligned(&self, ty: Type) -> bool {
        let innermost = self.innermost(ty);
        ty.is_user_aligned()
            || innermost.is_user_aligned()
            || self
                .as_record(innermost)
                .is_some_and(|record| record.is_user_aligned)
    }

    /// Whether gcc treats values of the type in 32-bit code as scalars (`TYPE_MODE` is not `BLKmode`): a record
    /// or an array does if its size is that of a scalar, and all its members do.
    fn has_scalar_mode(&self, ty: Type) -> bool {
        let has_size = || matches!(self.size_of(ty), Ok(1 | 2 | 4 | 8));
        let is_empty = |ty| matches!(self.size_of(ty), Ok(0));
        match self.kind(ty) {
            TypeKind::Record(id) => {
                let mut fields = self.record(*id).fields.iter();
                has_size()
                    && fields.all(|field| is_empty(field.ty) || self.has_scalar_mode(field.ty))
            }
            TypeKind::Array { element, .. } => has_size() && self.has_scalar_mode(*element),
            _ => true,
        }
    }
}

/// The state of the layout of one record.
struct RecordLayout {
    kind: RecordKind,
    next_bit: u64,
    end_bit: u64,
    alignment_bits: u64,
    /// The largest alignment of a member in bytes (`#pragma pack`).
    limit: Option<u64>,
    fields: Vec<Field>,
}

impl RecordLayout {
    fn limited(&self, alignment: u64) -> u64 {
        self.limit.map_or(alignment, |limit| alignment.min(limit))
    }

    fn place(&mut self, position: u64, bits: u64) -> Result<(), LayoutError> {
        let end = position.checked_add(bits).ok_or(LayoutError::TooLarge)?;
        self.end_bit = self.end_bit.max(end);
        if self.kind == RecordKind::Struct {
            self.next_bit = end;
        }
        Ok(())
    }

    fn member(
        &mut self,
        table: &TypeTable,
        declaration: &FieldDeclaration,
        packing: Packing,
        flexible: bool,
    ) -> Result<(), LayoutError> {
        let mut alignment = match packing {
            Packing::Natural => table.member_alignment_of(declaration.ty)?,
            Packing::Packed => 1,
        };
        if let Some(requested) = declaration.alignment {
            alignment = alignment.max(requested);
        }
        let alignment = self.limited(alignment);
        let size = if flexible {
            0
        } else {
            table.size_of(declaration.ty)?
        };
        let alignment_bits = alignment * 8;
        self.alignment_bits = self.alignment_bits.max(alignment_bits);
        let position = self
            .next_bit
            .checked_next_multiple_of(alignment_bits)
            .ok_or(LayoutError::TooLarge)?;
        self.place(position, size * 8)?;
        self.fields.push(Field {
            name: declaration.name.clone(),
            ty: declaration.ty,
            bit_offset: position,
            variable_offset: None,
            bit_width: None,
            alignment,
            counted_by: declaration.counted_by.clone(),
        });
        Ok(())
    }

    fn bit_field(
        &mut self,
        table: &TypeTable,
        declaration: &FieldDeclaration,
        width: u8,
        packing: Packing,
    ) -> Result<(), LayoutError> {
        let type_bits = table.size_of(declaration.ty)? * 8;
        let natural = table.member_alignment_of(declaration.ty)? * 8;
        let requested = match (declaration.alignment, width) {
            (Some(bytes), 0) => Some(bytes * 8),
            (Some(bytes), _) => Some(self.limited(bytes) * 8),
            (None, _) => None,
        };
        let mut position = self.next_bit;
        if let Some(requested) = requested {
            position = position
                .checked_next_multiple_of(requested)
                .ok_or(LayoutError::TooLarge)?;
        }
        if width == 0 {
            position = position
                .checked_next_multiple_of(natural)
                .ok_or(LayoutError::TooLarge)?;
            return self.place(position, 0);
        }
        let width = u64::from(width);
        if packing == Packing::Natural && self.limit.is_none() {
            let units = (position % natural + width).div_ceil(natural);
            if units > type_bits / natural {
                position = position
                    .checked_next_multiple_of(natural)
                    .ok_or(LayoutError::TooLarge)?;
            }
        }
        if declaration.name.is_some() {
            let alignment = match (self.limit, packing) {
                (Some(limit), _) => natural.min(limit.saturating_mul(8)),
                (None, Packing::Natural) => natural,
                (None, Packing::Packed) => 8,
            };
            self.alignment_bits = self.alignment_bits.max(alignment);
        }
        if let Some(requested) = requested {
            self.alignment_bits = self.alignment_bits.max(requested);
        }
        self.place(position, width)?;
        if declaration.name.is_some() {
            self.fields.push(Field {
                name: declaration.name.clone(),
                ty: declaration.ty,
                bit_offset: position,
                variable_offset: None,
                bit_width: Some(width as u8),
                alignment: natural / 8,
                counted_by: None,
            });
        }
        Ok(())
    }
}
