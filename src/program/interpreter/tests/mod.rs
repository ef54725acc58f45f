//! The interpreter's tests: programs made by hand, and random ones against the terms' own evaluation.

mod acceleration;
mod agreement;
mod memory;
mod runs;
