//! The storage that joins the values of several branches, so that the code after them can use one value.

use crate::ir::{Expr, Instruction, ObjectIndex, Pointer, ScalarType};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Lvalue, Value, ValueKind};
use crate::lower::{Lowerer, Result};
use crate::types::Type;
use regatta_base::Error;

/// The storage in which several branches join their values.
pub(super) enum JoinStorage {
    /// None: all branches have the same constant address.
    Same(Expr),
    /// A temporary.
    Scalar(ObjectIndex, ScalarType),
    /// An address in parts: the base, and the temporary with its byte offset.
    Offset(Box<JoinStorage>, ObjectIndex),
    /// A temporary object.
    Object(ObjectIndex),
    /// None: the value is void.
    Nothing,
}

impl Lowerer<'_> {
    /// Chooses the storage for the values of several branches.
    pub(super) fn join_storage(&mut self, values: &[&Value]) -> Result<JoinStorage> {
        Ok(match &values[0].kind {
            ValueKind::Void => JoinStorage::Nothing,
            ValueKind::Aggregate(_) => JoinStorage::Object(self.temporary_object(values[0].ty)?),
            ValueKind::Scalar(_) => {
                let scalar = self.scalar_type(values[0].ty)?;
                let exprs: Vec<&Expr> = values
                    .iter()
                    .filter_map(|value| address_in(value))
                    .collect();
                if scalar == ScalarType::Pointer {
                    self.join_storage_of_addresses(&exprs)
                } else {
                    JoinStorage::Scalar(self.temporary(scalar), scalar)
                }
            }
            ValueKind::Lvalue(_) | ValueKind::Function(_) => {
                let exprs: Vec<&Expr> = values
                    .iter()
                    .filter_map(|value| address_in(value))
                    .collect();
                self.join_storage_of_addresses(&exprs)
            }
        })
    }

    /// Addresses keep their form, so that the object that they are in stays known.
    fn join_storage_of_addresses(&mut self, addresses: &[&Expr]) -> JoinStorage {
        let first = addresses[0];
        if is_fixed(first) && addresses.iter().all(|&other| other == first) {
            return JoinStorage::Same(first.clone());
        }
        let bases: Vec<&Expr> = addresses
            .iter()
            .filter_map(|address| match address {
                Expr::Offset { base, .. } => Some(&**base),
                _ => None,
            })
            .collect();
        if bases.len() == addresses.len() {
            let base = self.join_storage_of_addresses(&bases);
            let bytes = self.temporary(self.types.offset_scalar());
            return JoinStorage::Offset(Box::new(base), bytes);
        }
        JoinStorage::Scalar(self.temporary(ScalarType::Pointer), ScalarType::Pointer)
    }

    /// The value that all branches have stored; `like` is the value of one of them.
    pub(super) fn joined_value(&self, like: &Value, storage: &JoinStorage) -> Value {
        let ty: Type = like.ty;
        let kind = match &like.kind {
            ValueKind::Void => ValueKind::Void,
            ValueKind::Aggregate(_) => ValueKind::Aggregate(self.joined_expression(storage)),
            ValueKind::Scalar(_) => ValueKind::Scalar(self.joined_expression(storage)),
            ValueKind::Function(_) => ValueKind::Function(self.joined_expression(storage)),
            ValueKind::Lvalue(lvalue) => ValueKind::Lvalue(Lvalue {
                address: self.joined_expression(storage),
                bit_field: lvalue.bit_field,
            }),
        };
        Value { ty, kind }
    }

    fn joined_expression(&self, storage: &JoinStorage) -> Expr {
        match storage {
            JoinStorage::Same(expr) => expr.clone(),
            JoinStorage::Scalar(object, scalar) => self.load_object(*object, *scalar),
            JoinStorage::Offset(base, bytes) => Expr::Offset {
                base: Box::new(self.joined_expression(base)),
                bytes: Box::new(self.load_object(*bytes, self.types.offset_scalar())),
            },
            JoinStorage::Object(object) => Expr::ObjectAddress(*object),
            JoinStorage::Nothing => fold::int(0),
        }
    }

    /// Stores a branch's value.
    pub(super) fn store_for_join(&mut self, value: &Value, storage: &JoinStorage) -> Result<()> {
        match (storage, &value.kind) {
            (JoinStorage::Object(object), ValueKind::Aggregate(source)) => {
                let instruction = Instruction::Copy {
                    destination: Pointer::new(Expr::ObjectAddress(*object)),
                    source: Pointer::new(source.clone()),
                    size: self.size_of(value.ty)?,
                    leaves: self.types.leaves(value.ty),
                    overlapping: false,
                };
                self.emit_fresh(instruction);
            }
            (JoinStorage::Nothing, ValueKind::Void) => {}
            (storage, _) => match address_in(value) {
                Some(expr) => self.store_expression_for_join(expr, storage)?,
                None => return Err(self.mismatched_kinds()),
            },
        }
        Ok(())
    }

    fn mismatched_kinds(&self) -> Error {
        self.contradiction("a value of another kind in another order of evaluation")
    }

    fn store_expression_for_join(&mut self, expr: &Expr, storage: &JoinStorage) -> Result<()> {
        match (storage, expr) {
            (JoinStorage::Same(_), _) => {}
            (JoinStorage::Scalar(object, scalar), _) => {
                let place = self.object_place(*object, *scalar);
                let value = expr.clone();
                self.emit_fresh(Instruction::Assign { place, value });
            }
            (JoinStorage::Offset(storage, object), Expr::Offset { base, bytes }) => {
                self.store_expression_for_join(base, storage)?;
                let place = self.object_place(*object, self.types.offset_scalar());
                let value = (**bytes).clone();
                self.emit_fresh(Instruction::Assign { place, value });
            }
            (JoinStorage::Offset(..) | JoinStorage::Object(_) | JoinStorage::Nothing, _) => {
                return Err(self.mismatched_kinds());
            }
        }
        Ok(())
    }
}

/// The scalar or address of a value.
fn address_in(value: &Value) -> Option<&Expr> {
    match &value.kind {
        ValueKind::Scalar(expr) | ValueKind::Function(expr) | ValueKind::Aggregate(expr) => {
            Some(expr)
        }
        ValueKind::Lvalue(lvalue) => Some(&lvalue.address),
        ValueKind::Void => None,
    }
}

/// Checks whether an address is constant.
fn is_fixed(address: &Expr) -> bool {
    match address {
        Expr::ObjectAddress(_)
        | Expr::FunctionAddress(_)
        | Expr::ExternalFunctionAddress(_)
        | Expr::Integer { .. } => true,
        Expr::Offset { base, bytes } => is_fixed(base) && is_fixed(bytes),
        _ => false,
    }
}
