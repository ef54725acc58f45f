//! Regatta: a parallel portfolio verifier for C.
//!
//! # The way of the data
//! ```text
//! file.c ─ frontend ─► program as lowered ─ program::simplify ─► program to analyse
//!                            │                                          │
//!                            │                       analysis (simulation; the engines)
//!                            ▼                                          │
//!          replay of alarms, check of proofs (a process of its own) ◄─┘
//!                            ▼
//!          portfolio::supervisor ─► RESULT line, exit code, events, progress, report
//! ```
//!
//! # The modules
//! A module uses those before it in this list, never those after.
//!
//! * [`counters`]: what the analyses count, where the supervisor can read it.
//! * [`workers`]: more threads for one analysis, where cores are idle.
//! * [`huge_pages`]: when the system's huge pages are worth their price; [`time_slice`]: who need not wait for a processor.
//! * [`term`]: hash-consed terms: sorts, simplifying constructors, evaluation, substitution, printing.
//! * [`program`]: the control-flow automaton, what is known of it without a solver, the interpreter.
//! * [`frontend`]: from C to a program.
//! * [`solver`]: SMT solvers behind one trait, and interpolation behind another.
//! * [`entailment`]: whether premises imply a goal, with a solver as the last resort.
//! * [`certify`]: replay of alarms; certificates of proofs and their checker.
//! * [`cpa`]: configurable program analysis: the CPA++ algorithm and the CPAs that engines are made of.
//! * [`analysis`]: the engines.
//! * [`witness`]: witness files, of ours and of other tools: reading, checking, putting into the program.
//! * [`portfolio`]: portfolio files, the supervisor process, the coordinator of the threads, events, limits, the verdict.
//! * [`report`]: what a run found, for other tools and for people: witnesses, SARIF, HTML.
//! * [`experiment`]: many runs, measured; tables, plots and pages of them.
//! * [`cli`]: the command.

// The module comments are for readers of the source, who see the private items that they point to.
#![allow(rustdoc::private_intra_doc_links)]

pub mod analysis;
pub mod certify;
pub mod cli;
pub mod counters;
pub mod cpa;
pub mod entailment;
pub mod experiment;
pub mod frontend;
pub mod huge_pages;
pub mod portfolio;
pub mod program;
pub mod report;
pub mod solver;
pub mod term;
pub mod time_slice;
pub mod witness;
pub mod workers;

#[cfg(test)]
mod tests;
