//! Configurable program analysis: the CPA++ algorithm, and the analyses that it runs (\[BDW18\]: Beyer, Dangl, Wendler: A
//! Unifying View on SMT-Based Software Verification, sections 2 and 3).
//!
//! * [`algorithm`]: CPA++ (Algorithm 2) over any [`Cpa`].
//! * [`composite`]: the CPAs that every engine here combines, generic over a domain.
//! * [`location`]: the location CPA, which gives the edges; [`call_stack`]: activations of recursive functions;
//!   [`loop_bound`]: the number of steps and its bound; [`arg`](mod@arg): the abstract reachability graph.
//! * [`predicate`]: the Predicate CPA (section 3), of which four engines are configurations.
//! * [`value_analysis`]: intervals, congruences, differences and array cells, with widening and narrowing.
//!
//! # Edges
//! An edge of the location CPA is a block (all paths between two cut points, see [`regatta_program::block`]), not an edge
//! of the control-flow automaton: a block is encoded once and instantiated by substitution. If every location is a cut
//! point, the algorithm works edge by edge, as in the paper.
//!
//! # Order of the waitlist
//! The waitlist returns the states that have passed the fewest cut points first; among these the ones with the deepest call
//! string, then the first in reverse postorder. Thus all states that can be merged have been merged when one of them is
//! expanded: successive diamonds have one state per location, not one per path. Since cut points are counted first, a
//! loop bound can be raised without a restart.

pub mod algorithm;
pub mod arg;
mod call_stack;
mod composite;
pub mod location;
pub mod loop_bound;
pub mod predicate;
#[cfg(test)]
mod tests;
pub mod value_analysis;

use std::hash::Hash;

pub use algorithm::{Element, ElementId, Reached, cpa_plus_plus};
pub use composite::{Composite, CompositeState, Domain};

/// A configurable program analysis with dynamic precision adjustment, as CPA++ requires it (\[BDW18\], sections 2.2 and
/// 3.4).
pub trait Cpa {
    /// Abstract states.
    type State: Clone;
    /// Precisions.
    type Precision: Clone;
    /// The part of a state that must be equal for a merge or coverage: at least the location.
    type Partition: Clone + Eq + Hash;
    /// The order in which states are expanded, the smallest first.
    type Rank: Ord + Clone;
    /// Whether covered states are kept because they may have to be expanded later.
    const KEEPS_COVERED: bool = false;

    /// Returns the state's partition.
    fn partition(&self, state: &Self::State) -> Self::Partition;

    /// Returns the state's rank in the order of expansion.
    fn rank(&self, state: &Self::State) -> Self::Rank;

    /// Returns whether the current bounds forbid to expand the state; it stays in the waitlist.
    fn is_postponed(&self, state: &Self::State, precision: &Self::Precision) -> bool;

    /// The transfer relation: e ⇝ (e′, π).
    fn successors(&mut self, state: &Self::State, precision: &Self::Precision) -> Vec<Self::State>;

    /// The operator prec. Returns `None` if no concrete state is left.
    fn adjust_precision(
        &mut self,
        state: Self::State,
        precision: &Self::Precision,
    ) -> Option<(Self::State, Self::Precision)>;

    /// The operator merge for two states of one partition: returns the state that replaces `old`, or `None` to keep it.
    fn merge(
        &mut self,
        new: &Self::State,
        old: &Self::State,
        precision: &Self::Precision,
    ) -> Option<Self::State>;

    /// The operator stop for one other state of the same partition: checks whether that state covers the new one.
    fn is_covered(
        &mut self,
        new: &Self::State,
        by: &Self::State,
        precision: &Self::Precision,
    ) -> bool;
}
