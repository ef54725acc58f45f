//! The relevance of variables to the property: their distance from it, pairs of them, thresholds of widening.

use rustc_hash::{FxHashMap, FxHashSet};

use super::limits::{MAXIMUM_PAIRS, MAXIMUM_THRESHOLDS, MAXIMUM_VARIABLES_FOR_ALL_PAIRS};
use regatta_program::VariableId;
use regatta_program::block::{Block, Blocks};
use regatta_term::domain::Thresholds;
use regatta_term::{
    Op, Pool, Sort, TermId, TermKind, Value, for_each_subterm, free_variables, store,
};

/// The variables on which the property depends, the nearest to it first.
#[derive(Clone, Debug, Default)]
pub struct Relevance {
    /// The variables with their distances: zero if a target's guard reads it, one more than that of what it decides.
    pub variables: Vec<(VariableId, u32)>,
    /// Pairs of variables of one sort whose difference is tracked.
    pub pairs: Vec<(VariableId, VariableId)>,
}

impl Relevance {
    /// Computes the relevance of variables in the blocks.
    pub fn of(blocks: &Blocks, all: &[Block]) -> Self {
        let read = |term: TermId| {
            let variables = free_variables(store(), term).into_iter();
            variables.filter_map(|(symbol, _)| blocks.variable(symbol))
        };
        let mut decided_by: FxHashMap<VariableId, FxHashSet<VariableId>> = FxHashMap::default();
        let mut open: Vec<VariableId> = Vec::new();
        for block in all {
            let guard: Vec<VariableId> = read(block.guard).collect();
            if blocks.is_target(block) {
                open.extend(&guard);
            }
            for &(variable, value) in &block.updates {
                let by = decided_by.entry(variable).or_default();
                by.extend(read(value));
                by.extend(&guard);
            }
        }
        let mut seen: FxHashSet<VariableId> = FxHashSet::default();
        let mut variables = Vec::new();
        let mut distance = 0;
        while !open.is_empty() {
            open.sort_unstable();
            let mut next = Vec::new();
            for variable in open {
                if seen.insert(variable) {
                    variables.push((variable, distance));
                    next.extend(decided_by.get(&variable).into_iter().flatten());
                }
            }
            open = next;
            distance += 1;
        }
        let pairs = pairs(blocks, all, &variables);
        Self { variables, pairs }
    }

    /// Returns the variables up to a distance, and at most so many.
    pub fn within(&self, distance: u32, most: usize) -> FxHashSet<VariableId> {
        let near = self.variables.iter().filter(|(_, own)| *own <= distance);
        near.take(most).map(|(variable, _)| *variable).collect()
    }
}

fn pairs(
    blocks: &Blocks,
    all: &[Block],
    variables: &[(VariableId, u32)],
) -> Vec<(VariableId, VariableId)> {
    let program = blocks.inlined().program();
    let sort = |id: VariableId| program.variable(id).sort;
    let numbers = variables.iter().map(|(variable, _)| *variable);
    let numbers: Vec<VariableId> = numbers
        .filter(|&id| matches!(sort(id), Sort::BitVec(_) | Sort::Int))
        .collect();
    let mut together: FxHashSet<(VariableId, VariableId)> = FxHashSet::default();
    if numbers.len() > MAXIMUM_VARIABLES_FOR_ALL_PAIRS {
        for block in all {
            let values = block.updates.iter().map(|(_, value)| *value);
            for_each_subterm(store(), values.chain([block.guard]), |_, kind| {
                let TermKind::Apply {
                    op,
                    arguments: &[a, b],
                } = kind
                else {
                    return;
                };
                if !op.is_comparison() && !matches!(op, Op::BvAdd | Op::IntAdd) {
                    return;
                }
                if let (Some(x), Some(y)) = (only_variable(blocks, a), only_variable(blocks, b)) {
                    together.insert((x.min(y), x.max(y)));
                }
            });
        }
    }
    let mut pairs = Vec::new();
    for (place, &y) in numbers.iter().enumerate() {
        for &x in &numbers[..place] {
            let pair = (x.min(y), x.max(y));
            let wanted =
                numbers.len() <= MAXIMUM_VARIABLES_FOR_ALL_PAIRS || together.contains(&pair);
            if wanted && sort(x) == sort(y) && pairs.len() < MAXIMUM_PAIRS {
                pairs.push(pair);
            }
        }
    }
    pairs
}

/// Returns the variable that the term is up to its sign and the addition of constants.
fn only_variable(blocks: &Blocks, term: TermId) -> Option<VariableId> {
    match store().kind(term) {
        TermKind::Variable {
            symbol,
            instance: 0,
        } => blocks.variable(symbol),
        TermKind::Apply {
            op: Op::BvNeg | Op::IntNeg,
            arguments: &[part],
        } => only_variable(blocks, part),
        TermKind::Apply {
            op: Op::BvAdd | Op::IntAdd,
            arguments: &[part, last],
        } if store().constant(last).is_some() => only_variable(blocks, part),
        _ => None,
    }
}

/// Returns the constants of the blocks as thresholds of widening.
pub fn thresholds(all: &[Block]) -> Thresholds {
    let mut numbers = FxHashSet::default();
    let values = all
        .iter()
        .flat_map(|block| block.updates.iter().map(|(_, value)| *value));
    let guards = all.iter().map(|block| block.guard);
    for_each_subterm(store(), guards.chain(values), |_, kind| {
        if let TermKind::Constant(constant) = kind
            && let value @ (Value::BitVec(_) | Value::Int(_)) = constant.to_value()
            && let Ok(number) = i128::try_from(&value)
            && number.unsigned_abs() < 1 << 64
        {
            numbers.insert(number);
        }
    });
    let mut numbers: Vec<i128> = numbers.into_iter().collect();
    numbers.sort_unstable_by_key(|number| number.unsigned_abs());
    numbers.truncate(MAXIMUM_THRESHOLDS);
    Thresholds::new(numbers)
}
