//! Removes unreachable code, and code from which no target is reachable.
//!
//! Reachability is interprocedural: a callee's entry is reached if a call of it is, and the target of a call edge if the
//! callee's exit is. Backward, a location is kept if a target can be reached from it within its activation (callees
//! included), or if its function can return to a location that is kept. Edges to other locations are removed, so that
//! execution stops there. Edges with a false condition are removed too.

use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::graph::{Graph, callee, goes_on};
use crate::simplify::workspace::Workspace;
use regatta_term::TermId;

/// Runs the pass; returns the number of removed edges and conditions.
pub(super) fn run(workspace: &mut Workspace) -> usize {
    let conditions = drop_constant_conditions(workspace);
    let Useful { reached, keep } = useful(&workspace.program);
    workspace
        .program
        .retain_errors(|error| reached[error.index()]);
    conditions + workspace.keep_edges(&keep)
}

/// Returns for each edge whether an execution may take it and meet a target from there on.
pub(crate) fn leads_to_targets(program: &Program) -> Vec<bool> {
    useful(program).keep
}

/// Returns for each location whether it is a dead end: neither a target nor its function's exit is reached from it.
pub(super) fn dead_ends(program: &Program, graph: &Graph, calls: &CallGraph) -> Vec<bool> {
    let search = Search {
        program,
        graph,
        calls,
    };
    let everywhere = vec![true; program.locations.len()];
    let mut marks = search.inside(&everywhere);
    for function in &program.functions {
        marks.add(function.exit);
    }
    while let Some(location) = marks.next() {
        search.before(location, &everywhere, |source| marks.add(source));
    }
    marks.set.iter().map(|goes| !goes).collect()
}

fn useful(program: &Program) -> Useful {
    let (graph, calls) = (Graph::new(program), CallGraph::new(program));
    let search = Search {
        program,
        graph: &graph,
        calls: &calls,
    };
    search.useful()
}

/// What executions need that meet a target.
struct Useful {
    /// The locations that an execution may reach.
    reached: Vec<bool>,
    /// The edges that are needed.
    keep: Vec<bool>,
}

/// Drops the conditions that are true, and the edges with a condition that is false.
fn drop_constant_conditions(workspace: &mut Workspace) -> usize {
    let mut changes = 0;
    let mut keep = vec![true; workspace.program.edges.len()];
    for (edge, keep) in workspace.program.edges.iter_mut().zip(&mut keep) {
        let before = edge.operations.len();
        edge.operations
            .retain(|operation| *operation != Operation::Assume(TermId::TRUE));
        changes += before - edge.operations.len();
        *keep = !edge.operations.contains(&Operation::Assume(TermId::FALSE));
    }
    changes + workspace.keep_edges(&keep)
}

struct Search<'a> {
    program: &'a Program,
    graph: &'a Graph,
    calls: &'a CallGraph,
}

impl Search<'_> {
    fn useful(&self) -> Useful {
        let program = self.program;
        let reached = self.forward();
        let (inside, after) = self.backward(&reached);
        let counts = |location: LocationId| inside[location.index()] || after[location.index()];
        let is_needed = |edge: &Edge| {
            reached[edge.source.index()]
                && match callee(edge) {
                    None => !goes_on(edge) || counts(edge.target),
                    Some(callee) => {
                        let function = program.function(callee);
                        let returns = reached[function.exit.index()] && counts(edge.target);
                        inside[function.entry.index()] || returns
                    }
                }
        };
        let keep = program.edges.iter().map(is_needed).collect();
        Useful { reached, keep }
    }

    /// The locations that execution may reach.
    fn forward(&self) -> Vec<bool> {
        let program = self.program;
        let mut marks = Marks::new(program);
        marks.add(program.function(program.start).entry);
        while let Some(location) = marks.next() {
            let function = program.location(location).function;
            if location == program.function(function).exit {
                for &call in self.calls.calls_of(function) {
                    let edge = program.edge(call);
                    if marks.set[edge.source.index()] {
                        marks.add(edge.target);
                    }
                }
            }
            for &id in self.graph.outgoing(location) {
                let edge = program.edge(id);
                match callee(edge) {
                    None if goes_on(edge) => marks.add(edge.target),
                    None => {}
                    Some(callee) => {
                        let function = program.function(callee);
                        marks.add(function.entry);
                        if marks.set[function.exit.index()] {
                            marks.add(edge.target);
                        }
                    }
                }
            }
        }
        marks.set
    }

    /// The locations from which a target may be reached before their function returns.
    fn inside(&self, reached: &[bool]) -> Marks {
        let program = self.program;
        let mut inside = Marks::new(program);
        program.errors.iter().for_each(|&error| inside.add(error));
        for edge in program.edges.iter().filter(|edge| !goes_on(edge)) {
            inside.add(edge.source);
        }
        while let Some(location) = inside.next() {
            self.before(location, reached, |source| inside.add(source));
            let function = program.location(location).function;
            if location == program.function(function).entry {
                let calls = self.calls.calls_of(function).iter();
                calls.for_each(|&call| inside.add(program.edge(call).source));
            }
        }
        inside
    }

    /// The locations from which a target may be reached before their function returns, and those from which one may be
    /// reached after it has returned.
    fn backward(&self, reached: &[bool]) -> (Vec<bool>, Vec<bool>) {
        let program = self.program;
        let inside = self.inside(reached);
        let mut after = Marks::new(program);
        let exit_counts = |edge: &Edge, after: &mut Marks| {
            if let Some(callee) = callee(edge)
                && reached[edge.source.index()]
            {
                after.add(program.function(callee).exit);
            }
        };
        for edge in program
            .edges
            .iter()
            .filter(|edge| inside.set[edge.target.index()])
        {
            exit_counts(edge, &mut after);
        }
        while let Some(location) = after.next() {
            self.before(location, reached, |source| after.add(source));
            for &edge in self.graph.incoming(location) {
                exit_counts(program.edge(edge), &mut after);
            }
        }
        (inside.set, after.set)
    }

    /// Visits the sources of the edges by which the location may be reached.
    fn before(&self, location: LocationId, reached: &[bool], mut visit: impl FnMut(LocationId)) {
        for &id in self.graph.incoming(location) {
            let edge = self.program.edge(id);
            let arrives = match callee(edge) {
                None => goes_on(edge),
                Some(callee) => reached[self.program.function(callee).exit.index()],
            };
            if arrives {
                visit(edge.source);
            }
        }
    }
}

/// A set of locations with a work list of the unvisited ones.
struct Marks {
    set: Vec<bool>,
    work: Vec<LocationId>,
}

impl Marks {
    fn new(program: &Program) -> Self {
        Self {
            set: vec![false; program.locations.len()],
            work: Vec::new(),
        }
    }

    fn add(&mut self, location: LocationId) {
        if !std::mem::replace(&mut self.set[location.index()], true) {
            self.work.push(location);
        }
    }

    fn next(&mut self) -> Option<LocationId> {
        self.work.pop()
    }
}
