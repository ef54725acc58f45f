//! The store of proved invariants.
//!
//! Batches come with what they rely on and who proved them; every change makes a new version. Readers take a
//! [`Snapshot`], which does not change any more. A batch that is refuted goes with everything that relies on it.
//! Candidates that an analysis does not prove itself wait here for others, too.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;

use super::Candidate;
use crate::certify::certificate::{Certificate, InvariantLocation, ProofStep};
use crate::program::InlinedProgram;
use crate::solver::Encoding;
use crate::term::TermId;

/// A batch's number in its store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BatchId(u32);

/// Invariants that have been shown to be k-inductive together, relative to other batches.
#[derive(Clone, Debug)]
pub struct Proved {
    invariants: Vec<Candidate>,
    k: u32,
    relies_on: Vec<BatchId>,
    publisher: String,
    encoding: Encoding,
}

impl Proved {
    /// What a prover has shown: the formulas hold at the entry and at the first k cut points on every path; and if they
    /// hold at k cut points in a row, and the batches that they rely on hold, they hold at the next.
    pub(super) fn new(
        invariants: Vec<Candidate>,
        k: u32,
        relies_on: Vec<BatchId>,
        publisher: &str,
        encoding: Encoding,
    ) -> Self {
        Self {
            invariants,
            k,
            relies_on,
            publisher: publisher.to_owned(),
            encoding,
        }
    }

    /// The invariants.
    pub fn invariants(&self) -> &[Candidate] {
        &self.invariants
    }

    /// The k of the induction, from 1.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// The batches that the proof uses.
    pub fn relies_on(&self) -> &[BatchId] {
        &self.relies_on
    }

    /// The analysis whose batch it is.
    pub fn publisher(&self) -> &str {
        &self.publisher
    }

    /// The encoding in which it was proved.
    pub fn encoding(&self) -> Encoding {
        self.encoding
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

    /// All invariants with the batches they are from.
    pub fn invariants(&self) -> impl Iterator<Item = (BatchId, Candidate)> {
        self.batches()
            .flat_map(|(id, batch)| batch.invariants.iter().map(move |&one| (id, one)))
    }

    /// For each batch that is not of this analysis, the one that it is of, and how many invariants it has.
    pub fn publishers_but(&self, own: &str) -> impl Iterator<Item = (&str, usize)> {
        let others = self.batches.iter().map(|(_, batch)| &**batch);
        let others = others.filter(move |batch| batch.publisher != own);
        others.map(|batch| (batch.publisher(), batch.invariants.len()))
    }

    /// The number of invariants.
    pub fn len(&self) -> usize {
        self.batches
            .iter()
            .map(|(_, batch)| batch.invariants.len())
            .sum()
    }

    /// Whether it has no invariant.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The batch with the number, unless it has been withdrawn.
    pub fn batch(&self, id: BatchId) -> Option<&Proved> {
        let index = self.batches.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.batches[index].1)
    }

    /// The steps of a certificate for the batches and what they rely on, and the indices of those that were asked for.
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

    /// The certificate that no target is reached in the last of k steps from any cut point where the invariants hold,
    /// which are 1-inductive together, relative to the batches, which hold as well.
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
        Certificate { steps }
    }
}

fn located(invariants: &[Candidate], inlined: &InlinedProgram) -> Vec<(InvariantLocation, TermId)> {
    let invariants = invariants.iter();
    invariants
        .map(|one| (InvariantLocation::new(inlined, one.at), one.formula))
        .collect()
}

/// The store: what all analyses of a race have proved so far.
#[derive(Debug, Default)]
pub struct InvariantStore {
    current: RwLock<Arc<Snapshot>>,
    /// The version of `current`, for a look without the lock.
    version: AtomicU64,
    batches_ever: AtomicU64,
    suggested: RwLock<Vec<Candidate>>,
}

impl InvariantStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// The version now.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// What is in it now.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read())
    }

    /// Adds a batch; `None` if one that it relies on has been withdrawn meanwhile.
    pub fn publish(&self, batch: Proved) -> Option<BatchId> {
        let mut current = self.current.write();
        if batch
            .relies_on
            .iter()
            .any(|&id| current.batch(id).is_none())
        {
            return None;
        }
        let id = BatchId(self.batches_ever.fetch_add(1, Ordering::Relaxed) as u32);
        let mut next = Snapshot::clone(&current);
        next.batches.push((id, Arc::new(batch)));
        self.replace(&mut current, next);
        Some(id)
    }

    /// Takes out a batch that was refuted, and everything that relies on it; says which those are.
    pub fn withdraw(&self, id: BatchId) -> Vec<BatchId> {
        let mut current = self.current.write();
        let mut gone = Vec::new();
        if current.batch(id).is_some() {
            gone.push(id);
        }
        // A batch comes after those that it relies on.
        for (other, batch) in current.batches() {
            if batch.relies_on.iter().any(|id| gone.contains(id)) {
                gone.push(other);
            }
        }
        if !gone.is_empty() {
            let mut next = Snapshot::clone(&current);
            next.batches.retain(|(id, _)| !gone.contains(id));
            self.replace(&mut current, next);
        }
        gone
    }

    /// Formulas that an analysis believes in, for another to prove.
    pub fn suggest(&self, candidates: impl IntoIterator<Item = Candidate>) {
        let mut suggested = self.suggested.write();
        for candidate in candidates {
            if !suggested.contains(&candidate) {
                suggested.push(candidate);
            }
        }
    }

    /// What has been suggested, without the first `seen`.
    pub fn suggestions(&self, seen: usize) -> Vec<Candidate> {
        self.suggested
            .read()
            .get(seen..)
            .unwrap_or_default()
            .to_vec()
    }

    fn replace(&self, current: &mut Arc<Snapshot>, mut next: Snapshot) {
        next.version += 1;
        self.version.store(next.version, Ordering::Release);
        *current = Arc::new(next);
    }
}
