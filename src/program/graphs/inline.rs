//! The program with its calls inlined, on demand.
//!
//! A location of the inlined program is a pair of a location and a *call string*, the call edges that are being
//! executed. A call edge of a function that is not recursive leads to the callee's entry with the edge pushed; the
//! callee's exit leads back to the edge's target. Variables need no renaming (see [`crate::cfa`]).
//!
//! Calls into a recursive component stay as steps of their own, [`StepKind::RecursiveCall`]. Every function of such a
//! component starts a call string of its own, its *root*: an activation of it executes the inlined program from
//! (entry, root) to (exit, root), for every caller.

use std::sync::Arc;

use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::call_graph::CallGraph;
use super::cut_points::CutPoints;
use super::digraph::NONE;
use super::graph::{Graph, callee};
use crate::cfa::*;

/// A call string, interned by [`InlinedProgram`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallStringId(pub u32);

/// A location of the inlined program.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InlinedLocation {
    pub location: LocationId,
    /// The calls that lead there.
    pub call_string: CallStringId,
}

/// A step of the inlined program.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The edge taken; for a return the call edge that is completed.
    pub edge: EdgeId,
    pub kind: StepKind,
    pub target: InlinedLocation,
}

/// The kind of a [`Step`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    Operations,
    /// Assigns the edge's arguments to the callee's parameters, all at once.
    Enter,
    /// Assigns the callee's results to the edge's, all at once.
    Return,
    /// Calls a function of a recursive component and comes back from it.
    RecursiveCall,
}

/// A call string, as a linked list of calls.
#[derive(Copy, Clone, Debug)]
struct CallString {
    /// The string without its last call, and that call; `None` for a root.
    last: Option<(CallStringId, EdgeId)>,
    /// The function where it starts.
    root: FunctionId,
    depth: u32,
}

#[derive(Debug, Default)]
struct Strings {
    table: Vec<CallString>,
    ids: FxHashMap<(CallStringId, EdgeId), CallStringId>,
    roots: FxHashMap<FunctionId, CallStringId>,
}

/// A program with its calls inlined on demand; threads share it.
#[derive(Debug)]
pub struct InlinedProgram {
    program: Arc<Program>,
    graph: Graph,
    calls: CallGraph,
    cut_points: CutPoints,
    order: Vec<u32>,
    /// Shared by all copies with further cut points ([`Self::with`]).
    strings: Arc<RwLock<Strings>>,
}

impl InlinedProgram {
    pub fn new(program: Arc<Program>) -> Self {
        let calls = CallGraph::new(&program);
        let cut_points = CutPoints::new(&program, &calls);
        Self::with_cut_points(program, calls, cut_points)
    }

    /// The inlined program with every location a cut point: its blocks are single steps.
    pub fn edge_by_edge(program: Arc<Program>) -> Self {
        let calls = CallGraph::new(&program);
        let cut_points = CutPoints::new(&program, &calls).everywhere();
        Self::with_cut_points(program, calls, cut_points)
    }

    /// Returns a copy with the entries and exits of functions as further cut points.
    pub fn with_function_ends(&self) -> Self {
        let functions = self.program.functions.iter();
        self.with(functions.flat_map(|function| [function.entry, function.exit]))
    }

    /// Returns a copy with the locations where paths join as further cut points.
    pub fn with_joins(&self) -> Self {
        let mut is_reached = vec![false; self.program.locations.len()];
        let targets = self.program.edges.iter().map(|edge| edge.target);
        self.with(targets.filter(|to| std::mem::replace(&mut is_reached[to.index()], true)))
    }

    /// Returns a copy with all locations as cut points: its blocks are single edges.
    pub fn with_all_locations(&self) -> Self {
        self.with((0..self.program.locations.len() as u32).map(LocationId))
    }

    /// Returns a copy with further cut points; the call strings are shared, so locations mean the same in both.
    fn with(&self, further: impl Iterator<Item = LocationId>) -> Self {
        let cut_points = self.cut_points.clone().with(further);
        let program = Arc::clone(&self.program);
        Self {
            strings: Arc::clone(&self.strings),
            ..Self::with_cut_points(program, self.calls.clone(), cut_points)
        }
    }

    fn with_cut_points(program: Arc<Program>, calls: CallGraph, cut_points: CutPoints) -> Self {
        let entries = program.functions.iter().map(|function| function.entry.0);
        let mut order = vec![NONE; program.locations.len()];
        for (number, location) in program
            .intraprocedural()
            .reverse_postorder(entries)
            .into_iter()
            .enumerate()
        {
            order[location as usize] = number as u32;
        }
        Self {
            graph: Graph::new(&program),
            cut_points,
            calls,
            order,
            strings: Arc::default(),
            program,
        }
    }

    /// The program that is inlined.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The program's edges by location.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    pub fn calls(&self) -> &CallGraph {
        &self.calls
    }

    /// The program's loops and cut points; a cut point is one at every call string.
    pub fn cut_points(&self) -> &CutPoints {
        &self.cut_points
    }

    pub fn entry(&self) -> InlinedLocation {
        self.entry_of(self.program.start)
    }

    /// The location where an activation of the start function or of a function in a recursive component starts.
    pub fn entry_of(&self, root: FunctionId) -> InlinedLocation {
        InlinedLocation {
            location: self.program.function(root).entry,
            call_string: self.root(root),
        }
    }

    /// The empty call string of the function.
    pub fn root(&self, function: FunctionId) -> CallStringId {
        if let Some(&id) = self.strings.read().roots.get(&function) {
            return id;
        }
        let strings = &mut *self.strings.write();
        *strings.roots.entry(function).or_insert_with(|| {
            let id = CallStringId(strings.table.len() as u32);
            strings.table.push(CallString {
                last: None,
                root: function,
                depth: 0,
            });
            id
        })
    }

    /// The call string with one more call.
    pub fn push(&self, call_string: CallStringId, call: EdgeId) -> CallStringId {
        if let Some(&id) = self.strings.read().ids.get(&(call_string, call)) {
            return id;
        }
        let strings = &mut *self.strings.write();
        let CallString { root, depth, .. } = strings.table[call_string.0 as usize];
        *strings.ids.entry((call_string, call)).or_insert_with(|| {
            let id = CallStringId(strings.table.len() as u32);
            strings.table.push(CallString {
                last: Some((call_string, call)),
                root,
                depth: depth + 1,
            });
            id
        })
    }

    /// The call string without its last call, and that call; `None` for a root.
    pub fn pop(&self, call_string: CallStringId) -> Option<(CallStringId, EdgeId)> {
        self.strings.read().table[call_string.0 as usize].last
    }

    /// The number of calls in the call string.
    pub fn depth(&self, call_string: CallStringId) -> u32 {
        self.strings.read().table[call_string.0 as usize].depth
    }

    /// The function where the call string starts: the start function, or one of a recursive component.
    pub fn root_function(&self, call_string: CallStringId) -> FunctionId {
        self.strings.read().table[call_string.0 as usize].root
    }

    /// The calls of the call string, outermost first.
    pub fn call_edges(&self, mut call_string: CallStringId) -> Vec<EdgeId> {
        let strings = self.strings.read();
        let mut calls = Vec::new();
        while let Some((rest, call)) = strings.table[call_string.0 as usize].last {
            calls.push(call);
            call_string = rest;
        }
        calls.reverse();
        calls
    }

    /// The number of the location in a reverse postorder of its function (the order among functions has no meaning);
    /// `u32::MAX` for an unreachable location.
    pub fn reverse_postorder(&self, location: LocationId) -> u32 {
        self.order[location.index()]
    }

    /// The steps from a location. An edge with [`Operation::Unsupported`] is a step too, though it never reaches its target.
    pub fn steps(&self, from: InlinedLocation) -> SmallVec<[Step; 4]> {
        let InlinedLocation {
            location,
            call_string,
        } = from;
        let function = self.program.location(location).function;
        let mut steps = SmallVec::new();
        if location == self.program.function(function).exit {
            if let Some((call_string, edge)) = self.pop(call_string) {
                steps.push(Step {
                    edge,
                    kind: StepKind::Return,
                    target: InlinedLocation {
                        location: self.program.edge(edge).target,
                        call_string,
                    },
                });
            }
            return steps;
        }
        for &id in self.graph.outgoing(location) {
            let edge = self.program.edge(id);
            let stay = InlinedLocation {
                location: edge.target,
                call_string,
            };
            let (kind, target) = match callee(edge) {
                None => (StepKind::Operations, stay),
                Some(callee) if self.calls.is_recursive(callee) => (StepKind::RecursiveCall, stay),
                Some(callee) => (
                    StepKind::Enter,
                    InlinedLocation {
                        location: self.program.function(callee).entry,
                        call_string: self.push(call_string, id),
                    },
                ),
            };
            steps.push(Step {
                edge: id,
                kind,
                target,
            });
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramBuilder;

    #[test]
    fn two_calls_of_one_function_are_told_apart() {
        let mut b = ProgramBuilder::new();
        let f = b.function("f", &[], &[]);
        b.call(f, vec![], vec![]);
        b.call(f, vec![], vec![]);
        let last = b.cursor();
        b.enter(f);
        b.leave();
        let inlined = InlinedProgram::new(Arc::new(b.finish()));
        let mut at = inlined.entry();
        let mut visited = vec![at];
        while let Some(step) = inlined.steps(at).first() {
            at = step.target;
            visited.push(at);
        }
        assert_eq!(visited.len(), 7);
        assert_eq!((at.location, inlined.depth(at.call_string)), (last, 0));
        assert_eq!(visited[1].location, visited[4].location);
        assert_ne!(visited[1].call_string, visited[4].call_string);
        assert_eq!(inlined.call_edges(visited[4].call_string), [EdgeId(1)]);
    }

    #[test]
    fn recursive_calls_are_not_entered() {
        let mut b = ProgramBuilder::new();
        let f = b.function("f", &[], &[]);
        b.call(f, vec![], vec![]);
        b.enter(f);
        b.call(f, vec![], vec![]);
        b.leave();
        let program = Arc::new(b.finish());
        let inlined = InlinedProgram::new(program.clone());
        let steps = inlined.steps(inlined.entry());
        assert_eq!(steps[0].kind, StepKind::RecursiveCall);
        let body = inlined.entry_of(f);
        assert_eq!(inlined.steps(body)[0].kind, StepKind::RecursiveCall);
        assert_eq!(inlined.root_function(body.call_string), f);
        // Entry of the program, entry, call, return and exit of the function.
        assert!(inlined.cut_points().contains(program.function(f).exit));
        assert!(
            inlined
                .cut_points()
                .contains(program.edge(EdgeId(1)).target)
        );
    }
}
