//! Variables that sum up cells of arrays.
//!
//! After a loop with `sum = sum + a[i]`, the variable is the sum of the cells before i; after one that subtracts them
//! again, it is the rest of the sum of all. So the sums of the cells before counters, and before bounds of counters,
//! are columns of linear equations, beside the other variables.

use super::fits::{Column, MAXIMUM_SAMPLED_NUMBER, cell, fit, limited};
use crate::analysis::invariants::samples::{ArrayRow, PlaceSamples};
use crate::analysis::invariants::views::View;
use crate::certify::certificate::any_index;
use crate::term::{Build, Op, Pool, Rebuild, Sort, TermId, TermKind, for_each_subterm, store};

/// Maximum number of variables that end sums, and of cells that are summed up.
const MAXIMUM_ENDS: usize = 4;
const MAXIMUM_CELLS: i128 = 64;

pub(super) fn candidates(place: &PlaceSamples) -> Vec<TermId> {
    let mut all = Vec::new();
    for view in place.views.iter().filter(|view| !view.is_ring()) {
        if matches!(store().sort(view.cell()), Sort::BitVec(8..=64)) {
            all.extend(of_view(place, view));
        }
    }
    limited(all)
}

/// Returns equations of variables with sums of the view's cells.
fn of_view(place: &PlaceSamples, view: &View) -> Vec<TermId> {
    let mut all = Vec::new();
    let ends = ends(place, view);
    if ends.is_empty() {
        return all;
    }
    // The states in which all summed cells are sampled, with the sums.
    let mut rows: Vec<(&ArrayRow, Vec<i128>)> = Vec::new();
    for row in &place.array_rows {
        let sums = ends
            .iter()
            .map(|&end| sum_before(place, view, row, row.scalars[end]));
        if let Some(sums) = sums.collect()
            && row
                .scalars
                .iter()
                .all(|value| value.abs() < MAXIMUM_SAMPLED_NUMBER)
        {
            rows.push((row, sums));
        }
    }
    let element = store().sort(view.cell());
    for (number, variable) in place.variables.iter().enumerate() {
        if variable.sort != element || view.by.contains(&variable.term) {
            continue;
        }
        let mut columns: Vec<Column> = Vec::new();
        for (place_of_end, &end) in ends.iter().enumerate() {
            columns.push(Column {
                term: sum_term(view, place.variables[end].term),
                values: rows.iter().map(|(_, sums)| sums[place_of_end]).collect(),
                multiplies: false,
                is_of_view: true,
            });
        }
        for (other, one) in place.variables.iter().enumerate() {
            if other != number && one.sort == element {
                columns.push(Column {
                    term: one.term,
                    values: rows.iter().map(|(row, _)| row.scalars[other]).collect(),
                    multiplies: false,
                    is_of_view: false,
                });
            }
        }
        let own: Vec<i128> = rows.iter().map(|(row, _)| row.scalars[number]).collect();
        let columns: Vec<&Column> = columns.iter().collect();
        all.extend(fit(element, variable.term, &own, &columns).filter(|&fit| has_sums(fit)));
    }
    all
}

/// Returns the variables that may end sums: those that index the array, and those that bound one of them.
fn ends(place: &PlaceSamples, view: &View) -> Vec<usize> {
    let of_sort = |number: &usize| place.variables[*number].sort == view.sort;
    let numbers = (0..place.variables.len()).filter(of_sort);
    let is_counter = |number: &usize| view.by.contains(&place.variables[*number].term);
    let (mut ends, others): (Vec<usize>, Vec<usize>) = numbers.partition(is_counter);
    let counters = ends.clone();
    let bounds = |number: &usize| {
        let mut counters = counters.iter();
        counters.any(|&counter| {
            let mut rows = place.array_rows.iter();
            rows.all(|row| row.scalars[counter] <= row.scalars[*number])
        })
    };
    ends.extend(others.into_iter().filter(bounds));
    ends.truncate(MAXIMUM_ENDS);
    ends
}

/// Returns the sum of the view's cells before the number in a state.
fn sum_before(place: &PlaceSamples, view: &View, row: &ArrayRow, end: i128) -> Option<i128> {
    if !(0..=MAXIMUM_CELLS).contains(&end) {
        return None;
    }
    (0..end).map(|number| cell(place, view, row, number)).sum()
}

/// Returns the same sum as a term, from the view's first cell on.
fn sum_term(view: &View, end: TermId) -> TermId {
    let any = any_index(view.sort);
    let below = |number: TermId| {
        let replace = |term| (term == any).then_some(number);
        let index = Rebuild::new(store(), store(), replace).rebuild(view.index);
        store().prefix_sum(view.array, index)
    };
    store().sub(below(end), below(super::constant(view.sort, 0)))
}

fn has_sums(formula: TermId) -> bool {
    let mut found = false;
    for_each_subterm(store(), [formula], |_, kind| {
        found |= matches!(
            kind,
            TermKind::Apply {
                op: Op::PrefixSum,
                ..
            }
        );
    });
    found
}
