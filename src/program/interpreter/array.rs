//! The contents of arrays: total functions from a word to a cell, flat near zero and sparse elsewhere.
//!
//! A region of a single static object is indexed from zero, so that nearly all its accesses fall into the flat part;
//! regions with several objects are indexed by addresses and live in pages. Assigning one value to all cells gives up what is
//! stored, and what is written afterwards takes time in proportion to how far it reaches: starting a run anew is cheap.

use super::integer::Integer;
use rustc_hash::FxHashMap;

/// Cells in a page.
const PAGE: usize = 1 << PAGE_BITS;
const PAGE_BITS: u32 = 9;
/// The largest flat part in cells, and the shortest of an array that is longer.
const FLAT_LIMIT: u64 = 1 << 20;
const SHORTEST: usize = 64;
/// Pages with so many-th part of the cells are many.
const DENSE: usize = 8;

/// A type of cells.
pub(crate) trait Cell: Clone + PartialEq + Default {
    /// Bytes that a value takes besides its own size.
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
    /// What every cell holds that is not stored below.
    default: T,
    /// The cells from zero on, as far as they have been written.
    flat: Vec<T>,
    /// The length that the flat part has at most.
    flat_length: usize,
    /// The other cells, by index over [`PAGE`], as a place in `pages`.
    page_table: FxHashMap<u64, u32>,
    pages: Vec<Box<[T]>>,
    /// The page used last.
    recent: (u64, u32),
    bytes: usize,
}

/// The page number that no index has.
const NO_PAGE: u64 = u64::MAX;

impl<T: Cell> Cells<T> {
    /// An array of defaults, of which the first cells (up to a limit) are kept flat.
    pub(crate) fn new(expected_length: u64) -> Self {
        Self {
            default: T::default(),
            flat: Vec::new(),
            flat_length: expected_length.min(FLAT_LIMIT) as usize,
            page_table: FxHashMap::default(),
            pages: Vec::new(),
            recent: (NO_PAGE, 0),
            bytes: 0,
        }
    }

    /// The cell with the index.
    #[inline]
    pub(crate) fn read(&mut self, index: u64) -> T {
        match self.flat.get(index as usize) {
            Some(cell) if index as usize as u64 == index => cell.clone(),
            _ => self.read_far(index),
        }
    }

    /// The same for one who only looks.
    pub(crate) fn peek(&self, index: u64) -> &T {
        let flat = usize::try_from(index).ok();
        flat.and_then(|index| self.flat.get(index))
            .unwrap_or_else(|| {
                let page = self.page_table.get(&(index >> PAGE_BITS));
                page.map_or(&self.default, |&page| {
                    &self.pages[page as usize][index as usize % PAGE]
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
        self.pages[self.recent.1 as usize][index as usize % PAGE].clone()
    }

    /// Changes the cell with the index.
    #[inline]
    pub(crate) fn write(&mut self, index: u64, value: T) {
        let place = index as usize;
        if place < self.flat.len() && place as u64 == index {
            self.flat[place] = value;
        } else {
            self.write_far(index, value);
        }
    }

    /// Whether the flat part should reach the cell, that is to be written behind its end: if it is not far behind, or if there
    /// are many cells elsewhere.
    fn is_worth_growing(&self, index: usize) -> bool {
        index < SHORTEST.max(2 * self.flat.len())
            || self.pages.len() * PAGE * DENSE >= self.flat_length
    }

    /// Makes the flat part reach so far: it grows by doubling, and not to a single cell, as there may be a hundred thousand arrays of
    /// which one cell is written.
    #[cold]
    fn grow_flat(&mut self, cells: usize) {
        let before = self.flat.len();
        let length = cells.next_power_of_two().max(SHORTEST);
        let length = length.min(self.flat_length);
        self.flat.resize(length, self.default.clone());
        // What is in pages is looked for in the flat part from now on.
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
                        .push(vec![self.default.clone(); PAGE].into_boxed_slice());
                    self.page_table.insert(number, place);
                    self.bytes += PAGE * size_of::<T>() + 32;
                    place
                }
            };
            self.recent = (number, place);
        }
        self.bytes += value.heap_bytes();
        self.pages[self.recent.1 as usize][index as usize % PAGE] = value;
    }

    /// Makes all cells hold the value.
    pub(crate) fn fill(&mut self, value: T) {
        self.bytes = 0;
        self.page_table.clear();
        self.pages.clear();
        self.recent = (NO_PAGE, 0);
        self.flat.clear();
        self.default = value;
    }

    /// Of accesses to `count` neighbouring cells each, the first of them at an index and each one so much further: how many,
    /// of the first `most`, find what the first access finds. No index may be less than zero or above 2^64.
    ///
    /// Cells that were never written and cells side by side in the flat part take next to no time.
    pub(crate) fn alike(&self, first: u64, step: i64, count: u8, most: u64) -> u64 {
        /// Accesses that are looked at one by one.
        const SEARCHED: u64 = 1 << 22;
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
        let most = most.min(SEARCHED);
        let differs = |access: &u64| !cells(*access).eq(cells(0));
        (1..most).find(differs).unwrap_or(most)
    }

    /// What cells hold that are not among [`Self::entries`].
    pub(crate) fn default_value(&self) -> &T {
        &self.default
    }

    /// The cells that differ from the default, in no order.
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

    /// Bytes taken, roughly. Memory that is only kept from what was there before a fill does not count: what a run takes does not
    /// depend on the runs before it.
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

/// Runs an expression on the cells, whatever their type.
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

    /// The same for one who only looks.
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

    /// See [`Cells::alike`].
    pub(crate) fn alike(&self, first: u64, step: i64, count: u8, most: u64) -> u64 {
        with_cells!(self, cells => cells.alike(first, step, count, most))
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

    /// Makes all elements the same bit pattern.
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

    /// Makes all elements the same integer.
    pub(crate) fn fill_integer(&mut self, value: Integer) {
        match self {
            Self::Int(cells) => cells.fill(value),
            other => other.fill_bits(u128::from(value.low_word())),
        }
    }

    /// Makes all elements zero.
    pub(crate) fn clear(&mut self) {
        with_cells!(self, cells => cells.fill(Default::default()));
    }

    /// Bytes taken, roughly.
    pub(crate) fn bytes(&self) -> usize {
        with_cells!(self, cells => cells.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Indices in the flat part, at its border, in pages, and at the end of the range.
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
        fn accesses_are_alike_up_to_the_first_that_differs(
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
            prop_assert_eq!(cells.alike(first, step, count, most), expected.unwrap_or(most));
        }
    }

    proptest! {
        /// What an array takes depends on what has been done since it was filled.
        #[test]
        fn what_was_before_a_fill_takes_nothing(
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
