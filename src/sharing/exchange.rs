//! An engine's access to the store: it takes invariants, publishes those that it has proved, and offers candidates.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::store::Subscriber;
use super::{
    BatchId, Bounded, CancellationToken, Candidate, InvariantStore, Predicate, Proved, Publisher,
    ReachedState, Snapshot,
};
use regatta_base::counters::{self, Counter};
use regatta_program::block::Blocks;
use regatta_program::interpreter::Journal;
use regatta_program::{InlinedLocation, LocationId};
use regatta_solver::Interrupt;

/// Which messages other than invariants and candidates an engine gives and takes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Kinds {
    pub predicates: bool,
    pub bounded: bool,
    pub reached: bool,
}

impl Kinds {
    /// All kinds.
    pub const ALL: Self = Self {
        predicates: true,
        bounded: true,
        reached: true,
    };

    /// None of them.
    pub const NONE: Self = Self {
        predicates: false,
        bounded: false,
        reached: false,
    };
}

/// An engine's access to the store. If invariants that were taken through it are withdrawn, the engine is cancelled.
pub struct Exchange<'s> {
    store: &'s InvariantStore,
    publisher: Publisher,
    subscriber: Arc<Subscriber>,
    /// The snapshot that was taken last.
    taken: RefCell<Arc<Snapshot>>,
    kinds: Kinds,
    /// The number of the next predicate that is sent to it.
    next_predicate: Cell<usize>,
    /// The epoch of bounded results in which the engine has begun.
    bounded_epoch: u64,
}

impl<'s> Exchange<'s> {
    /// Creates the access of the engine with the name, which stops when the token is cancelled, to messages of all kinds.
    pub fn new(store: &'s InvariantStore, publisher: &str, token: &CancellationToken) -> Self {
        Self {
            store,
            publisher: Publisher::from(publisher),
            subscriber: store.subscribe(token),
            taken: RefCell::default(),
            kinds: Kinds::ALL,
            next_predicate: Cell::new(0),
            bounded_epoch: store.bounded.epoch(),
        }
    }

    /// Limits the messages other than invariants and candidates to these kinds.
    #[must_use]
    pub fn with_kinds(mut self, kinds: Kinds) -> Self {
        self.kinds = kinds;
        self
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

    /// Gives predicates to the other engines.
    pub fn tell_predicates(&self, predicates: impl IntoIterator<Item = Predicate>) {
        if self.kinds.predicates {
            self.store.predicates.add(&self.publisher, predicates);
        }
    }

    /// Takes the predicates of other engines that it has not got yet.
    pub fn predicates(&self) -> Vec<Predicate> {
        if !self.kinds.predicates {
            return Vec::new();
        }
        let mut next = self.next_predicate.get();
        let sent = self.store.predicates.send(&self.publisher, &mut next);
        self.next_predicate.set(next);
        sent
    }

    /// Tells that it has used predicates, some of which may be from other engines.
    pub fn use_predicates(&self, predicates: impl IntoIterator<Item = Predicate>) {
        if self.kinds.predicates {
            let number = self.store.predicates.use_all(&self.publisher, predicates);
            counters::add(Counter::PredicatesUsed, number);
        }
    }

    /// Gives a result of a base case to the other engines.
    pub fn tell_bounded(&self, result: Bounded) {
        if self.kinds.bounded {
            self.store.bounded.add(result, self.bounded_epoch);
        }
    }

    /// Returns the number of steps between cut points of the blocks within which no run is known to reach one of the error
    /// locations, nor an edge that is not modelled.
    pub fn bounded(&self, blocks: &Arc<Blocks>, errors: &BTreeSet<LocationId>) -> u32 {
        match self.kinds.bounded {
            true => self.store.bounded.steps(blocks, errors),
            false => 0,
        }
    }

    /// Returns `true` to the first engine that asks for reached states, which is to find some, and `false` to all others.
    pub fn claims_reached_states(&self) -> bool {
        self.kinds.reached && self.store.reached.claim()
    }

    /// Whether no engine has asked for reached states so far.
    pub fn lacks_reached_states(&self) -> bool {
        self.kinds.reached && !self.store.reached.is_claimed()
    }

    /// Gives reached states to all engines.
    pub fn tell_reached(&self, states: impl IntoIterator<Item = (InlinedLocation, ReachedState)>) {
        if self.kinds.reached {
            self.store.reached.add(states);
        }
    }

    /// Gives the inputs of runs that show different behaviour to all engines, unless some were given before.
    pub fn share_runs(&self, runs: &[Journal]) {
        if self.kinds.reached {
            self.store.reached.share_runs(runs);
        }
    }

    /// The inputs of the runs that were given.
    pub fn runs(&self) -> Option<Arc<Vec<Journal>>> {
        self.kinds.reached.then(|| self.store.reached.runs())?
    }

    /// Whether a reached state violates the candidate.
    pub fn is_violated(&self, candidate: &Candidate) -> bool {
        let is_violated = self.kinds.reached && self.store.is_violated(candidate);
        counters::add(Counter::RefutedByStates, u64::from(is_violated));
        is_violated
    }

    /// Returns the reached state at the cut point with the fewest steps from the entry for which the condition holds.
    pub fn nearest_reached(
        &self,
        at: InlinedLocation,
        condition: impl Fn(&ReachedState) -> bool,
    ) -> Option<Arc<ReachedState>> {
        match self.kinds.reached {
            true => self.store.reached.nearest(at, condition),
            false => None,
        }
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
