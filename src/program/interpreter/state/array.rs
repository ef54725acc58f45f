//! The contents of arrays: total functions from a word to a cell, stored flat near zero and in pages elsewhere.
//!
//! A region of a single static object is indexed from zero, so nearly all its accesses are in the flat part; regions with
//! several objects are indexed by addresses and are stored in pages. Filling an array drops all stored cells, and the flat
//! part grows only as far as cells are written, so that resetting a machine is cheap.

use super::integer::Integer;
use crate::interpreter::limits::{
    CELLS_PER_PAGED_CELL, MAXIMUM_COMPARED_ACCESSES, MAXIMUM_FLAT_LENGTH, MINIMUM_FLAT_LENGTH,
};
use rustc_hash::FxHashMap;

/// Number of cells in a page.
const CELLS_PER_PAGE: usize = 1 << PAGE_BITS;
const PAGE_BITS: u32 = 6;

/// A type of cells.
pub(crate) trait Cell: Clone + PartialEq + Default {
    /// The size in bytes of a value's data on the heap.
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Cell for u8 {}
impl Cell for u16 {}
impl Cell for u32 {}
impl Cell for u64 {}
impl Cell for u128 {}
impl Cell for Integer {
    fn heap_bytes(&self) -> usize {
        Integer::heap_bytes(self)
    }
}

/// An array with cells of one type.
#[derive(Clone, Debug)]
pub(crate) struct Cells<T> {
    /// The value of every cell that is not stored.
    default: T,
    /// The cells from index zero on.
    flat: Vec<T>,
    /// Maximum length (cells) of `flat`.
    flat_length: usize,
    /// For each page number (an index divided by [`CELLS_PER_PAGE`]) the page's index in `pages`.
    page_table: FxHashMap<u64, u32>,
    pages: Vec<Box<[T]>>,
    /// The page used last: its number, and its index in `pages`.
    recent: (u64, u32),
    bytes: usize,
}

/// A page number that no index has.
const NO_PAGE: u64 = u64::MAX;

impl<T: Cell> Cells<T> {
    /// Creates an array of default values, of which the first `expected_length` cells (up to a limit) are stored flat.
    pub(crate) fn new(expected_length: u64) -> Self {
        Self {
            default: T::default(),
            flat: Vec::new(),
            flat_length: expected_length.min(MAXIMUM_FLAT_LENGTH) as usize,
            page_table: FxHashMap::default(),
            pages: Vec::new(),
            recent: (NO_PAGE, 0),
            bytes: 0,
        }
    }

    /// Reads the cell with the index.
    #[inline]
    pub(crate) fn read(&mut self, index: u64) -> T {
        match self.flat.get(index as usize) {
            Some(cell) if index as usize as u64 == index => cell.clone(),
            _ => self.read_far(index),
        }
    }

    /// Reads the cell with the index, without updating the cache of the page used last.
    pub(crate) fn peek(&self, index: u64) -> &T {
        let flat = usize::try_from(index).ok();
        flat.and_then(|index| self.flat.get(index))
            .unwrap_or_else(|| {
                let page = self.page_table.get(&(index >> PAGE_BITS));
                page.map_or(&self.default, |&page| {
                    &self.pages[page as usize][index as usize % CELLS_PER_PAGE]
                })
            })
    }

    fn read_far(&mut self, index: u64) -> T {
        let number = index >> PAGE_BITS;
        if self.recent.0 != number {
            match self.page_table.get(&number) {
                Some(&place) => self.recent = (number, place),
                None => return self.default.clone(),
            }
        }
        self.pages[self.recent.1 as usize][index as usize % CELLS_PER_PAGE].clone()
    }

    /// Writes the cell with the index.
    #[inline]
    pub(crate) fn write(&mut self, index: u64, value: T) {
        let place = index as usize;
        if place < self.flat.len() && place as u64 == index {
            self.flat[place] = value;
        } else {
            self.write_far(index, value);
        }
    }

    /// Whether the flat part should be extended to a cell beyond its end: if the cell is near the end, or if the pages hold
    /// many cells.
    fn is_worth_growing(&self, index: usize) -> bool {
        index < MINIMUM_FLAT_LENGTH.max(2 * self.flat.len())
            || self.pages.len() * CELLS_PER_PAGE * CELLS_PER_PAGED_CELL >= self.flat_length
    }

    /// Extends the flat part to at least `cells` cells. It grows by doubling, not to its maximum at once, because a program
    /// may have a hundred thousand arrays of which a single cell is written.
    #[cold]
    fn grow_flat(&mut self, cells: usize) {
        let before = self.flat.len();
        let length = cells.next_power_of_two().max(MINIMUM_FLAT_LENGTH);
        let length = length.min(self.flat_length);
        self.flat.resize(length, self.default.clone());
        // Move the cells that the flat part covers now out of the pages.
        let within = |number: u64| number << PAGE_BITS < length as u64;
        for (&number, &place) in self.page_table.iter().filter(|one| within(*one.0)) {
            let start = (number << PAGE_BITS) as usize;
            for (cell, index) in self.pages[place as usize].iter_mut().zip(start..) {
                if (before..length).contains(&index) {
                    self.flat[index] = std::mem::replace(cell, self.default.clone());
                }
            }
        }
    }

    fn write_far(&mut self, index: u64, value: T) {
        if index < self.flat_length as u64 && self.is_worth_growing(index as usize) {
            self.grow_flat(index as usize + 1);
            return self.write(index, value);
        }
        let number = index >> PAGE_BITS;
        if self.recent.0 != number {
            let place = match self.page_table.get(&number) {
                Some(&place) => place,
                None => {
                    let place = self.pages.len() as u32;
                    self.pages
                        .push(vec![self.default.clone(); CELLS_PER_PAGE].into_boxed_slice());
                    self.page_table.insert(number, place);
                    self.bytes += CELLS_PER_PAGE * size_of::<T>() + 32;
                    place
                }
            };
            self.recent = (number, place);
        }
        self.bytes += value.heap_bytes();
        self.pages[self.recent.1 as usize][index as usize % CELLS_PER_PAGE] = value;
    }

    /// Assigns the value to all cells.
    pub(crate) fn fill(&mut self, value: T) {
        self.bytes = 0;
        self.page_table.clear();
        self.pages.clear();
        self.recent = (NO_PAGE, 0);
        self.flat.clear();
        self.default = value;
    }

    /// Returns how many of the first `most` accesses read the same values as the first one. Each access reads `count`
    /// consecutive cells; the first starts at the index `first`, and each further one `step` cells beyond the one before. All
    /// indices must be within 64 bits.
    ///
    /// Unwritten cells and consecutive cells of the flat part are compared fast.
    pub(crate) fn equal_reads(&self, first: u64, step: i64, count: u8, most: u64) -> u64 {
        let index = |access: u64| first.wrapping_add_signed(step.wrapping_mul(access as i64));
        let lowest = first.min(index(most.saturating_sub(1)));
        if self.page_table.is_empty() && lowest >= self.flat.len() as u64 {
            return most;
        }
        let sought = self.peek(first);
        if count == 1 && step.unsigned_abs() == 1 {
            let differs = |cell: &T| cell != sought;
            let length = self.flat.len() as u64;
            let found = match step > 0 {
                true if index(most - 1) < length => {
                    let cells = &self.flat[first as usize..=index(most - 1) as usize];
                    Some(cells.iter().position(differs))
                }
                false if first < length => {
                    let cells = &self.flat[index(most - 1) as usize..=first as usize];
                    Some(cells.iter().rev().position(differs))
                }
                _ => None,
            };
            if let Some(found) = found {
                return found.map_or(most, |access| access as u64);
            }
        }
        let cells = |access: u64| {
            (0..u64::from(count)).map(move |cell| self.peek(index(access).wrapping_add(cell)))
        };
        let most = most.min(MAXIMUM_COMPARED_ACCESSES);
        let differs = |access: &u64| !cells(*access).eq(cells(0));
        (1..most).find(differs).unwrap_or(most)
    }

    /// The value of the cells that are not among [`Self::entries`].
    pub(crate) fn default_value(&self) -> &T {
        &self.default
    }

    /// The number of cells that are stored.
    pub(crate) fn stored(&self) -> usize {
        self.flat.len() + self.pages.len() * CELLS_PER_PAGE
    }

    /// The cells that differ from the default, in no particular order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u64, &T)> {
        let flat = self
            .flat
            .iter()
            .enumerate()
            .map(|(index, cell)| (index as u64, cell));
        let far = self.page_table.iter().flat_map(|(&number, &place)| {
            self.pages[place as usize]
                .iter()
                .enumerate()
                .map(move |(offset, cell)| ((number << PAGE_BITS) + offset as u64, cell))
        });
        flat.chain(far).filter(|(_, cell)| **cell != self.default)
    }

    /// The approximate size in bytes. Capacity kept from before a fill does not count, so that the size does not depend on
    /// earlier runs of the machine.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.flat.len() * size_of::<T>()
    }
}

/// The contents of an array variable, in cells as narrow as its elements allow.
#[derive(Clone, Debug)]
pub(crate) enum Array {
    /// Elements of up to 8 bits.
    Byte(Cells<u8>),
    /// Elements of up to 16 bits.
    Half(Cells<u16>),
    /// Elements of up to 32 bits.
    Word(Cells<u32>),
    /// Elements of up to 64 bits.
    Long(Cells<u64>),
    /// Elements of up to 128 bits.
    Wide(Cells<u128>),
    Int(Cells<Integer>),
}

/// Evaluates an expression on the cells, for every cell type.
macro_rules! with_cells {
    ($array:expr, $cells:ident => $body:expr) => {
        match $array {
            Array::Byte($cells) => $body,
            Array::Half($cells) => $body,
            Array::Word($cells) => $body,
            Array::Long($cells) => $body,
            Array::Wide($cells) => $body,
            Array::Int($cells) => $body,
        }
    };
}

impl Array {
    /// An array of zeros whose elements are bit patterns of the given width.
    pub(crate) fn of_bits(width: u32, expected_length: u64) -> Self {
        match width {
            0..=8 => Self::Byte(Cells::new(expected_length)),
            9..=16 => Self::Half(Cells::new(expected_length)),
            17..=32 => Self::Word(Cells::new(expected_length)),
            33..=64 => Self::Long(Cells::new(expected_length)),
            _ => Self::Wide(Cells::new(expected_length)),
        }
    }

    /// An array of mathematical zeros.
    pub(crate) fn of_integers(expected_length: u64) -> Self {
        Self::Int(Cells::new(expected_length))
    }

    /// Reads an element of at most 64 bits.
    #[inline]
    pub(crate) fn read_narrow(&mut self, index: u64) -> u64 {
        match self {
            Self::Byte(cells) => u64::from(cells.read(index)),
            Self::Half(cells) => u64::from(cells.read(index)),
            Self::Word(cells) => u64::from(cells.read(index)),
            Self::Long(cells) => cells.read(index),
            Self::Wide(cells) => cells.read(index) as u64,
            Self::Int(cells) => cells.read(index).low_word(),
        }
    }

    /// Writes an element of at most 64 bits.
    #[inline]
    pub(crate) fn write_narrow(&mut self, index: u64, value: u64) {
        match self {
            Self::Byte(cells) => cells.write(index, value as u8),
            Self::Half(cells) => cells.write(index, value as u16),
            Self::Word(cells) => cells.write(index, value as u32),
            Self::Long(cells) => cells.write(index, value),
            Self::Wide(cells) => cells.write(index, u128::from(value)),
            Self::Int(cells) => cells.write(index, Integer::from(value as i64)),
        }
    }

    /// Reads an element that is a bit pattern.
    pub(crate) fn read_wide(&mut self, index: u64) -> u128 {
        match self {
            Self::Wide(cells) => cells.read(index),
            other => u128::from(other.read_narrow(index)),
        }
    }

    /// Reads an element that is a bit pattern, by [`Cells::peek`].
    pub(crate) fn peek_bits(&self, index: u64) -> u128 {
        match self {
            Self::Byte(cells) => u128::from(*cells.peek(index)),
            Self::Half(cells) => u128::from(*cells.peek(index)),
            Self::Word(cells) => u128::from(*cells.peek(index)),
            Self::Long(cells) => u128::from(*cells.peek(index)),
            Self::Wide(cells) => *cells.peek(index),
            Self::Int(_) => 0,
        }
    }

    /// See [`Cells::equal_reads`].
    pub(crate) fn equal_reads(&self, first: u64, step: i64, count: u8, most: u64) -> u64 {
        with_cells!(self, cells => cells.equal_reads(first, step, count, most))
    }

    /// Writes an element that is a bit pattern.
    pub(crate) fn write_wide(&mut self, index: u64, value: u128) {
        match self {
            Self::Wide(cells) => cells.write(index, value),
            other => other.write_narrow(index, value as u64),
        }
    }

    pub(crate) fn read_integer(&mut self, index: u64) -> Integer {
        match self {
            Self::Int(cells) => cells.read(index),
            other => Integer::from(i128::from(other.read_narrow(index))),
        }
    }

    pub(crate) fn write_integer(&mut self, index: u64, value: Integer) {
        match self {
            Self::Int(cells) => cells.write(index, value),
            other => other.write_narrow(index, value.low_word()),
        }
    }

    /// Assigns a bit pattern to all elements.
    pub(crate) fn fill_bits(&mut self, value: u128) {
        match self {
            Self::Byte(cells) => cells.fill(value as u8),
            Self::Half(cells) => cells.fill(value as u16),
            Self::Word(cells) => cells.fill(value as u32),
            Self::Long(cells) => cells.fill(value as u64),
            Self::Wide(cells) => cells.fill(value),
            Self::Int(cells) => cells.fill(Integer::from(value as i128)),
        }
    }

    /// Assigns an integer to all elements.
    pub(crate) fn fill_integer(&mut self, value: Integer) {
        match self {
            Self::Int(cells) => cells.fill(value),
            other => other.fill_bits(u128::from(value.low_word())),
        }
    }

    /// Assigns zero to all elements.
    pub(crate) fn clear(&mut self) {
        with_cells!(self, cells => cells.fill(Default::default()));
    }

    /// The number of cells that are stored.
    pub(crate) fn stored(&self) -> usize {
        with_cells!(self, cells => cells.stored())
    }

    /// The approximate size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        with_cells!(self, cells => cells.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Indices in the flat part, near its end, in pages, and at the end of the range.
    fn indices() -> impl Strategy<Value = u64> {
        prop_oneof![
            0u64..20,
            Just(9),
            Just(10),
            500u64..530,
            0u64..200,
            0u64..110_000,
            any::<u64>(),
            Just(u64::MAX)
        ]
    }

    proptest! {
        #[test]
        fn an_array_is_a_map(
            length in prop_oneof![Just(0u64), Just(10), Just(600), Just(100_000)],
            steps in proptest::collection::vec((indices(), any::<u32>(), 0u8..12), 0..60),
        ) {
            let mut cells = Cells::<u32>::new(length);
            let mut model = BTreeMap::new();
            let mut default = 0;
            for (index, value, choice) in steps {
                match choice {
                    0 => {
                        default = value % 2;
                        model.clear();
                        cells.fill(default);
                    }
                    1..=6 => {
                        cells.write(index, value);
                        model.insert(index, value);
                    }
                    _ => prop_assert_eq!(cells.read(index), *model.get(&index).unwrap_or(&default)),
                }
            }
            let mut entries: Vec<_> = cells.entries().map(|(index, cell)| (index, *cell)).collect();
            entries.sort_unstable();
            model.retain(|_, value| *value != default);
            prop_assert_eq!(entries, model.into_iter().collect::<Vec<_>>());
        }
    }

    proptest! {
        #[test]
        fn reads_are_equal_up_to_the_first_that_differs(
            length in prop_oneof![Just(0u64), Just(10), Just(3000)],
            default in 0u32..2,
            writes in proptest::collection::vec((0u64..2000, 0u64..40, 0u32..2), 0..8),
            first in 900u64..1100,
            step in -3i64..=3,
            count in 1u8..=4,
            most in 1u64..300,
        ) {
            let mut cells = Cells::<u32>::new(length);
            cells.fill(default);
            for (start, number, value) in writes {
                for index in start..start + number {
                    cells.write(index, value);
                }
            }
            let access = |number: u64| {
                let start = first.wrapping_add_signed(step * number as i64);
                (start..start + u64::from(count)).map(|index| *cells.peek(index)).collect::<Vec<_>>()
            };
            let expected = (1..most).find(|&number| access(number) != access(0));
            prop_assert_eq!(cells.equal_reads(first, step, count, most), expected.unwrap_or(most));
        }
    }

    proptest! {
        /// The size of an array depends only on the writes since it was filled.
        #[test]
        fn the_size_does_not_depend_on_writes_before_a_fill(
            length in prop_oneof![Just(0u64), Just(10), Just(600), Just(100_000)],
            before in proptest::collection::vec((indices(), any::<u32>()), 0..20),
            after in proptest::collection::vec((indices(), any::<u32>()), 0..20),
        ) {
            let (mut used, mut new) = (Cells::<u32>::new(length), Cells::<u32>::new(length));
            for (index, value) in before {
                used.write(index, value);
            }
            used.fill(0);
            prop_assert_eq!(used.bytes(), 0);
            for (index, value) in after {
                used.write(index, value);
                new.write(index, value);
                prop_assert_eq!(used.bytes(), new.bytes());
            }
        }
    }

    #[test]
    fn narrow_cells_keep_their_values() {
        for width in [1, 8, 16, 32, 64, 128] {
            let mut array = Array::of_bits(width, 4);
            let all_ones = u128::MAX >> (128 - width);
            array.fill_bits(all_ones);
            array.write_wide(7, 1);
            assert_eq!(array.read_wide(7), 1, "width {width}");
            assert_eq!(array.read_wide(2), all_ones, "width {width}");
        }
    }
}
