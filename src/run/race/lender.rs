//! Permits for an analysis's helpers ([`regatta_base::workers`]).

use std::sync::Arc;

use crate::coordinator::Coordinator;
use crate::crash;
use regatta_base::workers::{Permits, Threads, Workers};

/// Helpers for the analysis with the number, on these threads.
pub(super) fn workers(coordinator: &Arc<Coordinator>, threads: &Threads, id: u32) -> Workers {
    let permits = Lender {
        coordinator: Arc::clone(coordinator),
        id,
    };
    Workers::under(Arc::new(permits), threads.clone())
}

/// Lends what is idle; a helper's crash is the analysis's.
struct Lender {
    coordinator: Arc<Coordinator>,
    id: u32,
}

impl Permits for Lender {
    fn lend(&self) -> Option<usize> {
        self.coordinator.lend()
    }

    fn begin(&self, permit: usize) {
        crash::attribute_thread(self.id);
        self.coordinator.begin(permit);
    }

    fn is_wanted_back(&self, permit: usize) -> bool {
        self.coordinator.is_wanted_back(permit)
    }

    fn give_back(&self, permit: usize) {
        crash::attribute_thread(0);
        self.coordinator.give_back(permit);
    }
}
