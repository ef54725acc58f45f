//! Conversions between C's types: casts, assignments, arguments.

use super::fold;
use super::half_precision::{self, HALF, SINGLE};
use super::value::{Value, ValueKind};
use crate::ir::{Expr, ScalarType};
use crate::lower::{Lowerer, Result};
use crate::types::{Type, TypeKind};

impl Lowerer<'_> {
    pub(in crate::lower) fn convert_scalar(
        &self,
        expr: Expr,
        from: Type,
        to: Type,
    ) -> Result<Expr> {
        let from = self.scalar_type(from)?;
        let target = self.scalar_type(to)?;
        let expr = self.convert_representation(expr, from, target);
        Ok(self.narrowed(expr, to))
    }

    /// Truncates a value of a bit-precise type to its width and extends it to its representation.
    pub(in crate::lower) fn narrowed(&self, expr: Expr, ty: Type) -> Expr {
        let (Some((bits, signed)), Some(scalar)) =
            (self.types.bit_precise(ty), self.types.scalar(ty))
        else {
            return expr;
        };
        let exact = ScalarType::Integer { bits, signed };
        if exact == scalar {
            return expr;
        }
        fold::convert(fold::convert(expr, scalar, exact), exact, scalar)
    }

    /// Converts between representations. An integer that becomes a pointer is first extended as C extends it.
    pub(in crate::lower) fn convert_representation(
        &self,
        expr: Expr,
        from: ScalarType,
        to: ScalarType,
    ) -> Expr {
        match (from, to) {
            (ScalarType::Integer { .. } | ScalarType::Bool, ScalarType::Pointer) => {
                let address = self.types.size_scalar();
                if let Some(value) = fold::constant(&expr) {
                    return Expr::Integer {
                        value: fold::wrap(value, address),
                        scalar: ScalarType::Pointer,
                    };
                }
                // A pointer converted to an integer of its width and back must be unchanged.
                let expr = fold::convert(expr, from, address);
                fold::convert(expr, address, ScalarType::Pointer)
            }
            (ScalarType::Pointer, ScalarType::Integer { .. }) => {
                // gcc sign-extends a pointer, also to unsigned types.
                let wider = matches!(to, ScalarType::Integer { bits, .. }
                    if bits > self.input.pointer_bits());
                let address = if wider {
                    self.types.offset_scalar()
                } else {
                    self.types.size_scalar()
                };
                let expr = fold::convert(expr, from, address);
                fold::convert(expr, address, to)
            }
            (HALF, to) if to != HALF => fold::convert(half_precision::widened(expr), SINGLE, to),
            _ => fold::convert(expr, from, to),
        }
    }

    /// Lowers a cast; every scalar conversion that gcc accepts is allowed.
    pub(in crate::lower) fn cast(&mut self, value: Value, to: Type) -> Result<Value> {
        if self.types.is_void(to) {
            if self.input.property().checks_memory() {
                self.drop_value(value);
            }
            return Ok(Value::void());
        }
        let value = self.rvalue(value);
        let from = value.ty;
        if self.types.has_parts(from) || self.types.has_parts(to) {
            self.check_conversion_of_parts(from, to);
            return self.convert_parts(value, to);
        }
        let to = to.unqualified();
        match value.kind {
            ValueKind::Scalar(expr) => {
                let Some(target) = self.types.scalar(to) else {
                    return self.cast_to_union(Value::scalar(expr, from), to);
                };
                let source = self.scalar_type(from)?;
                let float_and_pointer = matches!(
                    (source, target),
                    (ScalarType::Float(_), ScalarType::Pointer)
                        | (ScalarType::Pointer, ScalarType::Float(_))
                );
                if float_and_pointer {
                    let (from, to) = (self.types.describe(from), self.types.describe(to));
                    return Err(self.error(format!("`{from}` cannot be converted to `{to}`")));
                }
                if let (ScalarType::Pointer, ScalarType::Integer { .. }) = (source, target) {
                    self.note_pointer_comparison(from, &[&expr]);
                }
                let expr = self.check_conversion(expr, [source, target], to);
                self.check_aligned(&expr, from, to)?;
                let expr = self.convert_representation(expr, source, target);
                self.rounded(Value::scalar(self.narrowed(expr, to), to))
            }
            ValueKind::Aggregate(address) => {
                if self.types.compatible(from, to) {
                    return Ok(Value::aggregate(address, to));
                }
                self.cast_to_union(Value::aggregate(address, from), to)
            }
            ValueKind::Void => Err(self.error("a void value is used")),
            _ => Err(self.error("the operand cannot be converted")),
        }
    }

    /// GNU C: a cast to a union type creates a union whose first member of the operand's type has its value.
    pub(in crate::lower) fn cast_to_union(&mut self, value: Value, to: Type) -> Result<Value> {
        let member = self.types.as_record(to).and_then(|record| {
            let matching = |ty: Type| self.types.compatible(ty.unqualified(), value.ty);
            record
                .fields
                .iter()
                .find(|field| matching(field.ty))
                .map(|field| field.ty)
        });
        let is_union = self
            .types
            .as_record(to)
            .is_some_and(|record| record.kind == crate::types::RecordKind::Union);
        match member {
            Some(member) if is_union => {
                let object = self.temporary_object(to)?;
                let address = Expr::ObjectAddress(object);
                self.store_value(Value::lvalue(address.clone(), member), value)?;
                Ok(Value::aggregate(address, to))
            }
            _ => {
                let (from, to) = (self.types.describe(value.ty), self.types.describe(to));
                Err(self.error(format!("`{from}` cannot be converted to `{to}`")))
            }
        }
    }

    /// Converts a value as if by assignment (C11 6.5.16.1); conversions that gcc only warns about are accepted.
    pub(in crate::lower) fn assignable(&mut self, value: Value, to: Type) -> Result<Value> {
        let value = self.rvalue(value);
        if let (ValueKind::Scalar(_), Some(target)) = (&value.kind, self.types.scalar(to)) {
            let source = self.scalar_type(value.ty)?;
            let dubious = match (source, target) {
                (ScalarType::Pointer, ScalarType::Integer { .. }) => true,
                (ScalarType::Integer { .. }, ScalarType::Pointer) => match &value.kind {
                    ValueKind::Scalar(expr) => fold::constant(expr) != Some(0),
                    _ => true,
                },
                _ => false,
            };
            if dubious {
                let (from, to) = (self.types.describe(value.ty), self.types.describe(to));
                self.warn(format!("`{from}` is converted to `{to}` without a cast"));
            }
        } else if let ValueKind::Aggregate(_) = value.kind {
            let same = self.types.compatible(value.ty, to);
            if !same && !self.types.is_union(to) && !self.types.has_parts(value.ty) {
                let (from, to) = (self.types.describe(value.ty), self.types.describe(to));
                return Err(self.error(format!("incompatible types: a `{from}` for a `{to}`")));
            }
        } else if let ValueKind::Scalar(_) = value.kind
            && self.types.as_record(to).is_some()
            && !self.types.is_union(to)
        {
            let (from, to) = (self.types.describe(value.ty), self.types.describe(to));
            return Err(self.error(format!("incompatible types: a `{from}` for a `{to}`")));
        }
        self.note_stream_bytes(value.ty, to);
        self.cast(value, to)
    }

    /// Checks whether the value is a null pointer constant.
    pub(in crate::lower) fn is_null_constant(&self, expr: &Expr, ty: Type) -> bool {
        let zero = fold::constant(expr) == Some(0);
        zero && match *self.types.kind(ty) {
            TypeKind::Pointer(target) => {
                (self.types.is_void(target) && target.qualifiers.is_empty())
                    || self.types.is_null_pointer_type(ty)
            }
            _ => self.types.is_integer(ty),
        }
    }
}
