//! The Loop-Bound CPA (paper 000, section 4.1): how far execution has come, and how far it may.
//!
//! Departure: the paper counts the traversals of each loop. Here one counter counts the steps between cut points,
//! whichever loop they belong to. A counter a loop with all counters equal to k misses errors in the step case of
//! k-induction; and with one counter, all paths to a location that are equally long are one state, so that there are as
//! many states as locations times steps, however loops nest. A state at the bound is not dropped but postponed: when
//! the bound is raised, the analysis goes on.

/// Counts steps and says which states are at the bound.
#[derive(Clone, Debug)]
pub struct LoopBoundCpa {
    /// `None`: nothing is counted.
    bound: Option<u32>,
}

impl LoopBoundCpa {
    /// Nothing may be expanded that has come `bound` steps far.
    pub fn new(bound: u32) -> Self {
        Self { bound: Some(bound) }
    }

    /// For an analysis that ends by itself: states are told apart by their places, not by the steps to them.
    pub fn unbounded() -> Self {
        Self { bound: None }
    }

    /// The bound k.
    pub fn bound(&self) -> u32 {
        self.bound.unwrap_or(u32::MAX)
    }

    /// Raises the bound; it never falls.
    pub fn raise(&mut self, bound: u32) {
        self.bound = self.bound.map(|own| own.max(bound));
    }

    /// The count after an edge, which may be a step.
    pub fn transfer(&self, steps: u32, is_step: bool) -> u32 {
        steps + u32::from(is_step && self.bound.is_some())
    }

    /// Whether the state stays unexpanded for now.
    pub fn is_postponed(&self, steps: u32) -> bool {
        self.bound.is_some_and(|bound| steps >= bound)
    }
}
