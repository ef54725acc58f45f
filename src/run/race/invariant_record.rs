//! The record of the proved invariants while a race runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use super::keeper::Keeper;
use crate::judge::evidence::Ground;
use crate::record::event::EventKind;
use crate::record::findings;
use crate::record::recorder::Recorder;
use regatta_program::inline::InlinedProgram;
use regatta_sharing::{BatchId, InvariantStore};

/// Interval between two writes of the invariants, if they are dumped and not kept.
const DUMP_INTERVAL: Duration = Duration::from_secs(1);

/// Interval between two events of published invariants, if details are requested.
const REPORT_INTERVAL: Duration = Duration::from_millis(250);

/// Records the proved invariants from time to time: all of them in the dump, those that are new as events.
pub(super) struct InvariantRecord<'r> {
    recorder: &'r Recorder,
    keeper: Option<Arc<Keeper>>,
    dumped: Instant,
    reported: Instant,
    /// The batches that have been sent as events.
    batches: FxHashSet<BatchId>,
}

impl<'r> InvariantRecord<'r> {
    pub fn new(recorder: &'r Recorder, keeper: Option<Arc<Keeper>>) -> Self {
        let now = Instant::now();
        Self {
            recorder,
            keeper,
            dumped: now,
            reported: now,
            batches: FxHashSet::default(),
        }
    }

    /// Records the invariants where it is time to do so.
    pub fn record_if_due(&mut self, store: &InvariantStore, inlined: &InlinedProgram) {
        if self.dumped.elapsed() >= self.interval() {
            self.dump(store, inlined);
            self.keep(store, inlined, None);
        }
        if self.reported.elapsed() >= REPORT_INTERVAL {
            self.report(store, inlined);
        }
    }

    /// Records the invariants at the end of the race, with the grounds of its answer.
    pub fn record(
        &mut self,
        store: &InvariantStore,
        inlined: &InlinedProgram,
        ground: Option<&Ground>,
    ) {
        self.report(store, inlined);
        self.dump(store, inlined);
        self.keep(store, inlined, ground);
    }

    /// The interval between two writes.
    fn interval(&self) -> Duration {
        let keeper = self.keeper.as_ref();
        keeper.map_or(DUMP_INTERVAL, |keeper| keeper.interval())
    }

    /// Returns when it is time to record, if anything is recorded.
    pub fn next(&self) -> Option<Instant> {
        let is_written = self.recorder.dump.is_some() || self.keeper.is_some();
        let dump = is_written.then(|| self.dumped + self.interval());
        let report = self.recorder.has_details;
        let report = report.then(|| self.reported + REPORT_INTERVAL);
        dump.into_iter().chain(report).min()
    }

    fn dump(&mut self, store: &InvariantStore, inlined: &InlinedProgram) {
        if let Some(dump) = &self.recorder.dump {
            dump.invariants(&store.snapshot(), inlined);
        }
        self.dumped = Instant::now();
    }

    /// Keeps the invariants for the next run.
    fn keep(&self, store: &InvariantStore, inlined: &InlinedProgram, ground: Option<&Ground>) {
        if let Some(keeper) = &self.keeper {
            keeper.keep(store, inlined, self.recorder, ground);
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
