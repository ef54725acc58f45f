//! Rules for arrays.

use super::*;

fn element_sort<P: Pool + ?Sized>(pool: &P, array: TermId) -> Sort {
    match pool.sort(array) {
        Sort::Array { element, .. } => element.into(),
        sort => panic!("an array was expected, not {sort}"),
    }
}

pub(super) fn select<P: Pool + ?Sized>(pool: &P, array: TermId, index: TermId) -> TermId {
    pool.intern(Op::Select, element_sort(pool, array), &[array, index])
}

pub(super) fn store<P: Pool + ?Sized>(
    pool: &P,
    array: TermId,
    index: TermId,
    element: TermId,
) -> TermId {
    pool.intern(Op::Store, pool.sort(array), &[array, index, element])
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
