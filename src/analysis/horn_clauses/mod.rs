//! The program as constrained Horn clauses, and the use of their solutions and refutations; shared by the engines that
//! solve Horn clauses.
//!
//! * [`encode`](mod@encode): the clauses; [`resolve`]: elimination of predicates.
//! * [`integers`]: translation of the clauses to integers and of solutions back to bit vectors; [`ranges`]: the integer
//!   variables that need range constraints.
//! * [`solution`]: conversion of a solution to a certificate; [`counterexample`]: conversion of a refutation to a run.

pub mod counterexample;
pub mod encode;
pub mod integers;
mod ranges;
pub mod resolve;
mod solution;
