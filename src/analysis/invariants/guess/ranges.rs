//! Ranges of cells by their numbers in a view; the ends are variables or constants of the program.

use super::fits::MAXIMUM_SAMPLED_NUMBER;
use super::{Vocabulary, at_most, constant, product, sum};
use crate::analysis::invariants::samples::{ArrayRow, PlaceSamples};
use crate::analysis::invariants::views::View;
use crate::certify::certificate::any_index;
use crate::term::{Build, Sort, TermId, store};

/// Maximum number of ranges of a view, and of constants that end them.
const MAXIMUM_RANGES: usize = 24;
const MAXIMUM_CONSTANTS: usize = 3;

/// A range of cells: from one number on, before the other.
#[derive(Copy, Clone)]
pub(super) struct Range {
    from: End,
    to: End,
    /// An upper bound of the first number.
    within: Option<End>,
}

/// An end of a range.
#[derive(Copy, Clone)]
enum End {
    Constant(i128),
    /// A variable, by its number, plus a constant.
    Variable(usize, i128),
    /// A multiple of a variable.
    Multiple(usize, i128),
}

/// Returns the ranges that end at variables by which arrays are indexed, or with which these are compared.
pub(super) fn ranges(place: &PlaceSamples, view: &View, vocabulary: &Vocabulary) -> Vec<Range> {
    let of_sort = |number: &usize| place.variables[*number].sort == view.sort;
    if view.is_ring() {
        let is_by = |number: &usize| view.by.contains(&place.variables[*number].term);
        let by = (0..place.variables.len()).filter(is_by);
        return by.map(Range::before).collect();
    }
    let never_negative = |number: &usize| {
        let mut rows = place.array_rows.iter();
        rows.all(|row| row.scalars[*number] >= -1)
    };
    let numbers: Vec<usize> = (0..place.variables.len()).filter(of_sort).collect();
    let is_counter = |number: usize| {
        let term = place.variables[number].term;
        place.views.iter().any(|view| view.by.contains(&term))
    };
    let (counters, others): (Vec<usize>, Vec<usize>) =
        numbers.into_iter().partition(|&number| is_counter(number));
    let mut ranges = Vec::new();
    // Sizes may be negative: then there are no cells.
    let is_end = |number: usize| {
        let rows = || place.array_rows.iter();
        let bounds = |counter: &usize| {
            rows().all(|row| {
                row.scalars[*counter] <= row.scalars[number].max(0)
                    || row.scalars[*counter].abs() >= MAXIMUM_SAMPLED_NUMBER
            })
        };
        counters.is_empty() || counters.iter().any(bounds)
    };
    let variables = others.into_iter().filter(|&one| is_end(one));
    let sizes = vocabulary.sizes().iter().take(MAXIMUM_CONSTANTS);
    let ends: Vec<End> = variables
        .map(|number| End::Variable(number, 0))
        .chain(sizes.map(|&size| End::Constant(size)))
        .collect();
    let mut add = |from: End, to: End, within: Option<End>| {
        ranges.push(Range { from, to, within });
    };
    // If `a[2 * i]` is written, the cells before 2 · i are written.
    for (counter, stride) in strides(place, view) {
        if never_negative(&counter) {
            let multiple = End::Multiple(counter, stride);
            add(End::Constant(0), multiple, None);
            for &end in &ends {
                add(multiple, end, None);
            }
        }
    }
    for &counter in counters.iter().filter(|&one| never_negative(one)) {
        let [this, next] = [0, 1].map(|more| End::Variable(counter, more));
        add(End::Constant(0), this, None);
        for &end in &ends {
            add(this, end, None);
            add(next, end, None);
            add(this, next, Some(end));
        }
        for &other in &counters {
            if other != counter && never_negative(&other) {
                add(this, End::Variable(other, 0), None);
            }
        }
    }
    for &end in &ends {
        add(End::Constant(0), end, None);
    }
    ranges.truncate(MAXIMUM_RANGES);
    ranges
}

/// Returns the variables, by number, of which multiples index the array, too, with the factors; none for partial views.
pub(super) fn strides(place: &PlaceSamples, view: &View) -> Vec<(usize, i128)> {
    let mut all = Vec::new();
    if view.stride() != Some(1) {
        return all;
    }
    for other in place.views.iter().filter(|one| one.array == view.array) {
        let Some(stride @ 2..=8) = other.stride() else {
            continue;
        };
        for (number, variable) in place.variables.iter().enumerate() {
            let is_by = variable.sort == view.sort && other.by.contains(&variable.term);
            if is_by && !all.contains(&(number, stride)) {
                all.push((number, stride));
            }
        }
    }
    all
}

impl End {
    fn term(self, place: &PlaceSamples, sort: Sort) -> TermId {
        match self {
            Self::Constant(value) => constant(sort, value),
            Self::Variable(number, more) => {
                sum(sort, place.variables[number].term, constant(sort, more))
            }
            Self::Multiple(number, factor) => {
                product(sort, constant(sort, factor), place.variables[number].term)
            }
        }
    }

    fn value(self, row: &ArrayRow) -> i128 {
        match self {
            Self::Constant(value) => value,
            Self::Variable(number, more) => row.scalars[number] + more,
            Self::Multiple(number, factor) => row.scalars[number] * factor,
        }
    }
}

impl Range {
    /// The range of the numbers before the variable.
    const fn before(variable: usize) -> Self {
        Self {
            from: End::Constant(0),
            to: End::Variable(variable, 0),
            within: None,
        }
    }

    /// Checks whether it begins with the first cell.
    pub(super) const fn is_from_first(self) -> bool {
        matches!(self.from, End::Constant(0))
    }

    /// Returns the condition that [`any_index`] is in the range.
    pub(super) fn term(self, place: &PlaceSamples, sort: Sort) -> TermId {
        let any = any_index(sort);
        let [from, to] = [self.from, self.to].map(|end| end.term(place, sort));
        let before = |a, b| match sort {
            Sort::Int => store().int_lt(a, b),
            _ => store().ult(a, b),
        };
        // A negative end gives no cells; as an unsigned number, it would be beyond all.
        let is_size = match self.to {
            End::Constant(_) => TermId::TRUE,
            End::Variable(number, _) | End::Multiple(number, _) => {
                at_most(sort, false, constant(sort, 0), place.variables[number].term)
            }
        };
        let within = self
            .within
            .map_or(TermId::TRUE, |last| before(from, last.term(place, sort)));
        let is_from = store().not(before(any, from));
        store().and([is_from, before(any, to), is_size, within])
    }

    /// Returns the condition that [`any_index`] and the next number are in the range.
    pub(super) fn term_with_next(self, place: &PlaceSamples, sort: Sort) -> TermId {
        let next = sum(sort, any_index(sort), constant(sort, 1));
        let to = self.to.term(place, sort);
        let is_before = match sort {
            Sort::Int => store().int_lt(next, to),
            _ => store().ult(next, to),
        };
        store().and2(self.term(place, sort), is_before)
    }

    pub(super) fn contains(self, row: &ArrayRow, number: i128) -> bool {
        let first = self.from.value(row);
        let is_within = self.within.is_none_or(|last| first < last.value(row));
        is_within && first <= number && number < self.to.value(row)
    }
}
