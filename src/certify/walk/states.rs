//! Conditions of states, their names, and states merged.

use std::rc::Rc;

use smallvec::SmallVec;

use super::super::call_strings::Node;
use super::{Frontier, State, Walk};
use crate::term::{Build, Op, Pool, Symbol, TermId, TermKind};

/// A guard of more conjuncts gets a name.
const LARGEST_GUARD: usize = 12;

impl Walk<'_, '_> {
    pub(super) fn conjuncts(&self, guard: TermId) -> SmallVec<[TermId; LARGEST_GUARD]> {
        match self.arena.kind(guard) {
            TermKind::Apply {
                op: Op::And,
                arguments,
            } => SmallVec::from_slice(arguments),
            _ if guard == TermId::TRUE => SmallVec::new(),
            _ => SmallVec::from_slice(&[guard]),
        }
    }

    /// Adds a condition to the state's guard.
    pub fn assume(&mut self, state: &mut State, condition: TermId) {
        let guard = self.arena.and2(state.guard, condition);
        state.guard = self.named(guard);
    }

    /// A guard that is not large.
    fn named(&mut self, guard: TermId) -> TermId {
        if self.conjuncts(guard).len() <= LARGEST_GUARD {
            return guard;
        }
        let name = self.condition();
        let definition = self.arena.eq(name, guard);
        self.definitions.insert(name, definition);
        name
    }

    /// Gives names to what is large in the states, so that what follows is made of small terms however long the path
    /// is. Arrays keep their terms: a read finds the write that it meets.
    pub fn name(&mut self, frontier: &mut Frontier) {
        for state in frontier.values_mut() {
            let values = state.values.iter();
            let large: Vec<(u32, TermId)> = values
                .filter(|&(_, &value)| !self.is_small(value))
                .map(|(slot, &value)| (slot, value))
                .collect();
            for (slot, value) in large {
                let name = self.name_of(value);
                state.values.insert(slot, name);
            }
            if !self.is_small(state.guard) {
                state.guard = self.name_of(state.guard);
            }
        }
    }

    fn name_of(&mut self, value: TermId) -> TermId {
        if let Some(&name) = self.names.get(&value) {
            return name;
        }
        let name = self.variable(Symbol::new("certified value", self.arena.sort(value)));
        let definition = self.arena.eq(name, value);
        self.definitions.insert(name, definition);
        self.names.insert(value, name);
        name
    }

    fn is_small(&self, value: TermId) -> bool {
        let arena = &*self.arena;
        let is_constant = |term| arena.is_constant(term);
        let is_leaf = |term| !matches!(arena.kind(term), TermKind::Apply { .. });
        match arena.kind(value) {
            TermKind::Constant(_) | TermKind::Variable { .. } => true,
            _ if arena.sort(value).is_array() => true,
            TermKind::Apply {
                op: Op::Not | Op::BvAdd | Op::IntAdd,
                arguments,
            } => arguments.iter().copied().all(is_leaf),
            // A choice among constants may decide a condition.
            TermKind::Apply {
                op: Op::Ite,
                arguments,
            } => is_leaf(arguments[0]) && arguments[1..].iter().copied().all(is_constant),
            TermKind::Apply { .. } => false,
        }
    }

    pub(super) fn merge(&mut self, one: State, other: State) -> State {
        let arena = Rc::clone(&self.arena);
        let (guard, choice) = self.meeting(one.guard, other.guard);
        let values = one.values.union(&other.values, &mut |slot, a, b| {
            let a = a.copied().unwrap_or_else(|| self.initial(slot));
            let b = b.copied().unwrap_or_else(|| self.initial(slot));
            arena.ite_of_sums(choice, a, b)
        });
        let passed = one.passed.iter().copied();
        State {
            guard: self.named(guard),
            values,
            passed: passed.filter(|node| other.passed.contains(node)).collect(),
            objects: Rc::default(),
        }
    }

    /// The guard of two that exclude each other, and what tells the first from the second there.
    pub(super) fn meeting(&self, one: TermId, other: TermId) -> (TermId, TermId) {
        let arena = &*self.arena;
        // What both have in common is no part of the choice.
        let (left, right) = (self.conjuncts(one), self.conjuncts(other));
        let mut common: Vec<TermId> = left
            .iter()
            .copied()
            .filter(|term| right.contains(term))
            .collect();
        let rest = |list: &[TermId]| {
            arena.and(
                list.iter()
                    .copied()
                    .filter(|term| !common.contains(term))
                    .collect::<Vec<_>>(),
            )
        };
        let (choice, otherwise) = (rest(&left), rest(&right));
        common.push(arena.or2(choice, otherwise));
        (arena.and(common), choice)
    }

    pub(super) fn add(&mut self, frontier: &mut Frontier, node: Node, state: State) {
        let merged = match frontier.remove(&node) {
            Some(other) => self.merge(other, state),
            None => state,
        };
        frontier.insert(node, merged);
    }
}
