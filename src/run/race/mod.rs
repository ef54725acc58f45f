//! The race: the engines, each on a thread of its own, take turns as the [`Coordinator`] decides.
//!
//! The first answer that passes its check wins. The other engines are not awaited: the supervisor ends the process.
//!
//! * [`scheduler`]: the rules by which analyses share the cores (permits and turns); [`coordinator`]: these rules applied to
//!   threads; [`helper_permits`]: the permits of helper threads.
//! * [`thread`]: the data that each thread has; [`mailbox`]: messages to the thread that runs the race.
//! * [`engine_thread`]: an engine's thread; [`alarm_replay`]: the replay of its alarms; [`prover_thread`]: the thread that
//!   proves the candidate invariants that engines offer.
//! * This file: the order in which analyses start, and the loop of the race.

mod alarm_replay;
mod coordinator;
mod engine_thread;
mod helper_permits;
mod mailbox;
mod prover_thread;
mod scheduler;
mod thread;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use self::coordinator::Coordinator;
use self::engine_thread::EngineThread;
use self::prover_thread::ProverThread;
use self::thread::RaceState;
use crate::config::opening::Turn;
use crate::config::{Analysis, Role, Switch};
use crate::process::crash::number::FIRST_ANALYSIS;
use crate::record::event::EventKind;
use crate::record::findings;
use crate::record::verdict::Conclusion;
use crate::task::{Task, Validation};
use regatta_base::huge_pages;
use regatta_base::time_slice::{self, AffectedThreads};
use regatta_base::workers::Threads;
use regatta_engines::invariants::asserted;
use regatta_program::block::Blocks;
use regatta_program::inline::InlinedProgram;
use regatta_sharing::CancellationToken;
use regatta_sharing::{BatchId, Publisher};

/// The prover's name in events and crash reports.
pub(super) const PROVER: &str = "prover";

/// The prover's priority among the analyses.
const PROVER_PRIORITY: u32 = 5;

/// Interval between two dumps of the invariants, if they are dumped.
const DUMP_INTERVAL: Duration = Duration::from_secs(1);

/// Interval between two events of published invariants, if details are requested.
const REPORT_INTERVAL: Duration = Duration::from_millis(250);

/// A message from an analysis's thread to the thread that runs the race.
enum Message {
    /// The analysis has ended, with or without an answer.
    Ended(String, Option<Conclusion>),
    /// The thread of the analysis could not be started; the slot is to be freed.
    NotStarted(String, usize),
    /// The scheduler has to be called, because an analysis has changed its state.
    Look,
}

/// Runs the analyses until one has an answer; `None` if none has. Those with turns in the opening go first. If they share
/// invariants and `has_prover` is set, the prover runs beside them.
pub(crate) fn run(
    task: &Arc<Task>,
    analyses: Vec<(u32, Analysis)>,
    opening: &[Turn],
    has_prover: bool,
) -> Option<Conclusion> {
    huge_pages::allow_soon();
    time_slice::shorten(AffectedThreads::Caller);
    let program = Arc::new(task.simplified.program.clone());
    let blocks = Arc::new(Blocks::new(Arc::new(InlinedProgram::new(program))));
    let token = CancellationToken::new();
    let permits = task.options.threads();
    let schedule = &task.options.portfolio.schedule;
    let coordinator = Arc::new(Coordinator::new(permits, schedule, analyses.len() + 1));
    let state = Arc::new(RaceState {
        task: Arc::clone(task),
        blocks: Arc::clone(&blocks),
        token: token.clone(),
        threads: Threads::new(permits - 1),
        race: Arc::default(),
    });
    // The coordinator owns the closure that starts a thread, so the closure has a weak reference to it.
    let admit = |(number, analysis): (u32, Analysis)| {
        let common = &analysis.common;
        let (priority, eases_after) = (common.priority, common.eases_after);
        let (state, own) = (Arc::clone(&state), Arc::downgrade(&coordinator));
        let start = move |slot: usize| {
            let Some(coordinator) = own.upgrade() else {
                return;
            };
            let thread = EngineThread {
                thread: state.thread(&coordinator, slot, FIRST_ANALYSIS + number),
                analysis,
                certified: RefCell::default(),
            };
            thread.start();
        };
        coordinator.admit(priority, eases_after, start)
    };
    let general = &task.options.portfolio.general;
    if has_prover && general.sharing == Switch::On && general.prover == Switch::On {
        let numbers = analyses.iter().map(|&(number, _)| number);
        let id = FIRST_ANALYSIS + 1 + numbers.max().unwrap_or_default();
        let prover = ProverThread {
            thread: state.thread(&coordinator, coordinator.admit_resting(PROVER_PRIORITY), id),
        };
        if let Some(Validation::Invariants { count: 1.. }) = task.options.validation {
            // The witness's invariants are candidates from the beginning, before an analysis offers them.
            let witness = Publisher::from("witness");
            task.invariants.offer(&witness, asserted(&blocks));
        }
        prover.start();
    }
    let mut queue = StartQueue {
        waiting: analyses,
        running: Vec::new(),
        // An opening replaces the head start of the engines without solvers.
        solverless_only: opening.is_empty(),
        head_start: Instant::now() + schedule.head_start,
    };
    let mut has_opened = false;
    let mut dumped = Instant::now();
    let mut published = PublishedInvariants::default();
    loop {
        let mut slots = Vec::new();
        while let Some(next) = queue.next() {
            let common = &next.1.common;
            let (name, role) = (common.name.clone(), common.role);
            slots.push((name.clone(), admit(next)));
            queue.running.push((name, role));
        }
        if !has_opened {
            let slot_of = |turn: &Turn| {
                let mut slots = slots.iter();
                let slot = slots.find(|(name, _)| *name == turn.analysis)?.1;
                Some((slot, turn.time))
            };
            coordinator.open(opening.iter().filter_map(slot_of));
            has_opened = true;
        }
        if !queue.has_prover() {
            return None;
        }
        coordinator.tick();
        if let Some(dump) = &task.dump
            && dumped.elapsed() >= DUMP_INTERVAL
        {
            dump.invariants(&task.invariants.snapshot(), blocks.inlined());
            dumped = Instant::now();
        }
        published.send_if_due(task, blocks.inlined());
        let head_start = queue.solverless_only.then_some(queue.head_start);
        let next_dump = task.dump.as_ref().map(|_| dumped + DUMP_INTERVAL);
        let next_report = task
            .options
            .has_details
            .then(|| published.last + REPORT_INTERVAL);
        let next = [head_start, coordinator.next_tick(), next_dump, next_report];
        let (name, conclusion) = match state.race.receive(next.into_iter().flatten().min()) {
            None | Some(Message::Look) => continue,
            Some(Message::Ended(name, conclusion)) => (name, conclusion),
            Some(Message::NotStarted(name, slot)) => {
                coordinator.leave(slot);
                (name, None)
            }
        };
        if conclusion.is_some() {
            if task.options.has_details {
                published.send(task, blocks.inlined());
            }
            if let Some(dump) = &task.dump {
                dump.invariants(&task.invariants.snapshot(), blocks.inlined());
            }
            return conclusion;
        }
        queue.running.retain(|running| running.0 != name);
    }
}

/// The published invariants that have been sent as events.
struct PublishedInvariants {
    last: Instant,
    batches: FxHashSet<BatchId>,
}

impl Default for PublishedInvariants {
    fn default() -> Self {
        Self {
            last: Instant::now(),
            batches: FxHashSet::default(),
        }
    }
}

impl PublishedInvariants {
    fn send_if_due(&mut self, task: &Task, inlined: &InlinedProgram) {
        if task.options.has_details && self.last.elapsed() >= REPORT_INTERVAL {
            self.send(task, inlined);
        }
    }

    fn send(&mut self, task: &Task, inlined: &InlinedProgram) {
        let snapshot = task.invariants.snapshot();
        let invariants = findings::published(&snapshot, inlined, |id| self.batches.insert(id));
        if !invariants.is_empty() {
            task.reporter.event(EventKind::Published { invariants });
        }
        self.last = Instant::now();
    }
}

/// The analyses that have not started and those that have not ended.
struct StartQueue {
    waiting: Vec<(u32, Analysis)>,
    running: Vec<(String, Role)>,
    /// Whether engines with solvers do not start yet.
    solverless_only: bool,
    head_start: Instant,
}

impl StartQueue {
    /// Checks whether an analysis is left that may answer.
    fn has_prover(&self) -> bool {
        let waiting = self
            .waiting
            .iter()
            .map(|(_, analysis)| analysis.common.role);
        let mut roles = self.running.iter().map(|running| running.1).chain(waiting);
        !self.running.is_empty() && roles.any(|role| role == Role::Prover)
    }

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

    /// Takes out an analysis, with or without a solver as given, that need not wait for another.
    fn ready(&mut self, has_solver: bool) -> Option<(u32, Analysis)> {
        let is_open = |name: &String| {
            self.running.iter().any(|running| running.0 == *name)
                || self.waiting.iter().any(|(_, other)| other.name() == name)
        };
        let index = self.waiting.iter().position(|(_, analysis)| {
            analysis.has_solver() == has_solver && !is_open(&analysis.common.after)
        })?;
        Some(self.waiting.remove(index))
    }
}
