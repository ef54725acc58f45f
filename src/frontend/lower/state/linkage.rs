//! What the program's declarations, attributes and pragmas say of linkage, which is known before anything is lowered (see
//! [`crate::lower::declarations::linkage`]).

use std::rc::Rc;

use lang_c::ast;
use lang_c::span::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use super::files::{Choice, Files, Site, SiteKind, choose};
use crate::ir::ObjectIndex;
use crate::library;
use crate::lower::declarations::declarator::innermost_name;
use crate::lower::declarations::inline::Declarations;
use crate::lower::declarations::linkage::string_argument;
use crate::lower::limits::MAXIMUM_ALIAS_CHAIN;
use crate::parse::{ParsedUnit, Pragma};
use crate::syntax::literal::plain_text;
use crate::types::Type;
use regatta_base::Span;
use regatta_base::diagnostic::{Error, ErrorKind};
use regatta_program::source_name;

/// The symbols and attributes collected from declarations.
#[derive(Debug, Default)]
pub(in crate::lower) struct Linkage {
    /// The files of the program. All other names here are the program's ([`Files::name`]).
    pub files: Files,
    /// The definitions of names with external linkage; empty if there is one file.
    sites: Vec<Site>,
    /// The files that declare a name, and of these the ones that give it another symbol.
    declared: FxHashMap<Rc<str>, FxHashSet<usize>>,
    labelled: FxHashMap<Rc<str>, FxHashSet<usize>>,
    /// The names that the current file declares weak.
    weak_here: FxHashSet<Rc<str>>,
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
    inline: FxHashMap<Rc<str>, Declarations>,
}

impl Linkage {
    pub fn new(units: &[ParsedUnit]) -> Self {
        Self {
            files: Files::new(units),
            ..Self::default()
        }
    }

    /// The symbol of a C name.
    pub fn symbol<'a>(&'a self, name: &'a str) -> &'a str {
        let name = self.files.name(name);
        let mut symbol = self.symbols.get(name).map_or(name, |symbol| &**symbol);
        for _ in 0..MAXIMUM_ALIAS_CHAIN {
            match self.aliases.get(symbol) {
                Some(next) => symbol = next,
                None => break,
            }
        }
        symbol
    }

    // --- questions ---

    /// The principal name of an object of the library, unless the program defines one of its names.
    pub fn library_object<'a>(&self, symbol: &'a str) -> &'a str {
        let object = library::object_name(symbol);
        let is_defined = |name: &str| self.defines(name);
        if object == symbol
            || is_defined(object)
            || library::other_object_names(object).any(is_defined)
        {
            return symbol;
        }
        object
    }

    /// The C name that defines a symbol.
    pub fn definition(&self, symbol: &str) -> Option<&Rc<str>> {
        self.definitions.get(symbol)
    }

    /// Checks whether the program defines a symbol.
    pub fn defines(&self, symbol: &str) -> bool {
        self.definitions.contains_key(symbol)
    }

    /// Checks whether the program defines the symbol of a C name.
    pub fn defines_name(&self, name: &str) -> bool {
        self.defines(self.symbol(name))
    }

    /// Checks whether another file may define the symbol of a C name instead of this one.
    pub fn is_weak(&self, name: &str) -> bool {
        self.weak.contains(self.files.name(name))
    }

    /// The flag that tells whether a weak symbol has an address.
    pub fn weak_flag(&self, name: &str) -> Option<ObjectIndex> {
        self.weak_flags.get(name).copied()
    }

    pub fn set_weak_flag(&mut self, name: Rc<str>, flag: ObjectIndex) {
        self.weak_flags.insert(name, flag);
    }

    /// Checks whether a function does not return.
    pub fn is_noreturn(&self, name: &str) -> bool {
        self.noreturn.contains(name)
    }

    /// Checks whether a function has the attribute `returns_twice`.
    pub fn returns_twice(&self, name: &str) -> bool {
        self.returns_twice.contains(name)
    }

    /// Checks whether an attribute promises what a function does not do.
    pub fn is_promised(&self, name: &str) -> bool {
        self.promised.contains(name)
    }

    /// The resolver of an indirect function.
    pub fn resolver(&self, name: &str) -> Option<&Rc<str>> {
        self.resolvers.get(name)
    }

    /// The object that holds the address of an indirect function.
    pub fn indirect(&self, name: &str) -> Option<ObjectIndex> {
        let mut known = self.indirect.iter();
        let known = known.find(|(known, ..)| **known == *name);
        known.map(|&(_, object, _)| object)
    }

    pub fn add_indirect(&mut self, name: Rc<str>, object: ObjectIndex, ty: Type) {
        self.indirect.push((name, object, ty));
    }

    /// The indirect functions, with the objects that hold their addresses.
    pub fn take_indirect(&mut self) -> Vec<(Rc<str>, ObjectIndex, Type)> {
        std::mem::take(&mut self.indirect)
    }

    // --- declarations ---

    /// Records a function's definition at file scope. `place_of` gives the position of a name.
    pub fn note_function(
        &mut self,
        definition: &ast::FunctionDefinition,
        is_from_system: bool,
        place_of: &dyn Fn(&Node<ast::Identifier>) -> Span,
    ) {
        let Some(identifier) = innermost_name(&definition.declarator) else {
            return;
        };
        let name = identifier.node.name.as_str();
        let inline = self.inline.entry(name.into()).or_default();
        inline.note_definition(&definition.specifiers, is_from_system);
        let name = self.note_name(name);
        self.note_specifiers(&name, &definition.specifiers);
        self.note_declarator(&name, &definition.declarator);
        self.note_definition(&name);
        let kind = match is_from_system {
            true => SiteKind::Weak,
            false => SiteKind::Strong,
        };
        self.note_site(&name, kind, place_of(identifier));
    }

    /// The program's name for a name of the current file, which declares it.
    fn note_name(&mut self, name: &str) -> Rc<str> {
        let name: Rc<str> = self.files.name(name).into();
        if self.files.count() > 1
            && let Some(file) = self.files.current()
        {
            self.declared
                .entry(Rc::clone(&name))
                .or_default()
                .insert(file);
        }
        name
    }

    /// Records a definition of the current file.
    fn note_site(&mut self, name: &Rc<str>, kind: SiteKind, span: Span) {
        if self.files.count() > 1
            && let Some(file) = self.files.current()
        {
            let name = Rc::clone(name);
            self.sites.push(Site {
                name,
                file,
                span,
                kind,
            });
        }
    }

    /// Gives a name of the current file another symbol.
    fn label(&mut self, name: &str, symbol: &str) {
        self.symbols.insert(name.into(), symbol.into());
        if let Some(file) = self.files.current() {
            self.labelled.entry(name.into()).or_default().insert(file);
        }
    }

    /// Ends the declarations of the current file.
    pub fn finish_file(&mut self) {
        let weak = std::mem::take(&mut self.weak_here);
        for site in &mut self.sites {
            if Some(site.file) == self.files.current() && weak.contains(&site.name) {
                site.kind = SiteKind::Weak;
            }
        }
    }

    /// Chooses one definition of each name, as a linker does.
    ///
    /// # Errors
    /// If two definitions exclude each other, or files disagree on the symbol of a name.
    pub fn choose_definitions(&mut self) -> Result<(), Error> {
        let mut by_name: FxHashMap<Rc<str>, Vec<Site>> = FxHashMap::default();
        for site in std::mem::take(&mut self.sites) {
            by_name.entry(Rc::clone(&site.name)).or_default().push(site);
        }
        let mut names: Vec<Rc<str>> = by_name.keys().cloned().collect();
        names.sort_unstable();
        for name in names {
            let Some(sites) = by_name.get(&name) else {
                continue;
            };
            if let Some(error) = self.disagreement(&name, sites) {
                return Err(error);
            }
            match choose(sites) {
                Choice::Overridden(files) => {
                    for file in files {
                        self.files.override_in(file, &name);
                    }
                }
                Choice::Twice(first, second) => {
                    let message = format!("`{name}` is defined in two files");
                    return Err(Error::new(ErrorKind::Link, message)
                        .with_span(second.span)
                        .with_other("the other definition", first.span)
                        .with_help(
                            "a name that each file has for itself is `static`; leave out a file that does not \
                             belong to this program",
                        ));
                }
            }
        }
        Ok(())
    }

    /// The error that files give a defined name different symbols.
    fn disagreement(&self, name: &Rc<str>, sites: &[Site]) -> Option<Error> {
        let first = sites.first()?;
        let labelled = self.labelled.get(name);
        let is_same = labelled.is_none() || labelled == self.declared.get(name);
        let is_alias = self.aliases.contains_key(name);
        (!is_same || is_alias).then(|| {
            let message = format!("the symbol of `{name}`, which is another one in some files");
            Error::new(ErrorKind::Unsupported, message).with_span(first.span)
        })
    }

    /// Records a pragma; returns what is not modelled.
    pub fn note_pragma(&mut self, pragma: &Pragma) -> Option<&'static str> {
        match pragma {
            Pragma::Weak { name, target } => {
                self.make_weak(name);
                if let Some(target) = target {
                    self.label(name, target);
                }
            }
            Pragma::RedefineExternalName { old, new } => self.label(old, new),
            Pragma::StorageOrder => return Some("`#pragma scalar_storage_order`"),
        }
        None
    }

    /// Records the definitions again, once all symbols are known: the assembler name may follow the definition.
    pub fn finish_definitions(&mut self) {
        let definitions: Vec<Rc<str>> = self.definitions.values().cloned().collect();
        for name in definitions {
            self.note_definition(&name);
        }
    }

    /// The C names with declarations that may make their definitions inline definitions.
    pub fn take_inline(&mut self) -> FxHashMap<Rc<str>, Declarations> {
        std::mem::take(&mut self.inline)
    }

    /// Checks whether a C name has got another symbol.
    pub fn is_renamed(&self, name: &str) -> bool {
        self.symbols.contains_key(name)
    }

    /// Records that an inline definition does not define the symbol.
    pub fn forget_definition(&mut self, name: &str) {
        let file = self.files.current();
        self.sites
            .retain(|site| Some(site.file) != file || *site.name != *name);
        if !self.sites.iter().any(|site| *site.name == *name) {
            self.definitions.remove(name);
        }
        self.files.set_apart(name);
    }

    fn make_weak(&mut self, name: &str) {
        self.weak.insert(name.into());
        self.weak_here.insert(name.into());
    }

    /// Records that the program defines the symbol of a C name.
    fn note_definition(&mut self, name: &str) {
        let own = self.symbols.get(name).map_or(name, |symbol| &**symbol);
        self.definitions.insert(own.into(), name.into());
    }

    /// Records that a symbol is an alias of another one.
    pub fn note_alias(&mut self, symbol: &str, target: &str) {
        if symbol != target {
            self.aliases.insert(symbol.into(), target.into());
        }
    }

    /// Collects the linkage of the names in a declaration.
    pub fn note_declaration(
        &mut self,
        declaration: &ast::Declaration,
        file_scope: bool,
        place_of: &dyn Fn(&Node<ast::Identifier>) -> Span,
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
            let Some(identifier) = innermost_name(&item.node.declarator) else {
                continue;
            };
            let name = identifier.node.name.as_str();
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
                let inline = self.inline.entry(name.into()).or_default();
                inline.note(&declaration.specifiers);
            }
            let name = self.note_name(name);
            self.note_specifiers(&name, &declaration.specifiers);
            self.note_declarator(&name, &item.node.declarator);
            let known = self.symbols.contains_key(&name) || self.aliases.contains_key(&name);
            let is_initialised = item.node.initializer.is_some();
            let defines = file_scope && !is_function && (is_initialised || (!is_extern && !known));
            if defines {
                self.note_definition(&name);
                let kind = match is_initialised {
                    true => SiteKind::Strong,
                    false => SiteKind::Tentative,
                };
                self.note_site(&name, kind, place_of(identifier));
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
                    self.noreturn.insert(name.into());
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
                        self.label(name, &label);
                    }
                }
                ast::Extension::Attribute(attribute) => {
                    let argument = string_argument(attribute);
                    match (attribute.name.node.trim_matches('_'), argument) {
                        ("alias" | "weakref", Some(target)) => {
                            let target = self.files.name(&target).to_owned();
                            if attribute.name.node.trim_matches('_') == "weakref" {
                                self.make_weak(&target);
                            }
                            let symbol = self.symbols.get(name).cloned();
                            let symbol = symbol.unwrap_or_else(|| name.into());
                            if *symbol != *target {
                                self.aliases.insert(symbol, target.as_str().into());
                            }
                        }
                        ("weak" | "weakref", None) => self.make_weak(name),
                        ("gnu_inline", None) => {
                            self.inline.entry(source_name(name).into()).or_default().gnu = true;
                        }
                        ("always_inline", None) => {
                            self.inline
                                .entry(source_name(name).into())
                                .or_default()
                                .always = true;
                        }
                        ("ifunc", Some(resolver)) => {
                            let resolver = self.files.name(&resolver).to_owned();
                            let resolvers = &mut self.resolvers;
                            resolvers.insert(name.into(), resolver.as_str().into());
                        }
                        ("noreturn", None) => {
                            self.noreturn.insert(name.into());
                        }
                        ("returns_twice", None) => {
                            self.returns_twice.insert(name.into());
                        }
                        ("const" | "malloc" | "pure" | "returns_nonnull", _) => {
                            self.promised.insert(name.into());
                        }
                        _ => {}
                    }
                }
                ast::Extension::AvailabilityAttribute(_) => {}
            }
        }
    }
}
