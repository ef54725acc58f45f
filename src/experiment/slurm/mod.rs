//! Experiments on a cluster that Slurm gives out: who makes the runs is not who collects them.
//!
//! The collector cuts the runs that are missing into chunks and submits them as job arrays, a chunk a job. A job makes its runs one
//! after the other, with the keepers of [`super::runner`], and adds each to a file of its own. The collector reads these files, adds what is
//! new to the one `results.jsonl`, and asks Slurm now and then which jobs there are: what a job that is no more has not
//! made is submitted again. So the collector may end at any time, and the next one goes on from the files; nothing depends on locks
//! of files between machines, or on Slurm's accounting, which many clusters do not have. Who is late is heard, too, but
//! whichever result of a run is read first is the only one that counts.
//!
//! Below the folder of the results:
//!
//! * `slurm/name`: what all jobs of the experiment are called, with the number of the submission behind it; and which experiment it is ([`home`]).
//! * `slurm/N/job.sh`: the script of the Nth submission; `slurm/N/job`: the number that Slurm gave it.
//! * `slurm/N/runs/K.json`: the runs of its Kth job; `slurm/N/runs/K.jsonl`: what came of them ([`journal`]).
//! * `slurm/N/output/K.txt`: what the job said; `slurm/N/over.jsonl`: which jobs are over, and how.
//!
//! The folder, the tasks and the program have to be at the same place on all machines.
//!
//! * [`collector`]: who submits and collects; [`watch`]: what is known of the jobs; [`submission`]: the files of one submission;
//!   [`script`]: its script.
//! * [`worker`]: what a job does; [`journal`]: what it writes.
//! * [`command`]: Slurm's own programs.

pub mod collector;
pub mod command;
pub mod home;
pub mod journal;
pub mod script;
pub mod submission;
pub mod watch;
pub mod worker;

use std::time::Duration;

/// What is asked of the cluster.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the jobs run; if not given, where Slurm puts them.
    pub partition: Option<String>,
    /// Further options of `sbatch`, which go into the script.
    pub further: Vec<String>,
    /// Into at most so many jobs runs are cut that are submitted together.
    pub jobs: usize,
    /// How often Slurm is asked for the jobs.
    pub interval: Duration,
}
