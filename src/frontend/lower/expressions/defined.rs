//! Operands for which an operator of a witness's expression is not defined, where the program as lowered does not show it.
//!
//! An expression of a witness is evaluated behind an assignment to [`CHECKING`] in the same comma expression. The memory
//! model looks at quotients, shifts, sums and accesses itself; but to it a member is a range of its object's bytes, it gives
//! every conversion and every shift of a negative number some value, and it does not see a value that nobody uses.

use lang_c::ast;
use lang_c::span::Node;

use super::fold::{self, SIGNED_128};
use super::half_precision::HALF;
use super::value::{Value, ValueKind};
use crate::ir::{BinaryOp, Expr, Instruction, ScalarType};
use crate::lower::sequencing::plain_operation;
use crate::lower::{Lowerer, Result};
use crate::types::{ArrayLength, Type};
use regatta_program::AssumptionKind;
use regatta_program::ghost::CHECKING;

/// How far a pointer to an element may reach (C17 6.5.6p8).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Reach {
    /// To the last element, which is accessed.
    Element,
    /// To behind the last element.
    End,
}

/// Checks whether an expression begins the evaluation of a witness's expression.
pub(in crate::lower) fn begins_watch(node: &Node<ast::Expression>) -> bool {
    let ast::Expression::BinaryOperator(binary) = &node.node else {
        return false;
    };
    binary.node.operator.node == ast::BinaryOperator::Assign
        && matches!(&binary.node.lhs.node,
            ast::Expression::Identifier(name) if name.node.name == CHECKING)
}

/// The operand if the expression is an address.
fn address_operand(node: &Node<ast::Expression>) -> Option<&Node<ast::Expression>> {
    match &node.node {
        ast::Expression::UnaryOperator(unary) => {
            let is_address = unary.node.operator.node == ast::UnaryOperator::Address;
            is_address.then_some(&*unary.node.operand)
        }
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Notes that the condition has to hold here.
    pub(in crate::lower) fn expect(&mut self, condition: Expr, what: &str) {
        if fold::constant_truth(&condition) != Some(true) {
            let what = what.to_owned();
            self.emit_fresh(Instruction::Expect { condition, what });
        }
    }

    /// Notes something that has to hold here and that no condition says.
    pub(in crate::lower) fn expect_unseen(&mut self, what: &str) {
        self.note_assumption(AssumptionKind::Defined, what);
    }

    /// Notes that `pointer op index`, of which the nodes are the operands, stays in the array that the pointer is made of.
    pub(in crate::lower) fn expect_in_array(
        &mut self,
        op: BinaryOp,
        nodes: [&Node<ast::Expression>; 2],
        [left, right]: [&Value; 2],
        reach: Reach,
    ) -> Result<()> {
        if !self.cursor.is_watched() || !matches!(op, BinaryOp::Add | BinaryOp::Subtract) {
            return Ok(());
        }
        let (pointer, index) = match (
            self.types.is_pointer(left.ty),
            self.types.is_pointer(right.ty),
        ) {
            (true, false) => (nodes[0], right),
            (false, true) => (nodes[1], left),
            _ => return Ok(()),
        };
        const WHAT: &str = "the index is within the array";
        let length = match self.length_of(pointer)? {
            Array::Of(length) => length,
            Array::Unseen => {
                self.expect_unseen(WHAT);
                return Ok(());
            }
            Array::NotNamed => return Ok(()),
        };
        let (index, index_type) = self.scalar_value(index.clone())?;
        let shape = self.scalar_type(index_type)?;
        let ScalarType::Integer { signed, .. } = shape else {
            self.expect_unseen(WHAT);
            return Ok(());
        };
        // Without a wider type, where that holds all that is compared.
        let limit = match reach {
            Reach::Element => i128::from(length) - 1,
            Reach::End => i128::from(length),
        };
        let (low, high) = match op {
            BinaryOp::Subtract => (-limit, 0),
            _ => (0, limit),
        };
        if signed {
            self.expect_order(BinaryOp::GreaterEqual, &index, low, shape, WHAT);
        } else if low < 0 {
            self.expect_order(BinaryOp::LessEqual, &index, -low, shape, WHAT);
            return Ok(());
        }
        self.expect_order(BinaryOp::LessEqual, &index, high, shape, WHAT);
        Ok(())
    }

    /// Notes how an integer compares with a constant.
    fn expect_order(
        &mut self,
        op: BinaryOp,
        value: &Expr,
        constant: i128,
        shape: ScalarType,
        what: &str,
    ) {
        let bound = fold::integer(constant, shape);
        let condition = match fold::constant(&bound) {
            Some(same) if same == constant => fold::binary(op, value.clone(), bound, shape),
            _ => {
                let value = fold::convert(value.clone(), shape, SIGNED_128);
                fold::binary(op, value, fold::integer(constant, SIGNED_128), SIGNED_128)
            }
        };
        self.expect(condition, what);
    }

    /// The array whose elements a pointer is computed from.
    fn length_of(&mut self, pointer: &Node<ast::Expression>) -> Result<Array> {
        let ty = self.type_of(pointer)?;
        Ok(match self.types.array_parts(ty) {
            Some((_, ArrayLength::Constant(length @ 1..))) => Array::Of(length),
            // A flexible array reaches to the end of its object.
            Some((
                _,
                ArrayLength::Constant(0) | ArrayLength::Unknown | ArrayLength::Unspecified,
            )) => Array::NotNamed,
            Some((_, ArrayLength::Variable(_))) => Array::Unseen,
            None => match self.length_of_object(pointer, ty)? {
                Some(length) => Array::Of(length),
                None if self.is_of_array(pointer)? => Array::Unseen,
                None => Array::NotNamed,
            },
        })
    }

    /// The type of an expression, which is not evaluated.
    fn type_of(&mut self, node: &Node<ast::Expression>) -> Result<Type> {
        let span = self.cursor.span();
        let is_watched = self.cursor.watch(false);
        let ty = self.unevaluated(|this| Ok(this.expression(node)?.ty));
        self.cursor.watch(is_watched);
        self.cursor.set_span(span);
        ty
    }

    /// The length of the array that an object is to a pointer of the type, which the expression makes of its address: of
    /// one element (C17 6.5.6p7), or of its bytes (6.3.2.3p7).
    fn length_of_object(
        &mut self,
        pointer: &Node<ast::Expression>,
        ty: Type,
    ) -> Result<Option<u64>> {
        if let Some(operand) = address_operand(pointer) {
            let is_element = match &operand.node {
                ast::Expression::UnaryOperator(unary) => {
                    unary.node.operator.node == ast::UnaryOperator::Indirection
                }
                ast::Expression::BinaryOperator(_) => true,
                _ => false,
            };
            return Ok((!is_element).then_some(1));
        }
        let is_of_bytes = self.types.pointee(ty).is_some_and(|element| {
            let scalar = self.types.scalar(element);
            self.types.is_void(element)
                || matches!(scalar, Some(ScalarType::Integer { bits: 8, .. }))
        });
        let mut object = pointer;
        while let ast::Expression::Cast(cast) = &object.node {
            object = &cast.node.expression;
        }
        if !is_of_bytes || std::ptr::eq(object, pointer) {
            return Ok(None);
        }
        let operand = address_operand(object);
        let whole = self.type_of(operand.unwrap_or(object))?;
        let is_object = operand.is_some() || self.types.array_parts(whole).is_some();
        let is_sized = self.types.is_complete(whole) && !self.types.is_variable_size(whole);
        match is_object && is_sized {
            true => Ok(Some(self.size_of(whole)?)),
            false => Ok(None),
        }
    }

    /// Checks whether a pointer, which is no array, may be computed from an array or an object that the expression names.
    fn is_of_array(&mut self, pointer: &Node<ast::Expression>) -> Result<bool> {
        if let Some((_, left, right)) = plain_operation(pointer) {
            return Ok(self.is_part_of_array(left)? || self.is_part_of_array(right)?);
        }
        match &pointer.node {
            ast::Expression::Comma(parts) => match parts.last() {
                Some(last) => self.is_part_of_array(last),
                None => Ok(false),
            },
            ast::Expression::Conditional(conditional) => {
                let parts = &conditional.node;
                Ok(self.is_part_of_array(&parts.then_expression)?
                    || self.is_part_of_array(&parts.else_expression)?)
            }
            ast::Expression::Cast(cast) => self.is_part_of_array(&cast.node.expression),
            _ => Ok(address_operand(pointer).is_some()),
        }
    }

    fn is_part_of_array(&mut self, part: &Node<ast::Expression>) -> Result<bool> {
        Ok(!matches!(self.length_of(part)?, Array::NotNamed))
    }

    /// Notes that a cast is defined (C17 6.3.1.4p1): the number without its fraction is in the type. Returns the operand.
    pub(in crate::lower) fn expect_convertible(&mut self, value: Value, to: Type) -> Result<Value> {
        let value = self.rvalue(value);
        let target = self.types.scalar(to);
        let Some(target @ ScalarType::Integer { bits, signed }) = target else {
            return Ok(value);
        };
        const WHAT: &str = "the number is in the type that it is converted to";
        let source = match &value.kind {
            ValueKind::Scalar(_) => self.types.scalar(value.ty),
            _ => None,
        };
        match source {
            Some(source @ ScalarType::Float(_)) if source != HALF && bits <= 64 => {
                let (number, _) = self.scalar_value(value.clone())?;
                let power = 1i128 << (bits - u8::from(signed));
                let least = if signed { -power } else { 0 };
                // Rounded to the nearest, which is the least number itself where the one before it has no representation.
                let low = fold::convert(fold::integer(least - 1, SIGNED_128), SIGNED_128, source);
                let high = fold::convert(fold::integer(power, SIGNED_128), SIGNED_128, source);
                let above = fold::binary(BinaryOp::Greater, number.clone(), low, source);
                let below = fold::binary(BinaryOp::Less, number, high, source);
                self.expect(above, WHAT);
                self.expect(below, WHAT);
            }
            Some(ScalarType::Float(_)) => self.expect_unseen(WHAT),
            None if target != ScalarType::Bool && self.types.is_arithmetic(value.ty) => {
                self.expect_unseen(WHAT);
            }
            _ => {}
        }
        Ok(value)
    }

    /// Notes that a left shift of a signed number is defined (C17 6.5.7p4): the number is not negative, and the result is
    /// in its type. gcc gives the others a value, too; C does not.
    pub(in crate::lower) fn expect_shiftable(
        &mut self,
        left: &Expr,
        count: &Expr,
        shape: ScalarType,
    ) {
        let ScalarType::Integer { bits, signed: true } = shape else {
            return;
        };
        if !self.cursor.is_watched() {
            return;
        }
        const WHAT: &str = "the shifted number is in its type";
        self.expect_order(BinaryOp::GreaterEqual, left, 0, shape, WHAT);
        let largest = fold::integer(i128::MAX >> (128 - bits.clamp(1, 128)), shape);
        let limit = fold::binary(BinaryOp::ShiftRight, largest, count.clone(), shape);
        let fits = fold::binary(BinaryOp::LessEqual, left.clone(), limit, shape);
        self.expect(fits, WHAT);
    }

    /// A dropped value as C evaluates it: an lvalue is read (C17 6.3.2.1p2).
    pub(in crate::lower) fn accessed(&mut self, value: Value) -> Value {
        let is_array = self.types.array_parts(value.ty).is_some();
        if !matches!(value.kind, ValueKind::Lvalue(_)) || is_array {
            return value;
        }
        match self.types.scalar(value.ty) {
            Some(_) => self.rvalue(value),
            None => {
                self.expect_unseen("an object of which no value is used exists");
                value
            }
        }
    }
}

/// The array that a pointer is computed from.
enum Array {
    /// An array with this number of elements; the pointer points to the first one.
    Of(u64),
    /// One that may have an element elsewhere than the pointer points to.
    Unseen,
    /// None that the expression names: the pointer is a value.
    NotNamed,
}
