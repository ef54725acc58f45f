//! Conditions that differ only in the names of their variables.
//!
//! A walk path by path excludes branches for the same reason on many paths, with other inputs in the same places: where numbers
//! are sorted, each of thousands of contradictions is that of a few numbers in a cycle. A renaming that keeps different
//! variables different keeps satisfiability, so one question answers for all conditions that it makes equal.
//!
//! Names are given in the order in which a conjunction is read. Conjuncts are read by their *shapes* (their operators, without the
//! names of variables), those with the variables that were named first before others. Two conditions that are equal but for
//! names may still be read differently, and are then asked about separately.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::queries::limits::{MAXIMUM_RENAMED_CONJUNCTS, MAXIMUM_RENAMED_SIZE};
use regatta_term::{Arena, Build, Op, Pool, Symbol, TermId, TermKind, conjuncts, size, substitute};

/// Returns conditions, each once, that are all unsatisfiable only if the given ones are. Definitions of names in the conditions
/// no longer apply to them.
pub(super) fn representatives(arena: &Arena, conditions: &[TermId]) -> Vec<TermId> {
    let mut shapes = Shapes::default();
    let mut all = BTreeSet::new();
    for &condition in conditions {
        all.insert(renamed(arena, &mut shapes, condition).unwrap_or(condition));
    }
    all.into_iter().collect()
}

/// The condition with its variables renamed, unless it is long.
fn renamed(arena: &Arena, shapes: &mut Shapes, condition: TermId) -> Option<TermId> {
    let mut left = conjuncts(arena, condition);
    if left.len() > MAXIMUM_RENAMED_CONJUNCTS || size(arena, condition) > MAXIMUM_RENAMED_SIZE {
        return None;
    }
    let variables: Vec<Vec<TermId>> = left
        .iter()
        .map(|&one| shapes.variables(arena, one))
        .collect();
    let mut numbers: FxHashMap<TermId, u32> = FxHashMap::default();
    let mut places: Vec<usize> = (0..left.len()).collect();
    while !places.is_empty() {
        let key = |place: usize| {
            let number = |variable| numbers.get(variable).copied().unwrap_or(u32::MAX);
            let named: Vec<u32> = variables[place].iter().map(number).collect();
            // Conjuncts with named variables first, so that the others' names follow from them.
            let is_new = named.iter().all(|&number| number == u32::MAX);
            (is_new, shapes.of(left[place]), named)
        };
        let next = (0..places.len()).min_by_key(|&at| key(places[at]))?;
        for &variable in &variables[places.swap_remove(next)] {
            let new = numbers.len() as u32;
            numbers.entry(variable).or_insert(new);
        }
    }
    let name = |(&variable, &number): (&TermId, &u32)| {
        let symbol = Symbol::new("certified place", arena.sort(variable));
        (variable, arena.variable_at(symbol, number))
    };
    let names: FxHashMap<TermId, TermId> = numbers.iter().map(name).collect();
    for conjunct in &mut left {
        *conjunct = substitute(arena, *conjunct, &names);
    }
    Some(arena.and(left))
}

/// The shapes of terms: numbers that are equal for terms that differ only in the names of variables.
#[derive(Default)]
struct Shapes(FxHashMap<TermId, u64>);

impl Shapes {
    /// The shape of a term that was learnt.
    fn of(&self, term: TermId) -> u64 {
        self.0.get(&term).copied().unwrap_or_default()
    }

    /// The variables of the term in the order in which they are read, and the shapes of its subterms.
    fn variables(&mut self, arena: &Arena, term: TermId) -> Vec<TermId> {
        self.learn(arena, term);
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![term];
        while let Some(top) = stack.pop() {
            if !seen.insert(top) {
                continue;
            }
            match arena.kind(top) {
                TermKind::Constant(_) => {}
                TermKind::Variable { .. } => found.push(top),
                TermKind::Apply { op, arguments } => {
                    let mut arguments = arguments.to_vec();
                    if commutes(op) {
                        arguments.sort_by_key(|&one| self.of(one));
                    }
                    stack.extend(arguments.into_iter().rev());
                }
            }
        }
        found
    }

    /// Computes the shapes of the term and its subterms.
    fn learn(&mut self, arena: &Arena, term: TermId) {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.0.contains_key(&top) {
                stack.pop();
                continue;
            }
            let shape = match arena.kind(top) {
                TermKind::Constant(_) => digest(|hasher| top.hash(hasher)),
                TermKind::Variable { symbol, .. } => digest(|hasher| symbol.sort().hash(hasher)),
                TermKind::Apply { op, arguments } => {
                    let before = stack.len();
                    stack.extend(arguments.iter().filter(|one| !self.0.contains_key(one)));
                    if stack.len() > before {
                        continue;
                    }
                    let mut parts: Vec<u64> = arguments.iter().map(|one| self.0[one]).collect();
                    if commutes(op) {
                        parts.sort_unstable();
                    }
                    digest(|hasher| (op, arena.sort(top), parts).hash(hasher))
                }
            };
            self.0.insert(top, shape);
            stack.pop();
        }
    }
}

fn digest(write: impl FnOnce(&mut FxHasher)) -> u64 {
    let mut hasher = FxHasher::default();
    write(&mut hasher);
    hasher.finish()
}

/// Whether the order of the operator's arguments is that of their numbers.
fn commutes(op: Op) -> bool {
    matches!(
        op,
        Op::And | Op::Or | Op::Eq | Op::BvAdd | Op::BvMul | Op::BvAnd | Op::BvOr | Op::BvXor
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use regatta_term::{BitVecValue, Sort, Value, evaluate};

    const BITS: Sort = Sort::BitVec(2);

    fn variable(arena: &Arena, number: u8) -> TermId {
        arena.variable_at(Symbol::new("alike x", BITS), number.into())
    }

    /// Whether a choice of values for the four variables of the symbol satisfies the condition.
    fn is_satisfiable(arena: &Arena, condition: TermId, name: &str, first: u32) -> bool {
        let symbol = Symbol::new(name, BITS);
        (0_u32..256).any(|values| {
            let assignment = |of: Symbol, instance: u32| {
                let bits = values >> (2 * instance.wrapping_sub(first)) & 3;
                (of == symbol).then(|| Value::BitVec(BitVecValue::new(2, bits.into())))
            };
            evaluate(arena, condition, &assignment).is_ok_and(|value| value == Value::Bool(true))
        })
    }

    /// A conjunction of comparisons of two of the variables 1 to 4.
    fn condition(arena: &Arena, parts: &[(u8, u8, u8)]) -> TermId {
        let parts = parts.iter().map(|&(kind, a, b)| {
            let (a, b) = (variable(arena, a), variable(arena, b));
            match kind {
                0 => arena.ult(a, b),
                1 => arena.ule(a, b),
                2 => arena.eq(arena.add(a, b), arena.bv(2, 3)),
                _ => arena.not(arena.eq(a, b)),
            }
        });
        arena.and(parts.collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn renaming_keeps_satisfiability(
            parts in prop::collection::vec((0_u8..4, 1_u8..5, 1_u8..5), 1..7),
        ) {
            let arena = Arena::new();
            let condition = condition(&arena, &parts);
            let [renamed] = representatives(&arena, &[condition])[..] else {
                panic!("one condition");
            };
            prop_assert_eq!(
                is_satisfiable(&arena, condition, "alike x", 1),
                is_satisfiable(&arena, renamed, "certified place", 0)
            );
        }

        #[test]
        fn the_names_of_a_cycle_do_not_matter(
            order in Just([1_u8, 2, 3, 4]).prop_shuffle(),
            parts in Just([0_usize, 1, 2, 3]).prop_shuffle(),
        ) {
            let arena = Arena::new();
            let cycle = |order: [u8; 4], parts: [usize; 4]| {
                let parts = parts.map(|part| (0, order[part], order[(part + 1) % 4]));
                condition(&arena, &parts)
            };
            let both = [cycle([1, 2, 3, 4], [0, 1, 2, 3]), cycle(order, parts)];
            prop_assert_eq!(representatives(&arena, &both).len(), 1);
        }
    }

    #[test]
    fn different_conditions_stay_different() {
        let arena = Arena::new();
        let less = condition(&arena, &[(0, 1, 2)]);
        let never = condition(&arena, &[(0, 1, 2), (0, 2, 1)]);
        assert_eq!(representatives(&arena, &[less, never]).len(), 2);
    }
}
