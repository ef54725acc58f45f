//! Weak topological orders (\[Bou93\]) of the locations of each function.
//!
//! Locations are numbered so that an edge leads to a greater number, or back to the *head* of a component that it is in.
//! A component, the loops nested in it included, has consecutive numbers, of which its head has the first. An analysis that
//! visits locations in this order, and iterates a component until it is stable before it continues, visits within one
//! iteration all predecessors of a location before the location itself. A call counts as an edge.

use rustc_hash::FxHashMap;

use super::digraph::Digraph;
use super::graph::{Graph, goes_on};
use crate::cfa::*;

/// The weak topological order of every function of a program.
#[derive(Clone, Debug)]
pub struct WeakOrder {
    numbers: Vec<u32>,
    /// The heads of the components around each location, outermost first; a head is in its own component.
    heads: Vec<Box<[LocationId]>>,
}

enum Task {
    Emit(LocationId, Vec<LocationId>),
    Decompose(Vec<LocationId>, Vec<LocationId>),
}

impl WeakOrder {
    /// Computes the orders of the program; `graph` is the index of its edges.
    pub fn new(program: &Program, graph: &Graph) -> Self {
        let mut result = Self {
            numbers: vec![0; program.locations.len()],
            heads: vec![Box::default(); program.locations.len()],
        };
        let mut by_function: Vec<Vec<LocationId>> = vec![Vec::new(); program.functions.len()];
        for (index, location) in program.locations.iter().enumerate() {
            by_function[location.function.index()].push(LocationId(index as u32));
        }
        let mut next = 0;
        for (function, locations) in program.functions.iter().zip(by_function) {
            let mut work = vec![Task::Decompose(locations, Vec::new())];
            while let Some(task) = work.pop() {
                match task {
                    Task::Emit(location, heads) => {
                        result.numbers[location.index()] = next;
                        result.heads[location.index()] = heads.into();
                        next += 1;
                    }
                    Task::Decompose(locations, heads) => {
                        let parts = components(program, graph, &locations);
                        for part in parts {
                            schedule(program, graph, function.entry, part, &heads, &mut work);
                        }
                    }
                }
            }
        }
        result
    }

    /// The location's number in the order of its function.
    pub fn number(&self, location: LocationId) -> u32 {
        self.numbers[location.index()]
    }

    /// The heads of the components that the location is in, outermost first. A head is in its own component.
    pub fn heads(&self, location: LocationId) -> &[LocationId] {
        &self.heads[location.index()]
    }

    /// Whether the location is the head of a component.
    pub fn is_head(&self, location: LocationId) -> bool {
        self.heads(location).last() == Some(&location)
    }
}

/// Adds the tasks of a strongly connected component to `work`.
fn schedule(
    program: &Program,
    graph: &Graph,
    entry: LocationId,
    part: Vec<LocationId>,
    heads: &[LocationId],
    work: &mut Vec<Task>,
) {
    let &[first, ..] = &part[..] else {
        return;
    };
    let loops = |&edge: &EdgeId| goes_on(program.edge(edge)) && program.edge(edge).target == first;
    if part.len() == 1 && !graph.outgoing(first).iter().any(loops) {
        work.push(Task::Emit(first, heads.to_vec()));
        return;
    }
    let from_outside = |&&node: &&LocationId| {
        let mut incoming = graph.incoming(node).iter();
        node == entry || incoming.any(|&edge| !part.contains(&program.edge(edge).source))
    };
    let head = *part.iter().find(from_outside).unwrap_or(&first);
    let mut heads = heads.to_vec();
    heads.push(head);
    let rest = part.into_iter().filter(|&node| node != head).collect();
    work.push(Task::Decompose(rest, heads.clone()));
    work.push(Task::Emit(head, heads));
}

/// The strongly connected components of the subgraph that the locations induce, in reverse topological order.
fn components(program: &Program, graph: &Graph, nodes: &[LocationId]) -> Vec<Vec<LocationId>> {
    let local: FxHashMap<LocationId, u32> = nodes.iter().copied().zip(0..).collect();
    let mut edges = Vec::new();
    for (&node, number) in nodes.iter().zip(0..) {
        for &edge in graph.outgoing(node) {
            let edge = program.edge(edge);
            if goes_on(edge)
                && let Some(&target) = local.get(&edge.target)
            {
                edges.push((number, target));
            }
        }
    }
    let graph = Digraph::new(nodes.len(), edges.iter().copied());
    let members = graph.components(0..nodes.len() as u32).members();
    let back = |group: Vec<u32>| group.into_iter().map(|node| nodes[node as usize]).collect();
    members.into_iter().map(back).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramBuilder;
    use regatta_term::Sort;

    #[test]
    fn edges_ascend_or_lead_back_to_an_enclosing_head() {
        let mut b = ProgramBuilder::new();
        let go = b.global("go", Sort::Bool);
        b.repeat_while(b.value(go), |b| {
            b.repeat_while(b.value(go), |b| b.assign(go, b.value(go)));
            b.repeat_while(b.value(go), |b| b.assign(go, b.value(go)));
        });
        b.error_unless(b.value(go));
        let program = b.finish();
        let order = WeakOrder::new(&program, &Graph::new(&program));
        let mut deepest = 0;
        for edge in &program.edges {
            let (from, to) = (edge.source, edge.target);
            deepest = deepest.max(order.heads(to).len());
            let on = order.number(from) < order.number(to);
            let back = order.is_head(to) && order.heads(from).contains(&to);
            assert!(on != back, "{from:?} to {to:?}");
        }
        assert_eq!(deepest, 2);
    }
}
