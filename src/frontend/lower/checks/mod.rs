//! Checks that operations are defined, where the property asks for them (see [`crate::defined`]).
//!
//! A check stands before its operation, behind the operands' side effects. Text of our own is not checked, apart from the
//! functions in [`CHECKED_MODELS`]: the program's text does not contain its operations.

mod conditions;
pub(in crate::lower) mod initialisation;
pub(in crate::lower) mod library;
mod ranges;

use super::expressions::fold::{self, INT};
use super::expressions::half_precision::{self, HALF, SINGLE};
use super::expressions::overflow::Magnitude;
use super::expressions::value::Value;
use super::{Lowerer, Result};
use crate::defined::Rule;
use crate::ir::{BinaryOp, Expr, Instruction, Pointer, ScalarType};
use crate::memory::walk::parts;
use crate::types::{OpaqueKind, Type, TypeKind};

/// Library functions whose result C does not define if it is not in its type, and whose models compute it in that type, each
/// with the rule for its result.
const CHECKED_MODELS: [(&str, Rule); 8] = [
    ("abs", Rule::AbsoluteValue),
    ("labs", Rule::AbsoluteValue),
    ("llabs", Rule::AbsoluteValue),
    ("imaxabs", Rule::AbsoluteValue),
    ("div", Rule::Quotient),
    ("ldiv", Rule::Quotient),
    ("lldiv", Rule::Quotient),
    ("imaxdiv", Rule::Quotient),
];

/// The rule for the result of a library function of [`CHECKED_MODELS`].
fn rule_of_model(name: &str) -> Option<Rule> {
    let mut models = CHECKED_MODELS.iter();
    models
        .find(|(model, _)| *model == name)
        .map(|&(_, rule)| rule)
}

/// Maximum number of parts of an operand that is repeated in a check; a larger one is computed once.
const MAXIMUM_REPEATED: usize = 24;

/// What is not modelled of checks.
const CHECK_OF_PARTS: &str = "the check of arithmetic on vectors, complex numbers or long integers";

impl Lowerer<'_> {
    /// Checks whether operations are checked by the rule here.
    fn checks(&self, rule: Rule) -> bool {
        let is_text_checked =
            self.cursor.origin().is_some() || rule_of_model(self.function.name()).is_some();
        self.input.property().checks.contains(&rule.check())
            && is_text_checked
            && !self.cursor.is_wrapping()
    }

    /// Lowers operations whose results wrap around.
    pub(in crate::lower) fn wrapping<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.cursor.wrap(true);
        let result = act(self);
        self.cursor.wrap(outer);
        result
    }

    /// Emits a check; without a condition, the operation is not modelled. In an expression of a witness, which is no operation
    /// of the program, it says where the expression has a value.
    fn check(&mut self, condition: Option<Expr>, rule: Rule) {
        match condition {
            Some(condition) if self.cursor.is_watched() => {
                self.expect(condition, rule.condition());
            }
            None if self.cursor.is_watched() => self.expect_unseen(rule.condition()),
            Some(condition) if fold::constant_truth(&condition) == Some(true) => {}
            Some(condition) => self.emit_fresh(Instruction::Check { condition, rule }),
            None => self.unsupported(format!("the check that {}", rule.condition())),
        }
    }

    /// Checks that control does not come here.
    pub(in crate::lower) fn check_promise(&mut self, rule: Rule) {
        if self.checks(rule) {
            self.check(Some(fold::int(0)), rule);
        }
    }

    /// The operand, in a form that may be repeated.
    fn repeatable(&mut self, expr: Expr, scalar: ScalarType) -> Expr {
        let mut left = MAXIMUM_REPEATED;
        match has_more_parts(&expr, &mut left) && fold::evaluate(&expr).is_none() {
            true => self.store_fresh(expr, scalar),
            false => expr,
        }
    }

    /// The signed integer type with the values of a type; `None` for other types.
    fn exact_signed(&self, ty: Type, scalar: ScalarType) -> Option<ScalarType> {
        let exact = match self.types.bit_precise(ty) {
            Some((bits, signed)) => ScalarType::Integer { bits, signed },
            None => scalar,
        };
        matches!(exact, ScalarType::Integer { signed: true, .. }).then_some(exact)
    }

    /// Checks `left op right`, computed in a type that the scalar represents; returns the operands.
    pub(in crate::lower) fn check_arithmetic(
        &mut self,
        op: BinaryOp,
        [left, right]: [Expr; 2],
        ty: Type,
        scalar: ScalarType,
    ) -> [Expr; 2] {
        let rule = match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => Rule::Result,
            BinaryOp::Divide | BinaryOp::Remainder => Rule::Quotient,
            _ => return [left, right],
        };
        let right = match rule {
            Rule::Quotient => self.check_divisor(right, scalar),
            _ => right,
        };
        let Some(exact) = self.exact_signed(ty, scalar).filter(|_| self.checks(rule)) else {
            return [left, right];
        };
        let left = self.repeatable(left, scalar);
        let right = self.repeatable(right, scalar);
        if rule == Rule::Quotient {
            let condition = conditions::quotient([&left, &right], scalar, exact);
            self.check(condition, rule);
            return [left, right];
        }
        match conditions::result(op, [&left, &right], scalar, exact) {
            Some(conditions) => {
                for condition in conditions {
                    self.check(Some(condition), rule);
                }
            }
            None => {
                let [first, second] =
                    [&left, &right].map(|operand| Magnitude::of(self, operand.clone(), scalar));
                let (_, overflows) = self.checked_widely(op, first, second, exact);
                let fits = fold::binary(BinaryOp::Equal, overflows, fold::int(0), INT);
                self.check(Some(fits), rule);
            }
        }
        [left, right]
    }

    /// Checks that a divisor is not zero; returns it. Floating-point numbers may be divided by zero.
    fn check_divisor(&mut self, divisor: Expr, scalar: ScalarType) -> Expr {
        if !matches!(scalar, ScalarType::Integer { .. }) || !self.checks(Rule::Divisor) {
            return divisor;
        }
        let divisor = self.repeatable(divisor, scalar);
        let condition = conditions::not_zero(&divisor, scalar);
        self.check(Some(condition), Rule::Divisor);
        divisor
    }

    /// Checks the count of a shift of a number of the type; returns it.
    fn check_count(&mut self, count: Expr, ty: Type, [scalar, own]: [ScalarType; 2]) -> Expr {
        if !self.checks(Rule::ShiftWidth) {
            return count;
        }
        let exact = match self.types.bit_precise(ty) {
            Some((bits, signed)) => ScalarType::Integer { bits, signed },
            None => scalar,
        };
        let count = self.repeatable(count, own);
        let condition = conditions::shift_count(&count, own, exact);
        self.check(Some(condition), Rule::ShiftWidth);
        count
    }

    /// Checks that a floating-point number that is converted to an integer is in its type; returns the number.
    pub(in crate::lower) fn check_conversion(
        &mut self,
        number: Expr,
        [from, scalar]: [ScalarType; 2],
        to: Type,
    ) -> Expr {
        let (ScalarType::Float(_), ScalarType::Integer { .. }) = (from, scalar) else {
            return number;
        };
        if !self.checks(Rule::Converted) {
            return number;
        }
        let exact = match self.types.bit_precise(to) {
            Some((bits, signed)) => ScalarType::Integer { bits, signed },
            None => scalar,
        };
        let number = self.repeatable(number, from);
        let conditions = match from {
            HALF => conditions::converted(&half_precision::widened(number.clone()), SINGLE, exact),
            _ => conditions::converted(&number, from, exact),
        };
        match conditions {
            Some(conditions) => {
                for condition in conditions {
                    self.check(Some(condition), Rule::Converted);
                }
            }
            None => self.check(None, Rule::Converted),
        }
        number
    }

    /// Checks that a pointer that is converted to another type of pointers is aligned for what the latter point to.
    pub(in crate::lower) fn check_aligned(
        &mut self,
        pointer: &Expr,
        from: Type,
        to: Type,
    ) -> Result<()> {
        let (Some(from), Some(to)) = (self.types.pointee(from), self.types.pointee(to)) else {
            return Ok(());
        };
        let is_object = |ty: Type| self.types.is_complete(ty) && !self.types.is_function(ty);
        if !self.checks(Rule::Aligned) || !is_object(to) || fold::constant(pointer).is_some() {
            return Ok(());
        }
        let alignment = self.alignment_of(to)?;
        let known = match is_object(from) {
            true => self.alignment_of(from)?,
            false => 1,
        };
        if alignment > known {
            self.emit_fresh(Instruction::CheckAlignment {
                pointer: Pointer::new(pointer.clone()),
                alignment,
            });
        }
        Ok(())
    }

    /// Checks `left op count`; returns the operands. The type is that of the left one.
    pub(in crate::lower) fn check_shift(
        &mut self,
        op: BinaryOp,
        [left, count]: [Expr; 2],
        ty: Type,
        [scalar, count_scalar]: [ScalarType; 2],
    ) -> [Expr; 2] {
        let count = self.check_count(count, ty, [scalar, count_scalar]);
        let exact = self.exact_signed(ty, scalar);
        let Some(exact) = exact.filter(|_| op == BinaryOp::ShiftLeft) else {
            return [left, count];
        };
        if !self.checks(Rule::ShiftCount) {
            return [left, count];
        }
        let left = self.repeatable(left, scalar);
        let count = self.repeatable(count, count_scalar);
        let is_in_width = conditions::shift_count(&count, count_scalar, exact);
        self.check(Some(is_in_width), Rule::ShiftCount);
        let fits = conditions::shifted(&left, &count, [scalar, count_scalar], exact);
        self.check(fits, Rule::ShiftedNumber);
        [left, count]
    }

    /// Checks `-operand`; returns the operand.
    pub(in crate::lower) fn check_negation(
        &mut self,
        operand: Expr,
        ty: Type,
        scalar: ScalarType,
    ) -> Expr {
        let exact = self.exact_signed(ty, scalar);
        let Some(exact) = exact.filter(|_| self.checks(Rule::Result)) else {
            return operand;
        };
        let operand = self.repeatable(operand, scalar);
        let condition = conditions::not_least(&operand, scalar, exact);
        self.check(condition, Rule::Result);
        operand
    }

    /// Refuses operations on vectors and complex numbers of integers, where a check would have to look at each part, and on
    /// integers with which nothing is computed.
    pub(in crate::lower) fn check_parts(&mut self, op: BinaryOp, types: &[Type]) {
        let rule = match op {
            BinaryOp::Divide | BinaryOp::Remainder => Some(Rule::Divisor),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => Some(Rule::ShiftWidth),
            _ => None,
        };
        let has_integers = types.iter().any(|&ty| self.may_have_integers(ty));
        if rule.is_some_and(|rule| self.checks(rule)) && has_integers {
            self.unsupported(CHECK_OF_PARTS);
        }
        let may_overflow = matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Subtract
                | BinaryOp::Multiply
                | BinaryOp::Divide
                | BinaryOp::Remainder
                | BinaryOp::ShiftLeft
        );
        let mut types = types.iter();
        if may_overflow && self.checks(Rule::Result) && types.any(|&ty| self.has_signed_parts(ty)) {
            self.unsupported(CHECK_OF_PARTS);
        }
    }

    /// Refuses conversions of vectors and complex numbers, and of numbers with which nothing is computed, where their parts
    /// would have to be in an integer type.
    pub(in crate::lower) fn check_conversion_of_parts(&mut self, from: Type, to: Type) {
        let is_float = |ty: Type| match self.types.scalar(ty) {
            Some(scalar) => matches!(scalar, ScalarType::Float(_)),
            None => self.has_float_parts(ty),
        };
        let is_integer = |ty: Type| match self.types.scalar(ty) {
            Some(scalar) => matches!(scalar, ScalarType::Integer { .. }),
            None => self.may_have_integers(ty),
        };
        // The real part of a complex number is converted as any other number.
        let is_one_part = matches!(self.types.kind(from), TypeKind::Complex(_))
            && self.types.scalar(to).is_some();
        if self.checks(Rule::Converted) && is_float(from) && is_integer(to) && !is_one_part {
            self.unsupported(CHECK_OF_PARTS);
        }
    }

    fn has_float_parts(&self, ty: Type) -> bool {
        match self.scalar_of_parts(ty) {
            Some(scalar) => matches!(scalar, ScalarType::Float(_)),
            None => !matches!(
                self.types.kind(ty),
                TypeKind::Opaque(OpaqueKind::BitInt { .. })
            ),
        }
    }

    fn may_have_integers(&self, ty: Type) -> bool {
        match self.scalar_of_parts(ty) {
            Some(scalar) => matches!(scalar, ScalarType::Integer { .. }),
            None => matches!(
                self.types.kind(ty),
                TypeKind::Opaque(OpaqueKind::BitInt { .. } | OpaqueKind::Unknown)
            ),
        }
    }

    /// The type of the parts of a vector or complex number.
    fn scalar_of_parts(&self, ty: Type) -> Option<ScalarType> {
        match *self.types.kind(ty) {
            TypeKind::Complex(element) | TypeKind::Vector { element, .. } => {
                self.types.scalar(element)
            }
            _ => None,
        }
    }

    fn has_signed_parts(&self, ty: Type) -> bool {
        let part = match *self.types.kind(ty) {
            TypeKind::Complex(element) | TypeKind::Vector { element, .. } => element,
            TypeKind::Opaque(kind) => {
                return matches!(
                    kind,
                    OpaqueKind::BitInt { signed: true, .. } | OpaqueKind::Unknown
                );
            }
            _ => return false,
        };
        let scalar = self.types.scalar(part);
        matches!(scalar, Some(ScalarType::Integer { signed: true, .. }))
    }

    /// Checks a call of a library function of [`CHECKED_MODELS`], so that a violation has the call's place. The model has
    /// checks of its own, for calls through pointers.
    pub(in crate::lower) fn check_library_call(
        &mut self,
        name: &str,
        values: &[Value],
    ) -> Result<()> {
        let Some(rule) = rule_of_model(name).filter(|&rule| self.checks(rule)) else {
            return Ok(());
        };
        let mut operands = Vec::new();
        for value in values {
            let (expr, ty) = self.scalar_value(value.clone())?;
            operands.push((expr, self.scalar_type(ty)?));
        }
        let condition = match operands.as_slice() {
            [(operand, scalar)] => conditions::not_least(operand, *scalar, *scalar),
            [(left, scalar), (right, other)] if scalar == other => {
                conditions::quotient([left, right], *scalar, *scalar)
            }
            _ => return Ok(()),
        };
        self.check(condition, rule);
        Ok(())
    }
}

/// Checks whether the expression has more parts than the number, which is reduced by its parts.
fn has_more_parts(expr: &Expr, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else {
        return true;
    };
    *left = rest;
    let mut has_more = false;
    parts(expr, &mut |part| {
        has_more = has_more || has_more_parts(part, left)
    });
    has_more
}
