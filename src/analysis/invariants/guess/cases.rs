//! What holds for each value of a variable that has few, such as a flag or the state of an automaton.

use super::{Column, Vocabulary, pairs, values};
use crate::term::{Build, Sort, TermId, store};

/// A variable with so many values at most splits the samples.
const FEW: usize = 6;

/// The most variables that split, and the most variables that are then looked at.
const MOST_SPLITS: usize = 6;
const MOST_OTHERS: usize = 10;

/// The most candidates of a place.
const MOST: usize = 1_500;

pub(super) fn candidates(columns_of_all: &[Column], vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = Vec::new();
    let mut splits = 0;
    for (index, split) in columns_of_all.iter().enumerate() {
        let mut distinct = split.signed.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() < 2 || distinct.len() > FEW || distinct.len() * 2 > split.signed.len() {
            continue;
        }
        splits += 1;
        if splits > MOST_SPLITS {
            break;
        }
        for value in distinct {
            let rows = |column: &Column| -> Vec<i128> {
                let rows = column.signed.iter().zip(&split.signed);
                rows.filter(|(_, at)| **at == value)
                    .map(|(row, _)| *row)
                    .collect()
            };
            let others = columns_of_all.iter().enumerate();
            let others = others
                .filter(|(other, column)| *other != index && column.variable.sort != Sort::Bool);
            let case: Vec<Column> = others
                .take(MOST_OTHERS)
                .map(|(_, column)| Column {
                    variable: column.variable,
                    signed: rows(column),
                })
                .collect();
            let here = store().eq(split.variable.term, split.constant(value));
            let mut facts = values::candidates(&case, vocabulary);
            facts.extend(pairs::candidates(&case));
            for fact in facts {
                all.push(store().implies(here, fact));
            }
            if all.len() > MOST {
                return all;
            }
        }
    }
    all
}
