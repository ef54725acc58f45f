//! Interprocedural propagation of constants and ranges.
//!
//! A forward data-flow analysis over the reachable locations that takes conditions into account (the idea of conditional constant
//! propagation \[WZ91\],
//! with one map from variables to abstract values for each location; the maps
//! share common parts). The state at a callee's entry is the join over its calls; after a call, the caller keeps the values
//! of everything that the callee cannot change. A range that keeps growing is widened to the end of the type; two
//! descending iterations then recover precision.
//!
//! The results are substituted into the terms; decided conditions disappear, or their edges do.
//!
//! * [`agenda`]: the order of visits.
//! * [`evaluator`]: abstract states, and the transfer functions of operations.
//! * [`memory`]: evaluations that were done before; [`crossings`]: the same for calls and returns.
//! * [`cut_point_states`]: the states that proofs need later.
//! * [`doubts`]: which assumptions the states leave open; [`objects`]: abstract pointers for these.
//! * This file: the analysis, and the rewriting of the program.

mod agenda;
mod crossings;
mod cut_point_states;
mod doubts;
mod evaluator;
mod memory;
mod objects;

use std::cell::RefCell;

use self::agenda::{Agenda, Rank, Work};
use self::crossings::{Crossing, Crossings};
pub(super) use self::doubts::open;
use self::evaluator::{Evaluator, State};
use super::globals::{accessed_globals, modified_globals};
use crate::call_graph::CallGraph;
use crate::cfa::*;
use crate::cut_points::CutPoints;
use crate::graph::{Graph, callee, goes_on};
use crate::liveness::Liveness;
use crate::simplify::Pass;
use crate::simplify::limits::{CHANGES_BEFORE_WIDENING, CHANGES_BEFORE_WIDENING_ELSEWHERE};
use crate::simplify::range::Abstract;
use crate::simplify::workspace::Workspace;
use crate::variables::VariableUse;
pub(super) use cut_point_states::{RoundStates, finish};
use cut_point_states::{heads, record_round};
use regatta_term::{Build, TermId, store};

/// Runs the pass; returns the number of changed edges and terms.
pub(super) fn run(workspace: &mut Workspace) -> usize {
    let graph = Graph::new(&workspace.program);
    let calls = CallGraph::new(&workspace.program);
    let Workspace { program, uses, .. } = workspace;
    let liveness = Liveness::new(program, &graph, &calls, uses);
    let mut analysis = Analysis::new(program, &graph, &calls, &liveness, uses);
    analysis.ascend();
    analysis.descend();
    let states = analysis.states;
    let cut_points = analysis.cut_points;
    let changes = rewrite(workspace, &states);
    record_round(workspace, &cut_points, states);
    changes
}

struct Analysis<'a> {
    program: &'a Program,
    graph: &'a Graph,
    calls: &'a CallGraph,
    liveness: &'a Liveness,
    evaluator: Evaluator<'a>,
    states: Vec<Option<State>>,
    /// For each location its number in the iteration order.
    order: Vec<u32>,
    by_order: Vec<LocationId>,
    /// For each function its place in the order of functions, callers first.
    rank: Vec<Rank>,
    visits: Vec<u32>,
    /// Marks a set of locations that cuts every cycle, calls included.
    on_cycles: Vec<bool>,
    cut_points: Vec<LocationId>,
    widened: bool,
    /// The globals that a call of each function may change, by ascending number.
    modified: Vec<Vec<u32>>,
    /// The globals that a call of each function may read or change, by ascending number.
    accessed: Vec<Vec<u32>>,
    crossings: RefCell<Crossings>,
}

/// The variables' ids as numbers, in the same order.
fn numbers(lists: Vec<Vec<VariableId>>) -> Vec<Vec<u32>> {
    let of = |list: Vec<VariableId>| list.into_iter().map(|variable| variable.0).collect();
    lists.into_iter().map(of).collect()
}

impl<'a> Analysis<'a> {
    fn new(
        program: &'a Program,
        graph: &'a Graph,
        calls: &'a CallGraph,
        liveness: &'a Liveness,
        uses: &'a mut VariableUse,
    ) -> Self {
        let accessed = accessed_globals(program, calls, uses);
        // Within functions inner loops stabilise first; callers come before callees.
        let cut_points = CutPoints::new(program, calls);
        let mut rank = vec![0; program.functions.len()];
        for (number, function) in calls.bottom_up().iter().rev().enumerate() {
            rank[function.index()] = number as Rank;
        }
        let mut by_order = cut_points.weak_topological_order().to_vec();
        by_order.sort_by_key(|&location| rank[program.location(location).function.index()]);
        let mut order = vec![u32::MAX; program.locations.len()];
        for (number, location) in by_order.iter().enumerate() {
            order[location.index()] = number as u32;
        }
        Self {
            program,
            graph,
            calls,
            liveness,
            evaluator: Evaluator::new(program, uses),
            states: vec![None; program.locations.len()],
            order,
            by_order,
            rank,
            visits: vec![0; program.locations.len()],
            on_cycles: on_cycles(program, &cut_points),
            cut_points: heads(&cut_points),
            widened: false,
            modified: numbers(modified_globals(program, calls)),
            accessed: numbers(accessed),
            crossings: RefCell::default(),
        }
    }

    /// Computes a post-fixed point, with widening.
    fn ascend(&mut self) {
        let program = self.program;
        let entry = program.function(program.start).entry;
        let (locations, edges) = (self.states.len(), program.edges.len());
        let mut agenda = Agenda::new(program.functions.len(), locations, edges);
        self.states[entry.index()] = Some(State::default());
        agenda.add_location(self.rank_of(entry), self.order[entry.index()]);
        while let Some(work) = agenda.next() {
            let successors = match work {
                Work::Location(number) => {
                    let location = self.by_order[number as usize];
                    let function = program.location(location).function;
                    if location == program.function(function).exit {
                        for &call in self.calls.calls_of(function) {
                            agenda.add_return(self.rank_of(program.edge(call).source), call);
                        }
                    }
                    self.successors(location)
                }
                Work::Return(call) => self.after_call(call).into_iter().collect(),
            };
            for (target, state, crossing) in successors {
                if self.flow(target, state, crossing) {
                    agenda.add_location(self.rank_of(target), self.order[target.index()]);
                }
            }
        }
    }

    /// The rank of the location's function.
    fn rank_of(&self, location: LocationId) -> Rank {
        self.rank[self.program.location(location).function.index()]
    }

    /// The states that the location's state propagates to other locations, except for those after the calls of a function
    /// of which it is the exit.
    fn successors(&self, location: LocationId) -> Vec<(LocationId, State, Crossing)> {
        let program = self.program;
        let mut result = Vec::new();
        let Some(state) = &self.states[location.index()] else {
            return result;
        };
        for &id in self.graph.outgoing(location) {
            let edge = program.edge(id);
            match callee(edge) {
                None if goes_on(edge) => {
                    let after = self.evaluator.execute(state, id);
                    result.extend(after.map(|after| (edge.target, after, Crossing::Edge(id))));
                }
                None => {}
                Some(callee) => {
                    result.push((
                        program.function(callee).entry,
                        self.enter(id, callee, state),
                        Crossing::Call(id),
                    ));
                    result.extend(self.after_call(id));
                }
            }
        }
        result
    }

    fn enter(&self, id: EdgeId, callee: FunctionId, state: &State) -> State {
        let edge = self.program.edge(id);
        // Globals that the callee does not access would only cause more iterations of it.
        let accessed = &self.accessed[callee.index()];
        let mut inside = State {
            globals: self
                .crossings
                .borrow_mut()
                .entered(id, &state.globals, accessed),
            ..State::default()
        };
        if let Some(objects) = &self.evaluator.objects {
            for (key, &pointer) in state.objects.iter() {
                if objects.is_fixed(key, self.program) || accessed.binary_search(&key).is_ok() {
                    inside.objects.insert(key, pointer);
                }
            }
        }
        if let Some(Operation::Call { arguments, .. }) = edge.operations.first() {
            for (&argument, &parameter) in arguments
                .iter()
                .zip(&self.program.function(callee).parameters)
            {
                let value = self.evaluator.evaluate(state, argument);
                self.evaluator.set(&mut inside, parameter, value);
                if self.evaluator.objects.is_some()
                    && let Some(pointer) = self.evaluator.pointer(state, argument)
                {
                    inside.objects.insert(parameter.0, pointer);
                }
            }
        }
        inside
    }

    /// The state after a call; `None` as long as the call or the callee's exit is unreachable.
    fn after_call(&self, id: EdgeId) -> Option<(LocationId, State, Crossing)> {
        let edge = self.program.edge(id);
        let Some(Operation::Call {
            callee, results, ..
        }) = edge.operations.first()
        else {
            return None;
        };
        let before = self.states[edge.source.index()].as_ref()?;
        let exit = self.states[self.program.function(*callee).exit.index()].as_ref()?;
        let mut after = before.clone();
        let modified = &self.modified[callee.index()];
        if let Some(objects) = &self.evaluator.objects {
            self.evaluator
                .return_objects(&mut after, exit, objects, *callee);
        }
        after.globals =
            self.crossings
                .borrow_mut()
                .returned(id, &before.globals, &exit.globals, modified);
        after.objects = after.objects.replaced(&exit.objects, modified);
        for (&result, &from) in results.iter().zip(&self.program.function(*callee).results) {
            self.return_value(&mut after, exit, result, from);
        }
        Some((edge.target, after, Crossing::Return(id)))
    }

    /// Assigns a result of a call to the caller's variable.
    fn return_value(&self, after: &mut State, exit: &State, target: VariableId, from: VariableId) {
        let value = self.evaluator.get(exit, from);
        self.evaluator.set(after, target, value);
        if self.evaluator.objects.is_some() {
            match exit.objects.get(from.0) {
                Some(&pointer) => after.objects.insert(target.0, pointer),
                None => after.objects.remove(target.0),
            }
        }
    }

    /// Joins a state into the location's state; returns whether that changed.
    fn flow(&mut self, target: LocationId, mut state: State, crossing: Crossing) -> bool {
        let slot = target.index();
        if matches!(crossing, Crossing::Edge(_)) && self.has_one_predecessor(target) {
            // There is nothing to join: the state shares all that it can with the predecessor's.
            let changed = self.states[slot]
                .as_ref()
                .is_none_or(|old| !old.agrees(&state));
            self.states[slot] = Some(state);
            return changed;
        }
        let last = self.crossings.borrow_mut().joined(crossing, &state);
        let Some(old) = &self.states[slot] else {
            self.forget_dead(target, &mut state);
            self.states[slot] = Some(state);
            return true;
        };
        let patience = if self.on_cycles[slot] {
            CHANGES_BEFORE_WIDENING
        } else {
            CHANGES_BEFORE_WIDENING_ELSEWHERE
        };
        let widen = self.visits[slot] >= patience;
        let new = self.join(old, &state, last.as_ref(), widen);
        if new.same(old) {
            return false;
        }
        self.visits[slot] += 1;
        self.widened |= widen;
        self.states[slot] = Some(new);
        true
    }

    /// Whether the location is the target of a single edge, and cuts no cycle.
    fn has_one_predecessor(&self, location: LocationId) -> bool {
        self.graph.incoming(location).len() == 1 && !self.on_cycles[location.index()]
    }

    /// At locations that cut cycles, removes dead variables from the first state, and so from all that are joined into it, so that
    /// only changes of live ones cause further iterations.
    fn forget_dead(&self, target: LocationId, state: &mut State) {
        if self.on_cycles[target.index()] {
            let live =
                |variable: u32, _: &Abstract| self.liveness.is_live(target, VariableId(variable));
            state.globals.retain(live);
            state.locals.retain(live);
            if let Some(objects) = &self.evaluator.objects {
                state.objects.retain(|key, _| {
                    objects.is_fixed(key, self.program)
                        || self.liveness.is_live(target, VariableId(key))
                });
            }
        }
    }

    /// Joins two states. If `last` was joined into the first one before, what has not changed since need not be looked at again.
    fn join(&self, old: &State, new: &State, last: Option<&State>, widen: bool) -> State {
        let mut meet = |variable: u32, a: &Abstract, b: &Abstract| {
            let sort = self.program.variable(VariableId(variable)).sort;
            let joined = a.join(*b, sort)?;
            if widen {
                a.widen(joined, sort)
            } else {
                Some(joined)
            }
        };
        State {
            globals: match last {
                Some(last) => old
                    .globals
                    .intersect_changes(&last.globals, &new.globals, &mut meet),
                None => old.globals.intersect(&new.globals, &mut meet),
            },
            locals: match last {
                Some(last) => old
                    .locals
                    .intersect_changes(&last.locals, &new.locals, &mut meet),
                None => old.locals.intersect(&new.locals, &mut meet),
            },
            objects: old.objects.intersect(&new.objects, &mut |_, &a, &b| {
                let joined = a.join(b)?;
                if widen { a.widen(joined) } else { Some(joined) }
            }),
        }
    }

    /// Recomputes each state from its predecessors in two descending iterations, which recover some of the precision that
    /// widening lost.
    fn descend(&mut self) {
        if !self.widened {
            return;
        }
        let entry = self.program.function(self.program.start).entry;
        for _ in 0..2 {
            let mut next: Vec<Option<State>> = vec![None; self.states.len()];
            next[entry.index()] = Some(State::default());
            for &location in &self.by_order {
                for (target, mut state, _) in self.successors(location) {
                    next[target.index()] = Some(match &next[target.index()] {
                        None => {
                            self.forget_dead(target, &mut state);
                            state
                        }
                        Some(other) => self.join(other, &state, None, false),
                    });
                }
            }
            self.states = next;
        }
    }
}

fn on_cycles(program: &Program, cut_points: &CutPoints) -> Vec<bool> {
    let mut marks = vec![false; program.locations.len()];
    for (location, _) in cut_points.iter() {
        marks[location.index()] = true;
    }
    for function in &program.functions {
        marks[function.entry.index()] = true;
    }
    marks
}

/// Simplifies the terms of all edges with the states, and removes the edges that cannot be taken; returns the number of
/// changes.
fn rewrite(workspace: &mut Workspace, states: &[Option<State>]) -> usize {
    let mut changes = 0;
    let mut keep = vec![true; workspace.program.edges.len()];
    let mut edges = std::mem::take(&mut workspace.program.edges);
    let mut facts = Vec::new();
    let Workspace { program, uses, .. } = &mut *workspace;
    let evaluator = Evaluator::new(program, uses);
    for (edge, keep) in edges.iter_mut().zip(&mut keep) {
        let Some(state) = &states[edge.source.index()] else {
            *keep = false;
            continue;
        };
        let mut state = state.clone();
        for operation in &mut edge.operations {
            let before = operation.clone();
            operation.map_terms(|term| evaluator.simplify(&state, term));
            if evaluator.step(&mut state, operation, None).is_none()
                && !matches!(operation, Operation::Unsupported(_))
            {
                facts.push((edge.source, known(&evaluator, states, edge.source, &before)));
                *keep = false;
                break;
            }
            changes += usize::from(*operation != before);
        }
    }
    workspace.program.edges = edges;
    for (location, formula) in facts {
        workspace.add_fact(Pass::Constants, location, formula);
    }
    changes + workspace.keep_edges(&keep)
}

/// The formula of the abstract values, at the location, of the variables that the operation reads.
fn known(
    evaluator: &Evaluator,
    states: &[Option<State>],
    location: LocationId,
    operation: &Operation,
) -> TermId {
    let mut parts = Vec::new();
    if let Some(state) = &states[location.index()] {
        for term in operation.terms() {
            let variables = evaluator.uses.borrow_mut().of(term).to_vec();
            for variable in variables {
                let symbol = evaluator.program.variable(variable).symbol;
                if let Some(value) = evaluator.get(state, variable) {
                    parts.push(value.formula(store().variable(symbol)));
                }
            }
        }
    }
    store().and(parts)
}
