//! What is no memory, or memory that changes by itself: devices, and volatile objects.
//!
//! A volatile access finds
//! * **any value, each time**, in an object that the unit declares and does not define, in memory of the outside, and
//!   where there is no object at all: at a fixed address (`*(volatile uint32_t *)0x40021000`), or at one that is computed. What is
//!   written to such an address changes no object. That the address exists is noted in the ledger, unless `--mmio` says so.
//! * **memory**, in an object that the program defines, with a line in the ledger: nothing but the program changes it.
//!   With `--volatile environment` it is any value there, too, unless the object is a local variable.
//!
//! A volatile object of the type `sig_atomic_t` is there for handlers of signals, which run at any time, to write: a read
//! finds what the program wrote there, or any value on which no alarm rests. What interrupt functions do is another matter
//! (`lower::interrupt`).
//!
//! Through a pointer, it depends on where that points to at the time. A pointer to volatile that points to an object of
//! the program's own is what `READ_ONCE` and `WRITE_ONCE` are made of, in code that has only one thread here: any value at
//! each read would be a false alarm there, while memory with a line in the ledger is right for the runs of the program by itself.
//! The points-to analysis tells of a class whether its pointers can leave the program's objects. If they can, the read
//! branches: the address is in an object of the program's, or it is not. Where the class has objects on the heap, which are
//! not compared with one by one, and numbers become its pointers, a third branch gives any value on which no alarm rests.
//!
//! What the ranges of `--mmio` have in them is found in the same way by accesses that are not volatile, and no object whose
//! address can be observed lies there.

use crate::ir::{Expr, ObjectIndex, Place, ScalarType, Storage, Unit};
use regatta_program::DataModel;

use super::layout::RESERVED;
use super::walk::{constant_integer, start_of};

/// What an access finds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// No object of the program's; the address, if it is a number.
    Device(Option<u64>),
    /// Memory; the object, if it has a name.
    Memory(Option<ObjectIndex>),
    /// What the pointer points to.
    Target,
}

/// What an access to the place finds.
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

/// The number that the address starts from, if it starts from one that is not null.
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

/// Whether a pointer with the value is one to no object's address, but a device's may be.
pub const fn is_low(address: i128) -> bool {
    0 < address && address < RESERVED as i128
}
