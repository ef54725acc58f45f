//! Configurable program analysis: the CPA++ algorithm, and the analyses that it runs.
//!
//! Uses [`crate::term`] and [`crate::program`]; [`crate::analysis`] makes engines of it. Paper 000 (Beyer, Dangl, Wendler:
//! A Unifying View on SMT-Based Software Verification), sections 2 and 3.
//!
//! * [`algorithm`]: CPA++ (Algorithm 2) over any [`Cpa`].
//! * [`composite`]: the CPAs that every engine here combines, and the domain that it is generic over.
//! * [`location`]: the location CPA, which says what edges there are; [`call_stack`]: activations of recursive functions;
//!   [`loop_bound`]: how far execution has come; [`arg`](mod@arg): the abstract reachability graph.
//! * [`predicate`]: the Predicate CPA (section 3), from which four engines are configured.
//! * [`value_analysis`]: intervals, congruences, differences and array cells, with widening and narrowing.
//!
//! # Edges
//! An edge of the location CPA is a block (all paths between two cut points, see [`crate::program::block`]), not an edge
//! of the automaton: what lies between is encoded once and instantiated by substitution. With every location a cut point
//! the algorithm works edge by edge, as in the paper.
//!
//! # The order
//! The waitlist gives the states that have passed the fewest cut points first; of these the ones with the deepest call
//! string, and then the first ones in reverse postorder. So all states that can be merged have been, by the time that
//! one of them is expanded: successive diamonds have one state a location, not one a path. Counting cut points first is
//! what lets a loop bound be raised without starting again.

pub mod algorithm;
pub mod arg;
pub mod call_stack;
pub mod composite;
pub mod location;
pub mod loop_bound;
pub mod predicate;
#[cfg(test)]
mod tests;
pub mod value_analysis;

use std::hash::Hash;

pub use algorithm::{Element, ElementId, Reached, cpa_plus_plus};
pub use composite::{Composite, CompositeState, Domain};

/// A configurable program analysis with dynamic precision adjustment, as CPA++ sees it (paper 000, sections 2.2 and 3.4).
pub trait Cpa {
    /// Abstract states.
    type State: Clone;
    /// Precisions.
    type Precision: Clone;
    /// What two states must have in common to be merged or to cover one another: their location, at least.
    type Partition: Clone + Eq + Hash;
    /// The order in which states are expanded, the smallest first.
    type Rank: Ord + Clone;
    /// Whether states that are covered when they are found may have to come back.
    const KEEPS_COVERED: bool = false;

    /// The state's partition.
    fn partition(&self, state: &Self::State) -> Self::Partition;

    /// The state's place in the order.
    fn rank(&self, state: &Self::State) -> Self::Rank;

    /// Whether the state must not be expanded under the present bounds; it stays in the waitlist.
    fn is_postponed(&self, state: &Self::State, precision: &Self::Precision) -> bool;

    /// The transfer relation: e ⇝ (e′, π).
    fn successors(&mut self, state: &Self::State, precision: &Self::Precision) -> Vec<Self::State>;

    /// The operator prec. `None` if no concrete state is left.
    fn adjust_precision(
        &mut self,
        state: Self::State,
        precision: &Self::Precision,
    ) -> Option<(Self::State, Self::Precision)>;

    /// The operator merge, for two states of one partition: what takes the place of `old`, or `None` to leave it.
    fn merge(
        &mut self,
        new: &Self::State,
        old: &Self::State,
        precision: &Self::Precision,
    ) -> Option<Self::State>;

    /// The operator stop, for another state of the same partition: whether it covers the new one.
    fn is_covered(
        &mut self,
        new: &Self::State,
        by: &Self::State,
        precision: &Self::Precision,
    ) -> bool;
}
