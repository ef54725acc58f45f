//! The contents of arrays at the start of sampled runs.
//!
//! The inputs of sampled runs are scalars; an array that is not initialised would be zero everywhere, and so would all
//! that a program copies or adds up from it. So every other run has different small numbers in the first cells of each
//! view. They are small because a polynomial does not fit values that wrap around ([`super::guess`]).

use super::views::View;
use crate::program::interpreter::Journal;
use crate::term::{ArrayValue, Pool, Sort, Value, store};

/// Number of cells of each view that are filled.
const FILLED_CELLS: i128 = 16;

/// The least number in a cell, and the count of different numbers.
const LEAST_NUMBER: i128 = -3;
const NUMBER_COUNT: u64 = 10;

/// Fills arrays in every other run except the first. (Long runs have even numbers.)
pub fn fill(views: &[View], runs: &mut [Journal]) {
    for (run, journal) in runs.iter_mut().enumerate().skip(2).step_by(2) {
        for (entry, (_, value)) in journal.entries.iter_mut().enumerate() {
            if let Value::Array(array) = value {
                let seed = mixed(run as u64, entry as u64);
                *array = filled(views, array, seed);
            }
        }
    }
}

/// Fills the cells of those views whose arrays have the array's sort.
fn filled(views: &[View], array: &ArrayValue, seed: u64) -> ArrayValue {
    let Sort::Array { index, element } = array.sort() else {
        return array.clone();
    };
    let (index_sort, element_sort) = (Sort::from(index), Sort::from(element));
    let alike = views
        .iter()
        .filter(|view| store().sort(view.array) == array.sort() && !view.is_ring());
    let indices =
        alike.flat_map(|view| (0..FILLED_CELLS).filter_map(|number| view.at(number, &[], &[])));
    let cells = indices.filter_map(|at| {
        let number = LEAST_NUMBER + i128::from(mixed(seed, at as u64) % NUMBER_COUNT);
        let number = match element_sort {
            Sort::BitVec(width @ 8..=64) => Value::bit_vec(width, number.cast_unsigned()),
            Sort::Int => Value::int(number),
            _ => return None,
        };
        let at = match index_sort {
            Sort::BitVec(width) => Value::bit_vec(width, at.cast_unsigned()),
            Sort::Int => Value::int(at),
            _ => return None,
        };
        Some((at, number))
    });
    ArrayValue::new(index, array.default_value().clone(), cells)
}

/// Mixes two numbers into a hash.
fn mixed(a: u64, b: u64) -> u64 {
    let mut hash = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b;
    for _ in 0..2 {
        hash = (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_run_has_numbers_in_its_arrays() {
        use crate::program::InputId;
        use crate::term::{Build, ScalarSort, Symbol};
        let sort = Sort::Array {
            index: ScalarSort::BitVec(32),
            element: ScalarSort::BitVec(32),
        };
        let array = store().variable(Symbol::new("contents: array", sort));
        let by = store().variable(Symbol::new("contents: by", Sort::BitVec(32)));
        let index = store().add(by, store().bv(32, 4096));
        let view = View::linear(array, index).expect("a view");
        let journal = || Journal {
            entries: vec![(InputId(0), Value::zero(sort))],
        };
        let mut runs = [journal(), journal(), journal()];
        fill(&[view], &mut runs);
        assert_eq!(runs[..2], [journal(), journal()]);
        let Value::Array(cells) = &runs[2].entries[0].1 else {
            panic!("no array");
        };
        assert!(cells.entries().len() > 8);
        let at = |index: u128| cells.select(&Value::bit_vec(32, index)).clone();
        assert_eq!(at(0), Value::bit_vec(32, 0), "elsewhere is nothing");
        let distinct: std::collections::BTreeSet<Value> = (4096..4112).map(at).collect();
        assert!(distinct.len() > 3);
    }
}
