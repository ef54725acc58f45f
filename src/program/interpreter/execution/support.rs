//! The implementation of the longer instructions, which the interpreter loop calls.

use smallvec::SmallVec;

use crate::InputId;
use crate::interpreter::code::bytecode::{Address, General, Locals, Place, Register};
use crate::interpreter::code::executable::Executable;
use crate::interpreter::input::InputSource;
use crate::interpreter::observer::StateView;
use crate::interpreter::outcome::FaultKind;
use crate::interpreter::state::bit_pattern::bits_of;
use crate::interpreter::state::heap::{AddressRegisters, Heap, Memory};
use crate::interpreter::state::integer::Integer;
use crate::interpreter::state::machine::{Attempt, Frame, Log, Stack};
use crate::interpreter::state::objects::Misuse;
use regatta_term::{Op, ScalarSort, Value, apply_op};

/// The scalar registers of a machine.
pub(in crate::interpreter) struct Registers<'m> {
    pub(in crate::interpreter) narrow: &'m mut [u64],
    pub(in crate::interpreter) wide: &'m mut [u128],
    pub(in crate::interpreter) integer: &'m mut [Integer],
}

/// The bit mask of an array's indices.
#[inline]
pub(in crate::interpreter) fn index_mask(executable: &Executable, array: Register) -> u64 {
    match executable.arrays[array as usize].shape.index {
        ScalarSort::BitVec(width @ 1..64) => u64::MAX >> (64 - width),
        _ => u64::MAX,
    }
}

/// Checks whether consecutive bytes are in a live object.
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

/// The fault of applying an operator to the values, if any.
fn general_fault(op: Op, arguments: &[Value]) -> Option<FaultKind> {
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
    pub(in crate::interpreter) fn count(&mut self, executable: &Executable, input: InputId) {
        self.inputs += 1;
        self.unknown_inputs += u64::from(executable.unknown[input.index()]);
    }
}

impl Attempt {
    /// Whether inputs come directly from the source and need not be recorded.
    #[inline]
    pub(in crate::interpreter) fn is_idle(&self) -> bool {
        !self.active && self.pending.is_empty()
    }

    /// Reads the input's next value.
    pub(in crate::interpreter) fn draw(
        &mut self,
        executable: &Executable,
        inputs: &mut dyn InputSource,
        id: InputId,
        log: &mut Log,
    ) -> Option<Value> {
        let input = &executable.inputs[id.index()];
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

    /// Starts an edge that may block after effects.
    pub(super) fn begin(&mut self) {
        self.active = true;
        self.undo.clear();
        self.drawn.clear();
    }

    /// Undoes the edge's effects; the inputs that it read will be read again.
    pub(super) fn roll_back(&mut self, heap: &mut Heap) {
        self.active = false;
        while let Some(step) = self.undo.pop() {
            heap.undo(step);
        }
        self.pending.splice(0..0, self.drawn.drain(..));
    }
}

/// A saved value of a register.
enum SavedValue {
    Narrow(u64),
    Wide(u128),
    Integer(Integer),
    Array(Box<Memory>),
}

impl Registers<'_> {
    /// Saves a register's value.
    fn save(&self, from: Place, heap: &Heap) -> SavedValue {
        match from {
            Place::Narrow(register) => SavedValue::Narrow(self.narrow[register as usize]),
            Place::Wide(register) => SavedValue::Wide(self.wide[register as usize]),
            Place::Integer(register) => {
                SavedValue::Integer(self.integer[register as usize].clone())
            }
            Place::Array(register) => {
                SavedValue::Array(Box::new(heap.memories[register as usize].clone()))
            }
        }
    }

    /// Assigns a saved value to a register.
    fn set(&mut self, value: SavedValue, to: Place, heap: &mut Heap) {
        match (value, to) {
            (SavedValue::Narrow(value), Place::Narrow(register)) => {
                self.narrow[register as usize] = value
            }
            (SavedValue::Wide(value), Place::Wide(register)) => {
                self.wide[register as usize] = value
            }
            (SavedValue::Integer(value), Place::Integer(register)) => {
                self.integer[register as usize] = value
            }
            (SavedValue::Array(value), Place::Array(register)) => {
                heap.memories[register as usize].cells = value.cells
            }
            _ => {}
        }
    }

    #[inline]
    fn copy_all(&mut self, moves: &[(Place, Place)], heap: &mut Heap) {
        for (from, to) in moves {
            match (*from, *to) {
                (Place::Narrow(from), Place::Narrow(to)) => {
                    self.narrow[to as usize] = self.narrow[from as usize]
                }
                (from, to) => {
                    let value = self.save(from, heap);
                    self.set(value, to, heap);
                }
            }
        }
    }

    /// Applies an operator to values; returns its fault, if any.
    pub(in crate::interpreter) fn general(
        &mut self,
        executable: &Executable,
        general: &General,
        heap: &Heap,
    ) -> Option<FaultKind> {
        let view = StateView {
            executable,
            narrow: self.narrow,
            wide: self.wide,
            integer: self.integer,
            memories: &heap.memories,
        };
        let arguments = general
            .arguments
            .iter()
            .map(|(place, sort)| view.value_at(*place, *sort));
        let arguments: SmallVec<[Value; 4]> = arguments.collect();
        let value = apply_op(general.op, general.sort, &arguments);
        match general.to {
            Place::Narrow(to) => self.narrow[to as usize] = bits_of(&value) as u64,
            Place::Wide(to) => self.wide[to as usize] = bits_of(&value),
            Place::Integer(to) => {
                if let Value::Int(value) = value {
                    self.integer[to as usize] = Integer::from(value);
                }
            }
            Place::Array(_) => {}
        }
        general_fault(general.op, &arguments)
    }
}

impl Stack {
    /// Saves a function's locals while another activation of it runs.
    fn save(&mut self, locals: &Locals, registers: &Registers<'_>, heap: &Heap) {
        let narrow = locals
            .narrow
            .iter()
            .map(|&register| registers.narrow[register as usize]);
        self.narrow.extend(narrow);
        let wide = locals
            .wide
            .iter()
            .map(|&register| registers.wide[register as usize]);
        self.wide.extend(wide);
        let integer = locals
            .integer
            .iter()
            .map(|&register| registers.integer[register as usize].clone());
        self.integer.extend(integer);
        let arrays = locals
            .arrays
            .iter()
            .map(|&register| heap.memories[register as usize].clone());
        self.arrays.extend(arrays);
    }

    /// Restores the locals that were saved last.
    fn restore(&mut self, locals: &Locals, registers: &mut Registers<'_>, heap: &mut Heap) {
        let start = self.narrow.len() - locals.narrow.len();
        for (register, value) in locals.narrow.iter().zip(self.narrow.drain(start..)) {
            registers.narrow[*register as usize] = value;
        }
        let start = self.wide.len() - locals.wide.len();
        for (register, value) in locals.wide.iter().zip(self.wide.drain(start..)) {
            registers.wide[*register as usize] = value;
        }
        let start = self.integer.len() - locals.integer.len();
        for (register, value) in locals.integer.iter().zip(self.integer.drain(start..)) {
            registers.integer[*register as usize] = value;
        }
        let start = self.arrays.len() - locals.arrays.len();
        for (register, value) in locals.arrays.iter().zip(self.arrays.drain(start..)) {
            heap.memories[*register as usize] = value;
        }
    }

    /// Executes a call: sets the parameters and pushes the frame. Returns the callee's entry.
    #[inline]
    pub(in crate::interpreter) fn enter(
        &mut self,
        executable: &Executable,
        frame: Frame,
        registers: &mut Registers<'_>,
        heap: &mut Heap,
    ) -> Address {
        let call = &executable.calls[frame.site as usize];
        if call.recursive {
            self.save(&executable.locals[call.callee.index()], registers, heap);
        }
        registers.copy_all(&call.parameters, heap);
        self.frames.push(frame);
        call.entry
    }

    /// Executes a return: sets the call's results. Returns the address after the call, or `None` if the program has ended.
    #[inline]
    pub(in crate::interpreter) fn leave(
        &mut self,
        executable: &Executable,
        registers: &mut Registers<'_>,
        heap: &mut Heap,
    ) -> Option<Address> {
        let frame = self.frames.pop()?;
        let call = &executable.calls[frame.site as usize];
        if call.recursive {
            let values = call
                .results
                .iter()
                .map(|(from, _)| registers.save(*from, heap));
            let values: SmallVec<[SavedValue; 4]> = values.collect();
            self.restore(&executable.locals[call.callee.index()], registers, heap);
            for ((_, to), value) in call.results.iter().zip(values) {
                registers.set(value, *to, heap);
            }
        } else {
            registers.copy_all(&call.results, heap);
        }
        Some(frame.return_to)
    }
}
