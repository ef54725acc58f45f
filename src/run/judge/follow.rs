//! Executions before any analysis starts: with the input values of a violation witness, or others.

use rustc_hash::FxHashMap;

use super::answer::Judge;
use crate::record::verdict::Conclusion;
use crate::task::Task;
use regatta_certify::replay::{self, Replay, replay_compiled};
use regatta_program::interpreter::{InputSource, Limits, Machine, RecordingInputs};
use regatta_program::{Input, InputId, InputKind, Operation, Program, last_part};
use regatta_term::Value;
use regatta_witness::input_values::WitnessInput;

/// The name under which the answer is reported.
const WITNESS: &str = "witness";

/// Maximum number of steps of an execution with a witness's values.
const MAXIMUM_STEPS: u64 = 20_000_000;

/// Returns the answer if the execution with the witness's values reaches the violation along the witness's path.
pub(crate) fn values(judge: &Judge, task: &Task, values: &[WitnessInput]) -> Option<Conclusion> {
    let nameless = FxHashMap::default();
    let named = uninitialised(&task.lowered);
    [&nameless, &named]
        .into_iter()
        .find_map(|uninitialised| follow(judge, task, values, uninitialised))
}

/// Executes the program with the values; the given uninitialised variables take the values that the witness has for them.
fn follow(
    judge: &Judge,
    task: &Task,
    values: &[WitnessInput],
    uninitialised: &FxHashMap<InputId, String>,
) -> Option<Conclusion> {
    let mut source = InOrder {
        said: values,
        uninitialised,
    };
    run(judge, task, WITNESS, &mut source, MAXIMUM_STEPS)
}

/// Executes the program with the inputs, for at most `steps` steps. If the execution reaches a violation, returns that as the
/// answer of `name`.
pub(crate) fn run(
    judge: &Judge,
    task: &Task,
    name: &str,
    source: &mut dyn InputSource,
    steps: u64,
) -> Option<Conclusion> {
    let limits = Limits {
        steps,
        ..Limits::default()
    };
    let mut inputs = RecordingInputs::new(source);
    let report = Machine::new(&task.executable).run(&mut inputs, limits);
    replay::judge(&report).ok()?;
    match replay_compiled(&task.executable, &inputs.into_journal(), limits) {
        Replay::Confirmed(violation) => Some(judge.violated(task, name, &violation)),
        Replay::NotConfirmed(_) => None,
    }
}

/// Returns the C names of the variables whose values are inputs because nothing initialises them.
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

/// Supplies the witness's values in their order to calls of nondeterministic functions, and zero to all other inputs.
struct InOrder<'v> {
    said: &'v [WitnessInput],
    /// The uninitialised variables that take the next value if the witness states it for their name.
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
