//! The orders of conflicting operands that are tried.

use rustc_hash::FxHashSet;

use crate::lower::limits::{MAXIMUM_ORDERS, MAXIMUM_PERMUTED_OPERANDS};

/// Pairwise inequivalent orders, from left to right first; some of them, not `complete`, if there are too many.
pub(super) fn orders(
    participants: &[usize],
    pairs: &[(usize, usize)],
    has_call: &dyn Fn(usize) -> bool,
    complete: &mut bool,
) -> Vec<Vec<usize>> {
    let forward = participants.to_vec();
    let backward: Vec<usize> = forward.iter().rev().copied().collect();
    // gcc's order for operators: a variable beside a call is read after the call has returned.
    let mut calls_first = forward.clone();
    calls_first.sort_by_key(|&operand| !has_call(operand));
    let mut candidates = vec![forward.clone(), backward, calls_first];
    if participants.len() <= MAXIMUM_PERMUTED_OPERANDS {
        permutations(&forward, &mut Vec::new(), &mut candidates);
    } else {
        *complete = false;
    }
    let mut seen: FxHashSet<Vec<bool>> = FxHashSet::default();
    let mut result = Vec::new();
    for order in candidates {
        let place = |operand: usize| order.iter().position(|&other| other == operand);
        let signature = pairs.iter().map(|&(a, b)| place(a) < place(b)).collect();
        if seen.insert(signature) {
            if result.len() == MAXIMUM_ORDERS {
                *complete = false;
                break;
            }
            result.push(order);
        }
    }
    result
}

fn permutations(rest: &[usize], chosen: &mut Vec<usize>, result: &mut Vec<Vec<usize>>) {
    if rest.is_empty() {
        result.push(chosen.clone());
        return;
    }
    for (index, &next) in rest.iter().enumerate() {
        let mut others = rest.to_vec();
        others.remove(index);
        chosen.push(next);
        permutations(&others, chosen, result);
        chosen.pop();
    }
}
