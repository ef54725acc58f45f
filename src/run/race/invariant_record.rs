//! The record of the proved invariants while a race runs.

use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use crate::record::event::EventKind;
use crate::record::findings;
use crate::record::recorder::Recorder;
use regatta_program::inline::InlinedProgram;
use regatta_sharing::{BatchId, InvariantStore};

/// Interval between two dumps of the invariants, if they are dumped.
const DUMP_INTERVAL: Duration = Duration::from_secs(1);

/// Interval between two events of published invariants, if details are requested.
const REPORT_INTERVAL: Duration = Duration::from_millis(250);

/// Records the proved invariants from time to time: all of them in the dump, those that are new as events.
pub(super) struct InvariantRecord<'r> {
    recorder: &'r Recorder,
    dumped: Instant,
    reported: Instant,
    /// The batches that have been sent as events.
    batches: FxHashSet<BatchId>,
}

impl<'r> InvariantRecord<'r> {
    pub fn new(recorder: &'r Recorder) -> Self {
        let now = Instant::now();
        Self {
            recorder,
            dumped: now,
            reported: now,
            batches: FxHashSet::default(),
        }
    }

    /// Records the invariants where it is time to do so.
    pub fn record_if_due(&mut self, store: &InvariantStore, inlined: &InlinedProgram) {
        if self.dumped.elapsed() >= DUMP_INTERVAL {
            self.dump(store, inlined);
        }
        if self.reported.elapsed() >= REPORT_INTERVAL {
            self.report(store, inlined);
        }
    }

    /// Records the invariants.
    pub fn record(&mut self, store: &InvariantStore, inlined: &InlinedProgram) {
        self.report(store, inlined);
        self.dump(store, inlined);
    }

    /// Returns when it is time to record, if anything is recorded.
    pub fn next(&self) -> Option<Instant> {
        let dump = self.recorder.dump.as_ref();
        let dump = dump.map(|_| self.dumped + DUMP_INTERVAL);
        let report = self.recorder.has_details;
        let report = report.then(|| self.reported + REPORT_INTERVAL);
        dump.into_iter().chain(report).min()
    }

    fn dump(&mut self, store: &InvariantStore, inlined: &InlinedProgram) {
        if let Some(dump) = &self.recorder.dump {
            dump.invariants(&store.snapshot(), inlined);
            self.dumped = Instant::now();
        }
    }

    fn report(&mut self, store: &InvariantStore, inlined: &InlinedProgram) {
        if !self.recorder.has_details {
            return;
        }
        let new = |id| self.batches.insert(id);
        let invariants = findings::published(&store.snapshot(), inlined, new);
        if !invariants.is_empty() {
            self.recorder.event(EventKind::Published { invariants });
        }
        self.reported = Instant::now();
    }
}
