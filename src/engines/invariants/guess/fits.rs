//! Polynomials that fit cells of arrays, and variables that loops compute from them.
//!
//! A fit expresses a cell in all states as a polynomial in its number, in the variables and in the cells of other
//! arrays with the same number: `a[k] = k² + n`, `b[k] = a[k]·(k + 1)`, for all k in a range that ends at variables.
//! The candidate for a range is the fit of lowest degree, if there is one, by linear algebra over sampled states as in
//! [`super::equations`]; without a fit, candidates are orders with variables or multiples of them (compare \[CGU21\],
//! whose
//! programs are of this kind).

use rustc_hash::{FxHashMap, FxHashSet};

use super::elimination::{Echelon, PRIME, integral};
use super::equations::equation;
use super::ranges::{Range, ranges};
use super::{Vocabulary, at_most, constant, product, sums};
use crate::invariants::samples::{
    ArrayRow, PlaceSamples, SampledVariable, value, with_named_cells,
};
use crate::invariants::views::View;
use regatta_certify::certificate::{any_index, is_any_index};
use regatta_term::{Build, Pool, Sort, Symbol, TermId, evaluate, store};

/// Maximum absolute value of numbers in states that are used: no polynomial fits values that wrap around.
pub(super) const MAXIMUM_SAMPLED_NUMBER: i128 = 1 << 15;

/// Maximum number of monomials, and maximum and minimum number of points of a fit.
const MAXIMUM_MONOMIALS: usize = 45;
const MAXIMUM_POINTS: usize = 220;
const MINIMUM_POINTS: usize = 4;

/// Maximum number of candidates of a location.
const MAXIMUM_CANDIDATES: usize = 160;

/// Maximum degree of a fit.
const MAXIMUM_DEGREE: u32 = 3;

/// A column of numbers with the term whose values they are.
pub(super) struct Column {
    pub(super) term: TermId,
    pub(super) values: Vec<i128>,
    /// Whether it occurs in products.
    pub(super) multiplies: bool,
    /// Whether its term is the cell of a view.
    pub(super) is_of_view: bool,
}

/// Returns the candidates of a location.
pub(super) fn candidates(place: &PlaceSamples, vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = conditions(place, vocabulary);
    all.extend(sizes(place, vocabulary));
    all.extend(scalars(place));
    all.extend(sums::candidates(place));
    all.extend(of_ranges(place, vocabulary, equations));
    limited(all)
}

/// Returns orders of variables and cells without a fit.
pub(super) fn orders_without_fit(place: &PlaceSamples, vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = multiples_of_counters(place);
    all.extend(of_ranges(place, vocabulary, orders_without_equation));
    limited(all)
}

/// Applies a function to each view's cells in each range.
fn of_ranges(
    place: &PlaceSamples,
    vocabulary: &Vocabulary,
    find: impl Fn(&View, &[i128], &[Column]) -> Vec<TermId> + Copy,
) -> Vec<TermId> {
    let mut all = Vec::new();
    for (number, view) in place.views.iter().enumerate() {
        for range in ranges(place, view, vocabulary) {
            all.extend(of_range(place, number, range, TermId::TRUE, find));
        }
    }
    all
}

/// Removes duplicates, and limits the number of candidates.
pub(super) fn limited(mut all: Vec<TermId>) -> Vec<TermId> {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    all.retain(|&one| seen.insert(one));
    all.truncate(MAXIMUM_CANDIDATES);
    all
}

/// Returns the program's conditions that hold in all states, or in none.
fn conditions(place: &PlaceSamples, vocabulary: &Vocabulary) -> Vec<TermId> {
    let columns: Vec<super::Column> = super::Column::all(place).collect();
    let variables = columns.iter().map(|column| column.variable.term);
    let mut all = Vec::new();
    for condition in vocabulary.conditions_over(variables) {
        let Some(truths) = vocabulary.truths(condition, &columns) else {
            continue;
        };
        if truths.iter().all(|&holds| holds) {
            all.push(condition);
        } else if truths.iter().all(|&holds| !holds) {
            all.push(store().not(condition));
        }
    }
    all
}

/// Returns bounds of variables by the least of the program's sizes that none of their values has reached: if the
/// variables are bits of indices, no bits are cut off then.
fn sizes(place: &PlaceSamples, vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = Vec::new();
    for (number, variable) in place.variables.iter().enumerate() {
        let mut views = place.views.iter();
        if variable.cell.is_some() || !views.any(|view| view.sort == variable.sort) {
            continue;
        }
        let most = place.rows.iter().map(|row| row[number]).max();
        let size = vocabulary.sizes().iter().find(|&&size| most < Some(size));
        all.extend(size.map(|&size| {
            let last = constant(variable.sort, size - 1);
            at_most(variable.sort, false, variable.term, last)
        }));
    }
    all
}

/// Returns the scalars as columns, in states without large numbers; none if there are few states.
fn scalar_columns(place: &PlaceSamples) -> Vec<(&SampledVariable, Column)> {
    let rows = place.rows.iter();
    let rows = rows.filter(|row| row.iter().all(|value| value.abs() < MAXIMUM_SAMPLED_NUMBER));
    let rows: Vec<&Vec<i128>> = rows.take(MAXIMUM_POINTS).collect();
    if rows.len() < MINIMUM_POINTS {
        return Vec::new();
    }
    let variables = place.variables.iter().enumerate();
    let columns = variables.map(|(number, variable)| {
        let column = Column {
            term: variable.term,
            values: rows.iter().map(|row| row[number]).collect(),
            multiplies: true,
            is_of_view: false,
        };
        (variable, column)
    });
    columns
        .filter(|(variable, _)| matches!(variable.sort, Sort::BitVec(8..=64) | Sort::Int))
        .collect()
}

/// Returns the fit of the variable with this number by the others, and these.
fn scalar_fit<'c>(
    columns: &'c [(&SampledVariable, Column)],
    number: usize,
) -> (Option<TermId>, Vec<&'c Column>) {
    let (variable, own) = &columns[number];
    let others = columns.iter().enumerate();
    let others = others.filter(|(other, (one, _))| *other != number && one.sort == variable.sort);
    let others: Vec<&Column> = others.map(|(_, (_, column))| column).collect();
    (fit(variable.sort, own.term, &own.values, &others), others)
}

/// Returns fits of variables by the others, and their orders.
fn scalars(place: &PlaceSamples) -> Vec<TermId> {
    let columns = scalar_columns(place);
    let mut all = Vec::new();
    for (number, (variable, own)) in columns.iter().enumerate() {
        let (fit, others) = scalar_fit(&columns, number);
        all.extend(fit);
        let own = &own.values;
        if variable.cell.is_some() && own.windows(2).all(|pair| pair[0] == pair[1]) {
            continue;
        }
        for other in others {
            if own
                .iter()
                .zip(&other.values)
                .all(|(own, other)| own <= other)
            {
                all.push(at_most(variable.sort, false, variable.term, other.term));
            }
        }
        let least = own.iter().copied().min().unwrap_or_default();
        if (-1..=8).contains(&least) {
            let least = constant(variable.sort, least);
            all.push(at_most(variable.sort, false, least, variable.term));
        }
        // Upper bounds of variables are found by other rounds; `head < 4` of a ring buffer on the heap is not.
        let most = own.iter().copied().max().unwrap_or_default();
        if variable.cell.is_some() && (0..64).contains(&most) {
            let most = constant(variable.sort, most);
            all.push(at_most(variable.sort, true, variable.term, most));
        }
    }
    all
}

/// Returns bounds of variables by multiples of counters, for variables without a fit.
fn multiples_of_counters(place: &PlaceSamples) -> Vec<TermId> {
    let columns = scalar_columns(place);
    let views = || place.views.iter().filter(|view| !view.is_ring());
    let mut all = Vec::new();
    for (number, (variable, own)) in columns.iter().enumerate() {
        let (fit, others) = scalar_fit(&columns, number);
        let is_constant = own.values.windows(2).all(|pair| pair[0] == pair[1]);
        if fit.is_some() || variable.cell.is_some() && is_constant {
            continue;
        }
        for other in others {
            if views().any(|view| view.by.contains(&other.term)) {
                all.extend(multiples(variable.sort, variable.term, other, &own.values));
            }
        }
    }
    all
}

/// Returns bounds of the variable by zero and a multiple of a counter, also for positive counters only.
fn multiples(sort: Sort, variable: TermId, counter: &Column, own: &[i128]) -> Vec<TermId> {
    let positive_counts = || {
        let pairs = own.iter().zip(&counter.values);
        pairs.filter(|(_, count)| **count > 0)
    };
    let mut all = Vec::new();
    if positive_counts().count() < MINIMUM_POINTS {
        return all;
    }
    let none = store().eq(counter.term, constant(sort, 0));
    let mut add = |bound: TermId| all.extend([bound, store().or2(none, bound)]);
    if positive_counts().all(|(value, _)| *value >= 0) {
        add(at_most(sort, false, constant(sort, 0), variable));
    }
    let factor = positive_counts()
        .map(|(value, count)| -(-value).div_euclid(*count))
        .max();
    for factor in factor.into_iter().flat_map(|least| least..least + 4) {
        if (1..=64).contains(&factor) {
            let most = product(sort, constant(sort, factor), counter.term);
            add(at_most(sort, false, variable, most));
        }
    }
    all
}

/// Returns the cell with the number in a sampled state of the location.
pub(super) fn cell(
    place: &PlaceSamples,
    view: &View,
    state: &ArrayRow,
    number: i128,
) -> Option<i128> {
    let array = place.arrays.iter().position(|one| one.term == view.array)?;
    let index = view.at(number, &place.variables, &state.scalars)?;
    let position = state.indices.binary_search(&index).ok()?;
    Some(state.cells[array][position])
}

/// A condition over any number and the location's variables, ready to be evaluated.
struct Case {
    condition: TermId,
    /// The cells for which variables in it stand.
    cells: FxHashMap<Symbol, TermId>,
}

impl Case {
    fn of(condition: TermId) -> Self {
        let (condition, cells) = with_named_cells(condition);
        Self { condition, cells }
    }

    /// Checks whether it holds in a state.
    fn holds(&self, place: &PlaceSamples, state: &ArrayRow, number: i128) -> bool {
        let assignment = |symbol: Symbol, instance: u32| {
            if is_any_index(symbol) {
                return value(symbol.sort(), number);
            }
            let variable = store().variable_at(symbol, instance);
            let term = self.cells.get(&symbol).copied().unwrap_or(variable);
            let known = place.variables.iter().position(|one| one.term == term)?;
            value(symbol.sort(), state.scalars[known])
        };
        let truth = evaluate(store(), self.condition, &assignment);
        truth.is_ok_and(|truth| truth.as_bool() == Some(true))
    }
}

/// Applies a function to a view's cells in a range where the case holds, and to columns, other views' cells last.
pub(super) fn of_range(
    place: &PlaceSamples,
    number: usize,
    range: Range,
    case: TermId,
    find: impl Fn(&View, &[i128], &[Column]) -> Vec<TermId>,
) -> Vec<TermId> {
    let view = &place.views[number];
    let Some(array) = place.arrays.iter().find(|one| one.term == view.array) else {
        return Vec::new();
    };
    let element = array.element;
    let mut points: Vec<(usize, i128)> = Vec::new();
    for (row, state) in place.array_rows.iter().enumerate() {
        let numbers = ArrayRow::numbers(&state.scalars).into_iter();
        points.extend(
            numbers
                .filter(|&one| range.contains(state, one))
                .map(|one| (row, one)),
        );
    }
    let cell = |view: &View, &(row, number): &(usize, i128)| {
        cell(place, view, &place.array_rows[row], number)
    };
    if case != TermId::TRUE {
        let every = points.len().div_ceil(2 * MAXIMUM_POINTS).max(1);
        points = points.into_iter().step_by(every).collect();
        let condition = Case::of(case);
        points.retain(|&(row, number)| condition.holds(place, &place.array_rows[row], number));
    }
    // The points are spread over all states.
    let every = points.len().div_ceil(MAXIMUM_POINTS).max(1);
    let points: Vec<(usize, i128)> = points.into_iter().step_by(every).collect();
    let is_small = |point: &&(usize, i128)| {
        let scalars = &place.array_rows[point.0].scalars;
        scalars
            .iter()
            .all(|value| value.abs() < MAXIMUM_SAMPLED_NUMBER)
    };
    let points: Vec<(usize, i128)> = points.iter().filter(is_small).copied().collect();
    let own: Option<Vec<i128>> = points.iter().map(|point| cell(view, point)).collect();
    let Some(own) = own.filter(|own| own.len() >= MINIMUM_POINTS) else {
        return Vec::new();
    };
    let mut columns = vec![Column {
        term: converted(any_index(view.sort), element),
        values: points.iter().map(|&(_, number)| number).collect(),
        multiplies: true,
        is_of_view: false,
    }];
    for (scalar, variable) in place.variables.iter().enumerate() {
        if variable.sort == element {
            let values = points.iter();
            columns.push(Column {
                term: variable.term,
                values: values
                    .map(|&(row, _)| place.array_rows[row].scalars[scalar])
                    .collect(),
                multiplies: true,
                is_of_view: false,
            });
        }
    }
    for (other, one) in place.views.iter().enumerate() {
        let alike = one.sort == view.sort && store().sort(one.cell()) == element;
        let values: Option<Vec<i128>> = points.iter().map(|point| cell(one, point)).collect();
        if let Some(values) = values.filter(|_| alike && other != number) {
            columns.push(Column {
                term: one.cell(),
                values,
                multiplies: place.views.len() <= 3,
                is_of_view: true,
            });
        }
    }
    let mut facts = find(view, &own, &columns);
    let term = store().and2(range.term(place, view.sort), case);
    facts.sort_unstable();
    facts.dedup();
    let facts = facts.into_iter();
    facts.map(|fact| store().implies(term, fact)).collect()
}

/// Returns the equation for the cells, preferably one without other cells.
pub(super) fn equations(view: &View, own: &[i128], columns: &[Column]) -> Vec<TermId> {
    let element = store().sort(view.cell());
    let columns: Vec<&Column> = columns.iter().collect();
    let others = columns.iter().position(|column| column.is_of_view);
    let others = others.unwrap_or(columns.len());
    let simple = fit(element, view.cell(), own, &columns[..others]);
    let equation = simple.or_else(|| fit(element, view.cell(), own, &columns));
    equation.into_iter().collect()
}

/// Returns the orders of the cells, if there is no equation.
fn orders_without_equation(view: &View, own: &[i128], columns: &[Column]) -> Vec<TermId> {
    match equations(view, own, columns).is_empty() {
        true => orders(store().sort(view.cell()), view.cell(), own, columns),
        false => Vec::new(),
    }
}

/// Returns the number as a value of an element.
fn converted(any: TermId, element: Sort) -> TermId {
    match (store().sort(any), element) {
        (Sort::BitVec(_), Sort::BitVec(width)) => store().zero_resize(any, width),
        _ => any,
    }
}

/// Returns orders of the cells with constants and variables.
fn orders(sort: Sort, cell: TermId, own: &[i128], columns: &[Column]) -> Vec<TermId> {
    let mut all = Vec::new();
    let (least, most) = (own.iter().min(), own.iter().max());
    if let (Some(&least), Some(&most)) = (least, most)
        && most - least < 64
    {
        all.push(at_most(sort, false, constant(sort, least), cell));
        all.push(at_most(sort, false, cell, constant(sort, most)));
    }
    for column in columns {
        if store().sort(column.term) != sort {
            continue;
        }
        let pairs = || own.iter().zip(&column.values);
        if pairs().all(|(own, other)| own <= other) {
            all.push(at_most(sort, false, cell, column.term));
        }
        if pairs().all(|(own, other)| own >= other) {
            all.push(at_most(sort, false, column.term, cell));
        }
    }
    all
}

/// Returns the equation of lowest degree between the term and the columns, if there is one.
pub(super) fn fit(sort: Sort, term: TermId, own: &[i128], columns: &[&Column]) -> Option<TermId> {
    // A constant column is redundant.
    let varies = |column: &&Column| column.values.windows(2).any(|pair| pair[0] != pair[1]);
    let columns: Vec<&Column> = columns
        .iter()
        .copied()
        .filter(|column| store().sort(column.term) == sort)
        .filter(varies)
        .collect();
    let is_small = |&row: &usize| {
        own[row].abs() < MAXIMUM_SAMPLED_NUMBER * MAXIMUM_SAMPLED_NUMBER
            && columns
                .iter()
                .all(|column| column.values[row].abs() < MAXIMUM_SAMPLED_NUMBER)
    };
    let rows: Vec<usize> = (0..own.len()).filter(is_small).collect();
    let mut monomials: Vec<Vec<usize>> = vec![Vec::new()];
    let mut last = monomials.clone();
    for _ in 1..=MAXIMUM_DEGREE {
        let mut next = Vec::new();
        for monomial in &last {
            for (number, column) in columns.iter().enumerate() {
                let in_order = monomial.last().is_none_or(|&largest| largest <= number);
                let multiplies = |&one: &usize| columns[one].multiplies;
                let is_product = monomial.iter().all(multiplies) && column.multiplies;
                if in_order && (monomial.is_empty() || is_product) {
                    next.push([&monomial[..], &[number]].concat());
                }
            }
        }
        monomials.extend(next.iter().cloned());
        last = next;
        if monomials.len() > MAXIMUM_MONOMIALS {
            return None;
        }
        let mut echelon = Echelon::new(monomials.len() + 1);
        for &row in &rows {
            let values = monomials.iter().map(|monomial| {
                let factors = monomial.iter().map(|&one| columns[one].values[row]);
                factors.fold(1, |product, factor| {
                    product * factor.rem_euclid(PRIME) % PRIME
                })
            });
            echelon.add(values.chain([own[row]]));
        }
        // With fewer points than unknowns, there is always a fit.
        if rows.len() < echelon.rank() + 2 {
            return None;
        }
        let own_column = monomials.len();
        let kernel = echelon.kernel();
        let fitting = kernel.iter().find(|vector| vector[own_column] != 0);
        // With another coefficient, the equation would not determine the term modulo a power of two.
        let is_solved = |vector: &Vec<i128>| vector[own_column].abs() == 1;
        if let Some(vector) = fitting
            .and_then(|vector| integral(vector))
            .filter(is_solved)
        {
            let mut terms: Vec<Vec<TermId>> = monomials
                .iter()
                .map(|monomial| monomial.iter().map(|&one| columns[one].term).collect())
                .collect();
            terms.push(vec![term]);
            return Some(equation(sort, &terms, &vector));
        }
    }
    None
}
