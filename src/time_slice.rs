//! Short time slices for threads that others wait for.
//!
//! Where analyses keep all processors busy, Linux lets a thread that wakes wait until another thread's slice is over, which is
//! checked once a tick (4 ms at 250 ticks a second). Since 6.12 a thread with a shorter slice need not wait, if it has had less
//! than its share; any thread may ask for one. It is for threads that work briefly and then sleep: the supervisor, the race's
//! main thread, and a checker of proofs.

use std::time::Duration;

/// The length of a short slice.
const SHORT_SLICE: Duration = Duration::from_micros(300);

/// Linux's `SCHED_FLAG_RESET_ON_FORK` (children and threads to come have the usual slice) and `SCHED_FLAG_KEEP_POLICY`.
const RESET_ON_FORK: u64 = 0x01;
const KEEP_POLICY: u64 = 0x08;

/// The threads that get a short slice.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AffectedThreads {
    /// The calling thread.
    Caller,
    /// The calling thread, and all threads and processes that it starts.
    CallerAndStarted,
}

/// Asks for a short slice. Has no effect where the system does not support it.
pub fn shorten(threads: AffectedThreads) {
    // SAFETY: getpriority has no preconditions.
    let nice = unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) };
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: libc::SCHED_OTHER.cast_unsigned(),
        sched_flags: match threads {
            AffectedThreads::Caller => KEEP_POLICY | RESET_ON_FORK,
            AffectedThreads::CallerAndStarted => KEEP_POLICY,
        },
        sched_nice: nice,
        sched_priority: 0,
        sched_runtime: SHORT_SLICE.as_nanos() as u64,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the call reads the structure, threads size is in it.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}
