//! Checks that local variables are set before they are read (C11 6.3.2.1p2).
//!
//! Only a variable whose address is never taken is undefined before it is set; a read of any other gives any value. So a
//! variable that is declared without an initialiser, or whose initialiser jumps may pass, has a *flag*, an object beside it: zero
//! where the variable is declared, one where it is written. A read checks the flag. Whether the address is taken is known when all functions are lowered; then
//! [`Lowerer::finish_flags`] inserts the assignments, or removes the checks. It also removes those of variables that are set, or
//! were checked, on every way to the read, which are most.

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
use crate::lower::state::objects::Objects;
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

/// Whether an initialiser has the name of its variable, but for operands of `sizeof`.
pub(in crate::lower) fn reads_itself(initializer: &Node<ast::Initializer>, name: &str) -> bool {
    struct Names<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_identifier(
            &mut self,
            identifier: &'ast ast::Identifier,
            _: &'ast lang_c::span::Span,
        ) {
            self.1 |= identifier.name == self.0;
        }

        fn visit_sizeofval(&mut self, _: &'ast ast::SizeOfVal, _: &'ast lang_c::span::Span) {}
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

    /// Records that a variable with a flag is not set yet where its initialiser begins.
    pub(in crate::lower) fn begin_unset(&mut self, object: ObjectIndex) {
        if let Some(flag) = self.objects.flag_of(object) {
            self.emit_fresh(assignment(flag, 0));
        }
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
                    if flag_of_check(&instruction).is_some_and(|flag| dropped.contains(&flag)) {
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
            remove_certain(function, &self.objects);
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

/// Removes the checks of variables that are set on every way to them, and the assignments to flags that no check is left of.
fn remove_certain(function: &mut Function, objects: &Objects) {
    let flags: FxHashSet<ObjectIndex> = objects.flags().collect();
    let before = set_before(function, &flags);
    let mut checked = FxHashSet::default();
    for (block, before) in function.blocks.iter_mut().zip(before) {
        let mut set = before;
        block.instructions.retain(|(instruction, _)| {
            let flag = flag_of_check(instruction);
            let is_certain = flag.is_some_and(|flag| set.has(flag));
            checked.extend(flag.filter(|_| !is_certain));
            set.pass(instruction, &flags);
            !is_certain
        });
    }
    for block in &mut function.blocks {
        block.instructions.retain(|(instruction, _)| {
            let changed = changed_flag(instruction, &flags);
            changed.is_none_or(|(flag, _)| checked.contains(&flag))
        });
    }
}

/// The flags that are one at the beginning of each block on every way to it.
fn set_before(function: &Function, flags: &FxHashSet<ObjectIndex>) -> Vec<Known> {
    let count = function.blocks.len();
    let mut is_target = vec![false; count];
    for block in &function.blocks {
        for next in walk::successors(&block.terminator) {
            is_target[next as usize] = true;
        }
    }
    // What no block leads to is reached from elsewhere.
    let is_entry = |block: usize| block == 0 || !is_target[block];
    let mut before: Vec<Known> = (0..count)
        .map(|block| match is_entry(block) {
            true => Known::Only(FxHashSet::default()),
            false => Known::All,
        })
        .collect();
    let mut open: Vec<usize> = (0..count).filter(|&block| is_entry(block)).rev().collect();
    while let Some(number) = open.pop() {
        let block = &function.blocks[number];
        let mut set = before[number].clone();
        for (instruction, _) in &block.instructions {
            set.pass(instruction, flags);
        }
        for next in walk::successors(&block.terminator) {
            if before[next as usize].meet(&set) {
                open.push(next as usize);
            }
        }
    }
    before
}

/// The flags that are one.
#[derive(Clone)]
enum Known {
    /// Control does not come here.
    All,
    Only(FxHashSet<ObjectIndex>),
}

impl Known {
    fn has(&self, flag: ObjectIndex) -> bool {
        match self {
            Self::All => true,
            Self::Only(set) => set.contains(&flag),
        }
    }

    /// Executes an instruction.
    fn pass(&mut self, instruction: &Instruction, flags: &FxHashSet<ObjectIndex>) {
        let Self::Only(set) = self else {
            return;
        };
        match changed_flag(instruction, flags) {
            Some((flag, true)) => {
                set.insert(flag);
            }
            Some((flag, false)) => {
                set.remove(&flag);
            }
            // An execution ends at a check that it violates.
            None => set.extend(flag_of_check(instruction)),
        }
    }

    /// Joins what is known on another way; returns whether less is known then.
    fn meet(&mut self, other: &Self) -> bool {
        match (&mut *self, other) {
            (_, Self::All) => false,
            (Self::All, Self::Only(set)) => {
                *self = Self::Only(set.clone());
                true
            }
            (Self::Only(own), Self::Only(set)) => {
                let before = own.len();
                own.retain(|flag| set.contains(flag));
                own.len() < before
            }
        }
    }
}

/// The flag to which the instruction assigns, and whether it is one then.
fn changed_flag(
    instruction: &Instruction,
    flags: &FxHashSet<ObjectIndex>,
) -> Option<(ObjectIndex, bool)> {
    let Instruction::Assign { place, value } = instruction else {
        return None;
    };
    let Expr::ObjectAddress(flag) = *place.address else {
        return None;
    };
    let value = fold::constant(value)?;
    flags.contains(&flag).then_some((flag, value != 0))
}

/// The flag that the instruction checks.
fn flag_of_check(instruction: &Instruction) -> Option<ObjectIndex> {
    let Instruction::Check {
        condition: Expr::Load(place),
        rule: Rule::SetBefore,
    } = instruction
    else {
        return None;
    };
    match *place.address {
        Expr::ObjectAddress(flag) => Some(flag),
        _ => None,
    }
}

fn assignment(flag: ObjectIndex, value: i128) -> Instruction {
    Instruction::Assign {
        place: Place::new(Expr::ObjectAddress(flag), INT),
        value: fold::int(value),
    }
}
