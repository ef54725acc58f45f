//! The right to call Yices.

use std::marker::PhantomData;
use std::sync::Once;
use std::thread::{self, ThreadId};

use parking_lot::Mutex;
use yices2::sys::{yices_init, yices_reset};

/// A token that permits its thread to call Yices, which is built without thread safety. One thread can have tokens at a
/// time, and several of them (one for the solver of a base case and one for that of a step case); other threads can take
/// one after all were dropped. Bound to its thread.
pub struct YicesToken(PhantomData<*const ()>);

/// The thread that has tokens, and their number.
static OWNER: Mutex<Option<(ThreadId, usize)>> = Mutex::new(None);

impl YicesToken {
    /// Takes a token, unless another thread has one.
    pub fn take() -> Option<Self> {
        static INITIALISED: Once = Once::new();
        let this = thread::current().id();
        let mut owner = OWNER.lock();
        match &mut *owner {
            None => *owner = Some((this, 1)),
            Some((thread, count)) if *thread == this => *count += 1,
            Some(_) => return None,
        }
        // SAFETY: no other thread calls Yices while the owner is locked.
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
                // Terms belong to the process: this frees those of all earlier solvers.
                // SAFETY: no solver of this thread is left, and no other thread has the token.
                unsafe { yices_reset() };
                *owner = None;
            }
        }
    }
}
