//! Calls of library functions, according to their models in [`crate::library`].

use std::rc::Rc;

use lang_c::ast;
use lang_c::span::Node;

use crate::ir::{
    Callee, Expr, FunctionIndex, Instruction, MathFunction, ScalarType, Storage, Terminator,
    UnknownEffect,
};
use crate::library::{self, LibraryFunction, Model};
use crate::lower::checks::library::{Accesses, known_under_checks};
use crate::lower::declarations::declarator::declarator_name;
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::state::scope::{Definition, Entity, Linked, Symbol, SymbolId};
use crate::lower::{Lowerer, Result};
use crate::types::{FunctionType, ParameterForm, Type};
use regatta_base::Span;
use regatta_term::FloatFormat;

/// How a value is passed to a function, whatever its size.
#[derive(Copy, Clone, PartialEq, Eq)]
enum ValueClass {
    Integer,
    Float,
    Pointer,
    /// A struct, a union, or nothing.
    Object,
}

impl Lowerer<'_> {
    /// Declares a library function that is used without a declaration; `None` if it is unknown.
    pub(in crate::lower) fn declare_from_library(
        &mut self,
        name: &str,
    ) -> Result<Option<SymbolId>> {
        let Some(known) = library::lookup(name) else {
            return Ok(None);
        };
        let ty = match self.library_type(&known)? {
            Some(ty) => ty,
            None => self.types.function(FunctionType {
                result: Type::INT,
                parameters: Vec::new(),
                form: ParameterForm::Unspecified,
            }),
        };
        let name: Rc<str> = name.into();
        let symbol = self.scopes.create(Symbol {
            ty,
            entity: Entity::Function {
                name: Rc::clone(&name),
            },
            span: Span::NONE,
        });
        self.scopes.bind_at_file_scope(&name, symbol);
        self.scopes.linked.insert(
            name,
            Linked {
                symbol,
                definition: Definition::Declared,
            },
        );
        Ok(Some(symbol))
    }

    /// The library function of a name that the program declares with a type. A program may use a library function's
    /// name for external code of its own; as a rule the types then differ.
    pub(in crate::lower) fn library_function(
        &mut self,
        name: &str,
        declared: &FunctionType,
    ) -> Result<Option<LibraryFunction>> {
        let Some(known) = library::lookup(name) else {
            return Ok(None);
        };
        if known.model == Model::Unsupported {
            return Ok(Some(known));
        }
        let own = match self.library_type(&known)? {
            Some(ty) => self.types.function_type(ty),
            None => None,
        };
        let agrees = own.is_none_or(|own| self.agrees(&own, declared));
        Ok(agrees.then_some(known))
    }

    /// The model of a function of the system that the program declares with a type, where operations are checked.
    pub(in crate::lower) fn system_function(
        &mut self,
        name: &str,
        declared: &FunctionType,
    ) -> Result<Option<LibraryFunction>> {
        let Some(known) = known_under_checks(name) else {
            return Ok(None);
        };
        let own = match self.library_type(&known)? {
            Some(ty) => self.types.function_type(ty),
            None => None,
        };
        let agrees = own.is_some_and(|own| self.agrees(&own, declared));
        Ok(agrees.then_some(known))
    }

    /// Checks whether a function declared with the second type may be a library function of the first type: its
    /// parameters and results are of the same kind, whatever their sizes.
    fn agrees(&self, own: &FunctionType, declared: &FunctionType) -> bool {
        let kind = |ty: Type| match self.types.scalar(ty) {
            Some(ScalarType::Integer { .. } | ScalarType::Bool) => ValueClass::Integer,
            Some(ScalarType::Float(_)) => ValueClass::Float,
            Some(ScalarType::Pointer) => ValueClass::Pointer,
            None => ValueClass::Object,
        };
        let counts = match (own.form, declared.form) {
            (_, ParameterForm::Unspecified) => true,
            (ParameterForm::Variadic, _) => declared.parameters.len() >= own.parameters.len(),
            _ => declared.parameters.len() == own.parameters.len(),
        };
        counts
            && own
                .parameters
                .iter()
                .zip(&declared.parameters)
                .all(|(&own, &declared)| kind(own) == kind(declared))
            && (kind(own.result) == kind(declared.result)
                || self.types.is_void(own.result)
                || self.types.is_void(declared.result))
    }

    /// The type of a function according to the library's prototype.
    pub(in crate::lower) fn library_type(
        &mut self,
        known: &LibraryFunction,
    ) -> Result<Option<Type>> {
        if let Some(ty) = self.own_text.known_type(known.name) {
            return Ok(ty);
        }
        let ty = self.library_prototype(known)?;
        self.own_text.set_type(known.name, ty);
        Ok(ty)
    }

    fn library_prototype(&mut self, known: &LibraryFunction) -> Result<Option<Type>> {
        let Some(unit) = library::prototype(known.name) else {
            return Ok(None);
        };
        let unit = unit?;
        self.in_prelude(|this| {
            for declaration in &unit.declarations {
                this.prelude_declaration(&declaration.node)?;
            }
            Ok(this
                .scopes
                .lookup(known.name)
                .map(|symbol| this.scopes.symbol(symbol).ty))
        })
    }

    /// Lowers a call of a library function; `function` is the type that the program declares.
    pub(in crate::lower) fn call_library(
        &mut self,
        known: &LibraryFunction,
        function: &FunctionType,
        nodes: &[Node<ast::Expression>],
        wanted: Use,
    ) -> Result<Value> {
        let span = self.cursor.span();
        if let Model::Builtin(builtin) = known.model
            && let Some(value) = self.builtin_on_syntax(builtin, nodes)?
        {
            self.cursor.set_span(span);
            return Ok(value);
        }
        // Type-generic built-ins have no parameter types.
        let raw = known.prototype.is_empty()
            || matches!(
                known.model,
                Model::Builtin(
                    library::Builtin::Memcpy | library::Builtin::Memmove | library::Builtin::Memset
                )
            );
        let values = if raw {
            self.raw_arguments(nodes)?
        } else if let Some(own) = self.own_parameters(known, function)? {
            self.arguments(&own, nodes)?
        } else {
            self.arguments(function, nodes)?
        };
        self.cursor.set_span(span);
        self.library_values(known, function, values, wanted)
    }

    /// The library's parameters for a function that the program declares without parameters: as in gcc, the arguments
    /// are converted to their types.
    fn own_parameters(
        &mut self,
        known: &LibraryFunction,
        declared: &FunctionType,
    ) -> Result<Option<FunctionType>> {
        if declared.form != ParameterForm::Unspecified {
            return Ok(None);
        }
        let own = match self.library_type(known)? {
            Some(ty) => self.types.function_type(ty),
            None => None,
        };
        // The number of arguments is not checked.
        Ok(own.map(|own| FunctionType {
            form: ParameterForm::Unspecified,
            ..(*own).clone()
        }))
    }

    /// Applies a library function to values.
    pub(in crate::lower) fn library_values(
        &mut self,
        known: &LibraryFunction,
        function: &FunctionType,
        values: Vec<Value>,
        wanted: Use,
    ) -> Result<Value> {
        self.check_library_call(known.name, &values)?;
        let mut values = values;
        if self.input.property().checks_memory() {
            // The model may drop an argument.
            values = values
                .into_iter()
                .map(|value| self.computed(value))
                .collect();
            match self.access_by_library(known, &values)? {
                Accesses::Modelled => {}
                Accesses::Otherwise(model) => {
                    return self.library_values(&model, function, values, wanted);
                }
                Accesses::NotModelled => return self.unmodelled(known.name, function.result),
            }
        }
        let values = self.errno_may_change(known, values)?;
        match known.model {
            // A failure is visible only in the stream and in `errno`.
            Model::Prelude
                if wanted == Use::Effects
                    && library::is_output(known.name)
                    && !self.errno_is_visible()
                    && !self.input.late().streams =>
            {
                self.uses.note_streams();
                Ok(Value::void())
            }
            Model::Builtin(library::Builtin::Formatted) => {
                let value = self.formatted(known, function, values, wanted)?;
                self.library_result(value, function.result, wanted)
            }
            Model::Prelude => {
                let index = self.prelude_function(known.name);
                let values = self.fit_prelude_arguments(known, values)?;
                let own = match self.library_type(known)? {
                    Some(ty) => self.types.function_type(ty),
                    None => None,
                };
                let own = own.as_deref().unwrap_or(function);
                let value = self.emit_call(Callee::Direct(index), own, values, wanted)?;
                self.library_result(value, function.result, wanted)
            }
            Model::Builtin(builtin) => {
                let value = self.builtin_on_values(builtin, known, function, values)?;
                self.library_result(value, function.result, wanted)
            }
            Model::Math(math) => {
                self.math_errno(known, &values)?;
                let value = self.math_call(known, math, values)?;
                self.library_result(value, function.result, wanted)
            }
            Model::Approximate => {
                self.math_errno(known, &values)?;
                self.approximate(known.name, function.result)
            }
            Model::Unsupported => self.unmodelled(known.name, function.result),
        }
    }

    /// Changes `errno` before a call that may modify it even on success. A failing call sets its own number. The
    /// arguments keep the values from before.
    fn errno_may_change(
        &mut self,
        known: &LibraryFunction,
        values: Vec<Value>,
    ) -> Result<Vec<Value>> {
        // Calls within library functions belong to those functions.
        let is_own = self.cursor.span().line == 0;
        if is_own || !self.errno_is_visible() || !library::precision::may_change_errno(known) {
            return Ok(values);
        }
        let Some(change) = library::lookup("__regatta_errno_may_change") else {
            return Ok(values);
        };
        let mark = self.function.mark();
        self.call_quietly(&change, Vec::new())?;
        self.settle_all(values.into_iter().map(|value| (value, mark)).collect())
    }

    /// Converts a library function's result to the type that the program declares.
    fn library_result(&mut self, value: Value, ty: Type, wanted: Use) -> Result<Value> {
        if wanted == Use::Effects {
            return Ok(Value::void());
        }
        if let ValueKind::Void = value.kind {
            return if self.types.is_void(ty) {
                Ok(value)
            } else {
                self.any_value(ty)
            };
        }
        // `div_t` and the like: the prelude has its own type of the same layout.
        if self.types.as_record(ty).is_some()
            && self.types.size_of(ty) == self.types.size_of(value.ty)
        {
            return Ok(Value { ty, ..value });
        }
        self.cast(value, ty)
    }

    /// Refuses an unmodelled construct; the rest of the path proves nothing.
    pub(in crate::lower) fn unmodelled(&mut self, what: &str, ty: Type) -> Result<Value> {
        self.unsupported(format!("`{what}`"));
        self.any_value(ty)
    }

    /// An arbitrary value of a type for one that is not modelled.
    pub(in crate::lower) fn approximate(&mut self, what: &str, ty: Type) -> Result<Value> {
        if self.types.is_void(ty) {
            return Ok(Value::void());
        }
        if self.types.has_parts(ty) {
            return self.approximate_parts(what, ty);
        }
        let Some(scalar) = self.types.scalar(ty) else {
            return self.unmodelled(what, ty);
        };
        let object = self.temporary(scalar);
        let place = self.object_place(object, scalar);
        self.emit_fresh(Instruction::Approximate {
            place,
            what: what.to_owned(),
        });
        if self.is_in_start() {
            // For the standard it is a constant.
            self.objects.make_constant(object);
        }
        let value = self.load_object(object, scalar);
        Ok(Value::scalar(value, ty.unqualified()))
    }

    /// An input of a type.
    pub(in crate::lower) fn nondet(&mut self, function: &str, ty: Type) -> Result<Value> {
        self.note_external_function(function, ty);
        if self.types.is_void(ty) {
            return Ok(Value::void());
        }
        let Some(scalar) = self.types.scalar(ty) else {
            let (value, result) = self.result_place(ty, Use::Value)?;
            self.emit(Instruction::CallUnknown {
                name: function.to_owned(),
                arguments: Vec::new(),
                result,
                returns: true,
                effect: UnknownEffect::Pure,
            });
            return Ok(value);
        };
        // A bool is 0 or 1, whatever type the program declares for it.
        let is_bool = function.ends_with("nondet_bool") || function.ends_with("nondet__Bool");
        let drawn = if is_bool { ScalarType::Bool } else { scalar };
        let object = self.temporary(drawn);
        let place = self.object_place(object, drawn);
        let call_end = self.cursor.call_end();
        let said = self.next_entry_input();
        self.emit_fresh(Instruction::Nondet {
            place,
            function: said.unwrap_or_else(|| function.to_owned()),
            call_end: call_end.unwrap_or(Span::NONE),
        });
        let value = self.load_object(object, drawn);
        let value = self.convert_representation(value, drawn, scalar);
        Ok(Value::scalar(value, ty.unqualified()))
    }

    fn math_call(
        &mut self,
        known: &LibraryFunction,
        function: MathFunction,
        values: Vec<Value>,
    ) -> Result<Value> {
        let own = match self.library_type(known)? {
            Some(ty) => self.types.function_type(ty),
            None => None,
        };
        let Some(first) = values.first() else {
            return Err(self.error(format!("`{}` needs an argument", known.name)));
        };
        // Type-generic functions compute in the operand's type; an integer counts as a double.
        let operand_type = match own.as_ref().and_then(|own| own.parameters.first()) {
            Some(&parameter) => parameter,
            None if self.types.is_float(first.ty) => first.ty,
            None => Type::DOUBLE,
        };
        let scalar = self.scalar_type(operand_type)?;
        let mut arguments = Vec::with_capacity(values.len());
        for value in values {
            let value = self.cast(value, operand_type)?;
            arguments.push(self.scalar_value(value)?.0);
        }
        let ty = match function.gives_int() {
            true => Type::INT,
            false => operand_type,
        };
        let sign = match function {
            MathFunction::SignBit => self.sign_number(known, &arguments, scalar),
            _ => 1,
        };
        let expr = Expr::Math {
            function,
            arguments,
            scalar,
        };
        let expr = match sign {
            1 => expr,
            _ => Expr::conditional(expr, fold::int(sign), fold::int(0), fold::INT),
        };
        Ok(Value::scalar(expr, ty.unqualified()))
    }

    /// The result of `signbit` for a negative number: any nonzero value according to the standard, in fact the bit
    /// that gcc tests. The functions of glibc test other bits.
    fn sign_number(&self, known: &LibraryFunction, arguments: &[Expr], scalar: ScalarType) -> i128 {
        let is_function = known.name.starts_with("__signbit");
        let is_constant = |expr: &Expr| match expr {
            Expr::Float { .. } => true,
            Expr::Unary { operand, .. } => matches!(**operand, Expr::Float { .. }),
            _ => false,
        };
        if !is_function && arguments.iter().all(is_constant) {
            return 1;
        }
        let is_long_model = self.input.data_model() == regatta_program::DataModel::Lp64;
        match (scalar, is_long_model) {
            (ScalarType::Float(FloatFormat::F64), true) if is_function => 128,
            (ScalarType::Float(FloatFormat::F32), true) if is_function => 8,
            (ScalarType::Float(FloatFormat::F64), true) => 1,
            (ScalarType::Float(FloatFormat::F128), true) => 8,
            (ScalarType::Float(FloatFormat::F32), true)
            | (ScalarType::Float(FloatFormat::F128), false) => i128::from(i32::MIN),
            _ => 512,
        }
    }

    // --- the prelude ---

    /// The index of a prelude function, whose body is lowered at the end.
    pub(in crate::lower) fn prelude_function(&mut self, name: &str) -> FunctionIndex {
        if let Some(index) = self.functions.named(name) {
            return index;
        }
        let index = self.functions.reserve_named(name);
        self.own_text.want(name);
        index
    }

    /// Lowers the used prelude functions, including those that they use.
    pub(in crate::lower) fn lower_prelude(&mut self) -> Result<()> {
        while let Some(name) = self.own_text.next_wanted() {
            let unit = match self.own_text.generated_text(&name) {
                Some(text) => Some(library::generated(text)),
                None => library::definition(&name),
            };
            let Some(unit) = unit else {
                return Err(self.error(format!("the library has no definition of `{name}`")));
            };
            let unit = unit?;
            self.in_prelude(|this| {
                for declaration in &unit.declarations {
                    this.prelude_declaration(&declaration.node)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Lowers text of the prelude, which has its own scopes and no source positions.
    pub(in crate::lower) fn in_prelude<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let left = self.cursor.enter_own_text();
        let file = self.linkage.files.leave();
        let own = self.own_text.take_scopes();
        let scopes = std::mem::replace(&mut self.scopes, own);
        if self.scopes.lookup("__builtin_va_list").is_none() {
            self.declare_builtin_types();
        }
        let result = act(self);
        let own = std::mem::replace(&mut self.scopes, scopes);
        self.own_text.return_scopes(own);
        self.linkage.files.resume(file);
        self.cursor.leave_own_text(left);
        result
    }

    /// Lowers a declaration of the prelude unless it repeats an earlier one.
    pub(in crate::lower) fn prelude_declaration(
        &mut self,
        node: &Node<ast::ExternalDeclaration>,
    ) -> Result<()> {
        match &node.node {
            ast::ExternalDeclaration::FunctionDefinition(function) => {
                let name = declarator_name(&function.node.declarator);
                let Some(name) = name else {
                    return Ok(());
                };
                let index = self.functions.named_or_reserved(name);
                let done = self.functions.is_finished(index);
                if done {
                    return Ok(());
                }
                self.own_text.satisfy(name);
                self.external_declaration(node)
            }
            ast::ExternalDeclaration::Declaration(declaration) => {
                let repeated = declaration.node.declarators.iter().any(|item| {
                    declarator_name(&item.node.declarator)
                        .is_some_and(|name| self.scopes.lookup(name).is_some())
                });
                if repeated || self.share_object(&declaration.node) {
                    return Ok(());
                }
                self.external_declaration(node)
            }
            ast::ExternalDeclaration::StaticAssert(_) => self.external_declaration(node),
        }
    }

    /// Binds an object of the prelude to the program's object if the program declares it.
    fn share_object(&mut self, declaration: &ast::Declaration) -> bool {
        let [item] = declaration.declarators.as_slice() else {
            return false;
        };
        let Some(name) = declarator_name(&item.node.declarator) else {
            return false;
        };
        let own = name
            .strip_prefix(library::SHARED)
            .and_then(|own| self.own_text.program_object(own));
        let Some(symbol) = own.cloned() else {
            return false;
        };
        let symbol = self.scopes.create(symbol);
        self.scopes.bind_at_file_scope(name, symbol);
        true
    }

    /// Records the library objects that the program declares: prelude functions use the same objects.
    pub(in crate::lower) fn note_library_objects(&mut self) {
        for &name in library::OBJECTS {
            if let Some(linked) = self.scopes.linked.get(name) {
                let symbol = self.scopes.symbol(linked.symbol);
                if matches!(symbol.entity, Entity::Object(_)) {
                    self.own_text.add_program_object(name, symbol.clone());
                }
            }
        }
    }

    /// Initialises the library objects that the program declares and does not define.
    pub(in crate::lower) fn initialise_library_objects(&mut self) -> Result<()> {
        for &name in library::OBJECTS {
            let Some(linked) = self.scopes.linked.get(name).copied() else {
                continue;
            };
            let symbol = self.scopes.symbol(linked.symbol).clone();
            let (Entity::Object(object), Definition::Declared) = (symbol.entity, linked.definition)
            else {
                continue;
            };
            let Some(known) = library::initial_value(name) else {
                continue;
            };
            let function = FunctionType {
                result: symbol.ty.unqualified(),
                parameters: Vec::new(),
                form: ParameterForm::Unspecified,
            };
            self.cursor.set_span(symbol.span);
            if self.types.scalar(symbol.ty).is_none() {
                continue;
            }
            self.in_start(|this| {
                let value = this.library_values(&known, &function, Vec::new(), Use::Value)?;
                let target = Value::lvalue(Expr::ObjectAddress(object), symbol.ty);
                this.store_value(target, value)
            })?;
        }
        self.cursor.set_span(Span::NONE);
        self.lower_prelude()
    }

    /// Converts arguments to the parameters of the prelude's prototype.
    fn fit_prelude_arguments(
        &mut self,
        known: &LibraryFunction,
        values: Vec<Value>,
    ) -> Result<Vec<Value>> {
        let own = match self.library_type(known)? {
            Some(ty) => self.types.function_type(ty),
            None => None,
        };
        let Some(own) = own else {
            return Ok(values);
        };
        if values.len() < own.parameters.len() {
            return Err(self.error(format!("`{}` is called with too few arguments", known.name)));
        }
        let mut fitted = Vec::with_capacity(values.len());
        for (position, value) in values.into_iter().enumerate() {
            match own.parameters.get(position) {
                Some(&parameter) => fitted.push(self.cast(value, parameter)?),
                None if own.form == ParameterForm::Variadic => fitted.push(value),
                None => {}
            }
        }
        Ok(fitted)
    }

    /// Creates a function with the behaviour of a library function, so that its address can be taken.
    pub(in crate::lower) fn library_wrapper(
        &mut self,
        known: &LibraryFunction,
        ty: Type,
    ) -> Result<FunctionIndex> {
        let changes_errno = self.errno_is_visible() && library::precision::may_change_errno(known);
        if known.model == Model::Prelude && !changes_errno {
            return Ok(self.prelude_function(known.name));
        }
        let key = format!("{} (library)", known.name);
        if let Some(index) = self.functions.named(&key) {
            return Ok(index);
        }
        let index = self.functions.reserve_named(&key);
        let ty = match self.types.function_type(ty) {
            Some(function) if function.form == ParameterForm::Unspecified => {
                self.library_type(known)?.unwrap_or(ty)
            }
            _ => ty,
        };
        let Some(function) = self.types.function_type(ty) else {
            return Ok(index);
        };
        self.build_function(index, &key, function.result, |this| {
            this.wrapper_body(known, &function)
        })?;
        Ok(index)
    }

    fn wrapper_body(&mut self, known: &LibraryFunction, function: &FunctionType) -> Result<()> {
        let storage = Storage::Automatic(self.function.index());
        let span = self.cursor.span();
        let mut values = Vec::new();
        for (position, &parameter) in function.parameters.iter().enumerate() {
            let name = format!("{}::<{position}>", self.function.name());
            let object = self.add_object(name, parameter, storage, span)?;
            self.function.add_parameter(object);
            let value = Value::lvalue(Expr::ObjectAddress(object), parameter);
            values.push(self.rvalue(value));
        }
        if function.form == ParameterForm::Variadic {
            self.add_variable_arguments();
        }
        let value = self.library_values(known, function, values, Use::Value)?;
        if !self.types.is_void(function.result) {
            let name = format!("{}::<result>", self.function.name());
            let result = self.add_object(name, function.result, storage, span)?;
            self.function.set_result(Some(result));
            let value = self.cast(value, function.result)?;
            self.store_value(
                Value::lvalue(Expr::ObjectAddress(result), function.result),
                value,
            )?;
        }
        self.function.end(Terminator::Return, span);
        Ok(())
    }

    pub(in crate::lower) fn constant_argument(&self, value: &Value) -> Option<i128> {
        match &value.kind {
            ValueKind::Scalar(expr) => fold::evaluate(expr),
            _ => None,
        }
    }
}
