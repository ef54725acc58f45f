//! Values with several scalar parts: vectors, complex numbers, and values of opaque types, with which nothing is
//! computed.
//!
//! Such a value is an aggregate; an operator's result has an object of its own. [`Lowerer::parts`] returns its
//! scalars, [`Lowerer::of_parts`] builds a value from them. Operators work part by part (`vector`, `complex`).

use crate::ir::{Expr, Instruction, Place, ScalarType};
use crate::lower::expressions::value::{Lvalue, Value, ValueKind};
use crate::lower::{Lowerer, Result};
use crate::types::{OpaqueKind, Type, TypeKind};

/// The parts of an operator's result if they are constants, and their type.
#[derive(Clone, Debug)]
pub(in crate::lower) struct KnownParts {
    element: Type,
    parts: Vec<Expr>,
}

impl Lowerer<'_> {
    /// The result of an unmodelled compiler built-in, which takes any type that its use requires.
    pub(in crate::lower) fn unknown_result(&mut self, name: &str) -> Result<Value> {
        let ty = self.types.intern(TypeKind::Opaque(OpaqueKind::Unknown));
        self.unmodelled(name, ty)
    }

    /// The type of a vector's elements or a complex number's parts, and their number.
    pub(in crate::lower) fn parts_of_type(&mut self, ty: Type) -> Result<(Type, u64)> {
        match self.types.parts(ty) {
            Some(parts) => Ok(parts),
            None => Err(self.contradiction("a value without parts")),
        }
    }

    /// The address of the object that holds a value.
    pub(in crate::lower) fn parts_address(&self, value: &Value) -> Result<Expr> {
        match &value.kind {
            ValueKind::Aggregate(address) | ValueKind::Lvalue(Lvalue { address, .. }) => {
                Ok(address.clone())
            }
            _ => Err(self.contradiction("a value of several parts without an address")),
        }
    }

    /// The present scalars of a value.
    pub(in crate::lower) fn parts(&mut self, value: &Value) -> Result<Vec<Expr>> {
        let (element, count) = self.parts_of_type(value.ty)?;
        let address = self.parts_address(value)?;
        if let Expr::ObjectAddress(object) = &address
            && let Some(known) = self.objects.known_parts(*object)
            && known.element == element
        {
            return Ok(known.parts.clone());
        }
        (0..count)
            .map(|number| Ok(Expr::Load(self.part_place(&address, element, number)?)))
            .collect()
    }

    pub(in crate::lower) fn part_place(
        &self,
        address: &Expr,
        element: Type,
        number: u64,
    ) -> Result<Place> {
        let bytes = number.saturating_mul(self.size_of(element)?);
        let address = self.constant_offset(address.clone(), bytes);
        self.scalar_place(address, element)
    }

    pub(in crate::lower) fn of_parts(&mut self, parts: Vec<Expr>, ty: Type) -> Result<Value> {
        let ty = ty.unqualified();
        let (element, _) = self.parts_of_type(ty)?;
        let object = self.temporary_object(ty)?;
        let address = Expr::ObjectAddress(object);
        for (number, part) in (0..).zip(&parts) {
            let place = self.part_place(&address, element, number)?;
            let value = part.clone();
            self.emit_fresh(Instruction::Assign { place, value });
        }
        self.objects.set_temporary(object, true);
        if self.is_in_start() && parts.iter().all(|part| self.is_static_constant(part)) {
            self.objects.make_constant(object);
        }
        if parts.iter().all(is_literal) {
            let known = KnownParts { element, parts };
            self.objects.set_known_parts(object, known);
        }
        Ok(Value::aggregate(address, ty))
    }

    /// Copies a value, so that later changes of its object do not affect it.
    pub(in crate::lower) fn snapshot(&mut self, value: &Value) -> Result<Value> {
        let parts = self.parts(value)?;
        self.of_parts(parts, value.ty)
    }

    /// Checks whether the parts of a value are constants.
    pub(in crate::lower) fn are_literals(parts: &[Expr]) -> bool {
        parts.iter().all(is_literal)
    }

    /// Stores a scalar that is used more than once in a temporary, unless it is simple.
    pub(in crate::lower) fn computed_once(&mut self, expr: Expr, scalar: ScalarType) -> Expr {
        let is_simple = match &expr {
            Expr::Load(place) => {
                matches!(&*place.address, Expr::ObjectAddress(object) if self.objects.is_temporary(*object))
            }
            other => is_literal(other),
        };
        if is_simple {
            return expr;
        }
        self.store_fresh(expr, scalar)
    }

    /// Applies [`Self::computed_once`] to several scalars.
    pub(in crate::lower) fn all_computed_once(
        &mut self,
        parts: Vec<Expr>,
        scalar: ScalarType,
    ) -> Vec<Expr> {
        let once = parts
            .into_iter()
            .map(|part| self.computed_once(part, scalar));
        once.collect()
    }

    /// An unmodelled but determined value of a type with parts.
    pub(in crate::lower) fn approximate_parts(&mut self, what: &str, ty: Type) -> Result<Value> {
        let ty = ty.unqualified();
        let (element, count) = self.parts_of_type(ty)?;
        let object = self.temporary_object(ty)?;
        let address = Expr::ObjectAddress(object);
        for number in 0..count {
            let place = self.part_place(&address, element, number)?;
            let what = what.to_owned();
            self.emit_fresh(Instruction::Approximate { place, what });
        }
        self.objects.set_temporary(object, true);
        if self.is_in_start() {
            self.objects.make_constant(object);
        }
        Ok(Value::aggregate(address, ty))
    }

    /// An operation on a value of an opaque type: the result is arbitrary, or of unknown type like the operand.
    pub(in crate::lower) fn opaque_operation(&mut self, ty: Type, result: Type) -> Result<Value> {
        if self.types.is_unknown(ty) {
            return self.any_value(result);
        }
        let what = format!("arithmetic of type `{}`", self.types.describe(ty));
        self.approximate(&what, result)
    }

    pub(in crate::lower) fn convert_parts(&mut self, value: Value, to: Type) -> Result<Value> {
        let from = value.ty;
        let to = to.unqualified();
        if self.types.compatible(from, to) {
            return Ok(Value { ty: to, ..value });
        }
        if self.types.is_unknown(from) || self.types.is_unknown(to) {
            return self.any_value(to);
        }
        if self.types.as_record(to).is_some() {
            return self.cast_to_union(value, to);
        }
        let numbers = [from, to].map(|ty| {
            self.types.is_arithmetic(ty) || self.types.is_complex(ty) || self.types.is_opaque(ty)
        });
        match (self.types.is_vector(from), self.types.is_vector(to)) {
            (false, false) if numbers == [true; 2] => {
                if self.types.is_opaque(from) || self.types.is_opaque(to) {
                    let opaque = if self.types.is_opaque(from) { from } else { to };
                    return self.opaque_operation(opaque, to);
                }
                self.convert_complex(value, to)
            }
            (false, false) => Err(self.inconvertible(from, to)),
            _ => self.reinterpret_vector(value, to),
        }
    }

    pub(in crate::lower) fn inconvertible(&self, from: Type, to: Type) -> regatta_base::Error {
        let (from, to) = (self.types.describe(from), self.types.describe(to));
        self.error(format!("`{from}` cannot be converted to `{to}`"))
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Integer { .. } | Expr::Float { .. })
}
