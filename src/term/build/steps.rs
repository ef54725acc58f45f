//! Trees of `ite` with constant leaves, alone and as an addend (a *step*): `x + (c ? 1 : 0)`.
//!
//! A variable that branches count up is `(d ? y : y + 1)` with `y = (c ? x : x + 1)` and so on. Solvers hardly find its
//! difference from `x`; written as `x` plus a tree of constants, the difference depends on the conditions only.

use smallvec::SmallVec;

use super::linear::Linear;
use super::*;
use crate::build::limits::MAXIMUM_TREE_VISITS;

/// The constants and `ite` of a tree, branches before the `ite` that has them.
type Tree = SmallVec<[TermId; 16]>;

/// Returns the tree of a term that consists of `ite` and constants; `None` for other terms or if it is too large.
fn constant_tree<P: Pool + ?Sized>(pool: &P, term: TermId) -> Option<Tree> {
    fn visit<P: Pool + ?Sized>(
        pool: &P,
        term: TermId,
        all: &mut Tree,
        visits: &mut usize,
    ) -> Option<()> {
        if all.contains(&term) {
            return Some(());
        }
        // Visits are counted instead of terms, because long chains may alternate between few constants.
        *visits = visits.checked_sub(1)?;
        if pool.constant(term).is_none() {
            let (_, then, otherwise) = choice(pool, term)?;
            visit(pool, then, all, visits)?;
            visit(pool, otherwise, all, visits)?;
        }
        all.push(term);
        Some(())
    }
    let mut all = Tree::new();
    let mut visits = MAXIMUM_TREE_VISITS;
    visit(pool, term, &mut all, &mut visits)?;
    Some(all)
}

/// Applies the function to the constants of a tree; `None` if the term is not a tree of constants, or too large.
pub(super) fn mapped<P: Pool + ?Sized>(
    pool: &P,
    term: TermId,
    of_constant: impl Fn(TermId) -> TermId,
) -> Option<TermId> {
    mapped_all(pool, &constant_tree(pool, term)?, of_constant)
}

fn mapped_all<P: Pool + ?Sized>(
    pool: &P,
    all: &Tree,
    of_constant: impl Fn(TermId) -> TermId,
) -> Option<TermId> {
    let mut results = Tree::new();
    let result_of = |results: &Tree, part: TermId| {
        let place = all.iter().position(|&one| one == part);
        place.map(|place| results[place])
    };
    for &part in all {
        let result = match choice(pool, part) {
            Some((condition, then, otherwise)) => {
                let then = result_of(&results, then)?;
                let otherwise = result_of(&results, otherwise)?;
                pool.ite(condition, then, otherwise)
            }
            None => of_constant(part),
        };
        results.push(result);
    }
    results.pop()
}

/// A sum with one addend that is a tree of constants.
struct Stepped {
    base: Linear,
    step: TermId,
}

impl Stepped {
    fn of<P: Pool + ?Sized>(pool: &P, term: TermId) -> Option<Self> {
        let sort = pool.sort(term);
        let mut base = Linear::of(pool, sort, &[(term, 1)])?;
        let constant = linear::literal(pool, sort, std::mem::take(&mut base.constant));
        let addends = base.addends.iter();
        let unscaled = addends.filter(|&&(_, factor)| factor == 1);
        let mut steps = unscaled.filter_map(|&(term, _)| Some((term, constant_tree(pool, term)?)));
        let Some((term, all)) = steps.next() else {
            return Some(Self {
                base,
                step: constant,
            });
        };
        if steps.next().is_some() {
            return None;
        }
        drop(steps);
        base.addends.retain(|(addend, _)| *addend != term);
        let step = mapped_all(pool, &all, |one| {
            pool.apply(Op::BvAdd, sort, &[one, constant])
        });
        Some(Self { base, step: step? })
    }
}

/// Builds an `ite`; where its branches differ only in an added constant or tree of constants, builds the sum of the common base
/// and an `ite` of the steps.
pub(super) fn choice_of_sums<P: Pool + ?Sized>(
    pool: &P,
    condition: TermId,
    then: TermId,
    otherwise: TermId,
) -> TermId {
    let stepped = |term| match pool.sort(term) {
        Sort::BitVec(_) if then != otherwise => Stepped::of(pool, term),
        _ => None,
    };
    match (stepped(then), stepped(otherwise)) {
        (Some(one), Some(other)) if one.base == other.base => {
            let step = pool.ite(condition, one.step, other.step);
            pool.apply(Op::BvAdd, pool.sort(then), &[one.base.term(pool), step])
        }
        _ => pool.ite(condition, then, otherwise),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Arena, evaluate};

    fn value(pool: &impl Pool, term: TermId, state: [u8; 5]) -> Value {
        let assignment = |symbol: Symbol, _: u32| {
            let number = names().iter().position(|&one| one == symbol)?;
            Some(match symbol.sort() {
                Sort::Bool => Value::Bool(state[number] % 2 == 1),
                _ => Value::bit_vec(8, state[number].into()),
            })
        };
        evaluate(pool, term, &assignment).expect("a value")
    }

    fn names() -> [Symbol; 5] {
        let byte = Sort::BitVec(8);
        let sorts = [byte, byte, Sort::Bool, Sort::Bool, Sort::Bool];
        let names = ["step x", "step y", "step p", "step q", "step r"];
        std::array::from_fn(|number| Symbol::new(names[number], sorts[number]))
    }

    proptest! {
        #[test]
        fn a_choice_of_sums_is_the_choice(
            code in prop::collection::vec((0_u8..6, any::<[u8; 3]>()), 1..12),
            bound in 0_u8..5,
            states in prop::collection::vec(any::<[u8; 5]>(), 8),
        ) {
            let arena = Arena::new();
            let [x, y, p, q, r] = names().map(|name| arena.variable(name));
            // The same terms, built with plain `ite`.
            let mut terms = vec![(x, x), (y, y), (arena.bv(8, 3), arena.bv(8, 3))];
            for (op, [one, other, seed]) in code {
                let pick = |number: u8| terms[terms.len() - 1 - usize::from(number) % terms.len().min(3)];
                let (one, other) = (pick(one), pick(other));
                let condition = [p, q, r, arena.not(p)][usize::from(seed) % 4];
                let number = arena.bv(8, (seed % 5).into());
                terms.push(match op {
                    0 => (arena.add(one.0, number), arena.add(one.1, number)),
                    1 => (arena.sub(one.0, other.0), arena.sub(one.1, other.1)),
                    2 => {
                        let next = (arena.add(one.0, number), arena.add(one.1, number));
                        let stepped = arena.ite_of_sums(condition, one.0, next.0);
                        (stepped, arena.intern(Op::Ite, Sort::BitVec(8), &[condition, one.1, next.1]))
                    }
                    _ => {
                        let stepped = arena.ite_of_sums(condition, one.0, other.0);
                        (stepped, arena.intern(Op::Ite, Sort::BitVec(8), &[condition, one.1, other.1]))
                    }
                });
            }
            let &(found, expected) = terms.last().expect("terms");
            let compared = arena.eq(found, arena.bv(8, bound.into()));
            let ordered = arena.ult(found, arena.bv(8, bound.into()));
            let beyond = arena.eq(found, arena.add(x, arena.bv(8, bound.into())));
            for state in states {
                let expected = value(&arena, expected, state);
                prop_assert_eq!(&value(&arena, found, state), &expected);
                let bits = match expected {
                    Value::BitVec(bits) => bits.bits() as u8,
                    _ => unreachable!("a byte"),
                };
                prop_assert_eq!(value(&arena, compared, state), Value::Bool(bits == bound));
                prop_assert_eq!(value(&arena, ordered, state), Value::Bool(bits < bound));
                prop_assert_eq!(value(&arena, beyond, state), Value::Bool(bits == state[0].wrapping_add(bound)));
            }
        }
    }

    #[test]
    fn long_chains_of_choices_are_left_alone() {
        let arena = Arena::new();
        let [x, ..] = names().map(|name| arena.variable(name));
        let mut chain = arena.bv(8, 7);
        for number in 0..100_000_u32 {
            let condition = arena.variable_at(names()[2], number + 1);
            let constant = arena.bv(8, u128::from(number % 2));
            chain = arena.intern(Op::Ite, Sort::BitVec(8), &[condition, constant, chain]);
        }
        assert_eq!(constant_tree(&arena, chain), None);
        let compared = arena.eq(chain, arena.bv(8, 9));
        assert!(arena.constant(compared).is_none());
        let next = arena.ite_of_sums(arena.variable(names()[3]), arena.add(x, chain), x);
        assert!(choice(&arena, next).is_some());
    }

    #[test]
    fn what_is_counted_is_decided_by_the_conditions() {
        let arena = Arena::new();
        let [x, _, p, q, r] = names().map(|name| arena.variable(name));
        let one = arena.bv(8, 1);
        let counted = [p, q, r].into_iter().fold(x, |count, condition| {
            arena.ite_of_sums(condition, arena.add(count, one), count)
        });
        let all = arena.eq(counted, arena.add(x, arena.bv(8, 3)));
        for number in 0..8_u8 {
            let state = [200, 0, number & 1, number >> 1 & 1, number >> 2 & 1];
            assert_eq!(value(&arena, all, state), Value::Bool(number == 7));
        }
        // No sum or equation is left.
        crate::for_each_subterm(&arena, [all], |_, kind| {
            assert!(!matches!(
                kind,
                TermKind::Apply {
                    op: Op::BvAdd | Op::Eq,
                    ..
                }
            ));
        });
    }
}
