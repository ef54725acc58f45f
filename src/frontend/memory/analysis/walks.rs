//! Whether a program may put new objects into lists behind others over which a pointer has been moved, as in `for (p = list; p &&
//! p->key < key; p = p->next) before = p; … before->next = new`.

use std::collections::BTreeSet;

use regatta_program::digraph::Digraph;
use rustc_hash::FxHashMap;

use super::call_graph::CallSite;
use super::endless::{copied_pointer, loaded_pointer};
use super::walk;
use crate::ir::{Block, Expr, Instruction, ObjectIndex, Place, ScalarType, Terminator, Unit};

/// Whether some function writes a pointer through a variable that it moves over links, and an object may be made after that move.
/// Calls return to any of their callers here.
pub fn may_insert_behind(unit: &Unit, calls: &[CallSite]) -> bool {
    let mut walking = Vec::new();
    let mut making = Vec::new();
    let mut first = Vec::new();
    let mut count = 0;
    for function in &unit.functions {
        first.push(count);
        let walks = writes_behind(&function.blocks);
        for (number, block) in (count..).zip(&function.blocks) {
            let mut instructions = block
                .instructions
                .iter()
                .map(|(instruction, _)| instruction);
            if walks
                && instructions
                    .clone()
                    .any(|one| loaded_pointer(one).is_some())
            {
                walking.push(number);
            }
            if instructions.any(|one| matches!(one, Instruction::Allocate { .. })) {
                making.push(number);
            }
        }
        count += function.blocks.len() as u32;
    }
    if walking.is_empty() || making.is_empty() {
        return false;
    }
    let mut edges = Vec::new();
    for (function, &first) in unit.functions.iter().zip(&first) {
        for (number, block) in (first..).zip(&function.blocks) {
            let next = walk::successors(&block.terminator).into_iter();
            edges.extend(next.map(|next| (number, first + next)));
        }
    }
    let mut number_by_block = FxHashMap::default();
    for call in calls {
        *number_by_block
            .entry((call.caller, call.block))
            .or_insert(0) += 1;
    }
    for call in calls {
        let caller = first[call.caller.0 as usize] + call.block.0;
        let has_others = number_by_block[&(call.caller, call.block)] > 1;
        let block = &unit.functions[call.caller.0 as usize].blocks[call.block.0 as usize];
        let next = walk::successors(&block.terminator).into_iter();
        let next = next.map(|next| first[call.caller.0 as usize] + next);
        let next: Vec<u32> = next.chain(has_others.then_some(caller)).collect();
        for callee in &call.callees {
            let entry = first[callee.0 as usize];
            edges.push((caller, entry));
            let blocks = &unit.functions[callee.0 as usize].blocks;
            let returns = (entry..).zip(blocks);
            let returns =
                returns.filter(|(_, block)| matches!(block.terminator, Terminator::Return));
            for (number, _) in returns {
                edges.extend(next.iter().map(|&next| (number, next)));
            }
        }
    }
    let graph = Digraph::new(count as usize, edges.into_iter());
    let reached = graph.reachable(walking);
    making.into_iter().any(|number| reached[number as usize])
}

/// Whether a function writes pointers through a variable that gets its value from memory, or is a copy of such a one.
fn writes_behind(blocks: &[Block]) -> bool {
    let instructions = || {
        let all = blocks.iter().flat_map(|block| &block.instructions);
        all.map(|(instruction, _)| instruction)
    };
    let mut moved: BTreeSet<ObjectIndex> = instructions().filter_map(loaded_pointer).collect();
    loop {
        let copies = instructions()
            .flat_map(|one| moved.iter().filter_map(|&from| copied_pointer(one, from)));
        let new: Vec<ObjectIndex> = copies.filter(|copy| !moved.contains(copy)).collect();
        if new.is_empty() {
            break;
        }
        moved.extend(new);
    }
    instructions().any(|instruction| match instruction {
        Instruction::Assign {
            place:
                Place {
                    address,
                    scalar: ScalarType::Pointer,
                    ..
                },
            ..
        } => {
            let mut base = &**address;
            while let Expr::Offset { base: inner, .. } = base {
                base = inner;
            }
            match base {
                Expr::Load(pointer) => match *pointer.address {
                    Expr::ObjectAddress(pointer) => moved.contains(&pointer),
                    _ => false,
                },
                _ => false,
            }
        }
        _ => false,
    })
}
