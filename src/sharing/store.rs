//! The store of proved invariants, and of the other messages between engines.
//!
//! A batch comes with the batches that it relies on and its publishers; every change makes a new version. Readers take
//! an immutable [`Snapshot`]. A batch that is refuted is withdrawn with all batches that rely on it; engines that have
//! taken one of these are told to start again, and it cannot be published again.
//!
//! An engine accesses the store through an [`Exchange`](super::Exchange).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet};

use super::bounded::BoundedResults;
use super::offers::Offers;
use super::predicates::Predicates;
use super::reached::ReachedStates;
use super::{ByPlace, CancellationToken, Candidate, Publisher, by_place};
use regatta_certify::certificate::{Certificate, InvariantLocation, ProofStep};
use regatta_program::{InlinedLocation, InlinedProgram};
use regatta_solver::Interrupt;
use regatta_term::TermId;

/// The number of a batch in its store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BatchId(u32);

/// Invariants that have been shown to be k-inductive together, relative to other batches.
#[derive(Clone, Debug)]
pub struct Proved {
    invariants: Vec<Candidate>,
    /// The publisher of each invariant.
    publishers: Vec<Publisher>,
    k: u32,
    relies_on: Vec<BatchId>,
}

impl Proved {
    /// Makes a batch that a prover has shown: the formulas hold at the entry and at the first k cut points on every
    /// path; and if they hold at k cut points in a row, and the batches that they rely on hold, they hold at the next. Only
    /// provers call it, which a test of this crate checks.
    pub fn new(
        invariants: Vec<Candidate>,
        k: u32,
        relies_on: Vec<BatchId>,
        publisher: impl Fn(&Candidate) -> Publisher,
    ) -> Self {
        Self {
            publishers: invariants.iter().map(publisher).collect(),
            invariants,
            k,
            relies_on,
        }
    }

    pub fn invariants(&self) -> &[Candidate] {
        &self.invariants
    }

    /// The invariants with their publishers.
    pub fn published(&self) -> impl Iterator<Item = (Candidate, &Publisher)> {
        self.invariants.iter().copied().zip(&self.publishers)
    }

    /// The k of the induction, from 1.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// The batches that the proof uses.
    pub fn relies_on(&self) -> &[BatchId] {
        &self.relies_on
    }
}

/// The store at one version.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    version: u64,
    batches: Vec<(BatchId, Arc<Proved>)>,
}

impl Snapshot {
    /// The version, which only grows.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The batches, each after those that it relies on.
    pub fn batches(&self) -> impl Iterator<Item = (BatchId, &Proved)> {
        self.batches.iter().map(|(id, batch)| (*id, &**batch))
    }

    /// All invariants with their batches.
    pub fn invariants(&self) -> impl Iterator<Item = (BatchId, Candidate)> {
        self.batches()
            .flat_map(|(id, batch)| batch.invariants.iter().map(move |&one| (id, one)))
    }

    /// All invariants, without their batches.
    pub fn candidates(&self) -> FxHashSet<Candidate> {
        self.invariants().map(|(_, one)| one).collect()
    }

    /// The newest batch with an invariant at each cut point.
    pub fn newest_by_place(&self) -> FxHashMap<InlinedLocation, BatchId> {
        let of = self.invariants().map(|(id, one)| (one.at, id));
        of.collect()
    }

    /// The formulas of all invariants.
    pub fn by_place(&self) -> ByPlace {
        by_place(self.invariants().map(|(_, one)| one))
    }

    /// The number of invariants of each publisher.
    pub fn publishers(&self) -> BTreeMap<Publisher, usize> {
        let batches = self.batches.iter();
        count(batches.flat_map(|(_, batch)| batch.publishers.iter()))
    }

    /// The number of invariants of each publisher in the batches that are newer than all of an earlier snapshot.
    pub fn publishers_since(&self, earlier: &Self) -> BTreeMap<Publisher, usize> {
        let newest = earlier.batches.last().map(|(id, _)| *id);
        let begin = self.batches.partition_point(|(id, _)| Some(*id) <= newest);
        let batches = self.batches[begin..].iter();
        count(batches.flat_map(|(_, batch)| batch.publishers.iter()))
    }

    /// The publisher of each invariant.
    pub fn publishers_by_invariant(
        &self,
        inlined: &InlinedProgram,
    ) -> FxHashMap<(InvariantLocation, TermId), &Publisher> {
        let mut of: FxHashMap<(InvariantLocation, TermId), &Publisher> = FxHashMap::default();
        for (_, batch) in self.batches() {
            for (one, publisher) in batch.published() {
                let at = InvariantLocation::new(inlined, one.at);
                of.entry((at, one.formula)).or_insert(publisher);
            }
        }
        of
    }

    /// The number of invariants in a certificate of each publisher.
    pub fn publishers_in(
        &self,
        certificate: &Certificate,
        inlined: &InlinedProgram,
    ) -> BTreeMap<Publisher, usize> {
        let of = self.publishers_by_invariant(inlined);
        let steps = certificate.steps.iter();
        let formulas = steps.flat_map(|step| match step {
            ProofStep::Inductive { batch, .. } => &batch[..],
            _ => &[],
        });
        count(formulas.filter_map(|one| of.get(one).copied()))
    }

    /// The number of invariants.
    pub fn len(&self) -> usize {
        self.batches
            .iter()
            .map(|(_, batch)| batch.invariants.len())
            .sum()
    }

    /// Checks whether there is no invariant.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The batch with the number, unless it has been withdrawn.
    pub fn batch(&self, id: BatchId) -> Option<&Proved> {
        let index = self.batches.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.batches[index].1)
    }

    /// Returns the proof steps of the batches and of those that they rely on, and the indices of the requested ones.
    fn proof_steps(
        &self,
        needed: &[BatchId],
        inlined: &InlinedProgram,
    ) -> (Vec<ProofStep>, Vec<usize>) {
        let mut wanted: Vec<BatchId> = needed.to_vec();
        let mut next = 0;
        while let Some(&id) = wanted.get(next) {
            next += 1;
            for &other in self.batch(id).map_or(&[][..], Proved::relies_on) {
                if !wanted.contains(&other) {
                    wanted.push(other);
                }
            }
        }
        // Engines that have taken a batch that was withdrawn meanwhile are told to start again.
        wanted.retain(|&id| self.batch(id).is_some());
        wanted.sort_unstable();
        wanted.dedup();
        let index = |id: &BatchId| wanted.binary_search(id).ok();
        let steps = wanted.iter().filter_map(|&id| self.batch(id));
        let steps = steps.map(|batch| ProofStep::Inductive {
            batch: located(&batch.invariants, inlined),
            k: batch.k,
            relies_on: batch.relies_on.iter().filter_map(index).collect(),
        });
        (steps.collect(), needed.iter().filter_map(index).collect())
    }

    /// Returns the certificate that no target is reached in the last of k steps from any cut point where the invariants
    /// hold. The invariants are 1-inductive together, relative to the batches, which hold as well.
    pub fn certificate(
        &self,
        k: u32,
        batches: &[BatchId],
        invariants: &[Candidate],
        inlined: &InlinedProgram,
    ) -> Certificate {
        let (mut steps, mut relies_on) = self.proof_steps(batches, inlined);
        if !invariants.is_empty() {
            steps.push(ProofStep::Inductive {
                batch: located(invariants, inlined),
                k: 1,
                relies_on: relies_on.clone(),
            });
            relies_on.push(steps.len() - 1);
        }
        steps.push(ProofStep::Safety { k, relies_on });
        Certificate::of_all(steps)
    }
}

fn located(invariants: &[Candidate], inlined: &InlinedProgram) -> Vec<(InvariantLocation, TermId)> {
    let invariants = invariants.iter();
    invariants
        .map(|one| (InvariantLocation::new(inlined, one.at), one.formula))
        .collect()
}

fn count<'p>(publishers: impl Iterator<Item = &'p Publisher>) -> BTreeMap<Publisher, usize> {
    let mut counts = BTreeMap::new();
    for publisher in publishers {
        *counts.entry(Publisher::clone(publisher)).or_default() += 1;
    }
    counts
}

/// An engine that takes invariants.
#[derive(Debug)]
pub(super) struct Subscriber {
    /// Cancelled when an invariant that was taken is withdrawn.
    pub token: CancellationToken,
    /// The number of batches ever published when it took a snapshot last: it may have each of these.
    pub taken: AtomicU64,
}

/// Numbers of messages other than invariants and candidates.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    pub predicates: usize,
    /// Those that others than their publishers have used.
    pub used_predicates: usize,
    pub reached_states: usize,
    /// The formulas that reached states have refuted.
    pub refuted: usize,
}

/// The store of the invariants that all engines have proved so far.
#[derive(Debug, Default)]
pub struct InvariantStore {
    current: RwLock<Arc<Snapshot>>,
    /// The version of `current`, readable without the lock.
    version: AtomicU64,
    batches_ever: AtomicU64,
    /// The invariants of batches that were refuted.
    refuted: RwLock<FxHashSet<Candidate>>,
    subscribers: Mutex<Vec<Weak<Subscriber>>>,
    /// Candidates on offer to the prover.
    offers: Arc<Offers>,
    pub(super) predicates: Predicates,
    pub(super) bounded: BoundedResults,
    pub(super) reached: ReachedStates,
}

impl InvariantStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the present version.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Returns the present invariants.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read())
    }

    /// Adds a batch; `None` if one that it relies on was withdrawn, or one of its invariants was refuted.
    pub fn publish(&self, batch: Proved) -> Option<BatchId> {
        let mut current = self.current.write();
        let refuted = self.refuted.read();
        let is_gone = |id: &BatchId| current.batch(*id).is_none();
        if batch.relies_on.iter().any(is_gone)
            || batch.invariants.iter().any(|one| refuted.contains(one))
        {
            return None;
        }
        let id = BatchId(self.batches_ever.fetch_add(1, Ordering::Relaxed) as u32);
        let mut next = Snapshot::clone(&current);
        next.batches.push((id, Arc::new(batch)));
        self.replace(&mut current, next);
        Some(id)
    }

    /// Withdraws a refuted batch and all that rely on it, returns these, and makes engines that use them start again.
    pub fn withdraw(&self, id: BatchId) -> Vec<BatchId> {
        let mut current = self.current.write();
        let mut gone = Vec::new();
        if let Some(batch) = current.batch(id) {
            gone.push(id);
            self.refuted.write().extend(&batch.invariants);
        }
        // A batch comes after those that it relies on.
        for (other, batch) in current.batches() {
            if batch.relies_on.iter().any(|id| gone.contains(id)) {
                gone.push(other);
            }
        }
        if gone.is_empty() {
            return gone;
        }
        // They may rest on invariants that are gone.
        self.bounded.clear();
        let before = Arc::clone(&current);
        let mut next = Snapshot::clone(&current);
        next.batches.retain(|(id, _)| !gone.contains(id));
        self.replace(&mut current, next);
        // Invariants that only relied on it may hold nevertheless.
        let refuted = self.refuted.read();
        let others = gone.iter().filter_map(|id| before.batch(*id));
        let others = others.flat_map(|batch| &batch.invariants);
        let others: Vec<Candidate> = others
            .filter(|one| !refuted.contains(one))
            .copied()
            .collect();
        drop(refuted);
        self.offers.reopen(&others);
        self.subscribers.lock().retain(|subscriber| {
            let Some(subscriber) = subscriber.upgrade() else {
                return false;
            };
            // The first of the withdrawn batches is the oldest.
            if subscriber.taken.load(Ordering::Acquire) > u64::from(gone[0].0) {
                subscriber.token.cancel();
            }
            true
        });
        gone
    }

    /// Offers candidates to the prover on behalf of a publisher that has no [`super::Exchange`].
    pub fn offer(&self, publisher: &Publisher, candidates: impl IntoIterator<Item = Candidate>) {
        self.offers.add(publisher, candidates);
    }

    /// Waits for candidates for the prover, or until the invariants have changed since the last call, up to the time; returns
    /// whether there are candidates. It does not wait when no engine is left, or when [`Self::prover_interrupter`] was used.
    pub fn wait_for_offers(&self, most: Duration) -> bool {
        self.offers.wait(most)
    }

    /// Returns what ends all waiting in [`Self::wait_for_offers`].
    pub fn prover_interrupter(&self) -> Arc<dyn Interrupt> {
        let offers: Arc<Offers> = Arc::clone(&self.offers);
        offers
    }

    /// Tells the prover that no engine is left that may offer candidates or publish invariants.
    pub fn close_offers(&self) {
        self.offers.close();
    }

    /// Whether no engine is left that may offer candidates or publish invariants.
    pub fn has_closed_offers(&self) -> bool {
        self.offers.is_closed()
    }

    /// Returns candidates on offer, at most the given number, for a round of the prover.
    pub fn next_offers(&self, most: usize) -> Vec<(Candidate, Publisher)> {
        self.offers.next(most)
    }

    /// Takes candidates from the offers that are proved or refuted.
    pub fn settle_offers(&self, candidates: &[Candidate]) {
        self.offers.settle(candidates);
    }

    /// Whether a reached state violates the candidate.
    pub fn is_violated(&self, candidate: &Candidate) -> bool {
        self.reached.refute(candidate)
    }

    /// The numbers of messages other than invariants and candidates.
    pub fn messages(&self) -> Messages {
        let (predicates, used_predicates) = self.predicates.count();
        let (reached_states, refuted) = self.reached.count();
        Messages {
            predicates,
            used_predicates,
            reached_states,
            refuted,
        }
    }

    /// Checks whether the formula was in a batch that was refuted.
    pub fn is_refuted(&self, candidate: &Candidate) -> bool {
        self.refuted.read().contains(candidate)
    }

    /// Withdraws the batches that have one of the formulas at its location; returns the number of withdrawn ones.
    pub fn withdraw_all(
        &self,
        refuted: &[(InvariantLocation, TermId)],
        inlined: &InlinedProgram,
    ) -> usize {
        let snapshot = self.snapshot();
        let is_refuted = |one: &Candidate| {
            let at = InvariantLocation::new(inlined, one.at);
            refuted.contains(&(at, one.formula))
        };
        let batches = snapshot.batches();
        let hit = batches.filter(|(_, batch)| batch.invariants.iter().any(is_refuted));
        hit.map(|(id, _)| self.withdraw(id).len()).sum()
    }

    /// Registers an engine that takes invariants; its token is cancelled when one that was taken is withdrawn.
    pub(super) fn subscribe(&self, token: &CancellationToken) -> Arc<Subscriber> {
        let subscriber = Arc::new(Subscriber {
            token: token.clone(),
            taken: AtomicU64::new(0),
        });
        self.subscribers.lock().push(Arc::downgrade(&subscriber));
        subscriber
    }

    /// Returns the present invariants to a subscriber.
    pub(super) fn take(&self, subscriber: &Subscriber) -> Arc<Snapshot> {
        // Under the lock; otherwise a batch could be withdrawn before it is recorded that the subscriber has it.
        let current = self.current.read();
        let batches = self.batches_ever.load(Ordering::Relaxed);
        subscriber.taken.store(batches, Ordering::Release);
        Arc::clone(&current)
    }

    fn replace(&self, current: &mut Arc<Snapshot>, mut next: Snapshot) {
        next.version += 1;
        self.version.store(next.version, Ordering::Release);
        *current = Arc::new(next);
        self.offers.tell_change();
    }
}
