//! A record of the constructors' simplifications, so that solvers can confirm them.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use crate::{Op, Pool, TermId, TermKind};

/// A simplification: an application and the result of its constructor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recorded {
    pub op: Op,
    pub arguments: Vec<TermId>,
    /// The result, which must be equal to the application.
    pub result: TermId,
}

/// The recorded simplifications, each once.
#[derive(Default)]
pub(super) struct Record {
    known: FxHashSet<Recorded>,
    new: Vec<Recorded>,
}

impl Record {
    /// Records the result for an application unless it is the application itself.
    pub fn note(&mut self, pool: &impl Pool, op: Op, arguments: &[TermId], result: TermId) {
        let is_plain = matches!(
            pool.kind(result),
            TermKind::Apply { op: made, arguments: of } if made == op && of == arguments
        );
        if is_plain {
            return;
        }
        let entry = Recorded {
            op,
            arguments: arguments.to_vec(),
            result,
        };
        if self.known.insert(entry.clone()) {
            self.new.push(entry);
        }
    }

    /// Takes the simplifications since the last call.
    pub fn take(&mut self) -> Vec<Recorded> {
        std::mem::take(&mut self.new)
    }
}

/// Whether the shared store records.
static RECORDS: AtomicBool = AtomicBool::new(false);
static SHARED: Mutex<Option<Record>> = Mutex::new(None);

/// Switches the recording of simplifications of shared terms on or off. It is off at first.
pub fn record_shared_terms(yes: bool) {
    RECORDS.store(yes, Ordering::Relaxed);
}

/// Takes the simplifications of shared terms since the last call.
pub fn take_recorded_shared_terms() -> Vec<Recorded> {
    SHARED.lock().as_mut().map_or_else(Vec::new, Record::take)
}

/// [`Pool::records`] for the shared store.
pub(super) fn records_shared() -> bool {
    RECORDS.load(Ordering::Relaxed)
}

/// [`Pool::record`] for the shared store.
pub(super) fn note_shared(pool: &impl Pool, op: Op, arguments: &[TermId], result: TermId) {
    if records_shared() {
        let mut shared = SHARED.lock();
        let record = shared.get_or_insert_with(Record::default);
        record.note(pool, op, arguments, result);
    }
}
