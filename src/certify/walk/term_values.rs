//! Values of the terms of the program and of claims in a state.

use super::{GLOBAL, State, Walk};
use crate::certificate::{AT_ENTRY, is_any_index};
use crate::lowered::call_strings::{CallStringId, Node};
use regatta_program::{Scope, VariableId};
use regatta_term::{Pool, Rebuild, TermId, TermKind, store};

impl Walk<'_, '_> {
    pub(super) fn slot(&self, depth: u32, variable: VariableId) -> u32 {
        let depth = match self.lowered.program.variable(variable).scope {
            Scope::Global => GLOBAL,
            Scope::Local(_) => depth,
        };
        self.slots.borrow_mut().id(depth, variable)
    }

    pub(super) fn initial(&self, slot: u32) -> TermId {
        let mut slots = self.slots.borrow_mut();
        let (variable, initial) = &mut slots.initial[slot as usize];
        let symbol = self.lowered.program.variable(*variable).symbol;
        *initial.get_or_insert_with(|| self.names.variable(symbol))
    }

    pub(super) fn read(&self, state: &State, slot: u32) -> TermId {
        match state.values.get(slot) {
            Some(&value) => value,
            None => self.initial(slot),
        }
    }

    pub(super) fn arbitrary_value(&self, variable: VariableId) -> TermId {
        self.names
            .variable(self.lowered.program.variable(variable).symbol)
    }

    /// The value of a term of the program in the state; `depth` finds the activation of a local.
    pub(super) fn evaluate(
        &self,
        state: &State,
        term: TermId,
        depth: impl Fn(VariableId) -> Option<u32>,
    ) -> TermId {
        let replace = |term| match store().kind(term) {
            TermKind::Variable { symbol, .. } if is_any_index(symbol) => Some(term),
            TermKind::Variable { symbol, .. } => {
                // Other variables, and those not in scope, have any value.
                let variable = self.lowered.by_symbol.get(&symbol).copied();
                let slot = variable.and_then(|v| depth(v).map(|depth| self.slot(depth, v)));
                Some(match slot {
                    Some(slot) => self.read(state, slot),
                    None => self.names.variable(symbol),
                })
            }
            _ => None,
        };
        Rebuild::new(store(), &*self.arena, replace).rebuild(term)
    }

    /// The value of a formula about a node, whose variables may be those of any activation.
    pub fn formula(&self, state: &State, node: Node, formula: TermId) -> TermId {
        self.evaluate(state, formula, |variable| {
            self.activation(node.stack, variable)
        })
    }

    /// The value of a formula that relates the state at the entry of the outermost activation to the present one.
    pub fn relation(&self, node: Node, formula: TermId, entry: &State, state: &State) -> TermId {
        let now = |variable| match self.activation(node.stack, variable) {
            Some(depth) => self.read(state, self.slot(depth, variable)),
            None => self.arbitrary_value(variable),
        };
        self.related(
            formula,
            |variable| self.read(entry, self.slot(0, variable)),
            now,
        )
    }

    pub(super) fn related(
        &self,
        formula: TermId,
        at_entry: impl Fn(VariableId) -> TermId,
        now: impl Fn(VariableId) -> TermId,
    ) -> TermId {
        let replace = |term| match store().kind(term) {
            TermKind::Variable { symbol, instance } => {
                Some(match self.lowered.by_symbol.get(&symbol) {
                    Some(&variable) if instance == AT_ENTRY => at_entry(variable),
                    Some(&variable) if instance == 0 => now(variable),
                    _ => self.names.variable(symbol),
                })
            }
            _ => None,
        };
        Rebuild::new(store(), &*self.arena, replace).rebuild(formula)
    }

    pub(super) fn activation(&self, stack: CallStringId, variable: VariableId) -> Option<u32> {
        match self.lowered.program.variable(variable).scope {
            Scope::Global => Some(GLOBAL),
            Scope::Local(function) => self.stacks.activation(stack, function),
        }
    }
}
