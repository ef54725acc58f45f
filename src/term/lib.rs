//! Hash-consed terms: the language in which programs, queries and invariants are written.
//!
//! A term is a constant, a variable, or an operator ([`Op`], SMT-LIB's) applied to terms. It is immutable and identified by
//! a number, a [`TermId`]; equal terms have equal numbers, so that comparing, hashing and storing terms costs
//! nothing. The structure of a term is asked from the [`Pool`] it lives in.
//!
//! # Modules
//! * `syntax`: what terms consist of: [`op`], [`sort`], symbols, constant values; `storage`: terms in memory.
//! * [`build`]: the simplifying constructors; `storage::rewrite_log`: a record of their simplifications.
//! * `semantics`: what operators compute, and evaluation.
//! * `traversal`: substitution, parts of connectives, cells as variables, sums over arrays ([`prefix_sums`]).
//! * `formats`: terms as text ([`smtlib`], C), and as bytes for another process.
//! * [`domain`]: abstract domains of numbers.
//! * [`random`]: random terms for tests.
//!
//! # Two kinds of pools
//! The [`store()`] belongs to the process. Every thread reads and adds to it, and a `TermId` means the same in every
//! analysis: an invariant passes from one engine to another as a number. Its terms are never removed, so only what
//! belongs to the program and what engines tell one another goes there.
//!
//! An [`Arena`] belongs to one query of one thread: unrolled instances, candidates that may come to nothing. It is a
//! layer over the store (its terms may contain the store's) and is dropped with the query; so the store does not grow
//! with the number of unrollings. [`transfer`] copies what was found into the store.
//!
//! # Building
//! [`Build`] is implemented for both. Its constructors fold constants and apply rewrites that are equivalences, look at
//! a bounded part of their arguments, and never make a term larger than by a constant. The rewrites are chosen for C programs:
//! truth values made integers and compared with zero, narrow types computed in wide ones and truncated again, addresses that
//! are a base plus a multiple of an index, bytes put together by shifts. Each file of `build` states the normal forms of its
//! sort. Code that matches on terms may rely on these normal forms for precision, never for soundness: a term can be
//! built without them by [`Pool::intern`], or be too large for them.
//!
//! ```
//! use regatta_term::{Build, Sort, Symbol, Value, evaluate, store, to_smtlib};
//!
//! let pool = store();
//! let x = pool.variable(Symbol::new("x", Sort::BitVec(32)));
//! let zero = pool.bv(32, 0);
//! // C's `!(x + 1 == 5)`, as an int that is compared with zero.
//! let equal = pool.eq(pool.add(x, pool.bv(32, 1)), pool.bv(32, 5));
//! let negated = pool.ite(equal, zero, pool.bv(32, 1));
//! let condition = pool.ne(negated, zero);
//! assert_eq!(condition, pool.ne(x, pool.bv(32, 4)));
//! assert_eq!(to_smtlib(pool, condition), "(not (= x@0 #x00000004))");
//! let value = evaluate(pool, condition, &|_, _| Some(Value::bit_vec(32, 4)));
//! assert_eq!(value, Ok(Value::Bool(false)));
//! ```
//!
//! # Meaning
//! The semantics of operators is defined once, in [`apply_op`]; constant folding and [`evaluate()`] use it, and tests compare
//! it with Z3. Floats are computed by the processor where it rounds as asked, else by `rustc_apfloat`, and by exact
//! arithmetic on big integers where that crate has no operation or one that is hard to check. [`to_smtlib`] prints for solvers
//! and [`to_c`] for witnesses.
//!
//! # Abstraction
//! The abstract interpretation of terms, from abstract values of variables, is in [`domain`].
//!
//! # Trade-offs
//! * A term takes 24 bytes, and some 10 to 20 in the hash table: up to four arguments, and constants of
//!   up to 128 bits, lie in the node itself. Longer lists and big integers are stored separately.
//! * The store is split into shards by hash, each with a lock for adding; reading takes none, for nodes never move.
//! * Conjunctions and disjunctions have any number of arguments, sorted, so that their order does not matter; sums have
//!   two, in a fixed order of nesting. Numbers of terms depend on the order of creation: with several threads, two runs may
//!   order the same conjunction differently.
//! * Every traversal of a term uses a stack of its own, not the thread's: terms of unrolled loops are
//!   a million deep.

mod build;
pub mod domain;
mod formats;
#[cfg(test)]
mod properties;
pub mod random;
mod semantics;
mod storage;
mod syntax;
mod traversal;

pub use build::{Build, RING_BITS, extended_sum, solve_for, solved};
pub use formats::c_printer::{CType, CVariable, to_c};
pub use formats::portable::{Exporter, PortableTerms};
pub use formats::smtlib;
pub use op::{Op, RoundingMode};
pub use semantics::apply as apply_op;
pub use semantics::evaluate::{Evaluator, Unassigned, evaluate};
pub use semantics::float::FloatValue;
pub use smtlib::{smtlib_script, standard_script, to_smtlib};
pub use sort::{FloatFormat, ScalarSort, Sort};
pub use storage::arena::Arena;
pub use storage::pool::{Constant, Pool, TermId, TermKind};
pub use storage::rewrite_log::{Recorded, record_shared_terms, take_recorded_shared_terms};
pub use storage::store::{Store, store};
pub(crate) use syntax::op;
pub use syntax::sort;
pub use syntax::symbol::Symbol;
pub use syntax::value::{ArrayValue, BitVecValue, Value};
pub use traversal::cell_variables::CellVariables;
pub use traversal::connectives::{atoms, conjuncts, disjuncts, fixed};
pub use traversal::linear_tables::is_linear_table;
pub use traversal::prefix_sums;
pub use traversal::substitute::{
    Rebuild, at_instance, for_each_subterm, for_each_unknown_subterm, free_variables, instantiate,
    occurs, size, substitute, transfer,
};
