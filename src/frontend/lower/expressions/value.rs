//! The values of C expressions during lowering, and settling them in the order of evaluation.

use super::fold;
use crate::ir::{BinaryOp, BitField, Expr, Instruction, Place, Pointer, ScalarType, UnaryOp};
use crate::lower::state::builder::Mark;
use crate::lower::{Lowerer, Result};
use crate::memory::walk::all_parts;
use crate::types::{Qualifiers, Type, TypeKind};

/// The value of a C expression.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Value {
    /// Its type; the declared one for a bit-field that has not been read yet.
    pub ty: Type,
    pub kind: ValueKind,
}

#[derive(Clone, Debug)]
pub(in crate::lower) enum ValueKind {
    /// An object that can be read, and written if it is modifiable.
    Lvalue(Lvalue),
    Scalar(Expr),
    /// A struct, union or array that is not an lvalue, by its address.
    Aggregate(Expr),
    /// A function, by its address.
    Function(Expr),
    Void,
}

/// A reference to an object.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Lvalue {
    /// Address of the first byte touched.
    pub address: Expr,
    pub bit_field: Option<BitField>,
}

impl Value {
    pub fn void() -> Self {
        Self {
            ty: Type::VOID,
            kind: ValueKind::Void,
        }
    }

    pub fn scalar(expr: Expr, ty: Type) -> Self {
        Self {
            ty,
            kind: ValueKind::Scalar(expr),
        }
    }

    pub fn lvalue(address: Expr, ty: Type) -> Self {
        Self {
            ty,
            kind: ValueKind::Lvalue(Lvalue {
                address,
                bit_field: None,
            }),
        }
    }

    pub fn aggregate(address: Expr, ty: Type) -> Self {
        Self {
            ty,
            kind: ValueKind::Aggregate(address),
        }
    }
}

impl Lowerer<'_> {
    /// Applies lvalue conversion and decay of arrays and functions to pointers.
    pub(in crate::lower) fn rvalue(&mut self, value: Value) -> Value {
        match value.kind {
            ValueKind::Lvalue(lvalue) => {
                if let TypeKind::Array { element, .. } = *self.types.kind(value.ty) {
                    let pointer = self.types.pointer(element.qualified(value.ty.qualifiers));
                    return Value::scalar(lvalue.address, pointer);
                }
                match self.types.scalar(value.ty) {
                    Some(scalar) => {
                        let place = Place {
                            address: Pointer::new(lvalue.address),
                            scalar,
                            bit_field: lvalue.bit_field,
                        };
                        self.read(place, value.ty)
                    }
                    None => self.aggregate_value(lvalue.address, value.ty),
                }
            }
            ValueKind::Aggregate(address) => {
                if let TypeKind::Array { element, .. } = *self.types.kind(value.ty) {
                    let pointer = self.types.pointer(element);
                    return Value::scalar(address, pointer);
                }
                Value::aggregate(address, value.ty)
            }
            ValueKind::Function(address) => {
                let pointer = self.types.pointer(value.ty);
                Value::scalar(address, pointer)
            }
            kind => Value { ty: value.ty, kind },
        }
    }

    fn read(&mut self, place: Place, declared: Type) -> Value {
        self.check_set(&place);
        let (scalar, bits) = (place.scalar, place.bit_field.map(|field| field.bits));
        let known = self.constant_at(&place, declared);
        let value = match (known, self.device_access(&place.address, declared)) {
            (Some(known), _) => known,
            (None, Some(volatile)) => self.read_device(place, volatile),
            (None, None) => Expr::Load(place),
        };
        match bits {
            Some(bits) => self.bit_field_value(value, scalar, declared, bits),
            None => {
                // The padding bits of a bit-precise value are ignored.
                let value = self.narrowed(value, declared);
                Value::scalar(value, declared.unqualified())
            }
        }
    }

    /// The value of a bit-field that was read with its declared type.
    fn bit_field_value(
        &mut self,
        value: Expr,
        from: ScalarType,
        declared: Type,
        bits: u8,
    ) -> Value {
        let ty = self.types.bit_field_value(declared, bits);
        match self.types.scalar(ty) {
            // The declared type represents every value of the field.
            Some(scalar) => {
                let narrow = fold::convert(value, from, scalar);
                Value::scalar(narrow, ty)
            }
            None => Value::scalar(value, declared.unqualified()),
        }
    }

    /// The value of an lvalue of the declared type after the assignment of `value`.
    pub(in crate::lower) fn assigned_value(
        &mut self,
        value: Expr,
        declared: Type,
        bit_field: Option<BitField>,
    ) -> Result<Value> {
        let scalar = self.scalar_type(declared)?;
        Ok(match (bit_field, scalar) {
            (Some(field), ScalarType::Integer { signed, .. }) => {
                let bits = field.bits;
                let narrow = ScalarType::Integer { bits, signed };
                let value = fold::convert(fold::convert(value, scalar, narrow), narrow, scalar);
                self.bit_field_value(value, scalar, declared, bits)
            }
            (Some(field), _) => self.bit_field_value(value, scalar, declared, field.bits),
            (None, _) => Value::scalar(value, declared.unqualified()),
        })
    }

    /// The scalar value of an expression, with its type; an error for structs and `void`.
    pub(in crate::lower) fn scalar_value(&mut self, value: Value) -> Result<(Expr, Type)> {
        let value = self.rvalue(value);
        match value.kind {
            ValueKind::Scalar(expr) => Ok((expr, value.ty)),
            ValueKind::Void => Err(self.error("a void value is used")),
            _ => {
                if self.types.is_unknown(value.ty) {
                    return Ok((fold::int(0), Type::INT));
                }
                let ty = self.types.describe(value.ty);
                Err(self.error(format!("a value of type `{ty}` is used as a number")))
            }
        }
    }

    /// The representation of a scalar type; an error for other types.
    pub(in crate::lower) fn scalar_type(&self, ty: Type) -> Result<ScalarType> {
        self.types.scalar(ty).ok_or_else(|| {
            let ty = self.types.describe(ty);
            self.error(format!("`{ty}` is not a scalar type"))
        })
    }

    /// Checks whether the expression reads something that a later effect might change.
    fn reads_mutable(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Load(place) => match &*place.address {
                Expr::ObjectAddress(object) => !self.objects.is_temporary(*object),
                // A part of a value.
                Expr::Offset { base, bytes } if fold::constant(bytes).is_some() => {
                    !matches!(**base, Expr::ObjectAddress(object) if self.objects.is_temporary(object))
                }
                _ => true,
            },
            Expr::AllocatedSize(_) | Expr::Rounding => true,
            _ => !all_parts(expr, &mut |part| !self.reads_mutable(part)),
        }
    }

    /// Copies a scalar that reads mutable memory to a temporary.
    pub(in crate::lower) fn keep(&mut self, expr: Expr, scalar: ScalarType) -> Expr {
        if !self.reads_mutable(&expr) {
            return expr;
        }
        self.store_fresh(expr, scalar)
    }

    /// Assigns a scalar to a new temporary.
    pub(in crate::lower) fn store_fresh(&mut self, expr: Expr, scalar: ScalarType) -> Expr {
        let temporary = self.temporary(scalar);
        let place = self.object_place(temporary, scalar);
        self.emit_fresh(Instruction::Assign { place, value: expr });
        self.load_object(temporary, scalar)
    }

    /// Settles a scalar: inserts a copy at the mark if the scalar may have changed since.
    pub(in crate::lower) fn settle_scalar(
        &mut self,
        expr: Expr,
        scalar: ScalarType,
        mark: Mark,
    ) -> Expr {
        if !self.function.changed_since(mark) || !self.reads_mutable(&expr) {
            return expr;
        }
        self.log_reads(&expr);
        let temporary = self.temporary(scalar);
        let place = self.object_place(temporary, scalar);
        let span = self.cursor.span();
        self.function
            .insert(mark, Instruction::Assign { place, value: expr }, span);
        self.load_object(temporary, scalar)
    }

    /// Settles an address; its form (object, offset, and the multiples in it) is preserved.
    pub(in crate::lower) fn settle_address(&mut self, address: Expr, mark: Mark) -> Expr {
        if !self.function.changed_since(mark) || !self.reads_mutable(&address) {
            return address;
        }
        match address {
            Expr::Offset { base, bytes } => {
                // From the last to the first: each is inserted at the mark, before earlier insertions.
                let scalar = self.types.offset_scalar();
                let bytes = with_indices(*bytes, scalar, &mut |index, scalar| {
                    self.settle_scalar(index, scalar, mark)
                });
                let base = self.settle_address(*base, mark);
                Expr::Offset {
                    base: Box::new(base),
                    bytes: Box::new(bytes),
                }
            }
            other => self.settle_scalar(other, ScalarType::Pointer, mark),
        }
    }

    /// Settles a value: preserves the value that it had at the mark.
    pub(in crate::lower) fn settle(&mut self, value: Value, mark: Mark) -> Result<Value> {
        if !self.function.changed_since(mark) {
            return Ok(value);
        }
        let ty = value.ty;
        Ok(match value.kind {
            ValueKind::Scalar(expr) => {
                let scalar = self.scalar_type(ty)?;
                let expr = if scalar == ScalarType::Pointer {
                    self.settle_address(expr, mark)
                } else {
                    self.settle_scalar(expr, scalar, mark)
                };
                Value::scalar(expr, ty)
            }
            ValueKind::Lvalue(lvalue) => Value {
                ty,
                kind: ValueKind::Lvalue(Lvalue {
                    address: self.settle_address(lvalue.address, mark),
                    ..lvalue
                }),
            },
            // Nothing writes to a temporary any more.
            ValueKind::Aggregate(Expr::ObjectAddress(object))
                if self.objects.is_temporary(object) =>
            {
                value
            }
            ValueKind::Aggregate(address) => {
                // The object itself may have been overwritten.
                let copy = self.temporary_object(ty)?;
                let instruction = Instruction::Copy {
                    destination: Pointer::new(Expr::ObjectAddress(copy)),
                    source: Pointer::new(address),
                    size: self.size_of(ty)?,
                    leaves: self.types.leaves(ty),
                    overlapping: false,
                };
                self.log_instruction(&instruction);
                let span = self.cursor.span();
                self.function.insert(mark, instruction, span);
                Value::aggregate(Expr::ObjectAddress(copy), ty)
            }
            ValueKind::Function(address) => Value {
                ty,
                kind: ValueKind::Function(self.settle_address(address, mark)),
            },
            ValueKind::Void => value,
        })
    }

    /// Checks whether an expression may be evaluated although a guard excludes it.
    pub(in crate::lower) fn is_harmless(&self, expr: &Expr) -> bool {
        fold::is_harmless(expr, &|place| self.is_sure_read(place))
    }

    /// Reads an object of which no value is used, unless it certainly exists.
    pub(in crate::lower) fn read_unused(&mut self, address: Expr, ty: Type) {
        if self.types.is_void(ty) || self.types.is_array(ty) {
            return;
        }
        let (Ok(size), Ok(copy)) = (self.size_of(ty), self.temporary_object(ty.unqualified()))
        else {
            return self.unsupported("the read of an object whose size is not known");
        };
        if !self.is_sure_range(&address, size) {
            self.emit_fresh(Instruction::Copy {
                destination: Pointer::new(Expr::ObjectAddress(copy)),
                source: Pointer::new(address),
                size,
                leaves: self.types.leaves(ty),
                overlapping: false,
            });
        }
    }

    /// Checks whether a place is certainly inside of a named object.
    fn is_sure_read(&self, place: &Place) -> bool {
        let (size, _) = self.types.scalar_layout(place.scalar);
        let size = match place.bit_field {
            Some(field) => (u64::from(field.offset) + u64::from(field.bits)).div_ceil(8),
            None => size,
        };
        self.is_sure_range(&place.address, size)
    }

    /// Checks whether bytes are certainly inside of a named object.
    fn is_sure_range(&self, address: &Expr, size: u64) -> bool {
        let (object, offset) = match address {
            Expr::ObjectAddress(object) => (*object, 0),
            Expr::Offset { base, bytes } => match (&**base, fold::constant(bytes)) {
                (Expr::ObjectAddress(object), Some(offset)) => (*object, offset),
                _ => return false,
            },
            _ => return false,
        };
        self.objects
            .get(object)
            .is_some_and(|object| offset >= 0 && offset + i128::from(size) <= object.size.into())
    }

    pub(in crate::lower) fn check_modifiable(&self, value: &Value) -> Result<()> {
        if !matches!(value.kind, ValueKind::Lvalue(_)) {
            return Err(self.error("the operand that is written to is not an lvalue"));
        }
        if self.types.is_array(value.ty) {
            return Err(self.error("an array is assigned to"));
        }
        if value.ty.qualifiers.contains(Qualifiers::CONST) {
            return Err(self.error("a read-only object is assigned to"));
        }
        Ok(())
    }
}

/// Replaces the indices in a byte offset, the later ones first. The form of the offset, with multiples of element
/// sizes and added member offsets, is preserved: it distinguishes the accesses of a class.
pub(in crate::lower) fn with_indices(
    bytes: Expr,
    scalar: ScalarType,
    replace: &mut dyn FnMut(Expr, ScalarType) -> Expr,
) -> Expr {
    match bytes {
        Expr::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply),
            left,
            right,
            scalar,
        } => {
            let right = with_indices(*right, scalar, replace);
            let left = with_indices(*left, scalar, replace);
            Expr::Binary {
                op,
                left: Box::new(left),
                right: Box::new(right),
                scalar,
            }
        }
        Expr::Unary {
            op: UnaryOp::Negate,
            operand,
            scalar,
        } => Expr::Unary {
            op: UnaryOp::Negate,
            operand: Box::new(with_indices(*operand, scalar, replace)),
            scalar,
        },
        index => replace(index, scalar),
    }
}
