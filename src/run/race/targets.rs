//! The open targets of a race, as an analysis sees them: it hands in proofs about some of them, one by one, and goes on with the
//! others.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::exclusions::Exclusions;
use super::thread::RaceThread;
use crate::judge::answer::Standing;
use crate::record::event::EventKind;
use crate::record::verdict::Conclusion;
use regatta_certify::{Certificate, ProofStep};
use regatta_program::LocationId;
use regatta_sharing::{CancellationToken, OpenTargets};

/// The open targets, for the analysis of a thread.
pub(super) struct TargetsOfThread<'t> {
    pub thread: &'t RaceThread,
    /// The analysis's name.
    pub name: &'t str,
    pub exclusions: &'t Exclusions,
    /// Cancelled when all are excluded.
    pub token: &'t CancellationToken,
    /// Gets the answer then.
    pub certified: &'t RefCell<Option<Conclusion>>,
}

impl TargetsOfThread<'_> {
    /// Has the proof checked, and tells which checks are excluded by it. Returns the answer about them, or `None` if the proof
    /// excludes no check.
    fn excluded(&self, certificate: &Certificate) -> Option<Conclusion> {
        let RaceThread {
            task,
            judge,
            blocks,
            workers,
            recorder,
            ..
        } = self.thread;
        self.thread.tell_publishers(self.name, certificate);
        let (standing, blocks) = (Standing::ProvedInPart, Some(&**blocks));
        let proved = judge.certified(task, standing, self.name, certificate, blocks, workers)?;
        let assumptions = judge.exclude(task, &proved)?;
        let checks = proved.targets.clone()?;
        self.exclusions.note(&checks);
        recorder.event(EventKind::Excluded {
            analysis: self.name.to_owned(),
            checks,
            assumptions,
        });
        Some(proved)
    }
}

impl OpenTargets for TargetsOfThread<'_> {
    fn open(&self) -> Arc<BTreeSet<LocationId>> {
        self.exclusions.open()
    }

    fn as_lowered(&self, error: LocationId) -> LocationId {
        self.thread.task.as_lowered(error)
    }

    fn exclude(&self, errors: &BTreeSet<LocationId>, steps: Vec<ProofStep>) -> bool {
        let RaceThread {
            coordinator, slot, ..
        } = self.thread;
        self.exclusions.checking(true);
        self.thread.certify();
        let choices = self.exclusions.targets_of(errors).into_iter();
        let mut certificates = choices.map(|targets| Certificate {
            targets,
            steps: steps.clone(),
        });
        let excluded = certificates.find_map(|certificate| self.excluded(&certificate));
        self.exclusions.checking(false);
        let open = self.exclusions.open();
        let is_excluded = excluded.is_some() && errors.is_disjoint(&open);
        if self.exclusions.is_over() {
            *self.certified.borrow_mut() = excluded;
            self.token.cancel();
        } else {
            coordinator.resume(*slot);
            coordinator.wait(*slot);
        }
        // The thread that runs the race looks whether it goes on.
        self.thread.look();
        is_excluded
    }
}
