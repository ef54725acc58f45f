//! The thread of an engine: its context, its events, and the check of its answer.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json};

use super::alarm_replay::AlarmReplayer;
use super::targets::TargetsOfThread;
use super::thread::{Message, RaceThread, start};
use crate::config::{Analysis, Role, SolverOptions, Switch};
use crate::judge::answer::Standing;
use crate::process::crash::guarded;
use crate::record::dump::RecordedSolver;
use crate::record::event::EventKind;
use crate::record::verdict::Conclusion;
use regatta_base::counters::{self, Counter};
use regatta_certify::Certificate;
use regatta_engines::{Lowered, Report, Statistic, Subject};
use regatta_program::Program;
use regatta_program::block::Blocks;
use regatta_program::interpreter::Journal;
use regatta_sharing::{
    AbstractionStep, Answer, CancellationToken, Context, Exchange, InvariantStore, OpenTargets,
    Progress,
};
use regatta_solver::pair::SolverPair;
use regatta_solver::remote::{RemoteSolver, Start};
use regatta_solver::{Backend, Encoding, Solver, SolverConfig, SolverError, new_solver};
use regatta_term::{Arena, FloatFormat, Pool, ScalarSort, Sort, TermId, for_each_subterm, store};

/// Minimum interval between two events about bounds and refinements of an analysis.
const STEP_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum number of times that an analysis begins, since it begins again after a withdrawn invariant.
const MAXIMUM_ATTEMPTS: usize = 4;

/// The data of an engine's thread.
pub(super) struct EngineThread {
    pub thread: RaceThread,
    pub analysis: Analysis,
    /// The answer of a proof that was confirmed while the engine ran.
    pub certified: RefCell<Option<Conclusion>>,
}

impl EngineThread {
    /// Starts the thread, which sends the result of the analysis when it ends.
    pub fn start(self) {
        let name = self.analysis.name().to_owned();
        let reporter = self.thread.recorder.reporter.clone();
        let (race, slot) = (Arc::clone(&self.thread.race), self.thread.slot);
        let started = start(&name, move || {
            let conclusion = self.run();
            self.thread.coordinator.leave(self.thread.slot);
            let name = self.analysis.common.name.clone();
            self.thread
                .race
                .send(Message::Ended(name, conclusion.map(Box::new)));
        });
        if let Err(error) = started {
            reporter.event(EventKind::Finished {
                analysis: name.clone(),
                outcome: format!("has no thread: {error}"),
                statistics: Map::new(),
            });
            race.send(Message::NotStarted(name, slot));
        }
    }

    /// Runs the analysis, and again if an invariant that it has used is withdrawn.
    fn run(&self) -> Option<Conclusion> {
        self.thread.coordinator.enter(self.thread.slot);
        for _ in 0..MAXIMUM_ATTEMPTS {
            let attempt = CancellationToken::new();
            self.thread.token.interrupts(Arc::new(attempt.clone()));
            let conclusion = self.attempt(&attempt);
            let is_over = !attempt.is_cancelled() || self.thread.token.is_cancelled();
            if conclusion.is_some() || is_over {
                return conclusion;
            }
            self.thread.coordinator.resume(self.thread.slot);
        }
        None
    }

    /// Runs the analysis until it ends or is cancelled.
    fn attempt(&self, token: &CancellationToken) -> Option<Conclusion> {
        let name = self.analysis.name();
        let reporter = &self.thread.recorder.reporter;
        let conclusion = guarded(reporter, name, self.thread.id, || {
            let own = InvariantStore::new();
            let invariants = match self.thread.options.portfolio.general.sharing {
                Switch::On => &self.thread.judge.invariants,
                Switch::Off => &own,
            };
            let kinds = self.thread.options.portfolio.general.kinds();
            let exchange = Exchange::new(invariants, name, token).with_kinds(kinds);
            let report = self.analyse(token, &exchange);
            let mut statistics = statistics_as_json(report.statistics);
            let taken = exchange.taken();
            if !taken.is_empty() {
                let taken = taken.into_iter();
                let taken = taken.map(|(of, number)| (of.to_string(), Json::from(number)));
                statistics.insert("taken".to_owned(), taken.collect::<Map<_, _>>().into());
            }
            reporter.event(EventKind::Finished {
                analysis: name.to_owned(),
                outcome: outcome(&report.answer),
                statistics,
            });
            if token.is_cancelled() && self.is_all_excluded() {
                return self.certified.take();
            }
            let is_open = matches!(report.answer, Answer::Unknown(_));
            if self.analysis.common.role == Role::Generator || is_open {
                return None;
            }
            self.thread.certify();
            self.tell_expectation(true);
            let conclusion = self.conclude(&report.answer);
            if conclusion.is_none() {
                self.tell_expectation(false);
            }
            conclusion
        });
        conclusion.flatten()
    }

    fn analyse(&self, token: &CancellationToken, exchange: &Exchange<'_>) -> Report {
        let last_step = Cell::new(None::<Instant>);
        let report = |progress| self.report(progress, &last_step);
        let mut replays = AlarmReplayer::new(&self.thread.task.executable);
        let mut confirm = |alarm: &Journal| replays.replay(alarm);
        let safe_point = || self.safe_point();
        let has_floats = Sorts::of(self.thread.blocks.inlined().program()).has_floats;
        let certifies = |certificate: &Certificate| self.certifies(certificate);
        let certifies: &dyn Fn(&Certificate) -> bool = &certifies;
        let targets = self.thread.exclusions.as_deref();
        let targets = targets.filter(|_| self.analysis.common.role == Role::Prover);
        let targets = targets.map(|exclusions| TargetsOfThread {
            thread: &self.thread,
            name: self.analysis.name(),
            exclusions,
            token,
            certified: &self.certified,
        });
        let mut context = Context {
            // In programs without floats, engines pose other queries than the check does, since they use more knowledge.
            certifies: (has_floats && self.analysis.common.role == Role::Prover)
                .then_some(certifies),
            targets: targets.as_ref().map(|targets| targets as &dyn OpenTargets),
            token,
            safe_point: &safe_point,
            report: &report,
            confirm: &mut confirm,
            exchange,
            workers: &self.thread.workers,
        };
        let solver = || self.solver();
        let task = &self.thread.task;
        let subject = Subject {
            blocks: &self.thread.blocks,
            lowered: Some(Lowered {
                program: &task.lowered,
                executable: &task.executable,
                passed: task.passed.as_ref(),
            }),
            solver: &solver,
            time_left: task.time_left(),
        };
        self.analysis.engine.run(&subject, &mut context)
    }

    /// Checks a proof while the engine runs, and keeps the answer.
    fn certifies(&self, certificate: &Certificate) -> bool {
        let RaceThread {
            task,
            judge,
            blocks,
            workers,
            coordinator,
            slot,
            ..
        } = &self.thread;
        self.thread.certify();
        self.tell_expectation(true);
        let name = self.analysis.name();
        let (standing, blocks) = (Standing::Conjectured, Some(&**blocks));
        let conclusion = judge.certified(task, standing, name, certificate, blocks, workers);
        let is_confirmed = conclusion.is_some();
        *self.certified.borrow_mut() = conclusion;
        if !is_confirmed {
            self.tell_expectation(false);
            coordinator.resume(*slot);
            coordinator.wait(*slot);
        }
        is_confirmed
    }

    /// Whether the targets that this engine has excluded were the last ones.
    fn is_all_excluded(&self) -> bool {
        let exclusions = self.thread.exclusions.as_ref();
        exclusions.is_some_and(|exclusions| exclusions.is_over())
            && self.certified.borrow().is_some()
    }

    fn safe_point(&self) -> Duration {
        let analysis = self.analysis.name();
        let recorder = &self.thread.recorder;
        let tell = |turn: EventKind| recorder.detail(|| turn);
        let pauses = || {
            let analysis = analysis.to_owned();
            tell(EventKind::Paused { analysis });
        };
        let waited = self
            .thread
            .coordinator
            .safe_point(self.thread.slot, &pauses);
        if waited > Duration::ZERO {
            let analysis = analysis.to_owned();
            tell(EventKind::Resumed { analysis });
        }
        waited
    }

    /// Tells whether the analysis's answer is to be waited for.
    fn tell_expectation(&self, ends_soon: bool) {
        self.thread.recorder.event(EventKind::Expectation {
            analysis: self.analysis.name().to_owned(),
            ends_soon,
        });
    }

    fn report(&self, progress: Progress, last_step: &Cell<Option<Instant>>) {
        if let Progress::Expectation { ends_soon } = progress {
            let RaceThread {
                coordinator, slot, ..
            } = &self.thread;
            coordinator.favour(*slot, ends_soon);
            return self.tell_expectation(ends_soon);
        }
        match progress {
            Progress::Bound { bound } => {
                counters::set(Counter::Bound, u64::from(bound));
            }
            Progress::Abstracted {
                bound, kept, all, ..
            } => {
                counters::set(Counter::Bound, u64::from(bound));
                counters::set(Counter::KeptConstraints, kept as u64);
                counters::raise(Counter::MostKeptConstraints, kept as u64);
                counters::set(Counter::Constraints, all as u64);
            }
            Progress::Refinement { number, states } => {
                counters::set(Counter::Refinements, u64::from(number));
                counters::set(Counter::States, states as u64);
            }
            Progress::Invariants { .. }
            | Progress::LeftAside { .. }
            | Progress::Expectation { .. } => {}
        }
        if let Progress::Bound { .. } | Progress::Refinement { .. } = progress {
            let recent = |last: Instant| last.elapsed() < STEP_INTERVAL;
            if last_step.get().is_some_and(recent) {
                return;
            }
            last_step.set(Some(Instant::now()));
        }
        let analysis = self.analysis.name().to_owned();
        self.thread.recorder.event(match progress {
            Progress::Expectation { .. } => return,
            Progress::Bound { bound } => EventKind::Bound { analysis, bound },
            Progress::Refinement { number, states } => EventKind::Refinement {
                analysis,
                number,
                states,
            },
            Progress::Invariants {
                round,
                proved,
                total,
            } => EventKind::Invariants {
                analysis,
                round: round.to_owned(),
                proved,
                total,
            },
            Progress::LeftAside { reason } => EventKind::LeftAside { analysis, reason },
            Progress::Abstracted {
                step,
                bound,
                kept,
                all,
            } => EventKind::Abstracted {
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

    fn solver(&self) -> Result<Box<dyn Solver>, SolverError> {
        let options = self.analysis.solver.clone().unwrap_or_default();
        let solver = solver_for(&options, &self.thread.blocks, self.remote_start())?;
        Ok(match &self.thread.recorder.dump {
            Some(dump) => Box::new(RecordedSolver::new(solver, dump, self.analysis.name())),
            None => solver,
        })
    }

    /// Returns how to start Yices in another process, or `None` for the first analysis that has it, which runs it in this
    /// process.
    fn remote_start(&self) -> Option<Start> {
        let zygote = self.thread.judge.checker.zygote()?;
        let wants = |analysis: &&Analysis| {
            let solver = analysis.solver.as_ref();
            solver.is_some_and(|solver| solver.solver == Backend::Yices2)
        };
        let first = self.thread.options.portfolio.analyses.iter().find(wants);
        let is_first = first.is_none_or(|first| first.name() == self.analysis.name());
        if is_first || !regatta_solver::HAS_YICES2 {
            return None;
        }
        Some(Box::new(move || zygote.yices()))
    }

    /// Returns the conclusion from the answer if it passes its check.
    fn conclude(&self, answer: &Answer) -> Option<Conclusion> {
        let name = self.analysis.name();
        match answer {
            Answer::Unknown(_) => None,
            Answer::Unsafe(violation) => Some(self.thread.judge.violated(
                &self.thread.task,
                name,
                violation,
            )),
            Answer::Safe(_) if self.certified.borrow().is_some() => self.certified.take(),
            Answer::Safe(certificate) => {
                self.thread.tell_publishers(name, certificate);
                self.thread.judge.certified(
                    &self.thread.task,
                    Standing::Proved,
                    name,
                    certificate,
                    Some(&self.thread.blocks),
                    &self.thread.workers,
                )
            }
            Answer::Explored(_) => self.thread.judge.explored(&self.thread.task, name),
        }
    }
}

/// Returns an engine's result, in words.
fn outcome(answer: &Answer) -> String {
    match answer {
        Answer::Safe(_) => "found a proof".to_owned(),
        Answer::Unsafe(_) => "found a violation".to_owned(),
        Answer::Explored(words) | Answer::Unknown(words) => words.clone(),
    }
}

/// Returns an engine's statistics for its last event.
fn statistics_as_json(statistics: Vec<(&'static str, Statistic)>) -> Map<String, Json> {
    let entry = |(name, value): (&str, Statistic)| {
        let value = match value {
            Statistic::Count(number) => Json::from(number),
            Statistic::Rate(rate) => Json::from(rate),
            Statistic::Text(text) => Json::from(text),
        };
        (name.to_owned(), value)
    };
    statistics.into_iter().map(entry).collect()
}

/// Returns the solver that the options select for the program of the blocks, paired with the second solver if that supports
/// the program's sorts. For Yices see [`first_solver_for`].
pub(super) fn solver_for(
    options: &SolverOptions,
    blocks: &Blocks,
    remote_start: Option<Start>,
) -> Result<Box<dyn Solver>, SolverError> {
    let sorts = Sorts::of(blocks.inlined().program());
    let first = first_solver_for(options, &sorts, remote_start)?;
    let second = options
        .second
        .filter(|&second| second != options.solver && sorts.are_known_to(second));
    Ok(match second {
        Some(backend) => Box::new(SolverPair::new(
            first,
            SolverConfig {
                backend,
                encoding: Encoding::BitVector,
            },
        )),
        None => first,
    })
}

/// Returns the first solver that the options select; Yices in another process if `remote_start` is given. Z3 replaces a
/// solver that does not support the program's sorts or is not available.
fn first_solver_for(
    options: &SolverOptions,
    sorts: &Sorts,
    remote_start: Option<Start>,
) -> Result<Box<dyn Solver>, SolverError> {
    let arena = Rc::new(Arena::new());
    let config = match sorts.has_floats {
        true => options.config_for_floats(),
        false => options.config(),
    };
    if config.backend != Backend::Z3 {
        if sorts.are_known_to(config.backend) {
            if let (Backend::Yices2, Some(start)) = (config.backend, remote_start) {
                return Ok(Box::new(RemoteSolver::new(arena, start)));
            }
            if let Ok(solver) = new_solver(config, Rc::clone(&arena)) {
                return Ok(solver);
            }
        }
        return new_solver(SolverConfig::default(), arena);
    }
    new_solver(config, arena)
}

/// The sorts of a program's terms, as far as the choice of a solver depends on them.
#[derive(Default)]
struct Sorts {
    has_floats: bool,
    /// Whether there are floats of x87 or mathematical integers.
    has_others: bool,
}

impl Sorts {
    fn of(program: &Program) -> Self {
        let mut sorts = Self::default();
        let operations = program.edges.iter().flat_map(|edge| &edge.operations);
        let terms: Vec<TermId> = operations.flat_map(|operation| operation.terms()).collect();
        for_each_subterm(store(), terms, |term, _| sorts.add(store().sort(term)));
        for input in &program.inputs {
            sorts.add(input.sort);
        }
        sorts
    }

    fn add(&mut self, sort: Sort) {
        let mut add = |sort: ScalarSort| match sort {
            ScalarSort::Bool | ScalarSort::BitVec(_) => {}
            ScalarSort::Float(FloatFormat::F80) => {
                self.has_floats = true;
                self.has_others = true;
            }
            ScalarSort::Float(_) => self.has_floats = true,
            ScalarSort::Int => self.has_others = true,
        };
        match sort {
            Sort::Array { index, element } => {
                add(index);
                add(element);
            }
            sort => sort.scalar().into_iter().for_each(add),
        }
    }

    /// Checks whether the solver supports all of them.
    fn are_known_to(&self, backend: Backend) -> bool {
        match backend {
            Backend::Z3 => true,
            Backend::Bitwuzla => !self.has_others,
            Backend::Yices2 => !self.has_others && !self.has_floats,
        }
    }
}
