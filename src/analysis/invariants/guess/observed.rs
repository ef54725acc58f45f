//! The truth of quantified facts in sampled states.

use super::vocabulary::value;
use super::writes::Quantified;
use crate::analysis::invariants::samples::{ArrayRow, PlaceSamples, number};
use crate::certify::certificate::is_any_index;
use crate::term::{
    Build, Op, Pool, Rebuild, Symbol, TermId, TermKind, Value, evaluate, for_each_subterm, store,
};

/// Maximum number of states, maximum index, and number of first indices that are tried if no index fits.
const MAXIMUM_ROWS: usize = 24;
const MAXIMUM_INDEX: i128 = 1 << 20;
const FIRST_INDICES: i128 = 16;

/// The truth of a fact in states and for indices, as far as samples decide it.
pub(super) struct Observed {
    points: Vec<Point>,
}

struct Point {
    /// The state's number among the location's array rows.
    row: usize,
    index: i128,
    holds: bool,
}

/// A cell that a fact reads.
struct Cell {
    /// The variable that stands for it.
    name: TermId,
    /// The number of its array at the location.
    array: usize,
    index: TermId,
}

impl Observed {
    /// Evaluates the fact in the location's sampled states.
    pub(super) fn of(place: &PlaceSamples, fact: &Quantified) -> Self {
        let mut points = Vec::new();
        if let Some((fact_of_cells, cells)) = without_reads(place, fact.fact) {
            for (number, row) in place.array_rows.iter().enumerate().take(MAXIMUM_ROWS) {
                let point = |index| {
                    let holds = truth(place, row, fact_of_cells, &cells, index)?;
                    Some(Point {
                        row: number,
                        index,
                        holds,
                    })
                };
                let before = points.len();
                let indices = row.indices.iter().copied();
                points.extend(
                    indices
                        .filter(|&index| index < MAXIMUM_INDEX)
                        .filter_map(point),
                );
                if points.len() == before {
                    // The indices of an array that starts elsewhere.
                    points.extend((0..FIRST_INDICES).filter_map(point));
                }
            }
        }
        Self { points }
    }

    /// Checks whether the fact is false for one of the indices for which `is_inside` holds in a state.
    pub(super) fn denies(&self, is_inside: impl Fn(usize, i128) -> bool) -> bool {
        let mut points = self.points.iter();
        points.any(|point| !point.holds && is_inside(point.row, point.index))
    }

    /// Checks whether the fact may hold for all indices for which `is_inside` holds in a state: no sample violates it,
    /// and if samples decide it anywhere, some do so there.
    pub(super) fn allows(&self, is_inside: impl Fn(usize, i128) -> bool) -> bool {
        let points = self.points.iter();
        let inside: Vec<bool> = points
            .filter(|point| is_inside(point.row, point.index))
            .map(|point| point.holds)
            .collect();
        let is_decided = self.points.is_empty() || !inside.is_empty();
        is_decided && inside.iter().all(|&holds| holds)
    }
}

/// Replaces each cell in the fact by a variable; `None` if its array is not sampled or its index depends on a cell.
fn without_reads(place: &PlaceSamples, fact: TermId) -> Option<(TermId, Vec<Cell>)> {
    let mut cells: Vec<(TermId, Cell)> = Vec::new();
    let mut plain = true;
    for_each_subterm(store(), [fact], |term, kind| {
        let TermKind::Apply { op, arguments } = kind else {
            return;
        };
        match op {
            Op::Select => {
                let array = place
                    .arrays
                    .iter()
                    .position(|array| array.term == arguments[0]);
                let Some(array) = array else {
                    plain = false;
                    return;
                };
                let name = format!("cell {}#", cells.len());
                let name = store().variable(Symbol::new(&name, store().sort(term)));
                let index = arguments[1];
                cells.push((term, Cell { name, array, index }));
            }
            Op::Store => plain = false,
            _ => {}
        }
    });
    let replace = |term| {
        let cell = cells.iter().find(|(read, _)| *read == term);
        cell.map(|(_, cell)| cell.name)
    };
    let without = Rebuild::new(store(), store(), replace).rebuild(fact);
    plain.then(|| (without, cells.into_iter().map(|(_, cell)| cell).collect()))
}

/// Returns whether the fact holds in the state for the index; `None` if a cell is not sampled.
fn truth(
    place: &PlaceSamples,
    row: &ArrayRow,
    fact: TermId,
    cells: &[Cell],
    index: i128,
) -> Option<bool> {
    let scalar = |symbol: Symbol, _: u32| {
        if is_any_index(symbol) {
            return Some(value(symbol.sort(), index));
        }
        let term = store().variable(symbol);
        let known = place
            .variables
            .iter()
            .position(|known| known.term == term)?;
        Some(value(symbol.sort(), row.scalars[known]))
    };
    let mut values: Vec<(TermId, Value)> = Vec::new();
    for cell in cells {
        let at = evaluate(store(), cell.index, &scalar).ok()?;
        let at = match &at {
            Value::BitVec(bits) => i128::try_from(bits.bits()).ok()?,
            other => number(other)?,
        };
        let position = row.indices.binary_search(&at).ok()?;
        let content = row.cells[cell.array][position];
        values.push((cell.name, value(store().sort(cell.name), content)));
    }
    let assignment = |symbol: Symbol, instance: u32| {
        let term = store().variable(symbol);
        let cell = values.iter().find(|(name, _)| *name == term);
        cell.map(|(_, value)| value.clone())
            .or_else(|| scalar(symbol, instance))
    };
    evaluate(store(), fact, &assignment).ok()?.as_bool()
}
