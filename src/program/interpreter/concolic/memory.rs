//! Which cells of arrays depend on inputs.

use rustc_hash::{FxHashMap, FxHashSet};

use super::affine::Affine;
use crate::program::interpreter::bytecode::Register;

/// A cell that holds a value or a byte of one.
#[derive(Copy, Clone, Debug)]
struct Cell {
    value: Affine,
    /// Which store wrote it.
    store: u64,
    /// Which of the bytes it is.
    position: u8,
    /// How many cells the store wrote.
    count: u8,
}

/// What cells hold that depends on inputs, and which arrays have contents that nobody has chosen yet.
#[derive(Clone, Debug, Default)]
pub(super) struct ShadowMemory {
    cells: FxHashMap<(Register, u64), Cell>,
    stores: u64,
    /// Arrays of any contents, with the cells written since.
    arbitrary: FxHashMap<Register, FxHashSet<u64>>,
}

/// What was found in some cells.
pub(super) enum Found {
    /// Nothing that depends on an input.
    Known,
    /// Just what was stored there.
    Whole(Affine),
    /// Parts of these.
    Parts(Vec<Affine>),
    /// Contents that nobody has chosen.
    Arbitrary,
}

impl ShadowMemory {
    /// Whether all contents are known.
    pub(super) fn is_known(&self) -> bool {
        self.cells.is_empty() && self.arbitrary.is_empty()
    }

    /// What all cells hold.
    pub(super) fn forms(&self) -> impl Iterator<Item = Affine> + '_ {
        self.cells.values().map(|cell| cell.value)
    }

    /// Whether some array has contents that nobody has chosen.
    pub(super) fn has_arbitrary(&self) -> bool {
        !self.arbitrary.is_empty()
    }

    /// Any contents.
    pub(super) fn make_arbitrary(&mut self, array: Register) {
        self.forget(array);
        self.arbitrary.insert(array, FxHashSet::default());
    }

    /// All cells are known.
    pub(super) fn forget(&mut self, array: Register) {
        self.cells.retain(|(other, _), _| *other != array);
        self.arbitrary.remove(&array);
    }

    /// A value is written to the cells: one that depends on an input, or a known one.
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

    /// What the cells hold.
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

    /// What all cells of the array hold.
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

    /// An array gets the contents of another.
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
