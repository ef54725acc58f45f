//! The engines of a race, each on a thread of its own.
//!
//! The first answer that passes its check wins. Nobody waits for the others: the supervisor ends the process.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{Sender, unbounded};
use serde_json::Map;

use super::event::What;
use super::race::{Race, guarded, proved};
use super::verdict::Conclusion;
use crate::analysis::{
    Answer, CancellationToken, Context, Progress, bmc, data_flow, exhaustive, k_induction,
};
use crate::certify::replay::{NotConfirmed, Replay, replay_compiled};
use crate::program::Program;
use crate::program::block::Blocks;
use crate::program::inline::InlinedProgram;
use crate::program::interpreter::{Executable, Journal, Limits, Outcome};
use crate::solver::{Backend, Solver, SolverConfig, SolverError, new_solver};
use crate::term::{Arena, Pool, ScalarSort, Sort, TermId, for_each_subterm, store};

/// The engines.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Bmc,
    KInduction,
    DataFlow,
    Exhaustive,
}

/// The stack of an engine's thread: solvers recurse over deep terms. It is reserved, not used.
const STACK: usize = 1 << 30;

/// Steps of a replay at first; an alarm that needs more may have more if there is time.
const REPLAY_STEPS: u64 = 5_000_000;

/// Bounds that are passed faster than this are not told one by one.
const BOUND_INTERVAL: Duration = Duration::from_millis(100);

/// By how much more is more.
const REPLAY_GROWTH: u64 = 6;

/// Replays may take this share of the engine's time so far, and this long in any case.
const REPLAY_SHARE: f64 = 0.3;
const REPLAY_AT_LEAST: Duration = Duration::from_secs(3);

impl Engine {
    /// The name in events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bmc => "bmc",
            Self::KInduction => "k-induction",
            Self::DataFlow => "data-flow",
            Self::Exhaustive => "exhaustive",
        }
    }

    /// The number by which crashes are attributed.
    pub fn id(self) -> u32 {
        5 + self as u32
    }
}

/// Runs the engines side by side until one has an answer; `None` if none has.
pub(super) fn race(race: &Arc<Race>, engines: &[Engine]) -> Option<Conclusion> {
    let program = Arc::new(race.simplified.program.clone());
    let blocks = Arc::new(Blocks::new(Arc::new(InlinedProgram::new(program))));
    let token = CancellationToken::new();
    let (sender, answers) = unbounded();
    for (index, &engine) in engines.iter().enumerate() {
        let runner = Runner {
            has_yices: index == 0 && engine == Engine::Bmc || engines == [Engine::KInduction],
            race: Arc::clone(race),
            blocks: Arc::clone(&blocks),
            token: token.clone(),
            engine,
        };
        let sender = sender.clone();
        let thread = std::thread::Builder::new()
            .name(engine.name().to_owned())
            .stack_size(STACK);
        if let Err(error) = thread.spawn(move || runner.run(&sender)) {
            race.reporter.event(What::Finished {
                analysis: engine.name().to_owned(),
                outcome: format!("has no thread: {error}"),
                statistics: Map::new(),
            });
        }
    }
    drop(sender);
    answers.iter().next()
}

/// What an engine's thread has.
struct Runner {
    race: Arc<Race>,
    blocks: Arc<Blocks>,
    token: CancellationToken,
    engine: Engine,
    /// Whether it is the one that may have Yices.
    has_yices: bool,
}

impl Runner {
    fn run(&self, answers: &Sender<Conclusion>) {
        let name = self.engine.name();
        let reporter = &self.race.reporter;
        let answer = guarded(reporter, name, self.engine.id(), || {
            let answer = self.analyse();
            reporter.event(What::Finished {
                analysis: name.to_owned(),
                outcome: match &answer {
                    Answer::Safe(_) => "found a proof".to_owned(),
                    Answer::Explored(statistics) => statistics.to_string(),
                    Answer::Unsafe(_) => "found a violation".to_owned(),
                    Answer::Unknown(reason) => reason.clone(),
                },
                statistics: Map::new(),
            });
            self.conclude(&answer)
        });
        if let Some(Some(conclusion)) = answer {
            // The race may be over.
            let _ = answers.send(conclusion);
        }
    }

    fn analyse(&self) -> Answer {
        let name = self.engine.name();
        let last_bound = Cell::new(None::<Instant>);
        let report = |progress| {
            self.race.reporter.event(match progress {
                Progress::Bound { bound } => {
                    let recent = |last: Instant| last.elapsed() < BOUND_INTERVAL;
                    if last_bound.get().is_some_and(recent) {
                        return;
                    }
                    last_bound.set(Some(Instant::now()));
                    What::Bound {
                        analysis: name.to_owned(),
                        bound,
                    }
                }
                Progress::Invariants {
                    round,
                    proved,
                    total,
                } => What::Invariants {
                    analysis: name.to_owned(),
                    round: round.to_owned(),
                    proved,
                    total,
                },
                Progress::LeftAside { reason } => What::LeftAside {
                    analysis: name.to_owned(),
                    reason,
                },
            });
        };
        let mut replays = Replays::new(&self.race.executable);
        let mut confirm = |alarm: &Journal| replays.replay(alarm);
        let mut context = Context {
            token: &self.token,
            report: &report,
            confirm: &mut confirm,
            invariants: &self.race.invariants,
        };
        let solver = || self.solver();
        match self.engine {
            Engine::Bmc => {
                let options = bmc::Options::default();
                bmc::run(&self.blocks, &options, &solver, &mut context)
            }
            Engine::KInduction => {
                let options = k_induction::Options::default();
                k_induction::run(&self.blocks, &options, &solver, &mut context)
            }
            Engine::DataFlow => {
                let options = data_flow::Options::default();
                data_flow::run(&self.blocks, &options, &solver, &mut context)
            }
            Engine::Exhaustive => {
                let mut options = exhaustive::Options::default();
                if let Some(left) = self.race.time_left() {
                    options.time = options.time.min(left);
                }
                exhaustive::run(&self.race.executable, &options, &mut context)
            }
        }
    }

    /// Yices for the engine that is to have it, if it knows the program's sorts; else Z3.
    fn solver(&self) -> Result<Box<dyn Solver>, SolverError> {
        let arena = Rc::new(Arena::new());
        if self.has_yices && knows_sorts(self.blocks.inlined().program()) {
            let config = SolverConfig {
                backend: Backend::Yices2,
                ..SolverConfig::default()
            };
            if let Ok(solver) = new_solver(config, Rc::clone(&arena)) {
                return Ok(solver);
            }
        }
        new_solver(SolverConfig::default(), arena)
    }

    /// The answer, once it has passed its check.
    fn conclude(&self, answer: &Answer) -> Option<Conclusion> {
        match answer {
            Answer::Unsafe(violation) => Some(self.race.violated(self.engine.name(), violation)),
            Answer::Safe(certificate) => self.race.certified(self.engine.name(), certificate),
            // It has been seen on the program as lowered already.
            Answer::Explored(_) => Some(proved(self.engine.name())),
            Answer::Unknown(_) => None,
        }
    }
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
