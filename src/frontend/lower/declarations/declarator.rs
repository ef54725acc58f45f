//! Declarators: pointers, arrays and functions around a name.

use lang_c::ast;
use lang_c::span::Node;

use super::specifier::{Attributes, Specifiers, qualifier_of};
use crate::ir::{Instruction, ScalarType};
use crate::lower::expressions::fold;
use crate::lower::state::scope::{Entity, Symbol};
use crate::lower::{Lowerer, Result};
use crate::types::{ArrayLength, FunctionType, ParameterForm, Qualifiers, Type, TypeKind};

/// The error for an old-style function definition in C23.
pub(in crate::lower) const OLD_STYLE: &str =
    "an old-style function definition, which C23 does not have";

/// A declarator with its type.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Declared<'a> {
    /// The name; `None` in an abstract declarator.
    pub name: Option<&'a Node<ast::Identifier>>,
    pub ty: Type,
    pub attributes: Attributes,
}

/// How array lengths are treated in a declarator.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) enum LengthContext {
    /// The length is evaluated: a definition.
    Evaluated,
    /// The length need not be constant and is not evaluated: a prototype.
    Prototype,
}

impl Lowerer<'_> {
    /// The type that a declarator derives from the specifiers' type.
    pub(in crate::lower) fn declarator<'n>(
        &mut self,
        base: Type,
        node: &'n Node<ast::Declarator>,
    ) -> Result<Declared<'n>> {
        self.declarator_in(base, node, LengthContext::Evaluated)
    }

    pub(in crate::lower) fn declarator_in<'n>(
        &mut self,
        base: Type,
        node: &'n Node<ast::Declarator>,
        context: LengthContext,
    ) -> Result<Declared<'n>> {
        let declarator = &node.node;
        let mut attributes = Attributes::default();
        self.attributes(&declarator.extensions, &mut attributes)?;
        let mut ty = self.apply_mode(base, &attributes)?;
        attributes.vector_size = None;
        // Pointers come first and bind from left to right; what follows the name binds from right to left.
        for derived in &declarator.derived {
            if let ast::DerivedDeclarator::Pointer(qualifiers) = &derived.node {
                ty = self.pointer_declarator(ty, qualifiers, &mut attributes)?;
            }
        }
        for derived in declarator.derived.iter().rev() {
            match &derived.node {
                ast::DerivedDeclarator::Pointer(_) => {}
                ast::DerivedDeclarator::Array(array) => {
                    ty = self.array_declarator(ty, &array.node, context)?;
                }
                ast::DerivedDeclarator::Function(function) => {
                    ty = self.function_declarator(ty, &function.node)?;
                }
                ast::DerivedDeclarator::KRFunction(names) => {
                    self.check_result_type(ty)?;
                    if !names.is_empty() && self.cursor.is_c23_alone() {
                        return Err(self.error(OLD_STYLE));
                    }
                    let form = match self.cursor.is_c23() {
                        true if names.is_empty() => ParameterForm::Fixed,
                        _ => ParameterForm::Unspecified,
                    };
                    ty = self.types.function(FunctionType {
                        result: ty.unqualified(),
                        parameters: Vec::new(),
                        form,
                    });
                }
                ast::DerivedDeclarator::Block(_) => {
                    return Err(self.error("blocks are not supported"));
                }
            }
        }
        // The attribute stood among a pointer's qualifiers.
        if let Some(bytes) = attributes.vector_size.take() {
            ty = self.vector_of(ty, bytes)?;
        }
        if attributes.noreturn {
            ty = self.types.without_return(ty);
        }
        match &declarator.kind.node {
            ast::DeclaratorKind::Abstract => Ok(Declared {
                name: None,
                ty,
                attributes,
            }),
            ast::DeclaratorKind::Identifier(name) => Ok(Declared {
                name: Some(name),
                ty,
                attributes,
            }),
            ast::DeclaratorKind::Declarator(inner) => {
                let mut inner = self.declarator_in(ty, inner, context)?;
                inner.attributes.alignment = inner.attributes.alignment.max(attributes.alignment);
                inner.attributes.inherit(&attributes);
                if attributes.noreturn {
                    inner.ty = self.types.without_return(inner.ty);
                }
                Ok(inner)
            }
        }
    }

    fn pointer_declarator(
        &mut self,
        target: Type,
        qualifiers: &[Node<ast::PointerQualifier>],
        attributes: &mut Attributes,
    ) -> Result<Type> {
        let mut own = Qualifiers::empty();
        for qualifier in qualifiers {
            match &qualifier.node {
                ast::PointerQualifier::TypeQualifier(qualifier) => {
                    own |= qualifier_of(&qualifier.node);
                }
                ast::PointerQualifier::Extension(extensions) => {
                    self.attributes(extensions, attributes)?;
                }
            }
        }
        Ok(self.types.pointer(target).qualified(own))
    }

    fn check_result_type(&self, ty: Type) -> Result<()> {
        if self.types.is_array(ty) || self.types.is_function(ty) {
            let ty = self.types.describe(ty);
            return Err(self.error(format!("a function cannot return a `{ty}`")));
        }
        Ok(())
    }

    fn array_declarator(
        &mut self,
        element: Type,
        array: &ast::ArrayDeclarator,
        context: LengthContext,
    ) -> Result<Type> {
        if self.types.is_void(element) || self.types.is_function(element) {
            let element = self.types.describe(element);
            return Err(self.error(format!("an array of elements of type `{element}`")));
        }
        let complete = self.types.is_complete(element)
            || matches!(
                self.types.kind(element),
                TypeKind::Array {
                    length: ArrayLength::Unspecified,
                    ..
                }
            );
        if !complete {
            let element = self.types.describe(element);
            return Err(self.error(format!(
                "an array of elements of the incomplete type `{element}`"
            )));
        }
        let length = match &array.size {
            ast::ArraySize::Unknown => ArrayLength::Unknown,
            ast::ArraySize::VariableUnknown => ArrayLength::Unspecified,
            ast::ArraySize::VariableExpression(size) | ast::ArraySize::StaticExpression(size) => {
                self.array_length(size, context)?
            }
        };
        let ty = self.types.array(element, length);
        if let ArrayLength::Constant(_) = length
            && !self.types.is_variable_size(ty)
        {
            self.size_of(ty)?;
        }
        Ok(ty)
    }

    fn array_length(
        &mut self,
        size: &Node<ast::Expression>,
        context: LengthContext,
    ) -> Result<ArrayLength> {
        let span = self.cursor.span();
        let (constant, has_effects) = self.unevaluated(|this| {
            let mark = this.function.mark();
            let value = this.expression(size)?;
            this.cursor.set_span(span);
            let value = this.rvalue(value);
            if !this.types.is_integer(value.ty) {
                return Err(this.error("the size of an array is not an integer"));
            }
            let constant = this.constant_argument(&value);
            Ok((constant, this.function.has_acted_since(mark)))
        })?;
        let is_evaluated = context != LengthContext::Prototype && !self.scopes.at_file_scope();
        // `a[(n++, 4)]` has variable length although its value is known (C11 6.6p3).
        match constant.filter(|_| !has_effects || !is_evaluated) {
            Some(value) => match u64::try_from(value) {
                Ok(length) => Ok(ArrayLength::Constant(length)),
                Err(_) => Err(self.error("the size of an array is negative")),
            },
            None if context == LengthContext::Prototype => Ok(ArrayLength::Unspecified),
            None if self.scopes.at_file_scope() => {
                Err(self.error("the size of an array at file scope is not constant"))
            }
            None => {
                let value = self.expression(size)?;
                let (expr, ty) = self.scalar_value(value)?;
                let from = self.scalar_type(ty)?;
                let scalar = self.types.size_scalar();
                let length = fold::convert(expr, from, scalar);
                let object = self.temporary(scalar);
                let place = self.object_place(object, scalar);
                self.emit_fresh(Instruction::Assign {
                    place,
                    value: length,
                });
                Ok(ArrayLength::Variable(object))
            }
        }
    }

    /// The type of a function from a prototype.
    fn function_declarator(
        &mut self,
        result: Type,
        function: &ast::FunctionDeclarator,
    ) -> Result<Type> {
        self.check_result_type(result)?;
        let number = self.scopes.number();
        self.scopes.enter(number);
        let parameters = self.prototype_parameters(function);
        self.scopes.leave();
        let (parameters, form) = parameters?;
        Ok(self.types.function(FunctionType {
            result: result.unqualified(),
            parameters,
            form,
        }))
    }

    fn prototype_parameters(
        &mut self,
        function: &ast::FunctionDeclarator,
    ) -> Result<(Vec<Type>, ParameterForm)> {
        let mut parameters = Vec::with_capacity(function.parameters.len());
        for parameter in &function.parameters {
            let specifiers = self.specifiers(&parameter.node.specifiers)?;
            let (name, ty) = match &parameter.node.declarator {
                Some(declarator) => {
                    let declared =
                        self.declarator_in(specifiers.ty, declarator, LengthContext::Prototype)?;
                    let ty = self.parameter_type(declared.ty, &specifiers, &parameter.node)?;
                    (declared.name, ty)
                }
                None => (None, specifiers.ty),
            };
            let ty = self.types.adjusted_parameter(ty);
            // Array lengths of later parameters may name this parameter.
            if let Some(name) = name {
                self.bind_prototype_parameter(&name.node.name, ty);
            }
            parameters.push(ty);
        }
        Ok(self.parameter_form(parameters, function))
    }

    /// Classifies a parameter list: `(void)`, `()`, `(…, ...)`.
    pub(in crate::lower) fn parameter_form(
        &self,
        parameters: Vec<Type>,
        function: &ast::FunctionDeclarator,
    ) -> (Vec<Type>, ParameterForm) {
        let variadic = function.ellipsis == ast::Ellipsis::Some;
        if variadic {
            let none = matches!(parameters.as_slice(), [only] if self.types.is_void(*only));
            let parameters = if none { Vec::new() } else { parameters };
            return (parameters, ParameterForm::Variadic);
        }
        match parameters.as_slice() {
            [] if self.cursor.is_c23() => (parameters, ParameterForm::Fixed),
            [] => (parameters, ParameterForm::Unspecified),
            [only] if self.types.is_void(*only) => (Vec::new(), ParameterForm::Fixed),
            _ => (parameters, ParameterForm::Fixed),
        }
    }

    /// Applies the surrounding attributes to a parameter's type.
    pub(in crate::lower) fn parameter_type(
        &mut self,
        ty: Type,
        specifiers: &Specifiers,
        parameter: &ast::ParameterDeclaration,
    ) -> Result<Type> {
        let mut attributes = specifiers.attributes.clone();
        attributes.vector_size = None;
        self.attributes(&parameter.extensions, &mut attributes)?;
        let ty = match attributes.vector_size {
            Some(bytes) => self.vector_of(ty, bytes)?,
            None => ty,
        };
        Ok(match attributes.noreturn {
            true => self.types.without_return(ty),
            false => ty,
        })
    }

    fn bind_prototype_parameter(&mut self, name: &str, ty: Type) {
        // Never evaluated: any object will do.
        let scalar = self.types.scalar(ty).unwrap_or(ScalarType::Bool);
        let object = self.temporary(scalar);
        let symbol = self.scopes.create(Symbol {
            ty,
            entity: Entity::Object(object),
            span: self.cursor.span(),
        });
        self.scopes.bind(name, symbol);
    }
}

pub(in crate::lower) fn declarator_name(node: &Node<ast::Declarator>) -> Option<&str> {
    innermost_name(node).map(|name| name.node.name.as_str())
}

pub(in crate::lower) fn innermost_name(
    node: &Node<ast::Declarator>,
) -> Option<&Node<ast::Identifier>> {
    let mut node = node;
    loop {
        match &node.node.kind.node {
            ast::DeclaratorKind::Abstract => return None,
            ast::DeclaratorKind::Identifier(name) => return Some(name),
            ast::DeclaratorKind::Declarator(inner) => node = inner,
        }
    }
}
