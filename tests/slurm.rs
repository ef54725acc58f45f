//! Experiments on a cluster, with a Slurm that is a script: faults happen where they are wanted. `scripts/slurm/test.sh` has the
//! real one.
//!
//! The verifier is a script, too. One that kills the process above its keeper does to its job what a lost machine does.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

/// A folder with tasks, a verifier, an experiment of both, and a Slurm.
struct Cluster(TempDir);

/// Two runs a job.
const WALL: u32 = 30;

impl Cluster {
    fn new(tasks: usize, verifier: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        for name in ["tasks", "bin", "slurm"] {
            std::fs::create_dir(path.join(name)).expect("a folder");
        }
        for task in 0..tasks {
            let text = format!("int main(void) {{ return {task}; }}\n");
            std::fs::write(path.join(format!("tasks/{task:02}.c")), text).expect("written");
        }
        let program = |file: PathBuf, text: &str| {
            std::fs::write(&file, text).expect("written");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))
                .expect("executable");
        };
        program(path.join("verifier"), &format!("#!/bin/sh\n{verifier}\n"));
        for name in ["sbatch", "squeue", "scancel", "scontrol"] {
            program(path.join("bin").join(name), include_str!("slurm/fake.py"));
        }
        let text = format!(
            "limits.wall = {WALL}\norder = \"listed\"\n[[tasks]]\nfiles = [\"tasks/*.c\"]\nexpected = \"true\"\n\
             [[configuration]]\nname = \"a\"\nprogram = \"verifier\"\n"
        );
        std::fs::write(path.join("e.toml"), text).expect("written");
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Changes what Slurm does; without a text, back.
    fn set(&self, what: &str, text: Option<&str>) {
        let file = self.path().join("slurm").join(what);
        match text {
            Some(text) => std::fs::write(file, text).expect("written"),
            None => std::fs::remove_file(file).expect("removed"),
        }
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_regatta"));
        let search = std::env::var("PATH").unwrap_or_default();
        command
            .args(["experiment", "run", "e.toml", "--slurm", "--interval", "1"])
            .args(["--accounting", "process-tree"])
            .args(more)
            .current_dir(self.path())
            .env("PATH", format!("{}/bin:{search}", self.path().display()))
            .env("FAKE_SLURM", self.path().join("slurm"))
            // What would mislead Slurm's programs.
            .env("SBATCH_ARRAY_INX", "7")
            .env("SQUEUE_NAMES", "none");
        command
    }

    fn collect(&self, more: &[&str]) -> Output {
        self.command(more).output().expect("the command runs")
    }

    /// Starts a collector, and waits until jobs have begun so many runs.
    fn begin(&self, runs: usize) -> Child {
        let child = self.command(&[]).stderr(Stdio::piped()).spawn();
        let child = child.expect("the command runs");
        let begun = Instant::now();
        while self.lines("begun") < runs {
            assert!(begun.elapsed() < Duration::from_secs(60), "no runs");
            std::thread::sleep(Duration::from_millis(10));
        }
        child
    }

    /// How many lines of that kind jobs have written.
    fn lines(&self, kind: &str) -> usize {
        let pattern = self.path().join("e.results/slurm/*/runs/*.jsonl");
        let files = glob::glob(&pattern.display().to_string()).expect("a pattern");
        let texts = files
            .flatten()
            .map(|file| std::fs::read_to_string(file).unwrap_or_default());
        let start = format!("{{\"{kind}\"");
        texts
            .map(|text| text.lines().filter(|line| line.starts_with(&start)).count())
            .sum()
    }

    fn submissions(&self) -> usize {
        let pattern = self.path().join("e.results/slurm/*/job.sh");
        glob::glob(&pattern.display().to_string())
            .expect("a pattern")
            .count()
    }

    fn records(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path().join("e.results/results.jsonl"));
        let text = text.expect("results");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a record"))
            .collect()
    }

    /// Checks that each run is there once.
    fn check(&self, runs: usize) {
        let records = self.records();
        let tasks: BTreeSet<&str> = records
            .iter()
            .filter_map(|record| record["task"].as_str())
            .collect();
        assert_eq!((records.len(), tasks.len()), (runs, runs));
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const ANSWER: &str = "sleep 0.2; echo 'RESULT: TRUE'; exit 0";

#[test]
fn slurm_makes_all_runs_once() {
    let cluster = Cluster::new(11, ANSWER);
    let output = cluster.collect(&["--partition", "short", "--sbatch=--account=physics"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    cluster.check(11);
    // Six jobs, of which an array has four at most.
    assert_eq!(cluster.submissions(), 2, "{}", errors(&output));
    let script = std::fs::read_to_string(cluster.path().join("e.results/slurm/1/job.sh"));
    let script = script.expect("a script");
    for line in [
        "#SBATCH --array=0-3",
        "#SBATCH --partition=short",
        "#SBATCH --account=physics",
    ] {
        assert!(script.lines().any(|found| found == line), "{script}");
    }
    // Nothing is left to do, and nobody is asked.
    cluster.set("silent", Some("who asks?"));
    let output = cluster.collect(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_eq!((cluster.submissions(), cluster.records().len()), (2, 11));
}

/// A run that takes its job with it does so three times; those beside it are made.
#[test]
fn slurm_runs_that_end_their_machines_are_given_up() {
    let verifier = format!(
        "case \"$*\" in *03.c) kill -KILL $(cut -d ' ' -f 4 /proc/$PPID/stat); sleep 9;; esac; {ANSWER}"
    );
    let cluster = Cluster::new(6, &verifier);
    let output = cluster.collect(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    cluster.check(6);
    for record in cluster.records() {
        let expected = match record["task"] == "tasks/03" {
            true => "lost",
            false => "true",
        };
        assert_eq!(record["verdict"], expected, "{record}");
        if expected == "lost" {
            let reason = "its jobs ended during the run, on node-1, node-2, node-3";
            assert_eq!(record["reason"], reason);
        }
    }
    assert_eq!(cluster.submissions(), 3);
}

#[test]
fn slurm_collectors_come_and_go() {
    let cluster = Cluster::new(8, "sleep 2; echo 'RESULT: TRUE'; exit 0");
    let mut child = cluster.begin(1);
    let output = cluster.collect(&[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        errors(&output).contains("another process adds runs"),
        "{}",
        errors(&output)
    );
    child.kill().expect("killed");
    child.wait().expect("waited for");
    // Its jobs go on. Their number may not have been written down, as here.
    std::fs::remove_file(cluster.path().join("e.results/slurm/1/job")).expect("removed");
    let child = cluster.begin(5);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("sent");
    let output = child.wait_with_output().expect("waited for");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).contains("to end them: scancel 1\n"),
        "{}",
        errors(&output)
    );
    let output = cluster.collect(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    cluster.check(8);
    assert_eq!((cluster.submissions(), cluster.lines("ended")), (1, 8));
}

/// Who cancels jobs has a reason; the command does not submit them again by itself, and the runs are not to blame.
#[test]
fn slurm_jobs_that_are_cancelled_stay_so() {
    let cluster = Cluster::new(4, "sleep 2; echo 'RESULT: TRUE'; exit 0");
    for _ in 0..3 {
        let before = cluster.lines("begun");
        let child = cluster.begin(before + 2);
        let search = std::env::var("PATH").unwrap_or_default();
        let number = cluster.submissions().to_string();
        let status = Command::new(cluster.path().join("bin/scancel"))
            .arg(number)
            .env("PATH", search)
            .env("FAKE_SLURM", cluster.path().join("slurm"))
            .status();
        assert!(status.expect("cancelled").success());
        let output = child.wait_with_output().expect("waited for");
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(
            errors(&output).contains("was cancelled"),
            "{}",
            errors(&output)
        );
    }
    let output = cluster.collect(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    cluster.check(4);
    assert!(
        cluster
            .records()
            .iter()
            .all(|record| record["verdict"] == "true")
    );
}

/// Slurm takes jobs for lost that go on: runs are made twice, and one of each counts.
#[test]
fn slurm_runs_that_are_made_twice_count_once() {
    let cluster = Cluster::new(4, "sleep 1.5; echo 'RESULT: TRUE'; exit 0");
    let child = cluster.begin(2);
    cluster.set("forget", Some(""));
    let begun = Instant::now();
    while cluster.submissions() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is lost");
        std::thread::sleep(Duration::from_millis(10));
    }
    cluster.set("forget", None);
    let output = child.wait_with_output().expect("waited for");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    cluster.check(4);
    assert!(cluster.submissions() >= 2);
    assert!(cluster.lines("begun") > 4);
    // What is not needed any more is cancelled.
    let pattern = cluster.path().join("slurm/jobs/*/*.state");
    for file in glob::glob(&pattern.display().to_string())
        .expect("a pattern")
        .flatten()
    {
        let begun = Instant::now();
        while std::fs::read_to_string(&file).is_ok_and(|state| state == "RUNNING") {
            assert!(
                begun.elapsed() < Duration::from_secs(1),
                "{}",
                file.display()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn slurm_mistakes_are_told() {
    let cluster = Cluster::new(2, ANSWER);
    let complaint = |more: &[&str], expected: &str| {
        let output = cluster.collect(more);
        assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
        assert!(errors(&output).contains(expected), "{}", errors(&output));
    };
    complaint(&["--partition", "a b"], "is not the name of a partition");
    complaint(
        &["--sbatch=--array=0-9"],
        "--array of sbatch is set by Regatta",
    );
    complaint(&["--jobs", "0"], "--jobs");
    complaint(&["--out", "50%a"], "with `%` or `\\` in its path");
    let mut command = cluster.command(&[]);
    let output = command
        .env("PATH", "/nonexistent")
        .output()
        .expect("the command runs");
    assert_eq!(output.status.code(), Some(3));
    assert!(
        errors(&output).contains("is this a machine of a cluster with Slurm?"),
        "{}",
        errors(&output)
    );
    cluster.set(
        "refuse",
        Some("Batch job submission failed: Invalid account"),
    );
    complaint(&[], "submission failed: Invalid account");
    cluster.set("refuse", None);
    assert_eq!(cluster.submissions(), 0);
    // A cluster whose machines do not see the program, say.
    cluster.set("broken", Some("job.sh: 15: regatta: not found\n"));
    complaint(&[], "0.txt is: job.sh: 15: regatta: not found");
    assert_eq!(cluster.submissions(), 3);
    cluster.set("broken", None);
    let output = cluster.collect(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    cluster.check(2);
    let alone = Command::new(env!("CARGO_BIN_EXE_regatta"))
        .args(["experiment", "run", "e.toml", "--partition", "short"])
        .current_dir(cluster.path())
        .output();
    assert_eq!(alone.expect("the command runs").status.code(), Some(3));
}

/// A job notices that the program is not the one that was submitted, or that there is no such job.
#[test]
fn slurm_jobs_check_what_they_run() {
    let cluster = Cluster::new(2, ANSWER);
    let output = cluster.collect(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let work = |chunk: &str, expected: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_regatta"))
            .args(["experiment", "work", "e.results/slurm/1", "--chunk", chunk])
            .current_dir(cluster.path())
            .output()
            .expect("the command runs");
        assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
        assert!(errors(&output).contains(expected), "{}", errors(&output));
    };
    work("7", "7.json");
    std::fs::write(cluster.path().join("verifier"), "#!/bin/sh\n").expect("written");
    work("0", "the program of `a` is another one here");
    std::fs::write(cluster.path().join("e.results/slurm/1/runs/0.json"), "[{").expect("written");
    work("0", "0.json");
}
