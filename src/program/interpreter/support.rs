//! What the machine's loop calls for the longer instructions.

use super::bytecode::{Locals, Place, Register};
use super::executable::Executable;
use super::input::InputSource;
use super::integer::Integer;
use super::machine::{AddressRegisters, Attempt, Heap, Log, Memory, Stack};
use super::objects::Misuse;
use super::outcome::FaultKind;
use crate::program::{Input, InputId};
use crate::term::{Op, ScalarSort, Value};

/// The ones of an array's indices.
#[inline]
pub(super) fn index_mask(executable: &Executable, array: Register) -> u64 {
    match executable.arrays[array as usize].shape.index {
        ScalarSort::BitVec(width @ 1..64) => u64::MAX >> (64 - width),
        _ => u64::MAX,
    }
}

/// Whether consecutive bytes are in a live object.
#[inline]
pub(super) fn check_bytes(
    executable: &Executable,
    heap: &mut Heap,
    registers: &AddressRegisters<'_>,
    array: Register,
    index: u64,
    count: u8,
) -> Result<(), Misuse> {
    let memory = &heap.memories[array as usize];
    let offset = index.wrapping_sub(memory.low);
    let count = u64::from(count);
    if offset < memory.length && count <= memory.length - offset {
        return Ok(());
    }
    heap.check(executable, registers, array, index, count)
}

/// The fault of an operator on these values.
pub(super) fn general_fault(op: Op, arguments: &[Value]) -> Option<FaultKind> {
    let [_, right] = arguments else {
        return None;
    };
    match (op, right) {
        (Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem, Value::BitVec(divisor))
            if divisor.bits() == 0 =>
        {
            Some(FaultKind::DivisionByZero)
        }
        (Op::BvShl | Op::BvLshr | Op::BvAshr, Value::BitVec(amount))
            if amount.bits() >= u128::from(amount.width()) =>
        {
            Some(FaultKind::OversizedShift)
        }
        _ => None,
    }
}

impl Log {
    #[inline]
    pub(super) fn count(&mut self, executable: &Executable, input: InputId) {
        self.inputs += 1;
        self.unknown_inputs += u64::from(executable.unknown[input.index()]);
    }
}

impl Attempt {
    /// Whether inputs come straight from the source.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        !self.active && self.pending.is_empty()
    }

    /// The input's next value.
    pub(super) fn draw(
        &mut self,
        executable: &Executable,
        inputs: &mut dyn InputSource,
        id: InputId,
        input: &Input,
        log: &mut Log,
    ) -> Option<Value> {
        let pending = self.pending.iter().position(|(other, _)| *other == id);
        let value = match pending {
            Some(position) => self.pending.remove(position).1,
            None => {
                log.count(executable, id);
                inputs.next(id, input)?
            }
        };
        if self.active {
            self.drawn.push((id, value.clone()));
        }
        Some(value)
    }

    /// Starts an edge that may fail after effects.
    pub(super) fn begin(&mut self) {
        self.active = true;
        self.undo.clear();
        self.drawn.clear();
    }

    /// Undoes the edge's effects; the inputs that it consumed are the next ones again.
    pub(super) fn roll_back(&mut self, heap: &mut Heap) {
        self.active = false;
        while let Some(step) = self.undo.pop() {
            heap.undo(step);
        }
        self.pending.splice(0..0, self.drawn.drain(..));
    }
}

/// A value outside of the registers.
pub(super) enum Kept {
    Narrow(u64),
    Wide(u128),
    Integer(Integer),
    Array(Box<Memory>),
}

/// Takes a register's value along.
pub(super) fn keep(
    from: Place,
    narrow: &[u64],
    wide: &[u128],
    integer: &[Integer],
    heap: &Heap,
) -> Kept {
    match from {
        Place::Narrow(register) => Kept::Narrow(narrow[register as usize]),
        Place::Wide(register) => Kept::Wide(wide[register as usize]),
        Place::Integer(register) => Kept::Integer(integer[register as usize].clone()),
        Place::Array(register) => Kept::Array(Box::new(heap.memories[register as usize].clone())),
    }
}

/// Puts a value into a register.
pub(super) fn give(
    value: Kept,
    to: Place,
    narrow: &mut [u64],
    wide: &mut [u128],
    integer: &mut [Integer],
    heap: &mut Heap,
) {
    match (value, to) {
        (Kept::Narrow(value), Place::Narrow(register)) => narrow[register as usize] = value,
        (Kept::Wide(value), Place::Wide(register)) => wide[register as usize] = value,
        (Kept::Integer(value), Place::Integer(register)) => integer[register as usize] = value,
        (Kept::Array(value), Place::Array(register)) => {
            heap.memories[register as usize].cells = value.cells
        }
        _ => {}
    }
}

/// Copies a register.
#[inline]
pub(super) fn copy(
    from: Place,
    to: Place,
    narrow: &mut [u64],
    wide: &mut [u128],
    integer: &mut [Integer],
    heap: &mut Heap,
) {
    match (from, to) {
        (Place::Narrow(from), Place::Narrow(to)) => narrow[to as usize] = narrow[from as usize],
        _ => give(
            keep(from, narrow, wide, integer, heap),
            to,
            narrow,
            wide,
            integer,
            heap,
        ),
    }
}

impl Stack {
    /// Keeps a function's locals while another activation of it runs.
    pub(super) fn save(
        &mut self,
        locals: &Locals,
        narrow: &[u64],
        wide: &[u128],
        integer: &[Integer],
        heap: &Heap,
    ) {
        self.narrow.extend(
            locals
                .narrow
                .iter()
                .map(|&register| narrow[register as usize]),
        );
        self.wide
            .extend(locals.wide.iter().map(|&register| wide[register as usize]));
        self.integer.extend(
            locals
                .integer
                .iter()
                .map(|&register| integer[register as usize].clone()),
        );
        self.arrays.extend(
            locals
                .arrays
                .iter()
                .map(|&register| heap.memories[register as usize].clone()),
        );
    }

    /// Restores the locals that were saved last.
    pub(super) fn restore(
        &mut self,
        locals: &Locals,
        narrow: &mut [u64],
        wide: &mut [u128],
        integer: &mut [Integer],
        heap: &mut Heap,
    ) {
        let start = self.narrow.len() - locals.narrow.len();
        for (register, value) in locals.narrow.iter().zip(self.narrow.drain(start..)) {
            narrow[*register as usize] = value;
        }
        let start = self.wide.len() - locals.wide.len();
        for (register, value) in locals.wide.iter().zip(self.wide.drain(start..)) {
            wide[*register as usize] = value;
        }
        let start = self.integer.len() - locals.integer.len();
        for (register, value) in locals.integer.iter().zip(self.integer.drain(start..)) {
            integer[*register as usize] = value;
        }
        let start = self.arrays.len() - locals.arrays.len();
        for (register, value) in locals.arrays.iter().zip(self.arrays.drain(start..)) {
            heap.memories[*register as usize] = value;
        }
    }
}
