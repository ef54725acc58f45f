//! Splits conjunctions, disjunctions and their negations into parts.

use rustc_hash::FxHashSet;

use crate::{Build, Op, Pool, TermId, TermKind};

/// Returns the conjuncts of a condition, in order; negated disjunctions are split as well.
pub fn conjuncts<P: Build + ?Sized>(pool: &P, condition: TermId) -> Vec<TermId> {
    parts(pool, condition, Op::And, Op::Or)
}

/// Returns the disjuncts of a condition, in order; negated conjunctions are split as well.
pub fn disjuncts<P: Build + ?Sized>(pool: &P, condition: TermId) -> Vec<TermId> {
    parts(pool, condition, Op::Or, Op::And)
}

/// Returns the variables that a conjunct equates with a constant, with the constants.
pub fn fixed<P: Build + ?Sized>(pool: &P, condition: TermId) -> Vec<(TermId, TermId)> {
    let conjuncts = conjuncts(pool, condition).into_iter();
    let sides = conjuncts.filter_map(|conjunct| match pool.arguments(Op::Eq, conjunct) {
        Some(&[a, b]) => Some([(a, b), (b, a)]),
        _ => None,
    });
    let is_fixed = |side: &(TermId, TermId)| pool.is_variable(side.0) && pool.is_constant(side.1);
    sides.flatten().filter(is_fixed).collect()
}

/// Returns the atoms of the conditions, each once: what is left when conjunctions, disjunctions and negations are taken apart.
/// Constants are no atoms.
pub fn atoms<P: Pool + ?Sized>(
    pool: &P,
    conditions: impl IntoIterator<Item = TermId>,
) -> impl Iterator<Item = TermId> {
    let mut stack: Vec<TermId> = conditions.into_iter().collect();
    let mut seen = FxHashSet::default();
    std::iter::from_fn(move || {
        while let Some(top) = stack.pop() {
            if !seen.insert(top) {
                continue;
            }
            match pool.kind(top) {
                TermKind::Apply {
                    op: Op::And | Op::Or | Op::Not,
                    arguments,
                } => stack.extend_from_slice(arguments),
                TermKind::Constant(_) => {}
                _ => return Some(top),
            }
        }
        None
    })
}

fn parts<P: Build + ?Sized>(pool: &P, condition: TermId, op: Op, dual: Op) -> Vec<TermId> {
    let nothing = pool.boolean(op == Op::And);
    let mut parts = Vec::new();
    let mut stack = vec![condition];
    while let Some(term) = stack.pop() {
        if let Some(arguments) = pool.arguments(op, term) {
            stack.extend(arguments.iter().rev());
        } else if let Some(denied) = pool.denied(term)
            && let Some(arguments) = pool.arguments(dual, denied)
        {
            let arguments = arguments.iter().rev();
            stack.extend(arguments.map(|&argument| pool.not(argument)));
        } else if term != nothing {
            parts.push(term);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Sort, Symbol};

    #[test]
    fn denials_are_taken_apart() {
        let arena = Arena::new();
        let variable = |name| arena.variable(Symbol::new(name, Sort::Bool));
        let [p, q, r] = ["connectives::p", "connectives::q", "connectives::r"].map(variable);
        let neither = arena.not(arena.or2(p, arena.not(q)));
        let mut all = conjuncts(&arena, arena.and2(r, neither));
        all.sort_unstable();
        let mut expected = vec![arena.not(p), q, r];
        expected.sort_unstable();
        assert_eq!(all, expected);
        assert_eq!(disjuncts(&arena, neither), [neither]);
        let number = arena.variable(Symbol::new("connectives::number", Sort::Int));
        let [five, less] = [arena.int(5), arena.int_lt(number, arena.int(7))];
        let differs = arena.ne(number, five);
        let equal = arena.not(arena.or2(differs, r));
        assert_eq!(fixed(&arena, equal), [(number, five)]);
        assert_eq!(fixed(&arena, arena.and2(differs, less)), []);
        let mut found: Vec<_> = atoms(&arena, [equal, TermId::TRUE, r]).collect();
        found.sort_unstable();
        let mut expected = vec![arena.eq(number, five), r];
        expected.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(conjuncts(&arena, TermId::TRUE), []);
        assert_eq!(conjuncts(&arena, TermId::FALSE), [TermId::FALSE]);
        assert_eq!(disjuncts(&arena, TermId::FALSE), []);
    }
}
