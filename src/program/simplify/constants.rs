//! Constants and ranges, propagated through the whole program.
//!
//! A forward data-flow analysis over the locations that execution may reach, conditions taken into account (the idea
//! of Wegman and Zadeck's conditional constant propagation, with one map from variables to abstract values for each
//! location, which locations share as far as they are equal). A callee sees what all its calls have in common; after a
//! call, the caller keeps what it knew of everything that the callee cannot change. A range that keeps growing goes
//! to the end of the type; two descending sweeps then take back what the conditions allow.
//!
//! What is found is put into the terms; conditions that it decides disappear, or their edges do.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::program::call_graph::CallGraph;
use crate::program::cfa::*;
use crate::program::cut_points::{CutPointKind, CutPoints};
use crate::program::graph::{Graph, callee, goes_on};
use crate::program::liveness::Liveness;
use crate::program::persistent::PersistentMap;
use crate::program::simplify::range::{Abstract, range_of, restrict};
use crate::program::simplify::workspace::{Workspace, replace};
use crate::program::simplify::{CutPointFacts, Pass};
use crate::program::variables::VariableUse;
use crate::term::{Build, Op, Pool, Rebuild, Sort, TermId, TermKind, store};

/// Changes of a loop head's or function entry's state after which ranges are widened.
const PATIENCE: u32 = 3;

/// Changes of any location's state after which ranges are widened.
const LAST_PATIENCE: u32 = 30;

/// An array's contents are followed through at most so many stores in a row.
const LONGEST_ARRAY: usize = 1024;

/// What is known at cut points is recorded up to this number of variables, all rounds taken together.
const MOST_FACTS: usize = 200_000;

/// Runs the pass; tells how many edges and terms changed.
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
    record(workspace, &cut_points, states);
    changes
}

type Map = PersistentMap<Abstract>;

/// What is known at a location; nothing is known of a variable without an entry.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    globals: Map,
    locals: Map,
}

impl State {
    fn same(&self, other: &Self) -> bool {
        self.globals.same(&other.globals) && self.locals.same(&other.locals)
    }
}

/// Evaluates terms and operations of one program.
struct Evaluator<'a> {
    program: &'a Program,
    uses: RefCell<&'a mut VariableUse>,
    /// How many stores a constant array is made of.
    array_sizes: RefCell<FxHashMap<TermId, usize>>,
}

impl Evaluator<'_> {
    fn get(&self, state: &State, variable: VariableId) -> Option<Abstract> {
        match self.program.variable(variable).scope {
            Scope::Global => state.globals.get(variable.0),
            Scope::Local(_) => state.locals.get(variable.0),
        }
        .copied()
    }

    fn set(&self, state: &mut State, variable: VariableId, value: Option<Abstract>) {
        let map = match self.program.variable(variable).scope {
            Scope::Global => &mut state.globals,
            Scope::Local(_) => &mut state.locals,
        };
        match value {
            Some(value) => map.insert(variable.0, value),
            None => map.remove(variable.0),
        }
    }

    fn get_term(&self, state: &State, variable: TermId) -> Option<Abstract> {
        match store().kind(variable) {
            TermKind::Variable {
                symbol,
                instance: 0,
            } => {
                let variable = self.uses.borrow().variable(symbol)?;
                self.get(state, variable)
            }
            _ => None,
        }
    }

    /// The term with what is known put in, ranges included where they decide a condition. Arrays are not put in, but
    /// their cells are.
    fn simplify(&self, state: &State, term: TermId) -> TermId {
        let (mut constants, mut ranges) = (false, false);
        for &variable in self.uses.borrow_mut().of(term) {
            match self.get(state, variable) {
                Some(Abstract::Constant(_)) => constants = true,
                Some(Abstract::Range(..)) => ranges = true,
                None => {}
            }
        }
        let result = if constants {
            self.put_in(state, term)
        } else {
            term
        };
        let sort = store().sort(result);
        if sort == Sort::Bool || (ranges && !sort.is_array()) {
            let range = range_of(result, &|variable| self.get_term(state, variable));
            if let Some((low, high)) = range
                && low == high
                && let Some(Abstract::Constant(value)) = Abstract::from_range(sort, low, high)
            {
                return value;
            }
        }
        result
    }

    /// The term with known scalars and cells of known arrays put in.
    fn put_in(&self, state: &State, term: TermId) -> TermId {
        let with = |term| match store().kind(term) {
            TermKind::Variable { .. } if store().sort(term).is_array() => None,
            TermKind::Variable { .. } => match self.get_term(state, term) {
                Some(Abstract::Constant(value)) => Some(value),
                _ => None,
            },
            TermKind::Apply {
                op: Op::Select,
                arguments: &[array, index],
            } => match self.get_term(state, array) {
                Some(Abstract::Constant(contents)) => cell(contents, self.put_in(state, index)),
                _ => None,
            },
            _ => None,
        };
        Rebuild::new(store(), store(), with).rebuild(term)
    }

    /// Whether the term has no variables.
    fn is_closed(&self, term: TermId) -> bool {
        self.uses.borrow_mut().of(term).is_empty()
    }

    fn evaluate(&self, state: &State, term: TermId) -> Option<Abstract> {
        let sort = store().sort(term);
        if sort.is_array() {
            let value = replace(term, |symbol| {
                match self.get(state, self.uses.borrow().variable(symbol)?) {
                    Some(Abstract::Constant(value)) => Some(value),
                    _ => None,
                }
            });
            let known = self.is_closed(value) && self.array_size(value) <= LONGEST_ARRAY;
            return known.then_some(Abstract::Constant(value));
        }
        let value = self.simplify(state, term);
        if self.is_closed(value) {
            return Some(Abstract::Constant(value));
        }
        let (low, high) = range_of(value, &|variable| self.get_term(state, variable))?;
        Abstract::from_range(sort, low, high)
    }

    fn array_size(&self, array: TermId) -> usize {
        let mut sizes = self.array_sizes.borrow_mut();
        let mut size = 0;
        let mut at = array;
        while let TermKind::Apply {
            op: Op::Store,
            arguments,
        } = store().kind(at)
        {
            if let Some(known) = sizes.get(&at) {
                size += known;
                break;
            }
            size += 1;
            at = arguments[0];
        }
        sizes.insert(array, size);
        size
    }

    /// The state after the operations of an edge that is no call; `None` if it cannot be taken.
    fn execute(&self, state: &State, edge: &Edge) -> Option<State> {
        let mut state = state.clone();
        for operation in &edge.operations {
            self.step(&mut state, operation)?;
        }
        Some(state)
    }

    fn step(&self, state: &mut State, operation: &Operation) -> Option<()> {
        match operation {
            Operation::Assign { target, value } => {
                let value = self.evaluate(state, *value);
                self.set(state, *target, value);
            }
            Operation::Assume(condition) => {
                let condition = self.simplify(state, *condition);
                if condition == TermId::FALSE {
                    return None;
                }
                let mut learned = Vec::new();
                restrict(
                    condition,
                    &|term| self.get_term(state, term),
                    &mut |term, value| learned.push((term, value)),
                )?;
                for (term, value) in learned {
                    if let TermKind::Variable { symbol, .. } = store().kind(term) {
                        let variable = self.uses.borrow().variable(symbol);
                        if let Some(variable) = variable {
                            self.set(state, variable, Some(value));
                        }
                    }
                }
            }
            Operation::Store {
                region,
                index,
                value,
            } => {
                let variable = self.program.region(*region).variable;
                let contents = match self.get(state, variable) {
                    Some(Abstract::Constant(contents)) => {
                        let (index, value) =
                            (self.simplify(state, *index), self.simplify(state, *value));
                        let closed = self.is_closed(index) && self.is_closed(value);
                        closed.then(|| store().store(contents, index, value))
                    }
                    _ => None,
                };
                let contents =
                    contents.filter(|&contents| self.array_size(contents) <= LONGEST_ARRAY);
                self.set(state, variable, contents.map(Abstract::Constant));
            }
            Operation::Havoc { target, .. } => self.set(state, *target, None),
            Operation::Call { .. } | Operation::Allocate { .. } | Operation::Free { .. } => {}
            Operation::Unsupported(_) => return None,
        }
        Some(())
    }
}

struct Analysis<'a> {
    program: &'a Program,
    graph: &'a Graph,
    calls: &'a CallGraph,
    liveness: &'a Liveness,
    evaluator: Evaluator<'a>,
    states: Vec<Option<State>>,
    /// For each location its number in the order of work.
    order: Vec<u32>,
    by_order: Vec<LocationId>,
    visits: Vec<u32>,
    /// The locations of which every cycle, through calls too, has one.
    on_cycles: Vec<bool>,
    cut_points: Vec<LocationId>,
    widened: bool,
    /// The globals that a call of each function may change.
    modified: Vec<Vec<VariableId>>,
    /// The globals that a call of each function may read or change.
    accessed: Vec<Vec<VariableId>>,
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
        // Within functions loops are done from the inside out, callers come before callees.
        let cut_points = CutPoints::new(program, calls);
        let mut rank = vec![0; program.functions.len()];
        for (number, function) in calls.bottom_up().iter().rev().enumerate() {
            rank[function.index()] = number;
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
            evaluator: Evaluator {
                program,
                uses: RefCell::new(uses),
                array_sizes: RefCell::default(),
            },
            states: vec![None; program.locations.len()],
            order,
            by_order,
            visits: vec![0; program.locations.len()],
            on_cycles: on_cycles(program, &cut_points),
            cut_points: heads(&cut_points),
            widened: false,
            modified: modified_globals(program, calls),
            accessed,
        }
    }

    /// Computes a fixed point from below.
    fn ascend(&mut self) {
        let entry = self.program.function(self.program.start).entry;
        let mut queue = BinaryHeap::new();
        let mut queued = vec![false; self.states.len()];
        self.states[entry.index()] = Some(State::default());
        queue.push(Reverse(self.order[entry.index()]));
        while let Some(Reverse(number)) = queue.pop() {
            let location = self.by_order[number as usize];
            queued[location.index()] = false;
            for (target, state) in self.successors(location) {
                if self.flow(target, state) && !std::mem::replace(&mut queued[target.index()], true)
                {
                    queue.push(Reverse(self.order[target.index()]));
                }
            }
        }
    }

    /// What flows out of a location.
    fn successors(&self, location: LocationId) -> Vec<(LocationId, State)> {
        let program = self.program;
        let mut result = Vec::new();
        let Some(state) = &self.states[location.index()] else {
            return result;
        };
        let function = program.location(location).function;
        if location == program.function(function).exit {
            for &call in self.calls.calls_of(function) {
                result.extend(self.after_call(program.edge(call)));
            }
        }
        for &id in self.graph.outgoing(location) {
            let edge = program.edge(id);
            match callee(edge) {
                None if goes_on(edge) => result.extend(
                    self.evaluator
                        .execute(state, edge)
                        .map(|s| (edge.target, s)),
                ),
                None => {}
                Some(callee) => {
                    result.push((
                        program.function(callee).entry,
                        self.enter(edge, callee, state),
                    ));
                    result.extend(self.after_call(edge));
                }
            }
        }
        result
    }

    fn enter(&self, edge: &Edge, callee: FunctionId, state: &State) -> State {
        // What the callee does not look at would only make it be looked at more often.
        let mut inside = State::default();
        for global in &self.accessed[callee.index()] {
            if let Some(&value) = state.globals.get(global.0) {
                inside.globals.insert(global.0, value);
            }
        }
        if let Some(Operation::Call { arguments, .. }) = edge.operations.first() {
            for (&argument, &parameter) in arguments
                .iter()
                .zip(&self.program.function(callee).parameters)
            {
                let value = self.evaluator.evaluate(state, argument);
                self.evaluator.set(&mut inside, parameter, value);
            }
        }
        inside
    }

    /// What is known after a call, if it has been seen to be reached and to return.
    fn after_call(&self, edge: &Edge) -> Option<(LocationId, State)> {
        let Some(Operation::Call {
            callee, results, ..
        }) = edge.operations.first()
        else {
            return None;
        };
        let before = self.states[edge.source.index()].as_ref()?;
        let exit = self.states[self.program.function(*callee).exit.index()].as_ref()?;
        let mut after = before.clone();
        for &global in &self.modified[callee.index()] {
            self.evaluator
                .set(&mut after, global, self.evaluator.get(exit, global));
        }
        for (&result, &from) in results.iter().zip(&self.program.function(*callee).results) {
            self.evaluator
                .set(&mut after, result, self.evaluator.get(exit, from));
        }
        Some((edge.target, after))
    }

    /// Joins a state into a location's; tells whether that changed.
    fn flow(&mut self, target: LocationId, mut state: State) -> bool {
        let slot = target.index();
        self.forget_dead(target, &mut state);
        let Some(old) = &self.states[slot] else {
            self.states[slot] = Some(state);
            return true;
        };
        let patience = if self.on_cycles[slot] {
            PATIENCE
        } else {
            LAST_PATIENCE
        };
        let widen = self.visits[slot] >= patience;
        let new = self.join(old, &state, widen);
        if new.same(old) {
            return false;
        }
        self.visits[slot] += 1;
        self.widened |= widen;
        self.states[slot] = Some(new);
        true
    }

    /// At the places where states change again and again, forgets what does not matter, so that only changes that do are
    /// followed.
    fn forget_dead(&self, target: LocationId, state: &mut State) {
        if self.on_cycles[target.index()] {
            let live =
                |variable: u32, _: &Abstract| self.liveness.is_live(target, VariableId(variable));
            state.globals.retain(live);
            state.locals.retain(live);
        }
    }

    fn join(&self, old: &State, new: &State, widen: bool) -> State {
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
            globals: old.globals.intersect(&new.globals, &mut meet),
            locals: old.locals.intersect(&new.locals, &mut meet),
        }
    }

    /// Two sweeps that compute each state anew from its predecessors: what widening lost comes back in part.
    fn descend(&mut self) {
        if !self.widened {
            return;
        }
        let entry = self.program.function(self.program.start).entry;
        for _ in 0..2 {
            let mut next: Vec<Option<State>> = vec![None; self.states.len()];
            next[entry.index()] = Some(State::default());
            for &location in &self.by_order {
                for (target, mut state) in self.successors(location) {
                    self.forget_dead(target, &mut state);
                    next[target.index()] = Some(match &next[target.index()] {
                        None => state,
                        Some(other) => self.join(other, &state, false),
                    });
                }
            }
            self.states = next;
        }
    }
}

/// The cell of a constant array, if the index is constant.
fn cell(contents: TermId, index: TermId) -> Option<TermId> {
    let is_constant = |term| matches!(store().kind(term), TermKind::Constant(_));
    if !is_constant(index) {
        return None;
    }
    let mut at = contents;
    loop {
        match store().kind(at) {
            TermKind::Apply {
                op: Op::Store,
                arguments: &[_, place, value],
            } if place == index => return Some(value),
            TermKind::Apply {
                op: Op::Store,
                arguments: &[rest, place, _],
            } if is_constant(place) => at = rest,
            TermKind::Apply {
                op: Op::ConstArray,
                arguments: &[value],
            } => return Some(value),
            _ => return None,
        }
    }
}

/// The cut points at which what is known is worth being told: those that cut cycles.
fn heads(cut_points: &CutPoints) -> Vec<LocationId> {
    let cuts = |kind| !matches!(kind, CutPointKind::Entry | CutPointKind::Error);
    let heads = cut_points.iter().filter(|&(_, kind)| cuts(kind));
    heads.map(|(location, _)| location).collect()
}

/// Records what is known at the cut points.
fn record(workspace: &mut Workspace, cut_points: &[LocationId], states: Vec<Option<State>>) {
    workspace.propagations += 1;
    let round = workspace.propagations;
    for &location in cut_points {
        record_at(
            workspace,
            round,
            location,
            states[location.index()].as_ref(),
        );
    }
    let of_round = RoundStates {
        round,
        states,
        recorded: cut_points.to_vec(),
    };
    workspace.states.push(of_round);
}

/// What a round has found.
pub(super) struct RoundStates {
    round: u32,
    /// For each location that there was; `None` for those that cannot be reached.
    states: Vec<Option<State>>,
    /// Those of which it is recorded.
    recorded: Vec<LocationId>,
}

/// Records what the rounds knew at the cut points that the program has in the end: what was used to change the program
/// there is needed to carry proofs over, from each cut point to the next.
pub(super) fn finish(workspace: &mut Workspace) {
    let calls = CallGraph::new(&workspace.program);
    let cut_points = heads(&CutPoints::new(&workspace.program, &calls));
    for RoundStates {
        round,
        states,
        recorded,
    } in std::mem::take(&mut workspace.states)
    {
        let new = cut_points
            .iter()
            .filter(|location| !recorded.contains(location));
        for &location in new {
            if let Some(Some(state)) = states.get(location.index()) {
                record_at(workspace, round, location, Some(state));
            }
        }
    }
}

fn record_at(workspace: &mut Workspace, round: u32, at: LocationId, state: Option<&State>) {
    if workspace.fact_count > MOST_FACTS {
        return;
    }
    let values = state.map(|state| {
        let all = state.globals.iter().chain(state.locals.iter());
        all.map(|(variable, &value)| (VariableId(variable), value))
            .collect::<Vec<_>>()
    });
    workspace.fact_count += values.as_ref().map_or(1, Vec::len);
    // Nothing known is recorded, too: the place is a cut point.
    let origin = workspace.origins[at.index()].clone();
    workspace.invariants.push(CutPointFacts {
        round,
        origin,
        values,
    });
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

/// The globals that a call of each function may change, directly or in its callees, by id.
pub(super) fn modified_globals(program: &Program, calls: &CallGraph) -> Vec<Vec<VariableId>> {
    globals_of(program, calls, |operation, list| {
        list.extend(operation.written(program));
    })
}

/// The globals that a call of each function may read or change, directly or in its callees, by id.
fn accessed_globals(
    program: &Program,
    calls: &CallGraph,
    uses: &mut VariableUse,
) -> Vec<Vec<VariableId>> {
    globals_of(program, calls, |operation, list| {
        list.extend(operation.written(program));
        for term in operation.terms() {
            list.extend(uses.of(term));
        }
    })
}

fn globals_of(
    program: &Program,
    calls: &CallGraph,
    mut find: impl FnMut(&Operation, &mut Vec<VariableId>),
) -> Vec<Vec<VariableId>> {
    let mut globals: Vec<Vec<VariableId>> = vec![Vec::new(); program.functions.len()];
    let mut found = Vec::new();
    for edge in &program.edges {
        let own = &mut globals[program.location(edge.source).function.index()];
        for operation in &edge.operations {
            find(operation, &mut found);
            own.extend(
                found
                    .drain(..)
                    .filter(|&v| program.variable(v).scope == Scope::Global),
            );
        }
    }
    let tidy = |list: &mut Vec<VariableId>| {
        list.sort_unstable();
        list.dedup();
    };
    globals.iter_mut().for_each(tidy);
    // Bottom-up; a recursive component needs as many sweeps as it takes.
    loop {
        let mut changed = false;
        for &function in calls.bottom_up() {
            let mut callees: Vec<FunctionId> = calls.callees(function).collect();
            callees.sort_unstable();
            callees.dedup();
            if callees.is_empty() {
                continue;
            }
            let mut all = globals[function.index()].clone();
            for callee in callees {
                all.extend_from_slice(&globals[callee.index()]);
            }
            tidy(&mut all);
            changed |= all.len() > globals[function.index()].len();
            globals[function.index()] = all;
        }
        if !changed || !calls.has_recursion() {
            return globals;
        }
    }
}

/// Puts what is known into the edges.
fn rewrite(workspace: &mut Workspace, states: &[Option<State>]) -> usize {
    let mut changes = 0;
    let mut keep = vec![true; workspace.program.edges.len()];
    let mut edges = std::mem::take(&mut workspace.program.edges);
    let mut facts = Vec::new();
    let Workspace { program, uses, .. } = &mut *workspace;
    let evaluator = Evaluator {
        program,
        uses: RefCell::new(uses),
        array_sizes: RefCell::default(),
    };
    for (edge, keep) in edges.iter_mut().zip(&mut keep) {
        let Some(state) = &states[edge.source.index()] else {
            *keep = false;
            continue;
        };
        let mut state = state.clone();
        for operation in &mut edge.operations {
            let before = operation.clone();
            operation.map_terms(|term| evaluator.simplify(&state, term));
            if evaluator.step(&mut state, operation).is_none()
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

/// What is known at the location of the variables that the operation reads.
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
