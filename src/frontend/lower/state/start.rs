//! The start function: it initialises static objects and calls `main`.

use super::builder::FunctionBuilder;

/// The start function; while it is emitted, the function that was left for it is here in its place.
pub(in crate::lower) struct StartFunction {
    other: FunctionBuilder,
    is_current: bool,
}

impl StartFunction {
    pub fn new(start: FunctionBuilder) -> Self {
        Self {
            other: start,
            is_current: false,
        }
    }

    /// Checks whether instructions go to the start function.
    pub fn is_current(&self) -> bool {
        self.is_current
    }

    /// Makes the start function the current one. Returns whether that has changed something, which [`Self::leave`] undoes.
    pub fn enter(&mut self, current: &mut FunctionBuilder) -> bool {
        let enters = !self.is_current;
        if enters {
            self.is_current = true;
            self.exchange(current);
        }
        enters
    }

    pub fn leave(&mut self, current: &mut FunctionBuilder) {
        self.exchange(current);
        self.is_current = false;
    }

    /// Exchanges the current function with the other one.
    pub fn exchange(&mut self, current: &mut FunctionBuilder) {
        std::mem::swap(current, &mut self.other);
    }
}
