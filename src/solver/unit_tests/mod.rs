//! Tests of all solvers: what the trait promises, agreement among the solvers, the build of the libraries.

mod comparison;
pub(super) mod contract;
mod toolchain;
