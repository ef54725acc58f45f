//! Statements and the control flow between them.

use lang_c::ast;
use lang_c::span::Node;

use crate::ir::{BlockIndex, Expr, ScalarType, Terminator};
use crate::lower::expressions::assignment::Use;
use crate::lower::expressions::condition::Condition;
use crate::lower::expressions::fold;
use crate::lower::expressions::value::{Value, ValueKind};
use crate::lower::{Lowerer, Result};
use regatta_program::WaypointKind;

impl Lowerer<'_> {
    /// Lowers the body of a function, to which all its labels belong.
    pub(in crate::lower) fn function_body(&mut self, node: &Node<ast::Statement>) -> Result<()> {
        let mark = self.function.mark();
        self.control.blocks_mut().enter(mark, self.cursor.span());
        match &node.node {
            // The parameters are in the same scope as the body's declarations.
            ast::Statement::Compound(items) => self.block_items(items)?,
            _ => self.statement(node)?,
        }
        self.clean_up_block()?;
        self.control.blocks_mut().leave();
        let mut missing = self.control.labels().missing();
        self.jump_to_outer_labels(&mut missing);
        if let Some((name, span)) = missing.first() {
            let message = format!("the label `{name}` is not defined");
            self.cursor.set_span(*span);
            return Err(self.error(message));
        }
        self.create_landings_at_labels()?;
        self.finish_jumps()
    }

    fn block_items(&mut self, items: &[Node<ast::BlockItem>]) -> Result<()> {
        for item in items {
            self.block_item(item)?;
        }
        Ok(())
    }

    fn block_item(&mut self, item: &Node<ast::BlockItem>) -> Result<()> {
        match &item.node {
            ast::BlockItem::Declaration(declaration) => {
                let waypoint = self.waypoint(WaypointKind::Statement, declaration);
                self.pass(waypoint);
                if let Some(what) = self.left_out_statement(declaration) {
                    self.unsupported(&*what);
                    self.declare_unmodelled(&declaration.node);
                    return Ok(());
                }
                let result = self.declaration(declaration);
                if result.is_err() {
                    self.blame_declaration(declaration);
                }
                result
            }
            ast::BlockItem::StaticAssert(assertion) => self.static_assertion(assertion),
            ast::BlockItem::Statement(statement) => self.statement(statement),
        }
    }

    /// Runs `act` in a new block scope.
    fn scoped<T>(&mut self, act: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let number = self.function.enter_scope();
        self.scopes.enter(number);
        let mark = self.function.mark();
        self.control.blocks_mut().enter(mark, self.cursor.span());
        let result = act(self).and_then(|value| self.clean_up_block().map(|()| value));
        self.control.blocks_mut().leave();
        self.scopes.leave();
        result
    }

    pub(in crate::lower) fn statement(&mut self, node: &Node<ast::Statement>) -> Result<()> {
        self.cursor.set_span(self.cursor.place_of(node));
        if !matches!(
            node.node,
            ast::Statement::Labeled(_) | ast::Statement::Compound(_)
        ) {
            let waypoint = self.waypoint(WaypointKind::Statement, node);
            self.pass(waypoint);
        }
        if let Some(what) = self.left_out_statement(node) {
            self.unsupported(&*what);
            return Ok(());
        }
        let result = self.dispatch_statement(node);
        if result.is_err() {
            self.blame_statement(node);
        }
        result
    }

    fn dispatch_statement(&mut self, node: &Node<ast::Statement>) -> Result<()> {
        match &node.node {
            ast::Statement::Labeled(labeled) => self.labeled(&labeled.node),
            ast::Statement::Compound(items) => self.scoped(|this| this.block_items(items)),
            ast::Statement::Expression(None) => Ok(()),
            ast::Statement::Expression(Some(expression)) => self.effects(expression),
            ast::Statement::If(statement) => self.if_statement(statement),
            ast::Statement::Switch(statement) => {
                self.scoped(|this| this.switch_statement(statement))
            }
            ast::Statement::While(statement) => self.scoped(|this| this.while_statement(statement)),
            ast::Statement::DoWhile(statement) => self.scoped(|this| this.do_statement(statement)),
            ast::Statement::For(statement) => self.scoped(|this| this.for_statement(statement)),
            ast::Statement::Goto(label) => {
                self.jump_to_label(&label.node.name);
                Ok(())
            }
            ast::Statement::Continue => match self.control.continue_target() {
                Some((target, scope)) => {
                    self.clean_up_to(scope)?;
                    self.end_path(Terminator::Goto(target));
                    Ok(())
                }
                None => Err(self.error("`continue` outside of a loop")),
            },
            ast::Statement::Break => match self.control.break_target() {
                Some((target, scope)) => {
                    self.clean_up_to(scope)?;
                    self.end_path(Terminator::Goto(target));
                    Ok(())
                }
                None => Err(self.error("`break` outside of a loop or `switch`")),
            },
            ast::Statement::Return(value) => self.return_statement(value.as_deref()),
            ast::Statement::Asm(asm) => self.asm_statement(&asm.node),
        }
    }

    // --- labels ---

    /// The block of a label, which may be defined later.
    pub(in crate::lower) fn label_block(&mut self, name: &str) -> BlockIndex {
        if let Some(label) = self.control.labels().get(name) {
            return label.block;
        }
        let block = self.function.new_block();
        let span = self.cursor.span();
        self.control.labels_mut().add(name, block, span);
        block
    }

    fn labeled(&mut self, labeled: &ast::LabeledStatement) -> Result<()> {
        self.cursor.set_span(self.cursor.place_of(&labeled.label));
        match &labeled.label.node {
            ast::Label::Identifier(name) => {
                let name = name.node.name.as_str();
                let block = self.label_block(name);
                let position = self.control.blocks().position();
                let defined = self.control.labels_mut().define(name, position);
                if defined.is_some_and(|(_, again)| again) {
                    return Err(self.error(format!("the label `{name}` is defined twice")));
                }
                let span = self.cursor.span();
                self.function.goto_new(block, span);
                self.function.set_label(block, name);
                if self.input.property().forbids_label(name) {
                    self.end_path(Terminator::Error);
                }
            }
            ast::Label::Case(value) => self.case_label(value, value)?,
            ast::Label::CaseRange(range) => self.case_label(&range.node.low, &range.node.high)?,
            ast::Label::Default => self.default_label()?,
        }
        self.statement(&labeled.statement)
    }

    // --- branches and loops ---

    /// Like [`Self::branch_on`], with waypoints for the condition of the keyword at which the node begins.
    fn branch_at<T>(&mut self, node: &Node<T>, condition: Condition) -> (BlockIndex, BlockIndex) {
        let is_open = match &condition {
            Condition::Value(value, _) => fold::constant_truth(value).is_none(),
            Condition::Branched { .. } => true,
        };
        let (then, otherwise) = self.branch_on(condition);
        for (block, truth) in [(then, true), (otherwise, false)] {
            if is_open {
                let waypoint = self.waypoint(WaypointKind::Branch(truth), node);
                self.pass_in(block, waypoint);
            }
        }
        (then, otherwise)
    }

    fn if_statement(&mut self, node: &Node<ast::IfStatement>) -> Result<()> {
        let (statement, span) = (&node.node, self.cursor.span());
        let condition = self.condition(&statement.condition)?;
        self.cursor.set_span(span);
        let (then, otherwise) = self.branch_at(node, condition);
        let join = self.function.new_block();
        self.function.continue_in(then);
        self.scoped(|this| this.statement(&statement.then_statement))?;
        self.cursor.set_span(span);
        self.function.end(Terminator::Goto(join), span);
        self.function.continue_in(otherwise);
        if let Some(alternative) = &statement.else_statement {
            self.scoped(|this| this.statement(alternative))?;
        }
        self.function.end(Terminator::Goto(join), span);
        self.function.continue_in(join);
        Ok(())
    }

    /// Adds the waypoint before the controlling expression of a loop.
    fn pass_loop<T>(&mut self, node: &Node<T>) {
        let waypoint = self.waypoint(WaypointKind::Loop, node);
        self.pass(waypoint);
    }

    /// Lowers a loop's body, with the targets of `break` and `continue`.
    fn loop_body(
        &mut self,
        body: &Node<ast::Statement>,
        exit: BlockIndex,
        next: BlockIndex,
    ) -> Result<()> {
        self.control.enter_loop(exit, next);
        let result = self.scoped(|this| this.statement(body));
        self.control.leave_loop();
        result
    }

    fn while_statement(&mut self, node: &Node<ast::WhileStatement>) -> Result<()> {
        let (statement, span) = (&node.node, self.cursor.span());
        let head = self.function.new_block();
        let exit = self.function.new_block();
        self.function.goto_new(head, span);
        self.pass_loop(node);
        let condition = self.condition(&statement.expression)?;
        self.cursor.set_span(span);
        let (body, done) = self.branch_at(node, condition);
        self.function.end_block(done, Terminator::Goto(exit), span);
        self.function.continue_in(body);
        self.loop_body(&statement.statement, exit, head)?;
        self.function.end(Terminator::Goto(head), span);
        self.function.continue_in(exit);
        Ok(())
    }

    fn do_statement(&mut self, node: &Node<ast::DoWhileStatement>) -> Result<()> {
        let (statement, span) = (&node.node, self.cursor.span());
        let head = self.function.new_block();
        let test = self.function.new_block();
        let exit = self.function.new_block();
        self.function.goto_new(head, span);
        self.loop_body(&statement.statement, exit, test)?;
        self.function.goto_new(test, span);
        self.pass_loop(node);
        let condition = self.condition(&statement.expression)?;
        self.cursor.set_span(span);
        let (again, done) = self.branch_at(node, condition);
        self.function.end_block(again, Terminator::Goto(head), span);
        self.function.end_block(done, Terminator::Goto(exit), span);
        self.function.continue_in(exit);
        Ok(())
    }

    fn for_statement(&mut self, node: &Node<ast::ForStatement>) -> Result<()> {
        let (statement, span) = (&node.node, self.cursor.span());
        match &statement.initializer.node {
            ast::ForInitializer::Empty => {}
            ast::ForInitializer::Expression(expression) => self.effects(expression)?,
            ast::ForInitializer::Declaration(declaration) => self.declaration(declaration)?,
            ast::ForInitializer::StaticAssert(assertion) => self.static_assertion(assertion)?,
        }
        self.cursor.set_span(span);
        let head = self.function.new_block();
        let step = self.function.new_block();
        let exit = self.function.new_block();
        self.function.goto_new(head, span);
        self.pass_loop(node);
        if let Some(condition) = &statement.condition {
            let condition = self.condition(condition)?;
            self.cursor.set_span(span);
            let (body, done) = self.branch_at(node, condition);
            self.function.end_block(done, Terminator::Goto(exit), span);
            self.function.continue_in(body);
        }
        self.loop_body(&statement.statement, exit, step)?;
        self.cursor.set_span(span);
        self.function.goto_new(step, span);
        if let Some(expression) = &statement.step {
            self.effects(expression)?;
        }
        self.cursor.set_span(span);
        self.function.end(Terminator::Goto(head), span);
        self.function.continue_in(exit);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&Node<ast::Expression>>) -> Result<()> {
        let span = self.cursor.span();
        let ty = self.function.result_type();
        match (value, self.function.result()) {
            (Some(expression), Some(object)) => {
                let value = self.expression(expression)?;
                self.cursor.set_span(self.cursor.place_of(expression));
                let value = self.assignable(value, ty)?;
                self.cursor.set_span(span);
                let address = Expr::ObjectAddress(object);
                self.store_value(Value::lvalue(address, ty.unqualified()), value)?;
            }
            (Some(expression), None) => {
                // gcc only warns about `return f();` in a void function.
                self.effects(expression)?;
                self.cursor.set_span(span);
            }
            (None, Some(object)) => {
                self.emit(crate::ir::Instruction::Declare(object));
            }
            (None, None) => {}
        }
        self.clean_up_to(None)?;
        self.check_no_return();
        self.end_path(Terminator::Return);
        Ok(())
    }

    /// Lowers `({ … })`; its value is that of the last statement if that is an expression.
    pub(in crate::lower) fn statement_expression(
        &mut self,
        node: &Node<ast::Statement>,
    ) -> Result<Value> {
        self.sequencing.statements += 1;
        let ast::Statement::Compound(items) = &node.node else {
            self.statement(node)?;
            return Ok(Value::void());
        };
        if self.scopes.at_file_scope() {
            return Err(self.error("a statement expression outside of a function"));
        }
        let value = self.scoped(|this| {
            let Some((last, first)) = items.split_last() else {
                return Ok(Value::void());
            };
            this.block_items(first)?;
            let value = this.final_item(last)?;
            this.rounded(value)
        })?;
        match (value.kind, self.types.scalar(value.ty)) {
            // A pointer may lead to an object that has ended: it outlives the block.
            (ValueKind::Scalar(expr), Some(ScalarType::Pointer))
                if self.input.property().checks_memory() =>
            {
                let pointer = self.store_fresh(expr, ScalarType::Pointer);
                Ok(Value::scalar(pointer, value.ty))
            }
            (kind, _) => Ok(Value { kind, ty: value.ty }),
        }
    }

    fn final_item(&mut self, item: &Node<ast::BlockItem>) -> Result<Value> {
        let ast::BlockItem::Statement(statement) = &item.node else {
            self.block_item(item)?;
            return Ok(Value::void());
        };
        let mut statement = statement;
        // Labels may precede the expression.
        while let ast::Statement::Labeled(labeled) = &statement.node {
            let empty = ast::LabeledStatement {
                label: labeled.node.label.clone(),
                statement: Box::new(Node::new(ast::Statement::Expression(None), statement.span)),
            };
            self.labeled(&empty)?;
            statement = &labeled.node.statement;
        }
        match &statement.node {
            ast::Statement::Expression(Some(expression)) => {
                let value = self.expression_for(expression, Use::Value)?;
                let value = self.rvalue(value);
                if let ValueKind::Aggregate(_) = value.kind
                    && self.control.blocks().has_cleanups()
                {
                    let copy = self.temporary_object(value.ty)?;
                    let copy = Value::lvalue(Expr::ObjectAddress(copy), value.ty.unqualified());
                    self.store_value(copy.clone(), value)?;
                    return Ok(self.rvalue(copy));
                }
                self.keep_value(value)
            }
            _ => {
                self.statement(statement)?;
                Ok(Value::void())
            }
        }
    }

    /// Copies a value that may depend on the locals of a block that ends.
    fn keep_value(&mut self, value: Value) -> Result<Value> {
        match value.kind {
            ValueKind::Scalar(expr) => {
                let scalar = self.scalar_type(value.ty)?;
                if fold::constant(&expr).is_some() {
                    return Ok(Value::scalar(expr, value.ty));
                }
                Ok(Value::scalar(self.keep(expr, scalar), value.ty))
            }
            kind => Ok(Value { kind, ..value }),
        }
    }
}
