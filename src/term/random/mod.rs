//! Random terms and values, for tests that compare two implementations.
//!
//! [`RandomTerms`] builds terms of a given sort, with the sorts of a [`Language`] and all operators on them. Its decisions
//! come from [`Choices`]: a stream of numbers from a seed, or a list that proptest can shrink. [`corner`] generates
//! values. The properties of the simplifying constructors need pairs of terms with related operands: `term::properties` builds
//! those bottom-up, with the same languages and values.

mod corner_values;
mod operators;
mod terms;

pub use corner_values::{corner, is_member, number_of, random_value};
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
pub use terms::{Construction, RandomTerms};

use super::{FloatFormat, ScalarSort, Sort, Value};

/// Returns the number of random runs, multiplied by the environment's `RANDOM_FACTOR`: for long tests when a solver changes.
pub fn seeds(usual: u64) -> u64 {
    let factor = std::env::var("RANDOM_FACTOR").ok();
    usual * factor.and_then(|factor| factor.parse().ok()).unwrap_or(1)
}

/// A source of decisions.
pub trait Choices {
    fn number(&mut self) -> u64;

    fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A value of the sort, often a corner case.
    fn value(&mut self, sort: Sort) -> Value {
        corner(sort, self.number())
    }
}

/// The pseudo-random stream of the seed.
impl Choices for Xoshiro256PlusPlus {
    fn number(&mut self) -> u64 {
        self.next_u64()
    }
}

impl<C: Choices> Choices for &mut C {
    fn number(&mut self) -> u64 {
        (**self).number()
    }
}

/// The numbers of a list, then zeros, which choose small terms.
#[derive(Clone)]
pub struct Listed<'c, N>(std::slice::Iter<'c, N>);

impl<'c, N> Listed<'c, N> {
    pub fn new(list: &'c [N]) -> Self {
        Self(list.iter())
    }
}

impl<N: Copy + Into<u64>> Choices for Listed<'_, N> {
    fn number(&mut self) -> u64 {
        self.0.next().copied().map_or(0, Into::into)
    }
}

/// The sorts of terms, in addition to truth values.
#[derive(Clone, Debug, Default)]
pub struct Language {
    /// Widths of bit vectors.
    pub widths: Vec<u8>,
    pub formats: Vec<FloatFormat>,
    pub integers: bool,
    /// Index and element of each sort of arrays.
    pub arrays: Vec<(ScalarSort, ScalarSort)>,
}
