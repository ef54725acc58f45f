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
//! Where cores are idle, parts of the exploration are given to helpers ([`parts`]).
//!
//! It gives up as soon as a value has to be told apart from too many others, or when the part that it has seen says that
//! the rest takes too long.

mod parts;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::options::options;
use super::{Answer, CancellationToken, Context};
use crate::program::interpreter::concolic::{
    BoxInput, ConcolicMachine, GeneralRun, STEPS_BEFORE_ACCELERATION, journal,
};
use crate::program::interpreter::{
    Executable, Journal, Limits, Machine, Outcome, ReplayInputs, Report,
};
use crate::term::domain::IntervalSet;
use crate::workers::queue::Queue;
use crate::workers::{Helper, Scope, Workers};
use parts::{After, Left, Part, Parts};
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
/// What takes less than this, by the estimate, does not wait for others.
const PROMISING: Duration = Duration::from_secs(30);
/// How long it goes on if nothing can be estimated.
const WITHOUT_ESTIMATE: Duration = Duration::from_secs(5);
/// Runs, or steps of several runs, between two looks at the clock and at the others.
const RUNS_A_LOOK: u64 = 64;
const STEPS_A_LOOK: u64 = 1 << 20;

/// Explores the program as lowered, and confirms what it finds.
pub fn run(executable: &Executable, options: &Options, context: &mut Context<'_>) -> Answer {
    let (token, workers) = (context.token, context.workers);
    match explore(executable, options, token, workers, context.safe_point) {
        Exploration::Complete(statistics) => Answer::Explored(statistics),
        Exploration::OutOfTime => Answer::Unknown("there is no time left".to_owned()),
        Exploration::GivenUp(reason) => Answer::Unknown(reason),
        Exploration::Alarm(alarm) => context.confirmed(&alarm),
    }
}

/// Explores the program, with the help of those workers. `safe_point` may make it wait, and returns for how long.
pub fn explore(
    executable: &Executable,
    options: &Options,
    token: &CancellationToken,
    workers: &Workers,
    safe_point: &dyn Fn() -> Duration,
) -> Exploration {
    let observed = Observed {
        observe: &|_| {},
        runs_a_look: RUNS_A_LOOK,
    };
    explore_observed(executable, options, token, workers, safe_point, observed)
}

/// What tests look at.
#[derive(Copy, Clone)]
struct Observed<'o> {
    /// Gets every box.
    observe: &'o (dyn Fn(&GeneralRun) + Sync),
    runs_a_look: u64,
}

/// [`explore`], looked at.
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
    workers.scope(|scope| task.work(scope, Hand::Own(safe_point)));
    match queue.finish() {
        Ok(parts) => parts.into_end(),
        Err(_) => Exploration::GivenUp("a thread has failed".to_owned()),
    }
}

/// What is to be done.
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
    /// One thread's work: parts as long as there are some. A helper does not wait for one.
    fn work(self, scope: &Scope<'_, 'e>, hand: Hand<'_, 'e>) {
        let mut explorer = Explorer {
            task: self,
            limits: Limits {
                steps: self.options.run_steps,
                memory: self.options.memory,
                deadline: self.begin.checked_add(self.options.time),
                cancelled: Some(self.token.flag()),
            },
            statistics: Statistics::default(),
            next_look: STEPS_A_LOOK,
            waited: Duration::ZERO,
            machine: Machine::new(self.executable),
            concolic: ConcolicMachine::new(self.executable),
        };
        while !hand.is_wanted_back()
            && let Some((part, turn)) = self.queue.next(matches!(hand, Hand::Own(_)))
        {
            let left = explorer.explore(part, scope, hand);
            turn.done(|parts| parts.leave(left));
        }
        self.queue.add(|parts| parts.add(&explorer.statistics));
    }
}

/// Whose thread it is.
#[derive(Copy, Clone)]
enum Hand<'h, 'e> {
    /// The analysis's own, which may have to wait at safe points.
    Own(&'h dyn Fn() -> Duration),
    Helping(&'h Helper<'e>),
}

impl Hand<'_, '_> {
    fn is_wanted_back(self) -> bool {
        matches!(self, Self::Helping(helper) if helper.is_wanted_back())
    }
}

struct Explorer<'e> {
    task: Task<'e>,
    limits: Limits<'e>,
    statistics: Statistics,
    /// Steps up to the next look.
    next_look: u64,
    /// How long others had their turns meanwhile.
    waited: Duration,
    /// For corners.
    machine: Machine<'e>,
    concolic: ConcolicMachine<'e>,
}

impl<'e> Explorer<'e> {
    /// Searches a part, and what comes after it.
    fn explore(&mut self, mut part: Part, scope: &Scope<'_, 'e>, hand: Hand<'_, 'e>) -> Left {
        loop {
            if let Some(end) = self.run(&mut part.tree) {
                return Left::End(end);
            }
            while !part.tree.advance() {
                match part.ended() {
                    After::Above(above) => part = above,
                    After::OthersGoOn => return Left::Nothing,
                    After::AllSeen => {
                        return Left::End(Exploration::Complete(Statistics::default()));
                    }
                }
            }
            if self.is_to_look() {
                if let Some(end) = self.look_at_the_clock(&part.tree) {
                    return Left::End(end);
                }
                self.share(&mut part, scope);
                if hand.is_wanted_back() {
                    return Left::Part(part);
                }
                if let Hand::Own(safe_point) = hand
                    && !self.is_promising(&part.tree)
                {
                    self.waited += safe_point();
                }
            }
        }
    }

    /// The run that is next in the tree; the end, if there is one.
    fn run(&mut self, tree: &mut Tree) -> Option<Exploration> {
        let mut choose = |position, domain: &IntervalSet| tree.choose(position, domain);
        // Before much memory is filled.
        let most_needed = match self.statistics.boxes {
            0 => 4 * OPEN_INPUTS,
            _ => usize::MAX,
        };
        let run = self.concolic.run(&mut choose, most_needed, self.limits);
        if let Some(end) = self.judge(&run, tree.depth()) {
            return Some(end);
        }
        (self.task.observed.observe)(&run);
        tree.record(&run.inputs);
        self.is_hopeless(tree).map(Exploration::GivenUp)
    }

    /// Whether it is time to look round.
    fn is_to_look(&mut self) -> bool {
        let done = self.statistics;
        let looks = done.boxes.is_multiple_of(self.task.observed.runs_a_look)
            || done.steps >= self.next_look;
        if looks {
            self.next_look = done.steps + STEPS_A_LOOK;
        }
        looks
    }

    /// Has others help, if there are some.
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
            scope.hire(move |scope, helper| task.work(scope, Hand::Helping(helper)));
        }
    }

    /// The end, if the run is one.
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
            journal(self.task.executable, &run.inputs, |input| ends(input).0),
            journal(self.task.executable, &run.inputs, |input| ends(input).1),
        ];
        corners.iter().all(|corner| {
            let report = self
                .machine
                .run(&mut ReplayInputs::new(corner), self.limits);
            // Steps that are leapt over do not count, and which these are is not the same for all runs.
            let leaps = report.steps.max(run.report.steps) >= STEPS_BEFORE_ACCELERATION;
            let same = |other: &Report| {
                other.outcome == run.report.outcome
                    && (leaps || other.steps == run.report.steps)
                    && other.is_faithful()
            };
            let cut_off = matches!(report.outcome, Outcome::TimeLimit | Outcome::Cancelled);
            cut_off || same(&report)
        })
    }

    /// Why it is not worth while to go on, if so.
    fn is_hopeless(&self, tree: &Tree) -> Option<String> {
        let expected = tree.runs_to_expect();
        if expected > self.task.options.runs as f64 {
            return Some(format!("about {expected:.1e} runs would have to be seen"));
        }
        if tree.open_inputs() > OPEN_INPUTS {
            return Some("a run asks for too many inputs".to_owned());
        }
        None
    }

    /// Whether the end is in sight. Who sees it goes on beside those whose turn it is, with a lower priority.
    fn is_promising(&self, tree: &Tree) -> bool {
        let own = self.task.begin.elapsed().saturating_sub(self.waited);
        let progress = tree.progress();
        progress.is_some_and(|progress| own.div_f64(progress.max(1e-6)) < PROMISING)
    }

    /// The end, if it was told to stop or takes too long.
    fn look_at_the_clock(&self, tree: &Tree) -> Option<Exploration> {
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
                (elapsed > FIRST_ESTIMATE
                    && total > self.task.options.time.mul_f64(ESTIMATE_FACTOR))
                .then(|| format!("it would take about {:.0} s", total.as_secs_f64()))
            }
            None => (elapsed > WITHOUT_ESTIMATE)
                .then(|| "it is not known how many cases there are".to_owned()),
        };
        reason.map(Exploration::GivenUp)
    }
}
