//! Submission of jobs for the missing runs.

use std::time::{Duration, Instant};

use super::{Collector, counted};
use crate::results::record::Key;
use crate::slurm::command;
use crate::slurm::script::Script;
use crate::slurm::submission::Submission;
use regatta_base::Error;

/// Maximum number of consecutive failures of `sbatch` while no job of the experiment is there.
const MAXIMUM_REFUSALS: usize = 5;

/// Minimum time to wait after a failure of `sbatch`.
const MINIMUM_RETRY_TIME: Duration = Duration::from_secs(30);

/// Minimum time of a job, in seconds, unless it has all runs.
const MINIMUM_JOB_SECONDS: f64 = 60.0;

impl Collector<'_> {
    /// Submits the runs that no job makes.
    pub(super) fn submit(&mut self) -> Result<(), Error> {
        if self.not_before.is_some_and(|time| Instant::now() < time) {
            return Ok(());
        }
        let open = self.open_runs();
        if open.is_empty() {
            return Ok(());
        }
        let size = chunk_size(open.len(), self.expected_time(), self.options.jobs);
        let chunks: Vec<&[Key]> = open.chunks(size).collect();
        for group in chunks.chunks(self.array_size) {
            if !self.submit_array(group, size)? {
                break;
            }
        }
        Ok(())
    }

    /// Returns the runs to submit in the order of the plan, those that were lost once first.
    fn open_runs(&self) -> Vec<Key> {
        let expected = self.watch.expected();
        let lost = self.watch.lost();
        let keys = self.planned.iter().map(|run| &run.key);
        let mut open: Vec<&Key> = keys
            .filter(|key| !self.done.contains(*key) && !expected.contains(*key))
            .collect();
        open.sort_by_key(|key| !lost.contains_key(*key));
        open.into_iter().cloned().collect()
    }

    /// Returns the expected wall time of a run in seconds: the mean of the known ones, or else the limit.
    fn expected_time(&self) -> f64 {
        match self.walls {
            (0, _) => self.description.fixed.limits.wall,
            (runs, walls) => walls / runs as f64,
        }
    }

    /// Submits chunks. Returns false if Slurm does not accept them now.
    fn submit_array(&mut self, chunks: &[&[Key]], size: usize) -> Result<bool, Error> {
        let number = (self.watch.submissions.last()).map_or(1, |known| known.number + 1);
        let name = format!("{}-{number}", self.name);
        let runs: usize = chunks.iter().map(|chunk| chunk.len()).sum();
        let text = Script {
            name: &name,
            runs,
            jobs: chunks.len(),
            size: size.min(runs),
            limits: &self.description.fixed.limits,
            options: self.options,
            program: &self.program,
            arguments: self.arguments.clone(),
        }
        .text();
        let submission = Submission::create(&self.home, number, name, chunks, &text);
        let mut submission = submission.map_err(|error| self.system(&error))?;
        let script = submission.path.join("job.sh");
        match command::submit(&submission.path) {
            Ok(job) => {
                let written = submission.set_job(&job);
                written.map_err(|error| self.system(&error))?;
                let message = format!(
                    "submitted: {} in {} (number {job}, {})",
                    counted(runs, "run"),
                    counted(chunks.len(), "job"),
                    script.display()
                );
                self.display.say(&message);
                self.refusals = 0;
                self.not_before = None;
                self.ours.push(self.watch.submissions.len());
                self.watch.submissions.push(submission);
                Ok(true)
            }
            Err(message) if self.watch.live_arrays().is_empty() && self.refusals == 0 => {
                let _ = std::fs::remove_dir_all(&submission.path);
                Err(self.error(message))
            }
            Err(message) => {
                // Slurm may have accepted it all the same; the next query shows whether its jobs exist.
                self.watch.submissions.push(submission);
                self.refuse(message)
            }
        }
    }

    /// Handles a failure of `sbatch`.
    fn refuse(&mut self, message: String) -> Result<bool, Error> {
        self.refusals += 1;
        if self.refusals >= MAXIMUM_REFUSALS && self.watch.live_arrays().is_empty() {
            return Err(self.error(message));
        }
        if self.refusals == 1 {
            self.display
                .say(&format!("{message}; the missing runs are submitted later"));
        }
        self.not_before = Some(Instant::now() + MINIMUM_RETRY_TIME.max(self.options.interval));
        Ok(false)
    }
}

/// Returns the number of runs of a job, given the number of all runs, their mean time, and the maximum number of jobs.
fn chunk_size(runs: usize, seconds: f64, jobs: usize) -> usize {
    /// Overhead of each run in seconds.
    const OVERHEAD_SECONDS: f64 = 0.01;
    let by_time = (MINIMUM_JOB_SECONDS / (seconds + OVERHEAD_SECONDS)).ceil() as usize;
    let by_number = runs.div_ceil(jobs.max(1));
    by_time.max(by_number).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slurm_jobs_take_a_minute() {
        assert_eq!(chunk_size(40, 10.0, 1000), 6);
        assert_eq!(chunk_size(40, 900.0, 1000), 1);
        assert_eq!(chunk_size(150_000, 900.0, 1000), 150);
        assert_eq!(chunk_size(1, 0.0, 1), 6000);
        assert_eq!(chunk_size(0, f64::NAN, 0), 1);
    }
}
