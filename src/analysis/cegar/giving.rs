//! What an abstraction finds while it runs, for other analyses: what of it is inductive is published.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use crate::analysis::invariants::Candidate;
use crate::analysis::invariants::houdini::Houdini;
use crate::analysis::invariants::samples::Samples;
use crate::analysis::unrolling::schedule::{Schedule, Share};
use crate::analysis::{Context, Progress};
use crate::program::CutPointKind;
use crate::program::block::Blocks;
use crate::solver::Solver;

/// What the proofs for others may take.
const GIVING: Share = Share {
    of_time: 0.1,
    at_least: Duration::from_millis(50),
};

/// The refinement after which the first are tried.
const FIRST_GIFT: u32 = 3;

/// Proposes candidates and publishes what is proved of them.
pub(super) struct Giving<'b> {
    blocks: &'b Arc<Blocks>,
    houdini: Houdini<'b>,
    schedule: Schedule,
    proposed: FxHashSet<Candidate>,
}

impl<'b> Giving<'b> {
    /// With nothing proposed yet.
    pub fn new(blocks: &'b Arc<Blocks>, solver: Box<dyn Solver>, context: &Context<'_>) -> Self {
        Self {
            blocks,
            houdini: Houdini::new(blocks, solver, context.token).impatient(),
            schedule: Schedule::new(GIVING),
            proposed: FxHashSet::default(),
        }
    }

    /// Whether it is time to propose something after so many refinements; the time runs from here on.
    pub fn is_due(&mut self, refinements: u32) -> bool {
        refinements >= FIRST_GIFT && self.schedule.begin(refinements)
    }

    /// It has been done after so many refinements.
    pub fn end(&mut self, refinements: u32) {
        self.schedule.end(refinements);
    }

    /// Publishes the largest inductive subset of the candidates, if there are new ones and something new comes of them.
    pub fn give(&mut self, mut candidates: Vec<Candidate>, context: &Context<'_>) {
        let cut_points = self.blocks.inlined().cut_points();
        candidates.retain(|one| {
            // Where blocks end at functions, there are further places, which no block of the program leads to.
            let kind = cut_points.kind(one.at.location);
            kind.is_some_and(|kind| !matches!(kind, CutPointKind::Entry | CutPointKind::Added))
        });
        let mut is_new = false;
        for &candidate in &candidates {
            is_new |= self.proposed.insert(candidate);
        }
        if !is_new {
            return;
        }
        let snapshot = context.invariants.snapshot();
        let batch = self.houdini.inductive_subset(
            &candidates,
            &snapshot,
            &Samples::default(),
            context.publisher,
            context.safe_point,
            &mut |_| {},
        );
        let known: FxHashSet<Candidate> = snapshot.invariants().map(|(_, one)| one).collect();
        let Some(batch) = batch else { return };
        let all = batch.invariants().iter();
        let new = all.filter(|one| !known.contains(one)).count();
        if new > 0 && context.invariants.publish(batch).is_some() {
            (context.report)(Progress::Invariants {
                round: "predicates",
                proved: new,
                total: context.invariants.snapshot().len(),
            });
        }
    }
}
