//! The files of a submission: its script, the runs of its jobs, and their results.
//!
//! A submission's folder is made under another name and renamed, so that it is complete or not there. It is written before the
//! call of `sbatch`, so that the next collector finds the jobs by their name, whenever this one ends.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::journal::{self, Entry};
use crate::results::record::{Key, Record};
use regatta_run::file;

const SCRIPT: &str = "job.sh";
const JOB: &str = "job";
const OVER: &str = "over.jsonl";
/// The name of a folder that is being made.
const ASIDE: &str = "new";

/// A submission.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The number of the submission, from one.
    pub number: u32,
    pub path: PathBuf,
    /// The name of its jobs.
    pub name: String,
    /// The number that Slurm gave it, if it is known.
    pub job: Option<String>,
    pub tasks: Vec<Task>,
}

/// A job of a submission, which makes a chunk of runs.
#[derive(Clone, Debug)]
pub struct Task {
    pub keys: Vec<Key>,
    /// The runs that have begun, with the names of the nodes.
    pub begun: BTreeMap<Key, String>,
    /// The number of its runs that it has made.
    pub made: usize,
    pub state: TaskState,
    /// The number of bytes of its journal that have been read.
    offset: u64,
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// It has not begun, as far as known.
    Waiting,
    Running,
    /// It has ended. A run that it has begun and not finished may be at fault, unless the job is excused, because it was
    /// cancelled or preempted.
    Over {
        is_excused: bool,
    },
}

impl Task {
    fn new(keys: Vec<Key>) -> Self {
        Self {
            keys,
            begun: BTreeMap::new(),
            made: 0,
            state: TaskState::Waiting,
            offset: 0,
        }
    }

    /// Checks whether the job may still deliver results.
    pub fn is_live(&self) -> bool {
        !matches!(self.state, TaskState::Over { .. })
    }
}

/// A line of the list of jobs that have ended.
#[derive(Debug, Serialize, Deserialize)]
struct OverLine {
    task: usize,
    is_excused: bool,
}

impl Submission {
    /// Writes the files of a submission with these chunks and this script, before it is submitted to Slurm.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn create(
        home: &Path,
        number: u32,
        name: String,
        chunks: &[&[Key]],
        script: &str,
    ) -> std::io::Result<Self> {
        let aside = home.join(ASIDE);
        if aside.exists() {
            fs::remove_dir_all(&aside)?;
        }
        let runs = aside.join("runs");
        fs::create_dir_all(&runs)?;
        fs::create_dir_all(aside.join("output"))?;
        for (task, chunk) in chunks.iter().enumerate() {
            fs::write(list_of(&aside, task), serde_json::to_vec_pretty(chunk)?)?;
            // The file is created now, so that no machine caches that it does not exist.
            File::create(journal_of(&aside, task))?;
        }
        fs::write(aside.join(SCRIPT), script)?;
        let path = home.join(number.to_string());
        fs::rename(&aside, &path)?;
        let tasks = chunks.iter().map(|chunk| Task::new(chunk.to_vec()));
        Ok(Self {
            number,
            path,
            name,
            job: None,
            tasks: tasks.collect(),
        })
    }

    /// Reads all submissions in the folder, in order; the names of their jobs are the name with the submission's number.
    ///
    /// # Errors
    /// When the system refuses, or a file is invalid.
    pub fn read_all(home: &Path, name: &str) -> std::io::Result<Vec<Self>> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(home)? {
            let text = entry?.file_name().to_string_lossy().into_owned();
            // A file such as `01` is no submission.
            if let Ok(number) = text.parse::<u32>()
                && number.to_string() == text
            {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        let all = numbers.into_iter().map(|number| {
            let path = home.join(number.to_string());
            let name = format!("{name}-{number}");
            Self::read(number, path, name)
        });
        all.collect()
    }

    fn read(number: u32, path: PathBuf, name: String) -> std::io::Result<Self> {
        let mut tasks = Vec::new();
        while list_of(&path, tasks.len()).exists() {
            tasks.push(Task::new(read_list(&path, tasks.len())?));
        }
        let job = match fs::read_to_string(path.join(JOB)) {
            Ok(text) => Some(text.trim().to_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let over = match fs::read_to_string(path.join(OVER)) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        // The job of an incomplete line is found to have ended again by a query.
        let lines = over.lines().map(serde_json::from_str::<OverLine>);
        for OverLine { task, is_excused } in lines.flatten() {
            if let Some(task) = tasks.get_mut(task) {
                task.state = TaskState::Over { is_excused };
            }
        }
        Ok(Self {
            number,
            path,
            name,
            job,
            tasks,
        })
    }

    /// Records the number that Slurm has given it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn set_job(&mut self, job: &str) -> std::io::Result<()> {
        file::write(&self.path.join(JOB), format!("{job}\n").as_bytes())?;
        self.job = Some(job.to_owned());
        Ok(())
    }

    /// Records that a job has ended.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn set_over(&mut self, task: usize, is_excused: bool) -> std::io::Result<()> {
        let mut file = File::options()
            .append(true)
            .create(true)
            .open(self.path.join(OVER))?;
        // The previous line may be incomplete; an empty line is ignored.
        let line = serde_json::to_string(&OverLine { task, is_excused })?;
        file.write_all(format!("\n{line}\n").as_bytes())?;
        self.tasks[task].state = TaskState::Over { is_excused };
        Ok(())
    }

    /// Reads the results that the job has written since the last reading. Also returns the number of invalid lines.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn read_journal(&mut self, task: usize) -> std::io::Result<(Vec<Record>, usize)> {
        let path = journal_of(&self.path, task);
        let task = &mut self.tasks[task];
        let update = journal::read(&path, &mut task.offset)?;
        let mut records = Vec::new();
        for entry in update.entries {
            match entry {
                Entry::Begun(begun) => {
                    task.begun.insert(begun.key, begun.node);
                }
                Entry::Withdrawn(key) => {
                    task.begun.remove(&key);
                }
                Entry::Ended(record) => {
                    task.made += 1;
                    records.push(*record);
                }
            }
        }
        Ok((records, update.broken))
    }

    /// Returns the last line of the job's output, with its file.
    pub fn said(&self, task: usize) -> Option<(PathBuf, String)> {
        let path = self.path.join("output").join(format!("{task}.txt"));
        let text = fs::read(&path).ok()?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
        Some((path, line.to_owned()))
    }
}

/// Returns the file that lists the runs of a job.
fn list_of(submission: &Path, task: usize) -> PathBuf {
    submission.join("runs").join(format!("{task}.json"))
}

/// Returns the file of a job's journal.
pub fn journal_of(submission: &Path, task: usize) -> PathBuf {
    submission.join("runs").join(format!("{task}.jsonl"))
}

/// Reads the list of the runs of a job.
///
/// # Errors
/// When there is no such job, or the list cannot be read.
pub fn read_list(submission: &Path, task: usize) -> std::io::Result<Vec<Key>> {
    let path = list_of(submission, task);
    let wrong = |error: Error| Error::new(error.kind(), format!("{}: {error}", path.display()));
    let bytes = fs::read(&path).map_err(wrong)?;
    serde_json::from_slice(&bytes).map_err(|error| wrong(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(task: usize) -> Key {
        Key {
            configuration: "a".to_owned(),
            task: task.to_string(),
            repetition: 0,
        }
    }

    #[test]
    fn slurm_submissions_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path();
        let keys: Vec<Key> = (0..5).map(key).collect();
        // The rest of a submission whose making was interrupted.
        fs::create_dir_all(home.join("new/runs")).expect("a folder");
        let chunks: Vec<&[Key]> = keys.chunks(2).collect();
        let made = Submission::create(home, 1, "e-1".to_owned(), &chunks, "#!/bin/sh\n");
        let mut made = made.expect("a submission");
        fs::create_dir(home.join("01")).expect("a folder");
        made.set_job("17").expect("written");
        made.set_over(2, true).expect("written");
        let mut over = File::options()
            .append(true)
            .open(home.join("1/over.jsonl"))
            .expect("a file");
        over.write_all(b"{\"task\":1,\"is_ex").expect("written");
        made.set_over(0, false).expect("written");
        let read = Submission::read_all(home, "e").expect("submissions");
        assert_eq!(read.len(), 1);
        let read = &read[0];
        assert_eq!(
            (read.name.as_str(), read.job.as_deref()),
            ("e-1", Some("17"))
        );
        let states: Vec<TaskState> = read.tasks.iter().map(|task| task.state).collect();
        assert_eq!(
            states,
            [
                TaskState::Over { is_excused: false },
                TaskState::Waiting,
                TaskState::Over { is_excused: true },
            ]
        );
        assert_eq!(read.tasks[1].keys, keys[2..4]);
    }
}
