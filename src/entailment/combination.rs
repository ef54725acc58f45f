//! Decides whether a polynomial is a linear combination of others, by elimination modulo a power of two.
//!
//! Where all of the others are zero, so is each linear combination of them, for all values of the atoms. The coefficients are
//! numbers, or numbers times a monomial of the caller's choice: each of the others times each of the monomials is a vector over
//! the monomials, and elimination decides whether the target is in the module that these vectors span. The pivot is the entry
//! with the fewest factors of two, so that it divides the other entries of its column (the integers modulo 2^w are a chain
//! ring).

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::polynomials::{Monomial, Polynomial};
use crate::limits::{MAXIMUM_VECTOR_LENGTH, MAXIMUM_VECTORS};

/// A vector over the monomials, with the indices of the facts that it is combined from.
struct Row {
    entries: Vec<u64>,
    of: BTreeSet<usize>,
}

/// Returns the indices of facts of which the target is a linear combination, where the coefficients are numbers times one of the
/// factors; `None` if there is none or if there are too many monomials.
pub fn combination(
    target: &Polynomial,
    facts: &[Polynomial],
    factors: &[Polynomial],
) -> Option<Vec<usize>> {
    let mut numbers: FxHashMap<Monomial, usize> = FxHashMap::default();
    let mut products: Vec<(usize, Polynomial)> = Vec::new();
    for (place, fact) in facts.iter().enumerate() {
        for factor in factors {
            // Products that are too large are left out.
            products.extend(fact.times(factor).map(|product| (place, product)));
        }
    }
    products.truncate(MAXIMUM_VECTORS);
    for (_, polynomial) in &products {
        number(polynomial, &mut numbers);
    }
    number(target, &mut numbers);
    if numbers.len() > MAXIMUM_VECTOR_LENGTH {
        return None;
    }
    let vector = |polynomial: &Polynomial| {
        let mut entries = vec![0; numbers.len()];
        for (factors, factor) in polynomial.monomials() {
            entries[numbers[factors]] = factor;
        }
        entries
    };
    let mut rows: Vec<Row> = products
        .iter()
        .map(|(place, polynomial)| Row {
            entries: vector(polynomial),
            of: BTreeSet::from([*place]),
        })
        .collect();
    let mask = u64::MAX >> (64 - u32::from(target.width()));
    let mut target = Row {
        entries: vector(target),
        of: BTreeSet::new(),
    };
    while target.entries.iter().any(|&entry| entry != 0) {
        let (pivot, column) = pivot(&rows)?;
        let by = rows.swap_remove(pivot);
        for row in &mut rows {
            row.eliminate(column, &by, mask)?;
        }
        target.eliminate(column, &by, mask)?;
    }
    Some(target.of.into_iter().collect())
}

/// Gives an index to each of the polynomial's monomials.
fn number(polynomial: &Polynomial, numbers: &mut FxHashMap<Monomial, usize>) {
    for (factors, _) in polynomial.monomials() {
        let next = numbers.len();
        numbers.entry(factors.clone()).or_insert(next);
    }
}

/// Returns row and column of the nonzero entry with the fewest factors of two.
fn pivot(rows: &[Row]) -> Option<(usize, usize)> {
    let mut best: Option<(u32, usize, usize)> = None;
    for (number, row) in rows.iter().enumerate() {
        for (column, &entry) in row.entries.iter().enumerate() {
            let twos = entry.trailing_zeros();
            if entry != 0 && best.is_none_or(|(least, ..)| twos < least) {
                best = Some((twos, number, column));
                if twos == 0 {
                    return Some((number, column));
                }
            }
        }
    }
    best.map(|(_, number, column)| (number, column))
}

impl Row {
    /// Subtracts a multiple of the other row so that the entry in the column becomes zero; `None` if there is no such multiple.
    fn eliminate(&mut self, column: usize, by: &Self, mask: u64) -> Option<()> {
        let (entry, pivot) = (self.entries[column], by.entries[column]);
        if entry == 0 {
            return Some(());
        }
        let twos = pivot.trailing_zeros();
        if entry.trailing_zeros() < twos {
            return None;
        }
        let times = (entry >> twos).wrapping_mul(inverse(pivot >> twos));
        for (entry, other) in self.entries.iter_mut().zip(&by.entries) {
            *entry = entry.wrapping_sub(other.wrapping_mul(times)) & mask;
        }
        self.of.extend(&by.of);
        Some(())
    }
}

/// Returns the inverse of an odd number modulo 2^64 by Newton's iteration, which doubles the number of correct bits in each step.
fn inverse(odd: u64) -> u64 {
    let step = |guess: u64| {
        let left = 2u64.wrapping_sub(odd.wrapping_mul(guess));
        guess.wrapping_mul(left)
    };
    (0..6).fold(odd, |guess, _| step(guess))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use regatta_term::{Arena, Build, Sort, Symbol, TermId};

    fn variables(arena: &Arena) -> [TermId; 3] {
        ["x", "y", "z"].map(|name| arena.variable(Symbol::new(name, Sort::BitVec(8))))
    }

    fn read(arena: &Arena, term: TermId) -> Polynomial {
        Polynomial::of(arena, term).expect("small")
    }

    /// Σ numbers × (1, x, y, z, xy, yz).
    fn polynomial(arena: &Arena, numbers: &[u8]) -> TermId {
        let [x, y, z] = variables(arena);
        let products = [arena.bv(8, 1), x, y, z, arena.mul(x, y), arena.mul(y, z)];
        let terms = products.iter().zip(numbers);
        let terms = terms.map(|(&one, &times)| arena.mul(arena.bv(8, times.into()), one));
        terms.fold(arena.bv(8, 0), |sum, one| arena.add(sum, one))
    }

    #[test]
    fn odd_numbers_have_inverses() {
        for odd in [1u64, 3, 5, 255, u64::MAX, 0x1234_5679] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }

    #[test]
    fn half_of_an_equation_does_not_follow() {
        let arena = Arena::new();
        let one = [read(&arena, arena.bv(8, 1))];
        let [x, y, _] = variables(&arena);
        let sum = arena.add(x, y);
        let twice = arena.mul(arena.bv(8, 2), sum);
        let (sum, twice) = (read(&arena, sum), read(&arena, twice));
        assert_eq!(
            combination(&twice, std::slice::from_ref(&sum), &one),
            Some(vec![0])
        );
        assert_eq!(combination(&sum, &[twice], &one), None);
    }

    #[test]
    fn an_equation_is_multiplied_by_a_variable() {
        let arena = Arena::new();
        let [x, y, z] = variables(&arena);
        let fact = arena.sub(arena.mul(x, y), z);
        let target = arena.mul(z, fact);
        let (fact, target) = (read(&arena, fact), read(&arena, target));
        let [one, factor] = [arena.bv(8, 1), z].map(|term| read(&arena, term));
        let facts = std::slice::from_ref(&fact);
        assert_eq!(
            combination(&target, facts, std::slice::from_ref(&one)),
            None
        );
        assert_eq!(combination(&target, facts, &[one, factor]), Some(vec![0]));
    }

    proptest! {
        /// Linear combinations are found; and each result is a linear combination modulo two.
        #[test]
        fn sums_of_multiples(
            facts in prop::collection::vec(prop::collection::vec(any::<u8>(), 6), 1..4),
            times in prop::collection::vec(any::<u8>(), 3),
            more in prop::collection::vec(0u8..2, 6),
        ) {
            let arena = Arena::new();
            let one = [read(&arena, arena.bv(8, 1))];
            let terms: Vec<TermId> = facts.iter().map(|fact| polynomial(&arena, fact)).collect();
            let sum = terms.iter().zip(&times).fold(arena.bv(8, 0), |sum, (&term, &times)| {
                arena.add(sum, arena.mul(arena.bv(8, times.into()), term))
            });
            let polynomials: Vec<Polynomial> = terms.iter().map(|&term| read(&arena, term)).collect();
            prop_assert!(combination(&read(&arena, sum), &polynomials, &one).is_some());
            let other = arena.add(sum, polynomial(&arena, &more));
            let found = combination(&read(&arena, other), &polynomials, &one).is_some();
            // A vector that is no sum of the facts' vectors modulo two is no linear combination.
            let bits = |numbers: &[u8]| numbers.iter().fold(0u8, |all, one| all << 1 | (one & 1));
            let span = (0..1u8 << facts.len()).map(|chosen| {
                let chosen = (0..facts.len()).filter(|one| chosen >> one & 1 == 1);
                chosen.fold(0, |sum, one| sum ^ bits(&facts[one]))
            });
            let target: Vec<u8> = (0..6)
                .map(|entry| {
                    let sum = facts.iter().zip(&times);
                    let sum = sum.fold(0u8, |sum, (fact, times)| sum.wrapping_add(fact[entry].wrapping_mul(*times)));
                    sum.wrapping_add(more[entry])
                })
                .collect();
            if found {
                prop_assert!(span.into_iter().any(|one| one == bits(&target)));
            }
        }
    }
}
