//! The edges of a program by source and by target.

use super::digraph::Digraph;
use crate::cfa::*;

/// Index of a program's edges; stale as soon as the edges change.
#[derive(Clone, Debug)]
pub struct Graph {
    outgoing: Lists,
    incoming: Lists,
}

/// Lists of edges by location, in compressed form.
#[derive(Clone, Debug)]
struct Lists {
    starts: Vec<u32>,
    edges: Vec<EdgeId>,
}

impl Lists {
    fn new(program: &Program, end: impl Fn(&Edge) -> LocationId) -> Self {
        let mut starts = vec![0u32; program.locations.len() + 1];
        for edge in &program.edges {
            starts[end(edge).index() + 1] += 1;
        }
        for location in 0..program.locations.len() {
            starts[location + 1] += starts[location];
        }
        let mut next = starts.clone();
        let mut edges = vec![EdgeId(0); program.edges.len()];
        for (index, edge) in program.edges.iter().enumerate() {
            let slot = &mut next[end(edge).index()];
            edges[*slot as usize] = EdgeId(index as u32);
            *slot += 1;
        }
        Self { starts, edges }
    }

    fn of(&self, location: LocationId) -> &[EdgeId] {
        &self.edges
            [self.starts[location.index()] as usize..self.starts[location.index() + 1] as usize]
    }
}

impl Graph {
    /// The index of the program's edges as they are now.
    pub fn new(program: &Program) -> Self {
        Self {
            outgoing: Lists::new(program, |edge| edge.source),
            incoming: Lists::new(program, |edge| edge.target),
        }
    }

    /// The edges that leave the location, by id.
    pub fn outgoing(&self, location: LocationId) -> &[EdgeId] {
        self.outgoing.of(location)
    }

    /// The edges that lead to the location, by id.
    pub fn incoming(&self, location: LocationId) -> &[EdgeId] {
        self.incoming.of(location)
    }
}

/// Whether the edge reaches its target: all do but those that end in [`Operation::Unsupported`].
pub fn goes_on(edge: &Edge) -> bool {
    !matches!(edge.operations.last(), Some(Operation::Unsupported(_)))
}

/// The called function, if the edge is a call.
pub fn callee(edge: &Edge) -> Option<FunctionId> {
    match edge.operations.first() {
        Some(Operation::Call { callee, .. }) => Some(*callee),
        _ => None,
    }
}

impl Program {
    /// The graph of the locations within their functions: a call edge leads from its source to its target.
    pub(crate) fn intraprocedural(&self) -> Digraph {
        let edges = self.edges.iter().filter(|edge| goes_on(edge));
        Digraph::new(
            self.locations.len(),
            edges.map(|edge| (edge.source.0, edge.target.0)),
        )
    }
}
