//! The engines: one module each.
//!
//! Each has options, which implement [`Engine`] ([`engine`]); [`registry`] has one line for each. Engines do not import one
//! another, with these exceptions: those that guess sample runs of [`simulate`]; [`cegar`] runs [`data_flow`] or
//! [`k_induction`] on path programs; [`predicate`] runs [`bmc`] or
//! [`k_induction`] where blocks never end.
//!
//! * [`simulate`]: the interpreter on boundary, random and mutated inputs.
//! * [`exhaustive`]: enumeration of all runs, where inputs have few values that make a difference.
//! * [`boxes`]: branch and bound over inputs in interval arithmetic.
//! * [`bmc`]: bounded model checking; [`k_induction`]: k-induction and KIPDR, with its lifting of states; [`unrolling`]: the
//!   unrolling that these two share.
//! * [`unwind`]: symbolic execution with merging of states, each loop up to a limit.
//! * [`cegar`]: the refinement loop of lazy abstraction, whose operators are chosen; [`predicate_abstraction`]: lazy predicate
//!   abstraction, and [`impact`]: lazy abstraction with interpolants, two choices; [`predicate`]: all choices, and [`bmc`] and
//!   [`k_induction`], where blocks never end.
//! * [`ufo`]: an unrolling whose paths join, refined by interpolants of all its paths at once.
//! * [`ctigar`]: IC3 on predicates.
//! * [`horn`]: constrained Horn clauses with summaries of recursive functions, solved by Z3's SPACER; [`horn_clauses`]:
//!   the translation of the program to such clauses, and of solutions back to the program.
//! * [`spacer`]: automatic abstraction of Horn clauses with counters for loops, which Z3's SPACER solves.
//! * [`summaries`]: summaries of recursive functions, guessed and then proved.
//! * [`data_flow`]: invariants by abstract interpretation and by proved guesses, continuously refined; [`states`]: the
//!   combinations of values of variables that have few; [`fits`]: contents of arrays; [`polynomials`]: equations between
//!   variables that are multiplied; [`objects`]: objects on the heap. They share [`invariants::rounds`].
//! * [`invariants`]: candidates for invariants and their provers; what is proved is exchanged by [`regatta_sharing`].

pub mod bmc;
pub mod boxes;
mod cegar;
pub mod ctigar;
pub mod data_flow;
pub mod engine;
#[cfg(test)]
mod exchange_table;
pub mod exhaustive;
pub mod fits;
pub mod horn;
mod horn_clauses;
pub mod impact;
pub mod invariants;
pub mod k_induction;
pub mod objects;
pub mod polynomials;
pub mod predicate;
pub mod predicate_abstraction;
mod registry;
pub mod simulate;
pub mod spacer;
pub mod states;
pub mod summaries;
#[cfg(test)]
mod testing;
pub mod ufo;
pub mod unrolling;
pub mod unwind;

pub use self::engine::{Engine, Lowered, Recursion, Registration, Report, Statistic, Subject};
pub use self::registry::AnyEngine;

/// What every engine has to do with.
pub(crate) use regatta_sharing::{
    AbstractionStep, Answer, CancellationToken, Context, Progress, SolverFactory,
};
