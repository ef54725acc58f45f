//! The runner: makes the missing runs of an experiment.
//!
//! Its single thread waits for keepers ([`super::keeper`]) that have a record, for signals, and for the display. A keeper is
//! forked for each run, so the runner must not start a thread.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork, pipe};

use crate::definition::programs::{Program, Programs};
use crate::definition::{Limits, Scale};
use crate::results::folder::{Description, Folder, Sink};
use crate::results::record::Record;
use crate::running::accounting::{Accounting, AccountingMethod};
use crate::running::display::{Display, Progress};
use crate::running::keeper::{Job, keep};
use crate::running::machine::Slots;
use crate::running::plan::{Planned, plan};
use crate::running::preparation::Prepared;
use regatta_base::{Error, ErrorKind, Place};

/// The options of `run`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder of the results; if not given, the file's name with the extension `.results` in the current folder.
    pub out: Option<PathBuf>,
    /// The method of measurement; if not given, the best that is available.
    pub method: Option<AccountingMethod>,
    /// The settings of `--set`, for all configurations.
    pub settings: Vec<String>,
    /// The reduction of the experiment.
    pub scale: Scale,
    /// Whether plain lines are printed even on a terminal.
    pub is_plain: bool,
}

/// The result of a call of `run`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The folder of the results.
    pub folder: PathBuf,
    /// Whether all runs of the experiment are there.
    pub is_complete: bool,
    /// The number of wrong answers.
    pub wrong: usize,
}

/// Maximum number of keepers that fail before the experiment is given up.
const MAXIMUM_LOSSES: usize = 3;

/// Interval between two updates of the display.
const DRAW_INTERVAL: Duration = Duration::from_millis(250);

/// Makes the missing runs. Must be called while the process has one thread.
///
/// # Errors
/// When the file, the tasks or the folder are invalid, or the system refuses something essential.
pub fn run(file: &Path, options: &Options) -> Result<Ended, Error> {
    let prepared = Prepared::new(file, options)?;
    let problem = |message: String| {
        let place = Place::file(file.display().to_string());
        Error::new(ErrorKind::Experiment, message).at(place)
    };
    let slots = Slots::of(&prepared.definition).map_err(problem)?;
    let accounting = Accounting::new(options.method).map_err(problem)?;
    accounting.clean();
    let description = prepared.description(accounting.measured().clone(), slots.0.len());
    let (folder, present) = Folder::open(&prepared.path, &description, &prepared.text)?;
    let mut display = Display::new(&description, options.is_plain);
    if let Some(message) = present.torn_line(&prepared.path) {
        display.say(&message);
    }
    let setup = Setup {
        description: &description,
        programs: prepared.programs,
        accounting: &accounting,
        slots,
        has_pages: prepared.definition.pages,
    };
    let runs = plan(&description.fixed);
    if present.done.len() < runs.len() && prepared.path.join("slurm").exists() {
        display.say(
            "note: a cluster was asked for these runs, too; --slurm collects what it has made",
        );
    }
    make(setup, folder, runs, &present.done, &mut display).map_err(problem)
}

/// The setup in which runs are made.
#[derive(Debug)]
pub struct Setup<'s> {
    pub description: &'s Description,
    pub programs: Programs,
    pub accounting: &'s Accounting,
    pub slots: Slots,
    /// Whether each run writes a report.
    pub has_pages: bool,
}

/// Makes the runs, except those in `done`, and adds them to the sink. Must be called while the process has one thread.
///
/// # Errors
/// A message when the system refuses something essential.
pub fn make<S: Sink>(
    setup: Setup<'_>,
    sink: S,
    runs: Vec<Planned>,
    done: &[Record],
    display: &mut Display,
) -> Result<Ended, String> {
    let mut runner = Runner::new(setup, sink, runs);
    runner.skip(done);
    display.begin(done, &runner.progress());
    let result = runner.make_all(display);
    display.end(&runner.progress());
    result
}

/// Returns the options of `regatta verify` for the limits.
fn limit_options(limits: &Limits) -> Vec<String> {
    let mut options = vec![
        "--time-limit".to_owned(),
        limits.wall.to_string(),
        "--threads".to_owned(),
        limits.cores.to_string(),
    ];
    if let Some(cpu) = limits.cpu {
        options.extend(["--cpu-limit".to_owned(), cpu.to_string()]);
    }
    if let Some(memory) = limits.memory {
        options.extend(["--memory-limit".to_owned(), memory.to_string()]);
    }
    options
}

struct Runner<'r, S> {
    setup: Setup<'r>,
    sink: S,
    /// The runs to be made, in reverse order.
    open: Vec<Planned>,
    planned: usize,
    running: Vec<Running>,
    wrong: usize,
    /// The number of runs started, from which control groups are named.
    started: usize,
    losses: usize,
    begun: Instant,
    /// The number of runs done before this process began.
    done_before: usize,
    done: usize,
}

/// A run that has begun.
struct Running {
    run: Planned,
    slot: usize,
    keeper: Pid,
    pipe: OwnedFd,
    /// The bytes that the keeper has sent.
    sent: Vec<u8>,
    begun: Instant,
}

impl<'r, S: Sink> Runner<'r, S> {
    fn new(setup: Setup<'r>, sink: S, runs: Vec<Planned>) -> Self {
        Self {
            setup,
            sink,
            planned: runs.len(),
            open: runs.into_iter().rev().collect(),
            running: Vec::new(),
            wrong: 0,
            started: 0,
            losses: 0,
            begun: Instant::now(),
            done_before: 0,
            done: 0,
        }
    }

    /// Leaves out the runs that are done.
    fn skip(&mut self, done: &[Record]) {
        let keys: std::collections::HashSet<_> = done.iter().map(|record| &record.key).collect();
        self.open.retain(|run| !keys.contains(&run.key));
        self.done = done.len();
        self.done_before = done.len();
        self.wrong = done.iter().filter(|record| record.is_wrong()).count();
    }

    fn progress(&self) -> Progress {
        let made = self.done - self.done_before;
        let left = self.planned.saturating_sub(self.done);
        let running = self.running.iter();
        Progress {
            planned: self.planned,
            done: self.done,
            running: running
                .map(|running| (running.run.key.clone(), running.begun.elapsed()))
                .collect(),
            elapsed: self.begun.elapsed(),
            left: (made > 0).then(|| self.begun.elapsed().mul_f64(left as f64 / made as f64)),
        }
    }

    fn make_all(&mut self, display: &mut Display) -> Result<Ended, String> {
        let watched = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]);
        let blocked = sigprocmask(SigmaskHow::SIG_BLOCK, Some(&watched), None);
        blocked.map_err(|error| format!("no signals: {error}"))?;
        let signals =
            SignalFd::with_flags(&watched, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
                .map_err(|error| format!("no signals: {error}"))?;
        let mut drawn = Instant::now();
        let ended = loop {
            if let Err(reason) = self.fill_slots() {
                break Err(reason);
            }
            if self.running.is_empty() {
                break Ok(true);
            }
            let ready = self.wait(&signals, DRAW_INTERVAL.saturating_sub(drawn.elapsed()));
            if matches!(signals.read_signal(), Ok(Some(_))) {
                break Ok(false);
            }
            for index in ready.into_iter().rev() {
                match self.receive(index) {
                    Ok(None) => {}
                    Ok(Some(record)) => {
                        self.done += 1;
                        self.wrong += usize::from(record.is_wrong());
                        display.record(&record, &self.progress());
                    }
                    Err(reason) => display.say(&reason),
                }
            }
            if self.losses > MAXIMUM_LOSSES {
                break Err("keepers of runs die; the experiment is given up".to_owned());
            }
            if drawn.elapsed() >= DRAW_INTERVAL {
                drawn = Instant::now();
                display.draw(&self.progress());
            }
        };
        self.stop_all();
        let _ = sigprocmask(SigmaskHow::SIG_UNBLOCK, Some(&watched), None);
        Ok(Ended {
            folder: self.sink.path().to_owned(),
            is_complete: ended?,
            wrong: self.wrong,
        })
    }

    /// Waits for keepers, a signal or the time. Returns the indices of the keepers that have sent something, in order.
    fn wait(&self, signals: &SignalFd, time: Duration) -> Vec<usize> {
        let pipes = self.running.iter().map(|running| running.pipe.as_fd());
        let mut descriptors: Vec<PollFd<'_>> = pipes
            .chain([signals.as_fd()])
            .map(|descriptor| PollFd::new(descriptor, PollFlags::POLLIN))
            .collect();
        let time = PollTimeout::try_from(time + Duration::from_millis(1));
        let _ = poll(&mut descriptors, time.unwrap_or(PollTimeout::MAX));
        let ready = (0..self.running.len()).filter(|&index| descriptors[index].any() == Some(true));
        ready.collect()
    }

    /// Starts runs on free sets of cores.
    fn fill_slots(&mut self) -> Result<(), String> {
        while self.running.len() < self.setup.slots.0.len() {
            let Some(run) = self.open.pop() else {
                return Ok(());
            };
            let is_free = |slot: &usize| self.running.iter().all(|running| running.slot != *slot);
            let Some(slot) = (0..self.setup.slots.0.len()).find(is_free) else {
                return Ok(());
            };
            self.start(run, slot)?;
        }
        Ok(())
    }

    fn start(&mut self, run: Planned, slot: usize) -> Result<(), String> {
        let begun = Instant::now();
        let described = &self.setup.description.fixed.configurations[run.configuration];
        let task = &self.setup.description.fixed.tasks[run.task];
        let program: &Program = self.setup.programs.checked(&described.digest)?;
        let log = std::path::absolute(self.sink.path().join(&run.log));
        let log = log.map_err(|error| format!("{}: {error}", run.log))?;
        let home = log.parent().unwrap_or(Path::new("/")).to_owned();
        std::fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
        let mut arguments = vec!["verify".to_owned(), "--json".to_owned()];
        arguments.extend(limit_options(&self.setup.description.fixed.limits));
        arguments.extend(described.arguments.iter().cloned());
        if self.setup.has_pages {
            let page = log.with_added_extension("html");
            arguments.extend(["--report".to_owned(), page.display().to_string()]);
        }
        arguments.extend(task.arguments.iter().cloned());
        let noted = self.sink.begin(&run.key);
        noted.map_err(|error| format!("the beginning of a run cannot be written: {error}"))?;
        self.started += 1;
        let job = Job {
            run: &run,
            task,
            limits: &self.setup.description.fixed.limits,
            program: &program.path,
            arguments,
            folder: &home,
            log,
            cores: &self.setup.slots.0[slot],
            group: self.started.to_string(),
        };
        let refused = |error: nix::errno::Errno| format!("the system refuses a process: {error}");
        let (reader, writer) = pipe().map_err(refused)?;
        let parent = nix::unistd::getpid();
        // SAFETY: this process has one thread (the caller's promise), so that the child may do anything.
        match unsafe { fork() }.map_err(refused)? {
            ForkResult::Child => {
                drop(reader);
                regatta_run::exit::die_with(parent);
                self.sink.forget();
                let message = match keep(&job, self.setup.accounting, begun) {
                    Ok(record) => serde_json::to_vec(&record).unwrap_or_default(),
                    Err(reason) => format!("!{reason}").into_bytes(),
                };
                let _ = File::from(writer).write_all(&message);
                regatta_run::exit::exit_now(0)
            }
            ForkResult::Parent { child } => {
                drop(writer);
                self.running.push(Running {
                    run,
                    slot,
                    keeper: child,
                    pipe: reader,
                    sent: Vec::new(),
                    begun,
                });
                Ok(())
            }
        }
    }

    /// Reads from a keeper. Returns its record when that is complete and written to the sink.
    fn receive(&mut self, index: usize) -> Result<Option<Record>, String> {
        let running = &mut self.running[index];
        let mut chunk = [0; 1 << 16];
        let count = nix::unistd::read(&running.pipe, &mut chunk).unwrap_or(0);
        if count > 0 {
            running.sent.extend_from_slice(&chunk[..count]);
            return Ok(None);
        }
        let running = self.running.remove(index);
        let _ = waitpid(running.keeper, None);
        let reason = match serde_json::from_slice::<Record>(&running.sent) {
            Ok(record) => match self.sink.append(&record) {
                Ok(()) => return Ok(Some(record)),
                Err(error) => format!("the result cannot be written: {error}"),
            },
            Err(_) => match running.sent.strip_prefix(b"!") {
                Some(reason) => String::from_utf8_lossy(reason).into_owned(),
                None => "its keeper has died".to_owned(),
            },
        };
        self.losses += 1;
        let run = running.run;
        let _ = self.sink.withdraw(&run.key);
        let message = format!(
            "{} on {}: {reason}; it is made again",
            run.key.configuration, run.key.task
        );
        self.open.insert(0, run);
        Err(message)
    }

    /// Ends all runs with all their processes.
    fn stop_all(&mut self) {
        for running in &self.running {
            let _ = nix::sys::signal::kill(running.keeper, Signal::SIGTERM);
        }
        for running in self.running.drain(..) {
            let mut rest = Vec::new();
            let _ = File::from(running.pipe).read_to_end(&mut rest);
            let _ = waitpid(running.keeper, None);
            let _ = self.sink.withdraw(&running.run.key);
        }
    }
}
