//! The script of a submission for `sbatch`, with comments for its readers.

use std::fmt::Write as _;
use std::path::Path;

use super::Options;
use crate::definition::Limits;
use crate::running::keeper;

/// The content of a script.
#[derive(Clone, Debug)]
pub struct Script<'s> {
    /// The name of the jobs.
    pub name: &'s str,
    /// The numbers of runs and of jobs.
    pub runs: usize,
    pub jobs: usize,
    /// The maximum number of runs of a job.
    pub size: usize,
    pub limits: &'s Limits,
    pub options: &'s Options,
    /// The program that the jobs call, and its arguments in addition to the job's number.
    pub program: &'s Path,
    pub arguments: Vec<String>,
}

/// Options of `sbatch` that users must not set, because the collector finds its jobs and files by them.
const RESERVED_OPTIONS: [&str; 12] = [
    "--array",
    "-a",
    "--job-name",
    "-J",
    "--chdir",
    "-D",
    "--clusters",
    "-M",
    "--output",
    "-o",
    "--wrap",
    "--test-only",
];

/// Memory of the job in addition to the run's, in MiB.
const OWN_MEMORY: u64 = 128;

/// Maximum time of a run beyond its limit, in seconds: until it is killed and its resources are measured.
const RUN_OVERHEAD_SECONDS: f64 = 3.0;

/// Maximum time of a job in addition to its runs, in seconds.
const JOB_OVERHEAD_SECONDS: f64 = 60.0;

/// Checks that the options are valid in a script.
///
/// # Errors
/// A message about the first invalid option.
pub fn check(options: &Options) -> Result<(), String> {
    if let Some(partition) = &options.partition
        && !is_word(partition)
    {
        return Err(format!("{partition:?} is not the name of a partition"));
    }
    for option in &options.further {
        let name = option.split(['=', ' ']).next().unwrap_or_default();
        if !name.starts_with('-') || option.chars().any(char::is_control) {
            return Err(format!(
                "{option:?} is not an option of sbatch, as `--account=physics`"
            ));
        }
        // A short option may be followed by its value directly, and a long one may be abbreviated.
        let is_ours = RESERVED_OPTIONS
            .iter()
            .any(|ours| match ours.starts_with("--") {
                true => name.len() > 3 && ours.starts_with(name),
                false => !name.starts_with("--") && name.starts_with(ours),
            });
        if is_ours {
            return Err(format!("the option {name} of sbatch is set by Regatta"));
        }
    }
    Ok(())
}

fn is_word(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.,+@".contains(letter);
    !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain)
}

impl Script<'_> {
    /// Returns the text of the script.
    pub fn text(&self) -> String {
        let limits = self.limits;
        let mut text = String::from("#!/bin/sh\n");
        let mut line = |parts: std::fmt::Arguments<'_>| {
            let _ = writeln!(text, "{parts}");
        };
        line(format_args!(
            "# {} runs in {} jobs, each of up to {} runs, one after the other; a run has {} s.",
            self.runs, self.jobs, self.size, limits.wall
        ));
        line(format_args!(
            "# Written and submitted, from this folder, by `regatta experiment run --slurm`, which collects the results."
        ));
        line(format_args!("#SBATCH --job-name={}", self.name));
        line(format_args!(
            "#SBATCH --array=0-{}",
            self.jobs.saturating_sub(1)
        ));
        line(format_args!("#SBATCH --nodes=1 --ntasks=1"));
        line(format_args!("#SBATCH --cpus-per-task={}", limits.cores));
        if let Some(memory) = limits.memory {
            let memory = (keeper::hard_memory(memory) >> 20).saturating_add(OWN_MEMORY);
            line(format_args!("#SBATCH --mem={memory}M"));
        }
        let seconds =
            JOB_OVERHEAD_SECONDS + self.size as f64 * (limits.wall + RUN_OVERHEAD_SECONDS);
        line(format_args!("#SBATCH --time={}", duration(seconds)));
        line(format_args!(
            "# Runs of a failed node are submitted again by the collector, which counts how often."
        ));
        line(format_args!("#SBATCH --no-requeue"));
        line(format_args!("#SBATCH --output=output/%a.txt"));
        if let Some(partition) = &self.options.partition {
            line(format_args!("#SBATCH --partition={partition}"));
        }
        for option in &self.options.further {
            line(format_args!("#SBATCH {option}"));
        }
        line(format_args!(
            "\n# A job makes the runs that runs/NUMBER.json lists, and adds the results to runs/NUMBER.jsonl."
        ));
        let mut call = format!(
            "exec {} experiment work . --chunk \"$SLURM_ARRAY_TASK_ID\"",
            quoted(&self.program.display().to_string())
        );
        for argument in &self.arguments {
            let _ = write!(call, " {}", quoted(argument));
        }
        line(format_args!("{call}"));
        text
    }
}

/// Formats a time for Slurm, rounded up to minutes: `2-03:04:00`.
fn duration(seconds: f64) -> String {
    let minutes = (seconds / 60.0).ceil().max(1.0) as u64;
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    match days {
        0 => format!("{hours:02}:{minutes:02}:00"),
        days => format!("{days}-{hours:02}:{minutes:02}:00"),
    }
}

/// Quotes a word for the shell.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=+,".contains(letter);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn options(partition: Option<&str>, further: &[&str]) -> Options {
        Options {
            partition: partition.map(str::to_owned),
            further: further.iter().map(|&option| option.to_owned()).collect(),
            jobs: 1000,
            interval: Duration::from_secs(10),
        }
    }

    #[test]
    fn slurm_scripts_say_the_limits() {
        let limits = Limits {
            wall: 900.0,
            cpu: None,
            memory: Some(15000),
            cores: 4,
        };
        let script = Script {
            name: "regatta-e-1",
            runs: 1000,
            jobs: 10,
            size: 100,
            limits: &limits,
            options: &options(Some("long"), &["--account=physics"]),
            program: Path::new("/opt/it's here/regatta"),
            arguments: vec!["--pages".to_owned()],
        };
        let text = script.text();
        for line in [
            "#SBATCH --array=0-9",
            "#SBATCH --cpus-per-task=4",
            "#SBATCH --mem=16628M",
            "#SBATCH --time=1-01:06:00",
            "#SBATCH --partition=long",
            "#SBATCH --account=physics",
            "exec '/opt/it'\\''s here/regatta' experiment work . --chunk \"$SLURM_ARRAY_TASK_ID\" --pages",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        // `sbatch` does not read options after the first command.
        let (head, _) = text.split_once("exec").expect("a command");
        assert!(
            head.lines()
                .all(|line| line.is_empty() || line.starts_with('#'))
        );
    }

    #[test]
    fn slurm_reserved_options_are_refused() {
        for (partition, further) in [
            (Some("a b"), vec![]),
            (Some("--x"), vec![]),
            (Some(""), vec![]),
            (None, vec!["physics"]),
            (None, vec!["--account=a\n#SBATCH --array=0-9"]),
            (None, vec!["--array=0-5"]),
            (None, vec!["--arr=0-5"]),
            (None, vec!["-a0-5"]),
            (None, vec!["-J", "name"]),
            (None, vec!["--clusters=all"]),
        ] {
            assert!(
                check(&options(partition, &further)).is_err(),
                "{partition:?} {further:?}"
            );
        }
        let good = [
            "--account=physics",
            "--time=60",
            "-A physics",
            "--constraint=a&b",
            "--exclusive",
        ];
        assert_eq!(check(&options(Some("long,short"), &good)), Ok(()));
    }

    #[test]
    fn slurm_times_are_whole_minutes() {
        assert_eq!(duration(61.0), "00:02:00");
        assert_eq!(duration(86400.0 * 2.0 + 3600.0), "2-01:00:00");
    }
}
