//! Which rounds are not reached, and what is cut off.

use std::time::{Duration, Instant};

use super::super::GivenUp;
use super::RoundWalk;
use crate::certify::call_strings::Node;
use crate::certify::query::{Answer, ask_within, assertions};
use crate::certify::record::What;
use crate::program::LocationId;
use crate::term::{Build, TermId};

/// What questions whether a round is reached may take of the time until then, how long the first ones, and one.
const ASKING: f64 = 0.6;
const ASKING_IN_VAIN: f64 = 0.15;
const AT_FIRST: Duration = Duration::from_millis(1000);
const ONE: Duration = Duration::from_millis(500);

/// After so many questions about a loop's rounds that found none excluded, some of the rounds are asked about.
const IN_VAIN: u32 = 32;

/// So many conditions are noted at a time because they hold wherever execution goes on.
const CERTAIN: usize = 64;

impl RoundWalk<'_, '_, '_> {
    /// Whether it is asked if an open round of the loop, the so manieth in a row, is excluded: a few rounds too many are no matter.
    pub(super) fn is_asked(&self, head: LocationId, open: u32) -> bool {
        !self.is_in_vain(head) || open.is_multiple_of((open / 8).max(1).next_power_of_two())
    }

    /// Whether questions about the loop's rounds have found none excluded for long.
    fn is_in_vain(&self, head: LocationId) -> bool {
        self.in_vain
            .get(&head)
            .is_some_and(|&number| number >= IN_VAIN)
    }

    /// Whether the node is not reached, as far as that is found out soon. It is a matter of time alone: what is not dropped is
    /// followed.
    pub(super) fn is_excluded(&mut self, node: Node, guard: TermId) -> Result<bool, GivenUp> {
        let share = match self.is_in_vain(node.location) {
            true => ASKING_IN_VAIN,
            false => ASKING,
        };
        let budget = self.began.elapsed().mul_f64(share) + AT_FIRST;
        if guard == TermId::TRUE || (!self.lifted.by_path && self.asking > budget) {
            return Ok(false);
        }
        self.walk.label(guard, node, What::Reached);
        let began = Instant::now();
        let most = ONE.max(self.began.elapsed().mul_f64(ASKING / 4.0));
        if let Some(exclusion) = &mut self.exclusion {
            let (all, _) = assertions(self.walk, &[guard]);
            let is_excluded = exclusion.excludes(&all, most);
            if is_excluded {
                self.cut_off.push(guard);
            }
            return self.noted(node.location, began, is_excluded);
        }
        let answer = ask_within(self.walk, &[guard], most);
        self.noted(node.location, began, answer == Ok(Answer::Impossible))
    }

    /// Notes an answer to a question about the loop's rounds, asked then.
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

    /// The guard is excluded: what has parted from it last needs no condition for that.
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

    /// The only state that is left has the guard: it holds wherever execution is from here on. What was pushed to [`Left`] and to
    /// the targets before is made of terms from before.
    pub(super) fn note_certain(&mut self, guard: TermId) {
        let paths = &self.lifted.paths;
        let mut new = Vec::new();
        let mut at = guard;
        while at != self.certain
            && new.len() < CERTAIN
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
