//! The thread of the prover ([`regatta_engines::invariants::prover`]): it rests without a permit until an analysis offers
//! candidate invariants, and then takes turns like the analyses.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};

use super::engine_thread::solver_for;
use super::keeper::Keeper;
use super::thread::{RaceThread, start};
use crate::config::SolverOptions;
use crate::process::crash::guarded;
use crate::record::event::EventKind;
use regatta_engines::invariants::prover::Prover;

/// The prover's name in events and crash reports.
pub(crate) const PROVER: &str = "prover";

/// Maximum time to wait for offers before the prover checks whether it has to stop.
const OFFER_WAIT: Duration = Duration::from_millis(200);

/// The data of the prover's thread.
pub(super) struct ProverThread {
    pub thread: RaceThread,
    /// It has the invariants of an earlier run.
    pub keeper: Option<Arc<Keeper>>,
}

impl ProverThread {
    /// Starts the thread. If that fails, candidate invariants are not proved.
    pub fn start(self) {
        let reporter = self.thread.recorder.reporter.clone();
        if let Err(error) = start(PROVER, move || self.run()) {
            reporter.event(EventKind::Warning {
                message: format!("the prover of invariants has no thread: {error}"),
            });
        }
    }

    fn run(&self) {
        let RaceThread {
            recorder,
            coordinator,
            slot,
            id,
            ..
        } = &self.thread;
        coordinator.attach(*slot);
        guarded(&recorder.reporter, PROVER, *id, || self.prove());
        coordinator.leave(*slot);
    }

    fn tell(&self, turn: impl FnOnce(String) -> EventKind) {
        self.thread.recorder.detail(|| turn(PROVER.to_owned()));
    }

    fn prove(&self) {
        let RaceThread {
            judge,
            recorder,
            blocks,
            token,
            coordinator,
            workers,
            ..
        } = &self.thread;
        let slot = self.thread.slot;
        let solver = || solver_for(&SolverOptions::default(), blocks, None);
        let invariants = &judge.invariants;
        // The prover is made in its first turn.
        let mut prover = None;
        self.tell(|analysis| EventKind::Paused { analysis });
        let (mut tried, mut proved) = (0, 0);
        // With invariants of an earlier run, it has been woken.
        let mut earlier = self.keeper.as_ref().filter(|keeper| keeper.has_earlier());
        while !token.is_cancelled() {
            if earlier.is_none() {
                if !invariants.wait_for_offers(OFFER_WAIT) {
                    continue;
                }
                coordinator.wake(slot);
                self.thread.look();
            }
            coordinator.wait(slot);
            if let Some(keeper) = earlier.take() {
                keeper.offer(invariants, blocks);
            }
            self.tell(|analysis| EventKind::Resumed { analysis });
            if prover.is_none() {
                let kinds = self.thread.options.portfolio.general.kinds();
                let made = Prover::new(invariants, blocks, solver, token, workers);
                prover = made.map(|prover| prover.with_kinds(kinds));
            }
            let Some(prover) = &mut prover else {
                break;
            };
            let round = prover.round(&|| coordinator.safe_point(slot, &|| ()));
            coordinator.rest(slot);
            self.tell(|analysis| EventKind::Paused { analysis });
            tried += round.tried;
            proved += round.proved;
            recorder.event(EventKind::Invariants {
                analysis: PROVER.to_owned(),
                round: "offers".to_owned(),
                proved: round.proved,
                total: invariants.snapshot().len(),
            });
        }
        let counters = [("tried", tried), ("proved", proved)].into_iter();
        recorder.event(EventKind::Finished {
            analysis: PROVER.to_owned(),
            outcome: "stopped".to_owned(),
            statistics: counters
                .map(|(name, count)| (name.to_owned(), Json::from(count)))
                .collect::<Map<_, _>>(),
        });
    }
}
