//! Jumps: lifetimes of objects whose declarations a jump passes, and cleanups of the blocks that it leaves.
//!
//! An automatic object's lifetime begins at the entry of its block, with an indeterminate value; its declaration, when
//! reached, makes the value indeterminate again (C11 6.2.4). [`Instruction::Declare`] marks declarations. If a jump
//! (`goto`, or a `switch` to one of its labels) passes a declaration, further marks are needed:
//! * on the jump, for the objects that are visible at its target in blocks that it enters;
//! * at the beginning of the block and on the jumps into it, for declarations that a jump within the block passes:
//!   such a jump keeps the value that the object got since the block was entered.
//!
//! Each jump is recorded with its source and target, and goes through an edge block that is filled when the whole
//! function is known. An edge block that stays empty is removed, so that programs without such jumps do not change.
//!
//! `__attribute__((cleanup(f)))` calls `f(&object)` wherever control leaves the object's block.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{BlockIndex, Callee, Expr, Instruction, ObjectIndex, Terminator};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::value::Value;
use crate::lower::state::builder::Mark;
use crate::lower::state::scope::Entity;
use crate::lower::{Lowerer, Result};
use crate::types::Type;
use regatta_base::Span;

/// Index of a block scope in [`Blocks`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::lower) struct ScopeIndex(u32);

/// A position in the nesting of blocks: the innermost block, and the number of its objects declared before.
#[derive(Copy, Clone, Debug)]
pub(in crate::lower) struct Position {
    scope: Option<ScopeIndex>,
    declared: usize,
}

/// A function that is called with an object's address when its block is left.
#[derive(Clone, Debug)]
pub(in crate::lower) struct Cleanup {
    name: Rc<str>,
    ty: Type,
    object_type: Type,
}

#[derive(Debug)]
struct Local {
    object: ObjectIndex,
    cleanup: Option<Cleanup>,
}

#[derive(Debug)]
struct BlockScope {
    /// The block's position in the surrounding block.
    outside: Position,
    entry: Mark,
    span: Span,
    locals: Vec<Local>,
}

#[derive(Clone, Debug)]
enum JumpTarget {
    Label(String),
    Case(BlockIndex, Position),
}

/// A jump, with its edge block.
#[derive(Debug)]
struct Jump {
    edge: BlockIndex,
    from: Position,
    target: JumpTarget,
    span: Span,
}

/// The blocks of a function and the jumps between them.
#[derive(Debug, Default)]
pub(in crate::lower) struct Blocks {
    scopes: Vec<BlockScope>,
    innermost: Option<ScopeIndex>,
    jumps: Vec<Jump>,
}

impl Blocks {
    /// The innermost open block.
    pub fn innermost(&self) -> Option<ScopeIndex> {
        self.innermost
    }

    fn scope(&self, index: ScopeIndex) -> &BlockScope {
        &self.scopes[index.0 as usize]
    }

    /// The current position.
    pub fn position(&self) -> Position {
        let declared = self
            .innermost
            .map_or(0, |scope| self.scope(scope).locals.len());
        Position {
            scope: self.innermost,
            declared,
        }
    }

    pub fn enter(&mut self, entry: Mark, span: Span) {
        let outside = self.position();
        self.scopes.push(BlockScope {
            outside,
            entry,
            span,
            locals: Vec::new(),
        });
        self.innermost = Some(ScopeIndex(self.scopes.len() as u32 - 1));
    }

    pub fn leave(&mut self) {
        self.innermost = self
            .innermost
            .and_then(|scope| self.scope(scope).outside.scope);
    }

    /// Registers an automatic object of the innermost block.
    pub fn declare(&mut self, object: ObjectIndex, cleanup: Option<Cleanup>) {
        if let Some(scope) = self.innermost {
            let local = Local { object, cleanup };
            self.scopes[scope.0 as usize].locals.push(local);
        }
    }

    /// The blocks around a position, innermost first, with the number of their objects declared before it.
    fn around(&self, position: Position) -> impl Iterator<Item = (ScopeIndex, usize)> + '_ {
        let mut next = position;
        std::iter::from_fn(move || {
            let scope = next.scope?;
            let found = (scope, next.declared);
            next = self.scope(scope).outside;
            Some(found)
        })
    }

    /// The position after leaving all blocks around `from` within `outer` (all, if it is `None`).
    fn position_after_leaving(
        &self,
        from: Position,
        outer: Option<ScopeIndex>,
    ) -> Option<Position> {
        let Some(outer) = outer else {
            return Some(Position {
                scope: None,
                declared: 0,
            });
        };
        let mut around = self.around(from);
        let (_, declared) = around.find(|&(scope, _)| scope == outer)?;
        Some(Position {
            scope: Some(outer),
            declared,
        })
    }

    /// Checks whether the function has objects whose declarations jumps could pass.
    fn has_locals(&self) -> bool {
        self.scopes.iter().any(|scope| !scope.locals.is_empty())
    }

    /// Collects, by block, the objects whose declarations the jump passes without entering their block.
    fn passed_within(
        &self,
        from: Position,
        to: Position,
        passed: &mut FxHashMap<ScopeIndex, FxHashSet<usize>>,
    ) {
        let sources: FxHashMap<ScopeIndex, usize> = self.around(from).collect();
        for (scope, declared) in self.around(to) {
            if let Some(&before) = sources.get(&scope)
                && before < declared
            {
                passed.entry(scope).or_default().extend(before..declared);
            }
        }
    }

    /// The objects whose lifetime begins on the jump.
    fn begun(
        &self,
        from: Position,
        to: Position,
        passed: &FxHashMap<ScopeIndex, FxHashSet<usize>>,
    ) -> Vec<ObjectIndex> {
        let sources: FxHashSet<ScopeIndex> = self.around(from).map(|entry| entry.0).collect();
        let mut begun = Vec::new();
        for (scope, declared) in self.around(to) {
            if sources.contains(&scope) {
                break;
            }
            let inner = passed.get(&scope);
            let locals = self.scope(scope).locals.iter().enumerate();
            begun.extend(
                locals
                    .filter(|(number, _)| {
                        *number < declared || inner.is_some_and(|inner| inner.contains(number))
                    })
                    .map(|(_, local)| local.object),
            );
        }
        begun
    }

    /// The objects with cleanups whose lifetime ends on the jump, in the order of the calls.
    fn ended(&self, from: Position, to: Position) -> Vec<(ObjectIndex, Cleanup)> {
        let targets: FxHashMap<ScopeIndex, usize> = self.around(to).collect();
        let mut ended = Vec::new();
        for (scope, declared) in self.around(from) {
            let kept = targets.get(&scope).copied().unwrap_or(0);
            let locals = &self.scope(scope).locals;
            let lost = &locals[kept.min(declared)..declared];
            ended.extend(
                lost.iter()
                    .rev()
                    .filter_map(|local| Some((local.object, local.cleanup.clone()?))),
            );
        }
        ended
    }
}

#[derive(Debug)]
pub(in crate::lower) struct ComputedGoto {
    /// The block that it ends.
    pub block: BlockIndex,
    /// The expression for the label's number.
    pub number: Expr,
    /// Its position among the blocks of the source.
    pub from: Position,
    /// Its source position.
    pub span: Span,
}

/// A label of a function.
#[derive(Debug)]
pub(in crate::lower) struct Label {
    /// The block that starts at the label.
    pub block: BlockIndex,
    /// The label's position, once it has been reached in the text.
    pub position: Option<Position>,
    /// The first use of its name.
    pub span: Span,
}

impl Lowerer<'_> {
    pub(in crate::lower) fn jump_to_label(&mut self, name: &str) {
        self.label_block(name);
        let edge = self.function.new_block();
        self.end_path(Terminator::Goto(edge));
        let jump = Jump {
            edge,
            from: self.jumps.blocks.position(),
            target: JumpTarget::Label(name.to_owned()),
            span: self.cursor.span(),
        };
        self.jumps.blocks.jumps.push(jump);
    }

    /// Creates the edge block from a `switch` at a position to the block that begins here.
    pub(in crate::lower) fn case_edge(&mut self, from: Position, block: BlockIndex) -> BlockIndex {
        let edge = self.function.new_block();
        let target = JumpTarget::Case(block, self.jumps.blocks.position());
        self.jumps.blocks.jumps.push(Jump {
            edge,
            from,
            target,
            span: self.cursor.span(),
        });
        edge
    }

    /// Fills the edge blocks of all jumps once all labels are defined.
    pub(in crate::lower) fn finish_jumps(&mut self) -> Result<()> {
        let jumps = std::mem::take(&mut self.jumps.blocks.jumps);
        let simple = !self.jumps.blocks.has_locals();
        let mut passed = FxHashMap::default();
        let computed: Vec<(Position, Position)> = self.computed_jumps();
        let mut ends = Vec::with_capacity(jumps.len());
        for jump in &jumps {
            let (block, to) = match &jump.target {
                JumpTarget::Case(block, position) => (*block, *position),
                JumpTarget::Label(name) => match self.jumps.labels.get(name) {
                    Some(label) => (label.block, label.position.unwrap_or(jump.from)),
                    None => {
                        let message = format!("a jump to the label `{name}`, which is not there");
                        return Err(self.contradiction(message));
                    }
                },
            };
            if !simple {
                let blocks = &self.jumps.blocks;
                blocks.passed_within(jump.from, to, &mut passed);
            }
            ends.push((jump, block, to));
        }
        for &(from, to) in computed.iter().filter(|_| !simple) {
            self.jumps.blocks.passed_within(from, to, &mut passed);
        }
        let saved = self.function.current();
        for (jump, block, to) in ends {
            self.function.continue_in(jump.edge);
            self.cursor.set_span(jump.span);
            if !simple {
                for (object, cleanup) in self.jumps.blocks.ended(jump.from, to) {
                    self.clean_up(object, &cleanup)?;
                }
                for object in self.jumps.blocks.begun(jump.from, to, &passed) {
                    self.emit(Instruction::Declare(object));
                }
            }
            let span = self.cursor.span();
            self.function.end(Terminator::Goto(block), span);
        }
        self.finish_computed_gotos(&passed);
        self.function.continue_in(saved);
        let mut entries: Vec<(Mark, Instruction, Span)> = Vec::new();
        let mut scopes: Vec<_> = passed.iter().collect();
        scopes.sort_unstable_by_key(|entry| entry.0);
        for (&scope, numbers) in scopes {
            let scope = self.jumps.blocks.scope(scope);
            let mut numbers: Vec<usize> = numbers.iter().copied().collect();
            numbers.sort_unstable();
            for number in numbers {
                let object = scope.locals[number].object;
                entries.push((scope.entry, Instruction::Declare(object), scope.span));
            }
        }
        self.function.insert_all(entries);
        Ok(())
    }

    /// The objects whose lifetime begins on a jump from a position to a label.
    pub(in crate::lower) fn lifetimes_begun_on_jump(
        &self,
        from: Position,
        label: &Label,
        passed: &FxHashMap<ScopeIndex, FxHashSet<usize>>,
    ) -> Vec<ObjectIndex> {
        match label.position {
            Some(to) => self.jumps.blocks.begun(from, to, passed),
            None => Vec::new(),
        }
    }

    // --- cleanups ---

    /// The cleanup of an attribute: the name is looked up in the current scope.
    pub(in crate::lower) fn cleanup_of(
        &mut self,
        name: &str,
        object_type: Type,
    ) -> Result<Cleanup> {
        let symbol = self.scopes.lookup(name).map(|id| self.scopes.symbol(id));
        match symbol {
            Some(symbol) => match &symbol.entity {
                Entity::Function { name } => Ok(Cleanup {
                    name: Rc::clone(name),
                    ty: symbol.ty,
                    object_type,
                }),
                _ => Err(self.error(format!("the cleanup `{name}` is not a function"))),
            },
            None => Err(self.error(format!("the cleanup function `{name}` is not declared"))),
        }
    }

    fn clean_up(&mut self, object: ObjectIndex, cleanup: &Cleanup) -> Result<()> {
        self.check_modelled(&cleanup.name)?;
        if self.input.property().forbids_call(&cleanup.name) {
            self.end_path(Terminator::Error);
            return Ok(());
        }
        let pointer = self.types.pointer(cleanup.object_type);
        let mut value = Value::scalar(Expr::ObjectAddress(object), pointer);
        let Some(function) = self.types.function_type(cleanup.ty) else {
            return Err(self.error("a cleanup that is not a function"));
        };
        if let Some(&parameter) = function.parameters.first() {
            value = self.assignable(value, parameter)?;
        }
        let inline = self.inline_callee(&cleanup.name, &function, 1)?;
        if let Some(index) = inline.or_else(|| self.functions.named(&cleanup.name)) {
            let callee = Callee::Direct(index);
            self.emit_call(callee, &function, vec![value], Use::Effects)?;
            return Ok(());
        }
        if crate::library::lookup(&cleanup.name).is_some() {
            self.unsupported(format!(
                "the library function `{}` as a cleanup",
                cleanup.name
            ));
            return Ok(());
        }
        self.call_unknown(&cleanup.name, &function, vec![value], Use::Effects)?;
        Ok(())
    }

    /// Runs the cleanups of the innermost block at its end.
    pub(in crate::lower) fn clean_up_block(&mut self) -> Result<()> {
        let outside = self
            .jumps
            .blocks
            .innermost
            .map(|scope| self.jumps.blocks.scope(scope).outside);
        match outside {
            Some(outside) => self.clean_up_to(outside.scope),
            None => Ok(()),
        }
    }

    /// Runs the cleanups of all blocks within `outer` (of all, if it is `None`), which control leaves here.
    pub(in crate::lower) fn clean_up_to(&mut self, outer: Option<ScopeIndex>) -> Result<()> {
        let from = self.jumps.blocks.position();
        let Some(to) = self.jumps.blocks.position_after_leaving(from, outer) else {
            return Err(self.contradiction("control leaves a block for one that is not around it"));
        };
        for (object, cleanup) in self.jumps.blocks.ended(from, to) {
            self.clean_up(object, &cleanup)?;
        }
        Ok(())
    }

    /// Checks whether the innermost block has cleanups.
    pub(in crate::lower) fn has_cleanups(&self) -> bool {
        self.jumps.blocks.innermost.is_some_and(|scope| {
            let locals = &self.jumps.blocks.scope(scope).locals;
            locals.iter().any(|local| local.cleanup.is_some())
        })
    }
}
