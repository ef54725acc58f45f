//! Structs with members of variable size, an extension of gcc.
//!
//! The declaration of such a struct computes its size and the offsets of the members behind the first one of variable
//! size into objects of type `size_t`. The members before have constant offsets, as in any struct.

use super::specifier::Attributes;
use crate::ir::{BinaryOp, Expr, Instruction, ObjectIndex};
use crate::library;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::Value;
use crate::lower::{Lowerer, Result};
use crate::memory::layout::AddressSpace;
use crate::types::record::{FieldDeclaration, Packing};
use crate::types::{ArrayLength, Field, RecordId, RecordKind, Type, TypeKind, VariableLayout};

impl Lowerer<'_> {
    /// Lays out a struct if it has members of variable size; returns whether it has.
    pub(in crate::lower) fn define_variable_record(
        &mut self,
        id: RecordId,
        members: &[FieldDeclaration],
        body: &Attributes,
    ) -> Result<bool> {
        let is_variable = |member: &FieldDeclaration| self.types.is_variable_size(member.ty);
        let Some(first) = members.iter().position(is_variable) else {
            return Ok(false);
        };
        let is_union = self.types.record(id).kind == RecordKind::Union;
        let (before, rest) = members.split_at(first);
        let is_open = |member: &FieldDeclaration| {
            let is_packed = body.packing == Packing::Packed || member.packing == Packing::Packed;
            member.name.is_none() || (member.bit_width.is_some() && !is_packed)
        };
        // In a prototype at file scope, the size cannot be computed.
        if is_union || self.is_in_start() || rest.iter().any(is_open) {
            let what = "a variable-length array as a member, and such members beside it,";
            return Err(self.error(format!("{what} is not supported")));
        }
        let mut fields = Vec::with_capacity(members.len());
        let mut alignment = body.alignment.unwrap_or(1);
        // The first one has the offset of an array without elements.
        let mut group = before.to_vec();
        group.extend(rest.first().map(|member| self.without_length(member)));
        let mut end = fold::integer(0, self.types.offset_scalar());
        let mut index = first;
        loop {
            let (made, own_alignment) = self.laid_out_alone(&group, body)?;
            alignment = alignment.max(own_alignment);
            let base = match index == first {
                true => None,
                false => Some(self.aligned_end(end.clone(), own_alignment)),
            };
            fields.extend(made.into_iter().map(|field| Field {
                variable_offset: base,
                ..field
            }));
            if let Some(last) = fields.last_mut().filter(|_| !group.is_empty()) {
                last.ty = members[index].ty;
            }
            end = self.end_of_member(&members[index], fields.last(), base)?;
            index += 1;
            if index == members.len() {
                break;
            }
            // Adjacent bit-fields share units without a gap.
            let start = index;
            while members[index].bit_width.is_some()
                && members
                    .get(index + 1)
                    .is_some_and(|next| next.bit_width.is_some())
            {
                index += 1;
            }
            let members = members[start..=index].iter();
            group = members.map(|member| self.without_length(member)).collect();
        }
        let size = self.aligned_end(end, alignment);
        let layout = VariableLayout { size, alignment };
        self.types.complete_variable_record(id, fields, layout);
        Ok(true)
    }

    /// Replaces a member of variable size by an array without elements, which has the same offset and alignment.
    fn without_length(&mut self, member: &FieldDeclaration) -> FieldDeclaration {
        let mut member = member.clone();
        if self.types.is_variable_size(member.ty) {
            let mut element = member.ty;
            while let TypeKind::Array { element: inner, .. } = *self.types.kind(element) {
                element = inner;
            }
            if let TypeKind::Record(id) = *self.types.kind(element)
                && let Some(layout) = self.types.record(id).variable
            {
                member.alignment = member.alignment.max(Some(layout.alignment));
                element = Type::CHAR;
            }
            member.ty = self.types.array(element, ArrayLength::Constant(0));
        }
        member
    }

    /// The fields of a struct that has only these members, and its alignment.
    fn laid_out_alone(
        &mut self,
        members: &[FieldDeclaration],
        body: &Attributes,
    ) -> Result<(Vec<Field>, u64)> {
        let alone = self.types.declare_record(RecordKind::Struct, None);
        let TypeKind::Record(id) = *self.types.kind(alone) else {
            return Ok((Vec::new(), 1));
        };
        let completed = self
            .types
            .complete_record(id, members, body.packing, body.pack, None);
        completed.map_err(|error| self.error(error.to_string()))?;
        let record = self.types.record(id);
        let alignment = record.layout.map_or(1, |(_, alignment)| alignment);
        Ok((record.fields.clone(), alignment))
    }

    /// Stores an offset, rounded up to an alignment, in a new object.
    fn aligned_end(&mut self, end: Expr, alignment: u64) -> ObjectIndex {
        let scalar = self.types.offset_scalar();
        let number = |value: u64| fold::integer(i128::from(value), scalar);
        let raised = fold::binary(BinaryOp::Add, end, number(alignment - 1), scalar);
        let mask = fold::integer(-i128::from(alignment), scalar);
        let aligned = match alignment {
            1 => raised,
            _ => fold::binary(BinaryOp::And, raised, mask, scalar),
        };
        let object = self.temporary(scalar);
        let place = self.object_place(object, scalar);
        self.emit_fresh(Instruction::Assign {
            place,
            value: aligned,
        });
        object
    }

    /// The end of a member, in bytes from the struct's start; assumed not to exceed the largest object.
    fn end_of_member(
        &mut self,
        member: &FieldDeclaration,
        field: Option<&Field>,
        base: Option<ObjectIndex>,
    ) -> Result<Expr> {
        let scalar = self.types.offset_scalar();
        let bits = field.map_or(0, |field| {
            field.bit_offset + u64::from(field.bit_width.unwrap_or(0))
        });
        let mut start = fold::integer(i128::from(bits.div_ceil(8)), scalar);
        if let Some(base) = base {
            let base = self.load_visible(base, scalar);
            start = fold::binary(BinaryOp::Add, base, start, scalar);
        }
        if member.bit_width.is_some() {
            return Ok(start);
        }
        if self.types.is_variable_size(member.ty) {
            self.assume_lengths(member.ty)?;
        }
        let size = self.size_expression(member.ty)?;
        let end = fold::binary(BinaryOp::Add, start, size, scalar);
        let end = self.store_fresh(end, scalar);
        let largest = AddressSpace::largest_object(self.input.data_model());
        let most = fold::integer(i128::from(largest / 2), scalar);
        let fits = fold::binary(BinaryOp::LessEqual, end.clone(), most, scalar);
        let zero = fold::integer(0, scalar);
        let is_number = fold::binary(BinaryOp::GreaterEqual, end.clone(), zero, scalar);
        self.emit(Instruction::Assume(is_number));
        self.emit(Instruction::Assume(fits));
        Ok(end)
    }

    /// Copies an object of variable size.
    pub(in crate::lower) fn copy_variable(
        &mut self,
        target: Expr,
        source: Expr,
        ty: Type,
    ) -> Result<()> {
        let size = self.size_expression(ty)?;
        let size = fold::convert(size, self.types.offset_scalar(), self.types.size_scalar());
        let pointer = self.types.pointer(Type::VOID);
        let values = vec![
            Value::scalar(target, pointer),
            Value::scalar(source, pointer),
            Value::scalar(size, self.types.size_type()),
        ];
        match library::lookup("__regatta_memmove") {
            Some(known) => self.call_quietly(&known, values),
            None => Err(self.error("the library has no `memmove`")),
        }
    }
}
