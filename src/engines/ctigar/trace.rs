//! Conversion of a trace to a run: the inputs of its steps in order, from the entry.
//!
//! Each step leads from all states of an obligation to states of the next one with the inputs of its model; hence the run
//! may start in any state of the first obligation.

use rustc_hash::FxHashMap;

use super::system::{Model, System};
use super::{Ctigar, Stop};
use crate::{Answer, Context};
use regatta_certify::replay::Violation;
use regatta_program::block::{BlockEnd, InputSource};
use regatta_program::interpreter::Journal;
use regatta_sharing::ReachedState;
use regatta_term::{Evaluator, Symbol, Value, store};

impl Ctigar<'_> {
    /// Returns the inputs of the trace from the reached state; `None` if evaluation contradicts a guard.
    pub(super) fn inputs_after(&self, state: &ReachedState, trace: &[Model]) -> Option<Journal> {
        run_from(&self.system, state.values().clone(), trace)
    }

    /// Replays the trace and returns the violation, or else another violation of at most its length. If there is none, the
    /// last step of the trace is no longer searched.
    pub(super) fn violated(
        &mut self,
        trace: &[Model],
        context: &mut Context<'_>,
    ) -> Result<Option<Violation>, Stop> {
        let Some(last) = trace.last() else {
            return Err(Stop::Undecided("a trace without steps".to_owned()));
        };
        let reason = match self.system.block(last.step).end {
            BlockEnd::Unsupported { .. } => {
                "a construct that is not modelled is reached".to_owned()
            }
            _ => match run(&self.system, trace).map(|inputs| context.confirmed(&inputs)) {
                Some(Answer::Unsafe(violation)) => return Ok(Some(violation)),
                Some(Answer::Unknown(reason)) => reason,
                _ => "a trace was not confirmed".to_owned(),
            },
        };
        self.steps_left_aside.insert(last.step);
        let length = u32::try_from(trace.len()).unwrap_or(u32::MAX);
        let blocks = self.system.blocks();
        let left_aside = &mut self.left_aside;
        Ok(left_aside.add(reason, length, blocks, self.factory, context)?)
    }
}

/// Returns the inputs of the program on the trace; `None` if evaluation contradicts a guard.
fn run(system: &System<'_>, trace: &[Model]) -> Option<Journal> {
    let first = trace.first()?.values.iter();
    let state = first.filter(|((_, instance), _)| *instance == 0);
    let state = state.map(|((symbol, _), value)| (*symbol, value.clone()));
    run_from(system, state.collect(), trace)
}

/// Returns the inputs of the program on the trace from the state; `None` if evaluation contradicts a guard.
fn run_from(
    system: &System<'_>,
    mut state: FxHashMap<Symbol, Value>,
    trace: &[Model],
) -> Option<Journal> {
    let program = system.blocks().inlined().program();
    let mut entries = Vec::new();
    for model in trace {
        let block = system.block(model.step);
        let assignment = |symbol: Symbol, instance: u32| match instance {
            0 => Some(
                state
                    .get(&symbol)
                    .cloned()
                    .unwrap_or_else(|| Value::zero(symbol.sort())),
            ),
            _ => {
                let value = model.values.get(&(symbol, instance)).cloned();
                Some(value.unwrap_or_else(|| Value::zero(symbol.sort())))
            }
        };
        let mut evaluator = Evaluator::new(store(), &assignment);
        if evaluator.evaluate(block.guard) != Ok(Value::Bool(true)) {
            return None;
        }
        for input in &block.inputs {
            let is_asked = evaluator.evaluate(input.guard) == Ok(Value::Bool(true));
            if let InputSource::Input(id) = input.source
                && is_asked
            {
                entries.push((id, evaluator.evaluate(input.variable()).ok()?));
            }
        }
        let mut after = FxHashMap::default();
        for &(variable, value) in &block.updates {
            after.insert(
                program.variable(variable).symbol,
                evaluator.evaluate(value).ok()?,
            );
        }
        state.extend(after);
    }
    Some(Journal { entries })
}
