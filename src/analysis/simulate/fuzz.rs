//! The loop: which candidate runs next, and for how long.

use std::convert::Infallible;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::corpus::{Corpus, mutate};
use super::coverage::Coverage;
use super::round::{Base, Budget, Done, Find, Found, Hand, Job, Round, Runners, Until};
use super::source::{Candidate, Policy};
use super::values::{Chance, Dictionary};
use super::{Confirm, Control, Options, Simulation, SimulationOutcome, Statistics};
use crate::program::Program;
use crate::program::interpreter::{Executable, Limits, Outcome, RecordingInputs, Report};

/// How many inputs of a candidate are solved for, and how many of them in one round.
const SOLVED_INPUTS: usize = 24;
const SOLVED_TOGETHER: usize = 8;
/// How many runs solving for a candidate's inputs may take, about.
const SOLVING_RUNS: u64 = 400;
/// How many changes are in the first round after one that has found something.
const FIRST_CHANGES: u64 = 16;
/// How many there are later: such that the round is worth waking a thread, as it has so many steps, and that nobody waits
/// long for the last run of somebody else.
const ROUND_STEPS: u64 = 100_000;
const CHANGES: RangeInclusive<u64> = 64..=1_024;
/// How many runs it takes to judge the limit of steps.
const WINDOW: u64 = 64;
/// How many errors are taken to the caller that he does not confirm.
const REJECTIONS: u64 = 100;
/// The share of the budget that one run may take.
const SHARE: u32 = 4;
/// How long the first run may be if it asks for inputs.
const FIRST_RUN_STEPS: u64 = 10_000_000;
/// A run of so many steps is long.
const LONG_RUN_STEPS: u64 = 100_000;
/// How many candidates wait for being solved at most.
const UNSOLVED: usize = 1_000;
/// Runs of each policy before anything is changed.
const SEEDS: usize = 4;

/// A simulation in progress.
pub(super) struct Fuzzer<'f> {
    executable: &'f Executable,
    options: &'f Options,
    control: Control<'f>,
    confirm: &'f mut dyn Confirm,
    dictionary: &'f Dictionary,
    start: Instant,
    /// When something new was covered last, after the start.
    last_find: Duration,
    runners: Runners<'f>,
    chance: Chance,
    coverage: Coverage,
    corpus: Corpus,
    statistics: Statistics,
    /// Steps after which a run is cut off.
    run_steps: u64,
    /// Runs since the limit was judged, and how many of them reached it.
    window: (u64, u64),
    /// How many changes the next round has.
    changes: u64,
    /// Candidates whose inputs have not been solved for, and the steps spent on others.
    unsolved: Vec<Candidate>,
    solving_steps: u64,
}

/// What a list of jobs has brought.
#[derive(Default)]
struct Gained {
    has_find: bool,
    /// Values to try, as jobs.
    proposals: Vec<Job>,
}

/// Why the loop ends.
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
            last_find: Duration::ZERO,
            runners: Runners::new(program, executable, dictionary),
            chance: Chance::new(options.seed),
            coverage: Coverage::new(program),
            corpus: Corpus::default(),
            statistics: Statistics {
                edges: program.edges.len(),
                ..Statistics::default()
            },
            run_steps: options.run_steps.max(1_000),
            window: (0, 0),
            changes: FIRST_CHANGES,
            unsolved: Vec::new(),
            solving_steps: 0,
        }
    }

    /// Runs until something is decided or the budget is used up.
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
            // Solving takes half of the steps at most.
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

    // --- the phases ---

    /// A run on zeros, which goes on as long as it asks for no input: then it is the only one. Otherwise its length is
    /// a measure for those to come.
    fn only_run(&mut self) -> ControlFlow<End> {
        let usual = self.run_steps;
        self.run_steps = usual.max(FIRST_RUN_STEPS);
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
                // Another run would be the same.
                _ => return ControlFlow::Break(End::OutOfBudget),
            }
        }
    }

    /// Runs whose inputs all come from one policy. The same value everywhere makes alarms that are easy to read; where a run takes
    /// long, as with large arrays of inputs, it tells less than different ones.
    fn seeds(&mut self) -> ControlFlow<End> {
        let constants = [1, -1, 2].map(Policy::Constant);
        let mixed = (self.statistics.steps > LONG_RUN_STEPS).then_some(Policy::Mixed);
        let constants = mixed.into_iter().chain(constants);
        let varied = (0..SEEDS).flat_map(|_| Policy::VARIED);
        let candidate = |policy| Candidate {
            list: Vec::new(),
            policy,
            seed: self.chance.next(),
        };
        let candidates = constants.chain(varied).map(candidate);
        let jobs: Vec<_> = candidates.map(Job::Run).collect();
        self.perform(&jobs, Until::Alarm)?;
        ControlFlow::Continue(())
    }

    /// A round of changes of members of the corpus. It is over when one finds something, which those that come after it
    /// are to build upon; then the next rounds are short, as what is new often leads to more of it.
    fn change(&mut self) -> ControlFlow<End> {
        let average = self.statistics.steps / self.statistics.runs.max(1);
        let worthwhile = ROUND_STEPS / average.max(1);
        let count = self
            .changes
            .min(worthwhile.clamp(*CHANGES.start(), *CHANGES.end()));
        let jobs: Vec<_> = (0..count).map(|_| Job::Run(self.changed())).collect();
        let gained = self.perform(&jobs, Until::Find)?;
        self.changes = match gained.has_find {
            true => FIRST_CHANGES,
            false => 2 * count,
        };
        ControlFlow::Continue(())
    }

    /// A change of a member of the corpus; now and then something else altogether.
    fn changed(&mut self) -> Candidate {
        let chosen = self.corpus.choose(&mut self.chance);
        match chosen {
            Some(index) if !self.chance.once_in(16) => {
                let other = self.corpus.any(&mut self.chance);
                mutate(
                    &self.corpus.entries[index].candidate,
                    other,
                    self.executable.inputs(),
                    self.dictionary,
                    &mut self.chance,
                )
            }
            _ => Candidate {
                list: Vec::new(),
                policy: Policy::random(&mut self.chance),
                seed: self.chance.next(),
            },
        }
    }

    /// Tries the values of a candidate's inputs that turn one of its comparisons round.
    fn solve(&mut self, candidate: Candidate) -> ControlFlow<End> {
        let first = self.statistics.runs;
        let positions = self.positions(candidate.list.len());
        let base = self.base(candidate)?;
        for positions in positions.chunks(SOLVED_TOGETHER) {
            let compare = |&position: &usize| Job::Compare {
                base: Arc::clone(&base),
                position,
            };
            let jobs: Vec<_> = positions.iter().map(compare).collect();
            let mut proposals = self.perform(&jobs, Until::Alarm)?.proposals;
            let left = SOLVING_RUNS.saturating_sub(self.statistics.runs - first);
            proposals.truncate(left as usize);
            self.perform(&proposals, Until::Alarm)?;
            if self.statistics.runs - first >= SOLVING_RUNS {
                break;
            }
        }
        ControlFlow::Continue(())
    }

    /// Some places in a list of inputs, the first ones among them.
    fn positions(&mut self, length: usize) -> Vec<usize> {
        let first = length.min(SOLVED_INPUTS / 2);
        let mut positions: Vec<_> = (0..first).collect();
        for _ in first..length.min(SOLVED_INPUTS) {
            positions.push(first + self.chance.below(length - first));
        }
        positions
    }

    // --- rounds ---

    /// Performs the jobs, as if one after another, until it is over; what several threads do ahead and what then is not
    /// wanted leaves no trace. So it does not matter who helps.
    fn perform(&mut self, mut jobs: &[Job], until: Until) -> ControlFlow<End, Gained> {
        let mut gained = Gained::default();
        while !jobs.is_empty() {
            let mut folded = 0;
            for done in self.share(&jobs[..self.affordable(jobs)], until) {
                match done {
                    Some(done) if !done.is_interrupted || self.is_over() => {
                        folded += 1;
                        let is_last = until.ends_with(&done.find);
                        self.fold(done, &mut gained)?;
                        if is_last && until == Until::Find {
                            return ControlFlow::Continue(gained);
                        }
                        // Helpers may have been ahead. What comes behind an alarm that is not confirmed is done again, as
                        // one thread would do it: the limit of steps may be another by now.
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
            // Some are left if there was an alarm that was not confirmed, or the time of others that a helper has
            // taken for the simulation's.
            jobs = &jobs[folded..];
        }
        ControlFlow::Continue(gained)
    }

    /// What is left of the budget.
    fn left(&self) -> Budget {
        Budget {
            runs: self.options.runs.saturating_sub(self.statistics.runs),
            steps: self.options.steps.saturating_sub(self.statistics.steps),
        }
    }

    /// How many of the jobs are sure to stay in the budget; one may always be, as it has the rest of the budget for
    /// itself.
    fn affordable(&self, jobs: &[Job]) -> usize {
        let Budget { runs, steps } = self.left();
        let mut left = runs.min(steps / self.run_steps);
        let affordable = jobs.iter().take_while(|job| {
            let rest = left.checked_sub(job.most_runs(self.executable));
            left = rest.unwrap_or(0);
            rest.is_some()
        });
        affordable.count().max(1)
    }

    /// What comes of each of the jobs; nothing where it was not performed.
    fn share(&mut self, jobs: &[Job], until: Until) -> Vec<Option<Done>> {
        let round = self.round(until);
        let mut hand = Hand::of_caller(&round, self.control.safe_point);
        let jobs: Vec<_> = jobs.iter().enumerate().collect();
        let done = self.control.workers.map(
            &jobs,
            &mut hand,
            || Hand::of_helper(&round),
            |hand, &(number, job)| hand.perform(number, job),
        );
        // The time of others is none of the budget.
        let waited = hand.waited();
        drop(hand);
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

    /// Runs the candidate on the calling thread.
    fn run_alone(&mut self, candidate: &Candidate) -> ControlFlow<End, Report> {
        let round = self.round(Until::Alarm);
        let mut hand = Hand::of_caller(&round, self.control.safe_point);
        let (report, done) = hand.run(candidate);
        let waited = hand.waited();
        drop(hand);
        self.start += waited;
        self.fold(done, &mut Gained::default())?;
        match self.is_over() {
            true => ControlFlow::Break(End::OutOfBudget),
            false => ControlFlow::Continue(report),
        }
    }

    /// The candidate with its comparisons.
    fn base(&mut self, candidate: Candidate) -> ControlFlow<End, Arc<Base>> {
        let round = self.round(Until::Alarm);
        let (base, steps) = Hand::of_caller(&round, self.control.safe_point).base(candidate);
        self.statistics.runs += 1;
        self.statistics.steps += steps;
        self.has_budget()?;
        ControlFlow::Continue(Arc::new(base))
    }

    /// Adds what has come of a job; says if that ends the simulation.
    fn fold(&mut self, done: Done, gained: &mut Gained) -> ControlFlow<End> {
        self.statistics.runs += done.runs;
        self.statistics.steps += done.steps;
        self.statistics.cut_off += u64::from(done.is_cut_off);
        match done.find {
            Find::Proposals(proposals) => gained.proposals.extend(proposals),
            Find::Nothing => self.judge_limit(done.is_cut_off),
            Find::Rejected(reason) => {
                self.reject(reason.to_string());
                self.judge_limit(done.is_cut_off);
            }
            Find::Run(found) => {
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

    /// Ends the simulation if nothing of the budget is left.
    fn has_budget(&self) -> ControlFlow<End> {
        let Budget { runs, steps } = self.left();
        match runs == 0 || steps == 0 {
            true => ControlFlow::Break(End::OutOfBudget),
            false => ControlFlow::Continue(()),
        }
    }

    /// Whether it was told to stop, or the time is up, or it has been in vain for too long.
    fn is_over(&self) -> bool {
        let elapsed = self.start.elapsed();
        let is_in_vain = |patience: Duration| {
            elapsed.saturating_sub(self.last_find) >= patience.max(2 * self.last_find)
        };
        self.control.token.is_cancelled()
            || elapsed >= self.options.time
            || self.options.patience.is_some_and(is_in_vain)
    }

    /// Adds the run to the corpus, if it still covers something new.
    fn keep(&mut self, found: Found) {
        let novelty = self.coverage.add(&found.hits);
        if novelty.edges + novelty.magnitudes == 0 {
            return;
        }
        self.last_find = self.start.elapsed();
        let kept = Candidate {
            list: found.recorded,
            ..found.candidate
        };
        if !kept.list.is_empty() && self.unsolved.len() < UNSOLVED {
            self.unsolved.push(kept.clone());
        }
        self.corpus
            .add(kept, found.report.steps.max(1), novelty.distance);
    }

    /// Raises the limit of steps if half of the runs reach it, as long as the budget has room for many more.
    fn judge_limit(&mut self, is_cut_off: bool) {
        self.window.0 += 1;
        self.window.1 += u64::from(is_cut_off);
        if self.window.0 < WINDOW {
            return;
        }
        let affordable = {
            let elapsed = self.start.elapsed().as_secs_f64();
            let left = (self.options.time.as_secs_f64() - elapsed).max(0.0);
            let speed = self.statistics.steps as f64 / elapsed.max(1e-6);
            (left * speed) as u64 / u64::from(SHARE) / 16
        };
        if self.window.1 * 2 >= self.window.0 && self.run_steps.saturating_mul(2) <= affordable {
            self.run_steps *= 2;
        }
        self.window = (0, 0);
    }

    /// An error was reached: records the run's inputs and asks the caller.
    fn alarm(&mut self, found: &Found) -> ControlFlow<End> {
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
        match self.statistics.rejected >= REJECTIONS {
            true => ControlFlow::Break(End::OutOfBudget),
            false => ControlFlow::Continue(()),
        }
    }

    fn reject(&mut self, reason: String) {
        self.statistics.rejected += 1;
        self.statistics.first_rejection.get_or_insert(reason);
    }
}
