//! The live objects of a run, by address.
//!
//! Objects do not overlap, so the intervals are kept in a map by their first address. An object that has ended stays in a
//! second map until its address is used again, so that a later access can be reported as a use after free.

use std::collections::BTreeMap;

use crate::interpreter::limits::NEIGHBOURHOOD;
use crate::{Lifetime, ObjectId};

/// The origin of an object.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A static object, which exists from the program's start.
    Static(ObjectId),
    /// An object created by [`crate::Operation::Allocate`].
    Dynamic(Lifetime),
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct LiveObject {
    /// Address of the first byte.
    pub(crate) start: u64,
    /// Size in bytes.
    pub(crate) size: u64,
    pub(crate) origin: Origin,
}

impl LiveObject {
    /// Whether the `bytes` bytes at the address are within the object.
    fn covers(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.start);
        offset < self.size && bytes <= self.size - offset
    }
}

/// The live objects of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectTable {
    live: BTreeMap<u64, LiveObject>,
    ended: BTreeMap<u64, u64>,
    /// Whether two live objects have overlapped.
    overlap: bool,
}

/// Why an access or a deallocation is invalid.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misuse {
    /// The address is null or close to it.
    Null,
    /// The object at the address has ended.
    Ended,
    /// There is no object, or it is too small.
    Outside,
}

/// The end of the addresses that are reported as null.
const NULL_PAGE: u64 = 256;

impl ObjectTable {
    pub(crate) fn clear(&mut self) {
        self.live.clear();
        self.ended.clear();
        self.overlap = false;
    }

    /// Adds an object, and removes an ended object with the same first address.
    pub(crate) fn insert(&mut self, object: LiveObject) {
        let before = self.live.range(..=object.start).next_back();
        let after = self.live.range(object.start..).next();
        self.overlap |= before.is_some_and(|(_, other)| {
            let distance = object.start - other.start;
            distance < other.size && object.size > 0
        });
        self.overlap |= after
            .is_some_and(|(&start, other)| start - object.start < object.size && other.size > 0);
        self.ended.remove(&object.start);
        self.live.insert(object.start, object);
    }

    /// Whether two live objects have overlapped, which no real memory layout allows.
    pub(crate) const fn has_overlap(&self) -> bool {
        self.overlap
    }

    /// The live object that contains the bytes.
    pub(crate) fn find(&self, address: u64, bytes: u64) -> Option<&LiveObject> {
        let (_, object) = self.live.range(..=address).next_back()?;
        object.covers(address, bytes).then_some(object)
    }

    /// Whether no live or ended object is within [`NEIGHBOURHOOD`] of the bytes.
    pub(crate) fn is_far(&self, address: u64, bytes: u64) -> bool {
        let (Some(low), Some(high)) = (
            address.checked_sub(NEIGHBOURHOOD),
            address
                .checked_add(bytes)
                .and_then(|end| end.checked_add(NEIGHBOURHOOD)),
        ) else {
            return false;
        };
        let before = |start: u64, size: u64| start.saturating_add(size) <= low;
        let live = self.live.range(..high).next_back();
        let ended = self.ended.range(..high).next_back();
        live.is_none_or(|(&start, object)| before(start, object.size))
            && ended.is_none_or(|(&start, &size)| before(start, size))
    }

    /// The reason why no live object contains the bytes.
    pub(crate) fn explain(&self, address: u64) -> Misuse {
        if address < NULL_PAGE {
            return Misuse::Null;
        }
        match self.ended.range(..=address).next_back() {
            Some((start, size)) if address - start < *size => Misuse::Ended,
            _ => Misuse::Outside,
        }
    }

    /// Removes the object that starts at the address, if it has this lifetime.
    pub(crate) fn remove(&mut self, address: u64, lifetime: Lifetime) -> Result<(), Misuse> {
        match self.live.get(&address) {
            Some(object) if object.origin == Origin::Dynamic(lifetime) => {
                self.ended.insert(address, object.size);
                self.live.remove(&address);
                Ok(())
            }
            Some(_) => Err(Misuse::Outside),
            None => Err(self.explain(address)),
        }
    }

    /// Number of objects, live or ended.
    pub(crate) fn len(&self) -> usize {
        self.live.len() + self.ended.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_cover_exactly_their_bytes() {
        let mut table = ObjectTable::default();
        let heap = Origin::Dynamic(Lifetime::Heap);
        for (start, size) in [(0x1000, 8), (0x1008, 4), (0x2000, 0), (u64::MAX - 3, 4)] {
            table.insert(LiveObject {
                start,
                size,
                origin: heap,
            });
        }
        for (address, bytes, expected) in [
            (0x1000, 8, true),
            (0x1007, 1, true),
            (0x1007, 2, false),
            (0x1008, 4, true),
            (0x100c, 1, false),
            (0x0fff, 1, false),
            (0x2000, 1, false),
            (u64::MAX, 1, true),
            (u64::MAX, 2, false),
        ] {
            assert_eq!(
                table.find(address, bytes).is_some(),
                expected,
                "{address:#x}, {bytes}"
            );
        }
    }

    #[test]
    fn objects_end_once_and_in_their_own_way() {
        let mut table = ObjectTable::default();
        let (start, size) = (0x1000, 16);
        table.insert(LiveObject {
            start,
            size,
            origin: Origin::Dynamic(Lifetime::Heap),
        });
        assert_eq!(table.remove(0x1004, Lifetime::Heap), Err(Misuse::Outside));
        assert_eq!(
            table.remove(start, Lifetime::Automatic),
            Err(Misuse::Outside)
        );
        assert_eq!(table.remove(start, Lifetime::Heap), Ok(()));
        assert_eq!(table.remove(start, Lifetime::Heap), Err(Misuse::Ended));
        assert_eq!(table.explain(0x100f), Misuse::Ended);
        assert_eq!(table.explain(0x1010), Misuse::Outside);
        assert_eq!(table.explain(0), Misuse::Null);
    }
}
