//! Loops and cut points.
//!
//! Loops come from a repeated decomposition into strongly connected components ([`super::nesting`]): a component's *head* is
//! the location by which it is entered (the same idea as Bourdoncle's weak topological order, or Steensgaard's loop
//! nesting). Call edges count as edges: a cycle of the
//! inlined program stays, at its shallowest call string, within one function, so cut points that cut every cycle of every
//! function's own graph cut every cycle of the inlined program. Calls in a recursive component, which are not
//! inlined, are cut points themselves.
//!
//! The head of a natural loop is a cut point even where nesting makes it superfluous: it is the place where a programmer
//! would write the invariant. Of the heads chosen in an irreducible component (`goto` into a loop), those that the others
//! make superfluous are dropped.

use super::call_graph::CallGraph;
use super::digraph::Digraph;
use super::graph::{callee, goes_on};
use super::nesting::{Decomposition, Nesting};
use crate::cfa::*;

/// Index into [`CutPoints::loops`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId(pub u32);

impl LoopId {
    /// The id as an index into [`CutPoints::loops`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A loop: a strongly connected component of a function, or of an outer loop without its head.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The function it lies in.
    pub function: FunctionId,
    /// The location by which it is entered; in an irreducible loop one of several.
    pub head: LocationId,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// The number of loops around it.
    pub depth: u32,
    /// Its locations, the head and those of inner loops included, by id.
    pub members: Vec<LocationId>,
    /// How it is entered.
    pub shape: LoopShape,
}

impl Loop {
    /// Checks whether the location is one of the loop's.
    pub fn contains(&self, location: LocationId) -> bool {
        self.members.binary_search(&location).is_ok()
    }

    /// Checks whether both ends of the edge are in the loop.
    pub fn contains_edge(&self, edge: &Edge) -> bool {
        self.contains(edge.source) && self.contains(edge.target)
    }
}

/// How a loop is entered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LoopShape {
    /// Only by its head.
    Natural,
    /// By several locations.
    Irreducible,
}

/// Why a location is a cut point; the first that applies.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CutPointKind {
    Entry,
    /// A location that violates the property.
    Error,
    /// The entry of a function in a recursive component.
    RecursiveEntry,
    /// The exit of a function in a recursive component.
    RecursiveExit,
    /// The source of a call edge into a recursive component.
    RecursiveCall,
    /// The target of a call edge into a recursive component.
    RecursiveReturn,
    /// It cuts the cycles of a loop.
    LoopHead(LoopId),
    /// Added by [`CutPoints::everywhere`] or [`CutPoints::with`]; no cycle needs it.
    Added,
}

impl CutPointKind {
    /// Whether the cut point needs an invariant: it is neither the program's entry nor an error location.
    pub fn is_inner(self) -> bool {
        !matches!(self, Self::Entry | Self::Error)
    }
}

/// The cut points and loops of a program.
#[derive(Clone, Debug)]
pub struct CutPoints {
    kinds: Vec<Option<CutPointKind>>,
    loops: Vec<Loop>,
    innermost: Vec<Option<LoopId>>,
    order: Vec<LocationId>,
}

impl CutPoints {
    /// Finds the loops and cut points of the reachable functions.
    pub fn new(program: &Program, calls: &CallGraph) -> Self {
        let mut result = Self {
            kinds: vec![None; program.locations.len()],
            loops: Vec::new(),
            innermost: vec![None; program.locations.len()],
            order: Vec::new(),
        };
        let graph = program.intraprocedural();
        result.find_loops(program, calls, &graph);
        result.choose_heads(&graph);
        for edge in &program.edges {
            if let Some(callee) = callee(edge)
                && calls.is_recursive(callee)
            {
                result.kinds[edge.source.index()] = Some(CutPointKind::RecursiveCall);
                if goes_on(edge) && result.kinds[edge.target.index()].is_none() {
                    result.kinds[edge.target.index()] = Some(CutPointKind::RecursiveReturn);
                }
            }
        }
        for (index, function) in program.functions.iter().enumerate() {
            if calls.is_recursive(FunctionId(index as u32)) {
                result.kinds[function.exit.index()] = Some(CutPointKind::RecursiveExit);
                result.kinds[function.entry.index()] = Some(CutPointKind::RecursiveEntry);
            }
        }
        for error in &program.errors {
            result.kinds[error.index()] = Some(CutPointKind::Error);
        }
        let entry = program.function(program.start).entry;
        result.kinds[entry.index()] = Some(CutPointKind::Entry);
        result
    }

    /// Makes every location a cut point, for an analysis whose blocks are single edges.
    pub fn everywhere(self) -> Self {
        let count = self.kinds.len() as u32;
        self.with((0..count).map(LocationId))
    }

    /// Makes the locations cut points.
    pub fn with(mut self, locations: impl IntoIterator<Item = LocationId>) -> Self {
        for location in locations {
            self.kinds[location.index()].get_or_insert(CutPointKind::Added);
        }
        self
    }

    /// Whether the location is a cut point (at every call string).
    pub fn contains(&self, location: LocationId) -> bool {
        self.kinds[location.index()].is_some()
    }

    /// Why the location is a cut point, or `None` if it is not one.
    pub fn kind(&self, location: LocationId) -> Option<CutPointKind> {
        self.kinds[location.index()]
    }

    /// All cut points, by id.
    pub fn iter(&self) -> impl Iterator<Item = (LocationId, CutPointKind)> + '_ {
        let kinds = self.kinds.iter().enumerate();
        kinds.filter_map(|(index, kind)| kind.map(|kind| (LocationId(index as u32), kind)))
    }

    /// All loops, outer before inner.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id.index()]
    }

    /// The reachable locations of all functions in a weak topological order: a location comes before its successors,
    /// except for heads of loops around it, and the locations of a loop are consecutive.
    pub(crate) fn weak_topological_order(&self) -> &[LocationId] {
        &self.order
    }

    /// The innermost loop around the location; a head is in its own loop.
    pub fn innermost(&self, location: LocationId) -> Option<LoopId> {
        self.innermost[location.index()]
    }

    fn find_loops(&mut self, program: &Program, calls: &CallGraph, graph: &Digraph) {
        let mut entries = Vec::new();
        for (index, function) in program.functions.iter().enumerate() {
            if calls.is_reachable(FunctionId(index as u32)) {
                entries.push(function.entry.0);
            }
        }
        let mut is_entry = vec![false; program.locations.len()];
        for &entry in &entries {
            is_entry[entry as usize] = true;
        }
        let reachable = graph.reachable(entries);
        let search = Search {
            graph,
            predecessors: graph.reversed(),
            is_entry,
            reachable: &reachable,
        };
        let all = (0..program.locations.len() as u32).filter(|&node| reachable[node as usize]);
        let mut shapes = Vec::new();
        let mut nesting = Nesting::new(graph);
        nesting.add(all.collect(), |members| {
            let (head, shape) = search.head(members);
            shapes.push(shape);
            head
        });
        for (cycle, shape) in nesting.cycles.into_iter().zip(shapes) {
            let (head, parent) = (LocationId(cycle.head), cycle.parent.map(LoopId));
            self.loops.push(Loop {
                function: program.location(head).function,
                head,
                parent,
                depth: parent.map_or(0, |parent| self.loops[parent.index()].depth + 1),
                members: cycle.members.into_iter().map(LocationId).collect(),
                shape,
            });
        }
        let innermost = nesting.innermost.into_iter();
        self.innermost = innermost.map(|number| number.map(LoopId)).collect();
        self.order = nesting.order.into_iter().map(LocationId).collect();
    }

    /// Makes the loop heads cut points, except for superfluous heads of irreducible loops.
    fn choose_heads(&mut self, graph: &Digraph) {
        for (index, cycle) in self.loops.iter().enumerate() {
            self.kinds[cycle.head.index()] = Some(CutPointKind::LoopHead(LoopId(index as u32)));
        }
        let mut decomposition = Decomposition::new(graph);
        for index in 0..self.loops.len() {
            let in_irreducible = self
                .ancestors(LoopId(index as u32))
                .any(|id| self.get(id).shape == LoopShape::Irreducible);
            if !in_irreducible {
                continue;
            }
            // The outermost loop contains all cycles through the head.
            let Some(outermost) = self.ancestors(LoopId(index as u32)).last() else {
                continue;
            };
            let head = self.loops[index].head;
            let rest: Vec<u32> = self.loops[outermost.index()]
                .members
                .iter()
                .filter(|&&member| member == head || self.kinds[member.index()].is_none())
                .map(|member| member.0)
                .collect();
            if decomposition.is_acyclic(&rest) {
                self.kinds[head.index()] = None;
            }
        }
    }

    /// The loop and the loops around it, innermost first.
    pub fn ancestors(&self, id: LoopId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(Some(id), |&id| self.get(id).parent)
    }
}

/// The graph in which a loop's head is chosen.
struct Search<'a> {
    graph: &'a Digraph,
    predecessors: Digraph,
    is_entry: Vec<bool>,
    reachable: &'a [bool],
}

impl Search<'_> {
    /// The head of a loop, given its locations by id.
    fn head(&self, members: &[u32]) -> (u32, LoopShape) {
        let inside = |node: u32| members.binary_search(&node).is_ok();
        let from_outside = |node: u32| {
            let mut before = self.predecessors.successors(node).iter();
            before.any(|&p| self.reachable[p as usize] && !inside(p))
        };
        let is_entered = |node: u32| self.is_entry[node as usize] || from_outside(node);
        let mut enter = members.iter().copied().filter(|&node| is_entered(node));
        if let (Some(head), None) = (enter.next(), enter.next()) {
            return (head, LoopShape::Natural);
        }
        // The location on the most paths within is the best guess for a small feedback vertex set.
        let weight = |&node: &u32| {
            let within = |list: &[u32]| list.iter().filter(|&&other| inside(other)).count();
            within(self.graph.successors(node)) * within(self.predecessors.successors(node))
        };
        // Among equals, the first location of the program.
        let best = members.iter().copied().rev().max_by_key(weight);
        (best.unwrap_or(members[0]), LoopShape::Irreducible)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramBuilder;
    use proptest::prelude::*;

    fn graph_program(locations: u32, edges: &[(u32, u32)]) -> Program {
        let mut b = ProgramBuilder::new();
        // Entry and exit are the locations 0 and 1.
        for _ in 2..locations {
            b.new_location();
        }
        for &(source, target) in edges {
            b.edge(LocationId(source), LocationId(target), vec![]);
        }
        b.finish()
    }

    fn cut_points(program: &Program) -> CutPoints {
        CutPoints::new(program, &CallGraph::new(program))
    }

    #[test]
    fn nested_natural_loops() {
        // 0 → 2 (outer head) → 3 (inner head) → 4 → 3, 3 → 5 → 2, 2 → 1
        let program = graph_program(6, &[(0, 2), (2, 3), (3, 4), (4, 3), (3, 5), (5, 2), (2, 1)]);
        let cuts = cut_points(&program);
        let heads: Vec<_> = cuts
            .loops()
            .iter()
            .map(|l| (l.head.0, l.depth, l.shape))
            .collect();
        assert_eq!(
            heads,
            [(2, 0, LoopShape::Natural), (3, 1, LoopShape::Natural)]
        );
        assert_eq!(cuts.get(LoopId(0)).members.len(), 4);
        assert_eq!(cuts.innermost(LocationId(4)), Some(LoopId(1)));
        assert_eq!(cuts.innermost(LocationId(5)), Some(LoopId(0)));
        assert_eq!(cuts.iter().map(|(l, _)| l.0).collect::<Vec<_>>(), [0, 2, 3]);
    }

    #[test]
    fn jumping_into_a_loop_needs_one_cut_point() {
        // 0 → 2, 0 → 3, 2 ⇄ 3
        let program = graph_program(4, &[(0, 2), (0, 3), (2, 3), (3, 2), (3, 1)]);
        let cuts = cut_points(&program);
        assert_eq!(cuts.loops().len(), 1);
        assert_eq!(cuts.loops()[0].shape, LoopShape::Irreducible);
        assert_eq!(cuts.iter().count(), 2);
    }

    proptest! {
        /// Without the cut points no cycle is left, and the loops nest.
        #[test]
        fn cut_points_cut_every_cycle(edges in prop::collection::vec((0u32..10, 1u32..10), 0..30)) {
            let program = graph_program(10, &edges.iter().copied().filter(|&(s, _)| s != 1).collect::<Vec<_>>());
            let cuts = cut_points(&program);
            let graph = program.intraprocedural();
            let reachable = graph.reachable([0]);
            let rest: Vec<u32> = (0..10)
                .filter(|&n| reachable[n as usize] && !cuts.contains(LocationId(n)))
                .collect();
            prop_assert!(Decomposition::new(&graph).is_acyclic(&rest));
            let order = cuts.weak_topological_order();
            let position = |l: LocationId| order.iter().position(|&other| other == l).unwrap();
            prop_assert_eq!(order.len(), reachable.iter().filter(|&&r| r).count());
            for (source, target) in graph.edges().filter(|&(source, _)| reachable[source as usize]) {
                let (source, target) = (LocationId(source), LocationId(target));
                let mut around = cuts.innermost(source).into_iter().flat_map(|id| cuts.ancestors(id));
                let back = around.any(|id| cuts.get(id).head == target);
                prop_assert!(back || position(source) < position(target));
            }
            for cycle in cuts.loops() {
                let mut places: Vec<usize> = cycle.members.iter().map(|&member| position(member)).collect();
                places.sort_unstable();
                prop_assert_eq!(places[places.len() - 1] - places[0], places.len() - 1);
                prop_assert_eq!(position(cycle.head), places[0]);
                prop_assert!(cycle.members.contains(&cycle.head));
                if let Some(parent) = cycle.parent {
                    prop_assert!(cycle.members.iter().all(|m| cuts.get(parent).members.contains(m)));
                }
            }
        }
    }
}
