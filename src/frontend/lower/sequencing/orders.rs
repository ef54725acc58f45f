//! The orders of conflicting operands that are tried.

use rustc_hash::FxHashSet;

/// Orders that are tried at a site.
pub(super) const MOST_ORDERS: usize = 24;

/// Operands with conflicts for which all orders are looked at.
const MOST_OPERANDS: usize = 6;

/// Orders of the operands, from left to right first, such that any two differ in the order of a conflicting pair.
/// If these are too many, a few of them, and they are not complete.
pub(super) fn orders(
    participants: &[usize],
    pairs: &[(usize, usize)],
    has_call: &dyn Fn(usize) -> bool,
    complete: &mut bool,
) -> Vec<Vec<usize>> {
    let forward = participants.to_vec();
    let backward: Vec<usize> = forward.iter().rev().copied().collect();
    // What gcc does with operators: a variable beside a call is read when the call has returned.
    let mut calls_first = forward.clone();
    calls_first.sort_by_key(|&operand| !has_call(operand));
    let mut candidates = vec![forward.clone(), backward, calls_first];
    if participants.len() <= MOST_OPERANDS {
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
            if result.len() == MOST_ORDERS {
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
