//! Checks that local variables are set before they are read (C11 6.3.2.1p2).
//!
//! Only a variable whose address is never taken is undefined before it is set; a read of any other gives any value. So a
//! variable that is declared without an initialiser, or whose initialiser jumps may pass, has a *flag*, an object beside it: zero
//! where the variable is declared, one where it is written. A read checks the flag. Whether the address is taken is known when all
//! functions are lowered; then [`Lowerer::finish_flags`] inserts the assignments, or removes the checks. It also removes those of
//! variables that are set, or were checked, on every way to the read, which are most.

use lang_c::ast;
use lang_c::span::Node;
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashSet;

use crate::defined::Rule;
use crate::ir::{Expr, Function, FunctionIndex, Instruction, ObjectIndex, Place, Storage};
use crate::lower::Lowerer;
use crate::lower::expressions::fold::{self, INT};
use crate::lower::statements::long_jump::uses::escaped;
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

    /// Inserts the assignments to the flags. Then removes the checks of variables whose addresses are taken, and of those that are
    /// set on every way to the check, and the assignments to flags that no check is left of.
    pub(in crate::lower) fn finish_flags(&self, functions: &mut [Function]) {
        for (number, function) in functions.iter_mut().enumerate() {
            let index = FunctionIndex(number as u32);
            let flags: FxHashSet<ObjectIndex> = self.objects.flags_in(index).collect();
            if flags.is_empty() {
                continue;
            }
            let escaped = escaped(function, index, self.objects.all());
            let escaped = escaped.into_iter();
            let escaped = escaped.filter_map(|object| self.objects.flag_of(object));
            let escaped: FxHashSet<ObjectIndex> = escaped.collect();
            self.set_flags(function);
            remove_certain(function, &flags, &escaped);
        }
    }

    /// Inserts an assignment to the flag where a variable is declared or written.
    fn set_flags(&self, function: &mut Function) {
        for block in &mut function.blocks {
            for (instruction, span) in std::mem::take(&mut block.instructions) {
                let mut changes: Vec<Instruction> = Vec::new();
                if let Instruction::Declare(object) = instruction {
                    let flag = self.objects.flag_of(object);
                    changes.extend(flag.map(|flag| assignment(flag, 0)));
                }
                walk::operands_by_use(&instruction, &mut |operand| {
                    if let Operand::Target(_) | Operand::Filled(_) = operand {
                        let object = walk::start_of(operand.expression());
                        let flag = object.and_then(|object| self.objects.flag_of(object));
                        changes.extend(flag.map(|flag| assignment(flag, 1)));
                    }
                });
                block.instructions.push((instruction, span));
                let changes = changes.into_iter().map(|change| (change, Span::NONE));
                block.instructions.extend(changes);
            }
        }
    }
}

/// Removes the checks of flags that are one on every way to them or belong to variables whose addresses are taken, and the
/// assignments to flags that no check is left of.
fn remove_certain(
    function: &mut Function,
    flags: &FxHashSet<ObjectIndex>,
    escaped: &FxHashSet<ObjectIndex>,
) {
    let before = set_before(function, flags);
    let mut checked = FxHashSet::default();
    for (block, before) in function.blocks.iter_mut().zip(before) {
        let mut set = before;
        block.instructions.retain(|(instruction, _)| {
            let flag = flag_of_check(instruction);
            let is_certain = flag.is_some_and(|flag| escaped.contains(&flag) || set.has(flag));
            checked.extend(flag.filter(|_| !is_certain));
            set.pass(instruction, flags);
            !is_certain
        });
    }
    for block in &mut function.blocks {
        block.instructions.retain(|(instruction, _)| {
            let changed = changed_flag(instruction, flags);
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
