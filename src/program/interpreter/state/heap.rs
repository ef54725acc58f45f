//! A machine's memory: arrays, the live objects in them, and the undoing of writes.

use super::array::Array;
use super::bit_pattern::bits;
use super::integer::Integer;
use super::objects::{LiveObject, Misuse, ObjectTable, Origin};
use crate::interpreter::code::bytecode::{Place, Register};
use crate::interpreter::code::executable::{AddressTerm, ArrayDescription, Executable, Validity};
use crate::interpreter::outcome::Site;
use crate::{Lifetime, ObjectId};
use regatta_term::ScalarSort;

/// An array with a range of indices that is known to lie in a live object, as a cache of the last check.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(in crate::interpreter) cells: Array,
    /// The first index of the range.
    pub(in crate::interpreter) low: u64,
    /// The range's length.
    pub(in crate::interpreter) length: u64,
}

/// The arrays and the objects in them.
#[derive(Clone, Debug)]
pub(crate) struct Heap {
    pub(in crate::interpreter) memories: Vec<Memory>,
    pub(in crate::interpreter) objects: ObjectTable,
    /// Whether the static objects are in the table.
    has_static_objects: bool,
    /// The arrays whose accesses are checked with the table.
    checked_by_table: Vec<Register>,
}

/// An old value, with which an effect of an edge is undone.
#[derive(Clone, Debug)]
pub(in crate::interpreter) enum Undo {
    /// The value of a cell that is a bit pattern.
    Bits(Register, u64, u128),
    /// The value of a cell that is an integer.
    Integer(Register, u64, Integer),
    /// The value of a whole array.
    Array(Register, Box<Memory>),
    /// The table of objects.
    Objects(Box<ObjectTable>),
}

/// The registers that an address may be in.
pub(in crate::interpreter) struct AddressRegisters<'r> {
    pub(in crate::interpreter) narrow: &'r [u64],
    pub(in crate::interpreter) integer: &'r [Integer],
}

impl AddressRegisters<'_> {
    pub(in crate::interpreter) fn get(&self, term: AddressTerm) -> Option<u64> {
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
    /// Creates a heap of empty arrays, without objects.
    pub(in crate::interpreter) fn new(executable: &Executable) -> Self {
        let memory = |description: &ArrayDescription| Memory {
            cells: match bits(description.shape.element) {
                Some(width) => Array::of_bits(width, description.shape.expected_length),
                None => Array::of_integers(description.shape.expected_length),
            },
            low: 0,
            length: 0,
        };
        let checked_by_table = executable
            .arrays
            .iter()
            .zip(0..)
            .filter_map(|(array, register)| {
                matches!(array.validity, Validity::Table { .. }).then_some(register as Register)
            });
        Self {
            memories: executable.arrays.iter().map(memory).collect(),
            objects: ObjectTable::default(),
            has_static_objects: false,
            checked_by_table: checked_by_table.collect(),
        }
    }

    /// Restores the state before the first step.
    pub(in crate::interpreter) fn reset(&mut self, executable: &Executable) {
        for (memory, description) in self.memories.iter_mut().zip(&executable.arrays) {
            memory.cells.clear();
            memory.low = 0;
            memory.length = match description.validity {
                Validity::Unchecked => u64::MAX,
                Validity::Cells(cells) => cells,
                Validity::Table { .. } => 0,
            };
        }
        self.objects.clear();
        self.has_static_objects = false;
    }

    /// The approximate size in bytes.
    pub(in crate::interpreter) fn bytes(&self) -> usize {
        let arrays = self.memories.iter().map(|memory| memory.cells.bytes());
        arrays.sum::<usize>() + self.objects.len() * 64
    }

    /// Checks whether the cells are in a live object; if so, the object's range is cached.
    #[cold]
    pub(in crate::interpreter) fn check(
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
                self.add_static_objects(executable, registers);
                let base = base.and_then(|term| registers.get(term)).unwrap_or(0);
                let address = base.wrapping_add(index.wrapping_mul(element_bytes));
                let object = match self.objects.find(address, count * element_bytes) {
                    Some(object) => *object,
                    // Memory outside of the program.
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

    /// Adds the static objects to the table. This happens at the first check, when their addresses have been chosen.
    pub(in crate::interpreter) fn add_static_objects(
        &mut self,
        executable: &Executable,
        registers: &AddressRegisters<'_>,
    ) {
        if std::mem::replace(&mut self.has_static_objects, true) {
            return;
        }
        let objects = executable.objects.iter().zip(&executable.object_addresses);
        for (index, (object, address)) in objects.enumerate() {
            if let Some(start) = address.and_then(|term| registers.get(term)) {
                self.objects.insert(LiveObject {
                    start,
                    size: object.size,
                    origin: Origin::Static(ObjectId(index as u32)),
                    made: None,
                });
            }
        }
    }

    fn forget_ranges(&mut self) {
        for array in &self.checked_by_table {
            self.memories[*array as usize].length = 0;
        }
    }

    /// Adds a new object, or begins the life of a local object anew.
    pub(in crate::interpreter) fn allocate(
        &mut self,
        executable: &Executable,
        registers: &AddressRegisters<'_>,
        (start, size): (u64, u64),
        lifetime: Lifetime,
        made: Option<Site>,
    ) {
        self.add_static_objects(executable, registers);
        if lifetime == Lifetime::Automatic && self.objects.renew(start, size, made) {
            return;
        }
        self.objects.insert(LiveObject {
            start,
            size,
            origin: Origin::Dynamic(lifetime),
            made,
        });
    }

    /// Ends an object.
    pub(in crate::interpreter) fn free(
        &mut self,
        executable: &Executable,
        registers: &AddressRegisters<'_>,
        address: u64,
        lifetime: Lifetime,
        site: Option<Site>,
    ) -> Result<(), Misuse> {
        if address == 0 {
            return Ok(());
        }
        self.add_static_objects(executable, registers);
        self.objects.remove(address, lifetime, site)?;
        self.forget_ranges();
        Ok(())
    }

    /// Restores a former table of objects.
    pub(super) fn restore_objects(&mut self, objects: ObjectTable) {
        self.objects = objects;
        self.forget_ranges();
    }

    /// The old value of a cell, for undoing a write.
    pub(in crate::interpreter) fn remember(
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

    /// Undoes one effect.
    pub(in crate::interpreter) fn undo(&mut self, step: Undo) {
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
