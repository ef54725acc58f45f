//! Experiments: many runs of `regatta verify`, measured, and what comes of them.
//!
//! A run is a process of its own, started anew: nothing here shares memory with an engine.
//!
//! * [`definition`]: the experiment's file; [`selection`]: its tasks; [`plan`]: its runs; [`score`]: what a verdict is worth.
//! * [`preparation`]: what the file means here; [`runner`]: makes the runs, each with a [`keeper`]; [`accounting`]: what a run uses; [`machine`]: what there is to use;
//!   [`programs`]: builds of the verifier; [`display`]: how far it is.
//! * [`slurm`]: has a cluster make the runs.
//! * [`folder`]: the results, a [`record`] a run, made from what the run said ([`observed`]).
//! * [`data`]: the runs of several folders; [`table`], [`compare`], with [`statistics`]; [`plot`]; [`page`] has all of it.
//! * [`learn`]: from runs of single analyses to who goes first in a race.
//! * [`figure`]: counters by name, for tables.
//! * [`benchexec`]: result files of BenchExec, written and read.

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
