//! Observers of runs.

use super::code::bytecode::{Instruction, Place};
use super::code::executable::{AddressTerm, Executable};
use super::state::array::Array;
use super::state::bit_pattern::value_of_bits;
use super::state::heap::{AddressRegisters, Memory};
use super::state::integer::Integer;
use crate::{EdgeId, VariableId};
use regatta_term::{ArrayValue, ScalarSort, Sort, Value};

/// An observer of a run. The machine is compiled for each type of observer, so that empty hooks cost nothing.
pub trait Observer {
    /// Whether [`Self::instruction`] is called.
    const FOLLOWS_INSTRUCTIONS: bool = false;

    /// Whether the observer may miss iterations of a loop that take the same path as the ones before and after them.
    const MAY_MISS_ITERATIONS: bool = false;

    /// Called before an instruction is executed.
    fn instruction(&mut self, view: &InstructionView<'_>) {
        let _ = view;
    }

    /// Called after an edge has been taken, with the state after it. The edge of a call is reported at the callee's entry,
    /// with the parameters set.
    fn edge(&mut self, edge: EdgeId, state: &StateView<'_>) {
        let _ = (edge, state);
    }

    /// Called when the instruction at the address `site` compares two bit patterns of up to 64 bits.
    fn comparison(&mut self, site: u32, left: u64, right: u64) {
        let _ = (site, left, right);
    }
}

/// An instruction that is about to be executed, and the state before it.
#[derive(Copy, Clone)]
pub struct InstructionView<'s> {
    pub(super) instruction: &'s Instruction,
    pub(super) narrow: &'s [u64],
    pub(super) integer: &'s [Integer],
    /// Whether an input would be read directly from the source: not as part of an edge that may be rolled back, and not
    /// again after a rollback.
    pub(super) draws_afresh: bool,
    /// The call site to which a return instruction would return.
    pub(super) returns_from: Option<u32>,
}

#[derive(Copy, Clone, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    const MAY_MISS_ITERATIONS: bool = true;
}

/// An observer that records the edges of a run, in order.
#[derive(Clone, Debug, Default)]
pub struct EdgeTrace {
    pub edges: Vec<EdgeId>,
}

impl Observer for EdgeTrace {
    fn edge(&mut self, edge: EdgeId, _: &StateView<'_>) {
        self.edges.push(edge);
    }
}

/// The values of all variables at a point of a run.
#[derive(Copy, Clone)]
pub struct StateView<'s> {
    pub(super) executable: &'s Executable,
    pub(super) narrow: &'s [u64],
    pub(super) wide: &'s [u128],
    pub(super) integer: &'s [Integer],
    pub(super) memories: &'s [Memory],
}

impl StateView<'_> {
    /// The variable's value; for a local, in the current activation.
    pub fn value(&self, variable: VariableId) -> Value {
        let description = &self.executable.variables[variable.index()];
        self.value_at(description.place, description.sort)
    }

    /// The variable's value, unless it is an array with more cells than that in store.
    pub fn value_within(&self, variable: VariableId, most_cells: usize) -> Option<Value> {
        let description = &self.executable.variables[variable.index()];
        if let Place::Array(register) = description.place
            && self.memories[register as usize].cells.stored() > most_cells
        {
            return None;
        }
        Some(self.value(variable))
    }

    /// A cell of an array variable; `None` if the variable is not an array.
    pub fn cell(&self, array: VariableId, index: u64) -> Option<Value> {
        let description = &self.executable.variables[array.index()];
        let (Place::Array(register), Sort::Array { element, .. }) =
            (description.place, description.sort)
        else {
            return None;
        };
        Some(match &self.memories[register as usize].cells {
            Array::Int(cells) => Value::Int(cells.peek(index).to_big()),
            cells => value_of_bits(element.into(), cells.peek_bits(index)),
        })
    }

    pub(super) fn value_at(&self, place: Place, sort: Sort) -> Value {
        match place {
            Place::Narrow(register) => {
                value_of_bits(sort, u128::from(self.narrow[register as usize]))
            }
            Place::Wide(register) => value_of_bits(sort, self.wide[register as usize]),
            Place::Integer(register) => Value::Int(self.integer[register as usize].to_big()),
            Place::Array(register) => match sort {
                Sort::Array { index, element } => Value::Array(array_value(
                    &self.memories[register as usize].cells,
                    index,
                    element,
                )),
                _ => Value::zero(sort),
            },
        }
    }

    /// The bytes of the static object with the name, if it is in memory; see [`crate::Program::objects`].
    pub(crate) fn object_bytes(&self, name: &str) -> Option<Vec<u8>> {
        let position = self
            .executable
            .objects
            .iter()
            .position(|object| object.name == name)?;
        let object = &self.executable.objects[position];
        let region = &self.executable.regions[object.region.index()];
        let memory = &self.memories[region.array as usize];
        let first = match region.single {
            true => 0,
            false => {
                let base = region.base.map_or(Some(0), |base| self.address(base))?;
                self.address(self.executable.object_addresses[position]?)?
                    .wrapping_sub(base)
            }
        };
        let mut cells = memory.cells.clone();
        let byte = |offset: u64| {
            let position = first.wrapping_add(offset);
            let cell = cells.read_wide(position / region.element_bytes);
            (cell >> (position % region.element_bytes * 8)) as u8
        };
        Some((0..object.size).map(byte).collect())
    }

    pub(super) fn address(&self, term: AddressTerm) -> Option<u64> {
        let (narrow, integer) = (self.narrow, self.integer);
        AddressRegisters { narrow, integer }.get(term)
    }
}

/// An array's contents as a value.
pub(super) fn array_value(cells: &Array, index: ScalarSort, element: ScalarSort) -> ArrayValue {
    let element = Sort::from(element);
    let index_of = |index_bits: u64| match index {
        ScalarSort::Int => Value::int(index_bits as i64),
        _ => value_of_bits(index.into(), u128::from(index_bits)),
    };
    match cells {
        Array::Int(cells) => {
            let entries = cells
                .entries()
                .map(|(position, cell)| (index_of(position), Value::Int(cell.to_big())));
            ArrayValue::new(index, Value::Int(cells.default_value().to_big()), entries)
        }
        Array::Wide(cells) => {
            let entries = cells
                .entries()
                .map(|(position, cell)| (index_of(position), value_of_bits(element, *cell)));
            ArrayValue::new(
                index,
                value_of_bits(element, *cells.default_value()),
                entries,
            )
        }
        other => {
            let mut default = 0;
            let mut entries = Vec::new();
            macro_rules! narrow {
                ($cells:ident) => {{
                    default = u128::from($cells.default_value().clone());
                    entries.extend(
                        $cells
                            .entries()
                            .map(|(position, cell)| (position, u128::from(cell.clone()))),
                    );
                }};
            }
            match other {
                Array::Byte(cells) => narrow!(cells),
                Array::Half(cells) => narrow!(cells),
                Array::Word(cells) => narrow!(cells),
                Array::Long(cells) => narrow!(cells),
                Array::Wide(_) | Array::Int(_) => {}
            }
            let entries = entries
                .into_iter()
                .map(|(position, cell)| (index_of(position), value_of_bits(element, cell)));
            ArrayValue::new(index, value_of_bits(element, default), entries)
        }
    }
}

/// Assigns a value to an array.
pub(super) fn load_array(cells: &mut Array, value: &ArrayValue) {
    match value.default_value() {
        Value::Int(default) => cells.fill_integer(Integer::from(default.clone())),
        default => cells.fill_bits(super::state::bit_pattern::bits_of(default)),
    }
    for (index, element) in value.entries() {
        let position = match index {
            Value::Int(index) => Integer::from(index.clone()).low_word(),
            other => super::state::bit_pattern::bits_of(other) as u64,
        };
        match element {
            Value::Int(element) => cells.write_integer(position, Integer::from(element.clone())),
            element => cells.write_wide(position, super::state::bit_pattern::bits_of(element)),
        }
    }
}
