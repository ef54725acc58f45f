//! Questions to the solver, as text.

use std::time::Duration;

use super::walk::{GivenUp, Walk};
use crate::solver::z3::text::TextAnswer;
use crate::term::powers::{self, PowerOfTwo};
use crate::term::{Build, Sort, Symbol, TermId, smtlib_script};

/// Wall time of a question about one value of a variable.
const CASE: Duration = Duration::from_millis(200);

/// What the solver says to a list of conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// None of them can hold.
    Impossible,
    /// One can; those that hold in the model found.
    Possible(Vec<bool>),
}

/// Whether one of the conditions of the walk can hold.
pub(super) fn ask(walk: &Walk<'_, '_>, conditions: &[TermId]) -> Result<Answer, GivenUp> {
    ask_within(walk, conditions, Duration::MAX)
}

/// The same, for so long at most.
pub(super) fn ask_within(
    walk: &Walk<'_, '_>,
    conditions: &[TermId],
    most: Duration,
) -> Result<Answer, GivenUp> {
    if conditions
        .iter()
        .all(|&condition| condition == TermId::FALSE)
    {
        return Ok(Answer::Impossible);
    }
    let arena = &*walk.arena;
    let symbol = Symbol::new("certified goal", Sort::Bool);
    let mut facts = walk.instances(conditions);
    facts.extend_from_slice(conditions);
    let mut assertions = walk.definitions_for(&facts);
    facts.truncate(facts.len() - conditions.len());
    assertions.append(&mut facts);
    let mut names = Vec::new();
    if let [single] = conditions {
        assertions.push(*single);
    } else {
        let mut goals = Vec::with_capacity(conditions.len());
        for (&condition, number) in conditions.iter().zip(0..) {
            let goal = arena.variable_at(symbol, number);
            assertions.push(arena.eq(goal, condition));
            goals.push(goal);
            names.push(format!("|certified goal@{number}|"));
        }
        assertions.push(arena.or(goals));
    }
    if let Some(power) = powers::power_of_two(arena, &assertions)
        && exclude_each_power(walk, &assertions, power)?
    {
        return Ok(Answer::Impossible);
    }
    let left = walk.left()?.min(most);
    let script = smtlib_script(arena, &assertions);
    let answer = walk.solver.borrow_mut().check(&script, &names, left);
    match answer {
        TextAnswer::Unsatisfiable => Ok(Answer::Impossible),
        TextAnswer::Satisfiable(values) if names.is_empty() => {
            debug_assert!(values.is_empty());
            Ok(Answer::Possible(vec![true]))
        }
        TextAnswer::Satisfiable(values) => Ok(Answer::Possible(values)),
        TextAnswer::Unknown(reason) => Err(GivenUp(format!("the solver: {reason}"))),
    }
}

/// Whether the assertions exclude one another with each value of the power of two, each asked for a short time only.
fn exclude_each_power(
    walk: &Walk<'_, '_>,
    assertions: &[TermId],
    power: PowerOfTwo,
) -> Result<bool, GivenUp> {
    let arena = &*walk.arena;
    for case in powers::cases(arena, power, assertions) {
        if case.contains(&TermId::FALSE) {
            continue;
        }
        let script = smtlib_script(arena, &case);
        let time = walk.left()?.min(CASE);
        let answer = walk.solver.borrow_mut().check(&script, &[], time);
        if answer != TextAnswer::Unsatisfiable {
            return Ok(false);
        }
    }
    Ok(true)
}
