//! A measure of interpolants: those are better that describe many paths, not just the one that they come from.

use num_bigint::BigInt;
use num_traits::Signed;
use rustc_hash::FxHashSet;

use super::Sequence;
use crate::interpolation::limits::PATH_CONSTANT_WEIGHT;
use regatta_term::{Arena, Constant, Pool, Sort, TermId, TermKind, for_each_subterm, size};

/// The quality of interpolants; less is better.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quality {
    /// The size (terms) plus the weighted number of path constants.
    cost: usize,
    /// Number of constants that describe a single path.
    pub path_constants: usize,
}

impl Quality {
    /// The quality of a term, given the [`known_constants`].
    pub fn of(arena: &Arena, term: TermId, known: &FxHashSet<BigInt>) -> Self {
        let path_constants = path_constants(arena, term, known);
        Self {
            cost: size(arena, term) + PATH_CONSTANT_WEIGHT * path_constants,
            path_constants,
        }
    }

    /// The total quality of several terms.
    pub fn of_all(
        arena: &Arena,
        terms: impl IntoIterator<Item = TermId>,
        known: &FxHashSet<BigInt>,
    ) -> Self {
        let all = terms.into_iter().map(|term| Self::of(arena, term, known));
        all.fold(Self::default(), |sum, one| Self {
            cost: sum.cost + one.cost,
            path_constants: sum.path_constants + one.path_constants,
        })
    }

    pub fn cost(self) -> usize {
        self.cost
    }
}

/// Returns the absolute values of the constants in a sequence, each with its neighbours (a strict comparison is a weak one
/// with the next number), and 0 and 1.
pub(crate) fn known_constants(arena: &Arena, sequence: Sequence<'_>) -> FxHashSet<BigInt> {
    let mut known = FxHashSet::default();
    for_each_subterm(arena, sequence.formulas.iter().copied(), |term, _| {
        if let Some(number) = number(arena, term) {
            for neighbour in [&number - 1, &number + 1, number] {
                known.insert(neighbour.abs());
            }
        }
    });
    known.extend([BigInt::ZERO, BigInt::from(1)]);
    known
}

/// Counts the different numbers in a term that are not known: the iteration count of a loop on one path, for instance.
/// Predicates without such numbers are preferred.
pub(crate) fn path_constants(arena: &Arena, term: TermId, known: &FxHashSet<BigInt>) -> usize {
    let mut count = 0;
    for_each_subterm(arena, [term], |term, kind| {
        if matches!(kind, TermKind::Constant(_))
            && let Some(number) = number(arena, term)
            && !known.contains(&number.abs())
            && !is_limit(arena.sort(term), &number)
        {
            count += 1;
        }
    });
    count
}

/// [`path_constants`] of interpolants of the sequence.
pub fn path_constants_of(arena: &Arena, sequence: Sequence<'_>, interpolants: &[TermId]) -> usize {
    let known = known_constants(arena, sequence);
    let interpolants = interpolants.iter();
    interpolants
        .map(|&term| path_constants(arena, term, &known))
        .sum()
}

/// A constant's signed value.
fn number(arena: &Arena, term: TermId) -> Option<BigInt> {
    match arena.constant(term)? {
        Constant::Int(value) => Some(value.clone()),
        Constant::BitVec(value) => Some(value.signed().into()),
        Constant::Bool(_) | Constant::Float(_) => None,
    }
}

/// Checks whether the number is the greatest or the least signed number of the width.
fn is_limit(sort: Sort, number: &BigInt) -> bool {
    let Some(width) = sort.width() else {
        return false;
    };
    let half = BigInt::from(1) << (width - 1);
    number.abs() == half || *number == half - 1
}
