//! Homes: where a value is kept that several branches have made, so that what comes after them can go on with it.

use super::super::value::{Lvalue, Value, ValueKind};
use super::super::{Lowerer, Result, fold};
use crate::ir::{Expr, Instruction, ObjectIndex, Pointer, ScalarType};
use crate::types::Type;
use regatta_base::Error;

/// Where a value is kept that each of several branches has made.
pub(super) enum Home {
    Same(Expr),
    /// In a temporary.
    Scalar(ObjectIndex, ScalarType),
    /// An address in parts: the base, and the temporary with the bytes added to it.
    Offset(Box<Home>, ObjectIndex),
    /// In a temporary object.
    Object(ObjectIndex),
    /// There is none.
    Nothing,
}

impl Lowerer<'_> {
    /// Where to keep what several branches have made.
    pub(super) fn home_for(&mut self, values: &[&Value]) -> Result<Home> {
        Ok(match &values[0].kind {
            ValueKind::Void => Home::Nothing,
            ValueKind::Aggregate(_) => Home::Object(self.temporary_object(values[0].ty)?),
            ValueKind::Scalar(_) => {
                let scalar = self.scalar_type(values[0].ty)?;
                let exprs: Vec<&Expr> = values
                    .iter()
                    .filter_map(|value| address_in(value))
                    .collect();
                if scalar == ScalarType::Pointer {
                    self.home_for_address(&exprs)
                } else {
                    Home::Scalar(self.temporary(scalar), scalar)
                }
            }
            ValueKind::Lvalue(_) | ValueKind::Function(_) => {
                let exprs: Vec<&Expr> = values
                    .iter()
                    .filter_map(|value| address_in(value))
                    .collect();
                self.home_for_address(&exprs)
            }
        })
    }

    /// Addresses keep their form, so that it stays known what they are in.
    fn home_for_address(&mut self, addresses: &[&Expr]) -> Home {
        let first = addresses[0];
        if is_fixed(first) && addresses.iter().all(|&other| other == first) {
            return Home::Same(first.clone());
        }
        let bases: Vec<&Expr> = addresses
            .iter()
            .filter_map(|address| match address {
                Expr::Offset { base, .. } => Some(&**base),
                _ => None,
            })
            .collect();
        if bases.len() == addresses.len() {
            let base = self.home_for_address(&bases);
            let bytes = self.temporary(self.offset_scalar());
            return Home::Offset(Box::new(base), bytes);
        }
        Home::Scalar(self.temporary(ScalarType::Pointer), ScalarType::Pointer)
    }

    /// The value that all branches have moved to its home; `like` is that of one of them.
    pub(super) fn value_at_home(&self, like: &Value, home: &Home) -> Value {
        let ty: Type = like.ty;
        let kind = match &like.kind {
            ValueKind::Void => ValueKind::Void,
            ValueKind::Aggregate(_) => ValueKind::Aggregate(self.expr_at_home(home)),
            ValueKind::Scalar(_) => ValueKind::Scalar(self.expr_at_home(home)),
            ValueKind::Function(_) => ValueKind::Function(self.expr_at_home(home)),
            ValueKind::Lvalue(lvalue) => ValueKind::Lvalue(Lvalue {
                address: self.expr_at_home(home),
                bit_field: lvalue.bit_field,
            }),
        };
        Value { ty, kind }
    }

    fn expr_at_home(&self, home: &Home) -> Expr {
        match home {
            Home::Same(expr) => expr.clone(),
            Home::Scalar(object, scalar) => self.load_object(*object, *scalar),
            Home::Offset(base, bytes) => Expr::Offset {
                base: Box::new(self.expr_at_home(base)),
                bytes: Box::new(self.load_object(*bytes, self.offset_scalar())),
            },
            Home::Object(object) => Expr::ObjectAddress(*object),
            Home::Nothing => fold::int(0),
        }
    }

    /// Moves a branch's value to its home.
    pub(super) fn move_home(&mut self, value: &Value, home: &Home) -> Result<()> {
        match (home, &value.kind) {
            (Home::Object(object), ValueKind::Aggregate(source)) => {
                let instruction = Instruction::Copy {
                    destination: Pointer::new(Expr::ObjectAddress(*object)),
                    source: Pointer::new(source.clone()),
                    size: self.size_of(value.ty)?,
                    leaves: self.types.leaves(value.ty),
                    overlapping: false,
                };
                self.emit_fresh(instruction);
            }
            (Home::Nothing, ValueKind::Void) => {}
            (home, _) => match address_in(value) {
                Some(expr) => self.move_expr_home(expr, home)?,
                None => return Err(self.homeless()),
            },
        }
        Ok(())
    }

    fn homeless(&self) -> Error {
        self.contradiction("a value of another kind in another order of evaluation")
    }

    fn move_expr_home(&mut self, expr: &Expr, home: &Home) -> Result<()> {
        match (home, expr) {
            (Home::Same(_), _) => {}
            (Home::Scalar(object, scalar), _) => {
                let place = self.object_place(*object, *scalar);
                let value = expr.clone();
                self.emit_fresh(Instruction::Assign { place, value });
            }
            (Home::Offset(home, object), Expr::Offset { base, bytes }) => {
                self.move_expr_home(base, home)?;
                let place = self.object_place(*object, self.offset_scalar());
                let value = (**bytes).clone();
                self.emit_fresh(Instruction::Assign { place, value });
            }
            (Home::Offset(..) | Home::Object(_) | Home::Nothing, _) => {
                return Err(self.homeless());
            }
        }
        Ok(())
    }
}

/// The scalar or the address that a value is.
fn address_in(value: &Value) -> Option<&Expr> {
    match &value.kind {
        ValueKind::Scalar(expr) | ValueKind::Function(expr) | ValueKind::Aggregate(expr) => {
            Some(expr)
        }
        ValueKind::Lvalue(lvalue) => Some(&lvalue.address),
        ValueKind::Void => None,
    }
}

/// Whether an address is the same wherever it is evaluated.
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
