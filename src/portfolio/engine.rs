//! The engines of a race, each on a thread of its own; the [`Coordinator`] says whose turn it is.
//!
//! The first answer that passes its check wins. Nobody waits for the others: the supervisor ends the process.

use std::cell::Cell;
use std::num::NonZero;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{Sender, unbounded};
use serde_json::{Map, Value as Json};

use super::config::{Analysis, Engine, Sharing};
use super::coordinator::Coordinator;
use super::event::What;
use super::race::{Race, guarded, proved};
use super::verdict::Conclusion;
use crate::analysis::invariants::InvariantStore;
use crate::analysis::simulate::{self, ReplayOnLowered, SimulationOutcome, simulate_confirmed};
use crate::analysis::{
    AbstractionStep, Answer, CancellationToken, Context, Progress, bmc, ctigar, data_flow,
    exhaustive, horn, impact, k_induction, predicate_abstraction, spacer,
};
use crate::certify::Certificate;
use crate::certify::replay::{NotConfirmed, Replay, Violation, replay_compiled};
use crate::program::Program;
use crate::program::block::Blocks;
use crate::program::inline::InlinedProgram;
use crate::program::interpreter::{AccessChecks, Executable, Journal, Limits, Outcome};
use crate::solver::{Backend, Solver, SolverConfig, SolverError, new_solver};
use crate::term::{Arena, Pool, ScalarSort, Sort, TermId, for_each_subterm, store};

/// The stack of an engine's thread: solvers recurse over deep terms. It is reserved, not used.
const STACK: usize = 1 << 30;

/// Steps of a replay at first; an alarm that needs more may have more if there is time.
const REPLAY_STEPS: u64 = 5_000_000;

/// Bounds and refinements that follow one another faster than this are not told one by one.
const STEP_INTERVAL: Duration = Duration::from_millis(100);

/// By how much more is more.
const REPLAY_GROWTH: u64 = 6;

/// Replays may take this share of the engine's time so far, and this long in any case.
const REPLAY_SHARE: f64 = 0.3;
const REPLAY_AT_LEAST: Duration = Duration::from_secs(3);

/// What the numbers of analyses begin with, by which crashes are attributed; those below are for what comes before.
const FIRST_ID: u32 = 4;

/// Runs the analyses until one has an answer; `None` if none has.
pub(super) fn race(race: &Arc<Race>, analyses: Vec<(u32, Analysis)>) -> Option<Conclusion> {
    let program = Arc::new(race.simplified.program.clone());
    let blocks = Arc::new(Blocks::new(Arc::new(InlinedProgram::new(program))));
    let token = CancellationToken::new();
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let permits = race.options.threads.unwrap_or_else(cores);
    let schedule = &race.options.portfolio.schedule;
    let coordinator = Arc::new(Coordinator::new(permits, schedule, analyses.len()));
    let (sender, ends) = unbounded();
    let start = |(number, analysis): (u32, Analysis)| {
        let runner = Runner {
            seat: coordinator.admit(analysis.common.priority, analysis.common.eases_after),
            coordinator: Arc::clone(&coordinator),
            race: Arc::clone(race),
            blocks: Arc::clone(&blocks),
            token: token.clone(),
            id: FIRST_ID + number,
            analysis,
        };
        runner.start(sender.clone())
    };
    let mut lineup = Lineup {
        waiting: analyses,
        running: Vec::new(),
        solverless_only: true,
        head_start: Instant::now() + schedule.head_start,
    };
    loop {
        while let Some(next) = lineup.next() {
            let name = next.1.name().to_owned();
            if start(next) {
                lineup.running.push(name);
            }
        }
        if lineup.running.is_empty() {
            return None;
        }
        coordinator.tick();
        let head_start = lineup.solverless_only.then_some(lineup.head_start);
        let next = [head_start, coordinator.next_tick()].into_iter().flatten();
        let end = match next.min() {
            Some(next) => ends.recv_deadline(next).ok(),
            None => ends.recv().ok(),
        };
        let Some((name, conclusion)) = end else {
            continue;
        };
        if conclusion.is_some() {
            return conclusion;
        }
        lineup.running.retain(|running| *running != name);
    }
}

/// Who has not started and who has not ended.
struct Lineup {
    waiting: Vec<(u32, Analysis)>,
    running: Vec<String>,
    /// Engines that ask a solver do not start yet.
    solverless_only: bool,
    head_start: Instant,
}

impl Lineup {
    /// Takes out the next analysis that can start now.
    fn next(&mut self) -> Option<(u32, Analysis)> {
        if let Some(ready) = self.ready(false) {
            return Some(ready);
        }
        self.solverless_only &= !self.running.is_empty() && Instant::now() < self.head_start;
        match self.solverless_only {
            true => None,
            false => self.ready(true),
        }
    }

    /// One with or without a solver that need not wait for another.
    fn ready(&mut self, has_solver: bool) -> Option<(u32, Analysis)> {
        let is_open = |name: &String| {
            self.running.contains(name)
                || self.waiting.iter().any(|(_, other)| other.name() == name)
        };
        let index = self.waiting.iter().position(|(_, analysis)| {
            analysis.engine.has_solver() == has_solver && !is_open(&analysis.common.after)
        })?;
        Some(self.waiting.remove(index))
    }
}

/// What an engine's thread has.
struct Runner {
    race: Arc<Race>,
    blocks: Arc<Blocks>,
    token: CancellationToken,
    coordinator: Arc<Coordinator>,
    seat: usize,
    id: u32,
    analysis: Analysis,
}

/// How an engine has ended, before its answer is checked.
struct Ended {
    claim: Claim,
    /// What it found, in words.
    outcome: String,
    statistics: Map<String, Json>,
}

/// What an engine says.
enum Claim {
    Nothing,
    /// Replayed already.
    Violated(Violation),
    Proved(Certificate),
    /// There are only so many runs; each has been seen on the program as lowered.
    AllRunsSeen,
}

impl From<Result<Answer, SolverError>> for Ended {
    fn from(answer: Result<Answer, SolverError>) -> Self {
        let answer = answer.unwrap_or_else(|error| Answer::Unknown(error.to_string()));
        let (claim, outcome) = match answer {
            Answer::Safe(certificate) => (Claim::Proved(certificate), "found a proof".to_owned()),
            Answer::Unsafe(violation) => {
                (Claim::Violated(violation), "found a violation".to_owned())
            }
            Answer::Explored(statistics) => (Claim::AllRunsSeen, statistics.to_string()),
            Answer::Unknown(reason) => (Claim::Nothing, reason),
        };
        Self {
            claim,
            outcome,
            statistics: Map::new(),
        }
    }
}

impl Runner {
    /// Starts the thread, which sends what came of the analysis when it ends; `false` if there is none.
    fn start(self, ends: Sender<(String, Option<Conclusion>)>) -> bool {
        let name = self.analysis.name().to_owned();
        let reporter = self.race.reporter.clone();
        let thread = std::thread::Builder::new()
            .name(name.clone())
            .stack_size(STACK);
        let (coordinator, seat) = (Arc::clone(&self.coordinator), self.seat);
        let spawned = thread.spawn(move || {
            let conclusion = self.run();
            self.coordinator.leave(self.seat);
            // The race may be over.
            let _ = ends.send((self.analysis.common.name.clone(), conclusion));
        });
        if let Err(error) = &spawned {
            coordinator.leave(seat);
            reporter.event(What::Finished {
                analysis: name,
                outcome: format!("has no thread: {error}"),
                statistics: Map::new(),
            });
        }
        spawned.is_ok()
    }

    fn run(&self) -> Option<Conclusion> {
        let name = self.analysis.name();
        let reporter = &self.race.reporter;
        self.coordinator.enter(self.seat);
        let conclusion = guarded(reporter, name, self.id, || {
            let Ended {
                claim,
                outcome,
                statistics,
            } = self.analyse();
            reporter.event(What::Finished {
                analysis: name.to_owned(),
                outcome,
                statistics,
            });
            if !matches!(claim, Claim::Nothing) {
                self.coordinator.certify(self.seat);
            }
            self.conclude(&claim)
        });
        conclusion.flatten()
    }

    fn analyse(&self) -> Ended {
        let last_step = Cell::new(None::<Instant>);
        let report = |progress| self.report(progress, &last_step);
        let mut replays = Replays::new(&self.race.executable);
        let mut confirm = |alarm: &Journal| replays.replay(alarm);
        let own = InvariantStore::new();
        let invariants = match self.race.options.portfolio.general.sharing {
            Sharing::On => &self.race.invariants,
            Sharing::Off => &own,
        };
        let safe_point = || self.coordinator.safe_point(self.seat);
        let mut context = Context {
            publisher: self.analysis.name(),
            token: &self.token,
            safe_point: &safe_point,
            report: &report,
            confirm: &mut confirm,
            invariants,
        };
        let solver = || self.solver();
        match &self.analysis.engine {
            Engine::Simulation(options) => self.simulate(options, &safe_point),
            Engine::Bmc(options) => bmc::run(&self.blocks, options, &solver, &mut context).into(),
            Engine::DataFlow(options) => {
                data_flow::run(&self.blocks, options, &solver, &mut context).into()
            }
            Engine::KInduction(options) => {
                k_induction::run(&self.blocks, options, &solver, &mut context).into()
            }
            Engine::Ctigar(options) => {
                let mut done = ctigar::Statistics::default();
                let answer = ctigar::run(&self.blocks, options, &solver, &mut context, &mut done);
                let entries = done.entries().into_iter();
                Ended {
                    statistics: entries
                        .map(|(name, count)| (name.to_owned(), Json::from(count)))
                        .collect(),
                    ..answer.into()
                }
            }
            Engine::PredicateAbstraction(options) => {
                predicate_abstraction::run(&self.blocks, options, &solver, &mut context).into()
            }
            Engine::Impact(options) => {
                impact::run(&self.blocks, options, &solver, &mut context).into()
            }
            Engine::Horn(options) => horn::run(&self.blocks, options, &solver, &mut context).into(),
            Engine::Spacer(options) => {
                spacer::run(&self.blocks, options, &solver, &mut context).into()
            }
            Engine::Exhaustive(options) => {
                let mut options = options.clone();
                if let Some(left) = self.race.time_left() {
                    options.time = options.time.min(left);
                }
                Ok(exhaustive::run(
                    &self.race.executable,
                    &options,
                    &mut context,
                ))
                .into()
            }
        }
    }

    fn report(&self, progress: Progress, last_step: &Cell<Option<Instant>>) {
        if let Progress::Bound { .. } | Progress::Refinement { .. } = progress {
            let recent = |last: Instant| last.elapsed() < STEP_INTERVAL;
            if last_step.get().is_some_and(recent) {
                return;
            }
            last_step.set(Some(Instant::now()));
        }
        let analysis = self.analysis.name().to_owned();
        self.race.reporter.event(match progress {
            Progress::Bound { bound } => What::Bound { analysis, bound },
            Progress::Refinement { number, states } => What::Refinement {
                analysis,
                number,
                states,
            },
            Progress::Invariants {
                round,
                proved,
                total,
            } => What::Invariants {
                analysis,
                round: round.to_owned(),
                proved,
                total,
            },
            Progress::Relied {
                publisher,
                invariants,
            } => What::Relied {
                analysis,
                publisher,
                invariants,
            },
            Progress::LeftAside { reason } => What::LeftAside { analysis, reason },
            Progress::Abstracted {
                step,
                bound,
                kept,
                all,
            } => What::Abstracted {
                analysis,
                basis: match step {
                    AbstractionStep::ProofBased => "proof".to_owned(),
                    AbstractionStep::CounterexampleBased => "counterexample".to_owned(),
                },
                bound,
                kept,
                all,
            },
        });
    }

    fn simulate(&self, options: &simulate::Options, safe_point: &dyn Fn() -> Duration) -> Ended {
        let mut options = simulate::Options {
            // The simplifier drops what tells when an object in memory begins and ends.
            accesses: AccessChecks::SingleObjects,
            ..options.clone()
        };
        if let Some(left) = self.race.time_left() {
            // As the only analysis, it may have most of the time.
            options.time = options.time.min(left.mul_f64(0.9));
        }
        let program = &self.race.simplified.program;
        let mut confirm = ReplayOnLowered::new(&self.race.executable);
        let control = simulate::Control {
            token: &self.token,
            safe_point,
        };
        let simulation = simulate_confirmed(program, &options, control, &mut confirm);
        let (claim, outcome) = match (&simulation.outcome, confirm.violation) {
            (SimulationOutcome::Unsafe(_), Some(violation)) => {
                (Claim::Violated(violation), "found a violation".to_owned())
            }
            (SimulationOutcome::OnlyRun { steps }, _) => (
                Claim::AllRunsSeen,
                format!("has seen the only run, of {steps} steps"),
            ),
            _ => (Claim::Nothing, "found no violation".to_owned()),
        };
        Ended {
            claim,
            outcome,
            statistics: counters(&simulation.statistics),
        }
    }

    /// The analysis's solver. Where that is Yices and the program has sorts that it does not know, it is Z3.
    fn solver(&self) -> Result<Box<dyn Solver>, SolverError> {
        let arena = Rc::new(Arena::new());
        let config = self.analysis.solver.clone().unwrap_or_default().config();
        if config.backend == Backend::Yices2 {
            if knows_sorts(self.blocks.inlined().program())
                && let Ok(solver) = new_solver(config, Rc::clone(&arena))
            {
                return Ok(solver);
            }
            return new_solver(SolverConfig::default(), arena);
        }
        new_solver(config, arena)
    }

    /// The answer, once it has passed its check.
    fn conclude(&self, claim: &Claim) -> Option<Conclusion> {
        let name = self.analysis.name();
        match claim {
            Claim::Nothing => None,
            Claim::Violated(violation) => Some(self.race.violated(name, violation)),
            Claim::Proved(certificate) => self.race.certified(name, certificate),
            Claim::AllRunsSeen => Some(proved(name)),
        }
    }
}

/// What a simulation took, for its last event.
fn counters(statistics: &simulate::Statistics) -> Map<String, Json> {
    let mut counters = Map::new();
    counters.insert("runs".into(), Json::from(statistics.runs));
    counters.insert("steps".into(), Json::from(statistics.steps));
    counters.insert(
        "steps_per_second".into(),
        Json::from(statistics.steps_per_second().round()),
    );
    counters.insert("edges_covered".into(), Json::from(statistics.edges_covered));
    counters.insert("edges".into(), Json::from(statistics.edges));
    counters.insert("rejected_alarms".into(), Json::from(statistics.rejected));
    if let Some(reason) = &statistics.first_rejection {
        counters.insert("first_rejection".into(), Json::from(reason.clone()));
    }
    counters
}

/// Replays the alarms of an engine. What the simplifier left out may make a run much longer than the engine's path, or
/// never end: so the limit grows, within a share of the time.
struct Replays<'e> {
    executable: &'e Executable,
    started: Instant,
    spent: Duration,
}

impl<'e> Replays<'e> {
    fn new(executable: &'e Executable) -> Self {
        Self {
            executable,
            started: Instant::now(),
            spent: Duration::ZERO,
        }
    }

    fn replay(&mut self, alarm: &Journal) -> Replay {
        let mut steps = REPLAY_STEPS;
        loop {
            let begin = Instant::now();
            let limits = Limits {
                steps,
                ..Limits::default()
            };
            let result = replay_compiled(self.executable, alarm, limits);
            let took = begin.elapsed();
            self.spent += took;
            let cut_off = Replay::NotConfirmed(NotConfirmed::Elsewhere(Outcome::StepLimit));
            let allowed = self.started.elapsed().mul_f64(REPLAY_SHARE);
            let next = self.spent + took * REPLAY_GROWTH as u32;
            if result != cut_off || next > allowed.max(REPLAY_AT_LEAST) {
                return result;
            }
            steps *= REPLAY_GROWTH;
        }
    }
}

/// Whether Yices knows the sorts of all the program's terms.
fn knows_sorts(program: &Program) -> bool {
    let operations = program.edges.iter().flat_map(|edge| &edge.operations);
    let terms: Vec<TermId> = operations.flat_map(|operation| operation.terms()).collect();
    let scalar = |sort| matches!(sort, ScalarSort::Bool | ScalarSort::BitVec(_));
    let mut known = true;
    let mut visit = |sort: Sort| {
        known &= match sort {
            Sort::Array { index, element } => scalar(index) && scalar(element),
            sort => sort.scalar().is_some_and(scalar),
        };
    };
    for_each_subterm(store(), terms, |term, _| visit(store().sort(term)));
    for input in &program.inputs {
        visit(input.sort);
    }
    known
}
