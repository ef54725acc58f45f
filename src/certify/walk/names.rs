//! Fresh variables, and names for large terms.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use regatta_term::{Arena, Build, Pool, Sort, Symbol, TermId, TermKind};

/// The fresh variables of a walk, and the terms that some of them stand for.
pub(super) struct Names {
    arena: Rc<Arena>,
    /// The instance of the last fresh variable.
    last: Cell<u32>,
    /// The symbol of fresh conditions.
    boolean: Symbol,
    /// The definitions of names: an equation for each name.
    definitions: FxHashMap<TermId, TermId>,
    /// The names of values.
    names: FxHashMap<TermId, TermId>,
}

impl Names {
    pub(super) fn new(arena: Rc<Arena>) -> Self {
        Self {
            arena,
            last: Cell::new(1),
            boolean: Symbol::new("certified condition", Sort::Bool),
            definitions: FxHashMap::default(),
            names: FxHashMap::default(),
        }
    }

    /// A fresh variable.
    pub(super) fn variable(&self, symbol: Symbol) -> TermId {
        self.last.set(self.last.get() + 1);
        self.arena.variable_at(symbol, self.last.get())
    }

    /// A fresh condition.
    pub(super) fn condition(&self) -> TermId {
        self.variable(self.boolean)
    }

    /// A new name for a condition.
    pub(super) fn name_condition(&mut self, condition: TermId) -> TermId {
        let name = self.condition();
        let definition = self.arena.eq(name, condition);
        self.definitions.insert(name, definition);
        name
    }

    /// The name of a value.
    pub(super) fn name_value(&mut self, value: TermId) -> TermId {
        if let Some(&name) = self.names.get(&value) {
            return name;
        }
        let name = self.variable(Symbol::new("certified value", self.arena.sort(value)));
        let definition = self.arena.eq(name, value);
        self.definitions.insert(name, definition);
        self.names.insert(value, name);
        name
    }

    /// The definitions of the names in the given formulas, transitively, nearest to the formulas first; `most` is their maximum
    /// number.
    pub(super) fn definitions_for(&self, formulas: &[TermId], most: usize) -> Vec<TermId> {
        let mut found = Vec::new();
        if self.definitions.is_empty() {
            return found;
        }
        let mut seen = FxHashSet::default();
        let mut work: Vec<TermId> = formulas.to_vec();
        let mut expanded = 0;
        loop {
            let Some(term) = work.pop() else {
                // The names in the next definition that was found.
                let Some(&definition) = found.get(expanded) else {
                    break;
                };
                expanded += 1;
                work.push(definition);
                continue;
            };
            if !seen.insert(term) {
                continue;
            }
            match self.arena.kind(term) {
                TermKind::Variable { .. } => {
                    if let Some(&definition) = self.definitions.get(&term) {
                        found.push(definition);
                        if found.len() >= most {
                            break;
                        }
                    }
                }
                TermKind::Apply { arguments, .. } => work.extend_from_slice(arguments),
                TermKind::Constant(_) => {}
            }
        }
        found
    }
}
