//! Facts that writes to arrays establish.
//!
//! A loop that executes `b[N - 1 - i] = a[i]` for growing i establishes that relation for each i so far. So a write in
//! a block is a fact about the program's variables at the block's end, and with [`any_index`] in the place of a
//! variable in its index, a candidate for all values that this variable has had (compare \[FPMG19\]).
//! If the written value is an input, the
//! block's conditions on it take the place of the value.

use rustc_hash::FxHashMap;

use super::{constant, read_indices};
use crate::invariants::samples::number;
use regatta_certify::certificate::any_index;
use regatta_program::block::{Block, Blocks};
use regatta_term::{
    Build, Op, Pool, Rebuild, Sort, Symbol, TermId, TermKind, conjuncts, free_variables, store,
};

/// Maximum number of facts of a program.
const MAXIMUM_FACTS: usize = 60;
/// Maximum number of writes of a block.
const MAXIMUM_WRITES_PER_BLOCK: usize = 16;

/// A fact that may hold for a range of values of a variable.
#[derive(Clone, Debug)]
pub struct Quantified {
    pub variable: TermId,
    /// The sort of the values.
    pub sort: Sort,
    /// The fact over [`any_index`] of the sort, and over the program's variables.
    pub fact: TermId,
}

/// A write to an array.
struct Write {
    /// The condition under which it takes place.
    condition: TermId,
    index: TermId,
    value: TermId,
}

/// Returns the facts that the writes of the program's blocks establish.
pub fn facts(blocks: &Blocks) -> Vec<Quantified> {
    let strides = strides(blocks);
    let mut all: Vec<Quantified> = Vec::new();
    for at in blocks.cut_points() {
        for block in blocks.from(at).iter() {
            for fact in of_block(blocks, block) {
                for quantified in with_variables(fact, &strides) {
                    if !all.iter().any(|other| other.fact == quantified.fact) {
                        all.push(quantified);
                    }
                }
                if all.len() >= MAXIMUM_FACTS {
                    return all;
                }
            }
        }
    }
    all
}

/// Replaces a variable in an index of the fact by [`any_index`], for each such variable.
pub fn for_each_variable(fact: TermId) -> Vec<Quantified> {
    with_variables(fact, &FxHashMap::default())
}

/// Returns the constant by which a variable changes in a block, without sign, if that is more than one.
fn strides(blocks: &Blocks) -> FxHashMap<Symbol, i128> {
    let program = blocks.inlined().program();
    let mut strides = FxHashMap::default();
    for at in blocks.cut_points() {
        for block in blocks.from(at).iter() {
            for &(id, after) in &block.updates {
                let symbol = program.variable(id).symbol;
                let variable = store().variable(symbol);
                let change = match symbol.sort() {
                    Sort::BitVec(_) => store().sub(after, variable),
                    Sort::Int => store().int_sub(after, variable),
                    _ => continue,
                };
                let change = store().constant(change).map(|change| change.to_value());
                let stride = change.and_then(|change| number(&change)).map(i128::abs);
                if let Some(stride @ 2..=1024) = stride {
                    strides.insert(symbol, stride);
                }
            }
        }
    }
    strides
}

/// Quantifies the fact over each variable in an index; over its multiples only if it has a stride.
fn with_variables(fact: TermId, strides: &FxHashMap<Symbol, i128>) -> Vec<Quantified> {
    let mut variables = Vec::new();
    for index in read_indices(fact) {
        let occurring = free_variables(store(), index).into_iter();
        let scalar =
            occurring.filter(|(symbol, _)| matches!(symbol.sort(), Sort::BitVec(2..) | Sort::Int));
        variables.extend(scalar);
    }
    variables.sort_unstable();
    variables.dedup();
    let quantify = |(symbol, instance): (Symbol, u32)| {
        let variable = store().variable_at(symbol, instance);
        let any = any_index(store().sort(variable));
        let replace = |term| (term == variable).then_some(any);
        let fact = Rebuild::new(store(), store(), replace).rebuild(fact);
        let sort = symbol.sort();
        let is_visited = strides.get(&symbol).map_or(TermId::TRUE, |&stride| {
            let (stride, zero) = (constant(sort, stride), constant(sort, 0));
            let rest = match sort {
                Sort::Int => store().int_mod(any, stride),
                _ => store().urem(any, stride),
            };
            store().eq(rest, zero)
        });
        Quantified {
            variable,
            sort,
            fact: store().implies(is_visited, fact),
        }
    };
    variables.into_iter().map(quantify).collect()
}

/// Returns the facts that the block's writes establish, over the variables as they were before it.
fn of_block(blocks: &Blocks, block: &Block) -> Vec<TermId> {
    let program = blocks.inlined().program();
    let is_input = |term: TermId| {
        let variables = free_variables(store(), term).into_iter();
        variables
            .map(|(_, instance)| instance)
            .any(|instance| instance > 0)
    };
    let mut facts = Vec::new();
    for &(variable, after) in &block.updates {
        if !matches!(store().sort(after), Sort::Array { .. }) {
            continue;
        }
        let array = store().variable(program.variable(variable).symbol);
        let mut writes = Vec::new();
        collect(after, TermId::TRUE, &mut writes);
        for Write {
            condition,
            index,
            value,
        } in writes
        {
            if is_input(index) {
                continue;
            }
            let cell = store().select(array, index);
            if !is_input(value) && !is_input(condition) {
                facts.push(store().implies(condition, store().eq(cell, value)));
            } else if condition == TermId::TRUE {
                let conditions = conditions_on(block.guard, value, cell).into_iter();
                facts.extend(conditions.filter(|&fact| !is_input(fact)));
            }
        }
    }
    facts
}

/// Collects the writes that make up an array, under a condition.
fn collect(array: TermId, condition: TermId, writes: &mut Vec<Write>) {
    if writes.len() >= MAXIMUM_WRITES_PER_BLOCK {
        return;
    }
    match store().kind(array) {
        TermKind::Apply {
            op: Op::Store,
            arguments: &[before, index, value],
        } => {
            let (chosen, value) = unless_kept(before, index, value);
            writes.push(Write {
                condition: store().and2(condition, chosen),
                index,
                value,
            });
            collect(before, condition, writes);
        }
        TermKind::Apply {
            op: Op::Ite,
            arguments: &[choice, one, other],
        } => {
            collect(one, store().and2(condition, choice), writes);
            collect(other, store().and2(condition, store().not(choice)), writes);
        }
        _ => {}
    }
}

/// Returns the condition under which the write changes the cell, and the value then.
fn unless_kept(before: TermId, index: TermId, value: TermId) -> (TermId, TermId) {
    let kept = store().select(before, index);
    match store().kind(value) {
        TermKind::Apply {
            op: Op::Ite,
            arguments: &[choice, one, other],
        } if other == kept => (choice, one),
        TermKind::Apply {
            op: Op::Ite,
            arguments: &[choice, one, other],
        } if one == kept => (store().not(choice), other),
        _ => (TermId::TRUE, value),
    }
}

/// Returns the guard's conditions on a value, stated about the cell that has it.
fn conditions_on(guard: TermId, value: TermId, cell: TermId) -> Vec<TermId> {
    let of_the_cell = |&conjunct: &TermId| {
        let replace = |term| (term == value).then_some(cell);
        let fact = Rebuild::new(store(), store(), replace).rebuild(conjunct);
        (fact != conjunct).then_some(fact)
    };
    let conditions = conjuncts(store(), guard);
    conditions.iter().filter_map(of_the_cell).collect()
}
