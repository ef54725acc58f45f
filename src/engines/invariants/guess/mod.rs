//! Candidates from sampled states: properties that all samples have, in a language that grows with each round.
//!
//! This is dynamic invariant detection (\[ECGN01\]; equations by linear algebra: \[SGH+13\]).
//! A wrong candidate costs little: samples refute most,
//! a solver's model refutes the others.
//!
//! * [`vocabulary`]: constants and conditions of the program.
//! * [`single_variables`]: single variables; [`pairs`]: two variables; [`cases`]: facts that hold in some of the states.
//! * [`mod@equations`]: linear and polynomial equations; [`elimination`]: their computation; [`powers`]: powers of two
//!   of variables; [`moduli`]: remainders by variables; [`facets`]: linear inequalities.
//! * [`arrays`]: cells of arrays in ranges; [`writes`]: values written to them; [`observed`]: their truth in samples.
//! * [`fits`]: polynomials for cells of arrays, and [`cell_cases`] where a condition holds; [`sorted`]: sorted
//!   segments; [`sums`]: variables that sum up cells; [`ranges`]: the ranges of cells of these candidates.
//! * [`terminators`]: where strings end; [`objects`]: objects on the heap.

mod arrays;
mod cases;
mod cell_cases;
mod elimination;
mod equations;
mod facets;
mod fits;
mod moduli;
pub mod objects;
mod observed;
mod pairs;
mod powers;
mod ranges;
mod single_variables;
mod sorted;
mod sums;
pub mod terminators;
#[cfg(test)]
mod testing;
pub mod vocabulary;
pub mod writes;

use std::ops::RangeInclusive;

use super::samples::{PlaceSamples, SampledVariable};
pub use elimination::{Echelon, integral};
use equations::identities;
pub use equations::{Degree, equation, equations};
use regatta_base::options::{DeValue, OptionValue, alternatives};
use regatta_term::{Build, Op, Sort, TermId, TermKind, for_each_subterm, store};
pub use vocabulary::Vocabulary;
use writes::Quantified;

/// A language of candidates.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Round {
    /// Constants, ranges, small sets of values, and the program's conditions.
    Values,
    /// Equality, order, constant difference and sum of two variables; congruences.
    Pairs,
    /// Polynomials that fit cells of arrays in ranges, and variables.
    Fits,
    /// Orders of cells in ranges where no polynomial fits.
    CellOrders,
    /// Polynomials that fit cells where a condition holds.
    CellCases,
    /// Sorted segments of arrays, and cells that are in an order with one of their cells.
    SortedCells,
    /// Zeros that end strings.
    Terminators,
    /// Values that loops have written to arrays so far.
    Writes,
    /// Properties of all cells of an array in a range.
    Arrays,
    /// Linear equations of several variables.
    Linear,
    /// Linear inequalities of up to four variables.
    Inequalities,
    /// Facts that hold for one value of a variable that has few, or where a condition of the program holds.
    Cases,
    /// Bounds on differences and sums of two variables, from the program's constants.
    Differences,
    /// Polynomial equations of degree two and three.
    Polynomial,
    /// Polynomial equations of degree two.
    Quadratic,
    /// Equations of degree two and in the program's conditions that follow by multiplying out, without a solver.
    Identities,
    /// Linear equations of variables and powers of two of variables.
    Powers,
    /// Remainders by variables.
    Moduli,
}

/// Declares the languages that an engine's options can name, in order, with their names.
macro_rules! languages {
    ($(#[$about:meta])* pub enum Language { $( $(#[$what:meta])* $Round:ident = $name:literal, )+ }) => {
        $(#[$about])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub enum Language {
            $( $(#[$what])* $Round, )+
        }
        regatta_base::choice!(Language: $($name = Self::$Round),+);

        impl Language {
            /// All of them, in order.
            pub const ALL: &[Self] = &[$(Self::$Round),+];

            fn round(self) -> $crate::invariants::guess::Round {
                match self {
                    $( Self::$Round => $crate::invariants::guess::Round::$Round, )+
                }
            }
        }
    };
}
pub(crate) use languages;

/// The languages that options of [`crate::data_flow`] and [`crate::summaries`] can name, with their names.
const NAMED: [(&str, Round); 12] = [
    ("values", Round::Values),
    ("pairs", Round::Pairs),
    ("writes", Round::Writes),
    ("arrays", Round::Arrays),
    ("linear", Round::Linear),
    ("inequalities", Round::Inequalities),
    ("cases", Round::Cases),
    ("differences", Round::Differences),
    ("polynomial", Round::Polynomial),
    ("quadratic", Round::Quadratic),
    ("powers", Round::Powers),
    ("moduli", Round::Moduli),
];

impl OptionValue for Round {
    fn values(_: Option<&RangeInclusive<Self>>) -> String {
        alternatives(&Self::choices())
    }

    fn read(value: &DeValue<'_>) -> Option<Self> {
        let given = value.as_str()?;
        let found = NAMED.iter().find(|(name, _)| *name == given)?;
        Some(found.1)
    }

    fn show(&self) -> String {
        let named = NAMED.iter().find(|(_, round)| round == self);
        named
            .map_or_else(|| self.name(), |(name, _)| name)
            .to_owned()
            .show()
    }

    fn choices() -> Vec<String> {
        NAMED.iter().map(|(_, round)| round.show()).collect()
    }
}

impl Round {
    /// The rounds that run by default, in order. [`Self::Polynomial`] includes [`Self::Quadratic`]; [`Self::Powers`] and
    /// [`Self::Moduli`] are for recursion; [`Self::Identities`] belongs to [`crate::polynomials`], and [`Self::Fits`] with
    /// those that follow it to [`crate::fits`].
    pub const ALL: [Self; 9] = [
        Self::Values,
        Self::Pairs,
        Self::Writes,
        Self::Arrays,
        Self::Linear,
        Self::Inequalities,
        Self::Cases,
        Self::Differences,
        Self::Polynomial,
    ];

    /// The name in events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Pairs => "pairs",
            Self::Fits => "fits",
            Self::CellOrders => "orders of cells",
            Self::CellCases => "cases of cells",
            Self::SortedCells => "sorted cells",
            Self::Terminators => "ends of strings",
            Self::Writes => "written cells",
            Self::Arrays => "arrays",
            Self::Linear => "linear equations",
            Self::Inequalities => "linear inequalities",
            Self::Cases => "cases",
            Self::Differences => "differences",
            Self::Polynomial => "polynomial equations",
            Self::Quadratic => "quadratic equations",
            Self::Identities => "identities",
            Self::Powers => "powers of two",
            Self::Moduli => "remainders",
        }
    }
}

/// Maximum number of variables of a location that candidates combine.
const MAXIMUM_VARIABLES: usize = 40;

/// Returns the candidates of a round for a location.
pub fn candidates(round: Round, place: &PlaceSamples, vocabulary: &Vocabulary) -> Vec<TermId> {
    let columns = columns(place);
    match round {
        Round::Values => single_variables::candidates(&columns, vocabulary),
        Round::Pairs => pairs::candidates(&columns),
        // These candidates come from blocks: see [`about_writes`] and [`terminators`].
        Round::Writes | Round::Terminators => Vec::new(),
        Round::Fits => fits::candidates(place, vocabulary),
        Round::CellOrders => fits::orders_without_fit(place, vocabulary),
        Round::CellCases => cell_cases::candidates(place, vocabulary),
        Round::SortedCells => sorted::candidates(place, vocabulary),
        Round::Arrays => arrays::candidates(place, vocabulary),
        Round::Linear => equations(place, Degree::LINEAR),
        Round::Inequalities => facets::candidates(&columns, vocabulary),
        Round::Cases => cases::candidates(&columns, vocabulary),
        Round::Differences => pairs::bounds(&columns, vocabulary),
        Round::Polynomial => {
            let mut all = equations(place, Degree(2));
            all.extend(equations(place, Degree(3)));
            all
        }
        Round::Quadratic => equations(place, Degree(2)),
        Round::Identities => identities(place, &columns, vocabulary),
        Round::Powers => powers::candidates(place, vocabulary),
        Round::Moduli => moduli::candidates(&columns, vocabulary),
    }
}

/// Returns the candidates for a location with arrays that generalise conditions about the cell at a variable.
pub fn about_any_cell(
    place: &PlaceSamples,
    vocabulary: &Vocabulary,
    conditions: &[TermId],
) -> Vec<TermId> {
    arrays::generalised(place, vocabulary, conditions)
}

/// Returns the candidates of [`Round::Writes`] for a location, from the facts of [`writes`].
pub fn about_writes(
    place: &PlaceSamples,
    vocabulary: &Vocabulary,
    facts: &[Quantified],
) -> Vec<TermId> {
    arrays::written(place, vocabulary, facts)
}

/// A variable with its sampled values, one for each state.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) variable: SampledVariable,
    /// The values as signed numbers.
    pub(super) signed: Vec<i128>,
}

impl Column {
    /// Returns the columns of a location.
    pub(super) fn all(place: &PlaceSamples) -> impl Iterator<Item = Self> {
        let variables = place.variables.iter().enumerate();
        variables.map(|(index, &variable)| Self {
            variable,
            signed: place.rows.iter().map(|row| row[index]).collect(),
        })
    }

    fn width(&self) -> u32 {
        match self.variable.sort {
            Sort::BitVec(width) => u32::from(width),
            Sort::Bool => 1,
            _ => 0,
        }
    }

    /// Returns the values as numbers of the variable's C type.
    fn read(&self) -> Vec<i128> {
        let wrap = match self.variable.sort {
            Sort::BitVec(width) if self.variable.unsigned => 1i128 << width,
            _ => 0,
        };
        let unsigned = |&value: &i128| if value < 0 { value + wrap } else { value };
        self.signed.iter().map(unsigned).collect()
    }

    /// Returns a number as a term of the variable's sort.
    fn constant(&self, number: i128) -> TermId {
        constant(self.variable.sort, number)
    }

    /// Checks whether two columns' values can be compared.
    fn comparable(&self, other: &Self) -> bool {
        self.variable.sort == other.variable.sort && self.variable.sort != Sort::Bool
    }
}

fn columns(place: &PlaceSamples) -> Vec<Column> {
    Column::all(place).take(MAXIMUM_VARIABLES).collect()
}

/// Returns the indices at which the formula reads arrays.
fn read_indices(formula: TermId) -> Vec<TermId> {
    let mut indices = Vec::new();
    for_each_subterm(store(), [formula], |_, kind| {
        if let TermKind::Apply {
            op: Op::Select,
            arguments,
        } = kind
            && !indices.contains(&arguments[1])
        {
            indices.push(arguments[1]);
        }
    });
    indices
}

/// Returns a number as a term.
pub fn constant(sort: Sort, number: i128) -> TermId {
    match sort {
        Sort::Bool => store().boolean(number != 0),
        Sort::BitVec(width) => store().bv_signed(width, number),
        _ => store().int_big(number.into()),
    }
}

/// Returns a ≤ b as C compares values of the sort.
fn at_most(sort: Sort, unsigned: bool, a: TermId, b: TermId) -> TermId {
    match (sort, unsigned) {
        (Sort::Int, _) => store().int_le(a, b),
        (_, true) => store().ule(a, b),
        (_, false) => store().sle(a, b),
    }
}

/// Returns a + b in the sort.
fn sum(sort: Sort, a: TermId, b: TermId) -> TermId {
    match sort {
        Sort::Int => store().int_add(a, b),
        _ => store().add(a, b),
    }
}

/// Returns a · b in the sort.
fn product(sort: Sort, a: TermId, b: TermId) -> TermId {
    match sort {
        Sort::Int => store().int_mul(a, b),
        _ => store().mul(a, b),
    }
}
