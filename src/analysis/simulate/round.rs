//! A round: jobs that do not depend on one another, for as many threads as there are.
//!
//! A job is a run, or the comparisons of some runs. All jobs of a round are made before the first one begins, and each
//! is judged by what was covered then: a run that covers nothing new leaves nothing behind but its steps. Whoever began
//! the round takes the results in the order of the jobs. Once a job has found what ends the round, those after it are
//! left out.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::comparisons::{ComparisonLog, proposals, solvable_width};
use super::coverage::{Coverage, Hits};
use super::source::{Candidate, CandidateInputs};
use super::values::{Bits, Dictionary, fit};
use crate::certify::replay::{NotConfirmed, judge};
use crate::program::interpreter::{Executable, Limits, Machine, Outcome, Report};
use crate::program::{EdgeId, InputId, Program};

/// So many jobs of the calling thread are between two looks at the clock.
const JOBS_A_LOOK: u32 = 16;

/// What is to be done.
pub(super) enum Job {
    /// A run.
    Run(Candidate),
    /// A run with another value at the position.
    Try {
        base: Arc<Base>,
        position: usize,
        value: Bits,
    },
    /// What changes of the value at the position do to comparisons, and so which values are to be tried.
    Compare { base: Arc<Base>, position: usize },
}

impl Job {
    /// How many runs it takes at most.
    pub(super) fn most_runs(&self, executable: &Executable) -> u64 {
        match self {
            Self::Run(_) | Self::Try { .. } => 1,
            Self::Compare { base, position } => {
                let (id, _) = base.candidate.list[*position];
                let width = solvable_width(executable.inputs()[id.index()].sort);
                width.map_or(0, u64::from)
            }
        }
    }
}

/// A candidate whose inputs are solved for.
pub(super) struct Base {
    candidate: Candidate,
    log: ComparisonLog,
}

/// When a round is over before all its jobs are done.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// With a run to an error.
    Alarm,
    /// With a run that covers something new, too.
    Find,
}

impl Until {
    /// Whether what was found ends the round.
    pub(super) fn ends_with(self, find: &Find) -> bool {
        match find {
            Find::Run(found) => self == Self::Find || found.is_alarm(),
            Find::Nothing | Find::Rejected(_) | Find::Proposals(_) => false,
        }
    }
}

/// What has come of a job.
pub(super) struct Done {
    pub(super) runs: u64,
    pub(super) steps: u64,
    /// Whether the run reached the limit of steps.
    pub(super) is_cut_off: bool,
    /// Whether it was stopped, or out of time.
    pub(super) is_interrupted: bool,
    pub(super) find: Find,
}

/// What a job has found.
pub(super) enum Find {
    Nothing,
    /// A run that leads to an error or covers something new.
    Run(Box<Found>),
    /// A run to an error that is none of the C program.
    Rejected(NotConfirmed),
    /// Values to be tried, as jobs.
    Proposals(Vec<Job>),
}

/// A run worth keeping.
pub(super) struct Found {
    pub(super) candidate: Candidate,
    /// The inputs that it has had.
    pub(super) recorded: Vec<(InputId, Bits)>,
    pub(super) hits: Vec<(EdgeId, u32)>,
    pub(super) report: Report,
}

impl Found {
    /// Whether the run is one of the C program to an error; runs to an error that are none are rejected.
    pub(super) fn is_alarm(&self) -> bool {
        matches!(self.report.outcome, Outcome::Error { .. })
    }
}

/// What a thread needs for runs.
pub(super) struct Runner<'f> {
    pub(super) machine: Machine<'f>,
    pub(super) inputs: CandidateInputs<'f>,
    hits: Hits,
}

/// Runners, kept from one round to the next.
pub(super) struct Runners<'f> {
    executable: &'f Executable,
    dictionary: &'f Dictionary,
    edges: usize,
    idle: Mutex<Vec<Runner<'f>>>,
}

impl<'f> Runners<'f> {
    pub(super) fn new(
        program: &Program,
        executable: &'f Executable,
        dictionary: &'f Dictionary,
    ) -> Self {
        Self {
            executable,
            dictionary,
            edges: program.edges.len(),
            idle: Mutex::default(),
        }
    }

    /// One that nobody uses.
    pub(super) fn take(&self) -> Taken<'_, 'f> {
        let idle = self.idle.lock().pop();
        let runner = idle.unwrap_or_else(|| Runner {
            machine: Machine::new(self.executable),
            inputs: CandidateInputs::new(self.executable.inputs().len(), self.dictionary),
            hits: Hits::new(self.edges),
        });
        Taken {
            runners: self,
            runner: Some(runner),
        }
    }
}

/// A runner that goes back when it is dropped.
pub(super) struct Taken<'r, 'f> {
    runners: &'r Runners<'f>,
    /// Nothing but in the drop.
    runner: Option<Runner<'f>>,
}

impl<'f> Deref for Taken<'_, 'f> {
    type Target = Runner<'f>;

    fn deref(&self) -> &Runner<'f> {
        self.runner.as_ref().expect("there until the drop")
    }
}

impl<'f> DerefMut for Taken<'_, 'f> {
    fn deref_mut(&mut self) -> &mut Runner<'f> {
        self.runner.as_mut().expect("there until the drop")
    }
}

impl Drop for Taken<'_, '_> {
    fn drop(&mut self) {
        self.runners.idle.lock().extend(self.runner.take());
    }
}

/// What all runs of a job together may take.
#[derive(Copy, Clone)]
pub(super) struct Budget {
    pub(super) runs: u64,
    pub(super) steps: u64,
}

/// What the threads of a round share.
pub(super) struct Round<'r, 'f> {
    runners: &'r Runners<'f>,
    /// When the round begins.
    coverage: &'r Coverage,
    /// Of each run.
    limits: Limits<'r>,
    /// For a job.
    budget: Budget,
    until: Until,
    /// No job with a higher number than this is wanted.
    last: AtomicUsize,
}

impl<'r, 'f> Round<'r, 'f> {
    pub(super) fn new(
        runners: &'r Runners<'f>,
        coverage: &'r Coverage,
        limits: Limits<'r>,
        budget: Budget,
        until: Until,
    ) -> Self {
        Self {
            runners,
            coverage,
            limits,
            budget,
            until,
            last: AtomicUsize::new(usize::MAX),
        }
    }
}

/// A thread at work on a round.
pub(super) struct Hand<'h, 'f> {
    round: &'h Round<'h, 'f>,
    runner: Taken<'h, 'f>,
    limits: Limits<'h>,
    /// Of the thread that has begun the round.
    caller: Option<Caller<'h>>,
}

/// What only the thread does that has begun the round.
struct Caller<'h> {
    safe_point: &'h dyn Fn() -> Duration,
    /// How long it has waited for others.
    waited: Duration,
    /// Jobs since it looked at the clock.
    jobs: u32,
}

impl<'h, 'f> Hand<'h, 'f> {
    pub(super) fn of_caller(
        round: &'h Round<'h, 'f>,
        safe_point: &'h dyn Fn() -> Duration,
    ) -> Self {
        let caller = Caller {
            safe_point,
            waited: Duration::ZERO,
            jobs: 0,
        };
        Self {
            caller: Some(caller),
            ..Self::of_helper(round)
        }
    }

    pub(super) fn of_helper(round: &'h Round<'h, 'f>) -> Self {
        Self {
            round,
            runner: round.runners.take(),
            limits: round.limits,
            caller: None,
        }
    }

    /// How long it has waited for others.
    pub(super) fn waited(&self) -> Duration {
        let caller = self.caller.as_ref();
        caller.map_or(Duration::ZERO, |caller| caller.waited)
    }

    /// Does the job with the number; nothing if it is not wanted any more.
    pub(super) fn perform(&mut self, number: usize, job: &Job) -> Option<Done> {
        let last = &self.round.last;
        if number > last.load(Ordering::Relaxed) {
            return None;
        }
        if self.is_over() {
            last.fetch_min(number, Ordering::Relaxed);
            return None;
        }
        let done = match job {
            Job::Run(candidate) => self.run(candidate).1,
            Job::Try {
                base,
                position,
                value,
            } => {
                let mut candidate = base.candidate.clone();
                candidate.list[*position].1 = *value;
                self.run(&candidate).1
            }
            Job::Compare { base, position } => self.compare(base, *position),
        };
        if self.round.until.ends_with(&done.find) {
            last.fetch_min(number, Ordering::Relaxed);
        }
        Some(done)
    }

    /// Whether there is no time left, as far as that is looked at between two jobs.
    fn is_over(&mut self) -> bool {
        let is_cancelled = self.limits.cancelled;
        if is_cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return true;
        }
        let Some(caller) = &mut self.caller else {
            return false;
        };
        caller.jobs += 1;
        let deadline = self.limits.deadline;
        caller.jobs.is_multiple_of(JOBS_A_LOOK)
            && deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Between two runs.
    fn safe_point(&mut self) {
        if let Some(caller) = &mut self.caller {
            let waited = (caller.safe_point)();
            caller.waited += waited;
            if let Some(deadline) = &mut self.limits.deadline {
                *deadline += waited;
            }
        }
    }

    /// Runs the candidate.
    pub(super) fn run(&mut self, candidate: &Candidate) -> (Report, Done) {
        self.safe_point();
        let runner = &mut *self.runner;
        runner.inputs.load(candidate);
        runner.hits.clear();
        let (inputs, hits) = (&mut runner.inputs, &mut runner.hits);
        let report = runner.machine.run_observed(inputs, self.limits, hits);
        let mut done = Done {
            runs: 1,
            steps: report.steps,
            is_cut_off: report.outcome == Outcome::StepLimit,
            is_interrupted: is_interrupted(&report),
            find: Find::Nothing,
        };
        if done.is_interrupted {
            return (report, done);
        }
        let is_alarm = matches!(report.outcome, Outcome::Error { .. });
        if is_alarm && let Err(reason) = judge(&report) {
            done.find = Find::Rejected(reason);
        } else if is_alarm || report.is_faithful() && self.round.coverage.lacks(&runner.hits) {
            // A run that is none of the C program leads to no alarm, nor do its changes probably.
            done.find = Find::Run(Box::new(Found {
                candidate: candidate.clone(),
                recorded: runner.inputs.recorded.clone(),
                hits: runner.hits.taken().collect(),
                report: report.clone(),
            }));
        }
        (report, done)
    }

    /// The candidate with the comparisons of its run, and the steps of that.
    pub(super) fn base(&mut self, candidate: Candidate) -> (Base, u64) {
        let (log, report) = self.comparisons(&candidate, self.limits);
        (Base { candidate, log }, report.steps)
    }

    fn comparisons(
        &mut self,
        candidate: &Candidate,
        limits: Limits<'_>,
    ) -> (ComparisonLog, Report) {
        let runner = &mut *self.runner;
        runner.inputs.load(candidate);
        let mut log = ComparisonLog::new(self.round.runners.executable.instruction_count());
        let report = runner
            .machine
            .run_observed(&mut runner.inputs, limits, &mut log);
        (log, report)
    }

    /// The values at the position that turn one of the comparisons round.
    fn compare(&mut self, base: &Arc<Base>, position: usize) -> Done {
        self.safe_point();
        let mut done = Done {
            runs: 0,
            steps: 0,
            is_cut_off: false,
            is_interrupted: false,
            find: Find::Proposals(Vec::new()),
        };
        let (id, value) = base.candidate.list[position];
        let sort = self.round.runners.executable.inputs()[id.index()].sort;
        let Some(width) = solvable_width(sort) else {
            return done;
        };
        let mut changed = base.candidate.clone();
        let Budget { runs, steps } = self.round.budget;
        for step in 0..width {
            if done.runs == runs {
                return done;
            }
            changed.list[position].1 = fit(sort, value.wrapping_add(1 << step));
            let limits = Limits {
                steps: self.limits.steps.min(steps - done.steps),
                ..self.limits
            };
            let (log, report) = self.comparisons(&changed, limits);
            done.runs += 1;
            done.steps += report.steps;
            if is_interrupted(&report) {
                done.is_interrupted = true;
                return done;
            }
            if step + 1 == width || base.log.differs(&log) {
                let values = proposals(&base.log, &log, value, step, sort).into_iter();
                let attempt = |value| Job::Try {
                    base: Arc::clone(base),
                    position,
                    value,
                };
                done.find = Find::Proposals(values.map(attempt).collect());
                return done;
            }
        }
        done
    }
}

fn is_interrupted(report: &Report) -> bool {
    matches!(report.outcome, Outcome::Cancelled | Outcome::TimeLimit)
}
