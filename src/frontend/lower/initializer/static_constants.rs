//! The permitted initialisers of static objects.

use super::super::{Lowerer, Result};
use crate::ir::Expr;
use crate::lower::expressions::value::{Lvalue, Value, ValueKind};
use crate::memory::walk::all_parts;

impl Lowerer<'_> {
    /// Checks that a static initialiser is an arithmetic or address constant; as in gcc, it may read constants.
    pub(super) fn check_static_constant(&self, value: &Value) -> Result<()> {
        let constant = match &value.kind {
            ValueKind::Scalar(expr) => self.is_static_constant(expr),
            ValueKind::Aggregate(address) | ValueKind::Lvalue(Lvalue { address, .. }) => {
                self.is_constant_object(address)
            }
            _ => true,
        };
        if constant {
            return Ok(());
        }
        Err(self.error("the initialiser of a static object is not constant"))
    }

    pub(in super::super) fn is_static_constant(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Load(place) => self.is_constant_object(&place.address),
            Expr::AllocatedSize(_) | Expr::Rounding => false,
            _ => all_parts(expr, &mut |part| self.is_static_constant(part)),
        }
    }

    /// Checks whether an address is in a `const` object or literal, whose contents a static initialiser may copy.
    fn is_constant_object(&self, address: &Expr) -> bool {
        match address {
            Expr::ObjectAddress(object) => self.objects.is_constant(*object),
            Expr::Offset { base, .. } => self.is_constant_object(base),
            _ => false,
        }
    }
}
