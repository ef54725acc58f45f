//! Names for the parts of path formulas.
//!
//! A value that is neither a constant, nor a variable, nor one of these plus a constant gets a variable with a definition.
//! So the terms of the next step stay small, however long the path is, and a solver sees the equations of SSA form. Arrays
//! keep their terms, so that a read is resolved against the stores. A definition is part of a query only if the terms of
//! the query depend on it.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Arena, Build, Op, Pool, Sort, Symbol, TermId, TermKind};

/// The names and their definitions.
pub struct Definitions {
    arena: Rc<Arena>,
    names: FxHashMap<TermId, TermId>,
    /// The term that each name stands for, and the number of names before it.
    values: FxHashMap<TermId, (TermId, usize)>,
    /// The terms of the names, in order.
    in_order: Vec<TermId>,
    symbols: FxHashMap<Sort, (Symbol, u32)>,
    /// The terms whose definitions [`Self::require`] has returned.
    required: FxHashSet<TermId>,
}

impl Definitions {
    /// Creates it without names.
    pub fn new(arena: Rc<Arena>) -> Self {
        Self {
            arena,
            names: FxHashMap::default(),
            values: FxHashMap::default(),
            in_order: Vec::new(),
            symbols: FxHashMap::default(),
            required: FxHashSet::default(),
        }
    }

    /// Returns the term, or a variable that stands for it.
    pub fn name(&mut self, term: TermId) -> TermId {
        if self.is_simple(term) {
            return term;
        }
        if let Some(&name) = self.names.get(&term) {
            return name;
        }
        let name = self.fresh(self.arena.sort(term));
        self.names.insert(term, name);
        self.values.insert(name, (term, self.values.len()));
        self.in_order.push(term);
        name
    }

    /// Returns the term that the variable stands for, if it is a name.
    pub fn value_of(&self, name: TermId) -> Option<TermId> {
        self.values.get(&name).map(|&(value, _)| value)
    }

    /// Returns the terms of the names, without the first `count`.
    pub fn values_from(&self, count: usize) -> &[TermId] {
        &self.in_order[count..]
    }

    /// Returns the number of names.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Returns the definitions on which the term depends, without those of the first `count` names.
    pub fn since(&self, count: usize, term: TermId) -> Vec<TermId> {
        let mut equations = Vec::new();
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut stack = vec![term];
        while let Some(top) = stack.pop() {
            if !seen.insert(top) {
                continue;
            }
            match self.arena.kind(top) {
                TermKind::Constant(_) => {}
                TermKind::Variable { .. } => {
                    if let Some(&(value, before)) = self.values.get(&top)
                        && before >= count
                    {
                        equations.push(self.arena.intern(Op::Eq, Sort::Bool, &[top, value]));
                        stack.push(value);
                    }
                }
                TermKind::Apply { arguments, .. } => stack.extend_from_slice(arguments),
            }
        }
        equations
    }

    /// Returns a variable without a definition.
    pub fn fresh(&mut self, sort: Sort) -> TermId {
        let (symbol, instance) = self
            .symbols
            .entry(sort)
            .or_insert_with(|| (Symbol::new("step#", sort), 0));
        *instance += 1;
        self.arena.variable_at(*symbol, *instance)
    }

    fn is_simple(&self, term: TermId) -> bool {
        let is_leaf = |term| match self.arena.kind(term) {
            TermKind::Apply { .. } => false,
            TermKind::Constant(_) | TermKind::Variable { .. } => true,
        };
        if is_leaf(term) || self.arena.sort(term).is_array() {
            return true;
        }
        match self.arena.kind(term) {
            TermKind::Apply {
                op: Op::Not | Op::BvAdd | Op::IntAdd,
                arguments,
            } => arguments.iter().all(|&argument| is_leaf(argument)),
            // An if-then-else of constants may decide a later condition.
            TermKind::Apply {
                op: Op::Ite,
                arguments,
            } => {
                let constant = |term| self.arena.is_constant(term);
                is_leaf(arguments[0]) && constant(arguments[1]) && constant(arguments[2])
            }
            _ => false,
        }
    }

    /// Returns the definitions on which the term depends and that have not been returned yet.
    pub fn require(&mut self, term: TermId) -> Vec<TermId> {
        let mut equations = Vec::new();
        let mut stack = vec![term];
        while let Some(top) = stack.pop() {
            match self.arena.kind(top) {
                TermKind::Constant(_) => {}
                TermKind::Variable { .. } => {
                    if let Some(&(value, _)) = self.values.get(&top)
                        && self.required.insert(top)
                    {
                        let equation = self.arena.intern(Op::Eq, Sort::Bool, &[top, value]);
                        equations.push(equation);
                        stack.push(value);
                    }
                }
                TermKind::Apply { arguments, .. } => {
                    if self.required.insert(top) {
                        stack.extend_from_slice(arguments);
                    }
                }
            }
        }
        equations
    }
}
