//! Calls and returns.

use std::rc::Rc;

use super::super::evaluate::Value;
use super::rounds::Next;
use super::{Frame, Position, Rounds, State, Walk, WorkItem, depth_of};
use crate::program::*;

impl Walk<'_, '_> {
    pub(super) fn call(
        &mut self,
        position: &Position,
        item: &WorkItem,
        id: EdgeId,
        (callee, arguments): (FunctionId, Vec<Value>),
        mut state: State,
    ) {
        let program = self.program;
        let depth = depth_of(&item.frame);
        let function = program.function(callee);
        let mut open = 0;
        if self.calls.is_recursive(callee) {
            let mut caller = item.frame.as_ref();
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
        let mut own = position.clone();
        own.push(id.0);
        let frame = Frame {
            call: id,
            caller: item.frame.clone(),
            position: own,
            rounds: item.rounds.clone(),
            depth: depth + 1,
            function: callee,
            open,
            path: state.path.clone(),
        };
        let frame = Some(Rc::new(frame));
        self.arrive(function.entry, None, &Rounds::new(), frame, state);
    }

    pub(super) fn return_from(&mut self, item: &WorkItem, mut state: State) {
        let Some(frame) = item.frame.as_ref() else {
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
}
