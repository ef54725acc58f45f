//! Questions about many conditions, of a program with many checks.
//!
//! The condition of each check says what was assumed of the execution before, at all the other checks; mostly it is impossible
//! by the few conjuncts that were made last. So these are asked about first, without the definitions of what is far away: what
//! is impossible without a conjunct or a definition is impossible with it. The time for a condition then does not grow with the
//! number of checks.

use std::time::{Duration, Instant};

use super::parts::Independence;
use super::query::{
    Answer, assertions, assertions_from, check, decided, none_is_open, size_of_all,
};
use crate::queries::limits::{
    CONJUNCTS_FOR_VALUES, DEFINITIONS_PER_CONDITION, MAXIMUM_CONDITIONS_IN_VAIN,
    MAXIMUM_PARTS_PER_CONDITION, MAXIMUM_SIZE_BEFORE_NEWEST, MAXIMUM_TIME_IN_VAIN,
    NEWEST_CONJUNCTS, NEWEST_TIME, PART_TIME, TIME_BEFORE_PARTS,
};
use crate::walk::{GivenUp, Walk};
use regatta_solver::z3::text::TextAnswer;
use regatta_term::domain::{Environment, Values};
use regatta_term::{Build, TermId, conjuncts};

/// Makes conditions false that are impossible. Returns the answer if it is found.
pub(super) fn answer(
    walk: &Walk<'_, '_>,
    conditions: &mut [TermId],
    most: Duration,
) -> Result<Option<Answer>, GivenUp> {
    exclude_by_values(walk, conditions);
    if none_is_open(conditions) {
        return Ok(Some(Answer::Impossible));
    }
    let (all, names) = assertions(walk, conditions);
    // Solvers read and simplify a large question for seconds before they look at the time.
    if size_of_all(&walk.arena, &all) <= MAXIMUM_SIZE_BEFORE_NEWEST {
        let whole = check(walk, &all, &names, most.min(TIME_BEFORE_PARTS))?;
        if let Some(answer) = decided(whole, &names) {
            return Ok(Some(answer));
        }
    }
    for count in NEWEST_CONJUNCTS {
        exclude_by_newest(walk, conditions, count)?;
        if none_is_open(conditions) {
            return Ok(Some(Answer::Impossible));
        }
    }
    exclude_by_parts(walk, conditions, most)?;
    Ok(none_is_open(conditions).then_some(Answer::Impossible))
}

/// Returns the conjuncts of the condition that were made last, from the last to the first.
fn newest(walk: &Walk<'_, '_>, condition: TermId, count: usize) -> Vec<TermId> {
    let mut all = conjuncts(&*walk.arena, condition);
    all.sort_unstable_by_key(|conjunct| std::cmp::Reverse(conjunct.as_u32()));
    all.truncate(count);
    all
}

/// Makes those conditions false of which the newest conjuncts are impossible by the intervals of their terms.
fn exclude_by_values(walk: &Walk<'_, '_>, conditions: &mut [TermId]) {
    let any = Values::default();
    for condition in conditions.iter_mut().filter(|one| **one != TermId::FALSE) {
        let newest = newest(walk, *condition, CONJUNCTS_FOR_VALUES);
        let mut values = Environment::new(&*walk.arena, &any, false);
        let definitions = walk.first_definitions_for(&newest, CONJUNCTS_FOR_VALUES);
        for fact in definitions.into_iter().chain(newest) {
            values.assume(fact);
        }
        if values.is_empty() {
            *condition = TermId::FALSE;
        }
    }
}

/// Makes those conditions false of which the newest conjuncts are impossible already, whatever the execution was before. Each is
/// asked about by itself: a solver decides most of them while it reads them, but not their disjunction.
fn exclude_by_newest(
    walk: &Walk<'_, '_>,
    conditions: &mut [TermId],
    count: usize,
) -> Result<(), GivenUp> {
    let mut in_vain = Duration::ZERO;
    for condition in conditions.iter_mut().filter(|one| **one != TermId::FALSE) {
        if in_vain > MAXIMUM_TIME_IN_VAIN {
            break;
        }
        let begin = Instant::now();
        let part = walk.arena.and(newest(walk, *condition, count));
        let definitions = walk.first_definitions_for(&[part], DEFINITIONS_PER_CONDITION);
        let (all, _) = assertions_from(walk, &[part], definitions, walk.instances(&[part]));
        if check(walk, &all, &[], NEWEST_TIME)? == TextAnswer::Unsatisfiable {
            *condition = TermId::FALSE;
            in_vain = Duration::ZERO;
        } else {
            in_vain += begin.elapsed();
        }
    }
    Ok(())
}

/// Makes those conditions false of which an independent part is impossible.
fn exclude_by_parts(
    walk: &Walk<'_, '_>,
    conditions: &mut [TermId],
    most: Duration,
) -> Result<(), GivenUp> {
    let began = Instant::now();
    let mut independence = Independence::default();
    let mut in_vain = 0;
    for condition in conditions.iter_mut().filter(|one| **one != TermId::FALSE) {
        if in_vain == MAXIMUM_CONDITIONS_IN_VAIN || began.elapsed() > most {
            break;
        }
        let parts = independence.parts(walk, *condition);
        in_vain += 1;
        if parts.len() < 2 {
            continue;
        }
        for &part in parts.iter().take(MAXIMUM_PARTS_PER_CONDITION) {
            let (all, _) = assertions(walk, &[part]);
            if check(walk, &all, &[], PART_TIME)? == TextAnswer::Unsatisfiable {
                *condition = TermId::FALSE;
                in_vain = 0;
                break;
            }
        }
    }
    Ok(())
}
