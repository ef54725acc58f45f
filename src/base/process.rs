//! What the system tells of processes and of the machine, in `/proc`.

use std::fs::read_to_string;
use std::time::Duration;

use nix::unistd::{Pid, SysconfVar, sysconf};

/// Returns the fields of the process's `stat` from the third one on, its state.
pub fn status(process: Pid) -> Option<Vec<String>> {
    let text = read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is a name in parentheses with arbitrary characters, so fields are counted after it.
    let (_, fields) = text.rsplit_once(')')?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}

/// Returns the user and system time of the process and of the children that it has waited for.
pub fn cpu_time(process: Pid) -> Option<Duration> {
    let fields = status(process)?;
    let times = fields.get(11..15)?.iter();
    let ticks: u64 = times.filter_map(|time| time.parse::<u64>().ok()).sum();
    let per_second = sysconf(SysconfVar::CLK_TCK).ok()??;
    Some(Duration::from_secs_f64(
        ticks as f64 / per_second.max(1) as f64,
    ))
}

/// The memory of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Resident memory in bytes.
    pub resident: u64,
    /// All sizes that the system tells, as it writes them.
    pub sizes: String,
}

/// Returns the memory of the process.
pub fn memory(process: Pid) -> Option<Memory> {
    let sizes = read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = sizes.split_whitespace().nth(1)?.parse().ok()?;
    let page = sysconf(SysconfVar::PAGE_SIZE).ok()??;
    Some(Memory {
        resident: pages * page.max(1).cast_unsigned(),
        sizes,
    })
}

/// Returns the machine's memory of the kind in MiB: `MemTotal`, `MemAvailable`.
pub fn machine_mib(kind: &str) -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let mut values = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = values.find(|(key, _)| key.trim() == kind)?;
    let kib: u64 = value.split_whitespace().next()?.parse().ok()?;
    Some(kib >> 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_time_and_memory() {
        let own = nix::unistd::getpid();
        assert!(cpu_time(own).is_some());
        assert!(memory(own).is_some_and(|memory| memory.resident > 0));
        assert!(machine_mib("MemTotal") >= machine_mib("MemAvailable"));
    }
}
