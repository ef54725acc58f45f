//! What a race is asked about termination. Each question is put to the program as lowered with an instrumentation of its own
//! ([`regatta_program::termination`]). The questions take turns, since either may take any time where the other has the
//! answer.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use regatta_program::termination::{Descent, Sample};

/// A question about termination.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// Whether the invariants of a witness hold, which are assertions in the program. It is asked before all else.
    Witness,
    /// Whether the loops' measures decrease, and not for ever for the reason given. A proof shows that all executions end.
    Ranking(Descent),
    /// Whether a state comes again. An alarm shows that an execution goes on for ever.
    Recurrence,
    /// Whether an execution with chosen inputs ends. A proof shows that it goes on for ever.
    Closed,
}

/// The turns: the question, and the share of the wall time after which the turn ends.
const TURNS: [(Asked, f64); 8] = [
    (Asked::Ranking(Descent::Bounded), 0.12),
    (Asked::Recurrence, 0.17),
    (Asked::Closed, 0.23),
    (Asked::Ranking(Descent::Bounded), 0.56),
    (Asked::Recurrence, 0.66),
    (Asked::Ranking(Descent::Finite), 0.76),
    (Asked::Ranking(Descent::Bounded), 0.94),
    (Asked::Recurrence, 1.0),
];

/// The share of the wall time for the invariants of a witness.
const SHARE_OF_WITNESS: f64 = 0.5;

/// The wall time that is shared if the run has no limit. The last turn has no end then.
const SHARED_WITHOUT_LIMIT: Duration = Duration::from_secs(60);

/// The state of the questions about termination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Questions {
    /// Whether the invariants of a witness are still to be proved.
    has_witness: bool,
    /// The number of the present turn.
    turn: usize,
    /// The questions to which an answer is still possible.
    open: Vec<Asked>,
    /// The rounds in which measures did not decrease.
    pub refuting: Vec<Sample>,
    /// The number of measures that were refuted in this turn, or of executions that turned out to end.
    pub refuted: u32,
}

impl Questions {
    /// The first turn. The invariants of a witness, if there are any, are asked about before it.
    pub fn new(has_witness: bool) -> Self {
        Self {
            has_witness,
            turn: 0,
            open: TURNS.map(|(question, _)| question).to_vec(),
            refuting: Vec::new(),
            refuted: 0,
        }
    }

    /// The question whose turn it is.
    pub fn present(&self) -> Asked {
        match self.has_witness {
            true => Asked::Witness,
            false => TURNS[self.turn].0,
        }
    }

    /// The number of turns that this question has had.
    pub fn earlier_turns(&self) -> usize {
        let earlier = TURNS[..self.turn].iter();
        earlier
            .filter(|(question, _)| *question == self.present())
            .count()
    }

    /// When the turn ends, given the limit of the run; `None` if it does not.
    pub fn end(&self, of_run: Option<Duration>) -> Option<Duration> {
        let present = self.present();
        if present == Asked::Witness {
            return of_run.map(|wall| wall.mul_f64(SHARE_OF_WITNESS));
        }
        let is_alone = self.open.iter().all(|&question| question == present);
        let is_last = is_alone || self.turn + 1 == TURNS.len();
        match is_last {
            true => of_run,
            false => Some(
                of_run
                    .unwrap_or(SHARED_WITHOUT_LIMIT)
                    .mul_f64(TURNS[self.turn].1),
            ),
        }
    }

    /// The next turn, after the time of the present one is over.
    pub fn after_turn(mut self) -> Option<Self> {
        if self.has_witness {
            // Without its invariants there is no witness to confirm.
            return None;
        }
        let following = self.turn + 1..TURNS.len();
        self.turn = following
            .into_iter()
            .find(|&turn| self.open.contains(&TURNS[turn].0))?;
        self.refuted = 0;
        Some(self)
    }

    /// The first turn, after the invariants of a witness were proved.
    pub fn after_witness(mut self) -> Self {
        self.has_witness = false;
        self
    }

    /// The next turn, after the present question turned out to have no answer.
    pub fn after_failure(mut self) -> Option<Self> {
        let failed = self.present();
        self.open.retain(|&question| question != failed);
        self.after_turn()
    }

    /// The same turn, after measures were refuted by the rounds, or an execution turned out to end.
    pub fn after_refutation(mut self, rounds: impl IntoIterator<Item = Sample>) -> Self {
        self.refuting.extend(rounds);
        self.refuted += 1;
        self
    }
}

impl Default for Questions {
    fn default() -> Self {
        Self::new(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_take_turns_until_none_is_open() {
        let limit = Some(Duration::from_secs(100));
        let first = Questions::new(false);
        assert_eq!(first.present(), Asked::Ranking(Descent::Bounded));
        assert_eq!(first.end(limit), Some(Duration::from_secs(12)));
        let second = first.clone().after_turn().unwrap();
        assert_eq!(second.present(), Asked::Recurrence);
        let closed = second.after_failure().unwrap();
        assert_eq!(closed.present(), Asked::Closed);
        let again = closed.after_failure().unwrap();
        assert_eq!(again.present(), Asked::Ranking(Descent::Bounded));
        let third = again.after_turn().unwrap();
        assert_eq!(third.present(), Asked::Ranking(Descent::Finite));
        // Nobody else waits for a turn.
        let fourth = third.after_failure().unwrap();
        assert_eq!(fourth.present(), Asked::Ranking(Descent::Bounded));
        assert_eq!(fourth.end(limit), limit);
        assert_eq!(fourth.after_failure(), None);
        let other = first.after_failure().unwrap();
        assert_eq!(other.present(), Asked::Recurrence);
        let other = other.after_failure().unwrap();
        assert_eq!(other.present(), Asked::Closed);
        let other = other.after_failure().unwrap();
        assert_eq!(other.present(), Asked::Ranking(Descent::Finite));
        assert_eq!(other.end(None), None);
        assert_eq!(other.after_failure(), None);
    }

    #[test]
    fn the_invariants_of_a_witness_come_first_and_are_not_passed_over() {
        let limit = Some(Duration::from_secs(100));
        let before = Questions::new(true);
        assert_eq!(before.present(), Asked::Witness);
        assert_eq!(before.end(limit), Some(Duration::from_secs(50)));
        assert_eq!(before.clone().after_turn(), None);
        assert_eq!(before.after_witness(), Questions::new(false));
    }
}
