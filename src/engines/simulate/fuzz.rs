//! The main loop of simulation: the choice of the next candidate, and the limit on its steps.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::corpus::{Corpus, mutate};
use super::coverage::Coverage;
use super::input_values::{Dictionary, Random};
use super::limits::{
    CHANGES_PER_ROUND, INITIAL_CHANGES_PER_ROUND, LONG_RUN_STEPS, MAXIMUM_FIRST_RUN_STEPS,
    MAXIMUM_REJECTIONS, MAXIMUM_RUN_SHARE, MAXIMUM_SOLVED_INPUTS, MAXIMUM_SOLVING_RUNS,
    MAXIMUM_UNSOLVED_CANDIDATES, RUNS_PER_LIMIT_ADJUSTMENT, SEED_RUNS_PER_POLICY,
    SOLVED_INPUTS_PER_ROUND, TARGET_STEPS_PER_ROUND,
};
use super::round::{
    Base, Budget, Finding, FoundRun, Job, JobResult, Round, RoundWorker, Runners, Until,
};
use super::source::{Candidate, Policy};
use super::{Confirm, Control, Options, Simulation, SimulationOutcome, Statistics};
use regatta_program::Program;
use regatta_program::interpreter::{Executable, Limits, Outcome, RecordingInputs, Report};

pub(super) struct Fuzzer<'f> {
    executable: &'f Executable,
    options: &'f Options,
    control: Control<'f>,
    confirm: &'f mut dyn Confirm,
    dictionary: &'f Dictionary,
    start: Instant,
    /// The time after the start at which coverage last grew.
    last_new_coverage: Duration,
    runners: Runners<'f>,
    random: Random,
    coverage: Coverage,
    corpus: Corpus,
    statistics: Statistics,
    /// Steps after which a run is cut off.
    run_steps: u64,
    /// Runs since the limit was last adjusted, and the number of them that reached it.
    window: (u64, u64),
    /// The number of mutations in the next round.
    changes: u64,
    /// Candidates whose inputs have not been solved for, and the steps spent on solving.
    unsolved: Vec<Candidate>,
    solving_steps: u64,
}

/// The result of a list of jobs.
#[derive(Default)]
struct RoundResult {
    has_find: bool,
    /// Jobs that try proposed values.
    proposals: Vec<Job>,
}

/// The reason why the loop ends.
enum End {
    Decided(SimulationOutcome),
    OutOfBudget,
}

impl<'f> Fuzzer<'f> {
    pub(super) fn new(
        program: &Program,
        executable: &'f Executable,
        dictionary: &'f Dictionary,
        options: &'f Options,
        control: Control<'f>,
        confirm: &'f mut dyn Confirm,
    ) -> Self {
        Self {
            executable,
            options,
            control,
            confirm,
            dictionary,
            start: Instant::now(),
            last_new_coverage: Duration::ZERO,
            runners: Runners::new(program, executable, dictionary),
            random: Random::new(options.seed),
            coverage: Coverage::new(program),
            corpus: Corpus::default(),
            statistics: Statistics {
                edges: program.edges.len(),
                ..Statistics::default()
            },
            run_steps: options.run_steps.max(1_000),
            window: (0, 0),
            changes: INITIAL_CHANGES_PER_ROUND,
            unsolved: Vec::new(),
            solving_steps: 0,
        }
    }

    /// Runs until the program is decided or the budget is exhausted.
    pub(super) fn run(mut self) -> Simulation {
        let ControlFlow::Break(end) = self.phases();
        let outcome = match end {
            End::Decided(outcome) => outcome,
            End::OutOfBudget => SimulationOutcome::Unknown,
        };
        self.statistics.time = self.start.elapsed();
        self.statistics.edges_covered = self.coverage.edges;
        self.statistics.corpus = self.corpus.entries.len();
        let inputs = self.executable.inputs();
        let corpus = self.corpus.entries.iter();
        Simulation {
            outcome,
            statistics: self.statistics,
            corpus: corpus
                .map(|entry| entry.candidate.journal(inputs))
                .collect(),
        }
    }

    fn phases(&mut self) -> ControlFlow<End, Infallible> {
        self.only_run()?;
        self.seeds()?;
        loop {
            // Solving takes at most half of the steps.
            let affordable = self.solving_steps <= self.statistics.steps / 2;
            match self.unsolved.pop_if(|_| affordable) {
                Some(candidate) => {
                    let before = self.statistics.steps;
                    self.solve(candidate)?;
                    self.solving_steps += self.statistics.steps - before;
                }
                None => self.change()?,
            }
        }
    }

    /// Runs on zeros. If the run draws no input, it is the only run and is continued to its end; otherwise its length sets the
    /// limit for further runs.
    fn only_run(&mut self) -> ControlFlow<End> {
        let usual = self.run_steps;
        self.run_steps = usual.max(MAXIMUM_FIRST_RUN_STEPS);
        let zeros = Candidate {
            list: Vec::new(),
            policy: Policy::Constant(0),
            seed: 0,
        };
        loop {
            let report = self.run_alone(&zeros)?;
            if report.inputs > 0 {
                self.run_steps = match report.outcome {
                    Outcome::StepLimit => usual,
                    _ => usual.max(report.steps.saturating_mul(2)),
                };
                return ControlFlow::Continue(());
            }
            match report.outcome {
                Outcome::StepLimit => self.run_steps = self.run_steps.saturating_mul(16),
                Outcome::Ended { .. } | Outcome::Blocked { .. }
                    if report.is_faithful() && self.executable.is_deterministic() =>
                {
                    return ControlFlow::Break(match self.confirm.only_run(report.steps) {
                        Ok(()) => End::Decided(SimulationOutcome::OnlyRun {
                            steps: report.steps,
                        }),
                        Err(reason) => {
                            self.reject(reason);
                            End::OutOfBudget
                        }
                    });
                }
                // All runs are equal.
                _ => return ControlFlow::Break(End::OutOfBudget),
            }
        }
    }

    /// Runs whose inputs all come from one policy. Equal values give alarms that are easy to read; where runs are long, as with
    /// large arrays of inputs, mixed values come first because they cover more.
    fn seeds(&mut self) -> ControlFlow<End> {
        let constants = [1, -1, 2].map(Policy::Constant);
        let mixed = (self.statistics.steps > LONG_RUN_STEPS).then_some(Policy::Mixed);
        let constants = mixed.into_iter().chain(constants);
        let varied = (0..SEED_RUNS_PER_POLICY).flat_map(|_| Policy::VARIED);
        let candidate = |policy| Candidate {
            list: Vec::new(),
            policy,
            seed: self.random.next(),
        };
        let candidates = constants.chain(varied).map(candidate);
        let jobs: Vec<_> = candidates.map(Job::Run).collect();
        self.perform(&jobs, Until::Alarm)?;
        ControlFlow::Continue(())
    }

    /// Performs a round of mutations of the corpus. The round ends at the first new coverage, so that later mutations build
    /// on it; the next rounds are short then, because new coverage often leads to more.
    fn change(&mut self) -> ControlFlow<End> {
        let average = self.statistics.steps / self.statistics.runs.max(1);
        let worthwhile = TARGET_STEPS_PER_ROUND / average.max(1);
        let count = self
            .changes
            .min(worthwhile.clamp(*CHANGES_PER_ROUND.start(), *CHANGES_PER_ROUND.end()));
        let jobs: Vec<_> = (0..count).map(|_| Job::Run(self.changed())).collect();
        let gained = self.perform(&jobs, Until::Finding)?;
        self.changes = match gained.has_find {
            true => INITIAL_CHANGES_PER_ROUND,
            false => 2 * count,
        };
        ControlFlow::Continue(())
    }

    /// Mutates a member of the corpus, or occasionally creates a new candidate.
    fn changed(&mut self) -> Candidate {
        let chosen = self.corpus.choose(&mut self.random);
        match chosen {
            Some(index) if !self.random.once_in(16) => {
                let other = self.corpus.any(&mut self.random);
                mutate(
                    &self.corpus.entries[index].candidate,
                    other,
                    self.executable.inputs(),
                    self.dictionary,
                    &mut self.random,
                )
            }
            _ => Candidate {
                list: Vec::new(),
                policy: Policy::random(&mut self.random),
                seed: self.random.next(),
            },
        }
    }

    /// Tries the values of a candidate's inputs that change the outcome of one of its comparisons.
    fn solve(&mut self, candidate: Candidate) -> ControlFlow<End> {
        let first = self.statistics.runs;
        let positions = self.positions(candidate.list.len());
        let base = self.base(candidate)?;
        for positions in positions.chunks(SOLVED_INPUTS_PER_ROUND) {
            let compare = |&position: &usize| Job::Compare {
                base: Arc::clone(&base),
                position,
            };
            let jobs: Vec<_> = positions.iter().map(compare).collect();
            let mut proposals = self.perform(&jobs, Until::Alarm)?.proposals;
            let left = MAXIMUM_SOLVING_RUNS.saturating_sub(self.statistics.runs - first);
            proposals.truncate(left as usize);
            self.perform(&proposals, Until::Alarm)?;
            if self.statistics.runs - first >= MAXIMUM_SOLVING_RUNS {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns some positions in a list of inputs, the first ones among them.
    fn positions(&mut self, length: usize) -> Vec<usize> {
        let first = length.min(MAXIMUM_SOLVED_INPUTS / 2);
        let mut positions: Vec<_> = (0..first).collect();
        for _ in first..length.min(MAXIMUM_SOLVED_INPUTS) {
            positions.push(first + self.random.below(length - first));
        }
        positions
    }

    /// Performs the jobs as if sequentially, until the end condition holds. Results that other threads have computed beyond
    /// that point are discarded, so that the result does not depend on the number of threads.
    fn perform(&mut self, mut jobs: &[Job], until: Until) -> ControlFlow<End, RoundResult> {
        let mut gained = RoundResult::default();
        while !jobs.is_empty() {
            let mut folded = 0;
            for done in self.share(&jobs[..self.affordable(jobs)], until) {
                match done {
                    Some(done) if !done.is_interrupted || self.is_over() => {
                        folded += 1;
                        let is_last = until.ends_with(&done.find);
                        self.fold(done, &mut gained)?;
                        if is_last && until == Until::Finding {
                            return ControlFlow::Continue(gained);
                        }
                        // Worker threads may have been ahead. The jobs after a rejected alarm are performed again, because
                        // one thread would have performed them with the limit of steps that holds now.
                        if is_last {
                            break;
                        }
                    }
                    _ => break,
                }
            }
            if self.is_over() {
                return ControlFlow::Break(End::OutOfBudget);
            }
            // Jobs are left if an alarm was rejected, or if a worker thread took time at safe points for the simulation's own.
            jobs = &jobs[folded..];
        }
        ControlFlow::Continue(gained)
    }

    /// Returns the rest of the budget.
    fn left(&self) -> Budget {
        Budget {
            runs: self.options.runs.saturating_sub(self.statistics.runs),
            steps: self.options.steps.saturating_sub(self.statistics.steps),
        }
    }

    /// Returns the number of jobs that are certain to stay within the budget; at least one, which gets the whole rest.
    fn affordable(&self, jobs: &[Job]) -> usize {
        let Budget { runs, steps } = self.left();
        let mut left = runs.min(steps / self.run_steps);
        let affordable = jobs.iter().take_while(|job| {
            let rest = left.checked_sub(job.maximum_runs(self.executable));
            left = rest.unwrap_or(0);
            rest.is_some()
        });
        affordable.count().max(1)
    }

    /// Performs the jobs on all threads; a result is `None` if the job was not performed.
    fn share(&mut self, jobs: &[Job], until: Until) -> Vec<Option<JobResult>> {
        let round = self.round(until);
        let mut worker = RoundWorker::of_caller(&round, self.control.safe_point);
        let jobs: Vec<_> = jobs.iter().enumerate().collect();
        let done = self.control.workers.map(
            &jobs,
            &mut worker,
            || RoundWorker::of_helper(&round),
            |worker, &(number, job)| worker.perform(number, job),
        );
        // Time at safe points does not count.
        let waited = worker.waited();
        drop(worker);
        self.start += waited;
        done
    }

    fn round(&self, until: Until) -> Round<'_, 'f> {
        let left = self.left();
        let limits = Limits {
            steps: self.run_steps.min(left.steps),
            memory: self.options.memory,
            deadline: Some(self.start + self.options.time),
            cancelled: Some(self.control.token.flag()),
        };
        Round::new(&self.runners, &self.coverage, limits, left, until)
    }

    fn run_alone(&mut self, candidate: &Candidate) -> ControlFlow<End, Report> {
        let round = self.round(Until::Alarm);
        let mut worker = RoundWorker::of_caller(&round, self.control.safe_point);
        let (report, done) = worker.run(candidate);
        let waited = worker.waited();
        drop(worker);
        self.start += waited;
        self.fold(done, &mut RoundResult::default())?;
        match self.is_over() {
            true => ControlFlow::Break(End::OutOfBudget),
            false => ControlFlow::Continue(report),
        }
    }

    /// Computes the comparisons of the candidate's run.
    fn base(&mut self, candidate: Candidate) -> ControlFlow<End, Arc<Base>> {
        let round = self.round(Until::Alarm);
        let (base, steps) = RoundWorker::of_caller(&round, self.control.safe_point).base(candidate);
        self.statistics.runs += 1;
        self.statistics.steps += steps;
        self.has_budget()?;
        ControlFlow::Continue(Arc::new(base))
    }

    /// Adds the result of a job; breaks if that ends the simulation.
    fn fold(&mut self, done: JobResult, gained: &mut RoundResult) -> ControlFlow<End> {
        self.statistics.runs += done.runs;
        self.statistics.steps += done.steps;
        self.statistics.cut_off += u64::from(done.is_cut_off);
        match done.find {
            Finding::Proposals(proposals) => gained.proposals.extend(proposals),
            Finding::Nothing => self.judge_limit(done.is_cut_off),
            Finding::Rejected(reason) => {
                self.reject(reason.to_string());
                self.judge_limit(done.is_cut_off);
            }
            Finding::Run(found) => {
                gained.has_find = true;
                if found.is_alarm() {
                    self.alarm(&found)?;
                }
                self.judge_limit(done.is_cut_off);
                self.keep(*found);
            }
        }
        self.has_budget()
    }

    /// Breaks if the budget is exhausted.
    fn has_budget(&self) -> ControlFlow<End> {
        let Budget { runs, steps } = self.left();
        match runs == 0 || steps == 0 {
            true => ControlFlow::Break(End::OutOfBudget),
            false => ControlFlow::Continue(()),
        }
    }

    /// Checks whether the simulation was cancelled, its time is over, or coverage has not grown for too long.
    fn is_over(&self) -> bool {
        let elapsed = self.start.elapsed();
        let is_stalled = |patience: Duration| {
            elapsed.saturating_sub(self.last_new_coverage)
                >= patience.max(2 * self.last_new_coverage)
        };
        self.control.token.is_cancelled()
            || elapsed >= self.options.time
            || self.options.patience.is_some_and(is_stalled)
    }

    /// Adds the run to the corpus, if its coverage is still new.
    fn keep(&mut self, found: FoundRun) {
        let novelty = self.coverage.add(&found.hits);
        if novelty.edges + novelty.magnitudes == 0 {
            return;
        }
        self.last_new_coverage = self.start.elapsed();
        let kept = Candidate {
            list: found.recorded,
            ..found.candidate
        };
        if !kept.list.is_empty() && self.unsolved.len() < MAXIMUM_UNSOLVED_CANDIDATES {
            self.unsolved.push(kept.clone());
        }
        self.corpus
            .add(kept, found.report.steps.max(1), novelty.distance);
    }

    /// Doubles the limit of steps if half of the runs reach it and the budget allows many more runs.
    fn judge_limit(&mut self, is_cut_off: bool) {
        self.window.0 += 1;
        self.window.1 += u64::from(is_cut_off);
        if self.window.0 < RUNS_PER_LIMIT_ADJUSTMENT {
            return;
        }
        let affordable = {
            let elapsed = self.start.elapsed().as_secs_f64();
            let left = (self.options.time.as_secs_f64() - elapsed).max(0.0);
            let speed = self.statistics.steps as f64 / elapsed.max(1e-6);
            (left * speed) as u64 / u64::from(MAXIMUM_RUN_SHARE) / 16
        };
        if self.window.1 * 2 >= self.window.0 && self.run_steps.saturating_mul(2) <= affordable {
            self.run_steps *= 2;
        }
        self.window = (0, 0);
    }

    /// Records the inputs of a run to an error, and has the caller confirm it.
    fn alarm(&mut self, found: &FoundRun) -> ControlFlow<End> {
        let steps = found.report.steps;
        let journal = {
            let mut runner = self.runners.take();
            let runner = &mut *runner;
            runner.inputs.load(&found.candidate);
            let mut recording = RecordingInputs::new(&mut runner.inputs);
            let limits = Limits {
                steps: steps + 1,
                ..Limits::default()
            };
            runner.machine.run(&mut recording, limits);
            recording.into_journal()
        };
        let Err(reason) = self.confirm.alarm(&journal, steps) else {
            return ControlFlow::Break(End::Decided(SimulationOutcome::Unsafe(journal)));
        };
        self.reject(reason);
        match self.statistics.rejected >= MAXIMUM_REJECTIONS {
            true => ControlFlow::Break(End::OutOfBudget),
            false => ControlFlow::Continue(()),
        }
    }

    fn reject(&mut self, reason: String) {
        self.statistics.rejected += 1;
        self.statistics.first_rejection.get_or_insert(reason);
    }
}
