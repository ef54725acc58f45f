//! The state of the expression that is being evaluated: the guards and the depth of its current part.

use crate::memory::operators::arithmetic::pool;
use regatta_term::{Build, Pool, TermId};

/// The expression that is being evaluated.
#[derive(Default)]
pub(in crate::memory::emit) struct Evaluation {
    /// The conditions under which C evaluates the current subexpression.
    guards: Vec<TermId>,
    /// The nesting depth of the current subexpression.
    depth: usize,
    /// Operations that may fault, and the conditions under which C evaluates them.
    faulting: Vec<(TermId, TermId)>,
}

impl Evaluation {
    /// The conditions under which C evaluates the current subexpression.
    pub(in crate::memory::emit) fn guards(&self) -> &[TermId] {
        &self.guards
    }

    /// Whether what is being evaluated is evaluated in C, too.
    pub(in crate::memory::emit) fn evaluated(&self) -> TermId {
        pool().and(self.guards.iter().copied())
    }

    /// Adds a condition for the subexpressions that follow.
    pub(in crate::memory::emit) fn begin_guard(&mut self, guard: TermId) {
        self.guards.push(guard);
    }

    /// Drops the last condition.
    pub(in crate::memory::emit) fn end_guard(&mut self) {
        self.guards.pop();
    }

    /// Goes into an expression.
    pub(in crate::memory::emit) const fn enter(&mut self) {
        self.depth += 1;
    }

    /// Comes out of an expression. If it is no part of another, returns the operations in it that may fault, each with the
    /// condition under which C evaluates it.
    pub(in crate::memory::emit) fn leave(&mut self) -> Vec<(TermId, TermId)> {
        self.depth -= 1;
        match self.depth {
            0 => std::mem::take(&mut self.faulting),
            _ => Vec::new(),
        }
    }

    /// Notes that the interpreter may see a fault where it computes a term.
    pub(in crate::memory::emit) fn may_fault(&mut self, term: TermId) {
        if pool().as_application(term).is_some() {
            self.faulting.push((self.evaluated(), term));
        }
    }
}
