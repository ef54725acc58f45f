//! How engines and their solvers are stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use regatta_solver::Interrupt;

/// Tells an engine to stop. Clones share the flag.
#[derive(Clone, Default)]
pub struct CancellationToken {
    flag: Arc<AtomicBool>,
    solvers: Arc<Mutex<Vec<Arc<dyn Interrupt>>>>,
}

impl CancellationToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks all holders of a clone of the token to stop, and interrupts their solvers; it cannot be undone.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::SeqCst);
        for solver in &*self.solvers.lock() {
            solver.interrupt();
        }
    }

    /// Registers a solver to be interrupted when the token is cancelled, or at once if it is. A query that starts after
    /// the interrupt would run on: look at [`Self::is_cancelled`] before each.
    pub fn interrupts(&self, solver: Arc<dyn Interrupt>) {
        let mut solvers = self.solvers.lock();
        if self.is_cancelled() {
            solver.interrupt();
        }
        solvers.push(solver);
    }

    /// Whether [`Self::cancel`] has been called.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// The flag itself, for loops that read it often.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }
}

/// Cancels this token when another one is cancelled.
impl Interrupt for CancellationToken {
    fn interrupt(&self) {
        self.cancel();
    }
}

impl std::fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CancellationToken")
            .field(&self.is_cancelled())
            .finish()
    }
}
