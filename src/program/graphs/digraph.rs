//! Directed graphs in compressed sparse row form, and the classical linear algorithms on them.
//!
//! Nodes are numbers from zero. Programs have chains of hundreds of thousands of locations, so no algorithm here is
//! recursive, as Tarjan's is in `petgraph`; and `petgraph` has neither components of a part of a graph nor dominators that
//! can be compared by their order.

/// A directed graph: the successors of each node, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub struct Digraph {
    /// `targets[starts[n]..starts[n + 1]]` are the successors of `n`.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

/// Marks a node that has no number in an order, no component, or no dominator.
pub const NONE: u32 = u32::MAX;

impl Digraph {
    /// The graph with `nodes` nodes and the given edges (source, target).
    pub fn new(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for (source, _) in edges.clone() {
            starts[source as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut targets = vec![0u32; starts[nodes] as usize];
        for (source, target) in edges {
            let slot = &mut next[source as usize];
            targets[*slot as usize] = target;
            *slot += 1;
        }
        Self { starts, targets }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn successors(&self, node: u32) -> &[u32] {
        &self.targets[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// All edges as (source, target).
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
        (0..self.nodes() as u32).flat_map(|node| {
            self.successors(node)
                .iter()
                .map(move |&target| (node, target))
        })
    }

    /// The graph with all edges reversed.
    pub fn reversed(&self) -> Self {
        Self::new(
            self.nodes(),
            self.edges().map(|(source, target)| (target, source)),
        )
    }

    /// For each node, whether it can be reached from the roots; roots are reached.
    pub fn reachable(&self, roots: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut seen = vec![false; self.nodes()];
        let mut stack: Vec<u32> = Vec::new();
        for root in roots {
            if !std::mem::replace(&mut seen[root as usize], true) {
                stack.push(root);
            }
        }
        while let Some(node) = stack.pop() {
            for &next in self.successors(node) {
                if !std::mem::replace(&mut seen[next as usize], true) {
                    stack.push(next);
                }
            }
        }
        seen
    }

    /// The nodes reachable from the roots, in reverse postorder of a depth-first search: a node comes before its
    /// successors, except for the targets of back edges.
    pub fn reverse_postorder(&self, roots: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut seen = vec![false; self.nodes()];
        let mut order = Vec::new();
        let mut stack: Vec<(u32, u32)> = Vec::new();
        for root in roots {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            stack.push((root, 0));
            while let Some((node, next)) = stack.last_mut() {
                if let Some(&target) = self.successors(*node).get(*next as usize) {
                    *next += 1;
                    if !std::mem::replace(&mut seen[target as usize], true) {
                        stack.push((target, 0));
                    }
                } else {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// The strongly connected components (Tarjan) of the nodes reachable from the roots. A component has a smaller number
    /// than those from which it is reached: the numbers are a reverse topological order.
    pub fn components(&self, roots: impl IntoIterator<Item = u32>) -> Components {
        let nodes = self.nodes();
        let mut component = vec![NONE; nodes];
        let mut low = vec![NONE; nodes];
        let mut count = 0;
        let mut clock = 0;
        let mut open: Vec<u32> = Vec::new();
        let mut stack: Vec<(u32, u32)> = Vec::new();
        // `low` doubles as the discovery number until something smaller is found.
        let mut discovered = vec![NONE; nodes];
        for root in roots {
            if discovered[root as usize] != NONE {
                continue;
            }
            stack.push((root, 0));
            while let Some(&mut (node, ref mut next)) = stack.last_mut() {
                let n = node as usize;
                if *next == 0 && discovered[n] == NONE {
                    discovered[n] = clock;
                    low[n] = clock;
                    clock += 1;
                    open.push(node);
                }
                if let Some(&target) = self.successors(node).get(*next as usize) {
                    *next += 1;
                    let t = target as usize;
                    if discovered[t] == NONE {
                        stack.push((target, 0));
                    } else if component[t] == NONE {
                        low[n] = low[n].min(discovered[t]);
                    }
                    continue;
                }
                stack.pop();
                if let Some(&(parent, _)) = stack.last() {
                    low[parent as usize] = low[parent as usize].min(low[n]);
                }
                if low[n] == discovered[n] {
                    while let Some(member) = open.pop() {
                        component[member as usize] = count;
                        if member == node {
                            break;
                        }
                    }
                    count += 1;
                }
            }
        }
        Components { component, count }
    }

    /// For each node, whether it is on a cycle; an edge from a node to itself is one.
    pub fn on_cycles(&self) -> Vec<bool> {
        self.components(0..self.nodes() as u32).on_cycles(self)
    }

    /// The immediate dominators of the nodes reachable from the root (\[CHK01\]);
    /// the root is its own.
    pub(crate) fn dominators(&self, root: u32) -> Dominators {
        let order = self.reverse_postorder([root]);
        let predecessors = self.reversed();
        Dominators::new(self.nodes(), &order, &predecessors)
    }
}

/// Strongly connected components; see [`Digraph::components`].
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each node; [`NONE`] for an unreachable node.
    pub component: Vec<u32>,
    /// The number of components.
    pub count: u32,
}

impl Components {
    /// For each node of the graph whose components these are, whether it is on a cycle; an edge from a node to itself is one.
    /// An unreachable node counts as one that is not.
    pub fn on_cycles(&self, graph: &Digraph) -> Vec<bool> {
        let mut result = vec![false; graph.nodes()];
        for members in self.members() {
            let is_cyclic = members.len() > 1 || graph.successors(members[0]).contains(&members[0]);
            for member in members {
                result[member as usize] = is_cyclic;
            }
        }
        result
    }

    /// The nodes of each component.
    pub fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); self.count as usize];
        for (node, &component) in self.component.iter().enumerate() {
            if component != NONE {
                members[component as usize].push(node as u32);
            }
        }
        members
    }
}

#[derive(Clone, Debug)]
pub struct Dominators {
    /// The immediate dominator of each node: the root's is itself, [`NONE`] for an unreachable node.
    pub immediate: Vec<u32>,
    /// The number of each node in reverse postorder, or [`NONE`].
    pub number: Vec<u32>,
}

impl Dominators {
    /// Dominators of the nodes in `order`, a reverse postorder from a single root.
    pub fn new(nodes: usize, order: &[u32], predecessors: &Digraph) -> Self {
        let mut number = vec![NONE; nodes];
        for (index, &node) in order.iter().enumerate() {
            number[node as usize] = index as u32;
        }
        let mut result = Self {
            immediate: vec![NONE; nodes],
            number,
        };
        let Some(&root) = order.first() else {
            return result;
        };
        result.immediate[root as usize] = root;
        let mut changed = true;
        while changed {
            changed = false;
            for &node in &order[1..] {
                let mut dominator = NONE;
                for &predecessor in predecessors.successors(node) {
                    if result.immediate[predecessor as usize] != NONE {
                        dominator = match dominator {
                            NONE => predecessor,
                            other => result.meet(other, predecessor),
                        };
                    }
                }
                if result.immediate[node as usize] != dominator {
                    result.immediate[node as usize] = dominator;
                    changed = true;
                }
            }
        }
        result
    }

    /// The closest node that dominates both.
    pub fn meet(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            while self.number[a as usize] > self.number[b as usize] {
                a = self.immediate[a as usize];
            }
            while self.number[b as usize] > self.number[a as usize] {
                b = self.immediate[b as usize];
            }
        }
        a
    }

    /// Whether every path from the root to `node` passes `dominator`; a reached node dominates itself.
    pub(crate) fn dominates(&self, dominator: u32, mut node: u32) -> bool {
        if self.number[node as usize] == NONE || self.number[dominator as usize] == NONE {
            return false;
        }
        while self.number[node as usize] > self.number[dominator as usize] {
            node = self.immediate[node as usize];
        }
        node == dominator
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(nodes: usize, edges: &[(u32, u32)]) -> Digraph {
        Digraph::new(nodes, edges.iter().copied())
    }

    #[test]
    fn dominators_of_a_diamond_in_a_loop() {
        // 0 → 1 → {2, 3} → 4 → {1, 5}
        let g = graph(6, &[(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 1), (4, 5)]);
        let dominators = g.dominators(0);
        assert_eq!(dominators.immediate, [0, 0, 1, 1, 1, 4]);
        assert!(dominators.dominates(1, 5) && !dominators.dominates(2, 4));
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let nodes = 300_000;
        let g = Digraph::new(nodes, (1..nodes as u32).map(|n| (n - 1, n)));
        assert_eq!(g.components([0]).count as usize, nodes);
        assert_eq!(g.reverse_postorder([0]).len(), nodes);
        assert_eq!(g.dominators(0).immediate[nodes - 1], nodes as u32 - 2);
    }

    proptest! {
        /// Two nodes are in one component exactly if each reaches the other, and components are numbered in reverse
        /// topological order; a node dominates another exactly if the other is not reached without it.
        #[test]
        fn components_and_dominators_agree_with_their_definitions(
            edges in prop::collection::vec((0u32..8, 0u32..8), 0..20)
        ) {
            let g = graph(8, &edges);
            let reach: Vec<Vec<bool>> = (0..8).map(|n| g.reachable([n])).collect();
            let components = g.components(0..8);
            for (a, from_a) in reach.iter().enumerate() {
                for (b, from_b) in reach.iter().enumerate() {
                    let same = components.component[a] == components.component[b];
                    prop_assert_eq!(same, from_a[b] && from_b[a]);
                    if from_a[b] {
                        prop_assert!(components.component[a] >= components.component[b]);
                    }
                }
            }
            for (node, on_cycle) in g.on_cycles().into_iter().enumerate() {
                let expected = g.successors(node as u32).iter().any(|&next| reach[next as usize][node]);
                prop_assert_eq!(on_cycle, expected);
            }
            let dominators = g.dominators(0);
            for a in 0..8u32 {
                let without = graph(8, &edges.iter().copied().filter(|&(s, t)| s != a && t != a).collect::<Vec<_>>());
                let reached = without.reachable([0]);
                for b in 0..8u32 {
                    if reach[0][b as usize] && reach[0][a as usize] {
                        let expected = a == b || a == 0 || !reached[b as usize];
                        prop_assert_eq!(dominators.dominates(a, b), expected, "{} dominates {}", a, b);
                    }
                }
            }
        }
    }
}
