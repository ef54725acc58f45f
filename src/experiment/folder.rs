//! The folder of an experiment: what it is, and the runs that have ended.
//!
//! * `experiment.toml`: the file as it was; `experiment.json`: what it means here ([`Description`]).
//! * `results.jsonl`: a line a run ([`super::record::Record`]), in the order in which they ended.
//! * `logs`: what each run said.
//! * `lock`: held by the process that adds runs.
//!
//! A run counts when its line is whole. A process that is killed may leave a torn last line, which is taken off by the next one
//! to add runs, and left out by who only reads.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::definition::{Limits, Order};
use super::record::{Key, Measured, Record};
use super::selection::Selected;
use regatta_base::{Error, ErrorKind, Place};
use regatta_run::description::Environment;
use regatta_run::file;

const DESCRIPTION: &str = "experiment.json";
const DEFINITION: &str = "experiment.toml";
const RESULTS: &str = "results.jsonl";
const LOCK: &str = "lock";

/// An experiment as it is made here.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Description {
    /// What may not change from one call of `run` to the next.
    #[serde(flatten)]
    pub fixed: Fixed,
    /// Where it was begun.
    pub environment: Environment,
    /// How runs were measured at first; each record says it for itself.
    pub measured: Measured,
    /// When it was begun, in seconds since 1970.
    pub begun: f64,
    /// How many runs were made at a time at first.
    pub side_by_side: usize,
    /// Counters that tables show, as the file had them at first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<String>,
}

/// What makes runs comparable.
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

/// A configuration, with all that it depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    pub name: String,
    /// What `regatta verify` is told of it.
    pub arguments: Vec<String>,
    /// The program's file, and SHA-256 of it.
    pub program: String,
    pub digest: String,
    /// The portfolio with every option, if this program knows it.
    pub portfolio: String,
}

impl Described {
    /// Whether runs of both are of one configuration; the same program may be elsewhere.
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
    /// The first thing in which another is different, in words.
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

/// The folder, for who adds runs.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    results: File,
    /// Held as long as this lives.
    lock_held: Flock<File>,
}

/// What was there when a folder was opened.
#[derive(Debug, Default)]
pub struct Present {
    pub done: Vec<Record>,
    /// The bytes of a torn line that was taken off, if there was one.
    pub torn: Option<usize>,
    /// Whether the experiment has been begun before.
    pub is_begun: bool,
}

impl Present {
    /// What there is to say of a torn line, if there was one.
    pub fn torn_line(&self, folder: &Path) -> Option<String> {
        let bytes = self.torn?;
        let folder = folder.display();
        Some(format!(
            "{folder}: the last line was torn ({bytes} bytes); its run is made again"
        ))
    }
}

/// Where a runner puts the runs that it makes.
pub trait Sink {
    /// The experiment's folder.
    fn path(&self) -> &Path;

    /// A run is about to begin.
    ///
    /// # Errors
    /// When the system refuses to write that down.
    fn begin(&mut self, _key: &Key) -> std::io::Result<()> {
        Ok(())
    }

    /// Adds a run; it is with the system when this returns.
    ///
    /// # Errors
    /// When the system refuses.
    fn append(&mut self, record: &Record) -> std::io::Result<()>;

    /// A run that has begun is not made after all, for a reason that is not its own.
    ///
    /// # Errors
    /// When the system refuses to write that down.
    fn withdraw(&mut self, _key: &Key) -> std::io::Result<()> {
        Ok(())
    }

    /// Closes what a process that was forked must not hold.
    fn forget(&self) {}
}

impl Folder {
    /// Opens the folder for the experiment, or makes it.
    ///
    /// # Errors
    /// When the system refuses, somebody else adds runs, or there is another experiment in it.
    pub fn open(
        path: &Path,
        description: &Description,
        definition: &[u8],
    ) -> Result<(Self, Present), Error> {
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
        let mut present = Present::default();
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
            // Without threads: processes will be forked.
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

    /// Writes a whole folder of runs that were made elsewhere; `definition` says in a comment where they are from.
    ///
    /// # Errors
    /// When there is an experiment in it, or the system refuses.
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
        // The description comes last: with it, the folder is one.
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
            // Half a line would make a torn one of the next.
            self.results.set_len(before)?;
        }
        written
    }

    /// Only as long as the runner lives the lock is held.
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
    /// Whether the last line is torn, which may mean that runs are being added.
    pub is_torn: bool,
}

impl Results {
    /// Reads a folder.
    ///
    /// # Errors
    /// When it is none, or cannot be read.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let description = read_description(path)?;
        let file = path.join(RESULTS);
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            // Nothing has ended yet.
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

    /// How many runs there will be.
    pub fn planned(&self) -> usize {
        let fixed = &self.description.fixed;
        fixed.tasks.len() * fixed.configurations.len() * fixed.repetitions as usize
    }
}

/// What becomes of what the system says of a file that is written.
fn system(file: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let place = Place::file(file.display().to_string());
    move |error| Error::new(ErrorKind::Unwritable, error.to_string()).at(place)
}

/// Reads what the experiment of a folder is.
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

/// Reads lines.
type Decode = fn(&[&[u8]]) -> Vec<Result<Record, serde_json::Error>>;

/// The records in the bytes, and how many bytes are whole lines. What follows is torn.
fn parse(file: &Path, bytes: &[u8], decode: Decode) -> Result<(Vec<Record>, usize), Error> {
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    // What follows the last end of a line.
    let rest = lines.pop().unwrap_or_default();
    let mut whole = bytes.len() - rest.len();
    let mut read = decode(&lines);
    if let (Some(Err(_)), Some(last)) = (read.last(), lines.last()) {
        // A machine that was switched off may leave a last line of anything.
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
