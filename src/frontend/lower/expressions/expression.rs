//! Expressions: dispatches each kind of syntax to the module that lowers it.

use lang_c::ast;
use lang_c::span::Node;

use super::assignment::{Fixity, Use};
use super::defined::{self, Reach};
use super::fold;
use super::value::{Lvalue, Value, ValueKind};
use crate::ir::{BinaryOp, Expr, ScalarType};
use crate::lower::declarations::constexpr::encoded_call;
use crate::lower::declarations::specifier::Attributes;
use crate::lower::sequencing::plain_operation;
use crate::lower::state::scope::Entity;
use crate::lower::{Lowerer, Result};
use crate::rewrite::encoding;
use crate::types::constant::{self, Encoding, decimal_float};
use crate::types::{IntegerKind, OpaqueKind, Type, TypeKind};

/// The binary operator if it only evaluates both operands.
pub(in crate::lower) fn plain_operator(operator: &ast::BinaryOperator) -> Option<BinaryOp> {
    use ast::BinaryOperator as C;
    Some(match operator {
        C::Multiply => BinaryOp::Multiply,
        C::Divide => BinaryOp::Divide,
        C::Modulo => BinaryOp::Remainder,
        C::Plus => BinaryOp::Add,
        C::Minus => BinaryOp::Subtract,
        C::ShiftLeft => BinaryOp::ShiftLeft,
        C::ShiftRight => BinaryOp::ShiftRight,
        C::Less => BinaryOp::Less,
        C::Greater => BinaryOp::Greater,
        C::LessOrEqual => BinaryOp::LessEqual,
        C::GreaterOrEqual => BinaryOp::GreaterEqual,
        C::Equals => BinaryOp::Equal,
        C::NotEquals => BinaryOp::NotEqual,
        C::BitwiseAnd => BinaryOp::And,
        C::BitwiseXor => BinaryOp::Xor,
        C::BitwiseOr => BinaryOp::Or,
        _ => return None,
    })
}

fn assignment_operator(operator: &ast::BinaryOperator) -> Option<BinaryOp> {
    use ast::BinaryOperator as C;
    Some(match operator {
        C::AssignMultiply => BinaryOp::Multiply,
        C::AssignDivide => BinaryOp::Divide,
        C::AssignModulo => BinaryOp::Remainder,
        C::AssignPlus => BinaryOp::Add,
        C::AssignMinus => BinaryOp::Subtract,
        C::AssignShiftLeft => BinaryOp::ShiftLeft,
        C::AssignShiftRight => BinaryOp::ShiftRight,
        C::AssignBitwiseAnd => BinaryOp::And,
        C::AssignBitwiseXor => BinaryOp::Xor,
        C::AssignBitwiseOr => BinaryOp::Or,
        _ => return None,
    })
}

/// The name of the encoded operator if the cast encodes `__real__` or `__imag__`.
fn complex_part(name: &ast::TypeName) -> Option<&str> {
    let [specifier] = name.specifiers.as_slice() else {
        return None;
    };
    let ast::SpecifierQualifier::TypeSpecifier(specifier) = &specifier.node else {
        return None;
    };
    let ast::TypeSpecifier::TypedefName(name) = &specifier.node else {
        return None;
    };
    let name = name.node.name.as_str();
    matches!(name, encoding::REAL_PART | encoding::IMAGINARY_PART).then_some(name)
}

/// The operand of an alignment query for an expression, which is encoded as the `typeof` of the expression.
fn operand_of_alignment(name: &ast::TypeName) -> Option<&Node<ast::Expression>> {
    let ([specifier], None) = (name.specifiers.as_slice(), &name.declarator) else {
        return None;
    };
    let ast::SpecifierQualifier::TypeSpecifier(specifier) = &specifier.node else {
        return None;
    };
    let ast::TypeSpecifier::TypeOf(operand) = &specifier.node else {
        return None;
    };
    match &operand.node {
        // A type that lang-c parses as an expression.
        ast::TypeOf::Expression(expression)
            if encoded_call(&expression.node).is_some_and(|(name, _)| name == encoding::TYPE) =>
        {
            None
        }
        ast::TypeOf::Expression(expression) => Some(expression),
        ast::TypeOf::Type(_) => None,
    }
}

impl Lowerer<'_> {
    /// Lowers an expression whose value is needed; the result may be an lvalue.
    pub(in crate::lower) fn expression(&mut self, node: &Node<ast::Expression>) -> Result<Value> {
        self.expression_for(node, Use::Value)
    }

    /// Lowers an expression for its side effects only.
    pub(in crate::lower) fn effects(&mut self, node: &Node<ast::Expression>) -> Result<()> {
        let value = self.expression_for(node, Use::Effects)?;
        self.drop_value(value);
        Ok(())
    }

    /// Applies lvalue conversion if the value is needed, else drops it.
    pub(in crate::lower) fn value_for(&mut self, value: Value, wanted: Use) -> Value {
        match wanted {
            Use::Value => self.rvalue(value),
            Use::Effects => {
                self.drop_value(value);
                Value::void()
            }
        }
    }

    /// Drops an unused value; it is still computed if its evaluation may fault.
    pub(in crate::lower) fn drop_value(&mut self, value: Value) {
        let is_access = self.cursor.is_watched() || self.input.property().checks_memory();
        let value = match is_access {
            true => self.accessed(value),
            false => value,
        };
        if self.input.property().checks_memory()
            && let ValueKind::Lvalue(Lvalue { address, .. }) | ValueKind::Aggregate(address) =
                value.kind
        {
            return self.read_unused(address, value.ty);
        }
        let scalar = self.types.scalar(value.ty);
        if let (ValueKind::Scalar(expr), Some(scalar)) = (value.kind, scalar)
            && !self.is_harmless(&expr)
        {
            self.store_fresh(expr, scalar);
        }
    }

    pub(in crate::lower) fn expression_for(
        &mut self,
        node: &Node<ast::Expression>,
        wanted: Use,
    ) -> Result<Value> {
        self.cursor.set_span(self.cursor.place_of(node));
        match &node.node {
            ast::Expression::Identifier(identifier) => self.identifier(&identifier.node.name),
            ast::Expression::Constant(constant) => self.constant(&constant.node),
            ast::Expression::StringLiteral(parts) => self.string_literal(&parts.node),
            ast::Expression::GenericSelection(selection) => self.generic(&selection.node),
            ast::Expression::Member(member) => self.member(member),
            ast::Expression::Call(call) => {
                let outer = self.cursor.enter_call(call.span.start..call.span.end);
                let value = self.call(&call.node, wanted);
                self.cursor.leave_call(outer);
                value
            }
            ast::Expression::CompoundLiteral(literal) => self.compound_literal(&literal.node),
            ast::Expression::SizeOfTy(operand) => {
                // Sizes behind pointers do not matter; gcc and clang do not evaluate them (C11 6.7.6.2p5).
                let name = &operand.node.0.node;
                let mut ty = self.unevaluated(|this| this.type_name(name))?;
                if self.types.is_variable_size(ty) {
                    ty = self.type_name(name)?;
                }
                self.size_of_type(ty)
            }
            ast::Expression::SizeOfVal(operand) => {
                let value = self.unevaluated(|this| this.expression(&operand.node.0))?;
                if let ValueKind::Lvalue(Lvalue {
                    bit_field: Some(_), ..
                }) = value.kind
                {
                    return Err(self.error("`sizeof` is applied to a bit-field"));
                }
                let ty = match self.types.is_variable_size(value.ty) {
                    true => self.expression(&operand.node.0)?.ty,
                    false => value.ty,
                };
                self.size_of_type(ty)
            }
            ast::Expression::AlignOf(operand) => {
                let alignment = match operand_of_alignment(&operand.node.0.node) {
                    Some(expression) => self.alignment_of_expression(expression)?,
                    // Never evaluated, even with variable sizes (C11 6.5.3.4p3).
                    None => {
                        let ty = self.unevaluated(|this| this.type_name(&operand.node.0.node))?;
                        self.member_alignment_of(ty)?
                    }
                };
                Ok(self.size_constant(alignment))
            }
            ast::Expression::UnaryOperator(unary) => self.unary(&unary.node, wanted),
            ast::Expression::Cast(cast) => self.cast_expression(&cast.node, wanted),
            ast::Expression::BinaryOperator(binary) => self.binary(node, &binary.node, wanted),
            ast::Expression::Conditional(conditional) => {
                self.conditional(&conditional.node, wanted)
            }
            ast::Expression::Comma(parts) => {
                let Some((last, first)) = parts.split_last() else {
                    return Ok(Value::void());
                };
                for part in first {
                    self.effects(part)?;
                }
                let is_watched = self.cursor.is_watched();
                self.cursor
                    .watch(is_watched || first.iter().any(defined::begins_watch));
                let value = self.expression_for(last, wanted);
                let value = value.map(|value| self.rvalue(value));
                self.cursor.watch(is_watched);
                value
            }
            ast::Expression::OffsetOf(offset) => self.offset_of(&offset.node),
            ast::Expression::VaArg(argument) => self.va_arg(&argument.node),
            ast::Expression::Statement(statement) => self.statement_expression(statement),
        }
    }

    /// Records the alignment that an attribute of a declaration gives a function.
    pub(in crate::lower) fn note_function_alignment(
        &mut self,
        name: &str,
        attributes: &Attributes,
    ) {
        if let Some(alignment) = attributes.alignment {
            let name = self.linkage.files.name(name);
            self.symbols.align(name, alignment);
        }
    }

    /// gcc's `__alignof__` of an expression: a variable's own alignment, else that of its type. Outside of structs,
    /// x86 aligns objects of eight bytes to eight also in 32-bit code.
    pub(in crate::lower) fn alignment_of_expression(
        &mut self,
        expression: &Node<ast::Expression>,
    ) -> Result<u64> {
        if let ast::Expression::Identifier(name) = &expression.node
            && let Some(symbol) = self.scopes.lookup(&name.node.name)
            && let Entity::Typedef = self.scopes.symbol(symbol).entity
        {
            return self.member_alignment_of(self.scopes.symbol(symbol).ty);
        }
        let value = self.unevaluated(|this| this.expression(expression))?;
        if let (ValueKind::Function(_), ast::Expression::Identifier(name)) =
            (&value.kind, &expression.node)
        {
            let name = self.linkage.files.name(&name.node.name);
            return Ok(self.symbols.alignment(name));
        }
        let guaranteed = self.alignment_of(value.ty)?;
        if let ast::Expression::Member(member) = &expression.node {
            let alignment = self.alignment_of_member(&member.node)?;
            return Ok(alignment.unwrap_or(guaranteed));
        }
        let usual = self.preferred_alignment_of(value.ty)?;
        let own = match &value.kind {
            ValueKind::Lvalue(Lvalue {
                address: Expr::ObjectAddress(object),
                ..
            }) => self
                .objects
                .get(*object)
                .map_or(1, |object| object.alignment),
            _ => 1,
        };
        Ok(own.max(usual).max(guaranteed))
    }

    /// The alignment of a member in its struct, with `packed`, `aligned` and `#pragma pack`.
    fn alignment_of_member(&mut self, member: &ast::MemberExpression) -> Result<Option<u64>> {
        let base = self.unevaluated(|this| {
            let base = this.expression(&member.expression)?;
            Ok(this.rvalue(base).ty)
        })?;
        let record = self.types.pointee(base).unwrap_or(base);
        let field = self.types.find_field(record, &member.identifier.node.name);
        Ok(field.map(|field| field.alignment))
    }

    /// A constant of type `size_t`.
    pub(in crate::lower) fn size_constant(&self, value: u64) -> Value {
        let expr = fold::integer(i128::from(value), self.types.size_scalar());
        Value::scalar(expr, self.types.size_type())
    }

    fn size_of_type(&mut self, ty: Type) -> Result<Value> {
        let size = self.size_expression(ty)?;
        let size = fold::convert(size, self.types.offset_scalar(), self.types.size_scalar());
        Ok(Value::scalar(size, self.types.size_type()))
    }

    fn constant(&mut self, literal: &ast::Constant) -> Result<Value> {
        match literal {
            ast::Constant::Integer(integer) => {
                let (value, kind) = constant::integer(integer, self.input.data_model())
                    .map_err(|error| self.error(error.to_string()))?;
                let ty = self.types.integer(kind);
                let scalar = self.scalar_type(ty)?;
                let value = fold::integer(value as i128, scalar);
                match integer.suffix.imaginary {
                    true => self.imaginary(value, ty),
                    false => Ok(Value::scalar(value, ty)),
                }
            }
            ast::Constant::Float(float) => {
                if let ast::FloatFormat::TS18661Format(format) = &float.suffix.format
                    && let Some(kind) = decimal_float(format)
                {
                    return self.decimal_constant(&float.number, kind);
                }
                let (bits, kind) =
                    constant::float(float).map_err(|error| self.error(error.to_string()))?;
                let ty = self.types.float(kind);
                let format = kind.format();
                let value = Expr::Float { bits, format };
                match float.suffix.imaginary {
                    true => self.imaginary(value, ty),
                    false => Ok(Value::scalar(value, ty)),
                }
            }
            ast::Constant::Character(text) => {
                let (value, encoding) =
                    constant::character(text).map_err(|error| self.error(error.to_string()))?;
                let ty = match encoding {
                    Encoding::Bytes | Encoding::Utf8 => Type::INT,
                    other => self.character_type(other),
                };
                let scalar = self.scalar_type(ty)?;
                Ok(Value::scalar(fold::integer(i128::from(value), scalar), ty))
            }
        }
    }

    /// Lowers a constant of a decimal floating type.
    fn decimal_constant(&mut self, text: &str, kind: OpaqueKind) -> Result<Value> {
        let ty = self.types.intern(TypeKind::Opaque(kind));
        let (piece, count) = self.parts_of_type(ty)?;
        let scalar = self.scalar_type(piece)?;
        let Some(bits) = constant::decimal_bits(text, kind) else {
            return self.approximate("a decimal floating constant", ty);
        };
        let width = u32::try_from(self.size_of(piece)? * 8).unwrap_or(64);
        let pieces = (0..count as u32).map(|number| {
            let piece = bits >> (number * width) & ((1 << width) - 1);
            fold::integer(piece as i128, scalar)
        });
        let pieces = pieces.collect();
        self.of_parts(pieces, ty)
    }

    /// The element type of a string or character constant with the prefix.
    pub(in crate::lower) fn character_type(&mut self, encoding: Encoding) -> Type {
        match encoding {
            Encoding::Bytes => Type::CHAR,
            Encoding::Utf8 if self.cursor.is_c23() => self.types.integer(IntegerKind::UnsignedChar),
            Encoding::Utf8 => Type::CHAR,
            Encoding::Char16 => self.types.integer(IntegerKind::UnsignedShort),
            Encoding::Char32 => Type::UNSIGNED_INT,
            Encoding::Wide => self.types.wide_character_type(),
        }
    }

    fn string_literal(&mut self, parts: &[String]) -> Result<Value> {
        let (units, encoding) =
            constant::string(parts).map_err(|error| self.error(error.to_string()))?;
        let element = self.character_type(encoding);
        let bytes = self.size_of(element)? as u8;
        Ok(self.string_object(units, bytes, element))
    }

    fn generic(&mut self, selection: &ast::GenericSelection) -> Result<Value> {
        let span = self.cursor.span();
        let controlling = self.unevaluated(|this| {
            let value = this.expression(&selection.expression)?;
            Ok(this.rvalue(value).ty.unqualified())
        })?;
        let mut default = None;
        let mut chosen = None;
        for association in &selection.associations {
            match &association.node {
                ast::GenericAssociation::Type(association) => {
                    let ty = self.type_name(&association.node.type_name.node)?;
                    let same_qualifiers = ty.qualifiers.is_empty();
                    if same_qualifiers && self.types.compatible(ty, controlling) && chosen.is_none()
                    {
                        chosen = Some(&association.node.expression);
                    }
                }
                ast::GenericAssociation::Default(expression) => {
                    if default.replace(expression).is_some() {
                        return Err(self.error_at(association, "two defaults in `_Generic`"));
                    }
                }
            }
        }
        self.cursor.set_span(span);
        match chosen.or(default) {
            Some(expression) => self.expression(expression),
            None => {
                let ty = self.types.describe(controlling);
                Err(self.error(format!("`_Generic` has no association for the type `{ty}`")))
            }
        }
    }

    fn unary(&mut self, unary: &ast::UnaryOperatorExpression, wanted: Use) -> Result<Value> {
        use ast::UnaryOperator as C;
        let operand = &unary.operand;
        match &unary.operator.node {
            C::PostIncrement => self.increment(operand, BinaryOp::Add, Fixity::Postfix, wanted),
            C::PostDecrement => {
                self.increment(operand, BinaryOp::Subtract, Fixity::Postfix, wanted)
            }
            C::PreIncrement => self.increment(operand, BinaryOp::Add, Fixity::Prefix, wanted),
            C::PreDecrement => self.increment(operand, BinaryOp::Subtract, Fixity::Prefix, wanted),
            C::Address => self.address_of(operand),
            C::Indirection => {
                let span = self.cursor.span();
                if let ast::Expression::Cast(cast) = &operand.node
                    && let Some(part) = complex_part(&cast.node.type_name.node)
                {
                    let value = self.expression(&cast.node.expression)?;
                    self.cursor.set_span(span);
                    return self.complex_part(value, part == encoding::IMAGINARY_PART);
                }
                let value = match plain_operation(operand) {
                    Some((op @ (BinaryOp::Add | BinaryOp::Subtract), left, right))
                        if self.cursor.is_watched() =>
                    {
                        self.operation(op, [left, right], Reach::Element)?
                    }
                    _ => self.expression(operand)?,
                };
                self.cursor.set_span(span);
                self.dereference(value)
            }
            C::Plus | C::Minus | C::Complement => {
                let span = self.cursor.span();
                let value = self.expression(operand)?;
                self.cursor.set_span(span);
                self.unary_operation(&unary.operator.node, value)
            }
            C::Negate => {
                let span = self.cursor.span();
                let condition = self.condition(operand)?;
                self.cursor.set_span(span);
                let truth = self.truth_of(condition);
                let (expr, _) = self.scalar_value(truth)?;
                let not = fold::unary(crate::ir::UnaryOp::LogicalNot, expr, fold::INT);
                Ok(Value::scalar(not, Type::INT))
            }
        }
    }

    fn cast_expression(&mut self, cast: &ast::CastExpression, wanted: Use) -> Result<Value> {
        let span = self.cursor.span();
        let ty = self.type_name(&cast.type_name.node)?;
        if self.types.is_void(ty) {
            let value = self.expression_for(&cast.expression, wanted)?;
            self.drop_value(value);
            return Ok(Value::void());
        }
        let value = self.expression(&cast.expression)?;
        self.cursor.set_span(span);
        if self.types.is_array(ty) || self.types.is_function(ty) {
            let ty = self.types.describe(ty);
            return Err(self.error(format!("a cast to the type `{ty}`")));
        }
        self.note_stream_cast(value.ty, ty);
        let value = match self.cursor.is_watched() {
            true => self.expect_convertible(value, ty)?,
            false => value,
        };
        self.cast(value, ty)
    }

    fn binary(
        &mut self,
        node: &Node<ast::Expression>,
        binary: &ast::BinaryOperatorExpression,
        wanted: Use,
    ) -> Result<Value> {
        let (left, right) = (&binary.lhs, &binary.rhs);
        let operator = &binary.operator.node;
        if let Some(op) = plain_operator(operator) {
            return self.binary_operation(op, left, right);
        }
        if let Some(op) = assignment_operator(operator) {
            return self.compound_assign(op, left, right, wanted);
        }
        match operator {
            ast::BinaryOperator::Index => self.index(left, right, Reach::Element),
            ast::BinaryOperator::Assign => self.assign(left, right, wanted),
            _ => {
                let condition = self.condition(node)?;
                if wanted == Use::Effects {
                    return self.drop_condition(condition);
                }
                Ok(self.truth_of(condition))
            }
        }
    }

    /// Lowers `&&` and `||` for their side effects only.
    fn drop_condition(&mut self, condition: super::condition::Condition) -> Result<Value> {
        if let super::condition::Condition::Branched { then, otherwise } = condition {
            let values = [(then, Value::void()), (otherwise, Value::void())];
            return self.join_values(values, Type::VOID);
        }
        let truth = self.truth_of(condition);
        self.drop_value(truth);
        Ok(Value::void())
    }

    fn offset_of(&mut self, offset: &ast::OffsetOfExpression) -> Result<Value> {
        let ty = self.type_name(&offset.type_name.node)?;
        let null = fold::integer(0, ScalarType::Pointer);
        let designator = &offset.designator.node;
        let mut place = self.select(Value::lvalue(null, ty), &designator.base.node.name)?;
        for member in &designator.members {
            place = match &member.node {
                ast::OffsetMember::Member(name) => self.select(place, &name.node.name)?,
                ast::OffsetMember::IndirectMember(name) => {
                    let target = self.dereference(place)?;
                    self.select(target, &name.node.name)?
                }
                ast::OffsetMember::Index(index) => {
                    let pointer = self.rvalue(place);
                    let index = self.expression(index)?;
                    let index = self.rvalue(index);
                    if !self.types.is_integer(index.ty) {
                        return Err(self.error_at(member, "the index is not an integer"));
                    }
                    let element = self.add_to_pointer(pointer, index, BinaryOp::Add)?;
                    self.dereference(element)?
                }
            };
        }
        let address = match place.kind {
            ValueKind::Lvalue(Lvalue {
                address,
                bit_field: None,
            }) => address,
            _ => return Err(self.error("`offsetof` is applied to a bit-field")),
        };
        let size = self.types.size_scalar();
        let expr = match fold::evaluate(&address) {
            Some(value) => fold::integer(value, size),
            None => fold::convert(address, ScalarType::Pointer, size),
        };
        Ok(Value::scalar(expr, self.types.size_type()))
    }

    /// The value of an integer constant expression; `None` if it is not constant.
    pub(in crate::lower) fn try_constant(
        &mut self,
        node: &Node<ast::Expression>,
    ) -> Result<Option<(i128, Type)>> {
        let span = self.cursor.span();
        let result = self.unevaluated(|this| {
            let value = this.expression(node)?;
            let value = this.rvalue(value);
            if !this.types.is_integer(value.ty) {
                return Err(this.error_at(node, "the expression is not an integer"));
            }
            let ty = value.ty;
            let (expr, _) = this.scalar_value(value)?;
            Ok(fold::evaluate(&expr).map(|value| (value, ty)))
        });
        self.cursor.set_span(span);
        result
    }

    /// The value of an integer constant expression.
    pub(in crate::lower) fn constant_value(
        &mut self,
        node: &Node<ast::Expression>,
    ) -> Result<(i128, Type)> {
        self.try_constant(node)?
            .ok_or_else(|| self.error_at(node, "the expression is not constant"))
    }
}
