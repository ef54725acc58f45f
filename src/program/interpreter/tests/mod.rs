//! The interpreter's tests: programs made by hand, and random ones against the terms' own evaluation.

mod agreement;
mod leaps;
mod memory;
mod runs;
