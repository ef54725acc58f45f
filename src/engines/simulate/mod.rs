//! Simulation: the interpreter on boundary, random and mutated inputs.
//!
//! Simulation comes first in every race: it takes milliseconds and finds shallow errors. It works like coverage-guided
//! fuzzers (AFL: M. Zalewski; libFuzzer), on typed inputs instead of bytes:
//!
//! 1. A run on zeros. If it draws no input at all, it is the only run and decides the program.
//! 2. Runs whose inputs all come from one policy: constants, small numbers, corners of the sort, constants of the program,
//!    uniform bits (`source`).
//! 3. A run that takes an edge for the first time, or a number of times of a new magnitude (`coverage`), joins the corpus.
//!    Members of the corpus are mutated: values, the tail, parts of another member (`corpus`). Systematic mutations solve
//!    for the inputs that change the outcome of a comparison (`comparisons`).
//!
//! Runs are organised in rounds of independent jobs (`round`), which idle worker threads help to perform. The result does
//! not depend on the number of threads.
//!
//! Long runs are cut off; the limit grows as long as many runs reach it. An error counts only if its run is a run of the C
//! program ([`regatta_program::interpreter::Report::is_faithful`]) and if the caller confirms it by a replay on the program
//! as lowered.

mod comparisons;
mod corpus;
mod coverage;
mod fuzz;
mod input_values;
mod limits;
mod round;
mod sample;
mod source;
#[cfg(test)]
mod tests;

pub use sample::sample_runs;

use std::time::Duration;

use self::limits::{REPLAY_FACTOR, REPLAY_STEPS, SHARE_OF_TIME_LEFT};
use super::engine::{Engine, NOT_LOWERED, Recursion, Registration, Report, Statistic, Subject};
use super::{Answer, CancellationToken, Context};
use regatta_base::options;
use regatta_base::workers::Workers;
use regatta_certify::replay::{Replay, Violation, replay_compiled, replay_only_run};
use regatta_program::Program;
use regatta_program::interpreter::{AccessChecks, Executable, Journal, Limits};

options! {
    /// Limits and starting values of simulation.
    pub struct Options {
        /// Wall time.
        pub time: Duration = Duration::from_secs(5);
        /// Maximum number of steps of all runs together.
        pub steps: u64 = u64::MAX;
        /// Maximum number of runs.
        pub runs: u64 = u64::MAX;
        /// Seed of the random choices: the same program, seed and budget of runs and steps give the same result, with any number
        /// of threads.
        pub seed: u64 = 1;
        /// Steps after which the first runs are cut off; the limit grows up to a fourth of the budget.
        pub run_steps: u64 = 200_000, in 1_000..=u64::MAX;
        /// Maximum memory of a run for arrays and calls (bytes).
        pub memory: usize = 1 << 30;
    }
    fixed {
        /// If given, simulation ends after this time without new coverage, or twice the time at which coverage last grew if that
        /// is longer. For callers that want states rather than errors.
        pub patience: Option<Duration> = None;
        /// The memory accesses that are checked. On a simplified program some must not be checked, and `confirm` must replay on
        /// the program as lowered.
        pub accesses: AccessChecks = AccessChecks::All;
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "simulation",
            summary: "Execution by the interpreter on boundary, random and mutated inputs.",
            has_solver: false,
            recursion: Recursion::Handled,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> Report {
        let Some(lowered) = subject.lowered else {
            return Answer::Unknown(NOT_LOWERED.to_owned()).into();
        };
        let time_left = subject
            .time_left
            .map(|left| left.mul_f64(SHARE_OF_TIME_LEFT));
        let options = Self {
            time: time_left.map_or(self.time, |left| left.min(self.time)),
            // The simplifier drops the operations that mark the lifetimes of objects in memory.
            accesses: AccessChecks::SingleObjects,
            ..self.clone()
        };
        let control = Control {
            token: context.token,
            safe_point: context.safe_point,
            workers: context.workers,
        };
        let program = subject.blocks.inlined().program();
        let mut confirm = ReplayOnLowered::new(lowered.executable);
        let simulation = simulate_confirmed(program, &options, control, &mut confirm);
        let answer = match (&simulation.outcome, confirm.violation) {
            (SimulationOutcome::Unsafe(_), Some(violation)) => Answer::Unsafe(violation),
            (SimulationOutcome::OnlyRun { steps }, _) => {
                Answer::Explored(format!("has seen the only run, of {steps} steps"))
            }
            _ => Answer::Unknown("found no violation".to_owned()),
        };
        Report {
            answer,
            statistics: simulation.statistics.entries(),
        }
    }
}

/// The result of simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// The outcome.
    pub outcome: SimulationOutcome,
    /// The counters.
    pub statistics: Statistics,
    /// Inputs of runs that covered something new.
    pub corpus: Vec<Journal>,
}

/// The outcome of simulation.
#[derive(Clone, Debug, PartialEq)]
pub enum SimulationOutcome {
    /// These inputs lead to the error.
    Unsafe(Journal),
    /// The program draws no input, and its only run does not violate the property.
    OnlyRun {
        /// The number of steps of the run.
        steps: u64,
    },
    /// Neither of these.
    Unknown,
}

/// Counters of simulation.
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
    /// Runs to an error that are no runs of the C program, or that the caller did not confirm.
    pub rejected: u64,
    /// The first reason for a rejection.
    pub first_rejection: Option<String>,
    /// Runs that were cut off.
    pub cut_off: u64,
}

impl Statistics {
    /// Returns the number of steps per second.
    pub fn steps_per_second(&self) -> f64 {
        self.steps as f64 / self.time.as_secs_f64().max(1e-9)
    }

    /// The entries of the report.
    fn entries(&self) -> Vec<(&'static str, Statistic)> {
        let count = |number: usize| Statistic::Count(number as u64);
        let mut entries = vec![
            ("runs", Statistic::Count(self.runs)),
            ("steps", Statistic::Count(self.steps)),
            (
                "steps_per_second",
                Statistic::Rate(self.steps_per_second().round()),
            ),
            ("edges_covered", count(self.edges_covered)),
            ("edges", count(self.edges)),
            ("rejected_alarms", Statistic::Count(self.rejected)),
        ];
        if let Some(reason) = &self.first_rejection {
            entries.push(("first_rejection", Statistic::Text(reason.clone())));
        }
        entries
    }
}

/// What interrupts a simulation, and the threads that it may use.
#[derive(Copy, Clone)]
pub struct Control<'c> {
    /// Ends the simulation when cancelled.
    pub token: &'c CancellationToken,
    /// Called between two runs, see [`super::Context::safe_point`].
    pub safe_point: &'c dyn Fn() -> Duration,
    /// Worker threads for idle cores.
    pub workers: &'c Workers,
}

/// The value of [`Options::patience`] for callers that want states of a program.
pub const PATIENCE: Duration = Duration::from_millis(10);

/// No worker threads.
const NO_WORKERS: &Workers = &Workers::none();

impl<'c> Control<'c> {
    /// Creates the control of a simulation in one thread that never waits at safe points.
    pub fn new(token: &'c CancellationToken) -> Self {
        Self {
            token,
            safe_point: &|| Duration::ZERO,
            workers: NO_WORKERS,
        }
    }
}

/// Confirmation of the results of simulation by the caller.
pub trait Confirm {
    /// Checks whether the inputs, which led to an error after `steps` steps, lead to one in the program as lowered. On a
    /// rejection, returned with its reason, simulation continues.
    fn alarm(&mut self, inputs: &Journal, steps: u64) -> Result<(), String>;

    /// Checks whether the run, which drew no input and ended without an error after `steps` steps, is the only run of the
    /// program as lowered. On a rejection, returned with its reason, simulation does not claim to have seen all runs.
    fn only_run(&mut self, steps: u64) -> Result<(), String>;
}

/// Confirms everything without a check.
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

/// Confirms by replay on the program as lowered.
#[derive(Debug)]
pub struct ReplayOnLowered<'e> {
    executable: &'e Executable,
    /// The violation that was confirmed.
    pub violation: Option<Violation>,
}

fn replay_limits(steps: u64) -> Limits<'static> {
    Limits {
        steps: steps
            .saturating_mul(REPLAY_FACTOR)
            .saturating_add(REPLAY_STEPS),
        ..Limits::default()
    }
}

impl<'e> ReplayOnLowered<'e> {
    /// Creates it with the program as lowered.
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

/// Simulates the program without confirmation by a replay.
pub fn simulate(program: &Program, options: &Options, token: &CancellationToken) -> Simulation {
    simulate_confirmed(program, options, Control::new(token), &mut Unconfirmed)
}

/// Simulates the program; a result counts if `confirm` confirms it.
pub fn simulate_confirmed(
    program: &Program,
    options: &Options,
    control: Control<'_>,
    confirm: &mut dyn Confirm,
) -> Simulation {
    let executable = Executable::compile_for(program, options.accesses);
    let dictionary = input_values::Dictionary::of(program);
    fuzz::Fuzzer::new(program, &executable, &dictionary, options, control, confirm).run()
}
