//! Refinement state mining (\[Bir13\], section 3.4, Algorithms 4 and 5): linear equations that hold in several of the states that
//! refinement was about, at one place and over the same cells.
//!
//! Departures: equations are computed as the kernel of the matrix of the states, where the thesis asks a solver for one.
//! Equations that any such number of states satisfies do not refine the domain.

use rustc_hash::FxHashMap;

use super::cube::{Cell, State};
use super::domain::Domain;
use super::system::PlaceId;
use super::{Ctigar, Statistics};
use crate::invariants::guess::{Echelon, equation, integral};
use crate::invariants::samples::number;
use regatta_term::{Pool, Sort, TermId, store};

/// Maximum number of points of a group; more points do not improve the equations.
const MAXIMUM_POINTS: usize = 12;

/// Minimum number of points: a line passes through any two points.
const MINIMUM_POINTS: usize = 3;

/// The values of a state's cells.
type Point = Vec<i128>;

/// A place and the cells over which its states are compared.
type Group = (PlaceId, Vec<Cell>);

/// The states that refinement was about and that no equation has been found for.
#[derive(Debug, Default)]
pub struct Mining {
    groups: FxHashMap<Group, Vec<Point>>,
}

impl Ctigar<'_> {
    /// REFINEMENTSTATEMINING.
    pub(super) fn mine(&mut self, state: &State) {
        let mut cells = Vec::new();
        let mut point = Point::new();
        for (cell, value) in &state.cells {
            if value.sort() != Sort::Bool
                && let Some(number) = number(value)
            {
                cells.push(cell.clone());
                point.push(number);
            }
        }
        if cells.len() < 2 {
            return;
        }
        let terms: Vec<TermId> = cells.iter().map(|cell| cell.term(store())).collect();
        let sort = store().sort(terms[0]);
        if terms.iter().any(|&term| store().sort(term) != sort) {
            return;
        }
        let group = self.mining.groups.entry((state.at, cells)).or_default();
        if group.contains(&point) || group.len() >= MAXIMUM_POINTS {
            return;
        }
        group.push(point);
        if group.len() < MINIMUM_POINTS {
            return;
        }
        let found = mine_states(
            group.clone(),
            &terms,
            &mut self.domain,
            &mut self.statistics,
        );
        if let Some(used) = found {
            group.retain(|point| !used.contains(point));
        }
    }
}

/// MINESTATES: returns the points that satisfy new equations, which are added to the domain.
fn mine_states(
    points: Vec<Point>,
    terms: &[TermId],
    domain: &mut Domain,
    statistics: &mut Statistics,
) -> Option<Vec<Point>> {
    if points.len() <= 2 {
        return None;
    }
    let (space, independent) = span(&points);
    let kernel = space.kernel();
    if !kernel.is_empty() {
        if independent.len() == points.len() {
            return None;
        }
        let sort = store().sort(terms[0]);
        // The last coefficient is the constant.
        let linear = terms.iter().map(|&term| vec![term]);
        let linear: Vec<Vec<TermId>> = linear.chain([Vec::new()]).collect();
        let vectors = kernel.iter().filter_map(|vector| integral(vector));
        let new: usize = vectors
            .map(|vector| domain.add(equation(sort, &linear, &vector)))
            .sum();
        statistics.mined += u64::from(new > 0);
        return (new > 0).then_some(points);
    }
    // The points satisfy no common equation; continue without the first independent one, and without the others.
    let (first, others) = independent.split_first()?;
    let without = |dropped: &[Point]| {
        let mut kept = points.clone();
        kept.retain(|point| !dropped.contains(point));
        kept
    };
    let one = without(std::slice::from_ref(first));
    if let Some(used) = mine_states(one, terms, domain, statistics) {
        return Some(used);
    }
    mine_states(without(others), terms, domain, statistics)
}

/// Returns the space of the points, each extended by a one for the constant of an equation, and independent points that span
/// it.
fn span(points: &[Point]) -> (Echelon, Vec<Point>) {
    let mut space = Echelon::new(points.first().map_or(0, Vec::len) + 1);
    let mut independent = points.to_vec();
    independent.retain(|point| space.add(point.iter().copied().chain([1])));
    (space, independent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_have_its_equation() {
        let line = |x: i128| vec![x, 3 * x + 2];
        let found = span(&[line(0), line(1), line(5)]).0.kernel();
        assert_eq!(found.len(), 1);
        let vector = integral(&found[0]).expect("small numbers");
        assert_eq!(vector[0], -3 * vector[1]);
        assert_eq!(vector[2], -2 * vector[1]);
        let (space, independent) = span(&[line(0), line(1), line(5), vec![1, 0]]);
        assert_eq!((space.kernel().len(), independent.len()), (0, 3));
    }
}
