//! Candidates about single variables, and the program's own conditions.

use super::vocabulary::MAXIMUM_THRESHOLDS;
use super::{Column, Vocabulary, at_most};
use regatta_term::{Build, Sort, TermId, store};

/// Maximum number of values of a variable whose set of values is a candidate.
const MAXIMUM_VALUES: usize = 8;

pub(super) fn candidates(columns: &[Column], vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = of_variables(columns, vocabulary);
    all.extend(conditions(columns, vocabulary));
    all
}

/// Returns candidates about single variables.
pub(super) fn of_variables(columns: &[Column], vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = Vec::new();
    for column in columns {
        one(column, vocabulary, &mut all);
    }
    all
}

fn one(column: &Column, vocabulary: &Vocabulary, all: &mut Vec<TermId>) {
    let values = column.read();
    let mut distinct = values.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let term = column.variable.term;
    let (Some(&low), Some(&high)) = (distinct.first(), distinct.last()) else {
        return;
    };
    if low == high {
        all.push(store().eq(term, column.constant(low)));
    }
    if column.variable.sort == Sort::Bool {
        return;
    }
    if distinct.len() > 1 && distinct.len() <= MAXIMUM_VALUES && values.len() >= 2 * distinct.len()
    {
        let equal = distinct
            .iter()
            .map(|&value| store().eq(term, column.constant(value)));
        all.push(store().or(equal.collect::<Vec<_>>()));
    }
    let (sort, unsigned) = (column.variable.sort, column.variable.unsigned);
    let thresholds = vocabulary.thresholds(sort);
    let possible = |value: &i128| !unsigned || *value >= 0;
    let least = if unsigned { high.max(0) } else { high };
    let above = vocabulary.next_thresholds(sort, least);
    for bound in above.chain([high]).chain(next_powers_of_two(column, high)) {
        all.push(at_most(sort, unsigned, term, column.constant(bound)));
    }
    let below = thresholds.iter().rev().copied();
    for bound in below
        .filter(|value| *value <= low && possible(value))
        .take(MAXIMUM_THRESHOLDS)
        .chain([low])
    {
        all.push(at_most(sort, unsigned, column.constant(bound), term));
    }
    if let Some(modulus) = modulus(&values) {
        all.extend(congruence(column, modulus, values[0]));
    }
    all.extend(power_of_two(column, &distinct));
    // A value that is not taken although its neighbours are.
    for &value in &[0, 1, -1] {
        if !distinct.contains(&value) && low < value && value < high {
            all.push(store().ne(term, column.constant(value)));
        }
    }
}

/// Returns the next two powers of two above a large maximum, as bounds of variables that are doubled.
fn next_powers_of_two(column: &Column, high: i128) -> Vec<i128> {
    let Sort::BitVec(width) = column.variable.sort else {
        return Vec::new();
    };
    if high <= i128::from(u8::MAX) {
        return Vec::new();
    }
    let end = 1i128 << (width - u8::from(!column.variable.unsigned)).min(126);
    let power = 1i128 << (high.ilog2() + 1).min(125);
    let next = [power, 2 * power].into_iter();
    next.filter(|&power| power < end).collect()
}

/// Returns the formula that at most one bit is set, if that holds of several values.
fn power_of_two(column: &Column, distinct: &[i128]) -> Option<TermId> {
    let Sort::BitVec(width) = column.variable.sort else {
        return None;
    };
    let bits = |value: &i128| (value & ((1 << width) - 1)).count_ones();
    let is_telling = distinct.len() >= 4 && distinct.iter().all(|value| bits(value) <= 1);
    let term = column.variable.term;
    let before = store().sub(term, store().bv(width, 1));
    let common = store().bvand(term, before);
    is_telling.then(|| store().eq(common, store().bv(width, 0)))
}

/// Returns the greatest modulus for which all values are congruent, if it is not trivial.
fn modulus(values: &[i128]) -> Option<i128> {
    let first = *values.first()?;
    let gcd = values.iter().fold(0, |gcd, &value| {
        num_integer::gcd(gcd, value.saturating_sub(first))
    });
    (gcd > 1 && values.len() > 2).then_some(gcd)
}

/// Returns x ≡ r modulo m: for bit vectors, modulo the power of two in m, which wrap-around preserves, and modulo m.
fn congruence(column: &Column, modulus: i128, residue: i128) -> Vec<TermId> {
    let term = column.variable.term;
    let mut all = Vec::new();
    match column.variable.sort {
        Sort::BitVec(width) => {
            let bits = modulus.trailing_zeros().min(u32::from(width) - 1) as u8;
            if bits > 0 {
                let low = store().extract(term, bits - 1, 0);
                all.push(store().eq(low, store().bv_signed(bits, residue)));
            }
            if modulus.count_ones() > 1 && modulus < 1 << (width - 1) {
                let remainder = store().urem(term, column.constant(modulus));
                let residue = column.constant(residue.rem_euclid(modulus));
                all.push(store().eq(remainder, residue));
            }
        }
        Sort::Int => {
            let remainder = store().int_mod(term, column.constant(modulus));
            all.push(store().eq(remainder, column.constant(residue.rem_euclid(modulus))));
        }
        _ => {}
    }
    all
}

/// Returns the program's conditions, and their negations, that no sample contradicts.
pub(super) fn conditions(columns: &[Column], vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = Vec::new();
    for condition in vocabulary.conditions_over(columns.iter().map(|column| column.variable.term)) {
        let truths = vocabulary.truths(condition, columns);
        let Some(truths) = truths else { continue };
        if truths.iter().all(|&truth| truth) {
            all.push(condition);
        } else if truths.iter().all(|&truth| !truth) {
            all.push(store().not(condition));
        }
    }
    all
}
