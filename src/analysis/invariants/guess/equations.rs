//! Equations between variables, as the kernel of the matrix of samples.
//! Samples are signed numbers.

use super::elimination::{Echelon, PRIME, integral};
use super::{Column, Vocabulary, constant, product, sum, values};
use crate::analysis::invariants::samples::PlaceSamples;
use crate::term::{Build, Op, Pool, Sort, TermId, store};

/// The degree of a polynomial.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Degree(pub u32);

impl Degree {
    /// Linear equations.
    pub const LINEAR: Self = Self(1);
}

/// The most monomials.
const MOST_MONOMIALS: usize = 100;

/// A product of variables, by index; empty for one.
type Monomial = Vec<usize>;

/// What an equation may be about: a variable, or a narrower one as C widens it.
struct Quantity {
    term: TermId,
    /// In each sample.
    values: Vec<i128>,
}

/// The equations of at most the degree that all samples of the place satisfy: a basis.
pub fn equations(place: &PlaceSamples, degree: Degree) -> Vec<TermId> {
    let mut sorts: Vec<Sort> = place.variables.iter().map(|one| one.sort).collect();
    sorts.sort_unstable_by_key(|sort| format!("{sort:?}"));
    sorts.dedup();
    sorts.retain(|sort| *sort != Sort::Bool);
    let mut all = Vec::new();
    for sort in sorts {
        let (mut quantities, narrower): (Vec<Quantity>, Vec<Quantity>) =
            (of_sort(place, sort), widened(place, sort));
        all.extend(over(sort, &quantities, degree));
        if !quantities.is_empty() && !narrower.is_empty() {
            quantities.extend(narrower);
            all.extend(over(sort, &quantities, degree));
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The equations of degree two, and those of bit vectors among the program's conditions, that all samples of the place satisfy.
pub fn identities(
    place: &PlaceSamples,
    columns: &[Column],
    vocabulary: &Vocabulary,
) -> Vec<TermId> {
    let mut all = values::conditions(columns, vocabulary);
    all.retain(|&condition| {
        let sides = store().arguments(Op::Eq, condition);
        sides.is_some_and(|sides| matches!(store().sort(sides[0]), Sort::BitVec(_)))
    });
    all.extend(equations(place, Degree(2)));
    all.sort_unstable();
    all.dedup();
    all
}

/// The variables of the sort that vary.
fn of_sort(place: &PlaceSamples, sort: Sort) -> Vec<Quantity> {
    let columns = Column::all(place).filter(|column| column.variable.sort == sort);
    let quantities = columns.map(|column| Quantity {
        term: column.variable.term,
        values: column.signed,
    });
    quantities.filter(Quantity::varies).collect()
}

/// The variables that C widens to the sort where they meet others of it, and that vary.
fn widened(place: &PlaceSamples, sort: Sort) -> Vec<Quantity> {
    let Sort::BitVec(width @ WIDENED..) = sort else {
        return Vec::new();
    };
    let narrower = |column: &Column| match column.variable.sort {
        Sort::BitVec(narrow) => (NARROW..width).contains(&narrow),
        _ => false,
    };
    let quantities = Column::all(place).filter(narrower).map(|column| Quantity {
        term: match column.variable.unsigned {
            true => store().zero_extend(column.variable.term, width),
            false => store().sign_extend(column.variable.term, width),
        },
        values: column.read(),
    });
    quantities.filter(Quantity::varies).collect()
}

/// The width of `long long`, and that of `int`, which alone is widened to it: what is narrower becomes an `int` first.
const WIDENED: u8 = 64;
const NARROW: u8 = 32;

impl Quantity {
    fn varies(&self) -> bool {
        let mut values = self.values.iter();
        let first = values.next();
        values.any(|value| Some(value) != first)
    }
}

fn over(sort: Sort, quantities: &[Quantity], degree: Degree) -> Vec<TermId> {
    if quantities.len() < 2 {
        return Vec::new();
    }
    let monomials = monomials(quantities.len(), degree);
    let rows = quantities[0].values.len();
    if monomials.len() > MOST_MONOMIALS || rows < monomials.len() + 2 {
        return Vec::new();
    }
    let mut echelon = Echelon::new(monomials.len());
    for row in 0..rows {
        echelon.add(monomials.iter().map(|monomial| {
            let factors = monomial.iter();
            let factors = factors.map(|&index| quantities[index].values[row].rem_euclid(PRIME));
            factors.fold(1, |product, factor| product * factor % PRIME)
        }));
    }
    let kernel = echelon.kernel();
    let factors = |monomial: &Monomial| {
        let factors = monomial.iter();
        factors.map(|&index| quantities[index].term).collect()
    };
    let terms: Vec<Vec<TermId>> = monomials.iter().map(factors).collect();
    let vectors = kernel.iter().filter_map(|vector| integral(vector));
    vectors
        .map(|vector| equation(sort, &terms, &vector))
        .collect()
}

/// All monomials of at most the degree; those of higher degree first, so that the kernel's vectors have them as rarely as
/// can be.
fn monomials(variables: usize, degree: Degree) -> Vec<Monomial> {
    let mut all: Vec<Monomial> = vec![Vec::new()];
    let mut last: Vec<Monomial> = vec![Vec::new()];
    for _ in 0..degree.0 {
        let mut next = Vec::new();
        for monomial in &last {
            for variable in 0..variables {
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
