//! The folder of an experiment: its description, and the runs that have ended.
//!
//! * `experiment.toml`: the definition; `experiment.json`: the [`Description`] of the experiment on this machine.
//! * `results.jsonl`: a line for each run ([`crate::results::record::Record`]), in the order in which they ended.
//! * `logs`: the output of each run.
//! * `lock`: held by the process that adds runs.
//!
//! A run counts when its line is complete. A process that is killed may leave an incomplete last line, which the next process
//! that adds runs removes, and which processes that only read leave out.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::definition::selection::Selected;
use crate::definition::{Limits, Order};
use crate::results::record::{Key, Measured, Record};
use regatta_base::{Error, ErrorKind, Place};
use regatta_run::description::Environment;
use regatta_run::file;

const DESCRIPTION: &str = "experiment.json";
const DEFINITION: &str = "experiment.toml";
const RESULTS: &str = "results.jsonl";
const LOCK: &str = "lock";

/// The description of an experiment on this machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Description {
    /// The part that must not change from one call of `run` to the next.
    #[serde(flatten)]
    pub fixed: Fixed,
    /// The machine on which it was begun.
    pub environment: Environment,
    /// The method of measurement at the begin; each record has its own.
    pub measured: Measured,
    /// The time at which it was begun, in seconds since 1970.
    pub begun: f64,
    /// The number of runs at a time at the begin.
    pub side_by_side: usize,
    /// The counters that tables show, as in the first version of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<String>,
}

/// The part of the description on which the comparability of runs depends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fixed {
    pub description: String,
    /// The verifier's version.
    pub version: String,
    pub seed: u64,
    pub repetitions: u32,
    pub order: Order,
    pub limits: Limits,
    pub configurations: Vec<Described>,
    pub tasks: Vec<Selected>,
}

/// A configuration with everything that it depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    pub name: String,
    /// The arguments of `regatta verify` for it.
    pub arguments: Vec<String>,
    /// The program's file, and its SHA-256 hash.
    pub program: String,
    pub digest: String,
    /// The portfolio with every option; empty for another build of the verifier.
    pub portfolio: String,
}

impl Described {
    /// Checks whether both are the same configuration; the path of the program may differ.
    fn is_same(&self, other: &Self) -> bool {
        let parts = |described: &Self| {
            let Self {
                name,
                arguments,
                program: _,
                digest,
                portfolio,
            } = described.clone();
            (name, arguments, digest, portfolio)
        };
        parts(self) == parts(other)
    }
}

impl Fixed {
    /// Returns the first difference to another description, in words.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let names = |fixed: &Self| -> Vec<String> {
            let named = fixed.configurations.iter();
            named
                .map(|configuration| configuration.name.clone())
                .collect()
        };
        if self.limits != other.limits {
            return Some("the limits".to_owned());
        }
        if (self.seed, self.repetitions) != (other.seed, other.repetitions) {
            return Some("the seed or the repetitions".to_owned());
        }
        if self.tasks != other.tasks {
            let mut pairs = self.tasks.iter().zip(&other.tasks);
            let changed = pairs.find(|(one, other)| one != other);
            return Some(match changed {
                Some((task, _)) => format!("the task `{}`", task.name),
                None => "the number of tasks".to_owned(),
            });
        }
        if names(self) != names(other) {
            return Some("the list of configurations".to_owned());
        }
        let mut pairs = self.configurations.iter().zip(&other.configurations);
        if let Some((one, other)) = pairs.find(|(one, other)| !one.is_same(other)) {
            return Some(match one.digest == other.digest {
                true => format!("the configuration `{}`", one.name),
                false => format!("the program of `{}`", one.name),
            });
        }
        (self.version != other.version).then(|| "the program's version".to_owned())
    }
}

/// The folder, open for adding runs.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    results: File,
    /// The lock, held as long as this lives.
    lock_held: Flock<File>,
}

/// The content of a folder when it was opened.
#[derive(Debug, Default)]
pub struct ExistingRuns {
    pub done: Vec<Record>,
    /// The number of bytes of an incomplete line that was removed, if there was one.
    pub torn: Option<usize>,
    /// Whether the experiment has been begun before.
    pub is_begun: bool,
}

impl ExistingRuns {
    /// Returns the message about an incomplete line, if there was one.
    pub fn torn_line(&self, folder: &Path) -> Option<String> {
        let bytes = self.torn?;
        let folder = folder.display();
        Some(format!(
            "{folder}: the last line was torn ({bytes} bytes); its run is made again"
        ))
    }
}

/// The destination of the runs that a runner makes.
pub trait Sink {
    /// The experiment's folder.
    fn path(&self) -> &Path;

    /// Notes that a run is about to begin.
    ///
    /// # Errors
    /// When the note cannot be written.
    fn begin(&mut self, _key: &Key) -> std::io::Result<()> {
        Ok(())
    }

    /// Adds a run, which the operating system has when this returns.
    ///
    /// # Errors
    /// When the record cannot be written.
    fn append(&mut self, record: &Record) -> std::io::Result<()>;

    /// Notes that a run that has begun was stopped, for a reason outside the run.
    ///
    /// # Errors
    /// When the note cannot be written.
    fn withdraw(&mut self, _key: &Key) -> std::io::Result<()> {
        Ok(())
    }

    /// Closes descriptors that a forked process must not hold.
    fn forget(&self) {}
}

impl Folder {
    /// Opens the folder for the experiment, or creates it.
    ///
    /// # Errors
    /// When the system refuses, another process adds runs, or the folder belongs to another experiment.
    pub fn open(
        path: &Path,
        description: &Description,
        definition: &[u8],
    ) -> Result<(Self, ExistingRuns), Error> {
        fs::create_dir_all(path.join("logs")).map_err(system(path))?;
        let lock = path.join(LOCK);
        let held = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&lock);
        let held = Flock::lock(
            held.map_err(system(&lock))?,
            FlockArg::LockExclusiveNonblock,
        )
        .map_err(|_| {
            let message = "another process adds runs to this folder";
            Error::new(ErrorKind::Experiment, message)
                .at(Place::file(path.display().to_string()))
                .with_help("wait for it, or give another folder with --out")
        })?;
        let mut present = ExistingRuns::default();
        let file_of_description = path.join(DESCRIPTION);
        if file_of_description.exists() {
            let known = read_description(path)?;
            if let Some(what) = known.fixed.difference(&description.fixed) {
                let message = format!("{what} changed since these runs were made");
                return Err(Error::new(ErrorKind::Experiment, message)
                    .at(Place::file(path.display().to_string()))
                    .with_help("runs of two experiments are not put together: give another folder with --out"));
            }
            present.is_begun = true;
        } else {
            let text = serde_json::to_vec_pretty(description).unwrap_or_default();
            file::write(&path.join(DEFINITION), definition).map_err(system(path))?;
            file::write(&file_of_description, &text).map_err(system(&file_of_description))?;
        }
        let file_of_results = path.join(RESULTS);
        if file_of_results.exists() {
            let bytes = fs::read(&file_of_results).map_err(system(&file_of_results))?;
            // The lines are parsed without threads, because processes will be forked.
            let (records, whole) = parse(&file_of_results, &bytes, |lines| {
                lines
                    .iter()
                    .map(|line| serde_json::from_slice(line))
                    .collect()
            })?;
            present.done = records;
            if whole < bytes.len() {
                present.torn = Some(bytes.len() - whole);
                let results = File::options().write(true).open(&file_of_results);
                results
                    .and_then(|file| file.set_len(whole as u64))
                    .map_err(system(&file_of_results))?;
            }
        }
        let results = File::options()
            .append(true)
            .create(true)
            .open(&file_of_results);
        let folder = Self {
            path: path.to_owned(),
            results: results.map_err(system(&file_of_results))?,
            lock_held: held,
        };
        Ok((folder, present))
    }

    /// Creates a folder of runs that were made elsewhere; `definition` names their origin in a comment.
    ///
    /// # Errors
    /// When the folder has results already, or the system refuses.
    pub fn create(
        path: &Path,
        description: &Description,
        definition: &str,
        records: &[Record],
    ) -> Result<(), Error> {
        if path.join(DESCRIPTION).exists() || path.join(RESULTS).exists() {
            let message = "there are results in this folder";
            return Err(Error::new(ErrorKind::Experiment, message)
                .at(Place::file(path.display().to_string()))
                .with_help("give another folder with --out"));
        }
        fs::create_dir_all(path).map_err(system(path))?;
        let mut lines = Vec::new();
        for record in records {
            lines.extend(serde_json::to_vec(record).unwrap_or_default());
            lines.push(b'\n');
        }
        let text = serde_json::to_vec_pretty(description).unwrap_or_default();
        // The description is written last, because it marks the folder as complete.
        for (name, bytes) in [
            (RESULTS, lines.as_slice()),
            (DEFINITION, definition.as_bytes()),
            (DESCRIPTION, &text),
        ] {
            let file = path.join(name);
            file::write(&file, bytes).map_err(system(&file))?;
        }
        Ok(())
    }
}

impl Sink for Folder {
    fn path(&self) -> &Path {
        &self.path
    }

    fn append(&mut self, record: &Record) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let before = self.results.metadata()?.len();
        let written = self.results.write_all(&line);
        if written.is_err() {
            // A part of a line would spoil the next line.
            self.results.set_len(before)?;
        }
        written
    }

    /// Closes the lock in a forked process, so that it is held only as long as the runner lives.
    fn forget(&self) {
        // SAFETY: the process goes on to use neither the descriptor nor what owns it.
        unsafe { libc::close(self.lock_held.as_raw_fd()) };
    }
}

/// An experiment with its runs so far.
#[derive(Clone, Debug)]
pub struct Results {
    pub path: PathBuf,
    pub description: Description,
    pub records: Vec<Record>,
    /// Whether the last line is incomplete, possibly because runs are being added.
    pub is_torn: bool,
}

impl Results {
    /// Reads a folder of results.
    ///
    /// # Errors
    /// When it is no folder of results, or cannot be read.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let description = read_description(path)?;
        let file = path.join(RESULTS);
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            // No run has ended yet.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                let place = Place::file(file.display().to_string());
                return Err(Error::new(ErrorKind::Unreadable, error.to_string()).at(place));
            }
        };
        let (records, whole) = parse(&file, &bytes, |lines| {
            lines
                .par_iter()
                .map(|line| serde_json::from_slice(line))
                .collect()
        })?;
        Ok(Self {
            path: path.to_owned(),
            description,
            records,
            is_torn: whole < bytes.len(),
        })
    }

    /// Returns the number of runs of the experiment.
    pub fn planned(&self) -> usize {
        let fixed = &self.description.fixed;
        fixed.tasks.len() * fixed.configurations.len() * fixed.repetitions as usize
    }
}

/// Returns the conversion of a system error about writing the file.
fn system(file: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let place = Place::file(file.display().to_string());
    move |error| Error::new(ErrorKind::Unwritable, error.to_string()).at(place)
}

/// Reads the description in a folder.
///
/// # Errors
/// When it cannot be read.
pub fn read_description(folder: &Path) -> Result<Description, Error> {
    let file = folder.join(DESCRIPTION);
    let place = || Place::file(file.display().to_string());
    let text = fs::read(&file).map_err(|error| {
        Error::new(ErrorKind::Unreadable, error.to_string())
            .at(place())
            .with_help("is this the folder of an experiment?")
    })?;
    serde_json::from_slice(&text).map_err(|error| {
        let place = Place {
            line: u32::try_from(error.line()).unwrap_or(0),
            column: u32::try_from(error.column()).unwrap_or(0),
            ..place()
        };
        Error::new(ErrorKind::Experiment, error.to_string()).at(place)
    })
}

/// A function that parses lines.
type Decode = fn(&[&[u8]]) -> Vec<Result<Record, serde_json::Error>>;

/// Returns the records in the bytes, and the number of bytes of complete lines.
fn parse(file: &Path, bytes: &[u8], decode: Decode) -> Result<(Vec<Record>, usize), Error> {
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    // The part after the last end of a line.
    let rest = lines.pop().unwrap_or_default();
    let mut whole = bytes.len() - rest.len();
    let mut read = decode(&lines);
    if let (Some(Err(_)), Some(last)) = (read.last(), lines.last()) {
        // A machine that was switched off may leave a last line of arbitrary bytes.
        whole -= last.len() + 1;
        read.pop();
    }
    let mut records = Vec::with_capacity(read.len());
    let mut seen: HashSet<Key> = HashSet::with_capacity(read.len());
    for (number, record) in (1..).zip(read) {
        let wrong = |message: String| {
            Error::new(ErrorKind::Experiment, message).at(Place {
                file: file.display().to_string().into(),
                line: number,
                column: 0,
                source_line: None,
            })
        };
        let record = record.map_err(|error| wrong(format!("not a run: {error}")))?;
        if !seen.insert(record.key.clone()) {
            let Key {
                configuration,
                task,
                repetition,
            } = &record.key;
            let message = format!("run {repetition} of {configuration} on {task} is there twice");
            return Err(wrong(message));
        }
        records.push(record);
    }
    Ok((records, whole))
}
