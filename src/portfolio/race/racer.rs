//! What each thread of a race has.

use std::sync::Arc;

use crossbeam::channel::Sender;

use super::Message;
use crate::analysis::CancellationToken;
use crate::portfolio::coordinator::Coordinator;
use crate::portfolio::task::Task;
use crate::program::block::Blocks;
use crate::workers::{SOLVER_STACK, Workers};

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
    pub race: Sender<Message>,
}

impl Racer {
    /// What it has found is checked from here on.
    pub fn certify(&self) {
        self.coordinator.certify(self.seat);
        self.look();
    }

    /// Has the race's own thread look who may run next, and when.
    pub fn look(&self) {
        // The race may be over.
        let _ = self.race.send(Message::Look);
    }
}

/// Starts a thread of a race, on which solvers may work.
pub(super) fn start(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let thread = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(SOLVER_STACK);
    thread.spawn(run).map(|_| ())
}
