//! Questions to the solver, as text.

use std::time::Duration;

use super::walk::{GivenUp, Walk};
use crate::solver::z3::text::TextAnswer;
use crate::term::{Build, Sort, Symbol, TermId, smtlib_script};

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
