//! Conditions of states, names for large terms, and merging of states.

use std::rc::Rc;

use smallvec::SmallVec;

use super::{Frontier, State, Walk};
use crate::lowered::call_strings::Node;
use crate::walk::limits::MAXIMUM_GUARD_CONJUNCTS;
use regatta_term::{Build, Op, Pool, TermId, TermKind};

impl Walk<'_, '_> {
    pub(super) fn conjuncts(&self, guard: TermId) -> SmallVec<[TermId; MAXIMUM_GUARD_CONJUNCTS]> {
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

    /// The guard, or a name for it if it is large.
    fn named(&mut self, guard: TermId) -> TermId {
        if self.conjuncts(guard).len() <= MAXIMUM_GUARD_CONJUNCTS {
            return guard;
        }
        self.names.name_condition(guard)
    }

    /// Gives names to large terms in the states, so that later terms stay small on long paths. Arrays keep their terms, so
    /// that a read can be resolved to a write.
    pub fn name(&mut self, frontier: &mut Frontier) {
        for state in frontier.values_mut() {
            let values = state.values.iter();
            let large: Vec<(u32, TermId)> = values
                .filter(|&(_, &value)| !self.is_small(value))
                .map(|(slot, &value)| (slot, value))
                .collect();
            for (slot, value) in large {
                let name = self.names.name_value(value);
                state.values.insert(slot, name);
            }
            if !self.is_small(state.guard) {
                state.guard = self.names.name_value(state.guard);
            }
        }
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
            // A choice between constants may decide a condition.
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

    /// The disjunction of two guards that exclude each other, and the condition that distinguishes the first from the second.
    pub(super) fn meeting(&self, one: TermId, other: TermId) -> (TermId, TermId) {
        let arena = &*self.arena;
        // Common conjuncts are no part of the choice.
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
