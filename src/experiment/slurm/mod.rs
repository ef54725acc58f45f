//! Experiments on a cluster with Slurm: jobs make the runs, a collector collects the results.
//!
//! The collector divides the missing runs into chunks and submits them as job arrays, one chunk for each job. A job makes its
//! runs one after the other, with the keepers of `running/runner.rs`, and adds each to its own journal. The collector reads the
//! journals, adds new results to `results.jsonl`, and regularly queries the jobs from Slurm: the runs that a
//! job has not made before its end are submitted again. So the collector may end at any time, and the next one continues from
//! the files. Nothing depends on file locks between machines, or on Slurm's accounting, which many clusters do not have. Late
//! results are accepted, but only the first result that is read of a run counts.
//!
//! In the folder of the results:
//!
//! * `slurm/name`: the common name of the experiment's jobs, to which the number of the submission is appended, and the
//!   experiment's hash ([`cluster_folder`]).
//! * `slurm/N/job.sh`: the script of the Nth submission; `slurm/N/job`: the number that Slurm gave it.
//! * `slurm/N/runs/K.json`: the runs of its Kth job; `slurm/N/runs/K.jsonl`: the job's [`journal`].
//! * `slurm/N/output/K.txt`: the output of the job; `slurm/N/over.jsonl`: the jobs that have ended, and how.
//!
//! The folder, the tasks and the program must have the same paths on all machines.
//!
//! * [`collector`]: submits and collects; [`watch`]: the state of the jobs; [`submission`]: the files of one submission;
//!   [`script`]: its script.
//! * [`worker`]: the work of a job; [`journal`]: its journal.
//! * [`command`]: calls of Slurm's programs.

pub mod cluster_folder;
pub mod collector;
pub mod command;
pub mod journal;
pub mod script;
pub mod submission;
pub mod watch;
pub mod worker;

use std::time::Duration;

/// The options of jobs on the cluster.
#[derive(Clone, Debug)]
pub struct Options {
    /// The partition in which the jobs run; if not given, Slurm chooses it.
    pub partition: Option<String>,
    /// Further options of `sbatch` for the script.
    pub further: Vec<String>,
    /// Maximum number of jobs that are submitted together.
    pub jobs: usize,
    /// Interval between two queries to Slurm.
    pub interval: Duration,
}
