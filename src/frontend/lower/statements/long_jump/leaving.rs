//! Finds the functions that a jump may leave, and removes the marks of lowering.

use rustc_hash::FxHashSet;

use super::{LANDING, NO_OTHER_JUMPS};
use crate::ir::{BlockIndex, Callee, Expr, Function, FunctionIndex, Instruction, UnknownEffect};
use crate::memory::walk;

/// The marked blocks of a function.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pub exit: Option<BlockIndex>,
    pub landings: Vec<(usize, BlockIndex)>,
}

impl Marks {
    /// Removes the marks and returns the marked blocks.
    pub(super) fn take(function: &mut Function) -> Self {
        let mut marks = Self::default();
        for (index, block) in function.blocks.iter_mut().enumerate() {
            let index = BlockIndex(index as u32);
            let Some(label) = block
                .label
                .as_deref()
                .filter(|label| label.starts_with('#'))
            else {
                continue;
            };
            match label.strip_prefix(LANDING).map(str::parse) {
                Some(Ok(number)) => marks.landings.push((number, index)),
                _ => marks.exit = Some(index),
            }
            block.label = None;
        }
        marks
    }
}

/// Removes the assumption about unknown code if there is none.
pub(super) fn drop_unneeded_assumption(functions: &mut [Function]) {
    let instructions = |function: &Function| {
        let mut blocks = function.blocks.iter().flat_map(|block| &block.instructions);
        blocks.any(|(one, _)| {
            matches!(
                one,
                Instruction::CallUnknown {
                    effect: UnknownEffect::Reachable,
                    ..
                }
            )
        })
    };
    if functions.iter().any(instructions) {
        return;
    }
    for block in functions
        .iter_mut()
        .flat_map(|function| &mut function.blocks)
    {
        block.instructions.retain(|(one, _)| {
            !matches!(one, Instruction::Assumption { what, .. } if what == NO_OTHER_JUMPS)
        });
    }
}

/// The functions that a jump may leave, and whether one of them may be called through a pointer.
pub(super) fn leaving(functions: &[Function], marks: &[Marks]) -> (FxHashSet<FunctionIndex>, bool) {
    let mut leaving: FxHashSet<FunctionIndex> = FxHashSet::default();
    for (index, marks) in marks.iter().enumerate() {
        if marks.exit.is_some() {
            leaving.insert(FunctionIndex(index as u32));
        }
    }
    let mut taken: FxHashSet<FunctionIndex> = FxHashSet::default();
    for block in functions.iter().flat_map(|function| &function.blocks) {
        walk::every_expression(block, &mut |expr| {
            if let Expr::FunctionAddress(index) = expr {
                taken.insert(*index);
            }
        });
    }
    loop {
        let before = leaving.len();
        let by_pointer = leaving.iter().any(|index| taken.contains(index));
        for (index, function) in functions.iter().enumerate() {
            let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
            if instructions.any(|(one, _)| may_leave(one, &leaving, by_pointer)) {
                leaving.insert(FunctionIndex(index as u32));
            }
        }
        if leaving.len() == before {
            return (leaving, by_pointer);
        }
    }
}

/// Checks whether a jump may be pending after an instruction.
pub(super) fn may_leave(
    instruction: &Instruction,
    leaving: &FxHashSet<FunctionIndex>,
    by_pointer: bool,
) -> bool {
    match instruction {
        Instruction::Call { callee, .. } => match callee {
            Callee::Direct(index) | Callee::Escaped(index) => leaving.contains(index),
            Callee::Indirect(_) => by_pointer,
        },
        _ => false,
    }
}
