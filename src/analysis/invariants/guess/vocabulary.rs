//! The vocabulary of candidates: the program's constants and conditions.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Column;
use crate::analysis::invariants::samples::with_named_cells;
use crate::certify::certificate::AT_ENTRY;
use crate::program::{Operation, Program};
use crate::term::{
    BitVecValue, Build, Op, Pool, Sort, Symbol, TermId, TermKind, Value, at_instance, evaluate,
    for_each_subterm, free_variables, store,
};

/// Maximum number of thresholds on either side of the sampled values.
pub(super) const MAXIMUM_THRESHOLDS: usize = 6;

/// Maximum number of conditions that are used.
const MAXIMUM_CONDITIONS: usize = 200;

/// Constants and conditions of a program.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// For each sort, the program's constants and their neighbours, in order.
    thresholds: FxHashMap<Sort, Vec<i128>>,
    /// Constants that may be sizes of arrays, in order.
    sizes: Vec<i128>,
    /// Atomic conditions, each with the variables and the cells at constant indices that it reads.
    conditions: Vec<(TermId, Vec<TermId>)>,
}

impl Vocabulary {
    /// Collects the vocabulary of the program.
    pub fn of(program: &Program) -> Self {
        let operations = program.edges.iter().flat_map(|edge| &edge.operations);
        let mut constants: FxHashMap<Sort, BTreeSet<i128>> = FxHashMap::default();
        let mut atoms = Vec::new();
        let mut sizes = BTreeSet::new();
        let mut seen = FxHashSet::default();
        for operation in operations {
            let conditional = matches!(operation, Operation::Assume(_));
            for_each_subterm(store(), operation.terms(), |term, _| {
                if let TermKind::Constant(constant) = store().kind(term)
                    && let Some(number) = super::super::samples::number(&constant.to_value())
                {
                    let known = constants.entry(store().sort(term)).or_default();
                    let near = [number.checked_sub(1), Some(number), number.checked_add(1)];
                    known.extend(near.into_iter().flatten());
                    if conditional && (2..1 << 32).contains(&number) {
                        sizes.insert(number);
                    }
                }
                let comparison = matches!(
                    store().kind(term),
                    TermKind::Apply { op, .. } if op.is_comparison()
                );
                if conditional && comparison && seen.insert(term) {
                    atoms.push(term);
                }
            });
        }
        for sort in [Sort::BitVec(32), Sort::BitVec(64), Sort::Int] {
            constants.entry(sort).or_default().extend([-1, 0, 1]);
        }
        atoms.truncate(MAXIMUM_CONDITIONS);
        let over = |atom| {
            let (named, cells) = with_named_cells(atom);
            let variables = free_variables(store(), named).into_iter();
            let term = |(symbol, instance)| store().variable_at(symbol, instance);
            let known = |(symbol, instance)| {
                cells
                    .get(&symbol)
                    .copied()
                    .unwrap_or_else(|| term((symbol, instance)))
            };
            variables.map(known).collect()
        };
        Self {
            sizes: sizes.into_iter().collect(),
            thresholds: constants
                .into_iter()
                .map(|(sort, numbers)| (sort, numbers.into_iter().collect()))
                .collect(),
            conditions: atoms.into_iter().map(|atom| (atom, over(atom))).collect(),
        }
    }

    /// Adds the conditions about the state at the function's entry ([`AT_ENTRY`]), for pairs of that and a later state.
    pub fn with_entry(mut self) -> Self {
        let moved = |&term: &TermId| at_instance(store(), term, AT_ENTRY);
        let conditions = self.conditions.iter();
        let at_entry: Vec<_> = conditions
            .map(|(condition, over)| (moved(condition), over.iter().map(moved).collect()))
            .collect();
        self.conditions.extend(at_entry);
        self
    }

    /// The constants of the sort and their neighbours, in order.
    pub fn thresholds(&self, sort: Sort) -> &[i128] {
        self.thresholds.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// The first thresholds that are no less than the number.
    pub fn next_thresholds(&self, sort: Sort, number: i128) -> impl Iterator<Item = i128> {
        let thresholds = self.thresholds(sort).iter().copied();
        let above = thresholds.filter(move |&value| value >= number);
        above.take(MAXIMUM_THRESHOLDS)
    }

    /// Constants that may be sizes of arrays: those in conditions.
    pub fn sizes(&self) -> &[i128] {
        &self.sizes
    }

    /// The conditions that read arrays, and their negations.
    pub fn about_cells(&self) -> impl Iterator<Item = TermId> {
        let reads = |condition: TermId| {
            let mut reads = false;
            for_each_subterm(store(), [condition], |_, kind| {
                reads |= matches!(kind, TermKind::Apply { op: Op::Select, .. });
            });
            reads
        };
        let conditions = self.conditions.iter().map(|(condition, _)| *condition);
        let conditions = conditions.filter(move |&condition| reads(condition));
        conditions.flat_map(|condition| [condition, store().not(condition)])
    }

    /// Returns the conditions over no other variables and cells than these.
    pub fn conditions_over(&self, variables: impl Iterator<Item = TermId>) -> Vec<TermId> {
        let known: FxHashSet<TermId> = variables.collect();
        let conditions = self.conditions.iter();
        conditions
            .filter(|(_, over)| over.iter().all(|one| known.contains(one)))
            .map(|(condition, _)| *condition)
            .collect()
    }

    /// Returns the condition's truth in each sample; `None` if it cannot be evaluated.
    pub(in super::super) fn truths(
        &self,
        condition: TermId,
        columns: &[Column],
    ) -> Option<Vec<bool>> {
        let (condition, cells) = with_named_cells(condition);
        let mut by_variable = FxHashMap::default();
        for column in columns {
            let named = cells
                .iter()
                .find(|(_, cell)| **cell == column.variable.term);
            let variable = match (named, store().kind(column.variable.term)) {
                (Some((&symbol, _)), _) => (symbol, 0),
                (None, TermKind::Variable { symbol, instance }) => (symbol, instance),
                _ => continue,
            };
            by_variable.insert(variable, (column.variable.sort, &column.signed));
        }
        let rows = by_variable
            .values()
            .next()
            .map_or(0, |(_, rows)| rows.len());
        (0..rows)
            .map(|row| {
                let assignment = |symbol: Symbol, instance: u32| {
                    let (sort, values) = by_variable.get(&(symbol, instance))?;
                    Some(value(*sort, values[row]))
                };
                evaluate(store(), condition, &assignment).ok()?.as_bool()
            })
            .collect()
    }
}

/// Returns a number as a value of a sampled sort.
pub(super) fn value(sort: Sort, number: i128) -> Value {
    match sort {
        Sort::Bool => Value::Bool(number != 0),
        Sort::BitVec(width) => Value::BitVec(BitVecValue::from_signed(width, number)),
        _ => Value::int(number),
    }
}
