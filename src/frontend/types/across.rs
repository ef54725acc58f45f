//! Compatibility of types that different files declare (C17 6.2.7p1).

use rustc_hash::FxHashSet;

use super::{ArrayLength, ParameterForm, Qualifiers, RecordId, Type, TypeKind, TypeTable};

impl TypeTable {
    /// Whether declarations in different files may give one function or object these types. Structs, unions and
    /// enumerations are compatible if their tags and members are; an incomplete one is compatible with every one of its tag.
    pub fn compatible_across(&self, left: Type, right: Type) -> bool {
        let mut comparison = Comparison {
            types: self,
            assumed: FxHashSet::default(),
        };
        comparison.same_qualified(left, right)
    }
}

/// A comparison of two types.
struct Comparison<'t> {
    types: &'t TypeTable,
    /// The pairs of records whose comparison has begun: they count as compatible within it.
    assumed: FxHashSet<(RecordId, RecordId)>,
}

impl Comparison<'_> {
    fn same_qualified(&mut self, left: Type, right: Type) -> bool {
        let differing = left.qualifiers ^ right.qualifiers;
        (differing - Qualifiers::NORETURN).is_empty() && self.same(left, right)
    }

    fn same(&mut self, left: Type, right: Type) -> bool {
        if left.id == right.id {
            return true;
        }
        let types = self.types;
        match (types.kind(left), types.kind(right)) {
            (TypeKind::Pointer(left), TypeKind::Pointer(right)) => {
                self.same_qualified(*left, *right)
            }
            (
                TypeKind::Array { element, length },
                TypeKind::Array {
                    element: other,
                    length: other_length,
                },
            ) => {
                let lengths = match (length, other_length) {
                    (ArrayLength::Constant(length), ArrayLength::Constant(other)) => {
                        length == other
                    }
                    _ => true,
                };
                lengths && self.same_qualified(*element, *other)
            }
            (TypeKind::Function(left), TypeKind::Function(right)) => {
                let parameters = match (left.form, right.form) {
                    (ParameterForm::Unspecified, _) | (_, ParameterForm::Unspecified) => true,
                    (form, other) => {
                        let mut pairs = left.parameters.iter().zip(&right.parameters);
                        form == other
                            && left.parameters.len() == right.parameters.len()
                            && pairs.all(|(&left, &right)| self.same(left, right))
                    }
                };
                parameters && self.same(left.result, right.result)
            }
            (TypeKind::Record(left), TypeKind::Record(right)) => self.same_records(*left, *right),
            (TypeKind::Enumeration(left), TypeKind::Enumeration(right)) => {
                let (left, right) = (types.enumeration(*left), types.enumeration(*right));
                left.tag == right.tag
                    && (!left.complete
                        || !right.complete
                        || (left.representation == right.representation
                            && left.is_truth == right.is_truth))
            }
            _ => types.compatible(left, right),
        }
    }

    fn same_records(&mut self, left: RecordId, right: RecordId) -> bool {
        let types = self.types;
        let (one, other) = (types.record(left), types.record(right));
        if one.kind != other.kind || one.tag != other.tag {
            return false;
        }
        if one.layout.is_none() || other.layout.is_none() || !self.assumed.insert((left, right)) {
            return true;
        }
        one.layout == other.layout
            && one.fields.len() == other.fields.len()
            && one.fields.iter().zip(&other.fields).all(|(one, other)| {
                one.name == other.name
                    && one.bit_offset == other.bit_offset
                    && one.bit_width == other.bit_width
                    && self.same_qualified(one.ty, other.ty)
            })
    }
}
