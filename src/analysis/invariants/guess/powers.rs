//! Powers of two of variables, treated like variables, for values that double with each call or iteration; and powers
//! of two, and the program's constants, as bounds of variables beyond the values in samples.

use rustc_hash::FxHashSet;

use super::{Column, Vocabulary, at_most, cases, columns, equations};
use crate::analysis::invariants::samples::{PlaceSamples, SampledVariable};
use crate::term::{Build, Sort, TermId, for_each_subterm, store};

/// Maximum number of variables of a location whose powers are used.
const MAXIMUM_VARIABLES: usize = 4;

/// Minimum number of values of a variable whose powers are used.
const MINIMUM_VALUES: usize = 3;

/// Returns linear equations over variables and powers, of all samples and by cases (where one case has a power, the
/// equations of the others are needed, too); and bounds of variables that no equation contains. For the others, bounds
/// would say less than equations, and would be weakened step by step along with what they bound.
pub(super) fn candidates(place: &PlaceSamples, vocabulary: &Vocabulary) -> Vec<TermId> {
    let columns = columns(place);
    let of_all_and_cases = |facts: &dyn Fn(&PlaceSamples) -> Vec<TermId>| {
        let mut all = facts(place);
        all.extend(cases::of(&columns, vocabulary, facts));
        all
    };
    let mut all = of_all_and_cases(&|part| {
        let extended = with_powers(part);
        equations(extended.as_ref().unwrap_or(part), super::Degree::LINEAR)
    });
    let mut equated = FxHashSet::default();
    for_each_subterm(store(), all.iter().copied(), |term, _| {
        equated.insert(term);
    });
    all.extend(of_all_and_cases(&|part| bounds(part, vocabulary, &equated)));
    all
}

/// Returns bounds for variables that are not among `others`: all powers of two that are no less than the values, and
/// the first such constants of the program.
fn bounds(
    place: &PlaceSamples,
    vocabulary: &Vocabulary,
    others: &FxHashSet<TermId>,
) -> Vec<TermId> {
    let mut all = Vec::new();
    for column in Column::all(place).filter(|one| !others.contains(&one.variable.term)) {
        let Sort::BitVec(width) = column.variable.sort else {
            continue;
        };
        let values = column.read();
        let Some(&high) = values.iter().max() else {
            continue;
        };
        if values.iter().any(|&value| value < 0) {
            continue;
        }
        let powers = (0..width.min(62) - 1).map(|exponent| 1i128 << exponent);
        let limits = powers.filter(|&power| power >= high);
        let limits = limits.chain(vocabulary.next_thresholds(column.variable.sort, high));
        all.extend(limits.map(|limit| {
            let unsigned = column.variable.unsigned;
            let bound = column.constant(limit);
            at_most(column.variable.sort, unsigned, column.variable.term, bound)
        }));
    }
    all
}

/// Adds to the samples the powers of two of variables that are exponents in all of them; `None` without such.
fn with_powers(place: &PlaceSamples) -> Option<PlaceSamples> {
    let exponents: Vec<(usize, u8)> = place
        .variables
        .iter()
        .enumerate()
        .filter_map(|(index, variable)| match variable.sort {
            Sort::BitVec(width) if is_exponent(place, index, width) => Some((index, width)),
            _ => None,
        })
        .take(MAXIMUM_VARIABLES)
        .collect();
    if exponents.is_empty() {
        return None;
    }
    let mut variables = place.variables.clone();
    variables.extend(exponents.iter().map(|&(index, width)| SampledVariable {
        term: store().shl(store().bv(width, 1), place.variables[index].term),
        ..place.variables[index]
    }));
    let extended = |row: &Vec<i128>| {
        let mut extended = row.clone();
        extended.extend(exponents.iter().map(|&(index, _)| 1 << row[index]));
        extended
    };
    let rows = place.rows.iter().map(extended);
    Some(PlaceSamples::with_rows(variables, rows.collect()))
}

/// Checks whether the powers of two of the variable's values are positive signed numbers.
fn is_exponent(place: &PlaceSamples, variable: usize, width: u8) -> bool {
    let mut values: Vec<i128> = place.rows.iter().map(|row| row[variable]).collect();
    values.sort_unstable();
    values.dedup();
    values.len() >= MINIMUM_VALUES
        && values
            .iter()
            .all(|value| (0..i128::from(width) - 1).contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::invariants::guess::testing::{is_distinguished, sampled};
    use crate::analysis::invariants::guess::{Round, candidates};

    #[test]
    fn a_sum_of_powers_is_one_less_than_a_power() {
        let rows = (0..9).map(|n| vec![n, (1 << n) - 1]).collect();
        let place = sampled(&["n", "sum"], rows);
        let all = candidates(Round::Powers, &place, &Vocabulary::default());
        assert!(is_distinguished(
            &all,
            &place,
            [20, (1 << 20) - 1],
            [20, 1 << 20]
        ));
        // Linear equations cannot express it.
        let linear = candidates(Round::Linear, &place, &Vocabulary::default());
        assert_eq!(linear, []);
    }

    #[test]
    fn a_power_in_one_case() {
        let rows = (0..8).flat_map(|n| {
            [
                vec![0, n, 3 * n],
                vec![1, n, (1 << n) + 5],
                vec![0, n + 90, 3 * n + 270],
            ]
        });
        let place = sampled(&["case", "n", "x"], rows.collect());
        let all = candidates(Round::Powers, &place, &Vocabulary::default());
        assert!(is_distinguished(
            &all,
            &place,
            [1, 20, (1 << 20) + 5],
            [1, 20, 60]
        ));
        assert!(is_distinguished(&all, &place, [0, 20, 60], [0, 20, 61]));
    }

    #[test]
    fn bounds_beyond_the_samples() {
        let rows = (0..9).map(|n| vec![n, 7 * n * n]).collect();
        let place = sampled(&["n", "m"], rows);
        let all = candidates(Round::Powers, &place, &Vocabulary::default());
        assert!(is_distinguished(
            &all,
            &place,
            [0, 1 << 20],
            [0, (1 << 20) + 1]
        ));
    }
}
