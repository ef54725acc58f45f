//! Finds the objects and functions whose addresses are taken: pointers can refer only to these.

use rustc_hash::FxHashSet;

use super::conflict::ConflictAnalysis;
use crate::ir::{Argument, Callee, Expr, FunctionIndex, Instruction, ResultPlace, Terminator};
use crate::memory::walk;

impl ConflictAnalysis<'_> {
    /// Collects the objects and functions whose addresses are taken.
    pub(super) fn find_addresses(&mut self) {
        let mut pointed = FxHashSet::default();
        for block in self.functions.iter().flat_map(|function| &function.blocks) {
            let mut visit = |expr: &Expr| self.note_addresses(expr, &mut pointed);
            for (instruction, _) in &block.instructions {
                if let Some(place) = instruction.written_place() {
                    inside_address(&place.address, &mut visit);
                }
                match instruction {
                    // Whole ranges are accessed, as through a place.
                    Instruction::Copy {
                        destination,
                        source,
                        ..
                    } => {
                        inside_address(destination, &mut visit);
                        inside_address(source, &mut visit);
                    }
                    Instruction::Fill { destination, .. } => {
                        inside_address(destination, &mut visit);
                    }
                    Instruction::Assign { value, .. } | Instruction::WriteDevice { value, .. } => {
                        visit(value);
                    }
                    Instruction::ReadDevice { source, .. } => {
                        inside_address(&source.address, &mut visit);
                    }
                    Instruction::Nondet { .. }
                    | Instruction::Choice { .. }
                    | Instruction::Approximate { .. } => {}
                    Instruction::Allocate { size, .. } => visit(size),
                    // Arguments passed by value and the targets of results are places as well.
                    Instruction::Call {
                        arguments, result, ..
                    }
                    | Instruction::CallUnknown {
                        arguments, result, ..
                    } => {
                        if let Instruction::Call {
                            callee: Callee::Indirect(pointer),
                            ..
                        } = instruction
                        {
                            visit(pointer);
                        }
                        for argument in arguments {
                            match argument {
                                Argument::Scalar { value, .. } => visit(value),
                                Argument::Object { address, .. } => {
                                    inside_address(address, &mut visit);
                                }
                            }
                        }
                        match result {
                            Some(ResultPlace::Scalar(place)) => {
                                inside_address(&place.address, &mut visit);
                            }
                            Some(ResultPlace::Object { address, .. }) => {
                                inside_address(address, &mut visit);
                            }
                            None => {}
                        }
                    }
                    other => walk::operands(other, &mut visit),
                }
            }
            match &block.terminator {
                Terminator::Branch { condition, .. } => visit(condition),
                Terminator::Switch { value, .. } => visit(value),
                _ => {}
            }
        }
        self.pointed = pointed.into_iter().collect();
        self.pointed.sort_unstable();
    }

    fn note_addresses(&mut self, expr: &Expr, pointed: &mut FxHashSet<FunctionIndex>) {
        match expr {
            Expr::ObjectAddress(object) => {
                self.taken.insert(*object);
            }
            Expr::FunctionAddress(function) => {
                pointed.insert(*function);
            }
            Expr::ExternalFunctionAddress(_) => self.points_outside = true,
            Expr::Load(place) => inside_address(&place.address, &mut |expr| {
                self.note_addresses(expr, pointed);
            }),
            _ => walk::parts(expr, &mut |part| self.note_addresses(part, pointed)),
        }
    }
}

/// Visits the operands of an address, but not the object that it is in.
fn inside_address(address: &Expr, visit: &mut dyn FnMut(&Expr)) {
    match address {
        Expr::ObjectAddress(_) => {}
        Expr::Offset { base, bytes } => {
            inside_address(base, visit);
            visit(bytes);
        }
        other => visit(other),
    }
}
