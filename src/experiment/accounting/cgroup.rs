//! Control groups, of version 1 and 2.
//!
//! A group for each run, below the one that this process is in. Of version 2, a controller can be used below a group only if no
//! process is in that group itself; so the runner moves into a group beside those of its runs, where it may.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Way;

/// What names of groups begin with; the runner's process and the run follow.
const PREFIX: &str = "regatta-experiment";

/// Where groups can be made.
#[derive(Debug)]
pub struct Hierarchies {
    way: Way,
    /// The folders that the groups of a run are in: of version 2 one.
    cpu: PathBuf,
    /// Where memory is measured, if it can be.
    memory: Option<PathBuf>,
    /// The group that the runner has moved to, out of which.
    moved: Option<(PathBuf, PathBuf)>,
    runner: Pid,
}

impl Hierarchies {
    /// Of version 2, if a group can be made and joined.
    ///
    /// # Errors
    /// When it cannot, with the reason.
    pub fn version_2() -> Result<Self, String> {
        let home = own_group(|controllers, kind| kind == "cgroup2" && controllers.is_empty())?;
        let mut hierarchies = Self {
            way: Way::GroupV2,
            cpu: home.clone(),
            memory: None,
            moved: None,
            runner: nix::unistd::getpid(),
        };
        let controllers = fs::read_to_string(home.join("cgroup.controllers")).unwrap_or_default();
        if controllers.split_whitespace().any(|name| name == "memory") {
            let subtree = home.join("cgroup.subtree_control");
            let enabled = fs::read_to_string(&subtree).unwrap_or_default();
            let is_enabled = enabled.split_whitespace().any(|name| name == "memory");
            if is_enabled || fs::write(&subtree, "+memory").is_ok() {
                hierarchies.memory = Some(home);
            } else if let Some(own) = hierarchies.move_aside() {
                // No process may be in the group itself; others may have to stay.
                if fs::write(&subtree, "+memory").is_ok() {
                    hierarchies.memory = Some(home);
                } else {
                    hierarchies.leave();
                    let _ = fs::remove_dir(own);
                    hierarchies.moved = None;
                }
            }
        }
        hierarchies.tried()
    }

    /// Of version 1, if groups for CPU time and memory can be made and joined.
    ///
    /// # Errors
    /// When they cannot, with the reason.
    pub fn version_1() -> Result<Self, String> {
        let of = |wanted: &str| {
            own_group(|controllers, kind| {
                kind == "cgroup" && controllers.split(',').any(|name| name == wanted)
            })
        };
        Self {
            way: Way::GroupV1,
            cpu: of("cpuacct")?,
            memory: Some(of("memory")?),
            moved: None,
            runner: nix::unistd::getpid(),
        }
        .tried()
    }

    /// The way that it is.
    pub fn way(&self) -> Way {
        self.way
    }

    /// Whether memory is measured, too.
    pub fn has_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// The same, if a group can be made.
    fn tried(mut self) -> Result<Self, String> {
        let trial = self.make("trial", None);
        let group = match trial {
            Ok(group) => group,
            Err(error) => {
                self.leave();
                return Err(format!("{}: {error}", self.cpu.display()));
            }
        };
        if group.cpu().is_none() {
            group.remove();
            self.leave();
            return Err(format!("{}: no CPU time is told", self.cpu.display()));
        }
        if self.way == Way::GroupV2 && group.peak().is_none() {
            // A kernel before 5.19 does not keep the peak.
            self.memory = None;
        }
        group.remove();
        Ok(self)
    }

    /// Moves this process to a group beside those of the runs.
    fn move_aside(&mut self) -> Option<PathBuf> {
        let own = self.cpu.join(format!("{PREFIX}-{}-runner", self.runner));
        fs::create_dir(&own).ok()?;
        if fs::write(own.join("cgroup.procs"), "0").is_err() {
            let _ = fs::remove_dir(&own);
            return None;
        }
        self.moved = Some((own.clone(), self.cpu.clone()));
        Some(own)
    }

    /// The runner goes back where it came from.
    pub fn leave(&self) {
        // Its children have this, too, and are not the runner.
        if self.runner == nix::unistd::getpid()
            && let Some((own, home)) = &self.moved
        {
            let _ = fs::write(home.join("cgroup.subtree_control"), "-memory");
            let _ = fs::write(home.join("cgroup.procs"), "0");
            let _ = fs::remove_dir(own);
        }
    }

    /// The folders, each once.
    fn folders(&self) -> Vec<&Path> {
        let mut folders = vec![self.cpu.as_path()];
        folders.extend(self.memory.as_deref().filter(|memory| *memory != self.cpu));
        folders
    }

    /// Makes a group for a run.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn make(&self, name: &str, memory_limit: Option<u64>) -> std::io::Result<RunGroup> {
        let name = format!("{PREFIX}-{}-{name}", self.runner);
        let mut group = RunGroup {
            way: self.way,
            folders: Vec::new(),
            memory: self.memory.as_ref().map(|folder| folder.join(&name)),
            doors: Vec::new(),
        };
        for folder in self.folders() {
            let folder = folder.join(&name);
            let made = fs::create_dir(&folder).and_then(|()| {
                group.folders.push(folder.clone());
                let door = File::options()
                    .write(true)
                    .open(folder.join("cgroup.procs"))?;
                group.doors.push(door);
                Ok(())
            });
            if let Err(error) = made {
                group.remove();
                return Err(error);
            }
        }
        if let (Some(folder), Some(limit)) = (&group.memory, memory_limit) {
            let files: &[&str] = match self.way {
                Way::GroupV2 => &["memory.max", "memory.swap.max"],
                _ => &["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"],
            };
            let values = match self.way {
                Way::GroupV2 => [limit, 0],
                _ => [limit, limit],
            };
            for (file, value) in files.iter().zip(values) {
                // The runner looks at the limit, too; where there is no swap, the second is missing.
                let _ = fs::write(folder.join(file), value.to_string());
            }
        }
        Ok(group)
    }

    /// Takes away groups whose runner is gone, with the processes in them.
    pub fn clean(&self) {
        for folder in self.folders() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else {
                    continue;
                };
                let runner = rest.trim_start_matches('-').split('-').next();
                let Some(runner) = runner.and_then(|text| text.parse().ok()) else {
                    continue;
                };
                let runner = Pid::from_raw(runner);
                if runner != self.runner && kill(runner, None).is_err() {
                    let processes = entry.path().join("cgroup.procs");
                    kill_all(&processes);
                    remove(&entry.path());
                }
            }
        }
    }
}

/// The folder of the group that this process is in, of the first mounted hierarchy that is wanted by its controllers (names, with
/// commas; none of version 2) and its kind of file system.
fn own_group(is_wanted: impl Fn(&str, &str) -> bool) -> Result<PathBuf, String> {
    let groups = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").map_err(|error| error.to_string())?;
    group_folder(&groups, &mounts, is_wanted)
        .ok_or_else(|| "no such hierarchy is mounted".to_owned())
}

/// The same of the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`.
fn group_folder(
    groups: &str,
    mounts: &str,
    is_wanted: impl Fn(&str, &str) -> bool,
) -> Option<PathBuf> {
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let kind = match controllers {
            "" => "cgroup2",
            _ => "cgroup",
        };
        if !is_wanted(controllers, kind) {
            continue;
        }
        for mount in mounts.lines() {
            let (left, right) = mount.split_once(" - ")?;
            let left: Vec<&str> = left.split(' ').collect();
            let right: Vec<&str> = right.split(' ').collect();
            let (&[_, _, _, root, point, ..], &[mounted, _, options]) =
                (left.as_slice(), right.as_slice())
            else {
                continue;
            };
            let has_all = || {
                let mut names = controllers.split(',');
                let options: Vec<&str> = options.split(',').collect();
                names.all(|name| options.contains(&name))
            };
            if mounted != kind || (kind == "cgroup" && !has_all()) {
                continue;
            }
            // In a container the mount may begin further down than the hierarchy.
            let below = match root {
                "/" => path,
                root => path.strip_prefix(root).unwrap_or(""),
            };
            return Some(Path::new(point).join(below.trim_start_matches('/')));
        }
    }
    None
}

/// The groups of a run: one of version 2; of version 1 one for CPU time and one for memory.
#[derive(Debug)]
pub struct RunGroup {
    way: Way,
    folders: Vec<PathBuf>,
    /// The one that measures memory.
    memory: Option<PathBuf>,
    /// What is written to by who joins.
    doors: Vec<File>,
}

impl RunGroup {
    /// What a process writes "0" to, to be in the group from then on, with what it starts.
    pub fn doors(&self) -> Vec<RawFd> {
        self.doors.iter().map(AsRawFd::as_raw_fd).collect()
    }

    fn number(&self, folder: &Path, file: &str) -> Option<u64> {
        fs::read_to_string(folder.join(file))
            .ok()?
            .trim()
            .parse()
            .ok()
    }

    /// The value after a word in a file of words and values.
    fn entry(&self, folder: &Path, file: &str, word: &str) -> Option<u64> {
        let text = fs::read_to_string(folder.join(file)).ok()?;
        let mut values = text.lines().filter_map(|line| line.strip_prefix(word));
        values.next()?.trim().parse().ok()
    }

    /// CPU time of all that is or was in the group.
    pub fn cpu(&self) -> Option<Duration> {
        let folder = self.folders.first()?;
        match self.way {
            Way::GroupV2 => self
                .entry(folder, "cpu.stat", "usage_usec ")
                .map(Duration::from_micros),
            _ => self
                .number(folder, "cpuacct.usage")
                .map(Duration::from_nanos),
        }
    }

    /// The most memory that the group had, in bytes, with the files' pages that its processes brought in.
    pub fn peak(&self) -> Option<u64> {
        let folder = self.memory.as_ref()?;
        match self.way {
            Way::GroupV2 => self.number(folder, "memory.peak"),
            _ => self.number(folder, "memory.max_usage_in_bytes"),
        }
    }

    /// Whether the system has ended a process because there was no more memory.
    pub fn was_out_of_memory(&self) -> bool {
        let file = match self.way {
            Way::GroupV2 => "memory.events",
            _ => "memory.oom_control",
        };
        let kills = self.memory.as_ref();
        kills
            .and_then(|folder| self.entry(folder, file, "oom_kill "))
            .is_some_and(|number| number > 0)
    }

    /// Kills all processes in the group.
    pub fn kill(&self) {
        let Some(folder) = self.folders.first() else {
            return;
        };
        if self.way != Way::GroupV2 || fs::write(folder.join("cgroup.kill"), "1").is_err() {
            kill_all(&folder.join("cgroup.procs"));
        }
    }

    /// Whether no process is left in the group, not counting those that nobody has waited for.
    pub fn is_empty(&self) -> bool {
        self.folders.iter().all(|folder| {
            fs::read_to_string(folder.join("cgroup.procs")).is_ok_and(|text| text.trim().is_empty())
        })
    }

    /// Takes the groups away.
    pub fn remove(self) {
        drop(self.doors);
        for folder in &self.folders {
            remove(folder);
        }
    }
}

fn kill_all(processes: &Path) {
    let text = fs::read_to_string(processes).unwrap_or_default();
    for process in text.lines().filter_map(|line| line.parse().ok()) {
        let _ = kill(Pid::from_raw(process), Signal::SIGKILL);
    }
}

/// Takes a group away; its last process may be on its way out.
fn remove(folder: &Path) {
    for _ in 0..50 {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == ErrorKind::ResourceBusy => {
                std::thread::sleep(Duration::from_millis(1));
            }
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_where_they_are_mounted() {
        let mounts = "\
30 23 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
31 30 0:27 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw
32 30 0:28 /docker/abc /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory
33 30 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
";
        let groups = "4:memory:/docker/abc/def\n2:cpu,cpuacct:/user\n0::/user.slice/a:b\n";
        let find = |wanted: &str| {
            group_folder(groups, mounts, |names, kind| match wanted {
                "" => kind == "cgroup2",
                wanted => names.split(',').any(|name| name == wanted),
            })
        };
        for (wanted, expected) in [
            ("", "/sys/fs/cgroup/unified/user.slice/a:b"),
            ("memory", "/sys/fs/cgroup/memory/def"),
            ("cpuacct", "/sys/fs/cgroup/cpu,cpuacct/user"),
        ] {
            assert_eq!(find(wanted).as_deref(), Some(Path::new(expected)));
        }
        assert_eq!(find("freezer"), None);
    }
}
