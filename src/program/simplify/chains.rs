//! Joins consecutive edges, and merges parallel ones.
//!
//! * A location whose only outgoing edge is a skip is merged with the skip's target. If the target has no other incoming
//!   edge, the source's id stays: a loop head stays the head if a skip from it leads to a call in the loop.
//! * A location with one incoming and one outgoing edge is removed: the edges become one, unless one of them is a call.
//! * Parallel edges that differ only in their first condition become one edge with the disjunction of the conditions. A
//!   branch both of whose sides do the same so becomes an unconditional edge.

use rustc_hash::FxHashMap;

use crate::program::cfa::*;
use crate::program::graph::{Graph, callee, goes_on};
use crate::program::simplify::workspace::Workspace;
use crate::term::{Build, TermId, store};

/// The chains that are joined.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Extent {
    /// All but a branch's edge with a following condition: slicing needs to see that the branch's own conditions are
    /// exhaustive.
    Partial,
    /// All.
    Full,
}

/// Runs the pass; returns the number of removed edges.
pub(super) fn run(workspace: &mut Workspace) -> usize {
    repeat(workspace, Extent::Partial)
}

/// Joins the remaining chains, after the last round.
pub(super) fn finish(workspace: &mut Workspace) -> usize {
    repeat(workspace, Extent::Full)
}

fn repeat(workspace: &mut Workspace, extent: Extent) -> usize {
    let mut changes = 0;
    loop {
        let round = contract_skips(workspace) + join(workspace, extent) + merge_parallel(workspace);
        changes += round;
        if round == 0 {
            return changes;
        }
    }
}

/// Whether the edge has no operations.
fn is_skip(edge: &Edge) -> bool {
    edge.operations.is_empty()
}

fn contract_skips(workspace: &mut Workspace) -> usize {
    absorb_targets(workspace) + move_sources(workspace)
}

/// Contracts skips to locations without other incoming edges: edges from the target then start at the skip's source.
fn absorb_targets(workspace: &mut Workspace) -> usize {
    let fixed = workspace.fixed_locations();
    let program = &mut workspace.program;
    let graph = Graph::new(program);
    let mut keep = vec![true; program.edges.len()];
    // For each location the one at which its outgoing edges start afterwards.
    let mut begin: Vec<LocationId> = (0..program.locations.len() as u32)
        .map(LocationId)
        .collect();
    let resolve = |begin: &[LocationId], mut location: LocationId| {
        while begin[location.index()] != location {
            location = begin[location.index()];
        }
        location
    };
    for location in (0..program.locations.len() as u32).map(LocationId) {
        let &[id] = graph.outgoing(location) else {
            continue;
        };
        let next = program.edge(id).target;
        let alone = graph.incoming(next).len() == 1 && !fixed[next.index()];
        // A cycle of skips keeps one of them.
        if is_skip(program.edge(id)) && alone && resolve(&begin, location) != next {
            begin[next.index()] = location;
            keep[id.index()] = false;
            let label = program.locations[next.index()].label.take();
            let kept = &mut program.locations[location.index()].label;
            *kept = kept.take().or(label);
        }
    }
    let changes = workspace.keep_edges(&keep);
    if changes > 0 {
        for edge in &mut workspace.program.edges {
            edge.source = resolve(&begin, edge.source);
        }
    }
    changes
}

/// Contracts the other skips: edges to the source then lead to the skip's target.
fn move_sources(workspace: &mut Workspace) -> usize {
    let fixed = workspace.fixed_locations();
    let program = &workspace.program;
    let graph = Graph::new(program);
    let count = program.locations.len();
    // For each location the one to which its incoming edges lead afterwards.
    let mut moved: Vec<Option<LocationId>> = vec![None; count];
    let mut keep = vec![true; program.edges.len()];
    for location in (0..count as u32).map(LocationId) {
        let &[id] = graph.outgoing(location) else {
            continue;
        };
        let edge = program.edge(id);
        if !is_skip(edge) || fixed[location.index()] {
            continue;
        }
        // A cycle of skips keeps one of them.
        let mut end = edge.target;
        while let Some(next) = moved[end.index()] {
            end = next;
        }
        if end == location {
            continue;
        }
        moved[location.index()] = Some(end);
        keep[id.index()] = false;
    }
    let changes = workspace.keep_edges(&keep);
    if changes == 0 {
        return 0;
    }
    let resolve = |mut location: LocationId| {
        while let Some(next) = moved[location.index()] {
            location = next;
        }
        location
    };
    let locations = (0..count as u32).map(LocationId);
    for location in locations.filter(|location| moved[location.index()].is_some()) {
        let end = resolve(location);
        let label = workspace.program.locations[location.index()].label.take();
        let kept = &mut workspace.program.locations[end.index()].label;
        *kept = kept.take().or(label);
    }
    for edge in &mut workspace.program.edges {
        edge.target = resolve(edge.target);
    }
    changes
}

fn join(workspace: &mut Workspace, extent: Extent) -> usize {
    let fixed = workspace.fixed_locations();
    let graph = Graph::new(&workspace.program);
    let mut keep = vec![true; workspace.program.edges.len()];
    let edges = &mut workspace.program.edges;
    for first in 0..edges.len() {
        if !keep[first] || callee(&edges[first]).is_some() || !goes_on(&edges[first]) {
            continue;
        }
        // The chain that begins with this edge.
        loop {
            let middle = edges[first].target;
            let (&[_], &[second]) = (graph.incoming(middle), graph.outgoing(middle)) else {
                break;
            };
            let second = second.index();
            if fixed[middle.index()] || second == first || callee(&edges[second]).is_some() {
                break;
            }
            let branches = graph.outgoing(edges[first].source).len() > 1;
            let assumes = edges[second]
                .operations
                .iter()
                .any(|operation| matches!(operation, Operation::Assume(_)));
            if !keep[second] || (extent == Extent::Partial && branches && assumes) {
                break;
            }
            keep[second] = false;
            let operations = std::mem::take(&mut edges[second].operations);
            let target = edges[second].target;
            if edges[first].operations.is_empty() {
                edges[first].span = edges[second].span;
            }
            edges[first].operations.extend(operations);
            edges[first].target = target;
            if !goes_on(&edges[first]) {
                break;
            }
        }
    }
    workspace.keep_edges(&keep)
}

/// The first condition of an edge and the rest of its operations.
fn split(edge: &Edge) -> (TermId, &[Operation]) {
    match edge.operations.split_first() {
        Some((Operation::Assume(condition), rest)) => (*condition, rest),
        _ => (TermId::TRUE, &edge.operations),
    }
}

fn merge_parallel(workspace: &mut Workspace) -> usize {
    let graph = Graph::new(&workspace.program);
    let mut keep = vec![true; workspace.program.edges.len()];
    let mut by_target: FxHashMap<LocationId, Vec<EdgeId>> = FxHashMap::default();
    for location in (0..workspace.program.locations.len() as u32).map(LocationId) {
        let outgoing = graph.outgoing(location);
        if outgoing.len() < 2 {
            continue;
        }
        by_target.clear();
        for &id in outgoing {
            by_target
                .entry(workspace.program.edge(id).target)
                .or_default()
                .push(id);
        }
        for group in by_target.values() {
            merge_group(workspace, group, &mut keep);
        }
    }
    workspace.keep_edges(&keep)
}

fn merge_group(workspace: &mut Workspace, group: &[EdgeId], keep: &mut [bool]) {
    for (index, &first) in group.iter().enumerate() {
        if !keep[first.index()] || callee(workspace.program.edge(first)).is_some() {
            continue;
        }
        let mut conditions = vec![split(workspace.program.edge(first)).0];
        for &second in &group[index + 1..] {
            let (one, other) = (
                split(workspace.program.edge(first)),
                split(workspace.program.edge(second)),
            );
            if keep[second.index()] && one.1 == other.1 {
                keep[second.index()] = false;
                conditions.push(other.0);
            }
        }
        if conditions.len() < 2 {
            continue;
        }
        let condition = store().or(conditions);
        let edge = &mut workspace.program.edges[first.index()];
        if matches!(edge.operations.first(), Some(Operation::Assume(_))) {
            edge.operations.remove(0);
        }
        if condition != TermId::TRUE {
            edge.operations.insert(0, Operation::Assume(condition));
        }
    }
}
