//! The supervisor: a small parent process that owns standard output, the signals and the limits.
//!
//! The race runs in a child made by `fork`, without `exec`: the parent has one thread and has loaded everything already,
//! so that a second process costs a fraction of a millisecond. The parent does nothing but wait: for messages from the
//! child's pipe, for signals, for the limits. Hence the promises that the rest of the project relies on:
//!
//! * Exactly one answer, whatever happens to the child.
//! * From an answer to the end takes no time: the child is killed, not waited for. Solvers ignore interrupts for
//!   seconds.
//! * A crash of the child starts the race again without the analysis that did it (see [`super::crash`]).

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, killpg, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, pipe, setpgid};

use super::crash;
use super::event::{Event, Message, Reporter, What};
use super::verdict::Conclusion;

/// What the run may use, and tells of it. `None` is without a limit.
#[derive(Copy, Clone, Debug, Default)]
pub struct Limits {
    /// Wall time since the command's start.
    pub wall: Option<Duration>,
    /// CPU time of all threads and processes of the run together.
    pub cpu: Option<Duration>,
    /// Resident memory of the race's process, in MiB.
    pub memory: Option<u64>,
    /// How often to tell what the run uses, as an event.
    pub tell_resources: Option<Duration>,
}

/// One start of the race.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    /// Analyses that crashed an earlier attempt, by their names in the portfolio: they take no part.
    pub excluded: Vec<String>,
}

/// How the race's process ends by itself.
pub enum RaceEnd {
    /// With an answer.
    Concluded(Conclusion),
    /// The input cannot be read; the text is for the user.
    Rejected(String),
}

/// How the run ended.
pub enum Outcome {
    /// With an answer (which may be "unknown").
    Concluded(Conclusion),
    /// The input cannot be read; the text is for the user.
    Rejected(String),
}

/// How often the limits are looked at. A limit is overstepped by at most this much.
const LIMIT_POLL: Duration = Duration::from_millis(20);

/// How long a killed child is waited for.
const REAP_PATIENCE: Duration = Duration::from_millis(20);

/// Crashes after which the run is given up even if each has named another analysis.
const MAX_RESTARTS: usize = 8;

/// Runs `race` in a process of its own, within the limits, and returns its answer. `observe` gets every event. Must be
/// called while the process has one thread.
///
/// # Errors
/// When the system refuses a pipe, a process or a signal descriptor.
pub fn supervise(
    started: Instant,
    limits: Limits,
    observe: &mut dyn FnMut(&Event),
    race: &dyn Fn(&Attempt, &Reporter) -> RaceEnd,
) -> Result<Outcome, Errno> {
    let watched = SigSet::from_iter([
        Signal::SIGINT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGCHLD,
    ]);
    let mut inherited = SigSet::empty();
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&watched), Some(&mut inherited))?;
    let signals = SignalFd::with_flags(&watched, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
    let mut attempt = Attempt::default();
    // CPU time that earlier attempts have used.
    let mut spent = Duration::ZERO;
    loop {
        let mut child = Child::start(started, &attempt, &inherited, race)?;
        let end = child.watch(started, limits, spent, &signals, observe);
        spent += child.cpu_time().unwrap_or_default();
        child.kill();
        match end {
            Watched::Concluded(conclusion) => return Ok(Outcome::Concluded(conclusion)),
            Watched::Rejected(text) => return Ok(Outcome::Rejected(text)),
            Watched::Stopped(reason) => return Ok(Outcome::Concluded(Conclusion::unknown(reason))),
            Watched::Died { analysis, reason } => {
                let what = What::Crashed {
                    analysis: analysis.clone(),
                    reason: reason.clone(),
                };
                observe(&Event {
                    time: started.elapsed().as_secs_f64(),
                    what,
                });
                match analysis {
                    Some(name)
                        if !attempt.excluded.contains(&name)
                            && attempt.excluded.len() < MAX_RESTARTS =>
                    {
                        attempt.excluded.push(name);
                    }
                    _ => return Ok(Outcome::Concluded(Conclusion::unknown(reason))),
                }
            }
        }
    }
}

/// What came of watching a child.
enum Watched {
    Concluded(Conclusion),
    Rejected(String),
    /// By a limit or a signal; the reason.
    Stopped(String),
    Died {
        analysis: Option<String>,
        reason: String,
    },
}

/// The race's process, seen from the supervisor.
struct Child {
    pid: Pid,
    pipe: File,
    /// Received, but not a whole line yet.
    buffer: Vec<u8>,
    /// Names of the analyses by their numbers.
    analyses: Vec<(u32, String)>,
    /// The number that the crash handler sent.
    crashed: Option<u32>,
    reaped: bool,
}

impl Child {
    fn start(
        started: Instant,
        attempt: &Attempt,
        inherited: &SigSet,
        race: &dyn Fn(&Attempt, &Reporter) -> RaceEnd,
    ) -> Result<Self, Errno> {
        let (reader, writer) = pipe()?;
        let parent = nix::unistd::getpid();
        // SAFETY: the process has a single thread (the caller's promise), so that the child may do anything.
        match unsafe { fork()? } {
            ForkResult::Child => {
                drop(reader);
                run_child(started, attempt, inherited, parent, writer, race)
            }
            ForkResult::Parent { child } => {
                // Both processes set it, so that it holds whichever runs first.
                let _ = setpgid(child, child);
                let flags = OFlag::from_bits_truncate(fcntl(&reader, FcntlArg::F_GETFL)?);
                fcntl(&reader, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
                Ok(Self {
                    pid: child,
                    pipe: File::from(reader),
                    buffer: Vec::new(),
                    analyses: Vec::new(),
                    crashed: None,
                    reaped: false,
                })
            }
        }
    }

    fn watch(
        &mut self,
        started: Instant,
        limits: Limits,
        spent: Duration,
        signals: &SignalFd,
        observe: &mut dyn FnMut(&Event),
    ) -> Watched {
        let mut told = Instant::now();
        loop {
            if limits
                .tell_resources
                .is_some_and(|interval| told.elapsed() >= interval)
            {
                told = Instant::now();
                self.tell_resources(started, spent, observe);
            }
            let wall_left = limits
                .wall
                .map(|wall| wall.saturating_sub(started.elapsed()));
            if wall_left == Some(Duration::ZERO) {
                return Watched::Stopped("time limit".into());
            }
            if limits
                .cpu
                .is_some_and(|cpu| self.cpu_time().is_some_and(|used| used + spent >= cpu))
            {
                return Watched::Stopped("CPU time limit".into());
            }
            if limits
                .memory
                .is_some_and(|memory| self.resident_mib().is_some_and(|used| used >= memory))
            {
                return Watched::Stopped("memory limit".into());
            }
            let polled = limits.cpu.is_some() || limits.memory.is_some();
            let timeout = match wall_left {
                Some(left) if polled => Some(left.min(LIMIT_POLL)),
                None if polled => Some(LIMIT_POLL),
                other => other,
            };
            let timeout = match (timeout, limits.tell_resources) {
                (Some(timeout), Some(interval)) => Some(timeout.min(interval)),
                (timeout, interval) => timeout.or(interval),
            };
            // Rounded up, lest the last millisecond be spent in a busy loop.
            let timeout = timeout.map_or(PollTimeout::NONE, |left| {
                PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
            });
            let mut descriptors = [
                PollFd::new(self.pipe.as_fd(), PollFlags::POLLIN),
                PollFd::new(signals.as_fd(), PollFlags::POLLIN),
            ];
            let _ = poll(&mut descriptors, timeout);

            // An answer that is in the pipe counts, whatever else has happened by now.
            if let Some(end) = self.receive(observe) {
                return end;
            }
            let mut child_changed = false;
            while let Ok(Some(info)) = signals.read_signal() {
                match Signal::try_from(info.ssi_signo as i32) {
                    Ok(Signal::SIGCHLD) => child_changed = true,
                    Ok(signal) => return Watched::Stopped(format!("interrupted by {signal}")),
                    Err(_) => {}
                }
            }
            if child_changed && let Some(end) = self.reap(observe) {
                return end;
            }
        }
    }

    fn tell_resources(&self, started: Instant, spent: Duration, observe: &mut dyn FnMut(&Event)) {
        let used = self.cpu_time().unwrap_or_default() + spent;
        observe(&Event {
            time: started.elapsed().as_secs_f64(),
            what: What::Resources {
                memory: self.resident_mib().unwrap_or_default(),
                cpu: used.as_secs_f64(),
            },
        });
    }

    /// Reads what the pipe holds and handles the whole lines in it.
    fn receive(&mut self, observe: &mut dyn FnMut(&Event)) -> Option<Watched> {
        let mut chunk = [0; 1 << 16];
        loop {
            match self.pipe.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => self.buffer.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let mut end = None;
        let mut begin = 0;
        while let Some(length) = self.buffer[begin..].iter().position(|&byte| byte == b'\n') {
            let line = &self.buffer[begin..begin + length];
            begin += length + 1;
            if let Some((&crash::CRASH_MARK, digits)) = line.split_first() {
                self.crashed = std::str::from_utf8(digits)
                    .ok()
                    .and_then(|digits| digits.parse().ok());
                continue;
            }
            // A line that a crash has cut short is dropped.
            match serde_json::from_slice(line) {
                Ok(Message::Event(event)) => {
                    if let What::Started { analysis, id } = &event.what {
                        self.analyses.push((*id, analysis.clone()));
                    }
                    observe(&event);
                }
                Ok(Message::Conclusion(conclusion)) => {
                    end = end.or(Some(Watched::Concluded(conclusion)))
                }
                Ok(Message::Rejected(text)) => end = end.or(Some(Watched::Rejected(text))),
                Err(_) => {}
            }
        }
        self.buffer.drain(..begin);
        end
    }

    /// Collects the child if it is dead, and says how it died.
    fn reap(&mut self, observe: &mut dyn FnMut(&Event)) -> Option<Watched> {
        let status = waitpid(self.pid, Some(WaitPidFlag::WNOHANG)).ok()?;
        let reason = match status {
            WaitStatus::Exited(_, code) => {
                format!("the analysis process ended without an answer, exit code {code}")
            }
            WaitStatus::Signaled(_, signal, _) => format!("the analysis process crashed, {signal}"),
            _ => return None,
        };
        self.reaped = true;
        if let Some(end) = self.receive(observe) {
            return Some(end);
        }
        let analysis = self
            .crashed
            .and_then(|crashed| self.analyses.iter().find(|(id, _)| *id == crashed))
            .map(|(_, name)| name.clone());
        Some(Watched::Died { analysis, reason })
    }

    /// User and system time of the child and of the children it has waited for.
    fn cpu_time(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.pid)).ok()?;
        // The second field is a name in parentheses that may hold anything; fields are counted after it.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: u64 = fields
            .get(11..15)?
            .iter()
            .filter_map(|field| field.parse::<u64>().ok())
            .sum();
        let per_second = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok()??;
        Some(Duration::from_secs_f64(
            ticks as f64 / per_second.max(1) as f64,
        ))
    }

    /// Resident memory of the child in MiB.
    fn resident_mib(&self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/statm", self.pid)).ok()?;
        let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
        let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok()??;
        Some((pages * page as u64) >> 20)
    }

    /// Ends the child with all that it has started. Waits for it only as long as nobody notices: giving gigabytes back
    /// takes the system seconds, but a child that was waited for counts in this process's resource usage, which is what
    /// `time` and benchmarking tools report.
    fn kill(&mut self) {
        let _ = killpg(self.pid, Signal::SIGKILL);
        if self.reaped {
            return;
        }
        let _ = nix::sys::signal::kill(self.pid, Signal::SIGKILL);
        let patience = Instant::now() + REAP_PATIENCE;
        while matches!(
            waitpid(self.pid, Some(WaitPidFlag::WNOHANG)),
            Ok(WaitStatus::StillAlive)
        ) && Instant::now() < patience
        {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

/// The child's life. Never returns.
fn run_child(
    started: Instant,
    attempt: &Attempt,
    inherited: &SigSet,
    parent: Pid,
    pipe: OwnedFd,
    race: &dyn Fn(&Attempt, &Reporter) -> RaceEnd,
) -> ! {
    // A group of its own: Ctrl-C reaches the supervisor alone, and one kill ends the child with its children.
    let _ = setpgid(Pid::from_raw(0), Pid::from_raw(0));
    let _ = nix::sys::prctl::set_pdeathsig(Some(Signal::SIGKILL));
    if nix::unistd::getppid() != parent {
        // The supervisor died before the line above.
        exit_now(1);
    }
    let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(inherited), None);
    // Standard output is the supervisor's. A solver that prints does so to standard error.
    let _ = nix::unistd::dup2_stdout(std::io::stderr());
    crash::install(pipe.as_raw_fd());
    let reporter = Reporter::new(started, Box::new(File::from(pipe)));
    let end = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| race(attempt, &reporter)));
    match end {
        Ok(RaceEnd::Concluded(conclusion)) => reporter.send(&Message::Conclusion(conclusion)),
        Ok(RaceEnd::Rejected(text)) => reporter.send(&Message::Rejected(text)),
        Err(_) => reporter.send(&Message::Conclusion(Conclusion::unknown("internal error"))),
    }
    exit_now(0)
}

/// Ends the process without running destructors: other threads may be deep in a solver.
fn exit_now(code: i32) -> ! {
    // SAFETY: _exit has no preconditions.
    unsafe { libc::_exit(code) }
}
