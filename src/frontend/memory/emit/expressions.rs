//! Expressions as terms.

use super::super::walk;
use super::*;
use crate::ir::{BinaryOp, Expr, MathFunction, UnaryOp};
use crate::memory::operators::arithmetic::IntegerType;
use crate::memory::operators::{bit_vectors, floats};
use regatta_term::{FloatValue, Op};

/// Width of the register that holds an operand of `bits` bits.
fn register_width(bits: u8) -> i128 {
    i128::from(u32::from(bits).max(32).next_power_of_two())
}

/// Whether whoever computes the whole computes the part: it is not in what may be left out.
fn is_computed(part: TermId, whole: TermId) -> bool {
    let mut work = vec![whole];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(term) = work.pop() {
        if term == part {
            return true;
        }
        if !seen.insert(term) {
            continue;
        }
        match regatta_term::Pool::as_application(pool(), term) {
            Some((Op::Ite, operands)) => work.extend(operands.first()),
            Some((Op::And | Op::Or, _)) | None => {}
            Some((_, operands)) => work.extend(operands),
        }
    }
    false
}

impl Emitter<'_, '_> {
    /// The value of an expression, of its type's sort.
    pub fn value(&mut self, expr: &Expr) -> TermId {
        self.evaluation.enter();
        let result = self.value_of(expr);
        self.leave(result);
        result
    }

    /// An expression has been evaluated: is it no part of another, what may fault in it and was folded away is computed.
    fn leave(&mut self, result: TermId) {
        for (evaluated, term) in self.evaluation.leave() {
            if !is_computed(term, result) {
                self.body.compute(evaluated, term);
            }
        }
    }

    fn value_of(&mut self, expr: &Expr) -> TermId {
        match expr {
            Expr::Integer { value, scalar } => self.tables.semantics.constant(*value, *scalar),
            Expr::Float { bits, format } => pool().float(FloatValue::from_bits(*format, *bits)),
            Expr::ObjectAddress(object) => self.object_address(*object),
            Expr::FunctionAddress(function) => self.function_address(*function),
            Expr::ExternalFunctionAddress(name) => self.external_address(name),
            Expr::Offset { .. } => {
                let address = self.linear(expr);
                self.keep_near(expr, &address);
                self.address_term(&address)
            }
            Expr::Load(place) => {
                let value = self.load_place(place);
                self.evaluation.may_fault(value);
                value
            }
            Expr::Unary {
                op: UnaryOp::LogicalNot,
                ..
            } => {
                let condition = self.condition(expr);
                self.tables.semantics.truth(condition)
            }
            Expr::Unary {
                op,
                operand,
                scalar,
            } => {
                let operand = self.value(operand);
                if *op == UnaryOp::Negate {
                    self.note_negation(operand, *scalar);
                }
                self.tables.semantics.unary(*op, operand, *scalar)
            }
            Expr::Binary { op, .. } if walk::is_condition(*op) => {
                let condition = self.condition(expr);
                self.tables.semantics.truth(condition)
            }
            Expr::Binary {
                op,
                left,
                right,
                scalar,
            } => {
                let count = walk::type_of(right, self.tables.semantics.pointer_bits);
                let operands = [self.value(left), self.value(right)];
                self.note_operator(*op, operands, *scalar, count);
                let result =
                    self.tables
                        .semantics
                        .binary(*op, operands, *scalar, count, self.tables.mode());
                if *op == BinaryOp::PointerDifference {
                    return self.compare_pointers(*op, [left, right], operands, result);
                }
                self.with_fault(*op, operands, *scalar, result)
            }
            Expr::Conditional {
                condition,
                then,
                otherwise,
                ..
            } => {
                let condition = self.condition(condition);
                let then = self.guarded(condition, |this| this.value(then));
                let otherwise = self.guarded(pool().not(condition), |this| this.value(otherwise));
                pool().ite(condition, then, otherwise)
            }
            Expr::Convert { operand, from, to } => {
                if *to == ScalarType::Bool {
                    return self.condition(operand);
                }
                let value = self.value(operand);
                self.tables
                    .semantics
                    .convert(value, *from, *to, self.tables.mode())
            }
            Expr::Math {
                function,
                arguments,
                scalar,
            } => self.math(*function, arguments, *scalar),
            Expr::AllocatedSize(pointer) => {
                let target = self.pointer_class(pointer);
                let address = self.value(pointer);
                self.check_freeable(pointer, address);
                match target.and_then(|id| self.tables.plan.class_by_id(id).sizes) {
                    Some(sizes) => pool().select(self.body.builder.term(sizes), address),
                    None => self.tables.pointer_constant(0),
                }
            }
            Expr::Rounding => match self.tables.semantics.arithmetic {
                Arithmetic::BitVector => pool().zero_extend(self.tables.mode(), 32),
                Arithmetic::Integer => pool().bv_to_nat(self.tables.mode()),
            },
        }
    }

    /// The result of an operator on integers, which is no known value where the operator is undefined. Of what the
    /// interpreter computes it sees that itself; but the terms fold operations, and what operations of their results
    /// do not depend on, and a quotient that is never computed still ends the compiled program by a signal.
    fn with_fault(
        &mut self,
        op: BinaryOp,
        [left, right]: [TermId; 2],
        scalar: ScalarType,
        result: TermId,
    ) -> TermId {
        let Some(integer) = self.tables.semantics.integer(scalar) else {
            return result;
        };
        match (op, self.tables.constant_of(right)) {
            // Bit-fields of odd widths are computed in the next wider register.
            (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, Some(count))
                if !(0..register_width(integer.bits)).contains(&count) =>
            {
                let what = "a shift by the width or more";
                self.body
                    .unknown_where(self.evaluation.evaluated(), result, what, |any| any)
            }
            (BinaryOp::Divide | BinaryOp::Remainder, constant) => {
                let is_kept = || {
                    let parts = regatta_term::Pool::as_application(pool(), result);
                    self.tables.semantics.arithmetic == Arithmetic::Integer
                        || parts.is_some_and(|(_, operands)| operands == [left, right])
                };
                if constant.is_none() && is_kept() {
                    self.evaluation.may_fault(result);
                    return result;
                }
                let undefined = self.tables.division_fault([left, right], scalar, integer);
                let undefined = pool().and2(self.evaluation.evaluated(), undefined);
                self.body
                    .unknown_where(undefined, result, "a quotient that is none", |any| any)
            }
            _ => result,
        }
    }

    /// The address of a function.
    pub fn function_address(&mut self, function: FunctionIndex) -> TermId {
        match self.tables.plan.functions.get(&function) {
            Some(&address) => address,
            None => {
                let name = &self.tables.unit.functions[function.0 as usize].name;
                self.contradict(format_args!("the address of `{name}`, which has none"));
                self.tables.pointer_constant(0)
            }
        }
    }

    /// The address of a function without a body.
    pub fn external_address(&mut self, name: &str) -> TermId {
        match self.tables.plan.externals.get(name) {
            Some(&address) => address,
            None => {
                self.contradict(format_args!("the address of `{name}`, which has none"));
                self.tables.pointer_constant(0)
            }
        }
    }

    /// The class that a pointer's value points into; none if no object is known there.
    pub(super) fn pointer_class(&mut self, pointer: &Pointer) -> Option<ClassId> {
        let root = self.target(pointer).node;
        self.tables.plan.class_of.get(&root).copied()
    }

    /// Whether an expression is not zero.
    pub fn condition(&mut self, expr: &Expr) -> TermId {
        self.evaluation.enter();
        let result = self.condition_of(expr);
        self.leave(result);
        result
    }

    fn condition_of(&mut self, expr: &Expr) -> TermId {
        match expr {
            Expr::Unary {
                op: UnaryOp::LogicalNot,
                operand,
                ..
            } => {
                let condition = self.condition(operand);
                pool().not(condition)
            }
            Expr::Binary {
                op: BinaryOp::LogicalAnd,
                left,
                right,
                ..
            } => {
                let left = self.condition(left);
                let right = self.guarded(left, |this| this.condition(right));
                pool().and2(left, right)
            }
            Expr::Binary {
                op: BinaryOp::LogicalOr,
                left,
                right,
                ..
            } => {
                let left = self.condition(left);
                let right = self.guarded(pool().not(left), |this| this.condition(right));
                pool().or2(left, right)
            }
            Expr::Binary {
                op,
                left,
                right,
                scalar,
            } if walk::is_condition(*op) => {
                let operands = [self.value(left), self.value(right)];
                let result = self.tables.semantics.compare(*op, operands, *scalar);
                match scalar {
                    ScalarType::Pointer => {
                        self.compare_pointers(*op, [left, right], operands, result)
                    }
                    _ => result,
                }
            }
            Expr::Conditional {
                condition,
                then,
                otherwise,
                ..
            } => {
                let condition = self.condition(condition);
                let then = self.guarded(condition, |this| this.condition(then));
                let otherwise =
                    self.guarded(pool().not(condition), |this| this.condition(otherwise));
                pool().ite(condition, then, otherwise)
            }
            // Widening maps only zero to zero.
            Expr::Convert {
                operand,
                from: ScalarType::Integer { bits: narrow, .. },
                to: ScalarType::Integer { bits: wide, .. },
            } if narrow <= wide => self.condition(operand),
            Expr::Convert {
                operand,
                from: ScalarType::Bool,
                to: ScalarType::Integer { .. },
            } => self.condition(operand),
            Expr::Convert {
                operand,
                to: ScalarType::Bool,
                ..
            } => self.condition(operand),
            Expr::Math {
                function,
                arguments,
                scalar: ScalarType::Float(_),
            } => {
                if let [argument] = &arguments[..] {
                    let value = self.value(argument);
                    if let Some(condition) = self.body.classify(*function, value) {
                        return condition;
                    }
                }
                self.condition_of_value(expr)
            }
            _ => self.condition_of_value(expr),
        }
    }

    fn condition_of_value(&mut self, expr: &Expr) -> TermId {
        let scalar = walk::type_of(expr, self.tables.semantics.pointer_bits);
        let value = self.value(expr);
        self.tables.semantics.is_nonzero(value, scalar)
    }

    fn math(&mut self, function: MathFunction, arguments: &[Expr], scalar: ScalarType) -> TermId {
        let operands: Vec<TermId> = arguments
            .iter()
            .map(|argument| self.value(argument))
            .collect();
        let result = match (scalar, &operands[..]) {
            (ScalarType::Float(_), &[magnitude, sign]) if function == MathFunction::CopySign => {
                let negative = self.body.float_sign(sign);
                Some(floats::with_sign(magnitude, negative))
            }
            (ScalarType::Float(_), &[operand, ..]) => match self.body.classify(function, operand) {
                Some(condition) => Some(self.tables.semantics.truth(condition)),
                None => floats::function(function, &operands, self.tables.mode()),
            },
            (ScalarType::Integer { bits, .. }, &[operand]) => {
                self.tables.bit_function(function, operand, bits)
            }
            _ => None,
        };
        match result {
            Some(term) => term,
            None => {
                self.body
                    .note_trouble("a mathematical function with unexpected operands");
                let scalar = walk::math_type(function, scalar);
                pool().value(&regatta_term::Value::zero(
                    self.tables.semantics.sort(scalar),
                ))
            }
        }
    }
}

impl Tables<'_, '_> {
    /// The value of a constant, of a bit vector as one without a sign.
    fn constant_of(&self, term: TermId) -> Option<i128> {
        match self.semantics.arithmetic {
            Arithmetic::BitVector => {
                let constant = regatta_term::Pool::bit_vec_constant(pool(), term)?;
                Some(i128::try_from(constant.bits()).unwrap_or(i128::MAX))
            }
            Arithmetic::Integer => super::super::integer::constant_value(term),
        }
    }

    /// Where a division ends the program by a signal: by zero, and where the quotient is beyond its type. x86 has that
    /// instruction for 32 and 64 bits.
    fn division_fault(
        &self,
        [left, right]: [TermId; 2],
        scalar: ScalarType,
        integer: IntegerType,
    ) -> TermId {
        let equals = |term, value| pool().eq(term, self.semantics.constant(value, scalar));
        let by_zero = equals(right, 0);
        if !integer.signed || !matches!(integer.bits, 32..=64) {
            return by_zero;
        }
        let least = equals(left, -1 << (integer.bits - 1));
        pool().or2(by_zero, pool().and2(least, equals(right, -1)))
    }

    /// A function of an integer's bits.
    fn bit_function(&self, function: MathFunction, operand: TermId, bits: u8) -> Option<TermId> {
        let vector = match self.semantics.arithmetic {
            Arithmetic::BitVector => operand,
            Arithmetic::Integer => pool().int_to_bv(operand, bits),
        };
        let result = match function {
            MathFunction::PopulationCount => bit_vectors::population_count(vector, 32),
            MathFunction::CountLeadingZeros => bit_vectors::leading_zeros(vector, 32),
            MathFunction::CountTrailingZeros => bit_vectors::trailing_zeros(vector, 32),
            MathFunction::ByteSwap => bit_vectors::byte_swap(vector),
            _ => return None,
        };
        Some(match self.semantics.arithmetic {
            Arithmetic::BitVector => result,
            Arithmetic::Integer => pool().bv_to_nat(result),
        })
    }
}

impl Body<'_, '_> {
    /// Has the program compute a term under a condition, so that the interpreter sees what faults in it.
    fn compute(&mut self, condition: TermId, term: TermId) {
        if !self.is_reached() || condition == TermId::FALSE {
            return;
        }
        let sort = regatta_term::Pool::sort(pool(), term);
        let otherwise = pool().value(&regatta_term::Value::zero(sort));
        let target = self.temporary(sort);
        self.assign(target, pool().ite(condition, term, otherwise));
    }

    /// A classification of a float, as a Boolean term; `None` if the function is not a classification.
    fn classify(&mut self, function: MathFunction, float: TermId) -> Option<TermId> {
        match function {
            MathFunction::SignBit => Some(self.float_sign(float)),
            _ => floats::classify(function, float),
        }
    }
}
