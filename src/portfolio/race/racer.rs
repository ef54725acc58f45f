//! What each thread of a race has.

use std::sync::Arc;

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
}

/// Starts a thread of a race, on which solvers may work.
pub(super) fn start(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let thread = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(SOLVER_STACK);
    thread.spawn(run).map(|_| ())
}
