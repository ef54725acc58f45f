//! What the parts of a run record with.

use std::path::PathBuf;
use std::sync::Arc;

use super::dump::Dump;
use super::event::{EventKind, Reporter};

/// How much a run records.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// The folder for intermediate results.
    pub dump: Option<PathBuf>,
    /// Whether there are events with the details that only a report needs: turns, formulas, the automaton.
    pub has_details: bool,
}

/// Takes the events and intermediate results of a run; clones share it.
#[derive(Clone)]
pub(crate) struct Recorder {
    pub reporter: Reporter,
    /// The folder for intermediate results, if they are wanted.
    pub dump: Option<Arc<Dump>>,
    /// Whether there are events with details.
    pub has_details: bool,
}

impl Recorder {
    /// Makes the recorder. If the folder for intermediate results cannot be made, that is reported.
    pub fn new(options: &RecordOptions, reporter: &Reporter) -> Self {
        let dump = options.dump.as_deref().map(Dump::new).transpose();
        let dump = dump.unwrap_or_else(|error| {
            let message = format!("nothing is dumped: {error}");
            reporter.event(EventKind::NotWritten { message });
            None
        });
        Self {
            reporter: reporter.clone(),
            dump: dump.map(Arc::new),
            has_details: options.has_details,
        }
    }

    /// Sends an event.
    pub fn event(&self, kind: EventKind) {
        self.reporter.event(kind);
    }

    /// Sends an event that has details, if they are wanted.
    pub fn detail(&self, kind: impl FnOnce() -> EventKind) {
        if self.has_details {
            self.reporter.event(kind());
        }
    }
}
