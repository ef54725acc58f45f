//! The call-stack CPA: the activations of functions in recursive components.
//!
//! Other calls are inlined: their call strings are part of the location. The location CPA lets a recursive function return
//! to all its callers; this CPA keeps the edge that returns to the current caller.

use rustc_hash::FxHashMap;

use super::location::{Edge, EdgeKind};
use crate::program::{CallStringId, EdgeId};

/// A stack of activations, interned by [`CallStackCpa`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackId(pub u32);

impl StackId {
    /// The stack without activations of recursive functions.
    pub const EMPTY: Self = Self(0);
}

/// A stack frame: the call edge and the caller's call string.
type Frame = (EdgeId, CallStringId);

/// The stacks, interned.
#[derive(Clone, Debug)]
pub struct CallStackCpa {
    /// For each stack, the rest and the newest activation (none for the empty stack), and the height.
    stacks: Vec<(StackId, Option<Frame>, u32)>,
    ids: FxHashMap<(StackId, Frame), StackId>,
}

impl Default for CallStackCpa {
    fn default() -> Self {
        Self {
            stacks: vec![(StackId::EMPTY, None, 0)],
            ids: FxHashMap::default(),
        }
    }
}

impl CallStackCpa {
    /// Returns the stack after the edge; `None` if it returns to a location other than the current caller.
    pub fn transfer(&mut self, stack: StackId, edge: &Edge) -> Option<StackId> {
        match edge.kind {
            EdgeKind::Block { .. } => Some(stack),
            EdgeKind::Call { edge: call } => Some(self.push(stack, (call, edge.call_string()))),
            EdgeKind::Return { edge: call } => {
                let (rest, frame, _) = self.stacks[stack.0 as usize];
                (frame == Some((call, edge.target_call_string()?))).then_some(rest)
            }
        }
    }

    fn push(&mut self, stack: StackId, frame: Frame) -> StackId {
        let height = self.height(stack) + 1;
        *self.ids.entry((stack, frame)).or_insert_with(|| {
            self.stacks.push((stack, Some(frame), height));
            StackId(self.stacks.len() as u32 - 1)
        })
    }

    /// Returns the number of activations.
    pub fn height(&self, stack: StackId) -> u32 {
        self.stacks[stack.0 as usize].2
    }
}
