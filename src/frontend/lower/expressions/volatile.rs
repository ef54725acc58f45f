//! Accesses to objects that may change by themselves: volatile objects, and memory at addresses of devices.
//!
//! A volatile object may be modified in ways unknown to the implementation (C17 6.7.3p7), so that a read may yield
//! another value than the last write or the previous read. Reads become instructions of their own
//! ([`Instruction::ReadDevice`]), one for each evaluation of an lvalue: `x |= 1` and `x++` read once and write once,
//! and the value of an assignment is the assigned value, which is not read back (6.5.16p3 leaves that open; gcc does
//! so). The memory stage decides the result of each read: see [`crate::memory::devices`].
//!
//! A volatile object with automatic storage belongs to the program and is accessed like any other. With `--mmio`,
//! accesses through pointers that are not volatile may access devices, too.

use super::value::Value;
use crate::ir::{BitField, Expr, Instruction, Place, Pointer, Storage};
use crate::lower::limits::MAXIMUM_COPIED_SCALARS;
use crate::lower::{Lowerer, Result};
use crate::memory::devices::fixed_address;
use crate::memory::walk::start_of;
use crate::types::{ArrayLength, Qualifiers, Type, TypeKind};

/// A scalar in an object.
struct Part {
    /// Its first bit, from the object's start.
    bit: u64,
    /// A bit-field's width in bits.
    width: Option<u8>,
    /// Its type with all qualifiers.
    ty: Type,
}

impl Lowerer<'_> {
    /// For accesses to devices or objects that change by themselves: whether they are volatile.
    pub(in crate::lower) fn device_access(&self, address: &Expr, ty: Type) -> Option<bool> {
        let volatile = ty.qualifiers.contains(Qualifiers::VOLATILE);
        match start_of(address) {
            // An object stays volatile if a cast removes the qualifier (6.7.3p6).
            Some(index) => {
                let storage = self.objects.get(index).map(|object| object.storage);
                let lasts = !matches!(storage, Some(Storage::Automatic(_)));
                ((volatile || self.objects.is_volatile(index)) && lasts).then_some(true)
            }
            None => (volatile || !self.input.devices().ranges.is_empty()).then_some(volatile),
        }
    }

    /// Like [`Self::device_access`] for a write; a write to a named object is an ordinary one.
    pub(in crate::lower) fn device_write(&self, address: &Expr, ty: Type) -> Option<bool> {
        let has_name = start_of(address).is_some();
        self.device_access(address, ty).filter(|_| !has_name)
    }

    /// Reads a place once, into a temporary.
    pub(in crate::lower) fn read_device(&mut self, source: Place, volatile: bool) -> Expr {
        let scalar = source.scalar;
        let temporary = self.temporary(scalar);
        let place = self.object_place(temporary, scalar);
        self.read_device_into(place, source, volatile);
        self.load_object(temporary, scalar)
    }

    fn read_device_into(&mut self, place: Place, source: Place, volatile: bool) {
        let name = self.device_name(&source.address);
        self.emit_fresh(Instruction::ReadDevice {
            place,
            source,
            name,
            volatile,
        });
    }

    /// The name of the place in messages.
    fn device_name(&self, address: &Expr) -> String {
        let object = start_of(address).and_then(|object| self.objects.get(object));
        match (object, fixed_address(address, self.input.data_model())) {
            (Some(object), _) => format!("`{}`", object.name),
            (None, Some(fixed)) => format!("address {fixed:#x}"),
            (None, None) => "the target of a pointer".to_owned(),
        }
    }

    /// The value of a struct or union: a copy, if a part of it may change by itself.
    pub(in crate::lower) fn aggregate_value(&mut self, address: Expr, ty: Type) -> Value {
        if self.types.as_record(ty).is_some() && self.may_hold_device(&address, ty) {
            match self.copy_of_device(address.clone(), ty) {
                Ok(copy) => return Value::aggregate(copy, ty.unqualified()),
                // Its size is unknown; the use of the value reports that.
                Err(_) => return Value::aggregate(address, ty.unqualified()),
            }
        }
        Value::aggregate(address, ty.unqualified())
    }

    fn may_hold_device(&self, address: &Expr, ty: Type) -> bool {
        let has_devices = start_of(address).is_none() && !self.input.devices().ranges.is_empty();
        let volatile = Type::INT.qualified(Qualifiers::VOLATILE);
        has_devices || (self.device_access(address, volatile).is_some() && self.has_volatile(ty))
    }

    /// Checks whether an object of the type has a volatile part.
    fn has_volatile(&self, ty: Type) -> bool {
        if ty.qualifiers.contains(Qualifiers::VOLATILE) {
            return true;
        }
        if let TypeKind::Array { element, .. } = *self.types.kind(ty) {
            return self.has_volatile(element);
        }
        let record = self.types.as_record(ty);
        let mut fields = record.into_iter().flat_map(|record| &record.fields);
        fields.any(|field| self.has_volatile(field.ty))
    }

    /// Copies an object that may change by itself to a temporary, scalar by scalar.
    fn copy_of_device(&mut self, address: Expr, ty: Type) -> Result<Expr> {
        let size = self.size_of(ty)?;
        let copy = Expr::ObjectAddress(self.temporary_object(ty.unqualified())?);
        let address = self.keep_pointer(address);
        let Some(parts) = self.parts_of(ty) else {
            self.unsupported("a copy of a large object that may change by itself");
            return Ok(copy);
        };
        let is_device = |part: &Part| self.device_access(&address, part.ty);
        if parts.iter().any(|part| is_device(part).is_none()) {
            let leaves = self.types.leaves(ty);
            self.emit_fresh(Instruction::Copy {
                destination: Pointer::new(copy.clone()),
                source: Pointer::new(address.clone()),
                size,
                leaves,
                overlapping: false,
            });
        }
        for part in parts {
            if let Some(volatile) = self.device_access(&address, part.ty) {
                let source = self.place_of_part(&address, &part)?;
                let place = self.place_of_part(&copy, &part)?;
                self.read_device_into(place, source, volatile);
            }
        }
        Ok(copy)
    }

    /// Writes an object scalar by scalar if it may be a device; returns whether it did.
    pub(in crate::lower) fn write_device_object(
        &mut self,
        address: &Expr,
        source: &Expr,
        ty: Type,
    ) -> Result<bool> {
        if start_of(address).is_some()
            || self.types.as_record(ty).is_none()
            || !self.may_hold_device(address, ty)
        {
            return Ok(false);
        }
        let Some(parts) = self.parts_of(ty) else {
            return Ok(false);
        };
        let address = self.keep_pointer(address.clone());
        let source = self.keep_pointer(source.clone());
        for part in parts {
            let place = self.place_of_part(&address, &part)?;
            let value = Expr::Load(self.place_of_part(&source, &part)?);
            self.emit(Instruction::WriteDevice {
                place,
                value,
                volatile: true,
            });
        }
        Ok(true)
    }

    fn place_of_part(&self, address: &Expr, part: &Part) -> Result<Place> {
        let address = self.constant_offset(address.clone(), part.bit / 8);
        Ok(Place {
            address: Pointer::new(address),
            scalar: self.scalar_type(part.ty)?,
            bit_field: part.width.map(|bits| BitField {
                offset: (part.bit % 8) as u8,
                bits,
            }),
        })
    }

    /// The scalars of an object of the type; `None` if there are too many or some are unknown.
    fn parts_of(&self, ty: Type) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        self.add_parts(ty, 0, &mut parts).then_some(parts)
    }

    fn add_parts(&self, ty: Type, bit: u64, parts: &mut Vec<Part>) -> bool {
        if parts.len() >= MAXIMUM_COPIED_SCALARS {
            return false;
        }
        if self.types.scalar(ty).is_some() {
            let width = None;
            parts.push(Part { bit, width, ty });
            return true;
        }
        match *self.types.kind(ty) {
            TypeKind::Array {
                element,
                length: ArrayLength::Constant(length),
            } => {
                let element = element.qualified(ty.qualifiers);
                let Ok(size) = self.types.size_of(element) else {
                    return false;
                };
                (0..length).all(|index| self.add_parts(element, bit + index * size * 8, parts))
            }
            // A flexible array member is not copied.
            TypeKind::Array {
                length: ArrayLength::Unknown,
                ..
            } => true,
            TypeKind::Record(_) => self.types.as_record(ty).is_some_and(|record| {
                record.fields.iter().all(|field| {
                    let bit = bit + field.bit_offset;
                    let ty = field.ty.qualified(ty.qualifiers);
                    match field.bit_width {
                        Some(_) => {
                            let width = field.bit_width;
                            parts.push(Part { bit, width, ty });
                            true
                        }
                        None => self.add_parts(ty, bit, parts),
                    }
                })
            }),
            _ => false,
        }
    }
}
