//! Names: the scopes of C, and what an identifier or a tag stands for.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::frontend::ir::ObjectIndex;
use crate::frontend::types::Type;
use crate::program::Span;

/// Index of a [`Symbol`]; the same for every declaration of one entity.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct SymbolId(u32);

/// What an ordinary identifier stands for.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub ty: Type,
    pub entity: Entity,
    /// Where it was first declared.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Entity {
    /// A variable.
    Object(ObjectIndex),
    /// A variable-length array: the object that holds its address.
    VariableArray(ObjectIndex),
    Function {
        name: Rc<str>,
    },
    Enumerator(i128),
    Typedef,
}

/// How far a definition of a variable has come.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Definition {
    /// `extern` only.
    Declared,
    /// Without an initialiser at file scope.
    Tentative,
    /// With one, or a function with its body.
    Complete,
}

/// An entity with linkage: what all its declarations share.
#[derive(Copy, Clone, Debug)]
pub(super) struct Linked {
    pub symbol: SymbolId,
    pub definition: Definition,
}

#[derive(Debug, Default)]
struct Scope {
    ordinary: FxHashMap<Rc<str>, SymbolId>,
    tags: FxHashMap<Rc<str>, Type>,
    number: u32,
}

/// Scopes that are hidden for a while.
#[derive(Debug)]
pub(super) struct SuspendedScopes(Vec<Scope>);

/// All names that can be seen.
#[derive(Debug)]
pub(super) struct Scopes {
    symbols: Vec<Symbol>,
    scopes: Vec<Scope>,
    /// Entities with linkage by name.
    pub linked: FxHashMap<Rc<str>, Linked>,
}

impl Scopes {
    pub fn new() -> Self {
        Self {
            symbols: Vec::new(),
            scopes: vec![Scope::default()],
            linked: FxHashMap::default(),
        }
    }

    pub fn enter(&mut self, number: u32) {
        self.scopes.push(Scope {
            number,
            ..Scope::default()
        });
    }

    pub fn leave(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
        }
    }

    pub fn at_file_scope(&self) -> bool {
        self.scopes.len() == 1
    }

    /// Hides all but the file scope until [`Self::resume`].
    pub fn suspend_to_file_scope(&mut self) -> SuspendedScopes {
        SuspendedScopes(self.scopes.split_off(1))
    }

    pub fn resume(&mut self, suspended: SuspendedScopes) {
        self.scopes.extend(suspended.0);
    }

    /// The number that the innermost scope was entered with.
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

    pub fn lookup_innermost(&self, name: &str) -> Option<SymbolId> {
        self.scopes.last()?.ordinary.get(name).copied()
    }

    /// Makes a symbol that no scope knows yet.
    pub fn create(&mut self, symbol: Symbol) -> SymbolId {
        self.symbols.push(symbol);
        SymbolId(self.symbols.len() as u32 - 1)
    }

    /// Makes a name visible in the innermost scope.
    pub fn bind(&mut self, name: &str, symbol: SymbolId) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.ordinary.insert(name.into(), symbol);
        }
    }

    /// Makes a name visible at file scope (an implicit declaration).
    pub fn bind_at_file_scope(&mut self, name: &str, symbol: SymbolId) {
        if let Some(scope) = self.scopes.first_mut() {
            scope.ordinary.insert(name.into(), symbol);
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
