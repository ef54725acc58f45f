//! Artificial samples, and the evaluation of formulas on states, for tests.

use crate::analysis::invariants::samples::{PlaceSamples, SampledVariable, value};
use crate::program::VariableId;
use crate::term::{Build, Sort, Symbol, TermId, evaluate, store};

/// Makes samples of signed variables of 32 bits.
pub fn sampled(names: &[&str], rows: Vec<Vec<i128>>) -> PlaceSamples {
    let sort = Sort::BitVec(32);
    let variables = names
        .iter()
        .enumerate()
        .map(|(number, name)| SampledVariable {
            id: VariableId(number as u32),
            cell: None,
            term: store().variable(Symbol::new(name, sort)),
            sort,
            unsigned: false,
        });
    PlaceSamples::with_rows(variables.collect(), rows)
}

/// Checks whether one of the formulas holds of the one state and not of the other.
pub fn is_distinguished<const N: usize>(
    formulas: &[TermId],
    place: &PlaceSamples,
    holds: [i128; N],
    fails: [i128; N],
) -> bool {
    let truth = |formula: TermId, row: [i128; N]| {
        let assignment = |symbol: Symbol, _: u32| {
            let term = store().variable(symbol);
            let position = place.variables.iter().position(|one| one.term == term)?;
            value(symbol.sort(), row[position])
        };
        let value = evaluate(store(), formula, &assignment);
        value.ok().and_then(|value| value.as_bool())
    };
    let mut formulas = formulas.iter();
    formulas.any(|&one| truth(one, holds) == Some(true) && truth(one, fails) == Some(false))
}
