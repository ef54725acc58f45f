//! The state of the jobs, from their files and from Slurm.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use super::command::{CANCELLED, PREEMPTED, Row};
use super::submission::{Submission, TaskState};
use crate::results::record::{Key, Record};

/// The submissions of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    pub submissions: Vec<Submission>,
    /// The reasons why jobs wait, with the numbers of jobs.
    pub reasons: BTreeMap<String, usize>,
}

/// The changes by an answer of Slurm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub over: Vec<Over>,
    /// A job that was cancelled, such as `12_3`.
    pub cancelled: Option<String>,
}

/// A job that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Over {
    /// The index of its submission, and of the job in it.
    pub submission: usize,
    pub task: usize,
    /// Whether it was cancelled or preempted, so that its runs are not at fault.
    pub is_excused: bool,
    /// Its ending in Slurm's words, such as `NODE_FAIL (NodeDown)`.
    pub ending: String,
}

impl Watch {
    /// Returns the names of submissions with jobs that may not have ended.
    pub fn names(&self) -> Vec<&str> {
        let is_live = |submission: &&Submission| submission.tasks.iter().any(|task| task.is_live());
        let live = self.submissions.iter().filter(is_live);
        live.map(|submission| submission.name.as_str()).collect()
    }

    /// Applies Slurm's answer; a job that is missing in it has ended. The journals have to be read before that is recorded,
    /// because a job that has ended has written all its results.
    pub fn apply(&mut self, rows: &[Row]) -> Change {
        let mut by_name: HashMap<&str, Vec<&Row>> = HashMap::new();
        for row in rows {
            by_name.entry(row.name.as_str()).or_default().push(row);
        }
        let mut change = Change::default();
        self.reasons.clear();
        for (number, submission) in self.submissions.iter_mut().enumerate() {
            let rows = by_name.get(submission.name.as_str());
            let mut states: HashMap<usize, Vec<&Row>> = HashMap::new();
            for row in rows.into_iter().flatten() {
                states.entry(row.task).or_default().push(row);
            }
            for (index, task) in submission.tasks.iter_mut().enumerate() {
                if !task.is_live() {
                    continue;
                }
                let rows = states.remove(&index).unwrap_or_default();
                if let Some(live) = rows.iter().find(|row| !row.is_over()) {
                    task.state = match live.is_waiting() {
                        true => TaskState::Waiting,
                        false => TaskState::Running,
                    };
                    if live.is_waiting() {
                        *self.reasons.entry(live.reason.clone()).or_default() += 1;
                    }
                    continue;
                }
                let ended_as = |state: &str| rows.iter().find(|row| row.state == state);
                let cancelled = ended_as(CANCELLED);
                let is_excused = cancelled.is_some() || ended_as(PREEMPTED).is_some();
                change.over.push(Over {
                    submission: number,
                    task: index,
                    is_excused,
                    ending: ending(&rows),
                });
                if let Some(row) = cancelled {
                    change
                        .cancelled
                        .get_or_insert_with(|| format!("{}_{index}", row.job));
                }
            }
        }
        change
    }

    /// Records the numbers of submissions that an earlier collector did not get from `sbatch`.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn adopt(&mut self, rows: &[Row]) -> std::io::Result<()> {
        for submission in &mut self.submissions {
            if submission.job.is_none()
                && let Some(row) = rows.iter().find(|row| row.name == submission.name)
            {
                submission.set_job(&row.job)?;
            }
        }
        Ok(())
    }

    /// Reads new lines in the journals, of all jobs that may have results left or only of running ones. Calls `hear` with each
    /// record, and `complain` with the submission of invalid lines and their number.
    ///
    /// # Errors
    /// When the system refuses to read.
    pub fn read(
        &mut self,
        done: &HashSet<Key>,
        is_only_running: bool,
        mut hear: impl FnMut(Record),
        mut complain: impl FnMut(&Path, usize),
    ) -> std::io::Result<()> {
        for submission in &mut self.submissions {
            for index in 0..submission.tasks.len() {
                let task = &submission.tasks[index];
                let may_speak = match is_only_running {
                    true => task.state == TaskState::Running,
                    false => task.made < task.keys.len(),
                };
                if !may_speak || task.keys.iter().all(|key| done.contains(key)) {
                    continue;
                }
                let (records, broken) = submission.read_journal(index)?;
                if broken > 0 {
                    complain(&submission.path, broken);
                }
                records.into_iter().for_each(&mut hear);
            }
        }
        Ok(())
    }

    /// Returns the runs of jobs that have not ended.
    pub fn expected(&self) -> HashSet<&Key> {
        let tasks = self.submissions.iter().flat_map(|known| &known.tasks);
        let live = tasks.filter(|task| task.is_live());
        live.flat_map(|task| &task.keys).collect()
    }

    /// Returns the runs during which jobs have ended, each with the nodes of these jobs.
    pub fn lost(&self) -> HashMap<&Key, Vec<&str>> {
        let mut lost: HashMap<&Key, Vec<&str>> = HashMap::new();
        for task in self.submissions.iter().flat_map(|known| &known.tasks) {
            if task.state == (TaskState::Over { is_excused: false }) {
                for (key, node) in &task.begun {
                    lost.entry(key).or_default().push(node);
                }
            }
        }
        lost
    }

    /// Returns the runs that jobs make now.
    pub fn running(&self) -> impl Iterator<Item = &Key> {
        let tasks = self.submissions.iter().flat_map(|known| &known.tasks);
        let live = tasks.filter(|task| task.is_live());
        live.flat_map(|task| task.begun.keys())
    }

    /// Returns the jobs that have runs left to make, such as `12_3`.
    pub fn unfinished(&self, rows: &[Row]) -> Vec<String> {
        let is_unfinished = |row: &&Row| {
            let named = |submission: &&Submission| submission.name == row.name;
            let submission = self.submissions.iter().find(named);
            let task = submission.and_then(|known| known.tasks.get(row.task));
            !row.is_over() && task.is_some_and(|task| task.made < task.keys.len())
        };
        let unfinished = rows.iter().filter(is_unfinished);
        unfinished
            .map(|row| format!("{}_{}", row.job, row.task))
            .collect()
    }

    /// Records all jobs as ended, so that they are not queried any more.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn close(&mut self) -> std::io::Result<()> {
        for submission in &mut self.submissions {
            for index in 0..submission.tasks.len() {
                if submission.tasks[index].is_live() {
                    submission.set_over(index, true)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the numbers of arrays with jobs that may not have ended.
    pub fn live_arrays(&self) -> Vec<&str> {
        let live = self.submissions.iter().filter(|known| {
            let mut tasks = known.tasks.iter();
            tasks.any(|task| task.is_live() && task.made < task.keys.len())
        });
        live.filter_map(|known| known.job.as_deref()).collect()
    }
}

/// Returns how a job has ended, if Slurm still knows it.
fn ending(rows: &[&Row]) -> String {
    match rows.first() {
        Some(row) if row.reason.is_empty() || row.reason == "None" => row.state.clone(),
        Some(row) => format!("{} ({})", row.state, row.reason),
        None => "Slurm does not know it any more".to_owned(),
    }
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

    fn row(task: usize, state: &str) -> Row {
        Row {
            job: "9".to_owned(),
            task,
            state: state.to_owned(),
            name: "e-1".to_owned(),
            reason: "Resources".to_owned(),
        }
    }

    #[test]
    fn slurm_answers_tell_which_jobs_are_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let keys: Vec<Key> = (0..6).map(key).collect();
        let chunks: Vec<&[Key]> = keys.chunks(1).collect();
        let made = Submission::create(folder.path(), 1, "e-1".to_owned(), &chunks, "");
        let mut watch = Watch {
            submissions: vec![made.expect("a submission")],
            ..Watch::default()
        };
        assert_eq!(watch.names(), ["e-1"]);
        let rows = [
            row(0, "RUNNING"),
            row(1, "PENDING"),
            row(2, "NODE_FAIL"),
            // The job was requeued: its first start has ended.
            row(3, "NODE_FAIL"),
            row(3, "PENDING"),
            row(4, "PREEMPTED"),
        ];
        watch.adopt(&rows).expect("written");
        assert_eq!(watch.submissions[0].job.as_deref(), Some("9"));
        let change = watch.apply(&rows);
        let over: Vec<(usize, bool, &str)> = change
            .over
            .iter()
            .map(|over| (over.task, over.is_excused, over.ending.as_str()))
            .collect();
        assert_eq!(
            over,
            [
                (2, false, "NODE_FAIL (Resources)"),
                (4, true, "PREEMPTED (Resources)"),
                (5, false, "Slurm does not know it any more"),
            ]
        );
        assert_eq!(change.cancelled, None);
        assert_eq!(watch.reasons["Resources"], 2);
        for over in change.over {
            let submission = &mut watch.submissions[over.submission];
            let written = submission.set_over(over.task, over.is_excused);
            written.expect("written");
        }
        let expected = watch.expected();
        assert_eq!(expected.len(), 3);
        assert!(expected.contains(&key(3)) && !expected.contains(&key(2)));
        let change = watch.apply(&[row(0, "RUNNING"), row(1, "CANCELLED"), row(3, "PENDING")]);
        assert_eq!(change.cancelled.as_deref(), Some("9_1"));
        assert_eq!((change.over.len(), change.over[0].task), (1, 1));
        watch.submissions[0].tasks[3].made = 1;
        let rows = [row(0, "RUNNING"), row(1, "CANCELLED"), row(3, "RUNNING")];
        assert_eq!(watch.unfinished(&rows), ["9_0"]);
        watch.close().expect("written");
        assert!(watch.names().is_empty());
    }

    #[test]
    fn slurm_lost_runs_count_unless_the_job_was_cancelled() {
        let folder = tempfile::tempdir().expect("a folder");
        let keys = [key(0), key(1)];
        let mut watch = Watch::default();
        for (number, is_excused) in [(1, false), (2, true), (3, false)] {
            let made = Submission::create(folder.path(), number, "e".to_owned(), &[&keys], "");
            let mut made = made.expect("a submission");
            let node = format!("node-{number}");
            made.tasks[0].begun.insert(key(0), node);
            made.set_over(0, is_excused).expect("written");
            watch.submissions.push(made);
        }
        let lost = watch.lost();
        assert_eq!(lost.len(), 1);
        assert_eq!(lost[&key(0)], ["node-1", "node-3"]);
    }
}
