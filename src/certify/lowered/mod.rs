//! Properties of the program as lowered that need no solver. Those that follow from its edges alone are here; [`call_strings`]
//! has the nodes of the inlined program, [`places`] cut points and the claims about them, [`plan`] the order of execution and
//! loops without cut points, [`passed`] the program without what a loose slice has left out.

pub(super) mod call_strings;
pub(crate) mod passed;
pub(super) mod places;
pub(super) mod plan;

use rustc_hash::FxHashMap;

use regatta_program::digraph::Digraph;
use regatta_program::graph::{callee, goes_on};
use regatta_program::*;
use regatta_term::Symbol;

/// The program as lowered, with properties that need no solver.
pub(super) struct Lowered<'p> {
    pub program: &'p Program,
    pub graph: Graph,
    pub calls: CallGraph,
    pub is_error: Vec<bool>,
    /// For each location whether a target may be reached from it before its activation ends.
    pub inside: Vec<bool>,
    /// For each location whether its activation may end.
    pub returns: Vec<bool>,
    /// For each function the globals that a call of it may change.
    pub modified: Vec<Vec<VariableId>>,
    /// For each function its local variables.
    pub locals: Vec<Vec<VariableId>>,
    /// For each function its locations.
    pub locations: Vec<Vec<LocationId>>,
    /// For each function the calls on cycles of its control-flow automaton.
    pub repeated: Vec<Vec<EdgeId>>,
    pub by_symbol: FxHashMap<Symbol, VariableId>,
}

impl<'p> Lowered<'p> {
    pub fn new(program: &'p Program) -> Self {
        let mut result = Self {
            graph: Graph::new(program),
            calls: CallGraph::new(program),
            is_error: program.error_marks(),
            inside: Vec::new(),
            returns: Vec::new(),
            modified: Vec::new(),
            locals: program.locals_by_function(),
            locations: vec![Vec::new(); program.functions.len()],
            repeated: vec![Vec::new(); program.functions.len()],
            by_symbol: program.variables_by_symbol(),
            program,
        };
        for (index, location) in program.locations.iter().enumerate() {
            result.locations[location.function.index()].push(LocationId(index as u32));
        }
        result.find_targets();
        result.find_modified();
        result.find_repeated();
        result
    }

    fn find_targets(&mut self) {
        let program = self.program;
        let seeds = program.errors.iter().copied();
        let unsupported = program.edges.iter().filter(|edge| {
            let mut operations = edge.operations.iter();
            operations.any(|operation| matches!(operation, Operation::Unsupported(_)))
        });
        let seeds: Vec<LocationId> = seeds.chain(unsupported.map(|edge| edge.source)).collect();
        self.inside = self.backward(seeds, Calls::Entered);
        let exits = program.functions.iter().map(|function| function.exit);
        self.returns = self.backward(exits.collect(), Calls::SteppedOver);
    }

    /// Returns the locations from which one of the seeds is reachable.
    fn backward(&self, mut work: Vec<LocationId>, through: Calls) -> Vec<bool> {
        let program = self.program;
        let mut marks = vec![false; program.locations.len()];
        for seed in &work {
            marks[seed.index()] = true;
        }
        while let Some(location) = work.pop() {
            let incoming = self.graph.incoming(location).iter();
            let mut before: Vec<LocationId> = incoming
                .map(|&edge| program.edge(edge))
                .filter(|edge| goes_on(edge))
                .map(|edge| edge.source)
                .collect();
            let function = program.location(location).function;
            if through == Calls::Entered && program.function(function).entry == location {
                let calls = self.calls.calls_of(function).iter();
                before.extend(calls.map(|&call| program.edge(call).source));
            }
            for source in before {
                if !std::mem::replace(&mut marks[source.index()], true) {
                    work.push(source);
                }
            }
        }
        marks
    }

    fn find_modified(&mut self) {
        let program = self.program;
        let mut modified = vec![Vec::new(); program.functions.len()];
        for edge in &program.edges {
            let own: &mut Vec<VariableId> =
                &mut modified[program.location(edge.source).function.index()];
            for operation in &edge.operations {
                let written = operation.written(program);
                own.extend(written.filter(|&v| program.variable(v).scope == Scope::Global));
            }
        }
        let tidy = |list: &mut Vec<VariableId>| {
            list.sort_unstable();
            list.dedup();
        };
        modified.iter_mut().for_each(tidy);
        loop {
            let mut changed = false;
            for &function in self.calls.bottom_up() {
                let mut all = modified[function.index()].clone();
                for callee in self.calls.callees(function) {
                    all.extend_from_slice(&modified[callee.index()]);
                }
                tidy(&mut all);
                changed |= all.len() > modified[function.index()].len();
                modified[function.index()] = all;
            }
            if !changed {
                break;
            }
        }
        self.modified = modified;
    }

    fn find_repeated(&mut self) {
        let program = self.program;
        let onward = program.edges.iter().filter(|edge| goes_on(edge));
        let edges = onward.map(|edge| (edge.source.0, edge.target.0));
        let graph = Digraph::new(program.locations.len(), edges);
        let components = graph.components(0..program.locations.len() as u32);
        for (index, edge) in program.edges.iter().enumerate() {
            let is_repeated = components.component[edge.source.index()]
                == components.component[edge.target.index()];
            if callee(edge).is_some() && goes_on(edge) && is_repeated {
                let function = program.location(edge.source).function;
                self.repeated[function.index()].push(EdgeId(index as u32));
            }
        }
    }

    /// Returns the variables that the edge may change: locals of its function and globals, including the effects of callees.
    pub fn changes(&self, edge: &Edge) -> Vec<VariableId> {
        let mut changes = Vec::new();
        for operation in &edge.operations {
            changes.extend(operation.written(self.program));
        }
        if let Some(callee) = callee(edge) {
            changes.extend_from_slice(&self.modified[callee.index()]);
        }
        changes
    }
}

/// The treatment of calls in a backward search.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Calls {
    Entered,
    SteppedOver,
}
