//! Candidates about two variables.

use super::{Column, Vocabulary, at_most, sum};
use crate::term::{Build, Sort, TermId, store};

/// Returns equality, order, constant difference and sum, and equal low bits of two variables.
pub(super) fn candidates(columns: &[Column]) -> Vec<TermId> {
    let mut all = Vec::new();
    for (index, a) in columns.iter().enumerate() {
        for b in &columns[index + 1..] {
            if a.comparable(b) {
                order(a, b, &mut all);
                linear(a, b, &mut all);
            } else {
                widened(a, b, &mut all);
            }
        }
    }
    all
}

fn order(a: &Column, b: &Column, all: &mut Vec<TermId>) {
    let sort = a.variable.sort;
    let (x, y) = (a.variable.term, b.variable.term);
    let mut views = vec![a.variable.unsigned || b.variable.unsigned];
    if a.variable.unsigned != b.variable.unsigned && sort != Sort::Int {
        views.push(false);
    }
    for unsigned in views {
        let (a, b) = match unsigned {
            true => (unsigned_values(a), unsigned_values(b)),
            false => (a.signed.clone(), b.signed.clone()),
        };
        let all_rows = |holds: fn(&i128, &i128) -> bool| a.iter().zip(&b).all(|(a, b)| holds(a, b));
        let less = |x, y| store().not(at_most(sort, unsigned, y, x));
        if all_rows(|a, b| a == b) {
            all.push(store().eq(x, y));
            return;
        }
        if all_rows(|a, b| a <= b) {
            all.push(at_most(sort, unsigned, x, y));
        }
        if all_rows(|a, b| a < b) {
            all.push(less(x, y));
        }
        if all_rows(|a, b| a >= b) {
            all.push(at_most(sort, unsigned, y, x));
        }
        if all_rows(|a, b| a > b) {
            all.push(less(y, x));
        }
    }
    if a.signed.len() > 3 && a.signed.iter().zip(&b.signed).all(|(a, b)| a != b) {
        all.push(store().ne(x, y));
    }
}

fn unsigned_values(column: &Column) -> Vec<i128> {
    let wrap = 1i128 << column.width();
    let unsigned = |&value: &i128| if value < 0 { value + wrap } else { value };
    column.signed.iter().map(unsigned).collect()
}

/// Adds that x − y or x + y is constant, or that the lowest bit of x − y is.
fn linear(a: &Column, b: &Column, all: &mut Vec<TermId>) {
    let (x, y, sort) = (a.variable.term, b.variable.term, a.variable.sort);
    if a.signed.len() < 2 || is_constant(&a.signed) || is_constant(&b.signed) {
        return;
    }
    for sign in [-1, 1] {
        let rows = a.signed.iter().zip(&b.signed);
        let values: Vec<i128> = rows.map(|(a, b)| a + sign * b).collect();
        let term = match (sort, sign) {
            (Sort::Int, -1) => store().int_sub(x, y),
            (_, -1) => store().sub(x, y),
            _ => sum(sort, x, y),
        };
        if is_constant(&values) {
            if values[0] != 0 || sign == 1 {
                all.push(store().eq(term, a.constant(values[0])));
            }
        } else if sign == -1
            && let Sort::BitVec(_) = sort
            && values
                .iter()
                .all(|value| (value - values[0]).rem_euclid(2) == 0)
        {
            let low = store().extract(term, 0, 0);
            all.push(store().eq(low, store().bv_signed(1, values[0])));
        }
    }
}

fn is_constant(values: &[i128]) -> bool {
    values.iter().all(|value| *value == values[0])
}

/// Adds orders of bit vectors of two widths: of the narrow one, as C widens it, with the wide one.
fn widened(a: &Column, b: &Column, all: &mut Vec<TermId>) {
    let (narrow, wide) = if a.width() < b.width() {
        (a, b)
    } else {
        (b, a)
    };
    let (Sort::BitVec(few), Sort::BitVec(many)) = (narrow.variable.sort, wide.variable.sort) else {
        return;
    };
    // C promotes narrower variables to `int` first, and compares nothing wider than a pointer.
    if few < 32 || many > 64 {
        return;
    }
    let term = match narrow.variable.unsigned {
        true => store().zero_extend(narrow.variable.term, many),
        false => store().sign_extend(narrow.variable.term, many),
    };
    let widened = Column {
        variable: super::SampledVariable {
            term,
            sort: wide.variable.sort,
            ..narrow.variable
        },
        signed: narrow.read(),
    };
    order(&widened, wide, all);
}

/// Returns x ± y ≤ c and x ± y ≥ c for constants of the program.
pub(super) fn bounds(columns: &[Column], vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = Vec::new();
    for (index, a) in columns.iter().enumerate() {
        for b in &columns[index + 1..] {
            if a.comparable(b) && !is_constant(&a.signed) && !is_constant(&b.signed) {
                bounded(a, b, vocabulary, &mut all);
            }
        }
    }
    all
}

fn bounded(a: &Column, b: &Column, vocabulary: &Vocabulary, all: &mut Vec<TermId>) {
    let (x, y, sort) = (a.variable.term, b.variable.term, a.variable.sort);
    let thresholds = vocabulary.thresholds(sort);
    for sign in [-1, 1] {
        let rows = a.signed.iter().zip(&b.signed);
        let values: Vec<i128> = rows.map(|(a, b)| a + sign * b).collect();
        let (Some(&low), Some(&high)) = (values.iter().min(), values.iter().max()) else {
            return;
        };
        let term = match (sort, sign) {
            (Sort::Int, -1) => store().int_sub(x, y),
            (_, -1) => store().sub(x, y),
            _ => sum(sort, x, y),
        };
        let above = thresholds.iter().copied().filter(|&value| value >= high);
        for bound in above.take(2).chain([high]) {
            all.push(at_most(sort, false, term, a.constant(bound)));
        }
        let below = thresholds.iter().rev().copied();
        for bound in below.filter(|&value| value <= low).take(2).chain([low]) {
            all.push(at_most(sort, false, a.constant(bound), term));
        }
    }
}
