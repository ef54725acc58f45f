//! Measures CPU time and memory of a run: of all its processes together, including killed ones.
//!
//! The most accurate method is a control group for the run, which its processes cannot leave: of version 2, if one can be made
//! with the memory controller, or else of version 1. Otherwise the process tree is measured: the keeper of a run is the
//! subreaper of all its descendants, so that each process that ends is waited for by a descendant or by the keeper, and
//! counts in the keeper's `RUSAGE_CHILDREN`; memory is sampled. Each record names its method.
//!
//! * [`cgroup`]: control groups; [`tree`]: the process tree.

pub mod cgroup;
pub mod tree;

use std::time::Duration;

use self::cgroup::{Hierarchies, RunGroup};
use crate::results::record::Measured;

/// The methods of accounting.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AccountingMethod {
    /// Control groups of version 2.
    GroupV2,
    /// Control groups of version 1.
    GroupV1,
    /// The process tree.
    Tree,
}

impl AccountingMethod {
    /// The methods with their names in records.
    pub const ALL: [(Self, &str); 3] = [
        (Self::GroupV2, "cgroup v2"),
        (Self::GroupV1, "cgroup v1"),
        (Self::Tree, "process tree"),
    ];

    /// Returns the name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::GroupV2 => "cgroup v2",
            Self::GroupV1 => "cgroup v1",
            Self::Tree => "process tree",
        }
    }
}

/// The accounting on this machine.
#[derive(Debug)]
pub struct Accounting {
    /// The hierarchies in which groups are made, if they are used.
    hierarchies: Option<Hierarchies>,
    measured: Measured,
}

impl Accounting {
    /// Returns the accounting by the given method, or by the best that is available after a trial.
    ///
    /// # Errors
    /// The reason why the given method is not available.
    pub fn new(wanted: Option<AccountingMethod>) -> Result<Self, String> {
        let of = |hierarchies: Hierarchies| Self {
            measured: Measured {
                cpu: hierarchies.method().name().to_owned(),
                memory: match hierarchies.has_memory() {
                    true => hierarchies.method().name().to_owned(),
                    false => AccountingMethod::Tree.name().to_owned(),
                },
            },
            hierarchies: Some(hierarchies),
        };
        let tree = || Self {
            hierarchies: None,
            measured: Measured {
                cpu: AccountingMethod::Tree.name().to_owned(),
                memory: AccountingMethod::Tree.name().to_owned(),
            },
        };
        match wanted {
            Some(AccountingMethod::Tree) => Ok(tree()),
            Some(AccountingMethod::GroupV2) => Hierarchies::version_2().map(of),
            Some(AccountingMethod::GroupV1) => Hierarchies::version_1().map(of),
            None => {
                let second = Hierarchies::version_2();
                if second.as_ref().is_ok_and(Hierarchies::has_memory) {
                    return second.map(of);
                }
                let first = Hierarchies::version_1();
                let either = first.or(second);
                Ok(either.map_or_else(|_| tree(), of))
            }
        }
    }

    /// Returns the methods for CPU time and memory.
    pub fn measured(&self) -> &Measured {
        &self.measured
    }

    /// Begins to measure the future children of the calling process, which must have no others. `memory` is the control group's
    /// limit in bytes.
    ///
    /// # Errors
    /// When a group cannot be made.
    pub fn begin(&self, name: &str, memory: Option<u64>) -> std::io::Result<Meter> {
        let group = match &self.hierarchies {
            Some(hierarchies) => Some(hierarchies.make(name, memory)?),
            None => None,
        };
        Ok(Meter {
            group,
            before: tree::waited_for(),
            peak: 0,
        })
    }

    /// Removes groups of runs whose runner has ended.
    pub fn clean(&self) {
        if let Some(hierarchies) = &self.hierarchies {
            hierarchies.clean();
        }
    }
}

impl Drop for Accounting {
    fn drop(&mut self) {
        if let Some(hierarchies) = &self.hierarchies {
            hierarchies.leave();
        }
    }
}

/// The measurement of a run.
#[derive(Debug)]
pub struct Meter {
    group: Option<RunGroup>,
    /// The usage of the children that this process had waited for before the run.
    before: tree::WaitedFor,
    /// The maximum of the samples, in bytes.
    peak: u64,
}

impl Meter {
    /// Returns the group that a new process has to join before it becomes the run.
    pub fn group(&self) -> Option<&RunGroup> {
        self.group.as_ref()
    }

    /// Samples the memory of the process tree and returns it in bytes; `None` if a control group measures it.
    pub fn sample_memory(&mut self) -> Option<u64> {
        if self
            .group
            .as_ref()
            .is_some_and(|group| group.peak().is_some())
        {
            return None;
        }
        let now = tree::resident();
        self.peak = self.peak.max(now);
        Some(now)
    }

    /// Returns the CPU time so far.
    pub fn cpu(&self) -> Duration {
        match self.group.as_ref().and_then(RunGroup::cpu) {
            Some(cpu) => cpu,
            None => tree::waited_for().cpu.saturating_sub(self.before.cpu) + tree::running_cpu(),
        }
    }

    /// Kills all processes of the run and waits for them. Returns whether all have ended.
    pub fn end_all(&self) -> bool {
        let begin = std::time::Instant::now();
        loop {
            if let Some(group) = &self.group {
                group.kill();
            }
            tree::kill();
            // A killed process whose parent has ended becomes a child of this process and is waited for here.
            let is_alone = tree::wait_for_all();
            let is_empty = self.group.as_ref().is_none_or(RunGroup::is_empty);
            if is_alone && is_empty {
                return true;
            }
            if begin.elapsed() > MAXIMUM_KILL_TIME {
                return false;
            }
            std::thread::sleep(Duration::from_micros(500));
        }
    }

    /// Returns the CPU time and the maximum memory (in bytes) of a run that has ended, and whether a process was killed
    /// because of the memory limit. Removes the group.
    pub fn end(mut self) -> (Duration, u64, bool) {
        let cpu = self.cpu();
        let waited = tree::waited_for();
        let out_of_memory = self.group.as_ref().is_some_and(RunGroup::was_out_of_memory);
        let memory = match self.group.as_ref().and_then(RunGroup::peak) {
            Some(peak) => peak,
            // The samples may have missed the maximum of the largest process.
            None => self.peak.max(waited.largest),
        };
        if let Some(group) = self.group.take() {
            group.remove();
        }
        (cpu, memory, out_of_memory)
    }
}

/// Maximum time for killed processes to end; those that take longer hang in a system call.
const MAXIMUM_KILL_TIME: Duration = Duration::from_secs(10);
