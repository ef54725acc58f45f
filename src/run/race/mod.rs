//! The race: the engines, each on a thread of its own, take turns as the [`Coordinator`] decides.
//!
//! The first answer that passes its check wins. The other engines are not awaited: the supervisor ends the process.
//!
//! * [`scheduler`]: the rules by which analyses share the cores (permits and turns); [`coordinator`]: these rules applied to
//!   threads; [`helper_permits`]: the permits of helper threads.
//! * [`thread`]: the data that each thread has; [`mailbox`]: messages to the thread that runs the race.
//! * [`engine_thread`]: an engine's thread; [`alarm_replay`]: the replay of its alarms; [`prover_thread`]: the thread that
//!   proves the candidate invariants that engines offer, and looks which targets proved invariants exclude.
//! * [`exclusions`]: the targets that are left, where each is decided by itself; [`targets`]: the same, as an analysis sees them.
//! * [`participants`]: the analyses and the order in which they start; [`invariant_record`]: the record of what they prove;
//!   [`keeper`]: invariants from run to run.
//! * This file: the loop of the race.

mod alarm_replay;
mod coordinator;
mod engine_thread;
mod exclusions;
mod helper_permits;
mod invariant_record;
mod keeper;
mod mailbox;
pub(crate) mod participants;
mod prover_thread;
mod scheduler;
mod targets;
mod thread;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::coordinator::Coordinator;
use self::engine_thread::EngineThread;
use self::exclusions::Exclusions;
use self::invariant_record::InvariantRecord;
use self::keeper::{Keeper, Until};
use self::participants::{Participants, StartQueue};
use self::prover_thread::ProverThread;
use self::thread::{Message, RaceState};
use crate::config::Analysis;
use crate::judge::answer::Judge;
use crate::options::{RaceOptions, Validation};
use crate::process::crash::number::FIRST_ANALYSIS;
use crate::record::recorder::Recorder;
use crate::record::verdict::Conclusion;
use crate::task::Task;
use regatta_base::huge_pages;
use regatta_base::time_slice::{self, AffectedThreads};
use regatta_base::workers::Threads;
use regatta_engines::invariants::asserted;
use regatta_program::Slicing;
use regatta_program::block::Blocks;
use regatta_program::inline::InlinedProgram;
use regatta_program::simplify::{simplify, simplify_loosely};
use regatta_sharing::{CancellationToken, Publisher};

/// Maximum duration of the first turn, in which the prover tries the invariants of an earlier run.
const EARLIER_INVARIANTS_TURN: Duration = Duration::from_millis(500);

/// The share of the race's time that it has at most.
const EARLIER_INVARIANTS_SHARE: f64 = 0.2;

/// Maximum size of the program for the targets that are left, as a share of the race's, with which another race begins.
const MAXIMUM_REST: f64 = 0.7;

/// The prover's priority among the analyses.
const PROVER_PRIORITY: u32 = 5;

/// Runs the analyses until one has an answer; `None` if none has. Those with turns in the opening go first.
pub(crate) fn run(
    task: &Arc<Task>,
    judge: &Arc<Judge>,
    recorder: &Recorder,
    options: &RaceOptions,
    participants: Participants<'_>,
) -> Option<Conclusion> {
    huge_pages::allow_soon();
    time_slice::shorten(AffectedThreads::Caller);
    let program = Arc::new(task.simplified.program.clone());
    let permits = options.threads();
    let schedule = &options.portfolio.schedule;
    let count = participants.analyses.len();
    let race = Race {
        coordinator: Arc::new(Coordinator::new(permits, schedule, count + 1)),
        state: Arc::new(RaceState {
            task: Arc::clone(task),
            judge: Arc::clone(judge),
            recorder: recorder.clone(),
            options: Arc::new(options.clone()),
            blocks: Arc::new(Blocks::new(Arc::new(InlinedProgram::new(program)))),
            token: CancellationToken::new(),
            exclusions: Exclusions::new(task).map(Arc::new),
            threads: Threads::new(permits - 1),
            race: Arc::default(),
        }),
        keeper: keeper(task, options).map(Arc::new),
    };
    let mut first = None;
    if participants.has_prover {
        let numbers = participants.analyses.iter().map(|&(number, _)| number);
        let number = 1 + numbers.max().unwrap_or_default();
        first = race.start_prover(number, participants.has_closing_check);
    }
    race.run(participants, first, Instant::now() + schedule.head_start)
}

/// The keeper of invariants from run to run or from race to race, if they are to be kept. The program of a witness, and the
/// questions about termination, have variables and loops that the next run may not have. A race over the only check is the last.
fn keeper(task: &Task, options: &RaceOptions) -> Option<Keeper> {
    let is_plain =
        task.options.validation.is_none() && !task.options.load.property.is_termination();
    let has_next = task.scope.is_some() || task.simplified.program.errors.len() > 1;
    let run = options.kept_invariants.as_deref();
    let race = options.carried_invariants.as_deref();
    let (file, until) = match (run, race) {
        (Some(file), _) => (file, Until::NextRun),
        (None, Some(file)) if has_next => (file, Until::NextRace),
        _ => return None,
    };
    is_plain.then(|| Keeper::new(file, until, task))
}

/// The threads of a race and their turns.
struct Race {
    coordinator: Arc<Coordinator>,
    state: Arc<RaceState>,
    keeper: Option<Arc<Keeper>>,
}

impl Race {
    /// Starts the prover of invariants under the number. If it has those of an earlier run, it gets the first turn, which is
    /// returned.
    fn start_prover(&self, number: u32, has_closing_check: bool) -> Option<(usize, Duration)> {
        let slot = self.coordinator.admit_resting(PROVER_PRIORITY);
        let id = FIRST_ANALYSIS + number;
        let prover = ProverThread {
            thread: self.state.thread(&self.coordinator, slot, id),
            keeper: self.keeper.clone(),
            has_closing_check,
        };
        let RaceState {
            task,
            judge,
            blocks,
            ..
        } = &*self.state;
        if let Some(Validation::Invariants { count: 1.. }) = task.options.validation {
            // The witness's invariants are candidates from the beginning, before an analysis offers them.
            let witness = Publisher::from("witness");
            judge.invariants.offer(&witness, asserted(blocks));
        }
        let keeper = self.keeper.as_deref();
        let first = keeper.filter(|keeper| keeper.has_earlier());
        let turn = task.time_left().map_or(EARLIER_INVARIANTS_TURN, |left| {
            EARLIER_INVARIANTS_TURN.min(left.mul_f64(EARLIER_INVARIANTS_SHARE))
        });
        let first = first.map(|_| (slot, turn));
        if first.is_some() {
            self.coordinator.wake(slot);
        }
        prover.start();
        first
    }

    /// Whether another race over the targets that are left would have a much smaller program; if not, this one goes on, since an
    /// analysis loses what it has found out when it begins again.
    fn is_rest_smaller(&self) -> bool {
        let RaceState {
            task, exclusions, ..
        } = &*self.state;
        let Some(exclusions) = exclusions else {
            return false;
        };
        let open = exclusions.open();
        let open = open.iter().map(|&error| task.as_lowered(error));
        let open = task.lowered.targets_at(&open.collect());
        let Some(rest) = task.lowered.restricted_to(&open) else {
            return true;
        };
        let rest = match task.simplified.slicing {
            Slicing::Exact => simplify(&rest),
            Slicing::Loose => simplify_loosely(&rest),
        };
        let [now, then] = [&task.simplified, &rest].map(|one| one.program.edges.len() as f64);
        let is_smaller = then <= now * MAXIMUM_REST;
        if !is_smaller {
            exclusions.go_on();
        }
        is_smaller
    }

    /// Admits the analysis and returns its slot. Its thread starts when it gets its first permit.
    fn admit(&self, number: u32, analysis: Analysis) -> usize {
        let common = &analysis.common;
        let (priority, eases_after) = (common.priority, common.eases_after);
        // The coordinator owns the closure that starts a thread, so the closure has a weak reference to it.
        let coordinator = Arc::downgrade(&self.coordinator);
        let state = Arc::clone(&self.state);
        let start = move |slot: usize| {
            let Some(coordinator) = coordinator.upgrade() else {
                return;
            };
            let thread = EngineThread {
                thread: state.thread(&coordinator, slot, FIRST_ANALYSIS + number),
                analysis,
                certified: RefCell::default(),
            };
            thread.start();
        };
        self.coordinator.admit(priority, eases_after, start)
    }

    /// Starts the analyses that can start now, and returns their names and slots.
    fn admit_ready(&self, queue: &mut StartQueue) -> Vec<(String, usize)> {
        let mut slots = Vec::new();
        while let Some((number, analysis)) = queue.start_next() {
            let name = analysis.name().to_owned();
            slots.push((name, self.admit(number, analysis)));
        }
        slots
    }

    /// Runs the race until an analysis has an answer, until no analysis that may have one is left, or until a new race over the
    /// targets that are not excluded is better. The first turn comes before the opening.
    fn run(
        &self,
        participants: Participants<'_>,
        first: Option<(usize, Duration)>,
        head_start: Instant,
    ) -> Option<Conclusion> {
        let RaceState {
            judge,
            recorder,
            blocks,
            race,
            exclusions,
            ..
        } = &*self.state;
        let exclusions_end = || exclusions.as_ref().and_then(|exclusions| exclusions.end());
        let (coordinator, inlined) = (&self.coordinator, blocks.inlined());
        let opening = participants.opening.clone();
        let mut queue = StartQueue::new(participants, head_start);
        let mut has_opened = false;
        let mut record = InvariantRecord::new(recorder, self.keeper.clone());
        loop {
            let slots = self.admit_ready(&mut queue);
            if !has_opened {
                coordinator.open(first);
                coordinator.open(opening.iter().filter_map(|turn| {
                    let mut slots = slots.iter();
                    let slot = slots.find(|(name, _)| *name == turn.analysis)?.1;
                    Some((slot, turn.time))
                }));
                has_opened = true;
            }
            let is_over =
                exclusions_end().is_some_and(|end| end <= Instant::now()) && self.is_rest_smaller();
            if queue.is_empty() {
                // The prover is to end when it has done what is left.
                judge.invariants.close_offers();
            }
            if !queue.can_answer() || is_over {
                return None;
            }
            coordinator.tick();
            record.record_if_due(&judge.invariants, inlined);
            let next = [
                queue.head_start(),
                coordinator.next_tick(),
                record.next(),
                exclusions_end(),
            ];
            let (name, conclusion) = match race.receive(next.into_iter().flatten().min()) {
                None | Some(Message::Look) => continue,
                Some(Message::Ended(name, conclusion)) => (name, conclusion.map(|boxed| *boxed)),
                Some(Message::NotStarted(name, slot)) => {
                    coordinator.leave(slot);
                    (name, None)
                }
            };
            if let Some(conclusion) = conclusion {
                let ground = judge.grounds.of(&conclusion);
                record.record(&judge.invariants, inlined, ground.as_ref());
                return Some(conclusion);
            }
            queue.ended(&name);
        }
    }
}
