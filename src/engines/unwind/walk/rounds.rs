//! Rounds of loops: the decision whether a round begins, and its consequences.

use super::super::path::Path;
use super::{Cut, Rounds, State, Walk};
use crate::unwind::limits::MAXIMUM_ASSUMED_CONDITIONS;
use regatta_program::LocationId;
use regatta_term::Build;

/// The decision about a round.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Next {
    Round,
    /// It may be reachable, but exceeds the limit.
    CutOff,
    /// It is unreachable.
    Excluded,
}

impl Walk<'_, '_> {
    /// Checks whether the loop's next round may begin.
    pub(super) fn begin_round(
        &mut self,
        rounds: &mut Rounds,
        head: LocationId,
        state: &State,
    ) -> bool {
        let Some(round) = rounds.last_mut() else {
            return true;
        };
        self.walked.rounds = self.walked.rounds.max(round.number);
        let steps = self.walked.steps;
        let before = self.latest.insert(head, (round.number, steps));
        if round.number > 0 && state.path.all() != round.path.all() {
            round.open += 1;
            if let Some((number, at)) = before
                && number + 1 == round.number
            {
                *self.walked.work.entry(head).or_default() += steps - at;
            }
            match self.next(head, round.open, &state.path) {
                Next::Round => {}
                Next::CutOff => return false,
                Next::Excluded => {
                    self.excluded(&state.path);
                    return false;
                }
            }
            let most = self.walked.open.entry(head).or_default();
            *most = round.open.max(*most);
        }
        round.path = state.path.clone();
        true
    }

    /// Decides whether an open round begins.
    pub(super) fn next(&mut self, head: LocationId, open: u32, path: &Path) -> Next {
        let too_far = open > self.limits.of(head);
        // If paths are walked separately, each branch has already been decided.
        if self.limits.merge() && self.queries.excludes(path.all(), too_far) {
            return Next::Excluded;
        }
        if !too_far {
            return Next::Round;
        }
        self.walked.cuts.push(Cut {
            guard: path.all(),
            head: Some(head),
        });
        Next::CutOff
    }

    /// Removes the negated last condition of an infeasible path from the states that were split from the path last.
    pub(super) fn excluded(&mut self, path: &Path) {
        let Some((before, condition)) = path.last() else {
            return;
        };
        let denial = self.terms.arena.not(condition);
        for state in self.pending.states_mut() {
            if let Some((own, other)) = state.path.last()
                && other == denial
                && own.same(before)
            {
                state.path = before.clone();
            }
        }
    }

    /// Assumes the conditions of a state for all that follows, because it is the only state.
    pub(super) fn learn(&mut self, state: &State) {
        if state.path.depth() > MAXIMUM_ASSUMED_CONDITIONS {
            return;
        }
        let mut new = Vec::new();
        let mut at = &state.path;
        while at.depth() > self.assumed
            && let Some((before, condition)) = at.last()
        {
            new.push(condition);
            at = before;
        }
        self.assumed += new.len() as u32;
        for condition in new {
            self.terms.assume(condition);
        }
    }
}
