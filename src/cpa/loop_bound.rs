//! The Loop-Bound CPA (\[BDW18\], section 4.1): the number of steps of an execution, and its bound.
//!
//! Departure: the paper counts the iterations of each loop. Here one counter counts the steps between cut points of all
//! loops. With a counter per loop and the same k for all, the step case of k-induction misses errors. With one counter, all
//! paths of equal length to a location are one state, so that there are at most as many states as locations times
//! steps, however loops are nested. A state at the bound is not dropped but postponed: the analysis continues when the
//! bound is raised.

/// The bound on the number of steps.
#[derive(Clone, Debug)]
pub struct LoopBoundCpa {
    /// The bound; with `None`, steps are not counted.
    bound: Option<u32>,
}

impl LoopBoundCpa {
    /// Creates a bound: states that are `bound` steps away are not expanded.
    pub fn new(bound: u32) -> Self {
        Self { bound: Some(bound) }
    }

    /// Creates an unlimited bound for an analysis that terminates by itself: states differ by their places, not by steps.
    pub fn unbounded() -> Self {
        Self { bound: None }
    }

    /// Returns the bound k.
    pub fn bound(&self) -> u32 {
        self.bound.unwrap_or(u32::MAX)
    }

    /// Raises the bound; it is never lowered.
    pub fn raise(&mut self, bound: u32) {
        self.bound = self.bound.map(|own| own.max(bound));
    }

    /// Returns the number of steps after an edge, which may be a step.
    pub fn transfer(&self, steps: u32, is_step: bool) -> u32 {
        steps + u32::from(is_step && self.bound.is_some())
    }

    /// Returns whether the state is postponed.
    pub fn is_postponed(&self, steps: u32) -> bool {
        self.bound.is_some_and(|bound| steps >= bound)
    }
}
