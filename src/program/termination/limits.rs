//! The limits of the search for measures.

/// Maximum number of features of a loop.
pub(super) const MAXIMUM_FEATURES: usize = 60;

/// Maximum number of variables, of cells and of accesses that are features.
pub(super) const MAXIMUM_SCALARS: usize = 8;

/// Maximum number of numbers whose sign decides between distances, of equalities that do so, and of such distances.
pub(super) const MAXIMUM_BY_CONDITION: usize = 3;

/// Maximum number of conditions that something has a value that a round gives to it.
pub(super) const MAXIMUM_ASSIGNED: usize = 6;

/// Maximum number of features of which sums of two are candidates, and of three.
pub(super) const MAXIMUM_PAIRED: usize = 10;
pub(super) const MAXIMUM_IN_TRIPLES: usize = 6;

/// Maximum size (subterms) of a feature.
pub(super) const MAXIMUM_SIZE: usize = 60;

/// Maximum width (bits) of what features are made of.
pub(super) const MAXIMUM_WIDTH: u8 = 64;

/// Maximum number of edges on the way from a condition back to the loop's head.
pub(super) const MAXIMUM_WAY: usize = 200;

/// Maximum number of components of a lexicographic measure.
pub(super) const MAXIMUM_COMPONENTS: usize = 5;

/// Maximum number of numbers of a measure of which any may decrease.
pub(super) const MAXIMUM_ALTERNATIVES: usize = 4;

/// Maximum number of visits of a loop's head, from its entry on, of which each is compared with later ones; and of the last
/// ones before the present visit.
pub(super) const MAXIMUM_FIRST_VISITS: usize = 12;
pub(super) const MAXIMUM_LAST_VISITS: usize = 6;

/// Number of runs that are made for samples.
pub(super) const SAMPLED_RUNS: u64 = 60;

/// Maximum number of steps of such a run.
pub(super) const SAMPLED_STEPS: u64 = 20_000;

/// Maximum number of steps of a run by which an engine refutes a measure.
pub(super) const REFUTING_STEPS: u64 = 2_000_000;

/// Maximum number of runs without an end of which it is asked whether they have one.
pub(super) const MAXIMUM_ENDLESS: usize = 10;

/// Maximum number of different samples of a loop, and of those from one run, unless they are sought.
pub(super) const MAXIMUM_SAMPLES: usize = 2_000;
pub(super) const MAXIMUM_SAMPLES_OF_RUN: usize = 100;

/// Maximum number of calls that are replaced by bodies where functions call each other.
pub(super) const MAXIMUM_COPIES: usize = 20;
