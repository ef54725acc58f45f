//! The program as lowered without what a loose slice has left out ([`Slicing::Loose`]), for proofs that follow all paths to
//! their ends.
//!
//! * A loop without a counterpart in the simplified program is passed over: at its head, the variables that it may change get
//!   any values, and no path goes around it. What an execution does from the last time on that it comes to the head is then a
//!   path of the result, since the state there is one of these.
//! * So is a call of a recursive function that the simplified program does not call, if no target can be reached in it: what
//!   it may change gets any value.
//!
//! So each target that is reachable in the program is reachable in the result, whatever the simplified program is.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Lowered;
use regatta_program::graph::callee;
use regatta_program::{
    CallGraph, CutPoints, FunctionId, Input, InputId, InputKind, Loop, LoopId, LoopShape,
    Operation, Program, Simplified, Slicing, Span, VariableId,
};

/// Returns the recursive functions of the program as lowered that the simplified program does not call.
pub(crate) fn uncalled(lowered: &Lowered<'_>, simplified: &Simplified) -> Vec<FunctionId> {
    let mut called: FxHashSet<FunctionId> = FxHashSet::default();
    called.extend(simplified.program.edges.iter().filter_map(callee));
    let inlined = simplified.origins.iter().flat_map(|at| &at.calls);
    let inlined = inlined.filter_map(|&call| lowered.program.edges.get(call.index()));
    called.extend(inlined.filter_map(callee));
    let functions = (0..lowered.program.functions.len() as u32).map(FunctionId);
    functions
        .filter(|function| lowered.calls.is_recursive(*function) && !called.contains(function))
        .collect()
}

/// Returns the program in which everything is passed over that the loose slice has left out; `None` if the slice is exact.
pub fn passed_over(program: &Program, simplified: &Simplified) -> Option<Program> {
    if simplified.slicing == Slicing::Exact {
        return None;
    }
    let lowered = Lowered::new(program);
    let mut passing = Passing {
        lowered: &lowered,
        result: program.clone(),
    };
    // Both refer to edges.
    passing.result.assumptions.clear();
    passing.result.waypoints = Arc::default();
    for function in uncalled(&lowered, simplified) {
        passing.pass_over_calls(function);
    }
    let simplified_loops =
        CutPoints::new(&simplified.program, &CallGraph::new(&simplified.program));
    let loops = CutPoints::new(program, &lowered.calls);
    let kept = simplified_loops.loops().iter();
    let kept: FxHashSet<LoopId> = kept
        .filter_map(|cycle| loops.innermost(simplified.origins[cycle.head.index()].location))
        .collect();
    for (cycle, number) in loops.loops().iter().zip(0..) {
        if !kept.contains(&LoopId(number)) && cycle.shape == LoopShape::Natural {
            passing.pass_over_loop(cycle);
        }
    }
    Some(passing.result)
}

/// The program during the change.
struct Passing<'l, 'p> {
    lowered: &'l Lowered<'p>,
    result: Program,
}

impl Passing<'_, '_> {
    /// Replaces the calls of the function, unless a target can be reached in it.
    fn pass_over_calls(&mut self, function: FunctionId) {
        let lowered = self.lowered;
        let entry = lowered.program.function(function).entry;
        if lowered.inside[entry.index()] {
            return;
        }
        for &call in lowered.calls.calls_of(function) {
            let edge = lowered.program.edge(call);
            let changes = lowered.changes(edge);
            let operations = self.any_values(&changes, edge.span);
            self.result.edges[call.index()].operations = operations;
        }
    }

    /// Gives any values at the loop's head to what the loop may change, and takes away the edges that go around it.
    fn pass_over_loop(&mut self, cycle: &Loop) {
        let lowered = self.lowered;
        let (head, before) = (cycle.head, self.result.add_location_like(cycle.head));
        let end = self.result.add_location_like(head);
        let mut changes = Vec::new();
        for (edge, changed) in lowered.program.edges.iter().zip(&mut self.result.edges) {
            let is_inside = cycle.contains_edge(edge);
            if is_inside {
                changes.extend(lowered.changes(edge));
            }
            if edge.target == head {
                changed.target = if is_inside { end } else { before };
            }
        }
        changes.sort_unstable();
        changes.dedup();
        let span = lowered.program.location(head).span;
        let operations = self.any_values(&changes, span);
        self.result.connect(before, head, operations);
        let function = &mut self.result.functions[cycle.function.index()];
        if function.entry == head {
            function.entry = before;
        }
    }

    /// Returns operations that give any values to the variables.
    fn any_values(&mut self, variables: &[VariableId], span: Span) -> Vec<Operation> {
        let mut operations = Vec::new();
        for &target in variables {
            let input = InputId(self.result.inputs.len() as u32);
            self.result.inputs.push(Input {
                kind: InputKind::Unknown("what is passed over".to_owned()),
                sort: self.result.variable(target).sort,
                c_type: None,
                part: None,
                span,
            });
            operations.push(Operation::Havoc { target, input });
        }
        operations
    }
}
