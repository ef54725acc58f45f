//! The descendants of the calling process.

use std::time::Duration;

use nix::errno::Errno;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill as send};
use nix::sys::time::TimeValLike;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use regatta_base::process::{Memory, cpu_time, memory, status};

/// The usage of the children that this process has waited for.
#[derive(Copy, Clone, Debug, Default)]
pub struct WaitedFor {
    /// User and system time.
    pub cpu: Duration,
    /// The maximum memory of a single process, in bytes.
    pub largest: u64,
}

/// Returns the usage of all descendants that were waited for.
pub fn waited_for() -> WaitedFor {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else {
        return WaitedFor::default();
    };
    let microseconds =
        usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    WaitedFor {
        cpu: Duration::from_micros(microseconds.max(0).cast_unsigned()),
        largest: usage.max_rss().max(0).cast_unsigned() << 10,
    }
}

/// Returns all descendants of this process.
fn below() -> Vec<Pid> {
    let mut found = children(nix::unistd::getpid());
    let mut next = 0;
    while let Some(&process) = found.get(next) {
        next += 1;
        found.extend(children(process));
    }
    found
}

/// Returns the children of all threads of a process.
fn children(process: Pid) -> Vec<Pid> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    let threads = threads.into_iter().flatten().flatten();
    let lists =
        threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    let mut children = Vec::new();
    for list in lists {
        let numbers = list.split_whitespace().filter_map(|text| text.parse().ok());
        children.extend(numbers.map(Pid::from_raw));
    }
    children
}

/// Returns the resident memory of all descendants in bytes. Processes that share their memory (`CLONE_VM`) are
/// counted once.
pub fn resident() -> u64 {
    let mut seen: Vec<(Memory, Vec<String>)> = Vec::new();
    for process in below() {
        let Some(memory) = memory(process) else {
            continue;
        };
        // Processes with the same first mapping, stack and sizes are taken to share their memory; for a moment this also
        // applies to a fork.
        let fields = status(process).unwrap_or_default();
        let mapped = fields.into_iter().skip(20).take(6).collect();
        let memory = (memory, mapped);
        if !seen.contains(&memory) {
            seen.push(memory);
        }
    }
    seen.iter().map(|(memory, _)| memory.resident).sum()
}

/// Returns the CPU time of the living descendants and of the children that they have waited for.
pub fn running_cpu() -> Duration {
    below().into_iter().filter_map(cpu_time).sum()
}

/// Kills all descendants.
pub fn kill() {
    for process in below() {
        let _ = send(process, Signal::SIGKILL);
    }
}

/// Collects all children that have ended. Returns whether none is left.
pub fn wait_for_all() -> bool {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return false,
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return true,
        }
    }
}
