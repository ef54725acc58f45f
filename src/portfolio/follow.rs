//! The run that a witness's values lead to: what it says of inputs, tried before any analysis starts.

use rustc_hash::FxHashMap;

use super::task::{Task, Validation};
use super::verdict::Conclusion;
use crate::certify::replay::{Replay, judge, replay_compiled};
use crate::program::interpreter::{InputSource, Limits, Machine, RecordingInputs};
use crate::program::{Input, InputId, InputKind, Operation, Program, last_part};
use crate::term::Value;
use crate::witness::values::WitnessInput;

/// Who has the answer, in messages.
const WITNESS: &str = "witness";

/// Steps of a run with a witness's values.
const STEPS: u64 = 20_000_000;

/// The answer, if the values of the path that is validated lead to the violation along it.
pub(super) fn values(task: &Task) -> Option<Conclusion> {
    let Some(Validation::Violation { values, .. }) = &task.options.validation else {
        return None;
    };
    let nameless = FxHashMap::default();
    let named = uninitialised(&task.lowered);
    [&nameless, &named]
        .into_iter()
        .find_map(|uninitialised| follow(task, values, uninitialised))
}

/// What happens if variables of these names get what is said of them when they come into being.
fn follow(
    task: &Task,
    values: &[WitnessInput],
    uninitialised: &FxHashMap<InputId, String>,
) -> Option<Conclusion> {
    let limits = Limits {
        steps: STEPS,
        ..Limits::default()
    };
    let mut source = InOrder {
        said: values,
        uninitialised,
    };
    let mut inputs = RecordingInputs::new(&mut source);
    let report = Machine::new(&task.executable).run(&mut inputs, limits);
    judge(&report).ok()?;
    match replay_compiled(&task.executable, &inputs.into_journal(), limits) {
        Replay::Confirmed(violation) => Some(task.violated(WITNESS, &violation)),
        Replay::NotConfirmed(_) => None,
    }
}

/// The C names of the variables whose values are inputs because nothing initialises them.
fn uninitialised(program: &Program) -> FxHashMap<InputId, String> {
    let operations = program.edges.iter().flat_map(|edge| &edge.operations);
    let havocs = operations.filter_map(|operation| match operation {
        Operation::Havoc { target, input } => Some((*input, *target)),
        _ => None,
    });
    havocs
        .filter(|(input, _)| program.input(*input).kind == InputKind::Uninitialised)
        .map(|(input, target)| {
            let name = &program.variable(target).name;
            (input, last_part(name).to_owned())
        })
        .collect()
}

/// What is said of inputs, for what the program asks of the outside, each once; zero for everything else.
struct InOrder<'v> {
    said: &'v [WitnessInput],
    /// Variables that take what is said of them, if that is what comes next.
    uninitialised: &'v FxHashMap<InputId, String>,
}

impl InputSource for InOrder<'_> {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        let takes = match &input.kind {
            InputKind::Nondet(_) => true,
            InputKind::Uninitialised => {
                let next = self.said.first().and_then(|said| said.variable.as_ref());
                next.is_some() && next == self.uninitialised.get(&id)
            }
            _ => false,
        };
        let mut value = None;
        if takes && let Some((first, rest)) = self.said.split_first() {
            self.said = rest;
            value = first.value;
        }
        Some(Value::of_integer(value.unwrap_or(0), input.sort))
    }
}
