//! The uses of automatic objects in a function.

use rustc_hash::FxHashSet;

use crate::ir::{
    BlockIndex, Expr, Function, FunctionIndex, Instruction, Object, ObjectIndex, Place, Storage,
    Terminator,
};
use crate::memory::walk::{self, Operand};

/// The uses of a function's automatic objects, by block.
#[derive(Debug)]
pub(super) struct Uses {
    /// Objects that are read before they are written as a whole.
    read: Vec<FxHashSet<ObjectIndex>>,
    /// Objects that are written as a whole.
    set: Vec<FxHashSet<ObjectIndex>>,
    /// Objects that are written at least in part.
    written: Vec<FxHashSet<ObjectIndex>>,
    /// Objects whose addresses escape.
    pub escaped: FxHashSet<ObjectIndex>,
}

/// The automatic objects of a function whose addresses it uses as values.
pub(in crate::lower) fn escaped(
    function: &Function,
    index: FunctionIndex,
    objects: &[Object],
) -> FxHashSet<ObjectIndex> {
    Uses::of(function, index, objects).escaped
}

impl Uses {
    pub(super) fn of(function: &Function, index: FunctionIndex, objects: &[Object]) -> Self {
        let count = function.blocks.len();
        let mut uses = Self {
            read: vec![FxHashSet::default(); count],
            set: vec![FxHashSet::default(); count],
            written: vec![FxHashSet::default(); count],
            escaped: FxHashSet::default(),
        };
        let is_own = |object: ObjectIndex| {
            objects
                .get(object.0 as usize)
                .is_some_and(|object| object.storage == Storage::Automatic(index))
        };
        for (number, block) in function.blocks.iter().enumerate() {
            for (instruction, _) in &block.instructions {
                uses.instruction(number, instruction, &is_own);
            }
            let mut read = |expr: &Expr| uses.expression(number, expr, &is_own);
            match &block.terminator {
                Terminator::Branch { condition, .. } => read(condition),
                Terminator::Switch { value, .. } => read(value),
                Terminator::Return => {
                    if let Some(result) = function.result {
                        uses.note_read(number, result);
                    }
                }
                _ => {}
            }
        }
        uses
    }

    fn note_read(&mut self, block: usize, object: ObjectIndex) {
        if !self.set[block].contains(&object) {
            self.read[block].insert(object);
        }
    }

    /// Records the reads of an expression; an address used as a value escapes.
    fn expression(&mut self, block: usize, expr: &Expr, is_own: &dyn Fn(ObjectIndex) -> bool) {
        match expr {
            Expr::ObjectAddress(object) if is_own(*object) => {
                self.note_read(block, *object);
                self.escaped.insert(*object);
            }
            Expr::Load(place) => self.address(block, &place.address, is_own),
            other => walk::parts(other, &mut |part| self.expression(block, part, is_own)),
        }
    }

    /// Records an address that is read, or written in part.
    fn address(&mut self, block: usize, address: &Expr, is_own: &dyn Fn(ObjectIndex) -> bool) {
        match address {
            Expr::ObjectAddress(object) => {
                if is_own(*object) {
                    self.note_read(block, *object);
                }
            }
            Expr::Offset { base, bytes } => {
                self.address(block, base, is_own);
                self.expression(block, bytes, is_own);
            }
            other => self.expression(block, other, is_own),
        }
    }

    /// Records an address that is written.
    fn target(&mut self, block: usize, place: &Place, is_own: &dyn Fn(ObjectIndex) -> bool) {
        if let Some(object) = walk::start_of(&place.address)
            && is_own(object)
        {
            self.written[block].insert(object);
        }
        match &*place.address {
            Expr::ObjectAddress(object) if is_own(*object) => {
                if place.bit_field.is_none() {
                    self.set[block].insert(*object);
                }
            }
            other => self.address(block, other, is_own),
        }
    }

    fn instruction(
        &mut self,
        block: usize,
        instruction: &Instruction,
        is_own: &dyn Fn(ObjectIndex) -> bool,
    ) {
        if let Instruction::Declare(object) = instruction
            && is_own(*object)
        {
            self.written[block].insert(*object);
            self.set[block].insert(*object);
        }
        // What the instruction writes is written after all that it reads is read.
        let mut written = Vec::new();
        walk::operands_by_use(instruction, &mut |operand| match operand {
            Operand::Value(expr) => self.expression(block, expr, is_own),
            Operand::Source(address) => self.address(block, address, is_own),
            Operand::Target(_) | Operand::Filled(_) => written.push(operand),
        });
        for operand in written {
            match operand {
                Operand::Target(place) => self.target(block, place, is_own),
                other => self.filled(block, other.expression(), is_own),
            }
        }
    }

    /// Records an address that is written in part.
    fn filled(&mut self, block: usize, address: &Expr, is_own: &dyn Fn(ObjectIndex) -> bool) {
        if let Some(object) = walk::start_of(address)
            && is_own(object)
        {
            self.written[block].insert(object);
        }
        self.address(block, address, is_own);
    }

    /// The objects that may be read from one of the blocks on.
    pub(super) fn live_at(
        &self,
        function: &Function,
        blocks: &[BlockIndex],
    ) -> FxHashSet<ObjectIndex> {
        let mut live: Vec<FxHashSet<ObjectIndex>> = self.read.clone();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (index, block) in function.blocks.iter().enumerate().rev() {
                for next in walk::successors(&block.terminator) {
                    let more: Vec<ObjectIndex> = live[next as usize]
                        .iter()
                        .filter(|object| !self.set[index].contains(object))
                        .filter(|object| !live[index].contains(object))
                        .copied()
                        .collect();
                    changed |= !more.is_empty();
                    live[index].extend(more);
                }
            }
        }
        let mut result = FxHashSet::default();
        for block in blocks {
            result.extend(live[block.0 as usize].iter().copied());
        }
        // An escaped object may be read anywhere.
        result.extend(self.escaped.iter().copied());
        result
    }

    /// The objects that may be written behind one of the blocks.
    pub(super) fn written_behind(
        &self,
        function: &Function,
        blocks: &[BlockIndex],
    ) -> FxHashSet<ObjectIndex> {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut written = FxHashSet::default();
        let mut open: Vec<u32> = blocks.iter().map(|block| block.0).collect();
        while let Some(index) = open.pop() {
            if seen.insert(index) {
                written.extend(self.written[index as usize].iter().copied());
                open.extend(walk::successors(
                    &function.blocks[index as usize].terminator,
                ));
            }
        }
        written
    }
}
