//! Termination of checks at a deadline or when another thread demands it.
//!
//! Bitwuzla calls a callback between its steps and every few conflicts or propagations of CaDiCaL.

use std::os::raw::c_void;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

use crate::{CheckLimit, Interrupt};

/// Why a check was stopped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The deadline passed.
    Deadline,
    /// Another thread demanded it.
    Interrupt,
}

const GO_ON: u8 = 0;
const DEADLINE: u8 = 1;
const INTERRUPT: u8 = 2;

/// State that the threads and the callback share.
#[derive(Default)]
pub struct Watch {
    /// Whether a check runs. An interrupt holds the lock, so that it cannot affect the next check.
    running: Mutex<bool>,
    /// Whether the check has a deadline; otherwise the clock is not read.
    has_deadline: AtomicBool,
    deadline: RwLock<Option<Instant>>,
    stop: AtomicU8,
}

impl Watch {
    /// Notes the begin of a check.
    pub fn begin(&self, limit: CheckLimit) {
        let mut running = self.running.lock();
        *running = true;
        let deadline = wall_time(limit).and_then(|time| Instant::now().checked_add(time));
        *self.deadline.write() = deadline;
        self.has_deadline
            .store(deadline.is_some(), Ordering::Relaxed);
        self.stop.store(GO_ON, Ordering::Relaxed);
    }

    /// Notes the end of the check. Returns why it was stopped, if it was.
    pub fn end(&self) -> Option<Stop> {
        let mut running = self.running.lock();
        *running = false;
        match self.stop.load(Ordering::Relaxed) {
            DEADLINE => Some(Stop::Deadline),
            INTERRUPT => Some(Stop::Interrupt),
            _ => None,
        }
    }

    fn is_over(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) != GO_ON {
            return true;
        }
        let is_late = self.has_deadline.load(Ordering::Relaxed)
            && self
                .deadline
                .read()
                .is_some_and(|deadline| deadline <= Instant::now());
        if is_late {
            // Unless an interrupt came first.
            let (before, after) = (GO_ON, DEADLINE);
            self.stop
                .compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed)
                .ok();
        }
        is_late
    }
}

impl Interrupt for Watch {
    fn interrupt(&self) {
        let running = self.running.lock();
        if *running {
            self.stop.store(INTERRUPT, Ordering::Relaxed);
        }
    }
}

/// The wall time that a limit allows.
fn wall_time(limit: CheckLimit) -> Option<Duration> {
    let units = limit.resource.map(u64::from);
    let resource = units.map(Duration::from_micros);
    match (resource, limit.time) {
        (Some(resource), Some(time)) => Some(resource.min(time)),
        (resource, time) => resource.or(time),
    }
}

/// The callback of Bitwuzla; a result other than zero ends the check.
///
/// # Safety
/// The state is a [`Watch`] that is alive.
pub unsafe extern "C" fn is_over(state: *mut c_void) -> i32 {
    // SAFETY: the caller's promise.
    let watch = unsafe { &*state.cast::<Watch>() };
    i32::from(watch.is_over())
}
