//! The plans of activations: their locations in execution order, and their edges that cannot be taken.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::{Recursion, Walk};
use crate::lowered::call_strings::{CallStringId, Node};
use crate::lowered::places::Claim;
use crate::lowered::plan::Plan;
use regatta_program::graph::{callee, goes_on};
use regatta_program::{EdgeId, FunctionId, LocationId, Operation};
use regatta_term::{Build, TermId};

impl Walk<'_, '_> {
    pub(super) fn plan(&mut self, stack: CallStringId) -> Rc<Plan> {
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

    /// The innermost function of the call string, with its cut points and its edges that cannot be taken there.
    fn shape(&mut self, stack: CallStringId) -> (FunctionId, Vec<LocationId>, Vec<EdgeId>) {
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

    /// Checks whether a call from the innermost activation always passes a cut point before it returns.
    fn is_cut(&mut self, stack: CallStringId, call: EdgeId) -> bool {
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
