//! The loops of a program, with what happens in them.

use rustc_hash::FxHashSet;

use super::Obstacle;
use crate::CallGraph;
use crate::cfa::*;
use crate::cut_points::{CutPoints, Loop, LoopShape};
use crate::graph::callee;
use regatta_base::source::Span;
use regatta_term::{Build, Sort, Symbol, TermId, store};

/// How the names of the functions begin that stand for unknown code, which calls functions of the program in a loop.
const ENVIRONMENT: &str = "<environment";

/// The loops of the reachable functions, and the edges of each function.
pub(super) struct Loops<'p> {
    pub program: &'p Program,
    pub calls: CallGraph,
    pub cut_points: CutPoints,
    edges_of: Vec<Vec<EdgeId>>,
    /// The edges that leave each location.
    pub outgoing: Vec<Vec<EdgeId>>,
    /// For each function, those that it may call, directly or not, unless through unknown code.
    called: Vec<FxHashSet<FunctionId>>,
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
            outgoing: program.outgoing(),
            called: called(program),
        }
    }

    /// Whether the function stands for unknown code. It is assumed to return.
    pub fn is_unknown_code(&self, function: FunctionId) -> bool {
        is_unknown_code(self.program, function)
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
    /// The memory model ends executions that use up the memory, which must not be what ends a loop or a recursion. Unknown
    /// code is assumed to return; nothing is asked about its loop, and about recursion through it.
    pub fn obstacle(&self) -> Option<Obstacle> {
        if self.program.arithmetic != Arithmetic::BitVector {
            return Some(Obstacle("mathematical integers are not well-founded"));
        }
        let mut recursive = self.recursive();
        if recursive.any(|function| !self.calls_itself_alone(function)) {
            return Some(Obstacle(
                "recursion through several functions is not supported",
            ));
        }
        if self.asked().any(|cycle| cycle.shape != LoopShape::Natural) {
            return Some(Obstacle("a loop can be entered at several places"));
        }
        self.repeats_allocation()
    }

    /// The obstacle that a loop or a recursion may allocate memory.
    pub fn repeats_allocation(&self) -> Option<Obstacle> {
        let in_loops = self.asked().flat_map(|cycle| self.edges_in(cycle));
        let in_calls = self.recursive();
        let in_calls =
            in_calls.flat_map(|function| self.with_called(self.edges_of(function).to_vec()));
        let mut repeated = in_loops.chain(in_calls);
        let allocates = |edge: EdgeId| {
            let mut operations = self.program.edge(edge).operations.iter();
            operations.any(|operation| matches!(operation, Operation::Allocate { .. }))
        };
        repeated.any(allocates).then_some(Obstacle(
            "a loop or a recursion allocates memory, which may be used up",
        ))
    }

    /// The edges of the loop within its function.
    pub fn own_edges(&self, cycle: &Loop) -> Vec<EdgeId> {
        let is_inside = |id: &EdgeId| {
            let edge = self.program.edge(*id);
            cycle.contains_edge(edge)
        };
        let edges = self.edges_of[cycle.function.index()].iter().copied();
        edges.filter(is_inside).collect()
    }

    /// The edges of the loop, and those of all functions that it may call.
    pub fn edges_in(&self, cycle: &Loop) -> Vec<EdgeId> {
        self.with_called(self.own_edges(cycle))
    }

    /// The edges of the function, and those of all functions that it may call.
    pub fn edges_with_called(&self, function: FunctionId) -> Vec<EdgeId> {
        let mut edges = self.with_called(self.edges_of(function).to_vec());
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The edges of the function.
    pub fn edges_of(&self, function: FunctionId) -> &[EdgeId] {
        &self.edges_of[function.index()]
    }

    /// The loops of the program's own functions.
    fn asked(&self) -> impl Iterator<Item = &Loop> {
        let all = self.all().iter();
        all.filter(|cycle| !self.is_unknown_code(cycle.function))
    }

    /// The reachable functions that may call themselves, unless through unknown code.
    pub fn recursive(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let functions = self.calls.bottom_up().iter().copied();
        functions.filter(|function| self.called[function.index()].contains(function))
    }

    /// Whether no other function is between the calls of a recursive function by itself.
    fn calls_itself_alone(&self, function: FunctionId) -> bool {
        let mut between = self.called[function.index()].iter();
        !between.any(|&other| other != function && self.called[other.index()].contains(&function))
    }

    /// Whether the location is where signed arithmetic has overflowed.
    pub fn is_overflow(&self, location: LocationId) -> bool {
        self.program.location(location).violates == Some(Property::NoOverflow)
    }

    /// The edges to overflows in the loop that come after a location at which it may be left. What comes before may be
    /// the condition of the loop itself, by which the arithmetic of unbounded numbers might leave it.
    pub fn overflows_in(&self, cycle: &Loop) -> Vec<EdgeId> {
        let is_exit = |edge: EdgeId| {
            let target = self.program.edge(edge).target;
            !cycle.contains(target) && !self.is_overflow(target)
        };
        let is_inside = |location: LocationId| cycle.contains(location);
        self.overflows_after(cycle.head, is_inside, is_exit)
    }

    /// The edges to overflows in the function that come after a branch.
    pub fn overflows_of(&self, function: FunctionId) -> Vec<EdgeId> {
        let entry = self.program.function(function).entry;
        let onward = |location: LocationId| {
            let edges = self.outgoing[location.index()].iter();
            edges.filter(|&&edge| !self.is_overflow(self.program.edge(edge).target))
        };
        let is_choice = |edge: EdgeId| onward(self.program.edge(edge).source).count() > 1;
        self.overflows_after(entry, |_| true, is_choice)
    }

    /// The edges from the locations inside to overflows, but for those on ways from the start on which no edge is like this.
    fn overflows_after(
        &self,
        start: LocationId,
        is_inside: impl Fn(LocationId) -> bool,
        is_tested: impl Fn(EdgeId) -> bool,
    ) -> Vec<EdgeId> {
        let mut before = FxHashSet::from_iter([start]);
        let mut open = vec![start];
        while let Some(location) = open.pop() {
            let edges = &self.outgoing[location.index()];
            if edges.iter().any(|&edge| is_tested(edge)) {
                continue;
            }
            for &edge in edges {
                let target = self.program.edge(edge).target;
                if is_inside(target) && before.insert(target) {
                    open.push(target);
                }
            }
        }
        let function = self.program.location(start).function;
        let edges = self.edges_of(function).iter().copied();
        let mut overflows: Vec<EdgeId> = edges
            .filter(|&id| {
                let edge = self.program.edge(id);
                let is_late = is_inside(edge.source) && !before.contains(&edge.source);
                is_late && self.is_overflow(edge.target)
            })
            .collect();
        overflows.sort_unstable();
        overflows
    }

    /// The edges, and those of all functions that they may call.
    pub fn with_called(&self, mut edges: Vec<EdgeId>) -> Vec<EdgeId> {
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
        let mut modified = self.modified_by(&self.edges_in(cycle));
        modified.retain(|&variable| self.is_seen(cycle, variable));
        modified
    }

    /// The global variables that the edges may change, by number.
    pub fn modified_globals(&self, edges: &[EdgeId]) -> Vec<VariableId> {
        let mut modified = self.modified_by(edges);
        modified.retain(|&variable| self.program.variable(variable).scope == Scope::Global);
        modified
    }

    /// The variables that the edges may change, by number.
    pub fn modified_by(&self, edges: &[EdgeId]) -> Vec<VariableId> {
        let mut modified = Vec::new();
        for &edge in edges {
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

fn is_unknown_code(program: &Program, function: FunctionId) -> bool {
    program.function(function).name.starts_with(ENVIRONMENT)
}

/// For each function, those that it may call, directly or not, unless through unknown code.
pub(super) fn called(program: &Program) -> Vec<FxHashSet<FunctionId>> {
    let mut directly = vec![FxHashSet::default(); program.functions.len()];
    for edge in &program.edges {
        let caller = program.location(edge.source).function;
        if let Some(callee) = callee(edge)
            && !is_unknown_code(program, caller)
        {
            directly[caller.index()].insert(callee);
        }
    }
    let all = directly.iter().map(|first| {
        let mut open: Vec<FunctionId> = first.iter().copied().collect();
        let mut all = first.clone();
        while let Some(function) = open.pop() {
            let next = directly[function.index()].iter();
            open.extend(next.filter(|&&next| all.insert(next)));
        }
        all
    });
    all.collect()
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
            edge.target = match cycle.contains(edge.source) {
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

/// A new Boolean input by which an execution chooses.
pub(super) fn choosing_input(program: &mut Program) -> InputId {
    let input = InputId(program.inputs.len() as u32);
    program.inputs.push(Input {
        kind: InputKind::MemoryModel,
        sort: Sort::Bool,
        c_type: None,
        part: None,
        span: Span::NONE,
    });
    input
}

/// A Boolean variable of the location's function that an input chooses, and the operation that does so.
pub(super) fn choice(
    program: &mut Program,
    name: &str,
    location: LocationId,
) -> (TermId, Operation) {
    let input = choosing_input(program);
    let scope = Scope::Local(program.location(location).function);
    let name = format!("{name} ({})", location.index());
    let target = ghost(program, name, Sort::Bool, scope);
    let chosen = value(program, target);
    (chosen, Operation::Havoc { target, input })
}
