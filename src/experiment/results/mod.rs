//! The results of runs.
//!
//! * [`folder`]: the folder of an experiment's results, with a [`record`] for each run.
//! * [`data`]: the runs of several folders; [`figure`]: counters by name.

pub mod data;
pub mod figure;
pub mod folder;
pub mod record;
