//! The standing prover: what analyses offer is refuted by samples or proved by [`houdini`](super::houdini), all of it
//! together, so that what one analysis believes in may be inductive with what another does.
//!
//! It works beside the analyses, in turns of its own; nobody waits for it. An analysis that has to know at once has a
//! [`Houdini`] of its own: property direction, whose next step depends on what is proved; the data-flow analysis, whose
//! next guesses depend on what refutes the last; and whoever makes a certificate.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::houdini::Houdini;
use super::samples::Samples;
use super::{Candidate, InvariantStore, Publisher};
use crate::analysis::{CancellationToken, simulate};
use crate::program::block::Blocks;
use crate::program::interpreter::AccessChecks;
use crate::program::{CutPointKind, InlinedLocation};
use crate::solver::{Solver, SolverError};
use crate::workers::Workers;

/// So many formulas are tried together.
const TOGETHER: usize = 300;

/// How long it looks for states that refute formulas.
const SIMULATION: Duration = Duration::from_millis(60);

/// What has come of a round.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// How many formulas there were.
    pub tried: usize,
    /// How many of them samples have refuted.
    pub refuted: usize,
    /// How many are proved, and were not before.
    pub proved: usize,
}

/// The prover.
pub struct Prover<'p> {
    store: &'p InvariantStore,
    blocks: Arc<Blocks>,
    houdini: Houdini,
    token: CancellationToken,
    /// From the first round on.
    samples: Option<Samples>,
}

impl<'p> Prover<'p> {
    /// For the program of the blocks; `None` if it has recursion, which invariants of the store do not speak about.
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
            houdini: Houdini::new(blocks, solver().ok()?, token, workers).impatient(),
            token: token.clone(),
            samples: None,
        })
    }

    /// Tries what is offered now.
    pub fn round(&mut self, safe_point: &dyn Fn() -> Duration) -> Round {
        let offers = self.store.offers.next(TOGETHER);
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
        self.store.offers.settle(&settled);
        round
    }

    /// Whether a run of the program may be there in an arbitrary state.
    fn is_inside(&self, at: InlinedLocation) -> bool {
        let kind = self.blocks.inlined().cut_points().kind(at.location);
        kind.is_some_and(|kind| kind.is_inner() && kind != CutPointKind::Added)
    }

    /// Whether a sample does not satisfy the formula.
    fn is_refuted(&mut self, candidate: Candidate) -> bool {
        let samples = self.samples.get_or_insert_with(|| {
            let options = simulate::Options {
                time: SIMULATION,
                patience: Some(simulate::PATIENCE),
                accesses: AccessChecks::SingleObjects,
                ..simulate::Options::default()
            };
            Samples::of_simulation(&self.blocks, &options, simulate::Control::new(&self.token))
        });
        samples.refute(candidate.at, candidate.formula)
    }
}
