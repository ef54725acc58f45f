//! Execution of edges, calls and returns.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::{Frontier, GivenUp, Recursion, State, Walk};
use crate::lowered::call_strings::{CallStringId, Node};
use crate::verification_conditions::{What, place};
use regatta_program::{EdgeId, FunctionId, LocationId, Operation, Scope, VariableId};
use regatta_term::{Build, TermId};

/// The key of the execution order: the deepest call string first, then the order within the function.
type Turn = (Reverse<u32>, CallStringId, u32, LocationId);

/// The states of one segment.
struct Segment {
    pending: BTreeMap<Turn, State>,
    ends: Frontier,
}

impl Walk<'_, '_> {
    /// Executes from the states to the next cut points. Guards of states at targets are added to [`Self::targets`].
    pub fn segment(&mut self, starts: Frontier) -> Result<Frontier, GivenUp> {
        self.meanings.next_segment();
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
                self.note_loop(node, &head.changes);
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

    /// Records that a loop is passed by havocking the variables that it may change.
    fn note_loop(&self, node: Node, changes: &[VariableId]) {
        if let Some(recorder) = &mut self.solver.borrow_mut().recorder {
            let program = self.lowered.program;
            let changes = changes.iter().map(|&one| &*program.variable(one).name);
            let changes: Vec<&str> = changes.collect();
            let place = place(program, self.stacks, node);
            recorder.note(format!(
                "the loop at {place} is left with any value of what it may change: {}",
                changes.join(", ")
            ));
        }
    }

    /// Executes all edges that leave the node.
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
                    let choice = self.names.condition();
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
                    let before = self.read(&state, slot);
                    let contents = self.arena.store(before, index, value);
                    state.values.insert(slot, contents);
                }
                Operation::Havoc { target, input } => {
                    let value = program.input(*input).kind.in_formulas();
                    let value = value.unwrap_or_else(|| self.arbitrary_value(*target));
                    let slot = self.slot(depth, *target);
                    state.values.insert(slot, value);
                }
                Operation::Call {
                    callee, arguments, ..
                } => return self.call(segment, node, id, *callee, arguments, state),
                Operation::Allocate { .. } | Operation::Free { .. } | Operation::Claim(_) => {}
                Operation::Unsupported(_) => {
                    self.label(state.guard, node, What::Target);
                    self.targets.push(node.location, state.guard);
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
        // A local's initial value of the walk is not its value in every activation.
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

    /// Replaces the call of a recursive function by havocking all that it may change, restricted by the claims about its
    /// exit.
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

        // 1. The state at the callee's entry.
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

        // 2. The state after the return.
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
            self.label(state.guard, node, What::Target);
            self.targets.push(node.location, state.guard);
            return;
        }
        let plan = self.plan(node.stack);
        if plan.cuts.contains(&node.location) {
            state.passed.clear();
            self.add(&mut segment.ends, node, state);
            return;
        }
        // Drop the heads of loops that have been left.
        state.passed.retain(|passed| {
            passed.stack != node.stack
                || plan
                    .heads
                    .get(&passed.location)
                    .is_some_and(|head| head.members.contains(&node.location))
        });
        // One round of a loop is enough, since the state at its head covers all iterations.
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
}
