//! An engine's access to the store: it takes invariants, publishes those that it has proved, and offers candidates.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::store::Subscriber;
use super::{BatchId, CancellationToken, Candidate, InvariantStore, Proved, Publisher, Snapshot};
use regatta_base::counters::{self, Counter};
use regatta_solver::Interrupt;

/// An engine's access to the store. If invariants that were taken through it are withdrawn, the engine is cancelled.
pub struct Exchange<'s> {
    store: &'s InvariantStore,
    publisher: Publisher,
    subscriber: Arc<Subscriber>,
    /// The snapshot that was taken last.
    taken: RefCell<Arc<Snapshot>>,
}

impl<'s> Exchange<'s> {
    /// Creates the access of the engine with the name, which stops when the token is cancelled.
    pub fn new(store: &'s InvariantStore, publisher: &str, token: &CancellationToken) -> Self {
        Self {
            store,
            publisher: Publisher::from(publisher),
            subscriber: store.subscribe(token),
            taken: RefCell::default(),
        }
    }

    /// The name under which the engine publishes.
    pub fn publisher(&self) -> &Publisher {
        &self.publisher
    }

    /// The version of the store now.
    pub fn version(&self) -> u64 {
        self.store.version()
    }

    /// Takes the invariants that are proved now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let snapshot = self.store.take(&self.subscriber);
        if snapshot.version() != self.taken.borrow().version() {
            self.count(&snapshot);
        }
        *self.taken.borrow_mut() = Arc::clone(&snapshot);
        snapshot
    }

    /// Checks whether the formula was in a batch that was refuted.
    pub fn is_refuted(&self, candidate: &Candidate) -> bool {
        self.store.is_refuted(candidate)
    }

    /// Takes the invariants that are proved now, if the store's version is not that of the snapshot.
    pub fn newer_than(&self, snapshot: &Snapshot) -> Option<Arc<Snapshot>> {
        (self.version() != snapshot.version()).then(|| self.snapshot())
    }

    /// Watches for changes of the store since the snapshot; they count from the given time on.
    pub fn news(&self, since: &Snapshot, from: Instant) -> News<'s> {
        News {
            store: self.store,
            version: since.version(),
            from,
        }
    }

    /// The number of invariants.
    pub fn len(&self) -> usize {
        self.store.snapshot().len()
    }

    /// Checks whether the store is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a batch; see [`InvariantStore::publish`].
    pub fn publish(&self, batch: Proved) -> Option<BatchId> {
        let number = batch.invariants().len() as u64;
        let published = self.store.publish(batch);
        if published.is_some() {
            counters::add(Counter::Published, number);
        }
        published
    }

    /// Counts the invariants of other engines in the snapshot that were not taken before.
    fn count(&self, snapshot: &Snapshot) {
        for (publisher, number) in snapshot.publishers_since(&self.taken.borrow()) {
            if publisher != self.publisher {
                counters::take(&publisher, number);
            }
        }
    }

    /// Offers candidates to the prover, which need not run, nor prove them.
    pub fn offer(&self, candidates: impl IntoIterator<Item = Candidate>) {
        self.store.offer(&self.publisher, candidates);
    }

    /// Returns the number of invariants of each other engine in the snapshot that was taken last.
    pub fn taken(&self) -> BTreeMap<Publisher, usize> {
        let mut taken = self.taken.borrow().publishers();
        taken.remove(&self.publisher);
        taken
    }
}

/// A watch on the store, for an engine that takes no invariants while it runs and has to start again with them.
#[derive(Copy, Clone)]
pub struct News<'s> {
    store: &'s InvariantStore,
    /// The version from which on there is a change.
    version: u64,
    /// The time from which on changes count.
    from: Instant,
}

impl News<'_> {
    /// The time between two checks of the store.
    const CHECK_INTERVAL: Duration = Duration::from_millis(20);

    pub fn has_changed(&self) -> bool {
        self.store.version() != self.version && Instant::now() >= self.from
    }

    /// Does the work, in which the solver is busy; interrupts the solver as soon as the store has changed.
    pub fn interrupt<R>(&self, solver: &dyn Interrupt, work: impl FnOnce() -> R) -> R {
        let (end, ended) = mpsc::channel::<()>();
        std::thread::scope(|threads| {
            let watch = move || {
                let mut wait = self.from.saturating_duration_since(Instant::now());
                // The other end is dropped when the work is done.
                while ended.recv_timeout(wait.max(Self::CHECK_INTERVAL))
                    == Err(RecvTimeoutError::Timeout)
                {
                    if self.has_changed() {
                        solver.interrupt();
                        break;
                    }
                    wait = Self::CHECK_INTERVAL;
                }
            };
            // Without a thread, there is no interrupt.
            let _ = std::thread::Builder::new()
                .name("news".to_owned())
                .spawn_scoped(threads, watch);
            let result = work();
            drop(end);
            result
        })
    }
}
