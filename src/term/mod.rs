//! Hash-consed terms.

pub mod op;
pub mod sort;

pub use op::{Op, RoundingMode};
pub use sort::{FloatFormat, ScalarSort, Sort};

/// A hash-consed term.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(std::num::NonZeroU32);

/// A variable's name and sort, interned.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);
