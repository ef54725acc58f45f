//! Equations between variables, as the kernel of the matrix of samples.
//!
//! Arithmetic is modulo a large prime, on the samples as signed numbers; a kernel vector counts if its entries are those
//! of small integers or, scaled, of small fractions. What such a coincidence costs is a candidate that is refuted.

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

/// A Mersenne prime, so that products fit and reduction is cheap.
pub const PRIME: i128 = (1 << 61) - 1;

/// The largest coefficient believed in.
const LARGEST: i128 = 10_000;

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
    let rows = place.rows.iter().map(|row| {
        let value = |monomial: &Monomial| {
            let factors = monomial.iter().map(|&index| row[index].rem_euclid(PRIME));
            factors.fold(1, |product, factor| product * factor % PRIME)
        };
        monomials.iter().map(value).collect()
    });
    let kernel = kernel(rows.collect(), monomials.len());
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

pub(super) fn inverse(value: i128) -> i128 {
    let (mut power, mut base, mut result) = (PRIME - 2, value, 1);
    while power > 0 {
        if power & 1 == 1 {
            result = result * base % PRIME;
        }
        base = base * base % PRIME;
        power >>= 1;
    }
    result
}

/// A basis of the vectors that all rows (of numbers modulo [`PRIME`]) are orthogonal to, by Gauss-Jordan elimination.
pub fn kernel(mut rows: Vec<Vec<i128>>, columns: usize) -> Vec<Vec<i128>> {
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..columns {
        let done = pivots.len();
        let Some(found) = (done..rows.len()).find(|&row| rows[row][column] != 0) else {
            continue;
        };
        rows.swap(done, found);
        let scale = inverse(rows[done][column]);
        for entry in &mut rows[done] {
            *entry = *entry * scale % PRIME;
        }
        let pivot = rows[done].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if index != done && factor != 0 {
                for (entry, by) in row.iter_mut().zip(&pivot) {
                    *entry = (*entry - factor * by % PRIME).rem_euclid(PRIME);
                }
            }
        }
        pivots.push(column);
    }
    let free = (0..columns).filter(|column| !pivots.contains(column));
    free.map(|free| {
        let mut vector = vec![0; columns];
        vector[free] = 1;
        for (row, &pivot) in pivots.iter().enumerate() {
            vector[pivot] = (PRIME - rows[row][free]) % PRIME;
        }
        vector
    })
    .collect()
}

/// The vector scaled such that its entries are small integers.
pub fn integral(vector: &[i128]) -> Option<Vec<i128>> {
    let signed = |value: i128| {
        if value > PRIME / 2 {
            value - PRIME
        } else {
            value
        }
    };
    let small = |scale: i128| -> Option<Vec<i128>> {
        let scaled = vector.iter().map(|value| signed(value * scale % PRIME));
        let scaled: Vec<i128> = scaled.collect();
        scaled
            .iter()
            .all(|value| value.abs() <= LARGEST)
            .then_some(scaled)
    };
    (1..=64).find_map(small)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_of_squares_is_their_equation() {
        // Columns: x², x, 1, y with y = x² + 2x + 3.
        let rows = (0..8).map(|x: i128| vec![x * x, x, 1, x * x + 2 * x + 3]);
        let kernel = kernel(rows.collect(), 4);
        assert_eq!(kernel.len(), 1);
        assert_eq!(integral(&kernel[0]), Some(vec![-1, -2, -3, 1]));
    }

    #[test]
    fn fractions_are_scaled() {
        // 2 y = x (x + 1): y = x²/2 + x/2.
        let rows = (0..8).map(|x: i128| vec![x * x, x, x * (x + 1) / 2]);
        let kernel = kernel(rows.collect(), 3);
        assert_eq!(integral(&kernel[0]), Some(vec![-1, -1, 2]));
    }
}
