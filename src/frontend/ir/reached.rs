//! The text of what a unit's start reaches: two units with the same text have the same executions.
//!
//! Left out are functions that are never called, static objects that no function that is called mentions, and positions in
//! the source. String literals are numbered anew, so that those of other functions do not matter.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

use super::print::With;
use super::{Expr, Instruction, ObjectIndex, Storage, Unit};
use crate::memory::reachable_from;
use crate::memory::walk::{every_expression, every_part, start_of};

/// The text of what the unit's start reaches.
pub fn reached_text(unit: &Unit) -> String {
    let reached = reachable_from(&unit.functions, [unit.start]);
    let mut mentioned: FxHashSet<ObjectIndex> = FxHashSet::default();
    let mut functions = String::new();
    for (number, function) in unit.functions.iter().enumerate() {
        if !reached[number] || number == unit.start.0 as usize {
            continue;
        }
        for block in &function.blocks {
            every_expression(block, &mut |expr| note(expr, &mut mentioned));
        }
        let _ = write!(functions, "{}", With(unit, function));
    }
    let start = start_text(unit, &mut mentioned);
    let mut objects: Vec<ObjectIndex> = mentioned.into_iter().collect();
    objects.sort_by_key(|object| object.0);
    let mut text = String::new();
    for index in objects {
        let Some(object) = unit.objects.get(index.0 as usize) else {
            continue;
        };
        if matches!(object.storage, Storage::Automatic(_)) {
            continue;
        }
        let _ = writeln!(
            text,
            "{} {} {} {} {:?}",
            With(unit, object),
            object.constant,
            unit.volatile.contains(&index),
            unit.signalled.contains(&index),
            unit.texts.get(&index)
        );
    }
    text.push_str(&start);
    text.push_str(&functions);
    let _ = writeln!(text, "{:?} {:?}", unit.data_model, unit.outside.effect);
    renumbered(&text)
}

/// The instructions of the start function that matter for the mentioned objects, to which those are added that they mention.
fn start_text(unit: &Unit, mentioned: &mut FxHashSet<ObjectIndex>) -> String {
    let Some(start) = unit.functions.get(unit.start.0 as usize) else {
        return String::new();
    };
    let blocks = start.blocks.iter().enumerate();
    let instructions: Vec<(usize, &Instruction)> = blocks
        .flat_map(|(number, block)| {
            let instructions = block.instructions.iter();
            instructions.map(move |(instruction, _)| (number, instruction))
        })
        .filter(|(_, instruction)| !matches!(instruction, Instruction::Waypoint { .. }))
        .collect();
    let mut is_used = vec![false; instructions.len()];
    loop {
        let mut has_more = false;
        for (used, (_, instruction)) in is_used.iter_mut().zip(&instructions) {
            if !*used && matters(instruction, mentioned) {
                every_part(instruction, &mut |expr| note(expr, mentioned));
                (*used, has_more) = (true, true);
            }
        }
        if !has_more {
            break;
        }
    }
    let mut text = String::new();
    for (number, block) in start.blocks.iter().enumerate() {
        let _ = writeln!(text, "b{number}: {}", With(unit, &block.terminator));
    }
    for (used, (number, instruction)) in is_used.into_iter().zip(instructions) {
        if used {
            let _ = writeln!(text, "b{number}: {}", With(unit, instruction));
        }
    }
    text
}

/// Whether an instruction does more than set the first value of an object that is not mentioned.
fn matters(instruction: &Instruction, mentioned: &FxHashSet<ObjectIndex>) -> bool {
    match instruction {
        Instruction::Assign { place, .. } => {
            start_of(&place.address).is_none_or(|object| mentioned.contains(&object))
        }
        _ => true,
    }
}

fn note(expr: &Expr, mentioned: &mut FxHashSet<ObjectIndex>) {
    if let Expr::ObjectAddress(object) = expr {
        mentioned.insert(*object);
    }
}

/// The text with string literals numbered in the order in which it names them.
fn renumbered(text: &str) -> String {
    const NAME: &str = "string#";
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(NAME) {
        let (before, behind) = rest.split_at(at + NAME.len());
        result.push_str(before);
        let end = behind.find(|c: char| !c.is_ascii_digit());
        let (number, after) = behind.split_at(end.unwrap_or(behind.len()));
        let next = numbers.len();
        let _ = write!(result, "{}", numbers.entry(number).or_insert(next));
        rest = after;
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_numbered_by_their_first_use() {
        let text = "string#7 = 1; x = &string#12; string#7";
        assert_eq!(renumbered(text), "string#0 = 1; x = &string#1; string#0");
    }
}
