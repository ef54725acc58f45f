//! Inline definitions: bodies for calls in this file of functions that another file defines.
//!
//! If all declarations of a function at file scope have `inline` and none has `extern`, its definition is an inline
//! definition, and it is unspecified whether a call uses that or the external definition (C17 6.7.4 p7). With the
//! attribute `gnu_inline`, this holds for definitions with `extern inline`. Without optimisation, gcc calls the
//! external one, except with the attribute `always_inline`. The external one is unknown code, and its address is the
//! function's address.
//!
//! The library's headers contain inline definitions equal to the external ones; they count as the only definitions.

use lang_c::ast;
use lang_c::span::Node;

use crate::ir::{Callee, Expr, FunctionIndex, Instruction, Storage, Terminator};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::Value;
use crate::lower::{Lowerer, Result};
use crate::types::{FunctionType, ParameterForm, Type};

/// The combined specifiers of a function's declarations at file scope.
#[derive(Clone, Debug, Default)]
pub(in crate::lower) struct Declarations {
    /// Whether some declaration lacks `inline`.
    without_inline: bool,
    with_extern: bool,
    with_static: bool,
    extern_definition: bool,
    /// Number of definitions, without those of the library's headers.
    definitions: u32,
    /// Whether there is an attribute `gnu_inline`.
    pub gnu: bool,
    /// Whether there is an attribute `always_inline`.
    pub always: bool,
}

/// The body of an inline definition.
#[derive(Copy, Clone, Debug)]
pub(in crate::lower) struct Body {
    pub index: FunctionIndex,
    /// Whether a call by name always uses it.
    pub always: bool,
}

impl Declarations {
    pub(in crate::lower) fn note(&mut self, specifiers: &[Node<ast::DeclarationSpecifier>]) {
        let has_inline = specifiers.iter().any(|specifier| {
            matches!(&specifier.node, ast::DeclarationSpecifier::Function(function)
                if function.node == ast::FunctionSpecifier::Inline)
        });
        let has_class = |wanted: ast::StorageClassSpecifier| {
            specifiers.iter().any(|specifier| {
                matches!(&specifier.node, ast::DeclarationSpecifier::StorageClass(class)
                    if class.node == wanted)
            })
        };
        self.without_inline |= !has_inline;
        self.with_extern |= has_class(ast::StorageClassSpecifier::Extern);
        self.with_static |= has_class(ast::StorageClassSpecifier::Static);
    }

    pub(in crate::lower) fn note_definition(
        &mut self,
        specifiers: &[Node<ast::DeclarationSpecifier>],
        from_system: bool,
    ) {
        let mut own = Self::default();
        own.note(specifiers);
        self.extern_definition |= own.with_extern && !own.without_inline;
        self.definitions += u32::from(!from_system);
        self.without_inline |= own.without_inline;
        self.with_extern |= own.with_extern;
        self.with_static |= own.with_static;
    }

    /// Checks whether the only definition is an inline definition.
    pub(in crate::lower) const fn make_inline_definition(&self) -> bool {
        let inline = match self.gnu {
            true => self.extern_definition,
            false => !self.without_inline && !self.with_extern,
        };
        inline && self.definitions == 1 && !self.with_static
    }
}

impl Lowerer<'_> {
    /// The body that the current file has for a function of which it is not the definition.
    pub(in crate::lower) fn inline_body(&self, name: &str) -> Option<Body> {
        self.symbols.inline_body(self.linkage.files.current(), name)
    }

    /// The callee of a call by name of a function with an inline definition; `None` for other functions.
    pub(in crate::lower) fn inline_callee(
        &mut self,
        name: &str,
        function: &FunctionType,
        arguments: usize,
    ) -> Result<Option<FunctionIndex>> {
        let Some(body) = self.inline_body(name) else {
            return Ok(None);
        };
        let has_prototype = match function.form {
            ParameterForm::Fixed => true,
            ParameterForm::Unspecified => arguments == 0,
            ParameterForm::Variadic => false,
        };
        if !has_prototype && !body.always {
            self.unsupported(format!(
                "a call of the inline function `{name}` through this declaration"
            ));
        }
        if body.always || !has_prototype {
            return Ok(Some(body.index));
        }
        let own = self.linkage.files.body_name(name);
        let key = format!("{own} (inline or not)");
        self.symbols.make_internal(&key);
        let callee = self.other_definition(name, key, Some(body.index), function)?;
        Ok(Some(callee))
    }

    /// The external function whose address a function with an inline definition has.
    pub(in crate::lower) fn inline_address(
        &mut self,
        name: &str,
        ty: Type,
    ) -> Result<Option<FunctionIndex>> {
        if self.inline_body(name).is_none() {
            return Ok(None);
        }
        let Some(function) = self.types.function_type(ty) else {
            return Ok(None);
        };
        if function.form == ParameterForm::Variadic {
            return Ok(None);
        }
        let key = format!("{name} (elsewhere)");
        self.other_definition(name, key, None, &function).map(Some)
    }

    /// Creates a function that calls the external function, or the inline body if there is one.
    fn other_definition(
        &mut self,
        name: &str,
        key: String,
        body: Option<FunctionIndex>,
        function: &FunctionType,
    ) -> Result<FunctionIndex> {
        if let Some(index) = self.functions.named(&key) {
            return Ok(index);
        }
        let index = self.functions.reserve_named(&key);
        self.build_function(index, &key, function.result, |this| {
            this.choice_body(name, body, function)
        })?;
        Ok(index)
    }

    fn choice_body(
        &mut self,
        name: &str,
        body: Option<FunctionIndex>,
        function: &FunctionType,
    ) -> Result<()> {
        let span = self.cursor.span();
        let storage = Storage::Automatic(self.function.index());
        let mut values = Vec::new();
        for (position, &parameter) in function.parameters.iter().enumerate() {
            let name = format!("{}::<{position}>", self.function.name());
            let object = self.add_object(name, parameter, storage, span)?;
            self.function.add_parameter(object);
            let value = Value::lvalue(Expr::ObjectAddress(object), parameter);
            values.push(self.rvalue(value));
        }
        if !self.types.is_void(function.result) {
            let name = format!("{}::<result>", self.function.name());
            let result = self.add_object(name, function.result, storage, span)?;
            self.function.set_result(Some(result));
        }
        if let Some(body) = body {
            let choice = self.temporary(fold::INT);
            let place = self.object_place(choice, fold::INT);
            self.emit_fresh(Instruction::Choice { place });
            let (then, otherwise) = (self.function.new_block(), self.function.new_block());
            let branch = Terminator::Branch {
                condition: self.load_object(choice, fold::INT),
                scalar: fold::INT,
                then,
                otherwise,
            };
            self.function.end(branch, span);
            self.function.continue_in(then);
            let values = values.clone();
            let value = self.emit_call(Callee::Direct(body), function, values, Use::Value)?;
            self.return_value(value, function)?;
            self.function.continue_in(otherwise);
        }
        let value = match self.functions.named(name) {
            // Another file has the external definition.
            Some(index) => self.emit_call(Callee::Direct(index), function, values, Use::Value)?,
            None => self.call_unknown(name, function, values, Use::Value)?,
        };
        self.return_value(value, function)
    }

    fn return_value(&mut self, value: Value, function: &FunctionType) -> Result<()> {
        if let Some(result) = self.function.result() {
            let target = Value::lvalue(Expr::ObjectAddress(result), function.result);
            let value = self.cast(value, function.result)?;
            self.store_value(target, value)?;
        }
        self.function.end(Terminator::Return, self.cursor.span());
        Ok(())
    }
}
