//! Emission: the function that is being emitted, its instructions, waypoints and assumptions.

use super::builder::Effect;
use crate::ir::{BlockIndex, Expr, Instruction, Terminator};
use crate::lower::expressions::fold;
use crate::lower::sequencing::Step;
use crate::lower::{Lowerer, ONE_LITERAL, Result};
use crate::types::Type;
use lang_c::span::Node;
use regatta_base::diagnostic::{Error, Warning};
use regatta_program::{AssumptionKind, Waypoint, WaypointKind};

impl Lowerer<'_> {
    // --- errors ---

    /// A type error at the current source position.
    pub(in crate::lower) fn error(&self, message: impl Into<String>) -> Error {
        self.cursor.error(message)
    }

    /// An internal error: the lowering's own results contradict each other.
    pub(in crate::lower) fn contradiction(&self, message: impl Into<String>) -> Error {
        self.cursor.contradiction(message)
    }

    /// A type error at a node.
    pub(in crate::lower) fn error_at<T>(
        &self,
        node: &Node<T>,
        message: impl Into<String>,
    ) -> Error {
        self.cursor.error_at(node, message)
    }

    pub(in crate::lower) fn warn(&mut self, message: impl Into<String>) {
        self.diagnostics.warn(Warning {
            message: message.into(),
            span: self.cursor.span(),
        });
    }

    // --- sizes ---

    pub(in crate::lower) fn size_of(&self, ty: Type) -> Result<u64> {
        self.cursor.laid_out(self.types.size_of(ty))
    }

    pub(in crate::lower) fn alignment_of(&self, ty: Type) -> Result<u64> {
        self.cursor.laid_out(self.types.alignment_of(ty))
    }

    /// The value of `_Alignof` for a type.
    pub(in crate::lower) fn member_alignment_of(&self, ty: Type) -> Result<u64> {
        self.cursor.laid_out(self.types.member_alignment_of(ty))
    }

    /// The value of `__alignof__` for a type.
    pub(in crate::lower) fn preferred_alignment_of(&self, ty: Type) -> Result<u64> {
        self.cursor.laid_out(self.types.preferred_alignment_of(ty))
    }

    // --- waypoints ---

    /// The waypoint at the position where the node begins; `None` in code that is not the user's.
    pub(in crate::lower) fn waypoint<T>(
        &mut self,
        kind: WaypointKind,
        node: &Node<T>,
    ) -> Option<Waypoint> {
        self.waypoint_at(kind, node.span.start)
    }

    pub(in crate::lower) fn waypoint_at(
        &mut self,
        kind: WaypointKind,
        offset: usize,
    ) -> Option<Waypoint> {
        let span = self.cursor.statement_span(offset)?;
        let time = self.scopes.tick();
        Some(Waypoint { kind, time, span })
    }

    /// Adds the waypoint, if there is one, to the current block.
    pub(in crate::lower) fn pass(&mut self, waypoint: Option<Waypoint>) {
        self.pass_in(self.function.current(), waypoint);
    }

    /// Adds the waypoint, if there is one, at the end of the block.
    pub(in crate::lower) fn pass_in(&mut self, block: BlockIndex, waypoint: Option<Waypoint>) {
        if let Some(waypoint) = waypoint {
            self.function.pass(block, waypoint);
        }
    }

    // --- instructions ---

    pub(in crate::lower) fn emit(&mut self, instruction: Instruction) {
        self.log_instruction(&instruction);
        self.function
            .emit(instruction, Effect::Visible, self.cursor.span());
    }

    /// Emits an instruction that cannot change anything that an expression has read before.
    pub(in crate::lower) fn emit_fresh(&mut self, instruction: Instruction) {
        self.log_instruction(&instruction);
        self.function
            .emit(instruction, Effect::Fresh, self.cursor.span());
    }

    /// Records an assumption in the ledger from here on; it has no effect in the program.
    pub(in crate::lower) fn note_assumption(
        &mut self,
        kind: AssumptionKind,
        what: impl Into<String>,
    ) {
        self.emit_fresh(Instruction::Assumption {
            kind,
            what: what.into(),
        });
    }

    /// Records that the program compares pointers of the type, which may point to string literals.
    pub(in crate::lower) fn note_pointer_comparison(&mut self, pointer: Type, operands: &[&Expr]) {
        let mut operands = operands.iter();
        if let (Some(target), true) = (self.types.pointee(pointer), self.cursor.span().line != 0)
            && self.types.is_integer(target)
            && operands.all(|operand| fold::evaluate(operand).is_none())
        {
            self.note_assumption(AssumptionKind::Layout, ONE_LITERAL);
        }
    }

    /// Emits a construct that is not modelled; lowering continues behind it.
    pub(in crate::lower) fn unsupported(&mut self, what: impl Into<String>) {
        let what = what.into();
        self.emit(Instruction::Unsupported(what));
    }

    /// Refuses the path on which the condition holds.
    pub(in crate::lower) fn unsupported_if(&mut self, condition: Expr, what: &str) {
        let span = self.cursor.span();
        let (bad, good) = (self.function.new_block(), self.function.new_block());
        let branch = Terminator::Branch {
            condition,
            scalar: fold::INT,
            then: bad,
            otherwise: good,
        };
        self.function.end(branch, span);
        self.function.continue_in(bad);
        self.unsupported(what);
        self.function.end(Terminator::End, span);
        self.function.continue_in(good);
    }

    /// Ends the path here.
    pub(in crate::lower) fn end_path(&mut self, terminator: Terminator) {
        match terminator {
            Terminator::End => self.log_step(Step::End),
            Terminator::Error => self.log_step(Step::Error),
            _ => {}
        }
        self.function.end_path(terminator, self.cursor.span());
    }

    /// Runs `act` with the start function as the current function.
    pub(in crate::lower) fn in_start<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        if !self.start.enter(&mut self.function) {
            return act(self);
        }
        let result = act(self);
        self.start.leave(&mut self.function);
        result
    }

    /// Checks whether instructions go to the start function.
    pub(in crate::lower) fn is_in_start(&self) -> bool {
        self.start.is_current()
    }

    /// Lowers an unevaluated operand: only its type or its constant value is needed.
    pub(in crate::lower) fn unevaluated<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let scratch = self.function.scratch(self.cursor.span());
        let saved = std::mem::replace(&mut self.function, scratch);
        let control = std::mem::take(&mut self.control);
        let log = self.sequencing.suspend();
        let result = act(self);
        self.sequencing.resume(log);
        self.control = control;
        let scratch = std::mem::replace(&mut self.function, saved);
        self.function.absorb(scratch);
        result
    }
}
