//! Exclusion of unreachable rounds, and cutting off of states.

use std::time::Instant;

use super::super::GivenUp;
use super::RoundWalk;
use crate::lowered::call_strings::Node;
use crate::queries::query::{Answer, ask_within, assertions};
use crate::verification_conditions::What;
use crate::walk::limits::{
    INITIAL_QUESTION_TIME, MAXIMUM_CERTAIN_CONDITIONS, MAXIMUM_QUESTION_SHARE,
    MAXIMUM_QUESTION_SHARE_IN_VAIN, MINIMUM_QUESTION_LIMIT, MINIMUM_QUESTIONS_IN_VAIN,
};
use regatta_program::LocationId;
use regatta_term::{Build, TermId};

impl RoundWalk<'_, '_, '_> {
    /// Decides whether to ask about the loop's open round, by its number in a row. A few rounds too many do no harm.
    pub(super) fn is_asked(&self, head: LocationId, open: u32) -> bool {
        !self.is_in_vain(head) || open.is_multiple_of((open / 8).max(1).next_power_of_two())
    }

    /// Checks whether questions about the loop have excluded no round for long.
    fn is_in_vain(&self, head: LocationId) -> bool {
        self.in_vain
            .get(&head)
            .is_some_and(|&number| number >= MINIMUM_QUESTIONS_IN_VAIN)
    }

    /// Checks whether the node is found to be unreachable in short time. This only saves time: states that are not dropped
    /// are followed.
    pub(super) fn is_excluded(&mut self, node: Node, guard: TermId) -> Result<bool, GivenUp> {
        self.is_excluded_among(node, guard, usize::MAX)
    }

    /// [`Self::is_excluded`], if paths are executed separately only with at most `maximum` conditions that have to do with the
    /// last one.
    pub(super) fn is_excluded_among(
        &mut self,
        node: Node,
        guard: TermId,
        maximum: usize,
    ) -> Result<bool, GivenUp> {
        let share = match self.is_in_vain(node.location) {
            true => MAXIMUM_QUESTION_SHARE_IN_VAIN,
            false => MAXIMUM_QUESTION_SHARE,
        };
        let budget = self.began.elapsed().mul_f64(share) + INITIAL_QUESTION_TIME;
        if guard == TermId::TRUE || (!self.lifted.by_path && self.asking > budget) {
            return Ok(false);
        }
        self.walk.label(guard, node, What::Reached);
        let began = Instant::now();
        let most =
            MINIMUM_QUESTION_LIMIT.max(self.began.elapsed().mul_f64(MAXIMUM_QUESTION_SHARE / 4.0));
        if let Some(exclusion) = &mut self.exclusion {
            let excluded = match self.lifted.paths.last(guard) {
                // Paths exclude branches for the same reasons, each of which is asked about once at the end.
                Some((before, condition)) if self.lifted.by_path => exclusion
                    .contradiction(before, condition, most, maximum)
                    .map(|core| self.walk.arena.and(core)),
                _ => {
                    let (all, _) = assertions(self.walk, &[guard]);
                    exclusion.excludes(&all, most).then_some(guard)
                }
            };
            self.cut_off
                .extend(excluded.filter(|&one| self.excluded.insert(one)));
            return self.noted(node.location, began, excluded.is_some());
        }
        let answer = ask_within(self.walk, &[guard], most);
        self.noted(node.location, began, answer == Ok(Answer::Impossible))
    }

    /// Notes the answer to a question about the loop's rounds.
    fn noted(
        &mut self,
        head: LocationId,
        began: Instant,
        is_excluded: bool,
    ) -> Result<bool, GivenUp> {
        self.asking += began.elapsed();
        let in_vain = self.in_vain.entry(head).or_default();
        *in_vain = if is_excluded { 0 } else { *in_vain + 1 };
        self.walk.left()?;
        Ok(is_excluded)
    }

    /// Shortens the guards of states that branched off last from an excluded guard: the branch's condition is implied.
    pub(super) fn spread(&mut self, excluded: TermId) {
        let paths = &self.lifted.paths;
        let Some((before, condition)) = paths.last(excluded) else {
            return;
        };
        let denial = self.walk.arena.not(condition);
        for state in self.waiting.states_mut() {
            if paths.last(state.guard) == Some((before, denial)) {
                state.guard = before;
            }
        }
    }

    /// Notes that the guard is certain, since it is that of the only state left: it holds for all later terms. The conditions in
    /// [`Left`](super::Left) and the targets so far consist of earlier terms and are not affected.
    pub(super) fn note_certain(&mut self, guard: TermId) {
        let paths = &self.lifted.paths;
        let mut new = Vec::new();
        let mut at = guard;
        while at != self.certain
            && new.len() < MAXIMUM_CERTAIN_CONDITIONS
            && let Some((before, condition)) = paths.last(at)
        {
            new.push(condition);
            at = before;
        }
        self.certain = guard;
        for condition in new {
            self.lifted.note_certain(condition);
        }
    }

    /// Cuts the state off if it has more open rounds than the maximum. Returns whether it did.
    pub(super) fn is_cut_off(
        &mut self,
        head: LocationId,
        node: Node,
        open: u32,
        guard: TermId,
    ) -> bool {
        if open <= self.most.get(&head).copied().unwrap_or(self.usual) {
            return false;
        }
        self.walk.label(guard, node, What::Reached);
        self.cut_off.push(guard);
        true
    }
}
