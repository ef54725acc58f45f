//! Experiments: measured runs of `regatta verify` on many tasks, and the evaluation of their results.
//!
//! A run is a separate process, started anew: this module shares no memory with an engine.
//!
//! * [`definition`]: the experiment's file, its tasks, the builds of the verifier, and the scores of verdicts.
//! * [`running`]: makes the runs on this machine; [`slurm`]: on a cluster.
//! * [`results`]: the records of runs, their folders and counters.
//! * [`evaluation`]: tables, comparisons, plots, and a page with all of them.
//! * [`learn`]: learns openings from runs of single analyses.
//! * [`benchexec`]: export and import of BenchExec's result files.

pub mod benchexec;
pub mod definition;
pub mod evaluation;
pub mod learn;
pub mod results;
pub mod running;
pub mod slurm;
