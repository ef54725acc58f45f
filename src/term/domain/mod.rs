//! Abstract domains of numbers (Cousot and Cousot, POPL 1977), and terms evaluated in them.
//!
//! A set of numbers is a union of intervals (Gurfinkel and Chaki, Boxes, SAS 2010, but each term for itself) and a
//! congruence (Granger 1989). Whoever asks what values a term can have asks here: the simplifier, which keeps one interval
//! of each variable, and the value analysis, which keeps all that there is. Concolic execution has inputs for which runs
//! are known: these sets are the exact ones, which nothing rounds up.
//!
//! * [`set`]: exact sets of integers; [`intervals`]: sets of one sort's numbers, of few intervals;
//!   [`congruence`](mod@congruence): their remainders; [`value`]: both together.
//! * [`transfer`], [`division`], [`bitwise`]: what operators make of them.
//! * [`floats`]: sets of floats; [`float_transfer`]: what operators make of them.
//! * [`environment`]: terms in a state; [`condition`]: conditions that hold in it; [`backward`]: what a term's value says
//!   of its parts; [`view`]: signed and unsigned numbers.
//!
//! What looks alike but is not: the bounds of the [integer encoding](crate::solver::integer_encoding) are of integers of any
//! size, each with a term that stands for a bit vector modulo a power of two.

mod backward;
mod bitwise;
mod condition;
pub mod congruence;
mod division;
pub mod environment;
pub mod float_transfer;
pub mod floats;
pub mod intervals;
pub mod set;
#[cfg(test)]
pub(crate) mod tests;
mod transfer;
pub mod value;
mod view;

pub use congruence::Congruence;
pub use environment::{Environment, Values};
pub use floats::FloatSet;
pub use intervals::{INFINITY, Intervals, Thresholds, Universe};
pub use set::{IntervalSet, Span};
pub use value::AbstractValue;
