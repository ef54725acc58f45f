//! Calls and returns.

use std::rc::Rc;

use smallvec::SmallVec;

use super::super::State;
use super::{Caller, Here, RoundWalk};
use crate::lowered::call_strings::Node;
use regatta_program::{EdgeId, FunctionId, Operation};
use regatta_term::TermId;

impl RoundWalk<'_, '_, '_> {
    pub(super) fn enter(
        &mut self,
        here: &Here<'_>,
        id: EdgeId,
        callee: FunctionId,
        values: Vec<TermId>,
        mut state: State,
    ) {
        let lowered = self.walk.lowered;
        let function = lowered.program.function(callee);
        let depth = self.walk.stacks.depth(here.node.stack);
        let stack = self.walk.stacks.push(lowered, here.node.stack, id);
        let entry = Node {
            stack,
            location: function.entry,
        };
        let mut open = 0;
        if lowered.calls.is_recursive(callee) {
            let mut caller = here.caller;
            while let Some(one) = caller {
                if one.callee == callee {
                    open = one.open + u32::from(one.guard != state.guard);
                    break;
                }
                caller = one.from.as_ref();
            }
            if open > 0 && self.is_cut_off(function.entry, entry, open, state.guard) {
                return;
            }
        }
        // A new activation does not begin with the final values of an earlier one.
        for &local in &lowered.locals[callee.index()] {
            let slot = self.walk.slot(depth + 1, local);
            let value = self.walk.arbitrary_value(local);
            self.set(&mut state, slot, value);
        }
        for (&parameter, value) in function.parameters.iter().zip(values) {
            let slot = self.walk.slot(depth + 1, parameter);
            self.set(&mut state, slot, value);
        }
        let mut order: SmallVec<[u32; 16]> = here.order.into();
        order.push(id.0);
        let caller = Rc::new(Caller {
            order,
            rounds: here.rounds.to_vec(),
            from: here.caller.cloned(),
            callee,
            open,
            guard: state.guard,
        });
        let inside = Here {
            node: entry,
            order: &[],
            rounds: &[],
            caller: Some(&caller),
        };
        self.come(&inside, None, entry, state);
    }

    pub(super) fn come_back(&mut self, here: &Here<'_>, mut state: State) {
        let lowered = self.walk.lowered;
        let (Some((stack, id)), Some(caller)) =
            (self.walk.stacks.pop(here.node.stack), here.caller)
        else {
            return;
        };
        let edge = lowered.program.edge(id);
        let depth = self.walk.stacks.depth(here.node.stack);
        let function = self.walk.stacks.function(here.node.stack);
        let from = &lowered.program.function(function).results;
        let values: Vec<TermId> = from
            .iter()
            .map(|&result| {
                let slot = self.walk.slot(depth, result);
                self.walk.read(&state, slot)
            })
            .collect();
        for &local in &lowered.locals[function.index()] {
            let slot = self.walk.slot(depth, local);
            if lowered.program.variable(local).sort.is_array() {
                let value = self.walk.arbitrary_value(local);
                self.set(&mut state, slot, value);
            }
            state.values.remove(slot);
        }
        if let Some(Operation::Call { results, .. }) = edge.operations.first() {
            for (&result, value) in results.iter().zip(values) {
                let slot = self.walk.slot(depth - 1, result);
                self.set(&mut state, slot, value);
            }
        }
        let outside = Here {
            node: Node {
                stack,
                location: edge.source,
            },
            order: &[],
            rounds: &caller.rounds,
            caller: caller.from.as_ref(),
        };
        let to = Node {
            stack,
            location: edge.target,
        };
        self.come(&outside, Some(edge.source), to, state);
    }
}
