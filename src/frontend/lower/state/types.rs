//! Questions about types that only lowering asks.

use crate::types::{
    ArrayLength, OpaqueKind, RecordKind, Type, TypeKind, TypeTable, VariableLayout,
};

impl TypeTable {
    /// Checks whether values of the type have several scalar parts.
    pub(in crate::lower) fn has_parts(&self, ty: Type) -> bool {
        matches!(
            self.kind(ty),
            TypeKind::Complex(_) | TypeKind::Vector { .. } | TypeKind::Opaque(_)
        )
    }

    /// Checks whether the type is opaque: nothing is computed with its values.
    pub(in crate::lower) fn is_opaque(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Opaque(_))
    }

    /// Checks whether it is the type of results that are not modelled at all.
    pub(in crate::lower) fn is_unknown(&self, ty: Type) -> bool {
        *self.kind(ty) == TypeKind::Opaque(OpaqueKind::Unknown)
    }

    /// Checks whether the type is a union.
    pub(in crate::lower) fn is_union(&self, ty: Type) -> bool {
        self.as_record(ty)
            .is_some_and(|record| record.kind == RecordKind::Union)
    }

    /// The element type and length of an array.
    pub(in crate::lower) fn array_parts(&self, ty: Type) -> Option<(Type, ArrayLength)> {
        match *self.kind(ty) {
            TypeKind::Array { element, length } => Some((element, length)),
            _ => None,
        }
    }

    /// Adjusts a parameter's type: arrays and functions become pointers.
    pub(in crate::lower) fn adjusted_parameter(&mut self, ty: Type) -> Type {
        match *self.kind(ty) {
            TypeKind::Array { element, .. } => self.pointer(element.qualified(ty.qualifiers)),
            TypeKind::Function(_) => self.pointer(ty),
            _ => ty,
        }
    }

    /// The layout of a struct whose size is known only at run time.
    pub(in crate::lower) fn variable_layout(&self, ty: Type) -> Option<VariableLayout> {
        self.as_record(ty)?.variable
    }

    /// Checks whether only the underlying type of an enumeration has been declared so far.
    pub(in crate::lower) fn is_declared_alone(&self, ty: Type) -> bool {
        match self.kind(ty) {
            TypeKind::Enumeration(id) => !self.enumeration(*id).is_defined,
            _ => false,
        }
    }
}
