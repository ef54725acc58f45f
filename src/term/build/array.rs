//! Rules for arrays.

use super::linear::decide_equal;
use super::*;
use crate::build::limits::MAXIMUM_STORES;

fn element_sort<P: Pool + ?Sized>(pool: &P, array: TermId) -> Sort {
    match pool.sort(array) {
        Sort::Array { element, .. } => element.into(),
        sort => panic!("an array was expected, not {sort}"),
    }
}

/// Reads a cell: skips stores at other indices, and returns the element stored at the same index.
pub(super) fn select<P: Pool + ?Sized>(pool: &P, array: TermId, index: TermId) -> TermId {
    let mut from = array;
    for _ in 0..MAXIMUM_STORES {
        match pool.as_application(from) {
            Some((Op::Store, &[inner, written, element])) => {
                match decide_equal(pool, written, index) {
                    Some(true) => return element,
                    Some(false) => from = inner,
                    None => break,
                }
            }
            Some((Op::ConstArray, &[element])) => return element,
            _ => break,
        }
    }
    pool.intern(Op::Select, element_sort(pool, array), &[from, index])
}

pub(super) fn store<P: Pool + ?Sized>(
    pool: &P,
    array: TermId,
    index: TermId,
    element: TermId,
) -> TermId {
    match pool.as_application(array) {
        // The former element is overwritten.
        Some((Op::Store, &[inner, written, _])) if written == index => {
            return store(pool, inner, index, element);
        }
        Some((Op::ConstArray, &[everywhere])) if everywhere == element => {
            return array;
        }
        _ => {}
    }
    // The element is in the cell already.
    if binary(pool, element, Op::Select) == Some((array, index)) {
        return array;
    }
    pool.intern(Op::Store, pool.sort(array), &[array, index, element])
}

/// The sum of the elements below the index: stores below it add their change, an `ite` of arrays becomes an `ite` of sums, and
/// the sum of a constant array is a product.
pub(super) fn prefix_sum<P: Pool + ?Sized>(pool: &P, array: TermId, index: TermId) -> TermId {
    let element = element_sort(pool, array);
    let Sort::BitVec(width) = element else {
        panic!("elements that are bit vectors were expected, not {element}");
    };
    // The change by each store, under the condition that it is below the index; outermost first.
    let mut changes: Vec<(TermId, TermId)> = Vec::new();
    let mut from = array;
    let beginning = loop {
        match pool.as_application(from) {
            Some((Op::Store, &[inner, written, stored])) if changes.len() < MAXIMUM_STORES => {
                let change = pool.sub(stored, pool.select(inner, written));
                let counts = pool.ult(written, index);
                changes.push((counts, change));
                from = inner;
            }
            Some((Op::Ite, &[condition, then, otherwise])) => {
                let [then, otherwise] = [then, otherwise].map(|one| pool.prefix_sum(one, index));
                break pool.ite(condition, then, otherwise);
            }
            Some((Op::ConstArray, &[every])) => {
                break pool.mul(pool.zero_resize(index, width), every);
            }
            _ if pool
                .bit_vec_constant(index)
                .is_some_and(|index| index.bits() == 0) =>
            {
                break pool.bv(width, 0);
            }
            _ => break pool.intern(Op::PrefixSum, element, &[from, index]),
        }
    };
    changes.iter().fold(beginning, |sum, &(counts, change)| {
        pool.add(sum, pool.ite(counts, change, pool.bv(width, 0)))
    })
}

pub(super) fn constant<P: Pool + ?Sized>(pool: &P, index: ScalarSort, element: TermId) -> TermId {
    match pool.sort(element).scalar() {
        Some(scalar) => pool.intern(
            Op::ConstArray,
            Sort::Array {
                index,
                element: scalar,
            },
            &[element],
        ),
        None => panic!("an array's elements are scalars"),
    }
}
