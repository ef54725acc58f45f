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
use rustc_hash::{FxHashMap, FxHashSet};

use super::declarator::declarator_name;
use crate::ir::{Expr, Instruction, ObjectIndex, Place, ScalarType, Storage};
use crate::library::{self, Builtin, Model, linker};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::state::scope::Entity;
use crate::lower::{Lowerer, Result};
use crate::parse::Pragma;
use crate::syntax::literal::plain_text;
use crate::types::Type;

/// The symbols and attributes collected from declarations.
#[derive(Debug, Default)]
pub(in crate::lower) struct Linkage {
    /// The symbol of a C name, if that has another name.
    symbols: FxHashMap<Rc<str>, Rc<str>>,
    /// The symbol that a symbol is an alias of.
    aliases: FxHashMap<Rc<str>, Rc<str>>,
    /// The C name that defines a symbol.
    definitions: FxHashMap<Rc<str>, Rc<str>>,
    /// Weak symbols, by C name.
    weak: FxHashSet<Rc<str>>,
    /// For used weak symbols without a definition: the flag that tells whether they have an address.
    weak_flags: FxHashMap<Rc<str>, ObjectIndex>,
    /// Resolvers of indirect functions, by C name.
    resolvers: FxHashMap<Rc<str>, Rc<str>>,
    /// Indirect functions by C name, with the object that holds their address.
    indirect: Vec<(Rc<str>, ObjectIndex, Type)>,
    /// Functions that do not return, by C name.
    noreturn: FxHashSet<Rc<str>>,
    /// Functions with the attribute `returns_twice`.
    returns_twice: FxHashSet<Rc<str>>,
    /// Functions with an attribute whose promise is not checked.
    promised: FxHashSet<Rc<str>>,
    /// The declarations that decide whether a definition is an inline definition, by C name.
    inline: FxHashMap<Rc<str>, super::inline::Declarations>,
}

/// Maximum number of aliases of aliases that are followed.
const MAXIMUM_ALIAS_CHAIN: usize = 64;

impl Linkage {
    fn symbol<'a>(&'a self, name: &'a str) -> &'a str {
        let mut symbol = self.symbols.get(name).map_or(name, |symbol| &**symbol);
        for _ in 0..MAXIMUM_ALIAS_CHAIN {
            match self.aliases.get(symbol) {
                Some(next) => symbol = next,
                None => break,
            }
        }
        symbol
    }
}

/// The first argument of an attribute if it is a string.
pub(in crate::lower) fn string_argument(attribute: &ast::Attribute) -> Option<String> {
    match &attribute.arguments.first()?.node {
        ast::Expression::StringLiteral(parts) => Some(plain_text(&parts.node)),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Collects the linkage of all declarations at file scope and pragmas.
    pub(in crate::lower) fn note_all_linkage(&mut self) {
        let parsed = self.input.parsed();
        for declaration in &parsed.declarations {
            match &declaration.node.node {
                ast::ExternalDeclaration::Declaration(declaration) => {
                    self.note_linkage(&declaration.node, true);
                }
                ast::ExternalDeclaration::FunctionDefinition(function) => {
                    let definition = &function.node;
                    if let Some(name) = declarator_name(&definition.declarator) {
                        let start = declaration.node.span.start;
                        let system = parsed.positions.is_from_system(declaration.origin, start);
                        let inline = self.linkage.inline.entry(name.into()).or_default();
                        inline.note_definition(&definition.specifiers, system);
                        self.note_specifiers(name, &definition.specifiers);
                        self.note_declarator(name, &definition.declarator);
                        self.note_definition(name);
                    }
                }
                ast::ExternalDeclaration::StaticAssert(_) => {}
            }
        }
        for pragma in &parsed.pragmas {
            match pragma {
                Pragma::Weak { name, target } => {
                    self.linkage.weak.insert(name.as_str().into());
                    if let Some(target) = target {
                        let symbols = &mut self.linkage.symbols;
                        symbols.insert(name.as_str().into(), target.as_str().into());
                    }
                }
                Pragma::RedefineExternalName { old, new } => {
                    let symbols = &mut self.linkage.symbols;
                    symbols.insert(old.as_str().into(), new.as_str().into());
                }
                Pragma::StorageOrder => self.refuse("`#pragma scalar_storage_order`"),
            }
        }
        // The assembler name may follow the definition.
        let definitions: Vec<Rc<str>> = self.linkage.definitions.values().cloned().collect();
        for name in definitions {
            self.note_definition(&name);
        }
        let inline = std::mem::take(&mut self.linkage.inline);
        for (name, declarations) in inline {
            let reserved = name.starts_with("__VERIFIER_")
                || self.linkage.symbols.contains_key(&name)
                || self.input.property().forbids_call(&name)
                || library::lookup(&name).is_some();
            if !reserved && declarations.make_inline_definition() {
                self.linkage.definitions.remove(&name);
                let body = self.functions.reserve();
                self.symbols.add_inline_body(
                    name,
                    super::inline::Body {
                        index: body,
                        always: declarations.always,
                    },
                );
            }
        }
    }

    fn note_definition(&mut self, name: &str) {
        let linkage = &mut self.linkage;
        let own = linkage.symbols.get(name).map_or(name, |symbol| &**symbol);
        linkage.definitions.insert(own.into(), name.into());
    }

    pub(in crate::lower) fn note_symbol_alias(&mut self, symbol: &str, target: &str) {
        if symbol != target {
            self.linkage.aliases.insert(symbol.into(), target.into());
        }
    }

    /// Collects the linkage of the names in a declaration.
    pub(in crate::lower) fn note_linkage(
        &mut self,
        declaration: &ast::Declaration,
        file_scope: bool,
    ) {
        let storage = declaration
            .specifiers
            .iter()
            .find_map(|specifier| match &specifier.node {
                ast::DeclarationSpecifier::StorageClass(class) => match class.node {
                    ast::StorageClassSpecifier::ThreadLocal => None,
                    ref class => Some(class.clone()),
                },
                _ => None,
            });
        let is_extern = matches!(storage, Some(ast::StorageClassSpecifier::Extern));
        if matches!(storage, Some(ast::StorageClassSpecifier::Typedef))
            || !(file_scope || is_extern || storage.is_none())
        {
            return;
        }
        for item in &declaration.declarators {
            let Some(name) = declarator_name(&item.node.declarator) else {
                continue;
            };
            let is_function = item.node.declarator.node.derived.iter().any(|derived| {
                matches!(
                    derived.node,
                    ast::DerivedDeclarator::Function(_) | ast::DerivedDeclarator::KRFunction(_)
                )
            });
            if !file_scope && !is_extern && !is_function {
                continue;
            }
            if file_scope && is_function {
                let inline = self.linkage.inline.entry(name.into()).or_default();
                inline.note(&declaration.specifiers);
            }
            self.note_specifiers(name, &declaration.specifiers);
            self.note_declarator(name, &item.node.declarator);
            let known =
                self.linkage.symbols.contains_key(name) || self.linkage.aliases.contains_key(name);
            let defines = file_scope
                && !is_function
                && (item.node.initializer.is_some() || (!is_extern && !known));
            if defines {
                self.note_definition(name);
            }
        }
    }

    fn note_specifiers(&mut self, name: &str, specifiers: &[Node<ast::DeclarationSpecifier>]) {
        for specifier in specifiers {
            match &specifier.node {
                ast::DeclarationSpecifier::Extension(extensions) => {
                    self.note_extensions(name, extensions);
                }
                ast::DeclarationSpecifier::Function(specifier)
                    if specifier.node == ast::FunctionSpecifier::Noreturn =>
                {
                    self.linkage.noreturn.insert(name.into());
                }
                _ => {}
            }
        }
    }

    fn note_declarator(&mut self, name: &str, declarator: &Node<ast::Declarator>) {
        let mut node = declarator;
        loop {
            self.note_extensions(name, &node.node.extensions);
            match &node.node.kind.node {
                ast::DeclaratorKind::Declarator(inner) => node = inner,
                _ => break,
            }
        }
    }

    fn note_extensions(&mut self, name: &str, extensions: &[Node<ast::Extension>]) {
        for extension in extensions {
            match &extension.node {
                ast::Extension::AsmLabel(label) => {
                    let label = plain_text(&label.node);
                    if label != name {
                        let symbols = &mut self.linkage.symbols;
                        symbols.insert(name.into(), label.as_str().into());
                    }
                }
                ast::Extension::Attribute(attribute) => {
                    let argument = string_argument(attribute);
                    match (attribute.name.node.trim_matches('_'), argument) {
                        ("alias" | "weakref", Some(target)) => {
                            if attribute.name.node.trim_matches('_') == "weakref" {
                                self.linkage.weak.insert(target.as_str().into());
                            }
                            let symbol = self.linkage.symbols.get(name).cloned();
                            let symbol = symbol.unwrap_or_else(|| name.into());
                            if *symbol != *target {
                                self.linkage.aliases.insert(symbol, target.as_str().into());
                            }
                        }
                        ("weak" | "weakref", None) => {
                            self.linkage.weak.insert(name.into());
                        }
                        ("gnu_inline", None) => {
                            self.linkage.inline.entry(name.into()).or_default().gnu = true;
                        }
                        ("always_inline", None) => {
                            self.linkage.inline.entry(name.into()).or_default().always = true;
                        }
                        ("ifunc", Some(resolver)) => {
                            let resolvers = &mut self.linkage.resolvers;
                            resolvers.insert(name.into(), resolver.as_str().into());
                        }
                        ("noreturn", None) => {
                            self.linkage.noreturn.insert(name.into());
                        }
                        ("returns_twice", None) => {
                            self.linkage.returns_twice.insert(name.into());
                        }
                        ("const" | "malloc" | "pure" | "returns_nonnull", _) => {
                            self.linkage.promised.insert(name.into());
                        }
                        _ => {}
                    }
                }
                ast::Extension::AvailabilityAttribute(_) => {}
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
        if let Some(defined) = self.linkage.definitions.get(symbol) {
            return Rc::clone(defined);
        }
        self.library_object(symbol).into()
    }

    /// The principal name of an object of the library, unless the program defines one of its names.
    fn library_object<'a>(&self, symbol: &'a str) -> &'a str {
        let object = library::object_name(symbol);
        let is_defined = |name: &str| self.linkage.definitions.contains_key(name);
        if object == symbol
            || is_defined(object)
            || library::other_object_names(object).any(is_defined)
        {
            return symbol;
        }
        object
    }

    /// Checks whether a call by a name known to the compiler could either call another symbol or do what the name
    /// says: gcc computes `strlen("abc")` whatever symbol `strlen` has.
    pub(in crate::lower) fn calls_renamed_builtin(&self, name: &str) -> bool {
        let symbol = self.linkage.symbol(name);
        symbol != name
            && !name.starts_with("__VERIFIER_")
            && !self.input.property().forbids_call(name)
            && !self.input.property().forbids_call(symbol)
            && library::lookup(name).is_some()
            && (self.linkage.definitions.contains_key(symbol) || library::lookup(symbol).is_none())
    }

    /// The number of occurrences of a string in the program's text.
    pub(in crate::lower) fn count_in_text(&self, part: &str) -> usize {
        let text = self.input.parsed().positions.text();
        let places = text.windows(part.len());
        places.filter(|place| *place == part.as_bytes()).count()
    }

    /// Checks whether the linker decides the address of a symbol.
    pub(in crate::lower) fn is_linker_symbol(&self, symbol: &str) -> bool {
        let known = match linker::section(symbol) {
            Some(section) => self.count_in_text(&format!("\"{section}\"")) > 0,
            None => linker::defines(symbol),
        };
        known && (linker::always_defines(symbol) || !self.linkage.definitions.contains_key(symbol))
    }

    /// Checks whether the program defines the symbol of a name.
    pub(in crate::lower) fn is_defined(&self, entity: &str) -> bool {
        let symbol = self.linkage.symbol(entity);
        self.linkage.definitions.contains_key(symbol)
    }

    /// Checks whether the symbol of a name may be undefined in the linked program.
    fn may_be_missing(&self, name: &str, entity: &str) -> bool {
        (self.linkage.weak.contains(name) || self.linkage.weak.contains(entity))
            && !self.is_defined(entity)
            && !self.input.property().forbids_call(entity)
            && !entity.starts_with("__VERIFIER_")
    }

    /// Checks whether another file may define the symbol of a name instead of this one.
    pub(in crate::lower) fn is_weak(&self, name: &str) -> bool {
        self.linkage.weak.contains(name)
    }

    /// For a weak symbol without a definition, whether it has an address, as a `_Bool`; else `None`.
    pub(in crate::lower) fn weak_flag(&mut self, name: &str) -> Option<Expr> {
        let entity = self.entity_name(name);
        if !self.may_be_missing(name, &entity) {
            return None;
        }
        let object = match self.linkage.weak_flags.get(&entity) {
            Some(&object) => object,
            None => {
                let storage = Storage::Static { external: false };
                let flag = format!("weak#{entity}");
                let object = self
                    .add_object(flag, Type::BOOL, storage, self.cursor.span())
                    .ok()?;
                self.linkage.weak_flags.insert(Rc::clone(&entity), object);
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
        let linked = self.linkage.weak.contains(name)
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

    /// Assumes that a called weak function exists: a call of null ends the program.
    pub(in crate::lower) fn assume_weak(&mut self, name: &str) {
        if let Some(flag) = self.weak_flag(name) {
            self.emit_fresh(Instruction::Assume(flag));
        }
    }

    /// Checks whether a call of an unknown function does not return.
    pub(in crate::lower) fn ends_program(&self, name: &str) -> bool {
        self.linkage.noreturn.contains(name)
    }

    /// Checks whether a function has the attribute `returns_twice` and is not modelled as such.
    pub(in crate::lower) fn returns_twice(&self, name: &str) -> bool {
        let is_modelled = || {
            let known = library::lookup(name).map(|known| known.model);
            known == Some(Model::Builtin(Builtin::SetJump)) && !self.functions.has(name)
        };
        self.linkage.returns_twice.contains(name) && !is_modelled()
    }

    /// Checks whether a system header or an attribute restricts what an undefined function may do.
    pub(in crate::lower) fn is_promised(&self, name: &str) -> bool {
        self.symbols.is_from_system(name) || self.linkage.promised.contains(name)
    }

    // --- indirect functions ---

    /// The object that holds the address of an indirect function; `None` for other names.
    pub(in crate::lower) fn indirect_function(&mut self, name: &str, ty: Type) -> Option<Place> {
        let entity = self.entity_name(name);
        if !self.linkage.resolvers.contains_key(&entity) {
            return None;
        }
        let known = self.linkage.indirect.iter().find(|entry| entry.0 == entity);
        let object = match known {
            Some(&(_, object, _)) => object,
            None => {
                let pointer = self.types.pointer(ty);
                let storage = Storage::Static { external: false };
                let hidden = format!("ifunc#{entity}");
                let object = self
                    .add_object(hidden, pointer, storage, self.cursor.span())
                    .ok()?;
                self.linkage.indirect.push((entity, object, ty));
                object
            }
        };
        Some(self.object_place(object, ScalarType::Pointer))
    }

    /// Emits the calls of the resolvers of indirect functions in the start function.
    pub(in crate::lower) fn resolve_indirect_functions(&mut self) -> Result<()> {
        for (entity, object, ty) in std::mem::take(&mut self.linkage.indirect) {
            let resolver = self.linkage.resolvers.get(&entity).cloned();
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

    /// Checks whether the function is an indirect one.
    pub(in crate::lower) fn is_indirect(&self, entity: &str) -> bool {
        self.linkage.resolvers.contains_key(entity)
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
