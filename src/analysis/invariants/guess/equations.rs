//! Equations between variables, as the kernel of the matrix of samples.
//! Samples are signed numbers.

use super::elimination::{Echelon, PRIME, integral};
use super::{constant, product, sum};
use crate::analysis::invariants::samples::PlaceSamples;
use crate::term::{Build, Sort, TermId, store};

/// The degree of a polynomial.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Degree(pub u32);

impl Degree {
    /// Linear equations.
    pub const LINEAR: Self = Self(1);
}

/// The most monomials.
const MOST_MONOMIALS: usize = 60;

/// A product of variables, by index; empty for one.
type Monomial = Vec<usize>;

/// The equations of at most the degree that all samples of the place satisfy: a basis.
pub fn equations(place: &PlaceSamples, degree: Degree) -> Vec<TermId> {
    let mut sorts: Vec<Sort> = place.variables.iter().map(|one| one.sort).collect();
    sorts.sort_unstable_by_key(|sort| format!("{sort:?}"));
    sorts.dedup();
    sorts.retain(|sort| *sort != Sort::Bool);
    let mut all = Vec::new();
    for sort in sorts {
        let group: Vec<usize> = (0..place.variables.len())
            .filter(|&index| place.variables[index].sort == sort)
            .collect();
        all.extend(of_sort(place, sort, &group, degree));
    }
    all
}

fn of_sort(place: &PlaceSamples, sort: Sort, group: &[usize], degree: Degree) -> Vec<TermId> {
    let varying: Vec<usize> = group
        .iter()
        .copied()
        .filter(|&v| varies(place, v))
        .collect();
    if varying.len() < 2 {
        return Vec::new();
    }
    let monomials = monomials(&varying, degree);
    if monomials.len() > MOST_MONOMIALS || place.rows.len() < monomials.len() + 2 {
        return Vec::new();
    }
    let mut echelon = Echelon::new(monomials.len());
    for row in &place.rows {
        echelon.add(monomials.iter().map(|monomial| {
            let factors = monomial.iter().map(|&index| row[index].rem_euclid(PRIME));
            factors.fold(1, |product, factor| product * factor % PRIME)
        }));
    }
    let kernel = echelon.kernel();
    let factors = |monomial: &Monomial| {
        let factors = monomial.iter();
        factors.map(|&index| place.variables[index].term).collect()
    };
    let terms: Vec<Vec<TermId>> = monomials.iter().map(factors).collect();
    let vectors = kernel.iter().filter_map(|vector| integral(vector));
    vectors
        .map(|vector| equation(sort, &terms, &vector))
        .collect()
}

fn varies(place: &PlaceSamples, variable: usize) -> bool {
    let mut values = place.rows.iter().map(|row| row[variable]);
    let first = values.next();
    values.any(|value| Some(value) != first)
}

/// All monomials of at most the degree; those of higher degree first, so that the kernel's vectors have them as rarely as
/// can be.
fn monomials(variables: &[usize], degree: Degree) -> Vec<Monomial> {
    let mut all: Vec<Monomial> = vec![Vec::new()];
    let mut last: Vec<Monomial> = vec![Vec::new()];
    for _ in 0..degree.0 {
        let mut next = Vec::new();
        for monomial in &last {
            for &variable in variables {
                if monomial.last().is_none_or(|&largest| largest <= variable) {
                    let mut longer = monomial.clone();
                    longer.push(variable);
                    next.push(longer);
                }
            }
        }
        all.extend(next.iter().cloned());
        last = next;
        if all.len() > MOST_MONOMIALS {
            break;
        }
    }
    all.reverse();
    all
}

/// Σ cᵢ mᵢ = 0 over products mᵢ of terms of the sort, with what has a negative coefficient on the right.
pub fn equation(sort: Sort, monomials: &[Vec<TermId>], coefficients: &[i128]) -> TermId {
    let side = |sign: i128| {
        let mut total = constant(sort, 0);
        for (factors, coefficient) in monomials.iter().zip(coefficients) {
            if coefficient * sign > 0 {
                let coefficient = constant(sort, coefficient * sign);
                let factors = factors.iter();
                let term = factors.fold(coefficient, |term, &factor| product(sort, term, factor));
                total = sum(sort, total, term);
            }
        }
        total
    };
    store().eq(side(1), side(-1))
}
