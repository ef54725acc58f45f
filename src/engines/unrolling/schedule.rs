//! Limits the CPU time of queries that need not be made at every bound.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use regatta_base::choice;

/// When a query is made that an algorithm can do without.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Frequency {
    /// At every bound while these queries stay within a share of the CPU time, then at bounds farther and farther apart.
    WithinShare,
    /// At every bound, without a limit of time.
    EveryBound,
}
choice!(Frequency: "within-share" = Self::WithinShare, "every-bound" = Self::EveryBound);

/// The limit of a query without a limit of its own; the run ends long before.
const NO_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the bounds `start`, `start + increment` and so on, up to the largest.
pub fn bounds(start: u32, increment: u32, largest: u32) -> impl Iterator<Item = u32> {
    let next = move |bound: &u32| bound.checked_add(increment);
    std::iter::successors(Some(start), next).take_while(move |&bound| bound <= largest)
}

/// A share of an engine's CPU time.
#[derive(Copy, Clone, Debug)]
pub struct Share {
    /// The share, from 0 to 1.
    pub of_time: f64,
    /// The minimum time of each query, even beyond the share.
    pub at_least: Duration,
}

/// Returns the CPU time of this thread, which does not advance while other engines run.
fn now() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// Decides at which bounds to make a query, and for how long (for one thread): at every bound while the queries stay
/// within the share, then at bounds farther and farther apart.
#[derive(Clone, Debug)]
pub struct Schedule {
    frequency: Frequency,
    share: Share,
    started: Duration,
    spent: Duration,
    next: u32,
    asking: Duration,
}

impl Schedule {
    /// Creates a schedule whose time starts now.
    pub fn new(share: Share) -> Self {
        Self::with_frequency(Frequency::WithinShare, share)
    }

    /// Like [`Self::new`]; the share matters only if the frequency says so.
    pub fn with_frequency(frequency: Frequency, share: Share) -> Self {
        let now = now();
        Self {
            frequency,
            share,
            started: now,
            spent: Duration::ZERO,
            next: 0,
            asking: now,
        }
    }

    /// Decides whether to make the query at the bound; its time starts now.
    pub fn begin(&mut self, bound: u32) -> bool {
        self.asking = now();
        self.is_at_every_bound() || bound >= self.next
    }

    fn is_at_every_bound(&self) -> bool {
        self.frequency == Frequency::EveryBound
    }

    /// Returns how long the query may still take.
    pub fn allowance(&self) -> Duration {
        if self.is_at_every_bound() {
            return NO_LIMIT;
        }
        let now = now();
        let allowed = (now - self.started).mul_f64(self.share.of_time);
        let spent = self.spent + (now - self.asking);
        allowed.saturating_sub(spent).max(self.share.at_least)
    }

    /// Checks whether the query has used up its time, and has to end.
    pub fn is_over(&self) -> bool {
        if self.is_at_every_bound() {
            return false;
        }
        let now = now();
        let asking = now - self.asking;
        let allowed = (now - self.started).mul_f64(self.share.of_time);
        asking > self.share.at_least && self.spent + asking > allowed
    }

    /// Records that the query has been made at the bound.
    pub fn end(&mut self, bound: u32) {
        let now = now();
        self.spent += now - self.asking;
        let within = self.spent <= (now - self.started).mul_f64(self.share.of_time);
        self.next = bound + if within { 1 } else { 1 + bound / 4 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_over_their_share_are_made_less_often() {
        let mut schedule = Schedule::new(Share {
            of_time: 0.0,
            at_least: Duration::from_millis(1),
        });
        let mut asked = Vec::new();
        for bound in 1..40 {
            if schedule.begin(bound) {
                assert!(schedule.allowance() >= Duration::from_millis(1));
                asked.push(bound);
                std::thread::sleep(Duration::from_micros(10));
                schedule.end(bound);
            }
        }
        assert_eq!(asked, [1, 2, 3, 4, 6, 8, 11, 14, 18, 23, 29, 37]);
    }

    #[test]
    fn queries_at_every_bound_have_no_share() {
        let share = Share {
            of_time: 0.0,
            at_least: Duration::ZERO,
        };
        let mut schedule = Schedule::with_frequency(Frequency::EveryBound, share);
        for bound in 1..10 {
            assert!(schedule.begin(bound) && !schedule.is_over());
            assert_eq!(schedule.allowance(), NO_LIMIT);
            schedule.end(bound);
        }
    }

    #[test]
    fn bounds_end_at_the_largest() {
        assert_eq!(bounds(2, 3, 10).collect::<Vec<_>>(), [2, 5, 8]);
        assert_eq!(bounds(u32::MAX, 1, u32::MAX).count(), 1);
    }
}
