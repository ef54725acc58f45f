//! Candidates from the program's assertions, at the cut points before them.
//!
//! An assertion in a loop is an invariant that a user expects, or that comes from the witness that was added to the
//! program. An engine that proves the property proves all assertions at once, or none. As candidates, those that are
//! inductive are proved first, and then help to prove the others.

use regatta_program::CutPointKind;
use regatta_program::block::Blocks;
use regatta_sharing::Candidate;
use regatta_term::{Build, TermId, conjuncts, free_variables, store};

/// Maximum number of assertions at a location that become candidates, the first ones.
const MAXIMUM_ASSERTIONS_PER_LOCATION: usize = 100;

/// Returns, for each inner cut point, the input-free conditions that exclude an error before the next one.
pub fn asserted(blocks: &Blocks) -> Vec<Candidate> {
    let cut_points = blocks.inlined().cut_points();
    let mut candidates = Vec::new();
    if blocks.inlined().calls().has_recursion() {
        return candidates;
    }
    for at in blocks.cut_points() {
        let kind = cut_points.kind(at.location);
        if !kind.is_some_and(|kind| kind.is_inner() && kind != CutPointKind::Added) {
            continue;
        }
        let all = blocks.from(at);
        let errors = all.iter().filter(|block| blocks.is_target(block));
        let safe = errors.flat_map(|block| conjuncts(store(), store().not(block.guard)));
        let is_over_state = |formula: &TermId| {
            let variables = free_variables(store(), *formula);
            !variables.is_empty() && variables.iter().all(|(_, instance)| *instance == 0)
        };
        let here = safe
            .filter(is_over_state)
            .take(MAXIMUM_ASSERTIONS_PER_LOCATION);
        candidates.extend(Candidate::each(at, here));
    }
    candidates
}
