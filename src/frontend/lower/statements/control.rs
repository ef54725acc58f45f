//! The control structures around the current statement.

use super::blocks::{Blocks, ScopeIndex};
use super::labels::Labels;
use super::switch::SwitchContext;
use crate::ir::BlockIndex;

/// The target of a `break` or `continue`, with the block scope around the statement that it leaves or continues.
pub(in crate::lower) type Target = (BlockIndex, Option<ScopeIndex>);

/// The control structures around the current statement.
#[derive(Debug, Default)]
pub(in crate::lower) struct Control {
    /// Targets of `break`, innermost last.
    breaks: Vec<Target>,
    /// Targets of `continue`, innermost last.
    continues: Vec<Target>,
    /// The switches, innermost last.
    switches: Vec<SwitchContext>,
    /// The block scopes, their objects, and the jumps between them.
    blocks: Blocks,
    labels: Labels,
}

impl Control {
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    pub fn blocks_mut(&mut self) -> &mut Blocks {
        &mut self.blocks
    }

    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    pub fn labels_mut(&mut self) -> &mut Labels {
        &mut self.labels
    }

    /// Enters the body of a loop.
    pub fn enter_loop(&mut self, exit: BlockIndex, next: BlockIndex) {
        let scope = self.blocks.innermost();
        self.breaks.push((exit, scope));
        self.continues.push((next, scope));
    }

    pub fn leave_loop(&mut self) {
        self.breaks.pop();
        self.continues.pop();
    }

    /// Enters the body of a `switch`.
    pub fn enter_switch(&mut self, exit: BlockIndex, context: SwitchContext) {
        self.switches.push(context);
        self.breaks.push((exit, self.blocks.innermost()));
    }

    pub fn leave_switch(&mut self) -> Option<SwitchContext> {
        self.breaks.pop();
        self.switches.pop()
    }

    /// The innermost `switch`.
    pub fn switch(&self) -> Option<&SwitchContext> {
        self.switches.last()
    }

    pub fn switch_mut(&mut self) -> Option<&mut SwitchContext> {
        self.switches.last_mut()
    }

    pub fn break_target(&self) -> Option<Target> {
        self.breaks.last().copied()
    }

    pub fn continue_target(&self) -> Option<Target> {
        self.continues.last().copied()
    }
}
