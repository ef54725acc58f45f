//! Candidates about all cells of an array in a range of indices.
//!
//! A candidate says: if [`any_index`] is in a range whose ends are variables or constants of the program (and, where a
//! variable counts in steps, is one of the indices that it visits), the cell there is a constant, a linear function of
//! its index, the same cell of another array, or in an order with a variable; or it satisfies what the program's
//! assertions require of the cell at one of its variables ([`generalised`]).

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::observed::Observed;
use super::writes::{Quantified, for_each_variable};
use super::{Vocabulary, at_most, constant, read_indices, sum};
use crate::invariants::samples::{PlaceSamples, SampledArray, SampledVariable};
use regatta_certify::certificate::{any_index, is_any_index};
use regatta_term::{Build, Op, Pool, Rebuild, Sort, TermId, TermKind, free_variables, store};

/// Minimum number of cells in the range, over all samples, for a candidate.
const MINIMUM_CELLS: usize = 3;

/// Maximum number of candidates of an array at a location.
const MAXIMUM_CANDIDATES_PER_ARRAY: usize = 120;

/// Maximum number of candidates from conditions at a location.
const MAXIMUM_GENERALISED: usize = 400;

/// The least value that may be an address, for which being non-null is a candidate.
const LEAST_ADDRESS: i128 = 1 << 20;

/// Maximum number of constants that end ranges.
const MAXIMUM_CONSTANTS: usize = 6;

/// The steps in which loops count through arrays, and the maximum number of them at a location.
const LOOP_STEPS: std::ops::RangeInclusive<i128> = 2..=64;
const MAXIMUM_STRIDES: usize = 2;

/// A range of cells: from one end on, before the other, and with a stride if there is one.
#[derive(Copy, Clone)]
struct Range {
    /// The condition on [`any_index`].
    term: TermId,
    ends: (End, End),
    stride: Option<Stride>,
}

/// Indices at a constant distance, as visited by a loop that counts in steps.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Stride {
    step: i128,
    /// The remainder of the indices divided by the step.
    remainder: i128,
}

impl Stride {
    fn has(self, index: i128) -> bool {
        index.rem_euclid(self.step) == self.remainder
    }

    /// Returns the condition on [`any_index`].
    fn term(self, index: Sort) -> TermId {
        let (cell, remainder) = (any_index(index), constant(index, self.remainder));
        let remainder_of_cell = match index {
            Sort::Int => store().int_mod(cell, constant(index, self.step)),
            _ => store().urem(cell, constant(index, self.step)),
        };
        store().eq(remainder_of_cell, remainder)
    }
}

impl Range {
    /// Restricts the range to cells that are visited with the stride.
    fn with(&self, stride: Stride, index: Sort) -> Self {
        Self {
            term: store().and2(self.term, stride.term(index)),
            stride: Some(stride),
            ..*self
        }
    }

    /// Checks whether it has all cells on one side of a variable.
    fn is_open(&self) -> bool {
        matches!(
            self.ends,
            (End::First, End::Variable(..)) | (End::Variable(..), End::Never)
        )
    }
}

/// An end of a range.
#[derive(Copy, Clone, PartialEq, Eq)]
enum End {
    /// The first index.
    First,
    /// No end.
    Never,
    Constant(i128),
    /// A variable, by its number, plus a constant.
    Variable(usize, i128),
}

pub(super) fn candidates(place: &PlaceSamples, vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = Vec::new();
    let strides = strides(place);
    for (number, array) in place.arrays.iter().enumerate() {
        let mut found = Vec::new();
        for range in all_ranges(place, array.index, vocabulary, &strides) {
            let cells = cells_in(place, &range);
            if cells.len() < MINIMUM_CELLS {
                continue;
            }
            let facts = facts(place, number, array, &cells);
            found.extend(
                facts
                    .into_iter()
                    .map(|fact| store().implies(range.term, fact)),
            );
            if found.len() > MAXIMUM_CANDIDATES_PER_ARRAY {
                break;
            }
        }
        all.extend(found);
    }
    all
}

/// The ranges of indices of one sort.
struct RangesOfSort {
    all: Vec<Range>,
    /// For each flag, the ranges on one side of a variable where the flag is set.
    open_under_flags: Vec<Vec<Range>>,
}

/// Generalises conditions about the cell at a variable to all indices in a range; also under the condition that a
/// variable with few values has one of them.
pub(super) fn generalised(
    place: &PlaceSamples,
    vocabulary: &Vocabulary,
    conditions: &[TermId],
) -> Vec<TermId> {
    let mut quantified: Vec<Quantified> = Vec::new();
    for &condition in conditions {
        let before = quantified.len();
        quantified.extend(of_any_index(condition));
        if quantified.len() == before {
            // If an array does not start with its region, indices are sums.
            quantified.extend(for_each_variable(condition));
        }
    }
    quantified.retain(|one| is_sampled(place, one.fact));
    let mut all = Vec::new();
    let (strides, flags) = (strides(place), flags(place));
    let mut known: FxHashMap<Sort, RangesOfSort> = FxHashMap::default();
    let mut under_flags = Vec::new();
    for one in &quantified {
        let observed = Observed::of(place, one);
        let claim = |range: &Range| store().implies(range.term, one.fact);
        let ranges = known.entry(one.sort).or_insert_with(|| {
            let flags = flags.iter();
            let open = flags.map(|flag| {
                let mut ranges = ranges(place, one.sort, vocabulary, Some(flag));
                ranges.retain(Range::is_open);
                ranges
            });
            RangesOfSort {
                all: all_ranges(place, one.sort, vocabulary, &strides),
                open_under_flags: open.collect(),
            }
        });
        for range in &ranges.all {
            if observed.allows(is_inside(place, range.ends, range.stride)) {
                all.push(claim(range));
            }
        }
        for (flag, ranges) in flags.iter().zip(&ranges.open_under_flags) {
            let allowed = ranges.iter().filter(|range| {
                let inside = is_inside(place, range.ends, range.stride);
                !observed.denies(|row, index| {
                    flag.is_set(&place.array_rows[row].scalars) && inside(row, index)
                })
            });
            under_flags.extend(allowed.map(|range| store().implies(flag.term, claim(range))));
        }
    }
    all.extend(under_flags);
    all.truncate(MAXIMUM_GENERALISED);
    all
}

/// Returns the facts for all values that their variable may have had: those from the first one on, before a variable, a
/// constant or without end; and those that are left for a variable that decreases, or for a later loop.
pub(super) fn written(
    place: &PlaceSamples,
    vocabulary: &Vocabulary,
    facts: &[Quantified],
) -> Vec<TermId> {
    let mut all = Vec::new();
    for one in facts.iter().filter(|one| is_sampled(place, one.fact)) {
        let constants = vocabulary.sizes().iter().take(MAXIMUM_CONSTANTS);
        let mut ends: Vec<End> = constants.map(|&size| End::Constant(size)).collect();
        ends.push(End::Never);
        let mut lowers = Vec::new();
        let mut befores = Vec::new();
        for (number, variable) in place.variables.iter().enumerate() {
            if matches!(variable.sort, Sort::Int | Sort::BitVec(16..)) {
                befores.push(End::Variable(number, 0));
                lowers.push(End::Variable(number, 0));
            }
            if variable.term == one.variable {
                lowers.push(End::Variable(number, 1));
            }
        }
        let mut ranges: Vec<(End, End)> = Vec::new();
        ranges.extend(befores.iter().chain(&ends).map(|&end| (End::First, end)));
        for lower in lowers {
            ranges.extend(ends.iter().map(|&upper| (lower, upper)));
        }
        let observed = Observed::of(place, one);
        ranges.retain(|&ends| observed.allows(is_inside(place, ends, None)));
        for (lower, upper) in ranges {
            let range = range_term(place, one.sort, lower, upper);
            all.push(store().implies(range, one.fact));
        }
    }
    all.truncate(MAXIMUM_GENERALISED);
    all
}

/// Checks whether an index is between the ends in a row, and visited with the stride.
fn is_inside(
    place: &PlaceSamples,
    ends: (End, End),
    stride: Option<Stride>,
) -> impl Fn(usize, i128) -> bool {
    move |row, index| {
        // Negative numbers are, as unsigned ones, greater than all indices.
        let end = |end: End| match end {
            End::First => 0,
            End::Never => i128::MAX,
            End::Constant(value) => value,
            End::Variable(variable, more) => match place.array_rows[row].scalars[variable] + more {
                negative if negative < 0 => match place.variables[variable].sort {
                    Sort::BitVec(_) => i128::MAX,
                    _ => negative,
                },
                value => value,
            },
        };
        end(ends.0) <= index && index < end(ends.1) && stride.is_none_or(|stride| stride.has(index))
    }
}

/// Checks whether all variables of a formula are sampled at the location.
pub(super) fn is_sampled(place: &PlaceSamples, claim: TermId) -> bool {
    let mut variables = free_variables(store(), claim).into_iter();
    variables.all(|(symbol, instance)| {
        let term = store().variable_at(symbol, instance);
        is_any_index(symbol)
            || place.variables.iter().any(|known| known.term == term)
            || place.arrays.iter().any(|known| known.term == term)
    })
}

/// Replaces an index that is a variable by [`any_index`] in the condition, for each such index.
fn of_any_index(condition: TermId) -> Vec<Quantified> {
    let mut all = Vec::new();
    for index in read_indices(condition) {
        let Some(variable) = resized_variable(index) else {
            continue;
        };
        let sort = store().sort(index);
        let any = any_index(sort);
        let value = match (sort, store().sort(variable)) {
            (Sort::BitVec(_), Sort::BitVec(width)) => store().zero_resize(any, width),
            (Sort::Int, Sort::Int) => any,
            _ => continue,
        };
        let replace = |term| match term {
            term if term == index => Some(any),
            term if term == variable => Some(value),
            _ => None,
        };
        all.push(Quantified {
            sort,
            variable,
            fact: Rebuild::new(store(), store(), replace).rebuild(condition),
        });
    }
    all
}

/// Returns the variable that the term is, up to its width.
fn resized_variable(mut term: TermId) -> Option<TermId> {
    loop {
        match store().kind(term) {
            TermKind::Variable { .. } => return Some(term),
            TermKind::Apply {
                op: Op::ZeroExtend(_) | Op::SignExtend(_) | Op::Extract { low: 0, .. },
                arguments,
            } => term = arguments[0],
            _ => return None,
        }
    }
}

/// The condition that a variable has a value.
struct Flag {
    term: TermId,
    /// The variable's number.
    variable: usize,
    value: i128,
}

impl Flag {
    /// Checks whether the variable has the value in a row.
    fn is_set(&self, row: &[i128]) -> bool {
        row[self.variable] == self.value
    }
}

/// Returns the flags of variables with few values, one for each value.
fn flags(place: &PlaceSamples) -> Vec<Flag> {
    let mut flags = Vec::new();
    for (number, variable) in place.variables.iter().enumerate() {
        let mut values: Vec<i128> = place.rows.iter().map(|row| row[number]).collect();
        values.sort_unstable();
        values.dedup();
        // A variable with one value in samples may have others.
        if (1..=2).contains(&values.len()) && flags.len() < 4 {
            flags.extend(values.into_iter().map(|value| Flag {
                term: store().eq(variable.term, constant(variable.sort, value)),
                variable: number,
                value,
            }));
        }
    }
    flags
}

/// Returns the ranges, plain and with each stride.
fn all_ranges(
    place: &PlaceSamples,
    index: Sort,
    vocabulary: &Vocabulary,
    strides: &[Stride],
) -> Vec<Range> {
    let plain = ranges(place, index, vocabulary, None);
    let mut all = plain.clone();
    for &stride in strides {
        all.extend(plain.iter().map(|range| range.with(stride, index)));
    }
    all
}

/// Returns the ranges in states where the flag is set, if there is one: a variable may be an index only then.
fn ranges(
    place: &PlaceSamples,
    index: Sort,
    vocabulary: &Vocabulary,
    flag: Option<&Flag>,
) -> Vec<Range> {
    let mut uppers = vec![End::Never];
    uppers.extend(
        vocabulary
            .sizes()
            .iter()
            .take(MAXIMUM_CONSTANTS)
            .map(|&size| End::Constant(size)),
    );
    let mut lowers = vec![End::First];
    for (number, variable) in place.variables.iter().enumerate() {
        let wide = is_wide(variable);
        let mut rows = place.rows.iter();
        let negative = rows.any(|row| row[number] < -1 && flag.is_none_or(|flag| flag.is_set(row)));
        if wide && !negative {
            uppers.push(End::Variable(number, 0));
            uppers.push(End::Variable(number, 1));
            lowers.push(End::Variable(number, 0));
            lowers.push(End::Variable(number, 1));
        }
    }
    let mut ranges = Vec::new();
    // Ranges that end at a variable are most useful.
    uppers.sort_by_key(|end| !matches!(end, End::Variable(..)));
    for &lower in &lowers {
        for &upper in &uppers {
            let variables = matches!((lower, upper), (End::Variable(..), End::Variable(..)));
            if variables {
                continue;
            }
            let term = range_term(place, index, lower, upper);
            ranges.push(Range {
                term,
                ends: (lower, upper),
                stride: None,
            });
        }
    }
    ranges
}

/// Returns the strides of variables that count in steps.
fn strides(place: &PlaceSamples) -> Vec<Stride> {
    let mut strides = Vec::new();
    for (number, variable) in place.variables.iter().enumerate() {
        let values: BTreeSet<i128> = place.rows.iter().map(|row| row[number]).collect();
        let Some(first) = values.first().filter(|_| is_wide(variable)) else {
            continue;
        };
        let distances = values.iter().map(|value| value - first);
        let step = distances.fold(0, num_integer::gcd);
        let remainder = first.rem_euclid(step.max(1));
        let stride = Stride { step, remainder };
        let counts = values.len() > MINIMUM_CELLS && LOOP_STEPS.contains(&step);
        if counts && !strides.contains(&stride) {
            strides.push(stride);
        }
    }
    strides.truncate(MAXIMUM_STRIDES);
    strides
}

/// Checks whether a variable may be an index.
fn is_wide(variable: &SampledVariable) -> bool {
    matches!(variable.sort, Sort::Int | Sort::BitVec(16..))
}

fn range_term(place: &PlaceSamples, index: Sort, lower: End, upper: End) -> TermId {
    let cell = any_index(index);
    let end = |end: End| match end {
        End::First | End::Never => constant(index, 0),
        End::Constant(value) => constant(index, value),
        End::Variable(number, more) => {
            let resized = resized(&place.variables[number], index);
            sum(index, resized, constant(index, more))
        }
    };
    let before = |a, b| match index {
        Sort::Int => store().int_lt(a, b),
        _ => store().ult(a, b),
    };
    let from = match (lower, index) {
        (End::First, Sort::Int) => store().int_le(end(lower), cell),
        (End::First, _) => TermId::TRUE,
        _ => store().not(before(cell, end(lower))),
    };
    let to = match upper {
        End::Never => TermId::TRUE,
        _ => before(cell, end(upper)),
    };
    store().and2(from, to)
}

/// Returns the variable as an index, as C converts it.
fn resized(variable: &SampledVariable, index: Sort) -> TermId {
    match (variable.sort, index) {
        (Sort::BitVec(_), Sort::BitVec(width)) if variable.unsigned => {
            store().zero_resize(variable.term, width)
        }
        (Sort::BitVec(_), Sort::BitVec(width)) => store().sign_resize(variable.term, width),
        (Sort::BitVec(_), _) => store().bv_to_nat(variable.term),
        _ => variable.term,
    }
}

/// Returns the cells in the range, by row and position.
fn cells_in(place: &PlaceSamples, range: &Range) -> Vec<(usize, usize)> {
    let is_inside = is_inside(place, range.ends, range.stride);
    let mut cells = Vec::new();
    for (number, row) in place.array_rows.iter().enumerate() {
        let inside = row.indices.iter().enumerate();
        let inside = inside.filter(|(_, index)| is_inside(number, **index));
        cells.extend(inside.map(|(position, _)| (number, position)));
    }
    cells
}

/// Returns facts that hold of the array in these cells.
fn facts(
    place: &PlaceSamples,
    number: usize,
    array: &SampledArray,
    cells: &[(usize, usize)],
) -> Vec<TermId> {
    let rows = &place.array_rows;
    let index = any_index(array.index);
    let read = store().select(array.term, index);
    let value = |&(row, position): &(usize, usize)| rows[row].cells[number][position];
    let at = |&(row, position): &(usize, usize)| rows[row].indices[position];
    let mut all = Vec::new();
    let values: Vec<i128> = cells.iter().map(value).collect();
    if values.iter().all(|&value| value == values[0]) {
        all.push(store().eq(read, constant(array.element, values[0])));
    } else {
        if values.iter().all(|&value| value >= LEAST_ADDRESS) {
            all.push(store().ne(read, constant(array.element, 0)));
        }
        all.extend(linear(array, index, read, cells, &values, &at));
        let mut distinct = values.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() <= 3 {
            let equal = distinct
                .iter()
                .map(|&value| store().eq(read, constant(array.element, value)));
            all.push(store().or(equal.collect::<Vec<_>>()));
        }
    }
    for (other, description) in place.arrays.iter().enumerate() {
        let alike = description.index == array.index && description.element == array.element;
        if !alike || other == number {
            continue;
        }
        let same = |&(row, position): &(usize, usize)| {
            rows[row].cells[other][position] == rows[row].cells[number][position]
        };
        if cells.iter().all(same) {
            all.push(store().eq(read, store().select(description.term, index)));
        }
    }
    for (scalar, variable) in place.variables.iter().enumerate() {
        if variable.sort == array.element {
            order(
                variable,
                read,
                &|cell| rows[cell.0].scalars[scalar],
                cells,
                &values,
                &mut all,
            );
        }
    }
    all
}

/// Returns the fact that the cell's value is a · index + b.
fn linear(
    array: &SampledArray,
    index: TermId,
    read: TermId,
    cells: &[(usize, usize)],
    values: &[i128],
    at: &dyn Fn(&(usize, usize)) -> i128,
) -> Option<TermId> {
    let first = cells.first()?;
    let (second, value) = cells
        .iter()
        .zip(values)
        .find(|(cell, _)| at(cell) != at(first))?;
    let (run, rise) = (at(second) - at(first), value - values[0]);
    if run == 0 || rise % run != 0 {
        return None;
    }
    let slope = rise / run;
    let offset = values[0] - slope * at(first);
    let fits = |(cell, value): (&(usize, usize), &i128)| slope * at(cell) + offset == *value;
    if slope == 0 || slope.abs() > 1 << 16 || !cells.iter().zip(values).all(fits) {
        return None;
    }
    let element = array.element;
    let index = match (array.index, element) {
        (Sort::BitVec(_), Sort::BitVec(width)) => store().zero_resize(index, width),
        (Sort::Int, Sort::Int) => index,
        _ => return None,
    };
    let scaled = super::product(element, constant(element, slope), index);
    Some(store().eq(read, sum(element, scaled, constant(element, offset))))
}

/// Adds orders of the cell's value with a variable.
fn order(
    variable: &SampledVariable,
    read: TermId,
    other: &dyn Fn(&(usize, usize)) -> i128,
    cells: &[(usize, usize)],
    values: &[i128],
    all: &mut Vec<TermId>,
) {
    let every = |holds: fn(i128, i128) -> bool| {
        let pairs = cells.iter().zip(values);
        let mut pairs = pairs.map(|(cell, value)| (*value, other(cell)));
        pairs.all(|(value, other)| holds(value, other))
    };
    let term = variable.term;
    if every(|value, other| value == other) {
        all.push(store().eq(read, term));
        return;
    }
    if every(|value, other| value != other) {
        all.push(store().ne(read, term));
    }
    if every(|value, other| value <= other) {
        all.push(at_most(variable.sort, variable.unsigned, read, term));
    }
    if every(|value, other| value >= other) {
        all.push(at_most(variable.sort, variable.unsigned, term, read));
    }
}
