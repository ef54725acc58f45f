//! Symbolic execution of the program as lowered, from cut points to the next ones.
//!
//! A state is a location with its call string, a *guard* (the condition under which execution is there) and a term for
//! every variable that has changed. Where paths meet, states are merged: guards of states that exist at the same time
//! exclude each other, so that a value is chosen by the guard of the path that it comes from. To keep it so where the
//! conditions of a location's edges may hold together, the choice among them is a variable of its own. Call strings are
//! explicit, and a local variable is one for each activation, so that recursive functions can be executed like others.
//!
//! Everything is exact but for two things, which are noted in [`Walk::over_approximated`]. A loop that no cut point cuts
//! (the simplifier has found that it does not matter) is passed by forgetting, at its head, whatever it may change: the
//! state that leaves it is one of those that it comes to its head in. And a call of a recursive function may be stepped
//! over, changing all that it can ([`Walk::entered`] has the states for which its body is to be looked at).

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::certificate::{AT_ENTRY, instances_at, is_any_index, quantified};
use super::lowered::Lowered;
use super::places::{Claim, Cuts, Facts, as_cell};
use super::plan::Plan;
use super::stacks::{Node, StackId, Stacks};
use crate::program::graph::{callee, goes_on};
use crate::program::persistent::PersistentMap;
use crate::program::*;
use crate::solver::z3::text::TextSolver;
use crate::term::{
    Arena, Build, Op, Pool, Rebuild, Sort, Symbol, TermId, TermKind, for_each_subterm, instantiate,
    store,
};

/// A guard of more conjuncts gets a name.
const LARGEST_GUARD: usize = 12;

/// Why a check was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GivenUp(pub String);

/// Until when a check may go on.
#[derive(Copy, Clone)]
pub(super) struct Deadline<'a> {
    pub end: Instant,
    pub cancelled: Option<&'a AtomicBool>,
}

impl Deadline<'_> {
    /// What is left, or that nothing is.
    pub fn left(&self) -> Result<Duration, GivenUp> {
        if self
            .cancelled
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
        {
            return Err(GivenUp("cancelled".to_owned()));
        }
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(GivenUp("the time is over".to_owned()));
        }
        Ok(left)
    }
}

/// What becomes of calls of functions that can call themselves.
#[derive(Copy, Clone)]
pub(super) enum Recursion<'c> {
    /// They are executed if there are cut points in them.
    Unrolled,
    /// They change what they can.
    Summarised,
    /// They change what they can, as it is claimed of them; those of which nothing is claimed are executed.
    Related(&'c Summaries),
}

/// What is claimed of recursive functions: relations between the states at their entries and exits.
#[derive(Default)]
pub(super) struct Summaries {
    formulas: FxHashMap<FunctionId, TermId>,
    /// Whether nothing was claimed of some of them.
    partial: bool,
}

impl Summaries {
    /// Adds to what is claimed of the function.
    pub fn add(&mut self, function: FunctionId, formula: TermId) {
        let known = self.formulas.entry(function).or_insert(TermId::TRUE);
        *known = store().and2(*known, formula);
    }

    /// Makes these functions, and no others, those that have summaries.
    pub fn restrict(&mut self, functions: &FxHashSet<FunctionId>) {
        self.formulas
            .retain(|function, _| functions.contains(function));
        for &function in functions {
            self.formulas.entry(function).or_insert_with(|| {
                self.partial = true;
                TermId::TRUE
            });
        }
    }

    /// Whether nothing is known of what some of them do.
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    fn of(&self, function: FunctionId) -> Option<TermId> {
        self.formulas.get(&function).copied()
    }
}

/// What is known where execution is.
#[derive(Clone)]
pub(super) struct State {
    pub guard: TermId,
    values: PersistentMap<TermId>,
    /// The heads of loops that execution has passed in this segment and whose loops it has not left since.
    passed: SmallVec<[Node; 2]>,
}

/// The depth of the globals' slots.
const GLOBAL: u32 = u32::MAX;

/// Variables by activation.
#[derive(Default)]
struct Slots {
    ids: FxHashMap<(u32, VariableId), u32>,
    /// The values at the start of the walk, made when they are first read.
    initial: Vec<(VariableId, Option<TermId>)>,
}

impl Slots {
    fn id(&mut self, depth: u32, variable: VariableId) -> u32 {
        let new = self.initial.len() as u32;
        let id = *self.ids.entry((depth, variable)).or_insert(new);
        if id == new {
            self.initial.push((variable, None));
        }
        id
    }
}

/// Variables that are made for one query.
struct Fresh {
    next: u32,
    boolean: Symbol,
}

/// States by node.
pub(super) type Frontier = BTreeMap<Node, State>;

/// The order of work: deepest call string first, then by the function's order.
type Turn = (Reverse<u32>, StackId, u32, LocationId);

/// A function, its cut points, its edges that are not taken, and its calls that pass a cut point.
type Shape = (FunctionId, Vec<LocationId>, Vec<EdgeId>, Vec<EdgeId>);

/// A walk over the program for one query.
pub(super) struct Walk<'c, 'p> {
    lowered: &'c Lowered<'p>,
    pub stacks: &'c mut Stacks,
    cuts: &'c Cuts,
    facts: &'c mut Facts<'p>,
    recursion: Recursion<'c>,
    deadline: Deadline<'c>,
    /// Answers the questions.
    pub solver: &'c RefCell<TextSolver>,
    pub arena: Rc<Arena>,
    slots: RefCell<Slots>,
    fresh: RefCell<Fresh>,
    /// What names stand for, by name: equations.
    pub definitions: FxHashMap<TermId, TermId>,
    /// The names of values.
    names: FxHashMap<TermId, TermId>,
    plans: Vec<Rc<Plan>>,
    plan_of: FxHashMap<StackId, usize>,
    known_plans: FxHashMap<Shape, usize>,
    /// For each function whether it, or one that it calls, has a cut point at some call string.
    cutting: Vec<bool>,
    /// Whether an activation can end without having passed a cut point.
    passing: FxHashMap<StackId, bool>,
    /// The cut points and the locations with facts, by function.
    marked: FxHashMap<FunctionId, (Vec<LocationId>, Vec<LocationId>)>,
    /// The guards with which targets are reached.
    pub targets: Vec<TermId>,
    /// The states in which recursive functions are entered that are not executed in their callers.
    pub entered: Vec<(Node, State)>,
    /// Whether something has been forgotten.
    pub over_approximated: bool,
    universal: Vec<Universal>,
}

/// A formula that was assumed for every value of a variable, on the paths on which the condition holds.
struct Universal {
    condition: TermId,
    symbol: Symbol,
    value: TermId,
}

impl<'c, 'p> Walk<'c, 'p> {
    pub fn new(
        lowered: &'c Lowered<'p>,
        stacks: &'c mut Stacks,
        cuts: &'c Cuts,
        facts: &'c mut Facts<'p>,
        recursion: Recursion<'c>,
        (deadline, solver): (Deadline<'c>, &'c RefCell<TextSolver>),
    ) -> Self {
        let mut marked: FxHashMap<FunctionId, (Vec<LocationId>, Vec<LocationId>)> =
            FxHashMap::default();
        let function = |location: LocationId| lowered.program.location(location).function;
        for location in cuts.locations() {
            marked
                .entry(function(location))
                .or_default()
                .0
                .push(location);
        }
        for location in facts.locations() {
            marked
                .entry(function(location))
                .or_default()
                .1
                .push(location);
        }
        for lists in marked.values_mut() {
            lists.0.sort_unstable();
            lists.1.sort_unstable();
        }
        let mut cutting = vec![false; lowered.program.functions.len()];
        let mut work: Vec<FunctionId> = cuts.locations().map(function).collect();
        while let Some(function) = work.pop() {
            if !std::mem::replace(&mut cutting[function.index()], true) {
                let calls = lowered.calls.calls_of(function).iter();
                work.extend(calls.map(|&call| {
                    let source = lowered.program.edge(call).source;
                    lowered.program.location(source).function
                }));
            }
        }
        Self {
            marked,
            cutting,
            passing: FxHashMap::default(),
            lowered,
            stacks,
            cuts,
            facts,
            recursion,
            deadline,
            solver,
            arena: Rc::new(Arena::new()),
            slots: RefCell::default(),
            fresh: RefCell::new(Fresh {
                next: 1,
                boolean: Symbol::new("certified condition", Sort::Bool),
            }),
            definitions: FxHashMap::default(),
            names: FxHashMap::default(),
            plans: Vec::new(),
            plan_of: FxHashMap::default(),
            known_plans: FxHashMap::default(),
            targets: Vec::new(),
            entered: Vec::new(),
            over_approximated: false,
            universal: Vec::new(),
        }
    }

    /// The time that is left.
    pub fn left(&self) -> Result<Duration, GivenUp> {
        self.deadline.left()
    }

    /// Where execution starts.
    pub fn entry(&self) -> Node {
        Node {
            stack: Stacks::EMPTY,
            location: self
                .lowered
                .program
                .function(self.lowered.program.start)
                .entry,
        }
    }

    /// A state of which nothing is known: every variable has the value it has at the start.
    pub fn arbitrary(&self) -> State {
        State {
            guard: TermId::TRUE,
            values: PersistentMap::new(),
            passed: SmallVec::new(),
        }
    }

    // Terms.

    fn variable(&self, symbol: Symbol) -> TermId {
        let mut fresh = self.fresh.borrow_mut();
        fresh.next += 1;
        self.arena.variable_at(symbol, fresh.next)
    }

    fn condition(&self) -> TermId {
        let symbol = self.fresh.borrow().boolean;
        self.variable(symbol)
    }

    fn slot(&self, depth: u32, variable: VariableId) -> u32 {
        let depth = match self.lowered.program.variable(variable).scope {
            Scope::Global => GLOBAL,
            Scope::Local(_) => depth,
        };
        self.slots.borrow_mut().id(depth, variable)
    }

    fn initial(&self, slot: u32) -> TermId {
        let mut slots = self.slots.borrow_mut();
        let (variable, initial) = &mut slots.initial[slot as usize];
        let symbol = self.lowered.program.variable(*variable).symbol;
        *initial.get_or_insert_with(|| self.variable(symbol))
    }

    fn read(&self, state: &State, slot: u32) -> TermId {
        match state.values.get(slot) {
            Some(&value) => value,
            None => self.initial(slot),
        }
    }

    fn arbitrary_value(&self, variable: VariableId) -> TermId {
        self.variable(self.lowered.program.variable(variable).symbol)
    }

    /// The value of a term of the program in the state; `depth` finds the activation of a local.
    fn evaluate(
        &self,
        state: &State,
        term: TermId,
        depth: impl Fn(VariableId) -> Option<u32>,
    ) -> TermId {
        let replace = |term| match store().kind(term) {
            TermKind::Variable { symbol, .. } if is_any_index(symbol) => Some(term),
            TermKind::Variable { symbol, .. } => {
                // What is not a variable of the program, or not in scope, has any value.
                let variable = self.lowered.by_symbol.get(&symbol).copied();
                let slot = variable.and_then(|v| depth(v).map(|depth| self.slot(depth, v)));
                Some(match slot {
                    Some(slot) => self.read(state, slot),
                    None => self.variable(symbol),
                })
            }
            _ => None,
        };
        Rebuild::new(store(), &*self.arena, replace).rebuild(term)
    }

    /// The value of a formula about a node, whose variables may be those of any activation.
    pub fn formula(&self, state: &State, node: Node, formula: TermId) -> TermId {
        self.evaluate(state, formula, |variable| {
            self.activation(node.stack, variable)
        })
    }

    /// The value of a formula that relates the state at the entry of the outermost activation to the present one.
    pub fn relation(&self, node: Node, formula: TermId, entry: &State, state: &State) -> TermId {
        let now = |variable| match self.activation(node.stack, variable) {
            Some(depth) => self.read(state, self.slot(depth, variable)),
            None => self.arbitrary_value(variable),
        };
        self.related(
            formula,
            |variable| self.read(entry, self.slot(0, variable)),
            now,
        )
    }

    fn related(
        &self,
        formula: TermId,
        at_entry: impl Fn(VariableId) -> TermId,
        now: impl Fn(VariableId) -> TermId,
    ) -> TermId {
        let replace = |term| match store().kind(term) {
            TermKind::Variable { symbol, instance } => {
                Some(match self.lowered.by_symbol.get(&symbol) {
                    Some(&variable) if instance == AT_ENTRY => at_entry(variable),
                    Some(&variable) if instance == 0 => now(variable),
                    _ => self.variable(symbol),
                })
            }
            _ => None,
        };
        Rebuild::new(store(), &*self.arena, replace).rebuild(formula)
    }

    /// States at the entry of the outermost activation and at the node that the formula relates. `known_at_entry` are
    /// all variables whose values at the entry any formula speaks of.
    pub fn start_related(
        &mut self,
        node: Node,
        formula: TermId,
        known_at_entry: &[VariableId],
    ) -> (State, State) {
        let mut state = self.start(node, &[]);
        let root = self.stacks.functions(node.stack).last().copied();
        let is_entry = root.is_some_and(|root| {
            node.stack == self.stacks.root(root)
                && node.location == self.lowered.program.function(root).entry
        });
        let mut entry = state.clone();
        if !is_entry {
            for &variable in known_at_entry {
                let slot = self.slot(0, variable);
                entry.values.insert(slot, self.arbitrary_value(variable));
            }
        }
        let value = self.relation(node, formula, &entry, &state);
        self.assume(&mut state, value);
        (entry, state)
    }

    fn activation(&self, stack: StackId, variable: VariableId) -> Option<u32> {
        match self.lowered.program.variable(variable).scope {
            Scope::Global => Some(GLOBAL),
            Scope::Local(function) => self.stacks.activation(stack, function),
        }
    }

    fn conjuncts(&self, guard: TermId) -> SmallVec<[TermId; LARGEST_GUARD]> {
        match self.arena.kind(guard) {
            TermKind::Apply {
                op: Op::And,
                arguments,
            } => SmallVec::from_slice(arguments),
            _ if guard == TermId::TRUE => SmallVec::new(),
            _ => SmallVec::from_slice(&[guard]),
        }
    }

    /// Adds a condition to the state's guard.
    pub fn assume(&mut self, state: &mut State, condition: TermId) {
        let guard = self.arena.and2(state.guard, condition);
        state.guard = self.named(guard);
    }

    /// A guard that is not large.
    fn named(&mut self, guard: TermId) -> TermId {
        if self.conjuncts(guard).len() <= LARGEST_GUARD {
            return guard;
        }
        let name = self.condition();
        let definition = self.arena.eq(name, guard);
        self.definitions.insert(name, definition);
        name
    }

    /// Gives names to what is large in the states, so that what follows is made of small terms however long the path
    /// is. Arrays keep their terms: a read finds the write that it meets.
    pub fn name(&mut self, frontier: &mut Frontier) {
        for state in frontier.values_mut() {
            let values = state.values.iter();
            let large: Vec<(u32, TermId)> = values
                .filter(|&(_, &value)| !self.is_small(value))
                .map(|(slot, &value)| (slot, value))
                .collect();
            for (slot, value) in large {
                let name = self.name_of(value);
                state.values.insert(slot, name);
            }
            if !self.is_small(state.guard) {
                state.guard = self.name_of(state.guard);
            }
        }
    }

    fn name_of(&mut self, value: TermId) -> TermId {
        if let Some(&name) = self.names.get(&value) {
            return name;
        }
        let name = self.variable(Symbol::new("certified value", self.arena.sort(value)));
        let definition = self.arena.eq(name, value);
        self.definitions.insert(name, definition);
        self.names.insert(value, name);
        name
    }

    fn is_small(&self, value: TermId) -> bool {
        let arena = &*self.arena;
        let is_constant = |term| matches!(arena.kind(term), TermKind::Constant(_));
        let is_leaf = |term| !matches!(arena.kind(term), TermKind::Apply { .. });
        match arena.kind(value) {
            TermKind::Constant(_) | TermKind::Variable { .. } => true,
            _ if arena.sort(value).is_array() => true,
            TermKind::Apply {
                op: Op::Not | Op::BvAdd | Op::IntAdd,
                arguments,
            } => arguments.iter().copied().all(is_leaf),
            // A choice among constants may decide a condition.
            TermKind::Apply {
                op: Op::Ite,
                arguments,
            } => is_leaf(arguments[0]) && arguments[1..].iter().copied().all(is_constant),
            TermKind::Apply { .. } => false,
        }
    }

    // States.

    fn merge(&mut self, one: State, other: State) -> State {
        let arena = Rc::clone(&self.arena);
        // What both have in common is no part of the choice.
        let (left, right) = (self.conjuncts(one.guard), self.conjuncts(other.guard));
        let mut common: Vec<TermId> = left
            .iter()
            .copied()
            .filter(|term| right.contains(term))
            .collect();
        let rest = |list: &[TermId]| {
            arena.and(
                list.iter()
                    .copied()
                    .filter(|term| !common.contains(term))
                    .collect::<Vec<_>>(),
            )
        };
        let (choice, otherwise) = (rest(&left), rest(&right));
        common.push(arena.or2(choice, otherwise));
        let guard = arena.and(common);
        let values = one.values.union(&other.values, &mut |slot, a, b| {
            let a = a.copied().unwrap_or_else(|| self.initial(slot));
            let b = b.copied().unwrap_or_else(|| self.initial(slot));
            arena.ite(choice, a, b)
        });
        let passed = one.passed.iter().copied();
        State {
            guard: self.named(guard),
            values,
            passed: passed.filter(|node| other.passed.contains(node)).collect(),
        }
    }

    fn add(&mut self, frontier: &mut Frontier, node: Node, state: State) {
        let merged = match frontier.remove(&node) {
            Some(other) => self.merge(other, state),
            None => state,
        };
        frontier.insert(node, merged);
    }

    /// An arbitrary state at the node of which the claims hold.
    pub fn start(&mut self, node: Node, formulas: &[TermId]) -> State {
        let mut state = self.arbitrary();
        let claims = self.claims(node);
        self.assume_claims(&mut state, node, &claims, |_| true);
        self.assume_formulas(&mut state, node, formulas);
        state
    }

    /// Restricts a state that has come to the node to what is claimed of it.
    pub fn restrict(&mut self, state: &mut State, node: Node, formulas: &[TermId]) {
        let claims = self.claims(node);
        self.assume_claims(state, node, &claims, |_| false);
        self.assume_formulas(state, node, formulas);
    }

    fn assume_formulas(&mut self, state: &mut State, node: Node, formulas: &[TermId]) {
        let mut chosen = None;
        for &formula in formulas {
            let value = self.formula(state, node, formula);
            self.assume(state, value);
            if let Some(symbol) = quantified(formula) {
                // It holds for other values, too, on the paths from here.
                let condition = *chosen.get_or_insert_with(|| self.condition());
                self.universal.push(Universal {
                    condition,
                    symbol,
                    value,
                });
            }
        }
        if let Some(condition) = chosen {
            self.assume(state, condition);
        }
    }

    /// What the quantified formulas that were assumed on the way to the given ones say of the indices that occur in
    /// these.
    pub fn instances(&self, formulas: &[TermId]) -> Vec<TermId> {
        let mut instances = Vec::new();
        if self.universal.is_empty() {
            return instances;
        }
        let mut all = self.definitions_for(formulas);
        all.extend_from_slice(formulas);
        let mut indices: FxHashSet<TermId> = FxHashSet::default();
        let mut occurring: FxHashSet<TermId> = FxHashSet::default();
        for_each_subterm(&*self.arena, all, |term, kind| match kind {
            TermKind::Variable { .. } => {
                occurring.insert(term);
            }
            TermKind::Apply {
                op: Op::Select | Op::Store,
                arguments,
            } => {
                indices.insert(arguments[1]);
            }
            _ => {}
        });
        let indices: Vec<TermId> = indices.into_iter().collect();
        for universal in &self.universal {
            if !occurring.contains(&universal.condition) {
                continue;
            }
            let arena = &*self.arena;
            for at in instances_at(arena, universal.value, universal.symbol, &indices) {
                let value = instantiate(arena, universal.value, |symbol, _| {
                    (symbol == universal.symbol).then_some(at)
                });
                instances.push(self.arena.implies(universal.condition, value));
            }
        }
        instances.sort_unstable();
        instances
    }

    /// What is claimed of the node.
    pub fn claims(&mut self, node: Node) -> Rc<[Claim]> {
        self.facts.at(self.lowered, self.stacks, node)
    }

    /// Restricts the state to what is claimed of the node. `is_free` tells the slots whose values are arbitrary and occur
    /// nowhere else: for them, a constant needs no condition.
    fn assume_claims(
        &mut self,
        state: &mut State,
        node: Node,
        claims: &[Claim],
        is_free: impl Fn(u32) -> bool,
    ) {
        let arena = Rc::clone(&self.arena);
        let mut conditions = Vec::new();
        for claim in claims {
            let value = self.formula(state, node, claim.formula);
            if value == TermId::TRUE {
                continue;
            }
            // A constant is put in, which simplifies all that follows.
            let place = claim.constant.and_then(|(term, constant)| {
                let (variable, index) = as_cell(term).unzip();
                let slot = self.slot_of(node, variable.unwrap_or(term))?;
                Some((slot, index, constant))
            });
            if let Some((slot, index, constant)) = place {
                let new = match index {
                    None => constant,
                    Some(index) => arena.store(self.read(state, slot), index, constant),
                };
                state.values.insert(slot, new);
                if is_free(slot) {
                    continue;
                }
            }
            conditions.push(value);
        }
        let all = arena.and(conditions);
        self.assume(state, all);
    }

    fn slot_of(&self, node: Node, variable: TermId) -> Option<u32> {
        let TermKind::Variable { symbol, .. } = store().kind(variable) else {
            return None;
        };
        let variable = *self.lowered.by_symbol.get(&symbol)?;
        let depth = self.activation(node.stack, variable)?;
        Some(self.slot(depth, variable))
    }

    // Steps.

    fn plan(&mut self, stack: StackId) -> Rc<Plan> {
        if let Some(&plan) = self.plan_of.get(&stack) {
            return Rc::clone(&self.plans[plan]);
        }
        let (function, cuts, dead) = self.shape(stack);
        let mut cutting = Vec::new();
        for &call in &self.lowered.repeated[function.index()] {
            if self.is_cut(stack, call) {
                cutting.push(call);
            }
        }
        let key = (function, cuts, dead, cutting);
        let index = match self.known_plans.get(&key) {
            Some(&index) => index,
            None => {
                let cuts: FxHashSet<LocationId> = key.1.iter().copied().collect();
                let dead: FxHashSet<EdgeId> = key.2.iter().copied().collect();
                self.plans.push(Rc::new(Plan::new(
                    self.lowered,
                    function,
                    cuts,
                    dead,
                    &key.3,
                )));
                self.known_plans.insert(key, self.plans.len() - 1);
                self.plans.len() - 1
            }
        };
        self.plan_of.insert(stack, index);
        Rc::clone(&self.plans[index])
    }

    /// The function on top of the call string, its cut points there, and its edges that are not taken there.
    fn shape(&mut self, stack: StackId) -> (FunctionId, Vec<LocationId>, Vec<EdgeId>) {
        let function = self.stacks.function(stack);
        let (cuts, facts) = self.marked.get(&function).cloned().unwrap_or_default();
        let cuts: Vec<LocationId> = cuts
            .into_iter()
            .filter(|&location| self.cuts.contains(self.stacks, Node { stack, location }))
            .collect();
        let mut dead = Vec::new();
        for location in facts {
            self.find_dead(Node { stack, location }, &mut dead);
        }
        (function, cuts, dead)
    }

    /// Whether a call from the activation on top always passes a cut point before it returns.
    fn is_cut(&mut self, stack: StackId, call: EdgeId) -> bool {
        let lowered = self.lowered;
        let Some(callee) = callee(lowered.program.edge(call)) else {
            return false;
        };
        if !self.cutting[callee.index()] {
            return false;
        }
        let stack = self.stacks.push(lowered, stack, call);
        if lowered.calls.is_recursive(callee) {
            let location = lowered.program.function(callee).entry;
            let is_unrolled = matches!(self.recursion, Recursion::Unrolled);
            return is_unrolled && self.is_executed(Node { stack, location });
        }
        !self.passes(stack)
    }

    /// Whether a recursive function is executed if it is entered here.
    fn is_executed(&self, entry: Node) -> bool {
        match self.recursion {
            Recursion::Unrolled => self.cuts.contains(self.stacks, entry),
            Recursion::Summarised => false,
            Recursion::Related(summaries) => {
                summaries.of(self.stacks.function(entry.stack)).is_none()
            }
        }
    }

    /// Whether the activation on top, whose function is not recursive, can end without having passed a cut point.
    fn passes(&mut self, stack: StackId) -> bool {
        if let Some(&known) = self.passing.get(&stack) {
            return known;
        }
        let lowered = self.lowered;
        let (function, cuts, dead) = self.shape(stack);
        let function = lowered.program.function(function);
        let mut seen = FxHashSet::default();
        let mut work = vec![function.entry];
        while let Some(location) = work.pop() {
            if cuts.binary_search(&location).is_ok() || !seen.insert(location) {
                continue;
            }
            for &id in lowered.graph.outgoing(location) {
                let edge = lowered.program.edge(id);
                if goes_on(edge) && !dead.contains(&id) && !self.is_cut(stack, id) {
                    work.push(edge.target);
                }
            }
        }
        let passes = seen.contains(&function.exit);
        self.passing.insert(stack, passes);
        passes
    }

    /// The edges from the node that what has been confirmed of it excludes.
    fn find_dead(&mut self, node: Node, dead: &mut Vec<EdgeId>) {
        let confirmed = self.facts.confirmed;
        let mut claims = self.claims(node).to_vec();
        claims.retain(|claim| claim.fact < confirmed);
        if claims.is_empty() {
            return;
        }
        let mut state = self.arbitrary();
        self.assume_claims(&mut state, node, &claims, |_| true);
        let depth = self.stacks.depth(node.stack);
        for &id in self.lowered.graph.outgoing(node.location) {
            let operations = &self.lowered.program.edge(id).operations;
            let condition = match operations.first() {
                Some(Operation::Assume(condition)) => {
                    self.evaluate(&state, *condition, |_| Some(depth))
                }
                _ => TermId::TRUE,
            };
            if self.arena.and2(state.guard, condition) == TermId::FALSE {
                dead.push(id);
            }
        }
    }

    /// Executes from the states to the next cut points. Guards with which targets are reached on the way are added to
    /// [`Self::targets`].
    pub fn segment(&mut self, starts: Frontier) -> Result<Frontier, GivenUp> {
        let mut segment = Segment {
            pending: BTreeMap::new(),
            ends: Frontier::new(),
        };
        for (node, mut state) in starts {
            state.passed.clear();
            self.leave(&mut segment, node, state)?;
        }
        let mut count = 0u32;
        while let Some(((_, stack, _, location), mut state)) = segment.pending.pop_first() {
            count += 1;
            if count.is_multiple_of(64) {
                self.deadline.left()?;
            }
            let node = Node { stack, location };
            let plan = self.plan(stack);
            if let Some(head) = plan.heads.get(&location) {
                self.over_approximated = true;
                let depth = self.stacks.depth(stack);
                let mut forgotten = FxHashSet::default();
                for &variable in &head.changes {
                    let slot = self.slot(depth, variable);
                    state.values.insert(slot, self.arbitrary_value(variable));
                    forgotten.insert(slot);
                }
                let claims = self.claims(node);
                self.assume_claims(&mut state, node, &claims, |slot| forgotten.contains(&slot));
                state.passed.push(node);
            }
            self.leave(&mut segment, node, state)?;
        }
        Ok(segment.ends)
    }

    /// Takes all edges that leave the node.
    fn leave(&mut self, segment: &mut Segment, node: Node, state: State) -> Result<(), GivenUp> {
        if state.guard == TermId::FALSE {
            return Ok(());
        }
        let program = self.lowered.program;
        let function = program.function(self.stacks.function(node.stack));
        if node.location == function.exit {
            return self.return_from(segment, node, state);
        }
        let depth = self.stacks.depth(node.stack);
        let plan = self.plan(node.stack);
        let mut ways: Vec<(EdgeId, TermId)> = Vec::new();
        for &id in self.lowered.graph.outgoing(node.location) {
            if plan.dead.contains(&id) {
                continue;
            }
            let condition = match program.edge(id).operations.first() {
                Some(Operation::Assume(condition)) => {
                    self.evaluate(&state, *condition, |_| Some(depth))
                }
                _ => TermId::TRUE,
            };
            if self.arena.and2(state.guard, condition) != TermId::FALSE {
                ways.push((id, condition));
            }
        }
        let exclusive = ways.iter().enumerate().all(|(number, one)| {
            let mut later = ways[number + 1..].iter();
            later.all(|other| self.arena.and2(one.1, other.1) == TermId::FALSE)
        });
        if !exclusive {
            let mut others = TermId::TRUE;
            let last = ways.len() - 1;
            for (number, (_, condition)) in ways.iter_mut().enumerate() {
                let chosen = if number == last {
                    others
                } else {
                    let choice = self.condition();
                    let chosen = self.arena.and2(others, choice);
                    others = self.arena.and2(others, self.arena.not(choice));
                    chosen
                };
                *condition = self.arena.and2(*condition, chosen);
            }
        }
        for (id, condition) in ways {
            let mut state = state.clone();
            self.assume(&mut state, condition);
            self.take(segment, node, id, state)?;
        }
        Ok(())
    }

    /// Executes the operations of an edge, whose first condition has been assumed.
    fn take(
        &mut self,
        segment: &mut Segment,
        node: Node,
        id: EdgeId,
        mut state: State,
    ) -> Result<(), GivenUp> {
        let program = self.lowered.program;
        let depth = self.stacks.depth(node.stack);
        let here = |_| Some(depth);
        let edge = program.edge(id);
        for (number, operation) in edge.operations.iter().enumerate() {
            match operation {
                Operation::Assign { target, value } => {
                    let value = self.evaluate(&state, *value, here);
                    let slot = self.slot(depth, *target);
                    state.values.insert(slot, value);
                }
                Operation::Assume(_) if number == 0 => {}
                Operation::Assume(condition) => {
                    let condition = self.evaluate(&state, *condition, here);
                    self.assume(&mut state, condition);
                }
                Operation::Store {
                    region,
                    index,
                    value,
                } => {
                    let slot = self.slot(depth, program.region(*region).variable);
                    let index = self.evaluate(&state, *index, here);
                    let value = self.evaluate(&state, *value, here);
                    let contents = self.arena.store(self.read(&state, slot), index, value);
                    state.values.insert(slot, contents);
                }
                Operation::Havoc { target, .. } => {
                    let value = self.arbitrary_value(*target);
                    let slot = self.slot(depth, *target);
                    state.values.insert(slot, value);
                }
                Operation::Call {
                    callee, arguments, ..
                } => return self.call(segment, node, id, *callee, arguments, state),
                Operation::Allocate { .. } | Operation::Free { .. } => {}
                Operation::Unsupported(_) => {
                    self.targets.push(state.guard);
                    return Ok(());
                }
            }
            if state.guard == TermId::FALSE {
                return Ok(());
            }
        }
        let to = Node {
            location: edge.target,
            ..node
        };
        self.arrive(segment, to, state);
        Ok(())
    }

    fn call(
        &mut self,
        segment: &mut Segment,
        node: Node,
        id: EdgeId,
        callee: FunctionId,
        arguments: &[TermId],
        mut state: State,
    ) -> Result<(), GivenUp> {
        let lowered = self.lowered;
        let function = lowered.program.function(callee);
        let depth = self.stacks.depth(node.stack);
        let stack = self.stacks.push(lowered, node.stack, id);
        let entry = Node {
            stack,
            location: function.entry,
        };
        if lowered.calls.is_recursive(callee) && !self.is_executed(entry) {
            self.summarise(segment, node, id, callee, state);
            return Ok(());
        }
        let is_related = matches!(self.recursion, Recursion::Related(_));
        if is_related && self.stacks.activation(node.stack, callee).is_some() {
            return Err(GivenUp("a recursive function without a summary".to_owned()));
        }
        let values: Vec<TermId> = arguments
            .iter()
            .map(|&argument| self.evaluate(&state, argument, |_| Some(depth)))
            .collect();
        // What a local held at the start it does not hold in every activation.
        for &local in &lowered.locals[callee.index()] {
            let slots = self.slots.borrow();
            let slot = slots.ids.get(&(depth + 1, local)).copied();
            let slot = slot.filter(|&slot| slots.initial[slot as usize].1.is_some());
            drop(slots);
            if let Some(slot) = slot {
                state.values.insert(slot, self.arbitrary_value(local));
            }
        }
        for (&parameter, value) in function.parameters.iter().zip(values) {
            let slot = self.slot(depth + 1, parameter);
            state.values.insert(slot, value);
        }
        self.arrive(segment, entry, state);
        Ok(())
    }

    /// The call of a recursive function that is not executed here: execution comes back with anything that it can
    /// change changed, and with what is claimed of its exit.
    fn summarise(
        &mut self,
        segment: &mut Segment,
        node: Node,
        id: EdgeId,
        callee: FunctionId,
        mut state: State,
    ) {
        let lowered = self.lowered;
        let program = lowered.program;
        let summary = match self.recursion {
            Recursion::Related(summaries) => summaries.of(callee),
            _ => None,
        };
        self.over_approximated |= summary.is_none();
        let edge = program.edge(id);
        let function = program.function(callee);
        let Some(Operation::Call {
            arguments, results, ..
        }) = edge.operations.first()
        else {
            return;
        };
        let depth = self.stacks.depth(node.stack);

        // 1. The new activation.
        let values: Vec<TermId> = arguments
            .iter()
            .map(|&argument| self.evaluate(&state, argument, |_| Some(depth)))
            .collect();
        let mut inner = state.clone();
        inner.passed.clear();
        for &local in &lowered.locals[callee.index()] {
            let slot = self.slot(0, local);
            inner.values.insert(slot, self.arbitrary_value(local));
        }
        for (&parameter, value) in function.parameters.iter().zip(values) {
            let slot = self.slot(0, parameter);
            inner.values.insert(slot, value);
        }
        let entry = Node {
            stack: self.stacks.root(callee),
            location: function.entry,
        };
        self.entered.push((entry, inner.clone()));

        // 2. What comes back.
        let exit = Node {
            stack: self.stacks.push(lowered, node.stack, id),
            location: function.exit,
        };
        let mut changed = FxHashSet::default();
        let globals = lowered.modified[callee.index()].iter();
        for &variable in globals.chain(&function.results) {
            let slot = self.slot(depth + 1, variable);
            state.values.insert(slot, self.arbitrary_value(variable));
            changed.insert(slot);
        }
        let claims = self.claims(exit);
        self.assume_claims(&mut state, exit, &claims, |slot| changed.contains(&slot));
        if let Some(summary) = summary {
            let now = |variable: VariableId| match program.variable(variable).scope {
                Scope::Local(_) if !function.results.contains(&variable) => {
                    self.arbitrary_value(variable)
                }
                _ => self.read(&state, self.slot(depth + 1, variable)),
            };
            let at_entry = |variable| self.read(&inner, self.slot(0, variable));
            let value = self.related(summary, at_entry, now);
            self.assume(&mut state, value);
        }
        let values: Vec<TermId> = function
            .results
            .iter()
            .map(|&result| self.read(&state, self.slot(depth + 1, result)))
            .collect();
        for (&result, value) in results.iter().zip(values) {
            let slot = self.slot(depth, result);
            state.values.insert(slot, value);
        }
        for &local in &lowered.locals[callee.index()] {
            let slot = self.slots.borrow().ids.get(&(depth + 1, local)).copied();
            if let Some(slot) = slot {
                state.values.remove(slot);
            }
        }
        let to = Node {
            location: edge.target,
            ..node
        };
        self.arrive(segment, to, state);
    }

    fn return_from(
        &mut self,
        segment: &mut Segment,
        node: Node,
        mut state: State,
    ) -> Result<(), GivenUp> {
        let program = self.lowered.program;
        let Some((stack, id)) = self.stacks.pop(node.stack) else {
            return Ok(());
        };
        let edge = program.edge(id);
        let depth = self.stacks.depth(node.stack);
        let function = self.stacks.function(node.stack);
        if let (Some(Operation::Call { results, .. }), from) =
            (edge.operations.first(), &program.function(function).results)
        {
            let values: Vec<TermId> = from
                .iter()
                .map(|&result| self.read(&state, self.slot(depth, result)))
                .collect();
            for (&result, value) in results.iter().zip(values) {
                let slot = self.slot(depth - 1, result);
                state.values.insert(slot, value);
            }
        }
        for &local in &self.lowered.locals[function.index()] {
            let slot = self.slots.borrow().ids.get(&(depth, local)).copied();
            if let Some(slot) = slot {
                state.values.remove(slot);
            }
        }
        state.passed.retain(|head| head.stack != node.stack);
        let to = Node {
            stack,
            location: edge.target,
        };
        self.arrive(segment, to, state);
        Ok(())
    }

    fn arrive(&mut self, segment: &mut Segment, node: Node, mut state: State) {
        if state.guard == TermId::FALSE || !self.stacks.matters(self.lowered, node) {
            return;
        }
        if self.lowered.is_error[node.location.index()] {
            self.targets.push(state.guard);
            return;
        }
        let plan = self.plan(node.stack);
        if plan.cuts.contains(&node.location) {
            state.passed.clear();
            self.add(&mut segment.ends, node, state);
            return;
        }
        // Loops that have been left.
        state.passed.retain(|passed| {
            passed.stack != node.stack
                || plan
                    .heads
                    .get(&passed.location)
                    .is_some_and(|head| head.members.contains(&node.location))
        });
        // Around a loop once is enough: the state at its head was one of any iteration.
        if state.passed.contains(&node) {
            return;
        }
        let position = plan.position.get(&node.location).copied().unwrap_or(0);
        let depth = self.stacks.depth(node.stack);
        let turn = (Reverse(depth), node.stack, position, node.location);
        let state = match segment.pending.remove(&turn) {
            Some(other) => self.merge(other, state),
            None => state,
        };
        segment.pending.insert(turn, state);
    }

    /// Whether a target may be reached from the node before its activation ends.
    pub fn has_target(&self, node: Node) -> bool {
        self.lowered.inside[node.location.index()]
    }

    /// The formulas that say what the names in the given ones stand for.
    pub fn definitions_for(&self, formulas: &[TermId]) -> Vec<TermId> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut work: Vec<TermId> = formulas.to_vec();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.arena.kind(term) {
                TermKind::Variable { .. } => {
                    if let Some(&definition) = self.definitions.get(&term) {
                        found.push(definition);
                        work.push(definition);
                    }
                }
                TermKind::Apply { arguments, .. } => work.extend_from_slice(arguments),
                TermKind::Constant(_) => {}
            }
        }
        found
    }
}

/// The states of one segment.
struct Segment {
    pending: BTreeMap<Turn, State>,
    ends: Frontier,
}
