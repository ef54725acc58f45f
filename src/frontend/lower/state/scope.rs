//! Names: C's scopes, and the meaning of identifiers and tags.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ir::{DeclaredName, FunctionIndex, ObjectIndex, ScalarPlace};
use crate::types::{Type, TypeTable};
use regatta_base::Span;
use regatta_program::waypoint::Time;

/// Index of a [`Symbol`], shared by all declarations of an entity.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) struct SymbolId(u32);

/// The meaning of an ordinary identifier.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Symbol {
    pub ty: Type,
    pub entity: Entity,
    /// The first declaration.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(in crate::lower) enum Entity {
    /// A variable.
    Object(ObjectIndex),
    /// A variable-length array: the object that holds its address.
    VariableArray(ObjectIndex),
    Function {
        name: Rc<str>,
    },
    /// A nested function (GNU C).
    Nested(FunctionIndex),
    Enumerator(i128),
    Typedef,
    /// An entity that is not modelled: its use is an error.
    Unmodelled,
}

/// The state of a variable's or function's definition.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Definition {
    /// Declared `extern` only.
    Declared,
    /// Declared at file scope without an initialiser.
    Tentative,
    /// Defined with an initialiser or a body.
    Complete,
}

/// An entity with linkage: what all its declarations share.
#[derive(Copy, Clone, Debug)]
pub(in crate::lower) struct Linked {
    pub symbol: SymbolId,
    pub definition: Definition,
}

#[derive(Clone, Debug, Default)]
struct Scope {
    ordinary: FxHashMap<Rc<str>, SymbolId>,
    tags: FxHashMap<Rc<str>, Type>,
    number: u32,
    /// Index in [`Scopes::names`] of the first name declared after the scope was entered.
    first_name: usize,
}

/// Scopes that are temporarily hidden.
#[derive(Debug)]
pub(in crate::lower) struct SuspendedScopes(Vec<Scope>);

/// The names that every file begins with.
#[derive(Clone, Debug)]
pub(in crate::lower) struct FirstNames(Scope);

/// All visible names.
#[derive(Debug)]
pub(in crate::lower) struct Scopes {
    symbols: Vec<Symbol>,
    scopes: Vec<Scope>,
    /// Entities with linkage by name.
    pub linked: FxHashMap<Rc<str>, Linked>,
    /// Entities with linkage of the files before the current one, by the program's names.
    pub other_files: FxHashMap<Rc<str>, Linked>,
    /// All declared ordinary identifiers, with their symbols and the depth of their scopes.
    names: Vec<(DeclaredName, SymbolId, usize)>,
    now: Time,
}

impl Scopes {
    pub fn new() -> Self {
        Self {
            symbols: Vec::new(),
            scopes: vec![Scope::default()],
            linked: FxHashMap::default(),
            other_files: FxHashMap::default(),
            names: Vec::new(),
            now: 0,
        }
    }

    /// Advances the time, which orders declarations and waypoints.
    pub fn tick(&mut self) -> Time {
        self.now += 1;
        self.now
    }

    /// The declared names; to be called when all types are complete.
    pub fn take_names(&mut self, types: &TypeTable) -> Vec<DeclaredName> {
        let mut of_type: FxHashMap<Type, Arc<[ScalarPlace]>> = FxHashMap::default();
        let names = std::mem::take(&mut self.names).into_iter();
        names
            .map(|(mut name, symbol, _)| {
                if name.object.is_some() {
                    let ty = self.symbol(symbol).ty;
                    let places = of_type.entry(ty).or_insert_with(|| types.places(ty).into());
                    name.places = Arc::clone(places);
                }
                name
            })
            .collect()
    }

    fn note_name(&mut self, name: &str, symbol: SymbolId, depth: usize) {
        let object = match self.symbol(symbol).entity {
            Entity::Object(object) => Some(object),
            _ => None,
        };
        let declared = DeclaredName {
            name: Arc::from(name),
            object,
            places: Arc::default(),
            begin: self.tick(),
            end: Time::MAX,
        };
        self.names.push((declared, symbol, depth));
    }

    pub fn enter(&mut self, number: u32) {
        self.scopes.push(Scope {
            number,
            first_name: self.names.len(),
            ..Scope::default()
        });
    }

    pub fn leave(&mut self) {
        let depth = self.scopes.len();
        if depth > 1
            && let Some(scope) = self.scopes.pop()
        {
            let end = self.tick();
            for (declared, _, of) in &mut self.names[scope.first_name..] {
                if *of == depth {
                    declared.end = declared.end.min(end);
                }
            }
        }
    }

    /// The numbers of the blocks within the function's outermost one.
    pub fn blocks(&self) -> Vec<u32> {
        let inner = self.scopes.iter().skip(2);
        inner.map(|scope| scope.number).collect()
    }

    pub fn at_file_scope(&self) -> bool {
        self.scopes.len() == 1
    }

    /// Number of open scopes.
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// The names at file scope.
    pub fn first_names(&self) -> FirstNames {
        FirstNames(self.scopes.first().cloned().unwrap_or_default())
    }

    /// Ends the scope of a file, and begins that of another one.
    pub fn begin_file(&mut self, names: &FirstNames) {
        let end = self.tick();
        if let Some(scope) = self.scopes.first_mut() {
            for (declared, _, depth) in &mut self.names[scope.first_name..] {
                if *depth == 1 {
                    declared.end = declared.end.min(end);
                }
            }
            *scope = names.0.clone();
            scope.first_name = self.names.len();
        }
    }

    /// Hides all but the file scope until [`Self::resume`].
    pub fn suspend_to_file_scope(&mut self) -> SuspendedScopes {
        SuspendedScopes(self.scopes.split_off(1))
    }

    pub fn resume(&mut self, suspended: SuspendedScopes) {
        self.scopes.extend(suspended.0);
    }

    /// The number of the innermost scope.
    pub fn number(&self) -> u32 {
        self.scopes.last().map_or(0, |scope| scope.number)
    }

    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    pub fn symbol_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.symbols[id.0 as usize]
    }

    pub fn lookup(&self, name: &str) -> Option<SymbolId> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.ordinary.get(name).copied())
    }

    /// The first name at file scope, in alphabetical order, whose symbol fits.
    pub fn name_at_file_scope(&self, fits: impl Fn(&Symbol) -> bool) -> Option<String> {
        let names = self.scopes.first()?.ordinary.iter();
        let fitting = names.filter(|(_, symbol)| fits(self.symbol(**symbol)));
        fitting.map(|(name, _)| name.to_string()).min()
    }

    pub fn lookup_innermost(&self, name: &str) -> Option<SymbolId> {
        self.scopes.last()?.ordinary.get(name).copied()
    }

    /// Creates a symbol that is not bound in a scope.
    pub fn create(&mut self, symbol: Symbol) -> SymbolId {
        self.symbols.push(symbol);
        SymbolId(self.symbols.len() as u32 - 1)
    }

    /// Binds a name in the innermost scope.
    pub fn bind(&mut self, name: &str, symbol: SymbolId) {
        let depth = self.scopes.len();
        if let Some(scope) = self.scopes.last_mut() {
            scope.ordinary.insert(name.into(), symbol);
            self.note_name(name, symbol, depth);
        }
    }

    pub fn bind_at_file_scope(&mut self, name: &str, symbol: SymbolId) {
        if let Some(scope) = self.scopes.first_mut() {
            scope.ordinary.insert(name.into(), symbol);
            self.note_name(name, symbol, 1);
        }
    }

    pub fn lookup_tag(&self, name: &str) -> Option<Type> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.tags.get(name).copied())
    }

    pub fn lookup_tag_innermost(&self, name: &str) -> Option<Type> {
        self.scopes.last()?.tags.get(name).copied()
    }

    pub fn bind_tag(&mut self, name: &str, ty: Type) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.tags.insert(name.into(), ty);
        }
    }
}
