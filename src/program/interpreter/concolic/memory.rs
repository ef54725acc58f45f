//! The cells of arrays that depend on inputs.

use rustc_hash::{FxHashMap, FxHashSet};

use super::affine::Affine;
use crate::interpreter::code::bytecode::Register;

/// A cell that holds a value or a byte of one.
#[derive(Copy, Clone, Debug)]
struct Cell {
    value: Affine,
    /// The number of the store that wrote it.
    store: u64,
    /// The position among the cells of the store.
    position: u8,
    /// The number of cells that the store wrote.
    count: u8,
}

/// The cells whose values depend on inputs, and the arrays whose contents are arbitrary.
#[derive(Clone, Debug, Default)]
pub(super) struct ShadowMemory {
    cells: FxHashMap<(Register, u64), Cell>,
    stores: u64,
    /// The arrays with arbitrary contents, each with the cells written since.
    arbitrary: FxHashMap<Register, FxHashSet<u64>>,
}

/// The result of reading cells.
pub(super) enum Found {
    /// A value that does not depend on inputs.
    Known,
    /// The whole value of one store.
    Whole(Affine),
    /// Parts of these values.
    Parts(Vec<Affine>),
    /// Arbitrary contents.
    Arbitrary,
}

impl ShadowMemory {
    /// Whether no contents depend on inputs or are arbitrary.
    pub(super) fn is_known(&self) -> bool {
        self.cells.is_empty() && self.arbitrary.is_empty()
    }

    /// The values of all cells that depend on inputs.
    pub(super) fn forms(&self) -> impl Iterator<Item = Affine> + '_ {
        self.cells.values().map(|cell| cell.value)
    }

    /// Whether some array has arbitrary contents.
    pub(super) fn has_arbitrary(&self) -> bool {
        !self.arbitrary.is_empty()
    }

    /// Makes the contents of the array arbitrary.
    pub(super) fn make_arbitrary(&mut self, array: Register) {
        self.forget(array);
        self.arbitrary.insert(array, FxHashSet::default());
    }

    /// Makes all cells of the array known.
    pub(super) fn forget(&mut self, array: Register) {
        self.cells.retain(|(other, _), _| *other != array);
        self.arbitrary.remove(&array);
    }

    /// Writes a value to the cells: one that depends on an input, or `None` for a known one.
    pub(super) fn store(
        &mut self,
        array: Register,
        indices: impl ExactSizeIterator<Item = u64>,
        value: Option<Affine>,
    ) {
        self.stores += 1;
        let count = indices.len() as u8;
        for (position, index) in (0..).zip(indices) {
            if let Some(written) = self.arbitrary.get_mut(&array) {
                written.insert(index);
            }
            match value {
                Some(value) => {
                    let cell = Cell {
                        value,
                        store: self.stores,
                        position,
                        count,
                    };
                    self.cells.insert((array, index), cell);
                }
                None => {
                    self.cells.remove(&(array, index));
                }
            }
        }
    }

    /// Reads the cells.
    pub(super) fn load(
        &self,
        array: Register,
        indices: impl ExactSizeIterator<Item = u64>,
    ) -> Found {
        let count = indices.len();
        let mut parts: Vec<(u8, Cell)> = Vec::new();
        let written = self.arbitrary.get(&array);
        for (position, index) in (0..).zip(indices) {
            if written.is_some_and(|written| !written.contains(&index)) {
                return Found::Arbitrary;
            }
            if let Some(cell) = self.cells.get(&(array, index)) {
                parts.push((position, *cell));
            }
        }
        let Some(&(_, first)) = parts.first() else {
            return Found::Known;
        };
        let whole = parts.len() == count
            && parts.iter().all(|(position, cell)| {
                cell.store == first.store
                    && cell.position == *position
                    && usize::from(cell.count) == count
            });
        match whole {
            true => Found::Whole(first.value),
            false => Found::Parts(parts.into_iter().map(|(_, cell)| cell.value).collect()),
        }
    }

    /// Reads all cells of the array.
    pub(super) fn all(&self, array: Register) -> Found {
        if self.arbitrary.contains_key(&array) {
            return Found::Arbitrary;
        }
        let cells = self.cells.iter().filter(|((other, _), _)| *other == array);
        let values: Vec<Affine> = cells.map(|(_, cell)| cell.value).collect();
        match values.is_empty() {
            true => Found::Known,
            false => Found::Parts(values),
        }
    }

    /// Assigns the contents of `from` to `to`.
    pub(super) fn copy(&mut self, to: Register, from: Register) {
        if to == from {
            return;
        }
        self.forget(to);
        let cells = self.cells.iter().filter(|((other, _), _)| *other == from);
        let copies: Vec<(u64, Cell)> = cells.map(|((_, index), cell)| (*index, *cell)).collect();
        for (index, cell) in copies {
            self.cells.insert((to, index), cell);
        }
        if let Some(written) = self.arbitrary.get(&from).cloned() {
            self.arbitrary.insert(to, written);
        }
    }
}
