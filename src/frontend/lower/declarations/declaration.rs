//! Declarations: variables, functions and type names at file scope and in blocks.

use std::rc::Rc;

use lang_c::ast;
use lang_c::span::Node;

use super::declarator::{Declared, LengthContext};
use super::specifier::{Specifiers, StorageClass};
use crate::ir::{BinaryOp, Expr, InitialContents, Instruction, ObjectIndex, ScalarType, Storage};
use crate::library;
use crate::lower::checks::initialisation::reads_itself;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::Value;
use crate::lower::limits::UNKNOWN_OBJECT_SIZE;
use crate::lower::state::builder::FunctionBuilder;
use crate::lower::state::scope::{Definition, Entity, Linked, Symbol, SymbolId};
use crate::lower::{Lowerer, Result};
use crate::memory::layout::AddressSpace;
use crate::types::{ArrayLength, Type, TypeKind};
use regatta_base::diagnostic::Error;
use regatta_program::{Lifetime, Span};

/// What is not modelled under a check of memory: an access by a name goes as far as that name's type.
pub(super) const DIFFERENT_SIZES: &str = "an object with names of different sizes";

impl Lowerer<'_> {
    /// Lowers an external declaration: a declaration at file scope or a function definition.
    pub(in crate::lower) fn external_declaration(
        &mut self,
        node: &Node<ast::ExternalDeclaration>,
    ) -> Result<()> {
        self.cursor.set_span(self.cursor.place_of(node));
        match &node.node {
            ast::ExternalDeclaration::Declaration(declaration) => self.declaration(declaration),
            ast::ExternalDeclaration::StaticAssert(assertion) => self.static_assertion(assertion),
            ast::ExternalDeclaration::FunctionDefinition(function) => {
                self.function_definition(function)
            }
        }
    }

    /// Lowers a declaration at file scope or in a block.
    pub(in crate::lower) fn declaration(&mut self, node: &Node<ast::Declaration>) -> Result<()> {
        self.cursor.set_span(self.cursor.place_of(node));
        if is_auto_type(&node.node.specifiers) {
            return self.auto_declaration(&node.node);
        }
        let specifiers = self.specifiers(&node.node.specifiers)?;
        if !self.scopes.at_file_scope() {
            let place_of = |_: &Node<ast::Identifier>| Span::NONE;
            self.linkage.note_declaration(&node.node, false, &place_of);
        }
        for item in &node.node.declarators {
            self.cursor.set_span(self.cursor.place_of(item));
            let file_scope = self.scopes.at_file_scope();
            if !file_scope && let Some(body) = Self::nested_body(&item.node) {
                self.nested_function(&specifiers, item, body)?;
                continue;
            }
            let context = if specifiers.storage == Some(StorageClass::Extern) && !file_scope {
                LengthContext::Prototype
            } else {
                LengthContext::Evaluated
            };
            let mut declared = self.declarator_in(specifiers.ty, &item.node.declarator, context)?;
            self.cursor.set_span(self.cursor.place_of(item));
            declared.attributes.alignment = declared
                .attributes
                .alignment
                .max(specifiers.attributes.alignment);
            declared.attributes.inherit(&specifiers.attributes);
            if declared.attributes.noreturn {
                declared.ty = self.types.without_return(declared.ty);
            }
            let is_nested = is_automatic(&node.node.specifiers) && !file_scope;
            if let (true, true, Some(name)) = (
                is_nested,
                self.types.is_function(declared.ty),
                declared.name,
            ) {
                self.declare_nested(&name.node.name, declared.ty);
                continue;
            }
            if declared.attributes.constant {
                declared.ty = self.constant_type(declared.ty);
            }
            self.init_declarator(&specifiers, &declared, item.node.initializer.as_ref())?;
        }
        Ok(())
    }

    /// Lowers `__auto_type x = e;`: `x` has the type of `e`.
    fn auto_declaration(&mut self, declaration: &ast::Declaration) -> Result<()> {
        let others: Vec<Node<ast::DeclarationSpecifier>> = declaration
            .specifiers
            .iter()
            .filter(|specifier| !is_auto_type(std::slice::from_ref(*specifier)))
            .cloned()
            .collect();
        let others = self.specifiers(&others)?;
        for item in &declaration.declarators {
            self.cursor.set_span(self.cursor.place_of(item));
            let (Some(initializer), ast::DeclaratorKind::Identifier(_)) =
                (&item.node.initializer, &item.node.declarator.node.kind.node)
            else {
                return Err(self.error("`__auto_type` without an initialiser"));
            };
            let ast::Initializer::Expression(expression) = &initializer.node else {
                return Err(self.error("`__auto_type` with a list"));
            };
            let ty = self.unevaluated(|this| {
                let value = this.expression(expression)?;
                Ok(this.rvalue(value).ty)
            })?;
            if self.types.is_variably_modified(ty) {
                self.auto_pointer(item, expression)?;
                continue;
            }
            let ty = ty.qualified(others.ty.qualifiers);
            let specifiers = Specifiers {
                ty,
                ..others.clone()
            };
            let mut declared = self.declarator(ty, &item.node.declarator)?;
            let alignment = declared.attributes.alignment;
            declared.attributes.alignment = alignment.max(others.attributes.alignment);
            declared.attributes.inherit(&others.attributes);
            if declared.attributes.constant {
                declared.ty = self.constant_type(declared.ty);
            }
            self.init_declarator(&specifiers, &declared, Some(initializer))?;
        }
        Ok(())
    }

    /// Lowers `__auto_type x = e;` where the type of `e` has sizes that are computed with its value: `e` is evaluated
    /// once, before the type is known.
    fn auto_pointer(
        &mut self,
        item: &Node<ast::InitDeclarator>,
        expression: &Node<ast::Expression>,
    ) -> Result<()> {
        let span = self.cursor.span();
        let value = self.expression(expression)?;
        let (value, ty) = self.scalar_value(value)?;
        let scalar = self.scalar_type(ty)?;
        self.cursor.set_span(span);
        let kept = self.temporary(scalar);
        let place = self.object_place(kept, scalar);
        self.emit_fresh(Instruction::Assign { place, value });
        let declared = self.declarator(ty, &item.node.declarator)?;
        let Some(name) = declared.name else {
            return Err(self.error("a declaration without a name"));
        };
        let name = &name.node.name;
        self.declare_local(name, &declared, None)?;
        let target = self.identifier(name)?;
        let kept = Value::lvalue(Expr::ObjectAddress(kept), ty);
        let kept = self.rvalue(kept);
        self.store_value(target, kept)
    }

    fn init_declarator(
        &mut self,
        specifiers: &Specifiers,
        declared: &Declared<'_>,
        initializer: Option<&Node<ast::Initializer>>,
    ) -> Result<()> {
        let Some(name) = declared.name else {
            return Err(self.error("a declaration without a name"));
        };
        self.cursor.set_span(self.cursor.place_of(name));
        let name = name.node.name.as_str();
        if specifiers.storage == Some(StorageClass::Typedef) {
            if initializer.is_some() {
                return Err(self.error(format!("the type name `{name}` is initialised")));
            }
            let ty = match declared.attributes.alignment {
                Some(alignment) => declared.ty.aligned(alignment),
                None => declared.ty,
            };
            return self.declare_typedef(name, ty);
        }
        if self.types.is_function(declared.ty) {
            if initializer.is_some() {
                return Err(self.error(format!("the function `{name}` is initialised")));
            }
            if specifiers.storage == Some(StorageClass::Static) {
                let own_name = self.linkage.files.name(name);
                self.symbols.make_internal(own_name);
            }
            self.declare_function(name, declared.ty)?;
            let own_name = self.linkage.files.body_name(name);
            self.lifecycle
                .note_attributes(own_name, &declared.attributes);
            self.note_function_alignment(name, &declared.attributes);
            self.note_function_section(&declared.attributes);
            return Ok(());
        }
        if self.types.is_void(declared.ty) {
            return Err(self.error(format!("the variable `{name}` has type `void`")));
        }
        if declared.attributes.constant && initializer.is_none() {
            return Err(self.error(format!(
                "the `constexpr` object `{name}` is not initialised"
            )));
        }
        let has_linkage =
            self.scopes.at_file_scope() || specifiers.storage == Some(StorageClass::Extern);
        if has_linkage {
            // C23 6.2.2p3: `constexpr` implies internal linkage.
            let storage = match declared.attributes.constant {
                true => specifiers.storage.or(Some(StorageClass::Static)),
                false => specifiers.storage,
            };
            self.declare_global(name, storage, declared, initializer)
        } else if specifiers.storage == Some(StorageClass::Static) {
            self.declare_static_local(name, declared, initializer)
        } else {
            self.declare_local(name, declared, initializer)
        }
    }

    fn declare_typedef(&mut self, name: &str, ty: Type) -> Result<()> {
        if let Some(old) = self.scopes.lookup_innermost(name) {
            let symbol = self.scopes.symbol(old);
            // A repeated typedef is allowed; a built-in one may be replaced.
            let same = matches!(symbol.entity, Entity::Typedef)
                && (symbol.span == Span::NONE || self.types.compatible(symbol.ty, ty));
            if !same {
                return Err(self.other_before(name));
            }
        }
        let symbol = self.scopes.create(Symbol {
            ty,
            entity: Entity::Typedef,
            span: self.cursor.span(),
        });
        self.scopes.bind(name, symbol);
        Ok(())
    }

    fn other_before(&self, name: &str) -> Error {
        self.error(format!("`{name}` is declared as something else before"))
    }

    fn conflicting_types(&self, name: &str, old: Type, new: Type) -> Error {
        let (old, new) = (self.types.describe(old), self.types.describe(new));
        self.error(format!(
            "conflicting types for `{name}`: `{new}`, but `{old}` before"
        ))
    }

    /// Declares a function in any scope; returns its symbol with the composite type of all declarations.
    pub(in crate::lower) fn declare_function(&mut self, name: &str, ty: Type) -> Result<SymbolId> {
        if let Some(old) = self.scopes.lookup_innermost(name)
            && !matches!(self.scopes.symbol(old).entity, Entity::Function { .. })
        {
            return Err(self.other_before(name));
        }
        if let Some(linked) = self.scopes.linked.get(name).copied() {
            let known = self.scopes.symbol(linked.symbol);
            if !matches!(known.entity, Entity::Function { .. }) {
                return Err(self.other_before(name));
            }
            let known = known.ty;
            let merged = if self.types.compatible(known, ty) {
                self.types.composite(known, ty)
            } else if self.is_forgivable_redeclaration(name, known, ty) {
                ty
            } else {
                return Err(self.conflicting_types(name, known, ty));
            };
            self.scopes.symbol_mut(linked.symbol).ty = merged;
            self.scopes.bind(name, linked.symbol);
            return Ok(linked.symbol);
        }
        let symbol = self.new_function_symbol(name, ty);
        self.scopes.bind(name, symbol);
        Ok(symbol)
    }

    /// Creates the symbol of a function that was not declared before; the caller binds the name in its scope.
    fn new_function_symbol(&mut self, name: &str, ty: Type) -> SymbolId {
        let entity = self.entity_name(name);
        // The maps by name are the program's.
        let own: Rc<str> = self.linkage.files.name(name).into();
        let name: Rc<str> = name.into();
        if self.cursor.is_in_system_header() {
            self.symbols.note_from_system(own);
        }
        let symbol = self.scopes.create(Symbol {
            ty,
            entity: Entity::Function { name: entity },
            span: self.cursor.span(),
        });
        self.scopes.linked.insert(
            name,
            Linked {
                symbol,
                definition: Definition::Declared,
            },
        );
        symbol
    }

    /// Checks whether gcc accepts different types: for built-in and for implicitly declared functions.
    fn is_forgivable_redeclaration(&mut self, name: &str, old: Type, new: Type) -> bool {
        let implicit = self
            .types
            .function_type(old)
            .is_some_and(|function| function.parameters.is_empty() && function.result == Type::INT);
        if implicit || name.starts_with("__VERIFIER_") || name.starts_with("__builtin_") {
            self.warn(format!("`{name}` is declared with different types"));
            return true;
        }
        // An old-style declaration and a prototype are compatible if the result types are.
        let results = (self.types.function_type(old), self.types.function_type(new));
        matches!(results, (Some(old), Some(new)) if self.types.compatible(old.result, new.result)
        && old.parameters.len() == new.parameters.len()
        && old.parameters.iter().zip(&new.parameters).all(|(&a, &b)| {
            self.types.scalar(a).is_some() && self.types.scalar(a) == self.types.scalar(b)
        }))
    }

    fn declare_global(
        &mut self,
        name: &str,
        storage: Option<StorageClass>,
        declared: &Declared<'_>,
        initializer: Option<&Node<ast::Initializer>>,
    ) -> Result<()> {
        let ty = declared.ty;
        if self.types.is_variably_modified(ty) {
            return Err(self.error(format!("`{name}` has a type that is not constant")));
        }
        // The definition in another file counts in place of a weak one.
        let is_overridden = self.linkage.files.is_overridden(name);
        let initializer = initializer.filter(|_| !is_overridden);
        let definition = match (initializer, storage) {
            _ if is_overridden => Definition::Declared,
            (Some(_), _) => Definition::Complete,
            (None, Some(StorageClass::Extern)) => Definition::Declared,
            _ => Definition::Tentative,
        };
        // Names with the same symbol denote the same object.
        let entity = self.entity_name(name);
        let entity: &str = &entity;
        if let Some(other) = self.scopes.lookup_innermost(name) {
            let linked = self.scopes.linked.get(entity).copied();
            let is_view = |this: &Self, symbol: SymbolId| match (
                &this.scopes.symbol(symbol).entity,
                &this.scopes.symbol(other).entity,
            ) {
                (Entity::Object(one), Entity::Object(other)) => one == other,
                _ => false,
            };
            let same =
                linked.is_some_and(|linked| linked.symbol == other || is_view(self, linked.symbol));
            if !same {
                return Err(self.other_before(name));
            }
        }
        let symbol = match self.scopes.linked.get(entity).copied() {
            Some(mut linked) => {
                let known = self.scopes.symbol(linked.symbol);
                let known_type = known.ty;
                if !matches!(known.entity, Entity::Object(_)) {
                    return Err(self.other_before(name));
                }
                if !self.types.compatible(known_type, ty) {
                    if definition == Definition::Declared && self.has_other_names(name, entity) {
                        return self.declare_view(name, linked.symbol, declared);
                    }
                    if self.input.property().checks_memory() {
                        self.refuse(DIFFERENT_SIZES);
                    }
                    return Err(self.conflicting_types(name, known_type, ty));
                }
                if linked.definition == Definition::Complete && definition == Definition::Complete {
                    return Err(self.error(format!("redefinition of `{name}`")));
                }
                let merged = self.types.composite(known_type, ty);
                self.scopes.symbol_mut(linked.symbol).ty = merged;
                if linked.definition == Definition::Declared || definition == Definition::Complete {
                    linked.definition = definition;
                }
                self.scopes.linked.insert(entity.into(), linked);
                linked.symbol
            }
            None => {
                // `errno` and similar objects have a reserved name, but are externally visible.
                let external =
                    storage != Some(StorageClass::Static) || name.starts_with(library::SHARED);
                let span = self.cursor.span();
                let storage = Storage::Static { external };
                let object = match self.object_of_other_file(entity) {
                    Some(object) => object,
                    None => self.add_object(entity.to_owned(), ty, storage, span)?,
                };
                if self.cursor.is_in_system_header() {
                    self.objects.note_from_system(object);
                }
                let symbol = self.scopes.create(Symbol {
                    ty,
                    entity: Entity::Object(object),
                    span,
                });
                self.scopes
                    .linked
                    .insert(entity.into(), Linked { symbol, definition });
                symbol
            }
        };
        self.scopes.bind(name, symbol);
        let Entity::Object(object) = self.scopes.symbol(symbol).entity else {
            return Ok(());
        };
        self.update_layout(object, symbol, declared.attributes.alignment)?;
        let is_static = storage == Some(StorageClass::Static);
        self.note_section(object, &declared.attributes, is_static);
        if definition != Definition::Declared {
            self.lifecycle.note_definition_of(object);
        }
        if let Some(initializer) = initializer {
            let ty = self.initialise_constant(object, ty, declared, initializer)?;
            let symbol_type = self.scopes.symbol(symbol).ty;
            self.scopes.symbol_mut(symbol).ty = self.types.composite(symbol_type, ty);
            self.update_layout(object, symbol, None)?;
        }
        Ok(())
    }

    /// The object that files before this one declare.
    fn object_of_other_file(&self, entity: &str) -> Option<ObjectIndex> {
        let linked = self.scopes.other_files.get(entity)?;
        match self.scopes.symbol(linked.symbol).entity {
            Entity::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Checks whether an object has other names, whose declarations may give it other types.
    fn has_other_names(&self, name: &str, entity: &str) -> bool {
        name != entity || library::other_object_names(entity).next().is_some()
    }

    /// Declares a further name of an object, which gives the object a type of its own.
    fn declare_view(&mut self, name: &str, known: SymbolId, declared: &Declared<'_>) -> Result<()> {
        let entity = self.scopes.symbol(known).entity.clone();
        let Entity::Object(object) = entity else {
            return Err(self.other_before(name));
        };
        let span = self.cursor.span();
        let ty = declared.ty;
        let is_of_same_size = self
            .types
            .size_of(ty)
            .is_ok_and(|size| size == self.objects[object].size);
        if self.input.property().checks_memory() && !is_of_same_size {
            self.refuse(DIFFERENT_SIZES);
        }
        let symbol = self.scopes.create(Symbol { ty, entity, span });
        self.scopes.bind(name, symbol);
        self.update_layout(object, symbol, declared.attributes.alignment)
    }

    /// Sets an object's size to that of its symbol's type, as far as that is known.
    fn update_layout(
        &mut self,
        object: ObjectIndex,
        symbol: SymbolId,
        alignment: Option<u64>,
    ) -> Result<()> {
        let ty = self.scopes.symbol(symbol).ty;
        if self.types.is_complete(ty) && !self.types.is_variable_size(ty) {
            let size = self.size_of(ty)?;
            let natural = self.alignment_of(ty)?;
            let leaves = self.types.leaves(ty);
            if let Some(object) = self.objects.get_mut(object) {
                // The initialiser of a flexible array member may have enlarged the object.
                if size > object.size {
                    object.size = size;
                    object.leaves = leaves;
                }
                object.alignment = object.alignment.max(natural);
            }
        }
        if let (Some(alignment), Some(object)) = (alignment, self.objects.get_mut(object)) {
            object.alignment = object.alignment.max(alignment);
        }
        Ok(())
    }

    /// Completes tentative definitions and undefined globals at the end of the program.
    pub(in crate::lower) fn finish_globals(&mut self) -> Result<()> {
        let mut all: Vec<Linked> = self.scopes.linked.values().copied().collect();
        all.sort_by_key(|linked| match self.scopes.symbol(linked.symbol).entity {
            Entity::Object(object) => object.0,
            _ => u32::MAX,
        });
        for linked in all {
            let Symbol { ty, entity, span } = self.scopes.symbol(linked.symbol).clone();
            let Entity::Object(object) = entity else {
                continue;
            };
            self.cursor.set_span(span);
            if linked.definition == Definition::Tentative
                && let Some((element, ArrayLength::Unknown)) = self.types.array_parts(ty)
            {
                let one = self.types.array(element, ArrayLength::Constant(1));
                self.scopes.symbol_mut(linked.symbol).ty = one;
            }
            self.update_layout(object, linked.symbol, None)?;
            let ty = self.scopes.symbol(linked.symbol).ty;
            if linked.definition != Definition::Declared && !self.types.is_complete(ty) {
                let ty = self.types.describe(ty);
                let error = self.error(format!("a variable of the incomplete type `{ty}`"));
                let name = self.objects[object].name.as_str().into();
                self.note_failed_object(name, error);
                continue;
            }
            // The library's objects have known contents.
            let name = &self.objects[object].name;
            let name = name.as_str();
            let known = library::OBJECTS.contains(&name) && name != library::ENVIRONMENT;
            if linked.definition == Definition::Declared && !known {
                self.define_elsewhere(object, ty)?;
            }
        }
        Ok(())
    }

    /// Lays out an object that is declared and never defined; an unknown size becomes a generous one.
    fn define_elsewhere(&mut self, object: ObjectIndex, ty: Type) -> Result<()> {
        let mut ty = ty;
        if let Some((element, ArrayLength::Unknown)) = self.types.array_parts(ty)
            && self.types.is_complete(element)
        {
            let count = UNKNOWN_OBJECT_SIZE / self.size_of(element)?.max(1);
            ty = self.types.array(element, ArrayLength::Constant(count));
        }
        let complete = self.types.is_complete(ty) && !self.types.is_variable_size(ty);
        let (size, leaves) = match complete {
            true => (self.size_of(ty)?, self.types.leaves(ty)),
            false => (UNKNOWN_OBJECT_SIZE, Vec::new()),
        };
        if let Some(object) = self.objects.get_mut(object) {
            object.storage = Storage::Outside;
            object.size = object.size.max(size);
            object.leaves = leaves;
        }
        Ok(())
    }

    fn declare_static_local(
        &mut self,
        name: &str,
        declared: &Declared<'_>,
        initializer: Option<&Node<ast::Initializer>>,
    ) -> Result<()> {
        self.check_not_redeclared(name)?;
        if self.types.is_variable_size(declared.ty) {
            return Err(self.error(format!("the static variable `{name}` has no constant size")));
        }
        let full_name = self.local_name(name);
        let span = self.cursor.span();
        let storage = Storage::Static { external: false };
        let object = self.add_object(full_name, declared.ty, storage, span)?;
        let symbol = self.bind_local(name, declared.ty, Entity::Object(object));
        self.update_layout(object, symbol, declared.attributes.alignment)?;
        // A function without callers is left out, and its objects with it.
        let mut attributes = declared.attributes.clone();
        attributes.used &= !self.symbols.is_internal(self.function.name());
        self.note_section(object, &attributes, true);
        self.lifecycle.note_definition_of(object);
        match initializer {
            Some(initializer) => {
                let ty = self.initialise_constant(object, declared.ty, declared, initializer)?;
                self.scopes.symbol_mut(symbol).ty = ty;
                self.update_layout(object, symbol, None)
            }
            None => self.check_complete(name, declared.ty),
        }
    }

    fn check_complete(&self, name: &str, ty: Type) -> Result<()> {
        if self.types.is_complete(ty) {
            return Ok(());
        }
        let ty = self.types.describe(ty);
        Err(self.error(format!("`{name}` has the incomplete type `{ty}`")))
    }

    fn check_not_redeclared(&self, name: &str) -> Result<()> {
        if self.scopes.lookup_innermost(name).is_some() {
            return Err(self.error(format!("redefinition of `{name}`")));
        }
        Ok(())
    }

    /// A name for a local that is unique in the function.
    pub(in crate::lower) fn local_name(&mut self, name: &str) -> String {
        let plain = format!("{}::{name}", self.function.name());
        if self.function.take_name(&plain) {
            return plain;
        }
        let mut number = self.scopes.number();
        loop {
            let nested = format!("{}::{number}::{name}", self.function.name());
            if self.function.take_name(&nested) {
                return nested;
            }
            number += 1;
        }
    }

    pub(in crate::lower) fn bind_local(
        &mut self,
        name: &str,
        ty: Type,
        entity: Entity,
    ) -> SymbolId {
        let symbol = self.scopes.create(Symbol {
            ty,
            entity,
            span: self.cursor.span(),
        });
        self.scopes.bind(name, symbol);
        symbol
    }

    fn declare_local(
        &mut self,
        name: &str,
        declared: &Declared<'_>,
        initializer: Option<&Node<ast::Initializer>>,
    ) -> Result<()> {
        self.check_not_redeclared(name)?;
        let ty = declared.ty;
        if self.types.is_variable_size(ty) {
            if declared.attributes.cleanup.is_some() {
                self.unsupported(format!("the cleanup of the variable-length array `{name}`"));
            }
            if initializer.is_some() {
                return Err(
                    self.error(format!("the variable-length array `{name}` is initialised"))
                );
            }
            return self.declare_variable_array(name, ty);
        }
        let full_name = self.local_name(name);
        let span = self.cursor.span();
        let storage = Storage::Automatic(self.function.index());
        let object = self.add_object(full_name, ty, storage, span)?;
        let symbol = self.bind_local(name, ty, Entity::Object(object));
        let Some(initializer) = initializer else {
            self.check_complete(name, ty)?;
            self.update_layout(object, symbol, declared.attributes.alignment)?;
            self.note_unset(object, ty);
            self.emit(Instruction::Declare(object));
            self.note_local(object, declared)?;
            return Ok(());
        };
        let plan = self.plan_initialiser(ty, initializer)?;
        self.scopes.symbol_mut(symbol).ty = plan.ty;
        self.cursor.set_span(span);
        self.check_complete(name, plan.ty)?;
        self.update_layout(object, symbol, declared.attributes.alignment)?;
        if let Some(object) = self.objects.get_mut(object) {
            object.size = object.size.max(plan.size);
        }
        if self.function.has_jumps() || reads_itself(initializer, name) {
            self.note_unset(object, plan.ty);
            self.begin_unset(object);
        }
        let address = Expr::ObjectAddress(object);
        match declared.attributes.constant {
            true => self.as_constant(object, |this| this.emit_initialiser(address, &plan))?,
            false => self.emit_initialiser(address, &plan)?,
        }
        self.note_local(object, declared)
    }

    /// Registers an automatic object for jumps that pass its declaration, with the cleanup of its attribute.
    fn note_local(&mut self, object: ObjectIndex, declared: &Declared<'_>) -> Result<()> {
        let cleanup = match &declared.attributes.cleanup {
            Some(function) => Some(self.cleanup_of(function, declared.ty)?),
            None => None,
        };
        self.control.blocks_mut().declare(object, cleanup);
        Ok(())
    }

    /// A variable-length array: an object of its own is made where the declaration is reached.
    fn declare_variable_array(&mut self, name: &str, ty: Type) -> Result<()> {
        let full_name = self.local_name(name);
        let span = self.cursor.span();
        let mut element = ty;
        while let TypeKind::Array { element: inner, .. } = *self.types.kind(element) {
            element = inner;
        }
        let alignment = self.alignment_of(element)?;
        let pointer_type = self.types.pointer(element);
        let storage = Storage::Automatic(self.function.index());
        let pointer = self.add_object(full_name, pointer_type, storage, span)?;
        self.assume_lengths(ty)?;
        let size = self.size_expression(ty)?;
        let size = fold::convert(size, self.types.offset_scalar(), self.types.size_scalar());
        let place = self.object_place(pointer, ScalarType::Pointer);
        self.emit(Instruction::Allocate {
            place,
            size,
            alignment,
            lifetime: Lifetime::Automatic,
            contents: InitialContents::Uninitialised,
        });
        self.bind_local(name, ty, Entity::VariableArray(pointer));
        Ok(())
    }

    /// Assumes that no single dimension of a variable-length array exceeds the size of the largest object. Otherwise
    /// its size in bytes could wrap around to a small one, where C has no such array.
    pub(in crate::lower) fn assume_lengths(&mut self, ty: Type) -> Result<()> {
        let scalar = self.types.size_scalar();
        let mut lengths = Vec::new();
        let mut bytes = 1;
        let mut inner = ty;
        while let Some((element, length)) = self.types.array_parts(inner) {
            match length {
                ArrayLength::Constant(count) => bytes *= i128::from(count),
                ArrayLength::Variable(object) => lengths.push(object),
                ArrayLength::Unknown | ArrayLength::Unspecified => {}
            }
            inner = element;
        }
        let largest = AddressSpace::largest_object(self.input.data_model());
        if let Some(layout) = self.types.variable_layout(inner) {
            if !lengths.is_empty() {
                self.unsupported("a variable-length array of structs of variable size");
            }
            let scalar = self.types.offset_scalar();
            let most = fold::integer(i128::from(largest) / bytes.max(1), scalar);
            let size = self.load_visible(layout.size, scalar);
            let fits = fold::binary(BinaryOp::LessEqual, size, most, scalar);
            self.emit(Instruction::Assume(fits));
            return Ok(());
        }
        bytes *= i128::from(self.size_of(inner)?);
        for object in lengths {
            let most = fold::integer(i128::from(largest) / bytes.max(1), scalar);
            let length = self.load_object(object, scalar);
            let fits = fold::binary(BinaryOp::LessEqual, length, most, scalar);
            self.emit(Instruction::Assume(fits));
        }
        Ok(())
    }

    /// Initialises a static object, which may be `constexpr`.
    fn initialise_constant(
        &mut self,
        object: ObjectIndex,
        ty: Type,
        declared: &Declared<'_>,
        initializer: &Node<ast::Initializer>,
    ) -> Result<Type> {
        if !declared.attributes.constant {
            return self.initialise_static(object, ty, initializer);
        }
        self.as_constant(object, |this| {
            this.initialise_static(object, ty, initializer)
        })
    }

    /// Initialises a static object in the start function; returns its completed type.
    fn initialise_static(
        &mut self,
        object: ObjectIndex,
        ty: Type,
        initializer: &Node<ast::Initializer>,
    ) -> Result<Type> {
        let span = self.cursor.span();
        // In a function, `__func__` needs the function's name.
        let name = self.function.name().to_owned();
        let result = self.in_start(|this| {
            let start_name = this.function.rename(name);
            let result = this.static_initialiser(object, ty, initializer);
            this.function.rename(start_name);
            result
        });
        self.cursor.set_span(span);
        result
    }

    fn static_initialiser(
        &mut self,
        object: ObjectIndex,
        ty: Type,
        initializer: &Node<ast::Initializer>,
    ) -> Result<Type> {
        let plan = self.plan_initialiser(ty, initializer)?;
        if !self.types.is_complete(plan.ty) {
            let ty = self.types.describe(plan.ty);
            return Err(self.error(format!("a variable of the incomplete type `{ty}`")));
        }
        let size = self.size_of(plan.ty)?.max(plan.size);
        let leaves = self.types.leaves(plan.ty);
        if let Some(object) = self.objects.get_mut(object) {
            object.size = size;
            object.leaves = leaves;
            object.leaves.extend_from_slice(&plan.flexible);
        }
        self.emit_initialiser(Expr::ObjectAddress(object), &plan)?;
        Ok(plan.ty)
    }

    /// Declares a called but undeclared identifier as `int name()`.
    pub(in crate::lower) fn declare_implicitly(&mut self, name: &str) -> Result<SymbolId> {
        if self.cursor.is_c23_alone() && library::lookup(name).is_none() {
            return Err(self.error(format!("the function `{name}` is not declared")));
        }
        self.warn(format!("the function `{name}` is not declared"));
        let ty = self.types.function(crate::types::FunctionType {
            result: Type::INT,
            parameters: Vec::new(),
            form: crate::types::ParameterForm::Unspecified,
        });
        if let Some(linked) = self.scopes.linked.get(name).copied() {
            return Ok(linked.symbol);
        }
        let symbol = self.new_function_symbol(name, ty);
        self.scopes.bind_at_file_scope(name, symbol);
        Ok(symbol)
    }

    /// `count * size`, in bytes of type `size_t`.
    pub(in crate::lower) fn byte_count(&self, count: Expr, size: u64) -> Expr {
        let scalar = self.types.size_scalar();
        let size = fold::integer(i128::from(size), scalar);
        fold::binary(BinaryOp::Multiply, count, size, scalar)
    }

    /// A builder for a function that is about to be lowered.
    pub(in crate::lower) fn builder_for(
        &self,
        index: crate::ir::FunctionIndex,
        name: &str,
        result: Type,
    ) -> FunctionBuilder {
        FunctionBuilder::new(index, name.to_owned(), result, self.cursor.span())
    }
}

/// Checks whether a declaration has the storage class `auto`.
fn is_automatic(specifiers: &[Node<ast::DeclarationSpecifier>]) -> bool {
    specifiers.iter().any(|specifier| {
        matches!(&specifier.node, ast::DeclarationSpecifier::StorageClass(class)
            if matches!(class.node, ast::StorageClassSpecifier::Auto))
    })
}

/// Checks whether a declaration takes its type from its initialiser.
fn is_auto_type(specifiers: &[Node<ast::DeclarationSpecifier>]) -> bool {
    specifiers.iter().any(|specifier| {
        matches!(&specifier.node, ast::DeclarationSpecifier::TypeSpecifier(specifier)
            if matches!(&specifier.node, ast::TypeSpecifier::TypedefName(name)
                if name.node.name == crate::rewrite::encoding::AUTO_TYPE))
    })
}
