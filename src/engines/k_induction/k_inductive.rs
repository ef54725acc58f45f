//! Proofs of candidates by k-induction, of one or several together (\[BD19\], Algorithm 1, lines 12 to 23).

use std::time::Duration;

use crate::Context;
use crate::unrolling::base_case::BaseCases;
use crate::unrolling::step_case::StepCase;
use regatta_sharing::{BatchId, Candidate, Proved, Publisher};
use regatta_solver::{Answer, CheckLimit};
use regatta_term::{Build, TermId, store};

/// The result of an attempt.
#[derive(Clone, Debug)]
pub enum Attempt {
    /// The candidates are k-inductive together, relative to invariants in the store.
    Proved(Proved),
    /// A state that the program reaches after so many steps violates one of them.
    Violated {
        /// Steps between cut points.
        steps: u32,
    },
    /// The model of the step case's last check leads to a state that violates one of them.
    NotInductive {
        /// The condition, true in the model, that the path is taken and its last state violates the candidate.
        broken: TermId,
    },
    /// The attempt was undecided.
    Open,
}

/// Number of steps beyond k that the base case checks, so that candidates that fail later are refuted early.
const BASE_CASE_LOOKAHEAD: u32 = 6;

/// The base cases and step cases of attempts at one bound k.
pub struct KInduction<'u> {
    /// From the entry, to at least k steps; only states that are unreachable under the used invariants are excluded.
    pub base: &'u mut BaseCases,
    /// From any cut point, unrolled to k steps.
    pub step: &'u mut StepCase,
    pub k: u32,
    /// Maximum wall time of a query.
    pub limit: Duration,
}

impl KInduction<'_> {
    /// Tries to prove all of the candidates together.
    pub fn prove(&mut self, candidates: &[Candidate], context: &Context<'_>) -> Attempt {
        let mut base_cases = candidates.iter();
        if let Some(attempt) = base_cases.find_map(|one| self.base_case(one, context)) {
            return attempt;
        }
        match self.step_cases(candidates, candidates, context) {
            Some(attempt) => attempt,
            None => Attempt::Proved(Proved::new(
                candidates.to_vec(),
                self.k,
                self.relies_on(),
                |_| Publisher::clone(context.exchange.publisher()),
            )),
        }
    }

    fn relies_on(&self) -> Vec<BatchId> {
        let mut all = [self.step.used_batches(), self.base.used_batches()].concat();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Lines 12 to 14: `None` if the candidate holds within k steps from the entry, and in further unrolled steps.
    pub fn base_case(&mut self, candidate: &Candidate, context: &Context<'_>) -> Option<Attempt> {
        context.safe_point();
        if context.token.is_cancelled() {
            return Some(Attempt::Open);
        }
        let not = store().not(candidate.formula);
        let base = self.base.unrolling();
        let mut states = base.where_holds(candidate.at, not);
        states.retain(|&(steps, _)| steps <= self.k + BASE_CASE_LOOKAHEAD);
        let broken = states.iter().map(|&(_, broken)| broken);
        let any = base.arena().or(broken.collect::<Vec<_>>());
        let limit = CheckLimit {
            time: Some(self.limit),
            resource: None,
        };
        match base.check(any, limit) {
            Answer::Unsatisfiable => None,
            Answer::Satisfiable => {
                let mut states = states.into_iter();
                let violated = states.find(|&(_, broken)| base.holds(broken));
                Some(violated.map_or(Attempt::Open, |(steps, _)| Attempt::Violated { steps }))
            }
            Answer::Unknown(_) => Some(Attempt::Open),
        }
    }

    /// Lines 16 to 19: `None` if k steps through states that satisfy the candidates lead to one that satisfies the
    /// goals.
    pub fn step_cases(
        &mut self,
        candidates: &[Candidate],
        goals: &[Candidate],
        context: &Context<'_>,
    ) -> Option<Attempt> {
        let before = self.step.before(self.k, candidates);
        for goal in goals {
            let broken = self.last(goal);
            let arena = self.step.unrolling().arena().clone();
            let any = arena.and2(before, arena.or(broken.clone()));
            match self.step.ask(any, self.limit, context) {
                Answer::Unsatisfiable => {}
                Answer::Satisfiable => {
                    let mut broken = broken.into_iter();
                    let broken = broken.find(|&broken| self.step.unrolling().holds(broken));
                    return Some(
                        broken.map_or(Attempt::Open, |broken| Attempt::NotInductive { broken }),
                    );
                }
                Answer::Unknown(_) => return Some(Attempt::Open),
            }
        }
        None
    }

    /// Returns, for each state after k steps at the goal's cut point, the condition that it violates the goal.
    fn last(&mut self, goal: &Candidate) -> Vec<TermId> {
        let not = store().not(goal.formula);
        let states = self.step.unrolling().where_holds(goal.at, not).into_iter();
        let last = states.filter(|&(steps, _)| steps == self.k);
        last.map(|(_, broken)| broken).collect()
    }
}
