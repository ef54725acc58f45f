//! Who submits and collects. It may end at any time; the next one goes on.
//!
//! * [`submit`]: cuts runs into jobs, and submits them; [`lost`]: gives runs up that end their machines.

mod lost;
mod submit;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::script;
use super::submission::TaskState;
use super::watch::{Over, Watch};
use super::{Options, command, home};
use crate::accounting::Way;
use crate::display::{Display, Situation};
use crate::folder::{Description, Folder, Sink};
use crate::plan::{Planned, plan};
use crate::preparation::Prepared;
use crate::record::{Key, LOST, Measured, Record};
use crate::runner::{self, Ended};
use regatta_base::{Error, ErrorKind, Place};

/// So many submissions in a row of which no job begins a run, and there is something wrong with the cluster or the folder.
const FRUITLESS: usize = 3;

/// How often the files of running jobs are read, at most.
const READ: Duration = Duration::from_secs(2);

/// How often the display is drawn, if nothing happens.
const TICK: Duration = Duration::from_millis(250);

/// Has the cluster make the runs that are missing, and collects them.
///
/// # Errors
/// When the file, the tasks, the folder or the options are not what they should be, or Slurm refuses.
pub fn run(file: &Path, general: &runner::Options, options: &Options) -> Result<Ended, Error> {
    let problem = |message: String| Error::new(ErrorKind::Experiment, message);
    script::check(options).map_err(problem)?;
    let prepared = Prepared::new(file, general)?;
    let runs = plan(&prepared.fixed);
    let nodes = || "each machine of the cluster".to_owned();
    let measured = Measured {
        cpu: nodes(),
        memory: nodes(),
    };
    let mut description = prepared.description(measured, options.jobs.min(runs.len()));
    let processor = &mut description.environment.processor;
    *processor = format!("those of the cluster; submitted from {processor}");
    let (folder, present) = Folder::open(&prepared.path, &description, &prepared.text)?;
    let mut display = Display::new(&description, general.is_plain);
    if let Some(message) = present.torn_line(&prepared.path) {
        display.say(&message);
    }
    let place = Place::file(prepared.path.display().to_string());
    let mut arguments = Vec::new();
    if prepared.definition.pages {
        arguments.push("--pages".to_owned());
    }
    if let Some(way) = general.way {
        arguments.extend(["--accounting".to_owned(), word_of(way)]);
    }
    let mut collector = Collector {
        description: &description,
        options,
        program: std::env::current_exe().map_err(|error| problem(error.to_string()))?,
        arguments,
        home: folder.path().join("slurm"),
        name: String::new(),
        place,
        folder,
        known: runs.iter().map(|run| run.key.clone()).collect(),
        planned: runs,
        done: HashSet::new(),
        wrong: 0,
        walls: (0, 0.0),
        watch: Watch::default(),
        since: HashMap::new(),
        display,
        begun: Instant::now(),
        done_before: present.done.len(),
        array_size: 1,
        ours: Vec::new(),
        fruitless: 0,
        refusals: 0,
        not_before: None,
        trouble: String::new(),
        reasons: String::new(),
        ending: String::new(),
    };
    for record in &present.done {
        collector.count(record);
    }
    let situation = collector.situation();
    collector.display.begin(&present.done, &situation);
    let result = collector.collect_until_signal();
    let situation = collector.situation();
    collector.display.end(&situation);
    Ok(Ended {
        is_complete: result?,
        folder: prepared.path,
        wrong: collector.wrong,
    })
}

/// The word by which the command line knows the way.
fn word_of(way: Way) -> String {
    way.name().replace(' ', "-")
}

struct Collector<'c> {
    description: &'c Description,
    options: &'c Options,
    /// What jobs call, and what it is told beside their numbers.
    program: PathBuf,
    arguments: Vec<String>,
    folder: Folder,
    /// Where submissions are.
    home: PathBuf,
    /// What all jobs are called, before the submission's number.
    name: String,
    place: Place,
    /// All runs.
    planned: Vec<Planned>,
    known: HashSet<Key>,
    done: HashSet<Key>,
    wrong: usize,
    /// How many runs took how long together, in seconds.
    walls: (usize, f64),
    watch: Watch,
    /// When the beginning of a run was seen.
    since: HashMap<Key, Instant>,
    display: Display,
    begun: Instant,
    /// How many were done when this process began.
    done_before: usize,
    /// How many jobs an array may have.
    array_size: usize,
    /// Submissions of this process that have jobs left, by their places.
    ours: Vec<usize>,
    /// How many of these in a row were in vain.
    fruitless: usize,
    /// How often `sbatch` failed in a row, and when it may be called again.
    refusals: usize,
    not_before: Option<Instant>,
    /// What was last said of Slurm's silence, and of jobs that wait.
    trouble: String,
    reasons: String,
    /// How the last job ended that had runs left to make.
    ending: String,
}

/// What a look at the cluster brought.
enum Look {
    GoOn,
    /// Somebody has cancelled a job.
    Cancelled(String),
}

impl Collector<'_> {
    fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Experiment, message).at(self.place.clone())
    }

    fn system(&self, error: &std::io::Error) -> Error {
        self.error(error.to_string())
    }

    fn count(&mut self, record: &Record) {
        self.done.insert(record.key.clone());
        self.wrong += usize::from(record.is_wrong());
        if record.verdict != LOST {
            self.walls.0 += 1;
            self.walls.1 += record.wall;
        }
    }

    fn is_complete(&self) -> bool {
        self.done.len() >= self.planned.len()
    }

    fn situation(&self) -> Situation {
        let made = self.done.len().saturating_sub(self.done_before);
        let left = self.planned.len().saturating_sub(self.done.len());
        let mut running: Vec<(Key, Duration)> = (self.since.iter())
            .map(|(key, since)| (key.clone(), since.elapsed()))
            .collect();
        running.sort_by_key(|(_, time)| Reverse(*time));
        Situation {
            planned: self.planned.len(),
            done: self.done.len(),
            running,
            elapsed: self.begun.elapsed(),
            left: (made > 0).then(|| self.begun.elapsed().mul_f64(left as f64 / made as f64)),
        }
    }

    /// Collects until all is there; false after a signal.
    fn collect_until_signal(&mut self) -> Result<bool, Error> {
        let watched = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]);
        let signals = sigprocmask(SigmaskHow::SIG_BLOCK, Some(&watched), None).and_then(|()| {
            SignalFd::with_flags(&watched, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
        });
        let signals = signals.map_err(|error| self.error(format!("no signals: {error}")))?;
        let result = self.collect(&signals);
        let _ = sigprocmask(SigmaskHow::SIG_UNBLOCK, Some(&watched), None);
        let jobs = self.watch.live_arrays().join(" ");
        if !matches!(result, Ok(true)) && !jobs.is_empty() {
            let message = format!("jobs go on without this command; to end them: scancel {jobs}");
            self.display.say(&message);
        }
        result
    }

    fn collect(&mut self, signals: &SignalFd) -> Result<bool, Error> {
        let opened = home::open(&self.home, self.folder.path(), &self.description.fixed);
        (self.name, self.watch.submissions) = opened.map_err(|error| self.system(&error))?;
        self.read(false)?;
        if !self.is_complete() {
            let size = command::array_size();
            self.array_size = size.map_err(|message| self.error(message))?;
        }
        let mut is_first = true;
        while !self.is_complete() {
            if let Look::Cancelled(job) = self.look(is_first)? {
                let message = format!("the job {job} was cancelled");
                self.display.say(&message);
                return Ok(false);
            }
            is_first = false;
            let looked = Instant::now();
            let mut read = Instant::now();
            while !self.is_complete() && looked.elapsed() < self.options.interval {
                let left = self.options.interval.saturating_sub(looked.elapsed());
                if is_signalled(signals, TICK.min(left)) {
                    // What is there is not left behind.
                    self.read(false)?;
                    return Ok(self.is_complete());
                }
                if read.elapsed() >= READ.min(self.options.interval) {
                    self.read(true)?;
                    read = Instant::now();
                }
                let situation = self.situation();
                self.display.draw(&situation);
            }
        }
        self.close();
        Ok(true)
    }

    /// All is there. Jobs that were thought to be lost may be making some of it once more: nobody needs that.
    fn close(&mut self) {
        if let Ok(rows) = command::jobs(&self.watch.names()) {
            command::cancel(&self.watch.unfinished(&rows));
        }
        // If that cannot be written, somebody looks once more.
        let _ = self.watch.close();
    }

    /// Takes what jobs have written.
    fn read(&mut self, is_only_running: bool) -> Result<(), Error> {
        let mut records = Vec::new();
        let mut broken = Vec::new();
        let read = self.watch.read(
            &self.done,
            is_only_running,
            |record| records.push(record),
            |path, lines| broken.push((path.to_owned(), lines)),
        );
        read.map_err(|error| self.system(&error))?;
        for (path, lines) in broken {
            let message = format!("{}: {lines} torn lines are left out", path.display());
            self.display.say(&message);
        }
        for record in records {
            // What is of another experiment would make a folder that nobody reads.
            if self.known.contains(&record.key) {
                self.take(&record)?;
            }
        }
        let running: HashSet<Key> = (self.watch.running())
            .filter(|key| !self.done.contains(*key))
            .cloned()
            .collect();
        self.since.retain(|key, _| running.contains(key));
        for key in running {
            self.since.entry(key).or_insert_with(Instant::now);
        }
        Ok(())
    }

    /// Adds a run to the results, unless it is there.
    fn take(&mut self, record: &Record) -> Result<(), Error> {
        if self.done.contains(&record.key) {
            return Ok(());
        }
        let written = self.folder.append(record);
        written.map_err(|error| self.error(format!("the result cannot be written: {error}")))?;
        self.count(record);
        let situation = self.situation();
        self.display.record(record, &situation);
        Ok(())
    }

    /// Asks Slurm which jobs there are, and submits what none of them makes.
    fn look(&mut self, is_first: bool) -> Result<Look, Error> {
        if !self.home.exists() {
            return Err(self.error("the folder is not there any more"));
        }
        let rows = match command::jobs(&self.watch.names()) {
            Ok(rows) => rows,
            Err(message) if is_first => return Err(self.error(message)),
            Err(message) => {
                if self.trouble != message {
                    self.display
                        .say(&format!("{message}; the jobs are asked for again"));
                    self.trouble = message;
                }
                return Ok(Look::GoOn);
            }
        };
        self.trouble.clear();
        let adopted = self.watch.adopt(&rows);
        adopted.map_err(|error| self.system(&error))?;
        let change = self.watch.apply(&rows);
        // What is over has written all that it will, and only what is read after the question shows that.
        self.read(false)?;
        for over in &change.over {
            let submission = &mut self.watch.submissions[over.submission];
            let written = submission.set_over(over.task, over.is_excused);
            written.map_err(|error| self.system(&error))?;
        }
        self.say_what_ended(&change.over);
        if let (Some(job), false) = (change.cancelled, is_first) {
            return Ok(Look::Cancelled(job));
        }
        self.say_why_jobs_wait();
        self.judge_submissions()?;
        self.give_up_lost()?;
        self.submit()?;
        Ok(Look::GoOn)
    }

    /// Tells of jobs that have not made all of their runs.
    fn say_what_ended(&mut self, over: &[Over]) {
        let mut endings: BTreeMap<&str, usize> = BTreeMap::new();
        for over in over {
            let task = &self.watch.submissions[over.submission].tasks[over.task];
            if task.keys.iter().any(|key| !self.done.contains(key)) {
                *endings.entry(&over.ending).or_default() += 1;
            }
        }
        for (ending, jobs) in endings {
            let message = format!(
                "{} ended with runs left to make: {ending}",
                counted(jobs, "job")
            );
            self.display.say(&message);
            self.ending = ending.to_owned();
        }
    }

    fn say_why_jobs_wait(&mut self) {
        let reasons: Vec<&str> = self.watch.reasons.keys().map(String::as_str).collect();
        let reasons = reasons.join(", ");
        if reasons != self.reasons && !reasons.is_empty() {
            let jobs: usize = self.watch.reasons.values().sum();
            let message = format!("waiting: {} ({reasons})", counted(jobs, "job"));
            self.display.say(&message);
        }
        self.reasons = reasons;
    }

    /// Whether jobs do anything at all.
    fn judge_submissions(&mut self) -> Result<(), Error> {
        let is_over = |place: &usize| {
            let mut tasks = self.watch.submissions[*place].tasks.iter();
            tasks.all(|task| !task.is_live())
        };
        let (over, ours): (Vec<usize>, Vec<usize>) = self.ours.iter().copied().partition(is_over);
        self.ours = ours;
        for place in over {
            let submission = &self.watch.submissions[place];
            let tasks = || submission.tasks.iter();
            // A job that was stopped has taken back what it had begun.
            if tasks().any(|task| !task.begun.is_empty()) {
                self.fruitless = 0;
            } else if tasks().any(|task| task.state == (TaskState::Over { is_excused: false })) {
                self.fruitless += 1;
            }
            if self.fruitless >= FRUITLESS {
                let mut said = (0..submission.tasks.len()).filter_map(|task| submission.said(task));
                let mut message = format!(
                    "jobs end before they have made a run; Slurm says: {}",
                    self.ending
                );
                if let Some((path, line)) = said.next() {
                    let last = format!("; the last line of {} is: {line}", path.display());
                    message.push_str(&last);
                }
                return Err(self.error(message));
            }
        }
        Ok(())
    }
}

/// As `1 job`, `2 jobs`.
fn counted(number: usize, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {what}{ending}")
}

/// Waits so long; whether there was a signal.
fn is_signalled(signals: &SignalFd, time: Duration) -> bool {
    let mut descriptors = [PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
    let time = PollTimeout::try_from(time + Duration::from_millis(1));
    let _ = poll(&mut descriptors, time.unwrap_or(PollTimeout::MAX));
    matches!(signals.read_signal(), Ok(Some(_)))
}
