//! The live objects of a run, by address.
//!
//! Objects do not overlap, so the intervals are kept in a map by their first address. An object that has ended stays in a
//! second map until its address is used again, so that a later access can be reported as a use after free.

use std::collections::BTreeMap;

use crate::interpreter::limits::NEIGHBOURHOOD;
use crate::interpreter::outcome::{Life, MemoryFault, MemoryFaultKind, Site};
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
    /// Its allocation; `None` if it exists from the program's start.
    pub(crate) made: Option<Site>,
}

/// An object that exists no more.
#[derive(Copy, Clone, Debug)]
struct EndedObject {
    object: LiveObject,
    site: Option<Site>,
}

impl LiveObject {
    pub(crate) fn is_on_heap(&self) -> bool {
        self.origin == Origin::Dynamic(Lifetime::Heap)
    }

    /// Its life until now, or until its end.
    fn life(&self, ended: Option<Site>) -> Life {
        Life {
            object: match self.origin {
                Origin::Static(object) => Some(object),
                Origin::Dynamic(_) => None,
            },
            is_on_heap: self.is_on_heap(),
            size: self.size,
            made: self.made,
            ended,
        }
    }

    /// A fault that is about the object, with an address.
    pub(super) fn fault(
        &self,
        kind: MemoryFaultKind,
        address: u64,
        ended: Option<Site>,
    ) -> MemoryFault {
        MemoryFault {
            kind,
            object: Some(self.life(ended)),
            offset: address.wrapping_sub(self.start) as i64,
            bytes: 0,
        }
    }

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
    ended: BTreeMap<u64, EndedObject>,
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
            && ended.is_none_or(|(&start, one)| before(start, one.object.size))
    }

    /// The reason why no live object contains the bytes.
    pub(crate) fn explain(&self, address: u64) -> Misuse {
        if address < NULL_PAGE {
            return Misuse::Null;
        }
        match self.ended.range(..=address).next_back() {
            Some((_, one)) if one.object.covers(address, 1) => Misuse::Ended,
            _ => Misuse::Outside,
        }
    }

    /// Removes the object that starts at the address, if it has this lifetime.
    /// A static object ends, too, if it is a local one that leaves its scope.
    pub(crate) fn remove(
        &mut self,
        address: u64,
        lifetime: Lifetime,
        site: Option<Site>,
    ) -> Result<(), Misuse> {
        let ends = |object: &LiveObject| match object.origin {
            Origin::Static(_) => lifetime == Lifetime::Automatic,
            Origin::Dynamic(own) => own == lifetime,
        };
        match self.live.get(&address) {
            Some(&object) if ends(&object) => {
                self.ended.insert(address, EndedObject { object, site });
                self.live.remove(&address);
                Ok(())
            }
            Some(_) => Err(Misuse::Outside),
            None => Err(self.explain(address)),
        }
    }

    /// Begins the life of the static object with this first address anew; returns whether there is one.
    pub(crate) fn renew(&mut self, start: u64, size: u64, made: Option<Site>) -> bool {
        let ended = self.ended.get(&start).map(|one| one.object);
        let Some(object) = self.live.get(&start).copied().or(ended) else {
            return false;
        };
        let is_same = matches!(object.origin, Origin::Static(_)) && object.size == size;
        if is_same {
            self.ended.remove(&start);
            self.live.insert(start, LiveObject { made, ..object });
        }
        is_same
    }

    /// The objects that exist.
    pub(crate) fn live(&self) -> impl Iterator<Item = &LiveObject> {
        self.live.values()
    }

    /// The object that an address belongs to: it exists and has the byte there or just before it.
    pub(crate) fn target(&self, address: u64) -> Option<&LiveObject> {
        let (&start, object) = self.live.range(..=address).next_back()?;
        (address - start <= object.size).then_some(object)
    }

    /// What is wrong with an access to bytes; `None` if they are in an object that exists.
    pub(crate) fn invalid_access(&self, address: u64, bytes: u64) -> Option<MemoryFault> {
        if bytes == 0 || self.find(address, bytes).is_some() {
            return None;
        }
        let fault = match self.explain(address) {
            Misuse::Null => MemoryFault {
                kind: MemoryFaultKind::NullAccess,
                object: None,
                offset: 0,
                bytes,
            },
            Misuse::Ended => self.fault_at_ended(address, MemoryFaultKind::AccessAfterEnd)?,
            Misuse::Outside => self.beyond(address, bytes),
        };
        Some(MemoryFault { bytes, ..fault })
    }

    /// A fault that is about the ended object which has the address.
    fn fault_at_ended(&self, address: u64, kind: MemoryFaultKind) -> Option<MemoryFault> {
        let (_, one) = self.ended.range(..=address).next_back()?;
        Some(one.object.fault(kind, address, one.site))
    }

    /// An access beyond the object that is nearest to it.
    fn beyond(&self, address: u64, bytes: u64) -> MemoryFault {
        let before = self.live.range(..=address).next_back();
        let after = self.live.range(address..).next();
        let past = |object: &LiveObject| (address - object.start).saturating_sub(object.size);
        let before = before.map(|(_, object)| (past(object), object));
        let after = after.map(|(&start, object)| (start - address, object));
        let near = before.into_iter().chain(after);
        let nearest = near.min_by_key(|(distance, _)| *distance);
        match nearest.filter(|(distance, _)| *distance < NEIGHBOURHOOD) {
            Some((_, object)) => object.fault(MemoryFaultKind::OutOfBounds, address, None),
            None => MemoryFault {
                kind: MemoryFaultKind::NoObject,
                object: None,
                offset: 0,
                bytes,
            },
        }
    }

    /// What is wrong with a call of `free`; `None` if the address is null or the first of an object of the heap that exists.
    pub(crate) fn invalid_free(&self, address: u64) -> Option<MemoryFault> {
        if address == 0 {
            return None;
        }
        let other = MemoryFault {
            kind: MemoryFaultKind::FreeOfOther,
            object: None,
            offset: 0,
            bytes: 0,
        };
        match self.target(address) {
            Some(object) if !object.is_on_heap() => {
                Some(object.fault(MemoryFaultKind::FreeOfOther, address, None))
            }
            Some(object) if object.start != address => {
                Some(object.fault(MemoryFaultKind::FreeInside, address, None))
            }
            Some(_) => None,
            None => match self.explain(address) {
                Misuse::Ended => self.fault_at_ended(address, MemoryFaultKind::DoubleFree),
                Misuse::Null | Misuse::Outside => Some(other),
            },
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
    use crate::EdgeId;

    fn site(edge: u32) -> Option<Site> {
        Some(Site {
            edge: EdgeId(edge),
            operation: 0,
        })
    }

    #[test]
    fn objects_cover_exactly_their_bytes() {
        let mut table = ObjectTable::default();
        let heap = Origin::Dynamic(Lifetime::Heap);
        for (start, size) in [(0x1000, 8), (0x1008, 4), (0x2000, 0), (u64::MAX - 3, 4)] {
            table.insert(LiveObject {
                start,
                size,
                origin: heap,
                made: None,
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
            made: None,
        });
        let remove =
            |table: &mut ObjectTable, address, lifetime| table.remove(address, lifetime, site(7));
        let outside = Err(Misuse::Outside);
        assert_eq!(remove(&mut table, 0x1004, Lifetime::Heap), outside);
        assert_eq!(remove(&mut table, start, Lifetime::Automatic), outside);
        assert_eq!(remove(&mut table, start, Lifetime::Heap), Ok(()));
        let ended = Err(Misuse::Ended);
        assert_eq!(remove(&mut table, start, Lifetime::Heap), ended);
        assert_eq!(table.explain(0x100f), Misuse::Ended);
        assert_eq!(table.explain(0x1010), Misuse::Outside);
        assert_eq!(table.explain(0), Misuse::Null);
    }

    /// A heap object of 16 bytes, one that has ended, and a local one.
    fn three_objects() -> ObjectTable {
        let mut table = ObjectTable::default();
        let heap = Origin::Dynamic(Lifetime::Heap);
        let origins = [heap, heap, Origin::Static(ObjectId(3))];
        for (start, origin) in [0x1000, 0x2000, 0x3000].into_iter().zip(origins) {
            table.insert(LiveObject {
                start,
                size: 16,
                origin,
                made: site(1),
            });
        }
        let ended = table.remove(0x2000, Lifetime::Heap, site(2));
        assert_eq!(ended, Ok(()));
        table
    }

    #[test]
    fn invalid_accesses_say_what_is_wrong() {
        use MemoryFaultKind as Kind;
        let table = three_objects();
        for (address, bytes, expected) in [
            (0x1008, 8, None),
            (0x1009, 8, Some((Kind::OutOfBounds, 9))),
            (0x1010, 1, Some((Kind::OutOfBounds, 16))),
            (0x0ffc, 8, Some((Kind::OutOfBounds, -4))),
            (0x1010, 0, None),
            (0, 4, Some((Kind::NullAccess, 0))),
            (0x2004, 4, Some((Kind::AccessAfterEnd, 4))),
            (0x3010, 4, Some((Kind::OutOfBounds, 16))),
            (0x5000_0000, 4, Some((Kind::NoObject, 0))),
        ] {
            let found = table.invalid_access(address, bytes);
            let found = found.map(|fault| (fault.kind, fault.offset));
            assert_eq!(found, expected, "{address:#x}, {bytes}");
        }
        let ended = table.invalid_access(0x2000, 1).and_then(|one| one.object);
        let edges = ended.map(|life| (life.made, life.ended));
        assert_eq!(edges, Some((site(1), site(2))));
    }

    #[test]
    fn invalid_deallocations_say_what_is_wrong() {
        use MemoryFaultKind as Kind;
        let table = three_objects();
        for (address, expected) in [
            (0, None),
            (0x1000, None),
            (0x1008, Some(Kind::FreeInside)),
            (0x1010, Some(Kind::FreeInside)),
            (0x2000, Some(Kind::DoubleFree)),
            (0x3000, Some(Kind::FreeOfOther)),
            (0x3004, Some(Kind::FreeOfOther)),
            (0x5000_0000, Some(Kind::FreeOfOther)),
        ] {
            let found = table.invalid_free(address).map(|fault| fault.kind);
            assert_eq!(found, expected, "{address:#x}");
        }
    }

    #[test]
    fn a_local_object_ends_and_begins_anew() {
        let mut table = three_objects();
        let ended = table.remove(0x3000, Lifetime::Automatic, site(5));
        assert_eq!(ended, Ok(()));
        let fault = table.invalid_access(0x3000, 4).expect("it has ended");
        assert_eq!(fault.kind, MemoryFaultKind::AccessAfterEnd);
        assert_eq!(fault.object.and_then(|life| life.object), Some(ObjectId(3)));
        assert!(table.renew(0x3000, 16, site(6)));
        assert_eq!(table.invalid_access(0x3000, 4), None);
        assert!(!table.renew(0x1000, 16, site(6)));
        assert!(!table.has_overlap());
    }
}
