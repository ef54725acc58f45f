//! A record of what constructors have made of applications, for those who want to prove it.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use super::{Op, Pool, TermId, TermKind};

/// What a constructor has made of an application.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recorded {
    pub op: Op,
    pub arguments: Vec<TermId>,
    /// Something that is said to be equal.
    pub result: TermId,
}

/// What is recorded, each once.
#[derive(Default)]
pub(super) struct Record {
    known: FxHashSet<Recorded>,
    new: Vec<Recorded>,
}

impl Record {
    /// Takes note of what has become of an application, if it is something else.
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

    /// What is new since this was called last.
    pub fn take(&mut self) -> Vec<Recorded> {
        std::mem::take(&mut self.new)
    }
}

/// Whether the shared store records.
static RECORDS: AtomicBool = AtomicBool::new(false);
static SHARED: Mutex<Option<Record>> = Mutex::new(None);

/// Whether simplifications of shared terms are recorded from now on. They are not, at first.
pub fn record_shared_terms(yes: bool) {
    RECORDS.store(yes, Ordering::Relaxed);
}

/// The simplifications of shared terms that have been recorded since this was called last.
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
