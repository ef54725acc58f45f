//! The engines: one module each.
//!
//! Uses [`crate::term`], [`crate::program`], [`crate::certify`]. An engine gets a program, a budget and a
//! [`CancellationToken`]; engines do not import one another.
//!
//! * [`simulate`]: the interpreter on boundary, random and mutated inputs.

pub mod simulate;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells an engine to stop. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<AtomicBool>);

impl CancellationToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everybody with a clone of the token to stop; it cannot be taken back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`Self::cancel`] has been called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for a loop that looks at it often.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }
}
