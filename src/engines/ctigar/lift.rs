//! The cells that a lifted state may constrain (\[Bir13\], section 3.2).
//!
//! Departure: the inputs of the step, nondeterministic assignments included, keep the values of the model, whereas the
//! thesis removes the assigned variables from the successor. A state is lifted only if it takes the step with these inputs.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::cube::Cell;
use super::system::Model;
use regatta_program::block::Blocks;
use regatta_term::{
    Arena, Evaluator, Op, Pool, Sort, TermId, TermKind, Value, for_each_subterm, free_variables,
};

/// Returns the cells that the formula reads in the model's state, with their contents. For an array these are the cells at
/// the indices that are read, or the whole array if the formula compares arrays.
pub fn cells_of(
    blocks: &Blocks,
    arena: &Arena,
    formula: TermId,
    model: &Model,
) -> Vec<(Cell, Value)> {
    let mut cells: BTreeMap<Cell, Value> = BTreeMap::new();
    let value = |symbol, instance| {
        let value = model.values.get(&(symbol, instance));
        value.cloned().unwrap_or_else(|| Value::zero(symbol.sort()))
    };
    let is_compared = compares_arrays(arena, formula);
    let mut arrays = FxHashSet::default();
    for (symbol, instance) in free_variables(arena, formula) {
        let Some(variable) = blocks.variable(symbol) else {
            continue;
        };
        if symbol.sort().is_array() && !is_compared {
            arrays.insert((symbol, variable));
            continue;
        }
        let cell = Cell {
            variable,
            symbol,
            index: None,
        };
        cells.insert(cell, value(symbol, instance));
    }
    if arrays.is_empty() {
        return cells.into_iter().collect();
    }
    let assignment = |symbol, instance| Some(value(symbol, instance));
    let mut evaluator = Evaluator::new(arena, &assignment);
    let mut reads = Vec::new();
    for_each_subterm(arena, [formula], |_, kind| {
        if let TermKind::Apply {
            op: Op::Select,
            arguments,
        } = kind
        {
            reads.push((arguments[0], arguments[1]));
        }
    });
    for (array, index) in reads {
        let Ok(index) = evaluator.evaluate(index) else {
            continue;
        };
        for (symbol, _) in free_variables(arena, array) {
            let Some(&(_, variable)) = arrays.iter().find(|(known, _)| *known == symbol) else {
                continue;
            };
            if index.sort() != index_sort(symbol.sort()) {
                continue;
            }
            if let Value::Array(content) = value(symbol, 0) {
                let cell = Cell {
                    variable,
                    symbol,
                    index: Some(index.clone()),
                };
                cells.insert(cell, content.select(&index).clone());
            }
        }
    }
    cells.into_iter().collect()
}

fn index_sort(array: Sort) -> Sort {
    match array {
        Sort::Array { index, .. } => index.into(),
        sort => sort,
    }
}

fn compares_arrays(arena: &Arena, formula: TermId) -> bool {
    let mut compares = false;
    for_each_subterm(arena, [formula], |_, kind| {
        if let TermKind::Apply {
            op: Op::Eq,
            arguments,
        } = kind
        {
            compares |= arena.sort(arguments[0]).is_array();
        }
    });
    compares
}
