//! Sources of a run's inputs.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::{Input, InputId};
use regatta_term::Value;

/// A source of values for the inputs of a run.
pub trait InputSource {
    /// The value of the next occurrence of the input, of the input's sort; `None` ends the run with
    /// [`super::Outcome::InputRefused`].
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value>;

    /// The bits of the next value, for a Boolean, a bit vector of up to 64 bits or a float of up to 64. A fast source may
    /// override this so as not to create a [`Value`].
    fn next_bits(&mut self, id: InputId, input: &Input) -> Option<u64> {
        self.next(id, input)
            .map(|value| super::state::bit_pattern::bits_of(&value) as u64)
    }
}

/// The source that gives zero for every input.
#[derive(Copy, Clone, Debug, Default)]
pub struct ZeroInputs;

impl InputSource for ZeroInputs {
    fn next(&mut self, _: InputId, input: &Input) -> Option<Value> {
        Some(Value::zero(input.sort))
    }
}

/// The values of a run's inputs in the order of their occurrence, with which the run can be repeated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// Each input that occurred, with its value.
    pub entries: Vec<(InputId, Value)>,
}

/// The source that gives the values of a journal: for each [`InputId`] the values in order, then zeros. A journal can thus
/// be replayed on every program with the same input ids, even if it reads more inputs or reads different ids in another
/// order.
#[derive(Clone, Debug, Default)]
pub struct ReplayInputs {
    queues: FxHashMap<InputId, VecDeque<Value>>,
}

impl ReplayInputs {
    /// A source with the journal's values.
    pub fn new(journal: &Journal) -> Self {
        let mut queues: FxHashMap<InputId, VecDeque<Value>> = FxHashMap::default();
        for (id, value) in &journal.entries {
            queues.entry(*id).or_default().push_back(value.clone());
        }
        Self { queues }
    }
}

impl InputSource for ReplayInputs {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        let queued = self.queues.get_mut(&id).and_then(VecDeque::pop_front);
        Some(queued.unwrap_or_else(|| Value::zero(input.sort)))
    }
}

/// A source that forwards another source's values and records them in a journal.
#[derive(Debug)]
pub struct RecordingInputs<'s, S: ?Sized> {
    source: &'s mut S,
    journal: Journal,
}

impl<'s, S: InputSource + ?Sized> RecordingInputs<'s, S> {
    /// Creates a recorder of the source.
    pub fn new(source: &'s mut S) -> Self {
        Self {
            source,
            journal: Journal::default(),
        }
    }

    /// The recorded journal.
    pub fn into_journal(self) -> Journal {
        self.journal
    }
}

impl<S: InputSource + ?Sized> InputSource for RecordingInputs<'_, S> {
    fn next(&mut self, id: InputId, input: &Input) -> Option<Value> {
        let value = self.source.next(id, input)?;
        self.journal.entries.push((id, value.clone()));
        Some(value)
    }
}
