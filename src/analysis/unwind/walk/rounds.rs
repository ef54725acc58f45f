//! Rounds of loops: which of them begin, and what is known where one does not.

use super::super::path::Path;
use super::{Cut, Rounds, State, Walk};
use crate::program::LocationId;
use crate::term::Build;

/// Conditions of single states that are looked at for what they say of variables.
const FACTS: u32 = 64;

/// What becomes of a round that has been reached.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Next {
    Round,
    /// It may be reached, but has come too far.
    CutOff,
    /// It is not reached.
    Excluded,
}

impl Walk<'_, '_> {
    /// Whether the loop's next round may begin.
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

    /// Whether an open round is to be looked at.
    pub(super) fn next(&mut self, head: LocationId, open: u32, path: &Path) -> Next {
        let too_far = open > self.limits.of(head);
        // Each branch has been asked about where paths are walked one by one.
        if self.limits.merge() && self.questions.excludes(path.all(), too_far) {
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

    /// The path, which nothing takes: what has parted from it last goes on without a condition for that.
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

    /// The only state that there is: what it has assumed holds from here on.
    pub(super) fn learn(&mut self, state: &State) {
        if state.path.depth() > FACTS {
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
