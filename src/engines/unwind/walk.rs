//! The walk: the program is executed symbolically once, in the order of control.
//!
//! Work items are ordered by their *position*: for each activation on the call stack, the numbers of the loops around the
//! location, each with the number of its round, and the number of the location itself, in the weak topological order of
//! the function. Positions are compared lexicographically. Hence all states reach a location in a round before the
//! location is left, a call is finished before its caller continues, and all rounds of a loop precede what follows the
//! loop. States with the same position are merged.
//!
//! Alternatively, states at the same location are kept apart ([`Limits::paths`]), as in the first symbolic execution (\[Kin76\]):
//! each path is walked to its end before the next one, and the solver decides each branch. Values that merging
//! would turn into choices, above all indices and pointers, stay constant on each path.
//!
//! A round is *open* if a condition assumed in it is still undecided when the loop's head is reached again. Loops and
//! recursive functions may have a limited number of successive open rounds; the next one is cut off, unless the solver
//! excludes it.

mod calls;
mod exits;
mod merge;
mod objects;
mod rounds;
mod states;
mod worklist;

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub(super) use self::exits::changes;
use self::objects::Variables;
use super::evaluate::Value;
use super::known_values::Terms;
use super::limits::{MAXIMUM_EXPECTED_TIME, STEPS_PER_EXPECTATION};
use super::path::Path;
use super::queries::Queries;
use crate::{Context, Progress};
use regatta_program::conditions::{exclusive, exhaustive};
use regatta_program::persistent::PersistentMap;
use regatta_program::*;
use regatta_term::{Build, Pool, Sort, Symbol, TermId, store};
pub(super) use worklist::Instances;
use worklist::{Position, WorkItem, Worklist};

/// A symbolic state.
#[derive(Clone)]
struct State {
    path: Path,
    values: PersistentMap<Value>,
    /// The number of variables created on the way to the state.
    made: u32,
    /// The state's share of all paths, if every branch has the same share: an estimate of its share of the work \[Knu75\].
    share: f64,
}

/// The current round of a loop around a location.
#[derive(Clone)]
struct Round {
    number: u32,
    /// The number of successive open rounds before it.
    open: u32,
    /// The path at the loop's head in this round.
    path: Path,
}

type Rounds = SmallVec<[Round; 4]>;

/// The activation of a called function.
struct Frame {
    call: EdgeId,
    caller: Option<Rc<Frame>>,
    /// The caller's position, followed by that of the call.
    position: Position,
    rounds: Rounds,
    depth: u32,
    function: FunctionId,
    /// The number of successive open activations of the function among the callers.
    open: u32,
    path: Path,
}

/// An input drawn in a walk.
pub struct WalkedInput {
    pub input: InputId,
    pub value: TermId,
    /// The condition under which it is drawn.
    pub guard: TermId,
}

/// A path that was cut off.
pub struct Cut {
    pub guard: TermId,
    /// The head of the loop or the entry of the function whose limit was reached; `None` for the limit on steps.
    pub head: Option<LocationId>,
}

/// Limits of a walk.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Exceptions from `usual`: maximum numbers of open rounds of loops, by head, and of functions, by entry.
    pub rounds: FxHashMap<LocationId, u32>,
    /// Maximum number of open rounds.
    pub usual: u32,
    /// Maximum number of edges taken.
    pub steps: u64,
    /// Maximum number of paths, each walked separately; zero if states are merged.
    pub paths: u32,
}

impl Limits {
    /// Returns whether states are merged where paths join.
    pub const fn merge(&self) -> bool {
        self.paths == 0
    }

    /// Returns the maximum number of open rounds of the loop or function.
    pub fn of(&self, head: LocationId) -> u32 {
        self.rounds.get(&head).copied().unwrap_or(self.usual)
    }
}

/// The result of a walk.
#[derive(Default)]
pub struct Walked {
    /// The error locations that are reached, with the path conditions.
    pub errors: Vec<(LocationId, TermId)>,
    /// The path conditions of unsupported constructs.
    pub unsupported: Vec<TermId>,
    pub cuts: Vec<Cut>,
    /// The inputs, in the order in which they are drawn.
    pub inputs: Vec<WalkedInput>,
    /// The number of edges taken.
    pub steps: u64,
    /// The maximum number of rounds of a loop.
    pub rounds: u32,
    /// The maximum number of open rounds of each loop, by head, and of each recursive function, by entry.
    pub open: FxHashMap<LocationId, u32>,
    /// The number of edges taken in open rounds of each loop, by head, except the last round.
    pub work: FxHashMap<LocationId, u64>,
    /// The number of times that a path was split in two.
    pub parted: u32,
    /// The reason why the walk was stopped early.
    pub stopped: Option<&'static str>,
}

/// Properties of the edges that leave a location.
#[derive(Copy, Clone)]
struct Branching {
    is_exclusive: bool,
    is_exhaustive: bool,
}

/// A walk over a program.
pub struct Walk<'w, 'a> {
    program: &'w Program,
    graph: &'w Graph,
    calls: &'w CallGraph,
    order: &'w WeakOrder,
    limits: &'w Limits,
    pub terms: Terms<'a>,
    queries: &'w mut Queries,
    by_symbol: FxHashMap<Symbol, VariableId>,
    locals: Vec<Vec<VariableId>>,
    is_error: Vec<bool>,
    branching: FxHashMap<LocationId, Branching>,
    slots: FxHashMap<(u32, VariableId), u32>,
    /// The variable of each slot, with its value before any assignment.
    initial: Vec<(VariableId, Option<Value>)>,
    fresh: u32,
    instances: &'w mut Instances,
    choice: Symbol,
    pending: Worklist,
    assumed: u32,
    /// The sizes of objects, by the variables that contain their addresses.
    sizes: FxHashMap<VariableId, u64>,
    /// New addresses of objects, each with the number of attempts left to separate it from the others.
    placed: Vec<(TermId, u32)>,
    /// For each loop, by head, its latest round and the number of edges taken before it.
    latest: FxHashMap<LocationId, (u32, u64)>,
    /// The variables in addresses and conditions.
    variables: FxHashMap<TermId, Variables>,
    walked: Walked,
}

/// The depth of the slots of globals.
const GLOBAL: u32 = u32::MAX;

impl<'w, 'a> Walk<'w, 'a> {
    /// Creates a walk over the program.
    pub fn new(
        inlined: &'w InlinedProgram,
        order: &'w WeakOrder,
        limits: &'w Limits,
        terms: Terms<'a>,
        queries: &'w mut Queries,
        instances: &'w mut Instances,
    ) -> Self {
        let program: &Program = inlined.program();
        let sizes = program.regions.iter().map(|region| region.element_bytes);
        let shifts: BTreeSet<u8> = sizes.map(|size| size.trailing_zeros() as u8).collect();
        let mut terms = terms;
        terms.shifts = shifts.into_iter().filter(|&shift| shift > 0).collect();
        let is_error = program.error_marks();
        let locals = program.locals_by_function();
        let by_symbol = program.variables_by_symbol();
        let sizes = program.objects.iter().filter_map(|object| {
            let (symbol, _) = store().as_variable(object.address)?;
            Some((*by_symbol.get(&symbol)?, object.size))
        });
        Self {
            sizes: sizes.collect(),
            placed: Vec::new(),
            latest: FxHashMap::default(),
            variables: FxHashMap::default(),
            by_symbol,
            graph: inlined.graph(),
            calls: inlined.calls(),
            program,
            order,
            limits,
            terms,
            queries,
            locals,
            is_error,
            branching: FxHashMap::default(),
            slots: FxHashMap::default(),
            initial: Vec::new(),
            fresh: 0,
            instances,
            choice: Symbol::new("unwind choice", Sort::Bool),
            pending: Worklist::new(limits.merge()),
            assumed: 0,
            walked: Walked::default(),
        }
    }

    /// Walks until all paths have ended or are cut off.
    pub fn run(mut self, context: &Context<'_>) -> Walked {
        let entry = self.program.function(self.program.start).entry;
        let state = State {
            path: Path::default(),
            values: PersistentMap::new(),
            made: 0,
            share: 1.0,
        };
        self.arrive(entry, None, &Rounds::new(), None, state);
        while let Some((position, item)) = self.pending.pop() {
            self.walked.steps += 1;
            // A step may contain a query, which without a permit would be slow and thus be given up too early.
            self.queries.paused += context.safe_point();
            // If each branch is a query, a step may take long.
            if (self.walked.steps.is_multiple_of(64) || !self.limits.merge())
                && (context.token.is_cancelled() || self.queries.is_over())
            {
                self.walked.stopped = Some("stopped, or the time limit is reached");
                break;
            }
            if self.walked.steps > self.limits.steps {
                self.cut_all(item);
                break;
            }
            if !self.limits.merge() {
                if !self.walked.errors.is_empty() {
                    // Infeasible branches are excluded, so that the error is reachable.
                    self.cut_all(item);
                    break;
                }
                if self.walked.parted > self.limits.paths {
                    self.walked.stopped = Some("there are too many paths");
                    break;
                }
            }
            self.leave(position, item);
            if !self.limits.merge() && self.walked.steps.is_multiple_of(STEPS_PER_EXPECTATION) {
                self.tell_expectation(context);
            }
        }
        self.walked
    }

    /// Tells whether the walk is expected to end soon, if that has changed.
    fn tell_expectation(&mut self, context: &Context<'_>) {
        let done = 1.0 - self.pending.share();
        let elapsed = self.queries.elapsed().as_secs_f64();
        let ends_soon = elapsed * (1.0 - done) < done * MAXIMUM_EXPECTED_TIME.as_secs_f64();
        if ends_soon != self.queries.ends_soon {
            self.queries.ends_soon = ends_soon;
            (context.report)(Progress::Expectation { ends_soon });
        }
    }

    fn cut_all(&mut self, item: WorkItem) {
        for item in self.pending.take_all().into_iter().chain([item]) {
            let guards = item.states.iter().map(|state| state.path.all());
            self.walked
                .cuts
                .extend(guards.map(|guard| Cut { guard, head: None }));
        }
    }

    /// Adds the state at the location to the worklist; `from` is its predecessor in the same activation, if any.
    fn arrive(
        &mut self,
        location: LocationId,
        from: Option<LocationId>,
        rounds: &Rounds,
        frame: Option<Rc<Frame>>,
        state: State,
    ) {
        if self.is_error[location.index()] {
            self.walked.errors.push((location, state.path.all()));
            return;
        }
        let heads = self.order.heads(location);
        let before = from.map_or(&[][..], |from| self.order.heads(from));
        let common = before.iter().zip(heads).take_while(|(a, b)| a == b).count();
        let mut inner: Rounds = rounds.iter().take(common).cloned().collect();
        if common == heads.len() && heads.last() == Some(&location) {
            inner[common - 1].number += 1;
        }
        inner.extend(heads[common..].iter().map(|_| Round {
            number: 0,
            open: 0,
            path: state.path.clone(),
        }));
        let mut position = Position::new();
        if let Some(frame) = &frame {
            position.extend_from_slice(&frame.position);
        }
        for (&head, round) in heads.iter().zip(&inner) {
            position.extend([self.order.number(head), round.number]);
        }
        position.push(self.order.number(location));
        self.pending.add(
            position,
            WorkItem {
                location,
                frame,
                rounds: inner,
                states: vec![state],
            },
        );
    }

    /// Takes all edges that leave the location, unless a limit is reached.
    fn leave(&mut self, position: Position, mut item: WorkItem) {
        let location = item.location;
        let Some(state) = self.merged(std::mem::take(&mut item.states)) else {
            return;
        };
        if self.order.is_head(location) && !self.begin_round(&mut item.rounds, location, &state) {
            return;
        }
        if self.pending.is_empty() {
            self.learn(&state);
        }
        let function = self.program.location(location).function;
        if location == self.program.function(function).exit {
            return self.return_from(&item, state);
        }
        self.take_edges(&position, &item, state);
    }

    fn take_edges(&mut self, position: &Position, item: &WorkItem, state: State) {
        let location = item.location;
        let outgoing = self.graph.outgoing(location);
        let depth = depth_of(&item.frame);
        let mut ways: SmallVec<[(EdgeId, TermId); 4]> = SmallVec::new();
        for &id in outgoing {
            let condition = match self.program.edge(id).operations.first() {
                Some(Operation::Assume(condition)) => self.truth(&state, *condition, depth),
                _ => TermId::TRUE,
            };
            if condition != TermId::FALSE {
                self.add_assumed_objects(condition);
                ways.push((id, condition));
            }
        }
        if let Some(choice) = self.terms.split.take() {
            let paths = self.split(&state.path, choice);
            let share = state.share / paths.len().max(1) as f64;
            for path in paths {
                let state = State {
                    path,
                    share,
                    ..state.clone()
                };
                self.take_edges(position, item, state);
            }
            return;
        }
        let branching = self.branching(location);
        let mut rest = state;
        let count = ways.len();
        for (number, (id, condition)) in ways.into_iter().enumerate() {
            let is_last = number + 1 == count;
            let taken = match (is_last, branching.is_exclusive) {
                (true, true) if branching.is_exhaustive => TermId::TRUE,
                (true, _) | (_, true) => condition,
                (false, false) => {
                    let choice = self.fresh(&mut rest, self.choice);
                    self.terms.arena.and2(condition, choice)
                }
            };
            let (then, otherwise) = match is_last {
                true => (self.assumed(&rest.path, taken), None),
                false => self.parted(&rest.path, taken),
            };
            if then.is_some() && otherwise.is_some() {
                self.walked.parted += 1;
                rest.share /= 2.0;
            }
            if let Some(path) = then {
                let mut state = rest.clone();
                state.path = path;
                self.take(position, item, id, 0, state);
            }
            match otherwise {
                Some(path) => rest.path = path,
                None => break,
            }
        }
    }

    /// Returns the path with the condition and the path with its negation, without infeasible ones. If paths are walked
    /// separately, a decided condition is not added.
    fn parted(&mut self, path: &Path, condition: TermId) -> (Option<Path>, Option<Path>) {
        let arena = self.terms.arena;
        let denial = arena.not(condition);
        match [condition, denial].map(|one| path.assume(arena, one)) {
            [Some(then), Some(otherwise)] if !self.limits.merge() => {
                if self.queries.excludes_on(path.all(), condition) {
                    (None, Some(path.clone()))
                } else if self.queries.excludes_on(path.all(), denial) {
                    (Some(path.clone()), None)
                } else {
                    (Some(then), Some(otherwise))
                }
            }
            [then, otherwise] => (then, otherwise),
        }
    }

    /// Returns the path with the condition, unless it is infeasible. If paths are walked separately, a condition that follows is not
    /// added.
    fn assumed(&mut self, path: &Path, condition: TermId) -> Option<Path> {
        let assumed = path.assume(self.terms.arena, condition)?;
        if self.limits.merge() || assumed.all() == path.all() {
            return Some(assumed);
        }
        if self.queries.excludes_on(path.all(), condition) {
            return None;
        }
        match self.queries.is_implied_on(path.all(), condition) {
            true => Some(path.clone()),
            false => Some(assumed),
        }
    }

    /// Returns the paths that decide a choice.
    fn split(&mut self, path: &Path, condition: TermId) -> SmallVec<[Path; 2]> {
        let denial = self.terms.arena.not(condition);
        match self.parted(path, condition) {
            (Some(then), Some(otherwise)) => {
                self.walked.parted += 1;
                SmallVec::from_iter([then, otherwise])
            }
            (Some(_), None) => SmallVec::from_iter([path.noted(condition)]),
            (None, Some(_)) => SmallVec::from_iter([path.noted(denial)]),
            (None, None) => SmallVec::new(),
        }
    }

    fn branching(&mut self, location: LocationId) -> Branching {
        if let Some(&known) = self.branching.get(&location) {
            return known;
        }
        let edges = self.graph.outgoing(location).iter();
        let conditions = edges.map(|&id| match self.program.edge(id).operations.first() {
            Some(Operation::Assume(condition)) => *condition,
            _ => TermId::TRUE,
        });
        let conditions: Vec<TermId> = conditions.collect();
        let branching = Branching {
            is_exclusive: exclusive(&conditions),
            is_exhaustive: exhaustive(&conditions),
        };
        self.branching.insert(location, branching);
        branching
    }

    /// Executes the operations of an edge from index `first` on. A condition at index 0 has already been assumed.
    fn take(
        &mut self,
        position: &Position,
        item: &WorkItem,
        id: EdgeId,
        first: usize,
        mut state: State,
    ) {
        let program = self.program;
        let edge = program.edge(id);
        let depth = depth_of(&item.frame);
        for (number, operation) in edge.operations.iter().enumerate().skip(first) {
            let before = match self.limits.merge() {
                true => None,
                false => Some(state.clone()),
            };
            // At a store, the conditions on the addresses of objects have been assumed.
            if matches!(operation, Operation::Store { .. }) {
                self.separate_objects(&state.path);
            }
            match operation {
                Operation::Assign { target, value } => {
                    let value = self.evaluate(&state, *value, depth);
                    self.set(&mut state, depth, *target, value);
                }
                Operation::Assume(_) if number == 0 => {}
                Operation::Assume(condition) => {
                    let condition = self.truth(&state, *condition, depth);
                    if self.terms.split.is_none() {
                        self.add_assumed_objects(condition);
                        match self.assumed(&state.path, condition) {
                            Some(path) => state.path = path,
                            None => return,
                        }
                    }
                }
                Operation::Store {
                    region,
                    index,
                    value,
                } => {
                    let variable = program.region(*region).variable;
                    let index = self.scalar(&state, *index, depth);
                    let value = self.scalar(&state, *value, depth);
                    let slot = self.slot(depth, variable);
                    if let Value::Array(before) = self.read(&state, slot) {
                        let after = self.terms.write(&before, index, value);
                        state.values.insert(slot, Value::Array(after));
                    }
                }
                Operation::Havoc { target, input } => {
                    let value = program.input(*input).kind.in_formulas();
                    let value = value.unwrap_or_else(|| {
                        let value = self.fresh(&mut state, program.variable(*target).symbol);
                        self.walked.inputs.push(WalkedInput {
                            input: *input,
                            value,
                            guard: state.path.all(),
                        });
                        value
                    });
                    let value = Value::of(self.terms.arena, value);
                    self.set(&mut state, depth, *target, value);
                }
                Operation::Call {
                    callee, arguments, ..
                } => {
                    let arguments = arguments.iter();
                    let values = arguments.map(|&one| self.evaluate(&state, one, depth));
                    let values: Vec<Value> = values.collect();
                    if self.terms.split.is_none() {
                        return self.call(position, item, id, (*callee, values), state);
                    }
                }
                Operation::Allocate { .. } | Operation::Free { .. } | Operation::Claim(_) => {}
                Operation::Unsupported(_) => {
                    self.walked.unsupported.push(state.path.all());
                    return;
                }
            }
            if let Some(choice) = self.terms.split.take()
                && let Some(before) = before
            {
                let paths = self.split(&before.path, choice);
                let share = before.share / paths.len().max(1) as f64;
                for path in paths {
                    let state = State {
                        path,
                        share,
                        ..before.clone()
                    };
                    self.take(position, item, id, number, state);
                }
                return;
            }
        }
        self.separate_objects(&state.path);
        let (location, frame) = (item.location, item.frame.clone());
        self.arrive(edge.target, Some(location), &item.rounds, frame, state);
    }

    /// Returns a fresh variable; if paths are walked separately, each walk creates the same variables on a path.
    fn fresh(&mut self, state: &mut State, symbol: Symbol) -> TermId {
        state.made += 1;
        let instance = match self.limits.merge() {
            true => next(&mut self.fresh),
            false => self.instances.of(state.path.all(), state.made),
        };
        self.terms.arena.variable_at(symbol, instance)
    }
}

fn depth_of(frame: &Option<Rc<Frame>>) -> u32 {
    frame.as_ref().map_or(0, |frame| frame.depth)
}

fn next(last: &mut u32) -> u32 {
    *last += 1;
    *last
}
