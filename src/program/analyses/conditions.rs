//! Syntactic checks of branch conditions: whether they are exhaustive, and whether they are mutually exclusive.
//!
//! The checks look for negations among conjuncts and disjuncts, and for equations with constants; they do no arithmetic.
//! Whether a program as a whole has exclusive edges, `interpreter::exclusion` finds out with ranges.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cfa::{Edge, Operation};
use regatta_term::{Build, Constant, Op, Pool, TermId, TermKind, conjuncts, disjuncts, store};

/// Checks whether one of the conditions always holds. `true` is definite: the negations of all conjuncts of one disjunct
/// are disjuncts too.
pub fn exhaustive(conditions: &[TermId]) -> bool {
    let all: FxHashSet<TermId> = conditions
        .iter()
        .flat_map(|&condition| disjuncts(store(), condition))
        .collect();
    let denied = |part| all.contains(&store().not(part));
    if conditions.iter().any(|&condition| denied(condition)) {
        return true;
    }
    conditions
        .iter()
        .flat_map(|&condition| disjuncts(store(), condition))
        .any(|condition| {
            condition == TermId::TRUE || conjuncts(store(), condition).into_iter().all(denied)
        })
}

/// Checks whether the conditions exclude each other pairwise. `true` is definite.
pub fn exclusive(conditions: &[TermId]) -> bool {
    // Each condition as its disjuncts, and those as what they imply: their conjuncts and the whole.
    let mut cases: Vec<(usize, Vec<TermId>)> = Vec::new();
    for (index, &condition) in conditions.iter().enumerate() {
        if condition != TermId::FALSE {
            cases.extend(disjuncts(store(), condition).into_iter().map(|case| {
                let mut implied = conjuncts(store(), case);
                implied.extend([case, condition]);
                (index, implied)
            }));
        }
    }
    if cases.iter().all(|case| case.0 == cases[0].0) {
        return true;
    }
    // Equations of one term with different constants exclude each other; the other cases are compared pairwise.
    let equations: Vec<Option<(TermId, TermId)>> = cases
        .iter()
        .map(|(_, parts)| parts.iter().find_map(|&part| equation(part)))
        .collect();
    let term = equations.iter().flatten().map(|&(term, _)| term).next();
    let mut owner: FxHashMap<TermId, usize> = FxHashMap::default();
    let rest: Vec<usize> = (0..cases.len())
        .filter(|&case| match equations[case] {
            Some((of, constant)) if Some(of) == term => {
                *owner.entry(constant).or_insert(cases[case].0) != cases[case].0
            }
            _ => true,
        })
        .collect();
    rest.len() <= 64
        && rest.iter().all(|&case| {
            let (index, parts) = &cases[case];
            let denied: FxHashSet<TermId> = parts.iter().map(|&part| store().not(part)).collect();
            cases.iter().all(|(other, parts)| {
                index == other || parts.iter().any(|part| denied.contains(part))
            })
        })
}

/// A term and the constant that the condition says it is equal to.
fn equation(condition: TermId) -> Option<(TermId, TermId)> {
    match store().as_application(condition) {
        Some((Op::Eq, &[a, b])) => {
            if is_constant(b) {
                Some((a, b))
            } else {
                is_constant(a).then_some((b, a))
            }
        }
        _ => None,
    }
}

/// Whether the term is a constant of a sort in which equal values are equal terms: of any sort but floats, where NaN has
/// several representations.
fn is_constant(term: TermId) -> bool {
    matches!(
        store().kind(term),
        TermKind::Constant(Constant::Bool(_) | Constant::BitVec(_) | Constant::Int(_))
    )
}

/// Checks whether one of the edges that leave a location can always be taken, judged by their conditions; callees are
/// taken to return. An edge with an unsupported operation does not count.
pub(crate) fn always_go_on<'a>(edges: impl Iterator<Item = &'a Edge>) -> bool {
    let mut conditions = Vec::new();
    for edge in edges {
        let mut condition = TermId::TRUE;
        for (index, operation) in edge.operations.iter().enumerate() {
            match operation {
                Operation::Assume(assumed) if index == 0 => condition = *assumed,
                // A condition on values that the edge has changed cannot be compared with the other edges' conditions.
                Operation::Assume(_) => condition = TermId::FALSE,
                Operation::Unsupported(_) => return false,
                _ => {}
            }
        }
        conditions.push(condition);
    }
    exhaustive(&conditions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::{Sort, Symbol};

    #[test]
    fn cases_of_a_switch_cover_everything_and_exclude_each_other() {
        let x = store().variable(Symbol::new("conditions x", Sort::BitVec(32)));
        let is = |value| store().eq(x, store().bv(32, value));
        let default = store().and([store().not(is(1)), store().not(is(2)), store().not(is(3))]);
        let merged = store().or2(is(1), is(3));
        for conditions in [
            vec![is(1), is(2), is(3), default],
            vec![merged, is(2), default],
        ] {
            assert!(exhaustive(&conditions) && exclusive(&conditions));
            assert!(!exhaustive(&conditions[1..]));
        }
        assert!(!exclusive(&[is(1), merged]));
        assert!(!exclusive(&[is(1), store().ult(x, store().bv(32, 2))]));
        assert!(exhaustive(&[is(1), store().not(is(1))]));
    }
}
