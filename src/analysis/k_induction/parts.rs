//! When the largest inductive part of the open obligations is looked for.

use std::time::Duration;

use crate::analysis::unrolling::schedule::{Schedule, Share};

/// What the search may take.
const SHARE: Share = Share {
    of_time: 0.2,
    at_least: Duration::from_millis(10),
};

/// When to search, and how patiently.
pub struct Parts {
    schedule: Schedule,
    turns: Turns,
    /// There are obligations whose parts have not been looked at.
    pub has_new: bool,
}

impl Parts {
    /// Nothing has been looked at yet.
    pub fn new() -> Self {
        Self {
            schedule: Schedule::new(SHARE),
            turns: Turns::default(),
            has_new: false,
        }
    }

    /// Whether to search now, and how many times the usual time a question may take.
    pub fn begin(&mut self) -> Option<u32> {
        let turn = self.turns.next();
        self.schedule
            .begin(turn)
            .then(|| self.turns.patience(self.has_new))
            .flatten()
    }

    /// The search is over.
    pub fn end(&mut self) {
        self.schedule.end(self.turns.turn);
        self.has_new = false;
    }
}

/// Opportunities to search. A question has a few milliseconds of wall time, which a busy machine may have given to
/// others: so what has been looked for in vain is looked for again after twice as many turns, with more time.
#[derive(Debug, Default)]
struct Turns {
    turn: u32,
    /// The turn from which on old obligations are looked at again.
    again: u32,
}

impl Turns {
    fn next(&mut self) -> u32 {
        self.turn += 1;
        self.turn
    }

    /// How many times the usual time a question may take in this turn, if it is one to search in.
    fn patience(&mut self, has_new: bool) -> Option<u32> {
        if self.turn >= self.again {
            self.again = 2 * self.turn;
            return Some(self.turn);
        }
        has_new.then_some(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_looked_for_in_vain_is_looked_for_again_with_more_time() {
        let mut turns = Turns::default();
        let mut patience = |has_new| {
            turns.next();
            turns.patience(has_new)
        };
        assert_eq!(patience(true), Some(1));
        assert_eq!(patience(false), Some(2));
        assert_eq!(patience(false), None);
        // Whether or not there is something new besides.
        assert_eq!(patience(true), Some(4));
        assert_eq!(patience(true), Some(1));
        assert_eq!([(); 3].map(|()| patience(false)), [None, None, Some(8)]);
    }
}
