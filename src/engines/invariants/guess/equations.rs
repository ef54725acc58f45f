//! Equations between variables, as the kernel of the matrix of samples (signed numbers).

use super::elimination::{Echelon, PRIME, integral};
use super::{Column, Vocabulary, constant, product, single_variables, sum};
use crate::invariants::samples::PlaceSamples;
use regatta_term::{Build, Op, Pool, Sort, TermId, store};

/// The degree of a polynomial.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Degree(pub u32);

impl Degree {
    /// Linear equations.
    pub const LINEAR: Self = Self(1);
}

/// Maximum number of monomials.
const MAXIMUM_MONOMIALS: usize = 100;

/// A product of variables, by their indices; empty for the constant one.
type Monomial = Vec<usize>;

/// A quantity in equations: a variable, or a narrower one as C widens it.
struct Quantity {
    term: TermId,
    /// Its value in each sample.
    values: Vec<i128>,
}

/// Returns a basis of the equations of at most the degree that all samples of the location satisfy.
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

/// Returns the equations of degree two, and those in the program's conditions, that all samples satisfy.
pub fn identities(
    place: &PlaceSamples,
    columns: &[Column],
    vocabulary: &Vocabulary,
) -> Vec<TermId> {
    let mut all = single_variables::conditions(columns, vocabulary);
    all.retain(|&condition| {
        let sides = store().arguments(Op::Eq, condition);
        sides.is_some_and(|sides| matches!(store().sort(sides[0]), Sort::BitVec(_)))
    });
    all.extend(equations(place, Degree(2)));
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the variables of the sort that vary.
fn of_sort(place: &PlaceSamples, sort: Sort) -> Vec<Quantity> {
    let columns = Column::all(place).filter(|column| column.variable.sort == sort);
    let quantities = columns.map(|column| Quantity {
        term: column.variable.term,
        values: column.signed,
    });
    quantities.filter(Quantity::varies).collect()
}

/// Returns the variables that vary and that C widens to the sort in operations with it.
fn widened(place: &PlaceSamples, sort: Sort) -> Vec<Quantity> {
    let Sort::BitVec(width @ LONG_LONG_WIDTH..) = sort else {
        return Vec::new();
    };
    let narrower = |column: &Column| match column.variable.sort {
        Sort::BitVec(narrow) => (INT_WIDTH..width).contains(&narrow),
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

/// The widths of `long long` and of `int`: only the latter is widened to it, for narrower types become `int` first.
const LONG_LONG_WIDTH: u8 = 64;
const INT_WIDTH: u8 = 32;

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
    if monomials.len() > MAXIMUM_MONOMIALS || rows < monomials.len() + 2 {
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

/// Returns all monomials of at most the degree; higher degrees first, so that few kernel vectors contain them.
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
        if all.len() > MAXIMUM_MONOMIALS {
            break;
        }
    }
    all.reverse();
    all
}

/// Returns Σ cᵢ mᵢ = 0 over products mᵢ of terms of the sort, with negative coefficients on the right.
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
