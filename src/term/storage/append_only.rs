//! An append-only vector whose elements never move, so that they are read while others are appended.
//!
//! Elements lie in segments, each twice as large as the one before it; a segment is allocated when its first element
//! arrives and never moved or freed before the vector is. Reading is two loads and takes no lock.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::marker::PhantomData;
use std::mem::needs_drop;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crossbeam::utils::CachePadded;

/// log2 of the number of elements in the first segment.
const FIRST_BITS: u32 = 5;
/// Enough segments for 2^32 - 2^FIRST_BITS elements.
const SEGMENTS: usize = (32 - FIRST_BITS) as usize;

/// An append-only vector whose elements never move.
pub(crate) struct AppendOnly<T> {
    segments: [AtomicPtr<T>; SEGMENTS],
    /// Padded: readers that know their index to be valid look at the segments only, and must not wait for the cache
    /// line that a writer keeps changing.
    length: CachePadded<AtomicU32>,
    owns: PhantomData<T>,
}

// SAFETY: elements are handed out by shared reference only, and `push` takes them over from any thread.
unsafe impl<T: Send + Sync> Sync for AppendOnly<T> {}
// SAFETY: the vector owns its elements.
unsafe impl<T: Send> Send for AppendOnly<T> {}

/// Returns the segment that holds the index, and the offset in it.
fn place(index: u32) -> (usize, usize) {
    let shifted = u64::from(index) + (1 << FIRST_BITS);
    let segment = 63 - FIRST_BITS - shifted.leading_zeros();
    let offset = shifted - (1 << (segment + FIRST_BITS));
    (segment as usize, offset as usize)
}

fn segment_layout<T>(segment: usize) -> Layout {
    // Cannot overflow on a 64-bit machine: at most 2^31 small elements.
    Layout::array::<T>(1 << (segment as u32 + FIRST_BITS)).unwrap_or(Layout::new::<T>())
}

impl<T> AppendOnly<T> {
    pub(crate) const fn new() -> Self {
        Self {
            segments: [const { AtomicPtr::new(null_mut()) }; SEGMENTS],
            length: CachePadded::new(AtomicU32::new(0)),
            owns: PhantomData,
        }
    }

    pub(crate) fn len(&self) -> u32 {
        self.length.load(Ordering::Acquire)
    }

    /// The bytes allocated for elements.
    pub(super) fn allocated_bytes(&self) -> usize {
        (0..SEGMENTS)
            .filter(|&segment| !self.segments[segment].load(Ordering::Relaxed).is_null())
            .map(|segment| segment_layout::<T>(segment).size())
            .sum()
    }

    /// Appends an element and returns its index.
    ///
    /// # Safety
    /// No two calls at the same time.
    pub(crate) unsafe fn push(&self, value: T) -> u32 {
        let index = self.length.load(Ordering::Relaxed);
        assert!(index < u32::MAX - (1 << FIRST_BITS), "out of term ids");
        let (segment, offset) = place(index);
        let mut start = self.segments[segment].load(Ordering::Relaxed);
        if start.is_null() {
            let layout = segment_layout::<T>(segment);
            // SAFETY: no layout here has size zero: `T` is never zero-sized.
            start = unsafe { alloc(layout) }.cast::<T>();
            if start.is_null() {
                handle_alloc_error(layout);
            }
            self.segments[segment].store(start, Ordering::Release);
        }
        // SAFETY: inside the segment; nobody reads it before the length (or the id, by a synchronising way) tells.
        unsafe { start.add(offset).write(value) };
        self.length.store(index + 1, Ordering::Release);
        index
    }

    /// The element with the index, or `None` if there is none yet.
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        // SAFETY: `push` has written every element below the length.
        (index < self.len()).then(|| unsafe { self.get_unchecked(index) })
    }

    /// The element with the index.
    ///
    /// # Safety
    /// The call of `push` that returned the index must have happened before this one.
    pub(crate) unsafe fn get_unchecked(&self, index: u32) -> &T {
        let (segment, offset) = place(index);
        // SAFETY: `segment` is below 32 - FIRST_BITS, as the index was given out.
        let start = unsafe { self.segments.get_unchecked(segment) }.load(Ordering::Acquire);
        // SAFETY: the caller's promise.
        unsafe { &*start.add(offset) }
    }
}

impl<T> Drop for AppendOnly<T> {
    fn drop(&mut self) {
        let length = *self.length.get_mut();
        for segment in 0..SEGMENTS {
            let start = *self.segments[segment].get_mut();
            if start.is_null() {
                break;
            }
            if needs_drop::<T>() {
                let first = ((1u64 << segment) - 1) << FIRST_BITS;
                let here = u64::from(length)
                    .saturating_sub(first)
                    .min(1 << (segment as u32 + FIRST_BITS));
                for offset in 0..here as usize {
                    // SAFETY: written by `push`, and dropped once.
                    unsafe { start.add(offset).drop_in_place() };
                }
            }
            // SAFETY: allocated in `push` with the same layout.
            unsafe { dealloc(start.cast(), segment_layout::<T>(segment)) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_consecutive() {
        let mut expected = (0, 0);
        for index in 0..5000 {
            assert_eq!(place(index), expected);
            expected.1 += 1;
            if expected.1 == 1 << (expected.0 as u32 + FIRST_BITS) {
                expected = (expected.0 + 1, 0);
            }
        }
    }

    #[test]
    fn elements_stay_and_are_dropped() {
        let shared = std::rc::Rc::new(());
        let vector = AppendOnly::new();
        for index in 0..1000 {
            // SAFETY: one thread.
            assert_eq!(unsafe { vector.push(shared.clone()) }, index);
        }
        assert!(vector.get(999).is_some());
        assert!(vector.get(1000).is_none());
        drop(vector);
        assert_eq!(std::rc::Rc::strong_count(&shared), 1);
    }
}
