//! The functions of the unit: their names, and the bodies that are finished.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ir::{Function, FunctionIndex};

/// The functions of the unit.
pub(in crate::lower) struct Functions {
    /// The finished functions.
    finished: Vec<Option<Function>>,
    /// The functions that have a body, by name.
    by_name: FxHashMap<Rc<str>, FunctionIndex>,
}

impl Functions {
    /// The functions of an empty unit, which has a start function.
    pub fn new() -> Self {
        Self {
            finished: vec![None],
            by_name: FxHashMap::default(),
        }
    }

    /// The start function.
    pub const START: FunctionIndex = FunctionIndex(0);

    /// Reserves the index of a function without a name.
    pub fn reserve(&mut self) -> FunctionIndex {
        self.finished.push(None);
        FunctionIndex(self.finished.len() as u32 - 1)
    }

    /// Reserves the index of a function, which has the name from now on.
    pub fn reserve_named(&mut self, name: &str) -> FunctionIndex {
        let index = self.reserve();
        self.name(index, name);
        index
    }

    /// The index of the function with the name, which is reserved if there is none.
    pub fn named_or_reserved(&mut self, name: &str) -> FunctionIndex {
        match self.named(name) {
            Some(index) => index,
            None => self.reserve_named(name),
        }
    }

    /// Gives a function a name.
    pub fn name(&mut self, index: FunctionIndex, name: &str) {
        self.by_name.insert(name.into(), index);
    }

    /// The function with a body that has the name.
    pub fn named(&self, name: &str) -> Option<FunctionIndex> {
        self.by_name.get(name).copied()
    }

    /// Checks whether a function with the name has a body.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The names and indices of the functions that have a body, in the order of the indices.
    pub fn names(&self) -> Vec<(FunctionIndex, &str)> {
        let names = self.by_name.iter();
        let mut names: Vec<(FunctionIndex, &str)> =
            names.map(|(name, &index)| (index, &**name)).collect();
        names.sort_unstable();
        names
    }

    /// Number of functions, whether finished or not.
    pub fn count(&self) -> usize {
        self.finished.len()
    }

    /// A finished function.
    pub fn get(&self, index: FunctionIndex) -> Option<&Function> {
        self.finished.get(index.0 as usize)?.as_ref()
    }

    pub fn get_mut(&mut self, index: FunctionIndex) -> Option<&mut Function> {
        self.finished.get_mut(index.0 as usize)?.as_mut()
    }

    pub fn is_finished(&self, index: FunctionIndex) -> bool {
        self.get(index).is_some()
    }

    /// Installs a finished function.
    pub fn finish(&mut self, index: FunctionIndex, function: Function) {
        if let Some(slot) = self.finished.get_mut(index.0 as usize) {
            *slot = Some(function);
        }
    }

    /// Takes a finished function out, to be installed again.
    pub fn take(&mut self, index: FunctionIndex) -> Option<Function> {
        self.finished.get_mut(index.0 as usize)?.take()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Function> {
        self.finished.iter().flatten()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.finished.iter_mut().flatten()
    }

    /// Takes all functions; `None` stands for one without a body.
    pub fn take_all(&mut self) -> Vec<Option<Function>> {
        std::mem::take(&mut self.finished)
    }
}
