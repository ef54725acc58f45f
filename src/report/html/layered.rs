//! A layered drawing of a directed graph (\[STT81\]).
//!
//! 1. Edges that close a cycle, as a depth-first search from the first node finds them, are reversed.
//! 2. A node's layer is its longest distance from a source.
//! 3. An edge that passes layers has a bend in each.
//! 4. Within layers, nodes are ordered by the mean of their neighbours' positions, down and up again, and the order with the
//!    fewest crossings is kept.
//! 5. A node lies as near to its neighbours' mean as those beside it permit, by the least squares for a layer at a time.

/// A graph to be drawn.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// Width and height of each node.
    pub sizes: Vec<(f64, f64)>,
    /// Source and target of each edge.
    pub edges: Vec<(usize, usize)>,
}

/// The coordinates of a drawing, from the top left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    /// The centres of the nodes.
    pub nodes: Vec<(f64, f64)>,
    /// For each edge the points between its source and its target.
    pub bends: Vec<Vec<(f64, f64)>>,
}

/// Minimum horizontal gap between two nodes.
const NODE_GAP: f64 = 18.0;
/// Vertical gap between two layers.
const LAYER_GAP: f64 = 26.0;
const MARGIN: f64 = 12.0;
/// The width of a bend in its layer.
const BEND_WIDTH: f64 = 8.0;
/// Number of sweeps through the layers, for the order and for the positions.
const SWEEPS: usize = 12;

/// Computes the layout of the graph.
pub fn layout(drawing: &Drawing) -> Layout {
    let count = drawing.sizes.len();
    let reversed = reversed_edges(count, &drawing.edges);
    let edges: Vec<(usize, usize)> = drawing
        .edges
        .iter()
        .zip(&reversed)
        .map(|(&(source, target), &reversed)| match reversed {
            true => (target, source),
            false => (source, target),
        })
        .collect();
    let layer_of = layers(count, &edges);
    let mut graph = LayeredGraph::new(drawing, &edges, &layer_of);
    graph.order();
    let x = graph.place();
    let (nodes, bends, width, height) = graph.points(&x);
    let bends = bends
        .into_iter()
        .zip(&reversed)
        .map(|(mut bends, &reversed)| {
            if reversed {
                bends.reverse();
            }
            bends
        });
    Layout {
        width,
        height,
        nodes,
        bends: bends.collect(),
    }
}

/// Returns for each edge whether it closes a cycle.
fn reversed_edges(count: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    #[derive(Copy, Clone, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut outgoing = vec![Vec::new(); count];
    for (index, &(source, _)) in edges.iter().enumerate() {
        outgoing[source].push(index);
    }
    let mut reversed = vec![false; edges.len()];
    let mut states = vec![State::New; count];
    for root in 0..count {
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            if *next == 0 {
                if states[node] != State::New {
                    stack.pop();
                    continue;
                }
                states[node] = State::Open;
            }
            match outgoing[node].get(*next) {
                Some(&edge) => {
                    *next += 1;
                    let target = edges[edge].1;
                    match states[target] {
                        State::New => stack.push((target, 0)),
                        State::Open => reversed[edge] = true,
                        State::Done => {}
                    }
                }
                None => {
                    states[node] = State::Done;
                    stack.pop();
                }
            }
        }
    }
    reversed
}

/// Returns the longest distance of each node from a source; the edges have no cycles except self-loops.
fn layers(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut incoming = vec![0; count];
    let mut outgoing = vec![Vec::new(); count];
    for &(source, target) in edges.iter().filter(|(source, target)| source != target) {
        incoming[target] += 1;
        outgoing[source].push(target);
    }
    let mut ready: Vec<usize> = (0..count).filter(|&node| incoming[node] == 0).collect();
    let mut layers = vec![0; count];
    while let Some(node) = ready.pop() {
        for &target in &outgoing[node] {
            layers[target] = layers[target].max(layers[node] + 1);
            incoming[target] -= 1;
            if incoming[target] == 0 {
                ready.push(target);
            }
        }
    }
    layers
}

/// Nodes and bends in layers.
struct LayeredGraph {
    sizes: Vec<(f64, f64)>,
    /// The nodes and bends of each layer, from left to right.
    layers: Vec<Vec<usize>>,
    up: Vec<Vec<usize>>,
    down: Vec<Vec<usize>>,
    /// The bends of each edge, downwards.
    bends: Vec<Vec<usize>>,
    /// The number of nodes, which come before the bends.
    nodes: usize,
}

impl LayeredGraph {
    fn new(drawing: &Drawing, edges: &[(usize, usize)], layer_of: &[usize]) -> Self {
        let nodes = drawing.sizes.len();
        let depth = layer_of.iter().max().map_or(0, |last| last + 1);
        let mut graph = Self {
            sizes: drawing.sizes.clone(),
            layers: vec![Vec::new(); depth],
            up: vec![Vec::new(); nodes],
            down: vec![Vec::new(); nodes],
            bends: Vec::new(),
            nodes,
        };
        for (node, &layer) in layer_of.iter().enumerate() {
            graph.layers[layer].push(node);
        }
        for &(source, target) in edges {
            let mut bends = Vec::new();
            let mut last = source;
            for layer in layer_of[source] + 1..layer_of[target] {
                let bend = graph.sizes.len();
                graph.sizes.push((BEND_WIDTH, 0.0));
                graph.up.push(Vec::new());
                graph.down.push(Vec::new());
                graph.layers[layer].push(bend);
                graph.connect(last, bend);
                bends.push(bend);
                last = bend;
            }
            if source != target {
                graph.connect(last, target);
            }
            graph.bends.push(bends);
        }
        graph
    }

    fn connect(&mut self, above: usize, below: usize) {
        self.down[above].push(below);
        self.up[below].push(above);
    }

    fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.sizes.len()];
        for layer in &self.layers {
            for (position, &one) in layer.iter().enumerate() {
                positions[one] = position;
            }
        }
        positions
    }

    fn crossings(&self) -> usize {
        let positions = self.positions();
        let mut count = 0;
        for layer in &self.layers {
            let ends = layer.iter().flat_map(|&one| {
                let mut ends: Vec<usize> = self.down[one].iter().map(|&b| positions[b]).collect();
                ends.sort_unstable();
                ends
            });
            let ends: Vec<usize> = ends.collect();
            for (index, left) in ends.iter().enumerate() {
                count += ends[index + 1..]
                    .iter()
                    .filter(|right| *right < left)
                    .count();
            }
        }
        count
    }

    fn order(&mut self) {
        let mut best = (self.crossings(), self.layers.clone());
        for sweep in 0..SWEEPS {
            let depth = self.layers.len();
            let mut positions = self.positions();
            for step in 1..depth {
                let is_down = sweep % 2 == 0;
                let layer = if is_down { step } else { depth - 1 - step };
                let neighbours = if is_down { &self.up } else { &self.down };
                let key = |&one: &usize| {
                    let around = &neighbours[one];
                    match around.is_empty() {
                        true => positions[one] as f64,
                        false => {
                            let sum: usize = around.iter().map(|&other| positions[other]).sum();
                            sum as f64 / around.len() as f64
                        }
                    }
                };
                self.layers[layer].sort_by(|a, b| key(a).total_cmp(&key(b)));
                for (position, &one) in self.layers[layer].iter().enumerate() {
                    positions[one] = position;
                }
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    /// Returns the horizontal positions of the centres.
    fn place(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.sizes.len()];
        for layer in &self.layers {
            let mut right = 0.0;
            for &one in layer {
                x[one] = right + self.sizes[one].0 / 2.0;
                right += self.sizes[one].0 + NODE_GAP;
            }
        }
        for sweep in 0..SWEEPS {
            let depth = self.layers.len();
            for step in 0..depth {
                let layer = if sweep % 2 == 0 {
                    step
                } else {
                    depth - 1 - step
                };
                let layer = &self.layers[layer];
                let wanted = layer.iter().map(|&one| {
                    let around = match sweep {
                        // The last sweeps consider both neighbouring layers.
                        _ if sweep + 2 >= SWEEPS => [&self.up[one][..], &self.down[one]].concat(),
                        _ if sweep % 2 == 0 => self.up[one].clone(),
                        _ => self.down[one].clone(),
                    };
                    match around.is_empty() {
                        true => x[one],
                        false => around.iter().map(|&o| x[o]).sum::<f64>() / around.len() as f64,
                    }
                });
                let wanted: Vec<f64> = wanted.collect();
                let widths: Vec<f64> = layer.iter().map(|&one| self.sizes[one].0).collect();
                for (&one, place) in layer.iter().zip(apart(&wanted, &widths)) {
                    x[one] = place;
                }
            }
        }
        x
    }

    #[allow(clippy::type_complexity)]
    fn points(&self, x: &[f64]) -> (Vec<(f64, f64)>, Vec<Vec<(f64, f64)>>, f64, f64) {
        let left = (0..x.len()).map(|one| x[one] - self.sizes[one].0 / 2.0);
        let left = left.fold(f64::INFINITY, f64::min);
        let right = (0..x.len()).map(|one| x[one] + self.sizes[one].0 / 2.0);
        let right = right.fold(f64::NEG_INFINITY, f64::max);
        let mut points = vec![(0.0, 0.0); x.len()];
        let mut top = MARGIN;
        for layer in &self.layers {
            let heights = layer.iter().map(|&one| self.sizes[one].1);
            let height = heights.fold(0.0, f64::max);
            for &one in layer {
                points[one] = (x[one] - left + MARGIN, top + height / 2.0);
            }
            top += height + LAYER_GAP;
        }
        let bends = self.bends.iter();
        let bends = bends.map(|bends| bends.iter().map(|&bend| points[bend]).collect());
        let bends = bends.collect();
        points.truncate(self.nodes);
        let width = if x.is_empty() { 0.0 } else { right - left };
        (
            points,
            bends,
            width + 2.0 * MARGIN,
            top - LAYER_GAP + MARGIN,
        )
    }
}

/// Returns the positions in the given order that are nearest to the wanted ones (by least squares) and leave room for the
/// widths: nodes that are too near are merged to a block (pool adjacent violators).
fn apart(wanted: &[f64], widths: &[f64]) -> Vec<f64> {
    // After subtracting the room that the nodes to the left take, positions only have to be in order.
    let mut offsets = Vec::new();
    let mut offset = 0.0;
    for (index, width) in widths.iter().enumerate() {
        if index > 0 {
            offset += (widths[index - 1] + width) / 2.0 + NODE_GAP;
        }
        offsets.push(offset);
    }
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (wanted, offset) in wanted.iter().zip(&offsets) {
        blocks.push((wanted - offset, 1));
        while let [.., (left, m), (right, n)] = blocks[..]
            && left > right
        {
            blocks.truncate(blocks.len() - 2);
            let mean = (left * m as f64 + right * n as f64) / (m + n) as f64;
            blocks.push((mean, m + n));
        }
    }
    let places = blocks
        .iter()
        .flat_map(|&(place, size)| std::iter::repeat_n(place, size));
    places
        .zip(&offsets)
        .map(|(place, offset)| place + offset)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: usize, edges: &[(usize, usize)]) -> Layout {
        layout(&Drawing {
            sizes: vec![(40.0, 20.0); count],
            edges: edges.to_vec(),
        })
    }

    #[test]
    fn a_loop_goes_down_and_back_up() {
        let layout = of(4, &[(0, 1), (1, 2), (2, 1), (1, 3), (3, 3), (0, 3)]);
        let y = |node: usize| layout.nodes[node].1;
        assert!(y(0) < y(1) && y(1) < y(2) && y(1) < y(3));
        // The last edge passes the layer of the loop's head.
        assert_eq!(layout.bends[5].len(), 1);
        assert_eq!(layout.bends[5][0].1, y(1));
        assert!(layout.bends[..5].iter().all(Vec::is_empty));
    }

    #[test]
    fn nothing_overlaps_and_all_is_within() {
        let edges: Vec<(usize, usize)> = (1..40).map(|node| ((node * 7) % node, node)).collect();
        let back = (1..40).step_by(5).map(|node| (node, node / 2));
        let edges: Vec<(usize, usize)> = edges.into_iter().chain(back).collect();
        let layout = of(40, &edges);
        for (index, a) in layout.nodes.iter().enumerate() {
            assert!(a.0 >= 20.0 && a.0 <= layout.width - 20.0, "{a:?}");
            assert!(a.1 >= 10.0 && a.1 <= layout.height - 10.0, "{a:?}");
            for b in &layout.nodes[index + 1..] {
                let is_beside = (a.0 - b.0).abs() >= 40.0 || (a.1 - b.1).abs() >= 20.0;
                assert!(is_beside, "{a:?} {b:?}");
            }
        }
        assert_eq!(layout.bends.len(), edges.len());
    }

    #[test]
    fn avoidable_crossings_are_avoided() {
        let layout = of(5, &[(0, 1), (0, 2), (1, 4), (2, 3)]);
        let x = |node: usize| layout.nodes[node].0;
        assert_eq!(x(1) < x(2), x(4) < x(3));
        assert_eq!(of(0, &[]).nodes, []);
        assert_eq!(of(1, &[]).nodes.len(), 1);
    }

    #[test]
    fn positions_are_the_nearest_that_leave_room() {
        let places = apart(&[0.0, 0.0, 500.0], &[20.0, 20.0, 20.0]);
        assert_eq!(places, [-19.0, 19.0, 500.0]);
    }
}
