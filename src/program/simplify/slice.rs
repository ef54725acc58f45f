//! Slicing with respect to the targets (Weiser; on the dependence graph: Horwitz, Reps and Binkley).
//!
//! The dependences of the targets are collected backward: the branches that decide whether they are reached (an `assume`,
//! a call that may not return and a loop that is not proved to terminate count as branches; see [`super::dependence`]); the
//! variables in those branches' conditions; the assignments to those variables; the branches that decide whether the
//! assignments are reached; and so on. The slicer is insensitive to locations (another pass removes dead assignments) and
//! to calling contexts.
//!
//! The rest of the program cannot influence whether a target is reached, nor with which inputs: assignments to other
//! variables are removed, an irrelevant branch becomes a skip to its postdominator, and an irrelevant call becomes a skip.
//! If any occurrence of an input is needed, all are, so that a replay finds them in order.
//!
//! # The loose slice
//! [`Slicing::Loose`] takes loops to terminate and calls to return, and drops assumptions, also that no check has failed
//! which is not asked about: nontermination-insensitive control dependence \[RAB+07\], in a graph without dead ends. Kept are
//! assumptions and loops whose conditions read something relevant, or what is computed from it. Every execution that reaches
//! a target is still one, so a proof about the loose slice holds of the program; but a target becomes reachable that only a
//! loop without end, say, keeps from being reached. The pass is the first one, since where others have removed code that
//! leads to no target, the conditions of targets look like assumptions.

use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::conditions::always_go_on;
use crate::cut_points::CutPoints;
use crate::graph::{Graph, callee, goes_on};
use crate::simplify::Slicing;
use crate::simplify::dependence::ControlDependence;
use crate::simplify::globals::modified_globals;
use crate::simplify::prune::dead_ends;
use crate::simplify::termination::Termination;
use crate::simplify::workspace::{Workspace, reduce_call};
use crate::variables::VariableUse;

/// Makes the exact slice; returns the number of changed operations and edges.
pub(super) fn run(workspace: &mut Workspace) -> usize {
    slice(workspace, Slicing::Exact)
}

/// Makes the loose slice; returns the number of changed operations and edges.
pub(super) fn run_loosely(workspace: &mut Workspace) -> usize {
    slice(workspace, Slicing::Loose)
}

fn slice(workspace: &mut Workspace, slicing: Slicing) -> usize {
    let graph = Graph::new(&workspace.program);
    let calls = CallGraph::new(&workspace.program);
    let cut_points = CutPoints::new(&workspace.program, &calls);
    let modified = modified_globals(&workspace.program, &calls);
    let Workspace { program, uses, .. } = workspace;
    let termination = Termination::new(program, &graph, &calls, &cut_points, &modified, uses);
    let dead_ends = (slicing == Slicing::Loose).then(|| dead_ends(program, &graph, &calls));
    let ends = dead_ends.as_deref();
    let control = ControlDependence::new(program, &graph, &cut_points, &termination, ends);
    let mut slicer = Slicer::new(program, &graph, &calls, &control, &termination, uses);
    if let Some(dead_ends) = dead_ends {
        slicer.slicing = Slicing::Loose;
        slicer.blocking = blocking(program, &graph, &cut_points, &termination, &dead_ends);
        slicer.dead_ends = dead_ends;
    }
    slicer.collect();
    let slice = Slice {
        variables: slicer.variables,
        decisions: slicer.decisions,
        edges: slicer.edges,
        inputs: slicer.inputs,
    };
    slice.apply(workspace, &graph, &control)
}

/// Returns the locations at which execution may block or come to a dead end, judged by the conditions of the edges, and those at
/// which a loop is left that is not proved to terminate.
fn blocking(
    program: &Program,
    graph: &Graph,
    cut_points: &CutPoints,
    termination: &Termination,
    dead_ends: &[bool],
) -> Vec<LocationId> {
    let edges = |location| {
        let outgoing = graph.outgoing(location).iter();
        let edges = outgoing.map(|&id| program.edge(id));
        edges.filter(|edge| !dead_ends[edge.target.index()])
    };
    let locations = (0..program.locations.len() as u32).map(LocationId);
    let mut blocking: Vec<LocationId> = locations
        .filter(|&location| !always_go_on(edges(location)))
        .collect();
    let loops = cut_points.loops().iter().zip(&termination.loops);
    for (cycle, _) in loops.filter(|(_, terminates)| !**terminates) {
        let is_left =
            |&location: &LocationId| edges(location).any(|edge| !cycle.contains(edge.target));
        blocking.extend(cycle.members.iter().copied().filter(is_left));
    }
    blocking
}

/// The relevant parts of the program.
struct Slice {
    variables: Vec<bool>,
    /// The locations at which the choice of the outgoing edge is relevant.
    decisions: Vec<bool>,
    edges: Vec<bool>,
    inputs: Vec<bool>,
}

#[derive(Copy, Clone)]
enum Item {
    /// Whether the location is reached is relevant.
    Location(LocationId),
    /// The choice of the edge from the location is relevant.
    Decision(LocationId),
    /// The edge has a relevant operation.
    Edge(EdgeId),
    /// The variable's values are relevant.
    Variable(VariableId),
    /// The input's values are relevant.
    Input(InputId),
}

struct Slicer<'a> {
    program: &'a Program,
    graph: &'a Graph,
    calls: &'a CallGraph,
    control: &'a ControlDependence,
    termination: &'a Termination,
    uses: &'a mut VariableUse,
    slicing: Slicing,
    /// For a loose slice, the locations whose conditions may be relevant although nothing else depends on them.
    blocking: Vec<LocationId>,
    /// For a loose slice, whether each location is a dead end.
    dead_ends: Vec<bool>,
    /// For each variable the edges with an assignment to it, and the operation's index on the edge.
    definitions: Vec<Vec<(EdgeId, usize)>>,
    /// For each input the edges that read it.
    asking: Vec<Vec<EdgeId>>,
    /// For each variable the functions of which it is a parameter.
    parameter_of: Vec<Vec<FunctionId>>,
    /// The locations whose reachability is relevant.
    locations: Vec<bool>,
    decisions: Vec<bool>,
    edges: Vec<bool>,
    variables: Vec<bool>,
    inputs: Vec<bool>,
    needed_functions: Vec<bool>,
    work: Vec<Item>,
}

impl<'a> Slicer<'a> {
    fn new(
        program: &'a Program,
        graph: &'a Graph,
        calls: &'a CallGraph,
        control: &'a ControlDependence,
        termination: &'a Termination,
        uses: &'a mut VariableUse,
    ) -> Self {
        let mut definitions = vec![Vec::new(); program.variables.len()];
        let mut asking = vec![Vec::new(); program.inputs.len()];
        for (index, edge) in program.edges.iter().enumerate() {
            let id = EdgeId(index as u32);
            for (place, operation) in edge.operations.iter().enumerate() {
                operation
                    .written(program)
                    .for_each(|variable| definitions[variable.index()].push((id, place)));
                if let Operation::Havoc { input, .. } = operation {
                    asking[input.index()].push(id);
                }
            }
        }
        let mut parameter_of = vec![Vec::new(); program.variables.len()];
        for (index, function) in program.functions.iter().enumerate() {
            let id = FunctionId(index as u32);
            for parameter in &function.parameters {
                parameter_of[parameter.index()].push(id);
            }
        }
        Self {
            program,
            graph,
            calls,
            control,
            termination,
            uses,
            slicing: Slicing::Exact,
            blocking: Vec::new(),
            dead_ends: Vec::new(),
            definitions,
            asking,
            parameter_of,
            locations: vec![false; program.locations.len()],
            decisions: vec![false; program.locations.len()],
            edges: vec![false; program.edges.len()],
            variables: vec![false; program.variables.len()],
            inputs: vec![false; program.inputs.len()],
            needed_functions: vec![false; program.functions.len()],
            work: Vec::new(),
        }
    }

    fn need(&mut self, item: Item) {
        let mark = match item {
            Item::Location(location) => &mut self.locations[location.index()],
            Item::Decision(location) => &mut self.decisions[location.index()],
            Item::Edge(edge) => &mut self.edges[edge.index()],
            Item::Variable(variable) => &mut self.variables[variable.index()],
            Item::Input(input) => &mut self.inputs[input.index()],
        };
        if !std::mem::replace(mark, true) {
            self.work.push(item);
        }
    }

    fn collect(&mut self) {
        for &error in &self.program.errors {
            self.need(Item::Location(error));
        }
        for (index, edge) in self.program.edges.iter().enumerate() {
            if !goes_on(edge) {
                self.need(Item::Edge(EdgeId(index as u32)));
            }
        }
        self.collect_dependences();
        if self.slicing == Slicing::Loose {
            let flow = self.data_flow();
            while self.need_assumptions(&flow) {
                self.collect_dependences();
            }
        }
    }

    fn collect_dependences(&mut self) {
        while let Some(item) = self.work.pop() {
            match item {
                Item::Location(location) => self.location(location),
                Item::Decision(location) => self.decision(location),
                Item::Edge(edge) => self.edge(edge),
                Item::Variable(variable) => self.variable(variable),
                Item::Input(input) => {
                    for edge in std::mem::take(&mut self.asking[input.index()]) {
                        self.need(Item::Edge(edge));
                    }
                }
            }
        }
    }

    fn leads_to_dead_end(&self, edge: &Edge) -> bool {
        goes_on(edge) && self.dead_ends.get(edge.target.index()) == Some(&true)
    }

    fn location(&mut self, location: LocationId) {
        for &branch in self.control.of(location) {
            self.need(Item::Decision(branch));
        }
        // To reach the location, the function must be called.
        let function = self.program.location(location).function;
        if !std::mem::replace(&mut self.needed_functions[function.index()], true) {
            for &call in self.calls.calls_of(function) {
                self.need(Item::Edge(call));
            }
        }
    }

    fn decision(&mut self, location: LocationId) {
        self.need(Item::Location(location));
        for &id in self.graph.outgoing(location) {
            let edge = self.program.edge(id);
            for operation in &edge.operations {
                if let Operation::Assume(condition) = operation {
                    for index in 0..self.uses.of(*condition).len() {
                        let variable = self.uses.of(*condition)[index];
                        self.need(Item::Variable(variable));
                    }
                }
            }
            if let Some(callee) = callee(edge)
                && self.slicing == Slicing::Exact
                && !self.termination.total[callee.index()]
            {
                // Whether the callee returns is part of the decision.
                self.need(Item::Edge(id));
                self.need(Item::Location(self.program.function(callee).exit));
            }
        }
    }

    fn edge(&mut self, id: EdgeId) {
        let edge = self.program.edge(id);
        if self.leads_to_dead_end(edge) {
            return;
        }
        self.need(Item::Location(edge.source));
        // The choice among several edges is a decision, and so is an assumption on the edge itself.
        let is_assumption = |operation: &Operation| matches!(operation, Operation::Assume(_));
        let assumes = (self.slicing == Slicing::Exact || !goes_on(edge))
            && edge.operations.iter().any(is_assumption);
        let outgoing = self.graph.outgoing(edge.source).iter();
        let onward = outgoing.filter(|&&id| !self.leads_to_dead_end(self.program.edge(id)));
        if assumes || onward.count() > 1 {
            self.need(Item::Decision(edge.source));
        }
        for operation in &edge.operations {
            self.definition(id, operation);
        }
    }

    /// Marks the dependences of a variable's definition, if the variable is relevant.
    fn definition(&mut self, id: EdgeId, operation: &Operation) {
        match operation {
            Operation::Assign { target, value } if self.variables[target.index()] => {
                self.reads(&[*value]);
            }
            Operation::Store {
                region,
                index,
                value,
            } if self.variables[self.program.region(*region).variable.index()] => {
                self.reads(&[*index, *value]);
            }
            Operation::Havoc { target, input } if self.variables[target.index()] => {
                self.need(Item::Input(*input));
            }
            Operation::Call {
                callee,
                arguments,
                results,
            } => {
                let function = self.program.function(*callee);
                for (&argument, parameter) in arguments.iter().zip(&function.parameters) {
                    if self.variables[parameter.index()] {
                        self.reads(&[argument]);
                    }
                }
                for (result, &from) in results.iter().zip(&function.results) {
                    if self.variables[result.index()] {
                        self.need(Item::Variable(from));
                        self.need(Item::Edge(id));
                    }
                }
            }
            _ => {}
        }
    }

    fn reads(&mut self, terms: &[regatta_term::TermId]) {
        for &term in terms {
            for index in 0..self.uses.of(term).len() {
                let variable = self.uses.of(term)[index];
                self.need(Item::Variable(variable));
            }
        }
    }

    /// Returns for each variable those that get values computed from it.
    fn data_flow(&mut self) -> Vec<Vec<VariableId>> {
        let program = self.program;
        let mut flow = vec![Vec::new(); program.variables.len()];
        let mut add = |uses: &mut VariableUse, term, target| {
            for &from in uses.of(term) {
                flow[from.index()].push(target);
            }
        };
        let mut returned = Vec::new();
        for operation in program.edges.iter().flat_map(|edge| &edge.operations) {
            match operation {
                Operation::Assign { target, value } => add(self.uses, *value, *target),
                Operation::Store {
                    region,
                    index,
                    value,
                } => {
                    let target = program.region(*region).variable;
                    add(self.uses, *index, target);
                    add(self.uses, *value, target);
                }
                Operation::Call {
                    callee,
                    arguments,
                    results,
                } => {
                    let function = program.function(*callee);
                    for (&argument, &parameter) in arguments.iter().zip(&function.parameters) {
                        add(self.uses, argument, parameter);
                    }
                    let from = function.results.iter().copied();
                    returned.extend(from.zip(results.iter().copied()));
                }
                _ => {}
            }
        }
        for (from, to) in returned {
            flow[from.index()].push(to);
        }
        flow
    }

    /// Makes the decisions at blocking locations relevant whose conditions read a relevant variable, or what is computed from
    /// one. Returns whether there are new ones.
    fn need_assumptions(&mut self, flow: &[Vec<VariableId>]) -> bool {
        let mut related = self.variables.clone();
        let ids = (0..related.len() as u32).map(VariableId);
        let mut work: Vec<VariableId> = ids.filter(|id| related[id.index()]).collect();
        while let Some(variable) = work.pop() {
            for &target in &flow[variable.index()] {
                if !std::mem::replace(&mut related[target.index()], true) {
                    work.push(target);
                }
            }
        }
        for location in std::mem::take(&mut self.blocking) {
            if self.decisions[location.index()] {
                continue;
            }
            let outgoing = self.graph.outgoing(location).iter();
            let mut edges = outgoing.map(|&id| self.program.edge(id));
            let uses = &mut *self.uses;
            let mut is_related = |term| uses.of(term).iter().any(|id| related[id.index()]);
            let is_needed = edges.any(|edge| {
                let mut operations = edge.operations.iter();
                operations.any(|operation| match operation {
                    Operation::Assume(condition) => is_related(*condition),
                    _ => false,
                })
            });
            match is_needed {
                true => self.need(Item::Decision(location)),
                false => self.blocking.push(location),
            }
        }
        !self.work.is_empty()
    }

    fn variable(&mut self, variable: VariableId) {
        let program = self.program;
        for (id, place) in std::mem::take(&mut self.definitions[variable.index()]) {
            self.need(Item::Edge(id));
            self.definition(id, &program.edge(id).operations[place]);
        }
        for function in std::mem::take(&mut self.parameter_of[variable.index()]) {
            for &id in self.calls.calls_of(function) {
                // The call itself is relevant already, since the reads of the parameter are in the function.
                for operation in &program.edge(id).operations {
                    self.definition(id, operation);
                }
            }
        }
    }
}

impl Slice {
    /// Removes the irrelevant parts of the program; returns the number of changes.
    fn apply(
        &self,
        workspace: &mut Workspace,
        graph: &Graph,
        control: &ControlDependence,
    ) -> usize {
        let mut changes = 0;
        let count = workspace.program.locations.len();
        let mut keep = vec![true; workspace.program.edges.len()];
        for location in (0..count as u32).map(LocationId) {
            let outgoing = graph.outgoing(location);
            if outgoing.is_empty() {
                continue;
            }
            let matters = self.decisions[location.index()]
                || outgoing.iter().any(|edge| self.edges[edge.index()]);
            if matters {
                for &id in outgoing {
                    changes += self.reduce(workspace, id);
                }
                continue;
            }
            // Everything between the location and its postdominator is irrelevant.
            match control.postdominator(location) {
                None => {
                    outgoing.iter().for_each(|edge| keep[edge.index()] = false);
                }
                Some(target) => {
                    let (first, others) = (outgoing[0], &outgoing[1..]);
                    others.iter().for_each(|edge| keep[edge.index()] = false);
                    let edge = &mut workspace.program.edges[first.index()];
                    if edge.target != target || !edge.operations.is_empty() {
                        changes += 1;
                    }
                    edge.target = target;
                    edge.operations.clear();
                }
            }
        }
        changes + workspace.keep_edges(&keep)
    }

    /// Removes the irrelevant operations of an edge; returns the number of changes.
    fn reduce(&self, workspace: &mut Workspace, id: EdgeId) -> usize {
        let program = &mut workspace.program;
        let mut edge = std::mem::replace(
            &mut program.edges[id.index()],
            Edge {
                source: LocationId(0),
                target: LocationId(0),
                operations: Vec::new(),
                span: crate::Span::NONE,
            },
        );
        let before = edge.operations.len();
        let decides = self.decisions[edge.source.index()];
        edge.operations.retain(|operation| match operation {
            Operation::Assign { target, .. } => self.variables[target.index()],
            Operation::Store { region, .. } => {
                self.variables[program.regions[region.index()].variable.index()]
            }
            Operation::Havoc { input, .. } => self.inputs[input.index()],
            Operation::Call { .. } => self.edges[id.index()],
            Operation::Assume(_) => decides,
            Operation::Allocate { .. }
            | Operation::Free { .. }
            | Operation::Claim(_)
            | Operation::Unsupported(_) => true,
        });
        let changes = before - edge.operations.len();
        let matters = |variable: VariableId| self.variables[variable.index()];
        let reduced = reduce_call(
            program,
            &mut edge,
            |_, parameter| matters(parameter),
            matters,
        );
        program.edges[id.index()] = edge;
        changes + reduced
    }
}
