//! What a program's assertions say of the states in which control is about to come to them, as candidates.
//!
//! An assertion in a loop is an invariant that somebody believes in: a user, or the witness that was put into the program.
//! An analysis that proves the property proves all of them at once, or none. As candidates those that are inductive are
//! proved first, each with the help of the others, and then help with the rest.

use super::Candidate;
use crate::program::CutPointKind;
use crate::program::block::Blocks;
use crate::term::{Build, TermId, conjuncts, free_variables, store};

/// A place with more assertions than this gives the first ones only.
const MOST_AT_A_PLACE: usize = 100;

/// For each cut point within the program, what excludes an error on the way to the next one, as far as that does not
/// depend on what comes from outside on that way.
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
        let speaks_of_state = |formula: &TermId| {
            let variables = free_variables(store(), *formula);
            !variables.is_empty() && variables.iter().all(|(_, instance)| *instance == 0)
        };
        let here = safe.filter(speaks_of_state).take(MOST_AT_A_PLACE);
        candidates.extend(Candidate::each(at, here));
    }
    candidates
}
