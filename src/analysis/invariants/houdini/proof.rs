//! Proofs by inductive sets, with no more invariants than they need.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::Houdini;
use crate::analysis::invariants::{ByPlace, Candidate, Snapshot};
use crate::certify::certificate::Certificate;
use crate::program::block::{Block, BlockEnd};
use crate::term::{Build, TermId};

/// Wall time of a query on which a proof depends, at least and at most; it grows as time goes by, for what is not proved
/// now may be when more is known.
const PROOF: (Duration, Duration) = (Duration::from_millis(300), Duration::from_secs(3));

impl Houdini {
    /// A proof that no target is reached, by the invariants: each block to a target is excluded where it starts. The
    /// certificate has only the invariants that this needs, and those that these need.
    pub fn safety(&mut self, proved: &Snapshot) -> Option<Certificate> {
        let known = proved.by_place();
        let mut needed: Vec<Candidate> = Vec::new();
        for block in Arc::clone(&self.all).iter() {
            if matches!(block.end, BlockEnd::RecursiveCall { .. }) {
                return None;
            }
            if self.own.blocks.is_target(block) {
                needed.extend(self.core(block, TermId::FALSE, &known)?);
            }
        }
        self.certificate(1, needed, proved)
    }

    /// The certificate that no target is reached in the last of k steps from any cut point if only these invariants
    /// hold, with the invariants that they rely on in turn.
    pub fn certificate(
        &mut self,
        k: u32,
        needed: Vec<Candidate>,
        proved: &Snapshot,
    ) -> Option<Certificate> {
        let support = self.support(needed, proved)?;
        Some(proved.certificate(k, &[], &support, self.own.blocks.inlined()))
    }

    /// The invariants with those that they need to be inductive.
    fn support(&mut self, mut needed: Vec<Candidate>, proved: &Snapshot) -> Option<Vec<Candidate>> {
        let known = proved.by_place();
        let all = Arc::clone(&self.all);
        let mut seen: FxHashSet<Candidate> = FxHashSet::default();
        let mut batch = Vec::new();
        while let Some(next) = needed.pop() {
            if !seen.insert(next) {
                continue;
            }
            batch.push(next);
            for block in all.iter().filter(|block| block.target() == Some(next.at)) {
                let preimage = self.own.preimage(block, next.formula);
                needed.extend(self.core(block, preimage, &known)?);
            }
        }
        Some(batch)
    }

    /// Some invariants at the block's source from which the goal holds behind it; `None` if that is not so.
    fn core(&mut self, block: &Block, goal: TermId, known: &ByPlace) -> Option<Vec<Candidate>> {
        let arena = self.own.solver.arena().clone();
        let broken = arena.and2(block.guard, arena.not(goal));
        if broken == TermId::FALSE {
            return Some(Vec::new());
        }
        let assumed = known.get(&block.source).cloned().unwrap_or_default();
        let candidate = |formula| Candidate {
            at: block.source,
            formula,
        };
        if assumed.contains(&goal) {
            return Some(vec![candidate(goal)]);
        }
        let (premises, origins): (Vec<TermId>, Vec<TermId>) = self
            .own
            .instances(block, &assumed, &[goal])
            .into_iter()
            .unzip();
        let most = (self.begin.elapsed() / 5).clamp(PROOF.0, PROOF.1);
        let core = self.own.core(block.guard, &premises, goal, most)?;
        let used = core.into_iter().map(|place| origins[place]);
        // What follows for sums needs no candidate.
        let used = used.filter(|&origin| origin != TermId::TRUE);
        Some(used.map(candidate).collect())
    }
}
