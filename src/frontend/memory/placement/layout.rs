//! The address space: the addresses that objects can have.
//!
//! Where the program cannot observe the addresses of a class's objects, they are constants: distinct, aligned, not
//! null, with gaps between them, so that terms fold and an access slightly out of bounds hits no object. Dynamic
//! objects get theirs from *arenas*, each with a counter of the next free address, which never use an address twice.
//! With 32 bits, an arena would soon be exhausted by large objects of which one ends before the next is made: these lie
//! in the pool.
//!
//! Where the program can observe an address, the object may lie anywhere in the *pool* that its alignment permits and
//! that is free: below or above any other object, next to it, between two others, and where an object was that has
//! ended. An address is `position + hint`, modulo the pool's size, where the position is arbitrary and the hints
//! describe one possible layout: so simulation, which begins with zeros, need not guess a layout.
//!
//! The two kinds of addresses never meet. With 64 bits, constants and arenas lie where no object of a real program can
//! lie; with 32 bits, they take a part of the pool.

use regatta_program::DataModel;

/// Minimum free space (bytes) behind an object in an arena.
pub const MINIMUM_GAP: u64 = 64;

/// Maximum size (bytes) of a small object. Small objects of one constant size lie at multiples of a power of two in an
/// arena.
pub const MAXIMUM_SMALL_SIZE: i128 = 1 << 12;

/// No object has an address below this.
pub const RESERVED: u64 = 0x1_0000;

/// A range of addresses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AddressRange {
    pub low: u64,
    /// The address after the last.
    pub high: u64,
}

/// With 32 bits, the part of the pool for constants and arenas: where a process has neither code, nor heap, nor stack.
/// The middle of the address space, where the highest bit changes, stays in the pool.
const FIXED_ADDRESSES: AddressRange = AddressRange {
    low: 0xB000_0000,
    high: 0xF000_0000,
};

/// The addresses that objects with observable addresses may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Its addresses.
    pub ranges: Vec<AddressRange>,
    /// Every address is below two to this power.
    pub bits: u8,
    /// The hint for the first object.
    pub first_hint: u64,
}

/// The objects do not fit into the address space.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// An allocator of addresses. All constant addresses must be allocated before the arenas.
#[derive(Clone, Debug)]
pub struct AddressSpace {
    data_model: DataModel,
    /// Whether there is a pool.
    observed: bool,
    functions: u64,
    functions_end: u64,
    statics: u64,
    /// The binary logarithm of the size of the largest slots (bytes), if objects have slots: these come after other constant
    /// addresses.
    slots: Option<u8>,
}

impl AddressSpace {
    /// An empty address space.
    pub const fn new(data_model: DataModel, observed: bool) -> Self {
        let start = match (data_model, observed) {
            (DataModel::Lp64, _) => 1 << 62,
            (DataModel::Ilp32, true) => FIXED_ADDRESSES.low,
            (DataModel::Ilp32, false) => 0,
        };
        Self {
            data_model,
            observed,
            functions: start + 0x1000,
            functions_end: start + 0x10_0000,
            statics: start + 0x10_0000,
            slots: None,
        }
    }

    /// The end of constant addresses, and the end of the arenas.
    const fn limits(&self) -> (u64, u64) {
        match (self.data_model, self.observed) {
            (DataModel::Lp64, _) if self.slots.is_some() => ((1 << 62) + (1 << 60), 1 << 63),
            (DataModel::Lp64, _) => ((1 << 62) + (1 << 50), 1 << 63),
            (DataModel::Ilp32, true) => (0xD000_0000, FIXED_ADDRESSES.high),
            (DataModel::Ilp32, false) => (0xE000_0000, 0xFFFF_0000),
        }
    }

    /// The addresses that objects with observable addresses may have.
    pub fn pool(&self) -> Pool {
        match self.data_model {
            DataModel::Lp64 => Pool {
                ranges: vec![AddressRange {
                    low: RESERVED,
                    high: 1 << 47,
                }],
                bits: 47,
                first_hint: 0x40_0000,
            },
            DataModel::Ilp32 => Pool {
                ranges: vec![
                    AddressRange {
                        low: RESERVED,
                        high: FIXED_ADDRESSES.low,
                    },
                    AddressRange {
                        low: FIXED_ADDRESSES.high,
                        high: 0xFFFF_F000,
                    },
                ],
                bits: 32,
                first_hint: 0x40_0000,
            },
        }
    }

    /// The size in bytes above which `malloc` and its like fail on every machine with the data model: the largest
    /// difference of two pointers, or all of a process's addresses.
    pub const fn largest_object(data_model: DataModel) -> u64 {
        match data_model {
            DataModel::Lp64 => 1 << 47,
            DataModel::Ilp32 => 0x7FFF_FFFF,
        }
    }

    /// A constant address for a function.
    pub fn function(&mut self) -> Result<u64, TooLarge> {
        let address = self.functions;
        self.functions += 16;
        if self.functions > self.functions_end {
            Err(TooLarge)
        } else {
            Ok(address)
        }
    }

    /// A constant address for an object.
    pub fn constant(&mut self, size: u64, alignment: u64) -> Result<u64, TooLarge> {
        let address = self
            .statics
            .checked_next_multiple_of(alignment.max(16))
            .ok_or(TooLarge)?;
        // A gap as large as the object, within limits.
        let gap = size.clamp(MINIMUM_GAP, 1 << 12);
        let end = address
            .checked_add(size)
            .and_then(|end| end.checked_add(gap))
            .ok_or(TooLarge)?;
        if end > self.limits().0 {
            return Err(TooLarge);
        }
        self.statics = end;
        Ok(address)
    }

    /// All constant addresses outside of slots have been allocated.
    pub const fn begin_slots(&mut self, largest: u8) {
        self.slots = Some(largest);
        if matches!(self.data_model, DataModel::Lp64) {
            self.statics = (1 << 62) + (1 << 50);
        }
    }

    /// The beginning of a slot of two to the power of `bits` bytes.
    pub fn slot(&mut self, bits: u8) -> Result<u64, TooLarge> {
        let size = 1 << bits;
        let address = self.statics.checked_next_multiple_of(size);
        let address = address.ok_or(TooLarge)?;
        if address + size > self.limits().0 {
            return Err(TooLarge);
        }
        self.statics = address + size;
        Ok(address)
    }

    /// Makes `count` arenas, or a single one, to be shared, if they would be too small.
    pub fn arenas(&self, count: usize) -> Result<Vec<AddressRange>, TooLarge> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let (_, end) = self.limits();
        // An arena that is too small would lose paths of a real machine.
        let (from, smallest) = match self.data_model {
            DataModel::Ilp32 => (self.statics.next_multiple_of(1 << 20), 1 << 26),
            DataModel::Lp64 if self.slots.is_some() => ((1 << 62) + (1 << 60), 1 << 48),
            DataModel::Lp64 => ((1 << 62) + (1 << 50), 1 << 48),
        };
        // Slots begin at multiples of their size.
        let unit = self.slots.map_or(4096, |bits| 1 << bits);
        let gap = if self.slots.is_some() { 0 } else { 4096 };
        let smallest = smallest.max(4 * unit);
        let (from, end) = match self.slots {
            Some(_) => (from.next_multiple_of(unit), end & !(unit - 1)),
            None => (from, end),
        };
        let total = end.saturating_sub(from);
        if total < 1 << 20 {
            return Err(TooLarge);
        }
        let count = if total / count as u64 >= smallest {
            count as u64
        } else {
            1
        };
        let size = (total / count) & !(unit - 1);
        Ok((0..count)
            .map(|index| AddressRange {
                low: from.next_multiple_of(unit) + index * size,
                high: from + (index + 1) * size - gap,
            })
            .collect())
    }
}

/// A hint for an object of the size and alignment, and the first free address behind it.
pub const fn hint(free: u64, size: u64, alignment: u64) -> (u64, u64) {
    let address = free.next_multiple_of(alignment);
    let size = if size < 1 << 24 { size } else { 1 << 24 };
    (address, address + size + MINIMUM_GAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_apart() {
        for (model, observed) in [
            (DataModel::Ilp32, false),
            (DataModel::Ilp32, true),
            (DataModel::Lp64, true),
        ] {
            let mut space = AddressSpace::new(model, observed);
            let a = space.constant(4, 4).unwrap();
            let b = space.constant(100, 64).unwrap();
            let c = space.constant(1, 1).unwrap();
            assert!(
                a > 0
                    && b >= a + 4 + MINIMUM_GAP
                    && b.is_multiple_of(64)
                    && c >= b + 100 + MINIMUM_GAP
            );
            assert_eq!(space.constant(1 << 63, 4), Err(TooLarge));
            assert!(space.function().unwrap() < a);
        }
    }

    #[test]
    fn constants_and_arenas_are_outside_of_the_pool() {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let mut space = AddressSpace::new(model, true);
            let pool = space.pool();
            let object = space.constant(1000, 16).unwrap();
            let function = space.function().unwrap();
            let arenas = space.arenas(3).unwrap();
            let apart = |low: u64, high: u64| {
                let ranges = pool.ranges.iter();
                ranges
                    .into_iter()
                    .all(|range| high <= range.low || range.high <= low)
            };
            assert!(apart(object, object + 1000) && apart(function, function + 1));
            for arena in arenas {
                assert!(object + 1000 < arena.low && apart(arena.low, arena.high));
            }
            assert!(pool.ranges.iter().all(|range| range.low > 0));
            assert!(pool.ranges.iter().all(|range| range.high <= 1 << pool.bits));
        }
    }

    #[test]
    fn slots_begin_at_multiples_of_their_size() {
        for (model, observed, bits) in [
            (DataModel::Lp64, false, 36),
            (DataModel::Lp64, true, 36),
            (DataModel::Ilp32, false, 20),
            (DataModel::Ilp32, true, 24),
        ] {
            let mut space = AddressSpace::new(model, observed);
            let constant = space.constant(100, 16).unwrap();
            space.begin_slots(bits);
            let small = space.slot(20).unwrap();
            let large = space.slot(bits).unwrap();
            assert!(small.is_multiple_of(1 << 20) && large.is_multiple_of(1 << bits));
            assert!(constant + 100 < small && small + (1 << 20) <= large);
            let arenas = space.arenas(3).unwrap();
            for arena in &arenas {
                assert!(
                    arena.low.is_multiple_of(1 << bits) && arena.high.is_multiple_of(1 << bits)
                );
                assert!(large + (1 << bits) <= arena.low && arena.low + (1 << bits) <= arena.high);
            }
            assert!(arenas.windows(2).all(|pair| pair[0].high <= pair[1].low));
        }
    }

    #[test]
    fn arenas_are_shared_if_they_must() {
        let count = |model, observed, wanted| {
            let space = AddressSpace::new(model, observed);
            space.arenas(wanted).unwrap().len()
        };
        assert_eq!(count(DataModel::Ilp32, false, 1000), 1);
        assert_eq!(count(DataModel::Ilp32, false, 20), 20);
        assert_eq!(count(DataModel::Lp64, false, 1000), 1000);
    }
}
