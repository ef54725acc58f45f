//! Tests of the interpreter: programs made by hand, and random programs against the evaluation of terms.

mod acceleration;
mod agreement;
mod memory;
mod runs;
