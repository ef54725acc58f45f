//! Records the states of the pass's rounds at cut points, which are needed to carry proofs over to the lowered program.

use super::evaluator::State;
use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::cut_points::CutPoints;
use crate::simplify::CutPointFacts;
use crate::simplify::limits::MAXIMUM_RECORDED_VALUES;
use crate::simplify::workspace::Workspace;

/// The results of a round.
pub(in crate::simplify) struct RoundStates {
    round: u32,
    /// For each location of that round; `None` if it is unreachable.
    states: Vec<Option<State>>,
    /// The locations whose states are recorded already, by id.
    recorded: Vec<LocationId>,
}

/// The cut points whose states are recorded: those that cut cycles.
pub(super) fn heads(cut_points: &CutPoints) -> Vec<LocationId> {
    let heads = cut_points.iter().filter(|(_, kind)| kind.is_inner());
    heads.map(|(location, _)| location).collect()
}

/// Records the states of a round at the cut points.
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

/// Records the states of all rounds at the cut points of the final program: proofs are carried over from each cut point to
/// the next, and need the facts by which the program was changed there.
pub(in crate::simplify) fn finish(workspace: &mut Workspace) {
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
            .filter(|location| recorded.binary_search(location).is_err());
        for &location in new {
            if let Some(Some(state)) = states.get(location.index()) {
                record_at(workspace, round, location, Some(state));
            }
        }
    }
}

fn record_at(workspace: &mut Workspace, round: u32, at: LocationId, state: Option<&State>) {
    if workspace.fact_count > MAXIMUM_RECORDED_VALUES {
        return;
    }
    let values = state.map(|state| {
        let all = state.globals.iter().chain(state.locals.iter());
        all.map(|(variable, &value)| (VariableId(variable), value))
            .collect::<Vec<_>>()
    });
    workspace.fact_count += values.as_ref().map_or(1, Vec::len);
    // An empty state is recorded too: it says that the location is a cut point.
    let origin = workspace.origins[at.index()].clone();
    workspace.invariants.push(CutPointFacts {
        round,
        origin,
        values,
    });
}
