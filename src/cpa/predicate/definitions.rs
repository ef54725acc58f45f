//! Names for the parts of path formulas.
//!
//! A value that is more than a constant, a variable, or one of these with a constant added becomes a variable of its own
//! with a definition. So the terms that the next step is made of stay small, however long the path is, and a solver
//! sees the equations of SSA form. Arrays keep their terms: a read finds the store that it meets. A definition belongs
//! to a query only if the query's terms lead to it.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Arena, Build, Op, Pool, Sort, Symbol, TermId, TermKind};

/// The names and what they stand for.
pub struct Definitions {
    arena: Rc<Arena>,
    names: FxHashMap<TermId, TermId>,
    /// What each name stands for, and how many names there were before it.
    values: FxHashMap<TermId, (TermId, usize)>,
    /// What the names stand for, in their order.
    in_order: Vec<TermId>,
    symbols: FxHashMap<Sort, (Symbol, u32)>,
    /// The terms whose definitions have been handed out.
    required: FxHashSet<TermId>,
}

impl Definitions {
    /// No names yet.
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

    /// The term, or a variable that stands for it.
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

    /// What the variable stands for, if it is a name.
    pub fn value_of(&self, name: TermId) -> Option<TermId> {
        self.values.get(&name).map(|&(value, _)| value)
    }

    /// What the names stand for, but for those of the first `count`.
    pub fn values_from(&self, count: usize) -> &[TermId] {
        &self.in_order[count..]
    }

    /// How many names there are.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// The definitions that the term leads to, of names that came after the first `count`.
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

    /// A variable without a definition.
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
            // A choice among constants may decide a later condition.
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

    /// The definitions that the term leads to and that have not been asked for yet.
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
