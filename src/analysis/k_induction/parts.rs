//! Schedules the search for the largest inductive subset of the open obligations.

use std::time::Duration;

use crate::analysis::unrolling::schedule::{Schedule, Share};

/// The search's share of the time.
const SUBSET_SEARCH_SHARE: Share = Share {
    of_time: 0.2,
    at_least: Duration::from_millis(10),
};

/// Decides when to search, and with what limits.
pub struct Parts {
    schedule: Schedule,
    turns: Turns,
    /// There are obligations that no search has included.
    pub has_new: bool,
}

impl Parts {
    /// Creates the schedule before any search.
    pub fn new() -> Self {
        Self {
            schedule: Schedule::new(SUBSET_SEARCH_SHARE),
            turns: Turns::default(),
            has_new: false,
        }
    }

    /// Decides whether to search now; returns the factor on the usual time of a query.
    pub fn begin(&mut self) -> Option<u32> {
        let turn = self.turns.next();
        self.schedule
            .begin(turn)
            .then(|| self.turns.time_factor(self.has_new))
            .flatten()
    }

    /// Records that the search is over.
    pub fn end(&mut self) {
        self.schedule.end(self.turns.turn);
        self.has_new = false;
    }
}

/// Counts opportunities to search. A query has a few milliseconds of wall time, during which a busy machine may run
/// other threads: so a search that failed is repeated after twice as many turns, with more time.
#[derive(Debug, Default)]
struct Turns {
    turn: u32,
    /// The turn from which on old obligations are tried again.
    again: u32,
}

impl Turns {
    fn next(&mut self) -> u32 {
        self.turn += 1;
        self.turn
    }

    /// Returns the factor on the usual time of a query in this turn, if a search is due.
    fn time_factor(&mut self, has_new: bool) -> Option<u32> {
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
    fn failed_searches_are_repeated_with_more_time() {
        let mut turns = Turns::default();
        let mut time_factor = |has_new| {
            turns.next();
            turns.time_factor(has_new)
        };
        assert_eq!(time_factor(true), Some(1));
        assert_eq!(time_factor(false), Some(2));
        assert_eq!(time_factor(false), None);
        // A repetition is due whether or not there are new obligations.
        assert_eq!(time_factor(true), Some(4));
        assert_eq!(time_factor(true), Some(1));
        assert_eq!([(); 3].map(|()| time_factor(false)), [None, None, Some(8)]);
    }
}
