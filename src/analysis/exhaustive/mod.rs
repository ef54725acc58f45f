//! Exhaustive exploration: all runs of a program whose inputs have few values, or few that matter.
//!
//! The program as lowered is run on one choice of inputs after another. Each run is generalised to the box of all inputs
//! for which it would be the same ([`concolic`](crate::program::interpreter::concolic)): so an input that is only
//! compared with constants is covered in as many runs as there are cases, and one of 2^32 values of which an assumption
//! leaves twenty is covered in twenty-two. When the boxes cover everything, and no run has violated the property, it
//! holds. No solver takes part: products of long numbers, divisions and loops cost what they cost a processor.
//!
//! The exploration is its own proof: it is made by the interpreter of the program as lowered, with the fidelity that is
//! demanded of a replay. As a safeguard against errors in the generalisation, corners of boxes are run as well, by the
//! interpreter alone, and have to end in the same way after as many steps.
//!
//! It gives up as soon as a value has to be told apart from too many others, or when the part that it has seen says that
//! the rest takes too long.

#[cfg(test)]
mod tests;
mod tree;

use std::time::{Duration, Instant};

use super::options::options;
use super::{Answer, CancellationToken, Context};
use crate::program::interpreter::concolic::{BoxInput, ConcolicMachine, GeneralRun, journal};
use crate::program::interpreter::{
    Executable, Journal, Limits, Machine, Outcome, ReplayInputs, Report,
};
use crate::term::domain::IntervalSet;
use tree::Tree;

options! {
    /// What the exploration may spend.
    pub struct Options {
        /// Wall time. It gives up before, once it sees that it takes longer.
        pub time: Duration = Duration::from_secs(600);
        /// Number of runs that may be expected.
        pub runs: u64 = 500_000_000;
        /// Steps of a run.
        pub run_steps: u64 = 300_000_000;
        /// Bytes that a run may use for arrays and calls.
        pub memory: usize = 1 << 30;
    }
}

/// What the exploration has found.
#[derive(Clone, Debug, PartialEq)]
pub enum Exploration {
    /// All runs end well.
    Complete(Statistics),
    /// These inputs lead to an error.
    Alarm(Journal),
    /// The time was up.
    OutOfTime,
    /// Not all runs have been seen nor will be, for a reason in words.
    GivenUp(String),
}

/// What the exploration took.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Number of boxes that cover all inputs.
    pub boxes: u64,
    /// Steps of the longest run.
    pub longest: u64,
    /// Steps of all runs.
    pub steps: u64,
}

impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            boxes,
            longest,
            steps,
        } = self;
        write!(
            f,
            "has seen all runs: {boxes} cases, of {longest} steps at most, {steps} in all"
        )
    }
}

/// Inputs on one path that are still open; a path with more of them is one of far too many.
const OPEN_INPUTS: usize = 500;
/// Boxes whose corners are all tried; of those that follow, each so many-th.
const CORNERS: u64 = 2_000;
const CORNERS_THEN: u64 = 32;
/// When the rest is estimated for the first time, and by how much the estimate may be wrong.
const FIRST_ESTIMATE: Duration = Duration::from_secs(1);
const ESTIMATE_FACTOR: f64 = 4.0;
/// How long it goes on if nothing can be estimated.
const WITHOUT_ESTIMATE: Duration = Duration::from_secs(5);
/// Runs between two looks at the clock.
const RUNS_A_LOOK: u64 = 64;

/// Explores the program as lowered, and confirms what it finds.
pub fn run(executable: &Executable, options: &Options, context: &mut Context<'_>) -> Answer {
    match explore(executable, options, context.token) {
        Exploration::Complete(statistics) => Answer::Explored(statistics),
        Exploration::OutOfTime => Answer::Unknown("there is no time left".to_owned()),
        Exploration::GivenUp(reason) => Answer::Unknown(reason),
        Exploration::Alarm(alarm) => context.confirmed(&alarm),
    }
}

/// Explores the program.
pub fn explore(
    executable: &Executable,
    options: &Options,
    token: &CancellationToken,
) -> Exploration {
    explore_observed(executable, options, token, &mut |_| {})
}

/// [`explore`], where `observe` gets every box.
fn explore_observed(
    executable: &Executable,
    options: &Options,
    token: &CancellationToken,
    observe: &mut dyn FnMut(&GeneralRun),
) -> Exploration {
    if !executable.is_deterministic() {
        return Exploration::GivenUp("two edges may be taken in one state".to_owned());
    }
    Explorer {
        executable,
        options,
        token,
        limits: Limits {
            steps: options.run_steps,
            memory: options.memory,
            deadline: Instant::now().checked_add(options.time),
            cancelled: Some(token.flag()),
        },
        begin: Instant::now(),
        tree: Tree::default(),
        statistics: Statistics::default(),
        machine: Machine::new(executable),
    }
    .explore(observe)
}

struct Explorer<'e> {
    executable: &'e Executable,
    options: &'e Options,
    token: &'e CancellationToken,
    limits: Limits<'e>,
    begin: Instant,
    tree: Tree,
    statistics: Statistics,
    /// For corners.
    machine: Machine<'e>,
}

impl Explorer<'_> {
    fn explore(mut self, observe: &mut dyn FnMut(&GeneralRun)) -> Exploration {
        let mut concolic = ConcolicMachine::new(self.executable);
        loop {
            let tree = &mut self.tree;
            let mut choose = |position, domain: &IntervalSet| tree.choose(position, domain);
            let run = concolic.run(&mut choose, self.limits);
            if let Some(end) = self.judge(&run) {
                return end;
            }
            observe(&run);
            self.tree.record(&run.inputs);
            if let Some(reason) = self.is_hopeless() {
                return Exploration::GivenUp(reason);
            }
            if self.statistics.boxes.is_multiple_of(RUNS_A_LOOK)
                && let Some(end) = self.look_at_the_clock()
            {
                return end;
            }
            if !self.tree.advance() {
                return Exploration::Complete(self.statistics);
            }
        }
    }

    /// The end, if the run is one.
    fn judge(&mut self, run: &GeneralRun) -> Option<Exploration> {
        let give_up = |reason: &str| Some(Exploration::GivenUp(reason.to_owned()));
        if let Some(reason) = run.given_up {
            return give_up(reason);
        }
        let report = &run.report;
        if !report.is_faithful() {
            return give_up("a run is not known to be one of the C program");
        }
        match &report.outcome {
            Outcome::Error { .. } => {
                let alarm = journal(self.executable, &run.inputs, |input| input.value);
                return Some(Exploration::Alarm(alarm));
            }
            Outcome::Ended { .. } | Outcome::Blocked { .. } => {}
            Outcome::InputRefused => return give_up("an input's value is not known"),
            Outcome::StepLimit => return give_up("a run does not seem to end"),
            Outcome::TimeLimit => return Some(Exploration::OutOfTime),
            Outcome::Cancelled => return give_up("cancelled"),
            Outcome::MemoryLimit => return give_up("a run takes too much memory"),
            Outcome::Unsupported { reason, .. } => {
                return give_up(&format!("{reason} is not supported"));
            }
        }
        if run.inputs.len() != self.tree.depth() {
            return give_up("inputs were drawn unseen");
        }
        self.statistics.boxes += 1;
        self.statistics.steps += report.steps;
        self.statistics.longest = self.statistics.longest.max(report.steps);
        let boxes = self.statistics.boxes;
        if (boxes <= CORNERS || boxes.is_multiple_of(CORNERS_THEN)) && !self.corners_agree(run) {
            debug_assert!(false, "a corner of a box differs: {run:?}");
            return give_up("a generalisation was wrong");
        }
        None
    }

    /// Whether the runs at two opposite corners of the box are like the one that was seen.
    fn corners_agree(&mut self, run: &GeneralRun) -> bool {
        if run.inputs.iter().all(|input| input.set.only().is_some()) {
            return true;
        }
        let ends = |input: &BoxInput| input.set.ends().unwrap_or((input.value, input.value));
        let corners = [
            journal(self.executable, &run.inputs, |input| ends(input).0),
            journal(self.executable, &run.inputs, |input| ends(input).1),
        ];
        corners.iter().all(|corner| {
            let report = self
                .machine
                .run(&mut ReplayInputs::new(corner), self.limits);
            let same = |other: &Report| {
                other.outcome == run.report.outcome
                    && other.steps == run.report.steps
                    && other.is_faithful()
            };
            let cut_off = matches!(report.outcome, Outcome::TimeLimit | Outcome::Cancelled);
            cut_off || same(&report)
        })
    }

    /// Why it is not worth while to go on, if so.
    fn is_hopeless(&self) -> Option<String> {
        let expected = self.tree.runs_to_expect();
        if expected > self.options.runs as f64 {
            return Some(format!("about {expected:.1e} runs would have to be seen"));
        }
        if self.tree.open_inputs() > OPEN_INPUTS {
            return Some("a run asks for too many inputs".to_owned());
        }
        None
    }

    /// The end, if it was told to stop or takes too long.
    fn look_at_the_clock(&self) -> Option<Exploration> {
        if self.token.is_cancelled() {
            return Some(Exploration::GivenUp("cancelled".to_owned()));
        }
        let elapsed = self.begin.elapsed();
        if elapsed > self.options.time {
            return Some(Exploration::OutOfTime);
        }
        let reason = match self.tree.progress() {
            Some(progress) => {
                let total = elapsed.div_f64(progress.max(1e-6));
                (elapsed > FIRST_ESTIMATE && total > self.options.time.mul_f64(ESTIMATE_FACTOR))
                    .then(|| format!("it would take about {:.0} s", total.as_secs_f64()))
            }
            None => (elapsed > WITHOUT_ESTIMATE)
                .then(|| "it is not known how many cases there are".to_owned()),
        };
        reason.map(Exploration::GivenUp)
    }
}
