//! Checks whether the edges that leave a location are mutually exclusive.
//!
//! They are in every program that the front end makes, but the check is needed before an enumeration of runs counts as
//! complete: where two edges can be taken, a run shows only one of them. The check examines the first conditions of the
//! edges, for a condition and its negation, and for a term that is confined to disjoint ranges. It keeps one interval for
//! each term and order, from literals only, so that cases of a switch are distinguished for any number and width of them
//! ([`regatta_term::domain`] computes with few intervals of at most 64 bits). It is asked once for a program; engines and the
//! checker, which ask for each location of an unrolled one, have the cheaper [`crate::conditions::exclusive`].

use rustc_hash::FxHashMap;

use crate::{Edge, Operation, Program};
use regatta_term::{Build, Constant, Op, Pool, TermId, TermKind, conjuncts, store};

/// Checks whether no two edges that leave a location can be taken in one state. `true` is definite.
pub(crate) fn edges_exclude_one_another(program: &Program) -> bool {
    program.outgoing().iter().all(|edges| {
        let conditions: Vec<_> = match edges[..] {
            [] | [_] => return true,
            _ => edges
                .iter()
                .map(|edge| leading_conditions(program.edge(*edge)))
                .collect(),
        };
        conditions.iter().enumerate().all(|(position, first)| {
            conditions[position + 1..]
                .iter()
                .all(|second| exclude(first, second, 2))
        })
    })
}

/// The conjuncts of an edge's first conditions.
fn leading_conditions(edge: &Edge) -> Vec<TermId> {
    let mut literals = Vec::new();
    for operation in &edge.operations {
        match operation {
            Operation::Assume(condition) => literals.extend(conjuncts(store(), *condition)),
            _ => break,
        }
    }
    literals
}

/// The disjuncts of a literal that is a disjunction.
fn cases(literal: TermId) -> Option<Vec<TermId>> {
    match store().as_application(literal) {
        Some((Op::Or, arguments)) => Some(arguments.to_vec()),
        Some((Op::Not, arguments)) => match store().as_application(arguments[0]) {
            Some((Op::And, arguments)) => Some(
                arguments
                    .iter()
                    .map(|argument| store().not(*argument))
                    .collect(),
            ),
            _ => None,
        },
        _ => None,
    }
}

/// Whether two conjunctions contradict each other.
fn exclude(first: &[TermId], second: &[TermId], depth: u32) -> bool {
    let is_denied = |literal: &TermId| second.contains(&store().not(*literal));
    if [first, second].concat().contains(&TermId::FALSE) || first.iter().any(is_denied) {
        return true;
    }
    let mut ranges: FxHashMap<(TermId, Order), (i128, i128)> = FxHashMap::default();
    for literal in first.iter().chain(second) {
        for (key, low, high) in range_of(*literal) {
            let range = ranges.entry(key).or_insert((i128::MIN, i128::MAX));
            *range = (range.0.max(low), range.1.min(high));
            if range.0 > range.1 {
                return true;
            }
        }
    }
    // A disjunction contradicts a formula if each disjunct does.
    depth > 0
        && (excluded_by_cases(first, second, depth) || excluded_by_cases(second, first, depth))
}

fn excluded_by_cases(first: &[TermId], second: &[TermId], depth: u32) -> bool {
    second
        .iter()
        .filter_map(|literal| cases(*literal))
        .any(|cases| {
            cases
                .into_iter()
                .all(|case| exclude(first, &conjuncts(store(), case), depth - 1))
        })
}

/// The order of a term's values.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
enum Order {
    Unsigned,
    Signed,
    Integer,
}

/// The inclusive ranges to which a literal confines a term.
fn range_of(literal: TermId) -> Vec<((TermId, Order), i128, i128)> {
    let (literal, holds) = match store().as_application(literal) {
        Some((Op::Not, arguments)) => (arguments[0], false),
        _ => (literal, true),
    };
    let Some((op, &[a, b])) = store().as_application(literal) else {
        return Vec::new();
    };
    let order = match op {
        Op::BvUlt | Op::BvUle => Order::Unsigned,
        Op::BvSlt | Op::BvSle => Order::Signed,
        Op::IntLt | Op::IntLe => Order::Integer,
        Op::Eq if holds => {
            let (term, value) = match (constant(a, Order::Unsigned), constant(b, Order::Unsigned)) {
                (None, Some(_)) => (a, b),
                (Some(_), None) => (b, a),
                _ => return Vec::new(),
            };
            return [Order::Unsigned, Order::Signed, Order::Integer]
                .into_iter()
                .filter_map(|order| {
                    constant(value, order).map(|value| ((term, order), value, value))
                })
                .collect();
        }
        _ => return Vec::new(),
    };
    let strict = i128::from(matches!(op, Op::BvUlt | Op::BvSlt | Op::IntLt));
    // No overflow of i128: wide constants are excluded (see `constant`).
    match (constant(a, order), constant(b, order), holds) {
        (None, Some(limit), true) => vec![((a, order), i128::MIN, limit - strict)],
        (None, Some(limit), false) => vec![((a, order), limit + (1 - strict), i128::MAX)],
        (Some(limit), None, true) => vec![((b, order), limit + strict, i128::MAX)],
        (Some(limit), None, false) => vec![((b, order), i128::MIN, limit - (1 - strict))],
        _ => Vec::new(),
    }
}

/// A constant's value in an order; `None` if it needs 126 bits or more.
fn constant(term: TermId, order: Order) -> Option<i128> {
    match (store().kind(term), order) {
        (TermKind::Constant(Constant::BitVec(value)), Order::Unsigned) if value.width() < 126 => {
            Some(value.bits() as i128)
        }
        (TermKind::Constant(Constant::BitVec(value)), Order::Signed) if value.width() < 126 => {
            Some(value.signed())
        }
        (TermKind::Constant(Constant::Int(value)), Order::Integer | Order::Unsigned)
            if value.bits() < 126 =>
        {
            i128::try_from(value).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramBuilder;
    use regatta_term::Sort;

    #[test]
    fn exclusive_conditions_are_recognised() {
        let mut b = ProgramBuilder::new();
        let x = b.global("x", Sort::BitVec(32));
        let y = b.global("y", Sort::BitVec(32));
        let (x, y) = (b.value(x), b.value(y));
        let number = |value: u32| store().bv(32, value.into());
        let less = store().slt(x, y);
        let case =
            |low, high| store().and2(store().ule(number(low), x), store().ule(x, number(high)));
        let default = store().and2(store().not(case(3, 5)), store().not(case(8, 9)));
        let cases = [
            (vec![less, store().not(less)], true),
            (vec![less, store().slt(y, x)], false),
            (
                vec![
                    store().eq(x, number(1)),
                    store().eq(x, number(2)),
                    store().ugt(x, number(2)),
                ],
                true,
            ),
            (
                vec![store().eq(x, number(1)), store().eq(y, number(2))],
                false,
            ),
            (vec![case(3, 5), case(8, 9), default], true),
            (vec![case(3, 5), case(5, 9)], false),
            (vec![store().boolean(true), less], false),
        ];
        for (conditions, expected) in cases {
            let mut b = ProgramBuilder::new();
            let target = b.new_location();
            for condition in &conditions {
                b.edge(b.cursor(), target, vec![Operation::Assume(*condition)]);
            }
            assert_eq!(
                edges_exclude_one_another(b.program()),
                expected,
                "{conditions:?}"
            );
        }
    }
}
