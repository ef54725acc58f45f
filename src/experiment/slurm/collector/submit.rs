//! What is submitted, and when.

use std::time::{Duration, Instant};

use super::{Collector, counted};
use crate::record::Key;
use crate::slurm::command;
use crate::slurm::script::Script;
use crate::slurm::submission::Submission;
use regatta_base::Error;

/// So often `sbatch` may fail in a row while no job of ours is there.
const REFUSALS: usize = 5;

/// How long it waits, at least, after `sbatch` has failed.
const PAUSE: Duration = Duration::from_secs(30);

/// A job is to take at least so long, in seconds.
const LEAST_TIME: f64 = 60.0;

impl Collector<'_> {
    /// Submits the runs that no job is going to make.
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

    /// In the order of the plan, but those that were lost once before the others.
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

    /// What a run takes: the mean of those that are known, else its limit. In seconds.
    fn expected_time(&self) -> f64 {
        match self.walls {
            (0, _) => self.description.fixed.limits.wall,
            (runs, walls) => walls / runs as f64,
        }
    }

    /// Submits chunks; false if Slurm does not want them now.
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
                // Slurm may have taken it all the same, and then it is among the jobs the next time; else it is over.
                self.watch.submissions.push(submission);
                self.refuse(message)
            }
        }
    }

    /// `sbatch` has failed.
    fn refuse(&mut self, message: String) -> Result<bool, Error> {
        self.refusals += 1;
        if self.refusals >= REFUSALS && self.watch.live_arrays().is_empty() {
            return Err(self.error(message));
        }
        if self.refusals == 1 {
            self.display
                .say(&format!("{message}; what is missing is submitted later"));
        }
        self.not_before = Some(Instant::now() + PAUSE.max(self.options.interval));
        Ok(false)
    }
}

/// How many runs a job makes one after the other, if they take so long on the average.
fn chunk_size(runs: usize, seconds: f64, jobs: usize) -> usize {
    /// What each run costs beside its time.
    const BESIDE: f64 = 0.01;
    let by_time = (LEAST_TIME / (seconds + BESIDE)).ceil() as usize;
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
