//! Self-contained C definitions of types, for a file that is linked with the program and does not see its declarations.

use std::fmt::Write as _;

use super::{
    ArrayLength, Field, IntegerKind, Record, RecordId, RecordKind, Type, TypeKind, TypeTable,
};
use regatta_program::ReturnType;

impl TypeTable {
    /// A function's result type.
    pub fn return_type(&self, ty: Type) -> ReturnType {
        if self.is_void(ty) {
            return ReturnType::Void;
        }
        if let Some(name) = self.scalar_text(ty) {
            return ReturnType::Scalar(name);
        }
        let mut definitions = Definitions {
            types: self,
            made: Vec::new(),
            texts: Vec::new(),
        };
        match (self.kind(ty), self.size_of(ty)) {
            (TypeKind::Record(id), Ok(size)) if definitions.define(*id).is_some() => {
                ReturnType::Record {
                    name: self.record_text(*id),
                    definitions: definitions.texts,
                    size,
                }
            }
            _ => ReturnType::Other(self.describe(ty)),
        }
    }

    /// A scalar type without references to the program's declarations: enumerations are integers, pointers point to
    /// `void`.
    fn scalar_text(&self, ty: Type) -> Option<String> {
        match self.kind(ty) {
            TypeKind::Integer(IntegerKind::Exact { .. } | IntegerKind::BitInt { .. }) => None,
            TypeKind::Bool | TypeKind::Integer(_) | TypeKind::Float(_) => {
                Some(self.describe(ty.unqualified()))
            }
            TypeKind::Enumeration(id) => {
                let enumeration = self.enumeration(*id);
                let representation = match enumeration.is_truth {
                    true => TypeKind::Bool,
                    false => TypeKind::Integer(enumeration.representation),
                };
                let id = self.ids.get(&representation)?;
                Some(self.describe(Type::plain(id.0)))
            }
            TypeKind::Pointer(_) => Some("void *".to_owned()),
            _ => None,
        }
    }

    /// `struct tag`, with a generated tag if it has none.
    fn record_text(&self, id: RecordId) -> String {
        let record = self.record(id);
        let kind = match record.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        };
        match &record.tag {
            Some(tag) => format!("{kind} {tag}"),
            None => format!("{kind} harness_{}", id.0),
        }
    }
}

/// The definitions of structs and unions, each after those that it depends on.
struct Definitions<'t> {
    types: &'t TypeTable,
    made: Vec<RecordId>,
    texts: Vec<String>,
}

impl Definitions<'_> {
    /// Adds the record's definition; `None` if it cannot be expressed.
    fn define(&mut self, id: RecordId) -> Option<()> {
        if self.made.contains(&id) {
            return Some(());
        }
        let record = self.types.record(id);
        let (_, alignment) = record.layout?;
        let mut text = format!("{} {{\n", self.types.record_text(id));
        for (number, field) in record.fields.iter().enumerate() {
            let declaration = self.declare(field, number)?;
            let _ = writeln!(text, "    {declaration};");
        }
        text.push('}');
        text.push_str(&self.attributes(record, alignment)?);
        text.push(';');
        self.made.push(id);
        self.texts.push(text);
        Some(())
    }

    fn declare(&mut self, field: &Field, number: usize) -> Option<String> {
        let mut name = match &field.name {
            Some(name) => name.clone(),
            None => format!("harness_{number}"),
        };
        let mut ty = field.ty;
        while let TypeKind::Array { element, length } = self.types.kind(ty) {
            match length {
                ArrayLength::Constant(length) => {
                    let _ = write!(name, "[{length}]");
                }
                ArrayLength::Unknown => name.push_str("[]"),
                ArrayLength::Variable(_) | ArrayLength::Unspecified => return None,
            }
            ty = *element;
        }
        let base = match self.types.kind(ty) {
            TypeKind::Record(id) => {
                self.define(*id)?;
                self.types.record_text(*id)
            }
            _ => self.types.scalar_text(ty)?,
        };
        if let Some(width) = field.bit_width {
            let _ = write!(name, " : {width}");
        }
        Some(match base.strip_suffix('*') {
            Some(_) => format!("{base}{name}"),
            None => format!("{base} {name}"),
        })
    }

    /// The attributes for a layout that does not follow from the members' types.
    fn attributes(&self, record: &Record, alignment: u64) -> Option<String> {
        let mut natural = 1;
        let mut is_packed = false;
        for field in &record.fields {
            let own = self.types.member_alignment_of(field.ty).ok()?;
            natural = natural.max(own);
            is_packed |= field.bit_width.is_none() && field.bit_offset % (8 * own) != 0;
        }
        is_packed |= natural > alignment;
        let is_aligned = is_packed || alignment > natural;
        Some(match (is_packed, is_aligned) {
            (false, false) => String::new(),
            (false, true) => format!(" __attribute__((aligned({alignment})))"),
            (true, _) => format!(" __attribute__((packed, aligned({alignment})))"),
        })
    }
}
