//! What a name means to the linker: assembler names, aliases, weak symbols, indirect functions.
//!
//! A C name stands for the symbol of the same name, or for another one: `asm("label")` behind the declarator, the
//! attributes `alias` and `weakref`, `#pragma weak a = b` and `#pragma redefine_extname a b` say so. Names that stand
//! for one symbol mean one function or object; all are known before anything is lowered, and where lowering asks what a
//! name means it gets the C name under which the symbol is defined ([`Lowerer::entity_name`]).
//!
//! The library's headers give some functions other symbols (`fscanf` is `__isoc99_fscanf`, `lseek` may be `lseek64`): the
//! library knows those that it has models of, as any other symbol; what else a name stands for is unknown code. Objects of
//! the library have several names as well ([`library::object_name`]). But the compiler may take a function of the standard
//! library for what its C name says, whatever its symbol: which one is called is not modelled.
//!
//! The linker defines symbols, too: where sections begin and end. Where that is in a program is not modelled.
//!
//! A weak symbol without a definition has an address or is null; nobody knows which until the program is linked. An
//! `ifunc` is what its resolver returns at the program's start. A function that does not return (`noreturn`) and is
//! defined elsewhere ends the program.

use std::rc::Rc;

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use super::declarator::declarator_name;
use super::scope::Entity;
use super::value::{Value, ValueKind};
use super::{Lowerer, Result};
use crate::ir::{Expr, Instruction, ObjectIndex, Place, ScalarType, Storage};
use crate::library::{self, Builtin, Model, linker};
use crate::literal::plain_text;
use crate::parse::Pragma;
use crate::types::Type;

/// What declarations say about symbols.
#[derive(Debug, Default)]
pub(super) struct Linkage {
    /// By C name, the symbol that it stands for, if that has another name.
    symbols: FxHashMap<Rc<str>, Rc<str>>,
    /// By symbol, another one that it stands for.
    aliases: FxHashMap<Rc<str>, Rc<str>>,
    /// By symbol, the C name that defines it.
    definitions: FxHashMap<Rc<str>, Rc<str>>,
    /// Weak symbols, by C name.
    weak: FxHashSet<Rc<str>>,
    /// For weak symbols without a definition that are used: whether they have an address.
    weak_flags: FxHashMap<Rc<str>, ObjectIndex>,
    /// Resolvers of indirect functions, by C name.
    resolvers: FxHashMap<Rc<str>, Rc<str>>,
    /// What indirect functions are, by C name.
    indirect: Vec<(Rc<str>, ObjectIndex, Type)>,
    /// Functions that do not return, by C name.
    noreturn: FxHashSet<Rc<str>>,
    /// Functions that say that they return twice.
    returns_twice: FxHashSet<Rc<str>>,
    /// Functions of which an attribute promises something that is not looked at.
    promised: FxHashSet<Rc<str>>,
    /// What makes a definition an inline definition, by C name.
    inline: FxHashMap<Rc<str>, super::inline::Declarations>,
}

/// How many aliases of aliases are followed.
const CHAIN: usize = 64;

impl Linkage {
    fn symbol<'a>(&'a self, name: &'a str) -> &'a str {
        let mut symbol = self.symbols.get(name).map_or(name, |symbol| &**symbol);
        for _ in 0..CHAIN {
            match self.aliases.get(symbol) {
                Some(next) => symbol = next,
                None => break,
            }
        }
        symbol
    }
}

/// The first argument of an attribute, if that is a string.
pub(super) fn string_argument(attribute: &ast::Attribute) -> Option<String> {
    match &attribute.arguments.first()?.node {
        ast::Expression::StringLiteral(parts) => Some(plain_text(&parts.node)),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Notes what the declarations at file scope and the pragmas say about symbols.
    pub(super) fn note_all_linkage(&mut self) {
        let parsed = self.parsed;
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
        // An assembler name may be learned after the definition.
        let definitions: Vec<Rc<str>> = self.linkage.definitions.values().cloned().collect();
        for name in definitions {
            self.note_definition(&name);
        }
        let inline = std::mem::take(&mut self.linkage.inline);
        for (name, declarations) in inline {
            let reserved = name.starts_with("__VERIFIER_")
                || self.linkage.symbols.contains_key(&name)
                || self.property.forbids_call(&name)
                || library::lookup(&name).is_some();
            if !reserved && declarations.make_inline_definition() {
                self.linkage.definitions.remove(&name);
                let body = self.new_function();
                self.inline_bodies.insert(
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

    /// Notes that a symbol stands for another one.
    pub(super) fn note_symbol_alias(&mut self, symbol: &str, target: &str) {
        if symbol != target {
            self.linkage.aliases.insert(symbol.into(), target.into());
        }
    }

    /// Notes what a declaration says about the symbols of the names that it declares.
    pub(super) fn note_linkage(&mut self, declaration: &ast::Declaration, file_scope: bool) {
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

    /// The C name under which what a name with linkage stands for is defined, or known to the library, or else the
    /// symbol itself.
    pub(super) fn entity_name(&self, name: &str) -> Rc<str> {
        if self.property.forbids_call(name) {
            return name.into();
        }
        let symbol = self.linkage.symbol(name);
        if self.property.forbids_call(symbol) {
            return symbol.into();
        }
        if let Some(defined) = self.linkage.definitions.get(symbol) {
            return Rc::clone(defined);
        }
        self.library_object(symbol).into()
    }

    /// The name by which an object of the library is known, unless the program defines one that has a name of it.
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

    /// Whether a call of a function by a name that the compiler knows calls what has another symbol, or does what the name
    /// says: gcc computes `strlen("abc")` whatever symbol `strlen` has.
    pub(super) fn calls_renamed_builtin(&self, name: &str) -> bool {
        let symbol = self.linkage.symbol(name);
        symbol != name
            && !name.starts_with("__VERIFIER_")
            && !self.property.forbids_call(name)
            && !self.property.forbids_call(symbol)
            && library::lookup(name).is_some()
            && (self.linkage.definitions.contains_key(symbol) || library::lookup(symbol).is_none())
    }

    /// How often a part is in the program's text.
    pub(super) fn count_in_text(&self, part: &str) -> usize {
        let text = self.parsed.positions.text();
        let places = text.windows(part.len());
        places.filter(|place| *place == part.as_bytes()).count()
    }

    /// Whether the linker decides where the object behind a symbol is.
    pub(super) fn is_linker_symbol(&self, symbol: &str) -> bool {
        let known = match linker::section(symbol) {
            Some(section) => self.count_in_text(&format!("\"{section}\"")) > 0,
            None => linker::defines(symbol),
        };
        known && (linker::always_defines(symbol) || !self.linkage.definitions.contains_key(symbol))
    }

    /// Whether the program defines what has a symbol.
    pub(super) fn is_defined(&self, entity: &str) -> bool {
        let symbol = self.linkage.symbol(entity);
        self.linkage.definitions.contains_key(symbol)
    }

    /// Whether the symbol behind a name may be missing in the program as it is linked.
    fn may_be_missing(&self, name: &str, entity: &str) -> bool {
        (self.linkage.weak.contains(name) || self.linkage.weak.contains(entity))
            && !self.is_defined(entity)
            && !self.property.forbids_call(entity)
            && !entity.starts_with("__VERIFIER_")
    }

    /// Whether another file may define the symbol behind a name instead of this one.
    pub(super) fn is_weak(&self, name: &str) -> bool {
        self.linkage.weak.contains(name)
    }

    /// For a weak symbol without a definition, whether it has an address, as a `_Bool`; else `None`.
    pub(super) fn weak_flag(&mut self, name: &str) -> Option<Expr> {
        let entity = self.entity_name(name);
        if !self.may_be_missing(name, &entity) {
            return None;
        }
        let object = match self.linkage.weak_flags.get(&entity) {
            Some(&object) => object,
            None => {
                let storage = Storage::Static { external: false };
                let flag = format!("weak#{entity}");
                let object = self.add_object(flag, Type::BOOL, storage, self.span).ok()?;
                self.linkage.weak_flags.insert(Rc::clone(&entity), object);
                // It does not change: static initialisers may depend on it.
                self.constants.insert(object);
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

    /// The address of what a weak symbol stands for, or null.
    pub(super) fn weak_address(&mut self, name: &str, address: Expr) -> Expr {
        match self.weak_flag(name) {
            Some(flag) => {
                let null = super::fold::zero(ScalarType::Pointer);
                Expr::conditional(flag, address, null, ScalarType::Pointer)
            }
            None => address,
        }
    }

    /// The address of what a weak variable stands for, or null.
    pub(super) fn weak_object_address(&mut self, name: &str, address: Expr) -> Expr {
        // Almost no program has weak symbols, and locals have no linkage.
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

    /// Goes on only if a weak function that is called exists: a call of null ends the program.
    pub(super) fn assume_weak(&mut self, name: &str) {
        if let Some(flag) = self.weak_flag(name) {
            self.emit_fresh(Instruction::Assume(flag));
        }
    }

    /// Whether a call of the function does not come back, although nothing else is known of it.
    pub(super) fn ends_program(&self, name: &str) -> bool {
        self.linkage.noreturn.contains(name)
    }

    /// Whether a function that is not modelled as one that returns twice says that it does.
    pub(super) fn returns_twice(&self, name: &str) -> bool {
        let is_modelled = || {
            let known = library::lookup(name).map(|known| known.model);
            known == Some(Model::Builtin(Builtin::SetJump)) && !self.defined.contains_key(name)
        };
        self.linkage.returns_twice.contains(name) && !is_modelled()
    }

    /// Whether a function that is not defined does less than code of which nothing is known: the system's headers declare it,
    /// or an attribute promises something.
    pub(super) fn is_promised(&self, name: &str) -> bool {
        self.system_functions.contains(name) || self.linkage.promised.contains(name)
    }

    // --- indirect functions ---

    /// The object that holds the address that an indirect function has, if the name is one's.
    pub(super) fn indirect_function(&mut self, name: &str, ty: Type) -> Option<Place> {
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
                let object = self.add_object(hidden, pointer, storage, self.span).ok()?;
                self.linkage.indirect.push((entity, object, ty));
                object
            }
        };
        Some(self.object_place(object, ScalarType::Pointer))
    }

    /// Calls the resolvers of indirect functions, in the start function.
    pub(super) fn resolve_indirect_functions(&mut self) -> Result<()> {
        for (entity, object, ty) in std::mem::take(&mut self.linkage.indirect) {
            let resolver = self.linkage.resolvers.get(&entity).cloned();
            let symbol = resolver
                .as_ref()
                .map(|resolver| self.entity_name(resolver))
                .and_then(|resolver| self.scopes.linked.get(&resolver).copied())
                .map(|linked| self.scopes.symbol(linked.symbol).clone());
            let function = symbol.and_then(|symbol| match symbol.entity {
                Entity::Function { name } => {
                    let index = *self.defined.get(&name)?;
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
            let value =
                self.emit_call(callee, &function, Vec::new(), super::assignment::Use::Value)?;
            let pointer = self.types.pointer(ty);
            let value = self.cast(value, pointer)?;
            self.store_value(Value::lvalue(Expr::ObjectAddress(object), pointer), value)?;
        }
        Ok(())
    }

    /// Whether the function is what a resolver returns.
    pub(super) fn is_indirect(&self, entity: &str) -> bool {
        self.linkage.resolvers.contains_key(entity)
    }

    /// An indirect function as an expression, if the name is one's.
    pub(super) fn indirect_designator(&mut self, name: &str, ty: Type) -> Option<Value> {
        let place = self.indirect_function(name, ty)?;
        Some(Value {
            ty,
            kind: ValueKind::Function(Expr::Load(place)),
        })
    }
}
