//! The program as a graph: its cut points, the blocks between them, and one place for all errors; with a weak topological
//! order (\[Bou93\]).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use regatta_program::block::{Block, BlockEnd, Blocks};
use regatta_program::digraph::Digraph;
use regatta_program::nesting::Nesting;
use regatta_program::{InlinedLocation, VariableId};

/// The number of a place.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(u32);

impl PlaceId {
    /// The program's entry, where execution begins in any state.
    pub const ENTRY: Self = Self(0);

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A cut point without property violation.
#[derive(Debug)]
struct Point {
    at: InlinedLocation,
    /// The variables of its state.
    state: Vec<VariableId>,
    leaving: Arc<[Block]>,
    /// For each block, where it leads.
    targets: Vec<PlaceId>,
}

/// The places of a program, in a weak topological order.
#[derive(Debug)]
pub struct Places {
    points: Vec<Point>,
    /// Places so that a block leads to a later one, or back to the head of a component around it.
    pub order: Vec<PlaceId>,
    /// For each position of the order, and the end, the positions of the heads of the components that end before it,
    /// innermost first.
    pub closing: Vec<Vec<usize>>,
    is_head: Vec<bool>,
}

impl Places {
    /// Creates the graph of a program without recursion; `None` if its entry violates the property.
    pub fn new(blocks: &Blocks) -> Option<Self> {
        let mut cut_points = blocks.cut_points();
        cut_points.retain(|at| !blocks.is_error(at.location));
        if cut_points.first() != Some(&blocks.inlined().entry()) {
            return None;
        }
        let numbers: FxHashMap<InlinedLocation, PlaceId> =
            cut_points.iter().copied().zip((0..).map(PlaceId)).collect();
        let error = PlaceId(cut_points.len() as u32);
        let points = cut_points.into_iter().map(|at| {
            let leaving = blocks.from(at);
            let target = |block: &Block| match block.end {
                BlockEnd::CutPoint(to) => numbers.get(&to).copied().unwrap_or(error),
                BlockEnd::Unsupported { .. } | BlockEnd::RecursiveCall { .. } => error,
            };
            Point {
                at,
                state: blocks.state(at),
                targets: leaving.iter().map(target).collect(),
                leaving,
            }
        });
        let mut places = Self {
            points: points.collect(),
            order: Vec::new(),
            closing: Vec::new(),
            is_head: Vec::new(),
        };
        places.arrange();
        Some(places)
    }

    /// Computes the weak topological order. A component's head is the place that is discovered first.
    fn arrange(&mut self) {
        let count = self.points.len() + 1;
        let edges = self.points.iter().zip(0u32..).flat_map(|(point, from)| {
            let targets = point.targets.iter();
            targets.map(move |to| (from, to.0))
        });
        let graph = Digraph::new(count, edges);
        let mut nesting = Nesting::new(&graph);
        nesting.add((0..count as u32).collect(), |members| members[0]);
        self.order = nesting.order.iter().copied().map(PlaceId).collect();
        let mut position = vec![0; count];
        for (index, place) in self.order.iter().enumerate() {
            position[place.index()] = index;
        }
        self.is_head = vec![false; count];
        self.closing = vec![Vec::new(); count + 1];
        // Inner components come after outer ones.
        for cycle in nesting.cycles.iter().rev() {
            let head = cycle.head as usize;
            self.is_head[head] = true;
            self.closing[position[head] + cycle.members.len()].push(position[head]);
        }
    }

    /// The place of errors and of what is not modelled, from which no block leads on.
    pub fn error(&self) -> PlaceId {
        PlaceId(self.points.len() as u32)
    }

    /// The numbers of all places, that of errors last.
    pub fn all(&self) -> impl Iterator<Item = PlaceId> + use<> {
        (0..=self.points.len() as u32).map(PlaceId)
    }

    /// Whether the place is the head of a component.
    pub fn is_head(&self, place: PlaceId) -> bool {
        self.is_head[place.index()]
    }

    /// The location; `None` for the place of errors.
    pub fn location(&self, place: PlaceId) -> Option<InlinedLocation> {
        Some(self.points.get(place.index())?.at)
    }

    /// The variables of the state, by number.
    pub fn state(&self, place: PlaceId) -> &[VariableId] {
        let point = self.points.get(place.index());
        point.map_or(&[], |point| &point.state)
    }

    /// The blocks that leave the place.
    pub fn leaving(&self, place: PlaceId) -> &[Block] {
        let point = self.points.get(place.index());
        point.map_or(&[], |point| &point.leaving)
    }

    /// The place to which a block leads, given by its source and its index there.
    pub fn target(&self, place: PlaceId, block: usize) -> PlaceId {
        self.points[place.index()].targets[block]
    }
}
