//! Assignment in all its forms: `=`, `op=`, `++` and `--`.

use lang_c::ast;
use lang_c::span::Node;

use super::fold;
use super::value::{Lvalue, Value, ValueKind, with_indices};
use crate::ir::{BinaryOp, Expr, Instruction, Padding, Place, Pointer, ScalarType};
use crate::lower::sequencing::{Conflict, Region, has_loose_effects, key};
use crate::lower::{Lowerer, Result};
use crate::types::Type;
use regatta_term::FloatFormat;

/// Whether the caller needs the value of an expression.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Use {
    /// The value is needed.
    Value,
    /// Only the side effects are needed.
    Effects,
}

/// Whether `++` and `--` give the value before or after the change.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Fixity {
    Prefix,
    Postfix,
}

impl Lowerer<'_> {
    /// Emits the write of a scalar.
    pub(in crate::lower) fn assign_scalar(
        &mut self,
        address: Expr,
        scalar: ScalarType,
        value: Expr,
    ) {
        let place = Place::new(address, scalar);
        self.emit(Instruction::Assign { place, value });
    }

    /// Emits the write of a value to an object of the same type.
    pub(in crate::lower) fn store_value(&mut self, target: Value, value: Value) -> Result<()> {
        let ValueKind::Lvalue(Lvalue { address, bit_field }) = target.kind else {
            return Err(self.error("the operand that is written to is not an lvalue"));
        };
        let value = match value.kind {
            ValueKind::Lvalue(_) if self.types.as_record(value.ty).is_some() => self.rvalue(value),
            _ => value,
        };
        match value.kind {
            ValueKind::Scalar(expr) => {
                let scalar = self.scalar_type(target.ty)?;
                let place = Place {
                    address: Pointer::new(address.clone()),
                    scalar,
                    bit_field,
                };
                let value = expr;
                self.emit(match self.device_write(&address, target.ty) {
                    Some(volatile) => Instruction::WriteDevice {
                        place,
                        value,
                        volatile,
                    },
                    None => Instruction::Assign { place, value },
                });
                match scalar {
                    ScalarType::Float(FloatFormat::F80) => {
                        self.make_padding_undetermined(Pointer::new(address), target.ty)
                    }
                    _ => Ok(()),
                }
            }
            ValueKind::Aggregate(source)
            | ValueKind::Lvalue(Lvalue {
                address: source, ..
            }) if self.types.is_variable_size(target.ty) => {
                self.copy_variable(address, source, target.ty)
            }
            ValueKind::Aggregate(source)
            | ValueKind::Lvalue(Lvalue {
                address: source, ..
            }) => {
                if self.write_device_object(&address, &source, target.ty)? {
                    return Ok(());
                }
                let destination = Pointer::new(address);
                let instruction = Instruction::Copy {
                    destination: destination.clone(),
                    source: Pointer::new(source),
                    size: self.size_of(target.ty)?,
                    leaves: self.types.leaves(target.ty),
                    overlapping: false,
                };
                self.emit(instruction);
                self.make_padding_undetermined(destination, target.ty)
            }
            _ => Err(self.error("a void value is assigned")),
        }
    }

    /// After a store to an object, or its passing, its padding bytes are undetermined (C11 6.2.6.1 p6).
    pub(in crate::lower) fn make_padding_undetermined(
        &mut self,
        destination: Pointer,
        ty: Type,
    ) -> Result<()> {
        let ranges = self.padding_between(ty)?;
        if !ranges.is_empty() && !self.is_in_start() {
            self.emit(Instruction::Padding {
                destination,
                ranges,
                contents: Padding::Undetermined,
            });
        }
        Ok(())
    }

    /// `left = right`.
    pub(in crate::lower) fn assign(
        &mut self,
        left: &Node<ast::Expression>,
        right: &Node<ast::Expression>,
        wanted: Use,
    ) -> Result<Value> {
        let span = self.cursor.span();
        if let Some(conflict) = self.conflict_at(key(left)) {
            let ty = self.unevaluated(|this| this.expression(left))?.ty;
            let mut sides =
                self.in_every_order(&conflict, 2, &mut |this, number| match number {
                    0 => {
                        let target = this.expression(left)?;
                        this.cursor.set_span(span);
                        this.check_modifiable(&target)?;
                        Ok(vec![target])
                    }
                    _ => {
                        let value = this.expression(right)?;
                        this.cursor.set_span(span);
                        Ok(vec![this.assignable(value, ty)?])
                    }
                })?;
            self.cursor.set_span(span);
            let value = sides.pop().and_then(|mut values| values.pop());
            let target = sides.pop().and_then(|mut values| values.pop());
            return match (target, value) {
                (Some(target), Some(value)) => self.store_and_read(target, value, wanted),
                _ => Err(self.error("an operand has no value")),
            };
        }
        let mut site = self.sequencing.open_site(key(left));
        let start = self.sequencing.open_operand();
        let target = self.expression(left)?;
        self.cursor.set_span(span);
        self.check_modifiable(&target)?;
        if has_loose_effects(right) {
            site.stores = self.region_written(&target);
        }
        self.close_operand(&mut site, start, std::slice::from_ref(&target));
        let mark = self.function.mark();
        let start = self.sequencing.open_operand();
        let value = self.expression(right)?;
        self.cursor.set_span(span);
        let value = self.assignable(value, target.ty)?;
        self.close_operand(&mut site, start, std::slice::from_ref(&value));
        self.close_site(site);
        let target = self.settle(target, mark)?;
        self.store_and_read(target, value, wanted)
    }

    /// The memory that an assignment to a scalar writes.
    fn region_written(&self, target: &Value) -> Option<Region> {
        let ValueKind::Lvalue(Lvalue { address, bit_field }) = &target.kind else {
            return None;
        };
        Some(self.region(&Place {
            address: Pointer::new(address.clone()),
            scalar: self.types.scalar(target.ty)?,
            bit_field: *bit_field,
        }))
    }

    /// Writes a value of the target's type and returns the value that the target then holds.
    fn store_and_read(&mut self, target: Value, value: Value, wanted: Use) -> Result<Value> {
        if wanted == Use::Effects {
            self.store_value(target, value)?;
            return Ok(Value::void());
        }
        let ty = target.ty;
        let ValueKind::Lvalue(lvalue) = &target.kind else {
            return Err(self.error("the operand that is written to is not an lvalue"));
        };
        let in_variable = matches!(lvalue.address, Expr::ObjectAddress(_));
        match value.kind {
            ValueKind::Scalar(expr) if lvalue.bit_field.is_none() && !in_variable => {
                let scalar = self.scalar_type(ty)?;
                let kept = self.keep(expr, scalar);
                let value = Value::scalar(kept, ty.unqualified());
                self.store_value(target, value.clone())?;
                Ok(value)
            }
            // A device object may change by itself, so that it is not read back.
            ValueKind::Scalar(expr) if self.device_access(&lvalue.address, ty).is_some() => {
                let bit_field = lvalue.bit_field;
                let kept = self.keep(expr, self.scalar_type(ty)?);
                self.store_value(target, Value::scalar(kept.clone(), ty.unqualified()))?;
                self.assigned_value(kept, ty, bit_field)
            }
            ValueKind::Aggregate(source) if self.device_access(&lvalue.address, ty).is_some() => {
                let value = Value::aggregate(source, ty.unqualified());
                self.store_value(target, value.clone())?;
                Ok(value)
            }
            // A variable or bit-field is read back, which converts the value to its width.
            kind => {
                let value = Value { kind, ..value };
                let back = if in_variable {
                    target.clone()
                } else {
                    self.keep_address(target.clone())?
                };
                self.store_value(back.clone(), value)?;
                Ok(self.rvalue(back))
            }
        }
    }

    /// Copies the operands of an address to temporaries, so that the address can be used again after a write.
    pub(in crate::lower) fn keep_address(&mut self, value: Value) -> Result<Value> {
        let ValueKind::Lvalue(Lvalue { address, bit_field }) = value.kind else {
            return Ok(value);
        };
        let address = self.keep_pointer(address);
        Ok(Value {
            ty: value.ty,
            kind: ValueKind::Lvalue(Lvalue { address, bit_field }),
        })
    }

    pub(in crate::lower) fn keep_pointer(&mut self, address: Expr) -> Expr {
        match address {
            Expr::Offset { base, bytes } => {
                let base = self.keep_pointer(*base);
                let scalar = self.types.offset_scalar();
                let bytes = with_indices(*bytes, scalar, &mut |index, scalar| {
                    self.keep(index, scalar)
                });
                Expr::Offset {
                    base: Box::new(base),
                    bytes: Box::new(bytes),
                }
            }
            other => self.keep(other, ScalarType::Pointer),
        }
    }

    /// `left op= right`.
    pub(in crate::lower) fn compound_assign(
        &mut self,
        op: BinaryOp,
        left: &Node<ast::Expression>,
        right: &Node<ast::Expression>,
        wanted: Use,
    ) -> Result<Value> {
        let span = self.cursor.span();
        if let Some(conflict) = self.conflict_at(key(left)) {
            return self.compound_in_every_order(&conflict, op, left, right, wanted);
        }
        let mut site = self.sequencing.open_site(key(left));
        let start = self.sequencing.open_operand();
        let target = self.expression(left)?;
        self.cursor.set_span(span);
        self.check_modifiable(&target)?;
        let mark = self.function.mark();
        let old = self.rvalue(target.clone());
        self.close_operand(&mut site, start, std::slice::from_ref(&old));
        let start = self.sequencing.open_operand();
        let operand = self.expression(right)?;
        self.cursor.set_span(span);
        let operand = self.rvalue(operand);
        self.close_operand(&mut site, start, std::slice::from_ref(&operand));
        self.close_site(site);
        let start = self.sequencing.open_operand();
        let region = self.region_written(&target);
        // The old value was read first, so that it is inserted at the mark behind the operands of its address.
        let old = self.settle(old, mark)?;
        let target = self.settle(target, mark)?;
        let result = self.binary_values(op, old, operand)?;
        let result = self.cast(result, target.ty)?;
        let value = self.store_and_read(target, result, wanted)?;
        self.log_update(start, region);
        Ok(value)
    }

    /// Lowers `left op= right` where the operands conflict. The old value is read with the left operand.
    fn compound_in_every_order(
        &mut self,
        conflict: &Conflict,
        op: BinaryOp,
        left: &Node<ast::Expression>,
        right: &Node<ast::Expression>,
        wanted: Use,
    ) -> Result<Value> {
        let span = self.cursor.span();
        let sides = self.in_every_order(conflict, 2, &mut |this, number| match number {
            0 => {
                let target = this.expression(left)?;
                this.cursor.set_span(span);
                this.check_modifiable(&target)?;
                let old = this.rvalue(target.clone());
                Ok(vec![target, old])
            }
            _ => {
                let operand = this.expression(right)?;
                this.cursor.set_span(span);
                Ok(vec![this.rvalue(operand)])
            }
        })?;
        self.cursor.set_span(span);
        let mut values = sides.into_iter().flatten();
        let (Some(target), Some(old), Some(operand)) =
            (values.next(), values.next(), values.next())
        else {
            return Err(self.error("an operand has no value"));
        };
        let result = self.binary_values(op, old, operand)?;
        let result = self.cast(result, target.ty)?;
        self.store_and_read(target, result, wanted)
    }

    /// Lowers `++` and `--`.
    pub(in crate::lower) fn increment(
        &mut self,
        operand: &Node<ast::Expression>,
        op: BinaryOp,
        fixity: Fixity,
        wanted: Use,
    ) -> Result<Value> {
        let span = self.cursor.span();
        let target = self.expression(operand)?;
        self.cursor.set_span(span);
        self.check_modifiable(&target)?;
        if self.types.scalar(target.ty).is_none() && !self.types.has_parts(target.ty) {
            let ty = self.types.describe(target.ty);
            return Err(self.error(format!("`++` or `--` is applied to a value of type `{ty}`")));
        }
        let start = self.sequencing.open_operand();
        let region = self.region_written(&target);
        let value = self.increment_value(target, op, fixity, wanted)?;
        self.log_update(start, region);
        Ok(value)
    }

    /// The number that `++` adds to a value of the type. For a bit-precise integer it is one of its own type (C23 6.5.4.1p2),
    /// so that the addition may overflow.
    fn one(&mut self, ty: Type) -> Result<Value> {
        let one = Value::scalar(fold::int(1), Type::INT);
        match self.types.bit_precise(ty) {
            Some(_) => self.cast(one, ty.unqualified()),
            None => Ok(one),
        }
    }

    fn increment_value(
        &mut self,
        target: Value,
        op: BinaryOp,
        fixity: Fixity,
        wanted: Use,
    ) -> Result<Value> {
        let old = self.rvalue(target.clone());
        if wanted == Use::Effects || fixity == Fixity::Prefix {
            let one = self.one(target.ty)?;
            let result = self.binary_values(op, old, one)?;
            let result = self.cast(result, target.ty)?;
            return self.store_and_read(target, result, wanted);
        }
        let kept = if self.types.has_parts(old.ty) {
            self.snapshot(&old)?
        } else {
            let (expr, ty) = self.scalar_value(old)?;
            let scalar = self.scalar_type(ty)?;
            Value::scalar(self.store_fresh(expr, scalar), ty)
        };
        let target = self.keep_address(target)?;
        let one = self.one(target.ty)?;
        let result = self.binary_values(op, kept.clone(), one)?;
        let result = self.cast(result, target.ty)?;
        self.store_value(target, result)?;
        Ok(kept)
    }
}
