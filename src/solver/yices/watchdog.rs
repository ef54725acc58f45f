//! Stops checks, at a deadline or on another thread's demand.
//!
//! Yices has no limits, only `yices_stop_search`, which does nothing before the search proper has begun (terms may still
//! be bit-blasted then). So it is a thread's task to call it again and again until the check has ended.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use yices2::sys::{context_t, yices_stop_search};

use super::super::Interrupt;

/// How long to wait before a stop is tried again.
const RETRY: Duration = Duration::from_millis(1);

/// Why a check was stopped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Its deadline passed.
    Deadline,
    /// Another thread asked.
    Interrupt,
}

/// What the threads share.
#[derive(Default)]
pub struct Watch {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The context that is in a check.
    running: Option<Running>,
    deadline: Option<Instant>,
    stop: Option<Stop>,
    /// Whether the watching thread exists.
    watched: bool,
    /// When the watching thread looks next, if not when told.
    wakes_at: Option<Instant>,
    closed: bool,
}

struct Running(*mut context_t);

// SAFETY: the only thing that other threads do with it is `yices_stop_search`, made for that, under the lock that keeps
// the check from ending.
unsafe impl Send for Running {}

impl Watch {
    /// Makes sure that a thread watches.
    pub fn start(self: &Arc<Self>) {
        let mut state = self.state.lock();
        if !state.watched {
            let watch = Arc::clone(self);
            // Without the thread, limits have no effect; there is nothing better to do.
            state.watched = thread::Builder::new()
                .name("yices watchdog".into())
                .spawn(move || watch.run())
                .is_ok();
        }
    }

    /// A check begins. The context must live until [`Self::end`].
    pub fn begin(&self, context: *mut context_t, deadline: Option<Instant>) {
        let mut state = self.state.lock();
        state.running = Some(Running(context));
        state.deadline = deadline;
        state.stop = None;
        let early = deadline.is_some_and(|at| state.wakes_at.is_none_or(|wakes_at| at < wakes_at));
        if early && state.watched {
            self.changed.notify_all();
        }
    }

    /// The check has ended; from here on nobody stops it. Why somebody did before.
    pub fn end(&self) -> Option<Stop> {
        let mut state = self.state.lock();
        state.running = None;
        state.deadline = None;
        state.stop.take()
    }

    /// The solver is gone.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.changed.notify_all();
    }

    fn run(&self) {
        let mut state = self.state.lock();
        while !state.closed {
            let now = Instant::now();
            if state.running.is_some()
                && state.stop.is_none()
                && state.deadline.is_some_and(|deadline| deadline <= now)
            {
                state.stop = Some(Stop::Deadline);
            }
            state.wakes_at = match (&state.running, state.stop) {
                (Some(Running(context)), Some(_)) => {
                    // SAFETY: the context is in a check, which cannot end while the lock is held.
                    unsafe { yices_stop_search(*context) };
                    Some(now + RETRY)
                }
                _ => state.deadline,
            };
            match state.wakes_at {
                Some(at) => {
                    self.changed.wait_until(&mut state, at);
                }
                None => self.changed.wait(&mut state),
            }
        }
    }
}

impl Interrupt for Watch {
    fn interrupt(&self) {
        let mut state = self.state.lock();
        if state.running.is_some() {
            state.stop = Some(Stop::Interrupt);
            self.changed.notify_all();
        }
    }
}
