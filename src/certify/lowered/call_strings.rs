//! Call strings of the program as lowered, of any depth.

use rustc_hash::FxHashMap;

use super::Lowered;
use regatta_program::graph::callee;
use regatta_program::{EdgeId, FunctionId, LocationId};

/// A call string.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CallStringId(u32);

/// A location with its call string.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Node {
    pub stack: CallStringId,
    pub location: LocationId,
}

struct Stack {
    /// The string without its last call, and that call.
    last: Option<(CallStringId, EdgeId)>,
    depth: u32,
    function: FunctionId,
    /// Whether a target may be reached after the innermost activation has ended.
    matters: bool,
}

/// An interning table of call strings.
pub(crate) struct CallStrings {
    table: Vec<Stack>,
    ids: FxHashMap<(CallStringId, EdgeId), CallStringId>,
    roots: FxHashMap<FunctionId, CallStringId>,
}

impl CallStrings {
    pub const EMPTY: CallStringId = CallStringId(0);

    pub fn new(lowered: &Lowered<'_>) -> Self {
        Self {
            table: vec![Stack {
                last: None,
                depth: 0,
                function: lowered.program.start,
                matters: false,
            }],
            ids: FxHashMap::default(),
            roots: FxHashMap::default(),
        }
    }

    /// The string of an activation of the function with unknown callers.
    pub fn root(&mut self, function: FunctionId) -> CallStringId {
        let new = CallStringId(self.table.len() as u32);
        let id = *self.roots.entry(function).or_insert(new);
        if id == new {
            self.table.push(Stack {
                last: None,
                depth: 0,
                function,
                matters: true,
            });
        }
        id
    }

    fn get(&self, stack: CallStringId) -> &Stack {
        &self.table[stack.0 as usize]
    }

    /// The string extended by a call; the edge must be a call.
    pub fn push(
        &mut self,
        lowered: &Lowered<'_>,
        stack: CallStringId,
        call: EdgeId,
    ) -> CallStringId {
        if let Some(&id) = self.ids.get(&(stack, call)) {
            return id;
        }
        let edge = lowered.program.edge(call);
        let back = Node {
            stack,
            location: edge.target,
        };
        let new = Stack {
            last: Some((stack, call)),
            depth: self.get(stack).depth + 1,
            function: callee(edge).unwrap_or(lowered.program.start),
            matters: self.matters(lowered, back),
        };
        let id = CallStringId(self.table.len() as u32);
        self.table.push(new);
        self.ids.insert((stack, call), id);
        id
    }

    /// The string of these calls, if they are consecutive calls from the start function.
    pub fn of(&mut self, lowered: &Lowered<'_>, calls: &[EdgeId]) -> Option<CallStringId> {
        self.extended(lowered, Self::EMPTY, calls)
    }

    /// The string extended by these calls, if they are consecutive.
    pub fn extended(
        &mut self,
        lowered: &Lowered<'_>,
        mut stack: CallStringId,
        calls: &[EdgeId],
    ) -> Option<CallStringId> {
        for &call in calls {
            let edge = lowered.program.edges.get(call.index())?;
            callee(edge)?;
            if lowered.program.location(edge.source).function != self.function(stack) {
                return None;
            }
            stack = self.push(lowered, stack, call);
        }
        Some(stack)
    }

    /// The string without its last call, and that call.
    pub fn pop(&self, stack: CallStringId) -> Option<(CallStringId, EdgeId)> {
        self.get(stack).last
    }

    pub fn depth(&self, stack: CallStringId) -> u32 {
        self.get(stack).depth
    }

    /// The function of the innermost activation.
    pub fn function(&self, stack: CallStringId) -> FunctionId {
        self.get(stack).function
    }

    /// The functions of all activations, the innermost first.
    pub fn functions(&self, mut stack: CallStringId) -> Vec<FunctionId> {
        let mut functions = vec![self.function(stack)];
        while let Some((rest, _)) = self.pop(stack) {
            functions.push(self.function(rest));
            stack = rest;
        }
        functions
    }

    /// Checks whether a target may be reached from the node.
    pub fn matters(&self, lowered: &Lowered<'_>, node: Node) -> bool {
        let location = node.location.index();
        let after = lowered.returns[location] && self.get(node.stack).matters;
        lowered.inside[location] || after
    }

    /// Checks whether the string ends in these calls.
    pub(crate) fn ends_in(&self, mut stack: CallStringId, calls: &[EdgeId]) -> bool {
        calls.iter().rev().all(|&call| match self.pop(stack) {
            Some((rest, last)) if last == call => {
                stack = rest;
                true
            }
            _ => false,
        })
    }

    /// The depth of the innermost activation of the function.
    pub fn activation(&self, mut stack: CallStringId, function: FunctionId) -> Option<u32> {
        loop {
            let top = self.get(stack);
            if top.function == function {
                return Some(top.depth);
            }
            stack = top.last?.0;
        }
    }
}
