//! The nested loops of a graph, and the loops that each node is in.

use crate::program::digraph::Digraph;

/// The nested loops of a directed graph: each cycle passes the head of the innermost loop that it is in.
#[derive(Debug, PartialEq, Eq)]
pub struct Loops {
    /// For each node, the heads of the loops that contain it, outermost first. A loop contains its head.
    heads: Vec<Vec<u32>>,
}

impl Loops {
    /// Computes the loops of the graph. `order` contains all nodes: a loop's head is its first node in this order.
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

    /// Finds the loops of the edges, then the loops within each of them without its back edges.
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

    /// Returns the heads of the loops that contain the node, outermost first.
    pub fn of(&self, node: u32) -> &[u32] {
        &self.heads[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cycle_passes_the_head_of_a_loop() {
        // 1 is the head of the outer loop, 2 and 4 are heads of inner ones; 3 and 5 are on cycles that enter loops midway.
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
        // Two cycles share one node, and neither contains the other.
        let eight = Loops::new(3, &[(0, 1), (1, 0), (0, 2), (2, 0)], &[1, 0, 2]);
        assert_eq!((eight.of(1), eight.of(2)), (&[1][..], &[1, 0][..]));
        assert_eq!(eight.of(0), &[1, 0]);
    }
}
