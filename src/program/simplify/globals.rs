//! The globals that calls may read or change.

use crate::program::call_graph::CallGraph;
use crate::program::cfa::*;
use crate::program::variables::VariableUse;

/// The globals that a call of each function may change, directly or in its callees, by id.
pub(super) fn modified_globals(program: &Program, calls: &CallGraph) -> Vec<Vec<VariableId>> {
    globals_of(program, calls, |operation, list| {
        list.extend(operation.written(program));
    })
}

/// The globals that a call of each function may read or change, directly or in its callees, by id.
pub(super) fn accessed_globals(
    program: &Program,
    calls: &CallGraph,
    uses: &mut VariableUse,
) -> Vec<Vec<VariableId>> {
    globals_of(program, calls, |operation, list| {
        list.extend(operation.written(program));
        for term in operation.terms() {
            list.extend(uses.of(term));
        }
    })
}

fn globals_of(
    program: &Program,
    calls: &CallGraph,
    mut find: impl FnMut(&Operation, &mut Vec<VariableId>),
) -> Vec<Vec<VariableId>> {
    let mut globals: Vec<Vec<VariableId>> = vec![Vec::new(); program.functions.len()];
    let mut found = Vec::new();
    for edge in &program.edges {
        let own = &mut globals[program.location(edge.source).function.index()];
        for operation in &edge.operations {
            find(operation, &mut found);
            own.extend(
                found
                    .drain(..)
                    .filter(|&v| program.variable(v).scope == Scope::Global),
            );
        }
    }
    let tidy = |list: &mut Vec<VariableId>| {
        list.sort_unstable();
        list.dedup();
    };
    globals.iter_mut().for_each(tidy);
    // Bottom-up; recursive components need several sweeps.
    loop {
        let mut changed = false;
        for &function in calls.bottom_up() {
            let mut callees: Vec<FunctionId> = calls.callees(function).collect();
            callees.sort_unstable();
            callees.dedup();
            if callees.is_empty() {
                continue;
            }
            let mut all = globals[function.index()].clone();
            for callee in callees {
                all.extend_from_slice(&globals[callee.index()]);
            }
            tidy(&mut all);
            changed |= all.len() > globals[function.index()].len();
            globals[function.index()] = all;
        }
        if !changed || !calls.has_recursion() {
            return globals;
        }
    }
}
