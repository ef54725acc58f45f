//! Translates the typed representation into the program: decides how every object is stored, and makes the edges.
//!
//! 1. [`analysis`] checks the unit's [`indices`], finds the functions that can run ([`call_graph`]), fills the points-to graph
//!    and lists all accesses.
//! 2. [`placement`] divides the classes of objects into fields; objects that are only accessed directly become scalar
//!    variables, the others lie in regions at addresses of a [`layout`].
//! 3. [`mod@emit`] makes the edges, with C's [`operators`] as terms.
//!
//! # The memory model on undefined behaviour
//! Within an object every access means what it means on the machine. The points-to analysis does not follow pointer
//! arithmetic that wraps around the address space. An access outside of every object of its class reaches an element of
//! the class's regions that belongs to no object: it holds the value last written there in the same way, else the
//! region's first contents. The interpreter does not confirm alarms that pass such an access.
//!
//! Where the property asks for checks of memory, such an access is a violation of it, or is not modelled: see
//! [`placement::lives`] for what is recorded of objects, and `emit::validity` for the conditions.

mod analysis;
mod builder;
mod emit;
mod limits;
mod operators;
mod placement;
#[cfg(test)]
mod tests;

use crate::ir::Unit;
use crate::property::{Check, Specification};
use analysis::call_graph::{self, CallGraph};
use analysis::constraints::Facts;
use analysis::indices;
use placement::plan::Planner;
use regatta_program::{Arithmetic, FunctionId, Program};

pub(crate) use analysis::call_graph::reachable_from;
pub(crate) use analysis::{devices, walk};
pub use operators::integer;
pub(crate) use placement::layout;

/// How memory and numbers are modelled.
#[derive(Copy, Clone, Debug, Default)]
pub struct MemoryOptions {
    /// What integers mean.
    pub arithmetic: Arithmetic,
    /// Whether `malloc` and its like may return null.
    pub malloc_may_fail: bool,
    /// Whether all assumptions about operands and accesses are noted. The list is long, and only the ledger needs it.
    pub all_assumptions: bool,
    /// Whether arithmetic that overflows violates the property. Then nothing is assumed of it.
    pub checks_overflow: bool,
    /// Whether divisors are checked, so that nothing is assumed of them.
    pub checks_division: bool,
    /// Whether shifts are checked, so that nothing is assumed of them.
    pub checks_shift: bool,
    /// What is checked of the objects of memory.
    pub memory_checks: MemoryChecks,
}

/// The kinds of checks of memory that the property asks for; see [`Check`].
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryChecks {
    pub bounds: bool,
    pub pointers: bool,
    pub free: bool,
    pub leaks: bool,
    pub cleanup: bool,
}

impl MemoryChecks {
    /// Those that the property asks for.
    pub fn of(property: &Specification) -> Self {
        let asks_for = |check| property.checks.contains(&check);
        Self {
            bounds: asks_for(Check::Bounds),
            pointers: asks_for(Check::Pointers),
            free: asks_for(Check::Free),
            leaks: asks_for(Check::Leaks),
            cleanup: asks_for(Check::Cleanup),
        }
    }

    /// Whether there are any.
    pub const fn any(self) -> bool {
        self.bounds || self.pointers || self.free || self.looks_at_end()
    }

    /// Whether some are about what exists when the program ends.
    pub const fn looks_at_end(self) -> bool {
        self.leaks || self.cleanup
    }
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
    /// The results of the steps contradict each other or the unit: a program made from them could be a wrong one.
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
    let (facts, table) = Facts::solve(unit, &reached);
    let calls = CallGraph::new(unit, &reached, &facts.calls);
    let planner = Planner {
        unit,
        arithmetic: options.arithmetic,
        facts: &facts,
        table: &table,
        calls: &calls,
        function_ids: &function_ids,
        checks: options.memory_checks,
        inserts_behind: std::cell::OnceCell::new(),
    };
    let mut builder =
        builder::Builder::new(unit.sources.clone(), options.arithmetic, unit.data_model);
    builder.program.externals.clone_from(&unit.externals);
    builder.records_zeros = options.memory_checks.any();
    let mut plan = planner.plan(&mut builder);
    planner
        .lay_out(&mut plan, &mut builder)
        .map_err(|layout::TooLarge| MemoryError::TooLarge)?;
    planner.record_lives(&mut plan, &mut builder);
    planner.record_holders(&mut plan, &mut builder);
    planner.finish_bases(&mut builder);
    emit::Emitter::new(unit, options, &planner, &plan, &mut builder).run()?;
    debug_assert_ne!(builder.program.functions.len(), 0);
    builder.waypoints.names = planner.names(&plan);
    Ok(builder.finish())
}
