//! Removes assignments to dead variables, by strong liveness (see [`crate::program::liveness`]).
//!
//! Arguments for dead parameters become constants, and unused results are dropped. The operations that read an input are
//! removed only all together: as long as one value of an input is live, a replay on the lowered program must find the
//! values in their order.

use crate::program::call_graph::CallGraph;
use crate::program::cfa::*;
use crate::program::graph::Graph;
use crate::program::liveness::{Liveness, Scratch};
use crate::program::simplify::workspace::{Workspace, reduce_call};

/// Runs the pass; returns the number of removed operations.
pub(super) fn run(workspace: &mut Workspace) -> usize {
    let Workspace { program, uses, .. } = workspace;
    let graph = Graph::new(program);
    let calls = CallGraph::new(program);
    let liveness = Liveness::new(program, &graph, &calls, uses);
    let mut scratch = Scratch::default();
    let needed: Vec<Vec<bool>> = program
        .edges
        .iter()
        .map(|edge| liveness.needed(program, edge, uses, &mut scratch))
        .collect();
    let mut input_matters = vec![false; program.inputs.len()];
    for (edge, needed) in program.edges.iter().zip(&needed) {
        for (operation, &needed) in edge.operations.iter().zip(needed) {
            if let Operation::Havoc { input, .. } = operation {
                input_matters[input.index()] |= needed;
            }
        }
    }
    let mut changes = 0;
    let mut edges = std::mem::take(&mut program.edges);
    for (edge, needed) in edges.iter_mut().zip(needed) {
        let before = edge.operations.len();
        let mut needed = needed.into_iter();
        edge.operations
            .retain(|operation| match (needed.next(), operation) {
                (Some(false), Operation::Havoc { input, .. }) => input_matters[input.index()],
                (needed, _) => needed != Some(false),
            });
        changes += before - edge.operations.len();
        let argument_matters =
            |callee: &Function, parameter| liveness.is_live(callee.entry, parameter);
        let target = edge.target;
        let result_matters = |result| liveness.is_live(target, result);
        changes += reduce_call(program, edge, argument_matters, result_matters);
    }
    program.edges = edges;
    changes
}
