//! Proofs by inductive sets, reduced to the invariants that they need.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::models::Point;
use super::{Consecution, Houdini};
use regatta_certify::certificate::Certificate;
use regatta_program::block::{Block, BlockEnd};
use regatta_program::{InlinedLocation, LocationId};
use regatta_sharing::{ByPlace, Candidate, Snapshot};
use regatta_term::{Build, TermId, store};

/// Minimum and maximum wall time of a query on which a proof depends; it grows with time, for a query that fails now
/// may succeed when more invariants are known.
const PROOF_QUERY_LIMITS: (Duration, Duration) =
    (Duration::from_millis(300), Duration::from_secs(3));

impl Houdini {
    /// Proves by the invariants that no target is reached: the guard of each block to a target is false at its source.
    /// The certificate has only the invariants that this needs, and those that these need.
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

    /// Returns the numbers of the blocks that lead to a target, each with its error location: `None` for an edge that is not
    /// modelled.
    pub fn ways_to_targets(&self) -> Vec<(usize, Option<LocationId>)> {
        let all = self.all.iter().enumerate();
        let ways = all.filter(|(_, block)| self.own.blocks.is_target(block));
        ways.map(|(number, block)| (number, block.target().map(|at| at.location)))
            .collect()
    }

    /// The cut point where the block with the number begins.
    pub fn source(&self, number: usize) -> InlinedLocation {
        self.all[number].source
    }

    /// Returns invariants at the source of the block with the number that exclude it: its guard is false where they hold.
    ///
    /// # Errors
    /// If there are none: a state that satisfies the known invariants and the guard. The state is `None` if the solver gave no
    /// answer within the time limit, or not all values.
    pub fn excluding(
        &mut self,
        number: usize,
        known: &ByPlace,
        limit: Duration,
    ) -> Result<Vec<Candidate>, Option<Point>> {
        let all = Arc::clone(&self.all);
        let block = &all[number];
        let mut point = None;
        let mut observe = |consecution: &mut Consecution| {
            let assumed = known.get(&block.source).map_or(&[][..], Vec::as_slice);
            let formulas = || assumed.iter().copied().chain([block.guard]);
            let model = Point::of_model(&mut *consecution.solver, formulas());
            // Without some values, it may be no model.
            point = model.filter(|point| point.satisfies(store(), formulas()));
        };
        let core = self.core_within(block, TermId::FALSE, known, limit, &mut observe);
        core.ok_or(point)
    }

    /// Returns the certificate that no target is reached in the last of k steps from any cut point where these
    /// invariants hold, with the invariants that they rely on in turn.
    pub fn certificate(
        &mut self,
        k: u32,
        needed: Vec<Candidate>,
        proved: &Snapshot,
    ) -> Option<Certificate> {
        let support = self.support(needed, proved)?;
        Some(proved.certificate(k, &[], &support, self.own.blocks.inlined()))
    }

    /// Returns the invariants with those that they need to be inductive.
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

    /// Returns invariants at the block's source from which the goal holds after it; `None` if there are none.
    fn core(&mut self, block: &Block, goal: TermId, known: &ByPlace) -> Option<Vec<Candidate>> {
        let limit = (self.begin.elapsed() / 5).clamp(PROOF_QUERY_LIMITS.0, PROOF_QUERY_LIMITS.1);
        self.core_within(block, goal, known, limit, &mut |_| {})
    }

    /// [`Self::core`] with a limit of wall time for each query; `observe` is called while the solver has a model in which the
    /// goal does not hold.
    fn core_within(
        &mut self,
        block: &Block,
        goal: TermId,
        known: &ByPlace,
        limit: Duration,
        observe: &mut dyn FnMut(&mut Consecution),
    ) -> Option<Vec<Candidate>> {
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
        let core = self
            .own
            .core(block.guard, &premises, goal, limit, observe)?;
        let used = core.into_iter().map(|place| origins[place]);
        // Facts about sums are valid, and need no candidate.
        let used = used.filter(|&origin| origin != TermId::TRUE);
        Some(used.map(candidate).collect())
    }
}
