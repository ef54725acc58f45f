//! The objects that the functions of a program may change.

use rustc_hash::FxHashSet;

use crate::ir::{Expr, Instruction, ObjectIndex, Terminator};
use crate::memory::walk::{self, Operand};

/// The objects that are written, or whose addresses are used as values, so that they may be written elsewhere.
#[derive(Default)]
pub(super) struct Changes(FxHashSet<ObjectIndex>);

impl Changes {
    pub fn contains(&self, object: ObjectIndex) -> bool {
        self.0.contains(&object)
    }

    /// Notes what an instruction of a function changes.
    pub fn note(&mut self, instruction: &Instruction) {
        walk::operands_by_use(instruction, &mut |operand| {
            if matches!(operand, Operand::Target(_) | Operand::Filled(_)) {
                self.0.extend(walk::start_of(operand.expression()));
            }
            self.note_operand(operand);
        });
    }

    /// Notes what an instruction that gives objects their first values makes known of addresses.
    pub fn note_first_value(&mut self, instruction: &Instruction) {
        walk::operands_by_use(instruction, &mut |operand| self.note_operand(operand));
    }

    /// Notes the addresses in the end of a block.
    pub fn note_end(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Branch { condition, .. } => self.value(condition),
            Terminator::Switch { value, .. } => self.value(value),
            _ => {}
        }
    }

    fn note_operand(&mut self, operand: Operand<'_>) {
        match operand {
            Operand::Value(value) => self.value(value),
            other => self.address(other.expression()),
        }
    }

    /// An address that is a value is known elsewhere.
    fn value(&mut self, expr: &Expr) {
        match expr {
            Expr::ObjectAddress(object) => {
                self.0.insert(*object);
            }
            Expr::Load(place) => self.address(&place.address),
            other => walk::parts(other, &mut |part| self.value(part)),
        }
    }

    /// An address at which something is read or written.
    fn address(&mut self, address: &Expr) {
        match address {
            Expr::ObjectAddress(_) => {}
            Expr::Offset { base, bytes } => {
                self.address(base);
                self.value(bytes);
            }
            other => self.value(other),
        }
    }
}
