//! Exhaustive exploration of all runs of a program whose inputs have few values, or few values that matter.
//!
//! The program as lowered is run on one choice of inputs after another. Each run is generalised to the box of all inputs
//! that take the same path ([`concolic`](regatta_program::interpreter::concolic)): an input that is only compared with
//! constants is covered in as many runs as there are cases, and an input with 2^32 values of which an assumption admits
//! twenty is covered in twenty-two. When the boxes cover all inputs and no run has violated the property, the property
//! holds. No solver is involved: wide products, divisions and loops cost only their execution.
//!
//! The exploration is its own proof: the interpreter executes the program as lowered with the fidelity that is required of
//! a replay. As a safeguard against errors in the generalisation, corners of boxes are also run by the plain interpreter,
//! and must end in the same way after the same number of steps.
//!
//! Where cores are idle, parts of the exploration are given to worker threads ([`parts`]).
//!
//! The engine gives up as soon as too many values of an input must be distinguished, or when the part explored so far
//! predicts that the rest takes too long.

mod limits;
mod parts;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;
use std::time::{Duration, Instant};

use self::limits::{
    BOXES_WITH_CORNERS, CORNER_SAMPLING_INTERVAL, ESTIMATE_FACTOR, FIRST_ESTIMATE_TIME,
    MAXIMUM_OPEN_INPUTS, MAXIMUM_PROMISING_TIME, MAXIMUM_TIME_WITHOUT_ESTIMATE, RUNS_PER_CHECK,
    STEPS_PER_CHECK,
};
use super::engine::{self, Engine, NOT_LOWERED, Recursion, Registration, Subject};
use super::{Answer, CancellationToken, Context};
use parts::{Continuation, Part, Parts, Remainder};
use regatta_base::options;
use regatta_base::workers::queue::Queue;
use regatta_base::workers::{Helper, Scope, Workers};
use regatta_program::interpreter::concolic::{
    BoxInput, ConcolicMachine, GeneralRun, STEPS_BEFORE_ACCELERATION, journal,
};
use regatta_program::interpreter::{
    self, Executable, Journal, Limits, Machine, Outcome, ReplayInputs,
};
use regatta_term::domain::IntervalSet;
use tree::Tree;

options! {
    /// Limits of the exploration.
    pub struct Options {
        /// Wall time; the engine gives up earlier if it predicts that it will take longer.
        pub time: Duration = Duration::from_secs(600);
        /// Maximum number of runs that may be predicted.
        pub runs: u64 = 500_000_000;
        /// Maximum number of steps of a run.
        pub run_steps: u64 = 300_000_000;
        /// Maximum memory of a run for arrays and calls (bytes).
        pub memory: usize = 1 << 30;
    }
}

/// The result of the exploration.
#[derive(Clone, Debug, PartialEq)]
pub enum Exploration {
    /// All runs were explored, and none violates the property.
    Complete(Statistics),
    /// These inputs lead to an error.
    Alarm(Journal),
    /// The time limit was reached.
    OutOfTime,
    /// The exploration was given up, for a reason in words.
    GivenUp(String),
}

/// Counters of the exploration.
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
            "explored all runs: {boxes} cases, at most {longest} steps each, {steps} steps in all"
        )
    }
}

impl Engine for Options {
    fn registration(&self) -> Registration {
        Registration {
            name: "exhaustive",
            summary: "Exhaustive exploration of all executions, where inputs have few values that matter.",
            has_solver: false,
            recursion: Recursion::Handled,
        }
    }

    fn analyse(&self, subject: &Subject<'_>, context: &mut Context<'_>) -> engine::Report {
        let Some(lowered) = subject.lowered else {
            return Answer::Unknown(NOT_LOWERED.to_owned()).into();
        };
        let options = Self {
            time: subject.limited(self.time),
            ..self.clone()
        };
        let (token, workers) = (context.token, context.workers);
        let explored = explore(
            lowered.executable,
            &options,
            token,
            workers,
            context.safe_point,
        );
        let answer = match explored {
            Exploration::Complete(statistics) => Answer::Explored(statistics.to_string()),
            Exploration::OutOfTime => Answer::Unknown("the time limit is reached".to_owned()),
            Exploration::GivenUp(reason) => Answer::Unknown(reason),
            Exploration::Alarm(alarm) => context.confirmed(&alarm),
        };
        answer.into()
    }
}

/// Explores the program with the given workers. `safe_point` may block, and returns for how long it did.
pub fn explore(
    executable: &Executable,
    options: &Options,
    token: &CancellationToken,
    workers: &Workers,
    safe_point: &dyn Fn() -> Duration,
) -> Exploration {
    let observed = Observed {
        observe: &|_| {},
        runs_per_check: RUNS_PER_CHECK,
    };
    explore_observed(executable, options, token, workers, safe_point, observed)
}

/// Hooks for tests.
#[derive(Copy, Clone)]
struct Observed<'o> {
    /// Is called with every box.
    observe: &'o (dyn Fn(&GeneralRun) + Sync),
    runs_per_check: u64,
}

fn explore_observed(
    executable: &Executable,
    options: &Options,
    token: &CancellationToken,
    workers: &Workers,
    safe_point: &dyn Fn() -> Duration,
    observed: Observed<'_>,
) -> Exploration {
    if !executable.is_deterministic() {
        return Exploration::GivenUp("two edges may be taken in one state".to_owned());
    }
    let all = CancellationToken::new();
    token.interrupts(Arc::new(all.clone()));
    let queue = Queue::new(Parts::new(all.clone()));
    let task = Task {
        executable,
        options,
        observed,
        begin: Instant::now(),
        queue: &queue,
        token: &all,
    };
    workers.scope(|scope| task.work(scope, Role::Own(safe_point)));
    match queue.finish() {
        Ok(parts) => parts.into_end(),
        Err(_) => Exploration::GivenUp("a thread has failed".to_owned()),
    }
}

/// The input of all threads.
#[derive(Copy, Clone)]
struct Task<'e> {
    executable: &'e Executable,
    options: &'e Options,
    observed: Observed<'e>,
    begin: Instant,
    queue: &'e Queue<Parts>,
    /// Stops all threads.
    token: &'e CancellationToken,
}

impl<'e> Task<'e> {
    /// Runs one thread: it explores parts as long as there are any. A worker thread does not wait for one.
    fn work(self, scope: &Scope<'_, 'e>, role: Role<'_, 'e>) {
        let mut explorer = Explorer {
            task: self,
            limits: Limits {
                steps: self.options.run_steps,
                memory: self.options.memory,
                deadline: self.begin.checked_add(self.options.time),
                cancelled: Some(self.token.flag()),
            },
            statistics: Statistics::default(),
            next_check: STEPS_PER_CHECK,
            waited: Duration::ZERO,
            machine: Machine::new(self.executable),
            concolic: ConcolicMachine::new(self.executable),
        };
        while !role.is_wanted_back()
            && let Some((part, turn)) = self.queue.next(matches!(role, Role::Own(_)))
        {
            let left = explorer.explore(part, scope, role);
            turn.done(|parts| parts.leave(left));
        }
        self.queue.add(|parts| parts.add(&explorer.statistics));
    }
}

#[derive(Copy, Clone)]
enum Role<'h, 'e> {
    /// The engine's own thread, which may have to wait at safe points.
    Own(&'h dyn Fn() -> Duration),
    Helping(&'h Helper<'e>),
}

impl Role<'_, '_> {
    fn is_wanted_back(self) -> bool {
        matches!(self, Self::Helping(helper) if helper.is_wanted_back())
    }
}

struct Explorer<'e> {
    task: Task<'e>,
    limits: Limits<'e>,
    statistics: Statistics,
    /// The number of steps at which the limits are checked next.
    next_check: u64,
    /// Time spent at safe points.
    waited: Duration,
    /// The plain interpreter, for corners.
    machine: Machine<'e>,
    concolic: ConcolicMachine<'e>,
}

impl<'e> Explorer<'e> {
    /// Explores a part, and the parts above it that this completes.
    fn explore(&mut self, mut part: Part, scope: &Scope<'_, 'e>, role: Role<'_, 'e>) -> Remainder {
        loop {
            if let Some(end) = self.run(&mut part.tree) {
                return Remainder::End(end);
            }
            while !part.tree.advance() {
                match part.ended() {
                    Continuation::Above(above) => part = above,
                    Continuation::OtherPartOpen => return Remainder::Nothing,
                    Continuation::Complete => {
                        return Remainder::End(Exploration::Complete(Statistics::default()));
                    }
                }
            }
            if self.is_check_due() {
                if let Some(end) = self.check_limits(&part.tree) {
                    return Remainder::End(end);
                }
                self.share(&mut part, scope);
                if role.is_wanted_back() {
                    return Remainder::Part(part);
                }
                if let Role::Own(safe_point) = role
                    && !self.is_promising(&part.tree)
                {
                    self.waited += safe_point();
                }
            }
        }
    }

    /// Executes the next run of the tree; returns the result if the exploration ends.
    fn run(&mut self, tree: &mut Tree) -> Option<Exploration> {
        let mut choose = |position, domain: &IntervalSet| tree.choose(position, domain);
        // The limit on distinguished values applies before a run has filled much memory.
        let maximum_needed = match self.statistics.boxes {
            0 => 4 * MAXIMUM_OPEN_INPUTS,
            _ => usize::MAX,
        };
        let run = self.concolic.run(&mut choose, maximum_needed, self.limits);
        if let Some(end) = self.judge(&run, tree.depth()) {
            return Some(end);
        }
        (self.task.observed.observe)(&run);
        tree.record(&run.inputs);
        self.is_hopeless(tree).map(Exploration::GivenUp)
    }

    fn is_check_due(&mut self) -> bool {
        let done = self.statistics;
        let is_due = done.boxes.is_multiple_of(self.task.observed.runs_per_check)
            || done.steps >= self.next_check;
        if is_due {
            self.next_check = done.steps + STEPS_PER_CHECK;
        }
        is_due
    }

    /// Gives a part to an idle worker, if there is one.
    fn share(&mut self, part: &mut Part, scope: &Scope<'_, 'e>) {
        let task = self.task;
        if !scope.may_hire() {
            return;
        }
        let mut has_open = task.queue.look(Parts::has_open);
        if !has_open && let Some(other) = part.divide() {
            task.queue.add(|parts| parts.offer(other));
            has_open = true;
        }
        if has_open {
            scope.hire(move |scope, helper| task.work(scope, Role::Helping(helper)));
        }
    }

    /// Evaluates the run; returns the result if the exploration ends.
    fn judge(&mut self, run: &GeneralRun, depth: usize) -> Option<Exploration> {
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
                let alarm = journal(self.task.executable, &run.inputs, |input| input.value);
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
        if run.inputs.len() != depth {
            return give_up("a run drew inputs that were not recorded");
        }
        self.statistics.boxes += 1;
        self.statistics.steps += report.steps;
        self.statistics.longest = self.statistics.longest.max(report.steps);
        let boxes = self.statistics.boxes;
        if (boxes <= BOXES_WITH_CORNERS || boxes.is_multiple_of(CORNER_SAMPLING_INTERVAL))
            && !self.corners_agree(run)
        {
            debug_assert!(false, "a corner of a box differs: {run:?}");
            return give_up("a generalisation was wrong");
        }
        None
    }

    /// Checks whether the runs at two opposite corners of the box agree with the explored run.
    fn corners_agree(&mut self, run: &GeneralRun) -> bool {
        if run.inputs.iter().all(|input| input.set.only().is_some()) {
            return true;
        }
        let ends = |input: &BoxInput| input.set.ends().unwrap_or((input.value, input.value));
        let corners = [
            journal(self.task.executable, &run.inputs, |input| ends(input).0),
            journal(self.task.executable, &run.inputs, |input| ends(input).1),
        ];
        corners.iter().all(|corner| {
            let report = self
                .machine
                .run(&mut ReplayInputs::new(corner), self.limits);
            // Loop acceleration does not count the steps that it skips, and it skips different steps in different runs.
            let leaps = report.steps.max(run.report.steps) >= STEPS_BEFORE_ACCELERATION;
            let same = |other: &interpreter::Report| {
                other.outcome == run.report.outcome
                    && (leaps || other.steps == run.report.steps)
                    && other.is_faithful()
            };
            let cut_off = matches!(report.outcome, Outcome::TimeLimit | Outcome::Cancelled);
            cut_off || same(&report)
        })
    }

    /// Returns the reason why the exploration is not worth continuing, if any.
    fn is_hopeless(&self, tree: &Tree) -> Option<String> {
        let expected = tree.runs_to_expect();
        if expected > self.task.options.runs as f64 {
            return Some(format!("about {expected:.1e} runs would be needed"));
        }
        if tree.open_inputs() > MAXIMUM_OPEN_INPUTS {
            return Some("a run asks for too many inputs".to_owned());
        }
        None
    }

    /// Checks whether the end is near by the estimate. If so, this thread does not wait for its turn, but has a lower priority.
    fn is_promising(&self, tree: &Tree) -> bool {
        let own = self.task.begin.elapsed().saturating_sub(self.waited);
        let progress = tree.progress();
        progress.is_some_and(|progress| own.div_f64(progress.max(1e-6)) < MAXIMUM_PROMISING_TIME)
    }

    /// Checks the limits; returns the result if the exploration ends.
    fn check_limits(&self, tree: &Tree) -> Option<Exploration> {
        if self.task.token.is_cancelled() {
            return Some(Exploration::GivenUp("cancelled".to_owned()));
        }
        let elapsed = self.task.begin.elapsed();
        if elapsed > self.task.options.time {
            return Some(Exploration::OutOfTime);
        }
        let elapsed = elapsed.saturating_sub(self.waited);
        let reason = match tree.progress() {
            Some(progress) => {
                let total = elapsed.div_f64(progress.max(1e-6));
                (elapsed > FIRST_ESTIMATE_TIME
                    && total > self.task.options.time.mul_f64(ESTIMATE_FACTOR))
                .then(|| format!("it would take about {:.0} s", total.as_secs_f64()))
            }
            None => (elapsed > MAXIMUM_TIME_WITHOUT_ESTIMATE)
                .then(|| "it is not known how many cases there are".to_owned()),
        };
        reason.map(Exploration::GivenUp)
    }
}
