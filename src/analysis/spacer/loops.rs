//! Which loops there are, and which of them each location is in.

use crate::program::digraph::Digraph;

/// The loops of a directed graph, nested: each cycle passes the head of the innermost loop that it is in.
#[derive(Debug, PartialEq, Eq)]
pub struct Loops {
    /// For each node the heads of the loops that it is in, outermost first. A head is in its own loop.
    heads: Vec<Vec<u32>>,
}

impl Loops {
    /// The loops of the graph, where `order` is an order of all nodes: a loop's head is its first node.
    pub fn new(nodes: usize, edges: &[(u32, u32)], order: &[u32]) -> Self {
        let mut position = vec![0; nodes];
        for (number, &node) in order.iter().enumerate() {
            position[node as usize] = number;
        }
        let mut loops = Self {
            heads: vec![Vec::new(); nodes],
        };
        loops.nest(edges.to_vec(), &position);
        loops
    }

    /// Finds the loops of the edges, and then those within each of them, without its back edges.
    fn nest(&mut self, mut edges: Vec<(u32, u32)>, position: &[usize]) {
        while !edges.is_empty() {
            let graph = Digraph::new(position.len(), edges.iter().copied());
            let components = graph.components(0..position.len() as u32);
            let component = |node: u32| components.component[node as usize];
            edges.retain(|&(from, to)| component(from) == component(to));
            let mut head: Vec<Option<u32>> = vec![None; components.count as usize];
            for node in edges.iter().flat_map(|&(from, to)| [from, to]) {
                let head = &mut head[component(node) as usize];
                let is_first = |other: u32| position[node as usize] < position[other as usize];
                if head.is_none_or(is_first) {
                    *head = Some(node);
                }
            }
            for (node, heads) in self.heads.iter_mut().enumerate() {
                heads.extend(head[component(node as u32) as usize]);
            }
            edges.retain(|&(_, to)| head[component(to) as usize] != Some(to));
        }
    }

    /// The heads of the loops that the node is in, outermost first.
    pub fn of(&self, node: u32) -> &[u32] {
        &self.heads[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cycle_passes_the_head_of_a_loop() {
        // 1 is the head of the outer loop, 2 and 4 those of inner ones; 3 and 5 are on cycles that jump into the middle.
        let edges = [
            (0, 1),
            (1, 2),
            (2, 2),
            (2, 3),
            (3, 1),
            (3, 4),
            (4, 5),
            (5, 4),
            (5, 6),
        ];
        let loops = Loops::new(7, &edges, &[0, 1, 2, 3, 4, 5, 6]);
        let heads: Vec<&[u32]> = (0..7).map(|node| loops.of(node)).collect();
        let expected: [&[u32]; 7] = [&[], &[1], &[1, 2], &[1], &[4], &[4], &[]];
        assert_eq!(heads, expected);
        // Two cycles through one node, of which neither has the other's nodes.
        let eight = Loops::new(3, &[(0, 1), (1, 0), (0, 2), (2, 0)], &[1, 0, 2]);
        assert_eq!((eight.of(1), eight.of(2)), (&[1][..], &[1, 0][..]));
        assert_eq!(eight.of(0), &[1, 0]);
    }
}
