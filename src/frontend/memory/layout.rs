//! The address space: which addresses objects have.
//!
//! Where the program cannot observe how the objects of a class lie, their addresses are constants: distinct, aligned,
//! not null, with gaps between them, so that terms fold and what goes a little out of bounds hits nothing.
//!
//! Where it can, an object has a *low* and a *high* window, and a choice at the program's start says which one it lies
//! in, and where in it. Object i's low window lies below and its high window above those of all objects after it:
//! so either of two objects can have the lower address, but they are disjoint by construction and every choice is a
//! valid one, so that simulation never has to guess.
//!
//! Objects made at run time get addresses from *arenas*, that never use an address twice: a counter of the next free
//! address; and where the layout can be observed two counters, going up and down from the middle, with a choice
//! between them each time. A path ends where an arena is exhausted.

use crate::program::DataModel;

/// Bytes left free behind a dynamic object at least.
pub const GAP: u64 = 64;

/// Where the addresses of functions begin.
const FUNCTIONS: u64 = 0x1000;

/// Where the constant addresses of objects begin.
const STATICS: u64 = 0x10_0000;

/// A range of addresses for objects made at run time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ArenaRange {
    /// First address.
    pub low: u64,
    /// The address after the last.
    pub high: u64,
}

/// The two windows of an object whose address is chosen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    /// First address of the low window.
    pub low: u64,
    /// First address of the high window.
    pub high: u64,
    /// How many positions there are within a window: two to this power.
    pub position_bits: u8,
    /// Distance of the positions in bytes, a power of two.
    pub step: u64,
}

/// The objects do not fit into the address space.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Hands out addresses. All constant ones must be taken before windows and arenas are.
#[derive(Clone, Debug)]
pub struct AddressSpace {
    data_model: DataModel,
    functions: u64,
    statics: u64,
}

impl AddressSpace {
    /// An address space that is free.
    pub const fn new(data_model: DataModel) -> Self {
        Self {
            data_model,
            functions: FUNCTIONS,
            statics: STATICS,
        }
    }

    /// The last address that constant ones may use, and the end of all.
    const fn limits(&self) -> (u64, u64) {
        match self.data_model {
            DataModel::Ilp32 => (0xE000_0000, 0xFFFF_0000),
            DataModel::Lp64 => (1 << 45, 1 << 47),
        }
    }

    /// A constant address for a function.
    pub fn function(&mut self) -> Result<u64, TooLarge> {
        let address = self.functions;
        self.functions += 16;
        if self.functions > STATICS {
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
        // As much free space as the object has, within reason.
        let gap = size.clamp(GAP, 1 << 12);
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

    /// The windows of the objects with the given sizes and alignments, and so many arenas (fewer, if they would become
    /// too small: then some have to be shared).
    pub fn divide(
        &self,
        chosen: &[(u64, u64)],
        arenas: usize,
    ) -> Result<(Vec<Windows>, Vec<ArenaRange>), TooLarge> {
        let (_, end) = self.limits();
        let (windows_from, arenas_from, arenas_to) = match self.data_model {
            DataModel::Lp64 => (1 << 46, 1 << 45, 1 << 46),
            DataModel::Ilp32 => {
                let free = self.statics.next_multiple_of(1 << 20);
                let total = end.saturating_sub(free);
                match (chosen.is_empty(), arenas == 0) {
                    (true, _) => (end, free, end),
                    (_, true) => (free, free, free),
                    _ => {
                        let middle = free + total / 2;
                        (middle, free, middle)
                    }
                }
            }
        };
        // An arena that is smaller than an object that a real machine could make would lose its paths.
        let smallest = match self.data_model {
            DataModel::Ilp32 => 1 << 30,
            DataModel::Lp64 => 1 << 34,
        };
        Ok((
            windows(windows_from, end, chosen)?,
            arena_ranges(arenas_from, arenas_to, arenas, smallest)?,
        ))
    }
}

fn windows(from: u64, to: u64, chosen: &[(u64, u64)]) -> Result<Vec<Windows>, TooLarge> {
    let count = chosen.len() as u64;
    if count == 0 {
        return Ok(Vec::new());
    }
    let share = to.saturating_sub(from) / (2 * count + 2);
    if share < 4096 {
        return Err(TooLarge);
    }
    let size = 1_u64 << share.ilog2();
    let low = from.next_multiple_of(size);
    let high = to / size * size;
    chosen
        .iter()
        .enumerate()
        .map(|(index, &(bytes, alignment))| {
            let index = index as u64;
            let step = alignment.max(1);
            let room = size
                .checked_sub(bytes)
                .and_then(|room| room.checked_sub(2 * GAP))
                .filter(|&room| room >= 2 * step)
                .ok_or(TooLarge)?;
            Ok(Windows {
                low: low + index * size,
                high: high - (index + 1) * size,
                position_bits: (room / step).ilog2() as u8,
                step,
            })
        })
        .collect()
}

fn arena_ranges(
    from: u64,
    to: u64,
    count: usize,
    smallest: u64,
) -> Result<Vec<ArenaRange>, TooLarge> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let total = to.saturating_sub(from);
    if total < 1 << 20 {
        return Err(TooLarge);
    }
    // An object may be so large at least; otherwise all share one.
    let count = if total / count as u64 >= smallest {
        count as u64
    } else {
        1
    };
    let size = (total / count) & !4095;
    Ok((0..count)
        .map(|index| ArenaRange {
            low: from.next_multiple_of(4096) + index * size,
            high: from + (index + 1) * size - 4096,
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_apart() {
        let mut space = AddressSpace::new(DataModel::Ilp32);
        let a = space.constant(4, 4).unwrap();
        let b = space.constant(100, 64).unwrap();
        let c = space.constant(1, 1).unwrap();
        assert!(a > 0 && b >= a + 4 + GAP && b.is_multiple_of(64) && c >= b + 100 + GAP);
        assert_eq!(space.constant(0xF000_0000, 4), Err(TooLarge));
        assert!(space.function().unwrap() < a);
    }

    #[test]
    fn either_order_is_possible() {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let space = AddressSpace::new(model);
            let objects = [(4, 4), (1000, 16), (1, 1), (1 << 20, 8)];
            let (windows, arenas) = space.divide(&objects, 3).unwrap();
            assert!(!arenas.is_empty());
            let last = |start: u64, index: usize| {
                let window = windows[index];
                start + ((1 << window.position_bits) - 1) * window.step + objects[index].0
            };
            for (i, a) in windows.iter().enumerate() {
                assert!(a.low.is_multiple_of(objects[i].1) && a.high.is_multiple_of(objects[i].1));
                assert!(
                    arenas
                        .iter()
                        .all(|arena| arena.high <= a.low || last(a.high, i) <= arena.low)
                );
                for (j, b) in windows.iter().enumerate().skip(i + 1) {
                    assert!(
                        last(a.low, i) < b.low
                            && last(b.low, j) < a.high
                            && last(b.high, j) < a.high
                    );
                    assert!(last(a.low, i) < b.high);
                }
            }
        }
    }

    #[test]
    fn arenas_are_shared_if_they_must() {
        let space = AddressSpace::new(DataModel::Ilp32);
        assert_eq!(space.divide(&[], 1000).unwrap().1.len(), 1);
        assert_eq!(space.divide(&[], 2).unwrap().1.len(), 2);
        assert_eq!(
            AddressSpace::new(DataModel::Lp64)
                .divide(&[], 1000)
                .unwrap()
                .1
                .len(),
            1000
        );
    }
}
