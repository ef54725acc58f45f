//! Tables whose elements are linear in the bits of the index.

use crate::{BitVecValue, Pool, TermId};

/// Minimum number of elements of a table that is said to be linear: small ones are choices rather than functions.
const MINIMUM_ELEMENTS: usize = 8;

/// Checks whether the elements, those at the indices from 0 on, are constants and each bit of the index adds the same number,
/// or changes the same bits, whatever the other bits are. (Examples: tables of checksums; numbers of ones.)
pub fn is_linear_table(pool: &(impl Pool + ?Sized), elements: &[TermId]) -> bool {
    if elements.len() < MINIMUM_ELEMENTS || !elements.len().is_power_of_two() {
        return false;
    }
    let values = elements
        .iter()
        .map(|&element| pool.bit_vec_constant(element));
    let Some(values) = values.collect::<Option<Vec<BitVecValue>>>() else {
        return false;
    };
    let is_linear = |difference: fn(BitVecValue, BitVecValue) -> u128| {
        let bits = (0..elements.len().trailing_zeros()).map(|bit| 1 << bit);
        bits.into_iter().all(|bit: usize| {
            let without = (0..values.len()).filter(|index| index & bit == 0);
            let mut differences =
                without.map(|index| difference(values[index | bit], values[index]));
            let first = differences.next();
            differences.all(|other| Some(other) == first)
        })
    };
    is_linear(|a, b| a.bits() ^ b.bits())
        || is_linear(|a, b| BitVecValue::new(a.width(), a.bits().wrapping_sub(b.bits())).bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Build};

    #[test]
    fn checksums_and_numbers_of_ones_are_linear() {
        let arena = Arena::new();
        let is_linear = |element: fn(u128) -> u128, count| {
            let elements: Vec<TermId> = (0..count)
                .map(|index| arena.bv(8, element(index)))
                .collect();
            is_linear_table(&arena, &elements)
        };
        assert!(is_linear(|index| index ^ index << 1 ^ 3, 32));
        assert!(is_linear(|index| u128::from(index.count_ones()), 16));
        assert!(!is_linear(|index| u128::from(index.count_ones()), 12));
        assert!(!is_linear(|index| index * index, 16));
        assert!(!is_linear(|index| u128::from(index == 15), 16));
    }
}
