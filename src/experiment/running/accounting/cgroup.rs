//! Control groups, version 1 and 2.
//!
//! Each run has a group below that of this process. In version 2, a controller can be used below a group only if no
//! process is in that group itself, so the runner moves to a group beside those of its runs, if permitted.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::AccountingMethod;

/// The prefix of the names of groups, before the runner's process number and the run's name.
const PREFIX: &str = "regatta-experiment";

/// The hierarchies in which groups are made.
#[derive(Debug)]
pub struct Hierarchies {
    method: AccountingMethod,
    /// The folder of the groups that measure CPU time; in version 2 it is that of memory, too.
    cpu: PathBuf,
    /// The folder of the groups that measure memory, if memory can be measured.
    memory: Option<PathBuf>,
    /// The group that the runner has moved to, and the group from which it has moved.
    moved: Option<(PathBuf, PathBuf)>,
    runner: Pid,
}

impl Hierarchies {
    /// Returns the hierarchy of version 2, if a group can be made and joined in it.
    ///
    /// # Errors
    /// The reason why it cannot be used.
    pub fn version_2() -> Result<Self, String> {
        let home = own_group(|controllers, kind| kind == "cgroup2" && controllers.is_empty())?;
        let mut hierarchies = Self {
            method: AccountingMethod::GroupV2,
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
                // No process may be in the group itself, but it may have processes other than the runner.
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

    /// Returns the hierarchies of version 1, if groups for CPU time and memory can be made and joined.
    ///
    /// # Errors
    /// The reason why they cannot be used.
    pub fn version_1() -> Result<Self, String> {
        let of = |wanted: &str| {
            own_group(|controllers, kind| {
                kind == "cgroup" && controllers.split(',').any(|name| name == wanted)
            })
        };
        Self {
            method: AccountingMethod::GroupV1,
            cpu: of("cpuacct")?,
            memory: Some(of("memory")?),
            moved: None,
            runner: nix::unistd::getpid(),
        }
        .tried()
    }

    /// Returns the method of accounting.
    pub fn method(&self) -> AccountingMethod {
        self.method
    }

    /// Checks whether memory is measured as well.
    pub fn has_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// Returns the hierarchies if a trial group can be made in them.
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
        if self.method == AccountingMethod::GroupV2 && group.peak().is_none() {
            // A kernel before 5.19 does not record the peak.
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

    /// Moves the runner back to its original group.
    pub fn leave(&self) {
        // Forked children have a copy of this, but only the runner has moved.
        if self.runner == nix::unistd::getpid()
            && let Some((own, home)) = &self.moved
        {
            let _ = fs::write(home.join("cgroup.subtree_control"), "-memory");
            let _ = fs::write(home.join("cgroup.procs"), "0");
            let _ = fs::remove_dir(own);
        }
    }

    /// Returns the folders without duplicates.
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
            method: self.method,
            folders: Vec::new(),
            memory: self.memory.as_ref().map(|folder| folder.join(&name)),
            join_files: Vec::new(),
        };
        for folder in self.folders() {
            let folder = folder.join(&name);
            let made = fs::create_dir(&folder).and_then(|()| {
                group.folders.push(folder.clone());
                let join_file = File::options()
                    .write(true)
                    .open(folder.join("cgroup.procs"))?;
                group.join_files.push(join_file);
                Ok(())
            });
            if let Err(error) = made {
                group.remove();
                return Err(error);
            }
        }
        if let (Some(folder), Some(limit)) = (&group.memory, memory_limit) {
            let files: &[&str] = match self.method {
                AccountingMethod::GroupV2 => &["memory.max", "memory.swap.max"],
                _ => &["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"],
            };
            let values = match self.method {
                AccountingMethod::GroupV2 => [limit, 0],
                _ => [limit, limit],
            };
            for (file, value) in files.iter().zip(values) {
                // Errors are ignored: the keeper enforces the limit as well, and without swap the second file is missing.
                let _ = fs::write(folder.join(file), value.to_string());
            }
        }
        Ok(group)
    }

    /// Removes groups whose runner has ended, with the processes in them.
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

/// Returns the folder of this process's group in the first mounted hierarchy whose controllers (names separated by commas;
/// empty for version 2) and file system satisfy the predicate.
fn own_group(is_wanted: impl Fn(&str, &str) -> bool) -> Result<PathBuf, String> {
    let groups = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").map_err(|error| error.to_string())?;
    group_folder(&groups, &mounts, is_wanted)
        .ok_or_else(|| "no such hierarchy is mounted".to_owned())
}

/// Does the same, given the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`.
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
            // In a container the mount may show a part of the hierarchy only.
            let below = match root {
                "/" => path,
                root => path.strip_prefix(root).unwrap_or(""),
            };
            return Some(Path::new(point).join(below.trim_start_matches('/')));
        }
    }
    None
}

/// The groups of a run: one in version 2; one for CPU time and one for memory in version 1.
#[derive(Debug)]
pub struct RunGroup {
    method: AccountingMethod,
    folders: Vec<PathBuf>,
    /// The group that measures memory.
    memory: Option<PathBuf>,
    /// The files by which a process joins the groups.
    join_files: Vec<File>,
}

impl RunGroup {
    /// Returns the files to which a process writes "0" to join the groups, with its descendants.
    pub fn join_files(&self) -> Vec<RawFd> {
        self.join_files.iter().map(AsRawFd::as_raw_fd).collect()
    }

    fn number(&self, folder: &Path, file: &str) -> Option<u64> {
        fs::read_to_string(folder.join(file))
            .ok()?
            .trim()
            .parse()
            .ok()
    }

    /// Returns the value after a word in a file of words and values.
    fn entry(&self, folder: &Path, file: &str, word: &str) -> Option<u64> {
        let text = fs::read_to_string(folder.join(file)).ok()?;
        let mut values = text.lines().filter_map(|line| line.strip_prefix(word));
        values.next()?.trim().parse().ok()
    }

    /// Returns the CPU time of all processes that are or were in the group.
    pub fn cpu(&self) -> Option<Duration> {
        let folder = self.folders.first()?;
        match self.method {
            AccountingMethod::GroupV2 => self
                .entry(folder, "cpu.stat", "usage_usec ")
                .map(Duration::from_micros),
            _ => self
                .number(folder, "cpuacct.usage")
                .map(Duration::from_nanos),
        }
    }

    /// Returns the maximum memory of the group in bytes, including the page cache of its processes.
    pub fn peak(&self) -> Option<u64> {
        let folder = self.memory.as_ref()?;
        match self.method {
            AccountingMethod::GroupV2 => self.number(folder, "memory.peak"),
            _ => self.number(folder, "memory.max_usage_in_bytes"),
        }
    }

    /// Checks whether the system has killed a process because of the memory limit.
    pub fn was_out_of_memory(&self) -> bool {
        let file = match self.method {
            AccountingMethod::GroupV2 => "memory.events",
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
        if self.method != AccountingMethod::GroupV2
            || fs::write(folder.join("cgroup.kill"), "1").is_err()
        {
            kill_all(&folder.join("cgroup.procs"));
        }
    }

    /// Checks whether no process is left in the group, except zombies.
    pub fn is_empty(&self) -> bool {
        self.folders.iter().all(|folder| {
            fs::read_to_string(folder.join("cgroup.procs")).is_ok_and(|text| text.trim().is_empty())
        })
    }

    /// Removes the groups.
    pub fn remove(self) {
        drop(self.join_files);
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

/// Removes a group, and waits for a moment for its last process to end.
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
