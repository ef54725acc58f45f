//! Control dependence that is sensitive to termination.
//!
//! The graph of a function gets an additional end node, with an edge from every location at which execution may stop or
//! diverge: from exits, errors and dead ends; from locations whose conditions are not exhaustive; from calls of
//! functions that may not return; and from the heads of loops that are not proved to terminate. A location is control
//! dependent on a branch if in this graph it postdominates one of the branch's successors but not the branch itself
//! (Ferrante, Ottenstein and Warren). It therefore depends on every `assume` and every loop before it.
//!
//! For a loose slice ([`Slicing::Loose`](super::Slicing::Loose)), edges to dead ends are left out, and only those locations
//! get an edge to the end node that have no successors, and the heads of loops that nothing leaves, so that every location
//! still reaches the end.

use crate::cfa::*;
use crate::conditions::always_go_on;
use crate::cut_points::CutPoints;
use crate::digraph::{Digraph, Dominators};
use crate::graph::{Graph, callee, goes_on};
use crate::simplify::termination::Termination;

/// Control dependence of all functions.
pub(super) struct ControlDependence {
    postdominators: Dominators,
    end: u32,
    /// For each location, the index in `branches` of the first branch that it depends on.
    starts: Vec<u32>,
    branches: Vec<LocationId>,
}

impl ControlDependence {
    pub fn new(
        program: &Program,
        graph: &Graph,
        cut_points: &CutPoints,
        termination: &Termination,
        dead_ends: Option<&[bool]>,
    ) -> Self {
        let count = program.locations.len();
        let end = count as u32;
        let edges = match dead_ends {
            None => with_every_end(program, graph, cut_points, termination),
            Some(dead_ends) => with_some_end(program, graph, cut_points, dead_ends),
        };
        let forward = Digraph::new(count + 1, edges.iter().copied());
        let backward = forward.reversed();
        let order = backward.reverse_postorder([end]);
        let postdominators = Dominators::new(count + 1, &order, &forward);
        // Pairs of a location and a branch that it depends on.
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for branch in 0..count as u32 {
            let successors = forward.successors(branch);
            if successors
                .iter()
                .all(|&successor| successor == successors[0])
            {
                continue;
            }
            let stop = postdominators.immediate[branch as usize];
            let first = pairs.len();
            for &successor in successors {
                let mut at = successor;
                while at != stop && at != end && at != crate::digraph::NONE {
                    pairs.push((at, branch));
                    at = postdominators.immediate[at as usize];
                }
            }
            pairs[first..].sort_unstable();
            let mut kept = first;
            for index in first..pairs.len() {
                if index == first || pairs[index] != pairs[index - 1] {
                    pairs.swap(kept, index);
                    kept += 1;
                }
            }
            pairs.truncate(kept);
        }
        let mut starts = vec![0u32; count + 1];
        for &(location, _) in &pairs {
            starts[location as usize + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut branches = vec![LocationId(0); pairs.len()];
        for &(location, branch) in &pairs {
            let slot = &mut next[location as usize];
            branches[*slot as usize] = LocationId(branch);
            *slot += 1;
        }
        Self {
            postdominators,
            end,
            starts,
            branches,
        }
    }

    /// The branches that decide whether the location is reached.
    pub fn of(&self, location: LocationId) -> &[LocationId] {
        &self.branches
            [self.starts[location.index()] as usize..self.starts[location.index() + 1] as usize]
    }

    /// The location's immediate postdominator, if there is one: every execution from the location reaches it.
    pub(crate) fn postdominator(&self, location: LocationId) -> Option<LocationId> {
        let next = self.postdominators.immediate[location.index()];
        (next < self.end).then_some(LocationId(next))
    }
}

/// Returns the edges of the graph, with one to the end node from every location at which execution may stop or diverge.
fn with_every_end(
    program: &Program,
    graph: &Graph,
    cut_points: &CutPoints,
    termination: &Termination,
) -> Vec<(u32, u32)> {
    let count = program.locations.len();
    let end = count as u32;
    let mut may_stop = program.error_marks();
    for (index, cycle) in cut_points.loops().iter().enumerate() {
        may_stop[cycle.head.index()] |= !termination.loops[index];
    }
    let mut edges = Vec::new();
    for location in (0..count as u32).map(LocationId) {
        let outgoing = || graph.outgoing(location).iter().map(|&id| program.edge(id));
        let mut stops = may_stop[location.index()] || !always_go_on(outgoing());
        for edge in outgoing() {
            if goes_on(edge) {
                edges.push((location.0, edge.target.0));
            }
            stops |= callee(edge).is_some_and(|callee| !termination.total[callee.index()]);
        }
        if stops {
            edges.push((location.0, end));
        }
    }
    edges
}

/// Returns the edges of the graph but those to dead ends, with as many to the end node as every location needs to reach it.
fn with_some_end(
    program: &Program,
    graph: &Graph,
    cut_points: &CutPoints,
    dead_ends: &[bool],
) -> Vec<(u32, u32)> {
    let count = program.locations.len();
    let end = count as u32;
    let mut edges = Vec::new();
    for location in (0..count as u32).map(LocationId) {
        let outgoing = graph.outgoing(location).iter();
        let is_dead_end = dead_ends[location.index()];
        let onward = outgoing
            .map(|&id| program.edge(id))
            .filter(|edge| goes_on(edge) && (is_dead_end || !dead_ends[edge.target.index()]));
        let before = edges.len();
        edges.extend(onward.map(|edge| (location.0, edge.target.0)));
        if edges.len() == before {
            edges.push((location.0, end));
        }
    }
    let backward = Digraph::new(count + 1, edges.iter().map(|&(from, to)| (to, from)));
    let ends = backward.reachable([end]);
    let heads = cut_points.loops().iter().map(|cycle| cycle.head);
    let endless = heads.filter(|head| !ends[head.index()]);
    edges.extend(endless.map(|head| (head.0, end)));
    edges
}
