//! Unary and binary operators on values.

use lang_c::ast;
use lang_c::span::Node;

use super::defined::Reach;
use super::fold;
use super::half_precision::{self, HALF};
use super::value::{Value, ValueKind};
use crate::ir::{BinaryOp, Expr, ScalarType, UnaryOp};
use crate::lower::sequencing::{Conflict, OpenSite, key, leaves_of, plain_operation};
use crate::lower::{Lowerer, Result};
use crate::memory::walk::is_condition;
use crate::types::{FloatKind, Qualifiers, Type, TypeKind};

impl Lowerer<'_> {
    /// Lowers both operands of a site; the left one is evaluated first and settled.
    fn operands(
        &mut self,
        left: &Node<ast::Expression>,
        right: &Node<ast::Expression>,
        site: &mut OpenSite,
    ) -> Result<(Value, Value)> {
        let span = self.cursor.span();
        let left = self.tree_operand(left, site)?;
        let mark = self.function.mark();
        let right = self.tree_operand(right, site)?;
        self.cursor.set_span(span);
        let left = self.settle(left, mark)?;
        Ok((left, right))
    }

    /// Lowers an operand; the operands of a nested plain operator belong to the same site.
    fn tree_operand(&mut self, node: &Node<ast::Expression>, site: &mut OpenSite) -> Result<Value> {
        if let Some((op, left, right)) = plain_operation(node) {
            self.cursor.set_span(self.cursor.place_of(node));
            let nodes = [left, right];
            let (left, right) = self.operands(left, right, site)?;
            self.expect_in_array(op, nodes, [&left, &right], Reach::End)?;
            return self.binary_values(op, left, right);
        }
        let start = self.sequencing.open_operand();
        let value = self.leaf(node)?;
        self.close_operand(site, start, std::slice::from_ref(&value));
        Ok(value)
    }

    /// Lowers an operand that is not the result of a plain operator.
    fn leaf(&mut self, node: &Node<ast::Expression>) -> Result<Value> {
        let value = self.expression(node)?;
        self.operand_value(value, node)
    }

    /// Lowers an operand of an index; a vector stays an lvalue, because it is indexed in place.
    fn indexed_leaf(&mut self, node: &Node<ast::Expression>) -> Result<Value> {
        let value = self.expression(node)?;
        match self.types.is_vector(value.ty) {
            true => Ok(value),
            false => self.operand_value(value, node),
        }
    }

    /// The values of the leaf operands, evaluated in every order.
    fn operand_values(
        &mut self,
        conflict: &Conflict,
        leaves: &[&Node<ast::Expression>],
    ) -> Result<Vec<Value>> {
        let values = self.in_every_order(conflict, leaves.len(), &mut |this, number| {
            Ok(vec![this.leaf(leaves[number])?])
        })?;
        Ok(values.into_iter().flatten().collect())
    }

    /// Lowers the operands of `left[right]`.
    pub(in crate::lower) fn index_operands(
        &mut self,
        left: &Node<ast::Expression>,
        right: &Node<ast::Expression>,
    ) -> Result<(Value, Value)> {
        let name = key(left);
        if let Some(conflict) = self.conflict_at(name) {
            let operands = [left, right];
            let values = self.in_every_order(&conflict, 2, &mut |this, number| {
                Ok(vec![this.indexed_leaf(operands[number])?])
            })?;
            let mut values = values.into_iter().flatten();
            if let (Some(left), Some(right)) = (values.next(), values.next()) {
                return Ok((left, right));
            }
        }
        let mut site = self.sequencing.open_site(name);
        let span = self.cursor.span();
        let start = self.sequencing.open_operand();
        let pointer = self.indexed_leaf(left)?;
        self.close_operand(&mut site, start, std::slice::from_ref(&pointer));
        let mark = self.function.mark();
        let start = self.sequencing.open_operand();
        let index = self.indexed_leaf(right)?;
        self.close_operand(&mut site, start, std::slice::from_ref(&index));
        self.close_site(site);
        self.cursor.set_span(span);
        let pointer = self.settle(pointer, mark)?;
        Ok((pointer, index))
    }

    /// An operand after lvalue conversion; a `void` operand is an error.
    fn operand_value(&mut self, value: Value, node: &Node<ast::Expression>) -> Result<Value> {
        let value = self.rvalue(value);
        match value.kind {
            ValueKind::Void => Err(self.error_at(node, "a void value is used")),
            ValueKind::Aggregate(_) if self.types.is_void(value.ty) => {
                Err(self.error_at(node, "a void value is used"))
            }
            _ => Ok(value),
        }
    }

    /// Lowers `left op right` for operators that evaluate both operands.
    pub(in crate::lower) fn binary_operation(
        &mut self,
        op: BinaryOp,
        left: &Node<ast::Expression>,
        right: &Node<ast::Expression>,
    ) -> Result<Value> {
        self.operation(op, [left, right], Reach::End)
    }

    /// Lowers `left op right` for operators that evaluate both operands; a sum that is a pointer may reach so far.
    pub(in crate::lower) fn operation(
        &mut self,
        op: BinaryOp,
        [left, right]: [&Node<ast::Expression>; 2],
        reach: Reach,
    ) -> Result<Value> {
        let nodes = [left, right];
        let name = key(left);
        if let Some(conflict) = self.conflict_at(name) {
            let span = self.cursor.span();
            let mut leaves = Vec::new();
            leaves_of(left, &mut leaves);
            leaves_of(right, &mut leaves);
            let mut values = self.operand_values(&conflict, &leaves)?.into_iter();
            let left = self.combine(left, &mut values)?;
            let right = self.combine(right, &mut values)?;
            self.cursor.set_span(span);
            return self.binary_values(op, left, right);
        }
        let mut site = self.sequencing.open_site(name);
        let (left, right) = self.operands(left, right, &mut site)?;
        self.close_site(site);
        self.expect_in_array(op, nodes, [&left, &right], reach)?;
        self.binary_values(op, left, right)
    }

    /// Lowers `left op right` for operands that are values, not lvalues.
    pub(in crate::lower) fn binary_values(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
    ) -> Result<Value> {
        for value in [&left, &right] {
            if let ValueKind::Void = value.kind {
                return Err(self.error("a void value is used"));
            }
        }
        if self.types.has_parts(left.ty) || self.types.has_parts(right.ty) {
            return self.operation_on_parts(op, left, right);
        }
        match op {
            _ if op.is_comparison() => self.comparison(op, left, right),
            BinaryOp::Add | BinaryOp::Subtract
                if self.types.is_pointer(left.ty) || self.types.is_pointer(right.ty) =>
            {
                self.pointer_arithmetic(op, left, right)
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => self.shift(op, left, right),
            BinaryOp::Remainder | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                if !self.types.is_integer(left.ty) || !self.types.is_integer(right.ty) {
                    return Err(self.invalid_operands(&left, &right));
                }
                self.arithmetic(op, left, right)
            }
            _ => self.arithmetic(op, left, right),
        }
    }

    /// Lowers `left op right` where an operand has several parts (vector or complex).
    fn operation_on_parts(&mut self, op: BinaryOp, left: Value, right: Value) -> Result<Value> {
        self.check_parts(op, &[left.ty, right.ty]);
        for ty in [left.ty, right.ty] {
            if self.types.is_opaque(ty) {
                let result = match is_condition(op) {
                    true => Type::INT,
                    false => ty,
                };
                return self.opaque_operation(ty, result);
            }
        }
        if self.types.is_vector(left.ty) || self.types.is_vector(right.ty) {
            return self.vector_operation(op, left, right);
        }
        self.complex_operation(op, left, right)
    }

    fn invalid_operands(&self, left: &Value, right: &Value) -> regatta_base::diagnostic::Error {
        let (left, right) = (self.types.describe(left.ty), self.types.describe(right.ty));
        self.error(format!("invalid operands of types `{left}` and `{right}`"))
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Value, right: Value) -> Result<Value> {
        if !self.types.is_arithmetic(left.ty) || !self.types.is_arithmetic(right.ty) {
            return Err(self.invalid_operands(&left, &right));
        }
        let common = self.types.common_arithmetic(left.ty, right.ty);
        let scalar = self.scalar_type(common)?;
        // Operands, including integers, are converted to the type in which operators compute.
        let operands = match scalar {
            HALF => self.types.float(FloatKind::Float),
            _ => common,
        };
        let left = self.operand(left, operands)?;
        let right = self.operand(right, operands)?;
        if scalar == HALF {
            return Ok(Value::scalar(
                half_precision::binary(op, left, right),
                common,
            ));
        }
        let [left, right] = self.check_arithmetic(op, [left, right], common, scalar);
        let result = match self.distance_of_addresses(op, [&left, &right], scalar) {
            Some(distance) => distance,
            None => fold::binary(op, left, right, scalar),
        };
        Ok(Value::scalar(
            match op.is_comparison() {
                true => result,
                false => self.narrowed(result, common),
            },
            common,
        ))
    }

    /// Under a check of memory, a difference of addresses as integers is that of the pointers (bytes): so it tells nothing of the
    /// places of objects, where both are in one.
    fn distance_of_addresses(
        &self,
        op: BinaryOp,
        operands: [&Expr; 2],
        scalar: ScalarType,
    ) -> Option<Expr> {
        fn address(expr: &Expr, width: u8) -> Option<Expr> {
            match expr {
                Expr::Convert { operand, from, .. } => match from {
                    ScalarType::Pointer => Some((**operand).clone()),
                    ScalarType::Integer { bits, .. } if *bits == width => address(operand, width),
                    _ => None,
                },
                _ => None,
            }
        }
        let width = self.input.pointer_bits();
        let is_as_wide = matches!(scalar, ScalarType::Integer { bits, .. } if bits == width);
        if op != BinaryOp::Subtract || !is_as_wide || !self.input.property().checks_memory() {
            return None;
        }
        let [left, right] = operands.map(|operand| address(operand, width));
        let distance = Expr::Binary {
            op: BinaryOp::PointerDifference,
            left: Box::new(left?),
            right: Box::new(right?),
            scalar: ScalarType::Pointer,
        };
        Some(fold::convert(distance, self.types.offset_scalar(), scalar))
    }

    /// Refuses vectors and complex numbers of type `_Float16` (see [`half_precision`]).
    pub(in crate::lower) fn note_half_precision(&mut self, op: BinaryOp, ty: Type) {
        if *self.types.kind(ty) == TypeKind::Float(FloatKind::Float16) && !is_condition(op) {
            self.unsupported("arithmetic of type `_Float16`");
        }
    }

    /// Converts a scalar operand to the operator's type.
    fn operand(&mut self, value: Value, to: Type) -> Result<Expr> {
        let (expr, ty) = self.scalar_value(value)?;
        self.convert_scalar(expr, ty, to)
    }

    fn shift(&mut self, op: BinaryOp, left: Value, right: Value) -> Result<Value> {
        if !self.types.is_integer(left.ty) || !self.types.is_integer(right.ty) {
            return Err(self.invalid_operands(&left, &right));
        }
        let ty = self.types.promoted(left.ty);
        let count_type = self.types.promoted(right.ty);
        let scalar = self.scalar_type(ty)?;
        let left = self.operand(left, ty)?;
        let count = self.operand(right, count_type)?;
        if op == BinaryOp::ShiftLeft {
            self.expect_shiftable(&left, &count, scalar);
        }
        let count_scalar = self.scalar_type(count_type)?;
        let [left, count] = self.check_shift(op, [left, count], ty, [scalar, count_scalar]);
        let result = fold::binary(op, left, count, scalar);
        Ok(Value::scalar(self.narrowed(result, ty), ty))
    }

    fn pointer_arithmetic(&mut self, op: BinaryOp, left: Value, right: Value) -> Result<Value> {
        let left_pointer = self.types.is_pointer(left.ty);
        let right_pointer = self.types.is_pointer(right.ty);
        match (op, left_pointer, right_pointer) {
            (_, true, false) if self.types.is_integer(right.ty) => {
                self.add_to_pointer(left, right, op)
            }
            (BinaryOp::Add, false, true) if self.types.is_integer(left.ty) => {
                self.add_to_pointer(right, left, op)
            }
            (BinaryOp::Subtract, true, true) => self.pointer_difference(left, right),
            _ => Err(self.invalid_operands(&left, &right)),
        }
    }

    /// The difference of two pointers, in elements.
    fn pointer_difference(&mut self, left: Value, right: Value) -> Result<Value> {
        let Some(target) = self.types.pointee(left.ty) else {
            return Err(self.invalid_operands(&left, &right));
        };
        if !self.types.is_complete(target)
            && !self.types.is_void(target)
            && !self.types.is_function(target)
        {
            return Err(self.error("difference of pointers to an incomplete type"));
        }
        let size = self.size_expression(target)?;
        let (left, _) = self.scalar_value(left)?;
        let (right, _) = self.scalar_value(right)?;
        let scalar = self.types.offset_scalar();
        let bytes = Expr::Binary {
            op: BinaryOp::PointerDifference,
            left: Box::new(left),
            right: Box::new(right),
            scalar: ScalarType::Pointer,
        };
        let elements = match fold::constant(&size) {
            Some(1) => bytes,
            _ => fold::binary(BinaryOp::Divide, bytes, size, scalar),
        };
        Ok(Value::scalar(elements, self.types.difference_type()))
    }

    fn comparison(&mut self, op: BinaryOp, left: Value, right: Value) -> Result<Value> {
        let left_pointer = self.types.is_pointer(left.ty);
        let right_pointer = self.types.is_pointer(right.ty);
        if left_pointer || right_pointer {
            let comparable =
                |this: &Self, ty: Type| this.types.is_pointer(ty) || this.types.is_integer(ty);
            if !comparable(self, left.ty) || !comparable(self, right.ty) {
                return Err(self.invalid_operands(&left, &right));
            }
            let pointer = if left_pointer { left.ty } else { right.ty };
            let left = self.operand(left, pointer)?;
            let right = self.operand(right, pointer)?;
            if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
                self.note_pointer_comparison(pointer, &[&left, &right]);
            }
            let result = fold::binary(op, left, right, ScalarType::Pointer);
            return Ok(Value::scalar(result, Type::INT));
        }
        let result = self.arithmetic(op, left, right)?;
        Ok(Value {
            ty: Type::INT,
            ..result
        })
    }

    /// Lowers unary `+`, `-` and `~`.
    pub(in crate::lower) fn unary_operation(
        &mut self,
        operator: &ast::UnaryOperator,
        operand: Value,
    ) -> Result<Value> {
        let operand = self.rvalue(operand);
        let negates = match operator {
            ast::UnaryOperator::Minus => true,
            // The conjugate.
            ast::UnaryOperator::Complement => self.types.is_complex(operand.ty),
            _ => false,
        };
        if negates {
            self.check_parts(BinaryOp::Subtract, &[operand.ty]);
        }
        if self.types.is_opaque(operand.ty) {
            return self.opaque_operation(operand.ty, operand.ty);
        }
        if self.types.is_vector(operand.ty) {
            return self.vector_unary(operator, operand);
        }
        if self.types.is_complex(operand.ty) {
            return self.complex_unary(operator, operand);
        }
        let integer_only = *operator == ast::UnaryOperator::Complement;
        if !self.types.is_arithmetic(operand.ty)
            || (integer_only && !self.types.is_integer(operand.ty))
        {
            let ty = self.types.describe(operand.ty);
            return Err(self.error(format!(
                "an arithmetic operator is applied to a value of type `{ty}`"
            )));
        }
        let ty = self.types.promoted(operand.ty);
        let scalar = self.scalar_type(ty)?;
        let expr = self.operand(operand, ty)?;
        let expr = match operator {
            ast::UnaryOperator::Minus => self.check_negation(expr, ty, scalar),
            _ => expr,
        };
        let result = match operator {
            ast::UnaryOperator::Minus if scalar == HALF => half_precision::negated(expr),
            ast::UnaryOperator::Minus => fold::unary(UnaryOp::Negate, expr, scalar),
            ast::UnaryOperator::Complement => fold::unary(UnaryOp::Complement, expr, scalar),
            _ => expr,
        };
        Ok(Value::scalar(self.narrowed(result, ty), ty))
    }

    /// The type of `condition ? left : right`.
    pub(in crate::lower) fn conditional_type(
        &mut self,
        left: &Value,
        right: &Value,
    ) -> Result<Type> {
        let (left_type, right_type) = (left.ty, right.ty);
        if self.types.is_arithmetic(left_type) && self.types.is_arithmetic(right_type) {
            self.note_unrounded(left);
            self.note_unrounded(right);
            return Ok(self.types.common_arithmetic(left_type, right_type));
        }
        if self.types.is_void(left_type) || self.types.is_void(right_type) {
            return Ok(Type::VOID);
        }
        // C23: `nullptr` takes the type of the other operand.
        if self.types.is_null_pointer_type(left_type) && self.types.is_pointer(right_type) {
            return Ok(right_type.unqualified());
        }
        if self.types.is_null_pointer_type(right_type) && self.types.is_pointer(left_type) {
            return Ok(left_type.unqualified());
        }
        let null = |this: &Self, value: &Value| {
            matches!(&value.kind, ValueKind::Scalar(expr)
                if this.is_null_constant(expr, value.ty))
        };
        match (
            self.types.pointee(left_type),
            self.types.pointee(right_type),
        ) {
            (Some(left_target), Some(right_target)) => {
                if null(self, left) {
                    return Ok(right_type);
                }
                if null(self, right) {
                    return Ok(left_type);
                }
                let either = left_target.qualifiers | right_target.qualifiers;
                let both = left_target.qualifiers & right_target.qualifiers;
                let qualifiers = (either - Qualifiers::NORETURN) | (both & Qualifiers::NORETURN);
                let target = if self.types.is_void(left_target) || self.types.is_void(right_target)
                {
                    Type::VOID
                } else if self.types.compatible(left_target, right_target) {
                    self.types.composite(left_target, right_target)
                } else {
                    self.warn("the branches of a conditional point to different types");
                    Type::VOID
                };
                Ok(self.types.pointer(target.with_qualifiers(qualifiers)))
            }
            (Some(_), None) if self.types.is_integer(right_type) => Ok(left_type),
            (None, Some(_)) if self.types.is_integer(left_type) => Ok(right_type),
            _ if self.types.compatible(left_type, right_type) => Ok(left_type.unqualified()),
            _ if self.types.is_opaque(left_type) => Ok(left_type),
            _ if self.types.is_opaque(right_type) => Ok(right_type),
            _ if self.types.is_complex(left_type) || self.types.is_complex(right_type) => {
                self.common_complex(left_type, right_type)
            }
            _ => {
                let (left, right) = (
                    self.types.describe(left_type),
                    self.types.describe(right_type),
                );
                Err(self.error(format!(
                    "incompatible types `{left}` and `{right}` in a conditional"
                )))
            }
        }
    }

    /// Checks whether a value of the type can be compared with zero.
    pub(in crate::lower) fn is_scalar(&self, ty: Type) -> bool {
        self.types.scalar(ty).is_some()
            || matches!(
                self.types.kind(ty),
                TypeKind::Complex(_) | TypeKind::Opaque(_)
            )
    }
}
