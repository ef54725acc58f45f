//! Candidates for invariants, and their proofs.
//!
//! A prover shows that candidates are inductive: [`houdini`], [`states`], and k-induction ([`super::k_induction`]), whose
//! prover is part of the engine because it needs unrollings. Others get what is proved by
//! [`regatta_sharing::Exchange`].
//!
//! # Publishers and consumers
//! The invariants of every engine reach all engines: there is one store, and consumers ([`regatta_sharing::taken`]) do not
//! distinguish publishers. Each pair of a publisher and a consumer has a test (`engines/exchange_table.rs`).
//!
//! * Data flow (fixpoints, guesses), `fits` (cells of arrays), `polynomials`, `objects` and `states` (combinations of values)
//!   prove their invariants themselves, since the models that refute one guess suggest the next. Each fixpoint of data flow
//!   assumes the known invariants.
//! * KIPDR proves its obligations itself, since the next counterexample depends on them; it offers those that it gives up.
//! * CTIGAR proves the clauses of its last frame itself, for the infinite frame, and offers the others. It takes
//!   invariants at each obligation, for all frames.
//! * Predicate abstraction and IMPACT offer their predicates, interpolants and abstract states. They take invariants at each
//!   refinement, as part of each abstraction.
//! * SPACER offers lemmas without counters. It takes invariants as part of the clauses: Z3's engine takes no more while it
//!   runs, so it starts again, each time after four times as long.
//! * The Horn engine takes invariants as part of the clauses, at each query.
//! * k-induction and KIPDR take invariants in the step case when a model violates them; like BMC, they take them in the
//!   base case when the model of an alarm violates them.
//!
//! The other kinds of messages have one rule each ([`regatta_sharing`]): predicates, bounded results, and reached states, which
//! the first engine that samples runs finds for all ([`samples`]).
//!
//! Simulation and exhaustive exploration neither have nor use invariants. For recursive programs, nothing is shared:
//! invariants are about locations with their calls inlined.
//!
//! # Modules
//! * [`samples`]: states of concrete runs, which refute candidates without a solver and suggest others.
//! * [`views`](mod@views): cells of arrays by the numbers that the program computes their indices from.
//! * [`guess`]: candidates from samples, more of them with each round.
//! * [`rounds`]: rounds of candidates, the frame of the engines that generate invariants.
//! * [`houdini`]: the largest inductive subset of candidates, over [`regatta_entailment`].
//! * [`states`]: the reachable values of [`features`] that have few, and formulas for such sets ([`tuples`]).
//! * [`mod@asserted`]: candidates from the program's assertions.
//! * [`prover`]: the prover of candidates that engines do not prove themselves; [`closing`]: the targets that proved invariants
//!   exclude, of whichever engine.

mod asserted;
mod closing;
mod contents;
mod features;
pub(crate) mod guess;
pub(crate) mod houdini;
pub mod prover;
pub(crate) mod rounds;
pub(crate) mod samples;
pub(crate) mod states;
#[cfg(test)]
mod tests;
mod tuples;
pub(crate) mod views;

pub use asserted::asserted;
