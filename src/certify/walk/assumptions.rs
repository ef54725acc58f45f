//! Restriction of states to the claims about a node.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::super::certificate::{instances_at, quantified};
use super::{State, Universal, Walk};
use crate::lowered::call_strings::Node;
use crate::lowered::places::{Claim, as_cell};
use regatta_program::VariableId;
use regatta_term::{Build, Op, Pool, TermId, TermKind, for_each_subterm, store};

impl Walk<'_, '_> {
    /// Returns arbitrary states at the entry of the outermost activation and at the node that satisfy the formula.
    /// `known_at_entry` are all variables whose values at the entry occur in any formula.
    pub(crate) fn start_related(
        &mut self,
        node: Node,
        formula: TermId,
        known_at_entry: &[VariableId],
    ) -> (State, State) {
        let mut state = self.start(node, &[]);
        let root = self.stacks.functions(node.stack).last().copied();
        let is_entry = root.is_some_and(|root| {
            node.stack == self.stacks.root(root)
                && node.location == self.lowered.program.function(root).entry
        });
        let mut entry = state.clone();
        if !is_entry {
            for &variable in known_at_entry {
                let slot = self.slot(0, variable);
                entry.values.insert(slot, self.arbitrary_value(variable));
            }
        }
        let value = self.relation(node, formula, &entry, &state);
        self.assume(&mut state, value);
        (entry, state)
    }

    /// Returns an arbitrary state at the node that satisfies the claims and the formulas.
    pub fn start(&mut self, node: Node, formulas: &[TermId]) -> State {
        self.meanings.begin_at(node);
        let mut state = self.arbitrary();
        let claims = self.claims(node);
        self.assume_claims(&mut state, node, &claims, |_| true);
        self.assume_formulas(&mut state, node, formulas);
        self.put_definitions(&mut state, node, formulas);
        state
    }

    /// Restricts a state that has reached the node to the claims and the formulas.
    pub fn restrict(&mut self, state: &mut State, node: Node, formulas: &[TermId]) {
        let claims = self.claims(node);
        self.assume_claims(state, node, &claims, |_| false);
        self.assume_formulas(state, node, formulas);
    }

    fn assume_formulas(&mut self, state: &mut State, node: Node, formulas: &[TermId]) {
        let mut chosen = None;
        for &formula in formulas {
            let value = self.formula(state, node, formula);
            self.assume(state, value);
            if let Some(symbol) = quantified(formula) {
                // The formula holds for all values, on the paths from here.
                let condition = *chosen.get_or_insert_with(|| self.names.condition());
                self.universal.push(Universal {
                    condition,
                    symbol,
                    value,
                });
            }
        }
        if let Some(condition) = chosen {
            self.assume(state, condition);
        }
    }

    /// Checks whether a quantified formula was assumed.
    pub(crate) fn assumes_of_any_index(&self) -> bool {
        !self.universal.is_empty()
    }

    /// Instantiates the quantified formulas assumed on the paths of the given formulas with the indices in these.
    pub fn instances(&self, formulas: &[TermId]) -> Vec<TermId> {
        let mut instances = Vec::new();
        if self.universal.is_empty() {
            return instances;
        }
        let mut all = self.definitions_for(formulas);
        all.extend_from_slice(formulas);
        let mut indices: FxHashSet<TermId> = FxHashSet::default();
        let mut occurring: FxHashSet<TermId> = FxHashSet::default();
        for_each_subterm(&*self.arena, all, |term, kind| match kind {
            TermKind::Variable { .. } => {
                occurring.insert(term);
            }
            TermKind::Apply {
                op: Op::Select | Op::Store,
                arguments,
            } => {
                indices.insert(arguments[1]);
            }
            _ => {}
        });
        let indices: Vec<TermId> = indices.into_iter().collect();
        for universal in &self.universal {
            if !occurring.contains(&universal.condition) {
                continue;
            }
            let arena = &*self.arena;
            for value in instances_at(arena, universal.value, universal.symbol, &indices) {
                instances.push(arena.implies(universal.condition, value));
            }
        }
        instances.sort_unstable();
        instances
    }

    /// The claims about the node.
    pub fn claims(&mut self, node: Node) -> Rc<[Claim]> {
        self.facts.at(self.lowered, self.stacks, node)
    }

    /// Restricts the state to the claims. `is_free` selects the slots whose values are arbitrary and occur nowhere else: for
    /// these, a claim that the value is a constant needs no condition.
    pub(super) fn assume_claims(
        &mut self,
        state: &mut State,
        node: Node,
        claims: &[Claim],
        is_free: impl Fn(u32) -> bool,
    ) {
        let arena = Rc::clone(&self.arena);
        let mut conditions = Vec::new();
        for claim in claims {
            let value = self.formula(state, node, claim.formula);
            if value == TermId::TRUE {
                continue;
            }
            // Constants are substituted, which simplifies later terms.
            let place = claim.constant.and_then(|(term, constant)| {
                let (variable, index) = as_cell(term).unzip();
                let slot = self.slot_of(node, variable.unwrap_or(term))?;
                Some((slot, index, constant))
            });
            if let Some((slot, index, constant)) = place {
                let new = match index {
                    None => constant,
                    Some(index) => arena.store(self.read(state, slot), index, constant),
                };
                state.values.insert(slot, new);
                if is_free(slot) {
                    continue;
                }
            }
            conditions.push(value);
        }
        let all = arena.and(conditions);
        self.assume(state, all);
    }

    pub(super) fn slot_of(&self, node: Node, variable: TermId) -> Option<u32> {
        let TermKind::Variable { symbol, .. } = store().kind(variable) else {
            return None;
        };
        let variable = *self.lowered.by_symbol.get(&symbol)?;
        let depth = self.activation(node.stack, variable)?;
        Some(self.slot(depth, variable))
    }
}
