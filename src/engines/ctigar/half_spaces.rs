//! Interpolants as disjunctions of half-spaces (\[Bir13\], section 3.4, "beautiful interpolants").
//!
//! The lifted states are a single point over their cells, and the states that the frame reaches in the step are points
//! around it. As few half-spaces as possible contain all of the latter without the former: sampled points are covered
//! greedily, and a solver finds further points until all are covered. The negation of their disjunction is a conjunction of
//! half-spaces that contain the states, and each of these becomes a predicate.
//!
//! Departure: the half-spaces bound a cell, or the sum or the difference of two cells; the thesis has any coefficients, which
//! it found to be often too large to be of use.

use rustc_hash::FxHashMap;

use super::cube::{Cell, State};
use super::domain::Domain;
use regatta_solver::{Answer, Solver};
use regatta_term::{Build, Pool, Rebuild, Sort, TermId, Value, store};

/// Maximum number of sampled points.
const MAXIMUM_POINTS: usize = 64;

/// The number of further bits in which a sum or a difference of two cells does not wrap around.
const FURTHER_BITS: u8 = 2;

/// Maximum width of a cell in sums and differences (bits).
const MAXIMUM_WIDTH: u8 = 64;

/// A point: the value of each cell.
type Point = Vec<i128>;

/// A cell, or the sum or the difference of two cells, with a sign: cells by number with coefficients of 1 or -1.
type Direction = Vec<(usize, i128)>;

/// The cells of the states as numbers.
pub struct Cells {
    terms: Vec<TermId>,
    is_unsigned: Vec<bool>,
    /// The cells' values in the states.
    center: Point,
}

impl Cells {
    /// Returns the cells of the states; `None` if one is not a number.
    pub fn of(state: &State, domain: &Domain) -> Option<Self> {
        let mut cells = Self {
            terms: Vec::new(),
            is_unsigned: Vec::new(),
            center: Point::new(),
        };
        for (cell, value) in &state.cells {
            let is_unsigned = is_unsigned(cell, domain);
            cells.terms.push(cell.term(store()));
            cells.is_unsigned.push(is_unsigned);
            cells.center.push(number(value, is_unsigned)?);
        }
        Some(cells)
    }

    /// Returns half-spaces that contain the states, and that no model of the solver's assertions is in all of;
    /// `variables` are the variables that stand for the cells there. `None` if they are not found.
    pub fn separate(
        &self,
        solver: &mut dyn Solver,
        variables: &FxHashMap<TermId, TermId>,
    ) -> Option<Vec<TermId>> {
        let arena = solver.arena().clone();
        let named: FxHashMap<TermId, TermId> = variables
            .iter()
            .map(|(&variable, &cell)| (cell, variable))
            .collect();
        let over_variables = |formula: TermId| {
            let replace = |term| named.get(&term).copied();
            Rebuild::new(store(), &*arena, replace).rebuild(formula)
        };
        let asked: Vec<TermId> = self.terms.iter().map(|cell| named[cell]).collect();
        let mut points: Vec<Point> = Vec::new();
        while points.len() < MAXIMUM_POINTS {
            let half_spaces: Vec<TermId> = self
                .cover(&points)?
                .iter()
                .map(|one| self.half_space(one))
                .collect();
            let assumptions: Vec<TermId> =
                half_spaces.iter().map(|&one| over_variables(one)).collect();
            match solver.check(&[arena.and(assumptions)]) {
                Answer::Unsatisfiable => return Some(half_spaces),
                Answer::Unknown(_) => return None,
                Answer::Satisfiable => {
                    let values = solver.values(&asked).into_iter().zip(&self.is_unsigned);
                    let point: Option<Point> = values
                        .map(|(value, &is_unsigned)| number(&value?, is_unsigned))
                        .collect();
                    points.push(point?);
                }
            }
        }
        None
    }

    /// Covers the points: for each point, one of the directions that are returned has a smaller value at the point than at the
    /// states. `None` if no directions do.
    fn cover(&self, points: &[Point]) -> Option<Vec<Direction>> {
        let directions = self.directions();
        let mut open: Vec<&Point> = points.iter().collect();
        let mut chosen = Vec::new();
        while !open.is_empty() {
            let covered = |direction: &Direction| {
                open.iter()
                    .filter(|point| self.is_less(point, direction))
                    .count()
            };
            // Of equally good ones the first, which has the fewest cells.
            let mut best: Option<(usize, &Direction)> = None;
            for direction in &directions {
                let count = covered(direction);
                if count > best.map_or(0, |(most, _)| most) {
                    best = Some((count, direction));
                }
            }
            let (_, direction) = best?;
            open.retain(|point| !self.is_less(point, direction));
            chosen.push(direction.clone());
        }
        Some(chosen)
    }

    fn directions(&self) -> Vec<Direction> {
        let count = self.terms.len();
        let signs = [1, -1];
        let mut all: Vec<Direction> = Vec::new();
        all.extend((0..count).flat_map(|one| signs.map(|sign| vec![(one, sign)])));
        for one in 0..count {
            for other in 0..one {
                if self.go_together(one, other) {
                    let pairs = signs.into_iter().flat_map(|a| signs.map(|b| (a, b)));
                    all.extend(pairs.map(|(a, b)| vec![(other, a), (one, b)]));
                }
            }
        }
        all
    }

    fn go_together(&self, one: usize, other: usize) -> bool {
        let sort = store().sort(self.terms[one]);
        let is_narrow = match sort {
            Sort::BitVec(width) => width <= MAXIMUM_WIDTH,
            sort => sort == Sort::Int,
        };
        is_narrow
            && sort == store().sort(self.terms[other])
            && self.is_unsigned[one] == self.is_unsigned[other]
    }

    fn is_less(&self, point: &Point, direction: &Direction) -> bool {
        along(point, direction) < along(&self.center, direction)
    }

    /// Returns the half-space of the points that lie on the side of the states, which are on its border.
    fn half_space(&self, direction: &Direction) -> TermId {
        let pool = store();
        let number = along(&self.center, direction);
        if let &[(cell, sign)] = &direction[..] {
            let term = self.terms[cell];
            let border = constant(pool.sort(term), sign * number);
            return match sign {
                1 => self.at_most(cell, border, term),
                _ => self.at_most(cell, term, border),
            };
        }
        let parts = direction.iter().map(|&(cell, sign)| {
            let term = self.widened(cell);
            let zero = constant(pool.sort(term), 0);
            match (sign, pool.sort(term)) {
                (1, _) => term,
                (_, Sort::Int) => pool.int_sub(zero, term),
                _ => pool.sub(zero, term),
            }
        });
        let parts: Vec<TermId> = parts.collect();
        let sort = pool.sort(parts[0]);
        let border = constant(sort, number);
        match sort {
            Sort::Int => pool.int_le(border, pool.int_add(parts[0], parts[1])),
            _ => pool.sle(border, pool.add(parts[0], parts[1])),
        }
    }

    fn at_most(&self, cell: usize, one: TermId, other: TermId) -> TermId {
        let pool = store();
        match pool.sort(one) {
            Sort::Int => pool.int_le(one, other),
            _ if self.is_unsigned[cell] => pool.ule(one, other),
            _ => pool.sle(one, other),
        }
    }

    /// Returns the cell in enough bits for sums of two.
    fn widened(&self, cell: usize) -> TermId {
        let term = self.terms[cell];
        match store().sort(term) {
            Sort::BitVec(width) if self.is_unsigned[cell] => {
                store().zero_extend(term, width + FURTHER_BITS)
            }
            Sort::BitVec(width) => store().sign_extend(term, width + FURTHER_BITS),
            _ => term,
        }
    }
}

fn along(point: &Point, direction: &Direction) -> i128 {
    direction
        .iter()
        .map(|&(cell, sign)| sign * point[cell])
        .sum()
}

fn constant(sort: Sort, number: i128) -> TermId {
    match sort {
        Sort::BitVec(width) => store().bv_signed(width, number),
        _ => store().value(&Value::int(number)),
    }
}

fn is_unsigned(cell: &Cell, domain: &Domain) -> bool {
    cell.index.is_none() && domain.is_unsigned(cell.symbol)
}

/// Returns the value as a number; `None` if the value is not a number, or too large to be added.
fn number(value: &Value, is_unsigned: bool) -> Option<i128> {
    let number = match value.sort() {
        Sort::BitVec(..=MAXIMUM_WIDTH) | Sort::Int => i128::try_from(value).ok()?,
        _ => return None,
    };
    match value.sort() {
        Sort::BitVec(width) if is_unsigned && number < 0 => Some(number + (1 << width)),
        _ => (number.unsigned_abs() < 1 << 100).then_some(number),
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use regatta_solver::{SolverConfig, new_solver};
    use regatta_term::{Arena, Symbol};

    /// Cells x and y over integers, at zero in the states.
    fn cells() -> Cells {
        let cell = |name| store().variable(Symbol::new(name, Sort::Int));
        Cells {
            terms: vec![cell("half_spaces::x"), cell("half_spaces::y")],
            is_unsigned: vec![false, false],
            center: vec![0, 0],
        }
    }

    #[test]
    fn one_half_space_is_enough_for_points_beyond_a_line() {
        let cells = cells();
        let points = vec![vec![1, 2], vec![-3, 9], vec![8, -2]];
        let chosen = cells.cover(&points).expect("a cover");
        assert_eq!(chosen, [vec![(0, -1), (1, -1)]]);
        assert_eq!(cells.cover(&[vec![0, 0]]), None);
    }

    #[test]
    fn points_are_asked_for_until_all_are_covered() {
        let cells = cells();
        let arena = Rc::new(Arena::new());
        let mut solver = new_solver(SolverConfig::default(), Rc::clone(&arena)).expect("a solver");
        let variable = |number| arena.variable_at(Symbol::new("cell#", Sort::Int), number);
        let (x, y) = (variable(1), variable(2));
        let named = [x, y]
            .into_iter()
            .zip(cells.terms.iter().copied())
            .collect();
        // All points with x + y >= 5: beyond one line.
        solver.assert(arena.int_le(arena.int(5), arena.int_add(x, y)));
        let found = cells.separate(&mut *solver, &named).expect("half-spaces");
        assert!(!found.is_empty() && found.len() <= 3, "{}", found.len());
    }
}
