//! Linear inequalities of up to four variables: facets of the convex hull of the samples.
//!
//! A form Σ cᵢ xᵢ with small coefficients and its least value on the samples make an inequality. Of the many such
//! forms, those are used that touch the hull of the samples, projected to the form's variables, in a facet: the samples
//! at which the form is least must span all but one dimension of what all samples span.

use super::elimination::Echelon;
use super::{Column, constant, product, sum};
use crate::analysis::invariants::guess::{Vocabulary, at_most};
use crate::term::{Sort, TermId};

/// Maximum number of variables of a location that are combined.
const MAXIMUM_VARIABLES: usize = 9;

/// Maximum number of variables of a form.
const MAXIMUM_TERMS: usize = 4;

/// Maximum number of inequalities of a location.
const MAXIMUM_INEQUALITIES: usize = 200;

/// Maximum absolute least value that is accepted besides the program's constants.
const MAXIMUM_SMALL_VALUE: i128 = 2;

pub(super) fn candidates(columns: &[Column], vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut all = Vec::new();
    let mut sorts: Vec<Sort> = Vec::new();
    for column in columns {
        let sort = column.variable.sort;
        if sort != Sort::Bool && !sorts.contains(&sort) {
            sorts.push(sort);
        }
    }
    for sort in sorts {
        let group = columns
            .iter()
            .filter(|column| column.variable.sort == sort && !is_constant(column));
        let group: Vec<&Column> = group.take(MAXIMUM_VARIABLES).collect();
        for size in 2..=MAXIMUM_TERMS.min(group.len()) {
            let mut chosen = Vec::new();
            subsets(&group, size, 0, &mut chosen, &mut |subset| {
                if all.len() < MAXIMUM_INEQUALITIES {
                    of_subset(sort, subset, vocabulary, &mut all);
                }
            });
        }
    }
    all
}

fn is_constant(column: &Column) -> bool {
    column.signed.iter().all(|value| *value == column.signed[0])
}

fn subsets<'c>(
    group: &[&'c Column],
    size: usize,
    from: usize,
    chosen: &mut Vec<&'c Column>,
    visit: &mut dyn FnMut(&[&'c Column]),
) {
    if chosen.len() == size {
        return visit(chosen);
    }
    for index in from..group.len() {
        chosen.push(group[index]);
        subsets(group, size, index + 1, chosen, visit);
        chosen.pop();
    }
}

fn of_subset(sort: Sort, subset: &[&Column], vocabulary: &Vocabulary, all: &mut Vec<TermId>) {
    let rows = subset[0].signed.len();
    let points: Vec<Vec<i128>> = (0..rows)
        .map(|row| subset.iter().map(|column| column.signed[row]).collect())
        .collect();
    let dimension = affine_dimension(points.iter());
    if dimension + 1 < subset.len() {
        // Equations are stronger: some variable is superfluous.
        return;
    }
    let choices: &[i128] = if subset.len() <= 3 {
        &[1, -1, 2, -2]
    } else {
        &[1, -1]
    };
    let mut coefficients = vec![0usize; subset.len()];
    loop {
        let form: Vec<i128> = coefficients.iter().map(|&choice| choices[choice]).collect();
        if form.iter().any(|value| value.abs() == 1) {
            inequality(sort, subset, &form, &points, dimension, vocabulary, all);
        }
        let Some(next) = coefficients
            .iter()
            .position(|&choice| choice + 1 < choices.len())
        else {
            return;
        };
        coefficients[next] += 1;
        coefficients[..next].fill(0);
    }
}

/// Adds the inequality that the form is at least its least value, if that is a facet.
fn inequality(
    sort: Sort,
    subset: &[&Column],
    form: &[i128],
    points: &[Vec<i128>],
    dimension: usize,
    vocabulary: &Vocabulary,
    all: &mut Vec<TermId>,
) {
    let value = |point: &Vec<i128>| -> i128 { point.iter().zip(form).map(|(x, c)| x * c).sum() };
    let values: Vec<i128> = points.iter().map(value).collect();
    let (Some(&least), Some(&most)) = (values.iter().min(), values.iter().max()) else {
        return;
    };
    let accepted = least.abs() <= MAXIMUM_SMALL_VALUE
        || vocabulary.thresholds(sort).binary_search(&least).is_ok();
    if least == most || !accepted {
        return;
    }
    let tight = points
        .iter()
        .zip(&values)
        .filter(|&(_, &value)| value == least)
        .map(|(point, _)| point);
    if affine_dimension(tight) + 1 < dimension {
        return;
    }
    let side = |sign: i128, constant_part: i128| {
        let mut total = constant(sort, constant_part);
        for (column, &coefficient) in subset.iter().zip(form) {
            if coefficient * sign > 0 {
                let factor = constant(sort, coefficient.abs());
                total = sum(sort, total, product(sort, factor, column.variable.term));
            }
        }
        total
    };
    let (left, right) = (side(-1, least.max(0)), side(1, (-least).max(0)));
    let unsigned = subset.iter().all(|column| column.variable.unsigned);
    all.push(at_most(sort, unsigned, left, right));
}

/// Returns the dimension of the smallest affine space with all points; 0 for one point, and for none.
fn affine_dimension<'p>(mut points: impl Iterator<Item = &'p Vec<i128>>) -> usize {
    let Some(first) = points.next() else { return 0 };
    let mut echelon = Echelon::new(first.len());
    for point in points {
        if echelon.rank() == first.len() {
            break;
        }
        echelon.add(point.iter().zip(first).map(|(a, b)| a - b));
    }
    echelon.rank()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_of_points() {
        let points = [vec![1, 1, 5], vec![2, 2, 5], vec![3, 3, 5]];
        assert_eq!(affine_dimension(points.iter()), 1);
        assert_eq!(affine_dimension(points[..1].iter()), 0);
        let more = [vec![1, 1, 5], vec![2, 2, 5], vec![3, 4, 5], vec![0, 0, 6]];
        assert_eq!(affine_dimension(more.iter()), 3);
    }
}
