//! `constexpr` objects: their contents are recorded at the declaration and used in constant expressions.

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxHashMap;

use crate::ir::{Expr, ObjectIndex, Place};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Lvalue, Value, ValueKind};
use crate::lower::limits::MAXIMUM_SEARCHED_PARTS;
use crate::lower::{Lowerer, Result};
use crate::rewrite::encoding;
use crate::types::{Qualifiers, Type};

/// The contents of `constexpr` objects.
#[derive(Debug, Default)]
pub(in crate::lower) struct NamedConstants {
    objects: FxHashMap<ObjectIndex, Contents>,
    /// The object whose initialiser is being emitted.
    current: Option<ObjectIndex>,
}

/// The values written to an object by their first bit (type, width of a bit-field, value); the rest is zero.
type Contents = FxHashMap<u64, (Type, Option<u8>, Expr)>;

/// Decodes a call that encodes syntax unknown to lang-c: the function's name and its argument.
pub(in crate::lower) fn encoded_call(
    expression: &ast::Expression,
) -> Option<(&str, &Node<ast::Expression>)> {
    let ast::Expression::Call(call) = expression else {
        return None;
    };
    let ast::Expression::Identifier(name) = &call.node.callee.node else {
        return None;
    };
    let [argument] = call.node.arguments.as_slice() else {
        return None;
    };
    let name = name.node.name.as_str();
    name.starts_with("__regatta_").then_some((name, argument))
}

/// The storage class of a compound literal: whether it is static, and whether it is `constexpr`.
pub(in crate::lower) fn literal_storage(name: &ast::TypeName) -> (bool, bool) {
    let found = name.specifiers.iter().find_map(|specifier| {
        let ast::SpecifierQualifier::TypeSpecifier(specifier) = &specifier.node else {
            return None;
        };
        let ast::TypeSpecifier::TypeOf(operand) = &specifier.node else {
            return None;
        };
        let ast::TypeOf::Expression(expression) = &operand.node else {
            return None;
        };
        match encoded_call(&expression.node)?.0 {
            encoding::STATIC_LITERAL => Some((true, false)),
            encoding::CONSTANT_LITERAL => Some((false, true)),
            encoding::STATIC_CONSTANT_LITERAL => Some((true, true)),
            _ => None,
        }
    });
    found.unwrap_or_default()
}

impl Lowerer<'_> {
    /// Runs the initialisation of a `constexpr` object and records the values written to it.
    pub(in crate::lower) fn as_constant<T>(
        &mut self,
        object: ObjectIndex,
        initialise: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let outer = self.named_constants.current.replace(object);
        self.named_constants
            .objects
            .insert(object, Contents::default());
        let result = initialise(self);
        self.named_constants.current = outer;
        result
    }

    /// Records a write of an initialiser.
    pub(in crate::lower) fn note_constant(&mut self, target: &Value, value: &Value) -> Result<()> {
        let Some(current) = self.named_constants.current else {
            return Ok(());
        };
        let ValueKind::Lvalue(Lvalue { address, bit_field }) = &target.kind else {
            return Ok(());
        };
        let Some((object, offset)) = place_of(address).filter(|(object, _)| *object == current)
        else {
            return Ok(());
        };
        let (object, bit, bits) = match bit_field {
            Some(field) => (
                object,
                offset * 8 + u64::from(field.offset),
                Some(field.bits),
            ),
            None => (object, offset * 8, None),
        };
        let ValueKind::Scalar(expr) = &value.kind else {
            // A copy of another object: it is read like any other object.
            self.named_constants.objects.remove(&object);
            return Ok(());
        };
        let expr = match (expr, fold::evaluate(expr), self.types.scalar(target.ty)) {
            (Expr::Float { .. }, ..) => expr.clone(),
            (_, Some(value), Some(scalar)) => fold::integer(value, scalar),
            _ if self.types.is_pointer(target.ty) && fold::is_harmless(expr, &|_| false) => {
                expr.clone()
            }
            _ => return Err(self.error("the initialiser of a `constexpr` object is not constant")),
        };
        if let Some(contents) = self.named_constants.objects.get_mut(&object) {
            contents.insert(bit, (target.ty.unqualified(), bits, expr));
        }
        Ok(())
    }

    /// The recorded value at a place of a `constexpr` object.
    pub(in crate::lower) fn constant_at(&self, place: &Place, ty: Type) -> Option<Expr> {
        if self.named_constants.objects.is_empty() {
            return None;
        }
        let (object, offset) = place_of(&place.address)?;
        let contents = self.named_constants.objects.get(&object)?;
        // An object that is being written is not constant yet.
        if self.named_constants.current == Some(object) {
            return None;
        }
        let field = place.bit_field;
        let bit = offset * 8 + field.map_or(0, |field| u64::from(field.offset));
        let scalar = self.types.scalar(ty)?;
        let Some((own, bits, expr)) = contents.get(&bit) else {
            let size = field.map_or(8 * self.types.size_of(ty).ok()?, |field| field.bits.into());
            let overlaps = |(&start, (own, bits, _)): (&u64, &(Type, Option<u8>, Expr))| {
                let own = bits.map_or_else(
                    || self.types.size_of(*own).map_or(u64::MAX, |size| size * 8),
                    u64::from,
                );
                start < bit + size && bit < start.saturating_add(own)
            };
            let is_zero =
                contents.len() <= MAXIMUM_SEARCHED_PARTS && !contents.iter().any(overlaps);
            return is_zero.then(|| fold::zero(scalar));
        };
        (*bits == field.map(|field| field.bits) && self.types.scalar(*own) == self.types.scalar(ty))
            .then(|| expr.clone())
    }

    /// The type of a `constexpr` object.
    pub(in crate::lower) fn constant_type(&self, ty: Type) -> Type {
        ty.qualified(Qualifiers::CONST)
    }
}

/// The object and byte offset of a constant address.
fn place_of(address: &Expr) -> Option<(ObjectIndex, u64)> {
    match address {
        Expr::ObjectAddress(object) => Some((*object, 0)),
        Expr::Offset { base, bytes } => {
            let (object, offset) = place_of(base)?;
            let bytes = u64::try_from(fold::constant(bytes)?).ok()?;
            Some((object, offset.checked_add(bytes)?))
        }
        _ => None,
    }
}
