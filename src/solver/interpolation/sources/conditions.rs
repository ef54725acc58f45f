//! Interpolants from strongest postconditions and weakest preconditions.
//!
//! Over the core of the sequence, Fi is the strongest postcondition of φ1 … φi, and Bi the condition on the state for
//! φ(i+1) … φn to be satisfiable, both over the live variables alone: Fi = ∃. F(i-1) ∧ φi and B(i-1) = ∃. φi ∧ Bi, or a
//! weaker formula where a variable cannot be eliminated ([`project`]). Then F1 … Fk, ¬B(k+1) … ¬B(n-1) are interpolants for
//! each k such that Fk ∧ φ(k+1) ∧ B(k+1) is unsatisfiable, which exact projections guarantee. The k with the best formulas
//! is chosen, and conjuncts that a step does not need are left out: of Fk … F1, backward, and of B(k+1) … B(n-1), forward.

use crate::Reason;
use crate::interpolation::core::CoreSequence;
use crate::interpolation::limits::{MAXIMUM_CHANGE_POSITIONS, MAXIMUM_CONDITION_SIZE};
use crate::interpolation::projection::project::project;
use crate::interpolation::quality::Quality;
use crate::interpolation::queries::Queries;
use num_bigint::BigInt;
use rustc_hash::FxHashSet;

use regatta_term::{Build, TermId, size};

/// The conditions F or B: the conjuncts at each position from 0 (before φ1) to n (after φn), as far as they were computed.
type Conditions = Vec<Option<Vec<TermId>>>;

/// Computes candidates for I1 … I(n-1).
///
/// # Errors
/// When none were found, with the reason.
pub fn interpolate(
    queries: &mut Queries,
    core: &CoreSequence,
    known: &FxHashSet<BigInt>,
) -> Result<Vec<TermId>, Reason> {
    let after = postconditions(queries, core)?;
    let before = preconditions(queries, core)?;
    for change in changes(queries, core, &after, &before, known) {
        if let Some(interpolants) = joined(queries, core, &after, &before, change)? {
            return Ok(interpolants);
        }
    }
    Err(Reason::Incomplete(
        "a variable could not be eliminated".into(),
    ))
}

/// Projects a condition to the variables to keep. Only an interrupt is an error: after a timeout, the conditions computed so
/// far may be enough.
fn step(
    queries: &mut Queries,
    formula: Vec<TermId>,
    keep: &FxHashSet<TermId>,
) -> Result<Option<Vec<TermId>>, Reason> {
    match project(queries, formula, keep) {
        Ok(conjuncts) => {
            let arena = queries.arena();
            let whole = arena.and(conjuncts.iter().copied());
            Ok((size(&*arena, whole) <= MAXIMUM_CONDITION_SIZE).then_some(conjuncts))
        }
        Err(Reason::Interrupted) => Err(Reason::Interrupted),
        Err(_) => Ok(None),
    }
}

fn postconditions(queries: &mut Queries, core: &CoreSequence) -> Result<Conditions, Reason> {
    let mut conditions = vec![Some(Vec::new())];
    let mut current = Vec::new();
    for (formula, live) in core.formulas.iter().zip(&core.live) {
        current.extend(formula);
        let Some(next) = step(queries, current, live)? else {
            break;
        };
        conditions.push(Some(next.clone()));
        current = next;
    }
    conditions.resize(core.formulas.len() + 1, None);
    Ok(conditions)
}

fn preconditions(queries: &mut Queries, core: &CoreSequence) -> Result<Conditions, Reason> {
    let count = core.formulas.len();
    let mut conditions = vec![None; count + 1];
    let mut current = Vec::new();
    conditions[count] = Some(Vec::new());
    for position in (1..count).rev() {
        current.extend(&core.formulas[position]);
        let Some(next) = step(queries, current, &core.live[position - 1])? else {
            break;
        };
        conditions[position] = Some(next.clone());
        current = next;
    }
    Ok(conditions)
}

/// The positions k to try, the best first.
fn changes(
    queries: &Queries,
    core: &CoreSequence,
    after: &Conditions,
    before: &Conditions,
    known: &FxHashSet<BigInt>,
) -> Vec<usize> {
    let arena = queries.arena();
    let count = core.formulas.len();
    let cost = |condition: &Option<Vec<TermId>>| {
        let term = arena.and(condition.as_ref()?.iter().copied());
        Some(Quality::of(&arena, term, known).cost())
    };
    let forward: Vec<_> = after.iter().map(cost).collect();
    let backward: Vec<_> = before.iter().map(cost).collect();
    let mut changes: Vec<(usize, usize)> = (0..count)
        .filter_map(|change| {
            let first: Option<usize> = forward[1..=change].iter().copied().sum();
            let second: Option<usize> = backward[change + 1..count].iter().copied().sum();
            // Ties are broken by the smaller k: preconditions of the end come from the property.
            Some((first? + second?, change))
        })
        .collect();
    changes.sort_unstable();
    changes.truncate(MAXIMUM_CHANGE_POSITIONS);
    changes.into_iter().map(|(_, change)| change).collect()
}

/// Returns the interpolants that change from F to ¬B after the position, if they are interpolants.
fn joined(
    queries: &mut Queries,
    core: &CoreSequence,
    after: &Conditions,
    before: &Conditions,
    change: usize,
) -> Result<Option<Vec<TermId>>, Reason> {
    let arena = queries.arena();
    let count = core.formulas.len();
    let (Some(known), Some(demanded)) = (&after[change], &before[change + 1]) else {
        return Ok(None);
    };
    let both: Vec<_> = known.iter().chain(demanded).copied().collect();
    let formula = &core.formulas[change];
    let Some(needed) = queries.with(formula, |queries| queries.core(&both))? else {
        return Ok(None);
    };
    let only_needed = |parts: &[TermId]| -> Vec<TermId> {
        let kept = parts.iter().copied().filter(|part| needed.contains(part));
        kept.collect()
    };
    // F, backward.
    let mut interpolants = vec![TermId::TRUE; count - 1];
    let mut next = arena.and(only_needed(known));
    for position in (1..=change).rev() {
        if position < change {
            let mut step = core.formulas[position].clone();
            step.push(arena.not(next));
            let Some(parts) = &after[position] else {
                return Ok(None);
            };
            let Some(needed) = queries.with(&step, |queries| queries.core(parts))? else {
                return Ok(None);
            };
            next = arena.and(needed);
        }
        interpolants[position - 1] = next;
    }
    // ¬B, forward.
    let mut previous = arena.not(arena.and(only_needed(demanded)));
    for position in change + 1..count {
        if position > change + 1 {
            let mut step = core.formulas[position - 1].clone();
            step.push(previous);
            let Some(parts) = &before[position] else {
                return Ok(None);
            };
            let Some(needed) = queries.with(&step, |queries| queries.core(parts))? else {
                return Ok(None);
            };
            previous = arena.not(arena.and(needed));
        }
        interpolants[position - 1] = previous;
    }
    Ok(Some(interpolants))
}
