//! A machine: the state of a run.

use super::bytecode::Address;
use super::executable::Executable;
use super::heap::{Heap, Memory, Undo};
use super::integer::Integer;
use super::observer::StateView;
use super::outcome::{Fault, FaultKind};
use crate::program::{InputId, VariableId};
use crate::term::Value;

/// Maximum number of faults that are recorded with their edges.
const MAXIMUM_RECORDED_FAULTS: usize = 64;

/// An activation of a function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) site: u32,
    /// The address to return to.
    pub(super) return_to: Address,
}

/// The call stack, and the saved locals of recursive functions' earlier activations.
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

/// The execution of an edge with effects before a condition, which are undone if the condition is false.
#[derive(Clone, Debug, Default)]
pub(super) struct Attempt {
    pub(super) active: bool,
    pub(super) undo: Vec<Undo>,
    /// The inputs that the edge has read.
    pub(super) drawn: Vec<(InputId, Value)>,
    /// The inputs read by an edge that was rolled back; they are the next values to be read.
    pub(super) pending: Vec<(InputId, Value)>,
}

/// The faults and inputs of a run.
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
        if self.faults.len() < MAXIMUM_RECORDED_FAULTS
            && let Some(&edge) = executable.edge_of.get(pc)
        {
            self.faults.push(Fault { kind, edge });
        }
    }
}

/// A machine that runs a compiled program, any number of times.
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
    /// Creates a machine for the program.
    pub fn new(executable: &'e Executable) -> Self {
        let mut machine = Self {
            executable,
            pc: 0,
            narrow: Vec::new(),
            wide: Vec::new(),
            integer: Vec::new(),
            heap: Heap::new(executable),
            stack: Stack::default(),
            attempt: Attempt::default(),
            log: Log::default(),
        };
        machine.reset();
        machine
    }

    /// Restores the state before the first step.
    pub(super) fn reset(&mut self) {
        self.pc = self.executable.entry as usize;
        self.narrow.clone_from(&self.executable.narrow);
        self.wide.clone_from(&self.executable.wide);
        self.integer.clone_from(&self.executable.integer);
        self.heap.reset(self.executable);
        self.stack.frames.clear();
        self.stack.narrow.clear();
        self.stack.wide.clear();
        self.stack.integer.clear();
        self.stack.arrays.clear();
        self.attempt = Attempt::default();
        self.log = Log::default();
    }

    /// The approximate size of the state in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.heap.bytes() + self.stack.bytes()
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
