//! A machine: the state of a run.

use std::time::Instant;

use super::array::Array;
use super::bytecode::{Address, Place, Register};
use super::concolic::leap::Leaper;
use super::executable::{AddressTerm, Executable, Validity};
use super::execute::Stop;
use super::input::InputSource;
use super::integer::Integer;
use super::objects::{LiveObject, Misuse, ObjectTable, Origin};
use super::observer::{NoObserver, Observer, StateView};
use super::outcome::{Fault, FaultKind, Limits, Outcome, Report};
use super::value::bits;
use crate::program::{InputId, Lifetime, ObjectId, VariableId};
use crate::term::{ScalarSort, Value};

/// Steps between two looks at the clock and at the memory.
const SLICE: u64 = 1 << 14;
/// How many faults are kept.
const FAULT_LIMIT: usize = 64;

/// An array with the range of indices that is known to lie in a live object.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(super) cells: Array,
    /// The first index of the range.
    pub(super) low: u64,
    pub(super) length: u64,
}

/// The arrays and the objects in them.
#[derive(Clone, Debug)]
pub(crate) struct Heap {
    pub(super) memories: Vec<Memory>,
    pub(super) objects: ObjectTable,
    /// Whether the static objects are in the table.
    statics_entered: bool,
    /// The arrays whose accesses are judged by the table.
    tabled: Vec<Register>,
}

/// An activation of a function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) site: u32,
    /// Where it goes on.
    pub(super) return_to: Address,
}

/// Call stack, and the locals of activations below the topmost one of a recursive function.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack {
    pub(super) frames: Vec<Frame>,
    pub(super) narrow: Vec<u64>,
    pub(super) wide: Vec<u128>,
    pub(super) integer: Vec<Integer>,
    pub(super) arrays: Vec<Memory>,
}

impl Stack {
    fn bytes(&self) -> usize {
        self.frames.len() * size_of::<Frame>()
            + self.narrow.len() * 8
            + self.wide.len() * 16
            + self.integer.len() * 16
            + self
                .arrays
                .iter()
                .map(|memory| memory.cells.bytes())
                .sum::<usize>()
    }
}

/// What an edge has done that may have to be undone.
#[derive(Clone, Debug)]
pub(super) enum Undo {
    /// A cell that is a bit pattern.
    Bits(Register, u64, u128),
    /// A cell that is an integer.
    Integer(Register, u64, Integer),
    Array(Register, Box<Memory>),
    Objects(Box<ObjectTable>),
}

/// An edge with effects before a condition.
#[derive(Clone, Debug, Default)]
pub(super) struct Attempt {
    pub(super) active: bool,
    pub(super) undo: Vec<Undo>,
    /// Inputs that the edge has consumed.
    pub(super) drawn: Vec<(InputId, Value)>,
    /// Inputs that an edge has consumed that was not taken: they are the next ones.
    pub(super) pending: Vec<(InputId, Value)>,
}

/// What is reported of a run besides its outcome.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    pub(super) faults: Vec<Fault>,
    pub(super) fault_count: u64,
    pub(super) inputs: u64,
    pub(super) unknown_inputs: u64,
}

impl Log {
    #[cold]
    pub(super) fn fault(&mut self, executable: &Executable, pc: usize, kind: FaultKind) {
        self.fault_count += 1;
        if self.faults.len() < FAULT_LIMIT
            && let Some(&edge) = executable.edge_of.get(pc)
        {
            self.faults.push(Fault { kind, edge });
        }
    }
}

/// Runs a compiled program. One machine serves for any number of runs, which saves building it anew.
#[derive(Clone, Debug)]
pub struct Machine<'e> {
    pub(super) executable: &'e Executable,
    pub(super) pc: usize,
    pub(super) narrow: Vec<u64>,
    pub(super) wide: Vec<u128>,
    pub(super) integer: Vec<Integer>,
    pub(super) heap: Heap,
    pub(super) stack: Stack,
    pub(super) attempt: Attempt,
    pub(super) log: Log,
}

impl<'e> Machine<'e> {
    /// A machine for the program.
    pub fn new(executable: &'e Executable) -> Self {
        let memory = |description: &super::executable::ArrayDescription| Memory {
            cells: match bits(description.shape.element) {
                Some(width) => Array::of_bits(width, description.shape.expected_length),
                None => Array::of_integers(description.shape.expected_length),
            },
            low: 0,
            length: 0,
        };
        let tabled = executable
            .arrays
            .iter()
            .zip(0..)
            .filter_map(|(array, register)| {
                matches!(array.validity, Validity::Table { .. }).then_some(register as Register)
            });
        let mut machine = Self {
            executable,
            pc: 0,
            narrow: Vec::new(),
            wide: Vec::new(),
            integer: Vec::new(),
            heap: Heap {
                memories: executable.arrays.iter().map(memory).collect(),
                objects: ObjectTable::default(),
                statics_entered: false,
                tabled: tabled.collect(),
            },
            stack: Stack::default(),
            attempt: Attempt::default(),
            log: Log::default(),
        };
        machine.reset();
        machine
    }

    /// The state before the first step.
    pub(super) fn reset(&mut self) {
        self.pc = self.executable.entry as usize;
        self.narrow.clone_from(&self.executable.narrow);
        self.wide.clone_from(&self.executable.wide);
        self.integer.clone_from(&self.executable.integer);
        for (memory, description) in self.heap.memories.iter_mut().zip(&self.executable.arrays) {
            memory.cells.clear();
            memory.low = 0;
            memory.length = match description.validity {
                Validity::Unchecked => u64::MAX,
                Validity::Cells(cells) => cells,
                Validity::Table { .. } => 0,
            };
        }
        self.heap.objects.clear();
        self.heap.statics_entered = false;
        self.stack.frames.clear();
        self.stack.narrow.clear();
        self.stack.wide.clear();
        self.stack.integer.clear();
        self.stack.arrays.clear();
        self.attempt = Attempt::default();
        self.log = Log::default();
    }

    /// Runs the program from its start.
    pub fn run(&mut self, inputs: &mut dyn InputSource, limits: Limits<'_>) -> Report {
        self.run_observed(inputs, limits, &mut NoObserver)
    }

    /// Runs the program from its start, watched. Iterations of a loop that are all alike may be leapt over
    /// ([`super::concolic`]) if the observer does not mind.
    pub fn run_observed<O: Observer>(
        &mut self,
        inputs: &mut dyn InputSource,
        limits: Limits<'_>,
        observer: &mut O,
    ) -> Report {
        self.run_leaping(inputs, limits, observer, Leaper::default())
    }

    pub(super) fn run_leaping<O: Observer>(
        &mut self,
        inputs: &mut dyn InputSource,
        limits: Limits<'_>,
        observer: &mut O,
        mut leaper: Leaper,
    ) -> Report {
        self.reset();
        let mut steps = 0;
        let outcome = loop {
            let end = match O::MAY_MISS_ITERATIONS && leaper.is_due(steps) {
                true => leaper.go_on(self, inputs, limits, &mut steps, observer),
                false => self.go_on(inputs, limits, SLICE, &mut steps, observer),
            };
            if let Some(outcome) = end {
                break outcome;
            }
        };
        self.report(outcome, steps)
    }

    /// Goes on with a run for about so many steps, which are added to `steps`; the outcome, if it ends. A run that an
    /// input was refused to may go on, to ask for the input again.
    pub(super) fn go_on<O: Observer>(
        &mut self,
        inputs: &mut dyn InputSource,
        limits: Limits<'_>,
        slice: u64,
        steps: &mut u64,
        observer: &mut O,
    ) -> Option<Outcome> {
        let slice = slice.min(limits.steps.saturating_sub(*steps));
        if slice == 0 {
            return Some(Outcome::StepLimit);
        }
        let mut fuel = slice as i64;
        let stop = self.execute(inputs, observer, &mut fuel);
        *steps = steps.saturating_add_signed(slice as i64 - fuel);
        if let Stop::Finished(outcome) = stop {
            return Some(outcome);
        }
        if limits
            .cancelled
            .is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed))
        {
            return Some(Outcome::Cancelled);
        }
        if limits
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Some(Outcome::TimeLimit);
        }
        (self.bytes() > limits.memory).then_some(Outcome::MemoryLimit)
    }

    /// What is to be said of the run.
    pub(super) fn report(&mut self, outcome: Outcome, steps: u64) -> Report {
        if self.heap.objects.has_overlap() {
            self.log.fault(self.executable, self.pc, FaultKind::Overlap);
        }
        Report {
            outcome,
            faults: std::mem::take(&mut self.log.faults),
            fault_count: self.log.fault_count,
            inputs: self.log.inputs,
            unknown_inputs: self.log.unknown_inputs,
            steps,
        }
    }

    /// Bytes that the state takes, roughly.
    fn bytes(&self) -> usize {
        let arrays: usize = self
            .heap
            .memories
            .iter()
            .map(|memory| memory.cells.bytes())
            .sum();
        arrays + self.heap.objects.len() * 64 + self.stack.bytes()
    }

    /// The state at the end of the last run.
    pub fn state(&self) -> StateView<'_> {
        StateView {
            executable: self.executable,
            narrow: &self.narrow,
            wide: &self.wide,
            integer: &self.integer,
            memories: &self.heap.memories,
        }
    }

    /// The variable's value at the end of the last run.
    pub fn value(&self, variable: VariableId) -> Value {
        self.state().value(variable)
    }

    /// The value of the variable with the name at the end of the last run.
    pub fn read_variable(&self, name: &str) -> Option<Value> {
        self.executable
            .variable(name)
            .map(|variable| self.value(variable))
    }

    /// The bytes of the static object with the name at the end of the last run.
    pub fn read_object(&self, name: &str) -> Option<Vec<u8>> {
        self.state().object_bytes(name)
    }
}

/// The registers that an address may be in.
pub(super) struct AddressRegisters<'r> {
    pub(super) narrow: &'r [u64],
    pub(super) integer: &'r [Integer],
}

impl AddressRegisters<'_> {
    pub(super) fn get(&self, term: AddressTerm) -> Option<u64> {
        match term {
            AddressTerm::Constant(address) => Some(address),
            AddressTerm::Variable(Place::Narrow(register)) => Some(self.narrow[register as usize]),
            AddressTerm::Variable(Place::Integer(register)) => self.integer[register as usize]
                .small()
                .map(|address| address as u64),
            AddressTerm::Variable(_) => None,
        }
    }
}

impl Heap {
    /// Whether the cells are in a live object; if so, the object's range is remembered.
    #[cold]
    pub(super) fn check(
        &mut self,
        executable: &Executable,
        registers: &AddressRegisters<'_>,
        array: Register,
        index: u64,
        count: u64,
    ) -> Result<(), Misuse> {
        match executable.arrays[array as usize].validity {
            Validity::Unchecked => Ok(()),
            Validity::Cells(cells) => match index.checked_add(count) {
                Some(end) if end <= cells => Ok(()),
                _ => Err(Misuse::Outside),
            },
            Validity::Table {
                region,
                element_bytes,
                base,
            } => {
                self.enter_statics(executable, registers);
                let base = base.and_then(|term| registers.get(term)).unwrap_or(0);
                let address = base.wrapping_add(index.wrapping_mul(element_bytes));
                let object = match self.objects.find(address, count * element_bytes) {
                    Some(object) => *object,
                    // Memory that the program knows nothing of.
                    None if executable.regions[region.index()].is_outside
                        && self.objects.is_far(address, count * element_bytes) =>
                    {
                        return Ok(());
                    }
                    None => return Err(self.objects.explain(address)),
                };
                if matches!(object.origin, Origin::Static(id) if !executable.regions[region.index()].objects.contains(&id))
                {
                    return Err(Misuse::Outside);
                }
                let memory = &mut self.memories[array as usize];
                let offset = object.start.wrapping_sub(base);
                memory.low = offset.div_ceil(element_bytes);
                let end = offset.saturating_add(object.size) / element_bytes;
                memory.length = end.saturating_sub(memory.low);
                Ok(())
            }
        }
    }

    /// Puts the static objects into the table, now that their addresses are settled.
    fn enter_statics(&mut self, executable: &Executable, registers: &AddressRegisters<'_>) {
        if std::mem::replace(&mut self.statics_entered, true) {
            return;
        }
        let objects = executable.objects.iter().zip(&executable.object_addresses);
        for (index, (object, address)) in objects.enumerate() {
            if let Some(start) = address.and_then(|term| registers.get(term)) {
                self.objects.insert(LiveObject {
                    start,
                    size: object.size,
                    origin: Origin::Static(ObjectId(index as u32)),
                });
            }
        }
    }

    fn forget_ranges(&mut self) {
        for array in &self.tabled {
            self.memories[*array as usize].length = 0;
        }
    }

    pub(super) fn allocate(
        &mut self,
        executable: &Executable,
        registers: &AddressRegisters<'_>,
        start: u64,
        size: u64,
        lifetime: Lifetime,
    ) {
        self.enter_statics(executable, registers);
        self.objects.insert(LiveObject {
            start,
            size,
            origin: Origin::Dynamic(lifetime),
        });
    }

    pub(super) fn free(
        &mut self,
        executable: &Executable,
        registers: &AddressRegisters<'_>,
        address: u64,
        lifetime: Lifetime,
    ) -> Result<(), Misuse> {
        if address == 0 {
            return Ok(());
        }
        self.enter_statics(executable, registers);
        self.objects.remove(address, lifetime)?;
        self.forget_ranges();
        Ok(())
    }

    /// Restores a former table of objects.
    pub(super) fn restore_objects(&mut self, objects: ObjectTable) {
        self.objects = objects;
        self.forget_ranges();
    }

    /// What lies at an index of an array, for undoing a write.
    pub(super) fn remember(
        &mut self,
        executable: &Executable,
        array: Register,
        index: u64,
    ) -> Undo {
        let cells = &mut self.memories[array as usize].cells;
        match executable.arrays[array as usize].shape.element {
            ScalarSort::Int => Undo::Integer(array, index, cells.read_integer(index)),
            _ => Undo::Bits(array, index, cells.read_wide(index)),
        }
    }

    pub(super) fn undo(&mut self, step: Undo) {
        match step {
            Undo::Bits(array, index, value) => {
                self.memories[array as usize].cells.write_wide(index, value)
            }
            Undo::Integer(array, index, value) => self.memories[array as usize]
                .cells
                .write_integer(index, value),
            Undo::Array(array, memory) => self.memories[array as usize].cells = memory.cells,
            Undo::Objects(objects) => self.restore_objects(*objects),
        }
    }
}
