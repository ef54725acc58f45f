//! The data of each thread of a race, and its messages to the thread that runs the race.

use std::sync::Arc;

use super::coordinator::Coordinator;
use super::exclusions::Exclusions;
use super::helper_permits;
use super::mailbox::Mailbox;
use crate::judge::answer::Judge;
use crate::options::RaceOptions;
use crate::record::event::EventKind;
use crate::record::recorder::Recorder;
use crate::record::verdict::Conclusion;
use crate::task::Task;
use regatta_base::workers::{SOLVER_STACK, Threads, Workers};
use regatta_certify::Certificate;
use regatta_program::block::Blocks;
use regatta_sharing::CancellationToken;

/// A message from an analysis's thread to the thread that runs the race.
pub(super) enum Message {
    /// The analysis has ended, with or without an answer.
    Ended(String, Option<Box<Conclusion>>),
    /// The thread of the analysis could not be started; the slot is to be freed.
    NotStarted(String, usize),
    /// The scheduler has to be called, because an analysis has changed its state.
    Look,
}

/// The state that all threads of a race share.
pub(super) struct RaceState {
    pub task: Arc<Task>,
    pub options: Arc<RaceOptions>,
    pub judge: Arc<Judge>,
    pub recorder: Recorder,
    pub blocks: Arc<Blocks>,
    pub token: CancellationToken,
    /// The targets that are left, if there are several and each is decided by itself.
    pub exclusions: Option<Arc<Exclusions>>,
    /// The pool of threads for helpers.
    pub threads: Threads,
    /// Messages to the thread that runs the race.
    pub race: Arc<Mailbox<Message>>,
}

impl RaceState {
    /// Returns the data for the thread with the slot and the number.
    pub fn thread(&self, coordinator: &Arc<Coordinator>, slot: usize, id: u32) -> RaceThread {
        RaceThread {
            task: Arc::clone(&self.task),
            options: Arc::clone(&self.options),
            judge: Arc::clone(&self.judge),
            recorder: self.recorder.clone(),
            blocks: Arc::clone(&self.blocks),
            token: self.token.clone(),
            exclusions: self.exclusions.clone(),
            coordinator: Arc::clone(coordinator),
            slot,
            id,
            workers: helper_permits::workers(coordinator, &self.threads, id),
            race: Arc::clone(&self.race),
        }
    }
}

/// The data of a thread of a race.
pub(super) struct RaceThread {
    pub task: Arc<Task>,
    pub options: Arc<RaceOptions>,
    pub judge: Arc<Judge>,
    pub recorder: Recorder,
    pub blocks: Arc<Blocks>,
    /// Cancelled when the thread has to stop.
    pub token: CancellationToken,
    /// The targets that are left, if there are several and each is decided by itself.
    pub exclusions: Option<Arc<Exclusions>>,
    pub coordinator: Arc<Coordinator>,
    /// Its slot in the coordinator.
    pub slot: usize,
    /// The number by which crashes are attributed.
    pub id: u32,
    /// Helper threads, which run under idle permits.
    pub workers: Workers,
    /// Messages to the thread that runs the race.
    pub race: Arc<Mailbox<Message>>,
}

impl RaceThread {
    /// Takes a permit for as long as the thread's answer is being checked.
    pub fn certify(&self) {
        self.coordinator.certify(self.slot);
        self.look();
    }

    /// Tells whose invariants the analysis's proof relies on.
    pub fn tell_publishers(&self, analysis: &str, certificate: &Certificate) {
        let proved = self.judge.invariants.snapshot();
        for (publisher, invariants) in proved.publishers_in(certificate, self.blocks.inlined()) {
            self.recorder.event(EventKind::Relied {
                analysis: analysis.to_owned(),
                publisher: publisher.to_string(),
                invariants,
            });
        }
    }

    /// Has the thread that runs the race call the scheduler.
    pub fn look(&self) {
        self.race.send(Message::Look);
    }
}

/// Starts a thread of a race, with a stack that is large enough for solvers.
pub(super) fn start(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let thread = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(SOLVER_STACK);
    thread.spawn(run).map(|_| ())
}
