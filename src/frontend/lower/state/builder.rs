//! A function under construction: basic blocks, and the order of side effects.
//!
//! Lowering an expression appends its side effects to the current block and returns a pure
//! [`Expr`](crate::ir::Expr) for its value, which reads memory when it is used. An operand whose value is
//! needed after later effects must be *settled*: its value is assigned to a temporary at its place in the order of
//! evaluation. A [`Mark`] is such a place, so that an operand is copied only if what follows turns out to have
//! effects.

use crate::ir::{
    Block, BlockIndex, Function, FunctionIndex, Instruction, ObjectIndex, Terminator, Turn,
};
use crate::types::Type;
use regatta_program::{Span, Waypoint};

use rustc_hash::FxHashSet;

/// The blocks of a function under construction.
#[derive(Debug)]
pub(in crate::lower) struct FunctionBuilder {
    /// The function's index in the unit.
    index: FunctionIndex,
    name: String,
    result_type: Type,
    /// The object that holds the function's result.
    result: Option<ObjectIndex>,
    parameters: Vec<ObjectIndex>,
    /// The hidden last parameter of a variadic function: the address of the variable arguments.
    variable_arguments: Option<ObjectIndex>,
    span: Span,
    /// The block to which instructions are appended.
    current: BlockIndex,
    /// Names of locals that are in use.
    names: FxHashSet<String>,
    /// Number of temporaries created.
    temporaries: u32,
    /// Number of block scopes entered.
    scopes: u32,
    /// The block at which a pending non-local jump leaves the function.
    jump_exit: Option<BlockIndex>,
    /// Whether jumps may pass declarations with initialisers.
    has_jumps: bool,
    /// Further entry blocks, reached from outside of the function.
    roots: Vec<BlockIndex>,
    blocks: Vec<PartialBlock>,
    effects: u64,
}

#[derive(Debug, Default)]
struct PartialBlock {
    label: Option<String>,
    instructions: Vec<(Instruction, Span)>,
    terminator: Option<(Terminator, Span)>,
    turns: Vec<Turn>,
}

impl PartialBlock {
    /// Checks whether the block has no instructions other than waypoints.
    fn does_nothing(&self) -> bool {
        let mut instructions = self.instructions.iter();
        instructions.all(|(instruction, _)| matches!(instruction, Instruction::Waypoint { .. }))
    }

    fn waypoints(&self) -> impl Iterator<Item = Waypoint> {
        self.instructions.iter().filter_map(|entry| match *entry {
            (Instruction::Waypoint { kind, time }, span) => Some(Waypoint { kind, time, span }),
            _ => None,
        })
    }
}

/// A place in the order of evaluation.
#[derive(Copy, Clone, Debug)]
pub(in crate::lower) struct Mark {
    block: BlockIndex,
    position: usize,
    effects: u64,
}

/// Whether an instruction can change what an expression read before it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Effect {
    /// The instruction writes what other expressions may read.
    Visible,
    /// The instruction only writes a temporary that nothing has read yet.
    Fresh,
}

impl FunctionBuilder {
    pub fn new(index: FunctionIndex, name: String, result_type: Type, span: Span) -> Self {
        Self {
            index,
            name,
            result_type,
            result: None,
            parameters: Vec::new(),
            variable_arguments: None,
            span,
            current: BlockIndex(0),
            names: FxHashSet::default(),
            temporaries: 0,
            scopes: 0,
            jump_exit: None,
            has_jumps: false,
            roots: Vec::new(),
            blocks: vec![PartialBlock::default()],
            effects: 0,
        }
    }

    /// A builder for code of this function that is only needed for its type or value; [`Self::absorb`] ends it.
    pub fn scratch(&self, span: Span) -> Self {
        let mut scratch = Self::new(self.index, self.name.clone(), self.result_type, span);
        scratch.variable_arguments = self.variable_arguments;
        scratch.result = self.result;
        scratch.temporaries = self.temporaries;
        scratch
    }

    /// Drops a scratch builder's code; the names of its temporaries are not used again.
    pub fn absorb(&mut self, scratch: Self) {
        self.temporaries = self.temporaries.max(scratch.temporaries);
    }

    // --- the function ---

    pub fn index(&self) -> FunctionIndex {
        self.index
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Changes the name, and returns the old one.
    pub fn rename(&mut self, name: String) -> String {
        std::mem::replace(&mut self.name, name)
    }

    pub fn result_type(&self) -> Type {
        self.result_type
    }

    pub fn set_result_type(&mut self, ty: Type) {
        self.result_type = ty;
    }

    /// Whether jumps may pass declarations with initialisers.
    pub fn has_jumps(&self) -> bool {
        self.has_jumps
    }

    /// Records that jumps may pass declarations with initialisers.
    pub fn note_jumps(&mut self) {
        self.has_jumps = true;
    }

    /// The object that holds the function's result.
    pub fn result(&self) -> Option<ObjectIndex> {
        self.result
    }

    pub fn set_result(&mut self, result: Option<ObjectIndex>) {
        self.result = result;
    }

    /// Number of parameters so far.
    pub fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    pub fn add_parameter(&mut self, parameter: ObjectIndex) {
        self.parameters.push(parameter);
    }

    /// The hidden last parameter of a variadic function: the address of the variable arguments.
    pub fn variable_arguments(&self) -> Option<ObjectIndex> {
        self.variable_arguments
    }

    pub fn set_variable_arguments(&mut self, parameter: ObjectIndex) {
        self.variable_arguments = Some(parameter);
    }

    /// Takes a name for a local; returns whether it was free.
    pub fn take_name(&mut self, name: &str) -> bool {
        self.names.insert(name.to_owned())
    }

    /// The name of the next temporary.
    pub fn name_temporary(&mut self) -> String {
        let name = format!("{}::#{}", self.name, self.temporaries);
        self.temporaries += 1;
        name
    }

    /// The number of the function's outermost block scope.
    pub fn enter_body(&mut self) -> u32 {
        self.scopes = 1;
        self.scopes
    }

    /// The number of a new block scope.
    pub fn enter_scope(&mut self) -> u32 {
        self.scopes += 1;
        self.scopes
    }

    /// The block at which a pending non-local jump leaves the function.
    pub fn jump_exit(&self) -> Option<BlockIndex> {
        self.jump_exit
    }

    pub fn set_jump_exit(&mut self, exit: BlockIndex) {
        self.jump_exit = Some(exit);
    }

    /// Adds an entry block that is reached from outside of the function.
    pub fn add_root(&mut self, block: BlockIndex) {
        self.roots.push(block);
    }

    // --- blocks ---

    /// The block to which instructions are appended.
    pub fn current(&self) -> BlockIndex {
        self.current
    }

    /// Appends instructions to the block from now on.
    pub fn continue_in(&mut self, block: BlockIndex) {
        self.current = block;
    }

    /// Appends instructions to a new block from now on.
    pub fn continue_in_new(&mut self) {
        self.current = self.new_block();
    }

    fn block(&mut self, index: BlockIndex) -> &mut PartialBlock {
        &mut self.blocks[index.0 as usize]
    }

    /// The instructions of all blocks so far.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        let blocks = self.blocks.iter();
        blocks.flat_map(|block| block.instructions.iter().map(|entry| &entry.0))
    }

    /// The instructions of the current block so far, from the last to the first.
    pub fn current_instructions(&self) -> impl Iterator<Item = &Instruction> {
        let block = self.blocks.get(self.current.0 as usize);
        let entries = block.into_iter().flat_map(|block| &block.instructions);
        entries.map(|entry| &entry.0).rev()
    }

    pub fn new_block(&mut self) -> BlockIndex {
        self.blocks.push(PartialBlock::default());
        BlockIndex(self.blocks.len() as u32 - 1)
    }

    /// Names a block after the source label at its start.
    pub fn set_label(&mut self, block: BlockIndex, label: &str) {
        self.block(block).label = Some(label.to_owned());
    }

    pub fn emit(&mut self, instruction: Instruction, effect: Effect, span: Span) {
        if effect == Effect::Visible {
            self.effects += 1;
        }
        let current = self.current;
        let block = self.block(current);
        // Code after a terminator is unreachable.
        if block.terminator.is_none() {
            block.instructions.push((instruction, span));
        }
    }

    /// Adds a waypoint at the end of the block.
    pub fn pass(&mut self, block: BlockIndex, Waypoint { kind, time, span }: Waypoint) {
        let block = self.block(block);
        if block.terminator.is_none() {
            let waypoint = Instruction::Waypoint { kind, time };
            block.instructions.push((waypoint, span));
        }
    }

    pub fn end_block(&mut self, block: BlockIndex, terminator: Terminator, span: Span) {
        let block = self.block(block);
        if block.terminator.is_none() {
            block.terminator = Some((terminator, span));
        }
    }

    /// Ends the current block.
    pub fn end(&mut self, terminator: Terminator, span: Span) {
        self.end_block(self.current, terminator, span);
    }

    /// Ends the current block with a jump to `target`, which becomes the current block.
    pub fn goto_new(&mut self, target: BlockIndex, span: Span) {
        self.end(Terminator::Goto(target), span);
        self.current = target;
    }

    /// Ends the current block; the new current block is unreachable from it.
    pub fn end_path(&mut self, terminator: Terminator, span: Span) {
        self.end(terminator, span);
        self.current = self.new_block();
    }

    /// The present place in the order of evaluation.
    pub fn mark(&self) -> Mark {
        let position = self
            .blocks
            .get(self.current.0 as usize)
            .map_or(0, |block| block.instructions.len());
        Mark {
            block: self.current,
            position,
            effects: self.effects,
        }
    }

    /// Checks whether something that an earlier expression may have read has changed since the mark.
    pub fn changed_since(&self, mark: Mark) -> bool {
        self.effects != mark.effects
    }

    /// Like [`Self::changed_since`]; also true if control flow depends on what came since the mark.
    pub fn has_acted_since(&self, mark: Mark) -> bool {
        self.changed_since(mark) || self.current != mark.block
    }

    /// Inserts an instruction that writes a fresh temporary at an earlier place.
    pub fn insert(&mut self, mark: Mark, instruction: Instruction, span: Span) {
        let block = self.block(mark.block);
        let position = mark.position.min(block.instructions.len());
        block.instructions.insert(position, (instruction, span));
    }

    /// Inserts instructions at earlier places; instructions of the same place keep their order.
    pub fn insert_all(&mut self, mut instructions: Vec<(Mark, Instruction, Span)>) {
        // From the last place to the first, because an insertion moves later places only.
        instructions.sort_by_key(|(mark, ..)| (mark.block, mark.position));
        for (mark, instruction, span) in instructions.into_iter().rev() {
            self.insert(mark, instruction, span);
        }
    }

    /// Starts a block for an operand that may turn out not to need one.
    pub fn start_trial(&mut self) -> Trial {
        let saved = self.current;
        let block = self.new_block();
        self.current = block;
        Trial { saved, block }
    }

    /// Checks whether the trial's block is still empty.
    pub fn trial_is_empty(&self, trial: &Trial) -> bool {
        self.current == trial.block
            && self.blocks.len() == trial.block.0 as usize + 1
            && self
                .blocks
                .last()
                .is_some_and(|block| block.does_nothing() && block.terminator.is_none())
    }

    /// Removes an empty trial's block and continues in the block before it.
    pub fn abandon_trial(&mut self, trial: &Trial) {
        if self.trial_is_empty(trial) {
            self.blocks.pop();
            self.current = trial.saved;
        }
    }

    /// Removes the blocks of two branches and continues at `origin` if both blocks are empty.
    pub fn abandon_pair(
        &mut self,
        origin: BlockIndex,
        first: BlockIndex,
        second: BlockIndex,
    ) -> bool {
        let untouched = |block: BlockIndex| {
            self.blocks
                .get(block.0 as usize)
                .is_some_and(|block| block.does_nothing() && block.terminator.is_none())
        };
        let last_two = first.0 as usize + 2 == self.blocks.len() && second.0 == first.0 + 1;
        if !last_two || !untouched(first) || !untouched(second) {
            return false;
        }
        self.blocks.truncate(first.0 as usize);
        self.current = origin;
        true
    }

    /// Finishes the function: removes unreachable blocks, skips empty ones and joins chains.
    pub fn finish(mut self) -> Function {
        self.skip_empty_blocks();
        self.join_chains();
        let order = self.reachable();
        let mut renumbering = vec![None; self.blocks.len()];
        for (new, &old) in order.iter().enumerate() {
            renumbering[old.0 as usize] = Some(BlockIndex(new as u32));
        }
        let function_span = self.span;
        let blocks = order
            .iter()
            .map(|&old| {
                let block = std::mem::take(&mut self.blocks[old.0 as usize]);
                let mut instructions = block.instructions;
                let end = block.terminator.and_then(|(mut terminator, span)| {
                    let mut found = true;
                    for_each_target(&mut terminator, |target| {
                        match renumbering[target.0 as usize] {
                            Some(new) => *target = new,
                            None => found = false,
                        }
                    });
                    found.then_some((terminator, span))
                });
                let (terminator, span) = end.unwrap_or_else(|| {
                    let what = "internal error: a path without an end".to_owned();
                    instructions.push((Instruction::Unsupported(what), function_span));
                    (Terminator::End, function_span)
                });
                Block {
                    label: block.label,
                    instructions,
                    terminator,
                    span,
                    turns: block.turns,
                }
            })
            .collect();
        Function {
            name: self.name,
            parameters: self.parameters,
            result: self.result,
            blocks,
            span: self.span,
        }
    }

    /// Redirects jumps to an empty block without a label to its successor; its waypoints move to the edge.
    fn skip_empty_blocks(&mut self) {
        let next: Vec<Option<BlockIndex>> = self
            .blocks
            .iter()
            .map(|block| match &block.terminator {
                Some((Terminator::Goto(target), _))
                    if block.does_nothing() && block.label.is_none() =>
                {
                    Some(*target)
                }
                _ => None,
            })
            .collect();
        let resolve = |start: BlockIndex| {
            let mut block = start;
            // Bounded: a cycle of empty blocks is an endless loop and stays one.
            for _ in 0..next.len() {
                match next[block.0 as usize] {
                    Some(target) => block = target,
                    None => return block,
                }
            }
            block
        };
        for index in 0..self.blocks.len() {
            let Some((mut terminator, span)) = self.blocks[index].terminator.take() else {
                continue;
            };
            let mut turns = Vec::new();
            let mut number = 0;
            for_each_target(&mut terminator, |target| {
                let end = resolve(*target);
                let mut passed = *target;
                *target = end;
                for _ in 0..next.len() {
                    let Some(further) = next[passed.0 as usize].filter(|_| passed != end) else {
                        break;
                    };
                    let waypoints = self.blocks[passed.0 as usize].waypoints();
                    turns.extend(waypoints.map(|waypoint| Turn {
                        target: number,
                        waypoint,
                    }));
                    passed = further;
                }
                number += 1;
            });
            let is_jump = matches!(terminator, Terminator::Goto(_));
            // A path through a skipped block passes its waypoints. The entry block is never skipped.
            if is_jump && (next[index].is_none() || index == 0) {
                for turn in turns.drain(..) {
                    self.pass(BlockIndex(index as u32), turn.waypoint);
                }
            }
            let block = &mut self.blocks[index];
            block.terminator = Some((terminator, span));
            if !is_jump {
                block.turns = turns;
            }
        }
    }

    /// Appends a block to its only predecessor if that ends in a jump to it.
    fn join_chains(&mut self) {
        let mut predecessors = vec![0u32; self.blocks.len()];
        for block in self.reachable() {
            if let Some((terminator, _)) = &mut self.block(block).terminator {
                for_each_target(terminator, |target| predecessors[target.0 as usize] += 1);
            }
        }
        // The entry has a predecessor of its own: the call.
        predecessors[0] += 1;
        for block in self.reachable() {
            while let Some((Terminator::Goto(target), _)) = self.block(block).terminator {
                let single = predecessors[target.0 as usize] == 1 && target != block;
                if !single || self.block(target).label.is_some() {
                    break;
                }
                let mut absorbed = std::mem::take(self.block(target));
                let own = self.block(block);
                own.instructions.append(&mut absorbed.instructions);
                own.terminator = absorbed.terminator;
                own.turns = absorbed.turns;
            }
        }
    }

    /// The reachable blocks, in depth-first preorder.
    fn reachable(&mut self) -> Vec<BlockIndex> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        let mut stack = self.roots.clone();
        stack.push(BlockIndex(0));
        while let Some(block) = stack.pop() {
            if std::mem::replace(&mut seen[block.0 as usize], true) {
                continue;
            }
            order.push(block);
            let first = stack.len();
            if let Some((terminator, _)) = &mut self.block(block).terminator {
                for_each_target(terminator, |target| stack.push(*target));
            }
            stack[first..].reverse();
        }
        order
    }
}

/// A block that is discarded if it stays empty.
#[derive(Debug)]
pub(in crate::lower) struct Trial {
    /// The current block before the trial.
    pub saved: BlockIndex,
    pub block: BlockIndex,
}

fn for_each_target(terminator: &mut Terminator, mut act: impl FnMut(&mut BlockIndex)) {
    match terminator {
        Terminator::Goto(target) => act(target),
        Terminator::Branch {
            then, otherwise, ..
        } => {
            act(then);
            act(otherwise);
        }
        Terminator::Switch { cases, default, .. } => {
            for (_, _, target) in cases {
                act(target);
            }
            act(default);
        }
        Terminator::Return | Terminator::End | Terminator::Error | Terminator::Unreachable => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_an_end_is_not_modelled() {
        let make = || FunctionBuilder::new(FunctionIndex(0), String::new(), Type::VOID, Span::NONE);
        let open = make().finish();
        assert!(matches!(
            open.blocks[0].instructions[..],
            [(Instruction::Unsupported(_), _)]
        ));
        let mut ended = make();
        ended.end(Terminator::Return, Span::NONE);
        let ended = ended.finish();
        assert!(ended.blocks[0].instructions.is_empty());
        assert!(matches!(ended.blocks[0].terminator, Terminator::Return));
    }
}
