//! Simulation: the interpreter on boundary, random and mutated inputs.
//!
//! The first leg of every race: it takes milliseconds and finds the errors that are easy to run into. It works as
//! coverage-guided fuzzers do (AFL: M. Zalewski; libFuzzer), on typed inputs instead of bytes:
//!
//! 1. A run on zeros. If it asks for no input at all, it is the only run, and decides.
//! 2. Runs whose inputs all come from one policy each: constants, small numbers, corners of the sort, constants of the
//!    program, uniform bits (`source`).
//! 3. A run that takes an edge for the first time, or a number of times of another magnitude than before (`coverage`),
//!    joins the corpus. Members of the corpus are changed: values, the tail, parts of another member (`corpus`); and
//!    systematically, by solving for the inputs that turn a comparison round (`comparisons`).
//!
//! What runs next is decided in rounds of jobs that do not depend on one another (`round`), which threads that are idle
//! help with. What comes of a round is what would come of it in one thread.
//!
//! Long runs are cut off; the limit grows as long as runs reach it. An error counts only if its run is a run of the C
//! program ([`crate::program::interpreter::Report::is_faithful`]) and if the caller confirms it, who replays it on the
//! program as lowered.

mod comparisons;
mod corpus;
mod coverage;
mod fuzz;
mod round;
mod sample;
mod source;
#[cfg(test)]
mod tests;
mod values;

pub use sample::sample_runs;

use std::time::Duration;

use super::CancellationToken;
use super::options::options;
use crate::certify::replay::{Replay, Violation, replay_compiled, replay_only_run};
use crate::program::Program;
use crate::program::interpreter::{AccessChecks, Executable, Journal, Limits};
use crate::workers::Workers;

options! {
    /// What simulation may spend, and how it begins.
    pub struct Options {
        /// Wall time.
        pub time: Duration = Duration::from_secs(5);
        /// Steps of all runs together.
        pub steps: u64 = u64::MAX;
        /// Number of runs.
        pub runs: u64 = u64::MAX;
        /// Seed of everything random: the same program, seed and budget of runs and steps give the same result, however
        /// many threads help.
        pub seed: u64 = 1;
        /// Steps after which the first runs are cut off; it grows up to a fourth of the budget.
        pub run_steps: u64 = 200_000, in 1_000..=u64::MAX;
        /// Bytes that a run may use for arrays and calls.
        pub memory: usize = 1 << 30;
    }
    fixed {
        /// With it, the simulation is over when nothing new was covered for so long, and for twice as long as it took to
        /// cover what was last. For who wants states, not errors; default none.
        pub patience: Option<Duration> = None;
        /// Which accesses are judged; default all of them. For a simplified program others must not be, and a `confirm`
        /// that replays on the program as lowered is a must.
        pub accesses: AccessChecks = AccessChecks::All;
    }
}

/// What simulation has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// The answer.
    pub outcome: SimulationOutcome,
    /// What it took.
    pub statistics: Statistics,
    /// Inputs of runs that covered something new.
    pub corpus: Vec<Journal>,
}

/// Simulation's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum SimulationOutcome {
    /// These inputs lead to the error.
    Unsafe(Journal),
    /// The program asks for no input, and its only run does not violate the property.
    OnlyRun {
        /// The run's length.
        steps: u64,
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

/// What stops a simulation, for good or for a while, and who helps with it.
#[derive(Copy, Clone)]
pub struct Control<'c> {
    /// When to stop.
    pub token: &'c CancellationToken,
    /// Called between two runs, see [`super::Context::safe_point`].
    pub safe_point: &'c dyn Fn() -> Duration,
    /// More threads, where cores are idle.
    pub workers: &'c Workers,
}

/// How long whoever wants states of a program waits for new ones.
pub const PATIENCE: Duration = Duration::from_millis(10);

/// Nobody helps.
const ALONE: &Workers = &Workers::none();

impl<'c> Control<'c> {
    /// With the token, never for a while, and in one thread.
    pub fn new(token: &'c CancellationToken) -> Self {
        Self {
            token,
            safe_point: &|| Duration::ZERO,
            workers: ALONE,
        }
    }
}

/// Who has the last word on what simulation finds.
pub trait Confirm {
    /// Whether the inputs, which have led to an error after so many steps, do so in truth. If not, says why, and
    /// simulation goes on.
    fn alarm(&mut self, inputs: &Journal, steps: u64) -> Result<(), String>;

    /// Whether the run that has asked for no input and ended without an error after so many steps is the only one in
    /// truth. If not, says why; then simulation does not claim to have seen all runs.
    fn only_run(&mut self, steps: u64) -> Result<(), String>;
}

/// Takes the interpreter's word.
#[derive(Copy, Clone, Debug, Default)]
pub struct Unconfirmed;

impl Confirm for Unconfirmed {
    fn alarm(&mut self, _: &Journal, _: u64) -> Result<(), String> {
        Ok(())
    }

    fn only_run(&mut self, _: u64) -> Result<(), String> {
        Ok(())
    }
}

/// Replays everything on the program as lowered.
#[derive(Debug)]
pub struct ReplayOnLowered<'e> {
    executable: &'e Executable,
    /// The violation that was confirmed.
    pub violation: Option<Violation>,
}

/// How much longer than the run of the simplified program that of the program as lowered may be, and by how much.
const REPLAY_FACTOR: u64 = 50;
const REPLAY_STEPS: u64 = 10_000_000;

fn replay_limits(steps: u64) -> Limits<'static> {
    Limits {
        steps: steps
            .saturating_mul(REPLAY_FACTOR)
            .saturating_add(REPLAY_STEPS),
        ..Limits::default()
    }
}

impl<'e> ReplayOnLowered<'e> {
    /// Replays on this program.
    pub fn new(executable: &'e Executable) -> Self {
        Self {
            executable,
            violation: None,
        }
    }
}

impl Confirm for ReplayOnLowered<'_> {
    fn alarm(&mut self, inputs: &Journal, steps: u64) -> Result<(), String> {
        match replay_compiled(self.executable, inputs, replay_limits(steps)) {
            Replay::Confirmed(violation) => {
                self.violation = Some(violation);
                Ok(())
            }
            Replay::NotConfirmed(reason) => Err(reason.to_string()),
        }
    }

    fn only_run(&mut self, steps: u64) -> Result<(), String> {
        replay_only_run(self.executable, replay_limits(steps)).map_err(|reason| reason.to_string())
    }
}

/// Simulates the program; what the interpreter finds counts.
pub fn simulate(program: &Program, options: &Options, token: &CancellationToken) -> Simulation {
    simulate_confirmed(program, options, Control::new(token), &mut Unconfirmed)
}

/// Simulates the program; what is found counts if it is confirmed.
pub fn simulate_confirmed(
    program: &Program,
    options: &Options,
    control: Control<'_>,
    confirm: &mut dyn Confirm,
) -> Simulation {
    let executable = Executable::compile_for(program, options.accesses);
    let dictionary = values::Dictionary::of(program);
    fuzz::Fuzzer::new(program, &executable, &dictionary, options, control, confirm).run()
}
