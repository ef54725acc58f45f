//! The order in which the locations of a function are executed, and its loops without cut points.
//!
//! A cycle of the inlined program stays, at its shallowest call string, within one function (calls counting as edges). So
//! it is enough to consider cycles within functions. A cycle without a cut point, also in the functions that it calls,
//! gets a *head*, at which the walk havocs all variables that the loop may change.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowered;
use regatta_program::digraph::Digraph;
use regatta_program::graph::goes_on;
use regatta_program::nesting::Nesting;
use regatta_program::{Edge, EdgeId, FunctionId, LocationId, VariableId};

/// The execution order of a function with some cut points.
#[derive(Default)]
pub(crate) struct Plan {
    /// The cut points.
    pub cuts: FxHashSet<LocationId>,
    /// Edges that cannot be taken.
    pub dead: FxHashSet<EdgeId>,
    /// Calls that pass a cut point before they return. No segment goes around a loop through them: a segment that returns
    /// from such a call began inside it, and the return is executed before all locations here.
    cut_calls: FxHashSet<EdgeId>,
    /// The position of each other location in the order: before its successors, except for heads of enclosing loops.
    pub position: FxHashMap<LocationId, u32>,
    /// The heads of the loops that no cut point cuts.
    pub heads: FxHashMap<LocationId, Head>,
}

/// A loop without cut points.
pub(crate) struct Head {
    /// Its locations.
    pub members: FxHashSet<LocationId>,
    /// The variables that it may change, including changes by callees.
    pub changes: Vec<VariableId>,
}

impl Plan {
    pub fn new(
        lowered: &Lowered<'_>,
        function: FunctionId,
        cuts: FxHashSet<LocationId>,
        dead: FxHashSet<EdgeId>,
        cut_calls: &[EdgeId],
    ) -> Self {
        let all = lowered.locations[function.index()].iter().copied();
        let rest: Vec<_> = all.filter(|location| !cuts.contains(location)).collect();
        let mut plan = Self {
            cuts,
            dead,
            cut_calls: cut_calls.iter().copied().collect(),
            ..Self::default()
        };
        let entry = lowered.program.function(function).entry;
        let graph = plan.graph(lowered, &rest);
        let mut nesting = Nesting::new(&graph);
        nesting.add((0..rest.len() as u32).collect(), |members| {
            let component: Vec<_> = members.iter().map(|&node| rest[node as usize]).collect();
            members[plan.add_loop(lowered, entry, &component)]
        });
        let order = nesting.order.iter().map(|&node| rest[node as usize]);
        plan.position = order.zip(0..).collect();
        plan
    }

    /// Adds the loop with these locations. Returns the index of its head among them.
    fn add_loop(
        &mut self,
        lowered: &Lowered<'_>,
        entry: LocationId,
        component: &[LocationId],
    ) -> usize {
        let program = lowered.program;
        let members: FxHashSet<LocationId> = component.iter().copied().collect();
        let from_outside = |&node: &LocationId| {
            let mut incoming = lowered.graph.incoming(node).iter();
            node == entry || incoming.any(|&edge| !members.contains(&program.edge(edge).source))
        };
        let head = component.iter().position(from_outside).unwrap_or(0);
        let mut changes = Vec::new();
        for &node in component {
            for edge in self.outgoing(lowered, node) {
                if members.contains(&edge.target) {
                    changes.extend(lowered.changes(edge));
                }
            }
        }
        changes.sort_unstable();
        changes.dedup();
        self.heads
            .insert(component[head], Head { members, changes });
        head
    }

    /// The edges from the location that may be taken and stay within a segment.
    fn outgoing<'l>(
        &'l self,
        lowered: &'l Lowered<'_>,
        node: LocationId,
    ) -> impl Iterator<Item = &'l Edge> {
        let outgoing = lowered.graph.outgoing(node).iter();
        outgoing
            .filter(|edge| !self.dead.contains(edge) && !self.cut_calls.contains(edge))
            .map(|&edge| lowered.program.edge(edge))
            .filter(|edge| goes_on(edge))
    }

    /// The graph of the edges between the locations, which have their positions in the list as numbers.
    fn graph(&self, lowered: &Lowered<'_>, nodes: &[LocationId]) -> Digraph {
        let local: FxHashMap<LocationId, u32> = nodes.iter().copied().zip(0..).collect();
        let mut edges = Vec::new();
        for (&node, number) in nodes.iter().zip(0..) {
            for edge in self.outgoing(lowered, node) {
                if let Some(&target) = local.get(&edge.target) {
                    edges.push((number, target));
                }
            }
        }
        Digraph::new(nodes.len(), edges.iter().copied())
    }
}
