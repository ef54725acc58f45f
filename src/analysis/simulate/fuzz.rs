//! The loop: which candidate runs next, and for how long.

use std::time::Instant;

use super::comparisons::{ComparisonLog, proposals, solvable_width};
use super::corpus::{Corpus, mutate};
use super::coverage::{Coverage, Hits};
use super::source::{Candidate, CandidateInputs, Policy};
use super::values::{Chance, Dictionary, fit};
use super::{Confirm, Control, Options, Simulation, SimulationOutcome, Statistics};
use crate::certify::replay::judge;
use crate::program::Program;
use crate::program::interpreter::{Executable, Limits, Machine, Outcome, RecordingInputs, Report};

/// How many inputs of a candidate are solved for.
const SOLVED_INPUTS: usize = 24;
/// How many runs solving for a candidate's inputs may take.
const SOLVING_RUNS: usize = 400;
/// How many changes of a chosen candidate run in a row.
const CHANGES: usize = 16;
/// How many runs it takes to judge the limit of steps.
const WINDOW: u32 = 64;
/// How many errors are taken to the caller that he does not confirm.
const REJECTIONS: u64 = 100;
/// The share of the budget that one run may take.
const SHARE: u32 = 4;
/// How long the first run may be if it asks for inputs.
const FIRST_RUN_STEPS: u64 = 10_000_000;
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
    machine: Machine<'f>,
    inputs: CandidateInputs<'f>,
    chance: Chance,
    hits: Hits,
    coverage: Coverage,
    corpus: Corpus,
    statistics: Statistics,
    /// Steps after which a run is cut off.
    run_steps: u64,
    /// Runs since the limit was judged, and how many of them reached it.
    window: (u32, u32),
    /// Candidates whose inputs have not been solved for, and the steps spent on others.
    unsolved: Vec<Candidate>,
    solving_steps: u64,
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
            machine: Machine::new(executable),
            inputs: CandidateInputs::new(program.inputs.len(), dictionary),
            chance: Chance::new(options.seed),
            hits: Hits::new(program.edges.len()),
            coverage: Coverage::new(program),
            corpus: Corpus::default(),
            statistics: Statistics {
                edges: program.edges.len(),
                ..Statistics::default()
            },
            run_steps: options.run_steps.max(1_000),
            window: (0, 0),
            unsolved: Vec::new(),
            solving_steps: 0,
        }
    }

    /// Runs until something is decided or the budget is used up.
    pub(super) fn run(mut self) -> Simulation {
        let outcome = match self.phases() {
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

    fn phases(&mut self) -> End {
        if let Some(end) = self.only_run().or_else(|| self.seeds()) {
            return end;
        }
        loop {
            // Solving takes half of the steps at most.
            let affordable = self.solving_steps <= self.statistics.steps / 2;
            let step = match self.unsolved.pop_if(|_| affordable) {
                Some(candidate) => {
                    let before = self.statistics.steps;
                    let end = self.solve(&candidate);
                    self.solving_steps += self.statistics.steps - before;
                    end
                }
                None => self.change(),
            };
            if let Some(end) = step {
                return end;
            }
        }
    }

    // --- the phases ---

    /// A run on zeros, which goes on as long as it asks for no input: then it is the only one. Otherwise its length is
    /// a measure for those to come.
    fn only_run(&mut self) -> Option<End> {
        let usual = self.run_steps;
        self.run_steps = usual.max(FIRST_RUN_STEPS);
        let zeros = Candidate {
            list: Vec::new(),
            policy: Policy::Constant(0),
            seed: 0,
        };
        loop {
            let (report, end) = self.execute(&zeros);
            if end.is_some() {
                return end;
            }
            if report.inputs > 0 {
                self.run_steps = match report.outcome {
                    Outcome::StepLimit => usual,
                    _ => usual.max(report.steps.saturating_mul(2)),
                };
                return None;
            }
            match report.outcome {
                Outcome::StepLimit => self.run_steps = self.run_steps.saturating_mul(16),
                Outcome::Ended { .. } | Outcome::Blocked { .. }
                    if report.is_faithful() && self.executable.is_deterministic() =>
                {
                    return Some(match self.confirm.only_run(report.steps) {
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
                _ => return Some(End::OutOfBudget),
            }
        }
    }

    /// Runs whose inputs all come from one policy.
    fn seeds(&mut self) -> Option<End> {
        let constants = [1, -1, 2].map(Policy::Constant);
        let varied = (0..SEEDS).flat_map(|_| Policy::VARIED);
        for policy in constants.into_iter().chain(varied) {
            let candidate = Candidate {
                list: Vec::new(),
                policy,
                seed: self.chance.next(),
            };
            let (_, end) = self.execute(&candidate);
            if end.is_some() {
                return end;
            }
        }
        None
    }

    /// Changes of a member of the corpus.
    fn change(&mut self) -> Option<End> {
        for _ in 0..CHANGES {
            let chosen = self.corpus.choose(&mut self.chance);
            let candidate = match chosen {
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
            };
            let (_, end) = self.execute(&candidate);
            if end.is_some() {
                return end;
            }
        }
        None
    }

    /// Tries the values of a candidate's inputs that turn one of its comparisons round.
    fn solve(&mut self, candidate: &Candidate) -> Option<End> {
        let base = self.comparisons(candidate);
        let mut runs = 0;
        for position in self.positions(candidate.list.len()) {
            let (id, value) = candidate.list[position];
            let sort = self.executable.inputs()[id.index()].sort;
            let Some(width) = solvable_width(sort) else {
                continue;
            };
            let mut changed = candidate.clone();
            let mut step = 0;
            let log = loop {
                changed.list[position].1 = fit(sort, value.wrapping_add(1 << step));
                let log = self.comparisons(&changed);
                if step + 1 == width || base.differs(&log) {
                    break log;
                }
                step += 1;
            };
            runs += step as usize;
            for proposal in proposals(&base, &log, value, step, sort) {
                changed.list[position].1 = proposal;
                let (_, end) = self.execute(&changed);
                if end.is_some() {
                    return end;
                }
                runs += 1;
                if runs >= SOLVING_RUNS {
                    return None;
                }
            }
        }
        None
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

    // --- a run ---

    fn limits(&self) -> Limits<'f> {
        Limits {
            steps: self
                .run_steps
                .min(self.options.steps.saturating_sub(self.statistics.steps)),
            memory: self.options.memory,
            deadline: Some(self.start + self.options.time),
            cancelled: Some(self.control.token.flag()),
        }
    }

    fn comparisons(&mut self, candidate: &Candidate) -> ComparisonLog {
        self.inputs.load(candidate);
        let mut log = ComparisonLog::new(self.executable.instruction_count());
        let limits = self.limits();
        let report = self
            .machine
            .run_observed(&mut self.inputs, limits, &mut log);
        self.statistics.runs += 1;
        self.statistics.steps += report.steps;
        log
    }

    /// Runs the candidate; says if that ends the simulation.
    fn execute(&mut self, candidate: &Candidate) -> (Report, Option<End>) {
        // The time of others is none of the budget.
        self.start += (self.control.safe_point)();
        self.inputs.load(candidate);
        self.hits.clear();
        let limits = self.limits();
        let report = self
            .machine
            .run_observed(&mut self.inputs, limits, &mut self.hits);
        self.statistics.runs += 1;
        self.statistics.steps += report.steps;
        let end = match report.outcome {
            Outcome::Error { .. } => self.error(candidate, &report),
            Outcome::Cancelled | Outcome::TimeLimit => Some(End::OutOfBudget),
            _ => None,
        };
        if end.is_some() {
            return (report, end);
        }
        if report.outcome == Outcome::StepLimit {
            self.statistics.cut_off += 1;
        }
        self.judge_limit(&report);
        // A run that is none of the C program leads to no alarm, nor do its changes probably.
        if report.is_faithful() {
            let novelty = self.coverage.add(&self.hits);
            if novelty.edges + novelty.magnitudes > 0 {
                self.keep(candidate, &report, novelty.distance);
            }
        }
        let end = (self.statistics.steps >= self.options.steps
            || self.statistics.runs >= self.options.runs
            || self.control.token.is_cancelled()
            || self.statistics.runs.is_multiple_of(16)
                && self.start.elapsed() >= self.options.time)
            .then_some(End::OutOfBudget);
        (report, end)
    }

    fn keep(&mut self, candidate: &Candidate, report: &Report, distance: u32) {
        let kept = Candidate {
            list: self.inputs.recorded.clone(),
            ..candidate.clone()
        };
        if !kept.list.is_empty() && self.unsolved.len() < UNSOLVED {
            self.unsolved.push(kept.clone());
        }
        self.corpus.add(kept, report.steps.max(1), distance);
    }

    /// Raises the limit of steps if half of the runs reach it, as long as the budget has room for many more.
    fn judge_limit(&mut self, report: &Report) {
        self.window.0 += 1;
        self.window.1 += u32::from(report.outcome == Outcome::StepLimit);
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
    fn error(&mut self, candidate: &Candidate, report: &Report) -> Option<End> {
        let judged = judge(report);
        let reason = match &judged {
            Err(reason) => reason.to_string(),
            Ok(_) => {
                self.inputs.load(candidate);
                let mut recording = RecordingInputs::new(&mut self.inputs);
                let limits = Limits {
                    steps: report.steps + 1,
                    ..Limits::default()
                };
                self.machine.run(&mut recording, limits);
                let journal = recording.into_journal();
                match self.confirm.alarm(&journal, report.steps) {
                    Ok(()) => return Some(End::Decided(SimulationOutcome::Unsafe(journal))),
                    Err(reason) => reason,
                }
            }
        };
        self.reject(reason);
        (self.statistics.rejected >= REJECTIONS && judged.is_ok()).then_some(End::OutOfBudget)
    }

    fn reject(&mut self, reason: String) {
        self.statistics.rejected += 1;
        self.statistics.first_rejection.get_or_insert(reason);
    }
}
