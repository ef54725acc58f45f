//! Relations between types: compatibility, and the types that operators compute in.

use super::{
    ArrayLength, FloatKind, FunctionType, IntegerKind, ParameterForm, Qualifiers, RecordId, Type,
    TypeKind, TypeTable,
};

impl TypeTable {
    /// Whether two types are compatible (C11 6.2.7), ignoring the outermost qualifiers.
    pub fn compatible(&self, left: Type, right: Type) -> bool {
        if left.id == right.id {
            return true;
        }
        match (self.kind(left), self.kind(right)) {
            (TypeKind::Pointer(left), TypeKind::Pointer(right)) => {
                let differing = left.qualifiers ^ right.qualifiers;
                (differing - Qualifiers::NORETURN).is_empty() && self.compatible(*left, *right)
            }
            (
                TypeKind::Array {
                    element: left,
                    length: left_length,
                },
                TypeKind::Array {
                    element: right,
                    length: right_length,
                },
            ) => {
                self.compatible(*left, *right)
                    && match (left_length, right_length) {
                        (ArrayLength::Constant(left), ArrayLength::Constant(right)) => {
                            left == right
                        }
                        _ => true,
                    }
            }
            (TypeKind::Function(left), TypeKind::Function(right)) => {
                self.compatible_functions(left, right)
            }
            (TypeKind::Enumeration(id), TypeKind::Integer(kind))
            | (TypeKind::Integer(kind), TypeKind::Enumeration(id)) => {
                let enumeration = self.enumeration(*id);
                !enumeration.is_truth && enumeration.representation == *kind
            }
            (TypeKind::Enumeration(id), TypeKind::Bool)
            | (TypeKind::Bool, TypeKind::Enumeration(id)) => self.enumeration(*id).is_truth,
            (TypeKind::Enumeration(left), TypeKind::Enumeration(right)) => {
                let (left, right) = (self.enumeration(*left), self.enumeration(*right));
                self.compares_members
                    && left.tag.is_some()
                    && left.tag == right.tag
                    && left.representation == right.representation
                    && left.is_truth == right.is_truth
            }
            (TypeKind::Record(left), TypeKind::Record(right)) => {
                self.compares_members && self.same_records(*left, *right)
            }
            _ => false,
        }
    }

    /// C23 6.2.7: structs and unions of the same tag are compatible if their members are.
    pub fn same_records(&self, left: RecordId, right: RecordId) -> bool {
        let (left, right) = (self.record(left), self.record(right));
        left.tag.is_some()
            && left.tag == right.tag
            && left.kind == right.kind
            && left.layout.is_some()
            && left.variable.is_none()
            && left.layout == right.layout
            && left.fields.len() == right.fields.len()
            && left.fields.iter().zip(&right.fields).all(|(left, right)| {
                left.name == right.name
                    && left.bit_offset == right.bit_offset
                    && left.bit_width == right.bit_width
                    && left.ty.qualifiers == right.ty.qualifiers
                    && self.same_members(left.ty, right.ty)
            })
    }

    /// Whether members have compatible types. Structs behind pointers are compared by their tags, so that the recursion
    /// ends.
    fn same_members(&self, left: Type, right: Type) -> bool {
        match (self.kind(left), self.kind(right)) {
            (TypeKind::Pointer(left), TypeKind::Pointer(right)) => {
                let records = (self.as_record(*left), self.as_record(*right));
                match records {
                    (Some(a), Some(b)) => {
                        left.qualifiers == right.qualifiers
                            && a.kind == b.kind
                            && (left.id == right.id || (a.tag.is_some() && a.tag == b.tag))
                    }
                    _ => left.qualifiers == right.qualifiers && self.same_members(*left, *right),
                }
            }
            (
                TypeKind::Array { element, length },
                TypeKind::Array {
                    element: other,
                    length: other_length,
                },
            ) => length == other_length && self.same_members(*element, *other),
            (TypeKind::Function(_), TypeKind::Function(_)) => left.id == right.id,
            _ => self.compatible(left, right),
        }
    }

    fn compatible_functions(&self, left: &FunctionType, right: &FunctionType) -> bool {
        if !self.compatible(left.result, right.result) {
            return false;
        }
        match (left.form, right.form) {
            (ParameterForm::Unspecified, _) | (_, ParameterForm::Unspecified) => true,
            (left_form, right_form) => {
                left_form == right_form
                    && left.parameters.len() == right.parameters.len()
                    && left
                        .parameters
                        .iter()
                        .zip(&right.parameters)
                        .all(|(&left, &right)| self.compatible(left, right))
            }
        }
    }

    /// The composite of two compatible types: combines their array lengths and parameters.
    pub fn composite(&mut self, left: Type, right: Type) -> Type {
        if left.id == right.id {
            return left;
        }
        match (self.kind(left).clone(), self.kind(right).clone()) {
            (
                TypeKind::Array { element, length },
                TypeKind::Array {
                    element: other,
                    length: other_length,
                },
            ) => {
                let element = self.composite(element, other);
                let length = match (length, other_length) {
                    (ArrayLength::Constant(_), _) => length,
                    (_, ArrayLength::Constant(_)) => other_length,
                    (ArrayLength::Unknown, _) => other_length,
                    _ => length,
                };
                Type {
                    id: self.array(element, length).id,
                    ..left
                }
            }
            (TypeKind::Function(own), TypeKind::Function(other)) => {
                if own.form == ParameterForm::Unspecified
                    && other.form != ParameterForm::Unspecified
                {
                    right
                } else {
                    left
                }
            }
            (TypeKind::Pointer(own), TypeKind::Pointer(other)) => {
                let target = self.composite(own, other);
                Type {
                    id: self.pointer(target).id,
                    ..left
                }
            }
            _ => left,
        }
    }

    /// The type after the integer promotions; other types only lose their qualifiers.
    pub fn promoted(&mut self, ty: Type) -> Type {
        if self.is_truth(ty) {
            return Type::INT;
        }
        let Some(kind) = self.integer_kind(ty) else {
            return ty.unqualified();
        };
        match kind {
            IntegerKind::Char
            | IntegerKind::SignedChar
            | IntegerKind::UnsignedChar
            | IntegerKind::Short
            | IntegerKind::UnsignedShort => Type::INT,
            IntegerKind::Exact { bits, signed } if bits < 32 || (bits == 32 && signed) => Type::INT,
            _ => self.integer(kind),
        }
    }

    /// The type of a value of a bit-field.
    pub fn bit_field_value(&mut self, declared: Type, width: u8) -> Type {
        let Some(kind) = self.integer_kind(declared) else {
            return declared.unqualified();
        };
        if let IntegerKind::BitInt { .. } = kind {
            // C23 6.3.1.1: not promoted.
            return self.integer(kind);
        }
        if width >= kind.bits(self.model) {
            return declared.unqualified();
        }
        // Promoted at once; the difference cannot be observed.
        if width < 32 || (width == 32 && kind.is_signed()) {
            return Type::INT;
        }
        self.integer(IntegerKind::Exact {
            bits: width,
            signed: kind.is_signed(),
        })
    }

    /// The type after the default argument promotions.
    pub fn argument_promoted(&mut self, ty: Type) -> Type {
        match self.kind(ty) {
            TypeKind::Float(FloatKind::Float) => Type::DOUBLE,
            _ => self.promoted(ty),
        }
    }

    /// The common type of the usual arithmetic conversions; both types are arithmetic.
    pub fn common_arithmetic(&mut self, left: Type, right: Type) -> Type {
        match (self.kind(left), self.kind(right)) {
            (TypeKind::Float(left), TypeKind::Float(right)) => {
                let wider = (*left).max(*right);
                self.float(wider)
            }
            (TypeKind::Float(kind), _) | (_, TypeKind::Float(kind)) => {
                let kind = *kind;
                self.float(kind)
            }
            _ => {
                let left = self.promoted(left);
                let right = self.promoted(right);
                match (self.integer_kind(left), self.integer_kind(right)) {
                    (Some(left), Some(right)) => {
                        let common = self.common_integer(left, right);
                        self.integer(common)
                    }
                    _ => left,
                }
            }
        }
    }

    /// The type of the parts of a complex result, from those of the operands: integers are not promoted.
    pub fn common_part(&mut self, left: Type, right: Type) -> Type {
        match (self.integer_kind(left), self.integer_kind(right)) {
            (Some(left), Some(right)) => {
                let common = self.common_integer(left, right);
                self.integer(common)
            }
            _ => self.common_arithmetic(left, right),
        }
    }

    fn common_integer(&self, left: IntegerKind, right: IntegerKind) -> IntegerKind {
        if left == right {
            return left;
        }
        let (high, low) = if self.rank(left) >= self.rank(right) {
            (left, right)
        } else {
            (right, left)
        };
        if high.is_signed() == low.is_signed() || !high.is_signed() {
            return high;
        }
        // The type of higher rank is signed, the other one is unsigned.
        if self.rank(high) == self.rank(low) {
            low
        } else if high.bits(self.model) > low.bits(self.model) {
            high
        } else {
            high.unsigned()
        }
    }

    /// Orders the promoted integer types by width and then by C's rank.
    fn rank(&self, kind: IntegerKind) -> (u8, u8) {
        let class = match kind {
            IntegerKind::Exact { .. } | IntegerKind::BitInt { .. } => 0,
            IntegerKind::Int | IntegerKind::UnsignedInt => 1,
            IntegerKind::Long | IntegerKind::UnsignedLong => 2,
            IntegerKind::LongLong | IntegerKind::UnsignedLongLong => 3,
            _ => 4,
        };
        (kind.bits(self.model), class)
    }
}
