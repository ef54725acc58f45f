//! The call-stack CPA: the activations of functions in recursive components.
//!
//! Other calls are inlined: their call strings belong to the location. The location CPA lets a recursive function return
//! to wherever it has been called from; this CPA keeps the edge that returns to the present caller.

use rustc_hash::FxHashMap;

use super::location::{Edge, EdgeKind};
use crate::program::{CallStringId, EdgeId};

/// A stack of activations, interned by [`CallStackCpa`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackId(pub u32);

impl StackId {
    /// No activation of a recursive function.
    pub const EMPTY: Self = Self(0);
}

/// What a return needs: the call edge and the caller's call string.
type Frame = (EdgeId, CallStringId);

/// Interns the stacks.
#[derive(Clone, Debug)]
pub struct CallStackCpa {
    /// For each stack but the empty one the rest and the newest activation; and its height.
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
    /// The stack after the edge; `None` if it returns to somebody who did not call.
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

    /// How many activations there are.
    pub fn height(&self, stack: StackId) -> u32 {
        self.stacks[stack.0 as usize].2
    }
}
