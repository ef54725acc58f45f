//! The program as constrained Horn clauses, and what comes of their solutions and refutations: what the engines that solve
//! them share.
//!
//! * [`encode`](mod@encode): the clauses; [`resolve`]: fewer predicates; [`integers`]: clauses over integers, and back; [`ranges`]: which of these need one.
//! * [`solution`]: from a solution to a certificate; [`counterexample`]: from a refutation to a run.

pub mod counterexample;
pub mod encode;
pub mod integers;
mod ranges;
pub mod resolve;
mod solution;
