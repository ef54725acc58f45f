//! Trees of plain operators, whose leaves are the operands of one site, and unsequenced side effects of operators.

use lang_c::ast;
use lang_c::span::Node;

use super::super::{Lowerer, Result};
use crate::ir::BinaryOp;
use crate::lower::expressions::expression::plain_operator;
use crate::lower::expressions::value::Value;

impl Lowerer<'_> {
    /// Combines the values of the leaves of a tree of plain operators.
    pub(in crate::lower) fn combine(
        &mut self,
        node: &Node<ast::Expression>,
        values: &mut dyn Iterator<Item = Value>,
    ) -> Result<Value> {
        match plain_operation(node) {
            Some((op, left, right)) => {
                let left = self.combine(left, values)?;
                let right = self.combine(right, values)?;
                self.cursor.set_span(self.cursor.place_of(node));
                self.binary_values(op, left, right)
            }
            None => Ok(values.next().unwrap_or_else(Value::void)),
        }
    }
}

/// Collects the leaves of a tree of plain operators.
pub(in crate::lower) fn leaves_of<'n>(
    node: &'n Node<ast::Expression>,
    leaves: &mut Vec<&'n Node<ast::Expression>>,
) {
    match plain_operation(node) {
        Some((_, left, right)) => {
            leaves_of(left, leaves);
            leaves_of(right, leaves);
        }
        None => leaves.push(node),
    }
}

/// The operator and operands if the expression is a plain operator, which only evaluates both operands.
pub(in crate::lower) fn plain_operation(
    node: &Node<ast::Expression>,
) -> Option<(BinaryOp, &Node<ast::Expression>, &Node<ast::Expression>)> {
    match &node.node {
        ast::Expression::BinaryOperator(binary) => {
            let op = plain_operator(&binary.node.operator.node)?;
            Some((op, &binary.node.lhs, &binary.node.rhs))
        }
        _ => None,
    }
}

/// Checks whether an expression has side effects, outside of calls, that are unsequenced with its value's use.
pub(in crate::lower) fn has_loose_effects(node: &Node<ast::Expression>) -> bool {
    use ast::UnaryOperator as C;
    match &node.node {
        ast::Expression::UnaryOperator(unary) => match unary.node.operator.node {
            C::PostIncrement | C::PostDecrement | C::PreIncrement | C::PreDecrement => true,
            _ => has_loose_effects(&unary.node.operand),
        },
        ast::Expression::Cast(cast) => has_loose_effects(&cast.node.expression),
        ast::Expression::Member(member) => has_loose_effects(&member.node.expression),
        ast::Expression::Conditional(conditional) => {
            has_loose_effects(&conditional.node.then_expression)
                || has_loose_effects(&conditional.node.else_expression)
        }
        ast::Expression::Comma(parts) => parts.last().is_some_and(has_loose_effects),
        ast::Expression::BinaryOperator(binary) => match binary.node.operator.node {
            ast::BinaryOperator::LogicalAnd | ast::BinaryOperator::LogicalOr => {
                has_loose_effects(&binary.node.rhs)
            }
            ast::BinaryOperator::Index => {
                has_loose_effects(&binary.node.lhs) || has_loose_effects(&binary.node.rhs)
            }
            ref operator if plain_operator(operator).is_some() => {
                has_loose_effects(&binary.node.lhs) || has_loose_effects(&binary.node.rhs)
            }
            _ => true,
        },
        _ => false,
    }
}
