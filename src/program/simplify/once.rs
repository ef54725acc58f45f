//! Loops whose rounds have nothing to do with one another run once, in loose slices.
//!
//! If a loop changes no variable that is live at its head, each time that an execution comes to the head, it is in the same
//! state, as far as matters. So what it does from the last time on, it could do from the first time on: the edges that go
//! around the loop are removed. The same targets are reachable, though with other inputs.

use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::cut_points::{CutPoints, Loop, LoopShape};
use crate::graph::{Graph, callee};
use crate::liveness::Liveness;
use crate::simplify::globals::modified_globals;
use crate::simplify::workspace::Workspace;

/// Runs the pass; returns the number of removed edges.
pub(super) fn run(workspace: &mut Workspace) -> usize {
    let Workspace { program, uses, .. } = workspace;
    let graph = Graph::new(program);
    let calls = CallGraph::new(program);
    let liveness = Liveness::new(program, &graph, &calls, uses);
    let modified = modified_globals(program, &calls);
    let mut keep = vec![true; program.edges.len()];
    for cycle in CutPoints::new(program, &calls).loops() {
        if cycle.shape == LoopShape::Natural && !carries_state(program, cycle, &liveness, &modified)
        {
            for (edge, keep) in program.edges.iter().zip(&mut keep) {
                *keep &= edge.target != cycle.head || !cycle.contains_edge(edge);
            }
        }
    }
    workspace.keep_edges(&keep)
}

/// Whether the loop changes a variable that is live at its head.
fn carries_state(
    program: &Program,
    cycle: &Loop,
    liveness: &Liveness,
    modified: &[Vec<VariableId>],
) -> bool {
    let mut inside = program
        .edges
        .iter()
        .filter(|edge| cycle.contains_edge(edge));
    inside.any(|edge| {
        let operations = edge.operations.iter();
        let mut written = operations.flat_map(|operation| operation.written(program));
        let in_callee = callee(edge).map_or(&[][..], |callee| &modified[callee.index()]);
        let is_live = |variable| liveness.is_live(cycle.head, variable);
        written.any(is_live) || in_callee.iter().copied().any(is_live)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramBuilder;
    use regatta_term::{Build, Sort, store};

    const INT: Sort = Sort::BitVec(32);

    /// Returns the number of edges that the pass removes from a program with a loop that an input ends: it sets a variable and
    /// checks it, `before` or after that.
    fn removed(is_checked_before: bool) -> usize {
        let mut b = ProgramBuilder::new();
        let [x, again] = ["x", "again"].map(|name| b.global(name, INT));
        let [first, second] = ["first", "second"].map(|name| b.input(name, INT));
        b.havoc(again, first);
        let goes_on = store().eq(b.value(again), store().bv(32, 1));
        b.repeat_while(goes_on, |b| {
            let is_small = store().ult(b.value(x), store().bv(32, 9));
            if is_checked_before {
                b.error_unless(is_small);
            }
            b.assign(x, store().bv(32, 7));
            if !is_checked_before {
                b.error_unless(is_small);
            }
            b.havoc(x, second);
        });
        b.leave();
        run(&mut Workspace::new(&b.finish()))
    }

    #[test]
    fn a_loop_that_carries_nothing_runs_once() {
        assert_eq!(removed(false), 1);
        assert_eq!(removed(true), 0);
    }
}
