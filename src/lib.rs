//! Regatta: a parallel portfolio verifier for C.
//!
//! This crate gathers the crates of the workspace under one name, for the command, the tests and the benches.
//!
//! # From a file to an answer
//! ```text
//! file.c ─ frontend ─► program as lowered ─ program::simplify ─► program to analyse
//!                            │                                          │
//!                            │                                       engines
//!                            ▼                                          │
//!          replay of alarms, check of proofs (a process of its own) ◄───┘
//!                            ▼
//!       supervisor (run/process), command (cli) ─► RESULT line, exit code, events, progress, report
//! ```
//!
//! # The crates
//! Each folder of `src` is a crate; its `lib.rs` lists its modules. The `[dependencies]` of its manifest are crates before it
//! in this list, never crates after it.
//!
//! * [`base`]: diagnostics, digests, options, counters, helper threads.
//! * [`term`]: hash-consed terms: sorts, simplifying constructors, evaluation, substitution, printing.
//! * [`program`]: the control-flow automaton, the analyses of it that need no solver, the simplifier, the interpreter.
//! * [`frontend`]: from C to a program.
//! * [`solver`]: SMT solvers behind one trait, and interpolation behind another.
//! * [`entailment`]: decides whether premises imply a goal, with a solver as the last resort.
//! * [`certify`]: replay of alarms; certificates of proofs and their checker.
//! * [`sharing`]: the exchange of invariants between engines; what an engine gets from its caller and answers.
//! * [`cpa`]: configurable program analysis: the CPA++ algorithm and the CPAs that engines are made of.
//! * [`engines`]: the engines, and the generators and provers of invariants.
//! * [`witness`]: witness files, of ours and of other tools: reading, checking, instrumenting the program.
//! * [`run`]: portfolio files, the supervisor process, the race of the engines' threads, events, limits, the verdict.
//! * [`report`]: what a run found, for other tools and for people: witnesses, SARIF, HTML.
//! * [`experiment`]: many runs, measured; tables, plots and pages of them.
//! * [`cli`]: the command.
//!
//! # Where to find what
//! Paths are relative to `src`. The page `docs/src/ways.md` follows an allocation, an alarm, an invariant and an option from
//! crate to crate.
//!
//! | what | where |
//! | --- | --- |
//! | `malloc` in C text | `frontend/lower/calls/memory_builtin.rs`, then `make_object` in `frontend/memory/emit/instructions.rs`, then `allocation.rs` beside it |
//! | `malloc` in a run | `program/interpreter/state/heap.rs`, then `objects.rs` beside it |
//! | `malloc` for the engines: counters and arrays | `frontend/memory/placement/addresses.rs`, `program/analyses/arena.rs` |
//! | checks of overflow | rules: `frontend/defined.rs`; conditions: `frontend/lower/checks`; edges: `check` in `frontend/memory/emit/state/body.rs` |
//! | models of the C library | `frontend/library/mod.rs`, `frontend/library/models` |
//! | several files: names, linking | `frontend/lower/state/files.rs`, `frontend/lower/declarations/link.rs` |
//! | an entry other than `main` | `frontend/lower/environment/entry.rs` |
//! | alarms that rest on functions without a body | `run/judge/unknown_code.rs`, `certify/alarm/dependence.rs` |
//! | `regatta check` | `cli/project` |
//! | blocks and their formulas | [`program::block`] |
//! | interpolation | [`solver::interpolation`] |
//! | CEGAR: the refinement loop of lazy abstraction | `engines/cegar` |
//! | lazy refinement: which explored states are explored again | `add_predicates` (chooses) and `explore_again` (removes) in `engines/cegar/refinement/predicates.rs`; `strengthen` in `strengthening.rs` and `coverage.rs` beside it |
//! | UFO: the unrolling whose paths join, and its labels; DAG interpolants | `engines/ufo/arg.rs`; `engines/ufo/interpolants.rs` |
//! | CTIGAR's lazy refinement (`max_spurious`) | `engines/ctigar/obligations.rs` |
//! | KIPDR: obligations; lifting | `engines/k_induction/property_direction.rs`; `engines/k_induction/lift.rs` |
//! | exchange of invariants, predicates, bounded results and reached states | [`sharing`]; generators and provers: [`engines::invariants`]; which targets invariants exclude: `engines/invariants/closing.rs` |
//! | permits to run (which thread runs) | `run/race/scheduler` (the rules), `run/race/coordinator.rs` (the threads), [`base::workers`] (helpers) |
//! | replay of an alarm | [`certify::replay`] (`certify/alarm/replay.rs`) |
//! | check of a certificate | `Checker::run` in `certify/check/mod.rs`; its conditions, made anew: `certify/check/induction.rs`, `certify/walk`; its process: `run/judge/check_process.rs` |
//! | what an answer has to pass | `run/judge/answer.rs` |
//! | assumptions of an answer | [`program::assumption`] (`program/automaton`), `run/judge/ledger.rs` |
//! | limits of time and memory | `watch` in `run/process/supervisor.rs` |
//! | the RESULT line | `cli/commands/verify.rs`; its text: `run/record/verdict.rs` |
//! | several checks: parts of them, each by itself | `run/rounds.rs`, after `run/survey.rs` |
//! | options of engines, portfolio files | [`base::options`](mod@base::options), [`run::config`] |
//!
//! # Example
//! A program is lowered, simplified and run on an input:
//! ```
//! use regatta::frontend::preprocess::Preprocessed;
//! use regatta::frontend::{LoadOptions, load_preprocessed};
//! use regatta::program::simplify;
//!
//! let text = "extern void reach_error(void); int main(void) { unsigned x = 3; if (x * x == 9) x = 0; if (x) reach_error(); }";
//! let source = Preprocessed::from_text("example.c", text);
//! let loaded = load_preprocessed(source, &LoadOptions::default()).expect("a program");
//! // Constants are propagated: no path to the error is left.
//! assert!(simplify(&loaded.program).is_safe());
//! ```

pub use regatta_base as base;
pub use regatta_certify as certify;
pub use regatta_cli as cli;
pub use regatta_cpa as cpa;
pub use regatta_engines as engines;
pub use regatta_entailment as entailment;
pub use regatta_experiment as experiment;
pub use regatta_frontend as frontend;
pub use regatta_program as program;
pub use regatta_report as report;
pub use regatta_run as run;
pub use regatta_sharing as sharing;
pub use regatta_solver as solver;
pub use regatta_term as term;
pub use regatta_witness as witness;

#[cfg(test)]
mod tests;
