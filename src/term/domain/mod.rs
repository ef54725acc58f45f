//! Abstract domains of numbers (\[CC77\]), and the abstract evaluation of terms.
//!
//! A set of numbers is a union of intervals (\[GC10\], but for each term separately) and a
//! congruence (\[Gra89\]). The simplifier uses it with one interval for each variable, the value analysis with full precision.
//! Concolic execution keeps the inputs for which runs are known in exact sets, which are never over-approximated.
//!
//! * [`set`]: exact sets of integers; [`intervals`]: sets of one sort's numbers, of few intervals;
//!   [`congruence`](mod@congruence): their remainders; [`abstract_value`]: both together.
//! * [`transfer`], [`division`], [`bitwise`]: their transfer functions.
//! * [`floats`]: sets of floats; [`float_transfer`]: their transfer functions.
//! * [`environment`]: evaluation of terms in a state; [`condition`]: assumption of conditions; [`backward`]: backward
//!   transfer functions; [`view`]: signed and unsigned numbers.
//!
//! The bounds of the integer encoding do not use these domains: they bound integers of any
//! size, each in a term that stands for a bit vector modulo a power of two.

pub mod abstract_value;
mod backward;
mod bitwise;
mod condition;
pub mod congruence;
mod division;
pub mod environment;
pub mod float_transfer;
pub mod floats;
pub mod intervals;
mod limits;
pub mod set;
#[cfg(test)]
pub(crate) mod tests;
mod transfer;
mod view;

pub use abstract_value::AbstractValue;
pub use congruence::Congruence;
pub use environment::{Environment, Values};
pub use floats::FloatSet;
pub use intervals::{INFINITY, Intervals, Thresholds, Universe};
pub use set::{IntervalSet, Span};
