//! Sorted segments of arrays, and cells that are in an order with one of their cells.
//!
//! Sortedness is a fact about neighbours, `a[k] ≤ a[k + 1]`, which is inductive where a loop compares neighbours. A
//! cell at a variable is in an order with all cells of a range where a loop searches the least one, or has moved the
//! least one there (`a[i - 1] ≤ a[k]` for all k from i on: selection sort). If a loop records in a flag whether it has
//! found two neighbours in the wrong order, the flag implies that they are sorted.

use super::fits::{cell, limited};
use super::ranges::{Range, ranges};
use super::{Vocabulary, at_most, constant, sum};
use crate::analysis::invariants::samples::{ArrayRow, PlaceSamples};
use crate::analysis::invariants::views::View;
use crate::certify::certificate::any_index;
use crate::term::{Build, Pool, Rebuild, Sort, TermId, store};

/// Minimum number of pairs of cells in samples for an order.
const MINIMUM_PAIRS: usize = 4;

/// Maximum number of flags under which segments are tried, and of variables whose cells are.
const MAXIMUM_FLAGS: usize = 4;
const MAXIMUM_PIVOTS: usize = 4;

/// The order of two cells, not strict.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Order {
    Ascending,
    Descending,
}

impl Order {
    const BOTH: [Self; 2] = [Self::Ascending, Self::Descending];

    /// Returns the two in order: the smaller one first.
    fn sorted<T>(self, first: T, second: T) -> [T; 2] {
        match self {
            Self::Ascending => [first, second],
            Self::Descending => [second, first],
        }
    }
}

/// The cell at a variable, or at a constant distance from it.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Pivot {
    variable: usize,
    more: i128,
}

/// The condition that a variable with few values has this one.
#[derive(Copy, Clone)]
struct Flag {
    variable: usize,
    value: i128,
}

/// Counts of pairs of cells in samples.
#[derive(Default)]
struct Pairs {
    count: usize,
    strict: usize,
}

/// A view with the location's samples.
struct SampledView<'p> {
    place: &'p PlaceSamples,
    view: &'p View,
}

pub(super) fn candidates(place: &PlaceSamples, vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = Vec::new();
    for view in place.views.iter().filter(|view| !view.is_ring()) {
        if !matches!(store().sort(view.cell()), Sort::BitVec(8..=64) | Sort::Int) {
            continue;
        }
        let sampled = SampledView { place, view };
        let ranges = ranges(place, view, vocabulary);
        let (pivots, flags) = (sampled.pivots(), sampled.flags());
        for &range in &ranges {
            all.extend(sampled.neighbours(range, &flags));
        }
        all.extend(sampled.two_cells(&pivots));
        for &range in &ranges {
            all.extend(sampled.around_pivots(range, &pivots));
        }
    }
    limited(all)
}

impl SampledView<'_> {
    fn cell(&self, row: &ArrayRow, number: i128) -> Option<i128> {
        cell(self.place, self.view, row, number)
    }

    /// Returns the cell at the number, as a term.
    fn cell_at(&self, number: TermId) -> TermId {
        let any = any_index(self.view.sort);
        let replace = |term| (term == any).then_some(number);
        Rebuild::new(store(), store(), replace).rebuild(self.view.cell())
    }

    fn at_most(&self, [least, most]: [TermId; 2]) -> TermId {
        at_most(store().sort(self.view.cell()), false, least, most)
    }

    /// Returns candidates that neighbours in the range are sorted, in all states or under a flag.
    fn neighbours(&self, range: Range, flags: &[Flag]) -> Vec<TermId> {
        let sort = self.view.sort;
        let any = any_index(sort);
        let next = sum(sort, any, constant(sort, 1));
        let inside = range.term_with_next(self.place, sort);
        let cells = [self.cell_at(any), self.cell_at(next)];
        let mut all = Vec::new();
        for order in Order::BOTH {
            let fact = self.at_most(order.sorted(cells[0], cells[1]));
            let claim = store().implies(inside, fact);
            if let Some(pairs) = self.sorted(range, order, None) {
                all.push(claim);
                if pairs.strict == pairs.count && pairs.count > 0 {
                    let [least, most] = order.sorted(cells[1], cells[0]);
                    let fact = store().not(self.at_most([least, most]));
                    all.push(store().implies(inside, fact));
                }
                continue;
            }
            for &flag in flags.iter().filter(|_| range.is_from_first()) {
                if self.sorted(range, order, Some(flag)).is_some() {
                    let variable = &self.place.variables[flag.variable];
                    let set = store().eq(variable.term, constant(variable.sort, flag.value));
                    all.push(store().implies(set, claim));
                }
            }
        }
        all
    }

    /// Returns the counts of neighbours in the range in samples, if they are sorted. If all are equal, they count only
    /// from the first cell on: segments that a loop sorts are rarely sorted in samples except where that is trivial.
    fn sorted(&self, range: Range, order: Order, flag: Option<Flag>) -> Option<Pairs> {
        let mut pairs = Pairs::default();
        for row in &self.place.array_rows {
            if flag.is_some_and(|flag| row.scalars[flag.variable] != flag.value) {
                continue;
            }
            for number in ArrayRow::numbers(&row.scalars) {
                if !range.contains(row, number) || !range.contains(row, number + 1) {
                    continue;
                }
                if let (Some(one), Some(next)) =
                    (self.cell(row, number), self.cell(row, number + 1))
                {
                    pairs.add(order, one, next)?;
                }
            }
        }
        let is_enough = pairs.count >= MINIMUM_PAIRS && range.is_from_first();
        match is_enough {
            true => Some(pairs),
            false => pairs.if_sufficient(),
        }
    }

    /// Returns the flags of variables with few values.
    fn flags(&self) -> Vec<Flag> {
        let mut flags = Vec::new();
        for variable in 0..self.place.variables.len() {
            let mut values: Vec<i128> = self.place.rows.iter().map(|row| row[variable]).collect();
            values.sort_unstable();
            values.dedup();
            if (1..=2).contains(&values.len()) && flags.len() < MAXIMUM_FLAGS {
                flags.extend(values.into_iter().map(|value| Flag { variable, value }));
            }
        }
        flags
    }

    fn pivots(&self) -> Vec<Pivot> {
        let variables = self.place.variables.iter().enumerate();
        let by = variables
            .filter(|(_, one)| one.sort == self.view.sort && self.view.by.contains(&one.term));
        let pivots = by.take(MAXIMUM_PIVOTS);
        pivots
            .flat_map(|(variable, _)| [0, -1].map(|more| Pivot { variable, more }))
            .collect()
    }

    /// Returns the pivot's cell, and the condition that it exists.
    fn pivot_term(&self, pivot: Pivot) -> (TermId, TermId) {
        let sort = self.view.sort;
        let variable = self.place.variables[pivot.variable].term;
        let number = sum(sort, variable, constant(sort, pivot.more));
        let exists = at_most(sort, false, constant(sort, -pivot.more), variable);
        (self.cell_at(number), exists)
    }

    fn pivot_value(&self, row: &ArrayRow, pivot: Pivot) -> Option<i128> {
        let number = row.scalars[pivot.variable] + pivot.more;
        (number >= 0).then(|| self.cell(row, number)).flatten()
    }

    /// Returns orders of the cells at two variables, and equations of such a cell and a variable.
    fn two_cells(&self, pivots: &[Pivot]) -> Vec<TermId> {
        let mut all = Vec::new();
        for &one in pivots {
            let (cell, exists) = self.pivot_term(one);
            for &other in pivots.iter().filter(|other| other.variable != one.variable) {
                let mut pairs = Pairs::default();
                let rows = self.place.array_rows.iter();
                let mut values = rows.filter_map(|row| {
                    Some((self.pivot_value(row, one)?, self.pivot_value(row, other)?))
                });
                let is_sorted = values.all(|(a, b)| pairs.add(Order::Ascending, a, b).is_some());
                if is_sorted && pairs.count >= MINIMUM_PAIRS {
                    let (other_cell, other_exists) = self.pivot_term(other);
                    let both = store().and2(exists, other_exists);
                    all.push(store().implies(both, self.at_most([cell, other_cell])));
                }
            }
            for (number, variable) in self.place.variables.iter().enumerate() {
                let rows = self.place.array_rows.iter();
                let values =
                    rows.filter_map(|row| Some((self.pivot_value(row, one)?, row.scalars[number])));
                let values: Vec<(i128, i128)> = values.collect();
                let varies = values.windows(2).any(|pair| pair[0] != pair[1]);
                let is_equal = values.iter().all(|(a, b)| a == b);
                if variable.sort == store().sort(cell)
                    && variable.term != cell
                    && varies
                    && is_equal
                    && values.len() >= MINIMUM_PAIRS
                {
                    all.push(store().implies(exists, store().eq(cell, variable.term)));
                }
            }
        }
        all
    }

    /// Returns orders of a pivot's cell with all cells of the range.
    fn around_pivots(&self, range: Range, pivots: &[Pivot]) -> Vec<TermId> {
        let sort = self.view.sort;
        let inside = range.term(self.place, sort);
        let any_cell = self.view.cell();
        let mut all = Vec::new();
        for &pivot in pivots {
            for order in Order::BOTH {
                if self.ordered_around(range, pivot, order).is_none() {
                    continue;
                }
                let (cell, exists) = self.pivot_term(pivot);
                let fact = self.at_most(order.sorted(cell, any_cell));
                let claim = store().implies(inside, fact);
                all.push(store().implies(exists, claim));
            }
        }
        all
    }

    fn ordered_around(&self, range: Range, pivot: Pivot, order: Order) -> Option<Pairs> {
        let mut pairs = Pairs::default();
        for row in &self.place.array_rows {
            let Some(value) = self.pivot_value(row, pivot) else {
                continue;
            };
            for number in ArrayRow::numbers(&row.scalars) {
                if range.contains(row, number)
                    && let Some(cell) = self.cell(row, number)
                {
                    pairs.add(order, value, cell)?;
                }
            }
        }
        pairs.if_sufficient()
    }
}

impl Pairs {
    /// Counts a pair; `None` if it is in the other order.
    fn add(&mut self, order: Order, first: i128, second: i128) -> Option<()> {
        let [least, most] = order.sorted(first, second);
        self.count += 1;
        self.strict += usize::from(least < most);
        (least <= most).then_some(())
    }

    fn if_sufficient(self) -> Option<Self> {
        (self.count >= MINIMUM_PAIRS && self.strict > 0).then_some(self)
    }
}
