//! The objects that pointers lead to at a point of a run.
//!
//! Every value that could be a pointer counts as one, wherever its bytes lie: an object is called lost only if nothing of
//! the state can be a pointer to it. The roots are the variables of the active functions, and the objects that are not on the
//! heap. A pointer just beyond an object's end leads to it, too.

use std::collections::BTreeSet;

use super::heap::{AddressRegisters, Heap};
use super::machine::Stack;
use super::objects::{LiveObject, ObjectTable, Origin};
use crate::Scope;
use crate::interpreter::code::bytecode::Place;
use crate::interpreter::code::executable::{Executable, RegionDescription};
use crate::interpreter::limits::MAXIMUM_SCANNED_BYTES;
use crate::interpreter::outcome::{MemoryFault, MemoryFaultKind};

/// Where pointers may lie.
pub(in crate::interpreter) struct Roots<'m> {
    pub(in crate::interpreter) executable: &'m Executable,
    pub(in crate::interpreter) heap: &'m Heap,
    pub(in crate::interpreter) stack: &'m Stack,
    pub(in crate::interpreter) addresses: &'m AddressRegisters<'m>,
    pub(in crate::interpreter) wide: &'m [u128],
}

/// An object of the heap that nothing leads to; `None` also if that is too expensive to tell.
pub(in crate::interpreter) fn lost(roots: &Roots<'_>) -> Option<MemoryFault> {
    let reached = Search::new(roots).run()?;
    let objects = &roots.heap.objects;
    let is_lost = |object: &&LiveObject| object.is_on_heap() && !reached.contains(&object.start);
    let object = objects.live().find(is_lost)?;
    Some(object.fault(MemoryFaultKind::Lost, object.start, None))
}

/// An object of the heap that exists.
pub(in crate::interpreter) fn not_freed(objects: &ObjectTable) -> Option<MemoryFault> {
    let object = objects.live().find(|object| object.is_on_heap())?;
    Some(object.fault(MemoryFaultKind::NotFreed, object.start, None))
}

struct Search<'m> {
    roots: &'m Roots<'m>,
    /// The first addresses of the objects that were reached.
    reached: BTreeSet<u64>,
    /// Those whose contents have not been looked at.
    waiting: Vec<LiveObject>,
    /// The bytes that may still be looked at.
    left: u64,
}

impl<'m> Search<'m> {
    fn new(roots: &'m Roots<'m>) -> Self {
        Self {
            roots,
            reached: BTreeSet::new(),
            waiting: Vec::new(),
            left: MAXIMUM_SCANNED_BYTES,
        }
    }

    /// The first addresses of all objects that are reached; `None` if not everything could be looked at.
    fn run(mut self) -> Option<BTreeSet<u64>> {
        if !self.roots.stack.arrays.is_empty() {
            return None;
        }
        self.reach_from_variables()?;
        let objects = self.roots.heap.objects.live();
        for object in objects.filter(|object| !object.is_on_heap()) {
            self.reach(object);
        }
        while let Some(object) = self.waiting.pop() {
            self.reach_from_contents(&object)?;
        }
        Some(self.reached)
    }

    fn reach(&mut self, object: &LiveObject) {
        if self.reached.insert(object.start) {
            self.waiting.push(*object);
        }
    }

    fn reach_by_value(&mut self, value: u64) {
        if let Some(object) = self.roots.heap.objects.target(value).copied() {
            self.reach(&object);
        }
    }

    /// Takes every part of the bytes that is as long as a pointer for one.
    fn reach_by_bytes(&mut self, bytes: &[u8]) {
        let length = self.roots.executable.pointer_bytes as usize;
        for part in bytes.windows(length) {
            let digits = part.iter().rev();
            let value = digits.fold(0, |value, &byte| value << 8 | u64::from(byte));
            if value != 0 {
                self.reach_by_value(value);
            }
        }
    }

    /// The functions' variables; `None` if an array is among them.
    fn reach_from_variables(&mut self) -> Option<()> {
        let Roots {
            executable,
            stack,
            addresses,
            wide,
            ..
        } = *self.roots;
        let calls = stack.frames.iter();
        let callees = calls.map(|frame| executable.calls[frame.site as usize].callee);
        let active: BTreeSet<_> = callees.chain([executable.start]).collect();
        for variable in &executable.variables {
            if matches!(variable.scope, Scope::Local(function) if !active.contains(&function)) {
                continue;
            }
            match variable.place {
                Place::Narrow(register) => {
                    self.reach_by_value(addresses.narrow[register as usize]);
                }
                Place::Wide(register) => {
                    self.reach_by_bytes(&wide[register as usize].to_le_bytes());
                }
                Place::Array(_) if variable.is_of_memory => {}
                Place::Integer(_) | Place::Array(_) => return None,
            }
        }
        // Earlier activations of recursive functions.
        for &value in &stack.narrow {
            self.reach_by_value(value);
        }
        for value in &stack.wide {
            self.reach_by_bytes(&value.to_le_bytes());
        }
        Some(())
    }

    fn reach_from_contents(&mut self, object: &LiveObject) -> Option<()> {
        for region in &self.roots.executable.regions {
            let may_have_it = match object.origin {
                Origin::Static(id) => region.objects.contains(&id),
                Origin::Dynamic(_) => !region.single,
            };
            if may_have_it && region.array != u32::MAX {
                self.left = self.left.checked_sub(object.size)?;
                let bytes = self.bytes_of(object, region);
                self.reach_by_bytes(&bytes);
            }
        }
        Some(())
    }

    /// The bytes of an object in one of its regions.
    fn bytes_of(&self, object: &LiveObject, region: &RegionDescription) -> Vec<u8> {
        let Roots {
            heap, addresses, ..
        } = *self.roots;
        let base = region.base.and_then(|base| addresses.get(base));
        let first = object.start.wrapping_sub(base.unwrap_or(0));
        let cells = &heap.memories[region.array as usize].cells;
        let byte = |offset: u64| {
            let position = first.wrapping_add(offset);
            let cell = cells.peek_bits(position / region.element_bytes);
            let within = (position % region.element_bytes * 8) as u32;
            cell.checked_shr(within).unwrap_or(0) as u8
        };
        (0..object.size).map(byte).collect()
    }
}
