//! Accesses to devices, and to volatile objects, which may change without a write of the program.
//!
//! A volatile read gives
//! * **any value, each time**, in an object that the unit declares and does not define, in memory of the environment,
//!   and where there is no object: at a fixed address (`*(volatile uint32_t *)0x40021000`) or a computed one. A write
//!   to such an address changes no object. The ledger notes the assumption that the address exists, unless `--mmio`
//!   gives it.
//! * **the stored value**, in an object that the program defines; the ledger notes the assumption that only the program
//!   changes it. With `--volatile environment` it gives any value there, too, unless the object is a local variable.
//!
//! Signal handlers, which run at any time, write volatile objects of the type `sig_atomic_t`: a read gives what the
//! program wrote there, or any value on which no alarm may rest. Interrupt functions are handled elsewhere
//! (`lower::environment::interrupt`).
//!
//! An access through a pointer depends on the pointer's value. `READ_ONCE` and `WRITE_ONCE` use pointers to volatile
//! that point to the program's own objects, in code that has only one thread here: any value at each read would cause
//! false alarms, while the stored value, with a note in the ledger, is right for runs of the program by itself. The
//! points-to analysis tells whether the pointers of a class can leave the program's objects. If they can, the read
//! branches on whether the address lies in an object of the program. Heap objects are not compared one by one: if the
//! class has some and its pointers may be made from integers, a third branch gives any value, on which no alarm may
//! rest.
//!
//! In the ranges of `--mmio` all accesses, volatile or not, are treated so, and no object with an observable address
//! lies there.

use crate::ir::{Expr, ObjectIndex, Place, ScalarType, Storage, Unit};
use regatta_program::DataModel;

use super::walk::{constant_integer, start_of};
use crate::memory::layout::RESERVED;

/// What an access reads or writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// No object of the program; the address, if it is constant.
    Device(Option<u64>),
    /// Memory; the object, if it has a name.
    Memory(Option<ObjectIndex>),
    /// The target of a pointer: a device or memory, by its value.
    Target,
}

/// Returns what an access to the place reads or writes.
pub fn found(unit: &Unit, place: &Place, volatile: bool) -> Found {
    let devices = &unit.devices;
    if let Some(address) = fixed_address(&place.address, unit.data_model) {
        let is_mapped = devices.ranges.iter().any(|range| range.contains(&address));
        return match volatile || is_mapped {
            true => Found::Device(Some(address)),
            false => Found::Memory(None),
        };
    }
    let Some(object) = start_of(&place.address) else {
        return match volatile || !devices.ranges.is_empty() {
            true => Found::Target,
            false => Found::Memory(None),
        };
    };
    match unit.objects[object.0 as usize].storage {
        Storage::Outside if volatile => Found::Device(None),
        Storage::Static { .. } if volatile && devices.change_objects => Found::Device(None),
        _ => Found::Memory(Some(object)),
    }
}

/// The constant that the address starts from, unless that is null.
pub fn fixed_address(address: &Expr, model: DataModel) -> Option<u64> {
    if let Expr::Offset { base, .. } = address {
        return fixed_address(base, model);
    }
    let value = match address {
        Expr::Integer {
            value,
            scalar: ScalarType::Pointer,
        } => *value,
        Expr::Convert {
            to: ScalarType::Pointer,
            ..
        } => constant_integer(address)?,
        _ => return None,
    };
    let value = match model {
        DataModel::Ilp32 => u64::from(value as u32),
        DataModel::Lp64 => value as u64,
    };
    (value != 0).then_some(value)
}

/// Whether the value is too low for an object's address, but may be the address of a device.
pub const fn is_low(address: i128) -> bool {
    0 < address && address < RESERVED as i128
}
