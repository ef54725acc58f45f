//! Conditions on variables with many values that are true often enough to tell modes apart: that a variable is a certain
//! constant, or differs from another one by a certain constant.
//!
//! A variable that is not initialised, or that carries whatever a message has in it, has many values; but where it matters it
//! has mostly been assigned a constant, or what another one was, plus something. Both are seen in samples.

use rustc_hash::{FxHashMap, FxHashSet};

use super::features::{Feature, Kind};
use super::guess::{Column, constant};
use super::samples::PlaceSamples;
use crate::term::{Build, Sort, TermId, store};

/// The most constants, and the most differences, that are looked at.
const MOST_CONSTANTS: usize = 24;
const MOST_DIFFERENCES: usize = 16;

/// The most samples of a place that are looked at for differences.
const ENOUGH: usize = 64;

/// What is the case in fewer of the samples of every place is rare: one in so many.
const ONE_IN: usize = 6;

/// Conditions that are looked at wherever there are their variables.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    constants: Vec<(TermId, i128)>,
    differences: Vec<(TermId, TermId, i128)>,
}

impl Marks {
    /// Those of variables of which `is_other` says that they have many values; `assigned` are constants that the program
    /// assigns.
    pub fn new<'p>(
        places: impl Iterator<Item = &'p PlaceSamples>,
        assigned: &[(TermId, i128)],
        is_other: impl Fn(&Column) -> bool,
    ) -> Self {
        let mut constants: FxHashMap<(TermId, i128), usize> = FxHashMap::default();
        let mut differences: FxHashMap<(TermId, TermId, i128), usize> = FxHashMap::default();
        let mut others: FxHashSet<TermId> = FxHashSet::default();
        for place in places.filter(|place| place.rows.len() >= ONE_IN) {
            let columns: Vec<Column> = Column::all(place)
                .filter(|column| column.variable.cell.is_none())
                .collect();
            let is_other: Vec<bool> = columns.iter().map(&is_other).collect();
            for (index, one) in columns
                .iter()
                .enumerate()
                .filter(|&(index, _)| is_other[index])
            {
                let term = one.variable.term;
                others.insert(term);
                for (value, count) in frequent(one.signed.iter().copied()) {
                    let best = constants.entry((term, value)).or_default();
                    *best = count.max(*best);
                }
                for (place, other) in columns.iter().enumerate() {
                    if place == index || (is_other[place] && place < index) {
                        continue;
                    }
                    let Some(all) = one.differences_from(other) else {
                        continue;
                    };
                    for (value, count) in frequent(all.into_iter().take(ENOUGH)) {
                        // A constant has the same difference from all that do not change.
                        let rows = one.signed.iter().zip(&other.signed).take(ENOUGH);
                        let rows = rows.filter(|(a, b)| one.wrapped(**a - **b) == value);
                        let values: FxHashSet<i128> = rows.map(|(a, _)| *a).collect();
                        if values.len() > 1 {
                            let key = (term, other.variable.term, value);
                            let best = differences.entry(key).or_default();
                            *best = (count * values.len().min(4)).max(*best);
                        }
                    }
                }
            }
        }
        let mut marked: Vec<(TermId, i128)> = assigned
            .iter()
            .copied()
            .filter(|(variable, _)| others.contains(variable))
            .collect();
        for (one, _) in by_count(constants) {
            if !marked.contains(&one) {
                marked.push(one);
            }
        }
        marked.truncate(MOST_CONSTANTS);
        let mut differences: Vec<_> = by_count(differences).into_iter().map(|one| one.0).collect();
        differences.truncate(MOST_DIFFERENCES);
        Self {
            constants: marked,
            differences,
        }
    }

    /// Those of a place, with their truths in the samples.
    pub fn of(&self, place: &PlaceSamples) -> Vec<(Feature, Vec<i128>)> {
        let columns: FxHashMap<TermId, Column> = Column::all(place)
            .map(|column| (column.variable.term, column))
            .collect();
        let feature = |term| Feature {
            kind: Kind::Condition,
            term,
            sort: Sort::Bool,
        };
        let mut all = Vec::new();
        for (variable, value) in &self.constants {
            let Some(column) = columns.get(variable) else {
                continue;
            };
            let number = constant(column.variable.sort, *value);
            let rows = column.signed.iter();
            let rows = rows.map(|row| i128::from(row == value)).collect();
            all.push((feature(store().eq(*variable, number)), rows));
        }
        for (of, from, value) in &self.differences {
            let (Some(one), Some(other)) = (columns.get(of), columns.get(from)) else {
                continue;
            };
            let Some(rows) = one.differences_from(other) else {
                continue;
            };
            let number = constant(one.variable.sort, *value);
            let term = store().eq(*of, store().add(*from, number));
            let rows = rows.iter().map(|row| i128::from(row == value)).collect();
            all.push((feature(term), rows));
        }
        all
    }
}

/// The values that are not rare, with how many in a thousand they are.
fn frequent(values: impl Iterator<Item = i128>) -> Vec<(i128, usize)> {
    let mut counts: FxHashMap<i128, usize> = FxHashMap::default();
    let mut rows = 0;
    for value in values {
        *counts.entry(value).or_default() += 1;
        rows += 1;
    }
    let counts = counts.into_iter();
    let counts = counts.filter(|&(_, count)| count * ONE_IN >= rows && count > 1);
    counts
        .map(|(value, count)| (value, count * 1_000 / rows))
        .collect()
}

/// The most frequent first.
fn by_count<T: Ord + Copy>(counts: FxHashMap<T, usize>) -> Vec<(T, usize)> {
    let mut all: Vec<(T, usize)> = counts.into_iter().collect();
    all.sort_unstable_by_key(|&(one, count)| (std::cmp::Reverse(count), one));
    all
}
