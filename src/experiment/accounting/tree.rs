//! The descendants of the calling process.

use std::time::Duration;

use nix::errno::Errno;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill as send};
use nix::sys::time::TimeValLike;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, SysconfVar, sysconf};

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
    let page = sysconf(SysconfVar::PAGE_SIZE)
        .ok()
        .flatten()
        .unwrap_or(4096);
    let mut seen: Vec<(String, String)> = Vec::new();
    let mut pages = 0;
    for process in below() {
        let statm = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
        let Some(resident) = statm.split_whitespace().nth(1) else {
            continue;
        };
        // Processes with the same first mapping, stack and sizes are taken to share their memory; for a moment this also
        // applies to a fork.
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let mapped: Vec<&str> = fields.split_whitespace().skip(20).take(6).collect();
        let memory = (statm.clone(), mapped.join(" "));
        if !seen.contains(&memory) {
            pages += resident.parse::<u64>().unwrap_or(0);
            seen.push(memory);
        }
    }
    pages * page.max(1).cast_unsigned()
}

/// Returns the CPU time of the living descendants and of the children that they have waited for.
pub fn running_cpu() -> Duration {
    let ticks = sysconf(SysconfVar::CLK_TCK).ok().flatten().unwrap_or(100);
    let used = below().into_iter().filter_map(|process| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let times = fields.get(11..15)?.iter();
        Some(
            times
                .filter_map(|time| time.parse::<u64>().ok())
                .sum::<u64>(),
        )
    });
    Duration::from_secs_f64(used.sum::<u64>() as f64 / ticks.max(1) as f64)
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
