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

use super::blocks::{Cleanup, Jump, JumpTarget, Passed, Position, ScopeIndex};
use crate::ir::{BlockIndex, Callee, Expr, Instruction, ObjectIndex, Terminator};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::value::Value;
use crate::lower::state::scope::Entity;
use crate::lower::{Lowerer, Result};
use crate::types::Type;

impl Lowerer<'_> {
    pub(in crate::lower) fn jump_to_label(&mut self, name: &str) {
        self.label_block(name);
        let edge = self.function.new_block();
        self.end_path(Terminator::Goto(edge));
        let jump = Jump {
            edge,
            from: self.control.blocks().position(),
            target: JumpTarget::Label(name.to_owned()),
            span: self.cursor.span(),
        };
        self.control.blocks_mut().add_jump(jump);
    }

    /// Creates the edge block from a `switch` at a position to the block that begins here.
    pub(in crate::lower) fn case_edge(&mut self, from: Position, block: BlockIndex) -> BlockIndex {
        let edge = self.function.new_block();
        let target = JumpTarget::Case(block, self.control.blocks().position());
        self.control.blocks_mut().add_jump(Jump {
            edge,
            from,
            target,
            span: self.cursor.span(),
        });
        edge
    }

    /// Fills the edge blocks of all jumps once all labels are defined.
    pub(in crate::lower) fn finish_jumps(&mut self) -> Result<()> {
        let jumps = self.control.blocks_mut().take_jumps();
        let simple = !self.control.blocks().has_locals();
        let mut passed = Passed::default();
        let computed: Vec<(Position, Position)> = self.control.labels().computed_jumps();
        let mut ends = Vec::with_capacity(jumps.len());
        for jump in &jumps {
            let (block, to) = match &jump.target {
                JumpTarget::Case(block, position) => (*block, *position),
                JumpTarget::Label(name) => match self.control.labels().get(name) {
                    Some(label) => (label.block, label.position.unwrap_or(jump.from)),
                    None => {
                        let message = format!("a jump to the label `{name}`, which is not there");
                        return Err(self.contradiction(message));
                    }
                },
            };
            if !simple {
                let blocks = &self.control.blocks();
                blocks.passed_within(jump.from, to, &mut passed);
            }
            ends.push((jump, block, to));
        }
        for &(from, to) in computed.iter().filter(|_| !simple) {
            self.control.blocks().passed_within(from, to, &mut passed);
        }
        let saved = self.function.current();
        for (jump, block, to) in ends {
            self.function.continue_in(jump.edge);
            self.cursor.set_span(jump.span);
            if !simple {
                for (object, cleanup) in self.control.blocks().ended(jump.from, to) {
                    self.clean_up(object, &cleanup)?;
                }
                self.end_scopes(jump.from, to);
                self.begin_scopes(jump.from, to);
                for object in self.control.blocks().begun(jump.from, to, &passed) {
                    self.emit(Instruction::Declare(object));
                }
            }
            let span = self.cursor.span();
            self.function.end(Terminator::Goto(block), span);
        }
        self.finish_computed_gotos(&passed);
        self.function.continue_in(saved);
        let mut marks = self.control.blocks().marks_at_entries(&passed);
        if self.input.property().checks_memory() {
            let scopes = self.control.blocks().marks_of_scopes();
            marks.splice(0..0, scopes);
        }
        self.function.insert_all(marks);
        Ok(())
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
        match self.control.blocks().around_innermost() {
            Some(outer) => self.clean_up_to(outer),
            None => Ok(()),
        }
    }

    /// Runs the cleanups of all blocks within `outer` (of all, if it is `None`), which control leaves here.
    pub(in crate::lower) fn clean_up_to(&mut self, outer: Option<ScopeIndex>) -> Result<()> {
        let from = self.control.blocks().position();
        let Some(to) = self.control.blocks().position_after_leaving(from, outer) else {
            return Err(self.contradiction("control leaves a block for one that is not around it"));
        };
        for (object, cleanup) in self.control.blocks().ended(from, to) {
            self.clean_up(object, &cleanup)?;
        }
        // A return ends all objects of the function.
        if outer.is_some() {
            self.end_scopes(from, to);
        }
        Ok(())
    }

    /// Begins the objects of the blocks that a jump enters.
    fn begin_scopes(&mut self, from: Position, to: Position) {
        if self.input.property().checks_memory() {
            if self.control.blocks().repeats_declarations(from, to) {
                self.unsupported("a jump back before a declaration of its block");
            }
            for object in self.control.blocks().entered(from, to) {
                self.emit(Instruction::BeginScope(object));
            }
        }
    }

    /// Ends the objects of the blocks that control leaves.
    fn end_scopes(&mut self, from: Position, to: Position) {
        if self.input.property().checks_memory() {
            for object in self.control.blocks().left(from, to) {
                self.emit(Instruction::EndScope(object));
            }
        }
    }
}
