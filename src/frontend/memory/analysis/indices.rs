//! Checks that the indices in a unit are valid, so that the later steps can rely on it.

use super::walk;
use crate::ir::{Block, Callee, Expr, FunctionIndex, Instruction, ObjectIndex, Storage, Unit};

/// Describes the first invalid index, if there is one.
pub fn dangling(unit: &Unit) -> Option<String> {
    let is_function = |index: FunctionIndex| (index.0 as usize) < unit.functions.len();
    let is_object = |index: ObjectIndex| (index.0 as usize) < unit.objects.len();
    for object in &unit.objects {
        if let Storage::Automatic(function) = object.storage
            && !is_function(function)
        {
            return Some(format!("`{}` is of no function", object.name));
        }
    }
    let outside = &unit.outside;
    if !outside.environment.is_none_or(is_function) || !outside.memory.is_none_or(is_object) {
        return Some("the environment is not in the unit".to_owned());
    }
    let is_sound = |block: &Block, blocks: usize| {
        let mut sound = true;
        walk::every_expression(block, &mut |expr| {
            sound &= match expr {
                Expr::ObjectAddress(object) => is_object(*object),
                Expr::FunctionAddress(function) => is_function(*function),
                _ => true,
            };
        });
        for (instruction, _) in &block.instructions {
            sound &= match instruction {
                Instruction::Declare(object) => is_object(*object),
                Instruction::Call {
                    callee: Callee::Direct(function) | Callee::Escaped(function),
                    ..
                } => is_function(*function),
                _ => true,
            };
        }
        let next = walk::successors(&block.terminator);
        sound && next.iter().all(|&next| (next as usize) < blocks)
    };
    for function in &unit.functions {
        let mut objects = function.parameters.iter().chain(&function.result);
        let blocks = &function.blocks;
        if blocks.is_empty() {
            return Some(format!("`{}` has no entry", function.name));
        }
        if !objects.all(|&object| is_object(object))
            || !blocks.iter().all(|block| is_sound(block, blocks.len()))
        {
            return Some(format!("`{}` names what is not in the unit", function.name));
        }
    }
    None
}
