//! Polynomials over terms modulo a power of two: the normal form of sums and products.
//!
//! A remainder is written as the dividend minus divisor times quotient, which holds for all values. Terms that are neither sums,
//! products nor remainders are the *atoms*. Two terms with the same polynomial are equal for all values of the atoms: multiplying
//! out uses only the laws of the ring of integers modulo 2^w, so overflow needs no exclusion.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::limits::{MAXIMUM_DEGREE, MAXIMUM_POLYNOMIAL_MONOMIALS, MAXIMUM_READ_SUBTERMS};
use regatta_term::{Arena, Build, Constant, Op, Pool, Sort, TermId, TermKind};

/// A product of atoms in ascending order; the empty product is one.
pub type Monomial = SmallVec<[TermId; 4]>;

/// A sum of monomials with coefficients modulo 2^width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polynomial {
    width: u8,
    /// The coefficients of the monomials; none is zero.
    monomials: BTreeMap<Monomial, u64>,
}

impl Polynomial {
    /// Returns the polynomial of a bit-vector term; `None` if it has more than 64 bits, another sort, or too large a polynomial.
    pub fn of(arena: &Arena, term: TermId) -> Option<Self> {
        match arena.sort(term) {
            Sort::BitVec(width @ 1..=64) => {
                Self::read(arena, term, width, &mut { MAXIMUM_READ_SUBTERMS })
            }
            _ => None,
        }
    }

    fn read(arena: &Arena, term: TermId, width: u8, visits: &mut u32) -> Option<Self> {
        *visits = visits.checked_sub(1)?;
        let mut part = |term| Self::read(arena, term, width, visits);
        match arena.kind(term) {
            TermKind::Constant(Constant::BitVec(value)) => {
                let value = u64::try_from(value.bits()).ok()?;
                Some(Self::monomial(width, Monomial::new(), value))
            }
            TermKind::Apply {
                op: Op::BvAdd,
                arguments: &[a, b],
            } => part(a)?.plus(&part(b)?, 1),
            TermKind::Apply {
                op: Op::BvNeg,
                arguments: &[a],
            } => Self::zero(width).plus(&part(a)?, u64::MAX),
            TermKind::Apply {
                op: Op::BvMul,
                arguments: &[a, b],
            } => part(a)?.times(&part(b)?),
            TermKind::Apply {
                op: op @ (Op::BvUrem | Op::BvSrem),
                arguments: &[a, b],
            } => {
                let quotient = match op {
                    Op::BvUrem => arena.udiv(a, b),
                    _ => arena.sdiv(a, b),
                };
                let multiple = part(b)?.times(&part(quotient)?)?;
                part(a)?.minus(&multiple)
            }
            _ => match low_bits(arena, term) {
                Some((whole, count)) => {
                    let higher = arena.lshr(whole, arena.bv(width, count.into()));
                    let power = 1u64.checked_shl(count.into())?;
                    let higher = Self::atom(width, higher);
                    part(whole)?.plus(&higher, power.wrapping_neg())
                }
                None => Some(Self::atom(width, term)),
            },
        }
    }

    fn zero(width: u8) -> Self {
        Self {
            width,
            monomials: BTreeMap::new(),
        }
    }

    fn atom(width: u8, term: TermId) -> Self {
        Self::monomial(width, [term].into_iter().collect(), 1)
    }

    fn monomial(width: u8, factors: Monomial, factor: u64) -> Self {
        let mut all = Self::zero(width);
        all.include(factors, factor);
        all
    }

    fn include(&mut self, factors: Monomial, factor: u64) {
        let mask = u64::MAX >> (64 - u32::from(self.width));
        let entry = self.monomials.entry(factors);
        let known = entry.or_insert(0);
        *known = known.wrapping_add(factor) & mask;
        self.monomials.retain(|_, factor| *factor != 0);
    }

    /// Returns the sum of this polynomial and `times` the other one.
    pub fn plus(mut self, other: &Self, times: u64) -> Option<Self> {
        for (factors, factor) in &other.monomials {
            self.include(factors.clone(), factor.wrapping_mul(times));
        }
        (self.monomials.len() <= MAXIMUM_POLYNOMIAL_MONOMIALS).then_some(self)
    }

    /// Returns the difference.
    pub fn minus(self, other: &Self) -> Option<Self> {
        self.plus(other, u64::MAX)
    }

    /// Returns the product.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::zero(self.width);
        for (left, a) in &self.monomials {
            for (right, b) in &other.monomials {
                let mut factors: Monomial = left.iter().chain(right).copied().collect();
                if factors.len() > MAXIMUM_DEGREE {
                    return None;
                }
                factors.sort_unstable();
                product.include(factors, a.wrapping_mul(*b));
            }
            if product.monomials.len() > MAXIMUM_POLYNOMIAL_MONOMIALS {
                return None;
            }
        }
        Some(product)
    }

    /// Returns the polynomial 1 and a polynomial for each atom.
    pub fn factors(width: u8, atoms: &[TermId]) -> Vec<Self> {
        let one = Self::monomial(width, Monomial::new(), 1);
        let atoms = atoms.iter().map(|&atom| Self::atom(width, atom));
        std::iter::once(one).chain(atoms).collect()
    }

    /// Returns the monomials with their nonzero coefficients.
    pub fn monomials(&self) -> impl Iterator<Item = (&Monomial, u64)> {
        self.monomials
            .iter()
            .map(|(factors, &factor)| (factors, factor))
    }

    /// Checks whether the polynomial is zero for all values of its atoms.
    pub fn is_zero(&self) -> bool {
        self.monomials.is_empty()
    }

    /// The width of its values in bits.
    pub const fn width(&self) -> u8 {
        self.width
    }

    /// Returns the atoms, each once.
    pub fn atoms(&self) -> Vec<TermId> {
        let mut atoms: Vec<TermId> = self.monomials.keys().flatten().copied().collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// Solves `self = 0` for the atom; `None` unless the atom occurs only as a monomial of its own with coefficient 1 or -1.
    pub(crate) fn solved_for(&self, atom: TermId) -> Option<Self> {
        let alone: Monomial = [atom].into_iter().collect();
        let mut others = self.monomials.keys().filter(|&factors| *factors != alone);
        if others.any(|factors| factors.contains(&atom)) {
            return None;
        }
        let factor = *self.monomials.get(&alone)?;
        let mut rest = self.clone();
        rest.monomials.remove(&alone);
        let mask = u64::MAX >> (64 - u32::from(self.width));
        match factor {
            1 => Self::zero(self.width).minus(&rest),
            _ if factor == mask => Some(rest),
            _ => None,
        }
    }

    /// Substitutes the value for the atom.
    pub fn with(&self, atom: TermId, value: &Self) -> Option<Self> {
        let mut result = Self::zero(self.width);
        for (factors, &factor) in &self.monomials {
            let mut product = Self::monomial(self.width, Monomial::new(), factor);
            for &one in factors {
                product = match one == atom {
                    true => product.times(value)?,
                    false => product.times(&Self::atom(self.width, one))?,
                };
            }
            result = result.plus(&product, 1)?;
        }
        Some(result)
    }
}

/// If the term is the zero-extended low bits of a term of its width, returns that term and the number of bits.
fn low_bits(arena: &Arena, term: TermId) -> Option<(TermId, u8)> {
    let width = arena.width(term);
    let &[low] = arena.arguments(Op::ZeroExtend(width), term)? else {
        return None;
    };
    let TermKind::Apply {
        op: Op::Extract { high, low: 0 },
        arguments: &[whole],
    } = arena.kind(low)
    else {
        return None;
    };
    (arena.width(whole) == width).then_some((whole, high + 1))
}

/// If the term is the zero-extended high bits of a term of its width, which is a quotient by a power of two, returns that term
/// and the exponent.
pub fn shifted(arena: &Arena, term: TermId) -> Option<(TermId, u8)> {
    let width = arena.width(term);
    let &[high] = arena.arguments(Op::ZeroExtend(width), term)? else {
        return None;
    };
    let TermKind::Apply {
        op: Op::Extract {
            high: last,
            low: first,
        },
        arguments: &[whole],
    } = arena.kind(high)
    else {
        return None;
    };
    (first > 0 && last == width - 1 && arena.width(whole) == width).then_some((whole, first))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use regatta_term::{Build, Symbol, Value, evaluate, free_variables};

    const WIDTH: u8 = 7;

    fn variable(arena: &Arena, number: usize) -> TermId {
        let name = ["x", "y", "z"][number % 3];
        arena.variable(Symbol::new(name, Sort::BitVec(WIDTH)))
    }

    /// Builds a term from the numbers.
    fn term(arena: &Arena, numbers: &[u8]) -> TermId {
        let mut stack = vec![variable(arena, 0)];
        for &number in numbers {
            let last = *stack.last().expect("a term");
            match number % 8 {
                0 => stack.push(variable(arena, usize::from(number / 8))),
                1 => stack.push(arena.bv(WIDTH, u128::from(number / 8))),
                2 => stack.push(arena.neg(last)),
                operation => {
                    let other = stack[usize::from(number / 8) % stack.len()];
                    stack.push(match operation {
                        3 | 4 => arena.add(last, other),
                        5 => arena.mul(last, other),
                        6 if number > 128 => arena.urem(last, arena.bv(WIDTH, 8)),
                        6 => arena.urem(last, other),
                        _ => arena.srem(last, other),
                    });
                }
            }
        }
        *stack.last().expect("a term")
    }

    fn value(arena: &Arena, term: TermId, values: [u8; 3]) -> u128 {
        let assignment = |symbol: Symbol, _: u32| {
            let number = (0..3).find(|&one| arena.variable(symbol) == variable(arena, one))?;
            Some(Value::bit_vec(WIDTH, u128::from(values[number])))
        };
        match evaluate(arena, term, &assignment) {
            Ok(Value::BitVec(bits)) => bits.bits(),
            other => panic!("{other:?}"),
        }
    }

    /// Builds the term of a polynomial.
    fn back(arena: &Arena, polynomial: &Polynomial) -> TermId {
        let monomials = polynomial.monomials.iter();
        let terms = monomials.map(|(factors, &factor)| {
            let factor = arena.bv(WIDTH, u128::from(factor));
            factors
                .iter()
                .fold(factor, |term, &one| arena.mul(term, one))
        });
        terms.fold(arena.bv(WIDTH, 0), |sum, one| arena.add(sum, one))
    }

    proptest! {
        #[test]
        fn a_polynomial_is_its_term(
            numbers in prop::collection::vec(any::<u8>(), 0..12),
            others in prop::collection::vec(any::<u8>(), 0..8),
            values in any::<[u8; 3]>(),
        ) {
            let arena = Arena::new();
            let (one, other) = (term(&arena, &numbers), term(&arena, &others));
            let read = |term| Polynomial::of(&arena, term);
            if let (Some(left), Some(right)) = (read(one), read(other)) {
                let now = |term| value(&arena, term, values);
                prop_assert_eq!(now(back(&arena, &left)), now(one));
                if let Some(difference) = left.clone().minus(&right) {
                    let expected = arena.sub(one, other);
                    prop_assert_eq!(now(back(&arena, &difference)), now(expected));
                    // Substituting a solution gives zero.
                    for atom in difference.atoms() {
                        if let Some(solution) = difference.solved_for(atom) {
                            prop_assert!(!solution.atoms().contains(&atom));
                            let with = difference.with(atom, &solution).expect("small");
                            prop_assert!(with.is_zero());
                        }
                    }
                }
                let x = variable(&arena, 0);
                // Variables inside of atoms are not replaced; the results agree only if there are none or the values are equal.
                let is_inside = |atom: TermId| {
                    let variables = free_variables(&arena, atom);
                    atom != x && variables.iter().any(|one| arena.variable(one.0) == x)
                };
                let is_equal = now(x) == now(other);
                if let Some(with) = left.with(x, &right)
                    && (is_equal || !left.atoms().into_iter().any(is_inside))
                {
                    let replaced = now(other) as u8;
                    let [_, y, z] = values;
                    let expected = value(&arena, one, [replaced, y, z]);
                    prop_assert_eq!(now(back(&arena, &with)), expected);
                }
            }
        }
    }
}
