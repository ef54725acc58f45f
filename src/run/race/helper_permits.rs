//! Permits for the helper threads of an analysis ([`regatta_base::workers`]).

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;

use super::coordinator::Coordinator;
use crate::process::crash;
use regatta_base::workers::{Permits, Threads, Workers};

/// Returns the helpers of the analysis with the number, on these threads.
pub(super) fn workers(coordinator: &Arc<Coordinator>, threads: &Threads, id: u32) -> Workers {
    let permits = AnalysisPermits {
        coordinator: Arc::clone(coordinator),
        id,
        begun: Mutex::default(),
    };
    Workers::under(Arc::new(permits), threads.clone())
}

/// Lends idle permits to helpers of one analysis, and attributes crashes of the helpers to that analysis.
struct AnalysisPermits {
    coordinator: Arc<Coordinator>,
    id: u32,
    /// The permits under which a helper's thread works. One that is borrowed for another process is given back by the thread of
    /// the analysis.
    begun: Mutex<BTreeSet<usize>>,
}

impl Permits for AnalysisPermits {
    fn lend(&self) -> Option<usize> {
        self.coordinator.lend()
    }

    fn begin(&self, permit: usize) {
        crash::attribute_thread(self.id);
        self.begun.lock().insert(permit);
        self.coordinator.begin(permit);
    }

    fn is_wanted_back(&self, permit: usize) -> bool {
        self.coordinator.is_wanted_back(permit)
    }

    fn give_back(&self, permit: usize) {
        if self.begun.lock().remove(&permit) {
            crash::attribute_thread(0);
        }
        self.coordinator.give_back(permit);
    }
}
