//! The loops of a program, with what happens in them.

use rustc_hash::FxHashSet;

use super::Obstacle;
use crate::CallGraph;
use crate::cfa::*;
use crate::cut_points::{CutPoints, Loop, LoopShape};
use crate::graph::callee;
use regatta_term::{Build, Sort, Symbol, TermId, store};

/// The loops of the reachable functions, and the edges of each function.
pub(super) struct Loops<'p> {
    pub program: &'p Program,
    pub calls: CallGraph,
    pub cut_points: CutPoints,
    edges_of: Vec<Vec<EdgeId>>,
}

impl<'p> Loops<'p> {
    pub fn new(program: &'p Program) -> Self {
        let calls = CallGraph::new(program);
        let cut_points = CutPoints::new(program, &calls);
        let mut edges_of = vec![Vec::new(); program.functions.len()];
        for (number, edge) in program.edges.iter().enumerate() {
            let function = program.location(edge.source).function;
            edges_of[function.index()].push(EdgeId(number as u32));
        }
        Self {
            program,
            calls,
            cut_points,
            edges_of,
        }
    }

    pub fn all(&self) -> &[Loop] {
        self.cut_points.loops()
    }

    /// What stands against a proof that all executions end.
    ///
    /// In an infinite execution, either some activation of a function is never left and takes infinitely many edges of its
    /// own, or there are infinitely many activations that are never left, each called by the one before it. In the first case
    /// the execution stays in a loop of the function from some point on, the outermost one whose head it passes infinitely
    /// often; if the loop is natural, it passes an edge from within the loop to the head each time. In the second
    /// case infinitely many of the calls are within one recursive component, and from some point on all of them; if
    /// the component is a single function, each is a call of it by itself.
    ///
    /// The memory model ends executions that use up the memory, which must not be what ends a loop or a recursion.
    pub fn obstacle(&self) -> Option<Obstacle> {
        if self.program.arithmetic != Arithmetic::BitVector {
            return Some(Obstacle("mathematical integers are not well-founded"));
        }
        let mut recursive = self.recursive();
        if recursive.any(|function| !self.calls.calls_itself_alone(function)) {
            return Some(Obstacle(
                "recursion through several functions is not supported",
            ));
        }
        let shapes = self.all().iter().map(|cycle| cycle.shape);
        if shapes.into_iter().any(|shape| shape != LoopShape::Natural) {
            return Some(Obstacle("a loop can be entered at several places"));
        }
        let in_loops = self.all().iter().flat_map(|cycle| self.edges_in(cycle));
        let in_calls = self.recursive();
        let in_calls =
            in_calls.flat_map(|function| self.with_called(self.edges_of(function).to_vec()));
        let mut repeated = in_loops.chain(in_calls);
        let allocates = |edge: EdgeId| {
            let mut operations = self.program.edge(edge).operations.iter();
            operations.any(|operation| matches!(operation, Operation::Allocate { .. }))
        };
        match repeated.any(allocates) {
            true => Some(Obstacle(
                "a loop or a recursion allocates memory, which may be used up",
            )),
            false => None,
        }
    }

    /// Whether the location lies in the loop.
    pub fn is_member(cycle: &Loop, location: LocationId) -> bool {
        cycle.members.binary_search(&location).is_ok()
    }

    /// The edges of the loop within its function.
    pub fn own_edges(&self, cycle: &Loop) -> Vec<EdgeId> {
        let is_inside = |id: &EdgeId| {
            let edge = self.program.edge(*id);
            Self::is_member(cycle, edge.source) && Self::is_member(cycle, edge.target)
        };
        let edges = self.edges_of[cycle.function.index()].iter().copied();
        edges.filter(is_inside).collect()
    }

    /// The edges of the loop, and those of all functions that it may call.
    pub fn edges_in(&self, cycle: &Loop) -> Vec<EdgeId> {
        self.with_called(self.own_edges(cycle))
    }

    /// The edges of the function.
    pub fn edges_of(&self, function: FunctionId) -> &[EdgeId] {
        &self.edges_of[function.index()]
    }

    /// The reachable functions that may call themselves.
    pub fn recursive(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let functions = self.calls.bottom_up().iter().copied();
        functions.filter(|&function| self.calls.is_recursive(function))
    }

    /// The edges, and those of all functions that they may call.
    fn with_called(&self, mut edges: Vec<EdgeId>) -> Vec<EdgeId> {
        let mut called: FxHashSet<FunctionId> = FxHashSet::default();
        let mut next = 0;
        while let Some(&edge) = edges.get(next) {
            next += 1;
            if let Some(callee) = callee(self.program.edge(edge))
                && called.insert(callee)
            {
                edges.extend(&self.edges_of[callee.index()]);
            }
        }
        edges
    }

    /// The variables that a round of the loop may change and that its function sees, by number.
    pub fn modified(&self, cycle: &Loop) -> Vec<VariableId> {
        let mut modified = Vec::new();
        for edge in self.edges_in(cycle) {
            for operation in &self.program.edge(edge).operations {
                match operation {
                    Operation::Assign { target, .. } | Operation::Havoc { target, .. } => {
                        modified.push(*target);
                    }
                    Operation::Store { region, .. } => {
                        modified.push(self.program.region(*region).variable);
                    }
                    Operation::Call {
                        callee, results, ..
                    } => {
                        modified.extend(results);
                        modified.extend(&self.program.function(*callee).parameters);
                    }
                    Operation::Assume(_)
                    | Operation::Allocate { .. }
                    | Operation::Free { .. }
                    | Operation::Claim(_)
                    | Operation::Unsupported(_) => {}
                }
            }
        }
        modified.retain(|&variable| self.is_seen(cycle, variable));
        modified.sort_unstable();
        modified.dedup();
        modified
    }

    /// Whether the loop's function may use the variable.
    pub fn is_seen(&self, cycle: &Loop, variable: VariableId) -> bool {
        match self.program.variable(variable).scope {
            Scope::Global => true,
            Scope::Local(function) => function == cycle.function,
        }
    }
}

/// Where the edges to a loop's head lead in a changed program.
pub(super) struct Detour {
    /// For the edges from outside, and for calls if the head is the function's entry.
    pub entries: LocationId,
    /// For the edges from within.
    pub rounds: LocationId,
}

/// Leads the edges of the original program that go to the loop's head elsewhere.
pub(super) fn lead(program: &mut Program, edges: usize, cycle: &Loop, to: &Detour) {
    for edge in &mut program.edges[..edges] {
        if edge.target == cycle.head {
            edge.target = match Loops::is_member(cycle, edge.source) {
                true => to.rounds,
                false => to.entries,
            };
        }
    }
    let function = &mut program.functions[cycle.function.index()];
    if function.entry == cycle.head {
        function.entry = to.entries;
    }
}

/// A new location at the place of another one that violates termination.
pub(super) fn failure(program: &mut Program, of: LocationId) -> LocationId {
    let error = program.add_location_like(of);
    program.add_error(error, Property::Termination);
    error
}

/// A new variable of the question.
pub(super) fn ghost(program: &mut Program, name: String, sort: Sort, scope: Scope) -> VariableId {
    let symbol = Symbol::new(&name, sort);
    program.add_ghost(name, symbol, scope)
}

/// The variable as a term.
pub(super) fn value(program: &Program, variable: VariableId) -> TermId {
    store().variable(program.variable(variable).symbol)
}
