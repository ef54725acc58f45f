//! Where strings end.
//!
//! A function that goes through a string stays inside of the array only because a zero follows somewhere. Which cell it is
//! in depends on the execution, so that no fact about a single cell says it, and none about all cells. For arrays of a
//! small size, the candidates are disjunctions over the cells: one of them is zero; and one that is not before a variable.
//! A loop that reads a cell and goes on to the next one, because it is not zero, keeps them. For arrays of any size, the program
//! records where it has written a zero last ([`Role::History`]): the cell there is still zero, it lies in the array, and not
//! before a variable.

use super::arrays::is_sampled;
use crate::invariants::samples::PlaceSamples;
use regatta_program::block::Blocks;
use regatta_program::{Program, Role};
use regatta_term::{
    Build, Constant, Op, Pool, ScalarSort, Sort, TermId, TermKind, for_each_subterm, store,
};

/// Maximum size of an array whose cells are distinguished (elements); solvers take seconds for 100.
const MAXIMUM_SIZE: u64 = 64;
/// Maximum size of an array (elements).
const MAXIMUM_RECORDED_SIZE: u64 = 1 << 20;
/// Maximum number of arrays of a program.
const MAXIMUM_TEXTS: usize = 6;
/// Maximum number of the program's own distances from the beginning of an array.
const MAXIMUM_DISTANCES: usize = 8;
/// Maximum number of variables of a location that may be distances or positions.
const MAXIMUM_VARIABLES: usize = 6;

/// An array of bytes that may hold a string: a part of an array of the program.
pub struct Text {
    array: TermId,
    /// The index of its first cell.
    start: u128,
    /// The width of indices (bits).
    width: u8,
    /// The number of its cells.
    size: u64,
    /// The index at which the program has written a zero last, if it records that.
    last_zero: Option<TermId>,
    /// The distances from its beginning that the program compares with its size.
    distances: Vec<TermId>,
}

impl Text {
    /// Returns the arrays of bytes that are read where the program compares the distance from their beginning with their size.
    pub fn all(blocks: &Blocks) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for at in blocks.cut_points() {
            for block in blocks.from(at).iter() {
                let values = block.updates.iter().map(|&(_, value)| value);
                let terms: Vec<TermId> = values.chain([block.guard]).collect();
                let Uses { reads, bounds } = uses(&terms);
                for &(array, index) in &reads {
                    let found = bounds
                        .iter()
                        .filter_map(|&(distance, size)| Self::of(array, index, distance, size));
                    for mut text in found {
                        text.last_zero = last_zero(blocks.inlined().program(), array);
                        if text.last_zero.is_some() || size_is_small(text.size) {
                            add(&mut all, text);
                        }
                    }
                }
            }
        }
        all
    }

    fn of(array: TermId, index: TermId, distance: TermId, size: u64) -> Option<Self> {
        let Sort::BitVec(width) = store().sort(index) else {
            return None;
        };
        let Sort::BitVec(own) = store().sort(distance) else {
            return None;
        };
        if own > width {
            return None;
        }
        // What is compared may be narrower than what is added to an address.
        let widened = [
            store().zero_extend(distance, width),
            store().sign_extend(distance, width),
        ];
        let start_and_distance = widened.into_iter().find_map(|distance| {
            let start = constant_bits(store().sub(index, distance))?;
            Some((start, distance))
        });
        let (start, distance) = start_and_distance?;
        Some(Self {
            array,
            start,
            width,
            size,
            last_zero: None,
            distances: vec![distance],
        })
    }

    /// Returns the candidates for a location.
    pub fn candidates(&self, place: &PlaceSamples) -> Vec<TermId> {
        if !place.arrays.iter().any(|known| known.term == self.array) {
            return Vec::new();
        }
        let sort = Sort::BitVec(self.width);
        let variables = place.variables.iter();
        let variables = variables.filter(|one| one.cell.is_none() && one.sort == sort);
        let mut distances = self.distances.clone();
        distances.retain(|&distance| is_sampled(place, distance));
        let start = store().bv(self.width, self.start);
        for variable in variables.take(MAXIMUM_VARIABLES) {
            distances.push(variable.term);
            distances.push(store().sub(variable.term, start));
        }
        distances.push(store().bv(self.width, 0));
        distances.sort_unstable();
        distances.dedup();
        let mut claims = match self.last_zero {
            Some(last_zero) if place.histories.contains(&last_zero) => {
                self.recorded(last_zero, &distances)
            }
            _ => Vec::new(),
        };
        if size_is_small(self.size) {
            let distances = distances.into_iter();
            claims.extend(distances.map(|distance| self.ends_from(distance)));
        }
        claims
    }

    /// The conditions that a zero is where one was written last, in the array and not before each distance.
    fn recorded(&self, last_zero: TermId, distances: &[TermId]) -> Vec<TermId> {
        let t = store();
        let end = t.sub(last_zero, t.bv(self.width, self.start));
        let size = t.bv(self.width, self.size.into());
        let mut claims = vec![
            t.eq(t.select(self.array, last_zero), t.bv(8, 0)),
            t.ult(end, size),
        ];
        claims.extend(distances.iter().map(|&distance| t.ule(distance, end)));
        claims
    }

    /// The condition that a cell at least that far from the beginning is zero.
    fn ends_from(&self, distance: TermId) -> TermId {
        let zero = store().bv(8, 0);
        let ways = (0..self.size).map(|number| {
            let number = u128::from(number);
            let index = store().bv(self.width, self.start.wrapping_add(number));
            let ends = store().eq(store().select(self.array, index), zero);
            let is_after = store().ule(distance, store().bv(self.width, number));
            store().and2(ends, is_after)
        });
        store().or(ways.collect::<Vec<_>>())
    }
}

/// Adds an array, or its distances to those of the same array.
fn add(all: &mut Vec<Text>, text: Text) {
    let key = |one: &Text| (one.array, one.start, one.size);
    match all.iter().position(|one| key(one) == key(&text)) {
        Some(number) => {
            let known = &mut all[number];
            let mut distances = text.distances;
            distances.retain(|distance| !known.distances.contains(distance));
            known.distances.extend(distances);
            known.distances.truncate(MAXIMUM_DISTANCES);
        }
        None if all.len() < MAXIMUM_TEXTS => all.push(text),
        None => {}
    }
}

/// What terms tell of arrays of bytes.
#[derive(Default)]
struct Uses {
    /// What is read: array and index.
    reads: Vec<(TermId, TermId)>,
    /// What is compared with a small number, with the least number that is excluded.
    bounds: Vec<(TermId, u64)>,
}

fn uses(terms: &[TermId]) -> Uses {
    let mut uses = Uses::default();
    let Uses { reads, bounds } = &mut uses;
    for_each_subterm(store(), terms.iter().copied(), |_, kind| {
        let TermKind::Apply { op, arguments } = kind else {
            return;
        };
        match (op, arguments) {
            (Op::Select, &[array, index]) if is_text(array) => reads.push((array, index)),
            (Op::BvUlt | Op::BvSlt, &[one, other]) => {
                bounds.extend(bound(one, other, 0));
                bounds.extend(bound(other, one, 1));
            }
            (Op::BvUle | Op::BvSle, &[one, other]) => {
                bounds.extend(bound(one, other, 1));
                bounds.extend(bound(other, one, 0));
            }
            _ => {}
        }
    });
    uses
}

/// Returns the term and a number plus `more`, if that is a size.
fn bound(term: TermId, number: TermId, more: u64) -> Option<(TermId, u64)> {
    let size = u64::try_from(constant_bits(number)?).ok()?;
    let size = size.checked_add(more)?;
    (2..=MAXIMUM_RECORDED_SIZE)
        .contains(&size)
        .then_some((term, size))
}

/// Whether the cells of an array of this size are distinguished.
const fn size_is_small(size: u64) -> bool {
    size <= MAXIMUM_SIZE
}

/// The history variable for the index of the zero that was written last to the array.
fn last_zero(program: &Program, array: TermId) -> Option<TermId> {
    let mut variables = program.variables.iter();
    let history = variables.find(|variable| match variable.role {
        Role::History(of) => store().variable(program.variable(of).symbol) == array,
        _ => false,
    });
    Some(store().variable(history?.symbol))
}

/// Checks whether a term is a variable for an array of bytes.
fn is_text(array: TermId) -> bool {
    let is_variable = matches!(store().kind(array), TermKind::Variable { .. });
    let bytes = ScalarSort::BitVec(8);
    is_variable && matches!(store().sort(array), Sort::Array { element, .. } if element == bytes)
}

fn constant_bits(term: TermId) -> Option<u128> {
    match store().constant(term) {
        Some(Constant::BitVec(value)) => Some(value.bits()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regatta_term::Symbol;

    #[test]
    fn an_array_is_known_by_the_comparison_with_its_size() {
        let sort = Sort::Array {
            index: ScalarSort::BitVec(64),
            element: ScalarSort::BitVec(8),
        };
        let array = store().variable(Symbol::new("terminators::text", sort));
        let count = store().variable(Symbol::new("terminators::count", Sort::BitVec(64)));
        let start = store().bv(64, 0x5000);
        let read = store().select(array, store().add(start, count));
        let ends = store().eq(read, store().bv(8, 0));
        let inside = store().ult(count, store().bv(64, 40));
        let Uses { reads, bounds } = uses(&[store().and2(inside, store().not(ends))]);
        assert_eq!(bounds, [(count, 40)]);
        let [(of, index)] = reads[..] else {
            panic!("one read, not {}", reads.len());
        };
        let text = Text::of(of, index, count, 40).expect("the distance is constant");
        assert_eq!((text.array, text.start, text.size), (array, 0x5000, 40));
    }
}
