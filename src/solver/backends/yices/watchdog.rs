//! A thread that stops checks at a deadline or when another thread demands it.
//!
//! Yices has no limits, only `yices_stop_search`, which has no effect before the search proper begins (for instance during
//! bit-blasting). So the thread calls it repeatedly until the check has ended.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};
use yices2::sys::{context_t, yices_stop_search};

use crate::Interrupt;
use crate::limits::STOP_RETRY_INTERVAL;

/// Why a check was stopped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The deadline passed.
    Deadline,
    /// Another thread demanded it.
    Interrupt,
}

/// State that the threads share.
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
    /// When the watching thread wakes up by itself.
    wakes_at: Option<Instant>,
    closed: bool,
}

struct Running(*mut context_t);

// SAFETY: the only thing that other threads do with it is `yices_stop_search`, made for that, under the lock that keeps
// the check from ending.
unsafe impl Send for Running {}

impl Watch {
    /// Starts the watching thread, unless it exists.
    pub fn start(self: &Arc<Self>) {
        let mut state = self.state.lock();
        if !state.watched {
            let watch = Arc::clone(self);
            // If no thread can be made, limits have no effect.
            state.watched = thread::Builder::new()
                .name("yices watchdog".into())
                .spawn(move || watch.run())
                .is_ok();
        }
    }

    /// Notes the begin of a check. The context must live until [`Self::end`].
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

    /// Notes the end of the check, which is not stopped any more. Returns why it was stopped, if it was.
    pub fn end(&self) -> Option<Stop> {
        let mut state = self.state.lock();
        state.running = None;
        state.deadline = None;
        state.stop.take()
    }

    /// Ends the watching thread.
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
                    Some(now + STOP_RETRY_INTERVAL)
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
