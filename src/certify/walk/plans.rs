//! The plans of activations: their locations in execution order, and their edges that cannot be taken.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Recursion, Walk};
use crate::lowered::Lowered;
use crate::lowered::call_strings::{CallStringId, Node};
use crate::lowered::places::{Claim, Cuts, Facts};
use crate::lowered::plan::Plan;
use regatta_program::graph::{callee, goes_on};
use regatta_program::{EdgeId, FunctionId, LocationId, Operation};
use regatta_term::{Build, TermId};

/// A function with its cut points, its edges that cannot be taken, and its calls that pass a cut point.
type Shape = (FunctionId, Vec<LocationId>, Vec<EdgeId>, Vec<EdgeId>);

/// The cut points of a function, and its locations with facts.
type Marked = (Vec<LocationId>, Vec<LocationId>);

/// The plans of a walk, and what they are made from.
pub(super) struct Plans {
    /// For each function its cut points and its locations with facts.
    marked: FxHashMap<FunctionId, Marked>,
    /// For each function whether it, or one that it calls, has a cut point at some call string.
    cutting: Vec<bool>,
    /// Whether an activation can end without having passed a cut point.
    passing: FxHashMap<CallStringId, bool>,
    by_stack: FxHashMap<CallStringId, Rc<Plan>>,
    by_shape: FxHashMap<Shape, Rc<Plan>>,
}

impl Plans {
    pub(super) fn new(lowered: &Lowered<'_>, cuts: &Cuts, facts: &Facts<'_>) -> Self {
        let mut marked: FxHashMap<FunctionId, Marked> = FxHashMap::default();
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
            by_stack: FxHashMap::default(),
            by_shape: FxHashMap::default(),
        }
    }

    /// The plan for a shape.
    fn of_shape(&mut self, lowered: &Lowered<'_>, shape: Shape) -> Rc<Plan> {
        let plan =
            self.by_shape
                .entry(shape)
                .or_insert_with_key(|(function, cuts, dead, cutting)| {
                    let cuts: FxHashSet<LocationId> = cuts.iter().copied().collect();
                    let dead: FxHashSet<EdgeId> = dead.iter().copied().collect();
                    Rc::new(Plan::new(lowered, *function, cuts, dead, cutting))
                });
        Rc::clone(plan)
    }
}

impl Walk<'_, '_> {
    pub(super) fn plan(&mut self, stack: CallStringId) -> Rc<Plan> {
        if let Some(plan) = self.plans.by_stack.get(&stack) {
            return Rc::clone(plan);
        }
        let (function, cuts, dead) = self.shape(stack);
        let mut cutting = Vec::new();
        for &call in &self.lowered.repeated[function.index()] {
            if self.is_cut(stack, call) {
                cutting.push(call);
            }
        }
        let shape = (function, cuts, dead, cutting);
        let plan = self.plans.of_shape(self.lowered, shape);
        self.plans.by_stack.insert(stack, Rc::clone(&plan));
        plan
    }

    /// The innermost function of the call string, with its cut points and its edges that cannot be taken there.
    fn shape(&mut self, stack: CallStringId) -> (FunctionId, Vec<LocationId>, Vec<EdgeId>) {
        let function = self.stacks.function(stack);
        let (cuts, facts) = self
            .plans
            .marked
            .get(&function)
            .cloned()
            .unwrap_or_default();
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

    /// Checks whether a call from the innermost activation always passes a cut point before it returns.
    fn is_cut(&mut self, stack: CallStringId, call: EdgeId) -> bool {
        let lowered = self.lowered;
        let Some(callee) = callee(lowered.program.edge(call)) else {
            return false;
        };
        if !self.plans.cutting[callee.index()] {
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

    /// Checks whether a recursive function is executed if it is entered here.
    pub(super) fn is_executed(&self, entry: Node) -> bool {
        match self.recursion {
            Recursion::Unrolled => self.cuts.contains(self.stacks, entry),
            Recursion::Summarised => false,
            Recursion::Related(summaries) => {
                summaries.of(self.stacks.function(entry.stack)).is_none()
            }
        }
    }

    /// Checks whether the innermost activation, of a function that is not recursive, can end without passing a cut point.
    fn passes(&mut self, stack: CallStringId) -> bool {
        if let Some(&known) = self.plans.passing.get(&stack) {
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
        self.plans.passing.insert(stack, passes);
        passes
    }

    /// Finds the edges from the node that confirmed facts exclude.
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
                self.record_dead(node, id, &claims);
                dead.push(id);
            }
        }
    }

    /// Records that confirmed facts about the node exclude the edge.
    fn record_dead(&self, node: Node, id: EdgeId, claims: &[Claim]) {
        if let Some(recorder) = &mut self.solver.borrow_mut().recorder {
            let edge = self.lowered.program.edge(id);
            let mut assertions: Vec<TermId> = claims.iter().map(|claim| claim.formula).collect();
            if let Some(Operation::Assume(condition)) = edge.operations.first() {
                assertions.push(*condition);
            }
            let target = Node {
                location: edge.target,
                ..node
            };
            recorder.not_taken(self.lowered, self.stacks, (node, target), &assertions);
        }
    }
}
