//! Simulation: the interpreter on boundary, random and mutated inputs.
//!
//! The first leg of every race: it takes milliseconds and finds the errors that are easy to run into. It works as
//! coverage-guided fuzzers do (AFL: M. Zalewski; libFuzzer), on typed inputs instead of bytes:
//!
//! 1. A run on zeros. If it asks for no input at all, it is the only run, and decides. A program that asks only for
//!    Booleans and the like has few runs: all of them are tried (`exhaustive`).
//! 2. Runs whose inputs all come from one policy each: constants, small numbers, corners of the sort, constants of the
//!    program, uniform bits (`source`).
//! 3. A run that takes an edge for the first time, or a number of times of another magnitude than before (`coverage`),
//!    joins the corpus. Members of the corpus are changed: values, the tail, parts of another member (`corpus`); and
//!    systematically, by solving for the inputs that turn a comparison round (`comparisons`).
//!
//! Long runs are cut off; the limit grows as long as runs reach it. An error counts only if its run is a run of the C
//! program ([`crate::program::interpreter::Report::is_faithful`]) and if the caller confirms it, who replays it on the
//! program as lowered.

mod comparisons;
mod corpus;
mod coverage;
mod exhaustive;
mod fuzz;
mod source;
#[cfg(test)]
mod tests;
mod values;

use std::time::Duration;

use super::CancellationToken;
use crate::program::Program;
use crate::program::interpreter::{Executable, Journal};

/// What simulation may spend, and how it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Wall time; default 5 seconds.
    pub time: Duration,
    /// Steps of all runs together (see [`crate::program::interpreter::Limits::steps`]); default without limit.
    pub steps: u64,
    /// Number of runs; default without limit.
    pub runs: u64,
    /// Seed of everything random; the same program, seed and budget of runs and steps give the same result. Default 1.
    pub seed: u64,
    /// Steps after which the first runs are cut off, 1,000 or more; default 200,000. It grows up to a fourth of the
    /// budget.
    pub run_steps: u64,
    /// Bytes that a run may use for arrays and calls; default 1 GiB.
    pub memory: usize,
    /// How many runs may be spent on trying all inputs; default 4,096, 0 turns it off.
    pub exhaustive_runs: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(5),
            steps: u64::MAX,
            runs: u64::MAX,
            seed: 1,
            run_steps: 200_000,
            memory: 1 << 30,
            exhaustive_runs: 4_096,
        }
    }
}

/// What simulation has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// The answer.
    pub outcome: SimulationOutcome,
    /// What it took.
    pub statistics: Statistics,
}

/// Simulation's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum SimulationOutcome {
    /// These inputs lead to the error.
    Unsafe(Journal),
    /// All runs of the program have been seen, and none violates the property: a complete unrolling.
    Exhaustive {
        /// How many runs there are.
        runs: u64,
        /// Steps of the longest: the unrolling's bound.
        longest: u64,
    },
    /// Neither.
    Unknown,
}

/// What a simulation took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Number of runs.
    pub runs: u64,
    /// Steps of all of them.
    pub steps: u64,
    /// Wall time.
    pub time: Duration,
    /// Edges taken by some run.
    pub edges_covered: usize,
    /// Edges of the program.
    pub edges: usize,
    /// Candidates in the corpus.
    pub corpus: usize,
    /// Runs to the error that were none of the C program, or that the caller did not confirm.
    pub rejected: u64,
    /// The first reason for that.
    pub first_rejection: Option<String>,
    /// Runs that were cut off.
    pub cut_off: u64,
}

impl Statistics {
    /// Steps a second.
    pub fn steps_per_second(&self) -> f64 {
        self.steps as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// Simulates the program; every error counts that the interpreter reaches in a run of the C program.
pub fn simulate(program: &Program, options: &Options, token: &CancellationToken) -> Simulation {
    simulate_confirmed(program, options, token, &mut |_| Ok(()))
}

/// Simulates the program; an error counts if `confirm` agrees, who says why not if not. Then simulation goes on.
pub fn simulate_confirmed(
    program: &Program,
    options: &Options,
    token: &CancellationToken,
    confirm: &mut dyn FnMut(&Journal) -> Result<(), String>,
) -> Simulation {
    let executable = Executable::compile(program);
    let dictionary = values::Dictionary::of(program);
    fuzz::Fuzzer::new(program, &executable, &dictionary, options, token, confirm).run()
}
