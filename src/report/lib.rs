//! What a run was and what it found, for other tools and for people.
//!
//! Everything is made from the run's events, which are what `--json` prints, and from the sources that they name. The
//! supervisor's process does it when the answer is known: it outlives the race, however that ends.
//!
//!
//! * [`recording`]: the events of a run, gathered.
//! * [`place`], [`sources`]: places in the sources, and the lines there.
//! * [`utc`]: moments in universal time.
//! * [`path`]: the way to an error, step by step.
//! * [`sarif`]: SARIF 2.1.0, for tools that show findings.
//! * [`html`]: a page for a browser.
//! * [`witness`]: from what the answer rests on, which only the race's process has.

pub mod html;
pub mod path;
pub mod place;
pub mod recording;
pub mod sarif;
pub mod sources;
pub mod utc;
pub mod witness;

pub use recording::{Ending, Recording};
