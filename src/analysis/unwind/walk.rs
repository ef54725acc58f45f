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
mod exits;
mod objects;
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

/// Conditions of single states that are looked at for what they say of variables.
const FACTS: u32 = 64;
/// States that wait for one another to be merged in the best order.
const MERGED_BY_PATH: usize = 48;

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

/// What becomes of a round that has been reached.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Next {
    Round,
    /// It may be reached, but has come too far.
    CutOff,
    /// It is not reached.
    Excluded,
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

    /// Whether the loop's next round may begin.
    fn begin_round(&mut self, rounds: &mut Rounds, head: LocationId, state: &State) -> bool {
        let Some(round) = rounds.last_mut() else {
            return true;
        };
        self.walked.rounds = self.walked.rounds.max(round.number);
        let steps = self.walked.steps;
        let before = self.latest.insert(head, (round.number, steps));
        if round.number > 0 && state.path.all() != round.path.all() {
            round.open += 1;
            if let Some((number, at)) = before
                && number + 1 == round.number
            {
                *self.walked.work.entry(head).or_default() += steps - at;
            }
            match self.next(head, round.open, &state.path) {
                Next::Round => {}
                Next::CutOff => return false,
                Next::Excluded => {
                    self.excluded(&state.path);
                    return false;
                }
            }
            let most = self.walked.open.entry(head).or_default();
            *most = round.open.max(*most);
        }
        round.path = state.path.clone();
        true
    }

    /// Whether an open round is to be looked at.
    fn next(&mut self, head: LocationId, open: u32, path: &Path) -> Next {
        let too_far = open > self.limits.of(head);
        // Each branch has been asked about where paths are walked one by one.
        if self.limits.merge() && self.questions.excludes(path.all(), too_far) {
            return Next::Excluded;
        }
        if !too_far {
            return Next::Round;
        }
        self.walked.cuts.push(Cut {
            guard: path.all(),
            head: Some(head),
        });
        Next::CutOff
    }

    /// The path, which nothing takes: what has parted from it last goes on without a condition for that.
    fn excluded(&mut self, path: &Path) {
        let Some((before, condition)) = path.last() else {
            return;
        };
        let denial = self.terms.arena.not(condition);
        for state in self.pending.states_mut() {
            if let Some((own, other)) = state.path.last()
                && other == denial
                && own.same(before)
            {
                state.path = before.clone();
            }
        }
    }

    /// The only state that there is: what it has assumed holds from here on.
    fn learn(&mut self, state: &State) {
        if state.path.depth() > FACTS {
            return;
        }
        let mut new = Vec::new();
        let mut at = &state.path;
        while at.depth() > self.assumed
            && let Some((before, condition)) = at.last()
        {
            new.push(condition);
            at = before;
        }
        self.assumed += new.len() as u32;
        for condition in new {
            self.terms.assume(condition);
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

    fn call(
        &mut self,
        turn: &Turn,
        arrival: &Arrival,
        id: EdgeId,
        (callee, arguments): (FunctionId, Vec<Value>),
        mut state: State,
    ) {
        let program = self.program;
        let depth = depth_of(&arrival.frame);
        let function = program.function(callee);
        let mut open = 0;
        if self.calls.is_recursive(callee) {
            let mut caller = arrival.frame.as_ref();
            while let Some(frame) = caller {
                if frame.function == callee {
                    open = frame.open + u32::from(state.path.all() != frame.path.all());
                    break;
                }
                caller = frame.caller.as_ref();
            }
            if open > 0 && self.next(function.entry, open, &state.path) != Next::Round {
                return;
            }
            let most = self.walked.open.entry(function.entry).or_default();
            *most = open.max(*most);
        }
        for (&parameter, value) in function.parameters.iter().zip(arguments) {
            self.set(&mut state, depth + 1, parameter, value);
        }
        let mut own = turn.clone();
        own.push(id.0);
        let frame = Frame {
            call: id,
            caller: arrival.frame.clone(),
            turn: own,
            rounds: arrival.rounds.clone(),
            depth: depth + 1,
            function: callee,
            open,
            path: state.path.clone(),
        };
        let frame = Some(Rc::new(frame));
        self.arrive(function.entry, None, &Rounds::new(), frame, state);
    }

    fn return_from(&mut self, arrival: &Arrival, mut state: State) {
        let Some(frame) = arrival.frame.as_ref() else {
            return;
        };
        let program = self.program;
        let edge = program.edge(frame.call);
        if let Some(Operation::Call {
            callee, results, ..
        }) = edge.operations.first()
        {
            let from = &program.function(*callee).results;
            let values = from.iter().map(|&result| {
                let slot = self.slot(frame.depth, result);
                self.read(&state, slot)
            });
            let values: Vec<Value> = values.collect();
            for (&result, value) in results.iter().zip(values) {
                self.set(&mut state, frame.depth - 1, result, value);
            }
        }
        for local in &self.locals[frame.function.index()] {
            if let Some(&slot) = self.slots.get(&(frame.depth, *local)) {
                state.values.remove(slot);
            }
        }
        let caller = frame.caller.clone();
        self.arrive(edge.target, Some(edge.source), &frame.rounds, caller, state);
    }

    /// All states that have come to a place, as one.
    fn merged(&mut self, states: Vec<State>) -> Option<State> {
        let mut states = self.merge_exits(states);
        while states.len() > MERGED_BY_PATH {
            let (last, before) = (states.pop()?, states.pop()?);
            let one = self.merge(last, before);
            states.push(one);
        }
        while states.len() > 1 {
            // The two that have parted last, of which one is as far as any.
            let by_depth = |&place: &usize| states[place].path.depth();
            let deepest = (0..states.len()).max_by_key(by_depth)?;
            let one = states.swap_remove(deepest);
            let shared = |&place: &usize| states[place].path.common(&one.path).depth();
            let other = (0..states.len()).max_by_key(shared)?;
            let other = states.swap_remove(other);
            let both = self.merge(one, other);
            states.push(both);
        }
        states.pop()
    }

    fn merge(&mut self, one: State, other: State) -> State {
        let (path, is_one) = one.path.join(self.terms.arena, &other.path);
        let values = one.values.union(&other.values, &mut |slot, a, b| {
            let [a, b] = [a, b].map(|value| self.value_or_first(slot, value));
            self.terms.choice(is_one, &a, &b)
        });
        State {
            path,
            values,
            made: one.made.max(other.made),
        }
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
