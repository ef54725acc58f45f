//! The definition of interpolants as a check, and the weakening of interpolants.

use super::super::Reason;
use super::Sequence;
use super::core::{CoreSequence, variables};
use super::queries::Queries;
use regatta_term::{Build, TermId, conjuncts};

/// Checks whether the terms are interpolants of the core, and so of the sequence: each is over its cut, and each step is
/// inductive.
///
/// # Errors
/// When that is not decided.
pub fn check(
    queries: &mut Queries,
    sequence: Sequence<'_>,
    core: &CoreSequence,
    interpolants: &[TermId],
) -> Result<bool, Reason> {
    let arena = queries.arena();
    if interpolants.len() != sequence.cuts.len() {
        return Ok(false);
    }
    for (&interpolant, cut) in interpolants.iter().zip(sequence.cuts) {
        let occurring = variables(&arena, [interpolant]);
        if !occurring.iter().all(|variable| cut.contains(variable)) {
            return Ok(false);
        }
    }
    let mut before = TermId::TRUE;
    let after = interpolants.iter().copied().chain([TermId::FALSE]);
    for (formula, after) in core.formulas.iter().zip(after) {
        let mut step = formula.clone();
        step.extend([before, arena.not(after)]);
        if queries.with(&step, |queries| queries.is_satisfiable(&[]))? {
            return Ok(false);
        }
        before = after;
    }
    Ok(true)
}

/// Leaves out conjuncts that the next interpolant does not need, from the last interpolant to the first. `None` if a step
/// is not inductive.
///
/// # Errors
/// When that is not decided.
pub fn weaken(
    queries: &mut Queries,
    core: &CoreSequence,
    interpolants: &mut [TermId],
) -> Result<Option<()>, Reason> {
    let arena = queries.arena();
    let mut after = TermId::FALSE;
    for position in (0..interpolants.len()).rev() {
        let mut step = core.formulas[position + 1].clone();
        step.push(arena.not(after));
        let parts = conjuncts(&*arena, interpolants[position]);
        let Some(needed) = queries.with(&step, |queries| queries.core(&parts))? else {
            return Ok(None);
        };
        interpolants[position] = arena.and(needed);
        after = interpolants[position];
    }
    Ok(Some(()))
}
