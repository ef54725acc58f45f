//! Nested loops of a directed graph, and a weak topological order (\[Bou93\]) of its nodes.
//!
//! The nodes are decomposed into strongly connected components. A component with a cycle is a loop; without its *head* it
//! falls apart into the components of the inner loops. Which node is the head is for the caller to say.

use super::digraph::{Digraph, NONE};

/// A loop: a strongly connected component of the nodes, or of an outer loop without its head.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// The node without which the inner loops are found.
    pub head: u32,
    /// The loop around it, as an index into [`Nesting::cycles`].
    pub parent: Option<u32>,
    /// Its nodes, the head and those of inner loops included, by number.
    pub members: Vec<u32>,
}

/// The loops of the nodes that were decomposed.
#[derive(Clone, Debug)]
pub struct Nesting<'a> {
    decomposition: Decomposition<'a>,
    /// All loops, outer before inner.
    pub cycles: Vec<Cycle>,
    /// The innermost loop around each node, as an index into [`Self::cycles`]; a head is in its own loop.
    pub innermost: Vec<Option<u32>>,
    /// The nodes in a weak topological order: a node comes before its successors, except for heads of loops around it, and
    /// a loop's nodes are consecutive, the head first.
    pub order: Vec<u32>,
}

/// A pending step of the search for loops.
enum Task {
    /// Append the node to the order.
    Emit(u32),
    /// Decompose the nodes, those of the given loop without its head, into components.
    Decompose(Vec<u32>, Option<u32>),
    /// Add the loop with these nodes, inside the given loop.
    Loop(Vec<u32>, Option<u32>),
}

impl<'a> Nesting<'a> {
    /// No loops yet; [`Self::add`] finds those of some nodes.
    pub fn new(graph: &'a Digraph) -> Self {
        Self {
            decomposition: Decomposition::new(graph),
            cycles: Vec::new(),
            innermost: vec![None; graph.nodes()],
            order: Vec::new(),
        }
    }

    /// Adds the loops of the subgraph that the nodes induce, and the nodes to the order. No node may be added twice. `head`
    /// chooses one of a loop's nodes, which it gets by number.
    pub fn add(&mut self, nodes: Vec<u32>, mut head: impl FnMut(&[u32]) -> u32) {
        let mut work = vec![Task::Decompose(nodes, None)];
        while let Some(task) = work.pop() {
            match task {
                Task::Emit(node) => self.order.push(node),
                Task::Decompose(nodes, parent) => {
                    // In reverse, since the last one pushed is the first one to be done.
                    for component in self.decomposition.components(&nodes).into_iter().rev() {
                        work.push(match component {
                            Component::Single(node) => Task::Emit(node),
                            Component::Cyclic(members) => Task::Loop(members, parent),
                        });
                    }
                }
                Task::Loop(members, parent) => {
                    let head = head(&members);
                    let number = self.cycles.len() as u32;
                    for &member in &members {
                        self.innermost[member as usize] = Some(number);
                    }
                    let inner = members.iter().copied().filter(|&node| node != head);
                    work.push(Task::Decompose(inner.collect(), Some(number)));
                    self.order.push(head);
                    self.cycles.push(Cycle {
                        head,
                        parent,
                        members,
                    });
                }
            }
        }
    }
}

enum Component {
    /// A node without an edge to itself.
    Single(u32),
    /// Nodes on cycles, by number.
    Cyclic(Vec<u32>),
}

/// Decomposes induced subgraphs in time proportional to their own size.
#[derive(Clone, Debug)]
pub struct Decomposition<'a> {
    graph: &'a Digraph,
    local: Vec<u32>,
}

impl<'a> Decomposition<'a> {
    /// A decomposition of the graph's subgraphs.
    pub fn new(graph: &'a Digraph) -> Self {
        Self {
            graph,
            local: vec![NONE; graph.nodes()],
        }
    }

    /// The strongly connected components of the subgraph that the nodes induce, in topological order.
    fn components(&mut self, nodes: &[u32]) -> Vec<Component> {
        for (index, &node) in nodes.iter().enumerate() {
            self.local[node as usize] = index as u32;
        }
        let local = &self.local;
        let edges = nodes.iter().flat_map(|&node| {
            let targets = self.graph.successors(node).iter();
            targets.filter_map(move |&target| match local[target as usize] {
                NONE => None,
                target => Some((local[node as usize], target)),
            })
        });
        let subgraph = Digraph::new(nodes.len(), edges);
        let components = subgraph.components(0..nodes.len() as u32);
        for &node in nodes {
            self.local[node as usize] = NONE;
        }
        let count = components.count as usize;
        let mut result: Vec<Component> = Vec::with_capacity(count);
        // Sorting by component, the last one first, puts the nodes into topological order.
        let mut sorted: Vec<(u32, u32)> = Vec::with_capacity(nodes.len());
        sorted.extend(
            (0..nodes.len() as u32).map(|n| (u32::MAX - components.component[n as usize], n)),
        );
        sorted.sort_unstable();
        for group in sorted.chunk_by(|a, b| a.0 == b.0) {
            let first = group[0].1;
            result.push(
                if group.len() == 1 && !subgraph.successors(first).contains(&first) {
                    Component::Single(nodes[first as usize])
                } else {
                    let mut members: Vec<u32> =
                        group.iter().map(|&(_, n)| nodes[n as usize]).collect();
                    members.sort_unstable();
                    Component::Cyclic(members)
                },
            );
        }
        result
    }

    /// Whether the subgraph that the nodes induce has no cycle.
    pub(crate) fn is_acyclic(&mut self, nodes: &[u32]) -> bool {
        let components = self.components(nodes);
        components
            .iter()
            .all(|component| matches!(component, Component::Single(_)))
    }
}
