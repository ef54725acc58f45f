//! `switch`, and `goto` to a computed label.

use lang_c::ast;
use lang_c::span::Node;

use super::blocks::{Passed, Position};
use super::labels::ComputedGoto;
use crate::ir::{BlockIndex, Expr, Instruction, ScalarType, Terminator};
use crate::lower::expressions::fold;
use crate::lower::expressions::value::Value;
use crate::lower::state::builder::Effect;
use crate::lower::{Lowerer, Result};
use crate::types::Type;
use regatta_program::WaypointKind;

/// A `switch` whose body is being lowered.
#[derive(Debug)]
pub(in crate::lower) struct SwitchContext {
    /// The promoted type of its expression.
    ty: Type,
    scalar: ScalarType,
    cases: Vec<(i128, i128, BlockIndex)>,
    default: Option<BlockIndex>,
    /// Its position among the blocks of the source.
    position: Position,
}

impl Lowerer<'_> {
    pub(in crate::lower) fn switch_statement(
        &mut self,
        node: &Node<ast::SwitchStatement>,
    ) -> Result<()> {
        let (statement, span) = (&node.node, self.cursor.span());
        let value = self.expression(&statement.expression)?;
        self.cursor
            .set_span(self.cursor.place_of(&statement.expression));
        let value = self.rvalue(value);
        if !self.types.is_integer(value.ty) {
            return Err(self.error("the expression of `switch` is not an integer"));
        }
        self.cursor.set_span(span);
        let ty = self.types.promoted(value.ty);
        let scalar = self.scalar_type(ty)?;
        let value = self.cast(value, ty)?;
        let value = match self.input.property().checks_memory() {
            // A switch without cases does not need it.
            true => self.computed(value),
            false => value,
        };
        let (expr, _) = self.scalar_value(value)?;
        let dispatch = self.function.current();
        let exit = self.function.new_block();
        // Code before the first case is unreachable.
        self.function.continue_in_new();
        let context = SwitchContext {
            ty,
            scalar,
            cases: Vec::new(),
            default: None,
            position: self.control.blocks().position(),
        };
        self.control.enter_switch(exit, context);
        let result = self.statement(&statement.statement);
        let context = self.control.leave_switch();
        result?;
        self.function.end(Terminator::Goto(exit), span);
        if let Some(context) = context {
            // Each case has its own edge block.
            for &(low, high, edge) in &context.cases {
                if low == high
                    && let Ok(value) = i64::try_from(low)
                {
                    let waypoint = self.waypoint(WaypointKind::Switch(Some(value)), node);
                    self.pass_in(edge, waypoint);
                }
            }
            let default = context.default;
            let default = default.unwrap_or_else(|| self.function.new_block());
            let waypoint = self.waypoint(WaypointKind::Switch(None), node);
            self.pass_in(default, waypoint);
            if context.default.is_none() {
                let exit = Terminator::Goto(exit);
                self.function.end_block(default, exit, span);
            }
            let terminator = dispatch_terminator(expr, context, default);
            self.function.end_block(dispatch, terminator, span);
        }
        self.function.continue_in(exit);
        Ok(())
    }

    /// Lowers `case low ... high:`.
    pub(in crate::lower) fn case_label(
        &mut self,
        low: &Node<ast::Expression>,
        high: &Node<ast::Expression>,
    ) -> Result<()> {
        let Some(context) = self.control.switch() else {
            return Err(self.error("`case` outside of a `switch`"));
        };
        let (ty, from) = (context.ty, context.position);
        let low_value = self.case_value(low, ty)?;
        let high_value = self.case_value(high, ty)?;
        let span = self.cursor.span();
        let block = self.function.new_block();
        self.function.goto_new(block, span);
        let unsigned_128 = self.scalar_type(ty)? == fold::UNSIGNED_128;
        let empty = if unsigned_128 {
            (low_value as u128) > high_value as u128
        } else {
            low_value > high_value
        };
        if empty {
            self.warn("an empty range of cases");
            return Ok(());
        }
        let edge = self.case_edge(from, block);
        let overlap =
            |&(first, last, _): &(i128, i128, BlockIndex)| low_value <= last && first <= high_value;
        let Some(context) = self.control.switch_mut() else {
            return Ok(());
        };
        if context.cases.iter().any(overlap) {
            return Err(self.error_at(low, "duplicate `case` value"));
        }
        context.cases.push((low_value, high_value, edge));
        Ok(())
    }

    /// A case's value, converted to the type of the switch.
    fn case_value(&mut self, node: &Node<ast::Expression>, ty: Type) -> Result<i128> {
        let (value, _) = self.constant_value(node)?;
        let scalar = self.scalar_type(ty)?;
        Ok(fold::wrap(value, scalar))
    }

    pub(in crate::lower) fn default_label(&mut self) -> Result<()> {
        let block = self.function.new_block();
        let span = self.cursor.span();
        let Some(context) = self.control.switch() else {
            return Err(self.error("`default` outside of a `switch`"));
        };
        let (from, again) = (context.position, context.default.is_some());
        if again {
            return Err(self.error("two `default` labels in a `switch`"));
        }
        self.function.goto_new(block, span);
        let edge = self.case_edge(from, block);
        if let Some(context) = self.control.switch_mut() {
            context.default = Some(edge);
        }
        Ok(())
    }

    // --- label addresses ---

    /// Lowers `&&label`: the label's number as a pointer. Numbers start from one, so that none is null.
    pub(in crate::lower) fn label_address(&mut self, name: &str) -> Value {
        // The label belongs to the function even if its address initialises a static object.
        let in_start = self.is_in_start();
        if in_start {
            self.start.exchange(&mut self.function);
        }
        self.label_block(name);
        if in_start {
            self.start.exchange(&mut self.function);
        }
        let number = self.control.labels_mut().number(name);
        let pointer = self.types.pointer(Type::VOID);
        let expr = fold::integer(i128::from(number), ScalarType::Pointer);
        Value::scalar(expr, pointer)
    }

    /// Lowers `goto *address;`.
    pub(in crate::lower) fn computed_goto(&mut self, address: Value) -> Result<()> {
        let (expr, ty) = self.scalar_value(address)?;
        let from = self.scalar_type(ty)?;
        let number = self.convert_representation(expr, from, self.types.size_scalar());
        let goto = ComputedGoto {
            block: self.function.current(),
            number,
            from: self.control.blocks().position(),
            span: self.cursor.span(),
        };
        self.control.labels_mut().add_computed(goto);
        self.function.continue_in_new();
        Ok(())
    }

    /// Ends the blocks of computed `goto`s once all labels are numbered and it is known which declarations jumps
    /// within blocks pass. Computed `goto`s run no cleanups, as in gcc.
    pub(in crate::lower) fn finish_computed_gotos(&mut self, passed: &Passed) {
        let scalar = self.types.size_scalar();
        let ends_scopes = self.input.property().checks_memory();
        for goto in self.control.labels_mut().take_computed() {
            self.cursor.set_span(goto.span);
            let mut cases: Vec<(i128, i128, BlockIndex)> = Vec::new();
            for (name, number) in self.control.labels().numbered() {
                let Some(label) = self.control.labels().get(name) else {
                    continue;
                };
                let number = i128::from(*number);
                let mut target = label.block;
                let to = label.position;
                let begun = to.map(|to| self.control.blocks().begun(goto.from, to, passed));
                let begun = begun.unwrap_or_default();
                let repeats = |to| self.control.blocks().repeats_declarations(goto.from, to);
                let repeats = ends_scopes && to.is_some_and(repeats);
                let left = to.map(|to| self.control.blocks().left(goto.from, to));
                let left = left.filter(|_| ends_scopes).unwrap_or_default();
                let entered = to.map(|to| self.control.blocks().entered(goto.from, to));
                let entered = entered.filter(|_| ends_scopes).unwrap_or_default();
                if !begun.is_empty() || !left.is_empty() || !entered.is_empty() || repeats {
                    let edge = self.function.new_block();
                    self.function.continue_in(edge);
                    if repeats {
                        let what = "a jump back before a declaration of its block".to_owned();
                        let jump = Instruction::Unsupported(what);
                        self.function.emit(jump, Effect::Visible, goto.span);
                    }
                    for object in left {
                        let end = Instruction::EndScope(object);
                        self.function.emit(end, Effect::Visible, goto.span);
                    }
                    for object in entered {
                        let begin = Instruction::BeginScope(object);
                        self.function.emit(begin, Effect::Visible, goto.span);
                    }
                    for object in begun {
                        let declare = Instruction::Declare(object);
                        self.function.emit(declare, Effect::Visible, goto.span);
                    }
                    self.function.end(Terminator::Goto(target), goto.span);
                    target = edge;
                }
                cases.push((number, number, target));
            }
            let other = self.function.new_block();
            self.function.continue_in(other);
            self.emit(Instruction::Unsupported(
                "`goto` to something that is not a label of the function".to_owned(),
            ));
            self.function.end(Terminator::Unreachable, goto.span);
            let terminator = Terminator::Switch {
                value: goto.number,
                scalar,
                cases,
                default: other,
            };
            self.function.end_block(goto.block, terminator, goto.span);
        }
    }
}

/// The terminator that dispatches a switch; a jump if the value is constant.
fn dispatch_terminator(value: Expr, context: SwitchContext, default: BlockIndex) -> Terminator {
    if let Some(constant) = fold::constant(&value) {
        let target = context
            .cases
            .iter()
            .find(|(low, high, _)| (low..=high).contains(&&constant))
            .map_or(default, |&(_, _, block)| block);
        return Terminator::Goto(target);
    }
    if context.cases.is_empty() {
        return Terminator::Goto(default);
    }
    Terminator::Switch {
        value,
        scalar: context.scalar,
        cases: context.cases,
        default,
    }
}
