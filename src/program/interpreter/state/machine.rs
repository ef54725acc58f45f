//! A machine: the state of a run.

use super::heap::{Heap, Memory, Undo};
use super::integer::Integer;
use crate::interpreter::code::bytecode::Address;
use crate::interpreter::code::executable::Executable;
use crate::interpreter::limits::MAXIMUM_RECORDED_FAULTS;
use crate::interpreter::observer::StateView;
use crate::interpreter::outcome::{Fault, FaultKind, MemoryFault};
use crate::{EdgeId, InputId, VariableId};
use regatta_term::Value;

/// An activation of a function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::interpreter) struct Frame {
    pub(in crate::interpreter) site: u32,
    /// The address to return to.
    pub(in crate::interpreter) return_to: Address,
}

/// The call stack, and the saved locals of recursive functions' earlier activations.
#[derive(Clone, Debug, Default)]
pub(in crate::interpreter) struct Stack {
    pub(in crate::interpreter) frames: Vec<Frame>,
    pub(in crate::interpreter) narrow: Vec<u64>,
    pub(in crate::interpreter) wide: Vec<u128>,
    pub(in crate::interpreter) integer: Vec<Integer>,
    pub(in crate::interpreter) arrays: Vec<Memory>,
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
pub(in crate::interpreter) struct Attempt {
    pub(in crate::interpreter) active: bool,
    pub(in crate::interpreter) undo: Vec<Undo>,
    /// The inputs that the edge has read.
    pub(in crate::interpreter) drawn: Vec<(InputId, Value)>,
    /// The inputs read by an edge that was rolled back; they are the next values to be read.
    pub(in crate::interpreter) pending: Vec<(InputId, Value)>,
}

/// The faults and inputs of a run.
#[derive(Clone, Debug, Default)]
pub(in crate::interpreter) struct Log {
    pub(in crate::interpreter) faults: Vec<Fault>,
    pub(in crate::interpreter) fault_count: u64,
    pub(in crate::interpreter) inputs: u64,
    pub(in crate::interpreter) unknown_inputs: u64,
    /// What the run's last true claim found.
    pub(in crate::interpreter) memory_fault: Option<MemoryFault>,
}

impl Log {
    #[cold]
    pub(in crate::interpreter) fn fault(
        &mut self,
        executable: &Executable,
        pc: usize,
        kind: FaultKind,
    ) {
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
    pub(in crate::interpreter) executable: &'e Executable,
    pub(in crate::interpreter) pc: usize,
    pub(in crate::interpreter) narrow: Vec<u64>,
    pub(in crate::interpreter) wide: Vec<u128>,
    pub(in crate::interpreter) integer: Vec<Integer>,
    pub(in crate::interpreter) heap: Heap,
    pub(in crate::interpreter) stack: Stack,
    pub(in crate::interpreter) attempt: Attempt,
    pub(in crate::interpreter) log: Log,
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

    /// The edges of the calls that have not returned, from the innermost to the outermost.
    pub fn open_calls(&self) -> impl Iterator<Item = EdgeId> {
        let frames = self.stack.frames.iter().rev();
        frames.map(|frame| self.executable.calls[frame.site as usize].edge)
    }

    /// Restores the state before the first step.
    pub(in crate::interpreter) fn reset(&mut self) {
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
    pub(in crate::interpreter) fn bytes(&self) -> usize {
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
