//! The keeper of a run: a process between the runner and the run.
//!
//! It is forked from the runner, starts `regatta verify` in a new session, on its cores and in its control group, and is
//! the subreaper of all its descendants. So the run's resource usage is complete even without a control group, and no process
//! of the run survives it. The keeper dies with the runner, and the run with the keeper.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::prctl::{set_child_subreaper, set_pdeathsig};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{Pid, setsid};

use crate::definition::Limits;
use crate::definition::score::score;
use crate::definition::selection::Selected;
use crate::results::record::{MEMORY, Record, TIMEOUT, UNKNOWN};
use crate::running::accounting::cgroup::RunGroup;
use crate::running::accounting::{Accounting, Meter};
use crate::running::observed::observe;
use crate::running::plan::Planned;

/// A run that is to be made.
#[derive(Debug)]
pub struct Job<'j> {
    pub run: &'j Planned,
    pub task: &'j Selected,
    pub limits: &'j Limits,
    /// The verifier.
    pub program: &'j Path,
    /// The arguments of the verifier.
    pub arguments: Vec<String>,
    /// The working folder of the verifier.
    pub folder: &'j Path,
    /// The log's file, without its extension.
    pub log: PathBuf,
    pub cores: &'j [usize],
    /// The name of its control group.
    pub group: String,
}

/// Time beyond its limits after which a run is killed; the run enforces its limits itself.
const GRACE: Duration = Duration::from_secs(1);

/// Maximum time in seconds after the limit at which an answer still counts.
const ANSWER_TOLERANCE: f64 = 0.5;

/// Interval between two measurements of memory by the process tree.
const MEMORY_INTERVAL: Duration = Duration::from_millis(20);

/// Interval between two measurements of CPU time, if it is limited.
const CPU_INTERVAL: Duration = Duration::from_millis(200);

/// Maximum number of bytes that are read from the end of standard error.
const MAXIMUM_ERROR_BYTES: u64 = 1 << 14;

/// The limit for which a run was killed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Exceeded {
    Wall,
    Cpu,
    Memory,
}

/// Makes the run with the calling process, which has one thread, as its keeper. `begun` is when the runner began the run.
///
/// # Errors
/// A message when the system refuses something.
pub fn keep(job: &Job<'_>, accounting: &Accounting, begun: Instant) -> Result<Record, String> {
    let words = |what: &str| {
        let what = what.to_owned();
        move |error: std::io::Error| format!("{what}: {error}")
    };
    let _ = setsid();
    set_child_subreaper(true).map_err(|error| format!("no subreaper: {error}"))?;
    let watched = SigSet::from_iter([Signal::SIGCHLD, Signal::SIGTERM]);
    let _ = sigprocmask(SigmaskHow::SIG_BLOCK, Some(&watched), None);
    let signals = SignalFd::with_flags(&watched, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
        .map_err(|error| format!("no signals: {error}"))?;
    let memory = job.limits.memory.map(hard_memory);
    let mut meter = accounting
        .begin(&job.group, memory)
        .map_err(words("no control group"))?;
    let output = job.log.with_added_extension("log");
    let errors = job.log.with_added_extension("err.log");
    let started = Instant::now();
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let child = start(job, &meter, &output, &errors).map_err(words("the run does not start"));
    let child = match child {
        Ok(child) => child,
        Err(reason) => {
            meter.end();
            return Err(reason);
        }
    };
    let watched = watch(child, job.limits, memory, &signals, &mut meter, started);
    let all_gone = meter.end_all();
    // The group is removed whatever has happened.
    let (cpu, memory, out_of_memory) = meter.end();
    let (status, exceeded, wall) = watched?;
    if !all_gone {
        return Err("a process of the run does not end".to_owned());
    }
    let text = std::fs::read(&output).map_err(words("the run's output"))?;
    let observed = observe(
        &String::from_utf8_lossy(&text),
        status.code(),
        &end_of(&errors),
    );
    let wall = wall.as_secs_f64();
    let is_late = wall > job.limits.wall + ANSWER_TOLERANCE
        || job
            .limits
            .cpu
            .is_some_and(|limit| cpu.as_secs_f64() > limit + GRACE.as_secs_f64());
    let is_answer = observed.verdict == "true" || observed.verdict.starts_with("false");
    let (verdict, reason) = match exceeded {
        Some(Exceeded::Memory) => (MEMORY.to_owned(), "killed at the limit".to_owned()),
        Some(_) => (TIMEOUT.to_owned(), "killed at the limit".to_owned()),
        None if is_answer && is_late => {
            (TIMEOUT.to_owned(), "an answer after the limit".to_owned())
        }
        None if out_of_memory && !is_answer && observed.verdict != UNKNOWN => {
            (MEMORY.to_owned(), "killed at the limit".to_owned())
        }
        None => (observed.verdict, observed.reason),
    };
    let is_answer = verdict == "true" || verdict.starts_with("false");
    Ok(Record {
        key: job.run.key.clone(),
        category: job.task.category.clone(),
        expected: job.task.expected.clone(),
        score: score(job.task.expected.as_deref(), &verdict),
        verdict,
        reason,
        winner: observed.winner.filter(|_| is_answer),
        wall: rounded(wall),
        cpu: rounded(cpu.as_secs_f64()),
        memory,
        measured: accounting.measured().clone(),
        exit: status
            .code()
            .unwrap_or_else(|| -status.signal().unwrap_or(0)),
        begun: clock.unwrap_or_default().as_secs_f64(),
        cores: job.cores.to_vec(),
        overhead: rounded(begun.elapsed().as_secs_f64() - wall),
        features: observed.features,
        analyses: observed.analyses,
        log: job.run.log.clone(),
    })
}

/// Rounds seconds to microseconds.
fn rounded(seconds: f64) -> f64 {
    (seconds.max(0.0) * 1e6).round() / 1e6
}

/// Returns the memory limit of the control group in bytes, for a run with a limit in MiB. It is larger, because the run
/// enforces its limit itself and needs a moment for it.
pub fn hard_memory(mib: u64) -> u64 {
    /// Minimum margin above the run's limit, in MiB.
    const MINIMUM_MARGIN: u64 = 64;
    mib.saturating_add((mib / 10).max(MINIMUM_MARGIN))
        .saturating_mul(1 << 20)
}

fn start(job: &Job<'_>, meter: &Meter, output: &Path, errors: &Path) -> std::io::Result<Pid> {
    let mut command = Command::new(job.program);
    command
        .args(&job.arguments)
        .current_dir(job.folder)
        .stdin(Stdio::null())
        .stdout(File::create(output)?)
        .stderr(File::create(errors)?);
    let mut cores = CpuSet::new();
    for &core in job.cores {
        cores.set(core)?;
    }
    let keeper = nix::unistd::getpid();
    let join_files = meter.group().map(RunGroup::join_files).unwrap_or_default();
    let enter = move || {
        for &join_file in &join_files {
            // SAFETY: the text is static. The descriptor is open as long as the meter lives, which is in the keeper.
            if unsafe { libc::write(join_file, b"0".as_ptr().cast(), 1) } != 1 {
                return Err(std::io::Error::last_os_error());
            }
        }
        setsid()?;
        sched_setaffinity(Pid::from_raw(0), &cores)?;
        set_pdeathsig(Some(Signal::SIGKILL))?;
        if nix::unistd::getppid() != keeper {
            return Err(Errno::ESRCH.into());
        }
        sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)?;
        Ok(())
    };
    // SAFETY: makes system calls alone, in a copy of a process with one thread.
    unsafe { command.pre_exec(enter) };
    let child = command.spawn()?;
    Ok(Pid::from_raw(child.id().cast_signed()))
}

/// Waits until the run has ended, and kills it at its limits. Returns its status, the limit for which it was killed, and its
/// wall time.
fn watch(
    child: Pid,
    limits: &Limits,
    memory: Option<u64>,
    signals: &SignalFd,
    meter: &mut Meter,
    started: Instant,
) -> Result<(ExitStatus, Option<Exceeded>, Duration), String> {
    let wall = Duration::from_secs_f64(limits.wall) + GRACE;
    let cpu = limits.cpu.map(|cpu| Duration::from_secs_f64(cpu) + GRACE);
    let mut killed = None;
    loop {
        let used = meter.sample_memory();
        let kill = if started.elapsed() >= wall {
            Some(Exceeded::Wall)
        } else if cpu.is_some_and(|limit| meter.cpu() >= limit) {
            Some(Exceeded::Cpu)
        } else if matches!((used, memory), (Some(used), Some(limit)) if used > limit) {
            Some(Exceeded::Memory)
        } else {
            None
        };
        if killed.is_none() && kill.is_some() {
            killed = kill;
            // It is waited for below, so that its resource usage is complete.
            let _ = nix::sys::signal::kill(child, Signal::SIGKILL);
        }
        let interval = match (used, cpu) {
            (Some(_), _) => Some(MEMORY_INTERVAL),
            (None, Some(_)) => Some(CPU_INTERVAL),
            (None, None) => None,
        };
        let left = match killed {
            None => wall.saturating_sub(started.elapsed()),
            Some(_) => CPU_INTERVAL,
        };
        let timeout =
            interval.map_or(left, |interval| interval.min(left)) + Duration::from_millis(1);
        let mut descriptors = [PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        let _ = poll(
            &mut descriptors,
            PollTimeout::try_from(timeout).unwrap_or(PollTimeout::MAX),
        );
        while let Ok(Some(signal)) = signals.read_signal() {
            if signal.ssi_signo == Signal::SIGTERM as u32 {
                let _ = nix::sys::signal::kill(child, Signal::SIGKILL);
                return Err("the experiment is stopped".to_owned());
            }
        }
        if let Some(status) = reap(child) {
            return Ok((status, killed, started.elapsed()));
        }
    }
}

/// Collects all processes that have ended. Returns the status of the run if it is among them.
fn reap(child: Pid) -> Option<ExitStatus> {
    let mut ended = None;
    loop {
        let mut status = 0;
        // SAFETY: the status outlives the call.
        let process = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
        if process <= 0 {
            return ended;
        }
        if process == child.as_raw() {
            ended = Some(ExitStatus::from_raw(status));
        }
    }
}

/// Returns the last bytes of a file as text.
fn end_of(file: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(file)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MAXIMUM_ERROR_BYTES)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}
