//! The thread of the prover ([`crate::analysis::invariants::prover`]): it rests, without a permit, until somebody offers
//! something, and then takes turns as the analyses do.

use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::Sender;
use serde_json::{Map, Value as Json};

use super::engine_thread::solver_for;
use super::{Message, PROVER};
use crate::analysis::CancellationToken;
use crate::analysis::invariants::prover::Prover;
use crate::portfolio::coordinator::Coordinator;
use crate::portfolio::crash::guarded;
use crate::portfolio::event::EventKind;
use crate::portfolio::task::Task;
use crate::program::block::Blocks;
use crate::solver::SolverConfig;
use crate::workers::{SOLVER_STACK, Workers};

/// How long it rests before it looks whether it is to stop.
const REST: Duration = Duration::from_millis(200);

/// What the prover's thread has.
pub(super) struct ProverThread {
    pub task: Arc<Task>,
    pub blocks: Arc<Blocks>,
    pub token: CancellationToken,
    pub coordinator: Arc<Coordinator>,
    pub seat: usize,
    pub id: u32,
    /// Helpers, where permits are idle.
    pub workers: Workers,
    /// Whom to tell that it wants a turn.
    pub awake: Sender<Message>,
}

impl ProverThread {
    /// Starts the thread. Without it, what is offered comes to nothing.
    pub fn start(self) {
        let thread = std::thread::Builder::new()
            .name(PROVER.to_owned())
            .stack_size(SOLVER_STACK);
        let reporter = self.task.reporter.clone();
        if let Err(error) = thread.spawn(move || self.run()) {
            reporter.event(EventKind::Warning {
                message: format!("the prover of invariants has no thread: {error}"),
            });
        }
    }

    fn run(&self) {
        self.coordinator.attach(self.seat);
        guarded(&self.task.reporter, PROVER, self.id, || self.prove());
        self.coordinator.leave(self.seat);
    }

    fn prove(&self) {
        let solver = || solver_for(SolverConfig::default(), &self.blocks);
        let invariants = &self.task.invariants;
        // Made in its first turn.
        let mut prover = None;
        let (mut tried, mut proved) = (0, 0);
        while !self.token.is_cancelled() {
            if !invariants.wait_for_offers(REST) {
                continue;
            }
            self.coordinator.wake(self.seat);
            // The race may be over.
            let _ = self.awake.send(Message::Awake);
            self.coordinator.wait(self.seat);
            if prover.is_none() {
                prover = Prover::new(invariants, &self.blocks, solver, &self.token, &self.workers);
            }
            let Some(prover) = &mut prover else {
                break;
            };
            let round = prover.round(&|| self.coordinator.safe_point(self.seat));
            self.coordinator.rest(self.seat);
            tried += round.tried;
            proved += round.proved;
            self.task.reporter.event(EventKind::Invariants {
                analysis: PROVER.to_owned(),
                round: "offers".to_owned(),
                proved: round.proved,
                total: invariants.snapshot().len(),
            });
        }
        let counters = [("tried", tried), ("proved", proved)].into_iter();
        self.task.reporter.event(EventKind::Finished {
            analysis: PROVER.to_owned(),
            outcome: "stopped".to_owned(),
            statistics: counters
                .map(|(name, count)| (name.to_owned(), Json::from(count)))
                .collect::<Map<_, _>>(),
        });
    }
}
