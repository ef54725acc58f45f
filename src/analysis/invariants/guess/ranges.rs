//! Ranges of cells' numbers, whose ends are variables or constants of the program.

use super::fits::LARGEST;
use super::{Vocabulary, at_most, constant, product, sum};
use crate::analysis::invariants::samples::{ArrayRow, PlaceSamples};
use crate::analysis::invariants::views::View;
use crate::certify::certificate::any_index;
use crate::term::{Build, Sort, TermId, store};

/// The most ranges of a view, and constants that end them.
const MOST_RANGES: usize = 24;
const MOST_CONSTANTS: usize = 3;

/// Which cells: from the one number on, before the other.
#[derive(Copy, Clone)]
pub(super) struct Range {
    from: End,
    to: End,
    /// The first number is before this one.
    within: Option<End>,
}

/// An end of a range.
#[derive(Copy, Clone)]
enum End {
    Constant(i128),
    /// A variable, by its number, and this more.
    Variable(usize, i128),
    /// So many times a variable.
    Multiple(usize, i128),
}

/// Ranges that end at variables by which arrays are indexed, and at those that these are compared with.
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
    // Sizes may be negative, and then there are no cells.
    let is_end = |number: usize| {
        let rows = || place.array_rows.iter();
        let bounds = |counter: &usize| {
            rows().all(|row| {
                row.scalars[*counter] <= row.scalars[number].max(0)
                    || row.scalars[*counter].abs() >= LARGEST
            })
        };
        counters.is_empty() || counters.iter().any(bounds)
    };
    let variables = others.into_iter().filter(|&one| is_end(one));
    let sizes = vocabulary.sizes().iter().take(MOST_CONSTANTS);
    let ends: Vec<End> = variables
        .map(|number| End::Variable(number, 0))
        .chain(sizes.map(|&size| End::Constant(size)))
        .collect();
    let mut add = |from: End, to: End, within: Option<End>| {
        ranges.push(Range { from, to, within });
    };
    // Where `a[2 * i]` is written, the cells before 2 · i are.
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
    ranges.truncate(MOST_RANGES);
    ranges
}

/// Variables that the view's array is also indexed with multiples of, by their numbers, with the factors; none if the view
/// does not have all of the cells.
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
    /// The numbers before the variable with this number.
    const fn before(variable: usize) -> Self {
        Self {
            from: End::Constant(0),
            to: End::Variable(variable, 0),
            within: None,
        }
    }

    /// Whether it begins with the first cell.
    pub(super) const fn is_from_first(self) -> bool {
        matches!(self.from, End::Constant(0))
    }

    /// That any number is in it.
    pub(super) fn term(self, place: &PlaceSamples, sort: Sort) -> TermId {
        let any = any_index(sort);
        let [from, to] = [self.from, self.to].map(|end| end.term(place, sort));
        let before = |a, b| match sort {
            Sort::Int => store().int_lt(a, b),
            _ => store().ult(a, b),
        };
        // What is negative is beyond all numbers, and no cell has it.
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

    /// That any number and the next one are in it.
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
