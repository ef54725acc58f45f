//! The prover of candidates that engines offer: samples refute them, or [`houdini`](super::houdini) proves them, all of
//! them together, so that candidates of one engine may be inductive with those of another.
//!
//! Between its rounds, it looks which targets the store's invariants exclude by themselves ([`super::closing`]).
//!
//! It runs beside the engines, and no engine waits for it. An engine that needs the result at once has a [`Houdini`] of
//! its own: property direction, whose next step depends on what is proved; the data-flow analysis, whose next guesses
//! depend on the models that refute the last ones; and all that make certificates.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

pub use super::closing::Exclusion;
use super::closing::{Closing, Question};
use super::houdini::Houdini;
use super::samples::Samples;
use crate::unrolling::division::exclude;
use crate::{CancellationToken, simulate};
use regatta_base::counters::{self, Counter};
use regatta_base::workers::Workers;
use regatta_program::block::Blocks;
use regatta_program::interpreter::AccessChecks;
use regatta_program::{CutPointKind, InlinedLocation};
use regatta_sharing::{Candidate, Exchange, InvariantStore, Kinds, OpenTargets, Publisher};
use regatta_solver::{Solver, SolverError};

/// The name of the prover's access to the store.
const PUBLISHER: &str = "prover";

/// Maximum number of candidates that are tried together.
const MAXIMUM_CANDIDATES_PER_ROUND: usize = 300;

/// Wall time of the simulation whose states refute candidates.
const SIMULATION_TIME: Duration = Duration::from_millis(60);

/// The result of a round.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// The number of candidates.
    pub tried: usize,
    /// The number of those that samples have refuted.
    pub refuted: usize,
    /// The number of newly proved ones.
    pub proved: usize,
}

/// The prover.
pub struct Prover<'p> {
    store: &'p InvariantStore,
    blocks: Arc<Blocks>,
    houdini: Houdini,
    token: CancellationToken,
    /// Its access to reached states; it takes no invariants through it.
    exchange: Exchange<'p>,
    /// Computed in the first round.
    samples: Option<Samples>,
    /// Made in the first closing check.
    closing: Option<Closing>,
}

impl<'p> Prover<'p> {
    /// Creates the prover of a program; `None` if it has recursion, which invariants of the store do not cover.
    pub fn new(
        store: &'p InvariantStore,
        blocks: &Arc<Blocks>,
        solver: impl FnOnce() -> Result<Box<dyn Solver>, SolverError>,
        token: &CancellationToken,
        workers: &Workers,
    ) -> Option<Self> {
        if blocks.inlined().calls().has_recursion() {
            return None;
        }
        Some(Self {
            store,
            blocks: Arc::clone(blocks),
            houdini: Houdini::new(blocks, solver().ok()?, token, workers)
                .with_shortest_limits()
                .with_kept_models(),
            token: token.clone(),
            exchange: Exchange::new(store, PUBLISHER, &CancellationToken::new()),
            samples: None,
            closing: None,
        })
    }

    /// Limits the messages other than invariants and candidates to these kinds.
    #[must_use]
    pub fn with_kinds(mut self, kinds: Kinds) -> Self {
        self.exchange = self.exchange.with_kinds(kinds);
        self
    }

    /// Tries the candidates that are offered now.
    pub fn round(&mut self, safe_point: &dyn Fn() -> Duration) -> Round {
        let offers = self.store.next_offers(MAXIMUM_CANDIDATES_PER_ROUND);
        let mut round = Round {
            tried: offers.len(),
            ..Round::default()
        };
        let snapshot = self.store.snapshot();
        let of: FxHashMap<Candidate, Publisher> = offers.into_iter().collect();
        let (mut open, mut settled) = (Vec::new(), Vec::new());
        let known = snapshot.candidates();
        for &candidate in of.keys() {
            if known.contains(&candidate)
                || self.store.is_refuted(&candidate)
                || !self.is_inside(candidate.at)
            {
                settled.push(candidate);
            } else if self.is_refuted(candidate) {
                round.refuted += 1;
                settled.push(candidate);
            } else {
                open.push(candidate);
            }
        }
        open.sort_unstable_by_key(|one| (one.at, one.formula));
        let batch = self.houdini.inductive_subset(
            &open,
            &snapshot,
            &Samples::default(),
            &|candidate| Publisher::clone(&of[candidate]),
            safe_point,
            &mut |_| {},
        );
        if let Some(batch) = batch {
            let proved = batch.invariants().to_vec();
            if self.store.publish(batch).is_some() {
                round.proved = proved.len();
                settled.extend(proved);
            }
        }
        self.store.settle_offers(&settled);
        round
    }

    /// Whether a closing check may exclude something, and there is time for it; see [`Self::closes_after`].
    pub fn may_close(&self, is_last: bool) -> bool {
        self.closes_after(is_last) == Some(Duration::ZERO)
    }

    /// Returns the time after which there is time for a closing check, which has no limit if no engine is left to run; `None` if it
    /// cannot exclude anything as long as the invariants are the same.
    pub fn closes_after(&self, is_last: bool) -> Option<Duration> {
        let version = self.store.version();
        match &self.closing {
            Some(closing) => closing.due_after(version, is_last),
            None => (version > 0).then_some(Duration::ZERO),
        }
    }

    /// The closing check: looks which targets the proved invariants exclude. Where each is decided by itself, it has them
    /// excluded, one by one; else it returns the proof that no target is reached, if there is one.
    pub fn close(
        &mut self,
        targets: Option<&dyn OpenTargets>,
        is_last: bool,
        safe_point: &dyn Fn() -> Duration,
    ) -> Option<Exclusion> {
        let snapshot = self.store.snapshot();
        let houdini = &mut self.houdini;
        let closing = self.closing.get_or_insert_with(|| Closing::new(houdini));
        let open = targets.map(OpenTargets::open);
        let question = Question {
            open: open.as_deref(),
            is_last,
            safe_point,
            token: &self.token,
        };
        let exclusion = closing.look(houdini, &snapshot, &self.blocks, &question)?;
        let Some(targets) = targets else {
            // It is handed in once.
            closing.refuse(exclusion.errors.iter().copied());
            return Some(exclusion);
        };
        let asked = exclusion.errors.clone();
        let refused = exclude(targets, exclusion.errors, &exclusion.steps, &self.token);
        let open = targets.open();
        let closed = asked.iter().filter(|error| !open.contains(error)).count();
        counters::add(Counter::ClosedTargets, closed as u64);
        closing.refuse(refused);
        None
    }

    /// Checks whether a run of the program may be there in an arbitrary state.
    fn is_inside(&self, at: InlinedLocation) -> bool {
        let kind = self.blocks.inlined().cut_points().kind(at.location);
        kind.is_some_and(|kind| kind.is_inner() && kind != CutPointKind::Added)
    }

    /// Checks whether a sample violates the formula.
    fn is_refuted(&mut self, candidate: Candidate) -> bool {
        let samples = self.samples.get_or_insert_with(|| {
            let options = simulate::Options {
                time: SIMULATION_TIME,
                patience: Some(simulate::PATIENCE),
                accesses: AccessChecks::SingleObjects,
                ..simulate::Options::default()
            };
            let control = simulate::Control::new(&self.token);
            Samples::of_simulation(&self.blocks, &options, control, Some(&self.exchange))
        });
        self.exchange.is_violated(&candidate) || samples.refute(candidate.at, candidate.formula)
    }
}
