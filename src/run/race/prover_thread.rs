//! The thread of the prover ([`regatta_engines::invariants::prover`]): it rests, without a permit, until somebody offers
//! something, and then takes turns as the analyses do.

use std::time::Duration;

use serde_json::{Map, Value as Json};

use super::PROVER;
use super::engine_thread::solver_for;
use super::racer::{Racer, start};
use crate::config::SolverOptions;
use crate::crash::guarded;
use crate::event::EventKind;
use regatta_engines::invariants::prover::Prover;

/// How long it rests before it looks whether it is to stop.
const REST: Duration = Duration::from_millis(200);

/// What the prover's thread has.
pub(super) struct ProverThread {
    pub racer: Racer,
}

impl ProverThread {
    /// Starts the thread. Without it, what is offered comes to nothing.
    pub fn start(self) {
        let reporter = self.racer.task.reporter.clone();
        if let Err(error) = start(PROVER, move || self.run()) {
            reporter.event(EventKind::Warning {
                message: format!("the prover of invariants has no thread: {error}"),
            });
        }
    }

    fn run(&self) {
        let Racer {
            task,
            coordinator,
            seat,
            id,
            ..
        } = &self.racer;
        coordinator.attach(*seat);
        guarded(&task.reporter, PROVER, *id, || self.prove());
        coordinator.leave(*seat);
    }

    fn tell(&self, turn: impl FnOnce(String) -> EventKind) {
        if self.racer.task.options.has_details {
            self.racer.task.reporter.event(turn(PROVER.to_owned()));
        }
    }

    fn prove(&self) {
        let Racer {
            task,
            blocks,
            token,
            coordinator,
            workers,
            ..
        } = &self.racer;
        let seat = self.racer.seat;
        let solver = || solver_for(&SolverOptions::default(), blocks, None);
        let invariants = &task.invariants;
        // Made in its first turn.
        let mut prover = None;
        self.tell(|analysis| EventKind::Paused { analysis });
        let (mut tried, mut proved) = (0, 0);
        while !token.is_cancelled() {
            if !invariants.wait_for_offers(REST) {
                continue;
            }
            coordinator.wake(seat);
            self.racer.look();
            coordinator.wait(seat);
            self.tell(|analysis| EventKind::Resumed { analysis });
            if prover.is_none() {
                prover = Prover::new(invariants, blocks, solver, token, workers);
            }
            let Some(prover) = &mut prover else {
                break;
            };
            let round = prover.round(&|| coordinator.safe_point(seat, &|| ()));
            coordinator.rest(seat);
            self.tell(|analysis| EventKind::Paused { analysis });
            tried += round.tried;
            proved += round.proved;
            task.reporter.event(EventKind::Invariants {
                analysis: PROVER.to_owned(),
                round: "offers".to_owned(),
                proved: round.proved,
                total: invariants.snapshot().len(),
            });
        }
        let counters = [("tried", tried), ("proved", proved)].into_iter();
        task.reporter.event(EventKind::Finished {
            analysis: PROVER.to_owned(),
            outcome: "stopped".to_owned(),
            statistics: counters
                .map(|(name, count)| (name.to_owned(), Json::from(count)))
                .collect::<Map<_, _>>(),
        });
    }
}
