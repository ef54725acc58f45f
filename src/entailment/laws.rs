//! Arithmetic laws, instantiated for terms that occur in a query: equations that hold for all values, or for all but stated
//! exceptions. [`super::by_polynomials`] uses them like equations of the premises.

use rustc_hash::FxHashSet;

use super::by_polynomials::Fact;
use super::polynomials::shifted;
use super::unknowns::exponent;
use crate::limits::{MAXIMUM_POWERS, MAXIMUM_QUOTIENTS};
use regatta_term::{Arena, Build, Op, Pool, Sort, TermId, TermKind, for_each_subterm};

/// Returns, for each quotient by a constant in the terms, that the dividend is divisor times quotient unless there is a
/// remainder.
pub(super) fn quotients(arena: &Arena, terms: &[TermId]) -> Vec<Fact> {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut quotients = Vec::new();
    for_each_subterm(arena, terms.iter().copied(), |term, kind| {
        let Sort::BitVec(width @ 2..=64) = arena.sort(term) else {
            return;
        };
        let whole = match kind {
            TermKind::Apply {
                op: Op::BvSdiv,
                arguments: &[whole, divisor],
            } if arena.is_constant(divisor) => Some((whole, divisor, arena.srem(whole, divisor))),
            _ => shifted(arena, term).map(|(whole, count)| {
                let divisor = arena.bv(width, 1 << count);
                (whole, divisor, arena.urem(whole, divisor))
            }),
        };
        if let Some((whole, divisor, remainder)) = whole
            && seen.insert(term)
        {
            let zero = arena.bv(width, 0);
            quotients.push(Fact {
                equation: [whole, arena.mul(divisor, term)],
                unless: vec![arena.ne(remainder, zero)],
                places: Vec::new(),
            });
        }
    });
    quotients.truncate(MAXIMUM_QUOTIENTS);
    quotients
}

/// Returns, for each two powers of two in the terms with consecutive exponents, that the larger is twice the smaller unless the
/// larger exponent is zero.
pub(super) fn powers(arena: &Arena, terms: &[TermId]) -> Vec<Fact> {
    let mut powers: Vec<(TermId, TermId)> = Vec::new();
    for_each_subterm(arena, terms.iter().copied(), |term, kind| {
        let is_new = powers.len() < MAXIMUM_POWERS;
        if let Some(exponent) = exponent(arena, kind).filter(|_| is_new) {
            powers.push((term, exponent));
        }
    });
    let mut all = Vec::new();
    for &(larger, exponent) in &powers {
        let Sort::BitVec(width @ 2..=64) = arena.sort(larger) else {
            continue;
        };
        let before = arena.sub(exponent, arena.bv(width, 1));
        let smaller = powers.iter().find(|&&(_, other)| other == before);
        all.extend(smaller.map(|&(smaller, _)| Fact {
            equation: [larger, arena.mul(arena.bv(width, 2), smaller)],
            unless: vec![arena.eq(exponent, arena.bv(width, 0))],
            places: Vec::new(),
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::rc::Rc;

    use super::*;
    use crate::{Core, Oracle, Premises, Stage};
    use regatta_solver::z3::text::{TextAnswer, TextSolver};
    use regatta_term::{Symbol, smtlib_script};

    struct Z3(Rc<Arena>, TextSolver);

    impl Oracle for Z3 {
        type Stop = Infallible;

        fn unsatisfiable_core(
            &mut self,
            assertions: &[TermId],
            _: Stage,
        ) -> Result<Option<Core>, Self::Stop> {
            let script = smtlib_script(&*self.0, assertions);
            let answer = self
                .1
                .check(&script, &[], std::time::Duration::from_secs(20));
            let all = (0..assertions.len()).collect();
            Ok((answer == TextAnswer::Unsatisfiable).then_some(all))
        }
    }

    /// Checks whether stage 6 finds that the premises imply the goal.
    fn follows(arena: &Rc<Arena>, premises: &[TermId], goal: TermId) -> bool {
        let mut solver = Z3(Rc::clone(arena), TextSolver::default());
        let Ok(core) = Premises::new(arena, premises).by_polynomials(goal, &mut solver);
        core.is_some()
    }

    fn variables(arena: &Arena) -> [TermId; 4] {
        ["x", "y", "z", "n"].map(|name| arena.variable(Symbol::new(name, Sort::BitVec(32))))
    }

    #[test]
    fn halves_of_what_is_even() {
        let arena = Rc::new(Arena::new());
        let [x, y, z, _] = variables(&arena);
        let two = arena.bv(32, 2);
        let half = arena.udiv(x, two);
        // z = x y, and so 2 (x / 2) y where x is even.
        let premise = arena.eq(z, arena.mul(x, y));
        let goal = arena.eq(z, arena.mul(two, arena.mul(half, y)));
        let even = arena.eq(arena.urem(x, two), arena.bv(32, 0));
        assert!(follows(&arena, &[premise, even], goal));
        assert!(!follows(&arena, &[premise], goal));
    }

    #[test]
    fn powers_that_follow_one_another() {
        let arena = Rc::new(Arena::new());
        let [x, y, _, n] = variables(&arena);
        let one = arena.bv(32, 1);
        let power = |exponent| arena.shl(one, exponent);
        // x = 2^(n-1) - 1, y = 2 x + 1.
        let premises = [
            arena.eq(x, arena.sub(power(arena.sub(n, one)), one)),
            arena.eq(y, arena.add(arena.add(x, x), one)),
        ];
        let goal = arena.eq(y, arena.sub(power(n), one));
        let positive = arena.slt(arena.bv(32, 0), n);
        assert!(follows(&arena, &[premises[0], premises[1], positive], goal));
        assert!(!follows(&arena, &premises, goal));
    }

    #[test]
    fn equations_without_a_variable_to_solve_for() {
        let arena = Rc::new(Arena::new());
        let [x, y, z, n] = variables(&arena);
        let zero = arena.bv(32, 0);
        let product = |a, b| arena.mul(a, b);
        // x y + z n = 0 gives n (x y) = -(z n) n.
        let premise = arena.eq(arena.add(product(x, y), product(z, n)), zero);
        let goal = arena.eq(
            product(n, product(x, y)),
            arena.neg(product(n, product(z, n))),
        );
        assert!(follows(&arena, &[premise], goal));
        let other = arena.eq(product(x, y), product(z, n));
        assert!(!follows(&arena, &[premise], other));
    }

    #[test]
    fn remainders_by_quotients() {
        let arena = Rc::new(Arena::new());
        let [x, y, z, _] = variables(&arena);
        let quotient = arena.udiv(x, y);
        let premise = arena.eq(z, arena.urem(x, y));
        let goal = arena.eq(x, arena.add(arena.mul(y, quotient), z));
        assert!(follows(&arena, &[premise], goal));
    }
}
