//! Linkage: the symbol of each name, with assembler names, aliases, weak symbols and indirect functions.
//!
//! A C name denotes the symbol of the same name unless `asm("label")` behind the declarator, the attributes `alias`
//! and `weakref`, `#pragma weak a = b` or `#pragma redefine_extname a b` give it another one. Names with the same
//! symbol denote the same function or object. All symbols are known before anything is lowered; a name is then
//! resolved to the C name under which its symbol is defined ([`Lowerer::entity_name`]).
//!
//! The library's headers give some functions other symbols (`fscanf` is `__isoc99_fscanf`, `lseek` may be `lseek64`):
//! those with a model are library functions like any other, the others are unknown code. Objects of the library have
//! several names as well ([`library::object_name`]). But a compiler may treat a standard function according to its C
//! name, whatever its symbol: which function is then called is not modelled.
//!
//! The linker also defines the bounds of sections, whose addresses are not modelled.
//!
//! A weak symbol without a definition has an address or is null, which only linking decides. The address of an `ifunc`
//! is what its resolver returns at the program's start. An external function that does not return (`noreturn`) ends
//! the program.

use std::rc::Rc;

use lang_c::ast;
use lang_c::span::Node;

use crate::ir::{Expr, Instruction, Place, ScalarType, Storage, UnaryOp};
use crate::library::{self, Builtin, Model, linker};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::state::scope::Entity;
use crate::lower::{Lowerer, Result};
use crate::parse::ParsedUnit;
use crate::syntax::literal::plain_text;
use crate::types::Type;

/// The first argument of an attribute if it is a string.
pub(in crate::lower) fn string_argument(attribute: &ast::Attribute) -> Option<String> {
    match &attribute.arguments.first()?.node {
        ast::Expression::StringLiteral(parts) => Some(plain_text(&parts.node)),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Collects the linkage of all declarations at file scope and pragmas.
    pub(in crate::lower) fn note_all_linkage(&mut self) -> Result<()> {
        for (file, unit) in self.input.units().iter().enumerate() {
            self.enter_file(file);
            self.note_linkage_of(unit);
        }
        self.linkage.choose_definitions()
    }

    fn note_linkage_of(&mut self, parsed: &ParsedUnit) {
        for declaration in &parsed.declarations {
            let origin = declaration.origin;
            let place_of =
                |name: &Node<ast::Identifier>| parsed.positions.span(origin, name.span.start);
            match &declaration.node.node {
                ast::ExternalDeclaration::Declaration(declaration) => {
                    self.linkage
                        .note_declaration(&declaration.node, true, &place_of);
                }
                ast::ExternalDeclaration::FunctionDefinition(function) => {
                    let start = declaration.node.span.start;
                    let system = parsed.positions.is_from_system(origin, start);
                    self.linkage
                        .note_function(&function.node, system, &place_of);
                }
                ast::ExternalDeclaration::StaticAssert(_) => {}
            }
        }
        for pragma in &parsed.pragmas {
            if let Some(what) = self.linkage.note_pragma(pragma) {
                self.refuse(what);
            }
        }
        self.linkage.finish_definitions();
        self.linkage.finish_file();
        for (name, declarations) in self.linkage.take_inline() {
            let reserved = name.starts_with("__VERIFIER_")
                || self.linkage.is_renamed(&name)
                || self.input.property().forbids_call(&name)
                || library::lookup(&name).is_some();
            if !reserved && declarations.make_inline_definition() {
                self.linkage.forget_definition(&name);
                let body = self.functions.reserve();
                self.symbols.add_inline_body(
                    self.linkage.files.current(),
                    name,
                    super::inline::Body {
                        index: body,
                        always: declarations.always,
                    },
                );
            }
        }
    }

    /// Resolves a name with linkage to the C name that defines its symbol or that the library knows, or the symbol.
    pub(in crate::lower) fn entity_name(&self, name: &str) -> Rc<str> {
        if self.input.property().forbids_call(name) {
            return name.into();
        }
        let symbol = self.linkage.symbol(name);
        if self.input.property().forbids_call(symbol) {
            return symbol.into();
        }
        if let Some(defined) = self.linkage.definition(symbol) {
            return Rc::clone(defined);
        }
        self.linkage.library_object(symbol).into()
    }

    /// Checks whether a call by a name known to the compiler could either call another symbol or do what the name
    /// says: gcc computes `strlen("abc")` whatever symbol `strlen` has.
    pub(in crate::lower) fn calls_renamed_builtin(&self, name: &str) -> bool {
        let symbol = self.linkage.symbol(name);
        symbol != name
            && !self.linkage.files.is_marked(name)
            && !name.starts_with("__VERIFIER_")
            && !self.input.property().forbids_call(name)
            && !self.input.property().forbids_call(symbol)
            && library::lookup(name).is_some()
            && (self.linkage.defines(symbol) || library::lookup(symbol).is_none())
    }

    /// The number of occurrences of a string in the program's text.
    pub(in crate::lower) fn count_in_text(&self, part: &str) -> usize {
        let count_in = |text: &[u8]| {
            let places = text.windows(part.len());
            places.filter(|place| *place == part.as_bytes()).count()
        };
        let units = self.input.units().iter();
        units.map(|unit| count_in(unit.positions.text())).sum()
    }

    /// Checks whether the linker decides the address of a symbol.
    pub(in crate::lower) fn is_linker_symbol(&self, symbol: &str) -> bool {
        let known = match linker::section(symbol) {
            Some(section) => self.count_in_text(&format!("\"{section}\"")) > 0,
            None => linker::defines(symbol),
        };
        known && (linker::always_defines(symbol) || !self.linkage.defines(symbol))
    }

    /// Checks whether the symbol of a name may be undefined in the linked program.
    fn may_be_missing(&self, name: &str, entity: &str) -> bool {
        (self.linkage.is_weak(name) || self.linkage.is_weak(entity))
            && !self.linkage.defines_name(entity)
            && !self.input.property().forbids_call(entity)
            && !entity.starts_with("__VERIFIER_")
    }

    /// For a weak symbol without a definition, whether it has an address, as a `_Bool`; else `None`.
    pub(in crate::lower) fn weak_flag(&mut self, name: &str) -> Option<Expr> {
        let entity = self.entity_name(name);
        if !self.may_be_missing(name, &entity) {
            return None;
        }
        let object = match self.linkage.weak_flag(&entity) {
            Some(object) => object,
            None => {
                let storage = Storage::Static { external: false };
                let flag = format!("weak#{entity}");
                let object = self
                    .add_object(flag, Type::BOOL, storage, self.cursor.span())
                    .ok()?;
                self.linkage.set_weak_flag(Rc::clone(&entity), object);
                // The flag is constant, so that static initialisers may depend on it.
                self.objects.make_constant(object);
                let place = self.object_place(object, ScalarType::Bool);
                let function = format!("whether `{entity}` is defined elsewhere");
                self.in_start(|this| {
                    this.emit(Instruction::Nondet {
                        place,
                        function,
                        call_end: regatta_base::Span::NONE,
                    })
                });
                object
            }
        };
        Some(self.load_object(object, ScalarType::Bool))
    }

    /// The address of a weak symbol, or null.
    pub(in crate::lower) fn weak_address(&mut self, name: &str, address: Expr) -> Expr {
        match self.weak_flag(name) {
            Some(flag) => {
                let null = fold::zero(ScalarType::Pointer);
                Expr::conditional(flag, address, null, ScalarType::Pointer)
            }
            None => address,
        }
    }

    /// The address of a weak variable, or null.
    pub(in crate::lower) fn weak_object_address(&mut self, name: &str, address: Expr) -> Expr {
        // Few programs have weak symbols, and locals have no linkage.
        let linked = self.linkage.is_weak(name)
            && match (self.scopes.linked.get(name), self.scopes.lookup(name)) {
                (Some(linked), Some(symbol)) => linked.symbol == symbol,
                _ => false,
            };
        if linked {
            self.weak_address(name, address)
        } else {
            address
        }
    }

    /// Assumes that a called weak function exists: a call of null ends the program. Under a check of memory, nothing is known
    /// of what follows.
    pub(in crate::lower) fn assume_weak(&mut self, name: &str) {
        let Some(flag) = self.weak_flag(name) else {
            return;
        };
        match self.input.property().checks_memory() {
            true => {
                let is_missing = fold::unary(UnaryOp::LogicalNot, flag, ScalarType::Bool);
                self.unsupported_if(is_missing, "a call of a weak function without a definition");
            }
            false => self.emit_fresh(Instruction::Assume(flag)),
        }
    }

    /// Checks whether a function has the attribute `returns_twice` and is not modelled as such.
    pub(in crate::lower) fn returns_twice(&self, name: &str) -> bool {
        let is_modelled = || {
            let known = library::lookup(name).map(|known| known.model);
            known == Some(Model::Builtin(Builtin::SetJump)) && !self.functions.has(name)
        };
        self.linkage.returns_twice(name) && !is_modelled()
    }

    /// Checks whether a system header or an attribute restricts what an undefined function may do.
    pub(in crate::lower) fn is_promised(&self, name: &str) -> bool {
        self.symbols.is_from_system(name) || self.linkage.is_promised(name)
    }

    // --- indirect functions ---

    /// The object that holds the address of an indirect function; `None` for other names.
    pub(in crate::lower) fn indirect_function(&mut self, name: &str, ty: Type) -> Option<Place> {
        let entity = self.entity_name(name);
        self.linkage.resolver(&entity)?;
        let object = match self.linkage.indirect(&entity) {
            Some(object) => object,
            None => {
                let pointer = self.types.pointer(ty);
                let storage = Storage::Static { external: false };
                let hidden = format!("ifunc#{entity}");
                let object = self
                    .add_object(hidden, pointer, storage, self.cursor.span())
                    .ok()?;
                self.linkage.add_indirect(entity, object, ty);
                object
            }
        };
        Some(self.object_place(object, ScalarType::Pointer))
    }

    /// Emits the calls of the resolvers of indirect functions in the start function.
    pub(in crate::lower) fn resolve_indirect_functions(&mut self) -> Result<()> {
        for (entity, object, ty) in self.linkage.take_indirect() {
            let resolver = self.linkage.resolver(&entity).cloned();
            let symbol = resolver
                .as_ref()
                .map(|resolver| self.entity_name(resolver))
                .and_then(|resolver| self.scopes.linked.get(&resolver).copied())
                .map(|linked| self.scopes.symbol(linked.symbol).clone());
            let function = symbol.and_then(|symbol| match symbol.entity {
                Entity::Function { name } => {
                    let index = self.functions.named(&name)?;
                    Some((index, self.types.function_type(symbol.ty)?))
                }
                _ => None,
            });
            let Some((index, function)) =
                function.filter(|(_, function)| function.parameters.is_empty())
            else {
                self.unsupported(format!("the resolver of the indirect function `{entity}`"));
                continue;
            };
            let callee = crate::ir::Callee::Direct(index);
            let value = self.emit_call(callee, &function, Vec::new(), Use::Value)?;
            let pointer = self.types.pointer(ty);
            let value = self.cast(value, pointer)?;
            self.store_value(Value::lvalue(Expr::ObjectAddress(object), pointer), value)?;
        }
        Ok(())
    }

    /// An indirect function as an expression; `None` for other names.
    pub(in crate::lower) fn indirect_designator(&mut self, name: &str, ty: Type) -> Option<Value> {
        let place = self.indirect_function(name, ty)?;
        Some(Value {
            ty,
            kind: ValueKind::Function(Expr::Load(place)),
        })
    }
}
