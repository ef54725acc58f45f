//! Calls of Slurm's programs, and the parsing of their output.
//!
//! Environment variables that would change the calls (`SQUEUE_…`, some of `SBATCH_…`) are removed.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Maximum time to wait for Slurm's programs, which themselves wait for a controller that does not answer.
const MAXIMUM_ANSWER_TIME: Duration = Duration::from_secs(120);

/// Environment variables that would override what the script sets.
const SET_BY_SCRIPT: [&str; 7] = [
    "SBATCH_ARRAY_INX",
    "SBATCH_CLUSTERS",
    "SBATCH_JOB_NAME",
    "SBATCH_OUTPUT",
    "SBATCH_ERROR",
    "SBATCH_WAIT",
    "SLURM_CLUSTERS",
];

/// Maximum number of jobs in an array, if Slurm's configuration does not name it.
const DEFAULT_ARRAY_SIZE: usize = 1001;

/// A job of an array in the output of `squeue`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The number of the array.
    pub job: String,
    /// The number in the array.
    pub task: usize,
    pub state: String,
    /// The name of the array.
    pub name: String,
    /// The reason why it waits.
    pub reason: String,
}

/// The states of jobs that have ended.
const ENDED_STATES: [&str; 9] = [
    "BOOT_FAIL",
    CANCELLED,
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    PREEMPTED,
    "TIMEOUT",
];

/// The state of a job that a user has cancelled, which does not count against its runs.
pub const CANCELLED: &str = "CANCELLED";
/// The state of a job that has given way to another one, which does not count against its runs either.
pub const PREEMPTED: &str = "PREEMPTED";

impl Row {
    /// Checks whether the job has ended.
    pub fn is_over(&self) -> bool {
        ENDED_STATES.contains(&self.state.as_str())
    }

    /// Checks whether the job has not begun.
    pub fn is_waiting(&self) -> bool {
        ["PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD"].contains(&self.state.as_str())
    }
}

/// Submits the script `job.sh` in the folder. Returns the number of the array.
///
/// # Errors
/// The message of `sbatch`.
pub fn submit(folder: &Path) -> Result<String, String> {
    let mut command = Command::new("sbatch");
    command.args(["--parsable", "job.sh"]).current_dir(folder);
    for name in SET_BY_SCRIPT {
        command.env_remove(name);
    }
    let text = ask(&mut command)?;
    // The output is a number, optionally with the cluster's name.
    let number = text.trim().split(';').next().unwrap_or_default();
    match !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(number.to_owned()),
        false => Err(format!(
            "sbatch does not say a job's number but `{}`",
            text.trim()
        )),
    }
}

/// Returns the jobs of these names that Slurm still knows, among them some that have ended.
///
/// # Errors
/// The message of `squeue`.
pub fn jobs(names: &[&str]) -> Result<Vec<Row>, String> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut command = Command::new("squeue");
    command.args(["--noheader", "--array", "--states=all"]);
    command.arg(format!("--name={}", names.join(",")));
    command.arg("--format=%F|%K|%T|%j|%r");
    command.env_remove("SLURM_CLUSTERS");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SQUEUE_") {
            command.env_remove(name);
        }
    }
    let text = ask(&mut command)?;
    Ok(text.lines().filter_map(row).collect())
}

fn row(line: &str) -> Option<Row> {
    let mut parts = line.trim().splitn(5, '|');
    let job = parts.next()?.to_owned();
    let task = parts.next()?.parse().ok()?;
    Some(Row {
        job,
        task,
        state: parts.next()?.to_owned(),
        name: parts.next()?.to_owned(),
        reason: parts.next()?.to_owned(),
    })
}

/// Returns the maximum number of jobs in an array.
///
/// # Errors
/// When Slurm's programs are missing, or its controller does not answer.
pub fn array_size() -> Result<usize, String> {
    let mut command = Command::new("scontrol");
    let text = ask(command.args(["show", "config"]))?;
    let mut lines = text.lines().filter_map(|line| line.split_once('='));
    let size = lines.find(|(name, _)| name.trim() == "MaxArraySize");
    let size = size.and_then(|(_, value)| value.trim().parse().ok());
    Ok(size.unwrap_or(DEFAULT_ARRAY_SIZE).max(1))
}

/// Cancels jobs, such as `12_3`, which may have ended already.
pub fn cancel(jobs: &[String]) {
    /// Maximum number of jobs in a call of `scancel`.
    const MAXIMUM_JOBS_PER_CALL: usize = 500;
    for jobs in jobs.chunks(MAXIMUM_JOBS_PER_CALL) {
        let _ = ask(Command::new("scancel").arg("--quiet").args(jobs));
    }
}

/// Runs the program and returns its standard output.
fn ask(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let answer = run(command, MAXIMUM_ANSWER_TIME).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            format!("`{name}` is not there: is this a machine of a cluster with Slurm?")
        }
        _ => format!("{name}: {error}"),
    })?;
    match answer {
        None => Err(format!("{name} does not answer")),
        Some((status, output, _)) if status.success() => Ok(output),
        Some((status, _, errors)) => {
            let said = errors.lines().map(str::trim).rfind(|line| !line.is_empty());
            let said = said.map(|line| line.trim_start_matches(&format!("{name}: ")).to_owned());
            Err(format!(
                "{name}: {}",
                said.unwrap_or_else(|| status.to_string())
            ))
        }
    }
}

/// Runs the program and returns its status, standard output and standard error; `None` if it was killed because it took too
/// long. It does not get interrupts of the terminal, so that the number of a job that is being submitted is not lost.
fn run(
    command: &mut Command,
    patience: Duration,
) -> std::io::Result<Option<(ExitStatus, String, String)>> {
    let mut files = [tempfile::tempfile()?, tempfile::tempfile()?];
    command
        .stdin(Stdio::null())
        .stdout(files[0].try_clone()?)
        .stderr(files[1].try_clone()?)
        .process_group(0);
    let mut child = command.spawn()?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begun.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut text = |index: usize| -> std::io::Result<String> {
        let file: &mut File = &mut files[index];
        file.rewind()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(Some((status, text(0)?, text(1)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slurm_rows_are_read() {
        let read = row("12|3|PENDING|regatta-e-0a-1|Resources").expect("a row");
        assert_eq!((read.job.as_str(), read.task), ("12", 3));
        assert!(read.is_waiting() && !read.is_over());
        assert_eq!(
            row("12|3|NODE_FAIL|x|a|b").map(|row| row.reason),
            Some("a|b".to_owned())
        );
        // A job outside an array, and a line that is no row.
        assert_eq!(row("12|N/A|RUNNING|x|None"), None);
        assert_eq!(row("slurm_load_jobs error"), None);
    }

    #[test]
    fn slurm_programs_fail_in_words() {
        let failing = ask(Command::new("sh").args(["-c", "echo 'sh: error: no luck' >&2; exit 1"]));
        assert_eq!(failing, Err("sh: error: no luck".to_owned()));
        let missing = ask(&mut Command::new("regatta-has-no-such-program"));
        assert!(missing.is_err_and(|message| message.contains("is not there")));
        let slow = run(
            Command::new("sleep").arg("1000"),
            Duration::from_millis(100),
        );
        assert!(matches!(slow, Ok(None)));
    }
}
