//! The thread of the prover ([`regatta_engines::invariants::prover`]): it rests without a permit until an analysis offers
//! candidate invariants, or there are invariants that may exclude a target, and then takes turns like the analyses. Offers and new
//! invariants wake it; the only time that it waits for is that of the closing check, which has a share of the wall time.
//!
//! When no analysis is left, it does what is left to do, and ends.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};

use super::engine_thread::solver_for;
use super::keeper::Keeper;
use super::targets::TargetsOfThread;
use super::thread::{Message, RaceThread, start};
use crate::config::SolverOptions;
use crate::judge::answer::Standing;
use crate::process::crash::guarded;
use crate::record::event::EventKind;
use crate::record::verdict::Conclusion;
use regatta_base::counters::{self, Counter};
use regatta_engines::invariants::prover::Prover;
use regatta_sharing::CancellationToken;

/// The prover's name in events and crash reports.
pub(crate) const PROVER: &str = "prover";

/// The data of the prover's thread.
pub(super) struct ProverThread {
    pub thread: RaceThread,
    /// It has the invariants of an earlier run.
    pub keeper: Option<Arc<Keeper>>,
    /// Whether it looks which targets the invariants exclude.
    pub has_closing_check: bool,
}

impl ProverThread {
    /// Starts the thread, which sends its answer when it ends. If it cannot be started, candidate invariants are not proved.
    pub fn start(self) {
        let reporter = self.thread.recorder.reporter.clone();
        let race = Arc::clone(&self.thread.race);
        if let Err(error) = start(PROVER, move || self.run()) {
            race.send(Message::Ended(PROVER.to_owned(), None));
            reporter.event(EventKind::Warning {
                message: format!("the prover of invariants has no thread: {error}"),
            });
        }
    }

    fn run(&self) {
        let RaceThread {
            recorder,
            coordinator,
            slot,
            id,
            race,
            ..
        } = &self.thread;
        coordinator.attach(*slot);
        let conclusion = guarded(&recorder.reporter, PROVER, *id, || self.prove()).flatten();
        coordinator.leave(*slot);
        race.send(Message::Ended(PROVER.to_owned(), conclusion.map(Box::new)));
    }

    fn tell(&self, turn: impl FnOnce(String) -> EventKind) {
        self.thread.recorder.detail(|| turn(PROVER.to_owned()));
    }

    /// Proves what is offered, until it has an answer, or has to stop.
    fn prove(&self) -> Option<Conclusion> {
        let RaceThread {
            judge,
            recorder,
            blocks,
            token,
            coordinator,
            workers,
            ..
        } = &self.thread;
        let slot = self.thread.slot;
        let solver = || solver_for(&SolverOptions::default(), blocks, None);
        let invariants = &judge.invariants;
        token.interrupts(invariants.prover_interrupter());
        // The prover is made in its first turn.
        let mut prover = None;
        self.tell(|analysis| EventKind::Paused { analysis });
        let (mut tried, mut proved) = (0, 0);
        let mut conclusion = None;
        // With invariants of an earlier run, it has been woken.
        let mut earlier = self.keeper.as_ref().filter(|keeper| keeper.has_earlier());
        while !token.is_cancelled() {
            let is_last = invariants.has_closed_offers();
            let mut has_offers = true;
            if earlier.is_none() {
                let patience = self.closes_after(prover.as_ref(), is_last);
                has_offers = invariants.wait_for_offers(patience.unwrap_or(Duration::MAX));
                if !has_offers && !self.may_close(prover.as_ref(), is_last) {
                    if is_last {
                        break;
                    }
                    continue;
                }
                coordinator.wake(slot);
                self.thread.look();
            }
            coordinator.wait(slot);
            if let Some(keeper) = earlier.take() {
                keeper.offer(invariants, blocks);
            }
            self.tell(|analysis| EventKind::Resumed { analysis });
            if prover.is_none() {
                let kinds = self.thread.options.portfolio.general.kinds();
                let made = Prover::new(invariants, blocks, solver, token, workers);
                prover = made.map(|prover| prover.with_kinds(kinds));
            }
            let Some(prover) = &mut prover else {
                break;
            };
            if has_offers {
                let round = prover.round(&|| coordinator.safe_point(slot, &|| ()));
                tried += round.tried;
                proved += round.proved;
                recorder.event(EventKind::Invariants {
                    analysis: PROVER.to_owned(),
                    round: "offers".to_owned(),
                    proved: round.proved,
                    total: invariants.snapshot().len(),
                });
            }
            if self.may_close(Some(prover), is_last) {
                conclusion = self.close(prover, is_last);
            }
            if conclusion.is_some() {
                break;
            }
            coordinator.rest(slot);
            self.tell(|analysis| EventKind::Paused { analysis });
        }
        let counters = [("tried", tried), ("proved", proved)].into_iter();
        recorder.event(EventKind::Finished {
            analysis: PROVER.to_owned(),
            outcome: match &conclusion {
                Some(_) => "found a proof".to_owned(),
                None => "stopped".to_owned(),
            },
            statistics: counters
                .map(|(name, count)| (name.to_owned(), Json::from(count)))
                .collect::<Map<_, _>>(),
        });
        conclusion
    }

    /// Whether the closing check may exclude something, and there is time for it.
    fn may_close(&self, prover: Option<&Prover<'_>>, is_last: bool) -> bool {
        self.closes_after(prover, is_last) == Some(Duration::ZERO)
    }

    /// Returns the time after which there is time for the closing check; `None` if it cannot exclude anything as long as the
    /// invariants are the same.
    fn closes_after(&self, prover: Option<&Prover<'_>>, is_last: bool) -> Option<Duration> {
        let of_first = || {
            let has_invariants = self.thread.judge.invariants.version() > 0;
            has_invariants.then_some(Duration::ZERO)
        };
        match self.has_closing_check {
            true => prover.map_or_else(of_first, |prover| prover.closes_after(is_last)),
            false => None,
        }
    }

    /// Looks which targets the invariants exclude, and has the proofs checked. Returns the answer if no target is left.
    fn close(&self, prover: &mut Prover<'_>, is_last: bool) -> Option<Conclusion> {
        let RaceThread {
            task,
            judge,
            blocks,
            coordinator,
            slot,
            workers,
            exclusions,
            ..
        } = &self.thread;
        let safe_point = || coordinator.safe_point(*slot, &|| ());
        let certified = RefCell::default();
        if let Some(exclusions) = exclusions {
            let targets = TargetsOfThread {
                thread: &self.thread,
                name: PROVER,
                exclusions,
                token: &CancellationToken::new(),
                certified: &certified,
            };
            prover.close(Some(&targets), is_last, &safe_point);
            return certified.into_inner();
        }
        let exclusion = prover.close(None, is_last, &safe_point)?;
        let closed = exclusion.errors.len() as u64;
        let certificate = exclusion.of_all();
        self.thread.certify();
        self.thread.tell_publishers(PROVER, &certificate);
        let (standing, blocks) = (Standing::Proved, Some(&**blocks));
        let conclusion = judge.certified(task, standing, PROVER, &certificate, blocks, workers);
        match conclusion {
            Some(_) => counters::add(Counter::ClosedTargets, closed),
            None => {
                coordinator.resume(*slot);
                coordinator.wait(*slot);
            }
        }
        conclusion
    }
}
