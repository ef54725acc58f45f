//! The targets of a race that decides each of them by itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use regatta_certify::certificate::ProofStep;
use regatta_program::LocationId;

/// The targets that are left, by their error locations in the program to analyse.
///
/// An execution ends at the first target that it reaches, so what is known of the executions past a target does not depend on
/// whether the target is excluded: an engine passes over excluded targets, and assumes nothing that it has not assumed before.
pub trait OpenTargets {
    /// Returns the error locations that are not known to be unreachable.
    fn open(&self) -> Arc<BTreeSet<LocationId>>;

    /// Returns the error location of the program as lowered that this one is an image of.
    fn as_lowered(&self, error: LocationId) -> LocationId;

    /// Has the proof checked that none of these error locations is reached. Those for which it passes are not open any more; returns
    /// whether that is so for all. If no others are open, the engine is told to stop.
    fn exclude(&self, errors: &BTreeSet<LocationId>, steps: Vec<ProofStep>) -> bool;
}
