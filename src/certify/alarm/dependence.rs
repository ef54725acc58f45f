//! On which inputs a violation depends: those that would have to keep their values for the run to be the same.
//!
//! The run is repeated by the concolic machine with these inputs open. What it says of an input that it lets open is exact;
//! where it gives up, the violation counts as depending on all of them.

use std::time::Instant;

use crate::alarm::limits::MAXIMUM_TRIALS_TIME;
use crate::alarm::replay::Violation;
use regatta_program::InputId;
use regatta_program::interpreter::concolic::{Choice, ConcolicMachine, domain};
use regatta_program::interpreter::{Executable, Limits, Outcome};
use regatta_term::Value;

/// The inputs of a kind on whose values the run of the violation depends.
pub fn depends_on(
    executable: &Executable,
    violation: &Violation,
    is_asked: &dyn Fn(InputId) -> bool,
) -> Vec<InputId> {
    let entries = &violation.inputs.entries;
    let asked = entries.iter().map(|(id, _)| *id).filter(|id| is_asked(*id));
    let asked: Vec<InputId> = asked.collect();
    if asked.is_empty() || !executable.is_deterministic() {
        return asked;
    }
    let mut choose = |position: usize, _: &_| {
        let (id, value) = entries.get(position)?;
        Some(Choice {
            value: member(value)?,
            concrete: !is_asked(*id),
        })
    };
    let limits = Limits {
        deadline: Some(Instant::now() + MAXIMUM_TRIALS_TIME),
        ..Limits::default()
    };
    let run = ConcolicMachine::new(executable).run(&mut choose, usize::MAX, limits);
    let is_same = run.report.outcome
        == Outcome::Error {
            location: violation.location,
        };
    if !is_same || run.given_up.is_some() {
        return asked;
    }
    let inputs = run.inputs.into_iter();
    let depends = inputs.filter(|input| {
        is_asked(input.id) && input.set != domain(&executable.inputs()[input.id.index()])
    });
    depends.map(|input| input.id).collect()
}

/// The member of an input's domain that stands for a value.
fn member(value: &Value) -> Option<i128> {
    match value {
        Value::Bool(value) => Some(i128::from(*value)),
        Value::BitVec(value) => i128::try_from(value.bits()).ok(),
        Value::Float(value) => i128::try_from(value.bits()).ok(),
        Value::Int(value) => i128::try_from(value).ok(),
        Value::Array(_) => Some(0),
    }
}
