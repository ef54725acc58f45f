//! Edge coverage.
//!
//! As in AFL, the number of times that a run takes an edge counts only by its order of magnitude: a run is interesting if
//! this magnitude is new for some edge.

use std::collections::VecDeque;

use crate::program::interpreter::{Observer, StateView};
use crate::program::{EdgeId, Operation, Program};

/// The number of times that a run has taken each edge.
#[derive(Clone, Debug)]
pub(super) struct Hits {
    counts: Vec<u32>,
    touched: Vec<EdgeId>,
}

impl Hits {
    pub(super) fn new(edges: usize) -> Self {
        Self {
            counts: vec![0; edges],
            touched: Vec::new(),
        }
    }

    /// Removes the last run.
    pub(super) fn clear(&mut self) {
        for edge in self.touched.drain(..) {
            self.counts[edge.index()] = 0;
        }
    }

    /// Returns the edges taken, with the number of times.
    pub(super) fn taken(&self) -> impl Iterator<Item = (EdgeId, u32)> + '_ {
        let count = |&edge: &EdgeId| (edge, self.counts[edge.index()]);
        self.touched.iter().map(count)
    }
}

impl Observer for Hits {
    // Missed iterations do not change the order of magnitude.
    const MAY_MISS_ITERATIONS: bool = true;

    #[inline]
    fn edge(&mut self, edge: EdgeId, _: &StateView<'_>) {
        let count = &mut self.counts[edge.index()];
        if *count == 0 {
            self.touched.push(edge);
        }
        *count = count.saturating_add(1);
    }
}

/// Returns the order of magnitude of a positive number as a bit: 1, 2 and 3 are distinguished, then powers of two.
fn magnitude(count: u32) -> u32 {
    match count {
        0..=3 => 1 << count >> 1,
        _ => 1 << (1 + count.ilog2()).min(31),
    }
}

/// The coverage of all runs.
#[derive(Clone, Debug)]
pub(super) struct Coverage {
    seen: Vec<u32>,
    /// The distance of each edge's target to an error, in edges; `u32::MAX` if none is reachable.
    distances: Vec<u32>,
    /// The number of edges taken at least once.
    pub(super) edges: usize,
}

/// The new coverage of a run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Novelty {
    /// The number of edges taken for the first time.
    pub(super) edges: usize,
    /// The number of new magnitudes.
    pub(super) magnitudes: usize,
    /// The smallest distance of the run to an error.
    pub(super) distance: u32,
}

impl Coverage {
    pub(super) fn new(program: &Program) -> Self {
        Self {
            seen: vec![0; program.edges.len()],
            distances: distances(program),
            edges: 0,
        }
    }

    /// Checks whether a run has new coverage.
    pub(super) fn lacks(&self, hits: &Hits) -> bool {
        let is_new = |(edge, count): (EdgeId, u32)| self.seen[edge.index()] & magnitude(count) == 0;
        hits.taken().any(is_new)
    }

    pub(super) fn add(&mut self, hits: &[(EdgeId, u32)]) -> Novelty {
        let mut novelty = Novelty {
            edges: 0,
            magnitudes: 0,
            distance: u32::MAX,
        };
        for &(edge, count) in hits {
            let index = edge.index();
            let bit = magnitude(count);
            if self.seen[index] == 0 {
                novelty.edges += 1;
            }
            if self.seen[index] & bit == 0 {
                novelty.magnitudes += 1;
                self.seen[index] |= bit;
            }
            novelty.distance = novelty.distance.min(self.distances[index]);
        }
        self.edges += novelty.edges;
        novelty
    }
}

/// Returns the distance in edges of each edge's target to an error. A path may enter a call or step over it; from a
/// function's exit it continues after any call of the function.
fn distances(program: &Program) -> Vec<u32> {
    // The predecessors of each location.
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); program.locations.len()];
    for edge in &program.edges {
        before[edge.target.index()].push(edge.source.index());
        for operation in &edge.operations {
            if let Operation::Call { callee, .. } = operation {
                let function = program.function(*callee);
                before[function.entry.index()].push(edge.source.index());
                before[edge.target.index()].push(function.exit.index());
            }
        }
    }
    let mut distance = vec![u32::MAX; program.locations.len()];
    let mut queue: VecDeque<usize> = program.errors.iter().map(|error| error.index()).collect();
    for &error in &queue {
        distance[error] = 0;
    }
    while let Some(location) = queue.pop_front() {
        for &source in &before[location] {
            if distance[source] == u32::MAX {
                distance[source] = distance[location] + 1;
                queue.push_back(source);
            }
        }
    }
    let of_target = |edge: &crate::program::Edge| distance[edge.target.index()];
    program.edges.iter().map(of_target).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ProgramBuilder;
    use crate::term::{Build, Sort, store};

    #[test]
    fn magnitudes_tell_small_numbers_apart() {
        let bits: Vec<_> = [1, 2, 3, 4, 7, 8, 1 << 20, u32::MAX].map(magnitude).into();
        for (index, bit) in bits.iter().enumerate() {
            let expected = if index == 4 { 1 } else { 0 };
            assert_eq!(bit.count_ones(), 1);
            assert_eq!(
                bits[..index].iter().filter(|other| *other == bit).count(),
                expected,
                "{index}"
            );
        }
    }

    #[test]
    fn distances_count_edges_to_an_error() {
        let mut b = ProgramBuilder::new();
        let x = b.global("x", Sort::BitVec(8));
        b.assign(x, store().bv(8, 1));
        b.assign(x, store().bv(8, 2));
        b.error();
        let away = b.new_location();
        let out = b.edge(b.cursor(), away, Vec::new());
        let distances = distances(b.program());
        assert_eq!(distances[..3], [2, 1, 0]);
        assert_eq!(distances[out.index()], u32::MAX);
    }
}
