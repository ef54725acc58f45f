//! The supervisor: a small parent process that owns standard output, the signals and the limits.
//!
//! The race runs in a child made by `fork`, without `exec`: the parent has one thread and has loaded everything already,
//! so that a second process costs a fraction of a millisecond. The parent only waits: for messages from the
//! child's pipe, for signals and for the limits. The rest of the project relies on these guarantees:
//!
//! * There is exactly one answer, whatever happens to the child.
//! * The command ends as soon as the answer is known. The child is killed, because solvers ignore interrupts for seconds. The
//!   supervisor waits for it only after printing the answer, and only for a moment ([`Remains`]): a child that was waited
//!   for counts in this process's resource usage, which `time` and benchmarking tools report. Freeing gigabytes of memory
//!   takes the system long, so another process does it ([`hold_memory`]).
//! * The limits hold for the child and all processes that it has started, even if a preprocessor hangs.
//! * A crash of the child starts the race again without the analysis that caused it ([`super::crash`]).

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{
    SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, killpg, sigaction, sigprocmask,
};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getpgid, pipe, setpgid};

use super::crash;
use super::exit::{die_with, exit_now};
use crate::options::{Limits, Question};
use crate::record::event::{Event, EventKind, Message, Reporter};
use crate::record::verdict::Conclusion;
use regatta_base::counters::{Counted, Counters};
use regatta_base::process::{cpu_time, memory};
use regatta_base::time_slice::{self, AffectedThreads};

/// An attempt to run the race.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    /// What it is to decide.
    pub question: Question,
    /// The limit of wall time since the command's start.
    pub wall: Option<Duration>,
    /// The limit while an answer is being checked, if that is later.
    pub checked: Option<Duration>,
    /// The names of the analyses that crashed an earlier attempt and take no part.
    pub excluded: Vec<String>,
}

/// The result of the race's process.
pub enum RaceEnd {
    /// With an answer.
    Concluded(Conclusion),
    /// The input cannot be read; the text is for the user.
    Rejected(String),
}

/// The race's processes after the answer. They have been killed but may not have ended yet.
#[must_use = "resource usage is complete only when it has been collected"]
pub struct Remains {
    child: Child,
    patience: Duration,
}

impl Remains {
    /// Waits for the processes, for a moment only, so that their resource usage counts in this process's. To be called after
    /// the answer is printed.
    pub fn collect(mut self) {
        self.child.collect(self.patience);
    }
}

/// The outcome of a run.
pub enum Outcome {
    /// With an answer (which may be "unknown").
    Concluded(Conclusion),
    /// The input cannot be read; the text is for the user.
    Rejected(String),
}

/// Maximum and minimum interval between two checks of the limits. A limit is exceeded by at most the former.
const LIMIT_POLL: Duration = Duration::from_millis(20);
const MINIMUM_POLL: Duration = Duration::from_millis(2);

/// Maximum time to wait for a killed child after an answer, and after a limit.
const REAP_PATIENCE: Duration = Duration::from_millis(35);
const LIMIT_PATIENCE: Duration = Duration::from_millis(120);

/// Maximum number of processes of the race whose resources are counted.
const MAXIMUM_PROCESSES: usize = 64;

/// Maximum number of restarts after crashes, each of another analysis.
const MAX_RESTARTS: usize = 8;

/// Runs `race` in another process within the limits, and returns its answer with the processes to be collected after the
/// answer is printed. `observe` gets every event. Must be called while the process has one thread.
///
/// # Errors
/// When the system refuses a pipe, a process or a signal descriptor.
pub fn supervise(
    started: Instant,
    limits: Limits,
    observe: &mut dyn FnMut(&Event),
    race: &dyn Fn(&Attempt, &Reporter) -> RaceEnd,
) -> Result<(Outcome, Remains), Errno> {
    Supervisor::new(started)?.run(limits, &Question::Property, observe, race)
}

/// Runs races in processes, one after the other.
pub struct Supervisor {
    started: Instant,
    signals: SignalFd,
    /// The blocked signals before, which each child gets back.
    inherited: SigSet,
    /// The CPU time of earlier races and attempts.
    spent: Duration,
    stop: Option<Stop>,
}

/// What stopped a race without an answer of its own.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    Limit,
    Interrupt,
}

impl Supervisor {
    /// Makes the supervisor of a command that was started then. Must be called while the process has one thread.
    ///
    /// # Errors
    /// When the system refuses a signal descriptor.
    pub fn new(started: Instant) -> Result<Self, Errno> {
        time_slice::shorten(AffectedThreads::Caller);
        // Processes that the race has started become children of this one when the race's process ends.
        let _ = nix::sys::prctl::set_child_subreaper(true);
        let watched = SigSet::from_iter(INTERRUPTS.into_iter().chain([Signal::SIGCHLD]));
        let mut inherited = SigSet::empty();
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&watched), Some(&mut inherited))?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        Ok(Self {
            started,
            signals: SignalFd::with_flags(&watched, flags)?,
            inherited,
            spent: Duration::ZERO,
            stop: None,
        })
    }

    /// Returns when the command was started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Returns the CPU time of the races so far.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Returns what has stopped the last race, if it did not end by itself.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// Runs `race` like [`supervise`], to decide the question. The wall limit counts from the command's start.
    ///
    /// # Errors
    /// When the system refuses a pipe or a process.
    pub fn run(
        &mut self,
        limits: Limits,
        question: &Question,
        observe: &mut dyn FnMut(&Event),
        race: &dyn Fn(&Attempt, &Reporter) -> RaceEnd,
    ) -> Result<(Outcome, Remains), Errno> {
        self.stop = None;
        let mut attempt = Attempt {
            question: question.clone(),
            wall: limits.wall,
            checked: limits.checked,
            ..Attempt::default()
        };
        loop {
            let mut child = Child::start(self.started, &attempt, &self.inherited, race)?;
            let end = child.watch(self.started, limits, self.spent, &self.signals, observe);
            self.spent += child.cpu_time().unwrap_or_default();
            child.kill();
            child.tell_counters(self.started, observe);
            let patience = match end {
                Watched::Stopped { .. } => LIMIT_PATIENCE,
                _ => REAP_PATIENCE,
            };
            let remains = |child| Remains { child, patience };
            match end {
                Watched::Concluded(conclusion) => {
                    return Ok((Outcome::Concluded(conclusion), remains(child)));
                }
                Watched::Rejected(text) => return Ok((Outcome::Rejected(text), remains(child))),
                Watched::Stopped { reason, stop } => {
                    self.stop = Some(stop);
                    let conclusion = Conclusion::unknown(reason);
                    return Ok((Outcome::Concluded(conclusion), remains(child)));
                }
                Watched::Died { analysis, reason } => {
                    child.collect(patience);
                    let kind = EventKind::Crashed {
                        analysis: analysis.clone(),
                        reason: reason.clone(),
                    };
                    observe(&Event {
                        time: self.started.elapsed().as_secs_f64(),
                        kind,
                    });
                    match analysis {
                        Some(name)
                            if !attempt.excluded.contains(&name)
                                && attempt.excluded.len() < MAX_RESTARTS =>
                        {
                            attempt.excluded.push(name);
                        }
                        _ => {
                            let conclusion = Conclusion::unknown(reason);
                            return Ok((Outcome::Concluded(conclusion), remains(child)));
                        }
                    }
                }
            }
        }
    }
}

/// The signals by which a user ends a run.
const INTERRUPTS: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// Enforces the time limits while the command reads its input files, before [`supervise`]: a pipe may block for
/// ever. Dropping it ends that. Interrupts end the process with a result from here until [`supervise`] handles them.
pub struct EarlyLimits(());

impl EarlyLimits {
    /// Installs handlers that end the process with the result "unknown" when a limit is reached or at an interrupt.
    pub fn new(limits: &Limits) -> Self {
        for signal in INTERRUPTS {
            handle(signal, SigHandler::Handler(on_early_interrupt));
        }
        for (timer, signal, limit) in [
            (libc::ITIMER_REAL, Signal::SIGALRM, limits.wall),
            (libc::ITIMER_PROF, Signal::SIGPROF, limits.cpu),
        ] {
            if let Some(limit) = limit {
                handle(signal, SigHandler::Handler(on_early_limit));
                set_timer(timer, limit.max(Duration::from_micros(1)));
            }
        }
        Self(())
    }
}

impl Drop for EarlyLimits {
    fn drop(&mut self) {
        set_timer(libc::ITIMER_REAL, Duration::ZERO);
        set_timer(libc::ITIMER_PROF, Duration::ZERO);
    }
}

/// Sets a timer of the process; zero stops it.
fn set_timer(timer: libc::c_int, after: Duration) {
    let zero = libc::timeval {
        tv_sec: 0,
        tv_usec: 0,
    };
    let value = libc::itimerval {
        it_interval: zero,
        it_value: libc::timeval {
            tv_sec: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
            tv_usec: i64::from(after.subsec_micros()),
        },
    };
    // SAFETY: the value outlives the call.
    unsafe { libc::setitimer(timer, &value, std::ptr::null_mut()) };
}

extern "C" fn on_early_limit(signal: libc::c_int) {
    let line: &[u8] = match signal {
        libc::SIGALRM => b"RESULT: UNKNOWN(time limit)\n",
        _ => b"RESULT: UNKNOWN(CPU time limit)\n",
    };
    end_with(line)
}

extern "C" fn on_early_interrupt(signal: libc::c_int) {
    end_with(match signal {
        libc::SIGINT => b"RESULT: UNKNOWN(interrupted by SIGINT)\n",
        libc::SIGTERM => b"RESULT: UNKNOWN(interrupted by SIGTERM)\n",
        _ => b"RESULT: UNKNOWN(interrupted by SIGHUP)\n",
    })
}

/// Prints the line of an unknown result and ends the process. Async-signal-safe.
fn end_with(line: &[u8]) -> ! {
    // SAFETY: write and _exit are async-signal-safe, and the text lives. The code is that of an unknown result.
    unsafe {
        libc::write(libc::STDOUT_FILENO, line.as_ptr().cast(), line.len());
        libc::_exit(2);
    }
}

/// Sets the handler of the signal, which must call async-signal-safe functions only.
fn handle(signal: Signal, handler: SigHandler) {
    let action = SigAction::new(handler, SaFlags::empty(), SigSet::empty());
    // SAFETY: see the promise above.
    let _ = unsafe { sigaction(signal, &action) };
}

/// The outcome of watching a child.
enum Watched {
    Concluded(Conclusion),
    Rejected(String),
    /// A limit or a signal stopped it.
    Stopped {
        reason: String,
        stop: Stop,
    },
    Died {
        analysis: Option<String>,
        reason: String,
    },
}

impl Watched {
    /// The end at a limit.
    fn limit(reason: &str) -> Self {
        Self::Stopped {
            reason: reason.to_owned(),
            stop: Stop::Limit,
        }
    }
}

/// The race's process, seen from the supervisor.
struct Child {
    pid: Pid,
    pipe: File,
    /// The received beginning of an incomplete line.
    buffer: Vec<u8>,
    /// Names of the analyses by their numbers.
    analyses: Vec<(u32, String)>,
    /// The number of the analysis that the crash handler sent.
    crashed: Option<u32>,
    /// The processes that the child had started when it was killed.
    started: Vec<Pid>,
    /// The counters of its analyses, in shared memory, if the system provides it.
    counters: Option<Counters>,
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
        let counters = Counters::shared();
        let parent = nix::unistd::getpid();
        // SAFETY: the process has a single thread (the caller's promise), so that the child may do anything.
        match unsafe { fork()? } {
            ForkResult::Child => {
                drop(reader);
                if let Some(counters) = &counters {
                    counters.install();
                }
                run_child(started, attempt, inherited, parent, writer, race)
            }
            ForkResult::Parent { child } => {
                // Both processes set the group, so that it is set whichever runs first.
                let _ = setpgid(child, child);
                let flags = OFlag::from_bits_truncate(fcntl(&reader, FcntlArg::F_GETFL)?);
                fcntl(&reader, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
                Ok(Self {
                    pid: child,
                    pipe: File::from(reader),
                    buffer: Vec::new(),
                    analyses: Vec::new(),
                    crashed: None,
                    started: Vec::new(),
                    counters,
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
        let began = Instant::now();
        let wall = Cell::new(limits.wall);
        let (prolonged, checked) = (Cell::new(limits.prolonged), Cell::new(limits.checked));
        // The analyses whose answers are to be waited for, and those that have ended: their answers are being checked.
        let awaited: RefCell<BTreeSet<String>> = RefCell::default();
        let ended: RefCell<BTreeSet<String>> = RefCell::default();
        let observe = &mut |event: &Event| {
            match &event.kind {
                EventKind::Program { checks: 2.., .. } => {
                    // The race takes at least as long as it took to read the program.
                    let (now, read) = (started.elapsed(), began.elapsed());
                    let within = |end: Duration| limits.wall.map_or(end, |wall| wall.min(end));
                    if let Some(end) = limits.together {
                        wall.set(Some(within(end.max(now + read))));
                        let later = |end: Duration| within(end.max(now + 2 * read));
                        prolonged.set(limits.prolonged.map(later));
                        checked.set(limits.checked.map(later));
                    }
                }
                EventKind::Expectation {
                    analysis,
                    ends_soon: true,
                } => {
                    awaited.borrow_mut().insert(analysis.clone());
                }
                EventKind::Expectation { analysis, .. } | EventKind::Panicked { analysis, .. } => {
                    awaited.borrow_mut().remove(analysis);
                }
                EventKind::Finished { analysis, .. } => {
                    awaited.borrow_mut().remove(analysis);
                    ended.borrow_mut().insert(analysis.clone());
                }
                _ => {}
            }
            observe(event);
        };
        let cores = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
        loop {
            if limits
                .tell_resources
                .is_some_and(|interval| told.elapsed() >= interval)
            {
                told = Instant::now();
                self.tell_resources(started, spent, observe);
            }
            let is_checked = !awaited.borrow().is_disjoint(&ended.borrow());
            let prolonged = prolonged.get().filter(|_| !awaited.borrow().is_empty());
            let checked = checked.get().filter(|_| is_checked);
            let wall_left = wall.get().map(|wall| {
                let later = prolonged.max(checked);
                let end = later.map_or(wall, |later| later.max(wall));
                end.saturating_sub(started.elapsed())
            });
            if wall_left == Some(Duration::ZERO) {
                return Watched::limit("time limit");
            }
            let cpu_left = limits.cpu.map(|cpu| {
                let used = self.cpu_time().unwrap_or_default() + spent;
                cpu.saturating_sub(used)
            });
            if cpu_left == Some(Duration::ZERO) {
                return Watched::limit("CPU time limit");
            }
            if limits
                .memory
                .is_some_and(|memory| self.resident_mib().is_some_and(|used| used >= memory))
            {
                return Watched::limit("memory limit");
            }
            let poll_interval = match cpu_left {
                // All cores together may use up the rest in this time.
                Some(left) => Some((left / cores).clamp(MINIMUM_POLL, LIMIT_POLL)),
                None => limits.memory.map(|_| LIMIT_POLL),
            };
            let timeout = match (wall_left, poll_interval) {
                (Some(left), Some(interval)) => Some(left.min(interval)),
                (left, interval) => left.or(interval),
            };
            let timeout = match (timeout, limits.tell_resources) {
                (Some(timeout), Some(interval)) => Some(timeout.min(interval)),
                (timeout, interval) => timeout.or(interval),
            };
            // The timeout is rounded up so that the last millisecond is not spent in a busy loop.
            let timeout = timeout.map_or(PollTimeout::NONE, |left| {
                PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
            });
            let mut descriptors = [
                PollFd::new(self.pipe.as_fd(), PollFlags::POLLIN),
                PollFd::new(signals.as_fd(), PollFlags::POLLIN),
            ];
            let _ = poll(&mut descriptors, timeout);

            // An answer in the pipe counts, whatever signals have arrived by now.
            if let Some(end) = self.receive(observe) {
                return end;
            }
            let mut child_changed = false;
            while let Ok(Some(info)) = signals.read_signal() {
                match Signal::try_from(info.ssi_signo as i32) {
                    Ok(Signal::SIGCHLD) => child_changed = true,
                    Ok(signal) => {
                        return Watched::Stopped {
                            reason: format!("interrupted by {signal}"),
                            stop: Stop::Interrupt,
                        };
                    }
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
            kind: EventKind::Resources {
                memory: self.resident_mib().unwrap_or_default(),
                cpu: used.as_secs_f64(),
            },
        });
    }

    /// Sends the counters of each analysis to the observer. The child may have ended.
    fn tell_counters(&self, started: Instant, observe: &mut dyn FnMut(&Event)) {
        let Some(counters) = &self.counters else {
            return;
        };
        let name = |number: u32| {
            let mut named = self.analyses.iter().filter(|(id, _)| *id == number);
            named.next().map(|(_, name)| name.clone())
        };
        let mut told = Vec::new();
        for (id, analysis) in &self.analyses {
            let counted = counters.of(*id);
            // An analysis that was restarted has the same number and is in the list again.
            if told.contains(id) || counted == Counted::default() {
                continue;
            }
            told.push(*id);
            let taken = counted.taken.iter();
            observe(&Event {
                time: started.elapsed().as_secs_f64(),
                kind: EventKind::Counted {
                    analysis: analysis.clone(),
                    counters: counted
                        .counters
                        .iter()
                        .map(|&(name, value)| (name.to_owned(), value.into()))
                        .collect(),
                    solver_seconds: counted.solver_time.as_secs_f64(),
                    taken: taken
                        .filter_map(|(&other, &number)| Some((name(other)?, number.into())))
                        .collect(),
                },
            });
        }
    }

    /// Reads what the pipe holds and handles the whole lines in it.
    fn receive(&mut self, observe: &mut dyn FnMut(&Event)) -> Option<Watched> {
        let mut chunk = [0; 1 << 16];
        // The bytes received before contain no end of a line.
        let mut search = self.buffer.len();
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
        while let Some(length) = self.buffer[search..].iter().position(|&byte| byte == b'\n') {
            let line = &self.buffer[begin..search + length];
            search += length + 1;
            begin = search;
            if let Some((&crash::CRASH_MARK, digits)) = line.split_first() {
                self.crashed = std::str::from_utf8(digits)
                    .ok()
                    .and_then(|digits| digits.parse().ok());
                continue;
            }
            // A line that a crash has cut short is dropped.
            match serde_json::from_slice(line) {
                Ok(Message::Event(event)) => {
                    if let EventKind::Started { analysis, id } = &event.kind {
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

    /// Collects the child if it has died, and returns how it died.
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

    /// Returns the user and system time of the child and of the processes that its first thread has started.
    fn cpu_time(&self) -> Option<Duration> {
        let processes = self.processes();
        let (first, others) = processes.split_first()?;
        let others = others.iter().filter_map(|&process| cpu_time(process));
        Some(cpu_time(*first)? + others.sum::<Duration>())
    }

    /// Returns the resident memory of the child and of the processes that its first thread has started, in MiB.
    fn resident_mib(&self) -> Option<u64> {
        let processes = self.processes();
        let (first, others) = processes.split_first()?;
        let others = others.iter().filter_map(|&process| resident_mib(process));
        Some(resident_mib(*first)? + others.sum::<u64>())
    }

    /// Returns the child and the processes that its first thread has started (a preprocessor with its parts, before the
    /// analyses).
    fn processes(&self) -> Vec<Pid> {
        let mut processes = vec![self.pid];
        let mut next = 0;
        while next < processes.len() && processes.len() < MAXIMUM_PROCESSES {
            let pid = processes[next];
            next += 1;
            // Where the system lacks this file, a preprocessor's resources count only after it has ended.
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            let children = children.unwrap_or_default();
            let children = children
                .split_whitespace()
                .filter_map(|pid| pid.parse().ok());
            processes.extend(children.map(Pid::from_raw));
        }
        processes
    }

    /// Kills the child with all processes that it has started, except the holder of its memory ([`hold_memory`]), which
    /// stays until [`Self::collect`].
    fn kill(&mut self) {
        let processes = match self.reaped {
            true => Vec::new(),
            false => self.processes(),
        };
        for &process in &processes {
            let _ = nix::sys::signal::kill(process, Signal::SIGKILL);
            // A process that executes a compiled program leads a process group of its own.
            if process != self.pid && getpgid(Some(process)) == Ok(process) {
                let _ = killpg(process, Signal::SIGKILL);
            }
        }
        self.started = processes.into_iter().skip(1).collect();
    }

    /// Waits for the child and the processes that it had started, within the time, and kills the rest of its group.
    fn collect(&mut self, patience: Duration) {
        let end = Instant::now() + patience;
        let wait = |process: Pid| {
            while matches!(
                waitpid(process, Some(WaitPidFlag::WNOHANG)),
                Ok(WaitStatus::StillAlive)
            ) && Instant::now() < end
            {
                std::thread::sleep(Duration::from_micros(200));
            }
        };
        if !std::mem::replace(&mut self.reaped, true) {
            wait(self.pid);
        }
        std::mem::take(&mut self.started).into_iter().for_each(wait);
        let _ = killpg(self.pid, Signal::SIGKILL);
    }
}

/// Returns the resident memory of the process in MiB.
fn resident_mib(process: Pid) -> Option<u64> {
    Some(memory(process)?.resident >> 20)
}

/// Runs the race in the child process. Never returns.
fn run_child(
    started: Instant,
    attempt: &Attempt,
    inherited: &SigSet,
    parent: Pid,
    pipe: OwnedFd,
    race: &dyn Fn(&Attempt, &Reporter) -> RaceEnd,
) -> ! {
    // In a process group of its own, Ctrl-C reaches the supervisor alone, and one kill ends the child with its children.
    let _ = setpgid(Pid::from_raw(0), Pid::from_raw(0));
    die_with(parent);
    for signal in INTERRUPTS {
        handle(signal, SigHandler::SigDfl);
    }
    let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(inherited), None);
    // Standard output belongs to the supervisor. A solver that prints writes to standard error.
    let _ = nix::unistd::dup2_stdout(std::io::stderr());
    hold_memory();
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

/// The size of the memory holder's stack in bytes.
const HOLDER_STACK: usize = 1 << 16;

/// Starts a process, the memory holder, that shares this one's memory and only sleeps. The system frees memory when the last
/// process that uses it ends, at some 0.2 s for a gigabyte, and only then notifies the parent. With the holder, the race's
/// process ends at once however large it is, its parent learns its resource usage, and the memory is freed when the
/// supervisor kills the holder after printing the answer. The holder is the supervisor's child and dies
/// with it. Without it (the system may refuse) only the resource usage may be incomplete.
fn hold_memory() {
    let mut stack = Vec::<u8>::with_capacity(HOLDER_STACK);
    // SAFETY: the end of the allocation, rounded down to what every ABI wants.
    let top = unsafe { stack.as_mut_ptr().add(HOLDER_STACK & !63) };
    let top = top.wrapping_sub(top as usize % 64);
    // The holder uses the stack until the end of the process.
    std::mem::forget(stack);
    // No signal handler may run in the holder.
    let mut before = SigSet::empty();
    let blocked = sigprocmask(
        SigmaskHow::SIG_SETMASK,
        Some(&SigSet::all()),
        Some(&mut before),
    );
    if blocked.is_err() {
        return;
    }
    // SAFETY: the holder has a stack of its own and makes nothing but system calls that do not fail: it does
    // not touch what it shares with the thread that it was made by.
    unsafe {
        libc::clone(
            sleep_for_ever,
            top.cast(),
            libc::CLONE_VM | libc::CLONE_PARENT,
            std::ptr::null_mut(),
        );
    }
    let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&before), None);
}

extern "C" fn sleep_for_ever(_: *mut libc::c_void) -> libc::c_int {
    // SAFETY: plain system calls; all signals but the one that ends the process are blocked.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // Readers of the command's output wait until all processes that could write to it have closed it.
        libc::syscall(libc::SYS_close_range, 0u32, u32::MAX, 0u32);
        loop {
            libc::pause();
        }
    }
}
