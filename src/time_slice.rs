//! Short slices of processor time for threads that others wait for.
//!
//! Where analyses keep all processors busy, Linux lets a thread that wakes wait until somebody's slice is over, which is looked
//! at once a tick (4 ms at 250 ticks a second). Since 6.12, who has the shorter slice need not wait, if it has had less than its
//! share; and everybody may have one. It is for those who do little and then sleep: the supervisor, the race's own thread, who checks a
//! proof.

use std::time::Duration;

/// The slice.
const SHORT: Duration = Duration::from_micros(300);

/// Children and threads to come have the usual slice, and keep the policy (`SCHED_FLAG_RESET_ON_FORK`, `SCHED_FLAG_KEEP_POLICY`).
const RESET_ON_FORK: u64 = 0x01;
const KEEP_POLICY: u64 = 0x08;

/// Whose slice is short.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AffectedThreads {
    /// The calling thread's.
    Caller,
    /// That of all threads and processes that it starts, as well.
    CallerAndStarted,
}

/// Asks for a short slice. Where the system does not know this, everything is as it is.
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
        sched_runtime: SHORT.as_nanos() as u64,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the call reads the structure, whose size is in it.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}
