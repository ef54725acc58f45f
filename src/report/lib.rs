//! Reports of a run, for other tools and for people.
//!
//! SARIF and HTML are made from the run's events (those of `--json`) and the source files that they name. The
//! supervisor's process writes them when the answer is known, because it outlives the race however that ends.
//!
//! * [`recording`]: the recorded events of a run.
//! * [`place`], [`sources`]: places in the sources, and the source lines.
//! * [`utc`]: timestamps in universal time.
//! * [`error_path`]: the path to an error, step by step.
//! * [`sarif`]: SARIF 2.1.0.
//! * [`html`]: a page for a browser.
//! * [`witness`]: witnesses, made from the grounds of the answer, which only the race's process has.

pub mod error_path;
pub mod html;
pub mod place;
mod recording;
pub mod sarif;
pub mod sources;
pub mod utc;
pub mod witness;

pub use recording::{Ending, Recording};
