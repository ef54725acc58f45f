//! What every crate of Regatta may use, and what knows nothing of verification.
//!
//! * [`diagnostic`]: errors with the place and the source line, and warnings; [`source`]: source positions.
//! * [`printable`]: text that is safe to print on a terminal; [`digest`]: SHA-256.
//! * [`options`](mod@options): options that a user can set.
//! * [`counters`]: what the analyses count, where the supervisor can read it.
//! * [`workers`]: more threads for one analysis, where cores are idle.
//! * [`process`]: times and memory of processes and of the machine.
//! * [`huge_pages`]: when the system's huge pages are worth their price; [`time_slice`]: the kernel's time slices.

pub mod counters;
pub mod diagnostic;
pub mod digest;
pub mod huge_pages;
pub mod options;
pub mod printable;
pub mod process;
pub mod source;
pub mod time_slice;
pub mod workers;

pub use diagnostic::{Error, ErrorKind, Place, Style, Warning};
pub use source::{FileId, SourceMap, Span};
