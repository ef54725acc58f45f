//! The effects of code, including its calls.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::conflict::ConflictAnalysis;
use super::step::{Access, Part, Region, Step, reads_rounding, region_of, steps_of};
use crate::ir::{
    Callee, Expr, FunctionIndex, Instruction, ObjectIndex, Place, Storage, Terminator,
};
use crate::lower::expressions::fold;
use crate::lower::limits::MAXIMUM_PARTS_PER_OBJECT;
use crate::memory::walk;

/// The memory that is read, or that is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Footprint {
    /// Objects accessed by name, with the accessed parts.
    pub named: FxHashMap<ObjectIndex, FxHashSet<Part>>,
    /// The kinds of accesses through pointers.
    pub through: FxHashSet<Option<Access>>,
    /// Whether the rounding mode is accessed.
    pub rounding: bool,
}

impl Footprint {
    fn insert(&mut self, region: Region) {
        match region {
            Region::Named(object, part) => self.insert_part(object, part),
            Region::Through(kind) => {
                self.through.insert(kind);
            }
            Region::Rounding => self.rounding = true,
        }
    }

    fn insert_part(&mut self, object: ObjectIndex, part: Part) {
        let parts = self.named.entry(object).or_default();
        if parts.contains(&None) {
            return;
        }
        if part.is_none() || parts.len() >= MAXIMUM_PARTS_PER_OBJECT {
            parts.clear();
            parts.insert(None);
        } else {
            parts.insert(part);
        }
    }

    fn add(&mut self, other: &Self) {
        for (&object, parts) in &other.named {
            for &part in parts {
                self.insert_part(object, part);
            }
        }
        self.through.extend(&other.through);
        self.rounding |= other.rounding;
    }
}

/// All possible effects of some code, including its calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub reads: Footprint,
    pub writes: Footprint,
    /// For each object that is written by its name, the only part of it that is written and the constant that it is set to;
    /// `None` if there are several, or another value.
    settings: FxHashMap<ObjectIndex, Option<(Part, i128)>>,
    pub unknown: bool,
    pub ends: bool,
    pub errors: bool,
}

impl Effects {
    /// Adds a write of a value, if that is a constant.
    fn write(&mut self, region: Region, value: Option<i128>) {
        if let Region::Named(object, part) = region {
            self.set(object, value.map(|value| (part, value)));
        }
        self.writes.insert(region);
    }

    fn set(&mut self, object: ObjectIndex, setting: Option<(Part, i128)>) {
        let known = self.settings.entry(object).or_insert(setting);
        if *known != setting {
            *known = None;
        }
    }

    /// Whether both write the same constant to the same part of the object, and nothing else to it.
    pub fn set_alike(&self, other: &Self, object: ObjectIndex) -> bool {
        let setting = |effects: &Self| effects.settings.get(&object).copied().flatten();
        setting(self).is_some() && setting(self) == setting(other)
    }

    fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        for (&object, &setting) in &other.settings {
            self.set(object, setting);
        }
        self.unknown |= other.unknown;
        self.ends |= other.ends;
        self.errors |= other.errors;
    }
}

/// A function's own effects, and its callees.
pub(super) struct Direct {
    effects: Effects,
    callees: Vec<FunctionIndex>,
    calls_through_pointers: bool,
}

impl ConflictAnalysis<'_> {
    pub(super) fn effects_of(&mut self, step: Step) -> Rc<Effects> {
        let mut effects = Effects::default();
        match step {
            Step::Read(region) => {
                effects.reads.insert(region);
            }
            Step::Write(region) => effects.write(region, None),
            Step::Update(region) => {
                effects.reads.insert(region);
                effects.write(region, None);
            }
            Step::Call(function) => return self.effects_of_call(Some(function)),
            Step::CallThroughPointer => return self.effects_of_call(None),
            Step::CallUnknown => effects.unknown = true,
            Step::End => effects.ends = true,
            Step::Error => effects.errors = true,
        }
        Rc::new(effects)
    }

    /// The effects of a call of the function (of a call through a pointer for `None`), including nested calls.
    fn effects_of_call(&mut self, callee: Option<FunctionIndex>) -> Rc<Effects> {
        if let Some(known) = self.effects.get(&callee) {
            return Rc::clone(known);
        }
        let mut all = Effects::default();
        let mut work: Vec<FunctionIndex> = callee.into_iter().collect();
        let mut through_pointers = callee.is_none();
        let mut seen: FxHashSet<FunctionIndex> = FxHashSet::default();
        loop {
            while let Some(index) = work.pop() {
                if !seen.insert(index) {
                    continue;
                }
                let direct = self.direct(index);
                all.add(&direct.effects);
                work.extend(&direct.callees);
                through_pointers |= direct.calls_through_pointers;
            }
            if !std::mem::take(&mut through_pointers) {
                break;
            }
            all.unknown |= self.points_outside;
            work.extend(self.pointed.iter().filter(|index| !seen.contains(index)));
        }
        let all = Rc::new(all);
        self.effects.insert(callee, Rc::clone(&all));
        all
    }

    fn direct(&mut self, index: FunctionIndex) -> Rc<Direct> {
        if let Some(known) = self.direct.get(&index) {
            return Rc::clone(known);
        }
        let mut direct = Direct {
            effects: Effects::default(),
            callees: Vec::new(),
            calls_through_pointers: false,
        };
        let function = self.functions.get(index.0 as usize);
        for block in function.into_iter().flat_map(|function| &function.blocks) {
            for (instruction, _) in &block.instructions {
                self.add_instruction(instruction, &mut direct.effects);
                if let Instruction::Call { callee, .. } = instruction {
                    match callee {
                        Callee::Direct(callee) | Callee::Escaped(callee) => {
                            direct.callees.push(*callee);
                        }
                        Callee::Indirect(_) => direct.calls_through_pointers = true,
                    }
                }
            }
            let effects = &mut direct.effects;
            match &block.terminator {
                Terminator::Branch { condition, .. } => self.add_reads(condition, effects),
                Terminator::Switch { value, .. } => self.add_reads(value, effects),
                Terminator::End => effects.ends = true,
                Terminator::Error => effects.errors = true,
                Terminator::Goto(_) | Terminator::Return | Terminator::Unreachable => {}
            }
        }
        let direct = Rc::new(direct);
        self.direct.insert(index, Rc::clone(&direct));
        direct
    }

    fn add_instruction(&self, instruction: &Instruction, effects: &mut Effects) {
        walk::operands(instruction, &mut |expr| self.add_reads(expr, effects));
        let mut region = |place: &Place| region_of(place, self.pointer_bits);
        let value = match instruction {
            Instruction::Assign { value, .. } => fold::constant(value),
            _ => None,
        };
        for step in steps_of(instruction, &mut region) {
            match step {
                Step::Read(region) if self.is_lasting(region) => {
                    effects.reads.insert(region);
                }
                Step::Write(region) if self.is_lasting(region) => effects.write(region, value),
                Step::CallUnknown => effects.unknown = true,
                Step::End => effects.ends = true,
                Step::Error => effects.errors = true,
                Step::Read(_)
                | Step::Write(_)
                | Step::Update(_)
                | Step::Call(_)
                | Step::CallThroughPointer => {}
            }
        }
    }

    fn add_reads(&self, expr: &Expr, effects: &mut Effects) {
        if let Expr::Load(place) = expr {
            let region = region_of(place, self.pointer_bits);
            if self.is_lasting(region) {
                effects.reads.insert(region);
            }
        }
        effects.reads.rounding |= reads_rounding(expr);
        walk::parts(expr, &mut |part| self.add_reads(part, effects));
    }

    /// Checks whether a callee's access is visible outside: its own locals, by name, are new in each call.
    fn is_lasting(&self, region: Region) -> bool {
        match region {
            Region::Named(object, _) => !self.is_automatic(object),
            Region::Through(_) | Region::Rounding => true,
        }
    }

    pub(super) fn is_automatic(&self, object: ObjectIndex) -> bool {
        self.objects
            .get(object.0 as usize)
            .is_none_or(|object| matches!(object.storage, Storage::Automatic(_)))
    }
}
