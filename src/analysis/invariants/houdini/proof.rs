//! Proofs by inductive sets, with no more invariants than they need.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::Houdini;
use crate::analysis::invariants::{ByPlace, Candidate, Snapshot, by_place};
use crate::certify::certificate::Certificate;
use crate::program::block::{Block, BlockEnd};
use crate::solver::Answer;
use crate::term::by_cases::{Equations, is_equation};
use crate::term::unknowns::Abstraction;
use crate::term::{Build, TermId, by_cases};

/// Wall time of a query on which a proof depends, at least and at most; it grows as time goes by, for what is not proved
/// now may be when more is known.
const PROOF: (Duration, Duration) = (Duration::from_millis(300), Duration::from_secs(3));

impl Houdini<'_> {
    /// A proof that no target is reached, by the invariants: each block to a target is excluded where it starts. The
    /// certificate has only the invariants that this needs, and those that these need.
    pub fn safety(&mut self, proved: &Snapshot) -> Option<Certificate> {
        let known = by_place(proved.invariants().map(|(_, one)| one));
        let mut needed: Vec<Candidate> = Vec::new();
        for block in Arc::clone(&self.all).iter() {
            if matches!(block.end, BlockEnd::RecursiveCall { .. }) {
                return None;
            }
            if self.blocks.is_target(block) {
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
        Some(proved.certificate(k, &[], &support, self.blocks.inlined()))
    }

    /// The invariants with those that they need to be inductive.
    fn support(&mut self, mut needed: Vec<Candidate>, proved: &Snapshot) -> Option<Vec<Candidate>> {
        let known = by_place(proved.invariants().map(|(_, one)| one));
        let all = Arc::clone(&self.all);
        let mut seen: FxHashSet<Candidate> = FxHashSet::default();
        let mut batch = Vec::new();
        while let Some(next) = needed.pop() {
            if !seen.insert(next) {
                continue;
            }
            batch.push(next);
            for block in all.iter().filter(|block| block.target() == Some(next.at)) {
                let behind = self.behind(block, next.formula);
                needed.extend(self.core(block, behind, &known)?);
            }
        }
        Some(batch)
    }

    /// Some invariants at the block's source from which the goal holds behind it; `None` if that is not so.
    fn core(&mut self, block: &Block, goal: TermId, known: &ByPlace) -> Option<Vec<Candidate>> {
        let arena = self.solver.arena().clone();
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
        if let Some(used) = by_cases::core(&arena, &assumed, goal) {
            let used = used.into_iter().map(|index| candidate(assumed[index]));
            return Some(used.collect());
        }
        let (instances, origins): (Vec<TermId>, Vec<TermId>) =
            self.instances(block, &assumed, &[goal]).into_iter().unzip();
        let mut abstraction = Abstraction::new(&arena);
        let coarse: Vec<TermId> = instances.iter().map(|&one| abstraction.of(one)).collect();
        let used = self.by_powers(block.guard, &instances, goal).or_else(|| {
            let coarse_goal = abstraction.of(goal);
            by_cases::core(&arena, &coarse, coarse_goal)
        });
        let used = used.or_else(|| {
            let is_equation = |&index: &usize| is_equation(&arena, instances[index]);
            Equations::new(&arena, &instances)
                .imply_in_view(goal, |left| abstraction.of(left))
                .then(|| (0..instances.len()).filter(is_equation).collect())
        });
        if let Some(used) = used {
            let used = used.into_iter().map(|index| candidate(origins[index]));
            return Some(used.collect());
        }
        let mut questions = vec![(abstraction.of(broken), coarse)];
        match abstraction.is_coarser() {
            true => questions.push((broken, instances)),
            false => questions = vec![(broken, instances)],
        }
        for (broken, assumptions) in questions {
            self.solver.push();
            self.solver.assert(broken);
            self.limit((self.begin.elapsed() / 5).clamp(PROOF.0, PROOF.1));
            let answer = self.solver.check(&assumptions);
            let core = (answer == Answer::Unsatisfiable).then(|| self.solver.unsat_core());
            self.solver.pop();
            if answer != Answer::Unsatisfiable
                && answer != Answer::Satisfiable
                && self.holds_alone(broken, &assumptions, TermId::FALSE)
            {
                return Some(origins.iter().map(|&origin| candidate(origin)).collect());
            }
            if let Some(core) = core {
                let used = assumptions.iter().zip(&origins);
                let used = used.filter(|(assumption, _)| core.contains(assumption));
                return Some(used.map(|(_, &origin)| candidate(origin)).collect());
            }
        }
        None
    }
}
