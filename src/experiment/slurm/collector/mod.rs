//! The collector, which submits jobs and collects their results. It may end at any time; the next one continues.
//!
//! * [`submit`]: divides runs into jobs and submits them; [`lost`]: gives up runs during which jobs end repeatedly.

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
use super::{Options, cluster_folder, command};
use crate::results::folder::{Description, Folder, Sink};
use crate::results::record::{Key, LOST, Measured, Record};
use crate::running::accounting::AccountingMethod;
use crate::running::display::{Display, Progress};
use crate::running::plan::{Planned, plan};
use crate::running::preparation::Prepared;
use crate::running::runner::{self, Ended};
use regatta_base::{Error, ErrorKind, Place};

/// Maximum number of consecutive submissions without a job that begins a run; more indicate a problem with the cluster or the
/// folder.
const MAXIMUM_FRUITLESS_SUBMISSIONS: usize = 3;

/// Minimum interval between two readings of the files of running jobs.
const READ_INTERVAL: Duration = Duration::from_secs(2);

/// Interval between two updates of the display.
const DRAW_INTERVAL: Duration = Duration::from_millis(250);

/// Makes the missing runs on the cluster, and collects them.
///
/// # Errors
/// When the file, the tasks, the folder or the options are invalid, or Slurm refuses.
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
    if let Some(method) = general.method {
        arguments.extend(["--accounting".to_owned(), option_of(method)]);
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
    let progress = collector.progress();
    collector.display.begin(&present.done, &progress);
    let result = collector.collect_until_signal();
    let progress = collector.progress();
    collector.display.end(&progress);
    Ok(Ended {
        is_complete: result?,
        folder: prepared.path,
        wrong: collector.wrong,
    })
}

/// Returns the method's name on the command line.
fn option_of(method: AccountingMethod) -> String {
    method.name().replace(' ', "-")
}

struct Collector<'c> {
    description: &'c Description,
    options: &'c Options,
    /// The program that jobs call, and its arguments in addition to the job's number.
    program: PathBuf,
    arguments: Vec<String>,
    folder: Folder,
    /// The folder of the submissions.
    home: PathBuf,
    /// The name of all jobs, before the submission's number.
    name: String,
    place: Place,
    /// All runs.
    planned: Vec<Planned>,
    known: HashSet<Key>,
    done: HashSet<Key>,
    wrong: usize,
    /// The number of runs made, and the sum of their wall times in seconds.
    walls: (usize, f64),
    watch: Watch,
    /// The time at which the begin of a run was noticed.
    since: HashMap<Key, Instant>,
    display: Display,
    begun: Instant,
    /// The number of runs done before this process began.
    done_before: usize,
    /// Maximum number of jobs in an array.
    array_size: usize,
    /// The submissions of this process that have jobs left, by their indices.
    ours: Vec<usize>,
    /// The number of consecutive submissions without a run.
    fruitless: usize,
    /// The number of consecutive failures of `sbatch`, and the time before which it is not called again.
    refusals: usize,
    not_before: Option<Instant>,
    /// The last messages about failures of Slurm, and about the reasons for which jobs wait.
    trouble: String,
    reasons: String,
    /// The ending of the last job that had runs left to make.
    ending: String,
}

/// The result of a query to Slurm.
enum Answer {
    Continue,
    /// A job was cancelled.
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

    fn progress(&self) -> Progress {
        let made = self.done.len().saturating_sub(self.done_before);
        let left = self.planned.len().saturating_sub(self.done.len());
        let mut running: Vec<(Key, Duration)> = (self.since.iter())
            .map(|(key, since)| (key.clone(), since.elapsed()))
            .collect();
        running.sort_by_key(|(_, time)| Reverse(*time));
        Progress {
            planned: self.planned.len(),
            done: self.done.len(),
            running,
            elapsed: self.begun.elapsed(),
            left: (made > 0).then(|| self.begun.elapsed().mul_f64(left as f64 / made as f64)),
        }
    }

    /// Collects until all runs are there. Returns false after a signal.
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
            let message =
                format!("the jobs continue without this command; to end them: scancel {jobs}");
            self.display.say(&message);
        }
        result
    }

    fn collect(&mut self, signals: &SignalFd) -> Result<bool, Error> {
        let opened = cluster_folder::open(&self.home, self.folder.path(), &self.description.fixed);
        (self.name, self.watch.submissions) = opened.map_err(|error| self.system(&error))?;
        self.read(false)?;
        if !self.is_complete() {
            let size = command::array_size();
            self.array_size = size.map_err(|message| self.error(message))?;
        }
        let mut is_first = true;
        while !self.is_complete() {
            if let Answer::Cancelled(job) = self.ask_slurm(is_first)? {
                let message = format!("the job {job} was cancelled");
                self.display.say(&message);
                return Ok(false);
            }
            is_first = false;
            let looked = Instant::now();
            let mut read = Instant::now();
            while !self.is_complete() && looked.elapsed() < self.options.interval {
                let left = self.options.interval.saturating_sub(looked.elapsed());
                if is_signalled(signals, DRAW_INTERVAL.min(left)) {
                    // The results so far are collected before the end.
                    self.read(false)?;
                    return Ok(self.is_complete());
                }
                if read.elapsed() >= READ_INTERVAL.min(self.options.interval) {
                    self.read(true)?;
                    read = Instant::now();
                }
                let progress = self.progress();
                self.display.draw(&progress);
            }
        }
        self.close();
        Ok(true)
    }

    /// Cancels the jobs that are left when all runs are there: jobs that were taken for lost may be making runs again.
    fn close(&mut self) {
        if let Ok(rows) = command::jobs(&self.watch.names()) {
            command::cancel(&self.watch.unfinished(&rows));
        }
        // If that cannot be written, the next collector queries the jobs once more.
        let _ = self.watch.close();
    }

    /// Reads the results that jobs have written.
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
            let message = format!("{}: {lines} incomplete lines are left out", path.display());
            self.display.say(&message);
        }
        for record in records {
            // A run of another experiment would make the folder unreadable.
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

    /// Adds a run to the results, unless it is there already.
    fn take(&mut self, record: &Record) -> Result<(), Error> {
        if self.done.contains(&record.key) {
            return Ok(());
        }
        let written = self.folder.append(record);
        written.map_err(|error| self.error(format!("the result cannot be written: {error}")))?;
        self.count(record);
        let progress = self.progress();
        self.display.record(record, &progress);
        Ok(())
    }

    /// Queries the jobs from Slurm, and submits the runs that no job makes.
    fn ask_slurm(&mut self, is_first: bool) -> Result<Answer, Error> {
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
                return Ok(Answer::Continue);
            }
        };
        self.trouble.clear();
        let adopted = self.watch.adopt(&rows);
        adopted.map_err(|error| self.system(&error))?;
        let change = self.watch.apply(&rows);
        // A job that has ended has written all its results, but only a reading after the query is sure to have them.
        self.read(false)?;
        for over in &change.over {
            let submission = &mut self.watch.submissions[over.submission];
            let written = submission.set_over(over.task, over.is_excused);
            written.map_err(|error| self.system(&error))?;
        }
        self.say_what_ended(&change.over);
        if let (Some(job), false) = (change.cancelled, is_first) {
            return Ok(Answer::Cancelled(job));
        }
        self.say_why_jobs_wait();
        self.judge_submissions()?;
        self.give_up_lost()?;
        self.submit()?;
        Ok(Answer::Continue)
    }

    /// Reports jobs that have ended without making all of their runs.
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

    /// Checks that submissions have made runs.
    ///
    /// # Errors
    /// After too many consecutive submissions without a run.
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
            // A job that was stopped has withdrawn the runs that it had begun.
            if tasks().any(|task| !task.begun.is_empty()) {
                self.fruitless = 0;
            } else if tasks().any(|task| task.state == (TaskState::Over { is_excused: false })) {
                self.fruitless += 1;
            }
            if self.fruitless >= MAXIMUM_FRUITLESS_SUBMISSIONS {
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

/// Formats a number of things: `1 job`, `2 jobs`.
fn counted(number: usize, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {what}{ending}")
}

/// Waits for the time or a signal. Returns whether there was a signal.
fn is_signalled(signals: &SignalFd, time: Duration) -> bool {
    let mut descriptors = [PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
    let time = PollTimeout::try_from(time + Duration::from_millis(1));
    let _ = poll(&mut descriptors, time.unwrap_or(PollTimeout::MAX));
    matches!(signals.read_signal(), Ok(Some(_)))
}
