//! Function definitions, and the call of `main`.

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::FxHashMap;

use super::declarator::{declarator_name, innermost_name};
use super::specifier::StorageClass;
use crate::defined::Rule;
use crate::ir::{
    Argument, BinaryOp, Callee, Expr, Function, FunctionIndex, InitialContents, Instruction, Leaf,
    Object, ObjectIndex, Place, Pointer, ResultPlace, ScalarType, Storage, Terminator,
};
use crate::lower::checks::initialisation::may_pass_initialisers;
use crate::lower::environment::entry::ENTRY;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::Value;
use crate::lower::limits::{MAXIMUM_MODELLED_STRINGS, MAXIMUM_STRING_SIZE};
use crate::lower::state::scope::{Definition, Entity};
use crate::lower::{Lowerer, Result};
use crate::memory::walk;
use crate::types::{FunctionType, ParameterForm, Type, TypeKind};
use regatta_base::diagnostic::{Error, ErrorKind};
use regatta_program::{AssumptionKind, Lifetime};

/// The name, parameters and result type of a function definition.
pub(in crate::lower) struct FunctionHead<'n> {
    name: &'n Node<ast::Identifier>,
    parameters: ParameterSyntax<'n>,
    pub(in crate::lower) result: Type,
}

#[derive(Copy, Clone)]
enum ParameterSyntax<'n> {
    Prototype(&'n ast::FunctionDeclarator),
    Identifiers(&'n [Node<ast::Identifier>]),
}

impl Lowerer<'_> {
    /// Assigns a function with a body its index, so that calls can refer to it before its definition.
    pub(in crate::lower) fn announce_function(&mut self, declaration: &ast::ExternalDeclaration) {
        if let ast::ExternalDeclaration::FunctionDefinition(function) = declaration
            && let Some(name) = declarator_name(&function.node.declarator)
            && self.inline_body(name).is_none()
        {
            self.functions
                .named_or_reserved(self.linkage.files.body_name(name));
        }
    }

    pub(in crate::lower) fn function_definition(
        &mut self,
        node: &Node<ast::FunctionDefinition>,
    ) -> Result<()> {
        let definition = &node.node;
        let specifiers = self.specifiers(&definition.specifiers)?;
        let head = self.function_head(specifiers.ty, &definition.declarator)?;
        self.cursor.set_span(self.cursor.place_of(head.name));
        let name = head.name.node.name.as_str();
        let own_name = self.linkage.files.body_name(name).to_owned();
        let is_overridden = self.linkage.files.is_overridden(name);
        if specifiers.storage == Some(StorageClass::Static) || is_overridden {
            self.symbols.make_internal(&own_name);
        }
        if !self.types.is_void(head.result)
            && (!self.types.is_complete(head.result) || self.types.is_array(head.result))
        {
            let ty = self.types.describe(head.result);
            return Err(self.error(format!("the function `{name}` returns a `{ty}`")));
        }
        let inline = self.inline_body(name).map(|body| body.index);
        let Some(index) = inline.or_else(|| self.functions.named(&own_name)) else {
            return Err(self.error(format!("`{name}` cannot be defined here")));
        };
        if self.functions.is_finished(index) {
            return Err(self.error(format!("redefinition of `{name}`")));
        }
        let builder = self.builder_for(index, &own_name, head.result);
        let outer = std::mem::replace(&mut self.function, builder);
        let outer_control = std::mem::take(&mut self.control);
        self.note_ignored_attributes();
        if specifiers.attributes.naked {
            self.unsupported("a function with the attribute `naked`");
        }
        let result = self.define(&head, definition);
        while !self.scopes.at_file_scope() {
            self.scopes.leave();
        }
        self.control = outer_control;
        let built = std::mem::replace(&mut self.function, outer);
        result?;
        self.functions.finish(index, built.finish());
        self.lifecycle
            .note_attributes(&own_name, &specifiers.attributes);
        self.note_function_alignment(name, &specifiers.attributes);
        self.note_function_section(&specifiers.attributes);
        self.lifecycle.last_definition = Some(index);
        Ok(())
    }

    /// Builds a generated function while another one is being lowered; its body does not belong to the current expression.
    pub(in crate::lower) fn build_function(
        &mut self,
        index: FunctionIndex,
        name: &str,
        result: Type,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let span = self.cursor.span();
        let builder = self.builder_for(index, name, result);
        let outer = std::mem::replace(&mut self.function, builder);
        let control = std::mem::take(&mut self.control);
        let log = self.sequencing.enter_function();
        let made = body(self);
        self.sequencing.resume(log);
        self.control = control;
        let own = std::mem::replace(&mut self.function, outer);
        self.cursor.set_span(span);
        made?;
        self.functions.finish(index, own.finish());
        Ok(())
    }

    fn define(
        &mut self,
        head: &FunctionHead<'_>,
        definition: &ast::FunctionDefinition,
    ) -> Result<()> {
        let name = head.name.node.name.as_str();
        let number = self.function.enter_body();
        self.scopes.enter(number);
        let (parameters, form) = self.head_parameters(head, &definition.declarations)?;
        let ty = self.types.function(FunctionType {
            result: head.result.unqualified(),
            parameters: match form {
                ParameterForm::Unspecified => Vec::new(),
                _ => parameters.clone(),
            },
            form,
        });
        // The function's name is declared in the surrounding scope.
        let inner = self.scopes.suspend_to_file_scope();
        self.cursor.set_span(self.cursor.place_of(head.name));
        let declared = self.declare_function(name, ty);
        self.scopes.resume(inner);
        declared?;
        if let Some(linked) = self.scopes.linked.get_mut(name) {
            linked.definition = Definition::Complete;
        }
        self.function_result(form, head.result)?;
        if self.input.property().forbids_call(name) {
            self.end_path(Terminator::Error);
        }
        if may_pass_initialisers(&definition.statement) {
            self.function.note_jumps();
        }
        match self.left_out_body(&definition.statement) {
            Some(what) => self.unsupported(&*what),
            None => self.in_body(|this| this.function_body(&definition.statement))?,
        }
        self.return_at_end(name)
    }

    /// Declares the parameters of a function, including old-style ones with their declarations.
    pub(in crate::lower) fn head_parameters(
        &mut self,
        head: &FunctionHead<'_>,
        declarations: &[Node<ast::Declaration>],
    ) -> Result<(Vec<Type>, ParameterForm)> {
        match head.parameters {
            ParameterSyntax::Prototype(function) => self.prototype(function),
            ParameterSyntax::Identifiers([]) if self.cursor.is_c23() => {
                Ok((Vec::new(), ParameterForm::Fixed))
            }
            ParameterSyntax::Identifiers(_) if self.cursor.is_c23_alone() => {
                Err(self.error(super::declarator::OLD_STYLE))
            }
            ParameterSyntax::Identifiers(names) => {
                let types = self.old_style(names, declarations)?;
                Ok((types, ParameterForm::Unspecified))
            }
        }
    }

    /// Creates the objects for the function's result and its variable arguments.
    pub(in crate::lower) fn function_result(
        &mut self,
        form: ParameterForm,
        result: Type,
    ) -> Result<()> {
        if form == ParameterForm::Variadic {
            self.add_variable_arguments();
        }
        if !self.types.is_void(result) {
            let storage = Storage::Automatic(self.function.index());
            let name = format!("{}::<result>", self.function.name());
            let span = self.cursor.span();
            let result = self.add_object(name, result, storage, span)?;
            self.function.set_result(Some(result));
        }
        Ok(())
    }

    /// Lowers the end of the function's body.
    pub(in crate::lower) fn return_at_end(&mut self, name: &str) -> Result<()> {
        self.check_no_return();
        if let Some(result) = self.function.result() {
            if name == "main" {
                if let Some(scalar) = self.types.scalar(self.function.result_type()) {
                    let place = self.object_place(result, scalar);
                    let value = fold::zero(scalar);
                    self.emit(Instruction::Assign { place, value });
                }
            } else {
                self.emit(Instruction::Declare(result));
            }
        }
        let span = self.cursor.span();
        self.function.end(Terminator::Return, span);
        Ok(())
    }

    /// Checks that a function that is declared `_Noreturn` does not return here.
    pub(in crate::lower) fn check_no_return(&mut self) {
        if self.linkage.is_noreturn(self.function.name()) {
            self.check_promise(Rule::PromisedReturn);
        }
    }

    /// Finds the function part of a definition's declarator.
    pub(in crate::lower) fn function_head<'n>(
        &mut self,
        base: Type,
        node: &'n Node<ast::Declarator>,
    ) -> Result<FunctionHead<'n>> {
        let declarator = &node.node;
        match &declarator.kind.node {
            ast::DeclaratorKind::Declarator(inner) => {
                // The outer declarator belongs to the result, unless the parentheses contain only the name.
                let plain = inner.node.derived.is_empty()
                    && matches!(
                        inner.node.kind.node,
                        ast::DeclaratorKind::Identifier(_) | ast::DeclaratorKind::Declarator(_)
                    );
                if plain && let Some(name) = innermost_name(inner) {
                    return self.head_of(base, name, &declarator.derived, node);
                }
                let outer = Node::new(
                    ast::Declarator {
                        kind: Node::new(ast::DeclaratorKind::Abstract, declarator.kind.span),
                        derived: declarator.derived.clone(),
                        extensions: Vec::new(),
                    },
                    node.span,
                );
                let base = self.declarator(base, &outer)?.ty;
                self.function_head(base, inner)
            }
            ast::DeclaratorKind::Identifier(name) => {
                self.head_of(base, name, &declarator.derived, node)
            }
            ast::DeclaratorKind::Abstract => Err(self.error_at(node, "a function without a name")),
        }
    }

    fn head_of<'n>(
        &mut self,
        base: Type,
        name: &'n Node<ast::Identifier>,
        derived: &'n [Node<ast::DerivedDeclarator>],
        node: &'n Node<ast::Declarator>,
    ) -> Result<FunctionHead<'n>> {
        let position = derived
            .iter()
            .position(|derived| !matches!(derived.node, ast::DerivedDeclarator::Pointer(_)));
        let parameters = match position.and_then(|position| derived.get(position)) {
            Some(function) => match &function.node {
                ast::DerivedDeclarator::Function(function) => {
                    ParameterSyntax::Prototype(&function.node)
                }
                ast::DerivedDeclarator::KRFunction(names) => ParameterSyntax::Identifiers(names),
                _ => return Err(self.error_at(node, "this is not a function")),
            },
            None => return Err(self.error_at(node, "this is not a function")),
        };
        let rest: Vec<_> = derived
            .iter()
            .enumerate()
            .filter(|&(index, _)| Some(index) != position)
            .map(|(_, derived)| derived.clone())
            .collect();
        let result = Node::new(
            ast::Declarator {
                kind: Node::new(ast::DeclaratorKind::Abstract, node.span),
                derived: rest,
                extensions: Vec::new(),
            },
            node.span,
        );
        let result = self.declarator(base, &result)?.ty;
        Ok(FunctionHead {
            name,
            parameters,
            result,
        })
    }

    /// Declares the parameters of a prototype as objects.
    fn prototype(
        &mut self,
        function: &ast::FunctionDeclarator,
    ) -> Result<(Vec<Type>, ParameterForm)> {
        let mut parameters: Vec<Type> = Vec::new();
        for node in &function.parameters {
            self.cursor.set_span(self.cursor.place_of(node));
            let specifiers = self.specifiers(&node.node.specifiers)?;
            let (name, ty) = match &node.node.declarator {
                Some(declarator) => {
                    let declared = self.declarator(specifiers.ty, declarator)?;
                    let ty = self.parameter_type(declared.ty, &specifiers, &node.node)?;
                    (declared.name, ty)
                }
                None => (None, specifiers.ty),
            };
            let ty = self.types.adjusted_parameter(ty);
            let only_void =
                self.types.is_void(ty) && name.is_none() && function.parameters.len() == 1;
            if !only_void {
                self.declare_parameter(name, ty)?;
            }
            parameters.push(ty);
        }
        let types = parameters.clone();
        let (types, form) = self.parameter_form(types, function);
        parameters.truncate(types.len());
        // A definition with `()` has no parameters.
        Ok((parameters, form))
    }

    /// Declares old-style parameters: names, then declarations of some of them; the others are `int`.
    fn old_style(
        &mut self,
        names: &[Node<ast::Identifier>],
        declarations: &[Node<ast::Declaration>],
    ) -> Result<Vec<Type>> {
        let mut types: FxHashMap<&str, Type> = FxHashMap::default();
        for declaration in declarations {
            self.cursor.set_span(self.cursor.place_of(declaration));
            let specifiers = self.specifiers(&declaration.node.specifiers)?;
            for item in &declaration.node.declarators {
                let declared = self.declarator(specifiers.ty, &item.node.declarator)?;
                let Some(name) = declared.name else {
                    continue;
                };
                let text = name.node.name.as_str();
                if !names.iter().any(|parameter| parameter.node.name == text) {
                    return Err(self.error_at(name, format!("`{text}` is not a parameter")));
                }
                let ty = self.types.adjusted_parameter(declared.ty);
                // The key must live as long as the parameters.
                if let Some(parameter) = names.iter().find(|parameter| parameter.node.name == text)
                {
                    types.insert(parameter.node.name.as_str(), ty);
                }
            }
        }
        let mut parameters = Vec::new();
        for name in names {
            let ty = types
                .get(name.node.name.as_str())
                .copied()
                .unwrap_or(Type::INT);
            self.cursor.set_span(self.cursor.place_of(name));
            self.declare_old_parameter(name, ty)?;
            parameters.push(ty);
        }
        Ok(parameters)
    }

    /// Declares an old-style parameter, which is passed with its promoted type and converted at the function's start.
    fn declare_old_parameter(&mut self, name: &Node<ast::Identifier>, ty: Type) -> Result<()> {
        let promoted = self.types.argument_promoted(ty);
        if self.types.scalar(promoted) == self.types.scalar(ty) {
            return self.declare_parameter(Some(name), ty);
        }
        let passed = self.parameter_object(
            format!("{}::<{}>", self.function.name(), name.node.name),
            promoted,
        )?;
        let full_name = self.local_name(&name.node.name);
        let storage = Storage::Automatic(self.function.index());
        let span = self.cursor.span();
        let object = self.add_object(full_name, ty, storage, span)?;
        self.bind_local(&name.node.name, ty, Entity::Object(object));
        let value = self.rvalue(Value::lvalue(Expr::ObjectAddress(passed), promoted));
        let value = self.cast(value, ty)?;
        self.store_value(Value::lvalue(Expr::ObjectAddress(object), ty), value)
    }

    fn parameter_object(&mut self, name: String, ty: Type) -> Result<ObjectIndex> {
        let storage = Storage::Automatic(self.function.index());
        let span = self.cursor.span();
        let object = self.add_object(name, ty, storage, span)?;
        self.function.add_parameter(object);
        Ok(object)
    }

    fn declare_parameter(&mut self, name: Option<&Node<ast::Identifier>>, ty: Type) -> Result<()> {
        if !self.types.is_complete(ty) {
            let ty = self.types.describe(ty);
            return Err(self.error(format!("a parameter has the incomplete type `{ty}`")));
        }
        let Some(name) = name else {
            let number = self.function.parameter_count();
            self.parameter_object(format!("{}::<{number}>", self.function.name()), ty)?;
            return Ok(());
        };
        let text = name.node.name.as_str();
        if self.scopes.lookup_innermost(text).is_some() {
            return Err(self.error_at(name, format!("redefinition of the parameter `{text}`")));
        }
        let full_name = self.local_name(text);
        let object = self.parameter_object(full_name, ty)?;
        self.bind_local(text, ty, Entity::Object(object));
        self.make_padding_undetermined(Pointer::new(Expr::ObjectAddress(object)), ty)
    }

    /// Calls the constructors and `main` from the start function, and ends the program.
    pub(in crate::lower) fn call_main(&mut self) -> Result<()> {
        let entry = match self.input.entry() {
            Some(_) => ENTRY,
            None => "main",
        };
        if let Some(linked) = self.scopes.linked.get(entry)
            && let Entity::Object(_) = self.scopes.symbol(linked.symbol).entity
        {
            self.cursor.set_span(self.scopes.symbol(linked.symbol).span);
            return Err(self.error("`main` is a variable, not a function"));
        }
        let missing = || Error::new(ErrorKind::MissingMain, "the program has no function `main`");
        let Some(index) = self.functions.named(entry) else {
            return Err(missing());
        };
        let Some(main) = self.functions.get(index) else {
            return Err(missing());
        };
        let parameters = main.parameters.clone();
        let uses_strings = parameters
            .get(1)
            .is_some_and(|&strings| mentions(main, strings));
        self.resolve_indirect_functions()?;
        let more = self.constructor_parameters();
        if uses_strings || more > 1 {
            let what = "an argument of the program has fewer than 128 KiB, as on Linux";
            self.note_assumption(AssumptionKind::Environment, what);
        }
        let mut arguments = Vec::new();
        let mut count = fold::integer(0, self.types.size_scalar());
        for (position, &parameter) in parameters.iter().enumerate() {
            let scalar = self.parameter_scalar(parameter);
            arguments.push(self.main_argument(position, scalar, &mut count)?);
        }
        // The loader passes constructors the arguments of `main`, even if `main` does not take them.
        for position in arguments.len()..more.min(3) {
            let scalar = match position {
                0 => fold::INT,
                _ => ScalarType::Pointer,
            };
            arguments.push(self.main_argument(position, scalar, &mut count)?);
        }
        self.call_constructors(&arguments);
        arguments.truncate(parameters.len());
        let returns = self.input.late().status && self.main_returns(index);
        let status = returns.then(|| self.temporary(fold::INT));
        let result = status.map(|status| self.object_place(status, fold::INT));
        self.emit(Instruction::Call {
            callee: Callee::Direct(index),
            arguments,
            result: result.map(ResultPlace::Scalar),
        });
        if let Some(status) = status {
            let status = self.load_object(status, fold::INT);
            self.exit_with(Value::scalar(status, Type::INT))?;
        }
        self.exit_program();
        Ok(())
    }

    fn parameter_scalar(&self, parameter: ObjectIndex) -> ScalarType {
        let object = self.objects.get(parameter);
        let leaf = object.and_then(|object| object.leaves.first());
        leaf.map_or(fold::INT, |leaf| leaf.scalar)
    }

    /// Checks whether the function returns an `int`.
    fn main_returns(&self, index: FunctionIndex) -> bool {
        let main = self.functions.get(index);
        let result = main.and_then(|main| main.result);
        let result = result.and_then(|result| self.objects.get(result));
        let leaf = result.and_then(|result| result.leaves.first());
        leaf.is_some_and(|leaf| leaf.scalar == fold::INT)
    }

    /// An argument of `main`: the count, which may be zero, or an array of that many strings.
    fn main_argument(
        &mut self,
        position: usize,
        scalar: ScalarType,
        count: &mut Expr,
    ) -> Result<Argument> {
        let temporary = self.temporary(scalar);
        let place = self.object_place(temporary, scalar);
        let mut value = self.load_object(temporary, scalar);
        match (position, scalar) {
            (0, ScalarType::Integer { .. }) => {
                self.emit(Instruction::Nondet {
                    place,
                    function: "argc".to_owned(),
                    call_end: regatta_base::Span::NONE,
                });
                // A negative input counts as zero, so that no input ends the program.
                let zero = fold::zero(scalar);
                let positive =
                    fold::binary(BinaryOp::GreaterEqual, value.clone(), zero.clone(), scalar);
                value = Expr::conditional(positive, value, zero, scalar);
                *count = fold::convert(value.clone(), scalar, self.types.size_scalar());
            }
            (_, ScalarType::Pointer) => self.environment_strings(&place, count.clone()),
            _ => self.emit(Instruction::Nondet {
                place,
                function: "main".to_owned(),
                call_end: regatta_base::Span::NONE,
            }),
        }
        Ok(Argument::Scalar { value, scalar })
    }

    /// Creates an array of `count` pointers to strings with a null pointer at its end. The first `MAXIMUM_MODELLED_STRINGS` of
    /// them point to text of any length up to Linux's limit; the others are unknown.
    fn environment_strings(&mut self, place: &Place, count: Expr) {
        let pointer_bytes = u64::from(self.input.pointer_bits() / 8);
        let character = ScalarType::Integer {
            bits: 8,
            signed: true,
        };
        let text = self.push_object(Object {
            name: "<strings>".to_owned(),
            size: MAXIMUM_MODELLED_STRINGS * MAXIMUM_STRING_SIZE,
            alignment: 1,
            storage: Storage::Outside,
            constant: false,
            leaves: vec![Leaf {
                bit_offset: 0,
                bits: 8,
                scalar: character,
                count: MAXIMUM_MODELLED_STRINGS * MAXIMUM_STRING_SIZE,
                stride: 8,
            }],
            blocks: Vec::new(),
            span: self.cursor.span(),
        });
        let scalar = self.types.size_scalar();
        let used = self.byte_count(count, pointer_bytes);
        // The array always has room for the modelled strings, so that they can be written whatever the count is.
        let more = fold::integer(
            i128::from(pointer_bytes * (MAXIMUM_MODELLED_STRINGS + 1)),
            scalar,
        );
        self.emit(Instruction::Allocate {
            place: place.clone(),
            size: fold::binary(BinaryOp::Add, used.clone(), more, scalar),
            alignment: pointer_bytes,
            lifetime: Lifetime::Automatic,
            contents: InitialContents::Uninitialised,
        });
        let distance =
            |this: &Self, bytes: u64| fold::integer(bytes.into(), this.types.offset_scalar());
        for number in 0..MAXIMUM_MODELLED_STRINGS {
            let string = Expr::ObjectAddress(text);
            let start = self.offset(string.clone(), distance(self, number * MAXIMUM_STRING_SIZE));
            let last = self.offset(
                string,
                distance(self, (number + 1) * MAXIMUM_STRING_SIZE - 1),
            );
            self.assign_scalar(last, character, fold::zero(character));
            let entry = self.offset(
                Expr::Load(place.clone()),
                distance(self, number * pointer_bytes),
            );
            self.assign_scalar(entry, ScalarType::Pointer, start);
        }
        let end = self.offset(
            Expr::Load(place.clone()),
            fold::convert(used, scalar, self.types.offset_scalar()),
        );
        self.assign_scalar(end, ScalarType::Pointer, fold::zero(ScalarType::Pointer));
    }

    /// Creates a function whose body is only the error.
    pub(in crate::lower) fn error_stub(&mut self, name: &str, ty: Type) -> FunctionIndex {
        if let Some(index) = self.functions.named(name) {
            return index;
        }
        let index = self.functions.reserve_named(name);
        let Some(function) = self.types.function_type(ty) else {
            return index;
        };
        let span = self.cursor.span();
        let builder = self.builder_for(index, name, function.result);
        let outer = std::mem::replace(&mut self.function, builder);
        for (position, &parameter) in function.parameters.iter().enumerate() {
            // A parameter of incomplete type has no values: no call can pass one.
            let _ = self.parameter_object(format!("{name}::<{position}>"), parameter);
        }
        if function.form == ParameterForm::Variadic {
            self.add_variable_arguments();
        }
        if self.types.scalar(function.result).is_some()
            || matches!(self.types.kind(function.result), TypeKind::Record(_))
        {
            let storage = Storage::Automatic(index);
            let name = format!("{name}::<result>");
            let result = self.add_object(name, function.result, storage, span);
            self.function.set_result(result.ok());
        }
        self.function.end(Terminator::Error, span);
        let built = std::mem::replace(&mut self.function, outer);
        self.functions.finish(index, built.finish());
        index
    }
}

fn mentions(function: &Function, object: ObjectIndex) -> bool {
    let mut found = false;
    for block in &function.blocks {
        walk::every_expression(block, &mut |expr| {
            found |= matches!(expr, Expr::ObjectAddress(found) if *found == object);
        });
    }
    found
}
