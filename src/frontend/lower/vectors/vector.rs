//! GNU C's vectors: operators work element by element; a scalar operand stands for a vector of equal elements.
//!
//! Elements are not promoted. A comparison yields a vector of signed integers as wide as the elements: -1 if it holds,
//! zero if not. A cast reinterprets the bits.

use lang_c::ast;
use lang_c::span::Node;

use crate::ir::{BinaryOp, Expr, Instruction, Place, ScalarType, UnaryOp};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::limits::MAXIMUM_COMPARED_ELEMENTS;
use crate::lower::{Lowerer, Result};
use crate::memory::walk::is_condition;
use crate::types::{IntegerKind, Type};

/// The element type of an operand, and its elements.
struct Elements {
    ty: Type,
    scalar: ScalarType,
    parts: Vec<Expr>,
}

impl Lowerer<'_> {
    /// Lowers `left op right` where at least one operand is a vector.
    pub(in crate::lower) fn vector_operation(
        &mut self,
        op: BinaryOp,
        left: Value,
        right: Value,
    ) -> Result<Value> {
        let vector = if self.types.is_vector(left.ty) {
            left.ty
        } else {
            right.ty
        };
        let left = self.vector_operand(left, vector)?;
        let right = self.vector_operand(right, vector)?;
        if left.parts.len() != right.parts.len() {
            return Err(self.error("the vectors have different numbers of elements"));
        }
        let is_shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        let of_integers = self.types.is_integer(left.ty) && self.types.is_integer(right.ty);
        let integers_only = is_shift
            || matches!(
                op,
                BinaryOp::Remainder | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
            );
        let same_size = self.size_of(left.ty)? == self.size_of(right.ty)?;
        let same_kind = self.types.is_integer(left.ty) == self.types.is_integer(right.ty);
        if (integers_only && !of_integers) || !(is_shift || (same_size && same_kind)) {
            let (left, right) = (self.types.describe(left.ty), self.types.describe(right.ty));
            return Err(self.error(format!(
                "invalid operands: vectors of `{left}` and `{right}`"
            )));
        }
        let count = left.parts.len() as u64;
        let element = match is_condition(op) {
            true => self.truth_element(left.ty)?,
            false => left.ty,
        };
        let result = self.types.vector(element, count);
        self.note_half_precision(op, left.ty);
        let operator = ElementOperator {
            op,
            scalar: self.common_element(&left, &right),
            result: self.scalar_type(element)?,
        };
        let pairs = left.parts.into_iter().zip(right.parts);
        let parts = pairs
            .map(|(a, b)| operator.apply((a, left.scalar), (b, right.scalar)))
            .collect();
        self.of_parts(parts, result)
    }

    /// Elements of different signedness are compared as unsigned ones.
    fn common_element(&self, left: &Elements, right: &Elements) -> ScalarType {
        match (left.scalar, right.scalar) {
            (
                ScalarType::Integer { signed: true, .. },
                ScalarType::Integer { signed: false, .. },
            ) => right.scalar,
            _ => left.scalar,
        }
    }

    /// The elements of an operand; a scalar is repeated for every element of the vector.
    fn vector_operand(&mut self, value: Value, vector: Type) -> Result<Elements> {
        if self.types.is_vector(value.ty) {
            let (ty, _) = self.parts_of_type(value.ty)?;
            let scalar = self.scalar_type(ty)?;
            let parts = self.parts(&value)?;
            return Ok(Elements { ty, scalar, parts });
        }
        let (ty, count) = self.parts_of_type(vector)?;
        let value = self.rvalue(value);
        let is_integer = self.types.is_integer(value.ty);
        let fits = is_integer || (self.types.is_float(value.ty) && self.types.is_float(ty));
        if !fits {
            let value = self.types.describe(value.ty);
            return Err(self.error(format!(
                "invalid operands: a vector and a value of type `{value}`"
            )));
        }
        let scalar = self.scalar_type(ty)?;
        let (expr, from) = self.scalar_value(value)?;
        let expr = self.convert_scalar(expr, from, ty)?;
        let expr = self.computed_once(expr, scalar);
        let parts = vec![expr; usize::try_from(count).unwrap_or(0)];
        Ok(Elements { ty, scalar, parts })
    }

    /// The signed integer type as wide as an element.
    fn truth_element(&mut self, element: Type) -> Result<Type> {
        let size = self.size_of(element)?;
        let long = IntegerKind::Long.bits(self.input.data_model());
        let kind = match size * 8 {
            8 => IntegerKind::SignedChar,
            16 => IntegerKind::Short,
            32 => IntegerKind::Int,
            bits if bits == u64::from(long) => IntegerKind::Long,
            64 => IntegerKind::LongLong,
            128 => IntegerKind::Int128,
            _ => return Err(self.error("vectors of this type cannot be compared")),
        };
        Ok(self.types.integer(kind))
    }

    /// Lowers unary `+`, `-` and `~`.
    pub(in crate::lower) fn vector_unary(
        &mut self,
        operator: &ast::UnaryOperator,
        operand: Value,
    ) -> Result<Value> {
        let (element, _) = self.parts_of_type(operand.ty)?;
        let scalar = self.scalar_type(element)?;
        let op = match operator {
            ast::UnaryOperator::Minus => UnaryOp::Negate,
            ast::UnaryOperator::Complement if self.types.is_integer(element) => UnaryOp::Complement,
            ast::UnaryOperator::Plus => return Ok(operand),
            _ => {
                let ty = self.types.describe(operand.ty);
                return Err(self.error(format!("the operator is not for a `{ty}`")));
            }
        };
        let parts = self.parts(&operand)?.into_iter();
        let parts = parts.map(|part| fold::unary(op, part, scalar)).collect();
        self.of_parts(parts, operand.ty)
    }

    /// Lowers `vector[index]` for a vector that is an lvalue or a value.
    pub(in crate::lower) fn vector_element(
        &mut self,
        vector: Value,
        index: Value,
    ) -> Result<Value> {
        let (element, _) = self.parts_of_type(vector.ty)?;
        let element = element.qualified(vector.ty.qualifiers);
        let pointer = self.types.pointer(element);
        let is_lvalue = matches!(vector.kind, ValueKind::Lvalue(_));
        if let (ValueKind::Aggregate(_), ValueKind::Scalar(index)) = (&vector.kind, &index.kind)
            && let Some(number) = fold::constant(index).and_then(|at| usize::try_from(at).ok())
            && let Some(part) = self.parts(&vector)?.get(number)
        {
            return Ok(Value::scalar(part.clone(), element));
        }
        let address = self.parts_address(&vector)?;
        let start = Value::scalar(address, pointer);
        let place = self.add_to_pointer(start, index, BinaryOp::Add)?;
        let place = self.dereference(place)?;
        Ok(if is_lvalue { place } else { self.rvalue(place) })
    }

    /// Lowers a cast from or to a vector, which reinterprets the bits.
    pub(in crate::lower) fn reinterpret_vector(&mut self, value: Value, to: Type) -> Result<Value> {
        let from = value.ty;
        let whole = |this: &Self, ty: Type| this.types.is_vector(ty) || this.types.is_integer(ty);
        if !whole(self, from) || !whole(self, to) || self.size_of(from)? != self.size_of(to)? {
            return Err(self.inconvertible(from, to));
        }
        if let ValueKind::Scalar(expr) = value.kind {
            let scalar = self.scalar_type(from)?;
            let object = self.temporary_object(to)?;
            let address = Expr::ObjectAddress(object);
            let place = Place::new(address.clone(), scalar);
            if self.is_in_start() && self.is_static_constant(&expr) {
                self.objects.make_constant(object);
            }
            self.emit_fresh(Instruction::Assign { place, value: expr });
            self.objects.set_temporary(object, true);
            return Ok(Value::aggregate(address, to));
        }
        let address = self.parts_address(&value)?;
        if self.types.is_vector(to) {
            return Ok(Value::aggregate(address, to));
        }
        let place = self.scalar_place(address, to)?;
        Ok(Value::scalar(Expr::Load(place), to))
    }

    /// Lowers `__builtin_shuffle(a, mask)` and `__builtin_shuffle(a, b, mask)`: each element of the mask is an index
    /// modulo the total number of elements.
    pub(in crate::lower) fn shuffle(&mut self, nodes: &[Node<ast::Expression>]) -> Result<Value> {
        let mut values = self.raw_arguments(nodes)?;
        let mask = values.pop();
        let first = values.first().map(|first| first.ty);
        let (Some(mask), Some(ty), 1..=2) = (mask, first, values.len()) else {
            return Err(self.error("`__builtin_shuffle` takes two or three vectors"));
        };
        let all = values.iter().chain([&mask]);
        if let Some(unknown) = all
            .into_iter()
            .find(|value| self.types.is_unknown(value.ty))
        {
            return self.any_value(unknown.ty);
        }
        if ![mask.ty, ty].iter().all(|&ty| self.types.is_vector(ty)) {
            return Err(self.error("`__builtin_shuffle` takes vectors"));
        }
        let (index, length) = self.parts_of_type(mask.ty)?;
        let (element, _) = self.parts_of_type(ty)?;
        let scalar = self.scalar_type(element)?;
        let mut candidates = Vec::new();
        for value in &values {
            let parts = self.parts(value)?;
            candidates.extend(self.all_computed_once(parts, scalar));
        }
        if !self.types.is_integer(index) || length * values.len() as u64 != candidates.len() as u64
        {
            return Err(self.error("the mask of `__builtin_shuffle` does not fit its vectors"));
        }
        let index_scalar = self.scalar_type(index)?;
        let choices = self.parts(&mask)?;
        let choices = self.all_computed_once(choices, index_scalar);
        let mut parts = Vec::with_capacity(choices.len());
        for choice in choices {
            let last = fold::integer(candidates.len() as i128 - 1, index_scalar);
            let choice = fold::binary(BinaryOp::And, choice, last, index_scalar);
            parts.push(self.chosen(choice, index_scalar, &candidates, element)?);
        }
        self.of_parts(parts, ty)
    }

    /// The candidate with a number that is in range.
    fn chosen(
        &mut self,
        number: Expr,
        number_scalar: ScalarType,
        candidates: &[Expr],
        element: Type,
    ) -> Result<Expr> {
        let scalar = self.scalar_type(element)?;
        if let Some(constant) = fold::constant(&number) {
            let known = usize::try_from(constant).ok();
            let known = known.and_then(|number| candidates.get(number));
            return match known {
                Some(known) => Ok(known.clone()),
                None => Err(self.contradiction("a number of no candidate")),
            };
        }
        if candidates.len() > MAXIMUM_COMPARED_ELEMENTS {
            let row = self.types.vector(element, candidates.len() as u64);
            let row = self.of_parts(candidates.to_vec(), row)?;
            let number = Value::scalar(number, self.integer_type(number_scalar));
            let place = self.vector_element(row, number)?;
            let (expr, _) = self.scalar_value(place)?;
            return Ok(expr);
        }
        let number = self.computed_once(number, number_scalar);
        let mut result = fold::zero(scalar);
        for (position, candidate) in candidates.iter().enumerate().rev() {
            if position + 1 == candidates.len() {
                result = candidate.clone();
                continue;
            }
            let position = fold::integer(position as i128, number_scalar);
            let is_it = fold::binary(BinaryOp::Equal, number.clone(), position, number_scalar);
            result = Expr::conditional(is_it, candidate.clone(), result, scalar);
        }
        Ok(result)
    }

    /// The C type of an integer representation.
    fn integer_type(&mut self, scalar: ScalarType) -> Type {
        let kind = match scalar {
            ScalarType::Integer { bits, signed } => IntegerKind::Exact { bits, signed },
            _ => IntegerKind::Int,
        };
        self.types.integer(kind)
    }

    /// Lowers `__builtin_shufflevector(a, b, i, …)`: elements at constant indices; -1 selects an arbitrary value.
    pub(in crate::lower) fn shuffle_by_numbers(
        &mut self,
        nodes: &[Node<ast::Expression>],
    ) -> Result<Value> {
        let [_, _, numbers @ ..] = nodes else {
            return Err(self.error("`__builtin_shufflevector` takes two vectors"));
        };
        let mut values = Vec::with_capacity(2);
        for value in self.raw_arguments(&nodes[..2])? {
            if self.types.is_unknown(value.ty) {
                return self.any_value(value.ty);
            }
            if !self.types.is_vector(value.ty) {
                return Err(self.error("`__builtin_shufflevector` takes vectors"));
            }
            values.push(value);
        }
        let (element, _) = self.parts_of_type(values[0].ty)?;
        let mut candidates = Vec::new();
        for value in &values {
            candidates.extend(self.parts(value)?);
        }
        let mut parts = Vec::with_capacity(numbers.len());
        for node in numbers {
            let (number, _) = self.constant_value(node)?;
            let part = usize::try_from(number).ok();
            match part.and_then(|number| candidates.get(number)) {
                Some(part) => parts.push(part.clone()),
                None if number == -1 => {
                    let any = self.approximate("an unspecified element of a vector", element)?;
                    parts.push(self.scalar_value(any)?.0);
                }
                None => return Err(self.error_at(node, "there is no element of that number")),
            }
        }
        if !parts.len().is_power_of_two() {
            return Err(self.error("the number of elements is not a power of two"));
        }
        let ty = self.types.vector(element, parts.len() as u64);
        self.of_parts(parts, ty)
    }

    /// Lowers `__builtin_convertvector(value, type)`, which converts each element.
    pub(in crate::lower) fn convert_vector(
        &mut self,
        value: &Node<ast::Expression>,
        name: &ast::TypeName,
    ) -> Result<Value> {
        let to = self.type_name(name)?;
        let value = self.expression(value)?;
        let value = self.rvalue(value);
        if self.types.is_unknown(value.ty) {
            return self.any_value(to);
        }
        let counts = [value.ty, to].map(|ty| match self.types.is_vector(ty) {
            true => self.types.parts(ty),
            false => None,
        });
        let [Some((from, count)), Some((element, wanted))] = counts else {
            return Err(self.error("`__builtin_convertvector` takes a vector and a vector type"));
        };
        if count != wanted {
            return Err(self.error("the vectors have different numbers of elements"));
        }
        self.check_conversion_of_parts(value.ty, to);
        let parts = self.parts(&value)?;
        let parts: Result<Vec<Expr>> = parts
            .into_iter()
            .map(|part| self.convert_scalar(part, from, element))
            .collect();
        self.of_parts(parts?, to)
    }
}

struct ElementOperator {
    op: BinaryOp,
    /// The type to which the operands are converted, except for a shift's count.
    scalar: ScalarType,
    /// The type of the result's elements.
    result: ScalarType,
}

impl ElementOperator {
    fn apply(&self, (left, left_type): (Expr, ScalarType), right: (Expr, ScalarType)) -> Expr {
        let (right, right_type) = right;
        if matches!(self.op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
            return fold::binary(self.op, left, right, left_type);
        }
        if !is_condition(self.op) {
            let right = fold::convert(right, right_type, left_type);
            return fold::binary(self.op, left, right, left_type);
        }
        let left = fold::convert(left, left_type, self.scalar);
        let right = fold::convert(right, right_type, self.scalar);
        let truth = fold::binary(self.op, left, right, self.scalar);
        match fold::constant(&truth) {
            Some(truth) => fold::integer(-truth, self.result),
            None => Expr::conditional(
                truth,
                fold::integer(-1, self.result),
                fold::zero(self.result),
                self.result,
            ),
        }
    }
}
