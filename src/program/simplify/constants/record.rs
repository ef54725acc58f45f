//! What the rounds of the pass know at cut points, recorded: proofs are carried over with it.

use super::evaluator::State;
use crate::program::call_graph::CallGraph;
use crate::program::cfa::*;
use crate::program::cut_points::CutPoints;
use crate::program::simplify::CutPointFacts;
use crate::program::simplify::workspace::Workspace;

/// What is known at cut points is recorded up to this number of variables, all rounds taken together.
const MOST_FACTS: usize = 200_000;

/// What a round has found.
pub(in crate::program::simplify) struct RoundStates {
    round: u32,
    /// For each location that there was; `None` for those that cannot be reached.
    states: Vec<Option<State>>,
    /// Those of which it is recorded.
    recorded: Vec<LocationId>,
}

/// The cut points at which what is known is worth being told: those that cut cycles.
pub(super) fn heads(cut_points: &CutPoints) -> Vec<LocationId> {
    let heads = cut_points.iter().filter(|(_, kind)| kind.is_inner());
    heads.map(|(location, _)| location).collect()
}

/// Records what the round knows at the cut points.
pub(super) fn record_round(
    workspace: &mut Workspace,
    cut_points: &[LocationId],
    states: Vec<Option<State>>,
) {
    workspace.propagations += 1;
    let round = workspace.propagations;
    for &location in cut_points {
        record_at(
            workspace,
            round,
            location,
            states[location.index()].as_ref(),
        );
    }
    let of_round = RoundStates {
        round,
        states,
        recorded: cut_points.to_vec(),
    };
    workspace.states.push(of_round);
}

/// Records what the rounds knew at the cut points that the program has in the end: what was used to change the program
/// there is needed to carry proofs over, from each cut point to the next.
pub(in crate::program::simplify) fn finish(workspace: &mut Workspace) {
    let calls = CallGraph::new(&workspace.program);
    let cut_points = heads(&CutPoints::new(&workspace.program, &calls));
    for RoundStates {
        round,
        states,
        recorded,
    } in std::mem::take(&mut workspace.states)
    {
        let new = cut_points
            .iter()
            .filter(|location| !recorded.contains(location));
        for &location in new {
            if let Some(Some(state)) = states.get(location.index()) {
                record_at(workspace, round, location, Some(state));
            }
        }
    }
}

fn record_at(workspace: &mut Workspace, round: u32, at: LocationId, state: Option<&State>) {
    if workspace.fact_count > MOST_FACTS {
        return;
    }
    let values = state.map(|state| {
        let all = state.globals.iter().chain(state.locals.iter());
        all.map(|(variable, &value)| (VariableId(variable), value))
            .collect::<Vec<_>>()
    });
    workspace.fact_count += values.as_ref().map_or(1, Vec::len);
    // Nothing known is recorded, too: the place is a cut point.
    let origin = workspace.origins[at.index()].clone();
    workspace.invariants.push(CutPointFacts {
        round,
        origin,
        values,
    });
}
