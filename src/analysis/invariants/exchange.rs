//! What an analysis has to do with the others: it takes what is proved, publishes what it has proved itself, and offers the
//! prover what it believes in.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{BatchId, Candidate, InvariantStore, Proved, Publisher, Snapshot};
use crate::analysis::CancellationToken;
use crate::analysis::invariants::store::Subscriber;

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
        self.store.publish(batch)
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
