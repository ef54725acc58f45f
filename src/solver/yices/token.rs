//! Who may call Yices.

use std::marker::PhantomData;
use std::sync::Once;
use std::thread::{self, ThreadId};

use parking_lot::Mutex;
use yices2::sys::{yices_init, yices_reset};

/// The right to call Yices, which is built without thread safety: one thread has it at a time. That thread may take it
/// several times (a base case and a step case have a solver each); others get it when the last is given back, by
/// dropping it. Bound to its thread.
pub struct YicesToken(PhantomData<*const ()>);

/// The thread that has the token, and how often.
static OWNER: Mutex<Option<(ThreadId, usize)>> = Mutex::new(None);

impl YicesToken {
    /// The token, unless another thread has it.
    pub fn take() -> Option<Self> {
        static INITIALISED: Once = Once::new();
        let this = thread::current().id();
        let mut owner = OWNER.lock();
        match &mut *owner {
            None => *owner = Some((this, 1)),
            Some((thread, count)) if *thread == this => *count += 1,
            Some(_) => return None,
        }
        // SAFETY: nobody else calls Yices while the owner is locked.
        INITIALISED.call_once(|| unsafe { yices_init() });
        Some(Self(PhantomData))
    }
}

impl Drop for YicesToken {
    fn drop(&mut self) {
        let mut owner = OWNER.lock();
        match &mut *owner {
            Some((_, count)) if *count > 1 => *count -= 1,
            _ => {
                // Terms belong to the process: this frees those of all solvers that were.
                // SAFETY: no solver of this thread is left, and no other thread has the token.
                unsafe { yices_reset() };
                *owner = None;
            }
        }
    }
}
