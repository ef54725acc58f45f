//! Models of questions that failed. Many later questions about the same block have the same answer by the same model: it is
//! evaluated before a solver is asked.
//!
//! A model is kept as a point: an assignment of all variables. Whether it satisfies the premises of a question is evaluated each
//! time, so that it is of no consequence which question it comes from.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use regatta_base::counters::{self, Counter};
use regatta_solver::Solver;
use regatta_term::{
    Build, Evaluator, Pool, Sort, Symbol, TermId, TermKind, Value, for_each_subterm,
};

/// Maximum number of points that are kept of a block, the newest ones, and of all blocks; beyond it, all are forgotten.
const MAXIMUM_POINTS_PER_BLOCK: usize = 8;
const MAXIMUM_POINTS: usize = 2_000;

/// Maximum number of variables of a point.
const MAXIMUM_VARIABLES: usize = 1_000;

/// An assignment of all variables; those that it does not name are zero.
#[derive(Debug)]
pub struct Point(FxHashMap<(Symbol, u32), Value>);

impl Point {
    /// The model of the solver's last check, as far as it is about variables of the formulas; `None` if there are too many, or
    /// arrays, whose contents take long to read. The solver may lack the values of some, so that the point is no model: see
    /// [`Self::satisfies`].
    pub fn of_model(
        solver: &mut dyn Solver,
        formulas: impl IntoIterator<Item = TermId>,
    ) -> Option<Self> {
        let arena = solver.arena().clone();
        let mut variables: FxHashSet<(Symbol, u32)> = FxHashSet::default();
        for_each_subterm(&*arena, formulas, |_, kind| {
            if let TermKind::Variable { symbol, instance } = kind {
                variables.insert((symbol, instance));
            }
        });
        let is_array = |(symbol, _): &(Symbol, u32)| matches!(symbol.sort(), Sort::Array { .. });
        if variables.len() > MAXIMUM_VARIABLES || variables.iter().any(is_array) {
            return None;
        }
        let variables: Vec<(Symbol, u32)> = variables.into_iter().collect();
        let terms = variables.iter();
        let terms = terms.map(|&(symbol, instance)| arena.variable_at(symbol, instance));
        let values = solver.values(&terms.collect::<Vec<_>>());
        let values = variables.into_iter().zip(values);
        Some(Self(
            values
                .filter_map(|(variable, value)| Some((variable, value?)))
                .collect(),
        ))
    }

    /// Whether all formulas hold.
    pub fn satisfies<P: Pool + ?Sized>(
        &self,
        pool: &P,
        formulas: impl IntoIterator<Item = TermId>,
    ) -> bool {
        let assignment = self.assignment();
        let mut evaluator = Evaluator::new(pool, &assignment);
        let mut formulas = formulas.into_iter();
        formulas.all(|formula| evaluator.evaluate(formula) == Ok(Value::Bool(true)))
    }

    fn assignment(&self) -> impl Fn(Symbol, u32) -> Option<Value> {
        |symbol, instance| {
            let value = self.0.get(&(symbol, instance)).cloned();
            Some(value.unwrap_or_else(|| Value::zero(symbol.sort())))
        }
    }
}

/// The points that are kept, by the guard of their block.
#[derive(Debug, Default)]
pub(super) struct Models {
    points: FxHashMap<TermId, VecDeque<Point>>,
    number: usize,
}

impl Models {
    /// Keeps a point of the block with the guard.
    pub fn keep(&mut self, guard: TermId, point: Option<Point>) {
        let Some(point) = point else {
            return;
        };
        if self.number >= MAXIMUM_POINTS {
            *self = Self::default();
        }
        let here = self.points.entry(guard).or_default();
        here.push_front(point);
        self.number += 1;
        if here.len() > MAXIMUM_POINTS_PER_BLOCK {
            here.pop_back();
            self.number -= 1;
        }
    }

    /// Removes the open goals that some point violates which satisfies the guard and the assumptions.
    pub fn refute<P: Pool + ?Sized>(
        &self,
        pool: &P,
        guard: TermId,
        assumed: &[TermId],
        goals: &[TermId],
        open: &mut Vec<usize>,
    ) {
        let before = open.len();
        for point in self.points.get(&guard).into_iter().flatten() {
            let assignment = point.assignment();
            let mut evaluator = Evaluator::new(pool, &assignment);
            let mut is = |formula, truth| evaluator.evaluate(formula) == Ok(Value::Bool(truth));
            if is(guard, true) && assumed.iter().all(|&formula| is(formula, true)) {
                open.retain(|&index| !is(goals[index], false));
            }
        }
        counters::add(Counter::KeptModels, (before - open.len()) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::default_solver;
    use regatta_term::store;

    /// A point where `x` is 5, and `y` is zero since nothing says what it is.
    fn point(x: TermId) -> Point {
        let mut solver = default_solver().expect("a solver");
        let formula = store().eq(x, store().bv(8, 5));
        solver.assert(formula);
        assert_eq!(solver.check(&[]), regatta_solver::Answer::Satisfiable);
        Point::of_model(&mut *solver, [formula]).expect("few variables")
    }

    fn variable(name: &str) -> TermId {
        store().variable(Symbol::new(&format!("models::{name}"), Sort::BitVec(8)))
    }

    #[test]
    fn a_point_satisfies_what_it_evaluates_to_true() {
        let [x, y] = ["x", "y"].map(variable);
        let point = point(x);
        let five = store().eq(x, store().bv(8, 5));
        assert!(point.satisfies(store(), [five, store().ult(y, x)]));
        assert!(!point.satisfies(store(), [five, store().eq(y, x)]));
    }

    #[test]
    fn a_kept_model_refutes_goals_only_where_it_satisfies_the_premises() {
        let [x, y] = ["x", "y"].map(variable);
        let guard = store().ult(y, x);
        let goals = [
            store().ult(x, store().bv(8, 5)),
            store().ult(y, store().bv(8, 5)),
        ];
        let mut models = Models::default();
        let mut open = vec![0, 1];
        models.refute(store(), guard, &[], &goals, &mut open);
        assert_eq!(open, [0, 1], "there is no model");
        models.keep(guard, Some(point(x)));
        let excludes = store().ult(x, store().bv(8, 4));
        models.refute(store(), guard, &[excludes], &goals, &mut open);
        assert_eq!(open, [0, 1], "the premises exclude the model");
        models.refute(store(), guard, &[store().ult(y, x)], &goals, &mut open);
        assert_eq!(open, [1]);
        // Of another block, nothing is known.
        let mut open = vec![0, 1];
        models.refute(store(), store().ult(x, y), &[], &goals, &mut open);
        assert_eq!(open, [0, 1]);
    }

    #[test]
    fn the_number_of_points_is_bounded() {
        let x = variable("x");
        let mut models = Models::default();
        for number in 0..=MAXIMUM_POINTS as u128 {
            let guard = store().ult(x, store().bv(8, number % 251));
            models.keep(guard, Some(point_of(x, number)));
            let here = models.points[&guard].len();
            assert!(here <= MAXIMUM_POINTS_PER_BLOCK && models.number <= MAXIMUM_POINTS);
        }
        let all: usize = models.points.values().map(VecDeque::len).sum();
        assert_eq!(all, models.number);
    }

    fn point_of(x: TermId, number: u128) -> Point {
        let symbol = regatta_term::free_variables(store(), x)[0];
        Point(
            [(symbol, Value::bit_vec(8, number % 256))]
                .into_iter()
                .collect(),
        )
    }
}
