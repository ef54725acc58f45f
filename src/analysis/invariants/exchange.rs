//! What an analysis has to do with the others: it takes what is proved, publishes what it has proved itself, and offers the
//! prover what it believes in.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::{BatchId, Candidate, InvariantStore, Proved, Publisher, Snapshot};
use crate::analysis::CancellationToken;
use crate::analysis::invariants::store::Subscriber;
use crate::counters::{self, Counter};
use crate::solver::Interrupt;

/// An analysis's end of the exchange. What is taken through it and withdrawn later cancels the analysis, which has to
/// begin again.
pub struct Exchange<'s> {
    store: &'s InvariantStore,
    publisher: Publisher,
    subscriber: Arc<Subscriber>,
    /// What was taken last.
    taken: RefCell<Arc<Snapshot>>,
}

impl<'s> Exchange<'s> {
    /// Of the analysis with the name, which stops when the token is cancelled.
    pub fn new(store: &'s InvariantStore, publisher: &str, token: &CancellationToken) -> Self {
        Self {
            store,
            publisher: Publisher::from(publisher),
            subscriber: store.subscribe(token),
            taken: RefCell::default(),
        }
    }

    /// The name under which the analysis publishes.
    pub fn publisher(&self) -> &Publisher {
        &self.publisher
    }

    /// The version of the store now.
    pub fn version(&self) -> u64 {
        self.store.version()
    }

    /// What is proved now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let snapshot = self.store.take(&self.subscriber);
        if snapshot.version() != self.taken.borrow().version() {
            self.count(&snapshot);
        }
        *self.taken.borrow_mut() = Arc::clone(&snapshot);
        snapshot
    }

    /// Whether the formula was in a batch that was refuted.
    pub fn is_refuted(&self, candidate: &Candidate) -> bool {
        self.store.is_refuted(candidate)
    }

    /// What is proved now, if that is another version than the one given.
    pub fn newer_than(&self, snapshot: &Snapshot) -> Option<Arc<Snapshot>> {
        (self.version() != snapshot.version()).then(|| self.snapshot())
    }

    /// What the store has had since the snapshot, for who looks no earlier than the time says.
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

    /// Whether nothing is proved.
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

    /// Counts what of others there is in the snapshot that was not taken before.
    fn count(&self, snapshot: &Snapshot) {
        for (publisher, number) in snapshot.publishers_since(&self.taken.borrow()) {
            if publisher != self.publisher {
                counters::take(&publisher, number);
            }
        }
    }

    /// Tells the prover of formulas that may hold. It need not be there, nor prove them.
    pub fn offer(&self, candidates: impl IntoIterator<Item = Candidate>) {
        self.store.offers.add(&self.publisher, candidates);
    }

    /// How many invariants of each other analysis were there when this one looked last.
    pub fn taken(&self) -> BTreeMap<Publisher, usize> {
        let mut taken = self.taken.borrow().publishers();
        taken.remove(&self.publisher);
        taken
    }
}

/// Whether the store has changed, for an engine that cannot be told of what is new and has to begin again.
#[derive(Copy, Clone)]
pub struct News<'s> {
    store: &'s InvariantStore,
    /// The last one that is old.
    version: u64,
    /// There are none before.
    from: Instant,
}

impl News<'_> {
    /// Between two looks at the store.
    const INTERVAL: Duration = Duration::from_millis(20);

    pub fn are_there(&self) -> bool {
        self.store.version() != self.version && Instant::now() >= self.from
    }

    /// Does the work, which the solver is busy with; interrupts it as soon as there are news.
    pub fn interrupt<R>(&self, solver: &dyn Interrupt, work: impl FnOnce() -> R) -> R {
        let (end, ended) = mpsc::channel::<()>();
        std::thread::scope(|threads| {
            let watch = move || {
                let mut wait = self.from.saturating_duration_since(Instant::now());
                // The other end is dropped when the work is done.
                while ended.recv_timeout(wait.max(Self::INTERVAL)) == Err(RecvTimeoutError::Timeout)
                {
                    if self.are_there() {
                        solver.interrupt();
                        break;
                    }
                    wait = Self::INTERVAL;
                }
            };
            // Without a thread nobody is interrupted.
            let _ = std::thread::Builder::new()
                .name("news".to_owned())
                .spawn_scoped(threads, watch);
            let result = work();
            drop(end);
            result
        })
    }
}
