//! The engines of a race, each on a thread of its own; the [`Coordinator`] says whose turn it is.
//!
//! The first answer that passes its check wins. Nobody waits for the others: the supervisor ends the process.
//!
//! * [`engine_thread`]: an engine's thread; [`replays`]: how its alarms are replayed; [`prover_thread`]: the thread that proves what
//!   engines offer; [`racer`]: what both have.
//! * This file: who starts when.

mod engine_thread;
mod lender;
mod prover_thread;
mod racer;
mod replays;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashSet;

use self::engine_thread::EngineThread;
use self::prover_thread::ProverThread;
use self::racer::Grid;
use super::config::opening::Turn;
use super::config::{Analysis, Role, Switch};
use super::coordinator::Coordinator;
use super::crash::number::FIRST_ANALYSIS;
use super::event::EventKind;
use super::findings;
use super::task::{Task, Validation};
use super::verdict::Conclusion;
use crate::analysis::CancellationToken;
use crate::analysis::invariants::{BatchId, Publisher, asserted};
use crate::huge_pages;
use crate::program::block::Blocks;
use crate::program::inline::InlinedProgram;
use crate::time_slice::{self, AffectedThreads};
use crate::workers::Threads;

/// The prover's name in events and crash reports.
pub(super) const PROVER: &str = "prover";

/// The prover's priority among the analyses.
const PROVER_PRIORITY: u32 = 5;

/// How often what is proved is dumped, if it is.
const DUMPED_EVERY: Duration = Duration::from_secs(1);

/// How often what is proved is told, if details are wanted.
const TOLD_EVERY: Duration = Duration::from_millis(250);

/// What the threads tell the one that started them.
enum Message {
    /// The analysis has ended.
    Ended(String, Option<Conclusion>),
    /// There is no thread for the analysis of the seat.
    NotStarted(String, usize),
    /// There is another who may run, or must not.
    Look,
}

/// Runs the analyses until one has an answer; `None` if none has. Those with turns in the opening go first. If they share
/// invariants, there is a prover beside them, unless it must not take part.
pub(in crate::portfolio) fn run(
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
    let grid = Arc::new(Grid {
        task: Arc::clone(task),
        blocks: Arc::clone(&blocks),
        token: token.clone(),
        threads: Threads::new(permits - 1),
        race: Arc::default(),
    });
    // What waits to be started is kept by the coordinator, and does not keep it.
    let admit = |(number, analysis): (u32, Analysis)| {
        let common = &analysis.common;
        let (priority, eases_after) = (common.priority, common.eases_after);
        let (grid, own) = (Arc::clone(&grid), Arc::downgrade(&coordinator));
        let start = move |seat: usize| {
            let Some(coordinator) = own.upgrade() else {
                return;
            };
            let thread = EngineThread {
                racer: grid.racer(&coordinator, seat, FIRST_ANALYSIS + number),
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
            racer: grid.racer(&coordinator, coordinator.admit_resting(PROVER_PRIORITY), id),
        };
        if let Some(Validation::Invariants { count: 1.. }) = task.options.validation {
            // What the witness believes in need not wait for an analysis to come upon it.
            let witness = Publisher::from("witness");
            task.invariants.offer(&witness, asserted(&blocks));
        }
        prover.start();
    }
    let mut lineup = Lineup {
        waiting: analyses,
        running: Vec::new(),
        // An opening says who is alone, and for how long.
        solverless_only: opening.is_empty(),
        head_start: Instant::now() + schedule.head_start,
    };
    let mut has_opened = false;
    let mut dumped = Instant::now();
    let mut told = Told::default();
    loop {
        let mut seats = Vec::new();
        while let Some(next) = lineup.next() {
            let common = &next.1.common;
            let (name, role) = (common.name.clone(), common.role);
            seats.push((name.clone(), admit(next)));
            lineup.running.push((name, role));
        }
        if !has_opened {
            let seat_of = |turn: &Turn| {
                let mut seats = seats.iter();
                let seat = seats.find(|(name, _)| *name == turn.analysis)?.1;
                Some((seat, turn.time))
            };
            coordinator.open(opening.iter().filter_map(seat_of));
            has_opened = true;
        }
        if !lineup.has_prover() {
            return None;
        }
        coordinator.tick();
        if let Some(dump) = &task.dump
            && dumped.elapsed() >= DUMPED_EVERY
        {
            dump.invariants(&task.invariants.snapshot(), blocks.inlined());
            dumped = Instant::now();
        }
        told.tell_if_due(task, blocks.inlined());
        let head_start = lineup.solverless_only.then_some(lineup.head_start);
        let next_dump = task.dump.as_ref().map(|_| dumped + DUMPED_EVERY);
        let next_told = task.options.has_details.then(|| told.last + TOLD_EVERY);
        let next = [head_start, coordinator.next_tick(), next_dump, next_told];
        let (name, conclusion) = match grid.race.receive(next.into_iter().flatten().min()) {
            None | Some(Message::Look) => continue,
            Some(Message::Ended(name, conclusion)) => (name, conclusion),
            Some(Message::NotStarted(name, seat)) => {
                coordinator.leave(seat);
                (name, None)
            }
        };
        if conclusion.is_some() {
            if task.options.has_details {
                told.tell(task, blocks.inlined());
            }
            if let Some(dump) = &task.dump {
                dump.invariants(&task.invariants.snapshot(), blocks.inlined());
            }
            return conclusion;
        }
        lineup.running.retain(|running| running.0 != name);
    }
}

/// Which of the invariants that analyses share have been told.
struct Told {
    last: Instant,
    batches: FxHashSet<BatchId>,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            last: Instant::now(),
            batches: FxHashSet::default(),
        }
    }
}

impl Told {
    fn tell_if_due(&mut self, task: &Task, inlined: &InlinedProgram) {
        if task.options.has_details && self.last.elapsed() >= TOLD_EVERY {
            self.tell(task, inlined);
        }
    }

    fn tell(&mut self, task: &Task, inlined: &InlinedProgram) {
        let snapshot = task.invariants.snapshot();
        let invariants = findings::published(&snapshot, inlined, |id| self.batches.insert(id));
        if !invariants.is_empty() {
            task.reporter.event(EventKind::Published { invariants });
        }
        self.last = Instant::now();
    }
}

/// Who has not started and who has not ended.
struct Lineup {
    waiting: Vec<(u32, Analysis)>,
    running: Vec<(String, Role)>,
    /// Engines that ask a solver do not start yet.
    solverless_only: bool,
    head_start: Instant,
}

impl Lineup {
    /// Whether somebody is left who may have an answer.
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

    /// One with or without a solver that need not wait for another.
    fn ready(&mut self, has_solver: bool) -> Option<(u32, Analysis)> {
        let is_open = |name: &String| {
            self.running.iter().any(|running| running.0 == *name)
                || self.waiting.iter().any(|(_, other)| other.name() == name)
        };
        let index = self.waiting.iter().position(|(_, analysis)| {
            analysis.engine.has_solver() == has_solver && !is_open(&analysis.common.after)
        })?;
        Some(self.waiting.remove(index))
    }
}
