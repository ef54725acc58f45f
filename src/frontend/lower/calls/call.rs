//! Calls: of functions with a body, through pointers, of library functions, of unknown code.

use std::rc::Rc;

use lang_c::ast;
use lang_c::span::Node;

use crate::ir::{
    Argument, Callee, Expr, Instruction, Pointer, ResultPlace, Terminator, UnknownEffect,
};
use crate::library::{Builtin, Model};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::sequencing::key;
use crate::lower::state::builder::Mark;
use crate::lower::state::scope::Entity;
use crate::lower::{Lowerer, Result};
use crate::types::{FunctionType, ParameterForm, Type};
use regatta_program::{AssumptionKind, ExternalKind};

impl Lowerer<'_> {
    pub(in crate::lower) fn call(
        &mut self,
        call: &ast::CallExpression,
        wanted: Use,
    ) -> Result<Value> {
        let span = self.cursor.span();
        if let ast::Expression::Identifier(identifier) = &call.callee.node {
            let name = identifier.node.name.as_str();
            let symbol = match self.scopes.lookup(name) {
                Some(symbol) => symbol,
                None => {
                    if let Some(value) = self.encoded_call(name, &call.arguments)? {
                        return Ok(value);
                    }
                    if let Some(value) = self.generic_builtin(name, &call.arguments, wanted)? {
                        return Ok(value);
                    }
                    match self.declare_from_library(name)? {
                        Some(symbol) => symbol,
                        None => self.declare_implicitly(name)?,
                    }
                }
            };
            self.cursor.set_span(span);
            let symbol = self.scopes.symbol(symbol);
            if let Entity::Nested(index) = symbol.entity {
                let ty = symbol.ty;
                return self.call_nested(index, ty, &call.arguments, wanted);
            }
            if let Entity::Function { name } = &symbol.entity
                && self.linkage.resolver(name).is_none()
            {
                let entity = Rc::clone(name);
                let ty = symbol.ty;
                let name = identifier.node.name.as_str();
                if self.calls_renamed_builtin(name) {
                    self.unsupported(format!("`{name}` with the symbol of `{entity}`"));
                }
                let name = entity;
                return self.call_named(&name, ty, &call.arguments, wanted);
            }
        }
        let name = key(&raw const *call.callee);
        let conflict = self.conflict_at(name);
        let ty = match &conflict {
            Some(_) => self.unevaluated(|this| this.expression(&call.callee))?.ty,
            None => Type::VOID,
        };
        let (callee, function, values) = if let Some(conflict) = conflict
            && let Some(function) = self.types.function_type(ty)
        {
            let sides = self.in_every_order(&conflict, 2, &mut |this, number| match number {
                0 => {
                    let callee = this.expression(&call.callee)?;
                    Ok(vec![this.rvalue(callee)])
                }
                _ => this.arguments(&function, &call.arguments),
            })?;
            self.cursor.set_span(span);
            let Ok([mut callee, values]) = <[Vec<Value>; 2]>::try_from(sides) else {
                return Err(self.contradiction("a call without a callee or arguments"));
            };
            let Some(callee) = callee.pop() else {
                return Err(self.error("a void value is called"));
            };
            (callee, function, values)
        } else {
            let mut site = self.sequencing.open_site(name);
            let start = self.sequencing.open_operand();
            let callee = self.expression(&call.callee)?;
            self.cursor.set_span(span);
            let callee = self.rvalue(callee);
            let Some(function) = self.types.function_type(callee.ty) else {
                let ty = self.types.describe(callee.ty);
                return Err(self.error(format!("a `{ty}` is called, which is not a function")));
            };
            self.close_operand(&mut site, start, std::slice::from_ref(&callee));
            let mark = self.function.mark();
            let start = self.sequencing.open_operand();
            let values = self.arguments(&function, &call.arguments)?;
            self.cursor.set_span(span);
            self.close_operand(&mut site, start, &values);
            self.close_site(site);
            (self.settle(callee, mark)?, function, values)
        };
        let (address, ty) = self.scalar_value(callee)?;
        let callee = match address {
            Expr::FunctionAddress(index) => Callee::Direct(index),
            other => Callee::Indirect(Pointer::new(other)),
        };
        let value = self.emit_call(callee, &function, values, wanted)?;
        if self.types.never_returns(ty) {
            self.exit_program();
        }
        Ok(value)
    }

    pub(in crate::lower) fn call_named(
        &mut self,
        name: &str,
        ty: Type,
        arguments: &[Node<ast::Expression>],
        wanted: Use,
    ) -> Result<Value> {
        let span = self.cursor.span();
        let Some(function) = self.types.function_type(ty) else {
            return Err(self.error(format!("`{name}` is not a function")));
        };
        self.check_modelled(name)?;
        if self.returns_twice(name) {
            self.unsupported(format!("`{name}`, which may return twice"));
        }
        if self.is_forbidden_call(name) {
            self.arguments(&function, arguments)?;
            self.cursor.set_span(span);
            if !self.functions.has(name) {
                self.note_external(name, ExternalKind::Error);
            }
            self.end_path(Terminator::Error);
            return self.any_value(function.result);
        }
        if let Some(index) = self.inline_callee(name, &function, arguments.len())? {
            let values = self.arguments(&function, arguments)?;
            self.cursor.set_span(span);
            return self.emit_call(Callee::Direct(index), &function, values, wanted);
        }
        if let Some(index) = self.functions.named(name) {
            if self.linkage.is_weak(name) {
                let what = format!("no other file defines `{name}`, which is weak here");
                self.note_assumption(AssumptionKind::UnknownCode, what);
            }
            let values = self.arguments(&function, arguments)?;
            self.cursor.set_span(span);
            return self.emit_call(Callee::Direct(index), &function, values, wanted);
        }
        if let Some(value) = self.generic_builtin(name, arguments, wanted)? {
            return Ok(value);
        }
        let mut known = self.library_function(name, &function)?;
        if known.is_none() && self.input.property().checks_operations() {
            known = self.system_function(name, &function)?;
        }
        match known.map(|known| known.model) {
            Some(Model::Builtin(Builtin::Nondet)) => {
                self.arguments(&function, arguments)?;
                self.cursor.set_span(span);
                return self.nondet(name, function.result);
            }
            Some(Model::Unsupported) if known.is_some_and(|known| known.prototype.is_empty()) => {
                self.arguments(&function, arguments)?;
                self.cursor.set_span(span);
                return self.unknown_result(name);
            }
            Some(Model::Unsupported) => {
                self.arguments(&function, arguments)?;
                self.cursor.set_span(span);
                return self.unmodelled(name, function.result);
            }
            _ => {}
        }
        if let Some(known) = known {
            if passes_pack_on(arguments) {
                self.unsupported(format!("`{name}` with `__builtin_va_arg_pack`"));
                return self.any_value(function.result);
            }
            return self.call_library(&known, &function, arguments, wanted);
        }
        let values = self.arguments(&function, arguments)?;
        self.cursor.set_span(span);
        self.assume_weak(name);
        if self.is_promised(name) {
            // Alarms behind the call are not confirmed.
            let what = format!("what `{name}` does not do");
            self.approximate(&what, Type::INT)?;
        }
        self.doubt_accesses(name, &values);
        let value = self.call_unknown(name, &function, values, wanted)?;
        if self.linkage.is_noreturn(name) || self.types.never_returns(ty) {
            self.exit_program();
        }
        Ok(value)
    }

    /// The arguments in order, converted to the parameters' types; additional ones get the default promotions.
    pub(in crate::lower) fn arguments(
        &mut self,
        function: &FunctionType,
        nodes: &[Node<ast::Expression>],
    ) -> Result<Vec<Value>> {
        let expected = function.parameters.len();
        let right_count = match function.form {
            ParameterForm::Fixed => nodes.len() == expected,
            ParameterForm::Variadic => nodes.len() >= expected,
            ParameterForm::Unspecified => true,
        };
        if !right_count {
            return Err(self.error(format!(
                "{} arguments are given to a function that takes {expected}",
                nodes.len()
            )));
        }
        self.evaluate_arguments(nodes, &mut |this, position, value| match function
            .parameters
            .get(position)
        {
            Some(&parameter) if this.types.is_argument_pack(value.ty) => {
                this.unsupported("`__builtin_va_arg_pack` for an argument that is not variable");
                this.any_value(parameter)
            }
            Some(&parameter) => this.assignable(value, parameter),
            None => this.promoted_argument(value),
        })
    }

    /// Evaluates the arguments in order, each converted at once; also in other orders where that matters.
    fn evaluate_arguments(
        &mut self,
        nodes: &[Node<ast::Expression>],
        convert: &mut dyn FnMut(&mut Self, usize, Value) -> Result<Value>,
    ) -> Result<Vec<Value>> {
        let span = self.cursor.span();
        let mut argument = |this: &mut Self, position: usize| {
            let value = this.expression(&nodes[position])?;
            this.cursor.set_span(this.cursor.place_of(&nodes[position]));
            convert(this, position, value)
        };
        let name = key(nodes.as_ptr());
        if let Some(conflict) = self.conflict_at(name) {
            let values = self.in_every_order(&conflict, nodes.len(), &mut |this, position| {
                Ok(vec![argument(this, position)?])
            })?;
            self.cursor.set_span(span);
            return Ok(values.into_iter().flatten().collect());
        }
        let mut site = self.sequencing.open_site(name);
        let mut values: Vec<(Value, Mark)> = Vec::with_capacity(nodes.len());
        for position in 0..nodes.len() {
            let start = self.sequencing.open_operand();
            let value = argument(self, position)?;
            self.close_operand(&mut site, start, std::slice::from_ref(&value));
            values.push((value, self.function.mark()));
        }
        self.close_site(site);
        self.cursor.set_span(span);
        self.settle_all(values)
    }

    /// The arguments of a type-generic built-in, without conversions other than lvalue conversion.
    pub(in crate::lower) fn raw_arguments(
        &mut self,
        nodes: &[Node<ast::Expression>],
    ) -> Result<Vec<Value>> {
        self.evaluate_arguments(nodes, &mut |this, _, value| {
            let value = this.rvalue(value);
            match value.kind {
                ValueKind::Void => Err(this.error("a void value is used")),
                _ => Ok(value),
            }
        })
    }

    /// Settles values in the order of their marks.
    pub(in crate::lower) fn settle_all(
        &mut self,
        values: Vec<(Value, Mark)>,
    ) -> Result<Vec<Value>> {
        // From the last to the first, because an insertion moves later marks only.
        let mut settled = Vec::with_capacity(values.len());
        for (value, mark) in values.into_iter().rev() {
            settled.push(self.settle(value, mark)?);
        }
        settled.reverse();
        Ok(settled)
    }

    pub(in crate::lower) fn promoted_argument(&mut self, value: Value) -> Result<Value> {
        let value = self.rvalue(value);
        match value.kind {
            ValueKind::Scalar(_) => {
                let promoted = self.types.argument_promoted(value.ty);
                self.cast(value, promoted)
            }
            ValueKind::Aggregate(_) => Ok(value),
            _ => Err(self.error("a void value is used")),
        }
    }

    /// Emits a call whose arguments are already converted.
    pub(in crate::lower) fn emit_call(
        &mut self,
        callee: Callee,
        function: &FunctionType,
        mut values: Vec<Value>,
        wanted: Use,
    ) -> Result<Value> {
        let extra = match function.form {
            ParameterForm::Variadic => {
                let extra = values.split_off(function.parameters.len().min(values.len()));
                Some(self.variable_arguments(&callee, extra)?)
            }
            _ => {
                self.refuse_pack(&values);
                None
            }
        };
        let mut arguments = Vec::with_capacity(values.len() + 1);
        for value in values {
            arguments.push(self.argument(value)?);
        }
        arguments.extend(extra);
        let (value, result) = self.result_place(function.result, wanted)?;
        self.emit(Instruction::Call {
            callee,
            arguments,
            result,
        });
        Ok(value)
    }

    pub(in crate::lower) fn call_unknown(
        &mut self,
        name: &str,
        function: &FunctionType,
        values: Vec<Value>,
        wanted: Use,
    ) -> Result<Value> {
        self.note_external_function(name, function.result);
        let mut arguments = Vec::with_capacity(values.len());
        for value in values {
            arguments.push(self.argument(value)?);
        }
        let (value, result) = self.result_place(function.result, wanted)?;
        self.emit(Instruction::CallUnknown {
            name: name.to_owned(),
            arguments,
            result,
            returns: !self.types.is_void(function.result),
            // The callee may be defined by assembly in this file.
            effect: if self.uses.assembly() {
                UnknownEffect::Reachable
            } else {
                self.input.unknown_calls()
            },
        });
        Ok(value)
    }

    fn argument(&mut self, value: Value) -> Result<Argument> {
        let ty = value.ty;
        match value.kind {
            ValueKind::Scalar(value) => Ok(Argument::Scalar {
                value,
                scalar: self.scalar_type(ty)?,
            }),
            ValueKind::Aggregate(address) => Ok(Argument::Object {
                address: Pointer::new(address),
                size: self.size_of(ty)?,
                leaves: self.types.leaves(ty),
            }),
            _ => Err(self.error("a void value is used")),
        }
    }

    /// A temporary for a call's result, and the value that it will hold.
    pub(in crate::lower) fn result_place(
        &mut self,
        ty: Type,
        wanted: Use,
    ) -> Result<(Value, Option<ResultPlace>)> {
        if self.types.is_void(ty) || wanted == Use::Effects {
            return Ok((Value::void(), None));
        }
        if let Some(scalar) = self.types.scalar(ty) {
            let object = self.temporary(scalar);
            let place = self.object_place(object, scalar);
            let value = Value::scalar(Expr::Load(place.clone()), ty.unqualified());
            return Ok((value, Some(ResultPlace::Scalar(place))));
        }
        if !self.types.is_complete(ty) {
            let ty = self.types.describe(ty);
            return Err(self.error(format!("a function returns the incomplete type `{ty}`")));
        }
        let object = self.temporary_object(ty)?;
        let address = Expr::ObjectAddress(object);
        let place = ResultPlace::Object {
            address: Pointer::new(address.clone()),
            size: self.size_of(ty)?,
            leaves: self.types.leaves(ty),
        };
        Ok((Value::aggregate(address, ty.unqualified()), Some(place)))
    }

    /// A placeholder value of the type for unreachable code.
    pub(in crate::lower) fn any_value(&mut self, ty: Type) -> Result<Value> {
        if self.types.is_void(ty) {
            return Ok(Value::void());
        }
        if let Some(scalar) = self.types.scalar(ty) {
            return Ok(Value::scalar(fold::zero(scalar), ty.unqualified()));
        }
        let object = self.temporary_object(ty)?;
        Ok(Value::aggregate(
            Expr::ObjectAddress(object),
            ty.unqualified(),
        ))
    }
}

/// Checks whether the last argument of a call is `__builtin_va_arg_pack()`.
fn passes_pack_on(arguments: &[Node<ast::Expression>]) -> bool {
    let Some(ast::Expression::Call(call)) = arguments.last().map(|last| &last.node) else {
        return false;
    };
    matches!(&call.node.callee.node, ast::Expression::Identifier(name)
        if name.node.name == "__builtin_va_arg_pack")
}
