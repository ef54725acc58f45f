//! From the typed representation to the program: where every object lives is decided, and the edges are made.
//!
//! 1. [`indices`] looks whether the unit is whole; [`call_graph`]: which functions can run.
//! 2. [`constraints`] fills the points-to graph ([`points_to`]) and lists all accesses.
//! 3. [`plan`]: the classes of objects are cut into fields ([`cells`]); objects that are only accessed directly become
//!    scalar variables, the others lie in regions; [`layout`] gives addresses.
//!    [`names`]: what the names of the source are in all that.
//!    [`devices`]: which accesses find no memory, but what changes by itself.
//! 4. [`mod@emit`]: edges, with C's operators as terms ([`arithmetic`]; [`integer`] for `--arithmetic integer`).
//!
//! # What the memory model says of programs without defined behaviour
//! Within an object every access means what it means on the machine. Pointer arithmetic that wraps around the address
//! space is not followed when accesses are told apart. An access outside of every object of its class finds an element
//! of the class's regions that no object has: it holds whatever was written there in the same way, else what the region
//! held at first. The interpreter does not confirm alarms that pass such an access.

mod addresses;
mod arithmetic;
mod bit_vectors;
mod builder;
mod call_graph;
mod cells;
mod constraints;
pub(super) mod devices;
mod emit;
mod floats;
mod function_pointers;
mod indices;
pub mod integer;
pub(super) mod layout;
mod names;
mod plan;
mod points_to;
#[cfg(test)]
mod tests;
pub(super) mod walk;

use crate::ir::Unit;
use regatta_program::{Arithmetic, FunctionId, Program};

/// How memory and numbers are modelled.
#[derive(Copy, Clone, Debug, Default)]
pub struct MemoryOptions {
    /// What integers mean.
    pub arithmetic: Arithmetic,
    /// Whether `malloc` and its like may return null.
    pub malloc_may_fail: bool,
    /// Whether everything that is assumed of operands and accesses is noted. It is only needed for the ledger, and large.
    pub all_assumptions: bool,
}

/// Why a program cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The objects do not fit into the address space.
    #[error("the program's objects do not fit into the address space")]
    TooLarge,
    /// The start function is missing.
    #[error("the program has no start function")]
    NoStart,
    /// What the steps found out does not fit together, or not the unit. A program made from it could be another one.
    #[error("{0}")]
    Internal(String),
}

/// Makes the program of a unit.
pub fn emit(unit: &Unit, options: &MemoryOptions) -> Result<Program, MemoryError> {
    if unit.functions.get(unit.start.0 as usize).is_none() {
        return Err(MemoryError::NoStart);
    }
    if let Some(what) = indices::dangling(unit) {
        return Err(MemoryError::Internal(what));
    }
    let reached = call_graph::reachable_functions(unit);
    let mut ids = 0;
    let function_ids: Vec<Option<FunctionId>> = reached
        .iter()
        .map(|reached| {
            reached.then(|| {
                ids += 1;
                FunctionId(ids - 1)
            })
        })
        .collect();
    let (facts, table) = constraints::Facts::solve(unit, &reached);
    let calls = call_graph::CallGraph::new(unit, &reached, &facts.calls);
    let planner = plan::Planner {
        unit,
        arithmetic: options.arithmetic,
        facts: &facts,
        table: &table,
        calls: &calls,
        function_ids: &function_ids,
    };
    let mut builder =
        builder::Builder::new(unit.sources.clone(), options.arithmetic, unit.data_model);
    builder.program.externals.clone_from(&unit.externals);
    let mut plan = planner.plan(&mut builder);
    planner
        .lay_out(&mut plan, &mut builder)
        .map_err(|layout::TooLarge| MemoryError::TooLarge)?;
    planner.finish_bases(&mut builder);
    emit::Emitter::new(unit, options, &planner, &plan, &mut builder).run()?;
    debug_assert_ne!(builder.program.functions.len(), 0);
    builder.waypoints.names = planner.names(&plan);
    Ok(builder.finish())
}
