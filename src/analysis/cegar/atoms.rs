//! Atoms of formulas and of blocks, from which predicates are built.

use rustc_hash::FxHashSet;

use crate::cpa::predicate::PredicateCpa;
use crate::cpa::predicate::abstraction::Abstraction;
use crate::cpa::predicate::path_formula::PathFormula;
use crate::term::{Op, Pool, Sort, TermId, TermKind, for_each_subterm, size, store, transfer};

/// Maximum size of a predicate (subterms).
const MAXIMUM_ATOM_SIZE: usize = 40;

/// Returns the atoms of a formula of the shared store.
pub fn atoms(formula: TermId) -> Vec<TermId> {
    let pool = store();
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![formula];
    while let Some(top) = stack.pop() {
        if !seen.insert(top) {
            continue;
        }
        match pool.kind(top) {
            kind if is_atom(pool, kind, top) => found.push(top),
            TermKind::Apply { op, arguments } if is_connective(op) => {
                // An equality of arrays is no predicate, and neither are its parts.
                let boolean = arguments
                    .iter()
                    .filter(|&&one| pool.sort(one) == Sort::Bool);
                stack.extend(boolean.rev());
            }
            _ => {}
        }
    }
    found
}

/// Returns the atoms of a block that are over the state at its beginning alone.
pub(super) fn conditions<A: Abstraction>(
    cpa: &PredicateCpa<A>,
    formula: &PathFormula,
) -> Vec<TermId> {
    let from = &**cpa.arena();
    let is_state = |term| match from.kind(term) {
        TermKind::Variable { symbol, instance } => {
            instance == 0 && cpa.blocks().variable(symbol).is_some()
        }
        _ => false,
    };
    let mut terms = cpa.definitions.since(0, formula.guard);
    terms.push(formula.guard);
    terms.extend(formula.values.iter().map(|(_, &value)| value));
    let mut found = Vec::new();
    collect_atoms(from, terms, &is_state, &mut found);
    let found = found.into_iter();
    found.map(|atom| transfer(from, store(), atom)).collect()
}

/// Adds to `found` the atoms within the terms whose variables all satisfy `is_state`.
pub(super) fn collect_atoms<P: Pool + ?Sized>(
    pool: &P,
    terms: impl IntoIterator<Item = TermId>,
    is_state: &dyn Fn(TermId) -> bool,
    found: &mut Vec<TermId>,
) {
    let mut within: FxHashSet<TermId> = FxHashSet::default();
    for_each_subterm(pool, terms, |term, kind| {
        let is_within = match kind {
            TermKind::Constant(_) => true,
            TermKind::Variable { .. } => is_state(term),
            TermKind::Apply { arguments, .. } => arguments.iter().all(|one| within.contains(one)),
        };
        if !is_within {
            return;
        }
        within.insert(term);
        if is_atom(pool, kind, term)
            && !found.contains(&term)
            && size(pool, term) <= MAXIMUM_ATOM_SIZE
        {
            found.push(term);
        }
    });
}

/// Checks whether the term is Boolean and is not a connective of Boolean terms.
fn is_atom<P: Pool + ?Sized>(pool: &P, kind: TermKind<'_>, term: TermId) -> bool {
    pool.sort(term) == Sort::Bool
        && match kind {
            TermKind::Constant(_) => false,
            TermKind::Variable { .. } => true,
            TermKind::Apply { op, arguments } => {
                let boolean = arguments.iter().all(|&one| pool.sort(one) == Sort::Bool);
                let arrays = arguments.iter().any(|&one| pool.sort(one).is_array());
                !(arrays || boolean && is_connective(op))
            }
        }
}

fn is_connective(op: Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Not | Op::Ite | Op::Eq)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Build, ScalarSort, Symbol};

    #[test]
    fn arrays_are_no_predicates() {
        let pool = store();
        let (index, element) = (ScalarSort::BitVec(62), ScalarSort::BitVec(32));
        let named = |name, sort| pool.variable(Symbol::new(name, sort));
        let [a, b] = ["a", "b"].map(|name| named(name, Sort::Array { index, element }));
        let [x, y] = ["x", "y"].map(|name| named(name, Sort::BitVec(32)));
        let less = pool.ult(x, y);
        let formula = pool.and([pool.not(pool.eq(a, b)), pool.or2(less, pool.eq(x, y))]);
        let mut found = atoms(formula);
        found.sort_unstable();
        let mut expected = vec![less, pool.eq(x, y)];
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}
