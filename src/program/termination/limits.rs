//! The limits of the search for measures.

/// Maximum number of candidates for a loop's measure.
pub(super) const MAXIMUM_CANDIDATES: usize = 150;

/// Maximum number of variables of which sums and differences are candidates.
pub(super) const MAXIMUM_PAIRED: usize = 8;

/// Maximum size (subterms) of a candidate.
pub(super) const MAXIMUM_SIZE: usize = 60;

/// Maximum width (bits) of what candidates are made of. A candidate is two bits wider.
pub(super) const MAXIMUM_WIDTH: u8 = 64;

/// Maximum number of edges on the way from a condition back to the loop's head.
pub(super) const MAXIMUM_WAY: usize = 200;

/// Maximum number of components of a lexicographic measure.
pub(super) const MAXIMUM_COMPONENTS: usize = 5;

/// Number of runs that are made for samples.
pub(super) const SAMPLED_RUNS: u64 = 60;

/// Maximum number of steps of such a run.
pub(super) const SAMPLED_STEPS: u64 = 20_000;

/// Maximum number of different samples of a loop.
pub(super) const MAXIMUM_SAMPLES: usize = 2_000;
