//! The walk: the program is executed once, symbolically, in the order in which control can come by.
//!
//! What is to be done is kept by its *turn*: for each activation on the call stack the numbers of the loops around the place, each with the number of its round, and
//! the number of the place itself, in the weak topological order of the function. Turns are compared as words are; so all
//! that comes to a place in a round is there before the place is left, a call is finished before its caller goes on, and all rounds
//! of a loop come before what follows it. States with the same turn are merged.
//!
//! States that come to the same place may also be left apart ([`Limits::paths`]), as in the first symbolic execution (King, CACM 1976): each
//! path is then walked to its end before the next one, and each branch is decided by the solver. What merging makes a choice, an index or a pointer above
//! all, stays constant on each path.
//!
//! A round is *open* if something was assumed that is still open where the loop's head is reached again. Loops, and functions that call
//! themselves, may have so many open rounds in a row; what would be one more is cut off, if the solver does not exclude it.

mod agenda;
mod calls;
mod exits;
mod merge;
mod objects;
mod rounds;
mod states;

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub(super) use self::agenda::Names;
use self::agenda::{Agenda, Arrival, Turn};
pub(super) use self::exits::changes;
use self::objects::Variables;
use super::evaluate::Value;
use super::path::Path;
use super::questions::Questions;
use super::values::Terms;
use crate::analysis::Context;
use crate::program::conditions::{exclusive, exhaustive};
use crate::program::persistent::PersistentMap;
use crate::program::*;
use crate::term::{Build, Pool, Sort, Symbol, TermId, store};

/// What is known where execution is.
#[derive(Clone)]
struct State {
    path: Path,
    values: PersistentMap<Value>,
    /// How many variables have been made on the way to it.
    made: u32,
}

/// A loop around a place.
#[derive(Clone)]
struct Round {
    number: u32,
    /// How many rounds before it, in a row, were open.
    open: u32,
    /// The path at the head in this round.
    path: Path,
}

type Rounds = SmallVec<[Round; 4]>;

/// An activation that has called another.
struct Frame {
    call: EdgeId,
    caller: Option<Rc<Frame>>,
    /// The caller's place in the order, and that of the call.
    turn: Turn,
    rounds: Rounds,
    depth: u32,
    function: FunctionId,
    /// Open activations of the function among the callers.
    open: u32,
    path: Path,
}

/// A value from outside.
pub struct WalkedInput {
    pub input: InputId,
    pub value: TermId,
    /// Whether it is asked for.
    pub guard: TermId,
}

/// Where the walk was cut off.
pub struct Cut {
    pub guard: TermId,
    /// The head of the loop or the entry of the function that has had its rounds; `None` if the walk had taken its steps.
    pub head: Option<LocationId>,
}

/// How far a walk may go.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Open rounds of loops, by head, and of functions, by entry, for which it is not the usual.
    pub rounds: FxHashMap<LocationId, u32>,
    /// The usual number of open rounds.
    pub usual: u32,
    /// Edges taken.
    pub steps: u64,
    /// Paths walked, each by itself; none if states are merged.
    pub paths: u32,
}

impl Limits {
    /// Whether states are merged where paths join.
    pub const fn merge(&self) -> bool {
        self.paths == 0
    }

    /// Open rounds of the loop or function.
    pub fn of(&self, head: LocationId) -> u32 {
        self.rounds.get(&head).copied().unwrap_or(self.usual)
    }
}

/// What a walk has found.
#[derive(Default)]
pub struct Walked {
    /// The guards with which errors are reached.
    pub errors: Vec<TermId>,
    /// The guards with which something is reached that is not modelled.
    pub unsupported: Vec<TermId>,
    pub cuts: Vec<Cut>,
    /// In the order in which they are asked for.
    pub inputs: Vec<WalkedInput>,
    /// Edges taken.
    pub steps: u64,
    /// The most rounds that some loop had.
    pub rounds: u32,
    /// The most open rounds of each loop, by head, and of each function that calls itself, by entry.
    pub open: FxHashMap<LocationId, u32>,
    /// Edges taken in open rounds of each loop, by head, the last one left out.
    pub work: FxHashMap<LocationId, u64>,
    /// How often a path has parted in two, if they are walked one by one, or states have.
    pub parted: u32,
    /// Why the walk came to no end.
    pub stopped: Option<&'static str>,
}

/// What is seen of the edges that leave a location.
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
    questions: &'w mut Questions,
    by_symbol: FxHashMap<Symbol, VariableId>,
    locals: Vec<Vec<VariableId>>,
    is_error: Vec<bool>,
    branching: FxHashMap<LocationId, Branching>,
    slots: FxHashMap<(u32, VariableId), u32>,
    /// Variables by slot, with their values before anything was assigned.
    initial: Vec<(VariableId, Option<Value>)>,
    fresh: u32,
    names: &'w mut Names,
    choice: Symbol,
    pending: Agenda,
    assumed: u32,
    /// Sizes of objects by the variables that their addresses are.
    sizes: FxHashMap<VariableId, u64>,
    /// Addresses that have been placed, and how often it is to be looked which others they are apart from.
    placed: Vec<(TermId, u32)>,
    /// Of each loop, by head: its latest round, and the edges taken before it.
    latest: FxHashMap<LocationId, (u32, u64)>,
    /// Variables of addresses and conditions.
    variables: FxHashMap<TermId, Variables>,
    walked: Walked,
}

/// The depth of the globals' slots.
const GLOBAL: u32 = u32::MAX;

impl<'w, 'a> Walk<'w, 'a> {
    /// A walk over the program of the blocks.
    pub fn new(
        inlined: &'w InlinedProgram,
        order: &'w WeakOrder,
        limits: &'w Limits,
        terms: Terms<'a>,
        questions: &'w mut Questions,
        names: &'w mut Names,
    ) -> Self {
        let program: &Program = inlined.program();
        let sizes = program.regions.iter().map(|region| region.element_bytes);
        let shifts: BTreeSet<u8> = sizes.map(|size| size.trailing_zeros() as u8).collect();
        let mut terms = terms;
        terms.shifts = shifts.into_iter().filter(|&shift| shift > 0).collect();
        let mut is_error = vec![false; program.locations.len()];
        for error in &program.errors {
            is_error[error.index()] = true;
        }
        let mut locals = vec![Vec::new(); program.functions.len()];
        for (index, variable) in program.variables.iter().enumerate() {
            if let Scope::Local(function) = variable.scope {
                locals[function.index()].push(VariableId(index as u32));
            }
        }
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
            questions,
            locals,
            is_error,
            branching: FxHashMap::default(),
            slots: FxHashMap::default(),
            initial: Vec::new(),
            fresh: 0,
            names,
            choice: Symbol::new("unwind choice", Sort::Bool),
            pending: Agenda::new(limits.merge()),
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
        };
        self.arrive(entry, None, &Rounds::new(), None, state);
        while let Some((turn, arrival)) = self.pending.pop() {
            self.walked.steps += 1;
            // A step may ask a question, which is slow without a permit, and is given up too early then.
            self.questions.paused += context.safe_point();
            // Where each branch is asked about, a step may take long.
            if (self.walked.steps.is_multiple_of(64) || !self.limits.merge())
                && (context.token.is_cancelled() || self.questions.is_over())
            {
                self.walked.stopped = Some("stopped, or its time is over");
                break;
            }
            if self.walked.steps > self.limits.steps {
                self.cut_all(arrival);
                break;
            }
            if !self.limits.merge() {
                if !self.walked.errors.is_empty() {
                    // Branches that nothing takes are not taken: there is an error.
                    self.cut_all(arrival);
                    break;
                }
                if self.walked.parted > self.limits.paths {
                    self.walked.stopped = Some("there are too many paths");
                    break;
                }
            }
            self.leave(turn, arrival);
        }
        self.walked
    }

    fn cut_all(&mut self, arrival: Arrival) {
        for arrival in self.pending.take_all().into_iter().chain([arrival]) {
            let guards = arrival.states.iter().map(|state| state.path.all());
            self.walked
                .cuts
                .extend(guards.map(|guard| Cut { guard, head: None }));
        }
    }

    /// The state comes to the location, from one in the same activation if there is one.
    fn arrive(
        &mut self,
        location: LocationId,
        from: Option<LocationId>,
        rounds: &Rounds,
        frame: Option<Rc<Frame>>,
        state: State,
    ) {
        if self.is_error[location.index()] {
            self.walked.errors.push(state.path.all());
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
        let mut turn = Turn::new();
        if let Some(frame) = &frame {
            turn.extend_from_slice(&frame.turn);
        }
        for (&head, round) in heads.iter().zip(&inner) {
            turn.extend([self.order.number(head), round.number]);
        }
        turn.push(self.order.number(location));
        self.pending.add(
            turn,
            Arrival {
                location,
                frame,
                rounds: inner,
                states: vec![state],
            },
        );
    }

    /// Takes all edges that leave the place.
    fn leave(&mut self, turn: Turn, mut arrival: Arrival) {
        let location = arrival.location;
        let Some(state) = self.merged(std::mem::take(&mut arrival.states)) else {
            return;
        };
        if self.order.is_head(location) && !self.begin_round(&mut arrival.rounds, location, &state)
        {
            return;
        }
        if self.pending.is_empty() {
            self.learn(&state);
        }
        let function = self.program.location(location).function;
        if location == self.program.function(function).exit {
            return self.return_from(&arrival, state);
        }
        self.go_on(&turn, &arrival, state);
    }

    /// Takes all edges that leave the place, where a round of a loop may begin.
    fn go_on(&mut self, turn: &Turn, arrival: &Arrival, state: State) {
        let location = arrival.location;
        let outgoing = self.graph.outgoing(location);
        let depth = depth_of(&arrival.frame);
        let mut ways: SmallVec<[(EdgeId, TermId); 4]> = SmallVec::new();
        for &id in outgoing {
            let condition = match self.program.edge(id).operations.first() {
                Some(Operation::Assume(condition)) => self.truth(&state, *condition, depth),
                _ => TermId::TRUE,
            };
            if condition != TermId::FALSE {
                self.place_assumed(condition);
                ways.push((id, condition));
            }
        }
        if let Some(choice) = self.terms.split.take() {
            for path in self.split(&state.path, choice) {
                let state = State {
                    path,
                    ..state.clone()
                };
                self.go_on(turn, arrival, state);
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
            let (then, otherwise) = self.parted(&rest.path, taken);
            self.walked.parted += u32::from(!is_last && then.is_some() && otherwise.is_some());
            if let Some(path) = then {
                let mut state = rest.clone();
                state.path = path;
                self.take(turn, arrival, id, 0, state);
            }
            match otherwise {
                Some(path) => rest.path = path,
                None => break,
            }
        }
    }

    /// The path on which the condition holds and the one on which it does not, but for what is seen to be excluded. Paths that are
    /// not merged are told apart by what is open alone.
    fn parted(&mut self, path: &Path, condition: TermId) -> (Option<Path>, Option<Path>) {
        let arena = self.terms.arena;
        let denial = arena.not(condition);
        match [condition, denial].map(|one| path.assume(arena, one)) {
            [Some(then), Some(otherwise)] if !self.limits.merge() => {
                if self.questions.excludes(then.all(), true) {
                    (None, Some(path.clone()))
                } else if self.questions.excludes(otherwise.all(), true) {
                    (Some(path.clone()), None)
                } else {
                    (Some(then), Some(otherwise))
                }
            }
            [then, otherwise] => (then, otherwise),
        }
    }

    /// The paths on which a choice is made.
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

    /// Executes the operations of an edge from the so manieth on. If that is a condition, and the first one, it has been assumed.
    fn take(&mut self, turn: &Turn, arrival: &Arrival, id: EdgeId, first: usize, mut state: State) {
        let program = self.program;
        let edge = program.edge(id);
        let depth = depth_of(&arrival.frame);
        for (number, operation) in edge.operations.iter().enumerate().skip(first) {
            let before = match self.limits.merge() {
                true => None,
                false => Some(state.clone()),
            };
            // What said where an object is has been assumed when something is stored in it.
            if matches!(operation, Operation::Store { .. }) {
                self.tell_apart(&state.path);
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
                        self.place_assumed(condition);
                        match self.parted(&state.path, condition).0 {
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
                    let value = self.fresh(&mut state, program.variable(*target).symbol);
                    self.walked.inputs.push(WalkedInput {
                        input: *input,
                        value,
                        guard: state.path.all(),
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
                        return self.call(turn, arrival, id, (*callee, values), state);
                    }
                }
                Operation::Allocate { .. } | Operation::Free { .. } => {}
                Operation::Unsupported(_) => {
                    self.walked.unsupported.push(state.path.all());
                    return;
                }
            }
            if let Some(choice) = self.terms.split.take()
                && let Some(before) = before
            {
                for path in self.split(&before.path, choice) {
                    let state = State {
                        path,
                        ..before.clone()
                    };
                    self.take(turn, arrival, id, number, state);
                }
                return;
            }
        }
        self.tell_apart(&state.path);
        let (location, frame) = (arrival.location, arrival.frame.clone());
        self.arrive(edge.target, Some(location), &arrival.rounds, frame, state);
    }

    /// A variable that no other execution has: on a path that is walked by itself the same one each time it is walked.
    fn fresh(&mut self, state: &mut State, symbol: Symbol) -> TermId {
        state.made += 1;
        let instance = match self.limits.merge() {
            true => next(&mut self.fresh),
            false => self.names.of(state.path.all(), state.made),
        };
        self.terms.arena.variable_at(symbol, instance)
    }
}

/// The depth of the activation that is called so.
fn depth_of(frame: &Option<Rc<Frame>>) -> u32 {
    frame.as_ref().map_or(0, |frame| frame.depth)
}

/// The next number.
fn next(last: &mut u32) -> u32 {
    *last += 1;
    *last
}
