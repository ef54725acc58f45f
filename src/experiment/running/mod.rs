//! The runs of an experiment on this machine.
//!
//! * [`preparation`]: the experiment on this machine; [`plan`]: its runs.
//! * [`runner`]: makes the runs, each under a [`keeper`]; [`accounting`] measures CPU time and memory; [`machine`]: cores and
//!   memory; [`observed`]: what a run's output says; [`display`]: the progress.

pub mod accounting;
pub mod display;
pub mod keeper;
pub mod machine;
pub mod observed;
pub mod plan;
pub mod preparation;
pub mod runner;
