//! A round: independent jobs for any number of threads.
//!
//! A job is a run, or the comparison of some runs. All jobs of a round are created before the first one begins, and each is
//! evaluated against the coverage at that time; a run without new coverage only counts its steps. The thread that started
//! the round takes the results in the order of the jobs. When a job meets the end condition of the round, the jobs after
//! it are skipped.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::comparisons::{ComparisonLog, proposals, solvable_width};
use super::coverage::{Coverage, Hits};
use super::input_values::{Bits, Dictionary, fit};
use super::limits::JOBS_PER_CLOCK_CHECK;
use super::source::{Candidate, CandidateInputs};
use regatta_certify::replay::{NotConfirmed, judge};
use regatta_program::interpreter::{Executable, Limits, Machine, Outcome, Report};
use regatta_program::{EdgeId, InputId, Program};

pub(super) enum Job {
    Run(Candidate),
    /// A run with another value at a position.
    Try {
        base: Arc<Base>,
        position: usize,
        value: Bits,
    },
    /// The effect of changes at a position on comparisons, from which values to try are proposed.
    Compare {
        base: Arc<Base>,
        position: usize,
    },
}

impl Job {
    /// Returns the maximum number of runs that the job takes.
    pub(super) fn maximum_runs(&self, executable: &Executable) -> u64 {
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

/// The condition that ends a round early.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// A run to an error.
    Alarm,
    /// A run to an error, or with new coverage.
    Finding,
}

impl Until {
    /// Checks whether the finding ends the round.
    pub(super) fn ends_with(self, find: &Finding) -> bool {
        match find {
            Finding::Run(found) => self == Self::Finding || found.is_alarm(),
            Finding::Nothing | Finding::Rejected(_) | Finding::Proposals(_) => false,
        }
    }
}

pub(super) struct JobResult {
    pub(super) runs: u64,
    pub(super) steps: u64,
    /// Whether the run reached the limit of steps.
    pub(super) is_cut_off: bool,
    /// Whether the run was cancelled or out of time.
    pub(super) is_interrupted: bool,
    pub(super) find: Finding,
}

pub(super) enum Finding {
    Nothing,
    /// A run to an error or with new coverage.
    Run(Box<FoundRun>),
    /// A run to an error that is no run of the C program.
    Rejected(NotConfirmed),
    /// Jobs that try proposed values.
    Proposals(Vec<Job>),
}

/// A run for the corpus.
pub(super) struct FoundRun {
    pub(super) candidate: Candidate,
    /// The inputs that it has drawn.
    pub(super) recorded: Vec<(InputId, Bits)>,
    pub(super) hits: Vec<(EdgeId, u32)>,
    pub(super) report: Report,
}

impl FoundRun {
    /// Checks whether the run reaches an error; runs that are none of the C program have been rejected before.
    pub(super) fn is_alarm(&self) -> bool {
        matches!(self.report.outcome, Outcome::Error { .. })
    }
}

/// The data of a thread that performs runs.
pub(super) struct Runner<'f> {
    pub(super) machine: Machine<'f>,
    pub(super) inputs: CandidateInputs<'f>,
    hits: Hits,
}

/// Runners that are reused in later rounds.
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

    /// Takes an idle runner, or creates one.
    pub(super) fn take(&self) -> RunnerGuard<'_, 'f> {
        let idle = self.idle.lock().pop();
        let runner = idle.unwrap_or_else(|| Runner {
            machine: Machine::new(self.executable),
            inputs: CandidateInputs::new(self.executable.inputs().len(), self.dictionary),
            hits: Hits::new(self.edges),
        });
        RunnerGuard {
            runners: self,
            runner: Some(runner),
        }
    }
}

/// A runner that returns to the pool when it is dropped.
pub(super) struct RunnerGuard<'r, 'f> {
    runners: &'r Runners<'f>,
    /// `None` only during the drop.
    runner: Option<Runner<'f>>,
}

impl<'f> Deref for RunnerGuard<'_, 'f> {
    type Target = Runner<'f>;

    fn deref(&self) -> &Runner<'f> {
        self.runner.as_ref().expect("there until the drop")
    }
}

impl<'f> DerefMut for RunnerGuard<'_, 'f> {
    fn deref_mut(&mut self) -> &mut Runner<'f> {
        self.runner.as_mut().expect("there until the drop")
    }
}

impl Drop for RunnerGuard<'_, '_> {
    fn drop(&mut self) {
        self.runners.idle.lock().extend(self.runner.take());
    }
}

/// The budget of all runs of a job together.
#[derive(Copy, Clone)]
pub(super) struct Budget {
    pub(super) runs: u64,
    pub(super) steps: u64,
}

/// The data that the threads of a round share.
pub(super) struct Round<'r, 'f> {
    runners: &'r Runners<'f>,
    /// The coverage at the beginning of the round.
    coverage: &'r Coverage,
    /// The limits of each run.
    limits: Limits<'r>,
    /// The budget of a job.
    budget: Budget,
    until: Until,
    /// The highest number of a job that is still needed.
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

/// A thread that performs jobs of a round.
pub(super) struct RoundWorker<'h, 'f> {
    round: &'h Round<'h, 'f>,
    runner: RunnerGuard<'h, 'f>,
    limits: Limits<'h>,
    /// The data of the thread that started the round; `None` for others.
    caller: Option<Caller<'h>>,
}

/// The data of the thread that started the round.
struct Caller<'h> {
    safe_point: &'h dyn Fn() -> Duration,
    /// The time spent at safe points.
    waited: Duration,
    /// The number of jobs so far.
    jobs: u32,
}

impl<'h, 'f> RoundWorker<'h, 'f> {
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

    /// Returns the time spent at safe points.
    pub(super) fn waited(&self) -> Duration {
        let caller = self.caller.as_ref();
        caller.map_or(Duration::ZERO, |caller| caller.waited)
    }

    /// Performs the job with the number; returns `None` if it is not needed any more.
    pub(super) fn perform(&mut self, number: usize, job: &Job) -> Option<JobResult> {
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

    /// Checks between two jobs whether the round was cancelled or the time is over.
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
        caller.jobs.is_multiple_of(JOBS_PER_CLOCK_CHECK)
            && deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Waits at a safe point if this is the calling thread.
    fn safe_point(&mut self) {
        if let Some(caller) = &mut self.caller {
            let waited = (caller.safe_point)();
            caller.waited += waited;
            if let Some(deadline) = &mut self.limits.deadline {
                *deadline += waited;
            }
        }
    }

    pub(super) fn run(&mut self, candidate: &Candidate) -> (Report, JobResult) {
        self.safe_point();
        let runner = &mut *self.runner;
        runner.inputs.load(candidate);
        runner.hits.clear();
        let (inputs, hits) = (&mut runner.inputs, &mut runner.hits);
        let report = runner.machine.run_observed(inputs, self.limits, hits);
        let mut done = JobResult {
            runs: 1,
            steps: report.steps,
            is_cut_off: report.outcome == Outcome::StepLimit,
            is_interrupted: is_interrupted(&report),
            find: Finding::Nothing,
        };
        if done.is_interrupted {
            return (report, done);
        }
        let is_alarm = matches!(report.outcome, Outcome::Error { .. });
        if is_alarm && let Err(reason) = judge(&report) {
            done.find = Finding::Rejected(reason);
        } else if is_alarm || report.is_faithful() && self.round.coverage.lacks(&runner.hits) {
            // A run that is none of the C program gives no alarm, and its mutations probably give none either.
            done.find = Finding::Run(Box::new(FoundRun {
                candidate: candidate.clone(),
                recorded: runner.inputs.recorded.clone(),
                hits: runner.hits.taken().collect(),
                report: report.clone(),
            }));
        }
        (report, done)
    }

    /// Returns the candidate with the comparisons of its run, and the number of steps.
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

    /// Proposes the values at the position that change the outcome of a comparison.
    fn compare(&mut self, base: &Arc<Base>, position: usize) -> JobResult {
        self.safe_point();
        let mut done = JobResult {
            runs: 0,
            steps: 0,
            is_cut_off: false,
            is_interrupted: false,
            find: Finding::Proposals(Vec::new()),
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
                done.find = Finding::Proposals(values.map(attempt).collect());
                return done;
            }
        }
        done
    }
}

fn is_interrupted(report: &Report) -> bool {
    matches!(report.outcome, Outcome::Cancelled | Outcome::TimeLimit)
}
