//! Facts that hold in one of several cases: for each value of a variable that has few, such as a flag or the state of
//! an automaton; and where a condition of the program holds, or does not, as in the phases of a loop.

use super::{Column, Vocabulary, equations, pairs, single_variables};
use crate::invariants::samples::PlaceSamples;
use regatta_term::{Build, Sort, TermId, store};

/// Maximum number of values of a variable that splits the samples.
const MAXIMUM_VALUES: usize = 6;

/// Maximum number of cases, and of variables of a case.
const MAXIMUM_CASES: usize = 24;
const MAXIMUM_OTHER_VARIABLES: usize = 10;

/// Maximum number of candidates of a location.
const MAXIMUM_CANDIDATES: usize = 1_500;

/// A part of the samples.
struct Case {
    /// The condition that holds in it.
    condition: TermId,
    /// The samples that are in it.
    rows: Vec<bool>,
    /// The variable whose value defines the case.
    of: Option<usize>,
}

pub(super) fn candidates(columns: &[Column], vocabulary: &Vocabulary) -> Vec<TermId> {
    of(columns, vocabulary, &|part| {
        let inside: Vec<Column> = Column::all(part).collect();
        let mut facts = single_variables::of_variables(&inside, vocabulary);
        facts.extend(pairs::candidates(&inside));
        facts.extend(equations(part, super::Degree::LINEAR));
        facts
    })
}

/// Returns the facts that a function finds in each case, under the case's condition.
pub(super) fn of(
    columns: &[Column],
    vocabulary: &Vocabulary,
    facts: &dyn Fn(&PlaceSamples) -> Vec<TermId>,
) -> Vec<TermId> {
    let mut all = Vec::new();
    let mut cases = by_value(columns);
    cases.extend(by_condition(columns, vocabulary));
    for case in cases.into_iter().take(MAXIMUM_CASES) {
        let others = columns.iter().enumerate();
        let others = others.filter(|&(index, column)| {
            Some(index) != case.of && column.variable.sort != Sort::Bool
        });
        let inside: Vec<Column> = others
            .take(MAXIMUM_OTHER_VARIABLES)
            .map(|(_, column)| {
                let rows = column.signed.iter().zip(&case.rows);
                Column {
                    variable: column.variable,
                    signed: rows
                        .filter(|(_, inside)| **inside)
                        .map(|(row, _)| *row)
                        .collect(),
                }
            })
            .collect();
        let implied = facts(&place(&inside))
            .into_iter()
            .map(|fact| store().implies(case.condition, fact));
        all.extend(implied);
        if all.len() > MAXIMUM_CANDIDATES {
            break;
        }
    }
    all
}

fn place(columns: &[Column]) -> PlaceSamples {
    let rows = columns.first().map_or(0, |column| column.signed.len());
    let row = |row: usize| columns.iter().map(|column| column.signed[row]).collect();
    let variables = columns.iter().map(|column| column.variable);
    PlaceSamples::with_rows(variables.collect(), (0..rows).map(row).collect())
}

fn by_value(columns: &[Column]) -> Vec<Case> {
    let mut cases = Vec::new();
    for (index, split) in columns.iter().enumerate() {
        let mut distinct = split.signed.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < 2
            || distinct.len() > MAXIMUM_VALUES
            || distinct.len() * 2 > split.signed.len()
        {
            continue;
        }
        cases.extend(distinct.into_iter().map(|value| Case {
            condition: store().eq(split.variable.term, split.constant(value)),
            rows: split.signed.iter().map(|&row| row == value).collect(),
            of: Some(index),
        }));
    }
    cases
}

fn by_condition(columns: &[Column], vocabulary: &Vocabulary) -> Vec<Case> {
    let mut cases = Vec::new();
    for condition in vocabulary.conditions_over(columns.iter().map(|column| column.variable.term)) {
        let Some(rows) = vocabulary.truths(condition, columns) else {
            continue;
        };
        let inside = rows.iter().filter(|&&row| row).count();
        if inside < 2 || rows.len() - inside < 2 {
            continue;
        }
        let outside = rows.iter().map(|row| !row).collect();
        cases.push(Case {
            condition,
            rows,
            of: None,
        });
        cases.push(Case {
            condition: store().not(condition),
            rows: outside,
            of: None,
        });
    }
    cases
}
