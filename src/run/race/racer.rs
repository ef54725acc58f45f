//! What each thread of a race has.

use std::sync::Arc;

use super::{Message, lender};
use crate::coordinator::Coordinator;
use crate::mailbox::Mailbox;
use crate::task::Task;
use regatta_base::workers::{SOLVER_STACK, Threads, Workers};
use regatta_engines::CancellationToken;
use regatta_program::block::Blocks;

/// What all who take part in a race share.
pub(super) struct Grid {
    pub task: Arc<Task>,
    pub blocks: Arc<Blocks>,
    pub token: CancellationToken,
    /// For helpers.
    pub threads: Threads,
    /// Wakes the race's own thread.
    pub race: Arc<Mailbox<Message>>,
}

impl Grid {
    /// Who has the seat and the id.
    pub fn racer(&self, coordinator: &Arc<Coordinator>, seat: usize, id: u32) -> Racer {
        Racer {
            task: Arc::clone(&self.task),
            blocks: Arc::clone(&self.blocks),
            token: self.token.clone(),
            coordinator: Arc::clone(coordinator),
            seat,
            id,
            workers: lender::workers(coordinator, &self.threads, id),
            race: Arc::clone(&self.race),
        }
    }
}

/// Who takes part in a race.
pub(super) struct Racer {
    pub task: Arc<Task>,
    pub blocks: Arc<Blocks>,
    /// When to stop.
    pub token: CancellationToken,
    pub coordinator: Arc<Coordinator>,
    /// Its own at the coordinator.
    pub seat: usize,
    /// By which crashes are attributed.
    pub id: u32,
    /// Helpers, where permits are idle.
    pub workers: Workers,
    /// Wakes the race's own thread.
    pub race: Arc<Mailbox<Message>>,
}

impl Racer {
    /// What it has found is checked from here on.
    pub fn certify(&self) {
        self.coordinator.certify(self.seat);
        self.look();
    }

    /// Has the race's own thread look who may run next, and when.
    pub fn look(&self) {
        self.race.send(Message::Look);
    }
}

/// Starts a thread of a race, on which solvers may work.
pub(super) fn start(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let thread = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(SOLVER_STACK);
    thread.spawn(run).map(|_| ())
}
