//! The check which facts of the simplifier are inductive, and whether they prove the property by themselves.

use super::super::walk::{Frontier, Recursion};
use super::induction::SafetyFailure::{BaseFails, StepFails};
use super::{Checker, Failure, Invariants, Places, TOO_MANY_PLACES};
use crate::lowered::places::Cuts;
use crate::queries::query::{Answer, ask};
use crate::verification_conditions::What;
use regatta_term::{Build, TermId};

/// Maximum number of rounds that drop only the facts violated in a model; then all unconfirmed facts are dropped at once.
const MAXIMUM_MODEL_ROUNDS: u32 = 6;

impl Checker<'_> {
    /// Drops the facts that are not inductive.
    pub(super) fn confirm_facts(&mut self) -> Result<(), Failure> {
        if std::mem::replace(&mut self.has_facts, true) {
            return Ok(());
        }
        let rounds = self.simplified.invariants.iter().map(|place| place.round);
        for round in 1..=rounds.max().unwrap_or(0) {
            if !self.facts.add_round(self.simplified, &self.meaning, round) {
                continue;
            }
            self.section(|| {
                format!("Facts of the simplifier's round {round}: one step keeps all of them")
            });
            let cuts = Cuts::of_round(self.simplified, self.lowered.program, round);
            if let Err(failure) = self.confirm_round(&cuts) {
                // A question may have timed out although time is left for the check.
                self.deadline.left()?;
                self.dropped = true;
                let all = self.facts.confirmed..self.facts.count();
                self.facts.drop_facts(all);
                if failure == Failure::Unclear(TOO_MANY_PLACES.to_owned()) {
                    break;
                }
            }
            self.facts.confirmed = self.facts.count();
        }
        Ok(())
    }

    /// Drops facts of the newest round until the rest is inductive (Houdini).
    fn confirm_round(&mut self, cuts: &Cuts) -> Result<(), Failure> {
        let confirmed = self.facts.confirmed;
        for round in 1.. {
            let mut walk = self.walk(cuts, Recursion::Summarised);
            let mut places = Places::default();
            let mut goals: Vec<TermId> = Vec::new();
            let mut claimed: Vec<usize> = Vec::new();
            let mut start = Some((walk.entry(), walk.arbitrary()));
            loop {
                let (node, state) = match start.take() {
                    Some(start) => start,
                    None => match places.next() {
                        Some(node) => (node, walk.start(node, &[])),
                        None => break,
                    },
                };
                let ends = walk.segment(Frontier::from([(node, state)]))?;
                let entered = std::mem::take(&mut walk.entered);
                for (end, state) in ends.into_iter().chain(entered) {
                    for claim in walk.claims(end).iter() {
                        if claim.fact < confirmed {
                            continue;
                        }
                        let value = walk.formula(&state, end, claim.formula);
                        let goal = walk.arena.and2(state.guard, walk.arena.not(value));
                        walk.label(goal, end, What::Violates(claim.formula));
                        if goal != TermId::FALSE {
                            goals.push(goal);
                            claimed.push(claim.fact);
                        }
                    }
                    places.add(end)?;
                }
            }
            let answer = ask(&walk, &goals);
            let violated: Vec<usize> = match answer {
                Ok(Answer::Impossible) => return Ok(()),
                Ok(Answer::Possible(values)) if round <= MAXIMUM_MODEL_ROUNDS => {
                    let pairs = claimed.iter().zip(values);
                    pairs.filter(|pair| pair.1).map(|pair| *pair.0).collect()
                }
                // Drop all unconfirmed facts.
                _ => claimed,
            };
            self.deadline.left()?;
            self.dropped = true;
            if !self.facts.drop_facts(violated) {
                break;
            }
        }
        Err(Failure::Unclear("no fact can be dropped".to_owned()))
    }

    /// Checks that the simplifier's facts exclude the targets.
    pub(super) fn simplified(&mut self) -> Result<(), Failure> {
        self.confirm_facts()?;
        match self.safety_within(1, &Invariants::default()) {
            Ok(()) => Ok(()),
            // The simplifier does not record everything that it knows, so that this is no error.
            Err(BaseFails(Failure::Wrong(reason)) | StepFails(Failure::Wrong(reason))) => {
                Err(Failure::Unclear(reason))
            }
            Err(BaseFails(failure) | StepFails(failure)) => Err(failure),
        }
    }
}
