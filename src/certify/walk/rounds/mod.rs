//! Symbolic execution of the program as lowered from its entry to the ends of all paths, with loops and calls unrolled.
//!
//! States are executed until they end; cut points do not stop them. Where paths join in the same round of the same loops,
//! states are merged; or else each path is executed to its end separately, with a question about each branch. The order of
//! execution ([`WeakOrder`]) affects only the time: a node that is reached again is executed again, and only states with the
//! same call string and location are merged. Loops with open conditions, and recursive functions, get a given number of
//! rounds. The guards of the states that are cut off are returned; they have to be unsatisfiable.
//!
//! * Guards are [`paths`]; [`exits`] of loops; [`cells`] of memory; operators [`lifted`] to values that are one of a few
//!   constants; the states that are [`waiting`].
//! * [`calls`], [`evaluate`], [`merge`]: the execution; [`exclude`]: of rounds that are guessed to be unreachable
//!   ([`exclusion`]).

mod calls;
mod cells;
mod evaluate;
mod exclude;
mod exclusion;
mod exits;
mod lifted;
mod merge;
mod paths;
mod waiting;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use self::exclusion::Exclusion;
use self::lifted::Lifted;
use self::waiting::{Waiting, WaitingList};
use super::{GivenUp, State, Walk};
use crate::lowered::call_strings::Node;
use crate::verification_conditions::What;
use regatta_program::conditions::{exclusive, exhaustive};
use regatta_program::{EdgeId, FunctionId, Graph, LocationId, Operation, VariableId, WeakOrder};
use regatta_solver::sampled::MAXIMUM_CONDITIONS_FOR_IMPLICATION;
use regatta_term::domain::Values;
use regatta_term::{Build, Pool, TermId, store};

/// Maximum numbers of consecutive open rounds of loops, and of open activations of recursive functions.
pub(crate) struct Rounds {
    /// For loops with these locations of the program as lowered, and functions with these entries.
    pub of: FxHashMap<LocationId, u32>,
    /// For all others.
    pub usual: u32,
    /// Whether paths are merged where they join.
    pub merge: bool,
}

/// The current round of a loop around a location.
#[derive(Clone)]
struct Round {
    number: u32,
    /// Number of consecutive open rounds.
    open: u32,
    /// The guard at the head.
    guard: TermId,
}

/// The context of a call.
struct Caller {
    order: SmallVec<[u32; 16]>,
    rounds: Vec<Round>,
    from: Option<Rc<Caller>>,
    callee: FunctionId,
    /// Number of consecutive open activations of the callee.
    open: u32,
    /// The guard at the callee's entry.
    guard: TermId,
}

/// A node with its loops and callers.
struct Here<'h> {
    node: Node,
    order: &'h [u32],
    rounds: &'h [Round],
    caller: Option<&'h Rc<Caller>>,
}

/// The edges that leave a location, with their first conditions.
struct Branching {
    edges: Vec<(EdgeId, TermId)>,
    /// No two of the conditions hold together.
    is_exclusive: bool,
    /// One of them always holds.
    is_exhaustive: bool,
}

struct RoundWalk<'r, 'c, 'p> {
    walk: &'r mut Walk<'c, 'p>,
    lifted: Lifted<'r>,
    order: WeakOrder,
    /// Maximum number of consecutive open rounds by head.
    most: FxHashMap<LocationId, u32>,
    usual: u32,
    waiting: WaitingList,
    cut_off: Vec<TermId>,
    /// The conditions among them that the solver that is not trusted has excluded.
    excluded: FxHashSet<TermId>,
    began: Instant,
    /// Wall time of questions whether a round is reachable.
    asking: Duration,
    /// For each loop, by head, the number of consecutive questions that excluded no round.
    in_vain: FxHashMap<LocationId, u32>,
    branching: FxHashMap<LocationId, Rc<Branching>>,
    /// Answers these questions; everything that it excludes is asked again at the end.
    exclusion: Option<Exclusion>,
    /// Sizes of objects by the variables of their addresses.
    sizes: FxHashMap<VariableId, u64>,
    /// The last guard that was noted as certain.
    certain: TermId,
}

/// Conditions that have to be unsatisfiable besides those of targets.
pub(crate) struct Left {
    /// The guards of states that were cut off, or excluded by the solver that is not trusted.
    pub cut_off: Vec<TermId>,
    /// Conditions that objects overlap which were assumed to be disjoint.
    pub overlaps: Vec<TermId>,
}

impl Walk<'_, '_> {
    /// Executes from the entry to the ends of all paths. Guards of states at targets are added to [`Self::targets`]; those of
    /// states that were cut off are returned.
    pub(crate) fn all_rounds(&mut self, rounds: &Rounds) -> Result<Left, GivenUp> {
        let program = self.lowered.program;
        let order = WeakOrder::new(program, &Graph::new(program));
        let mut most: FxHashMap<LocationId, u32> = FxHashMap::default();
        for (&location, &number) in &rounds.of {
            // The innermost loop of the location, and the location itself, which may be a function's entry.
            for head in order.heads(location).last().into_iter().chain([&location]) {
                let known = most.entry(*head).or_default();
                *known = number.max(*known);
            }
        }
        let arena = Rc::clone(&self.arena);
        let nothing = Values::default();
        let sizes = program.objects.iter().filter_map(|object| {
            let (symbol, _) = store().as_variable(object.address)?;
            Some((*self.lowered.by_symbol.get(&symbol)?, object.size))
        });
        let sizes = sizes.collect();
        let (entry, start) = (self.entry(), self.arbitrary());
        let mut walk = RoundWalk {
            walk: self,
            lifted: Lifted::new(&arena, &nothing, rounds.merge),
            order,
            most,
            usual: rounds.usual,
            waiting: WaitingList::new(rounds.merge),
            cut_off: Vec::new(),
            excluded: FxHashSet::default(),
            began: Instant::now(),
            asking: Duration::ZERO,
            in_vain: FxHashMap::default(),
            branching: FxHashMap::default(),
            exclusion: Exclusion::new(&arena, rounds.merge),
            sizes,
            certain: TermId::TRUE,
        };
        let root = Here {
            node: entry,
            order: &[],
            rounds: &[],
            caller: None,
        };
        let sizes = program.regions.iter().map(|region| region.element_bytes);
        let shifts: BTreeSet<u8> = sizes.map(|size| size.trailing_zeros() as u8).collect();
        walk.lifted.shifts = shifts.into_iter().filter(|&shift| shift > 0).collect();
        walk.come(&root, None, entry, start);
        let mut count = 0u32;
        while let Some(((order, stack, location), waiting)) = walk.waiting.pop() {
            count = count.wrapping_add(1);
            if count.is_multiple_of(64) {
                walk.walk.deadline.left()?;
            }
            walk.go(&order, Node { stack, location }, waiting)?;
        }
        Ok(Left {
            cut_off: walk.cut_off,
            overlaps: walk.lifted.obligations,
        })
    }
}

impl RoundWalk<'_, '_, '_> {
    /// Enqueues the state at the node: from `here` in the same activation, or at the entry of a new one.
    fn come(&mut self, here: &Here<'_>, from: Option<LocationId>, node: Node, state: State) {
        if state.guard == TermId::FALSE || !self.walk.stacks.matters(self.walk.lowered, node) {
            return;
        }
        if self.walk.lowered.is_error[node.location.index()] {
            self.walk.label(state.guard, node, What::Target);
            self.walk.targets.push(node.location, state.guard);
            return;
        }
        let heads = self.order.heads(node.location);
        let around = from.map_or(&[][..], |from| self.order.heads(from));
        let mut shared = 0;
        while shared < heads.len() && around.get(shared) == Some(&heads[shared]) {
            shared += 1;
        }
        let mut rounds = here.rounds[..shared].to_vec();
        if shared == heads.len()
            && heads.last() == Some(&node.location)
            && let Some(round) = rounds.last_mut()
        {
            round.number += 1;
        }
        rounds.resize_with(heads.len(), || Round {
            number: 0,
            open: 0,
            guard: state.guard,
        });
        let mut order: SmallVec<[u32; 16]> = match here.caller {
            Some(caller) => caller.order.clone(),
            None => SmallVec::new(),
        };
        for (&head, round) in heads.iter().zip(&rounds) {
            order.push(self.order.number(head));
            order.push(round.number);
        }
        order.push(self.order.number(node.location));
        let turn = (order, node.stack, node.location);
        let waiting = Waiting {
            rounds,
            caller: here.caller.cloned(),
            states: vec![state],
        };
        self.waiting.add(turn, waiting);
    }

    /// Executes from the states that wait at the node.
    fn go(&mut self, order: &[u32], node: Node, waiting: Waiting) -> Result<(), GivenUp> {
        let Waiting {
            mut rounds,
            caller,
            states,
        } = waiting;
        let Some(state) = self.merged(states) else {
            return Ok(());
        };
        if self.order.is_head(node.location)
            && let Some(round) = rounds.last_mut()
        {
            if round.number > 0 && state.guard != round.guard {
                round.open += 1;
                if !self.lifted.by_path
                    && self.is_asked(node.location, round.open)
                    && self.is_excluded(node, state.guard)?
                {
                    self.spread(state.guard);
                    return Ok(());
                }
                if self.is_cut_off(node.location, node, round.open, state.guard) {
                    return Ok(());
                }
            }
            round.guard = state.guard;
        }
        if self.waiting.is_empty() {
            self.note_certain(state.guard);
        }
        let here = Here {
            node,
            order,
            rounds: &rounds,
            caller: caller.as_ref(),
        };
        let program = self.walk.lowered.program;
        let function = program.function(self.walk.stacks.function(node.stack));
        match node.location == function.exit {
            true => self.come_back(&here, state),
            false => self.branch(&here, &state)?,
        }
        Ok(())
    }

    fn assume(&mut self, state: &mut State, condition: TermId) {
        let arena = &*self.walk.arena;
        state.guard = self.lifted.paths.assume(arena, state.guard, condition);
    }

    /// The edges that leave the location.
    fn branching(&mut self, location: LocationId) -> Rc<Branching> {
        if let Some(known) = self.branching.get(&location) {
            return Rc::clone(known);
        }
        let lowered = self.walk.lowered;
        let edges = lowered.graph.outgoing(location).iter();
        let edges = edges.map(|&id| match lowered.program.edge(id).operations.first() {
            Some(Operation::Assume(condition)) => (id, *condition),
            _ => (id, TermId::TRUE),
        });
        let edges: Vec<(EdgeId, TermId)> = edges.collect();
        let written: Vec<TermId> = edges.iter().map(|&(_, condition)| condition).collect();
        let branching = Rc::new(Branching {
            edges,
            is_exclusive: exclusive(&written),
            is_exhaustive: exhaustive(&written),
        });
        self.branching.insert(location, Rc::clone(&branching));
        branching
    }

    /// Takes all edges that leave the node.
    fn branch(&mut self, here: &Here<'_>, state: &State) -> Result<(), GivenUp> {
        let depth = self.walk.stacks.depth(here.node.stack);
        let branching = self.branching(here.node.location);
        let mut ways: SmallVec<[(EdgeId, TermId); 2]> = SmallVec::new();
        for &(id, condition) in &branching.edges {
            let condition = self.worth(state, condition, depth);
            if condition != TermId::FALSE {
                self.lifted.note_assumed(condition);
                ways.push((id, condition));
            }
        }
        if let Some(choice) = self.lifted.open_choice.take() {
            for state in self.with_choice(here.node, state, choice)? {
                self.branch(here, &state)?;
            }
            return Ok(());
        }
        let mut rest = state.clone();
        let last = ways.len();
        for (number, (id, condition)) in (1..).zip(ways) {
            let taken = match branching.is_exclusive {
                true if number == last && branching.is_exhaustive => TermId::TRUE,
                false if number < last => {
                    let choice = self.walk.names.condition();
                    self.walk.arena.and2(condition, choice)
                }
                _ => condition,
            };
            let mut next = rest.clone();
            self.part(here.node, &mut next, &mut rest, taken)?;
            if next.guard != TermId::FALSE {
                self.take(here, id, 0, next)?;
            }
            if rest.guard == TermId::FALSE {
                break;
            }
        }
        Ok(())
    }

    /// Splits a state, given as two equal ones, by the condition. If paths are executed separately and one of the states is
    /// excluded, the other keeps its guard.
    fn part(
        &mut self,
        at: Node,
        next: &mut State,
        rest: &mut State,
        condition: TermId,
    ) -> Result<(), GivenUp> {
        let before = next.guard;
        self.assume(next, condition);
        self.assume(rest, self.walk.arena.not(condition));
        if !self.lifted.by_path || next.guard == TermId::FALSE || rest.guard == TermId::FALSE {
            return Ok(());
        }
        if self.is_excluded(at, next.guard)? {
            (next.guard, rest.guard) = (TermId::FALSE, before);
        } else if self.is_excluded(at, rest.guard)? {
            (next.guard, rest.guard) = (before, TermId::FALSE);
        }
        Ok(())
    }

    /// Restricts the state to the condition. If paths are executed separately, a condition that the path implies is not added
    /// to the guard, as far as few conditions tell that.
    fn require(&mut self, at: Node, state: &mut State, condition: TermId) -> Result<(), GivenUp> {
        let before = state.guard;
        self.assume(state, condition);
        let is_new = state.guard != before && state.guard != TermId::FALSE;
        if !self.lifted.by_path || !is_new {
            return Ok(());
        }
        if self.is_excluded(at, state.guard)? {
            state.guard = TermId::FALSE;
            return Ok(());
        }
        let arena = &*self.walk.arena;
        let denial = arena.not(condition);
        let otherwise = self.lifted.paths.assume(arena, before, denial);
        if otherwise != before
            && self.is_excluded_among(at, otherwise, MAXIMUM_CONDITIONS_FOR_IMPLICATION)?
        {
            state.guard = before;
        }
        Ok(())
    }

    /// Splits the state by the condition of a choice.
    fn with_choice(
        &mut self,
        at: Node,
        state: &State,
        condition: TermId,
    ) -> Result<SmallVec<[State; 2]>, GivenUp> {
        let denial = self.walk.arena.not(condition);
        let (mut made, mut denied) = (state.clone(), state.clone());
        self.part(at, &mut made, &mut denied, condition)?;
        let mut both = SmallVec::new();
        for (one, holds) in [(made, condition), (denied, denial)] {
            if one.guard == state.guard {
                self.lifted.paths.imply(one.guard, holds);
            }
            if one.guard != TermId::FALSE {
                both.push(one);
            }
        }
        Ok(both)
    }

    /// Executes the operations of the edge from index `first` on; a condition at index 0 has been assumed.
    fn take(
        &mut self,
        here: &Here<'_>,
        id: EdgeId,
        first: usize,
        mut state: State,
    ) -> Result<(), GivenUp> {
        let program = self.walk.lowered.program;
        let edge = program.edge(id);
        let depth = self.walk.stacks.depth(here.node.stack);
        for (number, operation) in edge.operations.iter().enumerate().skip(first) {
            if state.guard == TermId::FALSE {
                return Ok(());
            }
            let before = self.lifted.by_path.then(|| state.clone());
            match operation {
                Operation::Assign { target, value } => {
                    let value = self.worth(&state, *value, depth);
                    let slot = self.walk.slot(depth, *target);
                    if let Some(&size) = self.sizes.get(target)
                        && !self.walk.arena.is_constant(value)
                    {
                        self.lifted.note_size(value, size);
                    }
                    self.set(&mut state, slot, value);
                }
                Operation::Assume(_) if number == 0 => {}
                Operation::Assume(condition) => {
                    let condition = self.worth(&state, *condition, depth);
                    if self.lifted.open_choice.is_none() {
                        self.lifted.note_assumed(condition);
                        self.require(here.node, &mut state, condition)?;
                    }
                }
                Operation::Store {
                    region,
                    index,
                    value,
                } => {
                    let slot = self.walk.slot(depth, program.region(*region).variable);
                    let index = self.worth(&state, *index, depth);
                    let value = self.worth(&state, *value, depth);
                    self.walk
                        .write_cell(&mut self.lifted, &mut state, slot, index, value);
                }
                Operation::Havoc { target, input } => {
                    let value = program.input(*input).kind.in_formulas();
                    let value = value.unwrap_or_else(|| self.walk.arbitrary_value(*target));
                    let slot = self.walk.slot(depth, *target);
                    self.set(&mut state, slot, value);
                }
                Operation::Call {
                    callee, arguments, ..
                } => {
                    let values = arguments.iter();
                    let values = values.map(|&argument| self.worth(&state, argument, depth));
                    let values: Vec<TermId> = values.collect();
                    if self.lifted.open_choice.is_none() {
                        self.enter(here, id, *callee, values, state);
                        return Ok(());
                    }
                }
                Operation::Allocate { .. } | Operation::Free { .. } | Operation::Claim(_) => {}
                Operation::Unsupported(_) => {
                    self.walk.label(state.guard, here.node, What::Target);
                    self.walk.targets.push(here.node.location, state.guard);
                    return Ok(());
                }
            }
            if let Some(choice) = self.lifted.open_choice.take()
                && let Some(before) = before
            {
                for state in self.with_choice(here.node, &before, choice)? {
                    self.take(here, id, number, state)?;
                }
                return Ok(());
            }
        }
        let to = Node {
            location: edge.target,
            ..here.node
        };
        self.come(here, Some(here.node.location), to, state);
        Ok(())
    }

    fn set(&self, state: &mut State, slot: u32, value: TermId) {
        match self.walk.arena.sort(value).is_array() {
            true => self.walk.set_array(state, slot, value),
            false => state.values.insert(slot, value),
        }
    }
}
