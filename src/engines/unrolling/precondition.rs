//! The weakest precondition of a formula under the inputs of a model, over the state in which an unrolling begins, with
//! all definitions expanded (\[Bir13\], section 3.2, which lifts states by it).

use rustc_hash::{FxHashMap, FxHashSet};

use super::Unrolling;
use regatta_term::{Build, Pool, Rebuild, TermId, TermKind, Value, store};

/// Expands the definitions in the formula, and replaces all variables that are not of the state in which the unrolling
/// begins by their values in the model; returns a term of the shared store.
pub(super) fn precondition(unrolling: &mut Unrolling, formula: TermId) -> TermId {
    let arena = unrolling.arena().clone();
    let leaves = leaves(unrolling, formula);
    let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
    for leaf in leaves {
        let meaning = match unrolling.cpa.domain.definitions.value_of(leaf) {
            Some(value) => {
                let replace = |term| known.get(&term).copied();
                Rebuild::new(&*arena, store(), replace).rebuild(value)
            }
            None if unrolling.is_of_the_state(leaf) => leaf,
            None => {
                let sort = arena.sort(leaf);
                let value = unrolling.solver.value(leaf);
                store().value(&value.unwrap_or_else(|| Value::zero(sort)))
            }
        };
        known.insert(leaf, meaning);
    }
    let replace = |term| known.get(&term).copied();
    Rebuild::new(&*arena, store(), replace).rebuild(formula)
}

/// Returns the variables that the formula depends on, each after those of its definition.
fn leaves(unrolling: &Unrolling, formula: TermId) -> Vec<TermId> {
    let arena = unrolling.arena();
    let mut order = Vec::new();
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut stack = vec![(formula, false)];
    while let Some((top, done)) = stack.pop() {
        if done {
            order.push(top);
            continue;
        }
        if !seen.insert(top) {
            continue;
        }
        match arena.kind(top) {
            TermKind::Constant(_) => {}
            TermKind::Variable { .. } => {
                stack.push((top, true));
                let value = unrolling.cpa.domain.definitions.value_of(top);
                stack.extend(value.map(|value| (value, false)));
            }
            TermKind::Apply { arguments, .. } => {
                stack.extend(arguments.iter().map(|&argument| (argument, false)));
            }
        }
    }
    order
}

impl Unrolling {
    fn is_of_the_state(&self, variable: TermId) -> bool {
        let TermKind::Variable {
            symbol,
            instance: 0,
        } = self.arena().kind(variable)
        else {
            return false;
        };
        self.cpa.location.blocks().variable(symbol).is_some()
    }
}
