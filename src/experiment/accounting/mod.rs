//! CPU time and memory of a run: of all its processes together, also of those that were killed.
//!
//! A control group of the run's own is the best witness, because nothing leaves it: of version 2, where one may be made with
//! the memory controller, or else of version 1. Without, the figures are of the process tree: the keeper of a run is
//! the subreaper of all that the run starts, so that whatever ends is waited for by somebody below it or by itself, and is
//! in its `RUSAGE_CHILDREN`; memory is what the processes had together when they were looked at. Which one it was is in each
//! record.
//!
//! * [`cgroup`]: control groups; [`tree`]: the processes themselves.

pub mod cgroup;
pub mod tree;

use std::time::Duration;

use self::cgroup::{Hierarchies, RunGroup};
use super::record::Measured;

/// Who measures.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Control groups of version 2.
    GroupV2,
    /// Control groups of version 1.
    GroupV1,
    /// The processes themselves.
    Tree,
}

impl Way {
    /// The ways with their names.
    pub const ALL: [(Self, &str); 3] = [
        (Self::GroupV2, "cgroup v2"),
        (Self::GroupV1, "cgroup v1"),
        (Self::Tree, "process tree"),
    ];

    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::GroupV2 => "cgroup v2",
            Self::GroupV1 => "cgroup v1",
            Self::Tree => "process tree",
        }
    }
}

/// How runs are measured on this machine.
#[derive(Debug)]
pub struct Accounting {
    /// Where groups can be made, if they can.
    hierarchies: Option<Hierarchies>,
    measured: Measured,
}

impl Accounting {
    /// In the way that is asked for, or the best that there is: it has been tried.
    ///
    /// # Errors
    /// When the way that is asked for cannot be had, with the reason.
    pub fn new(wanted: Option<Way>) -> Result<Self, String> {
        let of = |hierarchies: Hierarchies| Self {
            measured: Measured {
                cpu: hierarchies.way().name().to_owned(),
                memory: match hierarchies.has_memory() {
                    true => hierarchies.way().name().to_owned(),
                    false => Way::Tree.name().to_owned(),
                },
            },
            hierarchies: Some(hierarchies),
        };
        let tree = || Self {
            hierarchies: None,
            measured: Measured {
                cpu: Way::Tree.name().to_owned(),
                memory: Way::Tree.name().to_owned(),
            },
        };
        match wanted {
            Some(Way::Tree) => Ok(tree()),
            Some(Way::GroupV2) => Hierarchies::version_2().map(of),
            Some(Way::GroupV1) => Hierarchies::version_1().map(of),
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

    /// Who measures what.
    pub fn measured(&self) -> &Measured {
        &self.measured
    }

    /// Begins to measure what the calling process, which is to have no other children, is going to start. The memory is what
    /// the system refuses to give more of, in bytes.
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

    /// Takes away groups of runs whose runner is gone.
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

/// Measures a run.
#[derive(Debug)]
pub struct Meter {
    group: Option<RunGroup>,
    /// What this process had waited for before.
    before: tree::WaitedFor,
    /// The most that was seen, in bytes.
    peak: u64,
}

impl Meter {
    /// The group that a new process has to join before it becomes the run.
    pub fn group(&self) -> Option<&RunGroup> {
        self.group.as_ref()
    }

    /// Looks at the processes, where that is how memory is measured. Returns what is known of the memory, in bytes.
    pub fn look(&mut self) -> Option<u64> {
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

    /// CPU time so far.
    pub fn cpu(&self) -> Duration {
        match self.group.as_ref().and_then(RunGroup::cpu) {
            Some(cpu) => cpu,
            None => tree::waited_for().cpu.saturating_sub(self.before.cpu) + tree::running_cpu(),
        }
    }

    /// Kills all processes of the run and waits for them. Returns whether all are gone.
    pub fn end_all(&self) -> bool {
        let begin = std::time::Instant::now();
        loop {
            if let Some(group) = &self.group {
                group.kill();
            }
            tree::kill();
            // What is killed becomes a child of this process, when its parent is gone, and is waited for here.
            let is_alone = tree::wait_for_all();
            let is_empty = self.group.as_ref().is_none_or(RunGroup::is_empty);
            if is_alone && is_empty {
                return true;
            }
            if begin.elapsed() > PATIENCE {
                return false;
            }
            std::thread::sleep(Duration::from_micros(500));
        }
    }

    /// CPU time and most memory (in bytes) of a run that is over. The group is gone after that.
    pub fn end(mut self) -> (Duration, u64, bool) {
        let cpu = self.cpu();
        let waited = tree::waited_for();
        let out_of_memory = self.group.as_ref().is_some_and(RunGroup::was_out_of_memory);
        let memory = match self.group.as_ref().and_then(RunGroup::peak) {
            Some(peak) => peak,
            // No single process had more than this.
            None => self.peak.max(waited.largest),
        };
        if let Some(group) = self.group.take() {
            group.remove();
        }
        (cpu, memory, out_of_memory)
    }
}

/// Processes that do not end in this time after they were killed hang in the system.
const PATIENCE: Duration = Duration::from_secs(10);
