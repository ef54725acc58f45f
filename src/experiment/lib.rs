//! Experiments: measured runs of `regatta verify` on many tasks, and the evaluation of their results.
//!
//! A run is a separate process, started anew: this module shares no memory with an engine.
//!
//! * [`definition`]: the experiment's file; [`selection`]: its tasks; [`plan`]: its runs; [`score`]: the scores of verdicts.
//! * [`preparation`]: the experiment on this machine; [`runner`]: makes the runs, each under a [`keeper`]; [`accounting`]:
//!   measures CPU time and memory; [`machine`]: cores and memory; [`programs`]: builds of the verifier; [`display`]: the
//!   progress.
//! * [`slurm`]: makes the runs on a cluster.
//! * [`folder`]: the results, a [`record`] for each run, made from the run's output ([`observed`]).
//! * [`data`]: the runs of several folders; [`table`], [`compare`], with [`statistics`]; [`plot`]; [`page`]: a page with all
//!   of them.
//! * [`learn`]: learns openings from runs of single analyses.
//! * [`figure`]: counters by name, for tables.
//! * [`benchexec`]: export and import of BenchExec's result files.

pub mod accounting;
pub mod benchexec;
pub mod compare;
pub mod data;
pub mod definition;
pub mod display;
pub mod figure;
pub mod folder;
pub mod keeper;
pub mod learn;
pub mod machine;
pub mod observed;
pub mod page;
pub mod plan;
pub mod plot;
pub mod preparation;
pub mod programs;
pub mod record;
pub mod runner;
pub mod score;
pub mod selection;
pub mod slurm;
pub mod statistics;
pub mod table;
