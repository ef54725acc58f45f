//! Checks that local variables are set before they are read (C11 6.3.2.1p2).
//!
//! Only a variable whose address is never taken is undefined before it is set; a read of any other gives any value. So a
//! variable that is declared without an initialiser, or whose initialiser jumps may pass, has a *flag*, an object beside it: zero
//! where the variable is declared, one where it is written. A read checks the flag. Whether the address is taken is known when all functions are lowered; then
//! [`Lowerer::finish_flags`] inserts the assignments, or removes the checks.

use lang_c::ast;
use lang_c::span::Node;
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashSet;

use crate::defined::Rule;
use crate::ir::{
    Expr, Function, FunctionIndex, Instruction, ObjectIndex, Place, Storage, Terminator,
};
use crate::lower::Lowerer;
use crate::lower::expressions::fold::{self, INT};
use crate::memory::walk::{self, Operand};
use crate::types::Type;
use regatta_program::Span;

/// Whether the body of a function has jumps that may pass a declaration with an initialiser: to labels, or to the cases of a
/// `switch` that declares something between them.
pub(in crate::lower) fn may_pass_initialisers(body: &Node<ast::Statement>) -> bool {
    struct Jumps(bool);
    impl<'ast> Visit<'ast> for Jumps {
        fn visit_labeled_statement(
            &mut self,
            labeled: &'ast ast::LabeledStatement,
            span: &'ast lang_c::span::Span,
        ) {
            self.0 |= matches!(labeled.label.node, ast::Label::Identifier(_));
            visit::visit_labeled_statement(self, labeled, span);
        }

        fn visit_switch_statement(
            &mut self,
            switch: &'ast ast::SwitchStatement,
            span: &'ast lang_c::span::Span,
        ) {
            if let ast::Statement::Compound(items) = &switch.statement.node {
                let mut items = items.iter();
                self.0 |= items.any(|item| matches!(item.node, ast::BlockItem::Declaration(_)));
            }
            visit::visit_switch_statement(self, switch, span);
        }
    }
    let mut jumps = Jumps(false);
    jumps.visit_statement(&body.node, &body.span);
    jumps.0
}

/// Whether an initialiser has the name of its variable.
pub(in crate::lower) fn names_itself(initializer: &Node<ast::Initializer>, name: &str) -> bool {
    struct Names<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_identifier(
            &mut self,
            identifier: &'ast ast::Identifier,
            _: &'ast lang_c::span::Span,
        ) {
            self.1 |= identifier.name == self.0;
        }
    }
    let mut names = Names(name, false);
    names.visit_initializer(&initializer.node, &initializer.span);
    names.1
}

impl Lowerer<'_> {
    /// Gives a local variable its flag, if that is checked.
    pub(in crate::lower) fn note_unset(&mut self, object: ObjectIndex, ty: Type) {
        let is_scalar = self.types.scalar(ty).is_some() && self.objects.scalar_of(object).is_some();
        if !self.checks(Rule::SetBefore) || !is_scalar || self.objects.is_volatile(object) {
            return;
        }
        let flag = self.temporary(INT);
        self.objects.set_temporary(flag, false);
        self.objects.set_flag(object, flag);
    }

    /// Checks that what is read has been set, if it is a variable with a flag.
    pub(in crate::lower) fn check_set(&mut self, place: &Place) {
        let Expr::ObjectAddress(object) = *place.address else {
            return;
        };
        let own = Storage::Automatic(self.function.index());
        let is_own = self
            .objects
            .get(object)
            .is_some_and(|object| object.storage == own);
        if let Some(flag) = self.objects.flag_of(object)
            && is_own
            && !self.cursor.is_watched()
            && self.checks(Rule::SetBefore)
        {
            let is_set = self.load_object(flag, INT);
            self.check(Some(is_set), Rule::SetBefore);
        }
    }

    /// Inserts the assignments to the flags. A variable whose address is taken keeps none, and its checks are removed.
    pub(in crate::lower) fn finish_flags(&mut self, functions: &mut [Function]) {
        if !self.objects.has_flags() {
            return;
        }
        for (number, function) in functions.iter_mut().enumerate() {
            let index = FunctionIndex(number as u32);
            let escaped = self.escaped(index, function);
            let kept = |object: ObjectIndex| {
                let flag = self.objects.flag_of(object);
                flag.filter(|_| !escaped.contains(&object))
            };
            let dropped: FxHashSet<ObjectIndex> = escaped
                .iter()
                .filter_map(|&object| self.objects.flag_of(object))
                .collect();
            for block in &mut function.blocks {
                let before = std::mem::take(&mut block.instructions);
                for (instruction, span) in before {
                    if is_check_of(&instruction, &dropped) {
                        continue;
                    }
                    let mut changes: Vec<(ObjectIndex, i128)> = Vec::new();
                    if let Instruction::Declare(object) = instruction {
                        changes.extend(kept(object).map(|flag| (flag, 0)));
                    }
                    walk::operands_by_use(&instruction, &mut |operand| {
                        if let Operand::Target(_) | Operand::Filled(_) = operand
                            && let Some(flag) = walk::start_of(operand.expression()).and_then(kept)
                        {
                            changes.push((flag, 1));
                        }
                    });
                    block.instructions.push((instruction, span));
                    let changes = changes.into_iter();
                    block
                        .instructions
                        .extend(changes.map(|(flag, value)| (assignment(flag, value), Span::NONE)));
                }
            }
        }
    }

    /// The variables with flags whose addresses the function uses as values.
    fn escaped(&self, index: FunctionIndex, function: &Function) -> FxHashSet<ObjectIndex> {
        let own = Storage::Automatic(index);
        let mut escaped = FxHashSet::default();
        let mut note = |object: ObjectIndex| {
            let data = self.objects.get(object);
            if data.is_some_and(|data| data.storage == own)
                && self.objects.flag_of(object).is_some()
            {
                escaped.insert(object);
            }
        };
        for block in &function.blocks {
            for (instruction, _) in &block.instructions {
                walk::operands_by_use(instruction, &mut |operand| match operand {
                    Operand::Value(expr) => addresses(expr, &mut note),
                    Operand::Source(address) | Operand::Filled(address) => {
                        addresses_in_address(address, &mut note);
                    }
                    Operand::Target(place) => addresses_in_address(&place.address, &mut note),
                });
            }
            match &block.terminator {
                Terminator::Branch { condition, .. } => addresses(condition, &mut note),
                Terminator::Switch { value, .. } => addresses(value, &mut note),
                _ => {}
            }
        }
        escaped
    }
}

/// Tells the objects whose addresses the value of the expression depends on.
fn addresses(expr: &Expr, note: &mut dyn FnMut(ObjectIndex)) {
    match expr {
        Expr::ObjectAddress(object) => note(*object),
        Expr::Load(place) => addresses_in_address(&place.address, note),
        other => walk::parts(other, &mut |part| addresses(part, note)),
    }
}

/// The same for an address that is only accessed.
fn addresses_in_address(address: &Expr, note: &mut dyn FnMut(ObjectIndex)) {
    match address {
        Expr::ObjectAddress(_) => {}
        Expr::Offset { base, bytes } => {
            addresses_in_address(base, note);
            addresses(bytes, note);
        }
        other => addresses(other, note),
    }
}

/// Whether the instruction is a check of one of the flags.
fn is_check_of(instruction: &Instruction, flags: &FxHashSet<ObjectIndex>) -> bool {
    let Instruction::Check {
        condition: Expr::Load(place),
        rule: Rule::SetBefore,
    } = instruction
    else {
        return false;
    };
    matches!(&*place.address, Expr::ObjectAddress(flag) if flags.contains(flag))
}

fn assignment(flag: ObjectIndex, value: i128) -> Instruction {
    Instruction::Assign {
        place: Place::new(Expr::ObjectAddress(flag), INT),
        value: fold::int(value),
    }
}
