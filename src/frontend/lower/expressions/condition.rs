//! Conditions: `&&`, `||`, `!`, `?:`, and branching on a value.

use lang_c::ast;
use lang_c::span::Node;

use super::assignment::Use;
use super::fold;
use super::half_precision::{self, HALF, SINGLE};
use super::value::{Value, ValueKind};
use crate::ir::{
    BinaryOp, BlockIndex, Expr, Instruction, ObjectIndex, ScalarType, Terminator, UnaryOp,
};
use crate::lower::{Lowerer, Result};
use crate::rewrite::encoding;
use crate::types::Type;
use regatta_program::{Waypoint, WaypointKind};

/// A lowered condition.
#[derive(Debug)]
pub(in crate::lower) enum Condition {
    /// An expression that has not been tested yet.
    Value(Expr, ScalarType),
    /// Control has already branched to one of two blocks.
    Branched {
        /// The block reached if the condition holds.
        then: BlockIndex,
        /// The block reached if it does not.
        otherwise: BlockIndex,
    },
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Connective {
    And,
    Or,
}

impl Lowerer<'_> {
    /// Lowers a condition, which may end the current block.
    pub(in crate::lower) fn condition(
        &mut self,
        node: &Node<ast::Expression>,
    ) -> Result<Condition> {
        match &node.node {
            ast::Expression::BinaryOperator(binary) => {
                let connective = match binary.node.operator.node {
                    ast::BinaryOperator::LogicalAnd => Some(Connective::And),
                    ast::BinaryOperator::LogicalOr => Some(Connective::Or),
                    _ => None,
                };
                if let Some(connective) = connective {
                    return self.connective(connective, &binary.node.lhs, &binary.node.rhs);
                }
            }
            ast::Expression::UnaryOperator(unary)
                if unary.node.operator.node == ast::UnaryOperator::Negate =>
            {
                return Ok(match self.condition(&unary.node.operand)? {
                    Condition::Value(expr, scalar) => {
                        Condition::Value(fold::unary(UnaryOp::LogicalNot, expr, scalar), fold::INT)
                    }
                    Condition::Branched { then, otherwise } => Condition::Branched {
                        then: otherwise,
                        otherwise: then,
                    },
                });
            }
            _ => {}
        }
        let span = self.cursor.span();
        let value = self.expression(node)?;
        self.cursor.set_span(self.cursor.place_of(node));
        let condition = self.condition_of(value)?;
        self.cursor.set_span(span);
        Ok(condition)
    }

    pub(in crate::lower) fn condition_of(&mut self, value: Value) -> Result<Condition> {
        let value = self.rvalue(value);
        if !self.is_scalar(value.ty) {
            let ty = self.types.describe(value.ty);
            return Err(self.error(format!(
                "a `{ty}` is used as a condition, which is not a scalar"
            )));
        }
        if self.types.is_complex(value.ty) {
            return self.complex_truth(&value);
        }
        let value = match self.types.is_opaque(value.ty) {
            true => self.opaque_operation(value.ty, Type::INT)?,
            false => value,
        };
        let (expr, ty) = self.scalar_value(value)?;
        Ok(match self.scalar_type(ty)? {
            HALF => Condition::Value(half_precision::widened(expr), SINGLE),
            scalar => Condition::Value(expr, scalar),
        })
    }

    fn connective(
        &mut self,
        connective: Connective,
        left: &Node<ast::Expression>,
        right: &Node<ast::Expression>,
    ) -> Result<Condition> {
        let span = self.cursor.span();
        let left = self.condition(left)?;
        match left {
            Condition::Value(left, left_scalar) => {
                if let Some(truth) = fold::constant_truth(&left)
                    && truth == (connective == Connective::Or)
                {
                    // Decided, but the other operand must be well-typed and may contain labels.
                    let trial = self.function.start_trial();
                    self.condition(right)?;
                    if self.function.trial_is_empty(&trial) {
                        self.function.abandon_trial(&trial);
                    } else {
                        self.function.continue_in(trial.saved);
                    }
                    self.cursor.set_span(span);
                    return Ok(Condition::Value(fold::int(i128::from(truth)), fold::INT));
                }
                let trial = self.function.start_trial();
                let right = self.condition(right)?;
                self.cursor.set_span(span);
                match right {
                    Condition::Value(right, right_scalar)
                        if self.function.trial_is_empty(&trial) && self.is_harmless(&right) =>
                    {
                        self.function.abandon_trial(&trial);
                        let op = match connective {
                            Connective::And => BinaryOp::LogicalAnd,
                            Connective::Or => BinaryOp::LogicalOr,
                        };
                        // Both operands become truth values, so that the operator has a single type.
                        let left = fold::truth_value(left, left_scalar);
                        let right = fold::truth_value(right, right_scalar);
                        let both = fold::binary(op, left, right, fold::INT);
                        Ok(Condition::Value(both, fold::INT))
                    }
                    right => {
                        let short = self.function.new_block();
                        let (then, otherwise) = match connective {
                            Connective::And => (trial.block, short),
                            Connective::Or => (short, trial.block),
                        };
                        self.log_reads(&left);
                        let branch = branch(left, left_scalar, then, otherwise);
                        self.function.end_block(trial.saved, branch, span);
                        Ok(self.join_connective(connective, short, right))
                    }
                }
            }
            Condition::Branched { then, otherwise } => {
                let (next, short) = match connective {
                    Connective::And => (then, otherwise),
                    Connective::Or => (otherwise, then),
                };
                self.function.continue_in(next);
                let right = self.condition(right)?;
                self.cursor.set_span(span);
                Ok(self.join_connective(connective, short, right))
            }
        }
    }

    /// The result of `&&` or `||` whose left operand has branched, to `short` if it decides the result.
    fn join_connective(
        &mut self,
        connective: Connective,
        short: BlockIndex,
        right: Condition,
    ) -> Condition {
        let (then, otherwise) = self.branch_on(right);
        match connective {
            Connective::And => {
                let span = self.cursor.span();
                self.function
                    .end_block(otherwise, Terminator::Goto(short), span);
                Condition::Branched {
                    then,
                    otherwise: short,
                }
            }
            Connective::Or => {
                let span = self.cursor.span();
                self.function.end_block(then, Terminator::Goto(short), span);
                Condition::Branched {
                    then: short,
                    otherwise,
                }
            }
        }
    }

    /// Ends the current block with a branch; returns its target blocks.
    pub(in crate::lower) fn branch_on(&mut self, condition: Condition) -> (BlockIndex, BlockIndex) {
        match condition {
            Condition::Branched { then, otherwise } => (then, otherwise),
            Condition::Value(expr, scalar) => {
                let then = self.function.new_block();
                let otherwise = self.function.new_block();
                self.log_reads(&expr);
                let terminator = branch(expr, scalar, then, otherwise);
                let span = self.cursor.span();
                self.function.end(terminator, span);
                (then, otherwise)
            }
        }
    }

    /// A condition as an `int` of value 0 or 1.
    pub(in crate::lower) fn truth_of(&mut self, condition: Condition) -> Value {
        match condition {
            Condition::Value(expr, scalar) => {
                Value::scalar(fold::truth_value(expr, scalar), Type::INT)
            }
            Condition::Branched { then, otherwise } => {
                let result = self.temporary(fold::INT);
                let join = self.function.new_block();
                for (block, truth) in [(then, 1), (otherwise, 0)] {
                    self.function.continue_in(block);
                    self.assign_fresh(result, fold::int(truth), fold::INT);
                    let span = self.cursor.span();
                    self.function.end(Terminator::Goto(join), span);
                }
                self.function.continue_in(join);
                Value::scalar(self.load_object(result, fold::INT), Type::INT)
            }
        }
    }

    fn assign_fresh(&mut self, object: ObjectIndex, value: Expr, scalar: ScalarType) {
        let place = self.object_place(object, scalar);
        self.emit_fresh(Instruction::Assign { place, value });
    }

    /// `condition ? then : otherwise`.
    pub(in crate::lower) fn conditional(
        &mut self,
        node: &ast::ConditionalExpression,
        wanted: Use,
    ) -> Result<Value> {
        let span = self.cursor.span();
        if let ast::Expression::Identifier(then) = &node.then_expression.node
            && then.node.name == encoding::CONDITION_VALUE
        {
            return self.elvis(node);
        }
        let condition = self.condition(&node.condition)?;
        self.cursor.set_span(span);
        if let Condition::Value(expr, _) = &condition
            && let Some(truth) = fold::constant_truth(expr)
        {
            return self.decided_conditional(node, truth);
        }
        let (condition, saved) = match condition {
            Condition::Value(expr, scalar) => (Some((expr, scalar)), None),
            Condition::Branched { then, otherwise } => (None, Some((then, otherwise))),
        };
        let origin = self.function.current();
        // Each branch gets a block of its own, which is discarded if it stays empty.
        let first = match saved {
            Some((then, _)) => {
                self.function.continue_in(then);
                then
            }
            None => self.function.start_trial().block,
        };
        self.pass_question_mark(node, true);
        let left = self.expression_for(&node.then_expression, wanted)?;
        let left = self.value_for(left, wanted);
        let left_end = self.function.current();
        let second = match saved {
            Some((_, otherwise)) => {
                self.function.continue_in(otherwise);
                otherwise
            }
            None => self.function.start_trial().block,
        };
        self.pass_question_mark(node, false);
        let right = self.expression_for(&node.else_expression, wanted)?;
        let right = self.value_for(right, wanted);
        let right_end = self.function.current();
        self.cursor.set_span(span);
        let ty = if wanted == Use::Effects {
            Type::VOID
        } else {
            self.conditional_type(&left, &right)?
        };
        let harmless = |value: &Value| match &value.kind {
            ValueKind::Scalar(expr) => self.is_harmless(expr),
            ValueKind::Void => wanted == Use::Effects,
            _ => false,
        };
        let both_harmless = harmless(&left) && harmless(&right);
        if let Some((condition, scalar)) = condition {
            if both_harmless && self.function.abandon_pair(origin, first, second) {
                if wanted == Use::Effects {
                    return Ok(Value::void());
                }
                return self.pure_conditional(condition, scalar, left, right, ty);
            }
            self.log_reads(&condition);
            let terminator = branch(condition, scalar, first, second);
            self.function.end_block(origin, terminator, span);
        }
        self.join_values([(left_end, left), (right_end, right)], ty)
    }

    /// Adds the waypoint for the condition of `?:` being true or false.
    fn pass_question_mark(&mut self, node: &ast::ConditionalExpression, truth: bool) {
        let Some(origin) = self.cursor.users_origin() else {
            return;
        };
        let condition = node.condition.span;
        let condition = condition.start..condition.end;
        if let Some(span) = self.cursor.positions().question_mark(origin, condition) {
            let waypoint = Waypoint {
                kind: WaypointKind::Branch(truth),
                time: self.scopes.tick(),
                span,
            };
            self.pass(Some(waypoint));
        }
    }

    /// Lowers `condition ?: otherwise`; the condition is evaluated once.
    fn elvis(&mut self, node: &ast::ConditionalExpression) -> Result<Value> {
        let span = self.cursor.span();
        let value = self.expression(&node.condition)?;
        self.cursor.set_span(span);
        let value = self.rvalue(value);
        let ty = value.ty;
        if self.types.has_parts(ty) {
            return self.unmodelled("`?:` of a number of several parts", ty);
        }
        let (expr, _) = self.scalar_value(value)?;
        let scalar = self.scalar_type(ty)?;
        let kept = self.keep(expr, scalar);
        let then = Value::scalar(kept.clone(), ty);
        let trial = self.function.start_trial();
        let otherwise = self.expression(&node.else_expression)?;
        self.cursor.set_span(span);
        let otherwise = self.rvalue(otherwise);
        let result = self.conditional_type(&then, &otherwise)?;
        let harmless = matches!(&otherwise.kind, ValueKind::Scalar(expr) if self.is_harmless(expr));
        if harmless && self.function.trial_is_empty(&trial) {
            self.function.abandon_trial(&trial);
            return self.pure_conditional(kept, scalar, then, otherwise, result);
        }
        let end = self.function.current();
        let first = self.function.new_block();
        self.log_reads(&kept);
        let terminator = branch(kept, scalar, first, trial.block);
        self.function.end_block(trial.saved, terminator, span);
        self.join_values([(first, then), (end, otherwise)], result)
    }

    /// Lowers a conditional with a constant condition: the other branch is only type-checked.
    fn decided_conditional(
        &mut self,
        node: &ast::ConditionalExpression,
        truth: bool,
    ) -> Result<Value> {
        let (taken, other) = if truth {
            (&node.then_expression, &node.else_expression)
        } else {
            (&node.else_expression, &node.then_expression)
        };
        let other = self.unevaluated(|this| {
            let value = this.expression(other)?;
            Ok(this.rvalue(value))
        })?;
        let value = self.expression(taken)?;
        let value = self.rvalue(value);
        let ty = if truth {
            self.conditional_type(&value, &other)?
        } else {
            self.conditional_type(&other, &value)?
        };
        self.cast(value, ty)
    }

    fn pure_conditional(
        &mut self,
        condition: Expr,
        scalar: ScalarType,
        left: Value,
        right: Value,
        ty: Type,
    ) -> Result<Value> {
        if self.types.is_void(ty) {
            return Ok(Value::void());
        }
        let left = self.cast(left, ty)?;
        let right = self.cast(right, ty)?;
        let (left, _) = self.scalar_value(left)?;
        let (right, _) = self.scalar_value(right)?;
        let result = self.scalar_type(ty)?;
        Ok(Value::scalar(
            Expr::conditional(fold::truth_value(condition, scalar), left, right, result),
            ty.unqualified(),
        ))
    }

    /// Joins two branches; the result is the value of the branch taken.
    pub(in crate::lower) fn join_values(
        &mut self,
        branches: [(BlockIndex, Value); 2],
        ty: Type,
    ) -> Result<Value> {
        let span = self.cursor.span();
        let join = self.function.new_block();
        if self.types.is_void(ty) {
            for (block, _) in branches {
                self.function.end_block(block, Terminator::Goto(join), span);
            }
            self.function.continue_in(join);
            return Ok(Value::void());
        }
        let scalar = self.types.scalar(ty);
        let object = match scalar {
            Some(scalar) => self.temporary(scalar),
            None => self.temporary_object(ty)?,
        };
        for (block, value) in branches {
            self.function.continue_in(block);
            let value = self.cast(value, ty)?;
            match (value.kind, scalar) {
                (ValueKind::Scalar(expr), Some(scalar)) => {
                    self.assign_fresh(object, expr, scalar);
                }
                (kind, _) => {
                    let target = Value::lvalue(Expr::ObjectAddress(object), ty);
                    self.store_value(target, Value { ty, kind })?;
                }
            }
            self.function.end(Terminator::Goto(join), span);
        }
        self.function.continue_in(join);
        Ok(match scalar {
            Some(scalar) => Value::scalar(self.load_object(object, scalar), ty.unqualified()),
            None => Value::aggregate(Expr::ObjectAddress(object), ty.unqualified()),
        })
    }
}

/// A branch terminator; with a constant condition, a jump.
fn branch(
    condition: Expr,
    scalar: ScalarType,
    then: BlockIndex,
    otherwise: BlockIndex,
) -> Terminator {
    match fold::constant_truth(&condition) {
        Some(true) => Terminator::Goto(then),
        Some(false) => Terminator::Goto(otherwise),
        None => Terminator::Branch {
            condition,
            scalar,
            then,
            otherwise,
        },
    }
}
